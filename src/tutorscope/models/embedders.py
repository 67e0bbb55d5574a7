"""Texts to vectors: the role "embedder"."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from tutorscope.models.speakers import Speaker, speakers
from tutorscope.models.wire import ProviderError, post_json
from tutorscope.texts.words import counted

Vectors = NDArray[np.float32]

_BATCH = 256
_RETRIES = 6
_ATTEMPT_SECONDS = 120.0


@dataclass(frozen=True)
class Embedder:
    """What makes vectors of texts.

    Parameters
    ----------
    name : str
        The name in reports.
    identity : mapping
        What decides whether two are the same: the model and its weights by hash, never an address.
    embed : callable
        ``await embed(texts)`` gives a float32 array of shape (len(texts), dimensions).
    """

    name: str
    identity: Mapping[str, str]
    embed: Callable[[Sequence[str]], Awaitable[Vectors]]


def embedder(spec: str = "wordllama", headers: Sequence[str] = ()) -> Embedder:
    """Make an embedder from its spec, as ``speakers("embedder", ...)`` reads it.

    Parameters
    ----------
    spec : str
        ``wordllama`` (small, in this process, its weights lie in its package) or ``http://host/v1#MODEL``, an
        OpenAI-compatible embeddings endpoint.
    headers : sequence of str
        ``HEADER=env:VARIABLE``, for an endpoint.

    Raises
    ------
    UserError
        Another spec, a credential outside an environment variable, a package or server that is not there.
    """
    [speaker] = speakers("embedder", [spec], headers=headers)
    if speaker.kind == "embedded":
        return Embedder(speaker.name, speaker.identity, _embed_wordllama)

    async def embed(texts: Sequence[str]) -> Vectors:
        starts = range(0, len(texts), _BATCH)
        parts = [await _embed_batch(speaker, texts[start : start + _BATCH]) for start in starts]
        return np.concatenate(parts) if parts else np.empty((0, 0), np.float32)

    return Embedder(speaker.name, speaker.identity, embed)


async def _embed_wordllama(texts: Sequence[str]) -> Vectors:
    model = await anyio.to_thread.run_sync(_wordllama)
    if not texts:
        return np.empty((0, model.embedding.shape[1]), np.float32)
    vectors = await anyio.to_thread.run_sync(lambda: model.embed(list(texts)))
    return np.asarray(vectors, np.float32)


@cache
def _wordllama() -> Any:
    import wordllama

    # Named like this it takes the weights in its package; else it looks into a cache and then downloads.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


async def _embed_batch(speaker: Speaker, texts: Sequence[str]) -> Vectors:
    body = {"model": speaker.identity["model"], "input": list(texts), "encoding_format": "float"}
    for attempt in range(_RETRIES + 1):
        try:
            async with asyncio.timeout(_ATTEMPT_SECONDS):
                answer = await post_json(speaker.address, "/embeddings", body, speaker.headers)
            break
        except (ProviderError, TimeoutError) as problem:
            last = attempt == _RETRIES or (isinstance(problem, ProviderError) and not problem.retry)
            if last:
                raise
            asked = problem.retry_after if isinstance(problem, ProviderError) else None
            await asyncio.sleep(min(asked if asked is not None else 2.0**attempt, 60.0) + random.uniform(0, 0.1))
    entries = sorted(answer.get("data") or [], key=lambda entry: entry.get("index", 0))
    vectors = [entry.get("embedding") for entry in entries]
    if len(vectors) != len(texts) or len({len(vector or ()) for vector in vectors}) > 1:
        raise ProviderError(
            f"{speaker.address}: {counted(len(vectors), 'vector')} for {counted(len(texts), 'text')}, or of unequal "
            "length"
        )
    return np.asarray(vectors, np.float32)
