"""The gate ahead of the sessions, the calibration that it is a part of, and a study that is frozen first."""

import pytest
from known_runs import known, params, play, prompts

from tutorscope.audit.instrument import _ask_calibration, _ask_frozen
from tutorscope.errors import RefusedError
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import read_plan
from tutorscope.runs.results import read_stage
from tutorscope.runs.tables import gather


def sessions(folder):
    return len(read_stage(RunFolder(folder), "session").done)


def test_a_student_who_needs_no_tutor_is_refused_before_any_session(tmp_path):
    who = known(tmp_path, student="solve 1.0")
    outcome = play(tmp_path / "run", params(policy=["conversational"]), who)
    assert sessions(tmp_path / "run") == 0
    assert len(outcome.refused) == 1
    assert "solved 3 of 3" in outcome.refused[0]
    assert "--any-student" in outcome.refused[0]


def test_told_otherwise_the_run_goes_on(tmp_path):
    who = known(tmp_path, student="solve 1.0")
    play(tmp_path / "run", params(policy=["conversational"]), who)
    outcome = play(tmp_path / "run", params(policy=["conversational"], any_student=True), who)
    assert outcome.complete
    assert sessions(tmp_path / "run") == 2


def test_a_weak_student_passes(tmp_path):
    outcome = play(tmp_path / "run", params(policy=["cold"]), known(tmp_path, student="solve 0.0"))
    assert outcome.complete
    assert not outcome.refused


