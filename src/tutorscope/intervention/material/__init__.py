"""Starter sets written for this package: mathematics, programs with a bug, brain teasers."""
