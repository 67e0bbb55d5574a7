"""A Python function in a role: ``module:function``, from the user's working directory.

The contract, ten lines of which wrap any endpoint::

    async def reply(messages, *, session, item) -> str | Reply:
        ...

``messages`` is a list of ``{"role", "content"}``; ``session`` is the session's id for a function that says
``reply.stateful = True`` (else None); ``item`` is what the role may see of the item, in most instruments with its id.
A plain function runs in a thread. An exception is an erred unit.

A function may also be a whole policy, over a tutor model or over none::

    async def policy(problem, dialogue, speak) -> str | Reply:
        ...

``problem`` is what a tutor may see of it, ``dialogue`` the talk so far as the tutor's messages, and
``await speak("tutor", messages)`` asks the tutor model. One that never names ``speak`` asks nobody.
"""

from __future__ import annotations

import asyncio
import dis
import hashlib
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import anyio
import anyio.to_thread

from tutorscope.errors import UserError
from tutorscope.models.credentials import hide, scrub
from tutorscope.models.speaking import NoReplyError, Reply
from tutorscope.texts.messages import Message
from tutorscope.texts.plain import shorten

Form = Literal["reply", "scripted", "policy"]

# What each form is called with, and how messages write it.
_CALLED: dict[Form, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "reply": (([],), {"session": None, "item": {}}, "(messages, *, session, item)"),
    "scripted": (("tutor", [], "draw", 0), {}, "(role, messages, draw, attempt)"),
    "policy": (({}, [], None), {}, "(problem, dialogue, speak)"),
}

_LONGEST = 200


class FunctionError(Exception):
    """A function raised, or gave something that is no reply. The text names where and is free of secrets."""


@dataclass(frozen=True)
class LoadedFunction:
    """A function that a user named.

    Parameters
    ----------
    spec : str
        ``module:function``.
    call : callable
        The function.
    source : str
        sha256 of the source file of the module, and of the file that defines the function if that is another.
    stateful : bool
        The function's own ``stateful`` attribute.
    form : {"reply", "scripted", "policy"}
        What it is called with.
    """

    spec: str
    call: Callable[..., Any]
    source: str
    stateful: bool
    form: Form = "reply"

    @property
    def asks(self) -> bool:
        """Whether a policy asks a tutor model: whether its code names its third parameter at all."""
        call = inspect.unwrap(self.call)
        if self.form != "policy":
            return False
        if not inspect.isfunction(call):
            return True
        speak = list(inspect.signature(call).parameters)[2]
        inner = [call.__code__, *(c for c in call.__code__.co_consts if inspect.iscode(c))]
        return any(
            speak == step.argval or (isinstance(step.argval, tuple) and speak in step.argval)
            for code in inner
            for step in dis.get_instructions(code)
        )


@dataclass(frozen=True)
class Serving:
    """What a call serves: told to functions, which Inspect knows nothing about."""

    session: str | None = None
    item: Mapping[str, Any] = field(default_factory=dict)
    role: str = ""
    draw: str = ""
    attempt: int = 0


_now: ContextVar[Serving | None] = ContextVar("tutorscope_serving", default=None)


@contextmanager
def serving(
    session: str | None, item: Mapping[str, Any], *, role: str = "", draw: str = "", attempt: int = 0
) -> Iterator[None]:
    """Tell a function which session, item, role and draw its next call serves. Concurrent calls do not mix.

    Parameters
    ----------
    session : str or None
        The session's id, for a stateful function.
    item : mapping
        Handed on as it is: never answers, keys, verdicts or rubrics.
    role, draw, attempt
        Told to scripted models.
    """
    token = _now.set(Serving(session, item, role, draw, attempt))
    try:
        yield
    finally:
        _now.reset(token)


def current() -> Serving:
    """Give what the running call serves."""
    return _now.get() or Serving()


def load_function(option: str, spec: str, *forms: Form) -> LoadedFunction:
    """Import a function that the user named.

    Parameters
    ----------
    option : str
        The option's name, for messages.
    spec : str
        ``module:function``. The working directory is importable.
    *forms : {"reply", "scripted", "policy"}
        What it may be called with: the first that it takes (default "reply").

    Raises
    ------
    UserError
        The module or function is not there, the import raised, the function takes other arguments, or the module has
        no source file.
    """
    module_name, _, name = spec.partition(":")
    module = _import(option, spec, module_name)
    function = getattr(module, name, None)
    if not callable(function):
        raise UserError(f"{option}: {module_name!r} has no function {name!r}; expected module:function")
    form = next((form for form in forms or ("reply",) if _takes(function, form)), None)
    if form is None:
        expected = " or ".join(name + _CALLED[one][2] for one in forms or ("reply",))
        raise UserError(f"{option}: {spec} takes other arguments; expected {expected}")
    stateful = bool(getattr(function, "stateful", False))
    return LoadedFunction(spec, function, _source(option, spec, module, function), stateful, form)


