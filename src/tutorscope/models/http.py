"""The thin provider for OpenAI-compatible servers: ``http://host/v1#MODEL``.

Inspect's own compatible provider spends twice the processor time a call or more (``benchmarks/bench_providers.py``):
this one writes the request body itself and shares one aiohttp session a loop. Text only: no tools, no pictures.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    RetryDecision,
    StopReason,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from tutorscope.models.credentials import hide
from tutorscope.models.replies import EFFECTIVE, effective_settings
from tutorscope.models.wire import EmptyChoicesError, ProviderError, post_json

if TYPE_CHECKING:
    from tenacity import RetryCallState

_STOPS: dict[str | None, StopReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "content_filter": "content_filter",
    "model_length": "model_length",
    "tool_calls": "tool_calls",
}
# Our settings by their name in the body.
_BODY = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "seed": "seed",
    "stop_seqs": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "reasoning_effort": "reasoning_effort",
    "verbosity": "verbosity",
}
_UNSUPPORTED = (
    "unsupported",
    "not support",
    "n't support",
    "unrecognized",
    "unknown",
    "unexpected",
    "not permitted",
    "not allowed",
    "extra inputs",
    "not available",
    "only the default",
)
_TOO_LONG = ("context_length_exceeded", "context length", "context size", "maximum context", "context window")
_LONGEST_WAIT = 120.0


class HttpModel(ModelAPI):
    """An OpenAI-compatible server.

    Parameters
    ----------
    model_name : str
        The model's name on the server.
    base_url : str
        The server's address.
    headers : sequence of (header, variable)
        HTTP headers and the environment variables that hold their values: the names alone stand in logs.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        headers: Sequence[Sequence[str]] = (),
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self.headers = [(header, variable) for header, variable in headers]
        # What this server has said it does not take, so that it is told once and not at every call.
        self._without: set[str] = set()
        self._renamed: dict[str, str] = {}

    def connection_key(self) -> str:
        """Limit connections by server."""
        return str(self.base_url)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Ask the server for one reply."""
        while True:
            body = self._body(input, config)
            try:
                answer = await post_json(str(self.base_url), "/chat/completions", body, self.headers)
            except ProviderError as problem:
                if problem.status == 400 and _says(problem, _TOO_LONG):
                    return ModelOutput.from_content(self.model_name, "", "model_length", error=str(problem))
                if problem.status in (400, 422) and self._adapt(problem, body):
                    continue
                raise
            sent = effective_settings(body)
            if config.extra_body:
                sent["extra_body"] = {name: body[name] for name in config.extra_body if name in body}
            return _output(answer, str(body["model"]), sent, [variable for _, variable in self.headers])

    def should_retry(self, ex: Exception) -> RetryDecision:
        """Ask again after a full server, a failing one, or a broken connection."""
        if not isinstance(ex, ProviderError) or not ex.retry:
            return RetryDecision.no()
        if ex.status == 429:
            return RetryDecision.rate_limit(ex.retry_after)
        return RetryDecision.transient(ex.retry_after)

    def retry_wait(self) -> Any:
        """Wait as long as the server asks, else 1, 2, 4, ... seconds with some jitter."""
        return _wait

    def is_auth_failure(self, ex: Exception) -> bool:
        """Tell a refused key from other failures."""
        return isinstance(ex, ProviderError) and ex.status == 401

    async def count_text_tokens(self, text: str) -> int:
        """Estimate: Inspect's own way would download a tokenizer."""
        return max(1, len(text) // 4)

    def _body(self, messages: list[ChatMessage], config: GenerateConfig) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model_name,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
        }
        for ours, theirs in _BODY.items():
            value = getattr(config, ours)
            if value is not None:
                body[theirs] = value
        schema = config.response_schema
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": schema.name,
                    "schema": schema.json_schema.model_dump(exclude_none=True),
                    **({"strict": schema.strict} if schema.strict is not None else {}),
                },
            }
        body.update(config.extra_body or {})
        for name in self._without:
            body.pop(name, None)
        for name, other in self._renamed.items():
            if name in body:
                body[other] = body.pop(name)
        return body

    def _adapt(self, problem: ProviderError, body: dict[str, Any]) -> bool:
        """Do without a setting that the server says it does not know; True if there was one."""
        said = str(problem).lower()
        error = (problem.body or {}).get("error")
        param = error.get("param") if isinstance(error, dict) else None
        if not _says(problem, _UNSUPPORTED):
            return False
        for name in body:
            if name in ("model", "messages") or not (param == name or f"'{name}'" in said or f'"{name}"' in said):
                continue
            if name == "max_tokens" and "max_completion_tokens" in said:
                self._renamed[name] = "max_completion_tokens"
            else:
                self._without.add(name)
            return True
        return False


def _output(answer: dict[str, Any], asked: str, sent: dict[str, Any], secret: Sequence[str]) -> ModelOutput:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise EmptyChoicesError("the server answered without choices")
    choice = choices[0]
    message = choice.get("message") or {}
    served = str(answer.get("model") or asked)
    stop: StopReason = _STOPS.get(choice.get("finish_reason"), "unknown")
    text = message.get("content")
    if text is None and message.get("refusal"):
        text, stop = message["refusal"], "content_filter"
    if isinstance(text, list):
        # A secret may have been cut in two by the parts.
        text = hide("".join(part.get("text") or "" for part in text if isinstance(part, dict)), secret)
    thinking = message.get("reasoning_content") or message.get("reasoning")
    content: str | list[Content] = text or ""
    if isinstance(thinking, str) and thinking:
        content = [ContentReasoning(reasoning=thinking), ContentText(text=text or "")]
    return ModelOutput(
        model=served,
        choices=[
            ChatCompletionChoice(
                message=ChatMessageAssistant(content=content, model=served, source="generate"), stop_reason=stop
            )
        ],
        usage=_usage(answer.get("usage")),
        metadata={EFFECTIVE: {**sent, **_route(answer)}},
    )


def _route(answer: dict[str, Any]) -> dict[str, str]:
    """Give who served a reply behind a router, where the server says so: the same model is another one elsewhere."""
    told = {"provider": answer.get("provider"), "system_fingerprint": answer.get("system_fingerprint")}
    return {name: value[:80] for name, value in told.items() if isinstance(value, str) and value}


def _usage(raw: Any) -> ModelUsage | None:
    if not isinstance(raw, dict):
        return None
    asked, said = raw.get("prompt_tokens") or 0, raw.get("completion_tokens") or 0
    cached = (raw.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return ModelUsage(
        input_tokens=max(0, asked - cached),
        output_tokens=said,
        total_tokens=raw.get("total_tokens") or asked + said,
        input_tokens_cache_read=cached or None,
        reasoning_tokens=(raw.get("completion_tokens_details") or {}).get("reasoning_tokens"),
    )


def _says(problem: ProviderError, words: Sequence[str]) -> bool:
    said = str(problem).lower()
    error = (problem.body or {}).get("error")
    code = str(error.get("code") or "").lower() if isinstance(error, dict) else ""
    return any(word in said or word in code for word in words)


def _wait(state: RetryCallState) -> float:
    problem = state.outcome.exception() if state.outcome else None
    asked = problem.retry_after if isinstance(problem, ProviderError) else None
    if asked is not None:
        return min(asked, _LONGEST_WAIT) + random.uniform(0, 0.1)
    return min(60.0, 2.0 ** (state.attempt_number - 1)) * random.uniform(0.75, 1.25)
