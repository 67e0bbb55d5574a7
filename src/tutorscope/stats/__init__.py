"""Statistics: pure functions on arrays and frames, each usable alone."""
