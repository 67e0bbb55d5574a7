"""The embedded model itself: same text, stopped when told, never over its context."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from tutorscope.errors import UserError
from tutorscope.models.asking import ask, connect
from tutorscope.models.replies import TooLongError, dropped
from tutorscope.models.speakers import speakers
from tutorscope.models.weights import installed_weights
from tutorscope.texts.messages import system, user

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.skipif(
        installed_weights() is None, reason="no embedded weights; run: tutorscope models install-embedded"
    ),
]

# More than 100 tokens, where an unpinned llama.cpp gives another text from call to call.
LONG = "Here is what I did so far: I added the tops and the bottoms of one half and one third and got two fifths. " * 5

ASK = """
import asyncio, json, sys
from tutorscope.models.asking import ask, connect
from tutorscope.models.speakers import speakers
from tutorscope.texts.messages import system, user
[speaker] = speakers("tutor", ["embedded"])
async def main():
    model = connect(speaker, max_connections=4, attempt_timeout=60, max_retries=0)
    asked = [ask(model, speaker, [system("You tutor."), user(text)], settings={"temperature": 0.9, "max_tokens": 12},
             seed=seed) for text, seed in json.loads(sys.argv[1])]
    print(json.dumps([reply.text for reply in await asyncio.gather(*asked)]))
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def tutor():
    [speaker] = speakers("tutor", ["embedded"])
    return speaker, connect(speaker, max_connections=4, attempt_timeout=1, max_retries=3)


def _ask(tutor, text, **options):
    speaker, model = tutor
    return asyncio.run(ask(model, speaker, [system("You tutor."), user(text)], **options))


def _texts_in_a_process(*asked):
    done = subprocess.run([sys.executable, "-c", ASK, json.dumps(asked)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_same_text_alone_in_a_crowd_and_in_another_process(tutor):
    settings = {"temperature": 0.9, "max_tokens": 12}
    assert len(LONG.split()) > 100
    alone = [_ask(tutor, text, settings=settings, seed=seed).text for text, seed in ((LONG, 1), ("Is 7 prime?", 2))]
    crowd = _texts_in_a_process(("Something else first.", 9), (LONG, 1), ("Is 7 prime?", 2), ("Is 7 prime?", 3))
    assert crowd[1:3] == alone
    assert crowd[3] != alone[1]


def test_settings_are_used_counted_and_told(tutor):
    reply = _ask(tutor, "Count to fifty.", settings={"temperature": 0, "max_tokens": 6, "verbosity": "low"}, seed=3)
    assert reply.finish == "length"
    assert reply.usage.output == 6
    assert reply.usage.input > 5
    assert reply.model == "SmolLM2-135M-Instruct.Q4_1"
    assert reply.effective["cache_prompt"] is False
    assert reply.effective["threads"] >= 1
    assert dropped(reply.requested, reply.effective) == ("verbosity",)


def test_a_prompt_longer_than_the_context_names_both_lengths(tutor):
    with pytest.raises(TooLongError, match=r"the prompt has 90\d\d tokens, .* takes 8192"):
        _ask(tutor, "word " * 9000)


def test_a_reply_is_held_to_a_schema(tutor):
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}},
        "required": ["score"],
        "additionalProperties": False,
    }
    reply = _ask(tutor, "How good is it, from 1 to 5?", schema=schema, settings={"max_tokens": 40}, seed=1)
    assert json.loads(reply.text)["score"] in range(1, 6)
    assert reply.effective["schema"] is True


def test_the_faster_mode_reads_a_shared_beginning_once(tutor):
    [fast] = speakers("tutor", ["embedded"], settings=["cache_prompt=true"])
    model = connect(fast, max_connections=1, attempt_timeout=1, max_retries=0)

    async def run():
        for number in range(2):
            reply = await ask(model, fast, [system(LONG), user(f"Question {number}?")], settings={"max_tokens": 2})
        return reply

    reply = asyncio.run(run())
    assert reply.usage.cached > 100
    assert reply.effective["cache_prompt"] is True
    # The careful mode is not touched by what the faster one has cached.
    assert _ask(tutor, LONG, settings={"max_tokens": 2}).usage.cached == 0


@pytest.mark.parametrize("text", [LONG * 8, "Write a long story."], ids=["reading", "writing"])
def test_a_cancelled_call_stops_and_frees_the_model(tutor, text):
    speaker, model = tutor

    async def run():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                # Without a seed it now and then has no more to say than a line.
                await ask(model, speaker, [user(text)], settings={"max_tokens": 2000}, seed=1)
        # The next call waits for the stopped one to let go: the whole of it would take minutes.
        async with asyncio.timeout(60):
            return await ask(model, speaker, [user("Hi")], settings={"max_tokens": 1})

    _ask(tutor, "Hi", settings={"max_tokens": 1})
    assert asyncio.run(run()).text


def test_control_c_ends_the_process_without_waiting_for_the_reply():
    process = subprocess.Popen(
        [sys.executable, "-c", ASK.replace('"max_tokens": 12', '"max_tokens": 4000'), json.dumps([(LONG * 8, 1)] * 3)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts what it sends to the background deaf to Control-C, and children take that over.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    # Until it has read the weights and begun: then about a second into the prompt.
    time.sleep(1)
    while process.poll() is None and _cpu_seconds(process.pid) < 5:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode


def test_same_text_beside_a_busy_core(tutor):
    settings = {"temperature": 0, "max_tokens": 24}
    quiet = _ask(tutor, "Name some prime numbers.", settings=settings, seed=1).text
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        beside = _ask(tutor, "Name some prime numbers.", settings=settings, seed=1).text
    finally:
        busy.kill()
        busy.wait()
    assert beside == quiet


def test_the_open_port_lets_nobody_in(tutor):
    _ask(tutor, "Hi", settings={"max_tokens": 1})
    address = tutor[1].api.engine._server.listening_address
    assert address.startswith("http://127.0.0.1:")
    for path, data in (("/v1/chat/completions", b"{}"), ("/slots", None), ("/props", None)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(address + path, data), timeout=5)
        assert refused.value.code in (401, 403, 404, 501)


def test_a_file_that_llama_cannot_load_is_an_error(tmp_path):
    from tutorscope.models.embedded import EmbeddedError

    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    [speaker] = speakers("tutor", [f"embedded:{tmp_path / 'broken.gguf'}"])
    model = connect(speaker, max_connections=1, attempt_timeout=5, max_retries=0)
    with pytest.raises(EmbeddedError, match="cannot load this file"):
        asyncio.run(ask(model, speaker, [user("Hi")]))


def _cpu_seconds(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.embedded
def test_weights_that_were_replaced_since_the_run_began_are_refused() -> None:
    if installed_weights() is None:
        pytest.skip("the embedded model's weights are not installed")
    (speaker,) = speakers("judge", ["embedded"])
    changed = replace(speaker, identity={**speaker.identity, "weights": "0" * 64}, named=False)
    with pytest.raises(UserError, match="holds the weights"):
        connect(changed, max_connections=1, attempt_timeout=10, max_retries=0)
