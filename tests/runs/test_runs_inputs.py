"""Inputs: growth is allowed, change is refused and names the item."""

import pytest

from tutorscope.errors import RefusedError, UserError
from tutorscope.runs.inputs import Item, added_items, append_items, read_items


def test_items_come_back_as_written(tmp_path):
    items = [Item("a", "1", {"text": "é\u2028\ud800"}, "first"), Item("b", "2", {})]
    append_items(tmp_path / "deep" / "set.jsonl", items)
    assert list(read_items(tmp_path / "deep" / "set.jsonl")) == items


def test_more_items_are_growth():
    held = [Item("a", "1", {})]
    assert added_items(held, [*held, Item("b", "2", {})], "set") == [Item("b", "2", {})]


def test_fewer_items_add_nothing():
    assert added_items([Item("a", "1", {}), Item("b", "2", {})], [Item("b", "2", {})], "set") == []


def test_a_changed_item_is_refused_by_its_label_and_the_field_that_changed():
    before, now = Item("a", "1", {"text": "x", "topic": 1}, "first"), Item("a", "9", {"text": "y", "topic": 1}, "first")
    with pytest.raises(RefusedError, match="item 'first': its text has changed since this run began"):
        added_items([before], [now], "set")


def test_a_label_that_moved_to_other_content_is_refused():
    with pytest.raises(RefusedError, match="chat 7"):
        added_items([Item("h1", "1", {}, "chat 7")], [Item("h2", "2", {}, "chat 7")], "set")


def test_a_label_that_stands_twice_refuses_nothing():
    held = [Item("h1", "1", {}, "6000025"), Item("h2", "2", {}, "6000025")]
    assert added_items(held, [*held, Item("h3", "3", {}, "6000025")], "set") == [Item("h3", "3", {}, "6000025")]


def test_items_beyond_those_that_the_plan_counts_are_cut_off(tmp_path):
    path = tmp_path / "set.jsonl"
    append_items(path, [Item("a", "1", {}), Item("left by a killed ask", "2", {})])
    assert [i.id for i in read_items(path, 1)] == ["a"]
    append_items(path, [Item("c", "3", {})], after=1)
    assert [i.id for i in read_items(path)] == ["a", "c"]


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "set.jsonl"
    append_items(path, [Item("a", "1", {}), Item("b", "2", {})])
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"b'))
    with pytest.raises(UserError, match=r"set\.jsonl: line 2 is no JSON object"):
        list(read_items(path))


def test_a_torn_last_line_is_left_out_and_mended(tmp_path):
    path = tmp_path / "set.jsonl"
    append_items(path, [Item("a", "1", {})])
    with path.open("ab") as out:
        out.write(b'{"id": "b", "sh')
    assert [i.id for i in read_items(path)] == ["a"]
    append_items(path, [Item("c", "3", {})])
    assert [i.id for i in read_items(path)] == ["a", "c"]
