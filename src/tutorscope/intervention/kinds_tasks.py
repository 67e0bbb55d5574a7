"""The stages that say what kind of help messages are: described, grouped once and for good, labelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tutorscope.errors import UserError
from tutorscope.intervention.episodes import EpisodeDone, episodes_of
from tutorscope.intervention.forecast import CHARACTERS_A_TOKEN
from tutorscope.intervention.kinds import (
    KNOWN,
    UNKNOWN,
    cluster,
    cluster_rubric,
    describe,
    describe_record,
    describe_rubric,
    label,
    label_rubric,
    lines_to_group,
    made_of,
)
from tutorscope.intervention.names import BASELINE
from tutorscope.intervention.student import ORACLE, STANDARD
from tutorscope.intervention.taxonomies import (
    DIMENSIONS,
    FIRST,
    PUBLISHED,
    TAXONOMIES,
    Category,
    from_data,
    is_clustered,
    kept_categories,
    published,
)
from tutorscope.intervention.traces import problems_of, traces_of
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import Calls, Cell, Done, Kept, Rule, Stage, Unit, Upstream, fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

DESCRIBE, CLUSTER, LABEL = "kind-describe", "kind-cluster", "kind-label"
_LINE_TOKENS, _TAXONOMY_TOKENS, _NAME_TOKENS = 40, 900, 15
_DESCRIBE_TOKENS, _LABEL_TOKENS = 900, 600


def kinds_stages() -> tuple[Stage, ...]:
    """Give the stages, in order. They have cells only where an ask's option ``categorize`` is true."""
    return (
        Stage(
            DESCRIBE,
            ("judge",),
            cells=_describe_cells,
            units=_messages,
            rule=_describe_rule,
            calls=_describe_calls,
            after=(STANDARD, ORACLE),
            ahead=_describe_ahead,
            stateless=True,
        ),
        Stage(
            CLUSTER,
            ("judge",),
            cells=_cluster_cells,
            units=_groupings,
            rule=_cluster_rule,
            calls=_cluster_calls,
            after=(DESCRIBE,),
            ahead=_cluster_ahead,
            whole=True,
            stateless=True,
            keeps=_keeps,
        ),
        Stage(
            LABEL,
            ("judge",),
            cells=_label_cells,
            units=_described,
            rule=_label_rule,
            calls=_label_calls,
            after=(DESCRIBE, CLUSTER),
            ahead=_label_ahead,
            stateless=True,
        ),
    )


def describer(job: Job) -> str:
    """Give the judge who describes messages: that of the first ask for it.

    Judges who label later label the same lines, so that what they differ in is the labelling.
    """
    return _first_judge(job, None)


def clusterer(job: Job, taxonomy: str) -> str:
    """Give the judge who groups the lines under a taxonomy's name: that of the first ask for it."""
    return _first_judge(job, taxonomy)


def taxonomy_named(options: Mapping[str, Any]) -> str:
    """Give the taxonomy that an ask's messages are labelled with."""
    return str(options.get("taxonomy") or FIRST)


def categories_of(job: Job, taxonomy: str, dimension: str) -> tuple[Category, ...]:
    """Give a taxonomy's categories, from the paper or from ``inputs/``; none as long as there is none."""
    if taxonomy == PUBLISHED:
        return published()[dimension]
    return kept_categories(job.items.get(f"{TAXONOMIES}{taxonomy}", ()), dimension)


def _first_judge(job: Job, taxonomy: str | None) -> str:
    for ask in job.asks:
        options = ask["options"]
        if options.get("categorize") and taxonomy in (None, taxonomy_named(options)):
            return _judges(ask["roles"])[0]
    return ""


