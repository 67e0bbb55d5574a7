"""The thin provider against a real server: what is sent, what comes back, what is asked again."""

import asyncio
import gc
import warnings

import pytest

from support.chat_server import ChatServer
from tutorscope.models import wire
from tutorscope.models.asking import ask, connect
from tutorscope.models.replies import TooLongError, dropped
from tutorscope.models.speakers import speakers
from tutorscope.models.speaking import Usage
from tutorscope.models.wire import EmptyChoicesError, ProviderError
from tutorscope.texts.messages import system, user

SECRET = "planted-0123456789"
HELLO = [system("You tutor."), user("What is 7 + 5?")]


def ask_server(server, messages=HELLO, *, times=1, speaker_options=None, retries=2, attempt_timeout=5, **options):
    """Ask a server through Inspect, as runs do; the last reply counts."""
    [speaker] = speakers("tutor", [f"{server.url}#test-model"], **(speaker_options or {}))

    async def run():
        model = connect(speaker, max_connections=10, attempt_timeout=attempt_timeout, max_retries=retries)
        for _ in range(times):
            reply = await ask(model, speaker, messages, **options)
        return reply

    return asyncio.run(run())


def test_settings_and_messages_are_sent_as_they_are():
    with ChatServer(lambda messages: "12") as server:
        reply = ask_server(
            server,
            settings={"temperature": 0.3, "max_tokens": 9, "stop_seqs": ["END"], "top_k": 5},
            seed=11,
            speaker_options={"settings": ["temperature=0.7", 'extra_body={"enable_thinking": false}']},
        )
    sent = {
        "model": "test-model",
        "messages": HELLO,
        "temperature": 0.7,
        "max_tokens": 9,
        "stop": ["END"],
        "top_k": 5,
        "seed": 11,
        "enable_thinking": False,
    }
    assert server.bodies == [sent]
    assert (reply.text, reply.finish, reply.model) == ("12", "stop", "test-model")
    assert reply.usage == Usage(input=7, output=1)
    assert reply.requested["temperature"] == 0.7
    assert dropped(reply.requested, reply.effective) == ()
    assert reply.seconds > 0


def test_the_users_own_prompt_is_the_whole_system_message(tmp_path):
    (tmp_path / "mine.md").write_text("Only ask questions.", encoding="utf-8")
    with ChatServer() as server:
        ask_server(server, speaker_options={"systems": [str(tmp_path / "mine.md")]})
    assert server.bodies[0]["messages"] == [system("Only ask questions."), user("You tutor.\n\nWhat is 7 + 5?")]


def test_a_schema_becomes_a_response_format():
    schema = {"type": "object", "properties": {"score": {"type": "integer", "minimum": 1}}, "required": ["score"]}
    with ChatServer(lambda messages: '{"score": 3}') as server:
        reply = ask_server(server, schema=schema)
    assert server.bodies[0]["response_format"]["json_schema"]["schema"] == schema
    assert reply.effective["schema"] is True


def test_thinking_stays_out_of_the_text():
    said = {"content": "Try again.", "reasoning_content": "The sum is 12."}
    with ChatServer(lambda messages: said) as server:
        assert ask_server(server).text == "Try again."
    with ChatServer(lambda messages: "<think>The sum is 12.</think>\n\nTry again.") as server:
        assert ask_server(server).text == "Try again."


@pytest.mark.parametrize(
    ("said", "finish"),
    [("length", "length"), ("content_filter", "filter"), ("eos", "stop"), (None, "unknown"), ("odd", "unknown")],
)
def test_finish_reasons(said, finish):
    with ChatServer(lambda messages: {"content": "x", "finish_reason": said}) as server:
        assert ask_server(server).finish == finish


def test_usage_counts_cached_and_reasoning_tokens():
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    with ChatServer(lambda messages: {"content": "x", "usage": usage, "model": "served-2026"}) as server:
        reply = ask_server(server)
    assert reply.usage == Usage(input=100, output=30, cached=64, reasoning=20)
    assert reply.model == "served-2026"


def test_a_rejected_setting_is_left_out_and_shown_as_dropped():
    with ChatServer(rejects=["temperature", "seed"]) as server:
        reply = ask_server(server, settings={"temperature": 0.3, "max_tokens": 9}, seed=4, times=2)
    assert dropped(reply.requested, reply.effective) == ("temperature", "seed")
    # The second call does not try them again.
    assert [sorted(set(body) - {"model", "messages"}) for body in server.bodies] == [
        ["max_tokens", "seed", "temperature"],
        ["max_tokens", "seed"],
        ["max_tokens"],
        ["max_tokens"],
    ]


def test_max_tokens_goes_under_its_newer_name_where_the_server_says_so():
    class Newer(ChatServer):
        async def _chat(self, request):
            from support.chat_server import _error

            if "max_tokens" in await request.json():
                await self._note(request)
                said = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
                return _error(400, said, "max_tokens")
            return await super()._chat(request)

    with Newer() as server:
        reply = ask_server(server, settings={"max_tokens": 9})
    assert server.bodies[-1]["max_completion_tokens"] == 9
    assert reply.effective["max_tokens"] == 9
    assert dropped(reply.requested, reply.effective) == ()


def test_a_full_and_a_failing_server_are_asked_again():
    with ChatServer(faults={1: "429", 2: "500"}) as server:
        reply = ask_server(server, retries=3)
    assert reply.text.startswith("reply")
    assert len(server.bodies) == 3


