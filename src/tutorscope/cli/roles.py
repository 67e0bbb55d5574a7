"""The options by which a user says who plays a role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tutorscope.models.speakers import Speaker

HELP = {
    "tutor": "The tutor under test.",
    "student": "The student who is taught.",
    "judge": "Who rates.",
    "builder": "Who writes items.",
    "embedder": "Who turns texts into vectors (default: wordllama).",
}


def role_options(roles: Iterable[str]) -> list[click.Parameter]:
    """Make the options of some roles: the model, its system prompt, its headers, its settings."""
    models = "embedded, http://host/v1#MODEL, module:function, openai/..., ollama/..."
    options: list[click.Parameter] = []
    for role in roles:
        for ending, metavar, words in (
            ("", "[NAME=]MODEL", f"{HELP[role]} {models}"),
            ("-system", "[NAME=]FILE", f"Your own system prompt for the {role}."),
            ("-header", "[NAME:]HEADER=env:VAR", f"A header for the {role}'s server, its value in a variable."),
            ("-setting", "[NAME:]KEY=VALUE", f"A setting of the {role}, such as temperature=0.2."),
        ):
            name = f"{role}{ending}"
            flags = [f"--{name}", name.replace("-", "_")]
            options.append(click.Option(flags, multiple=True, metavar=metavar, help=words))
    return options


def take_speakers(roles: Iterable[str], params: dict[str, Any]) -> list[Speaker]:
    """Take the role options out of a command's parameters and read them."""
    from tutorscope.models.speakers import speakers

    found: list[Speaker] = []
    for role in roles:
        found += speakers(
            role,
            params.pop(role),
            systems=params.pop(f"{role}_system"),
            headers=params.pop(f"{role}_header"),
            settings=params.pop(f"{role}_setting"),
        )
    return found


def take_people(role: str, params: dict[str, Any]) -> list[tuple[str, str]]:
    """Take files of what people did out of a role's options: ``[NAME=]people:FILE``.

    Parameters
    ----------
    role : str
        The role that they may play, "" for none.
    params : dict
        A command's parameters; the role keeps its models.

    Returns
    -------
    list of (name, file)
        The name is "" where none was given.
    """
    found: list[tuple[str, str]] = []
    models = []
    for text in params.get(role, ()) if role else ():
        name, equals, spec = text.partition("=")
        whole = text.startswith("people:") or not equals
        whose, colon, file = (text if whole else spec).partition(":")
        if whose == "people" and colon and file:
            found.append(("" if whole else name, file))
        else:
            models.append(text)
    if role:
        params[role] = tuple(models)
    return found


def given(ctx: click.Context, params: Mapping[str, Any]) -> set[str]:
    """Name the parameters that were given on the command line or in the environment."""
    from click.core import ParameterSource

    defaults = {ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP}
    return {name for name in params if ctx.get_parameter_source(name) not in defaults}
