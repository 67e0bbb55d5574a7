import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.json_in_text import Number, Pairs, find_json


def as_python(value):
    """Turn what was found into what the standard library gives."""
    if isinstance(value, Pairs):
        return {key: as_python(one) for key, one in value}
    if isinstance(value, list):
        return [as_python(one) for one in value]
    return json.loads(value) if isinstance(value, Number) else value


def found_in(text):
    found, cut = find_json(text)
    return [as_python(one.value) for one in found], cut


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
CONTAINERS = st.lists(VALUES, min_size=1, max_size=3) | st.dictionaries(st.text(max_size=5), VALUES, max_size=3)
PROSE = st.text(st.sampled_from("abc ,.:\"\n'\\"), max_size=20)


@given(CONTAINERS, st.sampled_from([None, 2]), st.booleans())
def test_any_json_is_found_as_the_standard_library_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert found_in(text) == ([value], False)


@given(st.dictionaries(st.text(min_size=1, max_size=5), VALUES, min_size=1, max_size=3), PROSE, PROSE)
def test_an_object_is_found_inside_prose(value, before, after):
    assert found_in(f"{before}{json.dumps(value)}{after}") == ([value], False)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,6}", fullmatch=True), VALUES, min_size=1, max_size=3), st.data())
def test_an_object_that_is_cut_anywhere_is_cut(value, data):
    text = json.dumps(value)
    at = data.draw(st.integers(1, len(text) - 1))
    assert find_json(text[:at]) == ([], True)


@given(st.text(st.sampled_from('{}[]",:\\ a1tn-.e\n'), max_size=60))
def test_any_text_at_all_ends_in_outermost_pieces_in_order(text):
    found, _ = find_json(text)
    ends = [0]
    for one in found:
        assert ends[-1] <= one.start < one.end
        assert text[one.start] + text[one.end - 1] in ("{}", "[]")
        ends.append(one.end)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("no braces", []),
        ("a set {1, 2} and {x}", []),
        ('{"a": 1} and {"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{x {"s": 3}', [{"s": 3}]),
        ('He wrote {"x and then {"s": 3}', [{"s": 3}]),
        ('{"a": {"s": 3} oops}', []),
        ('{"a": [{"s": {}}, {"s": 4}] oops} {"s": 5}', [{"s": 5}]),
        ('[{"s": 3} and so on', [{"s": 3}]),
        ('{"a": 1,}', [{"a": 1}]),
        ("[1, 2,] and [3]", [[1, 2], [3]]),
        ('{"why": "one\ntwo\tthree"}', [{"why": "one\ntwo\tthree"}]),
        (r'{"why": "\(x^2\) is \u00e9\n"}', [{"why": "\\(x^2\\) is é\n"}]),
        (r'{"smile": "\ud83d\ude00", "half": "\ud83d"}', [{"smile": "\U0001f600", "half": "\ufffd"}]),
        ('{\u00a0"a"\ufeff:1}', [{"a": 1}]),
        ('"{\\"a\\": 1}"', []),
        ("{'a': 1}", []),
        ("{a: 1}", []),
        ('{"a": 04}', []),
        ('{"a": 4,5}', []),
        ('{"a": .5}', []),
        ('{"a": True}', []),
        ('{"a" 1}', []),
        ('{"a": 1]', []),
        ('{,"a": 1}', []),
        ('{"a": 1,, "b": 2}', []),
        ('{"a": "x" "y"}', []),
        ("[note] and [1] and [see [2]]", [[1], [2]]),
    ],
)
def test_what_is_json_and_what_is_not(text, values):
    assert found_in(text) == (values, False)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        'Rating: {"sc',
        '{"score"',
        '{"score":',
        '{"score": 3',
        '{"score": 3.',
        '{"score": -',
        '{"met": tru',
        '{"why": "it said {\\"score\\": 3}',
        '{"a": {"score": 3}, "why": "the',
        '{"score": 3} {"score": ',
        '[{"score": 3}, ',
        '```json\n{"score": 3,\n',
    ],
)
def test_a_text_that_ends_inside_an_object_is_cut(text):
    assert find_json(text)[1]


@pytest.mark.parametrize(
    "text",
    ['He wrote "{" and I cannot say', "a [ b", '{"a" says nothing', "[1, 2", "{x", '{"a": 1 "never closed', "{ see"],
)
def test_prose_with_a_stray_bracket_is_not_cut(text):
    assert find_json(text) == ([], False)


def test_numbers_stay_as_they_were_written():
    found, _ = find_json('{"a": 4.0, "b": 1e999, "c": NaN, "d": -Infinity, "e": 4.0000000000000000001}')
    written = [value for _, value in found[0].value]
    assert written == ["4.0", "1e999", "NaN", "-Infinity", "4.0000000000000000001"]
    assert all(isinstance(value, Number) for value in written)


def test_a_key_that_comes_twice_is_kept_twice():
    found, _ = find_json('{"a": 1, "a": 2}')
    assert list(found[0].value) == [("a", "1"), ("a", "2")]


HOSTILE = [
    "{",
    "[",
    "}",
    '{"',
    '{"a":',
    '{"a":"',
    "[{",
    "[1,",
    "[]",
    "{}",
    '{"a":1,',
    '{"\\',
    "{ ",
    '{"a" ',
    '{"a":"\\"',
    '[{"a":[{"',
    '{"a":"{","b":["x",{"c":"',
    '{"x y":1,"z":"',
    "\\",
    '"',
    '{"a":[1,{"b":"[',
    "-",
    "tru",
    "{\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_linear_time_and_at_any_depth(piece):
    # A reader that starts again at each bracket needs minutes for these; this one a fraction of a second.
    text = piece * (100_000 // len(piece))
    found, _ = find_json(text)
    edges = [edge for one in found for edge in (one.start, one.end)]
    assert edges == sorted(edges)
    assert all(text[one.start] + text[one.end - 1] in ("{}", "[]") for one in found)


def test_a_failure_at_the_end_of_deep_nesting_is_found_once():
    assert find_json('{"a":[' * 2000 + "1," * 60_000 + "x") == ([], False)


def test_deep_nesting_that_closes_is_one_object():
    found, cut = find_json('{"a":' * 20_000 + "1" + "}" * 20_000)
    assert len(found) == 1
    assert not cut