@pytest.mark.parametrize("fault", ["cut", "drop"])
def test_a_broken_connection_is_asked_again(fault):
    with ChatServer(faults={1: fault}) as server:
        assert ask_server(server).text.startswith("reply")
    assert len(server.bodies) == 2


def test_a_hanging_attempt_is_cut_and_made_again():
    with ChatServer(faults={1: "hang"}) as server:
        assert ask_server(server, attempt_timeout=3).text.startswith("reply")
    assert len(server.bodies) == 2


@pytest.mark.parametrize("fault", ["400", "401", "garbage"])
def test_a_refusal_is_not_asked_again(fault):
    with ChatServer(faults=lambda number, body: fault) as server, pytest.raises(ProviderError):
        ask_server(server)
    assert len(server.bodies) == 1


def test_retries_end():
    with ChatServer(faults=lambda number, body: "429") as server, pytest.raises(ProviderError, match="429 Rate limit"):
        ask_server(server, retries=2)
    assert len(server.bodies) == 3


def test_empty_choices_are_an_error_by_name():
    with ChatServer(faults={1: "empty"}) as server, pytest.raises(EmptyChoicesError, match="without choices"):
        ask_server(server)


def test_an_error_inside_a_200_is_an_error():
    def reply(messages):
        raise AssertionError

    class Wrapped(ChatServer):
        async def _chat(self, request):
            from aiohttp import web

            await self._note(request)
            return web.json_response({"error": {"message": "upstream is down", "code": 502}})

    with Wrapped(reply) as server, pytest.raises(ProviderError, match="502 upstream is down") as raised:
        ask_server(server, retries=0)
    assert raised.value.retry


def test_a_prompt_longer_than_the_context_is_an_error_by_name():
    class Small(ChatServer):
        async def _chat(self, request):
            from support.chat_server import _error

            await self._note(request)
            return _error(400, "This model's maximum context length is 8 tokens, your messages have 12.")

    with Small() as server, pytest.raises(TooLongError, match=r"8 tokens.*12"):
        ask_server(server)


def test_the_key_is_sent_and_never_told(monkeypatch, caplog, capfd):
    monkeypatch.setenv("PLANTED_VARIABLE", SECRET)
    options = {"headers": ["Authorization=env:PLANTED_VARIABLE"]}
    with ChatServer(faults={2: "401"}) as server:
        ask_server(server, speaker_options=options)
        with pytest.raises(ProviderError) as raised:
            ask_server(server, speaker_options=options)
    assert [entry["headers"]["Authorization"] for entry in server.asked] == [f"Bearer {SECRET}"] * 2
    # The server's 401 quotes the key: the error does not.
    assert "Incorrect API key provided" in str(raised.value)
    told = "".join(f"{error} {error.args}" for error in _chain(raised.value))
    assert SECRET not in told + caplog.text + "".join(capfd.readouterr())


def test_a_header_that_a_server_sends_back_is_hidden_wherever_it_stands(monkeypatch):
    monkeypatch.setenv("PLANTED_VARIABLE", SECRET)
    half = len(SECRET) // 2
    parts = [{"text": f"You sent {SECRET[:half]}"}, {"text": f"{SECRET[half:]}."}]
    said = {"content": parts, "reasoning_content": f"{SECRET} it was", "model": f"m-{SECRET}"}
    with ChatServer(lambda messages: {**said, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}) as server:
        reply = ask_server(server, speaker_options={"headers": ["X-Secret=env:PLANTED_VARIABLE"]})
    assert (reply.text, reply.model) == ("You sent [secret].", "m-[secret]")
    assert SECRET not in str(reply)


def test_a_variable_that_vanished_is_one_line(monkeypatch):
    from tutorscope.errors import UserError

    monkeypatch.setenv("PLANTED_VARIABLE", SECRET)
    [speaker] = speakers("tutor", ["http://h/v1#m"], headers=["X-Key=env:PLANTED_VARIABLE"])
    monkeypatch.delenv("PLANTED_VARIABLE")
    with pytest.raises(UserError, match="'PLANTED_VARIABLE' is not set"):
        connect(speaker, max_connections=1, attempt_timeout=5, max_retries=0)


def test_a_redirect_is_not_followed():
    class Moved(ChatServer):
        async def _chat(self, request):
            from aiohttp import web

            await self._note(request)
            raise web.HTTPTemporaryRedirect("http://127.0.0.1:9/elsewhere")

    with Moved() as server, pytest.raises(ProviderError, match="307"):
        ask_server(server)


def test_each_event_loop_has_a_session_that_is_closed_with_it():
    with ChatServer() as server, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            ask_server(server, times=2)
            assert not wire._sessions
        gc.collect()
    assert len(server.bodies) == 6
    assert not [str(w.message) for w in seen if "nclosed" in str(w.message)]


def test_many_calls_share_a_few_connections():
    async def run(server, speaker):
        model = connect(speaker, max_connections=20, attempt_timeout=5, max_retries=0)
        replies = await asyncio.gather(*(ask(model, speaker, [user(f"number {i}")]) for i in range(100)))
        return [reply.text for reply in replies]

    with ChatServer(lambda messages: messages[-1]["content"].split()[-1], delay=0.01) as server:
        [speaker] = speakers("tutor", [f"{server.url}#test-model"])
        said = asyncio.run(run(server, speaker))
    assert said == [str(i) for i in range(100)]


def test_lone_surrogates_survive():
    with ChatServer() as server:
        ask_server(server, [user("half \ud83d a pair")])
    assert server.bodies[0]["messages"][0]["content"] == "half \ud83d a pair"


def _chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
