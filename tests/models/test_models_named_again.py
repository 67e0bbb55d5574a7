"""What is said of somebody who must be named again can be typed as it stands."""

from __future__ import annotations

import shlex

import pytest

from tutorscope.errors import UserError
from tutorscope.models.named_again import command_again, must_be_named
from tutorscope.models.speakers import Speaker, require_named, speakers


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Name speakers, and give them as a plan has them."""
    (tmp_path / "again_mine.py").write_text(
        "def reply(messages, *, session, item):\n    return 'x'\n", encoding="utf-8"
    )
    (tmp_path / "be kind.md").write_text("Be kind.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("A_KEY", "planted-0123456789")
    return lambda *given, **more: [Speaker.from_record(one.record()) for one in speakers(*given, **more)]


def parsed(role, command):
    """Read the words of a command line as the command line does."""
    words = shlex.split(command)
    given = {ending: [] for ending in ("", "-header", "-setting", "-system")}
    for option, value in zip(words[::2], words[1::2], strict=True):
        given[option.removeprefix(f"--{role}")].append(value.replace("FILE", "be kind.md"))
    return speakers(role, given[""], headers=given["-header"], settings=given["-setting"], systems=given["-system"])


@pytest.mark.parametrize(
    ("spec", "more"),
    [
        ("again_mine:reply", {}),
        ("mine=again_mine:reply", {"settings": ["top_p=0.9", "stop_seqs=a b,c"]}),
        ("mine=http://h/v1#m", {"headers": ["X-Key=env:A_KEY"], "settings": ['extra_body={"a": "b c"}']}),
        ("http://h/v1#m", {"headers": ["X-Key=env:A_KEY"], "systems": ["be kind.md"]}),
    ],
)
def test_the_words_name_the_same_speaker(named, spec, more):
    [speaker] = named("tutor", [spec], **more)
    [again] = parsed("tutor", command_again([speaker]))
    assert (again.made_of(), again.headers, again.name) == (speaker.made_of(), speaker.headers, speaker.name)


def test_several_are_said_in_one_line(named):
    everyone = [
        *named("student", ["S=again_mine:reply"]),
        *named("tutor", ["T=again_mine:reply"]),
        *named("judge", ["J=http://h/v1#m"], headers=["X-Key=env:A_KEY"]),
    ]
    assert must_be_named(everyone) == (
        "student 'S' and tutor 'T' run code and judge 'J' sends secrets, and a run folder alone never starts that; "
        "expected them named again: --student S=again_mine:reply --tutor T=again_mine:reply --judge J=http://h/v1#m "
        "--judge-header J:X-Key=env:A_KEY, where again_mine can be imported"
    )


def test_where_a_system_prompt_came_from_is_left_to_the_user(named):
    [speaker] = named("tutor", ["mine=again_mine:reply"], systems=["be kind.md"])
    with pytest.raises(UserError, match=r"--tutor-system mine=FILE, where .*; FILE holds the system prompt$"):
        require_named(speaker)
