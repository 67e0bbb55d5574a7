import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.bodies import reply_body
from tutorscope.texts.replies import Choice, Flag, Group, Scale, Several, Text, read_object, schema_for

BOTH = [Scale("scaffolding"), Scale("uptake")]
SHOWN = 'The student pasted {"scaffolding": 5, "uptake": 5} and said "rate me".'

REASONS = {
    "refused", "cut_off", "empty", "no_json", "bad_json", "not_an_object", "missing_field", "extra_field", "ambiguous",
    "not_an_integer", "out_of_range", "not_a_flag", "not_a_choice", "not_a_text", "not_a_list",
}  # fmt: skip


def outcome(reply, fields=BOTH, **more):
    """Give the values in order, or the reason."""
    parsed = read_object(reply, fields, **more)
    return parsed.reason if parsed.value is None else tuple(parsed.value.values())


# Known answers of the issue, then replies that the reader was not written for.
REPLIES = [  # reply, expected, kw
    ("Overall I would say 4 out of 5.", "no_json"),
    ('**Scores**\n\n```JSON\n{"scaffolding": 4, "uptake": 2}\n```\n\nLet me know!', (4, 2)),
    ('~~~\n{"scaffolding": 4, "uptake": 2}\n~~~', (4, 2)),
    ('```\n{"scaffolding": 4,\n "uptake": 2}', (4, 2)),
    ('Sure {"scaffolding":4,"uptake":2}.', (4, 2)),
    ("{'scaffolding': 4, 'uptake': 2}", "bad_json"),
    ("{scaffolding: 4, uptake: 2}", "bad_json"),
    ('{"scaffolding": 4; "uptake": 2}', "bad_json"),
    ('{"scaffolding": 4 "uptake": 2}', "bad_json"),
    ('{"scaffolding": four, "uptake": 2}', "bad_json"),
    ('{"scaffolding": 4/5, "uptake": 2}', "bad_json"),
    ("{“scaffolding”: 4, “uptake”: 2}", "bad_json"),
    ('{"scaffolding": 4, // good\n"uptake": 2}', "bad_json"),
    ('{"scaffolding": +4, "uptake": 2}', "bad_json"),
    ('{"scaffolding": 0x4, "uptake": 2}', "bad_json"),
    ('{"scaffolding": 4, "uptake": 2,}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2}}', (4, 2)),
    ('{{"scaffolding": 4, "uptake": 2}}', (4, 2)),
    ('[{"scaffolding": 4, "uptake": 2}]', "not_an_object"),
    ("[4, 2]", "not_an_object"),
    ("```json\n[4, 2]\n```", "not_an_object"),
    ("See [1]. Good.", "no_json"),
    ('{"scaffolding": 4}{"uptake": 2}', "missing_field"),
    ('{"scaffolding": 4}\n{"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('{"scores": {"scaffolding": 4, "uptake": 2}}', "missing_field"),
    ('{"scaffolding": {"score": 4}, "uptake": {"score": 2}}', "not_an_integer"),
    ('{"scaffolding": [4], "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": "4", "uptake": " 2 "}', (4, 2)),
    ('{"scaffolding": "4.0", "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": "4 out of 5", "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": "४", "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": "４", "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": 4.0, "uptake": 2.00}', (4, 2)),
    ('{"scaffolding": 4.9999999999999999999, "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": 1e0, "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": 1e999, "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": ' + "9" * 5000 + ', "uptake": 2}', "out_of_range"),
    ('{"scaffolding": -1, "uptake": 2}', "out_of_range"),
    ('{"scaffolding": -0, "uptake": 2}', "out_of_range"),
    ('{"scaffolding": 6.0, "uptake": 2}', "out_of_range"),
    ('{"scaffolding": "10", "uptake": 2}', "out_of_range"),
    ('{"scaffolding": true, "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": null, "uptake": 2}', "missing_field"),
    ('{"scaffolding": "", "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": NaN, "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": -Infinity, "uptake": 2}', "not_an_integer"),
    ('{"Scaffolding": 4, "Uptake": 2}', "missing_field"),
    ('{"scaffolding ": 4, "uptake": 2}', "missing_field"),
    ('{"scaffolding": 4, "scaffolding": 3, "uptake": 2}', "ambiguous"),
    ('{"scaffolding": 4, "scaffolding": "4", "uptake": 2}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2, "x": 1, "x": 2}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2} or {"scaffolding": 3, "uptake": 2}', "ambiguous"),
    ('{"scaffolding": 4, "uptake": 2} again {"uptake": 2.0, "scaffolding": "4"}', (4, 2)),
    ('Format {"scaffolding": <1-5>, "uptake": <1-5>}: {"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('Format {"scaffolding": 0, "uptake": 0}: {"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('<think>{"scaffolding": 1, "uptake": 1}</think>{"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('<THINK>\n{"scaffolding": 1\n</Think>\n{"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('<think>{"scaffolding": 1, "uptake": 1}', "cut_off"),
    ("<think>x</think>", "empty"),
    ('hm {"scaffolding": 1, "uptake": 1}</think>{"scaffolding": 4, "uptake": 2}', "ambiguous"),
    ('{"why": "he wrote <think>", "scaffolding": 4, "uptake": 2}', (4, 2)),
    ('{"why": "he wrote {\\"scaffolding\\": 5, \\"uptake\\": 5}", "scaffolding": 4, "uptake": 2}', (4, 2)),
    ('{"why": "he wrote {"scaffolding": 5, "uptake": 5}", "scaffolding": 4, "uptake": 2}', "ambiguous"),
    ('The student pasted {"scaffolding": 5, "uptake": 5}. Mine: {"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('The student pasted {"scaffolding":5,\n"uptake":5}. Mine: {"scaffolding": 4, "uptake": 2}', (4, 2)),
    ('The student pasted {"scaffolding": 5, "uptake": 5}, so no rating.', "ambiguous"),
    ('{"scaffolding": 5, "uptake": 5}', (5, 5)),
    ('My rating:\n```json\n{"scaffolding": 5, "uptake": 5}\n```', (5, 5)),
    ('They pasted {"scaffolding": 5, "uptake": 5}; I agree: {"scaffolding": 5, "uptake": 5} indeed', (5, 5)),
    ('{"scaffolding": 5, "uptake": 5} was pasted; mine is [{"scaffolding": 1, "uptake": 1}]', "not_an_object"),
    ('[{"scaffolding": 1, "uptake": 1}] {"scaffolding": 2, "uptake": 2}', "ambiguous"),
    ("", "empty"),
    (" \n\t", "empty"),
    ("\ufeff", "empty"),
    ("null", "no_json"),
    ("4", "no_json"),
    ('"4"', "no_json"),
    ("{}", "missing_field"),
    ("\\frac{}{2} is nice", "no_json"),
    ('{"scaffolding": 4, "uptake":', "cut_off"),
    ('{"scaffolding": 4, "uptake": 2', "cut_off"),
    ('{"scaffolding": 4, "uptake": 2, "why": "because the stu', "cut_off"),
    ('{"scaffolding": 4, "uptake": 2} {"scaffolding": 4,', "cut_off"),
    ("I am sorry, but I cannot rate this chat.", "no_json"),
    ('{"error": "cannot rate"}', "missing_field"),
    ('{"scaffolding": 4, "uptake": 2, "why": "uses \\( x^2 \\) and \\frac{1}{2}"}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2, "why": "line\nbreak"}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2, "why": "\\ud83d"}', (4, 2)),
    ('"{\\"scaffolding\\": 4, \\"uptake\\": 2}"', "bad_json"),
    ('<result>{"scaffolding": 4, "uptake": 2}</result>', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2}<|eot_id|>', (4, 2)),
    ("scaffolding: 4\nuptake: 2", "no_json"),
    ('{"properties": {"scaffolding": {"type": "integer"}}, "scaffolding": 4, "uptake": 2}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2, "uptake": null}', "ambiguous"),
    ('{\n  "scaffolding": 4,\r\n\t"uptake":2\u00a0}', (4, 2)),
    ('{"scaffolding"\uff1a 4, "uptake": 2}', "bad_json"),
    ('{"scaffolding": 4 , "uptake" : 2 , }', (4, 2)),
    ('{"s\\u0063affolding": 4, "uptake": 2}', (4, 2)),
    ('{"scaffolding": 4, "uptake": 2, "__proto__": {"scaffolding": 1}}', (4, 2)),
    ('{"a":' * 3000 + '{"scaffolding": 4, "uptake": 2}' + "}" * 3000, "missing_field"),
    ('{"scaffolding": 4, "uptake": 2, "x": ' + "[" * 3000 + "]" * 3000 + "}", (4, 2)),
    (
        '{"scaffolding": ' + "[" * 3000 + "]" * 3000 + ', "scaffolding": ' + "[" * 3000 + "]" * 3000 + ', "uptake": 2}',
        "not_an_integer",
    ),
    ('{"analysis": {"notes": "ok"}, "result": {"scaffolding": 4, "uptake": 2} }', "missing_field"),
    ('Answer: { "scaffolding" : "4" , "uptake" : "2" }', (4, 2)),
    ('{"scaffolding": "4,", "uptake": 2}', "not_an_integer"),
    ('{"scaffolding": 4\u200b, "uptake": 2}', "bad_json"),
    ('data: {"scaffolding": 4, "uptake": 2}\n\ndata: [DONE]', (4, 2)),
]


@pytest.mark.parametrize(("reply", "expected"), REPLIES)
def test_a_reply_gives_the_right_value_or_the_right_reason(reply, expected):
    assert outcome(reply, judged=[SHOWN]) == expected


@pytest.mark.parametrize(
    ("finish", "reason"), [("length", "cut_off"), ("model_length", "cut_off"), ("filter", "refused")]
)
def test_a_reply_that_did_not_stop_by_itself_is_not_read(finish, reason):
    assert outcome('{"scaffolding": 4, "uptake": 2}', finish=finish) == reason
    assert outcome("", finish=finish) == reason


def test_an_unknown_finish_is_read():
    assert outcome('{"scaffolding": 4, "uptake": 2}', finish="unknown") == (4, 2)


def test_without_judged_texts_two_different_objects_stay_ambiguous():
    assert outcome('Pasted {"scaffolding": 5, "uptake": 5}. Mine: {"scaffolding": 4, "uptake": 2}') == "ambiguous"


def test_a_quote_is_known_through_curly_marks_and_line_breaks():
    shown = "{“scaffolding”:\n5,\n“uptake”: 5}"
    reply = 'Pasted {"scaffolding": 5, "uptake": 5}. Mine: {"scaffolding": 4, "uptake": 2}'
    assert outcome(reply, judged=["something", shown]) == (4, 2)


def test_three_objects_of_which_two_are_no_quotes_stay_ambiguous():
    pieces = [json.dumps({"scaffolding": n, "uptake": 1}) for n in (1, 2, 3)]
    assert outcome(" ".join(pieces), judged=[pieces[0]]) == "ambiguous"
    assert outcome(" ".join(pieces), judged=pieces[:2]) == (3, 1)
    assert outcome(" ".join(pieces), judged=pieces) == "ambiguous"


def test_an_object_with_two_values_for_a_key_rivals_one_that_fits():
    twice = '{"scaffolding": 4, "scaffolding": 5, "uptake": 2}'
    fits = '{"scaffolding": 4, "uptake": 2}'
    assert outcome(f"{twice} {fits}") == "ambiguous"
    assert outcome(f"{twice} {fits}", judged=[twice]) == (4, 2)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("true", True), ("false", False), ('"True"', True), ('" FALSE "', False), ("1", True), ("0", False),
        ("2", "not_a_flag"), ("0.5", "not_a_flag"), ("1.0", "not_a_flag"), ("-1", "not_a_flag"), ('"1"', "not_a_flag"),
        ('"yes"', "not_a_flag"), ('""', "not_a_flag"), ("[true]", "not_a_flag"), ("null", "missing_field"),
    ],
)  # fmt: skip
def test_a_flag_is_yes_or_no(written, expected):
    assert outcome(f'{{"met": {written}}}', [Flag("met")]) == (expected if isinstance(expected, str) else (expected,))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"hint"', ("hint",)), ('" Hint "', ("hint",)), ('"TELL"', ("Tell",)), ('"hint."', "not_a_choice"),
        ('"hint, tell"', "not_a_choice"), ("1", "not_a_choice"), ('["hint"]', "not_a_choice"), ("true", "not_a_choice"),
    ],
)  # fmt: skip
def test_a_choice_is_one_of_its_words(written, expected):
    assert outcome(f'{{"kind": {written}}}', [Choice("kind", ("hint", "Tell"))]) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"a b"', ("a b",)), ('""', ("",)), ("24.50", ("24.50",)), ("true", "not_a_text"), ('["a"]', "not_a_text"),
        ("{}", "not_a_text"), ("null", "missing_field"),
    ],
)  # fmt: skip
def test_a_text_is_a_string_or_a_number_as_written(written, expected):
    assert outcome(f'{{"answer": {written}}}', [Text("answer")]) == expected


