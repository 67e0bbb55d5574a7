"""From a folder in the published layout to a release: the authors', a later one, a builder's, or the package's own.

Texts come from the JSON files alone, never from the index. Ids decide what belongs together. Of a scenario's two copies
the compact one is what the tutor sees, and the other adds the full context.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from tutorscope.casework.irregularities import Irregularity, UnfitError
from tutorscope.casework.items import CHALLENGES, Choice, Item, Rubric, Scenario, item_id
from tutorscope.casework.loaded import Release
from tutorscope.casework.oddities import (
    challenge_oddities,
    choice_oddities,
    context_oddities,
    other_challenge,
    rubric_oddities,
    scenario_oddities,
    strategy_oddities,
)
from tutorscope.casework.released_bodies import (
    BY_NAME,
    choice_of,
    context_of,
    horizons_of,
    rubric_of,
    scenario_of,
    scenario_of_choice,
    strategies_of,
    text_of,
)
from tutorscope.casework.released_files import (
    BINARY,
    DIALOGUE,
    FULL,
    MCQ,
    RUBRIC,
    STRATEGIES,
    Key,
    Read,
    ReleasedFile,
    read_folder,
    release_folder,
)
from tutorscope.texts.files import read_regular
from tutorscope.texts.plain import shorten
from tutorscope.texts.words import counted

STARTER = "starter"
"""The name of the release that the package ships, written for it."""

INDEX = "dataset_overall.csv"
LARGEST_INDEX = 100_000_000
"""No more bytes of the index than these are looked at."""

_NAMED = 8
_MATERIAL = "tutorscope.casework.material"


def load_release(path: str | Path) -> Release:
    """Load a release.

    Parameters
    ----------
    path : str or Path
        A folder in the published layout, whole or in part, or "starter" for the package's own material.

    Returns
    -------
    Release
        What can be used. Everything that cannot, and everything odd, is in ``irregularities``.

    Raises
    ------
    UserError
        The path is no release at all.

    Examples
    --------
    >>> release = load_release("starter")
    >>> release.name, release.has("binary", "immediate")
    ('starter', True)
    """
    if path == STARTER:
        with as_file(files(_MATERIAL)) as folder:
            return _Loading(folder).release(STARTER)
    folder = release_folder(Path(path))
    return _Loading(folder).release(folder.resolve().name)


def demo_ids() -> tuple[str, ...]:
    """Give the ids of the starter's open questions that the demo asks."""
    return tuple(json.loads((files(_MATERIAL) / "demo.json").read_text(encoding="utf-8"))["demo"])


