"""What a run holds for the next problem: groups of skills, variants, episodes to show, and the attempts they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tutorscope.intervention.episodes import EpisodeDone, episodes_of
from tutorscope.intervention.names import BASELINE, BASELINE_GRADE
from tutorscope.intervention.problems import Problem
from tutorscope.intervention.skills import BUILDER, group_with
from tutorscope.intervention.skills_kept import kept_groups, tried_groups
from tutorscope.intervention.student import STANDARD
from tutorscope.intervention.tasks import CONTINUE, CONTINUE_GRADE
from tutorscope.intervention.traces import judges_of, problems_of, traces_of, verdicts
from tutorscope.intervention.transfer import ALONE, CHOSEN, INTERVENTION, PROBLEM, Continued, choose_episode
from tutorscope.intervention.variant_sets import VARIANTS, misfit, set_variants
from tutorscope.intervention.variants import VALID, WRITTEN, Variant, choose, made_variant, with_checks
from tutorscope.runs.stages import Done, Upstream, fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

SKILL, GROUP = "skill", "skill-group"
VARIANT, VARIANT_CHECK = "variant", "variant-check"
TRANSFER, TRANSFER_GRADE = "transfer", "transfer-grade"

NO_SKILL, NO_GROUPS, NO_GROUP, WAITING = "no_skill", "no_groups", "no_group", "waiting"
"""Why a problem has no variants: its skill could not be read, no group was made, it belongs in none, or not yet."""

Asked = tuple[Mapping[str, Any], Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class Place:
    """Where a problem stands among the groups of skills.

    Parameters
    ----------
    problem : Problem
    skill : str or None
        Its label, None if it could not be read.
    why : str
        Why it was named so.
    sha : str
        Hash of the label's result.
    group : str or None
    to_choose : bool
        The label stands in no group: the builder chooses one for the problem.
    state : str
        Why it has no group, "" if it has one.
    """

    problem: Problem
    skill: str | None
    why: str
    sha: str
    group: str | None
    to_choose: bool
    state: str


@dataclass(frozen=True)
class Pair:
    """A variant and a tutor's episode on the problem that it is a variant of.

    Parameters
    ----------
    tutor : str
    variant : Variant
    episode : EpisodeDone or None
        The one that is shown before the variant.
    state : str
        "chosen", or why there is none to show (see ``choose_episode``).
    """

    tutor: str
    variant: Variant
    episode: EpisodeDone | None
    state: str


@dataclass(frozen=True)
class Attempt:
    """One attempt at a variant, to be made: its unit's item, what it derives from, and what is shown before it."""

    variant: Variant
    item: str
    of: Mapping[str, Any]
    upstream: Mapping[str, str]
    record: Mapping[str, Any] = field(default_factory=dict)


def transfers(job: Job) -> list[Asked]:
    """Give the asks for the next problem, each its options and who played each role."""
    return [(ask["options"], ask["roles"]) for ask in job.asks if ask["options"].get("transfer")]


def set_of(options: Mapping[str, Any]) -> str:
    """Name the variant set that an ask works with: the file's, or the groups' for which one is written."""
    return str(options.get("variants") or options["groups"])


def set_names(job: Job) -> list[str]:
    """Give the variant sets of a run, in the order in which they were asked for."""
    return list(dict.fromkeys(set_of(options) for options, _ in transfers(job)))


def seed_of(job: Job, name: str) -> int:
    """Give the seed by which a set's variants and its episodes are drawn."""
    return next(int(options["seed"]) for options, _ in transfers(job) if set_of(options) == name)


def builder_of(job: Job, name: str) -> str | None:
    """Give who writes a set's variants, None where a file brought them."""
    written = [roles for options, roles in transfers(job) if set_of(options) == name and not options.get("variants")]
    return written[0][BUILDER][0] if written else None


def asked_problems(job: Job, builder: str, groups: str | None = None) -> dict[str, Problem]:
    """Give the problems that variants are written for: the first so many of each domain, the largest number asked for.

    Parameters
    ----------
    job : Job
    builder : str
    groups : str, optional
        Only what was asked for under this name of groups.
    """
    limits = [
        options.get("limit")
        for options, roles in transfers(job)
        if not options.get("variants")
        and builder in roles.get(BUILDER, ())
        and groups in (None, str(options["groups"]))
    ]
    if not limits:
        return {}
    most = None if None in limits else max(int(limit) for limit in limits if limit is not None)
    by_domain: dict[str, dict[str, Problem]] = {}
    for problem in problems_of(job).values():
        held = by_domain.setdefault(problem.domain, {})
        if most is None or len(held) < most:
            held[problem.id] = problem
    return {name: problem for held in by_domain.values() for name, problem in held.items()}


