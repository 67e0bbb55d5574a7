import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.pictures.blocks import Line, Mark, Reader, Transcript
from tutorscope.pictures.labels import visible
from tutorscope.reporting.embedding import reader_json, script_json

ANY = st.text(st.characters(codec=None))


@given(ANY)
def test_no_text_leaves_its_script_element_and_every_text_comes_back(text):
    written = str(reader_json(Reader([Transcript("a", text, text, [Line("student", text, [Mark(text)])])], 1)))
    assert not set(written) & set("<>&\u2028\u2029")
    one = json.loads(written)["transcripts"][0]
    assert one["title"] == one["group"] == one["lines"][0]["text"] == one["lines"][0]["marks"][0][0] == visible(text)


def test_the_end_of_a_script_is_written_as_data():
    assert str(script_json("</script><!--")) == '"\\u003c/script\\u003e\\u003c!--"'


def test_a_reader_holds_its_axes_total_and_values_as_plain_numbers():
    lines = [Line("tutor", "a", values={"scaffolding": np.float64(4), "uptake": float("nan")})]
    data = json.loads(reader_json(Reader([Transcript("a", "A", "g", lines, "c", {"n": "1"})], 9, {"uptake": (-1, 1)})))
    assert data["total"] == 9
    assert data["axes"] == {"uptake": [-1, 1]}
    assert data["transcripts"][0] == {
        "title": "A",
        "group": "g",
        "cell": "c",
        "facts": [["n", "1"]],
        "lines": [{"speaker": "tutor", "text": "a", "marks": [], "values": {"scaffolding": 4}}],
    }


def test_a_reader_without_transcripts_is_written_too():
    assert json.loads(reader_json(Reader([], 0)))["transcripts"] == []


def test_a_number_that_json_does_not_have_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json({"a": float("inf")})
