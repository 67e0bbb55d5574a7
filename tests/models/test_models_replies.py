"""Replies from Inspect's outputs, and which settings were really sent."""

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)

from tutorscope.models.replies import TooLongError, dropped, effective_settings, reply_from, spoken
from tutorscope.models.speaking import Usage


def _output(text="x", stop="stop", **fields):
    output = ModelOutput.from_content("served", text, stop)
    for name, value in fields.items():
        setattr(output, name, value)
    return output


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("stop", "stop"),
        ("max_tokens", "length"),
        ("content_filter", "filter"),
        ("tool_calls", "unknown"),
        ("unknown", "unknown"),
    ],
)
def test_finish_known_answers(stop, finish):
    assert reply_from(_output(stop=stop), {}).finish == finish


def test_a_prompt_that_did_not_fit_is_no_reply():
    # OpenAI's complaint stands where the text would: it must not pass for the tutor's words.
    with pytest.raises(TooLongError, match="maximum context length is 8"):
        reply_from(_output("This model's maximum context length is 8 tokens", "model_length"), {})


def test_a_reply_cut_by_the_context_is_a_reply():
    usage = ModelUsage(input_tokens=100, output_tokens=28, total_tokens=128)
    reply = reply_from(_output("half a sent", "model_length", usage=usage), {})
    assert (reply.text, reply.finish) == ("half a sent", "model_length")


def test_usage_adds_what_came_from_the_cache():
    usage = ModelUsage(
        input_tokens=10, output_tokens=5, total_tokens=95, input_tokens_cache_read=70, input_tokens_cache_write=15,
        reasoning_tokens=3,
    )  # fmt: skip
    assert reply_from(_output(usage=usage), {}).usage == Usage(input=95, output=5, cached=70, reasoning=3)


def test_no_usage_is_no_usage():
    assert reply_from(_output(), {}).usage == Usage()


def test_thinking_parts_stay_out():
    content = [ContentReasoning(reasoning="It is 12."), ContentText(text="What did you try?")]
    message = ChatMessageAssistant(content=content)
    output = ModelOutput(model="m", choices=[ChatCompletionChoice(message=message, stop_reason="stop")])
    assert reply_from(output, {}).text == "What did you try?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello", "Hello"),
        ("<think>a</think>Hello", "Hello"),
        ("\n<thinking>a\nb</thinking>\n\nHello <think>", "Hello <think>"),
        ("<think>cut off", ""),
        ("Use <think> tags</think>", "Use <think> tags</think>"),
    ],
)
def test_spoken_known_answers(text, said):
    assert spoken(text) == said


@pytest.mark.parametrize(
    ("request_body", "settings"),
    [
        ({"model": "m", "temperature": 0.2, "max_completion_tokens": 5, "stop": ["a"], "seed": 1},
         {"model": "m", "temperature": 0.2, "max_tokens": 5, "stop_seqs": ["a"], "seed": 1}),
        ({"model": "m", "max_output_tokens": 5, "reasoning": {"effort": "low"}, "text": {"verbosity": "low"}},
         {"model": "m", "max_tokens": 5, "reasoning_effort": "low", "verbosity": "low"}),
        ({"model": "m", "max_tokens": 5, "thinking": {"type": "enabled", "budget_tokens": 1024}},
         {"model": "m", "max_tokens": 5, "reasoning_tokens": 1024}),
        ({"contents": [], "generation_config": {"temperature": 0.2, "top_k": 3, "max_output_tokens": 5, "seed": None,
                                                "thinking_config": {"thinking_budget": 10}}},
         {"model": "served", "temperature": 0.2, "top_k": 3, "max_tokens": 5, "reasoning_tokens": 10}),
        ({"modelId": "m", "inferenceConfig": {"maxTokens": 5, "topP": 0.5, "stopSequences": ["a"]}},
         {"model": "served", "max_tokens": 5, "top_p": 0.5, "stop_seqs": ["a"]}),
        ({"model": "m", "response_format": {"type": "json_schema"}}, {"model": "m", "schema": True}),
        ({"model": "m", "text": {"format": {"type": "json_schema"}}}, {"model": "m", "schema": True}),
        ({"model": "m", "extra_body": {"top_k": 4}}, {"model": "m", "top_k": 4, "extra_body": {"top_k": 4}}),
        ({"model": "m", "temperature": None, "tools": None}, {"model": "m"}),
    ],
)  # fmt: skip
def test_effective_settings_known_answers(request_body, settings):
    assert effective_settings(request_body, "served") == settings


@pytest.mark.parametrize(
    ("requested", "effective", "names"),
    [
        ({"temperature": 0.2}, {"model": "m", "temperature": 0.2}, ()),
        ({"temperature": 0.2}, {"model": "m"}, ("temperature",)),
        ({"temperature": 0.2}, {"model": "m", "temperature": 1}, ("temperature",)),
        ({"temperature": 0.2}, {}, ()),
        ({"temperature": None}, {"model": "m"}, ()),
        ({"reasoning_effort": "low"}, {"model": "m", "effort": "low"}, ()),
        ({"reasoning_effort": "low"}, {"model": "m", "reasoning_effort": "LOW"}, ()),
        ({"schema": True, "seed": 3}, {"model": "m"}, ("schema", "seed")),
        ({"extra_body": {"a": 1}}, {"model": "m", "extra_body": {"a": 1, "b": 2}}, ()),
        ({"extra_body": {"a": 1}}, {"model": "m"}, ("extra_body",)),
    ],
)
def test_dropped_known_answers(requested, effective, names):
    assert dropped(requested, effective) == names
