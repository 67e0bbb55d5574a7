"""From a speaker to Inspect's model, and one question to one reply."""

from __future__ import annotations

import atexit
import gc
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tutorscope.errors import UserError
from tutorscope.models.credentials import hide, refuse_credentials, require_variable, scrub
from tutorscope.models.replies import EFFECTIVE, effective_settings, reply_from
from tutorscope.models.speakers import CODE, Speaker, require_named
from tutorscope.models.speaking import Reply
from tutorscope.texts.messages import Message, with_system

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelCall, ModelOutput


class ScrubbedError(Exception):
    """A provider's error without its secrets. Whether to ask again was decided on the original."""

    def __init__(self, message: str, *, retry: Any, auth: bool) -> None:
        super().__init__(message)
        self.retry = retry
        self.auth = auth


def connect(speaker: Speaker, *, max_connections: int, attempt_timeout: int, max_retries: int) -> Model:
    """Make Inspect's model for a speaker.

    Pass it to ``eval(..., max_connections=N)`` in ``Task(model_roles=...)``, and no retries or timeouts beside it:
    those of ``eval`` would win over the ones set here.

    Parameters
    ----------
    speaker : Speaker
        Who.
    max_connections : int
        Calls at the same time.
    attempt_timeout : int
        Seconds after which an attempt is given up and made again. The embedded model has none: it cannot hang, and a
        call may wait in its queue.
    max_retries : int
        How often a call is made again. Functions and the embedded model are never asked again.

    Raises
    ------
    UserError
        A function, or a speaker with headers, that the user did not name in this invocation; a variable, key, client or
        file that is not there.
    """
    require_named(speaker)
    for _, variable in speaker.headers:
        require_variable(f"--{speaker.role}-header", variable)
    from inspect_ai.model import GenerateConfig, get_model

    import tutorscope.models.providers  # noqa: F401

    _spare_the_collector()
    local = speaker.kind == "embedded" or speaker.kind in CODE
    config = GenerateConfig(
        max_connections=max_connections,
        attempt_timeout=None if speaker.kind == "embedded" else attempt_timeout,
        max_retries=0 if local else max_retries,
    )
    model = speaker.identity["model"]
    try:
        if speaker.kind == "http":
            headers = [list(pair) for pair in speaker.headers]
            return get_model(
                f"tutorscope-http/{model}", config=config, base_url=speaker.address, memoize=False, headers=headers
            )
        if speaker.kind == "embedded":
            _refuse_other_weights(speaker)
            return get_model(f"tutorscope-embedded/{model}", config=config, memoize=False, path=_own_path(speaker))
        if speaker.kind in CODE:
            return get_model(f"tutorscope-{speaker.kind}/{model}", config=config, memoize=False)
        found = get_model(model, config=config, memoize=False)
    except UserError:
        raise
    except Exception as problem:
        # Inspect says in its own exceptions what is missing: a key, a package, a server.
        raise UserError(scrub(f"--{speaker.role}: cannot use {model}: {_one_line(problem)}")) from None
    refuse_credentials(f"the address of {model} in the environment", found.api.base_url or "")
    if model.startswith("mockllm/"):
        # It counts tokens itself, with a tokenizer that would be downloaded.
        api: Any = found.api
        api.count_text_tokens = _estimated_tokens
    return _guarded(found)


def as_sent(speaker: Speaker, messages: Sequence[Message]) -> list[Message]:
    """Give the messages that a speaker gets: the user's own system prompt in place of ours, if there is one."""
    return with_system(messages, speaker.system) if speaker.system is not None else list(messages)


