"""A report that looks like a real one: three categories, sixty chats made up here, and their figures."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tutorscope.pictures import hexes, style
from tutorscope.pictures.blocks import Figure, Line, Mark, Prose, Reader, Section, Table, Transcript
from tutorscope.pictures.distributions import Row, distributions

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TILING = hexes.Tiling(0.125, 0.29, origin=(0.0, 3.0))
CATEGORIES = {
    "AI tutor benchmarks": (0.7, 3.7, [("MathDial", 0.75, 3.70), ("PATS", 0.59, 3.60)]),
    "Chatbots with scaffolding": (0.35, 2.8, [("CoMTA", 0.68, 4.05), ("StemChat", 0.30, 2.86)]),
    "Chatbots without scaffolding": (-0.05, 1.6, [("StudyChat", -0.02, 1.67)]),
}
STUDENT = (
    "I wrote 3/4 + 1/8 = 4/12. Is that right?",
    "Just tell me what it is, I have to hand this in tonight.",
    "Eighths, because 8 is a multiple of 4. So 3/4 is 6/8?",
    "And what about the next one, 2/3 minus 1/6?",
    "ok",
)
TUTOR = (
    "Let us look at the pieces first. How many eighths fit into one quarter, and what does that make of three?",
    "The answer is 7/8. You turn 3/4 into 6/8 and add 1/8.",
    "Good thinking. Now both parts have the same size; what happens when you put them together?\n\n"
    "You can draw a bar cut into eight parts if that helps.",
    "What made you choose twelfths?",
    "Which number could both denominators go into?",
)


def chat(place: int, group: str, centre: tuple[float, float], random: np.random.Generator) -> Transcript:
    """Make one chat whose trajectory wanders around its category's centre."""
    lines: list[Line] = []
    scaffolding, uptake = [], []
    for turn in range(int(random.integers(2, 9))):
        s = int(np.clip(round(random.normal(centre[1], 1.0)), 1, 5))
        u = float(np.clip(round(random.normal(centre[0], 0.4) * 2) / 2, -1, 1))
        scaffolding.append(s)
        uptake.append(u)
        marks = [Mark(f"uptake {u:+.1f}", "bad" if u < 0 else "plain")] if turn else [Mark("no framing yet", "muted")]
        values = {"student_uptake": u} if turn else {}
        lines.append(Line("student", STUDENT[int(random.integers(5))], marks, values))
        told = [Mark("tells the answer", "warning")] if s == 1 else []
        reply = TUTOR[int(random.integers(5))]
        lines.append(Line("tutor", reply, [Mark(f"scaffolding {s}"), *told], {"chatbot_scaffolding": s}))
    x, y = float(np.mean(uptake)), float(np.mean(scaffolding))
    cell = hexes.name(TILING, hexes.cells_of(TILING, [x], [y])[0])
    facts = {"data set": group.split()[-1], "uptake": f"{x:+.2f}", "scaffolding": f"{y:.2f}"}
    return Transcript(f"chat-{place}", f"chat-{place:03d}", group, lines, cell, facts)


@pytest.fixture(scope="session")
def transcripts() -> list[Transcript]:
    """Give sixty chats, twenty a category."""
    random = np.random.default_rng(11)
    return [
        chat(20 * block + place, group, (u, s), random)
        for block, (group, (u, s, _)) in enumerate(CATEGORIES.items())
        for place in range(20)
    ]


