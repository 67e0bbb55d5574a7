"""The paper's figures as data: held against its own text, and found by the names that runs give."""

import re
from pathlib import Path

import pytest

from tutorscope.intervention.published import (
    TAXONOMY,
    TUTORS,
    published,
    published_behaviour,
    published_people,
    published_tutor,
    published_value,
)

# Where a part begins and where the next one does.
PARTS = {
    "Section 5": ("Student baseline accuracy", "5.1\n"),
    "Section 5.1": ("How often and when do LLM teachers intervene? (RQ1)", "How helpful are the interventions? (RQ2)"),
    "Section 5.2": ("How helpful are the interventions? (RQ2)", "Do interventions help students generalize"),
    "Section 5.3": ("Do interventions help students generalize", "How do LLMs compare to human behavior? (RQ4)"),
    "Section 5.4": ("How do LLMs compare to human behavior? (RQ4)", "\n6\n"),
    "Appendix A.2": ("Our simulation consisted of", "Table 2: Number of episodes"),
    "Appendix B.3": ("In the Standard condition, 52% of participants", "Figure 8: Intervention frequency"),
    "Appendix D.2": ("We compare human vs. LLM intervention behavior using", "Standard Human Trip to Nowhere"),
    "Table 1": ("Table 1: Distribution of intervention categories", "reasoning before arriving at the answer"),
    "Table 2": ("Table 2: Number of episodes", "Human Study"),
    "Table 4": ("Table 4: Intervention metrics", "We compare human vs. LLM"),
    "Table 8": ("Table 8: Impact", "We examined whether the student"),
    "Table 9": ("Table 9: Impact", "We conducted a prompt"),
    "Table 10": ("Table 10: Prompt sensitivity", "We provide the prompt"),
}


@pytest.fixture(scope="module")
def paper(shared: Path) -> str:
    """Give the paper's text with one kind of minus."""
    text = (shared.parent / "papers" / "intervention-game.txt").read_text(encoding="utf-8")
    return text.replace("\u2212", "-")


def part(paper: str, where: str) -> str:
    """Cut out one part; the last place where it begins, since contents and captions name parts too."""
    begins, ends = PARTS[where]
    start = paper.rindex(begins)
    return " ".join(paper[start : paper.index(ends, start + len(begins))].split())


def printed(where: str, **of: str) -> list[str]:
    return [one.of["printed"] for one in published() if one.where == where and of.items() <= one.of.items()]


def stands_in(said: str, text: str) -> bool:
    return re.search(rf"(?<![\d.,+-]){re.escape(said)}(?![\d%]|[.,]\d)", text) is not None


def test_every_figure_is_printed_where_it_is_said_to_be(paper: str) -> None:
    missing = [one for one in published() if not stands_in(one.of["printed"], part(paper, one.where))]
    assert missing == []
    assert {one.where for one in published()} == set(PARTS)


@pytest.mark.parametrize("dimension", ["role", "leakage"])
def test_table_1_stands_in_its_order(paper: str, dimension: str) -> None:
    text = part(paper, "Table 1")
    assert f" {' '.join(TAXONOMY[dimension])} " in text
    columns = [
        " ".join(printed("Table 1", dimension=dimension, who=who, condition=condition))
        for who in ("people", "models")
        for condition in ("standard", "oracle")
    ]
    assert f"{' '.join(columns)} " in text + " "


def test_the_columns_of_table_4_stand_in_its_order(paper: str) -> None:
    text = part(paper, "Table 4")

    def block(domain: str, condition: str) -> str:
        measures = ("phi", "phi_correct", "tau_rel", "tau_abs")
        held = [
            one.of["printed"]
            for measure in measures
            for one in published()
            if one.where == "Table 4"
            and one.name == measure
            and (one.of["domain"], one.of["condition"]) == (domain, condition)
        ]
        assert len(held) == 16
        return " ".join(held)

    # The text runs down the left half of the table and meets the right half on its way.
    tutors = " ".join(TUTORS)
    assert f"Code Debugging {tutors} {block('code', 'standard')} {block('code', 'oracle')} " in text
    assert f"{block('math', 'oracle')} {block('teasers', 'oracle')} Mathematics {tutors} " in text
    assert f"Mathematics {tutors} {block('math', 'standard')} Brain Teaser {tutors} " in text
    assert f"Brain Teaser {tutors} " in text
    assert block("teasers", "standard") in text


def test_the_columns_of_table_2_stand_in_their_order(paper: str) -> None:
    text = part(paper, "Table 2")
    for domain in ("code", "math", "teasers", "all"):
        assert f" {' '.join(printed('Table 2', domain=domain))} " in text


@pytest.mark.parametrize(
    ("where", "factor"), [("Table 8", "increment"), ("Table 9", "student"), ("Table 10", "variant")]
)
def test_the_columns_of_what_was_varied_stand_in_their_order(paper: str, where: str, factor: str) -> None:
    settings = list(dict.fromkeys(one.of[factor] for one in published() if one.where == where))
    for condition in ("standard", "oracle"):
        rows = [printed(where, condition=condition, **{factor: setting}) for setting in settings]
        columns = [" ".join(column) for column in zip(*rows, strict=True)]
        if columns:
            assert " ".join(columns) in part(paper, where)


