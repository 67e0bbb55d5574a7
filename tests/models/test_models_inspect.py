"""Inspect's own providers through our door, and all kinds of speakers inside a real eval."""

import asyncio
import sys

import pytest

from support.chat_server import ChatServer
from tutorscope.errors import UserError
from tutorscope.models.asking import ScrubbedError, ask, connect
from tutorscope.models.functions import serving
from tutorscope.models.replies import dropped
from tutorscope.models.speakers import speakers
from tutorscope.texts.messages import user

SECRET = "planted-0123456789"


def _connect(speaker, **options):
    return connect(speaker, **{"max_connections": 4, "attempt_timeout": 10, "max_retries": 1, **options})


async def _asked(speaker, messages, **how):
    # A client is closed in the loop that opened its connections.
    async with _connect(speaker) as model:
        return await ask(model, speaker, messages, **how)


def echoed(messages):
    return f"You sent <{SECRET}>"


@pytest.fixture
def compatible(monkeypatch):
    """Inspect's own OpenAI-compatible provider, pointed at a server of ours."""
    with ChatServer(echoed, faults=lambda number, body: "401" if "refuse" in str(body) else None) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.url)
        monkeypatch.setenv("LOCAL_API_KEY", SECRET)
        [speaker] = speakers("tutor", ["openai-api/local/test-model"])
        yield server, speaker


def test_inspects_provider_tells_what_it_sent(compatible):
    server, speaker = compatible
    settings = {"temperature": 0.4, "top_k": 3}
    reply = asyncio.run(_asked(speaker, [user("hello")], settings=settings, seed=2))
    assert server.bodies[0]["temperature"] == 0.4
    assert reply.effective["temperature"] == 0.4
    assert dropped(reply.requested, reply.effective) == ("top_k",)
    assert "top_k" not in server.bodies[0]


def test_inspects_provider_keeps_the_key_out_of_its_error(compatible):
    server, speaker = compatible
    with pytest.raises(ScrubbedError) as raised:
        asyncio.run(_asked(speaker, [user("please refuse")]))
    assert SECRET in server.asked[0]["headers"]["Authorization"]
    assert "Incorrect API key provided: Bearer [secret]" in str(raised.value)
    assert raised.value.auth
    assert not raised.value.retry


def test_inspects_mock_needs_no_tokenizer():
    [speaker] = speakers("tutor", ["mockllm/model"])
    reply = asyncio.run(_asked(speaker, [user("x" * 400)], settings={"temperature": 0.4}))
    assert reply.usage.input == 100
    assert dropped(reply.requested, reply.effective) == ("temperature",)


def test_credentials_in_an_address_from_the_environment_are_refused(monkeypatch):
    monkeypatch.setenv("LOCAL_BASE_URL", f"http://ann:{SECRET}@127.0.0.1:9/v1")
    monkeypatch.setenv("LOCAL_API_KEY", "unused-key")
    [speaker] = speakers("tutor", ["openai-api/local/test-model"])
    with pytest.raises(UserError, match="user name or password") as refused:
        _connect(speaker)
    assert SECRET not in str(refused.value)


def test_a_missing_key_is_one_line(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    [speaker] = speakers("tutor", ["openai/gpt-5-mini"])
    with pytest.raises(UserError, match="OPENAI_API_KEY") as refused:
        _connect(speaker)
    assert "\n" not in str(refused.value)


def test_all_kinds_in_one_eval_and_no_key_in_the_log(tmp_path, monkeypatch, compatible):
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import get_model
    from inspect_ai.solver import solver

    monkeypatch.chdir(tmp_path)
    (tmp_path / "kinds_of_tutor.py").write_text(
        "async def reply(messages, *, session, item):\n    return f'{item[\"id\"]} {session}'\n"
        "def script(role, messages, draw, attempt):\n    return f'{role} {draw} {attempt}'\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PLANTED_VARIABLE", SECRET)
    server, judge = compatible
    [tutor] = speakers("tutor", ["kinds_of_tutor:reply"])
    [builder] = speakers("builder", ["scripted:kinds_of_tutor:script"])
    [student] = speakers("student", [f"{server.url}#test-model"], headers=["Authorization=env:PLANTED_VARIABLE"])
    roles = {"tutor": tutor, "builder": builder, "student": student, "judge": judge}

    unvisited = {"one", "refuse"}

    @solver
    def visit():
        async def solve(state, generate):
            for role, speaker in roles.items():
                with serving("s1", {"id": state.sample_id}, role=role, draw="d", attempt=2):
                    try:
                        model = get_model(role=role, required=True)
                        reply = await ask(model, speaker, [user(str(state.sample_id))], settings={"max_tokens": 5})
                        state.store.set(role, reply.record())
                    except Exception as problem:
                        state.store.set(role, str(problem))
            unvisited.remove(state.sample_id)
            if not unvisited:
                await get_model(role="judge", required=True).api.aclose()
            return state

        return solve

    log = inspect_eval(
        Task(
            dataset=[Sample("x", id="one"), Sample("x", id="refuse")],
            solver=visit(),
            model_roles={role: _connect(speaker) for role, speaker in roles.items()},
        ),
        model=None,
        display="none",
        log_dir=str(tmp_path / "logs"),
        log_realtime=False,
        log_buffer=1,
        max_connections=4,
    )[0]
    one, refused = (sample.store for sample in read_eval_log(log.location).samples)
    assert one["tutor"]["text"] == "one s1"
    assert one["tutor"]["effective"] == {}
    assert one["builder"]["text"] == "builder d 2"
    assert one["student"]["effective"] == {"model": "test-model", "max_tokens": 5}
    assert one["judge"]["usage"]["input"] == 1
    assert one["student"]["text"] == one["judge"]["text"] == "You sent <[secret]>"
    assert "[secret]" in refused["student"]
    assert "[secret]" in refused["judge"]
    assert all(SECRET in entry["headers"]["Authorization"] for entry in server.asked)
    log_text = read_eval_log(log.location).model_dump_json()
    assert "Incorrect API key provided" in log_text
    assert SECRET not in log_text
    for file in (tmp_path / "logs").rglob("*"):
        assert SECRET.encode() not in file.read_bytes()


def test_registering_providers_loads_no_client():
    import subprocess

    code = (
        "import sys, tutorscope.models.providers\n"
        "print([m for m in ('aiohttp', 'xllamacpp', 'openai', 'pandas', 'wordllama') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
