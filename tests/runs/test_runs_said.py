"""What runs say in few words: reasons by kind, cells for a person, what cannot be changed."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from toy import TOY

from tutorscope.errors import RefusedError
from tutorscope.models.speakers import Speaker
from tutorscope.models.speaking import Usage
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.instrument import Ask
from tutorscope.runs.plan import draft, record
from tutorscope.runs.prices import Price, Prices, read_prices
from tutorscope.runs.progress import Meter
from tutorscope.runs.reasons import reason_lines
from tutorscope.runs.stages import Cell


def test_reasons_that_differ_in_what_they_quote_or_count_are_one_kind():
    reasons = {
        "f raised KeyError: 'wizard'": 3,
        "the prompt has 9001 tokens": 1,
        'f raised KeyError: "baker"': 2,
        "the prompt has 12345 tokens": 1,
    }
    assert reason_lines(reasons) == [
        "5 x f raised KeyError: 'wizard' (and 1 reason like it)",
        "2 x the prompt has 9001 tokens (and 1 reason like it)",
    ]


def test_what_a_server_answered_is_no_count():
    assert len(reason_lines({"ProviderError: 429 slow down": 1, "ProviderError: 500 slow down": 1})) == 2


def test_the_most_frequent_come_first_and_the_rest_is_counted():
    assert reason_lines({"a": 1, "b": 4, "c": 2, "d": 3}, most=2) == ["4 x b", "3 x d", "3 x 2 other kinds of reason"]
    assert reason_lines({"a": 2, "b": 1}, most=1) == ["2 x a", "1 x 1 other kind of reason"]


def test_a_cell_says_once_what_role_and_factor_both_say():
    cell = Cell("session", {"policy": "mine", "student": "S"}, {"policy": "mine", "gated": True})
    assert cell.title == "session, policy mine, student S, gated true"
    assert cell.key == "session|policy=mine|student=S|gated=true|policy=mine"


def test_a_cell_says_both_where_they_differ():
    assert Cell("x", {"policy": "a"}, {"policy": "b"}).title == "x, policy a, policy b"


@pytest.mark.parametrize(("amount", "said"), [(0, "0 USD"), (0.00001, "under 0.0001 USD"), (1.5, "1.5000 USD")])
def test_what_was_spent_is_never_said_to_be_nothing(amount, said):
    assert read_prices(None).say(amount) == said


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("claims", "take that again, or start another run with another --out"),
        ("policies/mine", "take that again, give the new one another name, or start another run with another --out"),
    ],
)
def test_advice_about_a_changed_input_can_be_followed(tmp_path, name, advice):
    run = RunFolder(tmp_path / "run")
    before, now = (
        Ask({"ratings": 1}, [InputSet(name, [Item("a", sha, {})], fixed={"claims": sha})]) for sha in ("861e", "c0de")
    )
    record(draft(run, TOY, [before]), [before], ())
    with pytest.raises(RefusedError) as refused:
        draft(run, TOY, [now])
    assert str(refused.value) == f"{name}: claims was 861e and is c0de now; a run keeps what it began with: {advice}"


def test_progress_says_money_once_there_is_some():
    speaker = Speaker("tutor", "T", "openai/gpt-9", "inspect", {"model": "gpt-9"})
    unpriced = Speaker("judge", "J", "mine:judge", "function", {"model": "mine:judge"})
    meter = Meter(Prices("EUR", {"gpt-9": Price(1, 2, 1)}), io.StringIO())
    assert meter.money() == ""
    meter.replied(unpriced, Usage())
    assert meter.money() == "no price: J"
    meter.replied(speaker, Usage(1_000_000, 0))
    assert meter.money() == "1.0000 EUR so far (no price: J)"


def test_progress_counts_one_unit_as_one():
    out = io.StringIO()
    meter = Meter(read_prices(None), out)
    meter.begin("first", 1)
    assert out.getvalue() == "first: 0 of 1 unit, 0 calls, 0.00 units/s, time unknown left\n"


def test_progress_counts_calls_of_the_stage_and_money_of_all():
    out = io.StringIO()
    speaker = Speaker("tutor", "T", "openai/gpt-9", "inspect", {"model": "gpt-9"})
    meter = Meter(Prices("EUR", {"gpt-9": Price(1, 2, 1)}), out)
    meter.begin("first", 1)
    meter.replayed()
    meter.failed()
    meter.replied(speaker, Usage(1_000_000, 0))
    meter.unit()
    meter.end()
    meter.begin("second", 3)
    begun = out.getvalue().splitlines()[-1]
    meter.replied(speaker, Usage(1_000_000, 0))
    meter.end()
    lines = out.getvalue().splitlines()
    assert lines[1].startswith("first: 1 of 1 unit, 1 call, 1 more from the journal, 1 failed, ")
    assert lines[1].endswith(", 1.0000 EUR so far")
    assert begun == "second: 0 of 3 units, 0 calls, 0.00 units/s, time unknown left, 1.0000 EUR so far"
    assert lines[-1] == "second: 0 of 3 units, 1 call, 0.00 units/s, time unknown left, 2.0000 EUR so far"
    assert meter.calls == 2
