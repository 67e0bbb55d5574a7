"""Groups of skills, made once: what a run keeps of them, and what problems that come later are sorted into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tutorscope.intervention.skills import BUILDER
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import Cell, Done, Kept, Upstream, fingerprint

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job

GROUPS = "skill-groups"
"""The stage that makes them."""
SKILLS = "skills/"
"""The input sets that hold them: an item a domain."""


def kept_groups(job: Job, name: str) -> dict[str, Item]:
    """Give the groups that were made under a name, by domain."""
    return {item.id: item for item in job.items.get(f"{SKILLS}{name}", ())}


def tried_groups(upstream: Upstream, builder: str, name: str) -> dict[str, Done]:
    """Give the finished units that made groups under a name, by domain: those too that could not be read."""
    return {
        done.item: done
        for done in upstream(GROUPS)
        if done.roles[BUILDER] == builder and done.condition["groups"] == name
    }


def keep_groups(job: Job, cell: Cell, upstream: Upstream) -> Kept:
    """Keep the groups that were made, a line a domain in ``inputs/skills/NAME.jsonl``."""
    builder, name = cell.roles[BUILDER], str(cell.condition["groups"])
    kept = kept_groups(job, name)
    items, unread = [], []
    for domain, done in tried_groups(upstream, builder, name).items():
        data = {"groups": done.result["groups"], "builder": builder}
        if data["groups"]:
            items.append(Item(domain, fingerprint(data), data))
        elif domain not in kept:
            unread.append(f"{domain}: {done.result['reason']}")
    # Whoever asked for other groups since has gone on without these.
    asked = [str(ask["options"]["groups"]) for ask in job.asks if ask["options"].get("groups")]
    waited = unread and asked[-1] == name
    why = f"no groups of skills could be read ({', '.join(unread)}), and no variant is written from them"
    sets = [InputSet(f"{SKILLS}{name}", items, {"made_by": GROUPS})] if items else []
    return Kept(sets, f"{why}; --recluster NAME tries again" if waited else "")
