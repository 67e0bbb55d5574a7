"""Inspect providers for Python functions (``module:function``), policies and scripted models (``scripted:...``)."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, RetryDecision, StopReason
from inspect_ai.tool import ToolChoice, ToolInfo

from tutorscope.models.functions import Form, FunctionError, call_function, current, load_function
from tutorscope.models.replies import EFFECTIVE
from tutorscope.models.speaking import Finish, Reply
from tutorscope.texts.messages import Message

_STOPS: dict[Finish, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "filter": "content_filter",
    "model_length": "model_length",
    "unknown": "unknown",
}


class FunctionModel(ModelAPI):
    """A function that the user named, called with the messages, the session and the item.

    Parameters
    ----------
    model_name : str
        ``module:function``.
    """

    form: Form = "reply"

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self.function = load_function(model_name, model_name, self.form)

    def connection_key(self) -> str:
        """Limit connections by function."""
        return self.model_name

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Call the function."""
        messages = [_message(message) for message in input]
        reply = await self._call(messages)
        usage = ModelUsage(
            input_tokens=max(0, reply.usage.input - reply.usage.cached),
            output_tokens=reply.usage.output,
            total_tokens=reply.usage.input + reply.usage.output,
            input_tokens_cache_read=reply.usage.cached or None,
            reasoning_tokens=reply.usage.reasoning or None,
        )
        output = ModelOutput.from_content(reply.model or self.model_name, reply.text, _STOPS[reply.finish])
        output.usage = usage
        output.metadata = {EFFECTIVE: dict(reply.effective)}
        return output

    def should_retry(self, ex: Exception) -> RetryDecision:
        """Never: only the function knows whether calling it twice is safe."""
        return RetryDecision.no()

    async def count_text_tokens(self, text: str) -> int:
        """Estimate: Inspect's own way would download a tokenizer."""
        return max(1, len(text) // 4)

    async def _call(self, messages: list[Message]) -> Reply:
        now = current()
        return await call_function(self.function, messages, session=now.session, item=now.item)


class ScriptedModel(FunctionModel):
    """A scripted model, called with the role, the messages, the draw and the attempt."""

    form = "scripted"

    async def _call(self, messages: list[Message]) -> Reply:
        now = current()
        return await call_function(self.function, now.role, messages, now.draw, now.attempt)


class PolicyModel(FunctionModel):
    """A policy that asks no tutor model, called with the item as its problem and the messages as its dialogue."""

    form = "policy"

    async def _call(self, messages: list[Message]) -> Reply:
        return await call_function(self.function, dict(current().item), messages, _nobody)


async def _nobody(*asked: Any, **named: Any) -> Reply:
    raise FunctionError("asked a tutor model, and none was named for it; name its third parameter in the function")


def _message(message: ChatMessage) -> Message:
    role: Any = message.role
    return {"role": role, "content": message.text}
