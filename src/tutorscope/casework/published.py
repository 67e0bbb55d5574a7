"""The figures of the casework paper (TutorCaseBench) that are known to us, as data.

Shares are between 0 and 1. The paper's items are those of its whole release, its judge is Gemini 3.1 Pro Preview in one
call a reply, and its prompts are its own: a page that sets these values beside its own calls them a different
instrument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.pictures.blocks import Published

DIFFERENT_INSTRUMENT = (
    "Published values come from a different instrument: the paper's own items, prompts and wording, Gemini 3.1 Pro "
    "Preview as the judge, all criteria of a reply decided in one call."
)

OPUS, GPT, GEMINI = "Claude Opus 4.7", "GPT-5.5", "Gemini 3.1 Pro"
DEEPSEEK, MAVERICK, OSS = "DeepSeek V4 Pro", "Llama 4 Maverick", "GPT-OSS 120B"

# model: success over both horizons
_SUCCESS = {OPUS: 0.558, GPT: 0.547, DEEPSEEK: 0.470, MAVERICK: 0.317}
_BY_HORIZON = {(GEMINI, "immediate"): 0.675, (GEMINI, "long_term"): 0.352}
_SATISFACTION = {OPUS: 0.288, GPT: 0.280, GEMINI: 0.264}
_ACCURACY = {OPUS: 0.630, OSS: 0.492}

# horizon: mean change with references, models that gain, lose, stay (None: not told apart)
_REFERENCES: dict[str, tuple[float, int, int | None, int | None]] = {
    "immediate": (0.099, 10, None, None),
    "long_term": (-0.052, 3, 7, 1),
}
# measure: Spearman with success, and the bound on its p
_DIVERSITY: dict[tuple[str, str], tuple[float, float, str]] = {
    ("diversity_4", "immediate"): (0.800, 0.01, "5.1"),
    ("diversity_3", "immediate"): (0.855, 0.01, "O"),
    ("diversity_5", "immediate"): (0.791, 0.01, "O"),
    ("diversity_3", "long_term"): (0.627, 0.05, "O"),
    ("recovery", "immediate"): (0.691, 0.05, "P"),
}
_FAILURES = {"all_right": 0.268, "all_wrong": 0.175, "same_distractor": 0.403}
# what is compared: Spearman of the rankings of 11 models
_RANKS = {
    ("construction", "Gemini and Claude"): (0.943, "L"),
    ("construction", "Gemini and GPT"): (0.925, "L"),
    ("judges", "lowest pair"): (0.96, "M"),
    ("judges", "highest pair"): (0.97, "M"),
    ("turns", "four and six"): (0.916, "E"),
    ("turns", "six and eight"): (0.911, "E"),
}
_TURNS = {4: 0.458, 6: 0.466, 8: 0.468}
# stage: shares of the answers that raters gave on the three-point scale
_VALIDATION: dict[tuple[str, str], float] = {
    ("category", "yes"): 0.650,
    ("evidence", "partly"): 0.509,
    ("scenario", "yes"): 0.611,
    ("strategy", "yes"): 0.505,
    ("strategy", "partly"): 0.475,
    ("dialogue", "yes"): 0.657,
    ("rubric", "yes"): 0.693,
    ("rubric", "no"): 0.0,
}
_COUNTS = {
    **{"scenarios": 923, "categories": 518, "papers": 300, "open_items": 1560, "mcq": 2537, "binary": 751},
    **{"models": 11},
}


def published() -> list[Published]:
    """Give every figure.

    Returns
    -------
    list of Published
        ``name`` is a measure as in our tables, ``where`` a section, table or appendix, ``of`` what it is about: model,
        horizon, form, stage. A p, or a bound of a range, carries ``of["relation"]``.
    """
    return [
        *_successes(),
        *_choices(),
        *_references(),
        *_diversity(),
        *(Published(name, value, "R", {"form": "mcq", "models": 11}) for name, value in _FAILURES.items()),
        *_ranks(),
        *_validation(),
        *(Published(name, value, "3.4, F", {}) for name, value in _COUNTS.items()),
        Published("challenge_share", 0.287, "3.4", {"challenge": "task_resistance"}),
        Published("challenge_share", 0.137, "3.4", {"challenge": "emotional_distress"}),
    ]


def published_model(tutor: str) -> str | None:
    """Give the paper's model that a tutor's name names: provider, blanks, dots and a date or "preview" do not matter.

    Examples
    --------
    >>> published_model("anthropic/claude-opus-4-7"), published_model("openai/gpt-5.5-mini")
    ('Claude Opus 4.7', None)
    """
    name = _folded(tutor)
    for model in (OPUS, GPT, GEMINI, DEEPSEEK, MAVERICK, OSS):
        if re.search(_folded(model) + r"(?:(?:preview|instruct|latest)\w*|\d+[be]?\w*)?$", name):
            return model
    return None


def published_success(tutor: str, horizon: str) -> float | None:
    """Give the published open success of the model that a tutor's name names, of a horizon or of both ("all")."""
    model = published_model(tutor)
    if model is None:
        return None
    return _SUCCESS.get(model) if horizon == "all" else _BY_HORIZON.get((model, horizon))


