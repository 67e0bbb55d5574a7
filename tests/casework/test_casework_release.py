"""Loading a release: known answers on the real part, partial clones, what is no release, and what check says."""

import csv
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from small_release import SEVEN, TWELVE, edit, edit_both, put, small_release

from tutorscope.casework.check import check_release, check_text
from tutorscope.casework.loaded import Release
from tutorscope.casework.release import load_release
from tutorscope.casework.terms import FORMS, HORIZONS
from tutorscope.errors import UserError


@pytest.fixture(scope="module")
def real(shared: Path) -> Release:
    return load_release(shared / "tutorcasebench")


def test_the_real_part_has_the_known_counts(real: Release) -> None:
    assert real.name == "tutorcasebench"
    assert (len(real.categories), len(real.scenarios), len(real.rubrics)) == (59, 119, 118)
    assert Counter(one.horizon for one in real.items) == {"immediate": 115, "long_term": 97}
    assert Counter(one.horizon for one in real.choices) == {"immediate": 193, "long_term": 138}
    assert Counter(one.correct for one in real.choices) == {"A": 88, "B": 83, "C": 89, "D": 71}
    assert sum(len(one.criteria) for one in real.rubrics.values()) == 316
    assert real.binary == ()


def test_eight_rubrics_of_the_real_part_begin_beyond_1(real: Release) -> None:
    listed = [one.file for one in real.irregularities if one.kind == "criterion_ids"]
    assert len(listed) == 8
    assert sum(one.criteria[0].id != 1 for one in real.rubrics.values()) == 8
    assert [one.id for one in real.rubrics[36, "long_term"].criteria] == [4, 5, 6]


def test_the_dialogues_of_the_real_part_have_six_turns_of_which_the_last_is_marked(real: Release) -> None:
    assert {len(one.dialogue) for one in real.scenarios.values()} == {6}
    marks = {tuple(turn.challenging for turn in one.dialogue) for one in real.scenarios.values()}
    assert marks == {(False,) * 5 + (True,)}


def test_nothing_of_the_real_part_is_left_out_and_its_oddities_are_named(real: Release) -> None:
    kinds = Counter(one.kind for one in real.irregularities)
    assert not any(one.left_out for one in real.irregularities)
    assert set(kinds) == {"criterion_ids", "action_only", "empty", "residue", "index"}
    assert kinds["action_only"] == 40


def test_the_texts_of_the_real_part_are_those_of_its_json(real: Release, shared: Path) -> None:
    for file in sorted((shared / "tutorcasebench" / "dialogue_full_context").glob("*.json"))[::10]:
        body = json.loads(file.read_text(encoding="utf-8"))
        scenario = real.scenarios[int(body["scenario_id"])]
        assert [turn.message for turn in scenario.dialogue] == [turn["message"] for turn in body["dialogue"]]
        assert scenario.full_context == body["full_context"]
        assert (scenario.title, scenario.minimal_context) == (body["scenario_title"], body["minimal_context"])