def _judges(roles: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if not roles.get("judge"):
        raise UserError("--judge is missing: expected who says what kind of help the messages are")
    return roles["judge"]


def _describe_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if options.get("categorize"):
        for dimension in DIMENSIONS:
            shas = made_of(describe_rubric(dimension, options["prompts"]))
            yield Cell(DESCRIBE, {"judge": _judges(roles)[0]}, {"dimension": dimension}, shas)


def _messages(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    if cell.roles["judge"] != describer(job):
        return
    problems = problems_of(job)
    texts = {(trace.student, trace.problem): trace.trace for trace in traces_of(job, upstream)}
    named = set()
    for condition in (STANDARD, ORACLE):
        for episode in episodes_of(job, upstream, condition):
            if not episode.intervened:
                continue
            trace = texts.get((episode.student, episode.problem))
            if trace is None:
                raise UserError(
                    f"{job.folder.path}: {condition} episode of {episode.tutor!r} on the problem {episode.problem!r}: "
                    f"found no trace of the student {episode.student!r} on it; expected its log in logs/{BASELINE}, or "
                    "--traces FILE"
                )
            known = episode.position is not None
            data = {
                "record": describe_record(
                    problems[episode.problem], trace[: episode.position], episode.message, known=known
                ),
                "of": _of(episode, known=known),
            }
            item = f"{condition}/{episode.student}/{episode.name}"
            unit = Unit(item, episode.replicate, {condition: episode.sha}, data)
            # Two settings in which a tutor did the very same are one message to whoever describes it.
            if unit.id not in named:
                named.add(unit.id)
                yield unit


def _of(episode: EpisodeDone, *, known: bool) -> dict[str, Any]:
    people = bool(episode.participant)
    return {**episode.identity, "people": people, "point": KNOWN if known else UNKNOWN}


def _describe_rule(job: Job, cell: Cell) -> Rule:
    rubric = describe_rubric(str(cell.condition["dimension"]), job.prompts)

    async def described(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        return {"of": unit.data["of"], **await describe(speak, rubric, unit.data["record"])}

    return described


def _cluster_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if options.get("categorize") and is_clustered(taxonomy_named(options)):
        for dimension in DIMENSIONS:
            condition = {"dimension": dimension, "taxonomy": taxonomy_named(options)}
            shas = made_of(cluster_rubric(dimension, options["prompts"]))
            yield Cell(CLUSTER, {"judge": _judges(roles)[0]}, condition, shas)


def _groupings(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    """Give the one unit of a taxonomy and dimension.

    Its id is the taxonomy's name and derives from nothing: messages that come later do not make it owed again. Whoever
    wants other categories starts another taxonomy.
    """
    taxonomy = str(cell.condition["taxonomy"])
    if cell.roles["judge"] != clusterer(job, taxonomy):
        return
    dimension = str(cell.condition["dimension"])
    if _grouped(cell, upstream) is None and categories_of(job, taxonomy, dimension):
        # Its log is gone, and the categories are not: nobody groups again.
        return
    described = _lines_of(upstream, dimension)
    if described:
        told = [(done.result["of"]["tutor"], done.result["line"]) for done in described if done.result["line"]]
        lines, different = lines_to_group(told)
        yield Unit(taxonomy, 0, {}, {"lines": lines, "different": different, "messages": len(described)})


def _grouped(cell: Cell, upstream: Upstream) -> Done | None:
    return next((done for done in upstream(CLUSTER) if done.cell == cell.key), None)


def _keeps(job: Job, cell: Cell, upstream: Upstream) -> Kept:
    """Keep what a clustering made, a line a dimension in ``inputs/taxonomy/NAME.jsonl``."""
    taxonomy, dimension = str(cell.condition["taxonomy"]), str(cell.condition["dimension"])
    done = _grouped(cell, upstream)
    if done is None or cell.roles["judge"] != clusterer(job, taxonomy):
        return Kept()
    result = done.result
    if not result["categories"]:
        named = [taxonomy_named(ask["options"]) for ask in job.asks if ask["options"].get("categorize")]
        # Whoever asked for another taxonomy since has gone on without this one.
        waited = named[-1] == taxonomy and not categories_of(job, taxonomy, dimension)
        why = f"no categories could be read ({result['reason']}), and no message is labelled with them"
        return Kept(lacking=f"{why}; --recluster NUMBER tries again" if waited else "")
    data = {
        "categories": result["categories"],
        "judge": cell.roles["judge"],
        **{name: result[name] for name in ("messages", "different", "shown")},
    }
    item = Item(dimension, fingerprint(data), data)
    return Kept([InputSet(f"{TAXONOMIES}{taxonomy}", [item], {"made_by": CLUSTER})])


def _cluster_rule(job: Job, cell: Cell) -> Rule:
    rubric = cluster_rubric(str(cell.condition["dimension"]), job.prompts)

    async def grouped(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        lines = unit.data["lines"]
        counts = {"messages": unit.data["messages"], "different": unit.data["different"], "shown": len(lines)}
        return {**await cluster(speak, rubric, lines), **counts}

    return grouped


def _label_cells(options: Mapping[str, Any], roles: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    if options.get("categorize"):
        for judge in _judges(roles):
            for dimension in DIMENSIONS:
                condition = {"dimension": dimension, "taxonomy": taxonomy_named(options)}
                yield Cell(LABEL, {"judge": judge}, condition, made_of(label_rubric(options["prompts"])))


def _described(job: Job, cell: Cell, upstream: Upstream) -> Iterator[Unit]:
    dimension = str(cell.condition["dimension"])
    categories = [one.data() for one in categories_of(job, str(cell.condition["taxonomy"]), dimension)]
    if not categories:
        return
    frozen = fingerprint(categories)
    for done in _lines_of(upstream, dimension):
        data = {"line": done.result["line"], "categories": categories, "of": done.result["of"]}
        yield Unit(done.item, done.replicate, {DESCRIBE: done.sha, "taxonomy": frozen}, data)


def _label_rule(job: Job, cell: Cell) -> Rule:
    rubric, dimension = label_rubric(job.prompts), str(cell.condition["dimension"])

    async def labelled(unit: Unit, speak: Speak, embed: Embed) -> Mapping[str, Any]:
        line = unit.data["line"]
        found = await label(speak, rubric, dimension, from_data(unit.data["categories"]), line)
        return {"of": unit.data["of"], "line": line, **found}

    return labelled


def _lines_of(upstream: Upstream, dimension: str) -> list[Done]:
    return [done for done in upstream(DESCRIBE) if done.condition["dimension"] == dimension]


def _describe_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    asked = sum(len(text) for text in unit.data["record"].values()) / CHARACTERS_A_TOKEN + 250
    return [Calls("judge", 1, 1, ATTEMPTS, asked, _LINE_TOKENS)]


def _describe_ahead(job: Job, cell: Cell) -> list[Calls]:
    """Reckon the messages that are still to come: at most one an episode."""
    if cell.roles["judge"] != describer(job):
        return []
    episodes = _episodes(job)
    return [Calls("judge", 0, episodes, episodes * ATTEMPTS, _DESCRIBE_TOKENS, _LINE_TOKENS)]


def _cluster_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    lines = unit.data["lines"]
    asked = sum(len(line) + 4 for line in lines) / CHARACTERS_A_TOKEN + 300
    return [Calls("judge", 1, 1, ATTEMPTS, asked, _TAXONOMY_TOKENS)] if lines else []


def _cluster_ahead(job: Job, cell: Cell) -> list[Calls]:
    if cell.roles["judge"] != clusterer(job, str(cell.condition["taxonomy"])):
        return []
    asked = _episodes(job) * _LINE_TOKENS + 300
    return [Calls("judge", 0, 1, ATTEMPTS, asked, _TAXONOMY_TOKENS)]


def _label_calls(job: Job, cell: Cell, unit: Unit) -> list[Calls]:
    if not unit.data["line"]:
        return []
    categories = sum(len(text) + 16 for one in unit.data["categories"] for text in one.values())
    shown = (len(unit.data["line"]) + categories) / CHARACTERS_A_TOKEN + 150
    return [Calls("judge", 1, 1, ATTEMPTS, shown, _NAME_TOKENS)]


def _label_ahead(job: Job, cell: Cell) -> list[Calls]:
    episodes = _episodes(job)
    return [Calls("judge", 0, episodes, episodes * ATTEMPTS, _LABEL_TOKENS, _NAME_TOKENS)]


def _episodes(job: Job) -> int:
    """Count the episodes that the run's cells will hold, people's apart: those are known."""
    return sum(
        len(problems_of(job)) * cell.replicates
        for stage in job.stages
        if stage.name in (STANDARD, ORACLE)
        for cell in job.cells(stage)
    )
