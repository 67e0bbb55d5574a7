"""Measure how AI tutors help."""