def made_groups(job: Job, upstream: Upstream, builder: str, name: str) -> dict[str, Place]:
    """Give each labelled problem its place among the groups that were made under a name."""
    problems = asked_problems(job, builder, name)
    kept = kept_groups(job, name)
    tried = tried_groups(upstream, builder, name)
    choices = {done.item: done.result for done in _of_set(upstream, GROUP, builder, name)}
    places = {}
    for done in upstream(SKILL):
        if done.roles[BUILDER] == builder and done.item in problems:
            problem, skill = problems[done.item], done.result["skill"]
            held = kept.get(problem.domain)
            groups = held.data["groups"] if held is not None else ()
            own = group_with(skill, groups)
            group = own or (choices.get(problem.id, {}).get("group") if groups else None)
            state = "" if group else _state(skill, groups, problem.domain in tried, problem.id in choices)
            places[problem.id] = Place(problem, skill, done.result["why"], done.sha, group, own is None, state)
    return places


def _state(skill: str | None, groups: Sequence[Any], tried: bool, chosen: bool) -> str:
    if not groups:
        return NO_GROUPS if tried else WAITING if skill else NO_SKILL
    return NO_GROUP if chosen else WAITING


def _of_set(upstream: Upstream, stage: str, builder: str, name: str) -> Iterator[Done]:
    for done in upstream(stage):
        if done.roles[BUILDER] == builder and done.condition["groups"] == name:
            yield done


def variants_of(job: Job, upstream: Upstream, name: str) -> list[Variant]:
    """Give all candidates of a set, in the order of the run's problems."""
    items = job.items.get(f"{VARIANTS}{name}")
    builder = builder_of(job, name)
    problems = problems_of(job)
    if builder is None:
        return set_variants(items or ())
    checks = {done.item: done.result["checks"] for done in _of_set(upstream, VARIANT_CHECK, builder, name)}
    found: dict[str, list[Variant]] = {}
    for done in _of_set(upstream, VARIANT, builder, name):
        if done.item in problems:
            written = [made_variant(problems[done.item], done.result, one) for one in done.result["candidates"]]
            found[done.item] = with_checks(written, checks.get(done.item, ()))
    return [variant for problem in problems for variant in found.get(problem, ())]


def chosen_variants(job: Job, upstream: Upstream, name: str) -> dict[str, Variant]:
    """Give the one variant of each problem that students try: one that is valid, drawn by the set's seed.

    A problem whose candidates are not all checked has none yet: which one it is must not depend on when one looks. One
    that was tried already stays, should a set from a file grow.
    """
    by_problem: dict[str, list[Variant]] = {}
    for variant in variants_of(job, upstream, name):
        by_problem.setdefault(variant.problem, []).append(variant)
    seed = seed_of(job, name)
    tried = {of["problem"]: of["variant"] for done in upstream(TRANSFER) if (of := done.result["of"])["set"] == name}
    chosen = {}
    for problem, variants in by_problem.items():
        valid = {one.name: one for one in variants if one.state == VALID}
        if valid and not any(one.state == WRITTEN for one in variants):
            kept = next((one for one in valid.values() if one.id == tried.get(problem)), None)
            chosen[problem] = kept or valid[choose(list(valid), seed, problem)]
    return chosen


def contents(job: Job, upstream: Upstream, name: str) -> dict[str, Problem]:
    """Give what a set's variants ask, by the variant's id."""
    return {one.id: one.content for one in variants_of(job, upstream, name) if one.content is not None}


def set_misfit(job: Job, name: str) -> str:
    """Say which line of a set from a file does not belong to the run's problems; "" if all do."""
    return misfit(job.items.get(f"{VARIANTS}{name}", ()), problems_of(job))


def setting_of(job: Job) -> tuple[str, str, bool] | None:
    """Give the increment, the variation of the tutor's prompt and whether it was asked at the end, of episodes shown.

    They are the first ones that the run was asked for: a student sees one episode before the new problem.
    """
    for ask in job.asks:
        options = ask["options"]
        if options.get("game") and STANDARD in options["condition"]:
            return options["increment"][0], options["variant"][0], bool(options["ask_at_end"])
    return None


def pairs_of(job: Job, upstream: Upstream, student: str, name: str) -> list[Pair]:
    """Give, for each tutor and chosen variant, the student's episode that is shown before it, or why there is none."""
    chosen, seed = chosen_variants(job, upstream, name), seed_of(job, name)
    setting = setting_of(job)
    by_tutor: dict[str, dict[str, list[EpisodeDone]]] = {}
    for episode in episodes_of(job, upstream, STANDARD):
        own = (episode.increment, episode.variant, episode.ask_at_end)
        if episode.student == student and (episode.participant or own == setting):
            by_tutor.setdefault(episode.tutor, {}).setdefault(episode.problem, []).append(episode)
    after = went_on(job, upstream, student)
    drawn = _drawn(upstream, student, name)
    pairs = []
    for tutor, episodes in by_tutor.items():
        for problem, variant in chosen.items():
            shown, state = choose_episode(
                episodes.get(problem, ()),
                lambda one: after.get(as_key(one.identity)),
                seed,
                drawn.get((tutor, variant.id)),
            )
            pairs.append(Pair(tutor, variant, shown, state))
    return pairs


