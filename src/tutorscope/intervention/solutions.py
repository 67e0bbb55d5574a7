"""Where a student's reasoning ends and the answer begins (intervention game, appendix F.1)."""

from __future__ import annotations

import re

from tutorscope.texts.labels import read_labels

REASONING, ANSWER = "Reasoning", "Final answer"

_MARKS = r"[*_`]{0,3}"
# At the start of a line, after list, quote and heading marks, plain or in bold; a bold one may stand alone.
_LINE = r"^[ \t]*(?:[-+*>#]+[ \t]+)*{m}{name}{m}[ \t]*(?:[:：][ \t]*{m}|(?<=[*_])[ \t]*$)"
_REASONING_LABEL = re.compile(_LINE.format(m=_MARKS, name="reasoning"), re.IGNORECASE | re.MULTILINE)
_ANSWER_LABEL = re.compile(_LINE.format(m=_MARKS, name=r"final[ \t]+answer"), re.IGNORECASE | re.MULTILINE)
_ANSWER_INSIDE = re.compile(rf"(?<=\s){_MARKS}final answer{_MARKS}[ \t]*[:：][ \t]*{_MARKS}", re.IGNORECASE)


def split_solution(body: str) -> tuple[str, str]:
    r"""Split a student's reply into trace and answer.

    The last "Final answer" counts: a student who corrects itself means the last one. The trace is what stands between
    the first "Reasoning" (or the start of the reply) and that answer, code point for code point, without the blank
    behind the label and without the blank lines around it. A reply without an answer is all trace.

    Parameters
    ----------
    body : str
        The reply, its thinking marks taken off.

    Returns
    -------
    trace, answer : str
        "" for what is not there.

    Examples
    --------
    >>> split_solution("Reasoning: 2 and 2\n  are four.\n**Final answer:** 4")
    ('2 and 2\n  are four.', '4')
    """
    if body.startswith("{"):
        parts = read_labels(body, (REASONING, ANSWER), optional=(REASONING, ANSWER)).value
        if parts:
            return parts.get(REASONING, ""), parts.get(ANSWER, "")
    labels = list(_ANSWER_LABEL.finditer(body)) or list(_ANSWER_INSIDE.finditer(body))
    first = _REASONING_LABEL.search(body)
    end = labels[-1].start() if labels else len(body)
    start = first.end() if first and first.end() <= end else 0
    trace = body[start:end]
    if not labels:
        return _bare(trace), ""
    after = body[labels[-1].end() :]
    later = _REASONING_LABEL.search(after)
    return _bare(trace), after[: later.start() if later else None].strip()


def _bare(trace: str) -> str:
    """Take off the blank behind the label and the blank lines around: what is left is as it was written."""
    return re.sub(r"\A(?:[ \t]*\r?\n)+|\A ", "", trace).rstrip()