async def call_function(function: LoadedFunction, *arguments: Any, **named: Any) -> Reply:
    """Call a function and check what it gives. A plain function runs in a thread.

    Raises
    ------
    FunctionError
        It raised, or gave neither a text nor a Reply.
    NoReplyError
        A model that it asked gave no reply, and it let that pass.

    Returns
    -------
    Reply
        Free of the values of secret variables: a wrapped server may send back what it was sent.
    """
    call = function.call
    try:
        if inspect.iscoroutinefunction(inspect.unwrap(call)) or inspect.iscoroutinefunction(getattr(call, "__call__")):  # noqa: B004,B009
            given = await call(*arguments, **named)
        else:
            # Its own limiter: the shared one holds 40 threads, and connections are limited elsewhere.
            given = await anyio.to_thread.run_sync(
                lambda: call(*arguments, **named), abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1)
            )
            if isinstance(given, Awaitable):
                given = await given
    except NoReplyError:
        raise
    except (Exception, SystemExit) as problem:
        if isinstance(problem, ExceptionGroup) and (unanswered := problem.subgroup(NoReplyError)):
            raise unanswered from None
        raise FunctionError(f"{function.spec} raised {_describe(problem, function)}") from None
    except asyncio.CancelledError as problem:
        if cancelled_from_outside():
            raise
        said = f"{_describe(problem, function)}: something that it waited for was cancelled"
        raise FunctionError(f"{function.spec} raised {said}") from None
    if isinstance(given, str):
        return Reply(hide(given), model=function.spec)
    if isinstance(given, Reply):
        return replace(given, text=hide(given.text), model=hide(given.model), effective=hide(given.effective))
    found = "None" if given is None else type(given).__name__
    raise FunctionError(f"{function.spec} gave {found}; expected str or Reply{_defined(function)}")


def cancelled_from_outside() -> bool:
    """Tell whether the running task was asked to stop: else a CancelledError in it comes from what it waited for."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # Another event loop's: its cancellations cannot be raised by hand.
        return True
    return task is None or bool(task.cancelling())


def plain_messages(messages: Sequence[Message]) -> list[Message]:
    """Copy messages, so that a function that changes them changes nothing of ours."""
    return [{"role": message["role"], "content": message["content"]} for message in messages]


def _takes(function: Callable[..., Any], form: Form) -> bool:
    arguments, named, _ = _CALLED[form]
    try:
        inspect.signature(function).bind(*arguments, **named)
    except (TypeError, ValueError):
        return False
    return True


def _import(option: str, spec: str, module_name: str) -> ModuleType:
    here = os.getcwd()  # noqa: PTH109
    if here not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as problem:
        if problem.name and (module_name + ".").startswith(problem.name + "."):
            raise UserError(
                f"{option}: no module {problem.name!r} for {spec!r}; expected a Python file here ({here}) or an "
                "installed package"
            ) from None
        raise UserError(f"{option}: {module_name} needs {problem.name!r}, which is not installed") from None
    except (Exception, SystemExit) as problem:
        raise UserError(scrub(f"{option}: importing {module_name} raised {_last_line(problem)}")) from None


def _source(option: str, spec: str, module: ModuleType, function: Any) -> str:
    files = {getattr(module, "__file__", None)}
    try:
        files.add(inspect.getsourcefile(inspect.unwrap(function)))
    except TypeError:
        files.add(inspect.getsourcefile(type(function)))
    digest = hashlib.sha256()
    for file in sorted(str(Path(f).resolve()) for f in files if f):
        if not file.endswith(".py") or not Path(file).is_file():
            raise UserError(f"{option}: {spec} has no source file; expected a function in a .py file")
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def _describe(problem: BaseException, function: LoadedFunction) -> str:
    """Name the innermost line of the file of the function: that is where its author looks."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    own, _ = _place(function)
    lines = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == own]
    place = f" ({Path(own).name}, line {lines[-1].lineno})" if lines else _defined(function)
    # Hidden before it is cut: half a secret would not be known for one.
    return f"{shorten(scrub(_last_line(problem)), _LONGEST)}{place}"


def _defined(function: LoadedFunction) -> str:
    own, line = _place(function)
    return f" ({Path(own).name}, line {line})" if line else ""


def _place(function: LoadedFunction) -> tuple[str, int]:
    """Give the file and the first line of a function, or of the ``__call__`` of an object; "" and 0 if unknown."""
    call = inspect.unwrap(function.call)
    code = getattr(
        call if inspect.isroutine(call) else inspect.getattr_static(call, "__call__", None), "__code__", None
    )
    return (code.co_filename, code.co_firstlineno) if code else ("", 0)


def _last_line(problem: BaseException) -> str:
    return " ".join("".join(traceback.format_exception_only(problem)).split())
