"""Our sentences are ours: no tracked file shares a run of 12 words with a paper.

The papers lie beside the repository, in ``../shared/papers``, on the machines of those who work on it. Where they are
absent the check says so and passes. A word is a run of letters and digits, in lower case; anything else is a gap.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from tracked import ROOT, tracked_texts

RUN = 12
PAPERS = ROOT.parent / "shared" / "papers"

# Files that hold a paper's facts as data, each with the reason. Prose, prompts and rubrics never belong here.
FACTS: dict[str, str] = {
    "src/tutorscope/intervention/published.py": "the numbers of the printed tables, row by row",
    "src/tutorscope/intervention/taxonomy.yaml": "the names of the published categories, which are labels",
}

WORD = re.compile(r"[a-z0-9]+")


def runs_of(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Give each run of 12 words of a text, with the position of its first word."""
    found = [(match.start(), match.group()) for match in WORD.finditer(text.lower())]
    for first in range(len(found) - RUN + 1):
        yield found[first][0], tuple(word for _, word in found[first : first + RUN])


def known_runs(papers: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Collect the runs of all papers."""
    return frozenset(words for text in papers for _, words in runs_of(text))


def shared_runs(text: str, known: frozenset[tuple[str, ...]]) -> Iterator[tuple[int, str]]:
    """Give line number and words of each stretch of a text that stands in a paper, overlapping runs joined."""
    words: list[str] = []
    line = 0
    for position, run in runs_of(text):
        if run not in known:
            if words:
                yield line, " ".join(words)
            words = []
        elif words:
            words.append(run[-1])
        else:
            line = text.count("\n", 0, position) + 1
            words = list(run)
    if words:
        yield line, " ".join(words)


def main() -> int:
    """Check every tracked text file."""
    papers = sorted(PAPERS.glob("*.txt"))
    if not papers:
        print("own words: skipped, the papers are not beside the repository")
        return 0
    known = known_runs(path.read_text(encoding="utf-8", errors="replace") for path in papers)
    texts = dict(tracked_texts())
    stale = sorted(FACTS.keys() - texts.keys())
    for name in stale:
        print(f"tools/own_words.py: {name} is exempt but not tracked")
    count = len(stale)
    for name, text in texts.items():
        if name not in FACTS:
            for line, words in shared_runs(text, known):
                print(f"{name}:{line}: words of a paper: {words}")
                count += 1
    print(f"own words: {count or 'no'} complaints; {len(texts)} files against {len(papers)} papers")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
