import random

import anyio
import pytest

from tutorscope.intervention.decisions import Decision
from tutorscope.intervention.game import Watched, watch
from tutorscope.intervention.increments import decision_points, increments
from tutorscope.intervention.pace import Pace

TRACE = "I take the two numbers and add them. But that is wrong. I should have multiplied, so I do, and get twelve." * 2
POINTS = decision_points(increments(TRACE, "20"))
LOOKAHEADS = [1, 2, 5, 100]
NO, YES = Watched(Decision(False)), Watched(Decision(True, "Stop here."))


def play(decide, points=POINTS, lookahead=1):
    asked = []

    async def decided(step):
        asked.append(step)
        await anyio.sleep(random.Random(step).random() / 1000)
        return decide(step)

    episode = anyio.run(lambda: watch(points, decided, lookahead=lambda: lookahead))
    return episode, asked


def never(step):
    return NO


def at_once(step):
    return YES


def at_word(word):
    return lambda step: YES if word in TRACE[: POINTS[step]] else NO


def coin(step):
    return YES if random.Random(f"coin {step}").random() < 0.2 else NO


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_a_tutor_who_never_steps_in_sees_every_decision_once(lookahead):
    episode, asked = play(never, lookahead=lookahead)
    assert (episode.intervened, episode.position, episode.decisions, episode.wasted) == (False, None, len(POINTS), 0)
    assert sorted(asked) == list(range(len(POINTS)))


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_a_tutor_who_steps_in_at_once_sees_one_increment(lookahead):
    episode, asked = play(at_once, lookahead=lookahead)
    assert (episode.intervened, episode.position, episode.step) == (True, 20, 0)
    assert episode.wasted == len(asked) - 1 == min(lookahead, len(POINTS)) - 1


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_a_tutor_who_waits_for_a_word_steps_in_where_it_has_appeared(lookahead):
    episode, _ = play(at_word("wrong"), lookahead=lookahead)
    assert "wrong" in TRACE[: episode.position]
    assert "wrong" not in TRACE[: episode.position - 20]


@pytest.mark.parametrize("decide", [never, at_once, at_word("multiplied"), coin])
def test_lookahead_changes_the_waste_and_nothing_else(decide):
    episodes = [play(decide, lookahead=n)[0] for n in LOOKAHEADS]
    plain = [(e.intervened, e.position, e.step, e.message, e.reason, e.reasons, e.decisions) for e in episodes]
    assert len(set(plain)) == 1


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_waste_is_counted_exactly(lookahead):
    episode, asked = play(at_word("wrong"), lookahead=lookahead)
    assert episode.decisions + episode.wasted == len(asked)


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_an_unreadable_decision_ends_the_episode_as_unreadable(lookahead):
    def decide(step):
        return Watched(None, ("no_labels",)) if step == 3 else NO

    episode, _ = play(decide, lookahead=lookahead)
    assert (episode.intervened, episode.reason, episode.step, episode.reasons) == (
        None,
        "unreadable",
        3,
        ("no_labels",),
    )


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_what_is_asked_ahead_and_not_reached_decides_nothing(lookahead):
    def decide(step):
        if step == 2:
            return YES
        if step > 2:
            raise RuntimeError("asked in vain")
        return NO

    episode, _ = play(decide, lookahead=lookahead)
    assert (episode.intervened, episode.step, episode.reasons) == (True, 2, ())


def test_a_call_that_fails_where_the_game_is_fails_the_episode():
    def decide(step):
        raise RuntimeError("no reply")

    with pytest.raises(RuntimeError):
        play(decide, lookahead=5)


def test_a_trace_within_one_increment_is_no_intervention():
    episode, asked = play(at_once, points=[])
    assert (episode.intervened, episode.reason, asked) == (False, "no_decision_point", [])


def test_a_reply_that_was_asked_again_leaves_its_reason():
    def decide(step):
        return Watched(Decision(False), ("empty",)) if step == 1 else NO

    assert play(decide)[0].reasons == ("empty",)


def test_connections_are_shared_out_at_the_tail_alone():
    now = [0.0]
    pace = Pace(20, lambda: now[0])
    with pace.episode():
        assert pace.lookahead() == 1
        now[0] = 5
        assert pace.lookahead() == 20
        with pace.episode(), pace.episode(), pace.episode():
            assert pace.lookahead() == 5
        assert pace.lookahead() == 20
