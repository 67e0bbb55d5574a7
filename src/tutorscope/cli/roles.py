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
    options: list[click.Parameter] = []
    for role in roles:
        options.append(
            click.Option(
                [f"--{role}", role],
                multiple=True,
                metavar="[NAME=]MODEL",
                help=f"{HELP.get(role, '')} embedded, http://host/v1#MODEL, module:function, openai/..., ollama/...",
            )
        )
        options.append(
            click.Option(
                [f"--{role}-system", f"{role}_system"],
                multiple=True,
                metavar="[NAME=]FILE",
                help=f"Your own system prompt for the {role}.",
            )
        )
        options.append(
            click.Option(
                [f"--{role}-header", f"{role}_header"],
                multiple=True,
                metavar="[NAME:]HEADER=env:VAR",
                help=f"A header for the {role}'s server, its value from an environment variable.",
            )
        )
        options.append(
            click.Option(
                [f"--{role}-setting", f"{role}_setting"],
                multiple=True,
                metavar="[NAME:]KEY=VALUE",
                help=f"A setting of the {role}, such as temperature=0.2 or max_tokens=400.",
            )
        )
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


def given(ctx: click.Context, params: Mapping[str, Any]) -> set[str]:
    """Name the parameters that were given on the command line or in the environment."""
    from click.core import ParameterSource

    defaults = {ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP}
    return {name for name in params if ctx.get_parameter_source(name) not in defaults}
