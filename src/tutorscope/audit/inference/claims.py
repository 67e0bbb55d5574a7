"""What a study predicts, as data: claims, the tests that decide them, families, and the status of every component."""

from __future__ import annotations

import hashlib
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tutorscope.audit.problem_sets.plain_files import plain_data, plain_text
from tutorscope.errors import UserError

Measure = Literal[
    "leakage",
    "independence",
    "helpfulness",
    "pedagogy",
    "accuracy_immediate",
    "accuracy_delayed",
    "accuracy_transfer",
    "accuracy_interference",
    "tutor_turns",
    "tutor_tokens",
    "leaky_per_1k",
    "worked_per_1k",
]
Outcome = Literal["helpfulness", "pedagogy", "next_independent"]
Test = Literal["signed_rank", "mixed_pooled", "mixed_adjusted", "clustered"]
Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")]
MOST_CLAIMS = 100
_SHOWN = 60
Ids = Annotated[tuple[str, ...], Field(max_length=MOST_CLAIMS)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Claim(_Strict):
    """One claim: a contrast of two policies, a coupling of turns, or several claims together.

    Attributes
    ----------
    id : str
        What it is called, once in a file.
    says : str
        The claim in a sentence.
    measure : str or None
        For a contrast: the session measure, as in `policy_means`.
    outcome : str or None
        For a coupling: what a leak on a turn goes with.
    direction : str or None
        ``FIRST > SECOND`` by the names of the policies; ``positive`` or ``negative`` for a coupling.
    test : str or None
        ``signed_rank`` for a contrast; ``mixed_pooled``, ``mixed_adjusted`` or ``clustered`` for a coupling.
    all_of : tuple of str
        The claims that must all be supported.
    role : str
        ``manipulation_check`` (not supported reads ``inconclusive``), ``live_test``, ``joint_claim`` or ``leg``.
    family : str or None
        The family of claims that it is corrected in.
    """

    id: Name
    says: str = ""
    measure: Measure | None = None
    outcome: Outcome | None = None
    direction: str | None = None
    test: Test | None = None
    all_of: Ids = ()
    role: Literal["manipulation_check", "live_test", "joint_claim", "leg"] = "live_test"
    family: str | None = None

    @property
    def kind(self) -> Literal["contrast", "coupling", "conjunction"]:
        """What decides it."""
        return "conjunction" if self.all_of else "coupling" if self.outcome else "contrast"


class Family(_Strict):
    """A family of tests that Holm's method corrects together.

    Attributes
    ----------
    name, says : str
    across : str
        ``bases``: one term, a test for each base; ``claims``: the claims that name this family, within a base.
    outcome : str or None
        Across bases: ``helpfulness`` (the second judge's own ratings), ``helpfulness_difference`` (second less frozen),
        or the same of pedagogy. The fit is the policy-adjusted one, unstandardised.
    term : str or None
        Across bases: ``leak`` or ``policy``.
    """

    name: Name
    says: str = ""
    across: Literal["bases", "claims"] = "bases"
    outcome: Literal["helpfulness", "pedagogy", "helpfulness_difference", "pedagogy_difference"] | None = None
    term: Literal["leak", "policy"] | None = None


class Component(_Strict):
    """When one part of the study was fixed, what could be seen by then, and what it is for (the paper's Table 4)."""

    name: Name
    status: Literal["registered", "amended", "post hoc", "descriptive"]
    specified: str
    evidence: str
    role: str
    in_verdicts: bool


class Budget(_Strict):
    """The rule that equalises visible turns, and the leaky turns that a policy needs for its share to count."""

    rule: Literal["matched_visible_turns"] = "matched_visible_turns"
    leaky_floor: int = Field(default=10, ge=0)


class Claims(_Strict):
    """A file of claims, validated.

    Attributes
    ----------
    study : str
    pair : tuple of str
        The two policies. Differences are first less second; in mixed models the second is coded 1.
    alpha : float
        A claim needs p strictly below it.
    replicates : int
        Planned sessions of each policy.
    bases : tuple of str
        The tutor bases that the plan declares; empty for those that the tables hold.
    budget : Budget
    claims : tuple of Claim
    families : tuple of Family
    components : tuple of Component
    """

    study: str = ""
    pair: tuple[Name, Name] = ("conversational", "pedagogical")
    alpha: float = Field(default=0.05, gt=0, lt=1)
    replicates: int = Field(default=10, ge=1)
    bases: tuple[Name, ...] = Field(default=(), max_length=MOST_CLAIMS)
    budget: Budget = Budget()
    claims: tuple[Claim, ...] = Field(min_length=1, max_length=MOST_CLAIMS)
    families: tuple[Family, ...] = Field(default=(), max_length=MOST_CLAIMS)
    components: tuple[Component, ...] = Field(default=(), max_length=MOST_CLAIMS)

    def claim(self, name: str) -> Claim:
        """Give the claim of that id."""
        return next(claim for claim in self.claims if claim.id == name)

    def sign(self, claim: Claim) -> int:
        """Give +1 where the claim predicts a positive effect (of first less second, or of a leak), else -1."""
        if claim.outcome:
            return 1 if claim.direction == "positive" else -1
        return 1 if _sides(claim)[0] == self.pair[0] else -1

    def family(self, outcome: str, term: str) -> Family | None:
        """Give the family across bases that one term of one fit belongs to, if any."""
        held = (f for f in self.families if f.across == "bases")
        return next((f for f in held if (f.outcome, f.term) == (outcome, term)), None)


def load_claims(path: str | Path | None = None) -> Claims:
    """Read a file of claims, or the package's own: those of the paper.

    Parameters
    ----------
    path : path-like, optional
        A YAML file in the shape of the package's ``claims.yaml``.

    Raises
    ------
    UserError
        In one line: the file cannot be read, is no YAML, or says something that cannot be (which field, what was
        found, what was expected).

    Examples
    --------
    >>> claims = load_claims()
    >>> [claim.id for claim in claims.claims], claims.claim("J1").all_of
    (['P1', 'P2', 'P3', 'J1', 'J2.helpfulness', 'J2.independence', 'J2'], ('P1', 'P2', 'P3'))
    """
    return read_claims(claims_text(path), str(path) if path is not None else "claims.yaml")


def claims_text(path: str | Path | None = None) -> str:
    """Give the text of a file of claims, or of the package's own: what a freeze keeps.

    Raises
    ------
    UserError
        The file cannot be read or is too large.
    """
    if path is None:
        return files("tutorscope.audit.inference").joinpath("claims.yaml").read_text(encoding="utf-8")
    return plain_text(Path(path))


def is_ours(text: str) -> bool:
    """Whether claims are the package's own file: those of the paper, about the paper's pair."""
    return text == claims_text()


def claims_sha(text: str) -> str:
    """Give the sha256 of a file of claims: what a freeze records."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def read_claims(text: str, name: str) -> Claims:
    """Validate the text of a file of claims.

    Parameters
    ----------
    text : str
        YAML, read as plain data: no aliases, no key twice.
    name : str
        What errors call the file.

    Raises
    ------
    UserError
        As `load_claims`.
    """
    raw: Any = plain_data(text, name)
    if not isinstance(raw, dict):
        raise UserError(f"{name}: found {_shown(raw)}, expected pair, claims and the other fields of docs/claims.md")
    try:
        found = Claims.model_validate(raw)
    except ValidationError as problem:
        raise UserError(f"{name}, {_first_problem(problem, raw)}") from None
    _check_pair(found, name)
    for family in found.families:
        _check_family(family, f"{name}, family {family.name}")
    for claim in found.claims:
        _check_claim(claim, found, f"{name}, claim {claim.id}")
    _once([claim.id for claim in found.claims], f"{name}, claims", "id")
    _once([family.name for family in found.families], f"{name}, families", "name")
    return found


_EXPECTED = {
    "string_pattern_mismatch": "a name on one line, without blanks before or behind it",
    "string_too_short": "a name",
    "string_too_long": "a name of at most {max_length} characters",
    "string_type": "text",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "at least {ge}",
    "less_than": "a number below {lt:g}",
    "literal_error": "{expected}",
    "tuple_type": "a list",
    "model_type": "fields with their values",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
}
"""What a field may say, by what pydantic calls the problem."""


def _first_problem(problem: ValidationError, raw: Any) -> str:
    error = problem.errors(include_url=False)[0]
    where = _place(error["loc"], raw)
    match error["type"]:
        case "extra_forbidden":
            return f"{where}: unknown field; see docs/claims.md for the fields"
        case "missing":
            return f"{where}: found nothing, expected a value"
    said = _EXPECTED.get(error["type"], error["msg"])
    return f"{where}: found {_shown(error['input'])}, expected {said.format(**error.get('ctx', {}))}"


def _shown(value: Any) -> str:
    """Show what was found on a line: a short value as it is, of a long list its length."""
    if value is None:
        return "nothing"
    if isinstance(value, list | dict) and len(repr(value)) > _SHOWN:
        return f"{len(value):,} {'entries' if isinstance(value, list) else 'fields'}"
    said = repr(value)
    return said if len(said) <= _SHOWN else f"{said[: _SHOWN - 1]}…"


def _place(loc: tuple[int | str, ...], raw: Any) -> str:
    """Name a field by the id or name of the entry that it stands in, or by that entry's number, from 1."""
    words: list[str] = []
    held = raw
    for step in loc:
        if isinstance(step, int):
            held = held[step] if isinstance(held, list) and step < len(held) else None
            words[-1] = f"{words[-1]}[{_called(held) or f'entry {step + 1}'}]"
        else:
            held = held.get(step) if isinstance(held, dict) else None
            words.append(step)
    return ".".join(words)


def _called(entry: Any) -> str:
    """Give an entry's id or name where it is one that can stand on a line."""
    called = entry.get("id", entry.get("name")) if isinstance(entry, dict) else None
    plain = isinstance(called, str) and called.isprintable() and len(called) <= _SHOWN
    return str(called).strip() if plain else ""


def _check_pair(found: Claims, name: str) -> None:
    if found.pair[0] == found.pair[1]:
        raise UserError(f"{name}, pair: found {found.pair[0]!r} twice, expected two policies")


def _check_family(family: Family, where: str) -> None:
    if family.across == "claims" and (family.outcome or family.term):
        raise UserError(f"{where}: found an outcome or a term, expected none in a family across claims")
    if family.across == "bases" and not (family.outcome and family.term):
        raise UserError(f"{where}: expected outcome and term in a family across bases")


def _check_claim(claim: Claim, found: Claims, where: str) -> None:
    if sum((claim.measure is not None, claim.outcome is not None, bool(claim.all_of))) != 1:
        raise UserError(f"{where}: expected exactly one of measure, outcome, all_of")
    if claim.family is not None and claim.family not in {f.name for f in found.families if f.across == "claims"}:
        raise UserError(f"{where}, family: found {claim.family!r}, expected a family declared with across: claims")
    match claim.kind:
        case "conjunction":
            _check_parts(claim, found, where)
        case "contrast":
            if claim.test != "signed_rank":
                raise UserError(f"{where}, test: found {claim.test!r}, expected 'signed_rank' for a measure")
            if set(_sides(claim)) != set(found.pair) or len(_sides(claim)) != 2:
                first, second = found.pair
                wanted = f"'{first} > {second}' or '{second} > {first}'"
                raise UserError(f"{where}, direction: found {claim.direction!r}, expected {wanted}")
        case "coupling":
            if claim.test in (None, "signed_rank"):
                wanted = "'mixed_pooled', 'mixed_adjusted' or 'clustered' for an outcome"
                raise UserError(f"{where}, test: found {claim.test!r}, expected {wanted}")
            if claim.direction not in ("positive", "negative"):
                found_it = f"{where}, direction: found {claim.direction!r}"
                raise UserError(f"{found_it}, expected 'positive' or 'negative' for an outcome")


def _check_parts(claim: Claim, found: Claims, where: str) -> None:
    if claim.direction or claim.test or claim.family:
        raise UserError(f"{where}: found a direction, test or family, expected none beside all_of: its parts have them")
    known = {other.id: other for other in found.claims}
    for part in claim.all_of:
        if part not in known:
            raise UserError(f"{where}, all_of: found {part!r}, expected the id of a claim in this file")
        if known[part].all_of:
            raise UserError(f"{where}, all_of: found {part!r}, expected claims that have a test of their own")


def _sides(claim: Claim) -> list[str]:
    return [side.strip() for side in (claim.direction or "").split(">")]


def _once(names: list[str], where: str, field: str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise UserError(f"{where}: found the {field} {twice[0]!r} twice, expected each once")
