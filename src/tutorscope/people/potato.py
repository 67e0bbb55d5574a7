"""To Potato and back: a task of its YAML configuration and JSON lines, and what its annotators leave.

Only the file formats of its public documentation are used (Potato 2: ``instance_display`` with ``dialogue``, schemes
``radio`` and ``text``; ``user_state.json``, and ``annotations.jsonl`` of its export); its code, under the GPL, is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.errors import UserError
from tutorscope.people.forms import Form, Question, Shown, headings, plain_line, rendered
from tutorscope.people.returned import Returned, Row
from tutorscope.texts.plain import strip_controls

STATE = "instance_id_to_label_to_value"


def potato_files(form: Form, coded: Sequence[tuple[str, Shown]]) -> dict[str, str]:
    """Write a task: ``config.yaml`` and ``items.jsonl``, side by side.

    Scales are asked by radio buttons too, whose stored names are the labels in every version.
    """
    import yaml

    items = [json.dumps(_data(code, shown), ensure_ascii=False) for code, shown in coded]
    config = {
        "annotation_task_name": plain_line(form.title),
        "task_dir": ".",
        "data_files": ["items.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "title"},
        "output_annotation_dir": "annotation_output",
        "export_annotation_format": "jsonl",
        "user_config": {"allow_all_users": True},
        "instance_display": {
            "layout": {"direction": "vertical"},
            "fields": [
                {"key": "title", "type": "text", "label": "Instructions: " + plain_line(form.instructions)},
                {"key": "facts_line", "type": "text"},
                {"key": "lines", "type": "dialogue", "display_options": {"speaker_extraction": False}},
            ],
        },
        "annotation_schemes": [_scheme(question) for question in form.questions],
    }
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True, width=110)
    return {"config.yaml": text, "items.jsonl": "".join(f"{item}\n" for item in items)}


def read_potato(records: Sequence[Any], name: str, form: Form) -> Returned:
    """Read one annotator's ``user_state.json``, or the lines of ``annotations.jsonl``.

    Parameters
    ----------
    records : sequence of dict
        The state alone, or all lines.
    name : str
        The file's name, for messages.
    form : Form

    Raises
    ------
    UserError
        A record is neither.
    """
    questions = {question.key: question for question in form.questions}
    rows: list[Row] = []
    ignored: dict[str, None] = {}
    for number, record in enumerate(records, 1):
        for where, item, rater, labels in _labelled(record, f"{name}, record {number}"):
            cells: dict[str, list[str]] = {}
            for key, stored in labels.items():
                if key in questions:
                    cells[key] = _said(questions[key], stored)
                else:
                    ignored[key] = None
            rows.append(Row(where, item, rater, cells))
    return Returned("potato", rows, (), list(ignored))


def potato_shown(record: Mapping[str, Any]) -> str:
    """Give the text that a line of ``items.jsonl`` shows."""
    return rendered(record["title"], record["facts"], [(line["speaker"], line["text"]) for line in record["lines"]])


def _data(code: str, shown: Shown) -> dict[str, Any]:
    lines = zip(headings(shown), shown.lines, strict=True)
    return {
        "id": code,
        "title": plain_line(shown.title),
        "facts": {plain_line(key): plain_line(value) for key, value in shown.facts.items()},
        "facts_line": "; ".join(plain_line(f"{key}: {value}") for key, value in shown.facts.items()) or "-",
        "lines": [{"speaker": head, "text": strip_controls(line.text)} for head, line in lines],
    }


def _scheme(question: Question) -> dict[str, Any]:
    scheme: dict[str, Any] = {"name": question.key, "description": plain_line(question.words)}
    if question.labels:
        scheme = {"annotation_type": "radio", **scheme, "labels": list(question.labels)}
    else:
        scheme = {"annotation_type": "text", **scheme, "multiline": True, "rows": 4}
    return {**scheme, "label_requirement": {"required": True}} if question.required else scheme


def _labelled(record: Any, where: str) -> Iterator[tuple[str, str, str, Mapping[str, Mapping[str, Any]]]]:
    """Give each thing that a record has answers for: its place, its id, the rater, and what is stored by question."""
    if not isinstance(record, Mapping):
        raise UserError(f"{where}: found {type(record).__name__}, expected an object of Potato's")
    rater = str(record.get("user_id") or "")
    if isinstance(record.get(STATE), Mapping):
        for item, stored in record[STATE].items():
            yield f"instance {item}", item.strip(), rater, _by_question(stored, f"{where}: {item}")
    elif isinstance(record.get("instance_id"), str) and "labels" in record:
        item = record["instance_id"]
        yield f"line of {item}", item.strip(), rater, _by_question(record["labels"], f"{where}: {item}")
    else:
        raise UserError(f"{where}: found neither {STATE} nor instance_id and labels; expected a file of Potato's")


def _by_question(stored: Any, where: str) -> dict[str, dict[str, Any]]:
    """Read both shapes in which Potato stores labels: pairs of {schema, name} and value, or a mapping of mappings."""
    found: dict[str, dict[str, Any]] = {}
    if isinstance(stored, Mapping):
        for key, labels in stored.items():
            inner = labels.get("labels", labels) if isinstance(labels, Mapping) else labels
            found[str(key)] = dict(inner) if isinstance(inner, Mapping) else {str(inner): True}
        return found
    try:
        for label, value in stored:
            found.setdefault(str(label["schema"]), {})[str(label["name"])] = value
    except (TypeError, ValueError, KeyError):
        raise UserError(f"{where}: labels are stored in a way that is not known here") from None
    return found


def _said(question: Question, stored: Mapping[str, Any]) -> list[str]:
    if question.kind == "text":
        return [str(value) for value in stored.values() if value not in (None, "", False)]
    return [name for name, value in stored.items() if _is_set(name, value)]


def _is_set(name: str, value: Any) -> bool:
    return str(value) == name or str(value).strip().casefold() not in ("", "0", "false", "none")
