"""Label Studio's and Potato's files, as their documentation shows them."""

import json
from xml.etree import ElementTree

import pytest
import yaml
from check_form import FORM

from tutorscope.errors import UserError
from tutorscope.people.answers import drawn_items, take
from tutorscope.people.exchange import forms_in, read_returned
from tutorscope.people.forms import shown_sha, shown_text
from tutorscope.people.label_studio import label_studio_files
from tutorscope.people.potato import potato_files, potato_shown
from tutorscope.people.sheets import write_sheet


def took(run, content, name="back.json", rater=None):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return take(FORM, drawn_items(run, FORM), read_returned(data, name, FORM), name, rater)


def told(taken):
    return [(a.rater, a.question, a.value, a.reason) for a in taken.answers]


def result(name, kind, value):
    """One answer as Label Studio exports it."""
    return {"id": "aB1_x", "from_name": name, "to_name": "lines", "type": kind, "origin": "manual", "value": value}


def annotation(*results, by=7, **more):
    return {
        "id": 1001,
        "completed_by": by,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-03-09T22:16:08.728353Z",
        "lead_time": 4.288,
        **more,
    }


def exported(coded, *annotations):
    """The tasks that went out, as an export gives them back, the annotations on the first."""
    tasks = json.loads(label_studio_files(FORM, coded)["tasks.json"])
    return [
        {"id": number, "project": 3, "annotations": list(annotations) if number == 1 else [], "predictions": [], **task}
        for number, task in enumerate(tasks, 1)
    ]


def test_label_studio_tasks_hold_each_line_as_a_paragraph_of_its_speaker(coded):
    [first, *_] = json.loads(label_studio_files(FORM, coded)["tasks.json"])
    assert list(first) == ["data"]
    assert first["data"]["item"] == coded[0][0]
    assert [line["author"] for line in first["data"]["lines"]] == ["1 student (score 2 of 5)", "2 tutor"]
    assert "\x1b" not in first["data"]["lines"][0]["text"]


def test_label_studios_configuration_names_what_the_tasks_hold(coded):
    files = label_studio_files(FORM, coded)
    view = ElementTree.fromstring(files["config.xml"])
    data = json.loads(files["tasks.json"])[0]["data"]
    assert view.tag == "View"
    assert {node.get("value")[1:] for node in view.iter() if (node.get("value") or "").startswith("$")} <= set(data)
    paragraphs = view.find("Paragraphs")
    assert {paragraphs.get("nameKey"), paragraphs.get("textKey")} == set(data["lines"][0])
    controls = [node for node in view if node.tag in ("Choices", "TextArea")]
    assert [(c.tag, c.get("name"), c.get("toName"), c.get("required")) for c in controls] == [
        ("Choices", "verdict", "lines", "true"),
        ("Choices", "grade", "lines", "true"),
        ("TextArea", "why", "lines", "false"),
    ]
    assert [choice.get("value") for choice in controls[0]] == ["agree", "disagree", "Not Sure"]


def test_label_studios_answers_come_back_and_annotators_are_numbers(coded, run):
    answers = [
        result("verdict", "choices", {"choices": ["agree"]}),
        result("grade", "rating", {"rating": 3}),
        result("why", "textarea", {"text": ["it is so"]}),
    ]
    person = {"id": 5, "email": "ann@example.org", "first_name": "Ann", "last_name": ""}
    taken = took(run, exported(coded, annotation(*answers), annotation(answers[0], by=person)))
    assert told(taken) == [
        ("annotator-7", "verdict", "agree", None),
        ("annotator-7", "grade", "3", None),
        ("annotator-7", "why", "it is so", None),
        ("annotator-5", "verdict", "agree", None),
    ]
    assert taken.changed == []
    assert taken.missing == {"annotator-5": 2, "annotator-7": 2}
    assert "example.org" not in repr(taken)


def test_label_studios_cancelled_and_unknown_and_double_answers_are_told(coded, run):
    tasks = exported(
        coded,
        annotation(was_cancelled=True),
        annotation(
            result("verdict", "choices", {"choices": ["agree", "disagree"]}), result("mood", "choices", {"choices": []})
        ),
    )
    returned = read_returned(json.dumps(tasks).encode(), "back.json", FORM)
    assert returned.set_aside == [("task 1", "cancelled_by_rater")]
    assert returned.ignored == ["mood"]
    [answer] = took(run, tasks).answers
    assert (answer.reason, answer.found) == ("several_labels", "agree / disagree")


def test_a_text_that_was_changed_in_label_studio_is_told(coded, run):
    tasks = exported(coded, annotation(result("verdict", "choices", {"choices": ["agree"]})))
    tasks[0]["data"]["lines"][1]["text"] = "stop"
    assert took(run, tasks).changed == ["task 1"]


