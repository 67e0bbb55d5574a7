"""The game's first stages and its input sets, by the names that logs and ``inputs/`` have for them."""

from __future__ import annotations

BASELINE, BASELINE_GRADE = "baseline", "baseline-grade"
PROBLEMS, TRACES, PEOPLE = "problems/", "traces/", "people/"
"""The input sets: problems of a domain, traces of a student that a file brought, episodes of people."""

ALL = "all"
"""What a row is called that is pooled over tutors or domains."""
