"""The package's own material under the words that a run takes."""

from click.testing import CliRunner

from tutorscope.casework.check import check_release, check_text
from tutorscope.casework.commands import check_command
from tutorscope.casework.inputs import read_inputs

ASK = {"limit": None, "form": ["open", "mcq"], "horizon": ["immediate"], "demographics": None, "papers": None}


def test_demo_is_the_starter_and_what_a_run_asks_of_it():
    found, starter = check_release("demo"), check_release("starter")
    assert {name: value for name, value in found.items() if name != "asked"} == starter
    inputs, _, _ = read_inputs({**ASK, "data": "demo"})
    assert found["asked"] == inputs[-1].facts["counts"]
    assert 0 < found["asked"]["open immediate"] < starter["items"]["immediate"]


def test_check_says_of_demo_what_it_asks():
    said = CliRunner().invoke(check_command(), ["demo"])
    assert said.exit_code == 0
    assert "demo asks of these: 1 open immediate, " in said.output
    assert "demo asks" not in check_text(check_release("starter"))
