"""Texts: templates, reading replies, quotes, comparing vectors. Knows nothing above it."""
