"""From tables to numbers: by tutor, domain, condition and setting, each with its interval and what is missing."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from tutorscope.intervention.behaviour import behaviour, counts, per_problem
from tutorscope.intervention.comparisons import categories, people_models, standard_oracle
from tutorscope.intervention.frames import mean_by, resampled, validated
from tutorscope.intervention.helpfulness import accuracy, grading, helpfulness, transfer
from tutorscope.intervention.kinds_agreement import category_agreement


def measures(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give the tables of numbers.

    Parameters
    ----------
    tables : mapping
        ``traces``, ``grades``, ``episodes`` and ``continued``; if there ``attempts``, ``messages`` with ``taxonomies``,
        and ``settings`` (a row whose column ``ci`` says what intervals resample: "problems", unless it is "episodes").

    Returns
    -------
    dict of DataFrame
        ``behaviour``, ``counts``, ``per_problem``, ``standard_oracle``, ``people_models``, ``helpfulness``,
        ``accuracy``, ``grading``, ``transfer``, ``categories`` and ``category_agreement``. The functions of these names
        say what is in them. Rows that pool tutors or domains are called "all"; people and models are never pooled.

    Raises
    ------
    UserError
        A table lacks a column or holds what cannot be.
    """
    held = validated(tables)
    ci = resampled(tables)
    mean = mean_by(ci)
    episodes, traces = held["episodes"], held["traces"]
    people = set(zip(episodes["run"][episodes["people"]], episodes["tutor"][episodes["people"]], strict=True))
    return {
        "behaviour": behaviour(episodes, mean),
        "counts": counts(episodes),
        "per_problem": per_problem(episodes, traces),
        "standard_oracle": standard_oracle(episodes),
        "people_models": people_models(episodes, mean),
        "helpfulness": helpfulness(held["continued"], episodes, mean),
        "accuracy": accuracy(held["grades"], traces, mean),
        "grading": grading(held["grades"], traces),
        "transfer": transfer(held["attempts"], traces, people, ci, mean),
        "categories": categories(held["messages"], held["taxonomies"], traces),
        "category_agreement": category_agreement(held["messages"], held["taxonomies"]),
    }