@pytest.fixture(scope="session")
def figures(transcripts: list[Transcript], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Draw the plane and the distributions of the sixty chats, as an instrument does."""
    folder = tmp_path_factory.mktemp("figures")
    points = {
        group: np.array(
            [[float(t.facts["uptake"]), float(t.facts["scaffolding"])] for t in transcripts if t.group == group]
        )
        for group in CATEGORIES
    }

    def planes(axes: Sequence) -> None:
        handles = []
        for ax, (group, xy) in zip(axes, points.items(), strict=True):
            handles += hexes.plane(
                ax,
                xy[:, 0],
                xy[:, 1],
                TILING,
                group=group,
                xlim=(-1, 1),
                ylim=(1, 5),
                xlabel="Student uptake",
                ylabel="Chatbot scaffolding",
                means=[hexes.Spot("", *xy.mean(axis=0))],
                published=[hexes.Spot(*spot, different=True) for spot in CATEGORIES[group][2]],
            )
        style.legend(axes[0].figure, handles)

    def spreads(axes: Sequence) -> None:
        handles = []
        for ax, column, scale in zip(axes, (0, 1), ((-1, 1), (1, 5)), strict=True):
            rows = [Row(g, xy[:, column], CATEGORIES[g][2][0][1 + column], True) for g, xy in points.items()]
            title = ("Student uptake", "Chatbot scaffolding")[column]
            handles += distributions(ax, rows, scale=scale, bins=16, title=title, xlabel="mean of a chat")
        style.legend(axes[0].figure, handles)

    # Without their PDF, which costs most of the time.
    with style.look():
        for name, columns in (("plane", 3), ("plane-narrow", 1)):
            axes = style.panels(3, columns=columns, panel=(3.3, 4.1))
            planes(axes)
            axes[0].figure.savefig(folder / f"{name}.svg")
        axes = style.panels(2, panel=(4.4, 3.1))
        spreads(axes)
        axes[0].figure.savefig(folder / "spread.svg")
    return folder


@pytest.fixture
def sections(transcripts: list[Transcript], figures: Path) -> list[Section]:
    """Give the sections of a whole report."""
    rows = []
    for group, (_, _, spots) in CATEGORIES.items():
        for name, u, s in spots:
            rows.append((group, name, 20, s - 0.14, 0.81, u + 0.08, 0.2, -0.082, 0.112 if name != "PATS" else np.nan))
    heads = ["category", "dataset", "chats", "scaffolding", "sd_s", "uptake", "sd_u", "rho", "p"]
    formats = dict.fromkeys(("scaffolding", "sd_s", "uptake", "sd_u"), "{:.2f}") | {"rho": "{:+.3f}", "p": "{:.3f}"}
    labels = {"sd_s": "SD", "sd_u": "SD ", "rho": "Spearman’s ρ", "dataset": "data set"}
    alt = "Three planes of student uptake against chatbot scaffolding, one a category."
    return [
        Section(
            "headline",
            "What was found",
            [
                Prose(
                    "Students took up 0.70 of the scaffolding in the benchmarks, 0.35 with a scaffolding chatbot and "
                    "−0.05 without one (−1 to +1; 60 of 64 chats scored).",
                    "headline",
                ),
                Prose(
                    "4 chats have fewer than two valid exchanges and were not scored. 2 of 412 ratings are unread.",
                    "note",
                ),
                Prose(
                    "The judge is a model of 135 million parameters: it shows the machinery, not a verdict.", "warning"
                ),
            ],
        ),
        Section(
            "plane",
            "Where the chats lie",
            [
                Prose(
                    "Each hexagon counts the chats whose mean scores fall into it. Choose one to read its chats below."
                ),
                Figure(
                    "plane",
                    "Per-chat means by category. Hexagons are 0.125 wide and 0.29 high; n = 20, 20, 20; none unread. "
                    "Crossed rings are the means of the paper, which come from another judge and another prompt.",
                    alt,
                    figures / "plane.svg",
                    figures / "plane-narrow.svg",
                ),
                Table(
                    "datasets",
                    "Scores by data set: mean and standard deviation over chats.",
                    pd.DataFrame(rows, columns=heads),
                    formats,
                    labels,
                ),
            ],
        ),
        Section(
            "spread",
            "How scores spread",
            [
                Figure(
                    "spread",
                    "Share of chats at each value.",
                    "Histograms.",
                    figures / "spread.svg",
                )
            ],
        ),
        Section(
            "chats",
            "The chats",
            [
                Reader(
                    transcripts,
                    64,
                    {"student_uptake": (-1, 1), "chatbot_scaffolding": (1, 5)},
                    "These are chats made up for a test.",
                )
            ],
        ),
    ]


FACTS = {
    "Instrument": "uptake, version 1",
    "Run": "fractions-2026",
    "Plan": "2 March 2026",
    "Judge": "embedded (SmolLM2-135M-Instruct)",
    "Seal": ["sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    "Versions": ["tutorscope 0.1.0", "inspect-ai 0.3.285"],
}


@pytest.fixture
def facts() -> dict:
    return dict(FACTS)


@pytest.fixture
def read_page(tmp_path: Path, facts: dict) -> Callable[..., str]:
    """Write a report of the given blocks and give its text back."""
    from tutorscope.reporting.page import write_report

    def write(*blocks, title: str = "A report", **options) -> str:
        path = write_report(tmp_path / "report.html", title, [Section("all", "All", blocks)], facts=facts, **options)
        return path.read_text(encoding="utf-8")

    return write


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if not (Path(CHROMIUM).exists() or shutil.which("chromium")):
        pytest.skip("Chromium is not installed (Debian: chromium)")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium") or CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, tmp_path, facts):
    """Open a report; at the end hold that it was quiet: no error, no policy violation, no request."""
    from tutorscope.reporting.page import write_report

    heard: list[str] = []
    contexts = []

    def open_page(sections, size=(1280, 900), hash_="", texts="all", **options):
        path = write_report(tmp_path / "report.html", "A report", sections, facts=facts, texts=texts)
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(
            "window.violations = [];"
            "addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective))"
        )
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda request: None if request.url.startswith("file:") else heard.append(request.url))
        page.goto(f"{path.as_uri()}{hash_}")
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.violations") == []
            assert page.evaluate("window.attacked === undefined")
        context.close()
    assert heard == []
