"""From Inspect's model output to our Reply: finish reason, tokens, served model, the settings that were really sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tutorscope.models.speaking import Finish, Reply, Usage

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput

# Where a provider of ours leaves the settings that it sent, in the metadata of the output.
EFFECTIVE = "tutorscope_effective"

_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "max_tokens": "length",
    "content_filter": "filter",
    "model_length": "model_length",
}

# The names that providers give to our settings in their requests.
_SENT_AS: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "top_p": ("top_p", "topP"),
    "top_k": ("top_k", "topK"),
    "max_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens"),
    "seed": ("seed", "random_seed"),
    "stop_seqs": ("stop", "stop_sequences", "stopSequences"),
    "frequency_penalty": ("frequency_penalty",),
    "presence_penalty": ("presence_penalty",),
    "reasoning_effort": ("reasoning_effort", "thinking_level"),
    "reasoning_tokens": ("budget_tokens", "thinking_budget"),
    "effort": ("effort",),
    "verbosity": ("verbosity",),
    "cache_prompt": ("cache_prompt",),
    "threads": ("threads",),
}
# Objects inside a request that hold settings under the names above.
_NESTED = (
    "extra_body",
    "generation_config",
    "config",
    "inferenceConfig",
    "thinking",
    "thinking_config",
    "output_config",
)
_SCHEMA = ("response_format", "output_format", "response_schema", "response_json_schema")

_THINKING = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)\s*", re.DOTALL)


class TooLongError(Exception):
    """A prompt is longer than the model's context. The text holds both lengths where the model tells them."""


def reply_from(output: ModelOutput, requested: Mapping[str, Any]) -> Reply:
    """Read a model's output.

    Parameters
    ----------
    output : ModelOutput
        What Inspect gives.
    requested : mapping
        The settings that role and rule asked for.

    Returns
    -------
    Reply
        ``usage.input`` is all of the prompt, of which ``usage.cached`` came from a cache; ``usage.output`` includes
        ``usage.reasoning``. ``effective`` is empty if the provider does not tell what it sent, else it holds "model"
        and the settings.

    Raises
    ------
    TooLongError
        The prompt did not fit, so that nothing was written.
    """
    usage = output.usage
    finish = _FINISHES.get(output.stop_reason, "unknown") if output.choices else "unknown"
    text = spoken(output.message.text) if output.choices else ""
    if finish == "model_length" and not (usage and usage.output_tokens):
        # Providers put their complaint where the reply would stand.
        raise TooLongError(" ".join((output.error or text or "the prompt is longer than the context").split()))
    counted = Usage()
    if usage:
        cached = usage.input_tokens_cache_read or 0
        counted = Usage(
            input=usage.input_tokens + cached + (usage.input_tokens_cache_write or 0),
            output=usage.output_tokens,
            cached=cached,
            reasoning=usage.reasoning_tokens or 0,
        )
    effective = (output.metadata or {}).get(EFFECTIVE) or {}
    return Reply(
        text=text,
        finish=finish,
        model=output.model,
        usage=counted,
        requested=dict(requested),
        effective=effective,
        seconds=round(output.time or 0.0, 3),
    )


def spoken(text: str) -> str:
    """Give what a model said, without the thinking that some servers leave at its beginning.

    Examples
    --------
    >>> spoken("<think>They forgot the carry.</think>What is 7 + 5?")
    'What is 7 + 5?'
    """
    return _THINKING.sub("", text, count=1) if _THINKING.match(text) else text


def effective_settings(request: Mapping[str, Any], model: str = "") -> dict[str, Any]:
    """Find our settings in the request that a provider sent.

    Parameters
    ----------
    request : mapping
        The request body, in the form of OpenAI (chat or responses), Anthropic, Google or Bedrock.
    model : str
        The model's name, for requests that do not hold it.

    Returns
    -------
    dict
        "model" and each setting that was sent, under our names; "schema" is True if the reply was held to one.
    """
    found: dict[str, Any] = {"model": request.get("model") or model}
    layers = [request, *(request[key] for key in _NESTED if isinstance(request.get(key), Mapping))]
    layers += [inner for layer in layers[1:] for key, inner in layer.items() if key in _NESTED and _is_map(inner)]
    for layer in layers:
        for ours, theirs in _SENT_AS.items():
            for name in theirs:
                if layer.get(name) is not None:
                    found.setdefault(ours, layer[name])
        if any(layer.get(name) for name in _SCHEMA) or (_is_map(layer.get("text")) and layer["text"].get("format")):
            found["schema"] = True
        if _is_map(layer.get("text")) and layer["text"].get("verbosity"):
            found.setdefault("verbosity", layer["text"]["verbosity"])
        if _is_map(layer.get("reasoning")) and layer["reasoning"].get("effort"):
            found.setdefault("reasoning_effort", layer["reasoning"]["effort"])
        if _is_map(layer.get("output_config")) and layer["output_config"].get("format"):
            found["schema"] = True
    # What the user put into the body himself is sent as it is.
    if _is_map(request.get("extra_body")):
        found["extra_body"] = dict(request["extra_body"])
    return found


def dropped(requested: Mapping[str, Any], effective: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the settings that were asked for and not sent.

    Parameters
    ----------
    requested, effective : mapping
        As in a Reply.

    Returns
    -------
    tuple of str
        Empty if nothing was dropped, or if the provider does not tell what it sent (``effective`` is empty).

    Examples
    --------
    >>> dropped({"temperature": 0.2, "max_tokens": 5}, {"model": "m", "max_tokens": 5})
    ('temperature',)
    """
    if not effective:
        return ()
    return tuple(name for name, value in requested.items() if value is not None and not _sent(name, value, effective))


def _sent(name: str, value: Any, effective: Mapping[str, Any]) -> bool:
    if name == "extra_body":
        parts = effective.get(name) or {}
        return all(parts.get(key) == part for key, part in value.items())
    if name == "reasoning_effort" and name not in effective:
        return "reasoning_tokens" in effective or effective.get("effort") == value
    if name not in effective:
        # Caching of prompts is asked for in ways that differ; not asking for it is no setting to drop.
        return name == "cache_prompt"
    sent = effective[name]
    return bool(sent == value or (isinstance(sent, str) and sent.lower() == str(value).lower()) or sent == [value])


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)
