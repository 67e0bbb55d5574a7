"""The chats and prompts that the package ships."""

import re
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from tutorscope.chats.exchanges import chat_reason, walk
from tutorscope.chats.reading import read_chats
from tutorscope.texts.templates import load_template
from tutorscope.uptake.instrument import UPTAKE
from tutorscope.uptake.rating import PROMPTS

GROUPS = ("socratic", "mixed", "telling")


def shipped(group: str) -> list:
    with as_file(files("tutorscope.uptake.material") / f"{group}.jsonl") as path:
        return list(read_chats(path))


def test_at_least_18_chats_can_be_rated_in_three_groups() -> None:
    valid = {group: sum(chat_reason(walk(chat)) is None for chat in shipped(group)) for group in GROUPS}
    assert valid == {"socratic": 7, "mixed": 6, "telling": 7}


def test_the_demo_asks_little_of_a_slow_machine() -> None:
    chats = [chat for group in GROUPS for chat in shipped(group) if chat_reason(walk(chat)) is None]
    judged = [(chat, exchange) for chat in chats for exchange in walk(chat).valid]
    assert 18 <= len(chats) <= 20
    assert len(judged) <= 52
    assert {len(walk(chat).valid) for chat in chats} == {2, 3}
    # What a prompt adds to the rubric: the task, the talk before and the exchange, at four characters a token.
    added = [
        len(chat.context) + sum(len(turn.text) for turn in walk(chat).said[: exchange.before + 2])
        for chat, exchange in judged
    ]
    assert sum(added) / len(added) <= 70 * 4


def test_the_irregular_is_among_them() -> None:
    walked = [walk(chat) for group in GROUPS for chat in shipped(group)]
    assert "too_short" in {chat_reason(one) for one in walked}
    assert any(one.merged for one in walked)
    assert any(one.opening for one in walked)
    assert any(not one.exchanges[0].framed for one in walked)
    assert "empty_tutor" in {exchange.skipped for one in walked for exchange in one.exchanges}


def test_ids_are_unique() -> None:
    ids = [chat.id for group in GROUPS for chat in shipped(group)]
    assert len(set(ids)) == len(ids) == 21


def test_the_demo_names_files_that_are_there() -> None:
    logs, options = UPTAKE.demo()[:3], UPTAKE.demo()[3:]
    assert list(options[:2]) == ["--judge", "embedded"]
    assert [log.partition("=")[0] for log in logs] == list(GROUPS)
    assert all(Path(log.partition("=")[2]).is_file() for log in logs)


@pytest.mark.parametrize("name", ["judge", "judge-scaffolding", "judge-uptake"])
def test_prompts_fill_only_their_last_part(name: str) -> None:
    template = load_template(PROMPTS, name)
    assert set(template.slots) == {"task", "history", "exchange"}
    system, user = template.messages({"task": "<t>", "history": "<h>", "exchange": "<e>"})
    assert not re.search("<[the]>", system["content"])
    assert [user["content"].index(mark) for mark in ("<t>", "<h>", "<e>")] == sorted(
        user["content"].index(mark) for mark in ("<t>", "<h>", "<e>")
    )


@pytest.mark.parametrize(("name", "scales"), [("judge", 2), ("judge-scaffolding", 1), ("judge-uptake", 1)])
def test_prompts_hold_five_anchors_a_metric_the_warning_and_examples_that_are_valid(name: str, scales: int) -> None:
    text = load_template(PROMPTS, name).text
    assert re.findall(r"^([1-5]) = ", text, re.MULTILINE) == list("12345") * scales
    assert "Length, polish" in text
    examples = re.findall(r"^(\{\"(?:scaffolding|uptake)\".*\})$", text, re.MULTILINE)
    assert len(examples) >= 5
    assert ("(a)" in text and "(e)" in text) == (name != "judge-uptake")
    assert ("If no tutor has spoken yet" in text) == (name != "judge-scaffolding")
