"""The stages that talk: sessions, and the lessons that show whether a student can learn. The rules are elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tutorscope.audit.calibration import ISOLATED, isolated_stage, shut
from tutorscope.audit.cells import (
    LEARNING,
    SESSION,
    TAUGHT,
    choice_of,
    choices_of,
    problems_in,
    rounds_of,
    sessions_asked,
)
from tutorscope.audit.inference.claims_input import CLAIMS, unknown_policies
from tutorscope.audit.rating import CHARACTERS_A_TOKEN, check_stage, rating_stage
from tutorscope.audit.session import TRAINING, in_order, run_session
from tutorscope.audit.short_form import HELD
from tutorscope.audit.student import StudentPrompts
from tutorscope.audit.tutoring.policies import COLD, ROUTED, Choice, policy_of, prompts_of
from tutorscope.audit.tutoring.turns import Policy
from tutorscope.errors import UserError
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.short_form import is_short
from tutorscope.runs.stages import Calls, Cell, Rule, Stage, Unit, Upstream

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

_STUDENT_TOKENS, _TUTOR_TOKENS = 60, 120
# A published base: each probe takes two student replies where nobody taught the form, one where somebody did.
_REPLIES_ALONE = {"least": 1, "expected": 1.5, "most": 3}


def stages() -> tuple[Stage, ...]:
    """Give the instrument's stages, in order."""
    return (
        isolated_stage(),
        Stage(
            LEARNING,
            ("student", "tutor"),
            cells=_learning_cells,
            units=_units,
            rule=_rule,
            calls=_calls,
            hold_served=True,
        ),
        Stage(
            SESSION,
            ("student", "tutor", "policy"),
            cells=_session_cells,
            units=_units,
            rule=_rule,
            calls=_calls,
            after=(ISOLATED,),
            hold_served=True,
            gate=lambda job, cell, upstream: shut(job, cell.roles["student"], upstream),
        ),
        rating_stage(),
        check_stage(),
    )


def conflicts(job: Job) -> Iterator[str]:
    """Say what of an ask cannot be done, or not be compared with what the run holds.

    Sessions of one run that are compared with each other have one order, as many rounds and one router. A contrast
    names policies that are asked for, and so do claims of the user's own that are frozen. A check needs a judge, and a
    calibration has none.
    """
    stage = next(stage for stage in job.stages if stage.name == SESSION)
    cells = job.cells(stage)
    for field in ("order", "rounds", "router"):
        held = sorted({cell.made_of[field] for cell in cells if field in cell.made_of})
        if len(held) > 1:
            yield f"--{field}: sessions with {' and '.join(held)} cannot be compared; take one, or start another run"
    options = [ask["options"] for ask in job.asks]
    policies = list(dict.fromkeys(choice.name for asked in options for choice in choices_of(asked)))
    contrasts = [(pair, f"--contrast {pair}") for asked in options for pair in asked.get("contrast", ())]
    if any(asked.get("frozen") for asked in options):
        contrasts += [(",".join(pair), f"--claims about {' and '.join(pair)}") for pair in _own_pairs(job)]
    for pair, said in contrasts:
        yield from unknown_policies(pair, policies, said)
    if any(asked.get("check_work") for asked in options) and not any(ask["roles"].get("judge") for ask in job.asks):
        yield "--check-work: a judge does it, and none is named; expected --judge MODEL too"
    rated = {judge for ask in job.asks if ask["options"].get("policy") for judge in ask["roles"].get("judge", ())}
    for ask in job.asks:
        if ask["options"].get("calibrate") and set(ask["roles"].get("judge", ())) - rated:
            yield "--judge: a calibration has nothing that a judge rates; leave it out, or give it to run"


def _own_pairs(job: Job) -> Iterator[tuple[str, str]]:
    """Give the pair of the claims that a run holds, if they are the user's own."""
    from tutorscope.audit.inference.claims import is_ours, read_claims

    for item in job.items.get(CLAIMS, ()):
        if not is_ours(item.data["yaml"]):
            yield read_claims(item.data["yaml"], "claims of the run").pair


