"""What all tests share: the real data beside the repository, when it is there."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of real data, or skip with a reason."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the real data (../shared/data) is not here")
    return SHARED / "data"
