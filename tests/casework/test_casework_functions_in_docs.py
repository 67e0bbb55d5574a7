"""The functions that the page on casework shows play tutor and judge as printed."""

import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from tutorscope.cli.main import cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "instruments" / "casework.md"


def test_the_functions_on_the_page_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    [command] = re.findall(r"^\$ tutorscope (casework run .*ours:tutor.*)$", text, re.MULTILINE)
    (tmp_path / "ours.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(cli, [*command.split(), "--limit", "4"], standalone_mode=False)
    assert said.return_value == 0, said.output
    tables = tmp_path / "my-functions" / "tables"
    answers, decisions = pd.read_csv(tables / "answers.csv"), pd.read_csv(tables / "decisions.csv")
    assert len(answers) == 8
    assert answers["longest"].all()
    assert decisions["reason"].isna().all()
    assert set(decisions["met"]) == {True, False}
    met = decisions[decisions["met"]]
    assert set(met["evidence"]) == {"one small first step"}
    assert met["check"].str.contains("step").all()