def test_no_text_comes_from_the_index(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    before = load_release(root)
    rows = list(csv.reader((root / "dataset_overall.csv").read_text(encoding="utf-8").splitlines()))
    poisoned = [[*rows[0], "minimal_context", "dialogue", "challenge_type"]] + [
        [*row, "P", "P", "P"] for row in rows[1:]
    ]
    (root / "dataset_overall.csv").write_text("\n".join(map(",".join, poisoned)), encoding="utf-8")
    assert load_release(root) == before


def test_a_release_keeps_ids_and_the_order_of_ids(tmp_path: Path) -> None:
    release = load_release(small_release(tmp_path / "release"))
    assert list(release.scenarios) == [7, 12]
    assert [one.id for one in release.items] == ["s007-immediate", "s007-long_term", "s012-immediate", "s012-long_term"]
    assert [one.id for one in release.choices] == ["m0011", "m0012", "m0020", "m0021"]
    assert list(release.rubrics) == [(4, "immediate"), (4, "long_term"), (8, "immediate"), (8, "long_term")]


@pytest.mark.parametrize("number", [4, 6, 8])
def test_dialogues_of_four_six_and_eight_turns_load_alike(tmp_path: Path, number: int) -> None:
    root = small_release(tmp_path / "release")
    talk = [
        {"turn_id": n, "speaker": "student" if n % 2 == 0 else "tutor", "message": f"words {n}"}
        for n in range(1, number + 1)
    ]
    talk[-1]["is_challenging_behavior"] = True
    edit_both(root, SEVEN, put(dialogue=talk, dialogue_combined=None))
    for file in [*root.glob("mcq/*s007*"), *root.glob("binary/*s007*")]:
        edit(file, put(dialogue=None))
    release = load_release(root)
    assert release.irregularities == ()
    assert len(release.scenarios[7].dialogue) == number
    assert release.scenarios[7].dialogue[-1].challenging


PARTS = {
    "dialogue": (True, True, True, "the dialogues with full contexts serve"),
    "dialogue_full_context": (True, True, True, "the judge gets no full context"),
    "rubric": (
        False,
        True,
        True,
        "4 open questions cannot be judged and are left out: "
        "s007-immediate, s007-long_term, s012-immediate, s012-long_term",
    ),
    "mcq": (True, False, True, "there are no choices of four options"),
}


@pytest.mark.parametrize("folder", PARTS)
def test_a_clone_without_a_folder_loads_and_says_so(tmp_path: Path, folder: str) -> None:
    root = small_release(tmp_path / "release")
    shutil.rmtree(root / folder)
    release = load_release(root)
    *can, said = PARTS[folder]
    assert [release.has(form, "immediate") for form in ("open", "mcq", "binary")] == can
    (finding,) = release.irregularities
    assert (finding.file, finding.said) == (f"{folder}/", f"is not there: {said}")
    # Without rubrics there is something to ask that is lost; without another folder nobody knows of anything.
    assert (finding.kind, finding.lost) == (("no_rubric", 4) if folder == "rubric" else ("missing", 0))
    found = check_release(root)
    assert (found["left_out"], found["questions_left_out"]) == ((1, 4) if folder == "rubric" else (0, 0))
    assert len(release.scenarios) == 2


def test_without_full_contexts_scenarios_have_none(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    shutil.rmtree(root / "dialogue_full_context")
    assert {one.full_context for one in load_release(root).scenarios.values()} == {None}


def test_choices_alone_can_be_asked_with_their_own_copies(tmp_path: Path) -> None:
    whole = load_release(small_release(tmp_path / "release"))
    shutil.copytree(tmp_path / "release" / "mcq", tmp_path / "part" / "mcq")
    part = load_release(tmp_path / "part")
    assert part.choices == whole.choices
    assert not part.has("open", "immediate")
    assert [turn.message for turn in part.scenarios[7].dialogue] == [
        turn.message for turn in whole.scenarios[7].dialogue
    ]
    kinds = Counter(one.kind for one in part.irregularities)
    assert kinds == {"from_choices": 2, "missing": 4}


def test_a_release_without_our_folders_has_the_published_forms(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    shutil.rmtree(root / "strategies")
    shutil.rmtree(root / "binary")
    release = load_release(root)
    assert release.irregularities == ()
    assert [release.has(form, "immediate") for form in FORMS] == [True, True, True, False]


def test_the_same_files_give_the_same_release(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    assert load_release(root) == load_release(str(root))


@pytest.mark.parametrize("make", ["nothing", "file", "empty", "other"])
def test_what_is_no_release_ends_in_one_line(tmp_path: Path, make: str) -> None:
    place = tmp_path / make
    if make == "file":
        place.write_text("{}", encoding="utf-8")
    elif make != "nothing":
        place.mkdir()
    if make == "other":
        (place / "data").mkdir()
    with pytest.raises(UserError) as refused:
        load_release(place)
    assert str(refused.value).startswith(f"{place}: ")
    assert "\n" not in str(refused.value)


def test_the_folder_above_a_release_names_it(tmp_path: Path) -> None:
    root = small_release(tmp_path / "clone" / "data")
    with pytest.raises(UserError, match=r"is one$") as refused:
        load_release(tmp_path / "clone")
    assert str(root) in str(refused.value)


# What check says.


def test_check_gives_the_known_answers_of_the_real_part(shared: Path) -> None:
    found = check_release(shared / "tutorcasebench")
    assert json.loads(json.dumps(found)) == found
    numbers = {key: found[key] for key in ("categories", "scenarios", "items", "mcq", "letters", "rubrics", "criteria")}
    assert numbers == {
        "categories": 59,
        "scenarios": 119,
        "items": {"immediate": 115, "long_term": 97},
        "mcq": {"immediate": 193, "long_term": 138},
        "letters": {"A": 88, "B": 83, "C": 89, "D": 71},
        "rubrics": 118,
        "criteria": 316,
    }
    assert found["turns"] == {"6": 119}
    assert found["challenge_types"] == {
        "emotional_distress": 22,
        "task_resistance": 34,
        "social_interpersonal": 10,
        "attention_engagement": 31,
        "academic_struggle": 22,
    }
    assert found["irregularities"]["criterion_ids"]["count"] == 8
    assert found["forms"]["binary"] == {
        "immediate": False,
        "long_term": False,
        "missing": ["no choices in binary/ for immediate and long_term"],
    }
    assert found["forms"]["reference"]["missing"] == [
        "no strategies in strategies/: correct options of choices stand in",
        "no papers: references come from other categories",
    ]


def test_check_names_every_file_of_a_kind_and_the_text_its_first_ones(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    for file in root.glob("mcq/*.json"):
        edit(file, put(correct_answer="E"))
    found = check_release(root)
    fault = found["irregularities"]["answer"]
    assert (fault["count"], fault["left_out"], len(fault["files"]), len(fault["said"])) == (4, True, 4, 4)
    assert (found["left_out"], found["questions_left_out"], found["mcq"]) == (4, 4, {"immediate": 0, "long_term": 0})
    lines = check_text(found).splitlines()
    first = lines.index("left out: 4 findings, 4 questions lost")
    assert lines[first + 1] == "  answer: 4 (a correct answer that is no option's letter)"
    said = "the answer is 'E', expected one of A, B, C, D"
    assert lines[first + 2] == f"    mcq/mcq_0011_immediate_c004_s007.json: {said}"
    assert lines[first + 5] == "    and 1 more"
    assert lines[-1] == "odd, and loaded all the same: 0"


def test_what_is_lost_is_counted_in_questions(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    (root / "rubric" / "rubric_c004_immediate.json").write_bytes(b"")
    (root / "mcq" / "mcq_0011_immediate_c004_s007.json").write_bytes(b"")
    (root / "mcq" / "README.txt").write_bytes(b"")
    (root / "mcq" / "mcq_12_long_term_c4_s7.json").write_bytes(
        (root / "mcq" / "mcq_0012_long_term_c004_s007.json").read_bytes()
    )
    found = check_release(root)
    assert (found["left_out"], found["questions_left_out"]) == (4, 2)
    assert found["irregularities"]["unreadable"]["lost"] == [["s007-immediate"], []]
    assert "left out: 4 findings, 2 questions lost" in check_text(found).splitlines()


def test_check_of_a_sound_release_reads_like_this(tmp_path: Path) -> None:
    assert check_text(check_release(small_release(tmp_path / "release"))).splitlines() == [
        "release: 2 categories, 2 scenarios (4 turns: 2)",
        "open questions: 2 immediate, 2 long_term; 4 rubrics, 9 criteria",
        "choices of four: 2 immediate, 2 long_term (correct: A 2, B 0, C 2, D 0)",
        "choices of two: 2 immediate, 2 long_term",
        "strategies: 4 effective, 4 ineffective",
        "challenge types: emotional_distress 0, task_resistance 0, social_interpersonal 0, attention_engagement 1, "
        "academic_struggle 1",
        "form open: immediate and long_term",
        "form reference: immediate and long_term",
        "form mcq: immediate and long_term",
        "form binary: immediate and long_term",
        "left out: 0",
        "odd, and loaded all the same: 0",
    ]


@pytest.mark.parametrize(
    ("folders", "form", "missing"),
    [
        (["rubric"], "open", ["no rubrics in rubric/"]),
        (["dialogue", "dialogue_full_context"], "open", ["no scenarios in dialogue/ or dialogue_full_context/"]),
        (["dialogue_full_context"], "open", ["no full contexts: the judge sees the dialogue alone"]),
        (["mcq"], "mcq", ["no choices in mcq/ for immediate and long_term"]),
    ],
)
def test_check_says_what_is_missing_for_a_form(
    tmp_path: Path, folders: list[str], form: str, missing: list[str]
) -> None:
    root = small_release(tmp_path / "release")
    for folder in folders:
        shutil.rmtree(root / folder)
    assert check_release(root)["forms"][form]["missing"] == missing


def test_check_makes_names_from_outside_harmless(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    (root / "mcq" / "\x1b[31mred\u202e.json").write_text("{}", encoding="utf-8")
    edit(root / "dialogue" / TWELVE, put(challenge_type="Type\x1b[2J\nleft out: 99"))
    text = check_text(check_release(root))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\nleft out: 99" not in text


def test_check_counts_by_horizon_whatever_is_there(tmp_path: Path) -> None:
    root = small_release(tmp_path / "release")
    for file in root.glob("*/*long_term*.json"):
        file.unlink()
    found = check_release(root)
    assert found["items"] == found["mcq"] == {"immediate": 2, "long_term": 0}
    assert [found["forms"]["open"][horizon] for horizon in HORIZONS] == [True, False]
    assert found["irregularities"]["no_rubric"]["count"] == 2