def test_calibration_says_each_figure_against_its_threshold(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    given = {"problems": "mixtures", "limit": 2, "passes": 2, "rounds": 2, "short_form": False}
    who = known(tmp_path, ("tutor", "student"), student="solve 0.0")
    assert play(tmp_path / "run", given, who, ask=_ask_calibration).complete
    rows = gather(AUDIT, [RunFolder(tmp_path / "run")])["isolated_summary"].set_index("measure")
    assert rows.loc["solved alone, scored problems", "verdict"] == "met"
    assert rows.loc["immediate problems solved after lessons, less alone", "verdict"] == "not met"
    assert rows.loc["solved alone, scored problems", "n"] == 2 * 3 * 2
    # Two passes over two immediate problems: tries are counted, as in the other rows, and not problems.
    assert rows.loc["immediate problems solved after lessons, less alone", "n"] == 2 * 2
    assert rows["of"].value_counts().to_dict() == {"try": 7, "turn": 1}
    assert sessions(tmp_path / "run") == 0


def test_a_calibration_speaks_of_the_student_and_of_passes(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    given = {"problems": "demo", "limit": None, "passes": 2, "rounds": 1, "short_form": False}
    who = known(tmp_path, ("tutor", "student"), student="solve 0.0")
    play(tmp_path / "run", given, who, ask=_ask_calibration)
    tables = gather(AUDIT, [RunFolder(tmp_path / "run")])
    numbers = AUDIT.measures(tables)
    page = {section.anchor: section for section in AUDIT.sections(tables, numbers, tmp_path, "all")}
    assert page["result"].title == "Does this student need a tutor?"
    titles = [one.title for one in page["talks"].blocks[0].transcripts]
    assert titles == ["Pass 0: lessons", "Pass 1: lessons", "Pass 0: alone", "Pass 1: alone"]
    said = "student S: immediate problems solved after lessons, less alone: 0.00 (2 tries)"
    assert f"{said}, expected at least 0.20: not met" in AUDIT.headline(tables, numbers)


def test_a_judge_of_a_calibration_is_refused_before_the_first_call(tmp_path):
    given = {"problems": "demo", "limit": None, "passes": 1, "rounds": 1, "short_form": False}
    with pytest.raises(RefusedError, match="--judge: a calibration has nothing that a judge rates"):
        play(tmp_path / "run", given, known(tmp_path), ask=_ask_calibration)
    assert not (tmp_path / "run" / "plan.jsonl").exists()


def test_a_student_of_a_judged_run_may_be_calibrated_in_it(tmp_path):
    who = known(tmp_path)
    play(tmp_path / "run", params(policy=["conversational"]), who)
    given = {"problems": "demo", "limit": None, "passes": 1, "rounds": 4, "short_form": False}
    assert play(tmp_path / "run", given, who, ask=_ask_calibration).complete


def test_a_frozen_study_calls_nobody_and_then_runs_as_recorded(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    who = known(tmp_path)
    run = RunFolder(tmp_path / "run")
    given = params(policy=prompts(tmp_path, open="leak 0.9", shut="leak 0.1"))
    freeze(run, given, who)
    assert not run.calls.exists() or not list(run.calls.iterdir())
    play(run.path, given, who)
    table = gather(AUDIT, [run])["freeze"]
    assert table["frozen"].all()
    assert list(table["deviation"]) == [""]


def test_what_is_asked_after_the_freeze_is_a_deviation(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    who = known(tmp_path)
    run = RunFolder(tmp_path / "run")
    given = params(policy=prompts(tmp_path, open="leak 0.9"))
    freeze(run, given, who)
    play(run.path, {**given, "replicates": 3}, who)
    deviations = list(gather(AUDIT, [run])["freeze"]["deviation"])
    assert len(deviations) == 1
    assert "were 2 and are 3" in deviations[0]


def test_a_study_done_as_frozen_does_not_depart_from_the_number_of_sessions(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    who = known(tmp_path)
    run = RunFolder(tmp_path / "run")
    given = params()
    freeze(run, given, who)
    play(run.path, given, who)
    tables = gather(AUDIT, [run])
    assert tables["sessions_state"]["frozen"].tolist() == [2, 2, 2]
    said = AUDIT.measures(tables)["claims"]["deviations"]
    assert not said.str.contains("sessions of").any()


def test_policies_students_and_bases_stand_in_the_order_in_which_they_were_asked(tmp_path):
    from tutorscope.audit.instrument import AUDIT
    from tutorscope.models.speakers import speakers

    truth = "tutorscope.audit.known_truth"
    who = [*speakers("tutor", [f"T2={truth}:tutor", f"T={truth}:tutor"]), *known(tmp_path, ("student",))]
    given = params(policy=["socratic", "conversational", *prompts(tmp_path, mine="leak 0.9")], replicates=1)
    play(tmp_path / "run", given, who)
    tables = gather(AUDIT, [RunFolder(tmp_path / "run")])
    means = AUDIT.measures(tables)["policy_means"]
    assert list(means["policy"].unique()) == ["socratic", "conversational", "mine"]
    assert list(means["base"].unique()) == ["T2", "T"]
    more = params(policy=["cold", *given["policy"]], replicates=1)
    play(tmp_path / "run", more, who)
    means = AUDIT.measures(gather(AUDIT, [RunFolder(tmp_path / "run")]))["policy_means"]
    assert list(means["policy"].unique()) == ["socratic", "conversational", "mine", "cold"]


def test_freezing_after_the_first_session_is_no_freeze(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    who = known(tmp_path)
    run = RunFolder(tmp_path / "run")
    given = params(policy=["cold"])
    play(run.path, given, who)
    freeze(run, given, who)
    assert not gather(AUDIT, [run])["freeze"]["frozen"].any()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"order": "paper"}, "order was counterbalanced and is paper"),
        ({"rounds": 2}, "rounds was 4 and is 2"),
        ({"problems": "mixtures"}, "problem set was"),
    ],
)
def test_what_sessions_were_made_from_cannot_change(tmp_path, change, words):
    who = known(tmp_path)
    play(tmp_path / "run", params(policy=["cold"]), who)
    with pytest.raises(RefusedError, match=words):
        play(tmp_path / "run", params(policy=["cold"], **change), who)


def test_a_changed_prompt_under_its_name_is_refused(tmp_path):
    who = known(tmp_path)
    play(tmp_path / "run", params(policy=prompts(tmp_path, mine="leak 0.9")), who)
    with pytest.raises(RefusedError, match="mine"):
        play(tmp_path / "run", params(policy=prompts(tmp_path, mine="leak 0.2")), who)


def test_more_policies_and_replicates_are_growth(tmp_path):
    who = known(tmp_path)
    play(tmp_path / "run", params(policy=["cold"]), who)
    before = {one.unit: one.sha for one in read_stage(RunFolder(tmp_path / "run"), "session").done}
    play(tmp_path / "run", params(policy=["cold", "conversational"], replicates=3), who)
    now = {(one.cell, one.unit): one.sha for one in read_stage(RunFolder(tmp_path / "run"), "session").done}
    assert len(now) == 6
    assert set(before.values()) <= set(now.values())


def freeze(run, given, who):
    from tutorscope.audit.instrument import AUDIT
    from tutorscope.runs.plan import draft, record

    asked = _ask_frozen(given)
    inputs = [*asked.inputs, *(() if run.plan.exists() else asked.material)]
    asked = type(asked)(asked.options, inputs, speakers=asked.speakers)
    everyone = [*who, *asked.speakers]
    record(draft(run, AUDIT, [asked], everyone), [asked], everyone)
    assert read_plan(run)[-1]["options"]["frozen"]


@pytest.mark.parametrize(
    ("change", "words"),
    [({"order": "paper"}, "--order: sessions with counterbalanced and paper"), ({"rounds": 2}, "--rounds")],
)
def test_sessions_of_one_run_that_could_not_be_compared_are_refused(tmp_path, change, words):
    who = known(tmp_path)
    play(tmp_path / "run", params(policy=["conversational"]), who)
    with pytest.raises(RefusedError, match=words):
        play(tmp_path / "run", params(policy=["pedagogical"], **change), who)


MINE = "pair: [open, shut]\nclaims:\n  - {id: H, measure: leakage, direction: open > shut, test: signed_rank}\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"contrast": ("conversational,nosuch",)}, "--contrast conversational,nosuch: no policy 'nosuch'; there are"),
        ({"check_work": True}, "--check-work: a judge does it, and none is named"),
    ],
)
def test_what_can_never_be_done_is_refused_before_the_first_call(tmp_path, change, words):
    who = known(tmp_path, ("tutor", "student"))
    with pytest.raises(RefusedError, match=words):
        play(tmp_path / "run", params(policy=["conversational"], **change), who)
    assert not (tmp_path / "run" / "plan.jsonl").exists()


