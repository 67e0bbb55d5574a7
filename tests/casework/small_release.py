"""A small release to break in one place at a time: two scenarios of the starter, with nothing odd about them."""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

MATERIAL = Path(str(files("tutorscope.casework.material")))
SEVEN, TWELVE = "scenario_007_c004_bt.json", "scenario_012_c008_bt.json"


def small_release(root: Path) -> Path:
    """Write scenarios 7 (category 4) and 12 (category 8) with their rubrics, choices, strategies and index."""
    for file in sorted(MATERIAL.glob("*/*.json")):
        if any(part in file.name for part in ("_s007", "_s012", "scenario_007", "scenario_012", "_c004_", "_c008_")):
            place = root / file.parent.name / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(filled(json.loads(file.read_text(encoding="utf-8")))), encoding="utf-8")
    rows = [f"{n},{c},{s},{h}" for n, (c, s) in enumerate([(4, 7), (8, 12)]) for h in ("immediate", "long_term")]
    index = "\n".join(["dialogue_prompt_id,category_id,scenario_id,response_type", *rows])
    (root / "dataset_overall.csv").write_text(index, encoding="utf-8")
    return root


def filled(value: Any) -> Any:
    """Put something into every empty place."""
    if isinstance(value, dict):
        return {key: filled(one) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one) for one in value] or ["something"]
    return "something" if value == "" else value


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a file's object in place."""
    body = json.loads(path.read_text(encoding="utf-8"))
    change(body)
    path.write_text(json.dumps(body), encoding="utf-8")


def edit_both(root: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change both copies of a scenario."""
    for folder in ("dialogue", "dialogue_full_context"):
        edit(root / folder / name, change)


def put(**fields: Any) -> Callable[[dict[str, Any]], object]:
    """Give the change that sets fields."""
    return lambda body: body.update(fields)


def without(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in names}
