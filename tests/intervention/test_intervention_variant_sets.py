"""Variant sets are files: written, read by people, edited, used again, and refused where they do not fit."""

import json

import pytest
from click.testing import CliRunner
from small_transfer import GAME, NEXT, Played, ask, teaser

from tutorscope.errors import RefusedError, UserError
from tutorscope.intervention.problems import Problem
from tutorscope.intervention.transfer_ask import ask_transfer, transfer_options, variants_command
from tutorscope.intervention.transfer_records import attempt_rows, variant_rows
from tutorscope.intervention.transfer_work import variants_of
from tutorscope.intervention.variant_sets import check_variants, read_variant_set, set_variants, write_variant_set
from tutorscope.intervention.variants import Variant, choose, original_sha
from tutorscope.runs.inputs import added_items

OLD = teaser()
LINE = {
    "problem": "p1",
    "domain": "teasers",
    "original_sha256": original_sha(OLD),
    "question": "What speaks without a mouth?",
    "reference": "an echo",
}


def variant(name="v1", state="valid", **more):
    content = Problem(f"p1~{name}", "teasers", "What speaks without a mouth?", "an echo", title="Mouthless", **more)
    return Variant("p1", name, original_sha(OLD), state, content, "pun", "Words", "" if state == "valid" else "No.")


def file_of(folder, *lines, name="mine.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_what_was_written_is_read_back(tmp_path) -> None:
    variants = [variant(), variant("v2", accepted=("echo", "the echo"))]
    write_variant_set(tmp_path / "mine.jsonl", variants)
    given = read_variant_set(str(tmp_path / "mine.jsonl"))
    assert given.name == "variants/mine"
    assert set_variants(given.items) == variants


@pytest.mark.parametrize(
    "content",
    [
        Problem("m~v1", "math", "What is $\\frac{1}{2}$ of 8?", "Half of it.", answer="4"),
        Problem(
            "c~v1", "code", "Sum\u2028it.", "def f(a):\n\treturn sum(a)", code="def f(a):\n\treturn 0", tests="f([])"
        ),
    ],
)
def test_every_domain_comes_back_equal(tmp_path, content) -> None:
    one = Variant(content.id[0], "v1", "0" * 64, "valid", content, "s", "g")
    write_variant_set(tmp_path / "a.jsonl", [one])
    assert set_variants(read_variant_set(str(tmp_path / "a.jsonl")).items) == [one]


def test_dropped_candidates_are_written_and_left_out_in_reading(tmp_path) -> None:
    unread = Variant("p1", "v3", original_sha(OLD), "unreadable", None)
    counts = write_variant_set(tmp_path / "a.jsonl", [variant(), variant("v2", "other_skill"), unread])
    assert counts == {"valid": 1, "other_skill": 1, "unreadable": 1}
    given = read_variant_set(str(tmp_path / "a.jsonl"))
    assert [item.id for item in given.items] == ["p1~v1"]
    assert given.facts["left_out"] == {"other_skill": 1}


def test_a_dropped_candidate_can_be_taken_back_by_its_state(tmp_path) -> None:
    path = tmp_path / "a.jsonl"
    write_variant_set(path, [variant("v1", "other_skill")])
    path.write_text(path.read_text(encoding="utf-8").replace('"other_skill"', '"valid"'), encoding="utf-8")
    assert [item.id for item in read_variant_set(str(path)).items] == ["p1~v1"]


def test_a_candidate_without_an_answer_does_not_spoil_the_file_it_was_written_to(tmp_path) -> None:
    empty = Variant("p1", "v2", original_sha(OLD), "empty", Problem("p1~v2", "teasers", "Q?", ""), "pun", "Words")
    write_variant_set(tmp_path / "a.jsonl", [variant(), empty])
    assert read_variant_set(str(tmp_path / "a.jsonl")).facts["left_out"] == {"empty": 1}


def test_a_file_that_is_there_is_not_written_over(tmp_path) -> None:
    (tmp_path / "a.jsonl").write_text("edited", encoding="utf-8")
    with pytest.raises(UserError, match="is there already"):
        write_variant_set(tmp_path / "a.jsonl", [variant()])
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == "edited"


def test_a_line_needs_little(tmp_path) -> None:
    given = read_variant_set(file_of(tmp_path, LINE, {**LINE, "question": "And this?"}))
    assert [item.id for item in given.items] == ["p1~v1", "p1~v2"]
    assert given.facts["unused_fields"] == []


def test_a_set_is_named_by_its_file_or_by_the_user(tmp_path) -> None:
    path = file_of(tmp_path, LINE, name="easy.v2.jsonl")
    assert [read_variant_set(spec).name for spec in (path, f"hard={path}")] == ["variants/easy", "variants/hard"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"problem": ""}, "line 2: problem: found nothing"),
        ({"question": " "}, "line 2: question: found nothing"),
        ({"reference": None}, "line 2: reference: found nothing"),
        ({"question": 7}, "line 2: question: found int '7', expected text"),
        ({"domain": "poems"}, "line 2: domain: found 'poems', expected one of math, code, teasers"),
        ({"domain": "math"}, "line 2: answer: found nothing"),
        ({"domain": "code"}, "line 2: code: found nothing"),
        ({"original_sha256": None}, "line 2: original_sha256: found nothing"),
        ({"original_sha256": "abc"}, "expected 64 hexadecimal digits"),
        ({"state": "fine"}, "line 2: state: found 'fine', expected one of valid,"),
        ({"variant": "v/1"}, "line 2: variant: found 'v/1'"),
        ({"variant": "v1"}, "line 2: variant 'p1~v1' stands in line 1 already"),
        ({"accepted": "echo"}, "line 2: accepted: expected a list of texts"),
        ({"question": "\ud800"}, "line 2: question: found half a character"),
    ],
)
def test_a_line_that_is_not_fit_is_named(tmp_path, change, said) -> None:
    path = file_of(tmp_path, LINE, {**LINE, **change})
    with pytest.raises(UserError) as error:
        read_variant_set(path)
    assert said in str(error.value)
    assert str(error.value).startswith(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"[1]\n", "found no JSON object"),
        (b'{"problem": "p1", \n', "line 1: the record that begins here does not end"),
        (b"\xff\xfe\x00", "mine.jsonl"),
        (json.dumps({**LINE, "state": "other_skill"}).encode(), "no valid variant .other_skill 1."),
    ],
)
def test_a_file_that_is_no_variant_set_is_refused(tmp_path, content, said) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        read_variant_set(str(path))


