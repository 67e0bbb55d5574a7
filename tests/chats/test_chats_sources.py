"""Opening files: compression, encodings, bounds."""

import gzip
import hashlib
import json

import pytest
import zstandard

from tutorscope.chats import expanding
from tutorscope.chats.reading import read_chats
from tutorscope.chats.sources import open_source
from tutorscope.errors import UserError

RECORD = {"id": "a", "messages": [{"role": "user", "content": "Grüße — “ja”"}, {"role": "assistant", "content": "b"}]}
LINE = json.dumps(RECORD, ensure_ascii=False).encode() + b"\n"
CSV = "chat,role,text\n1,student,Grüße – “ja”\n1,tutor,b\n"


def texts(path, **options):
    return [turn.text for chat in read_chats(path, **options) for turn in chat.turns]


def written(path, data: bytes):
    path.write_bytes(data)
    return path


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


@pytest.mark.parametrize("pack", [gzip.compress, zst, bytes])
def test_compression_is_known_by_the_first_bytes_not_by_the_name(tmp_path, pack):
    assert texts(written(tmp_path / "a.log", pack(LINE * 3))) == ["Grüße — “ja”", "b"] * 3


@pytest.mark.parametrize("pack", [gzip.compress, zst])
def test_several_members_are_one_file(tmp_path, pack):
    assert texts(written(tmp_path / "a", pack(LINE) + pack(LINE))) == ["Grüße — “ja”", "b"] * 2


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gz"), (zst, "zst")])
def test_compressed_data_cut_short_is_said(tmp_path, pack, name):
    # Random ids, so that the cut falls inside the data and not into the checksum.
    lines = b"".join(
        LINE.replace(b'"a"', b'"%s"' % hashlib.sha256(b"%d" % i).hexdigest().encode()) for i in range(2000)
    )
    whole = pack(lines)
    with pytest.raises(UserError, match=f"the {name} data is cut short"):
        texts(written(tmp_path / "a", whole[: len(whole) // 2]))


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gz"), (zst, "zst")])
def test_broken_compressed_data_is_said(tmp_path, pack, name):
    whole = bytearray(pack(LINE * 50))
    whole[4 if name == "zst" else 12] ^= 0b1000  # a bit that must be zero
    with pytest.raises(UserError, match=f"a: the {name} data is (broken|cut short)"):
        texts(written(tmp_path / "a", bytes(whole)))


@pytest.mark.parametrize("pack", [gzip.compress, zst])
@pytest.mark.parametrize("unit", [b" ", b"\n", LINE])
def test_a_bomb_is_an_error_in_bounded_memory(tmp_path, monkeypatch, pack, unit):
    monkeypatch.setattr(expanding, "FREE_EXPANSION", 2**18)
    monkeypatch.setattr(expanding, "MAX_RATIO", 100)
    path = written(tmp_path / "a.jsonl", pack(LINE + unit * (2**20 // len(unit))))
    with pytest.raises(UserError, match="grows more than 100 times"):
        texts(path, skip_bad=True)


def test_a_well_packed_log_is_no_bomb(tmp_path):
    path = written(tmp_path / "a.jsonl.gz", gzip.compress(LINE * 5_000))
    file = read_chats(path)
    assert sum(1 for _ in file) == 5_000
    assert file.stem == "a"


def test_parquet_may_be_compressed_once_more(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"student": ["a"], "tutor": ["b"]}), tmp_path / "a.parquet")
    packed = written(tmp_path / "a.parquet.gz", gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert texts(packed) == ["a", "b"]


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_the_encoding(tmp_path, mark):
    assert texts(written(tmp_path / "a.csv", CSV.encode(mark))) == ["Grüße – “ja”", "b"]
    assert texts(written(tmp_path / "a.jsonl", LINE.decode().encode(mark))) == ["Grüße — “ja”", "b"]
    assert texts(written(tmp_path / "a.json", json.dumps([RECORD], indent=1).encode(mark))) == ["Grüße — “ja”", "b"]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-le", "utf-16", "latin-1"])
def test_an_encoding_can_be_named(tmp_path, encoding):
    text = CSV if encoding != "latin-1" else CSV.replace("–", "-").replace("“", '""').replace("”", '""')
    text = text if encoding != "latin-1" else text.replace('Grüße - ""ja""', '"Grüße - ""ja"""')
    assert texts(written(tmp_path / "a.csv", text.encode(encoding)), encoding=encoding)[0].startswith("Grüße")


def test_utf16_with_a_mark_and_its_byte_order_named(tmp_path):
    data = "\ufeff".encode("utf-16-le") + CSV.encode("utf-16-le")
    assert texts(written(tmp_path / "a.csv", data), encoding="utf-16-le") == ["Grüße – “ja”", "b"]


def test_utf16_without_a_mark_shows_the_flag(tmp_path):
    with pytest.raises(UserError, match="full of zero bytes, so it is not UTF-8; try --encoding utf-16-le"):
        texts(written(tmp_path / "a.csv", CSV.encode("utf-16-le")))


def test_a_foreign_byte_names_file_line_and_a_way_out(tmp_path):
    with pytest.raises(UserError, match=r"a\.csv: line 2: byte 0xfc is not utf-8; .*--encoding cp1252"):
        texts(written(tmp_path / "a.csv", CSV.encode("cp1252")))


def test_mixed_encodings_lose_only_the_lines_they_spoil(tmp_path):
    path = written(tmp_path / "a.jsonl", LINE + LINE.decode().encode("cp1252") + LINE)
    with pytest.raises(UserError, match="line 2: byte 0xfc is not utf-8"):
        texts(path)
    file = read_chats(path, skip_bad=True)
    assert len(list(file)) == 2
    assert (file.counts.bad, file.reasons["wrong_encoding"]) == (1, 1)


def test_a_foreign_byte_inside_a_list_names_its_own_line(tmp_path):
    text = json.dumps([RECORD, RECORD], indent=1, ensure_ascii=False)
    at = text.rindex("Grüße")
    data = text[:at].encode() + text[at:].encode("cp1252")
    line = text.count("\n", 0, at) + 1
    with pytest.raises(UserError, match=f"line {line}: byte 0xfc is not utf-8"):
        texts(written(tmp_path / "a.json", data))


def test_a_foreign_byte_in_a_quoted_cell_names_its_own_line(tmp_path):
    data = b'chat,role,text\n1,student,"a\nb\nc\xfc"\n1,tutor,d\n'
    path = written(tmp_path / "a.csv", data)
    with pytest.raises(UserError, match="line 4: byte 0xfc"):
        texts(path)


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13", "", "a\x00b"])
def test_an_unknown_encoding_is_said(tmp_path, encoding):
    with pytest.raises(UserError, match=r"encoding .* is not known"):
        texts(written(tmp_path / "a.csv", CSV.encode()), encoding=encoding)


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf", b"\xff\xfe", gzip.compress(b"", mtime=0), zst(b"")])
def test_an_empty_file_is_said(tmp_path, data):
    with pytest.raises(UserError, match="a: is empty, expected chats"):
        texts(written(tmp_path / "a", data))


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"PK\x03\x04xx", "the zip archive is broken"), (b"\xfd7zXZ\x00", "with xz"), (b"%PDF-1.7", "a PDF")],
)
def test_files_of_other_kinds_are_named(tmp_path, data, kind):
    with pytest.raises(UserError, match=kind):
        texts(written(tmp_path / "a", data))


def test_what_is_no_file_is_said(tmp_path):
    with pytest.raises(UserError, match="holds no file of chats; expected files that end with"):
        open_source(tmp_path)
    with pytest.raises(UserError, match="there is no such file"):
        open_source(tmp_path / "a")


def test_the_hash_is_of_the_raw_file(tmp_path):
    path = written(tmp_path / "a.jsonl.gz", gzip.compress(LINE))
    assert read_chats(path, limit=1).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_no_temporary_file_stays(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = written(tmp_path / "a.csv", b"chat,role,text\n1,student,a\n2,student,b\n1,tutor,c\n")
    assert texts(path) == ["a", "c", "b"]
    assert texts(path, limit=1) == ["a", "c"]
    assert list((tmp_path / "temporary").iterdir()) == []
