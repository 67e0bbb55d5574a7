"""A study's claims and asked contrasts: from the command line into a run's inputs and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tutorscope.errors import UserError
from tutorscope.runs.inputs import InputSet, Item

if TYPE_CHECKING:
    import pandas as pd

CLAIMS = "claims"
CLAIMS_TABLE, CONTRASTS_TABLE = "claims_file", "asked_contrasts"


def read_claims_file(path: Path | None) -> InputSet:
    """Read and check claims, ours or the user's, as a run's input: another file later is refused."""
    from tutorscope.audit.inference.claims import claims_sha, claims_text, read_claims

    text = claims_text(path)
    read_claims(text, str(path or "claims.yaml"))
    sha = claims_sha(text)
    item = Item("claims", sha[:16], {"yaml": text})
    return InputSet(CLAIMS, [item], {"file": path.name if path else "ours", "sha256": sha}, {"claims": sha[:16]})


def with_claims(tables: Mapping[str, pd.DataFrame], path: Path | None) -> dict[str, pd.DataFrame]:
    """Put the user's claims into tables that are analysed, if there are any."""
    import pandas as pd

    if path is None:
        return dict(tables)
    text = read_claims_file(path).items[0].data["yaml"]
    return {**tables, CLAIMS_TABLE: pd.DataFrame({"run": [""], "yaml": [text]})}


def unknown_policies(pair: str, policies: Sequence[str], option: str) -> Iterator[str]:
    """Say which policy of a pair (``A,B``) is not among those there are, as an error about an option."""
    absent = [name for name in map(str.strip, pair.split(",")) if name not in policies]
    if absent:
        yield f"{option}: no policy {absent[0]!r}; there are: {', '.join(policies) or 'none'}"


def claims_notes(text: str, policies: Sequence[str]) -> list[str]:
    """Say where claims are about a policy that is not asked for: they cannot be decided without its sessions."""
    from tutorscope.audit.inference.claims import is_ours, read_claims

    pair = read_claims(text, "claims").pair
    absent = [name for name in pair if name not in policies]
    if not absent:
        return []
    whose, own = ("the paper's claims", "; --claims FILE gives your own") if is_ours(text) else ("the claims", "")
    said = f"{whose} are about {' and '.join(pair)}: not computable without sessions of {' and '.join(absent)}"
    return [f"{said}, not among the policies named now{own}"]


def with_contrasts(tables: Mapping[str, pd.DataFrame], asked: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Put asked contrasts into tables that are analysed, beside those that the runs asked for.

    Raises
    ------
    UserError
        A policy that was neither played nor asked for.
    """
    import pandas as pd

    if not asked:
        return dict(tables)
    played = [tables[name]["policy"] for name in ("per_session", "sessions_state") if name in tables]
    policies = list(dict.fromkeys(str(policy) for column in played for policy in column))
    for pair in asked:
        for said in unknown_policies(pair, policies, f"--contrast {pair}"):
            raise UserError(said)
    pairs = [[part.strip() for part in pair.split(",")] for pair in asked]
    now = pd.DataFrame({"run": "", "first": [a for a, _ in pairs], "second": [b for _, b in pairs]})
    before = tables.get(CONTRASTS_TABLE)
    return {**tables, CONTRASTS_TABLE: now if before is None else pd.concat([now, before], ignore_index=True)}
