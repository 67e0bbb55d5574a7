import re

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.intervention.published import TAXONOMY
from tutorscope.intervention.taxonomies import (
    DIMENSIONS,
    Category,
    choose,
    fault_of,
    folded,
    kept_categories,
    published,
    read_taxonomy,
)

GOOD = "role: [Praise, Critique]\nleakage: [All, Nothing]\n"


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.yaml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_the_published_names_are_those_of_the_reference_data():
    names = {dimension: tuple(one.name for one in published()[dimension]) for dimension in DIMENSIONS}
    assert names == dict(TAXONOMY)
    assert [len(names[dimension]) for dimension in DIMENSIONS] == [16, 12]


def test_names_and_descriptions_are_read_in_order(written):
    text = "role:\n- name: Praise\n  description: It  cheers\n    on.\n- Critique\nleakage: [No, 12]\n"
    items = read_taxonomy(written(text)).items
    assert kept_categories(items, "role") == (Category("Praise", "It cheers on."), Category("Critique"))
    assert [one.name for one in kept_categories(items, "leakage")] == ["No", "12"]


@pytest.mark.parametrize("name", ["No", "true", "12", "3.5", "0x1F", "2026-01-02", "'null'", '"~"', ".inf", "1_000"])
def test_a_name_is_what_is_written_whatever_yaml_takes_it_for(written, name):
    items = read_taxonomy(written(f"role:\n- A\n- {name}\nleakage:\n- B\n- name: {name}\n  description: null\n")).items
    plain = name.strip("'\"")
    assert kept_categories(items, "role")[1] == kept_categories(items, "leakage")[1] == Category(plain)


def test_the_file_gives_the_name_and_the_whole_list_its_hash(written):
    first, same = read_taxonomy(written(GOOD)), read_taxonomy(written(b"\xef\xbb\xbf" + GOOD.encode() + b"# mine\n"))
    assert (first.name, first.items[0].id) == ("taxonomy/mine", "role")
    assert first.items[0].sha == same.items[0].sha
    other = read_taxonomy(written(GOOD.replace("All", "Much")))
    assert [a.sha == b.sha for a, b in zip(first.items, other.items, strict=True)] == [True, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("# nothing\n", "found nothing, expected two lists"),
        ("- a\n- b\n", "line 1: found a list, expected two lists"),
        ("role: [A, B]\n", "leakage is missing"),
        (GOOD + "other: [A, B]\n", "line 3: found 'other', expected role, leakage"),
        (GOOD + "role: [A, B]\n", "line 3: role is there twice"),
        ("role: A\nleakage: [A, B]\n", "role: line 1: found text, expected a list"),
        ("role: [A]\nleakage: [A, B]\n", "role: line 1: found 1 categories, expected 2 to 60"),
        ("role: [A, B]\nleakage:\n- A\n- [B]\n", "leakage: line 4: found a list, expected a name"),
        ("role: [A, B]\nleakage:\n- A\n- text: B\n", "line 4: found 'text', expected name, description"),
        ("role: [A, B]\nleakage:\n- A\n- description: B\n", "line 4: name is missing"),
        ("role: [A, B]\nleakage:\n- A\n- name: {a: b}\n", "line 4: found an object, expected text"),
        ("role:\n- Praise\n- 'praise '\nleakage: [A, B]\n", "line 3: 'praise': the name of a category above it"),
        ("role:\n- A\n-\nleakage: [A, B]\n", "role: line 3: found nothing, expected a name"),
        ("role: [A, B]\nleakage:\n- A\n- null\n", "leakage: line 4: found null, which YAML reads as nothing"),
        ("role: [A, B]\nleakage:\n- A\n- name: ~\n", "leakage: line 4: found ~, which YAML reads as nothing"),
        ("role: [A, B]\nleakage:\n- A\n- name:\n", "leakage: line 4: found nothing, expected a name"),
        ("role: [A, '']\nleakage: [A, B]\n", "a category without a name"),
        ('role: [A, "a\\u200bb"]\nleakage: [A, B]\n', "invisible characters"),
        (f"role: [A, {'x' * 101}]\nleakage: [A, B]\n", "at most 100 characters"),
        ("role: [A, B\n", "is not YAML"),
        ("role: &r [A, *r]\nleakage: [A, B]\n", "found a list, expected a name"),
        (b"role: [A, B]\nleakage: [A, caf\xe9]\n", "line 2: byte 0xe9 is not UTF-8"),
        (b"role: [A, \x01]\n", "is not YAML"),
        ("[" * 2000, "is not YAML"),
        ("a" * 200_001, "more than 200,000 bytes"),
    ],
)
def test_faults_of_a_file_are_one_line_that_says_where(written, text, said):
    path = written(text)
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        read_taxonomy(path)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["published.yaml", "2.yaml", "my list.yaml", "-x.yaml", "x" * 41])
def test_a_name_that_could_be_taken_for_another_taxonomy_is_refused(written, name):
    with pytest.raises(UserError, match="cannot be the name of a taxonomy"):
        read_taxonomy(written(GOOD, name))


