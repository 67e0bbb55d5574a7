"""Inspect's providers: which client each needs, and whether it is there."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

from tutorscope.errors import UserError

# Inspect's providers: the module that each needs, and what installs it.
PROVIDERS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            "openai",
            "openai-api",
            "openai-api-completions",
            "vllm",
            "vllm-completions",
            "sglang",
            "ollama",
            "openrouter",
            "together",
            "fireworks",
            "moonshot",
            "meta",
            "litellm-proxy",
            "deepseek",
            "sambanova",
            "perplexity",
            "llama-cpp-python",
            "hf-inference-providers",
            "cloudflare",
        ),
        ("openai", "'tutorscope[openai]'"),
    ),
    "anthropic": ("anthropic", "'tutorscope[anthropic]'"),
    "google": ("google.genai", "'tutorscope[google]'"),
    "groq": ("groq", "groq"),
    "mistral": ("mistralai", "mistralai"),
    "grok": ("xai_sdk", "xai_sdk"),
    "azureai": ("azure.ai.inference", "azure-ai-inference"),
    "bedrock": ("aioboto3", "aioboto3"),
    "sagemaker": ("aioboto3", "aioboto3"),
    "hf": ("transformers", "torch transformers accelerate"),
    "transformer_lens": ("transformer_lens", "transformer_lens"),
    "nnterp": ("nnterp", "nnterp"),
    "mockllm": ("inspect_ai", "inspect-ai"),
}


def require_client(option: str, provider: str) -> None:
    """Refuse a provider that nobody knows, or whose client is not installed.

    Raises
    ------
    UserError
        Names what to install, or the providers that there are.
    """
    if provider in PROVIDERS:
        module, package = PROVIDERS[provider]
        if not _importable(module):
            raise UserError(
                f"{option}: {provider}/... needs a client that is not installed; run: pip install {package}"
            )
        return
    # Another installed package may bring a provider to Inspect under any name; only Inspect can tell then.
    from importlib.metadata import entry_points

    others = [point for point in entry_points(group="inspect_ai") if not point.value.startswith("tutorscope.")]
    if not others:
        raise UserError(f"{option}: no provider {provider!r}; expected one of {', '.join(PROVIDERS)}")


def _importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
