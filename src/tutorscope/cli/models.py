"""``tutorscope models``: the models that roles can take."""

from __future__ import annotations

import click


@click.group()
def models() -> None:
    """Set models up."""


@models.command("install-embedded")
def install() -> None:
    """Fetch the embedded model's weights (98 MB, once): no key, and no network after that."""
    from tutorscope.models.weights import install_embedded

    click.echo(f"embedded model: {install_embedded()}")