def _drawn(upstream: Upstream, student: str, name: str) -> dict[tuple[str, str], tuple[int, str]]:
    """Give the episodes that were shown already: with more replicates they stay the ones."""
    return {
        (of["tutor"], of["variant"]): (of["replicate"], of["participant"])
        for done in upstream(TRANSFER)
        if (of := done.result["of"])["context"] == INTERVENTION and (of["student"], of["set"]) == (student, name)
    }


def went_on(job: Job, upstream: Upstream, student: str) -> dict[tuple[tuple[str, Any], ...], Continued]:
    """Give how a student went on after the messages of tutors who watched, by what tells the episode apart.

    The verdict is that of the first judge who reached one, as everywhere where students are shown it.
    """
    ranks = {judge: place for place, judge in enumerate(judges_of(job))}
    graded: dict[tuple[tuple[str, Any], ...], Mapping[str, Any]] = {}
    for done in sorted(upstream(CONTINUE_GRADE), key=lambda one: ranks.get(one.roles.get("judge", ""), len(ranks))):
        if done.result["correct"] is not None:
            graded.setdefault(as_key(done.result["of"]), done.result)
    found = {}
    for done in upstream(CONTINUE):
        of = done.result["of"]
        if of["how"] == STANDARD and done.roles["student"] == student:
            verdict = graded.get(as_key(of), {"correct": None, "why": ""})
            identity = {part: value for part, value in of.items() if part != "how"}
            found[as_key(identity)] = Continued(
                done.result["trace"], done.result["answer"], done.sha, verdict["correct"], verdict["why"]
            )
    return found


def as_key(of: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Give plain data that names something as a key."""
    return tuple(sorted(of.items()))


def attempts_to_make(job: Job, upstream: Upstream, student: str, context: str, name: str) -> Iterator[Attempt]:
    """Give a student's attempts at a set's chosen variants in one context: all that can be named now."""
    if context == INTERVENTION:
        yield from _with_help(job, upstream, student, name)
        return
    traces = {trace.problem: trace for trace in traces_of(job, upstream, student)} if context == PROBLEM else {}
    known = verdicts(job, upstream) if context == PROBLEM else {}
    problems = problems_of(job)
    for problem, variant in chosen_variants(job, upstream, name).items():
        if context == ALONE:
            yield _attempt(student, variant, name, context, {VARIANT: variant.sha})
            continue
        trace, verdict = traces.get(problem), known.get((student, problem))
        # The student is always told whether the answer was right: where nobody knows there is no lesson.
        if trace is None or verdict is None:
            continue
        shown = {"correct": verdict["correct"], "why": verdict["why"]}
        record = {
            "problem": problems[problem].data(),
            "trace": trace.trace,
            "answer": trace.answer,
            **shown,
        }
        upstreams = {VARIANT: variant.sha, BASELINE: trace.sha, BASELINE_GRADE: fingerprint(shown)}
        yield _attempt(student, variant, name, context, upstreams, record)


def _with_help(job: Job, upstream: Upstream, student: str, name: str) -> Iterator[Attempt]:
    problems = problems_of(job)
    traces = {trace.problem: trace.trace for trace in traces_of(job, upstream, student)}
    after = went_on(job, upstream, student)
    for pair in pairs_of(job, upstream, student, name):
        episode, variant = pair.episode, pair.variant
        if pair.state != CHOSEN or episode is None or variant.problem not in traces:
            continue
        went = after[as_key(episode.identity)]
        shown = {"correct": went.correct, "why": went.why}
        record = {
            "problem": problems[variant.problem].data(),
            "prefix": traces[variant.problem][: episode.position],
            "message": episode.message,
            "trace": went.trace,
            "answer": went.answer,
            **shown,
        }
        upstreams = {
            VARIANT: variant.sha,
            STANDARD: episode.sha,
            CONTINUE: went.sha,
            CONTINUE_GRADE: fingerprint(shown),
        }
        yield _attempt(student, variant, name, INTERVENTION, upstreams, record, episode)


def _attempt(
    student: str,
    variant: Variant,
    name: str,
    context: str,
    upstreams: Mapping[str, str],
    record: Mapping[str, Any] | None = None,
    episode: EpisodeDone | None = None,
) -> Attempt:
    of = {
        "student": student,
        "problem": variant.problem,
        "set": name,
        "variant": variant.id,
        "context": context,
        "tutor": episode.tutor if episode else "",
        "increment": episode.increment if episode else "",
        "prompt": episode.variant if episode else "",
        "replicate": episode.replicate if episode else 0,
        "participant": episode.participant if episode else "",
        # A grade belongs to the attempt that was made from just this.
        "made_of": fingerprint(upstreams),
    }
    item = f"{variant.id}/{episode.tutor}" if episode else variant.id
    return Attempt(variant, item, of, upstreams, record or {})
