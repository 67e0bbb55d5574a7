"""A whole small game: exact numbers of scripted tutors, and the same numbers whatever the order of rows."""

import pandas as pd
import pytest
from small_game import episode, grade, number, tables, trace, went_on

from tutorscope.intervention.measures import measures

PROBLEMS = [f"p{n}" for n in range(8)]
RIGHT = {"p0", "p1", "p2"}


def game() -> dict[str, pd.DataFrame]:
    """Play four tutors whose behaviour is known: never, at once, at a word, only where the answer will be wrong."""
    positions = {"never": None, "at-once": 50, "at-a-word": 120, "when-wrong": 200}
    episodes, continued = [], []
    for problem in PROBLEMS:
        right = problem in RIGHT
        for tutor, place in positions.items():
            stands = None if tutor == "when-wrong" and right else place
            episodes.append(episode(problem, stands, tutor=tutor, right=right, length=400, decisions=8))
            if stands is not None:
                # The early word disturbs whoever was right, the late one repairs.
                after = not right if tutor == "at-once" else True
                continued.append(went_on(problem, right, after, tutor=tutor))
    graded = [grade(problem, problem in RIGHT) for problem in PROBLEMS]
    return tables(
        episodes=episodes, continued=continued, grades=graded, traces=[trace(p, length=400) for p in PROBLEMS]
    )


@pytest.mark.parametrize(
    ("tutor", "phi", "phi_correct", "tau_rel", "h"),
    [
        ("never", 0.0, 0.0, None, None),
        ("at-once", 1.0, 1.0, 0.125, 0.25),
        ("at-a-word", 1.0, 1.0, 0.3, 0.625),
        ("when-wrong", 0.625, 0.0, 0.5, 1.0),
    ],
)
def test_scripted_tutors_give_exact_numbers(
    tutor: str, phi: float, phi_correct: float, tau_rel: float | None, h: float | None
) -> None:
    numbers = measures(game())

    def of(measure: str) -> float | None:
        row = number(numbers["behaviour"], tutor=tutor, domain="math", measure=measure)
        return float(row["value"]) if row["n"] else None

    assert (of("phi"), of("phi_correct"), of("tau_rel")) == (phi, phi_correct, pytest.approx(tau_rel))
    helped = numbers["helpfulness"][
        (numbers["helpfulness"]["tutor"] == tutor) & (numbers["helpfulness"]["domain"] == "all")
    ]
    assert list(helped["h"]) == ([] if h is None else [h])
    assert number(numbers["accuracy"], domain="all")["value"] == 0.375


def test_the_order_of_rows_changes_no_number() -> None:
    frames = game()
    for ci in ("problems", "episodes"):
        wish = {"settings": pd.DataFrame({"ci": [ci]})}
        turned = {name: frame.iloc[::-1].reset_index(drop=True) for name, frame in frames.items()}
        first, second = measures({**frames, **wish}), measures({**turned, **wish})
        for table in ("behaviour", "helpfulness", "accuracy"):
            keys = [name for name, dtype in first[table].dtypes.items() if not pd.api.types.is_float_dtype(dtype)]
            held = [one[table].sort_values(keys, ignore_index=True) for one in (first, second)]
            pd.testing.assert_frame_equal(*held, rtol=1e-9)
