"""The figures of the uptake paper's Tables 1 to 6, as data.

They were made with GPT-5-mini and the paper's own wording. Our rubric has the same meaning and scale in other words, so
a page that sets them beside its own numbers calls them a different instrument.
"""

from __future__ import annotations

from collections.abc import Iterator

from tutorscope.pictures.blocks import Published

DIFFERENT_INSTRUMENT = (
    "Published values come from another instrument: GPT-5-mini as the judge, and the paper's own wording of the rubric."
)
COUNTS_NOTE = (
    "The paper's text speaks of 9,490 chats; its own Tables 1 and 2 sum to 9,098 valid chats of 11,243. "
    "The tables are given here."
)

CATEGORIES = {
    "benchmark": "AI tutor benchmarks",
    "with_scaffolding": "Chatbots with scaffolding",
    "without_scaffolding": "Chatbots without scaffolding",
}

_NAMED_AS = {
    "benchmark": {"benchmark", "benchmarks", "aitutorbenchmarks", "tutorbenchmarks"},
    "with_scaffolding": {"withscaffolding", "scaffolding", "scaffolded", "chatbotswithscaffolding"},
    "without_scaffolding": {"withoutscaffolding", "noscaffolding", "unscaffolded", "chatbotswithoutscaffolding"},
}

# dataset: category, valid chats, total chats, subject, level, deployment, scaffolded, human tutor, human student
_TABLE_1: dict[str, tuple[str, int, int, str, str, str, str, str, str]] = {
    "MathDial": ("benchmark", 2018, 2262, "maths", "K-12", "research", "yes", "yes", "no"),
    "MathTutorBench": ("benchmark", 374, 1477, "maths", "K-12", "research", "yes", "yes", "mixed"),
    "QATD2k": ("benchmark", 1971, 1971, "maths", "K-12", "platform", "yes", "yes", "yes"),
    "PATS": ("benchmark", 1920, 1920, "literacy", "K-12", "research", "yes", "no", "no"),
    "CoMTA": ("with_scaffolding", 162, 188, "maths", "K-12", "platform", "yes", "no", "yes"),
    "RECIPE4U": ("with_scaffolding", 417, 508, "language", "higher", "platform", "yes", "no", "yes"),
    "StemChat": ("with_scaffolding", 422, 573, "STEM", "higher", "platform", "yes", "no", "yes"),
    "StudyChat": ("without_scaffolding", 1732, 2214, "computing", "higher", "stand-alone", "no", "no", "yes"),
    "MathsChat": ("without_scaffolding", 82, 130, "maths", "higher", "stand-alone", "no", "no", "yes"),
}
TRAITS = ("subject", "level", "deployment", "scaffolded", "human_tutor", "human_student")

# dataset: scaffolding mean and sd, uptake mean and sd, Spearman's rho, its p (None: printed as below .001)
_TABLE_2: dict[str, tuple[float, float, float, float, float, float | None]] = {
    "MathDial": (3.70, 0.82, 0.75, 0.18, 0.080, None),
    "MathTutorBench": (3.97, 0.87, 0.80, 0.21, -0.082, 0.112),
    "QATD2k": (3.02, 0.52, 0.76, 0.16, 0.245, None),
    "PATS": (3.60, 0.36, 0.59, 0.21, 0.078, None),
    "CoMTA": (4.05, 0.42, 0.68, 0.28, 0.093, 0.241),
    "RECIPE4U": (2.43, 0.72, 0.36, 0.37, 0.330, None),
    "StemChat": (2.86, 1.01, 0.30, 0.41, 0.201, None),
    "StudyChat": (1.67, 0.70, -0.02, 0.40, 0.315, None),
    "MathsChat": (1.41, 0.54, -0.07, 0.49, 0.194, 0.080),
}
_TABLE_2_POOLED: dict[str, tuple[float, float | None]] = {
    "benchmark": (0.019, 0.134),
    "with_scaffolding": (0.346, None),
    "without_scaffolding": (0.308, None),
}

# N, wins, ties, losses, accuracy
_TABLE_3 = (550, 516, 32, 2, 0.938)