def test_what_is_wanted_is_a_number_the_papers_names_or_a_file(written):
    assert choose("published") == ("published", None)
    assert choose("12") == ("12", None)
    name, own = choose(str(written(GOOD)))
    assert (name, own.name) == ("mine", "taxonomy/mine")


KEPT = (
    '{"id":"role","sha":"1","label":"","data":{"categories":[{"name":"Praise"},{"name":"A","description":"B c"}]}}\n'
    '{"id":"leakage","sha":"2","label":"","data":{"categories":[{"name":"All"}],"judge":"j","messages":3}}\n'
)


def test_what_a_run_keeps_is_a_taxonomy_of_another_by_a_name_of_its_own(written):
    name, own = choose(f"first={written(KEPT, '1.jsonl')}")
    assert (name, own.name) == ("first", "taxonomy/first")
    assert kept_categories(own.items, "role") == (Category("Praise"), Category("A", "B c"))
    assert kept_categories(own.items, "leakage") == (Category("All"),)
    with pytest.raises(UserError, match=r"'1' cannot be the name of a taxonomy of your own; expected --taxonomy NAME="):
        choose(str(written(KEPT, "1.jsonl")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (KEPT.splitlines()[0], "leakage is missing"),
        (KEPT + "{", "line 3: is not what a run keeps"),
        (KEPT.replace('"leakage"', '"role"'), "line 2: id: found 'role'"),
        (KEPT.replace('"leakage"', "[1]"), "line 2: id: found '[1]'"),
        (KEPT.replace('{"name":"All"}', ""), "line 2: found no category"),
        (KEPT.replace('"All"', "null"), "line 2: found a name or description that is no text"),
        (KEPT.replace('"All"', '" "'), "line 2: a category without a name"),
        (KEPT.replace('{"name":"All"}', '{"name":"All"},{"name":"all "}'), "line 2: the name of a category above it"),
    ],
)
def test_faults_of_a_kept_file_are_one_line_that_says_where(written, text, said):
    path = written(text, "mine.jsonl")
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        read_taxonomy(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize("wanted", ["0", "01", "-1", "1.5", "99999", "publish", "absent.yaml", "", "²"])
def test_anything_else_is_refused_with_what_is_expected(wanted):
    with pytest.raises(UserError, match=r"--taxonomy: found .* expected published, a YAML file, or the number"):
        choose(wanted)


@examples(max_examples=50)
@given(st.lists(st.text(max_size=12), max_size=6))
def test_a_list_stands_only_if_every_name_can_be_told_from_every_other(names):
    fault = fault_of([Category(" ".join(name.split())) for name in names])
    apart = len({folded(name) for name in names}) == len(names)
    seen = all(" ".join(name.split()) and " ".join(name.split()).isprintable() for name in names)
    assert (fault == "") == (apart and seen)
