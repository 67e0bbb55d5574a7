"""The templates of the test-only instrument."""
