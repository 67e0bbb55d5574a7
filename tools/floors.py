"""The house stands: nothing imports upwards, no instrument imports another, nothing imports in a circle.

Every import counts for the floors, also one inside a function or under ``TYPE_CHECKING``: what a room knows, it knows
wherever it says so. Only imports that run when a module is loaded count for circles, of modules and of rooms. A
constant handed to ``importlib.import_module`` counts as an import. What entry points name is found at run time and is
nobody's import.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = "tutorscope"
INSTRUMENTS = ("uptake", "audit", "intervention", "casework")
FLOORS = (
    ("", "errors"),
    ("chats", "stats", "texts", "pictures"),
    ("models", "runs"),
    ("judging", "people"),
    INSTRUMENTS,
    ("reporting", "studies"),
    ("cli",),
    ("__main__",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


@dataclass(frozen=True)
class Import:
    """One module of ours that another one imports."""

    target: str
    line: int
    at_load: bool


def room_of(module: str) -> str:
    """Name a module's room: the part after the package, or nothing for the package itself."""
    return [*module.split("."), ""][1]


def modules(source: Path) -> dict[str, Path]:
    """Map each module under ``source``, the folder that holds the package, to its file."""
    found = {}
    for path in sorted((source / PACKAGE).rglob("*.py")):
        parts = list(path.relative_to(source).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[Import]:
    """Give the imports of ours in one module."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    yield from _walk(ast.parse(path.read_text(encoding="utf-8"), str(path)), package, known, True)


def breaches(source: Path) -> list[str]:
    """Check the package under ``source``.

    Returns
    -------
    list of str
        One line a breach; empty if the house stands.
    """
    known = modules(source)
    found = []
    loads: dict[str, set[str]] = {}
    rooms: dict[str, set[str]] = {}
    for name, path in known.items():
        room = room_of(name)
        if room not in FLOOR_OF:
            found.append(f"{name}: the room {room!r} is on no floor; put it on one in tools/floors.py")
            continue
        loads[name] = set()
        for made in imports(name, path, known):
            other = room_of(made.target)
            if FLOOR_OF.get(other, -1) > FLOOR_OF[room]:
                found.append(
                    f"{name}, line {made.line}: {room or PACKAGE} imports {made.target}, from a floor above it"
                )
            elif room in INSTRUMENTS and other in INSTRUMENTS and room != other:
                found.append(f"{name}, line {made.line}: {room} imports {made.target}, of another instrument")
            if made.at_load and made.target != name:
                loads[name].add(made.target)
            if made.at_load and other != room:
                rooms.setdefault(room, set()).add(other)
    for kind, graph in (("modules", loads), ("rooms", rooms)):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            found.append(f"{kind} that import each other in a circle: {' -> '.join(reversed(error.args[1]))}")
    return found


def _walk(node: ast.AST, package: str, known: Mapping[str, Path], at_load: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        for target in _targets(child, package, known):
            yield Import(target, child.lineno, at_load)  # type: ignore[attr-defined]
        if isinstance(child, ast.If) and _is_type_checking(child.test):
            for part, loaded in ((child.body, False), (child.orelse, at_load)):
                yield from _walk(ast.Module(part, []), package, known, loaded)
        else:
            later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _walk(child, package, known, at_load and not later)


def _targets(node: ast.AST, package: str, known: Mapping[str, Path]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if _ours(alias.name)]
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])])
        if not _ours(base):
            return []
        # "from tutorscope.runs import folder" loads a module, "from tutorscope.errors import UserError" takes a name.
        return sorted({full if (full := f"{base}.{alias.name}") in known else base for alias in node.names})
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        target = node.args[0].value
        if called == "import_module" and isinstance(target, str) and _ours(target):
            return [target]
    return []


def _ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def main() -> int:
    """Check this repository."""
    found = breaches(Path(__file__).resolve().parents[1] / "src")
    for line in found:
        print(line)
    print(f"floors: {len(found) or 'no'} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
