"""How varied texts are: distinct n-grams, and how many texts share the most frequent one.

Texts come as tokens: what a token is, is for the caller to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class Diversity:
    """How many of the n-grams of some texts are distinct.

    Attributes
    ----------
    n : int
        Tokens in an n-gram.
    texts : int
        All texts, those too short for an n-gram included.
    total, distinct : int
        N-grams over all texts together.
    share : float
        Distinct over total; nan where there is no n-gram.
    """

    n: int
    texts: int
    total: int
    distinct: int
    share: float


@dataclass(frozen=True)
class Frequent:
    """The most frequent n-gram of some texts.

    Attributes
    ----------
    ngram : tuple of str
        Empty where there is no n-gram.
    count : int
        How often it occurs.
    holding, texts : int
        Texts that hold it at least once, and all texts.
    share : float
        Holding over texts; nan where there is no n-gram.
    """

    ngram: Ngram
    count: int
    holding: int
    texts: int
    share: float


def ngrams(tokens: Sequence[str], n: int) -> Iterator[Ngram]:
    """Give the runs of n tokens of one text, from left to right.

    Raises
    ------
    ValueError
        When n is below 1.

    Examples
    --------
    >>> list(ngrams(["a", "b", "c"], 2))
    [('a', 'b'), ('b', 'c')]
    """
    if n < 1:
        raise ValueError(f"n: found {n}, expected at least 1")
    return (tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


def ngram_diversity(texts: Sequence[Sequence[str]], n: int) -> Diversity:
    """Give the share of distinct n-grams among all n-grams of all texts, pooled.

    No n-gram reaches from one text into the next. The share falls as texts are added, so it compares groups of texts of
    like number and length only.

    Parameters
    ----------
    texts : sequence of sequence of str
        Each text's tokens.
    n : int
        At least 1.

    Returns
    -------
    Diversity

    References
    ----------
    Li et al. (2016), A Diversity-Promoting Objective Function for Neural Conversation Models, NAACL (distinct-n).

    Examples
    --------
    >>> ngram_diversity([["a", "b", "a", "b"], ["a", "b"]], 2).share
    0.5
    """
    counts = _counted(texts, n)
    total = counts.total()
    return Diversity(n, len(texts), total, len(counts), len(counts) / total if total else float("nan"))


def most_frequent_ngram(texts: Sequence[Sequence[str]], n: int) -> Frequent:
    """Find the n-gram that occurs most often in all texts together, and the share of texts that hold it.

    Of several that occur equally often it is the one that more texts hold, then the first in order of its tokens.

    Parameters
    ----------
    texts : sequence of sequence of str
        Each text's tokens.
    n : int
        At least 1.

    Returns
    -------
    Frequent

    Examples
    --------
    >>> found = most_frequent_ngram([["i", "see", "you"], ["i", "see"], ["well"]], 2)
    >>> found.ngram, found.count, found.holding, found.texts
    (('i', 'see'), 2, 2, 3)
    """
    counts = _counted(texts, n)
    if not counts:
        return Frequent((), 0, 0, len(texts), float("nan"))
    most = max(counts.values())
    candidates = {ngram for ngram, count in counts.items() if count == most}
    holding = Counter(ngram for tokens in texts for ngram in candidates.intersection(ngrams(tokens, n)))
    best = min(candidates, key=lambda ngram: (-holding[ngram], ngram))
    return Frequent(best, most, holding[best], len(texts), holding[best] / len(texts))


def _counted(texts: Sequence[Sequence[str]], n: int) -> Counter[Ngram]:
    return Counter(ngram for tokens in texts for ngram in ngrams(tokens, n))