def published_accuracy(tutor: str) -> float | None:
    """Give the published accuracy on choices of four of the model that a tutor's name names."""
    return _ACCURACY.get(published_model(tutor) or "")


def published_range(measure: str) -> tuple[float, float]:
    """Give the lowest and the highest published value over 11 models: of "success" or of "accuracy"."""
    held: Mapping[str, float] = {"success": _SUCCESS, "accuracy": _ACCURACY}[measure]
    return min(held.values()), max(held.values())


def published_reference_effect(horizon: str) -> float | None:
    """Give the published mean change of success with references, over 11 models."""
    found = _REFERENCES.get(horizon)
    return found[0] if found else None


def published_diversity(measure: str, horizon: str) -> float | None:
    """Give the published Spearman of a measure of diversity with success."""
    found = _DIVERSITY.get((measure, horizon))
    return found[0] if found else None


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _successes() -> Iterator[Published]:
    for model, value in _SUCCESS.items():
        yield Published("success", value, "5.1, Table 1", {"model": model, "form": "open", "horizon": "all"})
    for (model, horizon), value in _BY_HORIZON.items():
        yield Published("success", value, "5.1", {"model": model, "form": "open", "horizon": horizon})
    for model, value in _SATISFACTION.items():
        yield Published("satisfaction", value, "K, Table 7", {"model": model, "form": "open", "horizon": "all"})
    for turns, value in _TURNS.items():
        yield Published("success", value, "E", {"form": "open", "horizon": "all", "turns": turns, "models": 11})


def _choices() -> Iterator[Published]:
    for model, value in _ACCURACY.items():
        yield Published("accuracy", value, "5.2, Table 3", {"model": model, "form": "mcq", "horizon": "all"})
    yield Published("accuracy", 0.858, "F.2.2", {"form": "binary", "relation": "lowest", "models": 11})
    yield Published("accuracy", 0.931, "F.2.2", {"form": "binary", "relation": "highest", "models": 11})
    yield Published("chance", 0.25, "5.2", {"form": "mcq"})
    yield Published("chance", 0.5, "F.2.2", {"form": "binary"})


def _references() -> Iterator[Published]:
    for horizon, (change, *counts) in _REFERENCES.items():
        of = {"horizon": horizon, "models": 11}
        where = "5.3" if horizon == "immediate" else "S"
        yield Published("reference_effect", change, where, of)
        for name, count in zip(("gain", "lose", "stay"), counts, strict=True):
            if count is not None:
                yield Published(f"models_that_{name}", count, where, of)
    for form, value in (("open", 0.410), ("reference", 0.648)):
        yield Published("success", value, "5.3", {"model": MAVERICK, "form": form, "horizon": "immediate"})


def _diversity() -> Iterator[Published]:
    for (measure, horizon), (rho, bound, where) in _DIVERSITY.items():
        of: dict[str, Any] = {"measure": measure, "horizon": horizon, "n": 11}
        yield Published("spearman", rho, where, of)
        yield Published("p", bound, where, {**of, "relation": "<"})
    of = {"horizon": "immediate"}
    yield Published("top_4gram_share", 0.504, "5.1", {**of, "model": MAVERICK})
    for relation, value in (("lowest", 0.06), ("highest", 0.09)):
        models = f"{OPUS}, {GPT}, {GEMINI}"
        yield Published("top_4gram_share", value, "5.1", {**of, "models": models, "relation": relation})


def _ranks() -> Iterator[Published]:
    for (what, pair), (rho, where) in _RANKS.items():
        yield Published("rank_spearman", rho, where, {"what": what, "pair": pair, "n": 11})
        yield Published("rank_p", 0.001, where, {"what": what, "pair": pair, "relation": "<"})


def _validation() -> Iterator[Published]:
    yield Published("mean_rating", 2.42, "3.5", {"stage": "evidence", "points": 3})
    yield Published("mean_rating", 2.69, "3.5", {"stage": "rubric", "points": 3})
    for (stage, label), share in _VALIDATION.items():
        yield Published("rating_share", share, "I", {"stage": stage, "label": label})
    yield Published("rating_share", 0.966, "I", {"stage": "all", "label": "yes or partly"})
    yield Published("rating_share", 0.034, "I", {"stage": "all", "label": "no"})
    yield Published("rating_share", 0.763, "I", {"stage": "challenge type", "label": "confirmed"})
    yield Published("judgments", 882, "I", {"points": 3})
    yield Published("judgments", 114, "I", {"points": 2})
    for stage, share in (("all", 0.582), ("challenge type", 0.842), ("strategy", 0.434)):
        yield Published("exact", share, "I, Table 6", {"stage": stage, "raters": 2})
