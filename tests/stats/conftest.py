"""Golden digits from R, and running the scripts that made them where R is there."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="session")
def golden():
    """Read a file of golden digits by its name."""
    return lambda name: json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def remade():
    """Run a golden script again on its data; skip where R or its packages are missing."""
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not here")

    def run(name, data, package):
        if subprocess.run(["Rscript", "-e", f"library({package})"], capture_output=True, check=False).returncode:
            pytest.skip(f"R's package {package} is not here")
        command = ["Rscript", str(GOLDEN / f"{name}.R"), str(GOLDEN / f"{data}.csv")]
        return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    return run