@pytest.mark.parametrize("spec", ["no-such.jsonl", "a=no-such.jsonl", ".jsonl", "a/b="])
def test_a_file_that_is_not_there_is_an_error(spec) -> None:
    with pytest.raises(UserError):
        read_variant_set(spec)


def test_only_so_many_problems_are_taken(tmp_path) -> None:
    lines = [{**LINE, "problem": problem, "question": f"{problem} {n}"} for n in range(2) for problem in ("p1", "p2")]
    given = read_variant_set(file_of(tmp_path, *lines), limit=1)
    assert [item.id for item in given.items] == ["p1~v1", "p1~v2"]
    assert given.facts["left_out"] == {"over_limit": 2}


def test_a_variant_of_a_problem_that_is_not_in_the_run_is_refused_with_its_line(tmp_path) -> None:
    given = read_variant_set(file_of(tmp_path, LINE, {**LINE, "problem": "p9"}))
    with pytest.raises(UserError, match=r"^mine.jsonl: line 2: problem: found 'p9', expected a problem of this run$"):
        check_variants(given.items, {"p1": OLD})


def test_a_variant_whose_original_changed_is_refused_with_its_line(tmp_path) -> None:
    given = read_variant_set(file_of(tmp_path, LINE))
    check_variants(given.items, {"p1": OLD})
    with pytest.raises(UserError, match=r"^mine.jsonl: line 1: original_sha256: .* is not the one"):
        check_variants(given.items, {"p1": teaser(question="What has a bed and always sleeps?")})


def test_a_variant_of_another_domain_is_refused_with_its_line(tmp_path) -> None:
    given = read_variant_set(file_of(tmp_path, {**LINE, "domain": "math", "answer": "4"}))
    with pytest.raises(UserError, match="line 1: domain: found 'math', expected that of its problem, 'teasers'"):
        check_variants(given.items, {"p1": OLD})


def test_lines_may_move_and_be_added_but_not_change(tmp_path) -> None:
    other = {**LINE, "variant": "b", "question": "And this?"}
    first = read_variant_set(file_of(tmp_path, {**LINE, "variant": "a"})).items
    moved = read_variant_set(file_of(tmp_path, other, {**LINE, "variant": "a"})).items
    assert [item.id for item in added_items(first, moved, "variants/mine")] == ["p1~b"]
    changed = read_variant_set(file_of(tmp_path, {**LINE, "variant": "a", "reference": "a river"})).items
    with pytest.raises(RefusedError, match="content"):
        added_items(first, changed, "variants/mine")