# dataset or bin: chats, agree, disagree (averaged over two raters), share that agree, Gwet's AC1
_TABLE_4: dict[str, tuple[float, float, float, float, float]] = {
    "MathDial": (28, 20, 8, 0.714, 0.155),
    "MathTutorBench": (20, 11.5, 8.5, 0.575, 0.315),
    "QATD2k": (28, 21.5, 6.5, 0.768, 0.723),
    "PATS": (30, 26.5, 3.5, 0.883, 0.706),
    "CoMTA": (25, 21, 4, 0.840, 0.672),
    "RECIPE4U": (36, 29.5, 6.5, 0.819, 0.566),
    "StemChat": (39, 35, 4, 0.897, 0.874),
    "StudyChat": (45, 34, 11, 0.756, 0.436),
    "MathsChat": (31, 23.5, 7.5, 0.758, 0.541),
    "all": (282, 222.5, 59.5, 0.789, 0.580),
}
_TABLE_5: dict[str, tuple[float, float, float, float, float]] = {
    "1": (73, 65.5, 7.5, 0.897, 0.782),
    "2": (81, 46, 35, 0.568, 0.127),
    "3": (70, 57, 13, 0.814, 0.549),
    "4": (42, 39.5, 2.5, 0.940, 0.866),
    "5": (16, 14.5, 1.5, 0.906, 0.774),
    "all": (282, 222.5, 59.5, 0.789, 0.580),
}

# pair: n of each, PERMANOVA's F (p printed as below .0001), PERMDISP's F (p = .001)
_TABLE_6: dict[tuple[str, str], tuple[int, int, float, float]] = {
    ("benchmark", "with_scaffolding"): (6283, 1001, 868.5, 956.8),
    ("benchmark", "without_scaffolding"): (6283, 1814, 10132.3, 550.1),
    ("with_scaffolding", "without_scaffolding"): (1001, 1814, 1057.0, 99.2),
}


def published() -> list[Published]:
    """Give every figure of Tables 1 to 6.

    Returns
    -------
    list of Published
        ``name`` is a measure in snake_case, ``where`` its table, ``of`` what it is about: dataset, category, bin or
        pair. Uptake is on the mapped scale from -1 to +1. A p that the paper prints as a bound carries
        ``of["relation"] = "<"``.
    """
    agreement = (*_agreement(_TABLE_4, "dataset", "Table 4"), *_agreement(_TABLE_5, "bin", "Table 5"))
    return [*_table_1(), *_table_2(), *_table_3(), *agreement, *_table_6()]


def published_dataset(name: str) -> dict[str, float | int | str] | None:
    """Give the published row of a dataset, found by its name without regard to case, dashes or blanks.

    Parameters
    ----------
    name : str
        The dataset's name in a run.

    Returns
    -------
    dict or None
        dataset, category, valid, total, traits, scaffolding_mean, scaffolding_sd, uptake_mean, uptake_sd, rho.
    """
    wanted = "".join(filter(str.isalnum, name.casefold()))
    for dataset, (category, valid, total, *traits) in _TABLE_1.items():
        if dataset.casefold() == wanted:
            scaffolding, scaffolding_sd, uptake, uptake_sd, rho, _ = _TABLE_2[dataset]
            return {
                "dataset": dataset,
                "category": category,
                "valid": valid,
                "total": total,
                **dict(zip(TRAITS, traits, strict=True)),
                "scaffolding_mean": scaffolding,
                "scaffolding_sd": scaffolding_sd,
                "uptake_mean": uptake,
                "uptake_sd": uptake_sd,
                "rho": rho,
            }
    return None


def published_category(label: str) -> str | None:
    """Give the paper's category that a label names, without regard to case, dashes or blanks.

    Examples
    --------
    >>> published_category("With scaffolding"), published_category("pilot")
    ('with_scaffolding', None)
    """
    wanted = "".join(filter(str.isalnum, label.casefold()))
    return next((known for known, names in _NAMED_AS.items() if wanted in names), None)


def published_pair(a: str, b: str) -> dict[str, float] | None:
    """Give the published tests of two categories, by the labels of a run.

    Returns
    -------
    dict or None
        n_a, n_b (in the order asked), permanova_f, permdisp_f. The paper prints p below .0001 and as .001 for all.
    """
    pair = (published_category(a), published_category(b))
    for (first, second), (n_first, n_second, location, spread) in _TABLE_6.items():
        if pair in ((first, second), (second, first)):
            n_a, n_b = (n_first, n_second) if pair == (first, second) else (n_second, n_first)
            return {"n_a": n_a, "n_b": n_b, "permanova_f": location, "permdisp_f": spread}
    return None


