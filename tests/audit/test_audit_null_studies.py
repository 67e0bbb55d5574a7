"""Two hundred studies of policies that do not differ: how often is a difference found all the same?

Sessions are played by models of declared rates, read by the detectors, and dealt out to two policies by lot.
"""

from __future__ import annotations

import numpy as np
import pytest
from driving import Recording, done
from scipy import stats

from tutorscope.audit import known_truth
from tutorscope.audit.lines import session_lines
from tutorscope.audit.problem_sets.problems import load_problems
from tutorscope.audit.session import run_session
from tutorscope.audit.student import STUDENT, TUTOR, StudentPrompts
from tutorscope.audit.tutoring.policies import Choice, policy_of
from tutorscope.stats.mixed import crossed_mixed_model
from tutorscope.stats.paired import signed_ranks

STUDIES, REPLICATES, POOL = 200, 10, 60
RATES = "leak 0.4"
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


def false_findings(p_values):
    """Count them, and give the 99 % interval of their number if one in twenty is false."""
    count = sum(p < 0.05 for p in p_values)
    return count, *stats.binom.interval(0.99, STUDIES, 0.05)


def rate(session, place):
    return sum(turn[place] for turn in session) / len(session)


@pytest.mark.parametrize("place", [1, 2], ids=["leakage", "work"])
def test_policies_that_do_not_differ_are_seldom_found_to_differ(pool, place):
    count, _, high = false_findings(
        signed_ranks([rate(one, place) for one in first], [rate(one, place) for one in second]).p
        for first, second in studies(pool)
    )
    # Ties make the exact test conservative, so there is no lower limit.
    assert count <= high


def test_a_leak_that_changes_nothing_is_seldom_found_to_matter(pool):
    def p_of(first, second):
        rows = [(r, *turn) for sessions in (first, second) for r, one in enumerate(sessions) for turn in one]
        replicate, problem, leak, work = (np.array(column) for column in zip(*rows, strict=True))
        fit = crossed_mixed_model(work.astype(float), {"leak": leak.astype(float)}, replicate, problem)
        return fit.p[fit.terms.index("leak")]

    count, low, high = false_findings(p_of(first, second) for first, second in studies(pool))
    assert low <= count <= high
