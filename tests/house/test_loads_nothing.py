"""What counts as a page that fetches from elsewhere."""

import pytest
from loads_nothing import fetches

HOST = "https://elsewhere.example/x"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", f'<script src="{HOST}"></script>'),
        ("a.html", '<img alt="" src="//elsewhere.example/x">'),
        ("a.html", f'<link rel="stylesheet" href="{HOST}">'),
        ("a.html", f'<link href="{HOST}" rel="preload">'),
        ("a.html", f"<style>@font-face {{ src: url('{HOST}') }}</style>"),
        ("a.html", f'<p style="background: url({HOST})">'),
        ("a.html", f'<script>import("{HOST}")</script>'),
        ("a.svg", f'<image src="{HOST}"/>'),
        ("a.css", f'@import "{HOST}";'),
        ("a.js", f'fetch("{HOST}")'),
    ],
)
def test_fetches_are_seen(name: str, text: str) -> None:
    assert len(fetches(name, text)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", f'<a href="{HOST}">read on</a>'),
        ("a.html", '<script src="_static/own.js"></script><img src="data:image/png;base64,AA">'),
        ("a.html", f'<link rel="canonical" href="{HOST}">'),
        ("a.css", "src: url(fonts/own.woff2)"),
        ("a.js", f"// see {HOST}"),
    ],
)
def test_links_and_local_files_are_fine(name: str, text: str) -> None:
    assert fetches(name, text) == []
