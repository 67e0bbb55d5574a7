"""The policies: ours by name, and the user's own as a prompt, a function or an endpoint."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tutorscope.audit.tutoring.routed import TEMPLATES as ROUTED_TEMPLATES
from tutorscope.audit.tutoring.routed import routed
from tutorscope.audit.tutoring.turns import Policy, Said, say, visible
from tutorscope.errors import UserError
from tutorscope.models.functions import LoadedFunction, call_function, load_function
from tutorscope.models.names import check_name, split_name
from tutorscope.models.speakers import Speaker, require_named, speakers
from tutorscope.models.speaking import Speak
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.files import read_utf8
from tutorscope.texts.messages import Message, system, user
from tutorscope.texts.templates import Template, load_template

PROMPTS = "tutorscope.audit.prompts"

CONVERSATIONAL, PEDAGOGICAL, COLD = "conversational", "pedagogical", "cold"
ONE_PROMPT = (CONVERSATIONAL, "socratic", "no-final-answer")
ROUTED = (PEDAGOGICAL, "no-gate", "no-cascade", "no-tracker")
BUILTIN = (COLD, *ONE_PROMPT, *ROUTED)
DEFAULT = (CONVERSATIONAL, PEDAGOGICAL, COLD)

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_LONGEST_PROMPT = 200_000


@dataclass(frozen=True)
class Choice:
    """One policy that was asked for.

    Parameters
    ----------
    name : str
        What cells, tables and reports call it.
    kind : {"builtin", "prompt", "function", "endpoint"}
    what : str
        The builtin's name; for the others as the user gave it, for people.
    asks : bool
        Whether it asks a tutor model: it is then run once for each of them. One that does not is its own base.
    sha : str
        Hash of the text of one that is a prompt.
    """

    name: str
    kind: str
    what: str
    asks: bool
    sha: str = ""

    def data(self) -> dict[str, Any]:
        """Give it as plain data, as a plan's options hold it."""
        return asdict(self)

    @classmethod
    def from_data(cls, raw: Mapping[str, Any]) -> Choice:
        """Read it back."""
        return cls(**raw)

    @property
    def speaks(self) -> bool:
        """Whether somebody plays the role "policy" for it: the user's function or endpoint."""
        return self.kind in ("function", "endpoint")


@dataclass(frozen=True)
class Choices:
    """What ``--policy`` asked for: the policies, who plays them, and the prompts to keep."""

    choices: Sequence[Choice]
    speakers: Sequence[Speaker]
    inputs: Sequence[InputSet]


def read_policies(specs: Sequence[str], headers: Sequence[str] = (), settings: Sequence[str] = ()) -> Choices:
    """Read ``--policy [NAME=]WHAT``: a builtin's name, a file, ``module:function`` or a model.

    Parameters
    ----------
    specs : sequence of str
        None gives the paper's three.
    headers, settings : sequence of str
        ``[NAME:]HEADER=env:VARIABLE`` and ``[NAME:]KEY=VALUE`` of endpoints.

    Raises
    ------
    UserError
        One line: which option, what it holds, what was expected.
    """
    choices: list[Choice] = []
    inputs: list[InputSet] = []
    spoken: list[str] = []
    for spec in specs or DEFAULT:
        name, what = split_name("--policy", spec)
        if what in BUILTIN:
            choices.append(Choice(name or what, "builtin", what, what != COLD))
        elif _is_file(what):
            prompt = _prompt_input(name or Path(what).stem, what)
            choices.append(Choice(prompt.items[0].id, "prompt", Path(what).name, True, prompt.fixed["prompt"]))
            inputs.append(prompt)
        elif _FUNCTION.fullmatch(what) or "/" in what or what.startswith(("embedded", "scripted:")):
            if not name and not _FUNCTION.fullmatch(what):
                raise UserError(f"--policy: {spec!r} has no name; expected NAME={what}")
            spoken.append(f"{name or what.partition(':')[2]}={what}")
            choices.append(Choice(name or what.partition(":")[2], "endpoint", what, False))
        else:
            raise UserError(
                f"--policy: cannot read {spec!r}; expected one of {', '.join(BUILTIN)}, or NAME=FILE.md, "
                "NAME=module:function, NAME=http://host/v1#MODEL"
            )
    played = speakers("policy", spoken, headers=headers, settings=settings)
    by_name = {speaker.name: speaker for speaker in played}
    choices = [_played(choice, by_name.get(choice.name)) for choice in choices]
    _refuse_names(choices)
    return Choices(choices, played, inputs)


