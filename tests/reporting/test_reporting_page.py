import base64
import hashlib
import re
from html.parser import HTMLParser
from importlib.resources import files

import pandas as pd
import pytest

from tutorscope.errors import UserError
from tutorscope.pictures.blocks import Figure, Line, Prose, Reader, Section, Table, Transcript
from tutorscope.reporting.page import write_report

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7 * 7 }}\x1b[31m\x00\u202eabc\ud800"


class Page(HTMLParser):
    """What a page holds: its elements with attributes, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.text = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.text += data

    def all(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_the_page_loads_nothing_from_anywhere(read_page, sections, tmp_path, facts):
    page = Page(write_report(tmp_path / "r.html", "R", sections, facts=facts).read_text(encoding="utf-8"))
    for name, attributes in page.elements:
        assert name not in ("link", "iframe", "object", "embed", "base", "form", "img", "audio", "video", "source")
        assert not {"src", "srcset", "style", "action", "data"} & set(attributes)
        assert not [key for key in attributes if key.startswith("on")]
        assert attributes.get("href", "#").startswith("#")


def test_the_policy_allows_the_pages_own_script_and_style_and_nothing_else(read_page):
    text = read_page(Prose("x"))
    policy = next(m["content"] for m in Page(text).all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    script = re.search(r"<script>(.*?)</script>", text, re.S)[1]
    for kind, content in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "img-src" not in policy
    # The browser reads the policy before anything that it governs.
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_a_bitmap_in_a_figure_and_only_that_opens_the_policy_for_embedded_images(read_page, tmp_path):
    path = tmp_path / "a.svg"
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="data:image/png;base64,AAAA"/></svg>', encoding="utf-8"
    )
    assert "img-src data:" in read_page(Figure("a", "A", "An image.", path))


def test_hostile_text_anywhere_is_only_text(read_page, tmp_path):
    svg = tmp_path / "a.svg"
    svg.write_text('<svg xmlns="http://www.w3.org/2000/svg"><text>a</text></svg>', encoding="utf-8")
    # Pandas' own strings cannot hold half a surrogate pair.
    frame = pd.DataFrame({HOSTILE[:-1]: [HOSTILE[:-1]], "x": [1]})
    blocks = [
        Prose(HOSTILE, HOSTILE),
        Figure(HOSTILE, HOSTILE, HOSTILE, svg),
        Table(HOSTILE, HOSTILE, frame),
        Reader([Transcript(HOSTILE, HOSTILE, HOSTILE, [Line(HOSTILE, HOSTILE)], HOSTILE, {HOSTILE: HOSTILE})], 1),
    ]
    plain = Page(read_page(*_harmless(blocks, svg), title="plain"))
    attacked_text = read_page(*blocks, title=HOSTILE)
    attacked = Page(attacked_text)
    assert [name for name, _ in attacked.elements] == [name for name, _ in plain.elements]
    assert "{{ 7 * 7 }}" in attacked.text
    assert not set(attacked_text) & set("\x00\x1b\u202e\ud800")
    assert "⟨U+001B⟩[31m⟨U+0000⟩⟨U+202E⟩abc⟨U+D800⟩" in attacked.text


def _harmless(blocks, svg):
    return [
        Prose("p", "plain"),
        Figure("f", "f", "f", svg),
        Table("t", "t", pd.DataFrame({"a": ["b"], "x": [1]})),
        Reader([Transcript("a", "a", "a", [Line("a", "a")], "a", {"a": "a"})], 1),
    ]


def test_figures_and_tables_are_numbered_in_order_and_keep_their_captions(tmp_path, sections, facts):
    text = write_report(tmp_path / "r.html", "R", sections, facts=facts).read_text(encoding="utf-8")
    heads = re.findall(r"<b>((?:Figure|Table) \d+)\.</b>", text)
    assert heads == ["Figure 1", "Table 1", "Figure 2"]


def test_every_id_is_there_once_even_when_a_figure_or_an_anchor_comes_twice(tmp_path, sections, facts):
    again = Section("plane", "Again", sections[1].blocks)
    posing = [Section("figure-1", "Posing", []), Section("reader-1", "Posing", []), Section("provenance", "P", [])]
    text = write_report(tmp_path / "r.html", "R", [*posing, *sections, again], facts=facts).read_text(encoding="utf-8")
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    page = Page(text)
    for attributes in (*page.all("a"), *page.all("use")):
        target = attributes["href"]
        assert target.startswith("#pick=") or target[1:] in ids
    for attributes in page.all("section"):
        assert attributes["aria-labelledby"] in ids


def test_contents_list_the_sections_and_where_the_numbers_come_from(tmp_path, sections, facts):
    page = Page(write_report(tmp_path / "r.html", "R", sections, facts=facts).read_text(encoding="utf-8"))
    assert [a["href"] for a in page.all("a") if not a["href"].startswith("#pick=")] == [
        "#headline",
        "#plane",
        "#spread",
        "#chats",
        "#provenance",
    ]
    for words in ("fractions-2026", "2 March 2026", "sha256 9f86d081", "inspect-ai 0.3.285"):
        assert words in page.text


def test_texts_none_leaves_no_word_of_a_chat_in_the_page(read_page):
    reader = Reader([Transcript("a", "chat 1", "g", [Line("student", "my own words", values={"uptake": 0.5})])], 1)
    assert "my own words" in read_page(reader, texts="all")
    without = read_page(reader, texts="none")
    assert "my own words" not in without
    assert '"values":{"uptake":0.5}' in without
    assert "This page holds all 1. Their words were left out of this page" in without


def test_a_page_with_a_sample_stays_within_its_limit_whatever_else_it_holds(read_page, monkeypatch):
    monkeypatch.setattr("tutorscope.reporting.page.SAMPLE_PAGE", 150_000)
    reader = Reader([Transcript(str(i), str(i), "g", [Line("student", "é" * 500)]) for i in range(200)], 200)
    table = Table("t", "T", pd.DataFrame({"a": ["x" * 100] * 100}))
    text = read_page(reader, table, reader)
    assert 140_000 < len(text.encode()) <= 150_000
    assert len(read_page(reader, texts="all").encode()) > 200_000


def test_a_reader_with_nothing_to_read_says_so(read_page):
    assert "There is nothing to read here." in Page(read_page(Reader([], 3))).text


def test_a_report_replaces_the_one_before_whole_or_not_at_all(read_page, tmp_path, facts):
    before = read_page(Prose("first"))
    missing = Figure("a", "A", "A.", tmp_path / "gone.svg")
    with pytest.raises(UserError, match=r"gone\.svg"):
        write_report(tmp_path / "report.html", "R", [Section("a", "A", [missing])], facts=facts)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == before
    read_page(Prose("second"))
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_the_same_sections_give_the_same_page(read_page, transcripts):
    reader = Reader(transcripts, 60, {"student_uptake": (-1, 1)})
    assert read_page(reader) == read_page(reader)


def test_the_script_never_parses_text_as_markup_and_talks_to_no_one():
    script = files("tutorscope.reporting").joinpath("assets", "page.js").read_text(encoding="utf-8")
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(",
                 "XMLHttpRequest", "import(", "localStorage", "DOMParser", "</"):  # fmt: skip
        assert word not in script
