import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.intervention.solutions import split_solution


@pytest.mark.parametrize(
    ("body", "trace", "answer"),
    [
        ("Reasoning: two and two\nFinal answer: 4", "two and two", "4"),
        ("**Reasoning:**\ntwo and two\n\n**Final Answer:** 4", "two and two", "4"),
        ("## Reasoning\ntwo", "## Reasoning\ntwo", ""),
        ("Reasoning: a\nReasoning: b\nFinal answer: 4", "a\nReasoning: b", "4"),
        ("Reasoning: a\nFinal answer: 4\nWait.\nFinal answer: 5", "a\nFinal answer: 4\nWait.", "5"),
        ("I think.\n**Final Answer: x**\nbecause y", "I think.", "x**\nbecause y"),
        ("two and two make Final answer: 4", "two and two make", "4"),
        ("no label at all", "no label at all", ""),
        ("Final answer: 4\nReasoning: so it is", "", "4"),
        ("Reasoning: I cannot.\nFinal answer:", "I cannot.", ""),
        ("Reasoning:\n    x = 1\n    y = 2\nFinal answer: 2", "    x = 1\n    y = 2", "2"),
        ('{"Reasoning": "two", "Final answer": "4"}', "two", "4"),
        ("", "", ""),
    ],
)
def test_trace_and_answer(body, trace, answer):
    assert split_solution(body) == (trace, answer)


@given(st.text())
def test_the_parts_stand_in_the_reply(body):
    trace, answer = split_solution(body)
    if not body.startswith("{"):
        assert trace in body
        assert answer in body