class _Loading:
    """The folders of a release as they are put together.

    ``found`` are the findings. ``faults`` says, for a scenario that is left out, where its finding stands, and
    ``hanging`` what goes with such a finding: it is named there, so that one fault is one finding.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.found: list[Irregularity] = []
        self.faults: dict[int, int] = {}
        self.hanging: dict[int, list[str]] = defaultdict(list)
        self.scenarios: dict[int, Scenario] = {}
        self.horizons: dict[int, tuple[str, ...]] = {}
        self.compact, self.full, self.rubric_files, self.mcq, self.binary, self.told = (
            read_folder(root, folder, self.found) for folder in (DIALOGUE, FULL, RUBRIC, MCQ, BINARY, STRATEGIES)
        )

    def release(self, name: str) -> Release:
        self.read_scenarios()
        self.lose_items()
        choices, binary = self.choices(self.mcq, 4), self.choices(self.binary, 2)
        self.add_strategies()
        rubrics = self.rubrics()
        items = self.items(rubrics)
        for position, lost in self.hanging.items():
            one = self.found[position]
            # A file of strategies is named too, and is no question.
            questions = tuple(name for name in lost if "/" not in name)
            said = f"{one.said}; left out with it: {_listed(lost)}"
            self.found[position] = replace(one, said=said, questions=questions)
        titles = self.titles()
        self.note(self.missing())
        self.note(self.index())
        categories = {one.category for one in self.scenarios.values()} | {category for category, _ in rubrics}
        return Release(
            name,
            {category: titles.get(category, "") for category in sorted(categories)},
            dict(sorted(self.scenarios.items())),
            dict(sorted(rubrics.items())),
            items,
            choices,
            binary,
            tuple(self.found),
        )

    def note(self, findings: Iterable[Irregularity]) -> None:
        self.found.extend(findings)

    def refuse(self, file: ReleasedFile, problem: UnfitError) -> int:
        """Leave a file out and give where its finding stands."""
        self.found.append(Irregularity(problem.kind, file.name, problem.said))
        return len(self.found) - 1

    def read_scenarios(self) -> None:
        for read in (self.full, self.compact):
            self.faults |= {_number(key): position for key, position in read.left_out.items()}
        for key in sorted({**self.compact.files, **self.full.files}):
            number = _number(key)
            copies = [read.files[key] for read in (self.compact, self.full) if key in read.files]
            first, last = copies[0], copies[-1]
            differ = any(last.body.get(field) != value for field, value in first.body.items())
            file = first
            try:
                scenario = scenario_of(first)
                file = last
                context = context_of(last)
                if differ:
                    scenario_of(last)
            except UnfitError as problem:
                # One finding is enough for a scenario that cannot be used.
                if number not in self.faults:
                    self.faults[number] = self.refuse(file, problem)
            if number not in self.faults:
                self.scenarios[number] = replace(scenario, full_context=context)
                self.note_scenario(copies)
                if differ:
                    self.found.append(Irregularity("copies", last.name, f"differs from {first.name}, which is taken"))

    def note_scenario(self, copies: list[ReleasedFile]) -> None:
        file, last = copies[0], copies[-1]
        scenario = self.scenarios[file.ids["scenario"]]
        asked, named, refused = horizons_of(file)
        self.horizons[scenario.id] = asked
        for horizon, why in refused.items():
            lost = item_id(scenario.id, horizon)
            self.found.append(Irregularity("prompt", file.name, f"{why}; left out with it: {lost}", (lost,)))
        if asked != tuple(one for one in named if one not in refused):
            said = f"{' and '.join(named)} in the name, {' and '.join(asked) or 'neither horizon'} inside, which counts"
            self.found.append(Irregularity("copies", file.name, said))
        self.note(scenario_oddities(file, scenario))
        self.note(challenge_oddities(file, scenario.challenge))
        if FULL.name == last.name.split("/")[0]:
            self.note(context_oddities(last))
        if file is last:
            for read, folder in ((self.compact, DIALOGUE), (self.full, FULL)):
                if read.there and (scenario.id,) not in read.files:
                    self.found.append(Irregularity("copies", file.name, f"there is no copy of it in {folder.name}/"))

    def lose_items(self) -> None:
        """Name the open questions of scenarios that are left out: of a copy that can be read, or by the file's name."""
        for number, position in self.faults.items():
            copies = [read.files[(number,)] for read in (self.compact, self.full) if (number,) in read.files]
            if copies:
                asked, _, _ = horizons_of(copies[0])
            else:
                match = DIALOGUE.pattern.fullmatch(self.found[position].file.split("/")[1])
                asked = BY_NAME[match["horizons"]] if match else ()
            self.hanging[position] += [item_id(number, horizon) for horizon in asked]

    def choices(self, read: Read, options: int) -> tuple[Choice, ...]:
        choices = []
        for file in read.files.values():
            number = file.ids["scenario"]
            try:
                choice = choice_of(file, options)
                if number in self.faults:
                    self.hanging[self.faults[number]].append(choice.id)
                    continue
                if number not in self.scenarios:
                    self.scenarios[number] = scenario_of_choice(file)
                    said = f"scenario {number} has no file of its own: this choice's copy of its dialogue is taken"
                    self.found.append(Irregularity("from_choices", file.name, said))
                    self.note(challenge_oddities(file, self.scenarios[number].challenge))
                self.same_category(file)
            except UnfitError as problem:
                self.refuse(file, problem)
                continue
            choices.append(choice)
            self.note(choice_oddities(file, choice, self.scenarios[number]))
        return tuple(sorted(choices, key=lambda one: one.id))

    def same_category(self, file: ReleasedFile) -> None:
        scenario = self.scenarios[file.ids["scenario"]]
        if scenario.category != file.ids["category"]:
            said = f"category {file.ids['category']}, but scenario {scenario.id} has {scenario.category}"
            raise UnfitError("disagrees", said)

    def add_strategies(self) -> None:
        for file in self.told.files.values():
            number = file.ids["scenario"]
            if number in self.faults:
                self.hanging[self.faults[number]].append(file.name)
                continue
            try:
                if number not in self.scenarios:
                    raise UnfitError("no_scenario", f"scenario {number} is not there")
                self.same_category(file)
                self.scenarios[number] = replace(
                    self.scenarios[number],
                    strategies=strategies_of(file),
                    persona=text_of(file.body, "persona"),
                    paper=text_of(file.body, "paper"),
                )
                self.note(strategy_oddities(file, self.scenarios[number]))
            except UnfitError as problem:
                self.refuse(file, problem)

    def rubrics(self) -> dict[tuple[int, str], Rubric]:
        rubrics = {}
        for key, file in self.rubric_files.files.items():
            try:
                rubric = rubric_of(file)
            except UnfitError as problem:
                self.rubric_files.left_out[key] = self.refuse(file, problem)
                continue
            rubrics[rubric.category, rubric.horizon] = rubric
            self.note(rubric_oddities(file, rubric))
            known = {one.challenge for one in self.scenarios.values() if one.category == rubric.category}
            self.note(challenge_oddities(file, rubric.challenge))
            if rubric.challenge in CHALLENGES:
                self.note(other_challenge(file, rubric.challenge, known))
        return rubrics

    def items(self, rubrics: Mapping[tuple[int, str], Rubric]) -> tuple[Item, ...]:
        items = []
        without: dict[tuple[int, str], list[str]] = defaultdict(list)
        for number, asked in sorted(self.horizons.items()):
            category = self.scenarios[number].category
            for horizon in asked:
                item = Item(item_id(number, horizon), number, category, horizon)
                if (category, horizon) in rubrics:
                    items.append(item)
                else:
                    without[category, horizon].append(item.id)
        if not self.rubric_files.there:
            # That the folder is not there says it of all of them.
            return ()
        for (category, horizon), lost in without.items():
            position = self.rubric_files.left_out.get((category, horizon))
            if position is None:
                name = f"{RUBRIC.name}/rubric_c{category:03d}_{horizon}.json"
                said = f"is not there; left out with it: {_listed(lost)}"
                self.found.append(Irregularity("no_rubric", name, said, tuple(lost)))
            else:
                self.hanging[position] += lost
        return tuple(items)

    def titles(self) -> dict[int, str]:
        """Give each category's first title, and say where another one stands."""
        refused = {one.file for one in self.found if one.left_out}
        titles: dict[int, dict[str, str]] = defaultdict(dict)
        for read in (self.compact, self.full, self.rubric_files, self.mcq, self.binary):
            for file in read.files.values():
                title = file.body.get("category_title")
                if isinstance(title, str) and title.strip() and file.name not in refused:
                    titles[file.ids["category"]].setdefault(" ".join(title.split()), file.name)
        for category, named in sorted(titles.items()):
            first, *others = named
            for other in others:
                said = f"category {category} is {shorten(other, 60)!r} here and {shorten(first, 60)!r} elsewhere"
                self.found.append(Irregularity("titles", named[other], said))
        return {category: next(iter(named)) for category, named in titles.items()}

    def missing(self) -> Iterator[Irregularity]:
        dialogues = self.compact.there or self.full.there
        asked = tuple(item_id(number, one) for number, found in sorted(self.horizons.items()) for one in found)
        losses = {
            DIALOGUE.name: "the dialogues with full contexts serve" if dialogues else "there are no open questions",
            FULL.name: "the judge gets no full context" if dialogues else "there are no open questions",
            RUBRIC.name: f"{counted(len(asked), 'open question')} cannot be judged and are left out: {_listed(asked)}",
            MCQ.name: "there are no choices of four options",
        }
        for folder, read in zip(losses, (self.compact, self.full, self.rubric_files, self.mcq), strict=True):
            if not read.there:
                # Without rubrics there is something to ask, and it is lost.
                lost = asked if folder == RUBRIC.name else ()
                kind = "no_rubric" if lost else "missing"
                what = "is no folder" if os.path.lexists(self.root / folder) else "is not there"
                yield Irregularity(kind, f"{folder}/", f"{what}: {losses[folder]}", lost)
        for read, own in ((self.binary, BINARY), (self.told, STRATEGIES)):
            if not read.there and os.path.lexists(self.root / own.name):
                yield Irregularity("missing", f"{own.name}/", "is no folder: nothing is taken from it")

    def index(self) -> Iterator[Irregularity]:
        """Look at the index, which lists the open questions. A spreadsheet broke its texts: none is taken."""
        try:
            raw = read_regular(self.root / INDEX, LARGEST_INDEX)
        except FileNotFoundError:
            yield Irregularity("missing", INDEX, "is not there: nothing is taken from it anyway")
            return
        except OSError as problem:
            yield Irregularity(
                "index", INDEX, f"cannot be opened ({problem.strerror}); nothing is taken from it anyway"
            )
            return
        if raw.startswith(codecs.BOM_UTF8):
            raw = raw[len(codecs.BOM_UTF8) :]
            yield Irregularity("byte_order_mark", INDEX, "a byte order mark at the start")
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as problem:
            yield Irregularity("index", INDEX, f"byte {problem.start} is no UTF-8; no text is taken from it")
        known = {_number(key) for read in (self.compact, self.full) for key in (*read.files, *read.left_out)}
        if not known:
            return
        try:
            rows = csv.DictReader(io.StringIO(raw.decode("latin-1"), newline=""))
            listed = {int(row["scenario_id"]) for row in rows if (row.get("scenario_id") or "").strip().isdecimal()}
        except csv.Error as problem:
            yield Irregularity("index", INDEX, f"cannot be read as a table ({problem})")
            return
        if listed - known:
            yield Irregularity(
                "index", INDEX, f"lists scenarios that are not here: {_listed(map(str, sorted(listed - known)))}"
            )


def _number(key: Key) -> int:
    return int(key[0])


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_NAMED]) + (f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else "")
