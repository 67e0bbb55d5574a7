"""Commands and options that the documentation shows exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tutorscope.chats.registry import BUILT_IN
from tutorscope.cli.main import cli
from tutorscope.cli.roles import HELP, role_options

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "instruments").glob("*.md")])
BLOCK = re.compile(r"^```(?:console|text|sh|bash)\n(.*?)^```|((?:^ {4}.*\n?)+)", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def shown(text: str) -> Iterator[list[str]]:
    """Give the words of each ``tutorscope`` command that a page shows, continuation lines joined."""
    for fenced, indented in BLOCK.findall(text):
        for line in (fenced or indented).replace("\\\n", " ").splitlines():
            if re.match(r"\s*(\$ )?(\.venv/bin/)?tutorscope ", line):
                yield shlex.split(line.strip().removeprefix("$ "), comments=True)[1:]


def options_of(command: click.Command) -> set[str]:
    return {"--help"} | {name for param in command.params for name in (*param.opts, *param.secondary_opts)}


def trouble(words: list[str]) -> str:
    """Say what is wrong with a shown command, or nothing."""
    command, context = cli, click.Context(cli, info_name="tutorscope")
    words = list(words)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            return f"no command {words[0]!r}"
        command, context = found, click.Context(found, info_name=words.pop(0), parent=context)
    if isinstance(command, click.Group) and "--help" not in words:
        return f"{command.name!r} needs a command after it"
    unknown = {word.split("=")[0] for word in words if word.startswith("--")} - options_of(command)
    return f"no option {', '.join(sorted(unknown))}" if unknown else ""


def all_options(command: click.Command, context: click.Context) -> set[str]:
    found = options_of(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found |= all_options(command.get_command(context, name) or command, context)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_a_page_shows_exist(page: Path) -> None:
    assert {
        " ".join(words): found for words in shown(page.read_text(encoding="utf-8")) if (found := trouble(words))
    } == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_that_a_page_names_exist(page: Path) -> None:
    # Roles beyond those of the installed instruments are documented too: their options are made by the same rule.
    known = all_options(cli, click.Context(cli)) | {name for option in role_options(HELP) for name in option.opts}
    prose = re.sub(
        r"^.*\b(pip|pytest|ruff|pre-commit|make)\b.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert set(OPTION.findall(prose)) - known == set()


def test_commands_are_found_in_indented_blocks_too() -> None:
    assert list(shown("Prose:\n\n    tutorscope demo --out x\n    make demo\n")) == [["demo", "--out", "x"]]


def test_a_wrong_command_and_a_wrong_option_are_noticed() -> None:
    (words,) = shown("```console\n$ tutorscope uptake run a=b.csv \\\n    --judg M  # as always\n```")
    assert words == ["uptake", "run", "a=b.csv", "--judg", "M"]
    assert trouble(words) == "no option --judg"
    assert trouble(["uptake", "walk"]) == "no command 'walk'"


def test_the_page_on_formats_lists_every_reader() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(BUILT_IN)