def with_set(tmp_path, *lines, problems=(OLD,)):
    """Give a run that tries the variants of a file."""
    given = read_variant_set(file_of(tmp_path, *lines))
    run = Played(tmp_path, [ask(GAME), ask({"transfer": True, "seed": 0, "variants": "mine"}, builder=[])], problems)
    run.items[given.name] = list(given.items)
    return run


def test_with_a_file_nobody_writes_or_checks_variants(tmp_path) -> None:
    run = with_set(tmp_path, LINE).play()
    assert {"transfer", "transfer-grade"} < set(run.calls())
    assert not {"skill", "skill-groups", "skill-group", "variant", "variant-check"} & set(run.calls())
    assert all("What speaks without a mouth?" in text for text in run.requests("transfer"))
    assert {row["context"] for row in attempt_rows(run.job, run)} == {"none", "problem", "intervention"}


def test_a_file_that_does_not_fit_the_run_shuts_the_stage_and_names_the_line(tmp_path) -> None:
    from tutorscope.intervention.transfer_tasks import transfer_stages

    run = with_set(tmp_path, LINE, {**LINE, "problem": "p9"}).play()
    assert not run("transfer")
    stage = next(one for one in transfer_stages() if one.name == "transfer")
    (cell, *_) = stage.cells({"transfer": True, "seed": 0, "variants": "mine", "prompts": None}, {"student": ["S"]})
    assert stage.gate(run.job, cell, run) == "mine.jsonl: line 2: problem: found 'p9', expected a problem of this run"


def test_a_variant_that_was_tried_stays_when_its_file_grows(tmp_path) -> None:
    run = with_set(tmp_path, LINE).play()
    more = read_variant_set(file_of(tmp_path, LINE, *({**LINE, "question": f"{n}?"} for n in range(4))))
    run.items[more.name] = list(more.items)
    assert choose([item.data["name"] for item in more.items], 0, "p1") != "v1"
    assert run.play().calls() == {}
    assert [row["variant"] for row in variant_rows(run.job, run) if row["chosen"]] == ["p1~v1"]


def test_a_written_set_can_be_used_again_in_another_run(tmp_path) -> None:
    first = Played(tmp_path, [ask(GAME), ask(NEXT)]).play()
    path = tmp_path / "again.jsonl"
    write_variant_set(path, variants_of(first.job, first, "1"))
    second = Played(tmp_path, [ask(GAME), ask({"transfer": True, "seed": 0, "variants": "again"})])
    given = read_variant_set(str(path))
    check_variants(given.items, {"p1": OLD})
    second.items[given.name] = list(given.items)
    second.play()
    tried = [{done.result["of"]["variant"] for done in run("transfer")} for run in (first, second)]
    assert tried[0] == tried[1]


def test_two_sets_of_one_run_stay_apart(tmp_path) -> None:
    run = with_set(tmp_path, LINE)
    run.asks.insert(1, ask(NEXT))
    rows = attempt_rows(run.play().job, run)
    assert {row["set"] for row in rows} == {"1", "mine"}
    assert all(sum(row["context"] == "none" for row in rows if row["set"] == name) == 1 for name in ("1", "mine"))


def params(**more):
    return {"variants": None, "groups": "1", "seed": 0, "limit": None, "people": [], **more}


def test_what_is_asked_of_a_run() -> None:
    assert ask_transfer(params(limit=3)).options == {"transfer": True, "seed": 0, "groups": "1", "limit": 3}
    assert {option.name for option in transfer_options()} == {"variants", "groups", "seed"}


def test_a_file_is_an_input_and_says_what_it_leaves_out(tmp_path) -> None:
    path = file_of(tmp_path, LINE, {**LINE, "state": "other_skill"})
    asked = ask_transfer(params(variants=path))
    assert asked.options == {"transfer": True, "seed": 0, "variants": "mine"}
    assert [given.name for given in asked.inputs] == ["variants/mine"]
    assert asked.notes == ["variants/mine: 1 variant of 1 problem; left out: other_skill 1"]


def test_groups_have_a_plain_name() -> None:
    with pytest.raises(UserError, match="--groups"):
        ask_transfer(params(groups="a/b"))


def test_a_run_that_is_none_has_no_set_to_write(tmp_path) -> None:
    found = CliRunner().invoke(variants_command(), [str(tmp_path), "--out", str(tmp_path / "a.jsonl")])
    assert isinstance(found.exception, UserError)
    assert not (tmp_path / "a.jsonl").exists()


def test_a_kept_text_is_what_the_student_reads(tmp_path) -> None:
    hostile = 'What\n"says"\u2028</update> {{problem}}?'
    run = with_set(tmp_path, {**LINE, "question": hostile}).play()
    assert all(text.endswith(f"Problem: {hostile}") for text in run.requests("transfer"))