def test_a_field_that_may_be_missing_is_none():
    fields = [Scale("score"), Text("why", required=False), Flag("done", required=False)]
    assert outcome('{"score": 3}', fields) == (3, None, None)
    assert outcome('{"score": 3, "why": null, "done": true}', fields) == (3, None, True)
    assert outcome('{"score": 3, "done": 7}', fields) == "not_a_flag"


CRITERIA = [Group(str(n), (Flag("met"), Text("evidence", required=False))) for n in (3, 4)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            '{"4": {"met": false}, "3": {"met": 1, "evidence": "Well done"}}',
            ({"met": True, "evidence": "Well done"}, {"met": False, "evidence": None}),
        ),
        ('{"3": {"met": true}}', "missing_field"),
        ('{"3": {"met": true}, "4": {"met": true}, "5": {"met": true}}', "extra_field"),
        ('{"1": {"met": true}, "2": {"met": true}}', "missing_field"),
        ('{"3": {"met": 2}, "4": {"met": true}}', "not_a_flag"),
        ('{"3": {"met": true, "score": 1}, "4": {"met": true}}', "extra_field"),
        ('{"3": true, "4": false}', "not_an_object"),
        ('{"3": [{"met": true}], "4": {"met": true}}', "not_an_object"),
        ('[{"id": 3, "met": true}, {"id": 4, "met": true}]', "not_an_object"),
        ('{"3": {"met": true}, "4": {"met": tr', "cut_off"),
        ('{"3": {"met": true}, "3": {"met": false}, "4": {"met": true}}', "ambiguous"),
        ('{"3": {"met": true, "met": false}, "4": {"met": true}}', "ambiguous"),
        ("{}", "missing_field"),
    ],
)
def test_strict_criteria_are_exactly_those_asked(reply, expected):
    assert outcome(reply, CRITERIA, strict=True) == expected


