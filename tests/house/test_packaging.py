"""What a user gets who installs the wheel."""

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling, which builds the wheel, is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    build = f"from hatchling.build import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_every_tracked_file_of_the_package_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("git, or its record of what is tracked, is not here")
    listed = subprocess.run(["git", "ls-files", "-z", "src"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    tracked = {name.removeprefix("src/") for name in listed.split("\0") if name and (ROOT / name).is_file()}
    assert {"tutorscope/uptake/prompts/judge.md", "tutorscope/uptake/material/socratic.jsonl"} <= tracked
    assert tracked - set(wheel.namelist()) == set()


def test_nothing_but_the_package_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0].split("-")[0] for name in wheel.namelist()} == {"tutorscope"}


def test_the_wheel_says_that_it_is_typed_and_carries_the_licence(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert "tutorscope/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
