"""One fault at a time: each has one finding with its name and file, and only what hangs on it is left out."""

import json
import os
import shutil
from pathlib import Path

import pytest
from small_release import SEVEN, TWELVE, edit, edit_both, put, small_release, without

from tutorscope.casework.release import load_release

MCQ = "mcq/mcq_0011_immediate_c004_s007.json"
RUBRIC = "rubric/rubric_c004_immediate.json"
COMPACT, FULL = f"dialogue/{SEVEN}", f"dialogue_full_context/{SEVEN}"
STRATEGIES = "strategies/strategies_s007_c004.json"
COUNTS = {"scenarios": 2, "rubrics": 4, "items": 4, "choices": 4, "binary": 4}
WHOLE_SCENARIO = {"scenarios": 1, "items": 2, "choices": 2, "binary": 2}


def small(root: Path) -> Path:
    return small_release(root)


def cut(path: str):
    def fault(root: Path) -> None:
        raw = (root / path).read_bytes()
        (root / path).write_bytes(raw[: len(raw) // 2])

    return fault


def changed(path: str, **fields):
    return lambda root: edit(root / path, put(**fields))


def renamed(path: str, name: str):
    return lambda root: (root / path).rename((root / path).with_name(name))


def copied(path: str, name: str):
    return lambda root: (root / path).with_name(name).write_bytes((root / path).read_bytes())


def gone(path: str):
    return lambda root: (root / path).unlink()


def raw(path: str, data: bytes):
    return lambda root: (root / path).write_bytes(data)


def text(path: str, old: str, new: str):
    def fault(root: Path) -> None:
        held = (root / path).read_text(encoding="utf-8")
        assert old in held
        (root / path).write_text(held.replace(old, new, 1), encoding="utf-8")

    return fault


def pipe(path: str):
    def fault(root: Path) -> None:
        (root / path).unlink()
        os.mkfifo(root / path)

    return fault


def folder(path: str):
    def fault(root: Path) -> None:
        (root / path).unlink()
        (root / path).mkdir()

    return fault


def prompt(value):
    return lambda root: edit_both(root, SEVEN, put(immediate_dialogue_prompt=value))


def turns(change):
    """Change the turns of both copies of scenario 7, and take away what repeats them."""

    def both(body) -> None:
        body["dialogue"] = change(body["dialogue"])
        body["dialogue_combined"] = None

    return lambda root: edit_both(root, SEVEN, both)


def options(change):
    return lambda root: edit(root / MCQ, lambda body: body.update(options=change(body["options"])))


def criteria(change):
    return lambda root: edit(root / RUBRIC, lambda body: body["rubric"].update(criteria=change(listed(body))))


def told(**fields):
    return lambda root: edit(root / STRATEGIES, lambda body: body["strategies"][0].update(fields))


def listed(body):
    return body["rubric"]["criteria"]


def renumbered(found):
    return [{**one, "criterion_id": 1} for one in found]


def unchecked(found):
    return [{**one, "check": ""} for one in found]


LEFT_OUT = {
    # What the issue lists.
    "rubric missing": (gone(RUBRIC), "no_rubric", RUBRIC, {"rubrics": 3, "items": 3}),
    "truncated scenario": (cut(COMPACT), "unreadable", COMPACT, WHOLE_SCENARIO),
    "truncated full context": (cut(FULL), "unreadable", FULL, WHOLE_SCENARIO),
    "truncated rubric": (cut(RUBRIC), "unreadable", RUBRIC, {"rubrics": 3, "items": 3}),
    "truncated choice": (cut(MCQ), "unreadable", MCQ, {"choices": 3}),
    "truncated strategies": (cut(STRATEGIES), "unreadable", STRATEGIES, {}),
    "category of a choice": (changed(MCQ, category_id="008"), "disagrees", MCQ, {"choices": 3}),
    "category of a rubric": (changed(RUBRIC, category_id=5), "disagrees", RUBRIC, {"rubrics": 3, "items": 3}),
    "category of a scenario": (changed(COMPACT, category_id="005"), "disagrees", COMPACT, WHOLE_SCENARIO),
    "category of a full context": (changed(FULL, category_id="005"), "disagrees", FULL, WHOLE_SCENARIO),
    "category against the scenario's": (
        lambda root: (
            edit(root / MCQ, put(category_id="008")),
            renamed(MCQ, "mcq_0011_immediate_c008_s007.json")(root),
        ),
        "disagrees",
        "mcq/mcq_0011_immediate_c008_s007.json",
        {"choices": 3},
    ),
    "a copy of a choice under another number": (
        copied(MCQ, "mcq_0099_immediate_c004_s007.json"),
        "disagrees",
        "mcq/mcq_0099_immediate_c004_s007.json",
        {},
    ),
    "a copy of a choice under an earlier number": (
        copied(MCQ, "mcq_0001_immediate_c004_s007.json"),
        "disagrees",
        "mcq/mcq_0001_immediate_c004_s007.json",
        {},
    ),
    "the number of another choice": (changed(MCQ, mcq_id="0012"), "disagrees", MCQ, {"choices": 3}),
    "another rubric's category": (changed(RUBRIC, category_id="008"), "disagrees", RUBRIC, {"rubrics": 3, "items": 3}),
    "another rubric's horizon": (
        changed(RUBRIC, rubric_type="long_term"),
        "disagrees",
        RUBRIC,
        {"rubrics": 3, "items": 3},
    ),
    "another scenario's ids": (changed(COMPACT, category_id=8, scenario_id=12), "disagrees", COMPACT, WHOLE_SCENARIO),
    "a stray copy of another scenario": (
        copied(f"dialogue/{TWELVE}", "scenario_7_c4_bt.json"),
        "disagrees",
        "dialogue/scenario_7_c4_bt.json",
        {},
    ),
    "a stray truncated rubric": (
        lambda root: (root / "rubric" / "rubric_c4_immediate.json").write_bytes(b"{"),
        "unreadable",
        "rubric/rubric_c4_immediate.json",
        {},
    ),
    "duplicated choice": (
        copied(MCQ, "mcq_11_immediate_c4_s7.json"),
        "duplicate",
        "mcq/mcq_11_immediate_c4_s7.json",
        {},
    ),
    "duplicated rubric": (
        copied(RUBRIC, "rubric_c4_immediate.json"),
        "duplicate",
        "rubric/rubric_c4_immediate.json",
        {},
    ),
    "answer E": (changed(MCQ, correct_answer="E"), "answer", MCQ, {"choices": 3}),
    "no answer": (changed(MCQ, correct_answer=None), "answer", MCQ, {"choices": 3}),
    "three options": (options(lambda had: without(had, "D")), "options", MCQ, {"choices": 3}),
    "five options": (options(lambda had: {**had, "E": "Sing."}), "options", MCQ, {"choices": 3}),
    "options as a list": (options(lambda had: list(had.values())), "options", MCQ, {"choices": 3}),
    "an empty option": (options(lambda had: {**had, "B": ""}), "options", MCQ, {"choices": 3}),
    "two options in mcq": (options(lambda had: {"A": had["A"], "B": had["B"]}), "options", MCQ, {"choices": 3}),
    "empty criteria": (criteria(lambda had: []), "criteria", RUBRIC, {"rubrics": 3, "items": 3}),
    "a criterion id twice": (criteria(renumbered), "criteria", RUBRIC, {"rubrics": 3, "items": 3}),
    "an empty check": (criteria(unchecked), "criteria", RUBRIC, {"rubrics": 3, "items": 3}),
    "no rubric inside": (changed(RUBRIC, rubric=None), "criteria", RUBRIC, {"rubrics": 3, "items": 3}),
    "no turns": (turns(lambda had: []), "turns", COMPACT, WHOLE_SCENARIO),
    "no turns in one copy": (changed(COMPACT, dialogue=[]), "turns", COMPACT, WHOLE_SCENARIO),
    "no turns in the other": (changed(FULL, dialogue=[]), "turns", FULL, WHOLE_SCENARIO),
    "turns in another order": (turns(lambda had: had[2:] + had[:2]), "turns", COMPACT, WHOLE_SCENARIO),
    "the student begins": (turns(lambda had: had[1:]), "turns", COMPACT, WHOLE_SCENARIO),
    "the tutor has the last word": (turns(lambda had: had[:-1]), "turns", COMPACT, WHOLE_SCENARIO),
    "a speaker twice": (
        turns(lambda had: [{**one, "speaker": "tutor"} for one in had]),
        "turns",
        COMPACT,
        WHOLE_SCENARIO,
    ),
    "another speaker": (
        turns(lambda had: [{**one, "speaker": "judge"} for one in had]),
        "turns",
        COMPACT,
        WHOLE_SCENARIO,
    ),
    "a turn without words": (
        turns(lambda had: [had[0], {**had[1], "message": " "}, *had[2:]]),
        "turns",
        COMPACT,
        WHOLE_SCENARIO,
    ),
    "turns that are texts": (turns(lambda had: ["Ready?", "No."]), "turns", COMPACT, WHOLE_SCENARIO),
    # What else a file can be.
    "a list": (raw(MCQ, b"[1, 2]"), "unreadable", MCQ, {"choices": 3}),
    "an empty file": (raw(MCQ, b""), "unreadable", MCQ, {"choices": 3}),
    "another encoding": (raw(MCQ, b'{"mcq_id": "\xe9"}'), "unreadable", MCQ, {"choices": 3}),
    "half a surrogate pair": (changed(MCQ, minimal_context="\ud800"), "unreadable", MCQ, {"choices": 3}),
    "nested too deep": (raw(MCQ, b'{"a":' * 100_000), "unreadable", MCQ, {"choices": 3}),
    "a huge number": (raw(MCQ, b'{"mcq_id": ' + b"9" * 5_000 + b"}"), "unreadable", MCQ, {"choices": 3}),
    "a key twice": (
        text(MCQ, '"correct_answer"', '"correct_answer": "B", "correct_answer"'),
        "key_twice",
        MCQ,
        {"choices": 3},
    ),
    "an option twice": (text(MCQ, '"options": {', '"options": {"A": "Sing.", '), "key_twice", MCQ, {"choices": 3}),
    "an id twice": (
        text(COMPACT, '"category_id"', '"category_id": "005", "category_id"'),
        "key_twice",
        COMPACT,
        WHOLE_SCENARIO,
    ),
    "a pipe": (pipe(MCQ), "unreadable", MCQ, {"choices": 3}),
    "a folder": (folder(MCQ), "unreadable", MCQ, {"choices": 3}),
    "an option without width": (options(lambda had: {**had, "B": "\u200b"}), "options", MCQ, {"choices": 3}),
    "a turn without width": (
        turns(lambda had: [had[0], {**had[1], "message": "\u2060\ufeff"}, *had[2:]]),
        "turns",
        COMPACT,
        WHOLE_SCENARIO,
    ),
    "a prompt number that is false": (prompt(False), "prompt", COMPACT, {"items": 3}),
    "a prompt number that is empty": (prompt(""), "prompt", COMPACT, {"items": 3}),
    "a prompt number in words": (prompt("yes"), "prompt", COMPACT, {"items": 3}),
    "another name": (renamed(MCQ, "question-11.json"), "name", "mcq/question-11.json", {"choices": 3}),
    "no id": (changed(MCQ, mcq_id=None), "fields", MCQ, {"choices": 3}),
    "an id in words": (changed(MCQ, scenario_id="seven"), "fields", MCQ, {"choices": 3}),
    "an id that is true": (changed(MCQ, scenario_id=True), "fields", MCQ, {"choices": 3}),
    "a text that is a list": (changed(RUBRIC, student_description=[]), "fields", RUBRIC, {"rubrics": 3, "items": 3}),
    "a context that is a text": (changed(FULL, full_context="none"), "fields", FULL, WHOLE_SCENARIO),
    "a strategy of neither kind": (changed(STRATEGIES, strategies=[{"text": "x"}]), "fields", STRATEGIES, {}),
}


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    root = small(tmp_path / "release")
    assert load_release(root).irregularities == ()
    return root


@pytest.mark.parametrize("fault", LEFT_OUT)
def test_a_fault_is_left_out_with_one_finding_and_the_rest_loads(sound: Path, fault: str) -> None:
    make, kind, file, counts = LEFT_OUT[fault]
    make(sound)
    release = load_release(sound)
    assert [(one.kind, one.file) for one in release.irregularities] == [(kind, file)]
    assert release.irregularities[0].left_out
    assert "\n" not in release.irregularities[0].said
    assert {name: len(getattr(release, name)) for name in COUNTS} == {**COUNTS, **counts}


KEPT = {
    "a CSV that is a pipe": (pipe("dataset_overall.csv"), "index", "dataset_overall.csv"),
    "another challenge type in a choice": (
        changed(MCQ, challenge_type="Emotional Distress"),
        "challenge_type",
        MCQ,
    ),
    "a challenge type of a choice that is a number": (changed(MCQ, challenge_type=3), "challenge_type", MCQ),
    "another challenge type in a rubric": (
        changed(RUBRIC, challenge_type="Emotional Distress"),
        "challenge_type",
        RUBRIC,
    ),
    "no description of the student": (changed(RUBRIC, student_description=None), "empty", RUBRIC),
    "an empty description of the student": (changed(RUBRIC, student_description=" "), "empty", RUBRIC),
    "an escape code in an option": (options(lambda had: {**had, "B": had["B"] + "\x1b[2J"}), "residue", MCQ),
    "a NUL in a criterion": (
        criteria(lambda had: [{**one, "check": one["check"] + "\x00"} for one in had]),
        "residue",
        RUBRIC,
    ),
    "an escape code in the description": (changed(RUBRIC, student_description="Lio\x1b[31m"), "residue", RUBRIC),
    "an escape code in a persona": (changed(STRATEGIES, persona="Lio\x1b[31m"), "residue", STRATEGIES),
    "a copy that is a number": (changed(MCQ, dialogue=5), "copies", MCQ),
    "a combined text that is a number": (
        lambda root: edit_both(root, SEVEN, put(dialogue_combined=5)),
        "copies",
        COMPACT,
    ),
    "no CSV": (gone("dataset_overall.csv"), "missing", "dataset_overall.csv"),
    "BOM of a choice": (lambda root: mark(root / MCQ), "byte_order_mark", MCQ),
    "BOM of the CSV": (lambda root: mark(root / "dataset_overall.csv"), "byte_order_mark", "dataset_overall.csv"),
    "a CSV that is no UTF-8": (
        raw("dataset_overall.csv", b"scenario_id,title\n7,caf\xe9\n"),
        "index",
        "dataset_overall.csv",
    ),
    "a CSV with more scenarios": (
        raw("dataset_overall.csv", b"scenario_id,title\n7,a\n0900,b\n"),
        "index",
        "dataset_overall.csv",
    ),
    "another title": (changed(MCQ, category_title="Someone else"), "titles", MCQ),
    "criterion ids from 3": (
        criteria(lambda had: [{**one, "criterion_id": n} for n, one in enumerate(had, 3)]),
        "criterion_ids",
        RUBRIC,
    ),
    "a check twice": (
        criteria(lambda had: [{**one, "check": f"Names one step{'.' * n}"} for n, one in enumerate(had)]),
        "criteria_alike",
        RUBRIC,
    ),
    "options that differ in case": (
        options(lambda had: {**had, "B": had["A"].upper()}),
        "options_alike",
        MCQ,
    ),
    "an unknown challenge type": (changed(RUBRIC, challenge_type="Sensory Overload"), "challenge_type", RUBRIC),
    "no challenge type": (changed(RUBRIC, challenge_type=None), "challenge_type", RUBRIC),
    "two turns": (turns(lambda had: [had[0], had[-1]]), "turn_count", COMPACT),
    "no challenging turn": (
        turns(lambda had: [without(one, "is_challenging_behavior") for one in had]),
        "flag",
        COMPACT,
    ),
    "an early challenging turn": (
        turns(lambda had: [{**one, "is_challenging_behavior": True} for one in had]),
        "flag",
        COMPACT,
    ),
    "a key more on a turn": (turns(lambda had: [{**one, "mood": "low"} for one in had]), "extra_keys", COMPACT),
    "a key more in a file": (changed(MCQ, note="x"), "extra_keys", MCQ),
    "a key more on a criterion": (criteria(lambda had: [{**one, "weight": 2} for one in had]), "extra_keys", RUBRIC),
    "white space": (
        turns(lambda had: [*had[:-1], {**had[-1], "message": had[-1]["message"] + " \n"}]),
        "white_space",
        COMPACT,
    ),
    "an empty list in the context": (
        lambda root: edit(root / FULL, lambda body: body["full_context"]["content"].update(behavior_patterns=[])),
        "empty",
        FULL,
    ),
    "a ligature": (
        lambda root: edit(root / FULL, lambda body: body["full_context"]["content"]["task"].update(content="ﬁnding")),
        "residue",
        FULL,
    ),
    "a copy that differs": (changed(MCQ, dialogue="TUTOR: Hello"), "copies", MCQ),
    "a combined text that differs": (
        lambda root: edit_both(root, SEVEN, put(dialogue_combined="TUTOR: Hello")),
        "copies",
        COMPACT,
    ),
    "titles of two copies": (changed(FULL, scenario_title="Another"), "copies", FULL),
    "no copy in the other folder": (gone(FULL), "copies", COMPACT),
}


def mark(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


@pytest.mark.parametrize("oddity", KEPT)
def test_an_oddity_is_said_once_and_costs_nothing(sound: Path, oddity: str) -> None:
    make, kind, file = KEPT[oddity]
    make(sound)
    release = load_release(sound)
    findings = [(one.kind, one.file) for one in release.irregularities if one.kind != "action_only"]
    # A choice's copy of a dialogue that lost turns differs too, and so it is said.
    others = {one for one in findings if one[0] == "copies" and one[1].startswith(("mcq/", "binary/"))}
    assert [one for one in findings if one not in others or one == (kind, file)] == [(kind, file)]
    assert not others - {(kind, file)} or oddity == "two turns"
    assert not any(one.left_out for one in release.irregularities)
    assert {name: len(getattr(release, name)) for name in COUNTS} == COUNTS


def test_a_last_turn_without_speech_is_said(sound: Path) -> None:
    said = "(Slides under the table)"
    turns(lambda had: [*had[:-1], {**had[-1], "message": said}])(sound)
    kinds = {one.kind: one.file for one in load_release(sound).irregularities}
    assert kinds["action_only"] == COMPACT
    assert load_release(sound).scenarios[7].dialogue[-1].message == said


SAID = {
    "a number for a check": (
        criteria(lambda had: [had[0], {**had[1], "check": 5}]),
        "criterion 2: check: found a number, expected a text",
    ),
    "an id twice": (
        text(RUBRIC, '"criterion_id"', '"criterion_id": 5, "criterion_id"'),
        "the key 'criterion_id' is there twice in one object",
    ),
    "a horizon": (told(horizon="both"), "strategy 1: horizon 'both', expected immediate or long_term"),
    "no text of a strategy": (told(text=""), "strategy 1: a strategy without a text"),
    "a reason that is a list": (told(reason=[]), "strategy 1: reason: found a list, expected a text"),
    "an empty turn": (
        turns(lambda had: [had[0], {**had[1], "message": ""}, *had[2:]]),
        "turn 2: an empty turn of the student; left out with it",
    ),
    "a prompt number": (
        prompt(False),
        "immediate_dialogue_prompt: found False, expected a whole number or null; left out with it: s007-immediate",
    ),
}


@pytest.mark.parametrize("fault", SAID)
def test_a_finding_says_which_part_it_is_about(sound: Path, fault: str) -> None:
    make, said = SAID[fault]
    make(sound)
    (finding,) = load_release(sound).irregularities
    assert finding.said.startswith(said)


def test_what_hangs_on_a_fault_is_named_with_it(sound: Path) -> None:
    cut(COMPACT)(sound)
    (finding,) = load_release(sound).irregularities
    assert "cut off" in finding.said
    named = "s007-immediate, s007-long_term, m0011, m0012, b0010, b0011"
    assert finding.said.endswith(f"left out with it: {named}, strategies/strategies_s007_c004.json")
    assert finding.questions == tuple(named.split(", "))


def test_lost_open_questions_are_those_of_the_copy_that_can_be_read_or_of_the_name(sound: Path) -> None:
    edit(sound / FULL, put(long_term_dialogue_prompt=None))
    cut(COMPACT)(sound)
    assert load_release(sound).irregularities[0].questions[:2] == ("s007-immediate", "m0011")
    cut(FULL)(sound)
    finding = load_release(sound).irregularities[0]
    assert finding.questions[:3] == ("s007-immediate", "s007-long_term", "m0011")


def test_a_rubric_that_says_another_ones_category_is_told_with_its_questions(sound: Path) -> None:
    changed(RUBRIC, category_id="008")(sound)
    (finding,) = load_release(sound).irregularities
    assert finding.said == "category 4 in the name, 8 inside; left out with it: s007-immediate"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "an empty file"),
        (b" \n", "an empty file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "a Git LFS pointer"),
        (b'{"mcq_id": ', "no JSON (cut off"),
    ],
)
def test_a_file_that_is_no_json_is_called_what_it_is(sound: Path, data: bytes, said: str) -> None:
    (sound / MCQ).write_bytes(data)
    (finding,) = load_release(sound).irregularities
    assert finding.said.startswith(said)


@pytest.mark.parametrize("name", ["mcq", "binary", "strategies"])
def test_a_pipe_in_a_folders_place_is_no_folder(sound: Path, name: str) -> None:
    shutil.rmtree(sound / name)
    os.mkfifo(sound / name)
    said = {one.file: one.said for one in load_release(sound).irregularities}
    assert said[f"{name}/"].startswith("is no folder: ")


def test_questions_without_a_rubric_are_named(sound: Path) -> None:
    gone(RUBRIC)(sound)
    (finding,) = load_release(sound).irregularities
    assert finding.said == "is not there; left out with it: s007-immediate"


def test_a_difference_of_ids_says_both(sound: Path) -> None:
    changed(MCQ, category_id="008", mcq_type="long-term")(sound)
    (finding,) = load_release(sound).irregularities
    assert finding.said == "category 4 in the name, 8 inside; horizon immediate in the name, long_term inside"


def test_a_scenario_id_in_two_categories_keeps_the_first(sound: Path) -> None:
    for folder in ("dialogue", "dialogue_full_context"):
        twin = sound / folder / "scenario_007_c008_bt.json"
        twin.write_bytes((sound / folder / TWELVE).read_bytes())
        edit(twin, put(scenario_id="007"))
    release = load_release(sound)
    assert [one.kind for one in release.irregularities] == ["duplicate", "duplicate"]
    assert release.scenarios[7].category == 4


def test_the_ids_of_a_file_may_be_numbers_or_padded(sound: Path) -> None:
    before = load_release(sound)
    edit(sound / MCQ, put(mcq_id=11, category_id="0004", scenario_id=" 7 ", mcq_type="Immediate"))
    edit_both(sound, SEVEN, put(scenario_id=7, category_id=4))
    edit(sound / RUBRIC, lambda body: [one.update(criterion_id=f"00{one['criterion_id']}") for one in listed(body)])
    assert load_release(sound) == before


def test_a_scenario_asks_what_its_body_says(sound: Path) -> None:
    edit_both(sound, SEVEN, put(long_term_dialogue_prompt=None))
    release = load_release(sound)
    assert [one.id for one in release.items if one.scenario == 7] == ["s007-immediate"]
    assert [(one.kind, one.file) for one in release.irregularities] == [("copies", COMPACT)]


def test_a_scenario_without_prompt_numbers_asks_what_its_name_says(sound: Path) -> None:
    for folder in ("dialogue", "dialogue_full_context"):
        place = sound / folder / SEVEN
        body = json.loads(place.read_text(encoding="utf-8"))
        place.unlink()
        kept = without(body, "immediate_dialogue_prompt", "long_term_dialogue_prompt")
        place.with_name("scenario_007_c004_lt.json").write_text(json.dumps(kept), encoding="utf-8")
    release = load_release(sound)
    assert release.irregularities == ()
    assert [one.id for one in release.items if one.scenario == 7] == ["s007-long_term"]


def test_strategies_of_no_scenario_are_named(sound: Path) -> None:
    (sound / COMPACT).unlink()
    (sound / FULL).unlink()
    for file in [*sound.glob("mcq/*s007*"), *sound.glob("binary/*s007*")]:
        file.unlink()
    kinds = [(one.kind, one.file) for one in load_release(sound).irregularities]
    assert ("no_scenario", STRATEGIES) in kinds


def test_hidden_files_are_passed_over(sound: Path) -> None:
    (sound / "mcq" / ".DS_Store").write_bytes(b"\x00")
    assert load_release(sound).irregularities == ()
