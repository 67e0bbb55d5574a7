"""What all tests share: the real data beside the repository, when it is there."""

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run: a suite that passed yesterday tells something new only if the code has changed.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of real data, or skip with a reason."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the real data (../shared/data) is not here")
    return SHARED / "data"