@pytest.mark.parametrize(
    ("where", "pattern", "wanted"),
    [
        (
            "Section 5",
            r"([\d.]+%) on math, ([\d.]+%) on code debugging, and ([\d.]+%) on brain",
            ("math", "code", "teasers"),
        ),
        (
            "Appendix A.2",
            r"([\d.]+%) for brain teasers, ([\d.]+%) for code .*?([\d.]+%) for math",
            ("teasers", "code", "math"),
        ),
    ],
)
def test_shares_by_domain_belong_to_their_domain(paper: str, where: str, pattern: str, wanted: tuple[str, ...]) -> None:
    found = re.search(pattern, part(paper, where))
    assert found is not None
    name = {"Section 5": "accuracy", "Appendix A.2": "retention"}[where]
    values = [published_value(name, domain=domain) for domain in wanted]
    assert values == [pytest.approx(float(said.rstrip("%")) / 100) for said in found.groups()]


def test_the_effects_on_the_next_problem_belong_to_their_context(paper: str) -> None:
    found = re.findall(r"\(math: G = (\S+); code: G = (\S+); brain: G = ([+-][\d.]+)\)?", part(paper, "Section 5.3"))
    for context, row in zip(("problem", "intervention"), found, strict=True):
        values = [
            published_value("g", tutor="all", context=context, domain=domain) for domain in ("math", "code", "teasers")
        ]
        assert values == [float(said.rstrip(",;")) for said in row]


def test_the_tables_sum_to_their_own_totals() -> None:
    for how, total in (("standard", 16111), ("stop", 16110), ("oracle", 7446)):
        rows = [
            published_value("episodes", tutor="all", how=how, domain=domain) for domain in ("code", "math", "teasers")
        ]
        assert (
            sum(value or 0 for value in rows)
            == published_value("episodes", tutor="all", how=how, domain="all")
            == total
        )
    lost = [
        published_value(f"lost_{why}", tutor="all", domain="all")
        for why in ("not_found", "answer_part", "ambiguous", "no_quote")
    ]
    assert sum(value or 0 for value in lost) == published_value("lost", tutor="all", domain="all") == 2241


def test_categories_of_a_column_are_all_interventions() -> None:
    for dimension in ("role", "leakage"):
        for who in ("people", "models"):
            for condition in ("standard", "oracle"):
                shares = [
                    published_value("share", dimension=dimension, category=category, who=who, condition=condition)
                    for category in TAXONOMY[dimension]
                ]
                assert sum(share or 0 for share in shares) == pytest.approx(1, abs=0.003)
    assert (len(TAXONOMY["role"]), len(TAXONOMY["leakage"])) == (16, 12)


def test_printed_frequencies_are_their_own_counts() -> None:
    of = {"domain": "teasers", "problems": "30"}
    for who in ("people", "models"):
        for condition in ("standard", "oracle"):
            stepped, played = (
                published_value(name, **of, who=who, condition=condition) for name in ("interventions", "episodes")
            )
            assert stepped is not None
            assert played is not None
            assert published_people(who, condition, "phi") == pytest.approx(stepped / played, abs=0.006)


def test_the_mean_of_four_tutors_is_near_what_the_text_says_of_all() -> None:
    for condition in ("standard", "oracle"):
        by_domain = [published_behaviour("all", domain, condition, "phi") for domain in ("code", "math", "teasers")]
        said = published_behaviour("all", "all", condition, "phi")
        assert sum(value or 0 for value in by_domain) / 3 == pytest.approx(said, abs=0.006)


def test_a_tutor_of_the_paper_is_held_against_itself_and_another_one_against_all_four() -> None:
    assert published_behaviour("google/gemini-3-flash-preview", "math", "standard", "phi") == 0.37
    assert published_behaviour("my-model", "math", "standard", "phi") == pytest.approx((0.97 + 1 + 0.37 + 0.81) / 4)
    assert published_behaviour("openai/gpt-5.2", "all", "standard", "phi") is None
    assert published_behaviour("my-model", "all", "oracle", "tau_rel") == 0.56
    assert published_behaviour("my-model", "history", "oracle", "tau_rel") is None


@pytest.mark.parametrize(
    ("name", "tutor"),
    [
        ("openai/gpt-5.2", "GPT-5.2"),
        ("openai/gpt-5.2-20251211", "GPT-5.2"),
        ("openrouter/openai/gpt-oss-120b", "GPT-OSS-120B"),
        ("google/gemini-3-flash-preview", "Gemini 3 Flash"),
        ("deepseek-ai/DeepSeek-V3.2", "DeepSeek-V3.2"),
        ("openai/gpt-oss-20b", None),
        ("gpt-5.2-mini", None),
        ("deepseek-v3.1", None),
        ("all", None),
        ("", None),
    ],
)
def test_a_tutor_is_found_however_its_provider_calls_it(name: str, tutor: str | None) -> None:
    assert published_tutor(name) == tutor


def test_a_figure_that_was_not_printed_is_none() -> None:
    assert published_value("phi", tutor="GPT-5.2", domain="history", condition="standard") is None
    assert published_people("people", "oracle", "tau_abs") is None


def test_a_share_is_held_as_a_share_and_a_bound_says_so() -> None:
    assert published_value("helpful", tutor="all", domain="all", how="standard") == 0.255
    assert published_value("phi_correct", tutor="all", domain="all", condition="oracle", relation="<") == 0.03
    assert published_value("phi_correct", tutor="all", domain="all", condition="oracle") is None