def prompts_of(choice: Choice, overrides: Path | None) -> list[Template]:
    """Give the templates that a policy is made of."""
    if choice.kind == "builtin":
        names: Sequence[str] = () if choice.what == COLD else ROUTED_TEMPLATES
        if choice.what in ONE_PROMPT:
            names = (choice.what,)
    else:
        names = {"prompt": ("own-prompt",), "endpoint": ("own-endpoint",)}.get(choice.kind, ())
    return [load_template(PROMPTS, name, overrides) for name in names]


def policy_of(
    choice: Choice, overrides: Path | None, *, router: str, prompt: str | None = None, speaker: Speaker | None = None
) -> Policy | None:
    """Make a policy.

    Parameters
    ----------
    choice : Choice
    overrides : Path, optional
        The user's own templates.
    router : {"published", "sound"}
        The patterns of a routed policy.
    prompt : str, optional
        The text of one that is a prompt.
    speaker : Speaker, optional
        Who plays one that is a function.

    Returns
    -------
    Policy or None
        None for ``cold``.
    """
    if choice.kind == "builtin":
        if choice.what == COLD:
            return None
        if choice.what in ROUTED:
            return routed(choice.what, overrides, router)
        return _one_prompt(load_template(PROMPTS, choice.what, overrides))
    if choice.kind == "prompt":
        return _one_prompt(load_template(PROMPTS, "own-prompt", overrides), prompt)
    if choice.asks and speaker is not None:
        require_named(speaker)
        return _function(load_function("--policy", speaker.spec, "policy"))
    if speaker is not None and speaker.kind == "policy":
        return _alone
    return _endpoint(load_template(PROMPTS, "own-endpoint", overrides))


def _one_prompt(template: Template, prompt: str | None = None) -> Policy:
    own = {} if prompt is None else {"prompt": prompt}

    async def policy(problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak) -> Said:
        asked = system(template.fill({"statement": str(problem["statement"]), **own}))
        return await say(speak, [asked, *dialogue])

    return policy


def _endpoint(template: Template) -> Policy:
    """Talk to somebody's whole tutor: it has a prompt of its own, and the student tells it the problem."""

    async def policy(problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak) -> Said:
        first = user(template.fill({"statement": str(problem["statement"]), "reply": dialogue[0]["content"]}))
        return await say(speak, [first, *dialogue[1:]], role="policy")

    return policy


async def _alone(problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak) -> Said:
    """Ask a function of the user's that takes problem and dialogue and asks no tutor model."""
    return await say(speak, dialogue, role="policy")


def _function(function: LoadedFunction) -> Policy:
    """Call a function of the user's, which asks the tutor model through the door as often as it likes."""

    async def policy(problem: Mapping[str, Any], dialogue: Sequence[Message], speak: Speak) -> Said:
        async def tutor_only(role: str, messages: Sequence[Message], **named: Any) -> Any:
            if role != "tutor":
                raise ValueError(f"a policy asks 'tutor', not {role!r}")
            return await speak(role, messages, **named)

        reply = await call_function(function, dict(problem), [dict(one) for one in dialogue], tutor_only)
        seen = visible(reply)
        return Said(seen.value or "", reply.finish, () if seen.reason is None else (seen.reason,))

    return policy


def _is_file(what: str) -> bool:
    return not what.startswith(("http://", "https://")) and (
        what.lower().endswith((".md", ".txt", ".prompt")) or Path(what).is_file()
    )


def _prompt_input(name: str, file: str) -> InputSet:
    text = read_utf8(file, "a text file in UTF-8", named=f"--policy: {file!r}")
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise UserError(f"--policy: {file!r} is empty; expected a system prompt")
    if len(text) > _LONGEST_PROMPT:
        raise UserError(f"--policy: {file!r} holds {len(text)} characters; expected at most {_LONGEST_PROMPT}")
    check_name("--policy", name)
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    item = Item(name, fingerprint(text), {"text": text})
    return InputSet(f"policies/{name}", [item], {"file": Path(file).name, "sha256": sha}, {"prompt": sha[:16]})


def _played(choice: Choice, speaker: Speaker | None) -> Choice:
    if speaker is None or speaker.kind not in ("function", "policy"):
        return choice
    return replace(choice, kind="function", asks=speaker.identity.get("asks") == "tutor")


def _refuse_names(choices: Sequence[Choice]) -> None:
    names = [choice.name for choice in choices]
    for choice in choices:
        check_name("--policy", choice.name)
        if names.count(choice.name) > 1:
            raise UserError(f"--policy: the name {choice.name!r} stands for two policies; expected NAME=... for each")
        if choice.name in BUILTIN and choice.what != choice.name:
            raise UserError(f"--policy: {choice.name!r} is one of ours; expected another name for {choice.what!r}")
