"""Python functions in a role: loaded by name, told what they serve, their faults named."""

import asyncio
import hashlib
import threading

import pytest

from tutorscope.errors import UserError
from tutorscope.models.functions import FunctionError, call_function, current, load_function, serving
from tutorscope.models.speakers import speakers
from tutorscope.models.speaking import NoReplyError, Reply, Usage


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a module of a name of its own into the working directory."""
    monkeypatch.chdir(tmp_path)
    count = iter(range(100))

    def write(code):
        name = f"written_{tmp_path.name.replace('-', '_')}_{next(count)}"
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        return name

    return write


def _call(name, messages=(), **serves):
    function = load_function("--tutor", name)
    return asyncio.run(call_function(function, list(messages), **{"session": None, "item": {}, **serves}))


def test_an_async_function_gets_messages_session_and_item(write):
    name = write("async def reply(messages, *, session, item):\n    return f'{messages[0]} {session} {item}'\n")
    assert _call(f"{name}:reply", ["m"], session="s", item={"id": 3}).text == "m s {'id': 3}"


def test_the_item_is_the_mapping_that_was_given(write):
    name = write("seen = []\ndef reply(messages, *, session, item):\n    seen.append(item)\n    return ''\n")
    item = {"id": "a"}
    _call(f"{name}:reply", item=item)
    import importlib

    assert importlib.import_module(name).seen[0] is item


def test_a_plain_function_runs_in_a_thread(write):
    name = write(
        "import threading\ndef reply(messages, *, session, item):\n    return threading.current_thread().name\n"
    )
    assert _call(f"{name}:reply").text != threading.main_thread().name


def test_plain_functions_run_side_by_side(write):
    name = write(
        "import threading\nall_here = threading.Barrier(60, timeout=20)\n"
        "def reply(messages, *, session, item):\n    all_here.wait()\n    return 'x'\n"
    )
    function = load_function("--tutor", f"{name}:reply")

    async def run():
        return await asyncio.gather(*(call_function(function, [], session=None, item={}) for _ in range(60)))

    assert len(asyncio.run(run())) == 60


def test_a_reply_is_passed_on(write):
    name = write(
        "from tutorscope.models.speaking import Reply, Usage\n"
        "def reply(messages, *, session, item):\n    return Reply('x', finish='length', usage=Usage(3, 4))\n"
    )
    assert _call(f"{name}:reply") == Reply("x", finish="length", usage=Usage(3, 4))


def test_a_callable_object_serves(write):
    name = write(
        "class Tutor:\n    stateful = True\n"
        "    async def __call__(self, messages, *, session, item):\n        return session\n"
        "reply = Tutor()\n"
    )
    assert load_function("--tutor", f"{name}:reply").stateful
    assert _call(f"{name}:reply", session="s7").text == "s7"


def test_identity_is_the_name_and_the_source(write, tmp_path):
    code = "def reply(messages, *, session, item):\n    return 'x'\n"
    name = write(code)
    [speaker] = speakers("tutor", [f"mine={name}:reply"])
    assert speaker.identity == {"model": f"{name}:reply", "source": hashlib.sha256(code.encode()).hexdigest()}
    assert not speaker.stateful


def test_a_function_of_another_file_hashes_both(write, tmp_path):
    inner = write("def reply(messages, *, session, item):\n    return 'x'\n")
    outer = write(f"from {inner} import reply\n")
    before = load_function("--tutor", f"{outer}:reply").source
    (tmp_path / f"{inner}.py").write_text("def reply(messages, *, session, item):\n    return 'y'\n", encoding="utf-8")
    assert load_function("--tutor", f"{outer}:reply").source != before


def test_statefulness_is_the_functions_own_word(write):
    name = write("async def reply(messages, *, session, item):\n    return ''\nreply.stateful = True\n")
    [speaker] = speakers("tutor", [f"{name}:reply"])
    assert speaker.stateful
    assert speaker.record()["stateful"] is True


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def other(messages, *, session, item):\n    return ''\n", "has no function 'reply'"),
        ("reply = 3\n", "has no function 'reply'"),
        ("def reply(messages):\n    return ''\n", r"expected reply\(messages, \*, session, item\)"),
        ("1 / 0\n", "raised ZeroDivisionError"),
        ("raise SystemExit(3)\n", "raised SystemExit"),
        ("import no_such_thing_here\n", "needs 'no_such_thing_here'"),
        ("def reply(:\n", "raised .*SyntaxError"),
    ],
)
def test_a_bad_module_is_one_helpful_line(write, code, says):
    name = write(code)
    with pytest.raises(UserError, match=says) as refused:
        load_function("--tutor", f"{name}:reply")
    assert str(refused.value).startswith("--tutor: ")
    assert "\n" not in str(refused.value)


def test_a_builtin_has_no_source():
    with pytest.raises(UserError, match=r"other arguments|no source"):
        load_function("--tutor", "math:sqrt")


def test_an_exception_names_the_line_and_hides_the_key(write, monkeypatch):
    monkeypatch.setenv("COMPANY_API_KEY", "planted-0123456789")
    name = write(
        "import os\n"
        "def ask(key):\n    raise RuntimeError(f'refused {key}')\n"
        "async def reply(messages, *, session, item):\n    return ask(os.environ['COMPANY_API_KEY'])\n"
    )
    with pytest.raises(FunctionError) as raised:
        _call(f"{name}:reply")
    assert str(raised.value) == f"{name}:reply raised RuntimeError: refused [secret] ({name}.py, line 3)"
    assert raised.value.__suppress_context__


@pytest.mark.parametrize("given", ["'sent ' + key", "Reply('sent ' + key, model=key, effective={'key': key})"])
def test_a_key_that_a_wrapped_server_sends_back_is_hidden(write, monkeypatch, given):
    monkeypatch.setenv("COMPANY_API_KEY", "planted-0123456789")
    name = write(
        "import os\nfrom tutorscope.models.speaking import Reply\n"
        f"def reply(messages, *, session, item):\n    key = os.environ['COMPANY_API_KEY']\n    return {given}\n"
    )
    reply = _call(f"{name}:reply")
    assert reply.text == "sent [secret]"
    assert "planted" not in str(reply)


@pytest.mark.parametrize("given", ["None", "3", "b'x'", "{'text': 'x'}"])
def test_what_is_no_reply_is_an_error(write, given):
    name = write(f"def reply(messages, *, session, item):\n    return {given}\n")
    with pytest.raises(FunctionError, match="expected str or Reply"):
        _call(f"{name}:reply")


def test_concurrent_calls_do_not_mix_what_they_serve():
    async def visit(number):
        with serving(f"s{number}", {"id": number}, role="tutor", draw=str(number), attempt=number):
            await asyncio.sleep(0.01 * (number % 3))
            return current()

    async def run():
        return await asyncio.gather(*(visit(number) for number in range(20)))

    for number, served in enumerate(asyncio.run(run())):
        assert (served.session, served.item, served.draw, served.attempt) == (
            f"s{number}",
            {"id": number},
            str(number),
            number,
        )
    assert current().session is None


def test_a_stateful_function_that_hangs_is_not_asked_twice(write):
    from tutorscope.models.asking import ask, connect
    from tutorscope.texts.messages import user

    name = write(
        "import asyncio\nasked = []\n"
        "async def reply(messages, *, session, item):\n    asked.append(1)\n    await asyncio.sleep(60)\n"
    )
    [speaker] = speakers("tutor", [f"{name}:reply"])

    async def run():
        model = connect(speaker, max_connections=1, attempt_timeout=1, max_retries=5)
        return await ask(model, speaker, [user("x")])

    with pytest.raises(RuntimeError, match="attempt_timeout"):
        asyncio.run(run())
    import importlib

    assert importlib.import_module(name).asked == [1]


def test_a_policy_is_told_by_its_three_parameters(write):
    name = write("async def teach(problem, dialogue, speak): return (await speak('tutor', dialogue)).text")
    function = load_function("--policy", f"{name}:teach", "policy", "reply")
    assert (function.form, function.asks) == ("policy", True)


def test_a_policy_that_never_names_speak_asks_nobody(write):
    name = write("async def teach(problem, dialogue, speak): return 'Try again.'")
    assert not load_function("--policy", f"{name}:teach", "policy").asks


def test_a_policy_that_hands_speak_on_asks(write):
    name = write("def teach(problem, dialogue, speak):\n    return [speak for _ in dialogue][0]('tutor', dialogue)")
    assert load_function("--policy", f"{name}:teach", "policy").asks


CANCELS = "import asyncio\ndef stop():\n    raise asyncio.CancelledError()\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("async def reply(messages, *, session, item):\n    stop()\n", "line 3"),
        ("def reply(messages, *, session, item):\n    stop()\n", "line 3"),
        (
            "async def reply(messages, *, session, item):\n    task = asyncio.ensure_future(asyncio.sleep(9))\n"
            "    task.cancel()\n    await task\n",
            "line 7",
        ),
    ],
    ids=["raised", "in a thread", "awaited"],
)
def test_a_cancellation_of_its_own_is_an_error_with_its_place(write, body, said):
    name = write(CANCELS + body)
    with pytest.raises(FunctionError) as raised:
        _call(f"{name}:reply")
    assert str(raised.value) == (
        f"{name}:reply raised asyncio.exceptions.CancelledError ({name}.py, {said}): something that it waited for was "
        "cancelled"
    )


def test_a_cancellation_from_outside_goes_through(write):
    name = write("import asyncio\nasync def reply(messages, *, session, item):\n    await asyncio.sleep(60)\n")
    function = load_function("--tutor", f"{name}:reply")

    async def run():
        task = asyncio.create_task(call_function(function, [], session=None, item={}))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


@pytest.mark.parametrize(
    "body",
    [
        "return (await speak('tutor', [])).text",
        "\n    async with asyncio.TaskGroup() as group:\n        group.create_task(speak('tutor', []))\n    return 'x'",
    ],
    ids=["alone", "in a group"],
)
def test_a_policy_is_not_blamed_for_a_model_that_gave_no_reply(write, body):
    name = write(f"import asyncio\nasync def teach(problem, dialogue, speak):\n    {body}\n")
    function = load_function("--policy", f"{name}:teach", "policy")

    async def no_reply(role, messages):
        raise NoReplyError("the server is away")

    with pytest.raises((NoReplyError, ExceptionGroup)) as raised:
        asyncio.run(call_function(function, {}, [], no_reply))
    found = raised.value
    assert (found if isinstance(found, NoReplyError) else found.exceptions[0]).args == ("the server is away",)


def test_what_a_group_of_tasks_raised_is_named(write):
    name = write(
        "import asyncio\nasync def fails():\n    return {}['wizard']\n"
        "async def reply(messages, *, session, item):\n"
        "    async with asyncio.TaskGroup() as group:\n        group.create_task(fails())\n    return 'x'\n"
    )
    with pytest.raises(FunctionError, match=rf"{name}:reply raised KeyError: 'wizard' \({name}\.py, line 3\)"):
        _call(f"{name}:reply")


def test_what_is_no_reply_is_named_with_its_function(write):
    name = write("\n\ndef reply(messages, *, session, item):\n    pass\n")
    with pytest.raises(FunctionError) as raised:
        _call(f"{name}:reply")
    assert str(raised.value) == f"{name}:reply gave None; expected str or Reply ({name}.py, line 3)"


def test_a_long_message_keeps_its_place_and_no_part_of_a_secret(write, monkeypatch):
    monkeypatch.setenv("COMPANY_API_KEY", "planted-0123456789")
    name = write(
        "import os\ndef reply(messages, *, session, item):\n"
        "    raise ValueError('x' * 180 + os.environ['COMPANY_API_KEY'] + 'y' * 900)\n"
    )
    with pytest.raises(FunctionError) as raised:
        _call(f"{name}:reply")
    assert str(raised.value).endswith(f"({name}.py, line 3)")
    assert "planted" not in str(raised.value)