def test_label_studio_without_annotators_needs_a_name(coded, run):
    tasks = exported(coded, annotation(result("verdict", "choices", {"choices": ["agree"]}), by=None))
    with pytest.raises(UserError, match="names no rater"):
        took(run, tasks)
    assert told(took(run, tasks, rater="ann")) == [("ann", "verdict", "agree", None)]


def test_potatos_configuration_names_what_its_items_hold(coded):
    files = potato_files(FORM, coded)
    config = yaml.safe_load(files["config.yaml"])
    items = [json.loads(line) for line in files["items.jsonl"].splitlines()]
    assert config["data_files"] == ["items.jsonl"]
    named = {*config["item_properties"].values(), *(field["key"] for field in config["instance_display"]["fields"])}
    assert named <= set(items[0])
    assert [item["id"] for item in items] == [code for code, _ in coded]
    assert set(items[0]["lines"][0]) == {"speaker", "text"}
    assert [(s["annotation_type"], s["name"], s.get("labels")) for s in config["annotation_schemes"]] == [
        ("radio", "verdict", ["agree", "disagree", "Not Sure"]),
        ("radio", "grade", ["1", "2", "3"]),
        ("text", "why", None),
    ]
    assert all(shown_sha(potato_shown(item)) == shown_sha(shown_text(one[1])) for item, one in zip(items, coded))  # noqa: B905


STORED = {
    "pairs": lambda label, why: [
        [{"schema": "verdict", "name": label}, "true"],
        [{"schema": "why", "name": "text_box"}, why],
    ],
    "mappings": lambda label, why: {"verdict": {label: "1", "disagree": "0"}, "why": {"text_box": why}},
    "labels": lambda label, why: {"verdict": {"labels": {label: True}}, "why": {"text_box": why}},
}


@pytest.mark.parametrize("stored", STORED.values(), ids=STORED)
def test_potatos_state_of_an_annotator_comes_back(coded, run, stored):
    state = {
        "user_id": "ann",
        "instance_id_ordering": [code for code, _ in coded],
        "instance_id_to_label_to_value": {coded[0][0]: stored("agree", "it is so")},
        "instance_id_to_span_to_value": {},
    }
    taken = took(run, state, "user_state.json")
    assert told(taken) == [("ann", "verdict", "agree", None), ("ann", "why", "it is so", None)]
    assert taken.missing == {"ann": 2}


def test_potatos_export_of_several_annotators_comes_back(coded, run):
    lines = [
        {"instance_id": coded[0][0], "user_id": user, "labels": {"verdict": {label: label}}, "spans": {}, "links": {}}
        for user, label in (("ann", "agree"), ("bob", "disagree"), ("eve@example.org", "agree"))
    ]
    taken = took(run, "".join(json.dumps(line) + "\n" for line in lines).encode(), "annotations.jsonl")
    assert [(a.rater[:6], a.value) for a in taken.answers] == [
        ("ann", "agree"),
        ("bob", "disagree"),
        ("rater-", "agree"),
    ]


def test_a_potato_export_of_one_line_is_read_too(coded, run):
    line = {"instance_id": coded[0][0], "user_id": "ann", "labels": {"grade": {"2": "2"}, "mood": {"x": "1"}}}
    assert told(took(run, line)) == [("ann", "grade", "2", None)]


def test_two_stored_labels_of_one_question_are_told(coded, run):
    state = {"user_id": "ann", "instance_id_to_label_to_value": {coded[0][0]: {"verdict": {"agree": 1, "disagree": 1}}}}
    assert told(took(run, state)) == [("ann", "verdict", None, "several_labels")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04rest", "is a workbook"),
        (b'[{"id": 1, "verdict": "agree"}]', "task 1: found no object under 'data'.*JSON-MIN"),
        (b"[1, 2]", "task 1: found no object"),
        (b'[{"data": {}, "annotations": {"a": 1}}]', "annotations: found dict, expected a list"),
        (b'{"user_id": "ann"}', "found neither instance_id_to_label_to_value nor"),
        (b'{"a": 1}\n{"b": ', "line 2: is not JSON"),
        (b'{"user_id": "a", "instance_id_to_label_to_value": {"x": [1]}}', "stored in a way"),
        (b'\xff{"', "no column 'item'"),
        (b'[{"data": "\xff"}]', "not UTF-8"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_other_files_are_refused_in_one_line(run, content, message):
    with pytest.raises(UserError, match=message) as problem:
        took(run, content)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_tells_of_which_forms_its_things_are(coded, encoding):
    sheet = write_sheet(FORM, coded, "ann").decode("utf-8-sig")
    assert forms_in(sheet.encode(encoding), ["uptake", "check", "grounding"]) == ["check"]
    assert forms_in((sheet + "uptake_0123456789ab").encode(encoding), ["uptake", "check"]) == ["uptake", "check"]
    assert forms_in(b"item,check\nrecheck_0123456789ab,1\n", ["check"]) == []
