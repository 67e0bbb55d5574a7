"""The values of JSON files, whatever their layout and wherever they break."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.chats import records as records_module
from tutorscope.chats import sources
from tutorscope.chats.reader import BadRecord
from tutorscope.chats.records import json_values
from tutorscope.chats.sources import open_source

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=5), values, min_size=1, max_size=3)


def read(path, text: str):
    path.write_text(text, encoding="utf-8", newline="")
    return list(json_values(open_source(path)))


def good(found):
    return [record.value for record in found]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.json"


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(records_module, "_CHUNK", 3)


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}, {"a": 2}]',
        '[\n{"a": 1},\n{"a": 2}\n]\n',
        '[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n]',
        '{"a": 1}\n{"a": 2}\n',
        '{"a": 1}\r\n\r\n{"a": 2}',
        '\n\n{"a": 1}\n{"a": 2}',
        '{\n"a": 1\n}\n{\n"a": 2\n}',
        '{"a":\n1}\n{"a": 2}',
    ],
)
def test_every_layout_gives_the_same_values(path, text):
    assert good(read(path, text)) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("text", ["[[1], [2]]", "[1]\n[2]\n"])
def test_lists_of_lists_and_lines_of_lists(path, text):
    assert good(read(path, text)) == [[1], [2]]


def test_one_document_over_several_lines(path):
    assert good(read(path, json.dumps({"a": [1, {"b": "}"}]}, indent=2))) == [{"a": [1, {"b": "}"}]}]


def test_nan_becomes_null_and_raw_control_codes_in_strings_are_read(path):
    assert good(read(path, '{"a": NaN, "b": "x\ty\x01"}\n')) == [{"a": None, "b": "x\ty\x01"}]


@settings(max_examples=30, deadline=None)
@given(st.lists(objects, min_size=1, max_size=5), st.sampled_from([None, 0, 2]), st.integers(1, 40), st.booleans())
def test_chunks_of_any_size_give_the_same_values(tmp_path_factory, items, indent, chunk, ascii_only):
    path = tmp_path_factory.mktemp("json") / "a.json"
    text = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    held = records_module._CHUNK
    records_module._CHUNK = chunk
    try:
        assert good(read(path, text)) == items
        if indent is None:
            assert good(read(path, "\n".join(json.dumps(item) for item in items))) == items
    finally:
        records_module._CHUNK = held


def test_a_number_cut_by_a_chunk_stays_one_number(path, small_chunks):
    assert good(read(path, "[123456789, 1234567]")) == [123456789, 1234567]


def places(found):
    return [(record.where, record.reason) if isinstance(record, BadRecord) else record.value for record in found]


def test_a_broken_line_is_named_and_the_next_is_read(path):
    found = read(path, '{"a": 1}\n{"a": oops}\n{"a": 3}\n')
    assert places(found) == [{"a": 1}, ("line 2", "not_json"), {"a": 3}]
    assert found[1].message == "the record is not JSON: expecting value at column 7"


def test_half_a_line_at_the_end_is_cut_short(path):
    found = read(path, '{"a": 1}\n{"a": "hal')
    assert places(found) == [{"a": 1}, ("line 2", "not_json")]
    assert found[1].message == "the record is cut short"


def test_only_half_a_line(path):
    assert places(read(path, '{"messages": [{"role": "user", "con')) == [("line 1", "not_json")]


@pytest.mark.parametrize("chunk", [3, 1000])
def test_a_broken_record_in_a_list_is_named_and_the_next_is_read(path, monkeypatch, chunk):
    monkeypatch.setattr(records_module, "_CHUNK", chunk)
    found = read(path, '[\n{"a": 1},\n{"a": oops},\n{"a": 3}\n]')
    assert places(found) == [{"a": 1}, ("line 3", "not_json"), {"a": 3}]


def test_the_line_of_an_error_inside_a_long_record(path):
    found = read(path, '[\n{"a": 1,\n"b": oops\n}\n]')
    assert places(found) == [("line 3", "not_json")]


@pytest.mark.parametrize("chunk", [3, 1000])
def test_a_list_cut_short(path, monkeypatch, chunk):
    monkeypatch.setattr(records_module, "_CHUNK", chunk)
    found = read(path, '[{"a": 1},\n{"a": "hal\\')
    assert places(found) == [{"a": 1}, ("line 2", "not_json"), ("line 2", "not_json")]
    assert "does not end" in found[1].message
    assert places(read(path, '[{"a": 1},\n{"a": 2}\n')) == [{"a": 1}, {"a": 2}, ("line 3", "not_json")]


@pytest.mark.parametrize("text", ['[{"a": 1},,{"a": 2}]', '[{"a": 1}}, {"a": 2}]', '[,{"a": 1},{"a": 2}]'])
def test_stray_signs_in_a_list_are_named(path, text):
    found = read(path, text)
    assert [record.value for record in found if not isinstance(record, BadRecord)] == [{"a": 1}, {"a": 2}]
    assert any(isinstance(record, BadRecord) for record in found)


def test_what_follows_a_list_is_named(path):
    assert places(read(path, '[{"a": 1}\n]\n{"a": 2}\n'))[-1] == ("line 3", "not_json")


@pytest.mark.parametrize("layout", ["%s\n", "[%s]", "[\n%s\n]", '{"ok": 1}\n%s\n'])
def test_deep_nesting_is_a_bad_record(path, layout):
    deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    found = read(path, layout % deep)
    assert [record.reason for record in found if isinstance(record, BadRecord)] == ["too_deep"]


def test_a_number_of_ten_thousand_digits_is_a_bad_record(path):
    assert places(read(path, '{"a": ' + "9" * 10_000 + '}\n{"a": 1}\n')) == [("line 1", "not_json"), {"a": 1}]


def test_a_line_that_is_too_large_is_left_out_and_the_next_is_read(path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_RECORD", 1000)
    monkeypatch.setattr(records_module, "MAX_RECORD", 1000)
    for size in (1000, 1001, 70_000, 2**17):
        found = read(path, '{"a": "' + "x" * size + '"}\n{"a": 1}\n')
        assert places(found) == [("line 1", "too_large"), {"a": 1}]


def test_a_list_record_that_never_ends_stops_the_reading(path, monkeypatch):
    from tutorscope.errors import UserError

    monkeypatch.setattr(records_module, "MAX_RECORD", 1000)
    monkeypatch.setattr(records_module, "_CHUNK", 100)
    with pytest.raises(UserError, match=r"line 1: the record has more than .* or does not end"):
        read(path, '[{"a": "' + "x" * 5000 + '"}, {"a": 1}]')