def requested_settings(
    speaker: Speaker,
    settings: Mapping[str, Any],
    *,
    seed: int | None = None,
    schema: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Give the settings of a call: the rule's, then the role's own, which win.

    Parameters
    ----------
    speaker : Speaker
        Who is asked.
    settings : mapping
        What the rule asks for.
    seed : int, optional
        The draw's seed.
    schema : mapping, optional
        A JSON schema for the reply.
    """
    asked = {**settings, **({"seed": seed} if seed is not None else {}), **speaker.settings}
    return {**asked, **({"schema": True} if schema is not None else {})}


async def ask(
    model: Model,
    speaker: Speaker,
    messages: Sequence[Message],
    *,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    schema: Mapping[str, Any] | None = None,
) -> Reply:
    """Ask a model once.

    Wrap it in ``tutorscope.models.functions.serving`` to tell functions their session and item.

    Parameters
    ----------
    model : Model
        From `connect`, or from ``get_model(role=..., required=True)`` inside a task that was given it.
    speaker : Speaker
        Who it is.
    messages : sequence of Message
        As the rule wrote them: the user's own system prompt is put in here.
    settings, seed, schema
        As in `requested_settings`.

    Returns
    -------
    Reply

    Raises
    ------
    TooLongError
        The prompt is longer than the model's context.
    Exception
        What the provider raised, free of secrets.
    """
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ResponseSchema,
    )
    from inspect_ai.util import JSONSchema
    from tenacity import RetryError

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    requested = requested_settings(speaker, settings or {}, seed=seed, schema=schema)
    fields = {name: value for name, value in requested.items() if name != "schema"}
    if schema is not None:
        fields["response_schema"] = ResponseSchema(name="reply", json_schema=JSONSchema.model_validate(schema))
    sent = [kinds[message["role"]](content=message["content"]) for message in as_sent(speaker, messages)]
    try:
        output = await model.generate(sent, config=GenerateConfig(**fields))
    except RetryError as problem:
        # After the last retry only this wrapper is raised; what went wrong is inside.
        raise (problem.last_attempt.exception() or problem) from None
    return reply_from(output, requested)


def _spare_the_collector() -> None:
    """Keep what Inspect has made, which lives as long as the process, out of the garbage collector's sight.

    It then costs nothing at each collection, and the process ends at once: with two busy cores the last collection took
    two to six seconds, for which Ctrl-C would wait. Collecting more rarely saves a sixth of a call's processor time.
    """
    gc.set_threshold(100_000, 10, 10)
    gc.freeze()
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


async def _estimated_tokens(text: str) -> int:
    return max(1, len(text) // 4)


def _refuse_other_weights(speaker: Speaker) -> None:
    """Refuse weights that are not those the plan names: the file may have been replaced since."""
    from tutorscope.models.weights import weights_file, weights_sha256

    path = weights_file(f"--{speaker.role}", _own_path(speaker))
    before, now = speaker.identity["weights"], weights_sha256(path)
    if now != before:
        raise UserError(
            f"--{speaker.role}: {path} holds the weights {now[:16]} now and {before[:16]} when the run began; restore "
            "the file, or start another run"
        )


def _own_path(speaker: Speaker) -> str:
    """Leave the path out for the weights in the cache: it names the user's folder, and logs are shared."""
    return speaker.spec.removeprefix("embedded").removeprefix(":")


def _guarded(model: Model) -> Model:
    """Let one of Inspect's own providers tell what it sent, and keep secrets out of all that it says."""
    api: Any = model.api
    generate, should_retry, is_auth_failure = api.generate, api.should_retry, api.is_auth_failure

    async def guarded(*arguments: Any, **named: Any) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        try:
            result = await generate(*arguments, **named)
        except Exception as problem:
            raise ScrubbedError(
                scrub(_one_line(problem)), retry=should_retry(problem), auth=is_auth_failure(problem)
            ) from None
        if not isinstance(result, tuple):
            return _without_secrets(result)
        output, call = result
        if isinstance(output, Exception):
            # Raised here and not returned: Inspect would print the whole request into the sample's error.
            raise ScrubbedError(scrub(_one_line(output)), retry=should_retry(output), auth=is_auth_failure(output))
        effective = effective_settings(call.request, output.model)
        output = _without_secrets(output)
        output.metadata = {**(output.metadata or {}), EFFECTIVE: effective}
        call.response = hide(call.response)
        return output, call

    api.generate = guarded
    api.should_retry = lambda problem: problem.retry if isinstance(problem, ScrubbedError) else should_retry(problem)
    api.is_auth_failure = lambda problem: (
        problem.auth if isinstance(problem, ScrubbedError) else is_auth_failure(problem)
    )
    return model


def _without_secrets(output: ModelOutput) -> ModelOutput:
    """Take secret values out of all that a server sent back."""
    said = output.model_dump()
    hidden = hide(said)
    return output if hidden == said else type(output).model_validate(hidden)


def _one_line(problem: BaseException) -> str:
    # Inspect writes some of its errors for a terminal, with marks for bold and colour.
    plain = re.sub(r"\[/?(?:bold|blue|red|green|yellow|italic|dim|link)[^\]]*\]", "", str(problem))
    return " ".join(plain.split()) or type(problem).__name__
