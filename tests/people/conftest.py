"""A run and three things that were drawn from it."""

import pytest
from check_form import FORM, shown

from tutorscope.people.answers import keep_drawn
from tutorscope.runs.folder import RunFolder


@pytest.fixture
def run(tmp_path) -> RunFolder:
    return RunFolder(tmp_path / "run")


@pytest.fixture
def coded(run):
    """Three drawn things with their ids."""
    things = [shown(number) for number in range(3)]
    return list(zip(keep_drawn(run, FORM, "j", things, {"seed": 0}), things, strict=True))
