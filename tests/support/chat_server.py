"""A small OpenAI-compatible server for tests and benchmarks: real HTTP, known replies, faults on demand.

In a test::

    with ChatServer(reply=lambda messages: "4") as server:
        ...  # server.url is http://127.0.0.1:PORT/v1; server.asked holds each request, in order of arrival

In its own process (from Python: ``with server_process(log=path) as url``)::

    python tests/support/chat_server.py --port 0 --delay 0.05 --log asked.jsonl    # prints its port

Every request is logged before anything is replied, so that after a kill the log shows what was asked twice.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

FAULTS = ("429", "500", "400", "401", "hang", "empty", "cut", "drop", "garbage")

# From the messages to a text, or to the fields of a choice: content, reasoning_content, finish_reason, usage, model.
ReplyFunction = Callable[[list[dict[str, Any]]], "str | Mapping[str, Any]"]
# From the request's number (from 1) and its body to the name of a fault, or None.
FaultFunction = Callable[[int, Mapping[str, Any]], "str | None"]


def short_reply(messages: list[dict[str, Any]]) -> str:
    """Reply with something that depends on the whole request and on nothing else."""
    return "reply " + hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:12]


class ChatServer:
    """The server in a thread of this process.

    Parameters
    ----------
    reply : callable
        From the messages to the reply: a text, or a mapping with content and, if wanted, reasoning_content,
        finish_reason, usage, model.
    delay : float
        Seconds that each request waits.
    models : sequence of str
        What ``GET /v1/models`` lists.
    faults : mapping or callable
        Faults by request number (from 1), or a function of the number and the body: see ``FAULTS``.
    rejects : sequence of str
        Settings that are answered with a 400 that names them, as OpenAI does.
    log : path, optional
        A JSON-lines file: one line a request, written and flushed before the reply.
    port : int
        0 takes a free one.
    """

    def __init__(
        self,
        reply: ReplyFunction = short_reply,
        *,
        delay: float = 0.0,
        models: Sequence[str] = ("test-model",),
        faults: Mapping[int, str] | FaultFunction | None = None,
        rejects: Sequence[str] = (),
        log: Path | str | None = None,
        port: int = 0,
    ) -> None:
        self.reply = reply
        self.delay = delay
        self.models = list(models)
        self.faults: FaultFunction = faults if callable(faults) else lambda n, body: (faults or {}).get(n)
        self.rejects = list(rejects)
        self.port = port
        self.asked: list[dict[str, Any]] = []
        self._log = Path(log).open("a", encoding="utf-8") if log else None  # noqa: SIM115
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests, in order of arrival."""
        return [entry["body"] for entry in self.asked if entry["path"].endswith("/chat/completions")]

    def __enter__(self) -> ChatServer:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)
        self._thread.start()
        if not self._ready.wait(20):
            raise RuntimeError("the test server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop and self._stop:
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread:
            self._thread.join(20)
        if self._log:
            self._log.close()

    async def serve(self, announce: Callable[[int], None] | None = None) -> None:
        """Serve until stopped."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port, backlog=1024)
        await site.start()
        self.port = runner.addresses[0][1]
        if announce:
            announce(self.port)
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _note(self, request: web.Request) -> tuple[int, dict[str, Any]]:
        body = await request.json()
        number = len(self.asked) + 1
        entry = {"n": number, "path": request.path, "body": body, "headers": dict(request.headers)}
        self.asked.append(entry)
        if self._log:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()
        return number, body

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        number, body = await self._note(request)
        fault = self.faults(number, body)
        if self.delay:
            await asyncio.sleep(self.delay)
        if fault:
            return await _fail(fault, request)
        for name in self.rejects:
            if name in body:
                return _error(400, f"Unsupported parameter: '{name}' is not supported with this model.", name)
        said = self.reply(body["messages"])
        fields: Mapping[str, Any] = {"content": said} if isinstance(said, str) else said
        message = {"role": "assistant", "content": fields.get("content")}
        if "reasoning_content" in fields:
            message["reasoning_content"] = fields["reasoning_content"]
        usage = fields.get("usage") or _usage(body["messages"], fields.get("content") or "")
        return web.json_response(
            {
                "id": f"chat-{number}",
                "object": "chat.completion",
                "created": 0,
                "model": fields.get("model") or body.get("model", ""),
                "choices": [{"index": 0, "message": message, "finish_reason": fields.get("finish_reason", "stop")}],
                "usage": usage,
            }
        )

    async def _embeddings(self, request: web.Request) -> web.StreamResponse:
        number, body = await self._note(request)
        fault = self.faults(number, body)
        if fault:
            return await _fail(fault, request)
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        data = [{"object": "embedding", "index": i, "embedding": text_vector(text)} for i, text in enumerate(texts)]
        return web.json_response({"object": "list", "model": body.get("model"), "data": data})

    async def _models(self, request: web.Request) -> web.Response:
        entries = [{"id": name, "object": "model"} for name in self.models]
        return web.json_response({"object": "list", "data": entries})


def text_vector(text: str, size: int = 8) -> list[float]:
    """Give the vector that the server's embeddings endpoint returns for a text."""
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 255 - 0.5 for byte in digest[:size]]


