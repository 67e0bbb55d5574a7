"""The wire to OpenAI-compatible servers: one aiohttp session per running event loop, and errors without secrets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakKeyDictionary

import aiohttp

from tutorscope.errors import UserError
from tutorscope.models.credentials import header_values, hide, scrub

_LONGEST_MESSAGE = 500
_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}


class ProviderError(Exception):
    """A server did not give a reply. The text holds no secret.

    Parameters
    ----------
    message : str
        What happened.
    status : int, optional
        The HTTP status.
    retry : bool
        Asking again may help.
    retry_after : float, optional
        Seconds that the server asks to wait.
    body : mapping, optional
        The server's JSON, for whoever looks for the setting that it rejects.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry: bool = False,
        retry_after: float | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry = retry
        self.retry_after = retry_after
        self.body = body


class EmptyChoicesError(ProviderError):
    """The server answered without a single choice."""


async def post_json(
    address: str, path: str, body: Mapping[str, Any], headers: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """Post JSON and give the server's JSON.

    Parameters
    ----------
    address : str
        The server's base address, such as ``http://host/v1``.
    path : str
        Below it, such as ``/chat/completions``.
    body : mapping
        The request.
    headers : sequence of (header, variable)
        Extra headers by environment variable.

    Raises
    ------
    ProviderError
        The server refused, failed, could not be reached, cut its reply or sent no JSON object.
    """
    return await _request("POST", address, path, json.dumps(body).encode("ascii"), headers)


def only_model(option: str, address: str, headers: Sequence[tuple[str, str]] = ()) -> str:
    """Ask a server for its models and give the only one.

    Raises
    ------
    UserError
        The server cannot be asked, or has none or several: they are listed.
    """

    async def ask() -> dict[str, Any]:
        async with asyncio.timeout(15):
            return await _request("GET", address, "/models", None, headers)

    try:
        # In a thread of its own, because the caller may stand inside an event loop.
        with ThreadPoolExecutor(1) as thread:
            listing = thread.submit(asyncio.run, ask()).result()
    except (ProviderError, TimeoutError) as problem:
        found = str(problem) or f"{address} did not answer in 15 s"
        raise UserError(f"{option}: cannot ask for the server's models ({found}); expected {address}#MODEL") from None
    models = [str(entry["id"]) for entry in listing.get("data") or [] if isinstance(entry, dict) and "id" in entry]
    if len(models) != 1:
        held = f"has {len(models)} models: {', '.join(models[:20])}" if models else "lists no model"
        raise UserError(f"{option}: {address} {held}; expected {address}#MODEL")
    return models[0]


async def _request(
    method: str, address: str, path: str, data: bytes | None, headers: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    secret = [variable for _, variable in headers]
    url = _below(address, path)
    try:
        sent = {"Content-Type": "application/json", **header_values(headers)}
        # A redirect is not followed: it would carry the headers to another host.
        async with (await _session()).request(
            method, url, data=data, headers=sent, allow_redirects=False, proxy=_proxy(url)
        ) as response:
            raw = await response.read()
            status, wait = response.status, _seconds(response.headers.get("Retry-After"))
    except (aiohttp.InvalidURL, aiohttp.ClientSSLError, ValueError) as problem:
        raise ProviderError(scrub(f"{address}: {_name(problem)}", secret)) from None
    except (aiohttp.ClientError, OSError) as problem:
        raise ProviderError(scrub(f"{address}: {_name(problem)}", secret), retry=True) from None
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if status == HTTPStatus.OK and isinstance(body, dict) and not body.get("error"):
        # A server may send back the headers that it was sent.
        hidden: dict[str, Any] = hide(body, secret)
        return hidden
    said = _message(body) or raw[: 4 * _LONGEST_MESSAGE].decode("utf-8", "replace")
    if status == HTTPStatus.OK:
        said = said if body else f"the reply is not JSON: {said}"
        status = _code(body)
    text = scrub(" ".join(said.split()), secret)[:_LONGEST_MESSAGE]
    raise ProviderError(
        f"{address}: {f'{status} ' if status else ''}{text}",
        status=status or None,
        retry=status in _RETRIED,
        retry_after=wait,
        body=body if isinstance(body, dict) else None,
    )


_sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[aiohttp.ClientSession, AsyncIterator[Any]]] = (
    WeakKeyDictionary()
)


async def _session() -> aiohttp.ClientSession:
    """Give the running loop's session.

    A session cannot outlive its loop, and a process runs several, one for each ``eval()``. It lives in an asynchronous
    generator because closing those is the last thing that a loop does.
    """
    loop = asyncio.get_running_loop()
    held = _sessions.get(loop)
    if held is None:
        keeper = _open_session(loop)
        held = _sessions[loop] = (await anext(keeper), keeper)
    return held[0]


async def _open_session(loop: asyncio.AbstractEventLoop) -> AsyncIterator[aiohttp.ClientSession]:
    # No limit and no timeout here: connections and attempts are limited by the caller, who knows the run's options.
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    try:
        yield session
    finally:
        _sessions.pop(loop, None)
        await session.close()


def _name(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__


@cache
def _below(address: str, path: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


@cache
def _proxy(url: str) -> str | None:
    """Give the proxy that the environment names. aiohttp's own way would also read credentials from ~/.netrc."""
    parts = urlsplit(url)
    proxies = getproxies()
    if not proxies or not parts.hostname or proxy_bypass(parts.hostname):
        return None
    if parts.hostname in ("localhost", "127.0.0.1", "::1"):
        return None
    return proxies.get(parts.scheme)


def _message(body: Any) -> str:
    """Find the server's words in the forms that servers use."""
    error = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(error, str):
        return error
    if isinstance(error, dict):
        for key in ("message", "detail", "msg"):
            if error.get(key):
                return error[key] if isinstance(error[key], str) else json.dumps(error[key])
    return ""


def _code(body: Any) -> int:
    """Give the status that a server put into the body of a 200, or 0."""
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 0


def _seconds(text: str | None) -> float | None:
    """Read Retry-After: seconds or a date."""
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None