def published_validation() -> dict[str, float]:
    """Give Table 3: pairs, win, tie, loss and accuracy of the paper's judge on pairs with a known better reply."""
    return dict(zip(("pairs", "win", "tie", "loss", "accuracy"), _TABLE_3, strict=True))


def published_agreement(by: str, group: str) -> dict[str, float] | None:
    """Give the row of Table 4 (by dataset) or 5 (by bin), found by name as datasets are.

    Parameters
    ----------
    by : str
        "all", "dataset" or "bin".
    group : str

    Returns
    -------
    dict or None
        raters, total, agree, disagree, percent_agree, ac1.
    """
    table = {"all": _TABLE_4, "dataset": _TABLE_4, "bin": _TABLE_5}[by]
    wanted = "".join(filter(str.isalnum, group.casefold()))
    for name, (total, agree, disagree, share, ac1) in table.items():
        if name.casefold() == wanted and (name == "all") == (by == "all"):
            counts = {"raters": 2, "total": total, "agree": agree, "disagree": disagree}
            return {**counts, "percent_agree": round(100 * share, 1), "ac1": ac1}
    return None


def published_means() -> list[tuple[str, str, float, float]]:
    """Give (category, dataset, mean uptake, mean scaffolding) for each dataset of Table 2."""
    return [(_TABLE_1[name][0], name, row[2], row[0]) for name, row in _TABLE_2.items()]


def _table_1() -> Iterator[Published]:
    for dataset, (category, valid, total, *traits) in _TABLE_1.items():
        of = {"dataset": dataset, "category": category, **dict(zip(TRAITS, traits, strict=True))}
        yield Published("valid_chats", valid, "Table 1", of)
        yield Published("total_chats", total, "Table 1", of)


def _table_2() -> Iterator[Published]:
    for dataset, (scaffolding, scaffolding_sd, uptake, uptake_sd, rho, p) in _TABLE_2.items():
        of = {"dataset": dataset, "category": _TABLE_1[dataset][0]}
        yield Published("scaffolding_mean", scaffolding, "Table 2", of)
        yield Published("scaffolding_sd", scaffolding_sd, "Table 2", of)
        yield Published("uptake_mean", uptake, "Table 2", of)
        yield Published("uptake_sd", uptake_sd, "Table 2", of)
        yield Published("rho", rho, "Table 2", of)
        yield _p("rho_p", p, 0.001, "Table 2", of)
    for category, (rho, p) in _TABLE_2_POOLED.items():
        yield Published("rho", rho, "Table 2", {"category": category})
        yield _p("rho_p", p, 0.001, "Table 2", {"category": category})


def _table_3() -> Iterator[Published]:
    for name, value in zip(("pairs", "wins", "ties", "losses", "accuracy"), _TABLE_3, strict=True):
        yield Published(name, value, "Table 3", {"judge": "GPT-5-mini"})


def _agreement(
    table: dict[str, tuple[float, float, float, float, float]], over: str, where: str
) -> Iterator[Published]:
    for row, values in table.items():
        for name, value in zip(("chats", "agree", "disagree", "agree_share", "ac1"), values, strict=True):
            yield Published(name, value, where, {over: row})


def _table_6() -> Iterator[Published]:
    for (a, b), (n_a, n_b, location, spread) in _TABLE_6.items():
        of = {"a": a, "b": b}
        yield Published("n_a", n_a, "Table 6", of)
        yield Published("n_b", n_b, "Table 6", of)
        yield Published("permanova_f", location, "Table 6", of)
        yield _p("permanova_p", None, 0.0001, "Table 6", of)
        yield Published("permdisp_f", spread, "Table 6", of)
        yield Published("permdisp_p", 0.001, "Table 6", of)


def _p(name: str, p: float | None, bound: float, where: str, of: dict[str, str]) -> Published:
    if p is None:
        return Published(name, bound, where, {**of, "relation": "<"})
    return Published(name, p, where, of)
