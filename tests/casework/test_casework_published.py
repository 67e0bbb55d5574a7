"""The paper's figures: held against its digest where that is there, and found by a tutor's name."""

from pathlib import Path

import pytest

from tutorscope.casework.instrument import CASEWORK
from tutorscope.casework.published import (
    published,
    published_accuracy,
    published_diversity,
    published_model,
    published_range,
    published_reference_effect,
    published_success,
)

DIGEST = Path(__file__).resolve().parents[3] / "shared" / "papers" / "casework-benchmark.txt"


def printed(one):
    """Give the ways in which the digest may print a value."""
    value = abs(one.value)
    if one.name in ("p", "rank_p"):
        return [f"p < {value:g}"]
    if one.name in ("spearman", "rank_spearman"):
        return [f"ρ = {value:.3f}", f"ρ = {value:.2f}", f"{value:.2f}", f"–{value:.2f}"]
    if one.name == "mean_rating":
        return [f"{value:.2f}"]
    if value >= 1 or one.name == "judgments":
        words = {10: "10 of 11", 11: "11 LLMs", 7: "7 decline", 3: "Only 3 of 11", 1: "one is unchanged"}
        return [words.get(int(value), f"{int(value):,}"), f"{int(value)} "]
    if value == 0:
        return ["no No ratings"]
    percent, whole = f"{100 * value:.1f}", f"{100 * value:.0f}"
    return [f"{percent}%", f"{percent} points", f"{percent} percentage points", f"{whole}%", f"{whole}–"]


def test_each_figure_stands_in_the_digest():
    if not DIGEST.is_file():
        pytest.skip("the paper digests (../shared/papers) are not here")
    text = DIGEST.read_text(encoding="utf-8")
    absent = [(one.name, one.value) for one in published() if not any(way in text for way in printed(one))]
    assert absent == []


def test_each_figure_has_a_place_and_is_there_once():
    keys = [(one.name, tuple(sorted(one.of.items()))) for one in published()]
    assert all(one.where for one in published())
    assert len(set(keys)) == len(keys)


def test_the_instrument_offers_them():
    assert CASEWORK.published() == published()


@pytest.mark.parametrize(
    ("tutor", "model"),
    [
        ("anthropic/claude-opus-4-7", "Claude Opus 4.7"),
        ("google/gemini-3.1-pro-preview", "Gemini 3.1 Pro"),
        ("together/meta-llama/Llama-4-Maverick-17B-128E-Instruct", "Llama 4 Maverick"),
        ("openai/gpt-oss-120b", "GPT-OSS 120B"),
        ("openai/gpt-5.5", "GPT-5.5"),
        ("openai/gpt-5.5-mini", None),
        ("claude-opus-4", None),
        ("embedded", None),
    ],
)
def test_a_tutor_is_known_by_its_name(tutor, model):
    assert published_model(tutor) == model


def test_values_are_found_by_name_and_horizon():
    assert published_success("claude-opus-4.7", "all") == 0.558
    assert published_success("gemini-3.1-pro-preview", "long_term") == 0.352
    assert published_success("gemini-3.1-pro-preview", "all") is None
    assert published_accuracy("gpt-oss-120b") == 0.492
    assert published_range("success") == (0.317, 0.558)
    assert published_reference_effect("long_term") == -0.052
    assert published_reference_effect("all") is None
    assert published_diversity("recovery", "immediate") == 0.691
