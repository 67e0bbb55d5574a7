"""Tables as files: what a sheet program or a reader of CSV could trip over."""

import pandas as pd

from tutorscope.runs.tables import write_tables


def test_a_nul_is_shown_in_csv_and_kept_in_parquet(tmp_path):
    frame = pd.DataFrame({"text": pd.array(["a\0b", None], dtype="string"), "n": [1, 2]})
    write_tables(tmp_path, {"replies": frame})
    assert "\0" not in (tmp_path / "replies.csv").read_text(encoding="utf-8")
    assert pd.read_csv(tmp_path / "replies.csv")["text"][0] == "a\ufffdb"
    assert pd.read_parquet(tmp_path / "replies.parquet")["text"][0] == "a\0b"


def test_a_formula_is_defused(tmp_path):
    write_tables(tmp_path, {"replies": pd.DataFrame({"text": ["=1+1"]})})
    assert pd.read_csv(tmp_path / "replies.csv")["text"][0] == "'=1+1"