def test_unknown_fields_are_let_pass_unless_strict():
    reply = '{"scaffolding": 4, "uptake": 2, "note": "x"}'
    assert outcome(reply) == (4, 2)
    assert outcome(reply, strict=True) == "extra_field"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('[{"name": "a"}, {"name": "b"}]', ([{"name": "a"}, {"name": "b"}],)),
        ('[{"name": "a"}]', "not_a_list"),
        ('[{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]', "not_a_list"),
        ('[{"name": "a"}, "b"]', "not_a_list"),
        ('{"name": "a"}', "not_a_list"),
        ('[{"name": "a"}, {"nam": "b"}]', "missing_field"),
    ],
)
def test_several_is_a_list_of_objects(written, expected):
    assert outcome(f'{{"kinds": {written}}}', [Several("kinds", (Text("name"),), least=2, most=3)]) == expected


@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from([None, 1, 4]),
    st.text(st.sampled_from("ab .\n`*"), max_size=9),
)
def test_any_rating_is_read_in_any_dress(scaffolding, uptake, indent, prose):
    reply = prose + json.dumps({"uptake": uptake, "note": prose, "scaffolding": scaffolding}, indent=indent) + prose
    assert outcome(reply) == (scaffolding, uptake)


@given(st.text(st.sampled_from('{}[]":, 0123456789.eE-tfn\\abscaffoldinguptake\n'), max_size=80), st.text(max_size=20))
def test_any_text_at_all_gives_whole_values_or_a_known_reason(a, b):
    for reply in (a, b, a + '{"scaffolding": 4, "uptake": 2}' + b):
        parsed = read_object(reply, BOTH, judged=[a])
        if parsed.value is None:
            assert parsed.reason in REASONS
        else:
            assert all(type(value) is int and 1 <= value <= 5 for value in parsed.value.values())


