import re

import pytest

from tutorscope.errors import UserError
from tutorscope.pictures import style
from tutorscope.reporting.svg import inline_svg

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 20">'


@pytest.fixture
def inline(tmp_path):
    def read(inside: str, head: str = HEAD) -> str:
        path = tmp_path / "picture.svg"
        path.write_text(f"{head}{inside}</svg>", encoding="utf-8")
        return str(inline_svg(path, "figure-1", "What it shows.").markup)

    return read


def test_scripts_foreign_content_and_style_sheets_are_left_out(inline):
    markup = inline(
        "<script>alert(1)</script><foreignObject><body>x</body></foreignObject><style>*{fill:red}</style>"
        "<metadata>m</metadata><title>t</title><animate attributeName='href'/><path d='M0 0'/>"
    )
    assert re.findall(r"<(\w+)", markup) == ["svg", "path"]
    assert "alert" not in markup


def test_event_handlers_are_left_out(inline):
    assert inline('<rect onclick="alert(1)" ONLOAD="x" width="3"/>').endswith('<rect width="3" /></svg>')


@pytest.mark.parametrize("target", ["javascript:alert(1)", "https://example.org/", "#top", "data:text/html,x", "#pick"])
def test_only_links_that_pick_a_cell_stay_links(inline, target):
    markup = inline(f'<a xlink:href="{target}" target="_blank"><path d="M0 0"/></a>')
    assert "<a" not in markup
    assert '<g><path d="M0 0" /></g>' in markup


def test_a_link_that_picks_a_cell_stays_and_opens_no_window(inline):
    markup = inline('<a xlink:href="#pick=A/x" target="_blank"><path d="M0 0"/></a>')
    assert '<a href="#pick=A/x"><path d="M0 0" /></a>' in markup
    assert 'role="group"' in markup


def test_ids_and_what_refers_to_them_get_the_prefix(inline):
    markup = inline(
        '<defs><clipPath id="p1"><rect width="1"/></clipPath><path id="m1" d="M0 0"/></defs>'
        '<use xlink:href="#m1" style="clip-path: url(#p1)"/><g clip-path="url(#p1)"/>'
    )
    assert 'id="figure-1-p1"' in markup
    assert 'href="#figure-1-m1"' in markup
    assert markup.count('clip-path="url(#figure-1-p1)"') == 2


def test_references_to_other_files_are_left_out(inline):
    markup = inline(
        '<use href="other.svg#x"/><image href="https://example.org/a.png"/><image href="data:image/svg+xml;base64,AA"/>'
        '<path fill="url(https://example.org/#a)" stroke="red" style="fill: url(file:///etc/passwd#a); opacity: 0.5"/>'
    )
    assert "example.org" not in markup
    assert "passwd" not in markup
    assert markup.endswith('<path stroke="red" opacity="0.5" /></svg>')


def test_a_bitmap_inside_the_picture_stays_and_is_reported(tmp_path):
    path = tmp_path / "a.svg"
    path.write_text(f'{HEAD}<image width="2" xlink:href="data:image/png;base64,iVBORw0KGgo="/></svg>', encoding="utf-8")
    inlined = inline_svg(path, "figure-1", "")
    assert inlined.bitmap
    assert 'href="data:image/png;base64,iVBORw0KGgo="' in inlined.markup


def test_style_attributes_become_attributes_that_a_strict_policy_allows(inline):
    markup = inline(
        "<text style=\"font: italic bold 12.5px 'DejaVu Sans', serif; text-anchor: middle; behavior: url(x)\">a</text>"
    )
    assert '<text font-size="12.5px" font-style="italic" font-weight="bold" text-anchor="middle">a</text>' in markup


def test_text_stays_text(inline):
    assert "<text>&lt;img src=x&gt; &amp; <tspan>b</tspan> c</text>" in inline(
        "<text>&lt;img src=x&gt; &amp; <tspan>b</tspan> c</text>"
    )


def test_the_picture_says_what_it_shows(tmp_path):
    path = tmp_path / "a.svg"
    path.write_text(f"{HEAD}</svg>", encoding="utf-8")
    assert 'aria-label="&quot;5 &lt; 6&quot;" ' in inline_svg(path, "figure-1", '"5 < 6"').markup


def test_size_comes_from_points_or_the_view_box(tmp_path):
    path = tmp_path / "a.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"/>', encoding="utf-8")
    assert inline_svg(path, "p", "").width == 96
    path.write_text(f"{HEAD}</svg>", encoding="utf-8")
    assert inline_svg(path, "p", "").width == 10


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("<html/>", "begins with <html>, expected <svg>"),
        ("<svg", "is not well-formed XML"),
        ('<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>', "declares entities"),
    ],
)
def test_a_file_that_is_no_picture_is_refused_by_name(tmp_path, content, says):
    path = tmp_path / "plane.svg"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=rf"plane\.svg: {says}"):
        inline_svg(path, "p", "")


def test_a_picture_that_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(UserError, match=r"plane\.svg: cannot be read"):
        inline_svg(tmp_path / "plane.svg", "p", "")


def test_a_figure_of_ours_keeps_every_shape_and_loses_every_style_attribute(tmp_path):
    with style.look():
        ax = style.panels(1)[0]
        ax.plot([0, 1], [0, 1], marker="o")
        ax.set_title("A title")
        ax.figure.savefig(tmp_path / "a.svg")
    before = (tmp_path / "a.svg").read_text(encoding="utf-8")
    after = str(inline_svg(tmp_path / "a.svg", "figure-7", "").markup)
    for shape in ("<path", "<use", "<text", "<clipPath", "<rect"):
        assert after.count(shape) == before.count(shape) > 0
    assert " style=" not in after
    assert ">A title</text>" in after
    assert set(re.findall(r'href="#([\w-]+)"|url\(#([\w-]+)\)', after)) <= {
        pair for i in re.findall(r'id="([\w.-]+)"', after) for pair in ((i, ""), ("", i))
    }
