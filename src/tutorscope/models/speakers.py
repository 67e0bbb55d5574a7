"""Who plays a role: what the command line says, read once into records that a plan can hold."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from tutorscope.errors import UserError
from tutorscope.models.clients import require_client
from tutorscope.models.credentials import parse_header, refuse_credentials
from tutorscope.models.names import owner, split_name
from tutorscope.models.settings import parse_setting
from tutorscope.texts.files import read_utf8

Kind = Literal["embedded", "http", "function", "policy", "scripted", "inspect"]

CODE = ("function", "policy", "scripted")
"""The kinds that run the user's code."""

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

# The words that model names hold, and the family that each means. The word that stands first in the name decides.
_FAMILIES = {
    "gpt": "gpt",
    "chatgpt": "gpt",
    "o1": "gpt",
    "o3": "gpt",
    "o4": "gpt",
    "davinci": "gpt",
    "claude": "claude",
    "gemini": "gemini",
    "gemma": "gemma",
    "llama": "llama",
    "qwen": "qwen",
    "qwq": "qwen",
    "mistral": "mistral",
    "mixtral": "mistral",
    "ministral": "mistral",
    "magistral": "mistral",
    "deepseek": "deepseek",
    "grok": "grok",
    "phi": "phi",
    "smollm": "smollm",
    "command": "command",
    "kimi": "kimi",
    "glm": "glm",
    "nova": "nova",
    "olmo": "olmo",
    "granite": "granite",
}
_FAMILY_WORD = re.compile(rf"(?<![a-z])({'|'.join(sorted(_FAMILIES, key=len, reverse=True))})(?![a-z])")