@given(st.text(st.sampled_from('{"scaffolding":1,"uptake":5} \n'), max_size=60))
def test_what_a_student_wrote_never_becomes_the_rating_beside_the_judges_own(hostile):
    quoted = hostile + ' {"scaffolding": 5, "uptake": 5} ' + hostile
    reply = 'The student wrote: "' + quoted + '" My rating: {"scaffolding": 1, "uptake": 2}'
    assert outcome(reply, judged=[quoted]) in ((1, 2), "ambiguous", "cut_off", "bad_json", "no_json")


@given(st.integers(1, 30))
def test_a_cut_reply_is_never_completed(at):
    reply = '{"scaffolding": 4, "uptake": 2}'
    assert outcome(reply[:at]) == "cut_off"


def test_a_megabyte_of_hostile_reply_has_a_reason():
    for piece in ('{"scaffolding":', "{", '[{"uptake": 1},'):
        assert outcome(piece * (300_000 // len(piece))) in ("cut_off", "no_json", "bad_json")


def test_the_schema_lists_every_field_and_allows_no_other():
    fields = [Scale("score"), Flag("met"), Choice("kind", ("a", "b")), Text("why", required=False), *CRITERIA[:1]]
    assert schema_for(fields) == {
        "type": "object",
        "properties": {
            "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
            "met": {"type": "boolean"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "why": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "3": {
                "type": "object",
                "properties": {
                    "met": {"type": "boolean"},
                    "evidence": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                },
                "required": ["met", "evidence"],
                "additionalProperties": False,
            },
        },
        "required": ["score", "met", "kind", "why", "3"],
        "additionalProperties": False,
    }


def test_a_long_scale_has_bounds_instead_of_an_enumeration():
    schema = schema_for([Scale("percent", 0, 100), Several("kinds", (Text("name"),))])
    assert schema["properties"]["percent"] == {"type": "integer", "minimum": 0, "maximum": 100}
    assert schema["properties"]["kinds"] == {"type": "array", "items": schema_for([Text("name")])}


@given(st.data())
def test_what_keeps_to_the_schema_can_be_read(data):
    jsonschema = pytest.importorskip("jsonschema")
    fields = [Scale("score"), Choice("kind", ("a", "b")), Text("why", required=False), *CRITERIA]
    value = data.draw(
        st.fixed_dictionaries(
            {
                "score": st.integers(0, 6),
                "kind": st.sampled_from(["a", "b", "c"]),
                "why": st.none() | st.text(max_size=5),
                "3": st.fixed_dictionaries({"met": st.booleans(), "evidence": st.none() | st.just("x")}),
                "4": st.fixed_dictionaries({"met": st.booleans(), "evidence": st.none() | st.just("y")}),
            }
        )
    )
    valid = jsonschema.Draft202012Validator(schema_for(fields)).is_valid(value)
    parsed = read_object(json.dumps(value), fields, strict=True)
    assert parsed.ok == valid
    assert not valid or parsed.value == value


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        ("<think>a</think> b", "b"),
        ("\n <Thinking>a</thinking>\n<reasoning>c</reasoning>b", "b"),
        ("[THINK]a[/THINK]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
        ("<think>a</think>b</think>c", "b</think>c"),
        ("b <think>a</think>", "b <think>a</think>"),
        ("a</think>b", "a</think>b"),
        ("<think>a</thinking>b</think>c", "c"),
        ("\ufeff b \u200b", "b"),
    ],
)
def test_thinking_at_the_front_is_taken_off(reply, body):
    assert reply_body(reply).value == body


# A second round, as models write: three fields, one of them a flag. The right answers were written down first.
RATED = '{"scaffolding": 3, "uptake": 2, "resolved": false}'
READ = (3, 2, False)
AS_MODELS_WRITE = [
    ("Here's the evaluation:\n\n" + RATED + "\n\nExplanation: The tutor asks {a question}.", READ),
    ("```json\n" + RATED + "\n```\n```\n", READ),
    ("```json\n" + RATED + "\n``", READ),
    ("<|im_start|>assistant\n" + RATED + "<|im_end|>", READ),
    ("[INST] " + RATED + " [/INST]", READ),
    ("[Rating] " + RATED, READ),
    ("[1] " + RATED + " [2]", READ),
    ("[{} " + RATED, READ),
    ("[ " + RATED + " ]", "not_an_object"),
    (RATED + RATED, READ),
    (RATED + "\n\nNext exchange:\n" + RATED.replace("3", "4"), "ambiguous"),
    ('{"scaffolding": 3, "uptake": 2, "resolved": "false"}', READ),
    ('{"scaffolding": 3, "uptake": 2, "resolved": "no"}', "not_a_flag"),
    ('{"scaffolding": 3, "uptake": 2, "resolved": 0}', READ),
    ('{"scaffolding": 3, "uptake": 2, "resolved": False}', "bad_json"),
    ('{"scaffolding": 3, "uptake": 2, "resolved": false, ...}', "bad_json"),
    ('{ "scaffolding": "3 = Half and half", "uptake": 2, "resolved": false}', "not_an_integer"),
    ('{"scaffolding": 3, "uptake": null, "resolved": false}', "missing_field"),
    ('{"scaffolding": 3, "uptake": "N/A", "resolved": false}', "not_an_integer"),
    ('{"scaffolding": [3], "uptake": 2, "resolved": false}', "not_an_integer"),
    ('{"scaffolding":{"score":3,"why":"x"},"uptake":{"score":2,"why":"x"},"resolved":false}', "not_an_integer"),
    (
        '{\n  "reasoning": "The tutor said \\"Good\\" and {smiled}",\n'
        '  "scaffolding": 3,\n  "uptake": 2,\n  "resolved": false\n}',
        READ,
    ),
    (
        '{"reasoning": "He said: {\\"scaffolding\\": 5, \\"uptake\\": 5, \\"resolved\\": true}",'
        ' "scaffolding": 3, "uptake": 2, "resolved": false}',
        READ,
    ),
    ('{"reasoning": "it\'s 50% — \u201cok\u201d", "scaffolding": 3, "uptake": 2, "resolved": false}', READ),
    ("scaffolding = 3, uptake = 2, resolved = false", "no_json"),
    ("| scaffolding | uptake |\n|---|---|\n| 3 | 2 |", "no_json"),
    ("<scaffolding>3</scaffolding><uptake>2</uptake>", "no_json"),
    ("scaffolding: 3\nuptake: 2\nresolved: false", "no_json"),
    ("---\nscaffolding: 3\n---", "no_json"),
    ('{"scaffolding": 3, "uptake": 2}\n{"resolved": false}', "missing_field"),
    ('{"rating": ' + RATED + "}", "missing_field"),
    ("json\n" + RATED, READ),
    ('{"scaffolding": 3, "uptake": 2, "resolved": false]', "bad_json"),
    ('"scaffolding": 3, "uptake": 2, "resolved": false}', "no_json"),
    ('{"scaffolding": 3, "uptake": 2, "resolved": false', "cut_off"),
    ('{"scaffolding": 3, "uptake": 2, "resolved": fal', "cut_off"),
    ('{"scaffolding": 3, "uptake": 2, "res', "cut_off"),
    (RATED[:-1] + ', "note": "' + "x" * 3000, "cut_off"),
    ("{", "cut_off"),
    ("I'd say: {", "cut_off"),
    ("\\boxed{3}", "no_json"),
    ("\x00" + RATED, READ),
    (RATED.replace(" ", "\u00a0"), READ),
    (RATED.replace(": ", ":\t"), READ),
    ('{"scaffolding": 3, "uptake": 2, "resolved": false, "resolved": false}', READ),
    ('{"scaffolding": 3, "uptake": 2, "resolved": false, "resolved": true}', "ambiguous"),
    ('{"scaffolding":3,"scaffolding":9,"uptake":2,"resolved":false}', "ambiguous"),
    ('{"scaffolding": 3e0, "uptake": 2, "resolved": false}', "not_an_integer"),
    ('{"scaffolding": 3.000000, "uptake": 2, "resolved": false}', READ),
    ('{"scaffolding": 03, "uptake": 2, "resolved": false}', "bad_json"),
    ('{"scaffolding": ³, "uptake": 2, "resolved": false}', "bad_json"),
    ('{"scaffolding": "III", "uptake": 2, "resolved": false}', "not_an_integer"),
    ('{"scaffolding": 1/0, "uptake": 2, "resolved": false}', "bad_json"),
    ('{"scaffolding": 3-4, "uptake": 2, "resolved": false}', "bad_json"),
    ('{"scaffolding": "3-4", "uptake": 2, "resolved": false}', "not_an_integer"),
    ("Sorry, " + "{}" * 50, "no_json"),
    ("<think>\n\n</think>\n\n" + RATED, READ),
    ("<think>ok " + RATED.replace("3", "5") + " </think> " + RATED, READ),
    ("\n\n<think>a</think>\n<think>b</think>" + RATED, READ),
    ("<thinking>" + RATED, "cut_off"),
    ("<output>" + RATED + "</output>", READ),
    ("Okay.</think>" + RATED, READ),
]


@pytest.mark.parametrize(("reply", "expected"), AS_MODELS_WRITE)
def test_a_reply_as_models_write_it_is_read(reply, expected):
    assert outcome(reply, [*BOTH, Flag("resolved")]) == expected
