"""Fresh sets: the same from the same seed everywhere, sound for every seed, and new."""

import random
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.audit.problem_sets.constraints import findings
from tutorscope.audit.problem_sets.fresh import COUNTS, FAMILIES, fresh_set, write_set
from tutorscope.audit.problem_sets.problems import ProblemSet, load_problems
from tutorscope.errors import UserError

MATERIAL = yaml.safe_load((files("tutorscope.audit.material") / "fresh.yaml").read_text("utf-8"))

# Written once: a set that moves would make runs on it another instrument.
SHAS = {"mixtures": "f341582a5aad1f9a", "work-rates": "8698c3d983a6f779", "discounts": "b18f26f7335ccbfa"}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_gives_the_set_that_it_has_always_given(family: str) -> None:
    assert fresh_set(family, 7).sha == SHAS[family]


def test_another_process_with_other_hashes_makes_the_same_set() -> None:
    code = "from tutorscope.audit.problem_sets.fresh import fresh_set; print(fresh_set('discounts', 7).sha)"
    made = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "1"}, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == SHAS["discounts"]


def test_the_state_of_the_random_module_is_neither_used_nor_moved() -> None:
    random.seed(1)
    before = random.getstate()
    first = fresh_set("mixtures", 3)
    assert random.getstate() == before
    random.seed(2)
    assert fresh_set("mixtures", 3) == first


@pytest.mark.parametrize("family", FAMILIES)
@given(seed=st.integers(min_value=0, max_value=10**9))
@settings(max_examples=8)
def test_every_seed_makes_a_sound_set(family: str, seed: int) -> None:
    made = fresh_set(family, seed)
    assert findings(made) == []
    assert {phase: len(made.by_phase(phase)) for phase in COUNTS} == COUNTS
    taught = {problem.relation for problem in made.by_phase("training")}
    assert len(taught) >= 3
    answers = [problem.answer for problem in made.by_phase("training")]
    assert len(set(answers)) == len(answers)
    # Stricter than the constraints: an immediate answer is none of training's either.
    assert not {problem.answer for problem in made.problems if problem.phase != "training"} & set(answers)
    assert all(3 <= problem.answer <= 240 and problem.answer.denominator == 1 for problem in made.problems)
    assert not taught & {problem.relation for problem in made.by_phase("interference")}


def wordings(surface: dict) -> list[str]:
    return [wording["statement"] for wording in surface["wordings"]]


def worded(statement: str, texts: list[str], numbers: dict[str, int]) -> bool:
    return any(text.format_map(numbers) == statement for text in texts)


@pytest.mark.parametrize("family", FAMILIES)
def test_transfer_has_the_parents_relation_under_another_story(family: str) -> None:
    made = fresh_set(family, 11)
    relations = MATERIAL["families"][family]["relations"]
    parents = {problem.id: problem for problem in made.problems}
    for problem in made.by_phase("transfer"):
        kind = relations[problem.relation]
        numbers = {name: int(value) for name, value in problem.quantities.items()}
        assert problem.relation == parents[problem.parent or ""].relation
        assert worded(problem.statement, wordings(kind["elsewhere"]), numbers)
        assert not worded(problem.statement, wordings(kind["taught"]), numbers)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_probes_of_a_phase_go_back_to_different_relations(family: str) -> None:
    made = fresh_set(family, 5)
    for phase in ("immediate", "delayed", "transfer"):
        assert len({problem.relation for problem in made.by_phase(phase)}) >= 2
        assert len({problem.parent for problem in made.by_phase(phase)}) == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_different_seeds_make_different_problems(family: str) -> None:
    statements = [{problem.statement for problem in fresh_set(family, seed).problems} for seed in range(2)]
    assert all(len(one) == 19 for one in statements)
    assert len(set.union(*statements)) >= 2 * 19 - 2


def test_every_family_has_three_relations_with_several_wordings() -> None:
    assert tuple(MATERIAL["families"]) == FAMILIES
    for family in MATERIAL["families"].values():
        assert len(family["relations"]) >= 3
        for kind in family["relations"].values():
            assert len(wordings(kind["taught"])) >= 3
            assert len(wordings(kind["elsewhere"])) >= 2
        assert len(MATERIAL["interference"][family["interference"]]) >= 2


def test_every_wording_names_every_quantity() -> None:
    kinds = [kind for family in MATERIAL["families"].values() for kind in family["relations"].values()]
    kinds += [kind for group in MATERIAL["interference"].values() for kind in group.values()]
    for kind in kinds:
        for surface in (kind["taught"], *([kind["elsewhere"]] if "elsewhere" in kind else [])):
            names = dict.fromkeys(surface["numbers"], "?")
            for text in wordings(surface):
                assert all(f"{{{name}}}" in text for name in names), text
                assert "{" not in text.format_map(names)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_fresh_set_survives_its_file(family: str, tmp_path: Path) -> None:
    made = fresh_set(family, 21)
    write_set(made, tmp_path / "set.yaml")
    loaded: ProblemSet = load_problems(tmp_path / "set.yaml")
    assert loaded == made
    assert loaded.sha == made.sha
    write_set(loaded, tmp_path / "again.yaml")
    assert (tmp_path / "again.yaml").read_bytes() == (tmp_path / "set.yaml").read_bytes()


def test_counts_and_name_can_be_chosen() -> None:
    counts = {"training": 4, "immediate": 12, "interference": 0, "delayed": 1}
    made = fresh_set("work-rates", 1, name="spring", counts=counts)
    assert made.name == "spring"
    assert dict(made.phases) == counts
    assert {phase: len(made.by_phase(phase)) for phase in COUNTS} == {**counts, "transfer": 0}
    assert findings(made) == []


def test_the_largest_set_can_be_made() -> None:
    assert len(fresh_set("work-rates", 2, counts=dict.fromkeys(COUNTS, 12)).problems) == 60


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "geometry"}, "family: found 'geometry', expected one of mixtures, work-rates, discounts"),
        ({"counts": {"training": 0}}, "counts: training: found 0, expected 1 to 12"),
        ({"counts": {"training": 1, "delayed": 13}}, "counts: delayed: found 13, expected 0 to 12"),
        ({"counts": {"training": 1, "later": 1}}, "counts: found 'later', expected phases: training"),
        ({"counts": {"delayed": 1}}, "counts: training: found nothing, expected at least 1"),
        ({"name": "a/b"}, "name: found 'a/b', expected up to 60 visible characters"),
        ({"name": ""}, "name: found empty text, expected up to 60"),
    ],
)
def test_what_cannot_be_made_is_one_line(options: dict, message: str) -> None:
    with pytest.raises(UserError, match=f"^{message}"):
        fresh_set(**{"family": "mixtures", "seed": 1, **options})
