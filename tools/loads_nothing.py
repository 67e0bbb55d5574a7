"""Built pages load nothing from elsewhere: no script, style, font, picture or frame from another host.

Links that a reader may follow are fine; what a browser fetches on its own is not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ELSEWHERE = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
FETCHED = {"src", "srcset", "xlink:href", "poster", "data", "background"}
LINKS_THAT_FETCH = {
    "stylesheet",
    "icon",
    "preload",
    "prefetch",
    "modulepreload",
    "preconnect",
    "dns-prefetch",
    "manifest",
}
IN_STYLES = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:[a-z]+:)?//[^"')\s]+)""", re.IGNORECASE)
IN_SCRIPTS = re.compile(r"""(?:import|fetch|importScripts)\s*\(?\s*["'`]((?:https?:)?//[^"'`]+)""")


class Fetches(HTMLParser):
    """Collects the addresses elsewhere that a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        values = {name: value or "" for name, value in attrs}
        fetched = {value for name, value in values.items() if name in FETCHED}
        if tag == "link" and LINKS_THAT_FETCH & set(values.get("rel", "").lower().split()):
            fetched.add(values.get("href", ""))
        self.found += [value for value in fetched if ELSEWHERE.match(value.strip())]
        self.found += IN_STYLES.findall(values.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.found += IN_STYLES.findall(data)
        elif self.inside == "script":
            self.found += IN_SCRIPTS.findall(data)


def fetches(name: str, text: str) -> list[str]:
    """List the addresses elsewhere that a page, style sheet or script fetches."""
    if name.endswith(".css"):
        return IN_STYLES.findall(text)
    if name.endswith(".js"):
        return IN_SCRIPTS.findall(text)
    page = Fetches()
    page.feed(text)
    page.close()
    return page.found


def outside(folder: Path) -> Iterator[tuple[str, str]]:
    """Give file and address of everything that the built pages in a folder fetch from elsewhere."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".html", ".css", ".js", ".svg"}:
            for address in fetches(path.name, path.read_text(encoding="utf-8")):
                yield str(path.relative_to(folder)), address


def main(folder: Path) -> int:
    """Check a folder of built pages."""
    if not folder.is_dir():
        print(f"{folder}: no such folder; make docs builds it")
        return 2
    found = list(outside(folder))
    for name, address in found:
        print(f"{name}: fetches {address}")
    print(f"pages: {len(found) or 'no'} fetches from elsewhere, in {folder}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
