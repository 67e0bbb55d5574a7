"""Judging: rubrics, and asking until a reply can be read."""