def test_a_contrast_may_name_a_policy_of_an_earlier_ask(tmp_path):
    who = known(tmp_path, ("tutor", "student"))
    play(tmp_path / "run", params(policy=["cold"]), who)
    assert play(tmp_path / "run", params(policy=["conversational"], contrast=("cold,conversational",)), who).complete


def test_own_claims_about_a_policy_that_is_not_frozen_with_them_are_refused(tmp_path):
    claims = tmp_path / "mine.yaml"
    claims.write_text(MINE, encoding="utf-8")
    given = params(policy=prompts(tmp_path, open="leak 0.9"), claims=claims)
    with pytest.raises(RefusedError, match="--claims about open and shut: no policy 'shut'; there are: open"):
        freeze(RunFolder(tmp_path / "run"), given, known(tmp_path))


def test_claims_that_the_named_policies_cannot_decide_are_told_before_the_first_call(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    claims = tmp_path / "mine.yaml"
    claims.write_text(MINE, encoding="utf-8")
    given = params(policy=prompts(tmp_path, open="leak 0.9"))
    assert AUDIT.ask({**given, "claims": claims}).notes == [
        "the claims are about open and shut: not computable without sessions of shut, not among the policies named now"
    ]
    assert AUDIT.ask(given).notes == ()
    assert "the paper's claims" in _ask_frozen(given).notes[0]
    assert not _ask_frozen(params()).notes


def test_own_claims_whose_policies_were_not_played_say_so(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    claims = tmp_path / "mine.yaml"
    claims.write_text(MINE, encoding="utf-8")
    play(tmp_path / "run", params(policy=["conversational"], claims=claims), known(tmp_path))
    tables = gather(AUDIT, [RunFolder(tmp_path / "run")])
    numbers = AUDIT.measures(tables)
    (row,) = numbers["claims"].query("rule == 'sound'").to_dict("records")
    assert (row["verdict"], row["reason"]) == ("not computable", "no session of open")
    assert "claims, judge J: not computable, no session of open" in AUDIT.headline(tables, numbers)
    page = AUDIT.sections(tables, numbers, tmp_path, "none")
    assert "verdicts" in [section.anchor for section in page]


def test_another_builtin_under_an_old_name_is_refused(tmp_path):
    who = known(tmp_path)
    play(tmp_path / "run", params(policy=["x=pedagogical"]), who)
    with pytest.raises(RefusedError, match="policy is was pedagogical and is no-tracker"):
        play(tmp_path / "run", params(policy=["x=no-tracker"], replicates=3), who)


def test_a_judge_who_comes_after_the_freeze_is_a_deviation(tmp_path):
    from tutorscope.audit.instrument import AUDIT

    run = RunFolder(tmp_path / "run")
    given = params(policy=["cold", "conversational"])
    freeze(run, given, known(tmp_path, ("tutor", "student")))
    play(run.path, {**given, "ratings": 2}, known(tmp_path))
    deviations = list(gather(AUDIT, [run])["freeze"]["deviation"])
    assert deviations == ["judge 'J' was asked for after the freeze", "ratings was 1 and is 2"]
