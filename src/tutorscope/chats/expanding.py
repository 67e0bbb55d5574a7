"""Bytes out of a compressed file or an archive, watched for how far they grow."""

from __future__ import annotations

import contextlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

import zstandard

from tutorscope.errors import UserError

FREE_EXPANSION = 256 * 2**20
MAX_RATIO = 500
"""A compressed file may grow freely to the first (bytes), and beyond it to so many times what was read of it."""

MAX_WINDOW = 128 * 2**20
"""What a zst file may ask us to remember (bytes)."""

_ZST_STEP = 1024  # a compressed step of this size cannot grow beyond 32 MB


def expanded(raw: BinaryIO, compression: str, where: str) -> BinaryIO:
    """Give the bytes that a compressed file holds.

    Parameters
    ----------
    raw : BinaryIO
        The compressed bytes.
    compression : {"gz", "zst"}
        How they are compressed.
    where : str
        What to call the file in an error.

    Returns
    -------
    BinaryIO
        To be read from start to end. Reading raises UserError where the data is broken, cut short, or grows beyond
        all bounds.
    """
    read = _gz_reader(raw) if compression == "gz" else _zst_reader(raw)
    return io.BufferedReader(_Expanding(where, compression, raw.tell, read), 2**16)


@contextlib.contextmanager
def member_of(raw: BinaryIO, name: str, where: str) -> Iterator[BinaryIO]:
    """Open a member of a zip archive, to be read from start to end.

    Parameters
    ----------
    raw : BinaryIO
        The archive.
    name : str
        The member's name.
    where : str
        What to call the member in an error.

    Raises
    ------
    UserError
        The member cannot be taken out; while reading: its data is broken, cut short, or grows beyond all bounds.
    """
    try:
        archive = zipfile.ZipFile(raw)
        info = archive.getinfo(name)
        data = archive.open(info)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise UserError(f"{where}: cannot be taken out of the archive ({str(error)[:80]})") from error
    # No more than this is ever read of it, whatever comes out.
    taken = info.compress_size
    with archive, data, io.BufferedReader(_Expanding(where, "zip", lambda: taken, data.read), 2**16) as held:
        yield held


class _Expanding(io.RawIOBase):
    """Decompressed bytes, watched for how far they grow."""

    def __init__(self, where: str, kind: str, taken: Callable[[], int], read: Callable[[int], bytes]) -> None:
        self._where = where
        self._kind = kind
        self._taken = taken
        self._read = read
        self._grown = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._read(len(buffer))
        except (EOFError, OSError, zlib.error, zstandard.ZstdError, zipfile.BadZipFile) as error:
            cut = isinstance(error, EOFError)
            what = "is cut short" if cut else f"is broken ({str(error)[:80]})"
            raise UserError(f"{self._where}: the {self._kind} data {what}") from error
        self._grown += len(data)
        if self._grown > FREE_EXPANSION and self._grown > MAX_RATIO * self._taken():
            raise UserError(
                f"{self._where}: the {self._kind} data grows more than {MAX_RATIO} times, to above "
                f"{self._grown // 2**20} MB: no chat log does; expand it yourself if you trust it"
            )
        buffer[: len(data)] = data
        return len(data)


def _gz_reader(raw: BinaryIO) -> Callable[[int], bytes]:
    import gzip

    return gzip.GzipFile(fileobj=raw, mode="rb").read1


def _zst_reader(raw: BinaryIO) -> Callable[[int], bytes]:
    # zstandard's own stream reader ends quietly where a frame was cut off; this one raises EOFError.
    chunks = _zst_chunks(raw)
    rest = memoryview(b"")

    def read(size: int) -> bytes:
        nonlocal rest
        while not rest:
            chunk = next(chunks, None)
            if chunk is None:
                return b""
            rest = memoryview(chunk)
        given, rest = rest[:size], rest[size:]
        return bytes(given)

    return read


def _zst_chunks(raw: BinaryIO) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    step = raw.read(_ZST_STEP)
    while step:
        frame = decompressor.decompressobj()
        while not frame.eof:
            if not step:
                raise EOFError
            yield frame.decompress(step)
            step = b"" if frame.eof else raw.read(_ZST_STEP)
        step = frame.unused_data or raw.read(_ZST_STEP)