def asked(log: Path | str) -> list[dict[str, Any]]:
    """Read a server's log: one record a request, with n, path, body and headers."""
    return [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]


@contextlib.contextmanager
def server_process(
    *, delay: float = 0.0, log: Path | str | None = None, reply: str | None = None, arguments: Sequence[str] = ()
) -> Iterator[str]:
    """Run the server in its own process and give its address (``http://127.0.0.1:PORT/v1``).

    Parameters
    ----------
    delay, log
        As for `ChatServer`.
    reply : str, optional
        ``FILE.py:FUNCTION``.
    arguments : sequence of str
        Further command line arguments.
    """
    command = [sys.executable, str(Path(__file__).resolve()), "--delay", str(delay), *arguments]
    if log:
        command += ["--log", str(log)]
    if reply:
        command += ["--reply", reply]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError("the test server did not start")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        if process.stdout:
            process.stdout.close()


def _usage(messages: Sequence[Mapping[str, Any]], text: str) -> dict[str, int]:
    asked_words = sum(len(str(message.get("content", "")).split()) for message in messages)
    said_words = len(text.split())
    return {"prompt_tokens": asked_words, "completion_tokens": said_words, "total_tokens": asked_words + said_words}


def _error(
    status: int, message: str, param: str | None = None, headers: Mapping[str, str] | None = None
) -> web.Response:
    kind = "invalid_request_error" if status == 400 else "error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": None}}
    return web.json_response(body, status=status, headers=headers)


async def _fail(fault: str, request: web.Request) -> web.StreamResponse:
    if fault == "hang":
        await asyncio.sleep(3600)
    if fault == "429":
        return _error(429, "Rate limit reached.", headers={"Retry-After": "0.2"})
    if fault == "400":
        return _error(400, "The request is not valid.")
    if fault == "401":
        # Real servers echo the key that they refuse.
        return _error(401, f"Incorrect API key provided: {request.headers.get('Authorization', '')}")
    if fault == "empty":
        return web.json_response({"id": "chat", "model": "test-model", "choices": [], "usage": None})
    if fault == "garbage":
        return web.Response(text="<html>gateway</html>", content_type="text/html")
    if fault in ("cut", "drop"):
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "5000"})
        if fault == "cut":
            await response.prepare(request)
            await response.write(b'{"id": "chat", "choices": [{"index": 0, "message": {"content": "half a')
        if request.transport:
            request.transport.close()
        return response
    return _error(int(fault), "The server had an error.")


def _load(spec: str) -> ReplyFunction:
    file, _, name = spec.rpartition(":")
    found = importlib.util.spec_from_file_location("server_reply", file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return getattr(module, name)  # type: ignore[no-any-return]


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that each request waits")
    parser.add_argument("--log", help="JSON-lines file, one line a request")
    parser.add_argument("--reply", help="FILE.py:FUNCTION, from the messages to a text")
    parser.add_argument("--model", action="append", help="a model to list (repeatable)")
    parser.add_argument("--reject", action="append", default=[], help="a setting to refuse with a 400 (repeatable)")
    parser.add_argument("--fault", action="append", default=[], help=f"FAULT@N for request N: {', '.join(FAULTS)}")
    given = parser.parse_args()
    faults = {int(number): name for name, _, number in (fault.partition("@") for fault in given.fault)}
    server = ChatServer(
        _load(given.reply) if given.reply else short_reply,
        delay=given.delay,
        models=given.model or ("test-model",),
        faults=faults,
        rejects=given.reject,
        log=given.log,
        port=given.port,
    )
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(lambda port: print(port, flush=True)))


if __name__ == "__main__":
    main()
