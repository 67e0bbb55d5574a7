"""Secrets are refused where they are typed and taken out of what others say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.models.credentials import (
    header_values,
    hide,
    parse_header,
    refuse_credentials,
    require_variable,
    scrub,
)

SECRET = "planted-0123456789"


@pytest.mark.parametrize(
    "text",
    [
        f"http://ann:{SECRET}@host/v1#m",
        f"mine=https://{SECRET}@host/v1",
        f"http://host/v1?key={SECRET}#m",
        f"http://host/v1?api_key={SECRET}#m",
        f"http://host/v1?x-api-key={SECRET}",
        f"http://host/v1?a=b&access_token={SECRET}#m",
        f"http://host/v1#m?sig={SECRET}",
        f"openai/gpt-5,api_key={SECRET}",
        f"token={SECRET}",
        'extra_body={"api_key": "' + SECRET + '"}',
        f"openai/sk-proj-{SECRET}",
        f"Authorization: Bearer {SECRET}",
    ],
)
def test_a_credential_is_refused_and_not_repeated(text):
    with pytest.raises(UserError) as refused:
        refuse_credentials("--tutor", text)
    assert SECRET not in str(refused.value)
    assert "--tutor-header" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "openai/gpt-5-mini",
        "mine=anthropic/claude-sonnet-5",
        "hf-inference-providers/meta-llama/Llama-3.1-8B-Instruct",
        "ollama/llama3:8b",
        "http://host:8000/v1#Qwen/Qwen3-8B",
        "https://host/v1?api-version=2024-10-21#gpt-4o",
        "tutor_token:reply",
        "max_tokens=200",
        "reasoning_tokens=1024",
        "embedded:/models/task-small.gguf",
    ],
)
def test_ordinary_values_pass(text):
    refuse_credentials("--tutor", text)


def test_a_header_names_its_variable(monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    assert parse_header("--tutor-header", "X-Api-Key=env:MY_KEY") == ("X-Api-Key", "MY_KEY")


@pytest.mark.parametrize(
    "text",
    [f"X-Api-Key={SECRET}", f"Authorization: Bearer {SECRET}", f"X-Key=env:{SECRET}", SECRET, f"X Y=env:A{SECRET}"],
)
def test_a_header_with_a_value_is_refused_and_not_repeated(text):
    with pytest.raises(UserError) as refused:
        parse_header("--tutor-header", text)
    assert SECRET not in str(refused.value)
    assert "env:VARIABLE" in str(refused.value)


def test_a_missing_variable_is_named(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(UserError, match="'NO_SUCH_KEY' is not set"):
        require_variable("--judge-header", "NO_SUCH_KEY")


def test_a_key_pasted_as_a_variable_name_is_not_repeated():
    pasted = "abcDEF0123456789abcDEF0123456789"
    with pytest.raises(UserError) as refused:
        parse_header("--judge-header", f"Authorization=env:{pasted}")
    assert pasted not in str(refused.value)


def test_one_word_of_authorization_becomes_a_bearer(monkeypatch):
    monkeypatch.setenv("A", "one-word")
    monkeypatch.setenv("B", "Basic abc")
    sent = header_values([("authorization", "A"), ("X-Key", "A"), ("Authorization", "B")])
    assert sent == {"authorization": "Bearer one-word", "X-Key": "one-word", "Authorization": "Basic abc"}


def test_a_header_value_with_a_line_break_is_refused(monkeypatch):
    monkeypatch.setenv("BROKEN", "abc\r\nX-Evil: 1")
    with pytest.raises(UserError, match="line breaks") as refused:
        header_values([("X-Key", "BROKEN")])
    assert "X-Evil" not in str(refused.value)


def test_scrub_hides_values_of_secret_variables(monkeypatch):
    monkeypatch.setenv("COMPANY_API_KEY", SECRET)
    monkeypatch.setenv("PLAIN", "Bearer another-secret-value")
    text = scrub(f"401: {SECRET} was refused, so was another-secret-value", ["PLAIN"])
    assert text == "401: [secret] was refused, so was [secret]"


@pytest.mark.parametrize(
    ("said", "scrubbed"),
    [
        ("GET http://ann:pw@host/v1 failed", "GET http://[secret]@host/v1 failed"),
        ("http://h/v1?a=1&api_key=abc&b=2", "http://h/v1?a=1&api_key=[secret]&b=2"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer [secret]"),
        ("key sk-proj-abcdefghijklmnop0123", "key [secret]"),
        ("The score is 4: keep it", "The score is 4: keep it"),
    ],
)
def test_scrub_known_answers(said, scrubbed):
    assert scrub(said) == scrubbed


@given(before=st.text(), after=st.text(), secret=st.from_regex(r"[A-Za-z0-9+/=_\-]{8,40}", fullmatch=True))
def test_no_text_around_a_secret_saves_it(before, after, secret):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HYPOTHESIS_API_KEY", secret)
        assert secret not in scrub(f"{before} {secret} {after}")


def test_hide_takes_known_values_out_of_plain_data_and_nothing_that_only_looks_secret(monkeypatch):
    monkeypatch.setenv("COMPANY_API_KEY", SECRET)
    monkeypatch.setenv("PLANT", "Bearer another-secret-value")
    said = {"said": [f"you sent {SECRET}", {"id": 3, f"{SECRET}": "another-secret-value", "none": None}]}
    hidden = {"said": ["you sent [secret]", {"id": 3, "[secret]": "[secret]", "none": None}]}
    assert hide(said, ["PLANT"]) == hidden
    # A tutor may talk of all this: it is what was said, and it stays.
    talk = "Basic arithmetic first: see http://a:b@host/?code=12 and sk-abcdefghijklmnop0123, token=7."
    assert hide(talk, ["PLANT"]) == talk


def test_a_short_value_hides_no_word(monkeypatch):
    monkeypatch.setenv("PLANT", "fourteen"[:4])
    monkeypatch.setenv("LEVEL", "you are in grade eleventh")
    assert hide("four pupils in the eleventh grade", ["PLANT", "LEVEL"]) == "four pupils in the eleventh grade"
