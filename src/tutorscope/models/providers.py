"""Our providers, as Inspect knows them: registered by name, imported when first used.

Inspect loads this module in every process of its own (entry point ``inspect_ai``), so it imports nothing heavy.
"""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="tutorscope-http")
def tutorscope_http() -> type[ModelAPI]:
    """Register the thin provider for OpenAI-compatible servers."""
    from tutorscope.models.http import HttpModel

    return HttpModel


@modelapi(name="tutorscope-embedded")
def tutorscope_embedded() -> type[ModelAPI]:
    """Register the model that runs in this process."""
    from tutorscope.models.embedded import EmbeddedModel

    return EmbeddedModel


@modelapi(name="tutorscope-function")
def tutorscope_function() -> type[ModelAPI]:
    """Register Python functions."""
    from tutorscope.models.function_model import FunctionModel

    return FunctionModel


@modelapi(name="tutorscope-policy")
def tutorscope_policy() -> type[ModelAPI]:
    """Register policies that ask no tutor model."""
    from tutorscope.models.function_model import PolicyModel

    return PolicyModel


@modelapi(name="tutorscope-scripted")
def tutorscope_scripted() -> type[ModelAPI]:
    """Register scripted models."""
    from tutorscope.models.function_model import ScriptedModel

    return ScriptedModel
