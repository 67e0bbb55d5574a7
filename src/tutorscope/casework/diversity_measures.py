"""How varied a tutor's replies are, and whether they tell the case they answer (TutorCaseBench, 5.1, O and P).

The digest of the paper defines neither measure, so these are our definitions.

Diversity. A reply is put into Unicode's NFKC form and lower case; its words are runs of letters and digits, with
apostrophes inside a word. Diversity is the number of distinct n-grams over the number of all n-grams, pooled over a
tutor's replies of one horizon; no n-gram reaches from one reply into the next.

Case recovery. Words are weighed by TF-IDF: a word's count in the text, times ln((1 + D) / (1 + d)) + 1 with D dialogues
of which d hold it. A reply recovers its case if, by the cosine of these vectors, its own dialogue is nearer to it than
every other dialogue of the run. A reply that shares no word with any dialogue recovers nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tutorscope.casework.answering import OPEN
from tutorscope.casework.views import groups, rows_frame, views
from tutorscope.stats.diversity import most_frequent_ngram, ngram_diversity
from tutorscope.texts.vectors import nearest

N_GRAMS = (3, 4, 5)
_FREQUENT = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COLUMNS = (
    *("tutor", "horizon", "n_grams", "replies", "blank", "total", "diversity", "top_4gram", "top_4gram_share"),
    *("recovery", "recovery_n", "dialogues"),
)


def words(text: str) -> list[str]:
    """Give the words of a text as the measures count them.

    Examples
    --------
    >>> words("It's OK: try 2/3!")
    ["it's", 'ok', 'try', '2', '3']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).lower().replace("’", "'"))


def diversity(replies: pd.DataFrame, dialogues: pd.DataFrame) -> pd.DataFrame:
    """Give n-gram diversity and case recovery of each tutor's open replies.

    Parameters
    ----------
    replies, dialogues : DataFrame
        As `records.tables` gives them.

    Returns
    -------
    DataFrame
        A row for each tutor, horizon and ``n_grams`` (3, 4, 5): ``replies`` with a text (``blank``: those without),
        ``total`` n-grams, ``diversity``, ``top_4gram`` and the share of replies that hold it, ``recovery`` over the
        ``recovery_n`` replies whose dialogue is known, among the run's ``dialogues``.
    """
    return rows_frame(_rows(replies[replies["form"] == OPEN], dialogues), _COLUMNS)


def _rows(replies: pd.DataFrame, dialogues: pd.DataFrame) -> Iterator[dict[str, Any]]:
    known = {tuple(key.values()): _Cases(part) for key, part in groups(dialogues, _run(dialogues))}
    for key, part in groups(replies, views(replies, "tutor", "horizon")):
        said = part[part["text"].fillna("").str.strip() != ""]
        texts = [words(text) for text in said["text"]]
        cases = known.get(tuple(key[name] for name in _run(replies)))
        found = cases.recovered(texts, [int(one) for one in said["scenario"]]) if cases else []
        top = most_frequent_ngram(texts, _FREQUENT)
        for n in N_GRAMS:
            varied = ngram_diversity(texts, n)
            yield {
                **key,
                "n_grams": n,
                "replies": len(said),
                "blank": len(part) - len(said),
                "total": varied.total,
                "diversity": varied.share,
                "top_4gram": " ".join(top.ngram) or None,
                "top_4gram_share": top.share,
                "recovery": float(np.mean(found)) if found else math.nan,
                "recovery_n": len(found),
                "dialogues": len(cases.places) if cases else 0,
            }


def _run(frame: pd.DataFrame) -> list[str]:
    return [name for name in ("run",) if name in frame.columns]


class _Cases:
    """The dialogues of one run, as TF-IDF vectors."""

    def __init__(self, dialogues: pd.DataFrame) -> None:
        texts = dialogues.sort_values(["scenario", "turn"]).groupby("scenario")["message"].agg(list)
        counted = [Counter(word for message in messages for word in words(message)) for messages in texts]
        self.places = {int(scenario): place for place, scenario in enumerate(texts.index)}
        self._column = {word: place for place, word in enumerate(dict.fromkeys(w for one in counted for w in one))}
        held = Counter(word for one in counted for word in one)
        among = len(counted)
        weights = [math.log((1 + among) / (1 + held[word])) + 1 for word in self._column]
        self._weights = np.asarray(weights, dtype=np.float64)
        self._vectors = self._weighed(counted)

    def _weighed(self, counted: Sequence[Counter[str]]) -> npt.NDArray[np.float64]:
        vectors = np.zeros((len(counted), len(self._column)))
        for row, counts in enumerate(counted):
            for word, count in counts.items():
                if word in self._column:
                    vectors[row, self._column[word]] = count
        return vectors * self._weights

    def recovered(self, texts: Sequence[Sequence[str]], scenarios: Sequence[int]) -> list[bool]:
        """Say of each reply whose dialogue is known whether it recovers it."""
        held = [(text, self.places[one]) for text, one in zip(texts, scenarios, strict=True) if one in self.places]
        if not held:
            return []
        # Two at the front: a reply that is as near to another dialogue does not tell which of both it answers.
        rows, values = nearest(self._weighed([Counter(text) for text, _ in held]), self._vectors, 2)
        return [
            bool(row[0] == place and near[0] > 0 and not (len(self.places) > 1 and near[1] == near[0]))
            for row, near, (_, place) in zip(rows, values, held, strict=True)
        ]
