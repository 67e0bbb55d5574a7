"""Scenarios, rubrics, choices and strategies written for this package, in the layout of a published release."""
