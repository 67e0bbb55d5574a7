"""The floors of the house, and that the check sees each way of breaking them."""

from pathlib import Path

import pytest
from floors import breaches

SOURCE = Path(__file__).resolve().parents[2] / "src"


def house(tmp_path: Path, **files: str) -> Path:
    """Build a small package: keyword ``runs__folder`` becomes ``tutorscope/runs/folder.py``."""
    for name, text in files.items():
        path = tmp_path.joinpath("tutorscope", *name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_this_house_stands() -> None:
    assert breaches(SOURCE) == []


def test_downward_and_level_imports_are_fine(tmp_path: Path) -> None:
    source = house(
        tmp_path,
        errors="",
        chats__chat="from tutorscope.errors import UserError",
        models__speaking="from tutorscope.chats.chat import Chat",
        runs__stages="from ..models import speaking\nimport json",
        cli__main="import tutorscope.runs.stages",
    )
    assert breaches(source) == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (1, "from tutorscope.runs.folder import RunFolder"),
        (1, "from tutorscope.runs import folder"),
        (1, "import tutorscope.runs.folder as where"),
        (1, "from ..runs import folder"),
        (2, "def later():\n    from tutorscope.runs import folder"),
        (3, "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tutorscope.runs import folder"),
        (2, "try:\n    import tutorscope.runs.folder\nexcept ImportError:\n    pass"),
        (2, "import importlib\nimportlib.import_module('tutorscope.runs.folder')"),
    ],
)
def test_every_upward_import_is_seen(tmp_path: Path, line: int, text: str) -> None:
    source = house(tmp_path, stats__ranks=text, runs__folder="")
    assert breaches(source) == [
        f"tutorscope.stats.ranks, line {line}: stats imports tutorscope.runs.folder, from a floor above it"
    ]


def test_instruments_do_not_know_each_other(tmp_path: Path) -> None:
    source = house(tmp_path, audit__game="from tutorscope.uptake import measures", uptake__measures="")
    assert breaches(source) == [
        "tutorscope.audit.game, line 1: audit imports tutorscope.uptake.measures, of another instrument"
    ]


def test_a_circle_is_seen(tmp_path: Path) -> None:
    source = house(
        tmp_path,
        texts__a="from tutorscope.texts import b",
        texts__b="from tutorscope.texts.c import name",
        texts__c="import tutorscope.texts.a",
    )
    (breach,) = breaches(source)
    assert breach.startswith("modules that import each other in a circle: ")
    assert {"tutorscope.texts.a", "tutorscope.texts.b", "tutorscope.texts.c"} <= set(
        breach.split(": ")[1].split(" -> ")
    )


def test_a_circle_of_rooms_is_seen(tmp_path: Path) -> None:
    source = house(
        tmp_path,
        chats__a="from tutorscope.texts import a",
        texts__a="",
        texts__b="from tutorscope.chats import b",
        chats__b="",
    )
    (breach,) = breaches(source)
    assert breach.startswith("rooms that import each other in a circle: ")


@pytest.mark.parametrize(
    "text",
    [
        "def later():\n    from tutorscope.texts import b",
        "import typing\nif typing.TYPE_CHECKING:\n    from tutorscope.texts import b",
    ],
)
def test_imports_that_do_not_run_at_load_make_no_circle(tmp_path: Path, text: str) -> None:
    assert breaches(house(tmp_path, texts__a=text, texts__b="import tutorscope.texts.a")) == []


def test_the_other_branch_of_type_checking_runs_at_load(tmp_path: Path) -> None:
    text = "import typing\nif typing.TYPE_CHECKING:\n    pass\nelse:\n    from tutorscope.texts import b"
    assert len(breaches(house(tmp_path, texts__a=text, texts__b="import tutorscope.texts.a"))) == 1


def test_a_room_needs_a_floor(tmp_path: Path) -> None:
    (breach,) = breaches(house(tmp_path, attic__boxes=""))
    assert "'attic' is on no floor" in breach
