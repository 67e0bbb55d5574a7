"""Text files that users name: what is read, and what is said of those that are none."""

import os
import re

import pytest

from tutorscope.errors import UserError
from tutorscope.texts.files import read_utf8


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"a\r\nb", "a\r\nb"), (b"\xef\xbb\xbf\xc3\xa9", "\u00e9"), (b"", ""), (b"12345", "12345")],
)
def test_a_text_is_read_as_it_is_without_its_mark(tmp_path, raw, text):
    (tmp_path / "a.txt").write_bytes(raw)
    assert read_utf8(tmp_path / "a.txt", "a text", most=5) == text


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"123456", ": more than 5 bytes; expected a text"),
        (b"a\nb\n\xe9", ", line 3: byte 0xe9 is not UTF-8; expected a text"),
        (b"\xff\xfea", ", line 1: byte 0xff is not UTF-8; expected a text"),
        (b"\xef\xbb\xbf\n\xe9", ", line 2: byte 0xe9 is not UTF-8; expected a text"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(tmp_path, raw, said):
    (tmp_path / "a.txt").write_bytes(raw)
    with pytest.raises(UserError, match=f"^{re.escape(str(tmp_path / 'a.txt'))}{re.escape(said)}$"):
        read_utf8(tmp_path / "a.txt", "a text", most=5)


def test_what_is_not_there_is_called_as_the_user_named_it(tmp_path):
    with pytest.raises(UserError, match=r"^--policy: 'x': cannot be read \(No such file or directory\); expected"):
        read_utf8(tmp_path / "x", "a text", named="--policy: 'x'")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(UserError, match="no regular file"):
        read_utf8(tmp_path / "a.txt", "a text")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        read_utf8(tmp_path, "a text")
