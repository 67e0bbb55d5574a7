"""Texts to vectors, in this process without a network, or over an endpoint."""

import asyncio
import subprocess
import sys

import numpy as np
import pytest

from support.chat_server import ChatServer, text_vector
from tutorscope.models.embedders import embedder
from tutorscope.models.wire import ProviderError


def test_wordllama_gives_float32_vectors_that_mean_something():
    embed = embedder().embed
    vectors = asyncio.run(embed(["add the numbers", "sum the numbers", "a dog barked"]))
    assert vectors.shape == (3, 256)
    assert vectors.dtype == np.float32
    near, far = (np.dot(vectors[0], v) / np.linalg.norm(vectors[0]) / np.linalg.norm(v) for v in vectors[1:])
    assert near > 0.5 > far


def test_wordllama_makes_no_connection_and_writes_no_cache(tmp_path):
    code = (
        "import asyncio, socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "from tutorscope.models.embedders import embedder\n"
        "made = embedder()\n"
        "async def run():\n"
        "    socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "    return await made.embed(['hello'])\n"
        "print(asyncio.run(run()).shape)"
    )
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PATH": "", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.strip() == "(1, 256)", done.stderr
    assert not list(tmp_path.iterdir())


def test_no_text_gives_no_vectors():
    assert asyncio.run(embedder().embed([])).shape == (0, 256)


def test_an_endpoint_keeps_the_order_over_batches():
    texts = [f"text {number}" for number in range(300)]
    with ChatServer(models=["e5"]) as server:
        made = embedder(server.url)
        vectors = asyncio.run(made.embed(texts))
    assert made.identity == {"model": "e5"}
    assert [len(entry["body"]["input"]) for entry in server.asked] == [256, 44]
    assert np.array_equal(vectors, np.array([text_vector(text) for text in texts], np.float32))


def test_an_endpoint_is_asked_again_and_gets_its_header(monkeypatch):
    monkeypatch.setenv("EMBED_VARIABLE", "planted-0123456789")
    with ChatServer(faults={1: "429"}) as server:
        made = embedder(f"{server.url}#e5", ["Authorization=env:EMBED_VARIABLE"])
        assert asyncio.run(made.embed(["a", "b"])).shape == (2, 8)
    assert [entry["headers"]["Authorization"] for entry in server.asked] == ["Bearer planted-0123456789"] * 2


def test_an_endpoint_that_refuses_is_an_error():
    with ChatServer(faults={1: "401"}) as server, pytest.raises(ProviderError, match="401"):
        asyncio.run(embedder(f"{server.url}#e5").embed(["a"]))


def test_missing_vectors_are_an_error():
    class Short(ChatServer):
        async def _embeddings(self, request):
            from aiohttp import web

            await self._note(request)
            return web.json_response({"data": [{"index": 0, "embedding": [1.0]}]})

    with Short() as server, pytest.raises(ProviderError, match="1 vector for 2 texts"):
        asyncio.run(embedder(f"{server.url}#e5").embed(["a", "b"]))
