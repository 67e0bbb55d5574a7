"""Opening a log: plain, gz, zst or zip, a folder of such, in any encoding, in bounded memory."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, BinaryIO

from tutorscope.chats.expanding import expanded, member_of
from tutorscope.errors import UserError

MAX_RECORD = 32 * 2**20
"""Characters in one line or one record. A longer one is a broken record, whatever it is."""

MAX_FILES = 20_000
"""Files in a folder, or members of a zip archive, that are read as one log."""

LOG_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""What the files of a folder or an archive must end with (before .gz or .zst) to be read."""

_ZIP = b"PK\x03\x04"
_NOT_LOGS = {
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"SQLite format 3": "an SQLite database",
}
_MARKS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_SKIP_STEP = 2**16


def _mark_bytes(error: UnicodeError) -> tuple[str, int]:
    # No decoder yields a surrogate of its own accord, so one in a line later says that the line held a foreign byte,
    # and which: one bad line can then be named, or skipped, without losing the rest of the file.
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error("tutorscope.mark", _mark_bytes)


@dataclass(frozen=True, slots=True)
class Source:
    """A log file that can be opened as often as needed.

    Parameters
    ----------
    path : Path
    encoding : str
        What its text is decoded with.
    compression : {"", "gz", "zst"}
        By its first bytes, not by its name.
    parquet : bool
    member : str
        The file's name inside the zip archive that ``path`` is; "" for a file that lies open.
    parts : tuple of Source
        The files of a folder or an archive, in the order of their names: they are one log, read one after another.
    left_aside : int
        How many other files the folder or archive holds.
    """

    path: Path
    encoding: str
    compression: str
    parquet: bool
    member: str = ""
    parts: tuple[Source, ...] = ()
    left_aside: int = 0

    def __str__(self) -> str:
        """Name it for messages."""
        return f"{self.path}: {self.member}" if self.member else str(self.path)

    @property
    def stem(self) -> str:
        """The file's name without the endings of its format and compression."""
        name = self.path.name
        if self.compression:
            name = name.removesuffix(f".{self.compression}")
        return Path(name).stem

    @contextlib.contextmanager
    def open_bytes(self) -> Iterator[BinaryIO]:
        """Open for reading, decompressed on the way.

        Raises
        ------
        UserError
            While reading: the compressed data is broken, cut short, or grows beyond all bounds.
        """
        try:
            raw = self.path.open("rb")
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        with contextlib.ExitStack() as opened:
            data: BinaryIO = opened.enter_context(raw)
            if self.member:
                data = opened.enter_context(member_of(raw, self.member, str(self)))
            if self.compression:
                data = opened.enter_context(expanded(data, self.compression, str(self)))
            yield data

    @contextlib.contextmanager
    def open_text(self, newline: str = "") -> Iterator[IO[str]]:
        r"""Open as text, line ends untouched, undecodable bytes marked (see ``foreign_byte``).

        Parameters
        ----------
        newline : {"", "\n"}
            What ends a line: any of the three line ends, or a line feed alone.
        """
        with self.open_bytes() as data:
            text = io.TextIOWrapper(data, encoding=self.encoding, errors="tutorscope.mark", newline=newline)
            try:
                yield text
            finally:
                with contextlib.suppress(ValueError, UserError):
                    text.detach()

    @contextlib.contextmanager
    def open_seekable(self) -> Iterator[BinaryIO]:
        """Open for reading anywhere: a compressed file is expanded to a temporary one first."""
        with self.open_bytes() as data:
            if not self.compression and not self.member:
                yield data
                return
            with tempfile.TemporaryFile() as whole:
                while block := data.read(2**20):
                    whole.write(block)
                whole.seek(0)
                yield whole

    def sha256(self) -> str:
        """Hash the raw file as it lies on the disk; of a folder, the names and hashes of its files."""
        if self.path.is_dir():
            listed = "".join(f"{part.sha256()} {part.path.name}\n" for part in self.parts)
            return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()
        with self.path.open("rb") as raw:
            return hashlib.file_digest(raw, "sha256").hexdigest()


def open_source(path: str | os.PathLike[str], encoding: str | None = None) -> Source:
    """Look at a file's first bytes: how it is compressed and encoded.

    Parameters
    ----------
    path : path
    encoding : str, optional
        As Python names it. Otherwise what a byte order mark says, or UTF-8.

    Raises
    ------
    UserError
        There is no such file, it is empty, it is of a kind that no reader reads, the encoding is unknown, or a folder
        or archive holds no logs, or logs of several kinds.
    """
    path = Path(path)
    if path.is_dir():
        return _folder(path, encoding)
    if not path.exists():
        raise UserError(f"{path}: there is no such file")
    if not path.is_file():
        raise UserError(f"{path}: is not a regular file; it is read more than once, so save it first")
    with Source(path, "utf-8", "", False).open_bytes() as raw:
        zipped = raw.read(4) == _ZIP
    return _archive(path, encoding) if zipped else _looked_at(Source(path, "utf-8", "", False), encoding)


