"""Personal columns: addresses, accounts and names of people are dropped unless the user asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PERSONAL_WORDS = frozenset(
    [
        "account", "address", "email", "emails", "firstname", "fullname", "header", "headers", "ip", "ipaddress",
        "ipv4", "ipv6", "lastname", "login", "mail", "phone", "surname", "telephone", "useragent", "userid", "userids",
        "username", "usernames",
    ]
)  # fmt: skip
_PERSONAL_PAIRS = frozenset(
    [
        ("display", "name"), ("e", "mail"), ("first", "name"), ("full", "name"), ("last", "name"), ("learner", "name"),
        ("student", "name"), ("teacher", "name"), ("tutor", "name"), ("user", "agent"), ("user", "id"),
        ("user", "name"),
    ]
)  # fmt: skip
_PERSONAL_NAMES = frozenset(["name", "user", "author"])
_MAX_LISTED = 100
_DEEPEST = 100


@lru_cache(maxsize=4096)
def is_personal(field_name: str) -> bool:
    """Say whether a field's name says that it holds a person's address, account or name.

    Examples
    --------
    >>> [is_personal(name) for name in ("hashed_ip", "userAgent", "E-Mail", "user_name", "description", "student_id")]
    [True, True, True, True, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(field_name)]
    return not _PERSONAL_WORDS.isdisjoint(words) or not _PERSONAL_PAIRS.isdisjoint(pairwise(words))


@dataclass
class PersonalFields:
    """Drops personal fields and remembers their names.

    Parameters
    ----------
    keep : bool
        The user asked for them.
    dropped : set of str
        The names dropped so far; inside objects as "outer.inner".
    """

    keep: bool = False
    dropped: set[str] = field(default_factory=set)

    def without(
        self, fields: Mapping[str, Any], used: Iterable[str] = (), also: Iterable[str] = (), inside: str = ""
    ) -> dict[str, Any]:
        """Give what may be kept of a record's fields.

        Parameters
        ----------
        fields : mapping
        used : iterable of str
            Fields that the reader has put elsewhere.
        also : iterable of str
            Fields that are personal in this format though their names do not say so.
        inside : str
            The name of the object that the fields are in.
        """
        used = frozenset(used)
        also = _PERSONAL_NAMES.union(also)
        kept: dict[str, Any] = {}
        for name, value in fields.items():
            if name in used:
                continue
            path = f"{inside}.{name}" if inside else name
            if not self.keep and (name in also or is_personal(name)):
                self._note(path)
            else:
                kept[name] = self._inner(value, path)
        return kept

    def _inner(self, value: Any, path: str, depth: int = 0) -> Any:
        # A bare "name" deeper inside is a tool's or a model's more often than a person's.
        if depth > _DEEPEST and isinstance(value, Mapping | list):
            # What cannot be looked through cannot be kept: it may hold anything.
            self._note(f"{path} (below {_DEEPEST} levels)")
            return None
        if isinstance(value, Mapping):
            kept = {}
            for name, item in value.items():
                if not self.keep and is_personal(name):
                    self._note(f"{path}.{name}")
                else:
                    kept[name] = self._inner(item, f"{path}.{name}", depth + 1)
            return kept
        if isinstance(value, list):
            return [self._inner(item, path, depth + 1) for item in value]
        return value

    def _note(self, path: str) -> None:
        if len(self.dropped) < _MAX_LISTED:
            self.dropped.add(path)
