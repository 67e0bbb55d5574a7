"""Two hundred studies of policies that do not differ: how often is a difference found all the same?

Sessions are played by models of declared rates, read by the detectors, and dealt out to two policies by lot.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from driving import Recording, done
from scipy import stats

from tutorscope.audit import known_truth
from tutorscope.audit.inference.claims import load_claims
from tutorscope.audit.inference.contrasts import contrasts
from tutorscope.audit.inference.coupling import coupling, mixed
from tutorscope.audit.inference.frames import PER_SESSION, PER_TURN, parts, validated
from tutorscope.audit.inference.verdicts import verdicts
from tutorscope.audit.lines import session_lines
from tutorscope.audit.problem_sets.problems import load_problems
from tutorscope.audit.session import run_session
from tutorscope.audit.student import STUDENT, TUTOR, StudentPrompts
from tutorscope.audit.tutoring.policies import Choice, policy_of

STUDIES, REPLICATES, POOL = 200, 10, 60
RATES = "leak 0.4"
RUBRICS = ("helpfulness", "pedagogy")
STUDENT_RATES = "work 0.6 work-after-leak 0.6"


@pytest.fixture(scope="module")
def pool() -> list[list[tuple[str, bool, bool]]]:
    """Give sessions, each as its turns: problem, whether the turn leaks, whether the student works next."""
    import anyio

    problems = [one for one in load_problems("mixtures").problems if one.phase == "training"][:2]
    by_id = {one.id: one for one in problems}
    prompts = StudentPrompts.load(None)
    policy = policy_of(Choice("p", "prompt", "p.md", True), None, router="sound", prompt=RATES)

    async def student(messages, *, session, item):
        return await known_truth.student(
            [{"role": "system", "content": STUDENT_RATES}, *messages], session=None, item=item
        )

    found = []
    for replicate in range(POOL):
        speak = Recording(tutor=known_truth.tutor, student=student)

        async def play(speak=speak, replicate=replicate):
            return await run_session(problems, policy, speak, prompts, replicate=replicate)

        lines = session_lines(done(anyio.run(play), speak.calls, policy="p", replicate=replicate), by_id)
        turns = []
        for place, line in enumerate(lines):
            if line["speaker"] == TUTOR and line["in_sound"]:
                after = next(one for one in lines[place:] if one["speaker"] == STUDENT)
                turns.append((line["problem"], bool(line["leak_sound"]), bool(after["work_sound"])))
        found.append(turns)
    return found


def studies(pool):
    lots = np.random.default_rng(5)
    for _ in range(STUDIES):
        drawn = lots.permutation(len(pool))[: 2 * REPLICATES]
        yield [pool[n] for n in drawn[:REPLICATES]], [pool[n] for n in drawn[REPLICATES:]]


@pytest.fixture(scope="module")
def verdict_rows(pool) -> pd.DataFrame:
    """Give the claims' verdicts of every study; each is a run of its own, so all are analysed in one go."""
    ratings = np.random.default_rng(6)
    claims, turns, sessions = load_claims(), [], []
    for number, (first, second) in enumerate(studies(pool)):
        for place, (policy, held) in enumerate(zip(claims.pair, (first, second), strict=True)):
            for replicate, session in enumerate(held):
                whose = {"run": f"study {number:03}", "base": "b", "rule": "sound", "policy": policy}
                whose |= {"policy_place": place, "replicate": replicate}
                worked = sum(work for _, _, work in session)
                counts = {"tutor_turns": len(session), "leaky": sum(leak for _, leak, _ in session)}
                sessions.append({**whose, **counts, "student_turns": len(session), "worked": worked})
                for turn, (problem, leak, work) in enumerate(session):
                    rated = {f"{name}_n": 3 for name in RUBRICS}
                    rated |= {f"{name}_sum": int(ratings.integers(3, 6, 3).sum()) for name in RUBRICS}
                    said = {"problem": problem, "turn": turn, "leak": leak, "next_work": work, "judge": "j"}
                    turns.append({**whose, **said, **rated})
    per_turn = pd.DataFrame(turns).reindex(columns=list(PER_TURN)).assign(student="s", judge_place=0)
    per_session = pd.DataFrame(sessions).reindex(columns=list(PER_SESSION)).assign(student="s")
    per_session[["silent_turns", "silent_replies"]] = 0
    held = list(parts(validated(per_turn, "per_turn"), validated(per_session, "per_session")))
    outcomes = ("helpfulness", "next_independent")
    numbers = {"contrasts": contrasts(held, claims), "mixed": mixed(held, claims, outcomes=outcomes)}
    numbers["coupling"] = coupling([], claims)
    return verdicts(held, numbers, claims)


@pytest.mark.parametrize("claim", ["P1", "P2", "P3", "J2.helpfulness", "J2.independence"])
def test_no_more_false_verdicts_than_chance_allows(verdict_rows, claim):
    found = verdict_rows[verdict_rows["id"] == claim]
    assert len(found) == STUDIES
    false = int(found["verdict"].isin(["supported", "reversed"]).sum())
    low, high = stats.binom.interval(0.99, STUDIES, 0.05)
    # Ties make the exact tests of P1 to P3 conservative, so these have no lower limit.
    assert (0 if claim.startswith("P") else low) <= false <= high


@pytest.mark.parametrize("claim", ["J1", "J2"])
def test_claims_of_several_parts_are_almost_never_false(verdict_rows, claim):
    found = verdict_rows[verdict_rows["id"] == claim]["verdict"]
    # Two independent parts, each on its own side of a test at 5 %.
    assert (found == "supported").sum() <= stats.binom.ppf(0.995, STUDIES, 0.025**2)