def _looked_at(plain: Source, encoding: str | None) -> Source:
    """Find how one file is compressed and encoded."""
    with plain.open_bytes() as raw:
        start = raw.read(16)
    found = plain
    if start.startswith(b"\x1f\x8b"):
        found = replace(plain, compression="gz")
    elif start.startswith(b"\x28\xb5\x2f\xfd"):
        found = replace(plain, compression="zst")
    with found.open_bytes() as data:
        head = data.read(2048)
    if not head.strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise UserError(f"{plain}: is empty, expected chats")
    for magic, kind in _NOT_LOGS.items():
        if head.startswith(magic):
            raise UserError(
                f"{plain}: is {kind}, expected JSON, JSON lines, CSV or Parquet, plain or as gz, zst or zip"
            )
    if head.startswith(b"PAR1"):
        return replace(found, parquet=True)
    return replace(found, encoding=_encoding_of(plain, head, encoding))


def _folder(path: Path, encoding: str | None) -> Source:
    try:
        names = sorted(entry.name for entry in path.iterdir())
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
    chosen = _logs(path, [name for name in names if (path / name).is_file()])
    parts = tuple(_looked_at(Source(path / name, "utf-8", "", False), encoding) for name in chosen)
    return Source(path, parts[0].encoding, "", parts[0].parquet, parts=parts, left_aside=len(names) - len(chosen))


def _archive(path: Path, encoding: str | None) -> Source:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UserError(f"{path}: the zip archive is broken or cut short ({str(error)[:80]})") from error
    names = [info.filename for info in infos]
    if "[Content_Types].xml" in names:
        raise UserError(f"{path}: is an Excel workbook or another office file; save the sheet as CSV")
    # The exports of ChatGPT and Claude hold their chats in these, beside files about the account.
    exported = [name for name in names if Path(name).name.startswith("conversations") and name.endswith(".json")]
    chosen = _logs(path, sorted(exported or names))
    parts = tuple(_looked_at(Source(path, "utf-8", "", False, member=name), encoding) for name in chosen)
    return Source(path, parts[0].encoding, "", parts[0].parquet, parts=parts, left_aside=len(names) - len(chosen))


def _logs(path: Path, names: list[str]) -> list[str]:
    """Choose the files that are logs; they must be of one kind."""
    endings: dict[str, list[str]] = {}
    for name in names:
        plain = name.removesuffix(".gz").removesuffix(".zst").lower()
        ending = next((ending for ending in LOG_ENDINGS if plain.endswith(ending)), None)
        if ending and not Path(name).name.startswith((".", "_")) and "__MACOSX" not in Path(name).parts:
            endings.setdefault(ending, []).append(name)
    if not endings:
        raise UserError(f"{path}: holds no file of chats; expected files that end with {', '.join(LOG_ENDINGS)}")
    if len(endings) > 1:
        raise UserError(f"{path}: holds files of several kinds ({', '.join(sorted(endings))}); name one file")
    (chosen,) = endings.values()
    if len(chosen) > MAX_FILES:
        raise UserError(f"{path}: holds {len(chosen):,} files, expected at most {MAX_FILES:,}")
    return chosen


def read_line(text: IO[str], strip_mark: bool = False) -> tuple[str, bool]:
    r"""Read one line, of bounded size.

    Parameters
    ----------
    text : text stream
    strip_mark : bool
        Drop a byte order mark at its start (on the first line, where the encoding did not).

    Returns
    -------
    tuple of str and bool
        The line with its end ("" at the end of the file) and whether it was whole: a line above ``MAX_RECORD`` is
        read to its end and given as "\n" only.
    """
    line = text.readline(MAX_RECORD + 1)
    if strip_mark:
        line = line.removeprefix("\ufeff")
    if len(line) <= MAX_RECORD:
        return line, True
    ended = line.endswith("\n")
    while not ended:
        line = text.readline(_SKIP_STEP)
        ended = len(line) < _SKIP_STEP or line.endswith("\n")
    return "\n", False


def foreign_byte(text: str, encoding: str) -> tuple[int, str] | None:
    """Find the first byte of a text that its encoding does not know.

    Returns
    -------
    tuple of int and str, or None
        How many line feeds stand before it, and a message that says what to do.
    """
    if text.isascii():
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        name = encoding.removesuffix("-sig")
        hint = "; a file from Excel may need --encoding cp1252" if name.startswith("utf-8") else ""
        message = f"byte 0x{ord(text[error.start]) - 0xDC00:02x} is not {name}{hint}"
        return text.count("\n", 0, error.start), message
    return None


def _encoding_of(source: Source, head: bytes, encoding: str | None) -> str:
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if encoding is None:
        if marked is None and head[:256].count(0) * 4 >= min(len(head), 256):
            raise UserError(f"{source}: is full of zero bytes, so it is not UTF-8; try --encoding utf-16-le")
        return marked or "utf-8"
    try:
        codec = codecs.lookup(encoding)
        b"a".decode(encoding, "ignore")  # refuses codecs between bytes and bytes
    except (LookupError, ValueError, TypeError) as error:
        raise UserError(f"encoding {encoding!r:.40} is not known; utf-8, cp1252 and utf-16 are examples") from error
    if marked and codec.name == "utf-8":
        return marked
    return codec.name