@dataclass(frozen=True)
class Speaker:
    """A model, or what stands in for one, in a role.

    Parameters
    ----------
    role : str
        "tutor", "student", "judge", "builder", "embedder", or "policy" for a whole way of tutoring of the user's own.
    name : str
        The name in cells, tables and reports.
    spec : str
        What the user gave; a server's address with the model that was found there.
    kind : {"embedded", "http", "function", "policy", "scripted", "inspect"}
        How it is reached.
    identity : mapping
        What decides whether two are the same: model name, weights or source by hash. Never an address, a timeout or a
        number of retries.
    settings : mapping
        What the role asks for; these win over a rule's own.
    system : str, optional
        The user's own system prompt.
    address : str
        A server's address or a weights file's path: recorded, never identity.
    headers : tuple of (header, variable)
        HTTP headers and the environment variables that hold their values.
    stateful : bool
        It remembers a session: calls must come in order.
    named : bool
        The user named it in this invocation. Read back from a plan it is False, and nothing of it that runs code or
        sends secrets is used then.
    """

    role: str
    name: str
    spec: str
    kind: Kind
    identity: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None
    address: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    stateful: bool = False
    named: bool = True

    @property
    def family(self) -> str:
        """The family of models that it belongs to ("gpt", "claude", ...), or "" if its name does not say."""
        if self.kind in CODE:
            return ""
        # A maker's name in the path does not count: "meta-llama/Qwen3" is no Llama.
        found = _FAMILY_WORD.search(self.identity.get("model", "").lower().rsplit("/", 1)[-1])
        return _FAMILIES[found.group(1)] if found else ""

    def made_of(self) -> dict[str, str]:
        """Give identity, system prompt and settings as one flat mapping of texts: what a cell must not change."""
        parts: dict[str, str] = {f"{self.role}.kind": self.kind}
        parts |= {f"{self.role}.{key}": value for key, value in self.identity.items()}
        if self.system is not None:
            parts[f"{self.role}.system"] = hashlib.sha256(self.system.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        for key, value in self.settings.items():
            parts[f"{self.role}.{key}"] = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        return parts

    def record(self) -> dict[str, Any]:
        """Give the speaker as plain data, as the plan keeps it. It holds no secret: headers name variables."""
        raw = asdict(self)
        del raw["named"]
        raw["headers"] = [f"{header}=env:{variable}" for header, variable in self.headers]
        return raw

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> Speaker:
        """Read a speaker back from a plan. Nothing is imported and no variable is read."""
        headers = tuple((h, v) for h, _, v in (text.partition("=env:") for text in raw["headers"]))
        return cls(**{**raw, "headers": headers, "named": False})


def unnamed(speaker: Speaker) -> bool:
    """Tell whether a speaker runs code or sends secrets and only a run folder says so: it may be a stranger's."""
    return not speaker.named and bool(speaker.kind in CODE or speaker.headers)


def require_named(speaker: Speaker) -> None:
    """Refuse to run code or to send secrets because a run folder says so.

    Raises
    ------
    UserError
        A function, or a speaker with headers, that the user did not name in this invocation.
    """
    if unnamed(speaker):
        from tutorscope.models.named_again import must_be_named

        raise UserError(must_be_named([speaker]))


def speakers(
    role: str,
    specs: Sequence[str],
    systems: Sequence[str] = (),
    headers: Sequence[str] = (),
    settings: Sequence[str] = (),
) -> list[Speaker]:
    """Read the options of one role.

    Parameters
    ----------
    role : str
        "tutor", "student", "judge", "builder" or "embedder": also the options' name in messages.
    specs : sequence of str
        ``[NAME=]SPEC``. SPEC is what Inspect takes (``openai/gpt-5``), ``embedded``, ``embedded:/path/to.gguf``,
        ``http://host/v1#MODEL``, ``module:function`` or ``scripted:module:function``. An embedder is ``wordllama`` or
        ``http://host/v1#MODEL``.
    systems : sequence of str
        ``[NAME=]FILE``: the user's own system prompt.
    headers : sequence of str
        ``[NAME:]HEADER=env:VARIABLE``.
    settings : sequence of str
        ``[NAME:]KEY=VALUE``.

    Returns
    -------
    list of Speaker
        In the order of ``specs``.

    Raises
    ------
    UserError
        Anything that cannot be read, a name given twice, a value without a name where there are several speakers, a
        credential outside an environment variable, a client, weights or server that is not there.
    """
    options = {key: f"--{role}{ending}" for key, ending in (("spec", ""), ("system", "-system"))}
    header_option, setting_option = f"--{role}-header", f"--{role}-setting"
    given: list[tuple[str, str]] = []
    for text in specs:
        refuse_credentials(options["spec"], text)
        given.append(split_name(options["spec"], text))
    names = [name or default_name(spec) for name, spec in given]
    for name in names:
        if not name.isprintable() or "|" in name:
            raise UserError(
                f"{options['spec']}: the name {name!r} has a | or a control code; expected NAME=SPEC without"
            )
        if names.count(name) > 1:
            raise UserError(
                f"{options['spec']}: the name {name!r} stands for two speakers; expected a name for each: "
                f"{options['spec']} first=SPEC {options['spec']} second=SPEC"
            )

    own_headers: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    for text in headers:
        name, rest = owner(header_option, text, names)
        header, variable = parse_header(header_option, rest)
        if any(header.lower() == other.lower() for other, _ in own_headers[name]):
            raise UserError(f"{header_option}: the header {header} is given twice for {name!r}; expected it once")
        own_headers[name].append((header, variable))
    own_settings: dict[str, dict[str, Any]] = {name: {} for name in names}
    for text in settings:
        refuse_credentials(setting_option, text)
        name, rest = owner(setting_option, text, names)
        key, value = parse_setting(setting_option, rest)
        if key in own_settings[name]:
            raise UserError(f"{setting_option}: {key} is given twice for {name!r}; expected it once")
        own_settings[name][key] = value
    own_systems: dict[str, str] = {}
    for text in systems:
        name, rest = owner(options["system"], text, names)
        if name in own_systems:
            raise UserError(f"{options['system']}: a second system prompt for {name!r}; expected one, or two names")
        own_systems[name] = _read_system(options["system"], rest)

    found = []
    for name, (_, spec) in zip(names, given, strict=True):
        speaker = _read_spec(role, name, spec, tuple(own_headers[name]))
        if own_headers[name] and speaker.kind != "http":
            raise UserError(
                f"{header_option}: {name!r} is not an http:// model; expected headers only for those "
                "(other providers read their key from their own environment variable)"
            )
        found.append(replace(speaker, settings=own_settings[name], system=own_systems.get(name)))
    return found


def default_name(spec: str) -> str:
    """Give the name of a speaker whom the user gave none."""
    if spec.startswith(("http://", "https://")):
        return spec.partition("#")[2] or urlsplit(spec).netloc
    if spec.startswith("embedded:"):
        return Path(spec.removeprefix("embedded:")).stem
    return spec


def _read_system(option: str, file: str) -> str:
    text = read_utf8(file, "a text file in UTF-8", named=f"{option}: {file!r}")
    # The same prompt on every system.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise UserError(f"{option}: {file!r} is empty; expected a system prompt")
    return text


def _read_spec(role: str, name: str, spec: str, headers: tuple[tuple[str, str], ...]) -> Speaker:
    option = f"--{role}"
    if role == "embedder" and not spec.startswith(("http://", "https://")):
        if spec != "wordllama":
            raise UserError(f"{option}: cannot read {spec!r}; expected wordllama or http://host/v1#MODEL")
        from tutorscope.models.weights import weights_sha256, wordllama_weights

        return Speaker(
            role, name, spec, "embedded", {"model": spec, "weights": weights_sha256(wordllama_weights(option))}
        )
    if spec == "embedded" or spec.startswith("embedded:"):
        from tutorscope.models.weights import require_xllamacpp, weights_file, weights_sha256

        path = weights_file(option, spec.removeprefix("embedded").removeprefix(":"))
        require_xllamacpp()
        identity = {"model": path.stem, "weights": weights_sha256(path)}
        return Speaker(role, name, spec, "embedded", identity, address=str(path))
    if spec.startswith(("http://", "https://")):
        address, _, model = spec.partition("#")
        if not urlsplit(address).hostname:
            raise UserError(f"{option}: {spec!r} names no host; expected http://host/v1#MODEL")
        address = address.rstrip("/").removesuffix("/chat/completions").removesuffix("/embeddings")
        if not model:
            from tutorscope.models.wire import only_model

            model = only_model(option, address, headers)
        return Speaker(role, name, f"{address}#{model}", "http", {"model": model}, address=address, headers=headers)
    if spec.startswith("scripted:") or _FUNCTION.fullmatch(spec):
        from tutorscope.models.functions import Form, load_function

        forms: tuple[Form, ...] = ("reply",)
        if spec.startswith("scripted:"):
            forms = ("scripted",)
        elif role == "policy":
            forms = ("policy", "reply")
        function = load_function(option, spec.removeprefix("scripted:"), *forms)
        kind: Kind = "function" if function.form == "reply" else function.form
        identity = {"model": function.spec, "source": function.source}
        if kind == "policy":
            identity["asks"] = "tutor" if function.asks else "nobody"
        return Speaker(role, name, spec, kind, identity, stateful=function.stateful)
    provider, slash, model = spec.partition("/")
    if not slash or not model:
        raise UserError(
            f"{option}: cannot read {spec!r}; expected PROVIDER/MODEL (openai/..., anthropic/..., ollama/...), "
            "embedded, http://host/v1#MODEL or module:function"
        )
    require_client(option, provider)
    return Speaker(role, name, spec, "inspect", {"model": spec})
