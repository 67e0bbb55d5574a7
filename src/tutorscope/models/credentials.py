"""Keep secrets out: refused where a user types them, and taken out of what a provider or a function says.

Keys and headers reach a model from environment variables, by name. Nothing here returns or prints a secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from tutorscope.errors import UserError

HIDDEN = "[secret]"

_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)$", re.IGNORECASE)
_WORD_FOR_IT = r"(?:[\w\-]*[_\-])?(?:api[_\-]?key|apikey|token|secret|password)"
_ASSIGNED = re.compile(
    rf"(?:^|[\s?&;#,]){_WORD_FOR_IT}\s*=\s*\S|[\"']{_WORD_FOR_IT}[\"']\s*:\s*\S|authorization\s*:|\bbearer\s+\S",
    re.IGNORECASE,
)
_KEY_SHAPED = re.compile(
    r"\bsk-[\w\-]{16,}|\b(?:pk|rk|xai|glpat)-[A-Za-z0-9]{20,}|\b(?:gsk|hf|ghp)_[A-Za-z0-9]{20,}|\bAIza[\w\-]{20,}"
)
_IN_URL = re.compile(r"(://)[^/@\s\"']+@")
_IN_QUERY = re.compile(
    r"([?&;#](?:[\w\-]*[_\-])?(?:api[_\-]?key|apikey|key|token|secret|password|auth|sig|signature|code)=)[^&#\s\"'<>]+",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=\-]{6,}", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,48}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# A shorter value would hide ordinary words.
_SHORTEST = 8


def refuse_credentials(option: str, text: str) -> None:
    """Refuse a command line value that carries a credential.

    Parameters
    ----------
    option : str
        The option's name, for the message.
    text : str
        What the user gave. It is never repeated.

    Raises
    ------
    UserError
        It holds ``user:password@``, a key in the query, a ``token=`` or something shaped like an API key.
    """
    found = ""
    if _IN_URL.search(text):
        found = "a user name or password before an @"
    elif _IN_QUERY.search(text):
        found = "a key or token in the address"
    elif _KEY_SHAPED.search(text):
        found = "what looks like an API key"
    elif _ASSIGNED.search(text):
        found = "a key, token or password"
    if found:
        raise UserError(
            f"{option}: the value holds {found} (not shown); expected it in an environment variable: "
            f"for an http:// model give {_header_option(option)} 'Authorization=env:VARIABLE', others read their own "
            "variable (OPENAI_API_KEY, ...)"
        )


def parse_header(option: str, text: str) -> tuple[str, str]:
    """Read ``HEADER=env:VARIABLE``.

    Parameters
    ----------
    option : str
        The option's name, for the message.
    text : str
        What the user gave, without the speaker's name.

    Returns
    -------
    tuple of str
        The header's name and the variable's name.

    Raises
    ------
    UserError
        Another form, which is not repeated because it may hold the secret itself, or a variable that is not set.
    """
    header, _, value = text.partition("=")
    variable = value.removeprefix("env:")
    if not well_formed_header(text):
        raise UserError(
            f"{option}: found something else (not shown, it may be a secret); expected [NAME:]HEADER=env:VARIABLE, "
            "such as Authorization=env:MY_KEY"
        )
    require_variable(option, variable)
    return header.strip(), variable


def well_formed_header(text: str) -> bool:
    """Tell whether a text is ``HEADER=env:VARIABLE``, which holds no secret."""
    header, _, value = text.partition("=")
    named = value.startswith("env:") and _VARIABLE.fullmatch(value.removeprefix("env:"))
    return bool(named and _HEADER.fullmatch(header.strip()))


def require_variable(option: str, variable: str) -> None:
    """Refuse an environment variable that is not set.

    Raises
    ------
    UserError
        Names the variable, unless its name looks like a key pasted in its place.
    """
    if os.environ.get(variable):
        return
    shown = repr(variable) if _PLAIN_VARIABLE.fullmatch(variable) else "named after env: (not shown)"
    raise UserError(f"{option}: the environment variable {shown} is not set; expected the header's value in it")


def header_values(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give headers with their values, for the wire only.

    An ``Authorization`` value of one word gets ``Bearer`` before it, which is what OpenAI-compatible servers expect.

    Parameters
    ----------
    headers : iterable of (header, variable)

    Raises
    ------
    UserError
        A variable is not set, or its value cannot stand in a header.
    """
    values = {}
    for header, variable in headers:
        require_variable(f"header {header}", variable)
        value = os.environ[variable].strip()
        if not value.isprintable() or not value.isascii():
            raise UserError(f"header {header}: the value in {variable} has line breaks or non-ASCII characters")
        if header.lower() == "authorization" and " " not in value:
            value = f"Bearer {value}"
        values[header] = value
    return values


def scrub(text: str, variables: Iterable[str] = ()) -> str:
    """Take secrets out of a text that a provider, a function or a library wrote.

    Parameters
    ----------
    text : str
        Any text, such as an error message.
    variables : iterable of str
        Environment variables whose values are secret, beside all whose names end in KEY, TOKEN, SECRET and the like.

    Returns
    -------
    str
        The text with secret values, URL credentials and bearer tokens replaced.

    Examples
    --------
    >>> scrub("GET http://ann:pw123@host/v1?api_key=abc: 401")
    'GET http://[secret]@host/v1?api_key=[secret]: 401'
    """
    text = hide(text, variables)
    text = _IN_URL.sub(rf"\1{HIDDEN}@", text)
    text = _IN_QUERY.sub(rf"\1{HIDDEN}", text)
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    return _KEY_SHAPED.sub(HIDDEN, text)


def hide(said: Any, variables: Iterable[str] = ()) -> Any:
    """Take the values of secret variables out of what a model said, and leave all else as it is.

    A server may send back what it was sent. What only looks like a secret stays: it is the model's own.

    Parameters
    ----------
    said : Any
        A text, or plain data with texts in it.
    variables : iterable of str
        As for `scrub`.

    Returns
    -------
    Any
        The same with those values replaced, where they have at least 8 characters.
    """
    return _hidden(said, sorted(_secret_values(variables), key=len, reverse=True))


def _hidden(said: Any, secrets: list[str]) -> Any:
    if isinstance(said, str):
        for value in secrets:
            said = said.replace(value, HIDDEN)
        return said
    if isinstance(said, Mapping):
        return {_hidden(key, secrets): _hidden(value, secrets) for key, value in said.items()}
    if isinstance(said, list | tuple):
        return [_hidden(one, secrets) for one in said]
    return said


@cache
def _holds_a_secret(name: str) -> bool:
    # Asked of every variable at every reply.
    return _SECRET_VARIABLE.search(name) is not None


def _secret_values(variables: Iterable[str]) -> set[str]:
    names = {name for name in os.environ if _holds_a_secret(name)} | set(variables)
    values = {os.environ.get(name, "").strip() for name in names}
    # "Bearer abc" in a variable: the second word alone is secret too.
    values |= {value.split()[1] for value in values if len(value.split()) == 2}
    return {value for value in values if len(value) >= _SHORTEST}


def _header_option(option: str) -> str:
    return option if option.endswith("-header") else f"{option.removesuffix('-system').removesuffix('-setting')}-header"
