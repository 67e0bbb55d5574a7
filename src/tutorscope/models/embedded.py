"""A real model in this process, without a key or a network: llama.cpp through xllamacpp.

Each choice here cures something that was measured: one slot and no prefix cache give the same text for the same
request, passive waiting keeps it usable beside a busy core, small prompt batches let a call be stopped while it reads
its prompt. Sameness holds on one machine: another processor or number of threads may give another text.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import anyio.to_thread
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, RetryDecision, StopReason
from inspect_ai.tool import ToolChoice, ToolInfo

from tutorscope.errors import UserError
from tutorscope.models.replies import EFFECTIVE
from tutorscope.models.weights import require_xllamacpp, weights_file

CONTEXT = 8192
# Pinned, because another number of threads gives another text; four is where a small model stops gaining.
THREADS = max(1, min(4, os.cpu_count() or 1))
# A call can be stopped between two batches of its prompt. Larger ones save nothing here: 579 tokens took 7 to 9 s of
# processor time with batches of 16 to 512.
_BATCH = 32
_CACHE_MIB = 256
_SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "seed": "seed",
    "stop_seqs": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}


class EmbeddedError(Exception):
    """The embedded model refused or failed."""


class EmbeddedModel(ModelAPI):
    """A GGUF model in this process.

    Parameters
    ----------
    model_name : str
        The weights file's name, without its ending.
    path : str
        The weights file; "" is the one in the user's cache.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        path: str = "",
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self.engine = _engine(weights_file("embedded", path))

    def connection_key(self) -> str:
        """Limit connections by weights file."""
        return str(self.engine.path)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Give one reply. A cancelled call stops within a batch of its prompt or a token of its reply."""
        request: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.text} for message in input],
            # With the prefix cache a shared beginning is read once, and a text depends on what was asked before it.
            "cache_prompt": config.cache_prompt is True,
        }
        for ours, theirs in _SETTINGS.items():
            value = getattr(config, ours)
            if value is not None:
                request[theirs] = value
        schema = config.response_schema
        if schema is not None:
            form = {"name": schema.name, "schema": schema.json_schema.model_dump(exclude_none=True)}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        stop = threading.Event()
        async with self.engine.turn():
            try:
                answer = await anyio.to_thread.run_sync(self.engine.chat, request, stop, abandon_on_cancel=True)
            finally:
                stop.set()
        output = _output(self.model_name, answer)
        effective = {ours: request[theirs] for ours, theirs in _SETTINGS.items() if theirs in request}
        if schema is not None:
            effective["schema"] = True
        effective |= {"model": self.model_name, "cache_prompt": request["cache_prompt"], "threads": THREADS}
        output.metadata = {EFFECTIVE: effective}
        return output

    def should_retry(self, ex: Exception) -> RetryDecision:
        """Never: the same request fails the same way."""
        return RetryDecision.no()

    async def count_text_tokens(self, text: str) -> int:
        """Estimate: Inspect's own way would download a tokenizer."""
        return max(1, len(text) // 4)


class Engine:
    """One llama.cpp server for one weights file, loaded at its first call and used by one call at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._server: Any = None
        self._busy = threading.Lock()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def turn(self) -> asyncio.Lock:
        """Give the running loop's queue: waiting there costs no thread and can be cancelled."""
        return self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    def chat(self, request: dict[str, Any], stop: threading.Event) -> dict[str, Any]:
        """Give one reply; blocks.

        Parameters
        ----------
        request : dict
            In OpenAI's form.
        stop : threading.Event
            Once set, the call ends as soon as it can.

        Returns
        -------
        dict
            text, finish, usage (as the server tells them), or error.

        Raises
        ------
        EmbeddedError
            The request cannot be served: its schema, for one.
        """
        text: list[str] = []
        answer: dict[str, Any] = {"finish": None, "usage": {}}

        def take(chunk: dict[str, Any]) -> bool:
            if "error" in chunk:
                answer["error"] = chunk["error"]
            for choice in chunk.get("choices") or []:
                text.append(choice.get("delta", {}).get("content") or "")
                answer["finish"] = choice.get("finish_reason") or answer["finish"]
            answer["usage"] = chunk.get("usage") or answer["usage"]
            return stop.is_set()

        # return_progress calls `take` after each batch of the prompt, so that a stop need not wait for the first token.
        asked = {**request, "stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        with self._held(stop):
            if stop.is_set():
                return answer
            try:
                returned = self._loaded().handle_chat_completions(asked, take)
            except (ValueError, RuntimeError) as problem:
                raise EmbeddedError(f"{self.path.name}: {problem}") from None
        if isinstance(returned, dict):
            take(returned)
        answer["text"] = "".join(text)
        return answer

    @contextmanager
    def _held(self, stop: threading.Event) -> Iterator[None]:
        """Wait for an earlier call, perhaps of another loop or one that is just being stopped."""
        while not self._busy.acquire(timeout=0.1):
            if stop.is_set():
                yield
                return
        try:
            yield
        finally:
            self._busy.release()

    def _loaded(self) -> Any:
        if self._server is None:
            self._server = _load(self.path)
        return self._server


@cache
def _engine(path: Path) -> Engine:
    return Engine(path)


def _load(path: Path) -> Any:
    require_xllamacpp()
    # Two threads that spin while waiting bring the model to a token a second as soon as something else wants a core.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        import xllamacpp
    except ImportError as problem:
        raise UserError(f"xllamacpp cannot be loaded ({problem}); on Debian it needs the package libgomp1") from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cache_prompt = False
    # Where several conversations take turns, each one's beginning is put aside and found again. Only calls that ask
    # for the prefix cache make use of it.
    params.cache_ram_mib = _CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.verbosity = -1
    params.warmup = False
    # It also listens on a loopback port, which cannot be turned off: nobody else gets in.
    params.hostnames = ["127.0.0.1"]
    params.api_keys = [secrets.token_hex(24)]
    params.endpoint_slots = False
    params.ui = False
    try:
        return xllamacpp.Server(params)
    except RuntimeError as problem:
        raise EmbeddedError(f"{path}: llama.cpp cannot load this file ({problem})") from None


def _output(model: str, answer: dict[str, Any]) -> ModelOutput:
    error = answer.get("error")
    if error:
        if error.get("type") == "exceed_context_size_error":
            text = f"the prompt has {error.get('n_prompt_tokens')} tokens, {model} takes {error.get('n_ctx')}"
            return ModelOutput.from_content(model, "", "model_length", error=text)
        raise EmbeddedError(f"{model}: {error.get('message', error)}")
    usage = answer["usage"]
    asked, said = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    stop: StopReason = {"stop": "stop", "length": "max_tokens"}.get(answer["finish"], "unknown")  # type: ignore[assignment]
    if stop == "max_tokens" and asked + said >= CONTEXT:
        stop = "model_length"
    output = ModelOutput.from_content(model, answer["text"], stop)
    output.usage = ModelUsage(
        input_tokens=asked - cached,
        output_tokens=said,
        total_tokens=asked + said,
        input_tokens_cache_read=cached or None,
    )
    return output