def _session_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    choices = choices_of(options)
    if choices and not roles.get("student"):
        raise UserError("--student is missing: expected who is taught, such as --student openrouter/...")
    for choice in choices:
        if choice.asks and not roles.get("tutor"):
            raise UserError(f"--tutor is missing: the policy {choice.name!r} asks one; expected --tutor MODEL")
    for choice, played, replicates in sessions_asked(options, roles):
        made_of = {
            **_made_of(options, choice),
            **({"router": options["router"]} if choice.what in ROUTED else {}),
            **({"policy prompt": choice.sha} if choice.kind == "prompt" else {}),
            **({"policy is": choice.what} if choice.kind == "builtin" else {}),
        }
        yield Cell(SESSION, played, {"policy": choice.name}, made_of, replicates)


def _learning_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    """Teach conversationally and ask the immediate problems: only where a student is calibrated."""
    if options.get("calibrate"):
        for student in roles.get("student", ()):
            for tutor in roles.get("tutor", ()):
                played = {"student": student, "tutor": tutor}
                yield Cell(LEARNING, played, {}, _made_of(options, TAUGHT), int(options["passes"]))


def _made_of(options: Mapping[str, Any], choice: Choice) -> dict[str, str]:
    prompts = StudentPrompts.load(options["prompts"], short=bool(options.get("short_form")))
    return {
        **prompts.shas,
        **{f"prompt {one.name}": one.sha for one in prompts_of(choice, options["prompts"])},
        "problem set": options["problems"]["sha"],
        "order": options["order"],
        "rounds": str(options["rounds"]),
    }


def _units(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    for replicate in range(cell.replicates):
        yield Unit("session", replicate)


def _rule(job: Job, cell: Cell) -> Rule:
    prompts = StudentPrompts.load(job.prompts, short=is_short(cell.made_of, HELD))
    problems = problems_in(job, cell)
    policy = _policy(job, cell)
    order, rounds = cell.made_of["order"], rounds_of(cell)

    async def session(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        ordered = in_order(problems, order, unit.replicate)
        return await run_session(ordered, policy, speak, prompts, replicate=unit.replicate, rounds=rounds)

    return session


def _policy(job: Job, cell: Cell) -> Policy | None:
    choice = choice_of(job, cell)
    kept = job.items.get(f"policies/{choice.name}", ())
    return policy_of(
        choice,
        job.prompts,
        router=cell.made_of.get("router", "sound"),
        prompt=kept[0].data["text"] if kept else None,
        speaker=job.speaker("policy", cell.roles["policy"]) if "policy" in cell.roles else None,
    )


def _calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    """Reckon a session: the student reads a conversation that grows, the tutor one problem's talk."""
    choice, problems, rounds = choice_of(job, cell), problems_in(job, cell), rounds_of(cell)
    tutored = 0 if choice.what == COLD else sum(one.phase == TRAINING for one in problems)
    alone = len(problems) - tutored
    taught = tutored * (rounds + 1)
    statement = sum(len(one.statement) for one in problems) / len(problems) / CHARACTERS_A_TOKEN
    said = taught * (_STUDENT_TOKENS + _TUTOR_TOKENS) + len(problems) * statement + 2 * alone * _STUDENT_TOKENS
    student = Calls(
        "student",
        least=taught + alone,
        expected=taught + _REPLIES_ALONE["expected"] * alone,
        most=(taught + int(_REPLIES_ALONE["most"]) * alone) * ATTEMPTS,
        input_tokens=350 + said / 2,
        output_tokens=_STUDENT_TOKENS,
    )
    if not tutored:
        return [student]
    role = "tutor" if "tutor" in cell.roles else "policy"
    per_turn = 2 if choice.what in ROUTED and choice.what != "no-tracker" else 1
    turns = tutored * rounds
    prompt = sum(len(one.text) for one in prompts_of(choice, job.prompts)) / CHARACTERS_A_TOKEN / (2 * per_turn - 1)
    tutor = Calls(
        role,
        least=turns * per_turn,
        expected=turns * per_turn,
        most=turns * (per_turn - 1 + ATTEMPTS),
        input_tokens=prompt + statement + rounds / 2 * (_STUDENT_TOKENS + _TUTOR_TOKENS),
        output_tokens=_TUTOR_TOKENS,
    )
    return [student, tutor]
