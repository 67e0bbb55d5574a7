"""To Label Studio and back: its labelling configuration, its tasks, and its export in JSON.

The formats are those of its public documentation (Label Studio 1.x: "Label Studio JSON format of annotated tasks", the
tags Paragraphs, Choices and TextArea). Answers are asked by Choices and TextArea alone; on the way in Rating and Number
are read too, for projects that were set up by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from tutorscope.errors import UserError
from tutorscope.people.forms import Form, Shown, headings, plain_line, rendered
from tutorscope.people.returned import CANCELLED, NO_ITEM, Returned, Row
from tutorscope.texts.plain import strip_controls

_LINES = "lines"


def label_studio_files(form: Form, coded: Sequence[tuple[str, Shown]]) -> dict[str, str]:
    """Write a project: ``tasks.json`` to import and ``config.xml`` for its labelling interface.

    Raters see each line as a paragraph with its heading; the id goes along as a field of the task.
    """
    tasks = [{"data": _data(code, shown)} for code, shown in coded]
    return {"tasks.json": json.dumps(tasks, indent=1, ensure_ascii=False) + "\n", "config.xml": _config(form)}


def read_label_studio(tasks: Any, name: str, form: Form) -> Returned:
    """Read an export in the format "JSON": each task with its annotations.

    Annotators are kept by their number, never by e-mail or name.

    Parameters
    ----------
    tasks : list or dict
        The file's content.
    name : str
        The file's name, for messages.
    form : Form

    Raises
    ------
    UserError
        It is no such export; JSON-MIN, which mixes answers and fields, is named.
    """
    tasks = [tasks] if isinstance(tasks, Mapping) else tasks
    rows: list[Row] = []
    set_aside: list[tuple[str, str]] = []
    ignored: dict[str, None] = {}
    for number, task in enumerate(tasks, 1):
        if not isinstance(task, Mapping) or not isinstance(task.get("data"), Mapping):
            raise UserError(
                f"{name}, task {number}: found no object under 'data'; expected Label Studio's export as JSON "
                "(not JSON-MIN or CSV)"
            )
        data = task["data"]
        for annotation in _list(task.get("annotations"), f"{name}, task {number}: annotations"):
            where = f"task {number}"
            if not isinstance(data.get("item"), str):
                set_aside.append((where, NO_ITEM))
            elif annotation.get("was_cancelled"):
                set_aside.append((where, CANCELLED))
            else:
                results = _list(annotation.get("result"), f"{name}, task {number}: result")
                cells, unknown = _cells(form, results)
                ignored.update(dict.fromkeys(unknown))
                rows.append(Row(where, data["item"].strip(), _annotator(annotation), cells, _shown(data)))
    return Returned("label-studio", rows, set_aside, list(ignored))


def _data(code: str, shown: Shown) -> dict[str, Any]:
    lines = zip(headings(shown), shown.lines, strict=True)
    return {
        "item": code,
        "title": plain_line(shown.title),
        "facts": {plain_line(key): plain_line(value) for key, value in shown.facts.items()},
        "facts_line": "; ".join(plain_line(f"{key}: {value}") for key, value in shown.facts.items()) or "-",
        _LINES: [{"author": head, "text": strip_controls(line.text)} for head, line in lines],
    }


def _config(form: Form) -> str:
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value=plain_line(form.instructions), size="5")
    ElementTree.SubElement(view, "Header", value="$title")
    ElementTree.SubElement(view, "Header", value="$facts_line", size="5")
    ElementTree.SubElement(
        view, "Paragraphs", name=_LINES, value=f"${_LINES}", layout="dialogue", nameKey="author", textKey="text"
    )
    for question in form.questions:
        ElementTree.SubElement(view, "Header", value=plain_line(question.words))
        required = "true" if question.required else "false"
        if question.labels:
            choices = ElementTree.SubElement(
                view, "Choices", name=question.key, toName=_LINES, choice="single-radio", required=required
            )
            for label in question.labels:
                ElementTree.SubElement(choices, "Choice", value=label)
        else:
            ElementTree.SubElement(
                view,
                "TextArea",
                name=question.key,
                toName=_LINES,
                rows="4",
                editable="true",
                maxSubmissions="1",
                required=required,
            )
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _cells(form: Form, results: Sequence[Mapping[str, Any]]) -> tuple[dict[str, list[str]], list[str]]:
    keys = {question.key for question in form.questions}
    cells: dict[str, list[str]] = {}
    unknown: list[str] = []
    for result in results:
        key, value = str(result.get("from_name")), result.get("value")
        if key in keys and isinstance(value, Mapping):
            cells[key] = _said(value)
        else:
            unknown.append(key)
    return cells, unknown


def _said(value: Mapping[str, Any]) -> list[str]:
    for name in ("choices", "text", "rating", "number"):
        found = value.get(name)
        if isinstance(found, list):
            return [str(one) for one in found]
        if found is not None:
            return [str(found)]
    return []


def _annotator(annotation: Mapping[str, Any]) -> str:
    who = annotation.get("completed_by")
    number = who.get("id") if isinstance(who, Mapping) else who
    return f"annotator-{number}" if isinstance(number, int) else ""


def _shown(data: Mapping[str, Any]) -> str | None:
    lines, facts = data.get(_LINES), data.get("facts")
    if not isinstance(lines, list) or not isinstance(facts, Mapping):
        return None
    pairs = [(str(one.get("author")), str(one.get("text"))) for one in lines if isinstance(one, Mapping)]
    return rendered(str(data.get("title")), {str(key): str(value) for key, value in facts.items()}, pairs)


def _list(value: Any, where: str) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise UserError(f"{where}: found {type(value).__name__}, expected a list of objects")
    return value
