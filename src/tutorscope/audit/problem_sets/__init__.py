"""Problem sets: their file, their equations, the constraints that they keep, and fresh ones from a seed."""
