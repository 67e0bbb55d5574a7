"""Prices: the longest name wins, a user's file extends ours, and two currencies are never added up."""

import pytest

from tutorscope.errors import UserError
from tutorscope.models.speakers import Speaker
from tutorscope.runs.prices import Price, read_prices


def speaker(model, kind="inspect"):
    return Speaker("judge", "j", model, kind, {"model": model})


def test_the_longest_start_of_a_name_wins(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text(
        "currency: USD\nmodels:\n  gpt-9: {input: 1, output: 2}\n  gpt-9-tiny: {input: 3, output: 4}\n",
        encoding="utf-8",
    )
    assert read_prices(own).of(speaker("openai/gpt-9-tiny-2026")) == Price(3, 4, 3)
    assert read_prices(own).of(speaker("openai/gpt-9-large")) == Price(1, 2, 1)


def test_a_model_that_no_one_priced_has_no_price():
    assert read_prices().of(speaker("local/my-own")) is None


def test_the_embedded_model_is_free():
    assert read_prices().of(speaker("SmolLM2-135M-Instruct", "embedded")) == Price(0, 0, 0)


def test_tokens_from_a_cache_are_a_part_of_those_read():
    assert Price(2.0, 10.0, 1.0).of(1_000_000, 100_000, 400_000) == pytest.approx(0.6 * 2 + 0.4 * 1 + 0.1 * 10)


def test_another_currency_stands_alone_but_for_free_models(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("currency: EUR\nmodels:\n  mine: {input: 1, output: 2}\n", encoding="utf-8")
    prices = read_prices(own)
    assert prices.currency == "EUR"
    assert prices.of(speaker("openai/gpt-5-mini")) is None
    assert prices.of(speaker("SmolLM2", "embedded")) == Price(0, 0, 0)


@pytest.mark.parametrize(
    "text", ["", "currency: USD", "models: [1]", "currency: USD\nmodels: {a: {input: x, output: 1}}", ":\n  - {", "3"]
)
def test_a_file_that_is_no_price_table_is_one_line(tmp_path, text):
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"own\.yaml: not a price table") as caught:
        read_prices(own)
    assert "\n" not in str(caught.value)


def test_a_price_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_prices(tmp_path / "none.yaml")
