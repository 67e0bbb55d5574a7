"""What the command line says about roles becomes speakers, or one helpful line."""

import json

import pytest

from support.chat_server import ChatServer
from tutorscope.errors import UserError
from tutorscope.models.clients import PROVIDERS
from tutorscope.models.names import split_name
from tutorscope.models.settings import SETTINGS, parse_setting
from tutorscope.models.speakers import Speaker, require_named, speakers


def test_an_inspect_model_keeps_its_spec():
    [speaker] = speakers("tutor", ["openai/gpt-5-mini"])
    assert (speaker.name, speaker.kind, speaker.identity) == (
        "openai/gpt-5-mini",
        "inspect",
        {"model": "openai/gpt-5-mini"},
    )


def test_a_name_goes_before_the_spec():
    first, second = speakers("tutor", ["a=mockllm/model", "b=http://host:8000/v1#Qwen/Qwen3-8B"])
    assert (first.name, first.spec) == ("a", "mockllm/model")
    assert (second.name, second.address, second.identity) == ("b", "http://host:8000/v1", {"model": "Qwen/Qwen3-8B"})


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions"])
def test_an_address_is_no_identity(ending):
    [near] = speakers("judge", [f"http://127.0.0.1:1/v1{ending}#m"])
    [far] = speakers("judge", ["https://far.example/v1#m"])
    assert near.address == "http://127.0.0.1:1/v1"
    assert near.made_of() == far.made_of()


def test_the_only_model_of_a_server_is_found():
    with ChatServer(models=["alone"]) as server:
        [speaker] = speakers("tutor", [server.url])
    assert speaker.identity == {"model": "alone"}
    assert speaker.spec == f"{server.url}#alone"


def test_several_models_of_a_server_are_listed():
    with ChatServer(models=["one", "two"]) as server, pytest.raises(UserError, match="2 models: one, two") as refused:
        speakers("tutor", [server.url])
    assert f"{server.url}#MODEL" in str(refused.value)


def test_a_server_that_is_not_there_is_one_line():
    with pytest.raises(UserError, match="cannot ask for the server's models") as refused:
        speakers("tutor", ["http://127.0.0.1:9/v1"])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("gpt-5", "cannot read 'gpt-5'"),
        ("opanai/gpt-5", "no provider 'opanai'"),
        ("http://", "names no host"),
        ("people:episodes.csv", "cannot read"),
        ("groq/llama-3.1-8b", "pip install groq"),
        ("embedded:/no/such.gguf", "cannot read '/no/such.gguf'"),
        ("a|b=mockllm/model", r"'a\|b' cannot be a name; a name has at most 60 letters, digits and"),
        ("a/b=mockllm/model", "'a/b' cannot be a name"),
        ("a b=mockllm/model", "'a b' cannot be a name"),
        ("\U0001f600=mockllm/model", "cannot be a name"),
        ("_a=mockllm/model", "begins with a letter or digit"),
        ("=mockllm/model", "'' cannot be a name"),
        ("x" * 300 + "=mockllm/model", r"'x{20}'\.\.\. \(300 characters\) cannot be a name"),
        ("no_such_module_here:reply", "no module 'no_such_module_here'"),
        ("", "cannot read ''"),
    ],
)
def test_a_bad_spec_is_one_helpful_line(spec, says):
    with pytest.raises(UserError, match=says) as refused:
        speakers("tutor", [spec])
    assert str(refused.value).startswith("--tutor: ")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04 a zip")
    with pytest.raises(UserError, match="begins with"):
        speakers("tutor", [f"embedded:{tmp_path / 'model.gguf'}"])


def test_missing_weights_name_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("TUTORSCOPE_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="tutorscope models install-embedded"):
        speakers("student", ["embedded"])


def test_two_speakers_need_two_names():
    with pytest.raises(UserError, match="'mockllm/model' stands for two speakers"):
        speakers("tutor", ["mockllm/model", "mockllm/model"])


def test_one_model_with_two_prompts_is_two_names(tmp_path):
    (tmp_path / "a.md").write_text("Ask, never tell.", encoding="utf-8")
    (tmp_path / "b.md").write_text("\ufeffTell.", encoding="utf-8")
    first, second = speakers(
        "tutor",
        ["asks=mockllm/model", "tells=mockllm/model"],
        systems=[f"tells={tmp_path / 'b.md'}", f"asks={tmp_path / 'a.md'}"],
    )
    assert (first.system, second.system) == ("Ask, never tell.", "Tell.")
    assert first.made_of() != second.made_of()


@pytest.mark.parametrize("content", [b"", b" \n ", b"caf\xe9 \xff"])
def test_a_bad_system_file_is_refused(tmp_path, content):
    (tmp_path / "p.md").write_bytes(content)
    with pytest.raises(UserError, match=r"p\.md"):
        speakers("tutor", ["mockllm/model"], systems=[str(tmp_path / "p.md")])


def test_a_single_speaker_needs_no_names(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", "value")
    (tmp_path / "p.md").write_text("Be kind.", encoding="utf-8")
    [speaker] = speakers(
        "tutor",
        ["http://host/v1#m"],
        systems=[str(tmp_path / "p.md")],
        headers=["X-Team=env:SOME_VARIABLE"],
        settings=["temperature=0.2", "m:max_tokens=50"],
    )
    assert speaker.system == "Be kind."
    assert speaker.headers == (("X-Team", "SOME_VARIABLE"),)
    assert speaker.settings == {"temperature": 0.2, "max_tokens": 50}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("first.one+2=mockllm/model", ("first.one+2", "mockllm/model")),
        ("\u00fcber=mockllm/model", ("\u00fcber", "mockllm/model")),
        ("x" * 60 + "=m/m", ("x" * 60, "m/m")),
        ("ollama/a=b", ("", "ollama/a=b")),
        ("http://host/v1?x=1#m", ("", "http://host/v1?x=1#m")),
        ("embedded:/a=b.gguf", ("", "embedded:/a=b.gguf")),
    ],
)
def test_a_name_and_its_spec(text, found):
    assert split_name("--tutor", text) == found


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"headers": ["nosuch:X-Secret=env:V"]}, "--tutor-header: no tutor 'nosuch'; there are: prod"),
        ({"settings": ["nosuch:temperature=0"]}, "--tutor-setting: no tutor 'nosuch'; there are: prod"),
        ({"systems": ["nosuch=p.md"]}, "--tutor-system: no tutor 'nosuch'; there are: prod"),
    ],
)
@pytest.mark.parametrize("more", [[], ["other=http://host/v1#m"]])
def test_a_name_that_nobody_has_is_named_with_those_that_there_are(options, says, more, monkeypatch):
    monkeypatch.setenv("V", "x")
    with pytest.raises(UserError) as refused:
        speakers("tutor", ["prod=http://host/v1#m", *more], **options)
    assert str(refused.value) == says + (", other" if more else "")


def test_a_header_that_may_hold_a_secret_is_not_repeated():
    with pytest.raises(UserError, match="not shown") as refused:
        speakers("tutor", ["prod=http://host/v1#m"], headers=["Authorization: Bearer planted-0123456789=="])
    assert "planted" not in str(refused.value)
    assert "Authorization:" not in str(refused.value)


@pytest.mark.parametrize("option", ["headers", "systems", "settings"])
def test_several_speakers_need_names(option, monkeypatch):
    monkeypatch.setenv("V", "x")
    value = {"headers": "X-Team=env:V", "systems": "prompt.md", "settings": "temperature=0.2"}[option]
    with pytest.raises(UserError, match="NAME one of a, b"):
        speakers("tutor", ["a=http://host/v1#m", "b=http://host/v1#n"], **{option: [value]})


def test_an_option_without_a_speaker_is_refused():
    with pytest.raises(UserError, match="expected --judge SPEC"):
        speakers("judge", [], settings=["temperature=0"])


def test_names_with_colons_find_their_settings():
    first, second = speakers(
        "tutor",
        ["mockllm/llama3:8b", "mockllm/llama3"],
        settings=["mockllm/llama3:8b:temperature=0.5", "mockllm/llama3:temperature=0.1"],
    )
    assert (first.settings, second.settings) == ({"temperature": 0.5}, {"temperature": 0.1})


def test_headers_are_for_http_models_only(monkeypatch):
    monkeypatch.setenv("V", "x")
    with pytest.raises(UserError, match="only for those"):
        speakers("tutor", ["mockllm/model"], headers=["X-Team=env:V"])


def test_a_record_reads_back_and_holds_no_secret(monkeypatch):
    monkeypatch.setenv("PLANTED", "planted-0123456789")
    [speaker] = speakers("tutor", ["a=http://h/v1#m"], headers=["Authorization=env:PLANTED"], settings=["top_p=0.9"])
    text = json.dumps(speaker.record())
    assert "planted-0123456789" not in text
    again = Speaker.from_record(json.loads(text))
    assert again.record() == speaker.record()
    assert again.made_of() == speaker.made_of()
    assert (speaker.named, again.named) == (True, False)


def test_a_plan_alone_sends_no_secret(monkeypatch):
    monkeypatch.setenv("PLANTED", "planted-0123456789")
    [speaker] = speakers("tutor", ["a=http://h/v1#m"], headers=["Authorization=env:PLANTED"])
    require_named(speaker)
    with pytest.raises(UserError, match=r"sends secrets.*--tutor a=http://h/v1#m"):
        require_named(Speaker.from_record(speaker.record()))


def test_a_plan_alone_runs_no_code(tmp_path, monkeypatch):
    (tmp_path / "plan_alone.py").write_text(
        "def reply(messages, *, session, item):\n    return 'x'\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    [speaker] = speakers("tutor", ["plan_alone:reply"])
    (tmp_path / "plan_alone.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"runs code.*: --tutor plan_alone:reply, where plan_alone can be imported$"):
        require_named(Speaker.from_record(speaker.record()))


def test_changed_settings_change_what_it_is_made_of():
    [cold] = speakers("tutor", ["mockllm/model"], settings=["temperature=0"])
    [warm] = speakers("tutor", ["mockllm/model"], settings=["temperature=1"])
    assert {key for key in cold.made_of() if cold.made_of()[key] != warm.made_of()[key]} == {"tutor.temperature"}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openai/gpt-5-mini", "gpt"),
        ("openai/o3", "gpt"),
        ("openrouter/openai/gpt-oss-20b", "gpt"),
        ("anthropic/claude-sonnet-5", "claude"),
        ("google/gemini-3-pro", "gemini"),
        ("vllm/meta-llama/Llama-3.1-8B-Instruct", "llama"),
        ("ollama/llama3:8b", "llama"),
        ("vllm/meta-llama/Qwen3-8B", "qwen"),
        ("together/mistralai/Mixtral-8x7B", "mistral"),
        ("vllm/deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "deepseek"),
        ("vllm/acme/tutor-7b", ""),
        ("vllm/acme/graphite", ""),
    ],
)
def test_family_known_answers(model, family):
    assert Speaker("tutor", "x", model, "inspect", {"model": model}).family == family


def test_a_function_has_no_family():
    assert Speaker("tutor", "x", "gpt:reply", "function", {"model": "gpt:reply"}).family == ""


def test_the_embedder_is_wordllama_or_a_server():
    [local] = speakers("embedder", ["wordllama"])
    [remote] = speakers("embedder", ["http://h/v1#e5"])
    assert len(local.identity["weights"]) == 64
    assert (remote.kind, remote.identity) == ("http", {"model": "e5"})
    with pytest.raises(UserError, match="expected wordllama or http"):
        speakers("embedder", ["openai/text-embedding-3-small"])


def test_every_provider_of_inspect_is_known():
    # Registered by importing the module that holds them all.
    from inspect_ai._util.registry import registry_find, registry_unqualified_name
    from inspect_ai.model._providers import providers  # noqa: F401

    found = {
        registry_unqualified_name(info)
        for info in map(_info, registry_find(lambda info: info.type == "modelapi"))
        if info.name.startswith("inspect_ai/")
    }
    assert found - {"none"} == set(PROVIDERS)


def _info(model_type):
    from inspect_ai._util.registry import registry_info

    return registry_info(model_type)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("temperature=0.2", 0.2),
        ("max_tokens=400", 400),
        ("stop_seqs=\n\n", ["\n\n"]),
        ('stop_seqs=["a", "b"]', ["a", "b"]),
        ("cache_prompt=true", True),
        ("reasoning_effort=low", "low"),
        (
            'extra_body={"chat_template_kwargs": {"enable_thinking": false}}',
            {"chat_template_kwargs": {"enable_thinking": False}},
        ),
    ],
)
def test_setting_known_answers(text, value):
    assert parse_setting("--tutor-setting", text) == (text.partition("=")[0], value)


@pytest.mark.parametrize(
    "text",
    ["temperature=hot", "temperature=-1", "max_tokens=0", "max_tokens=1.5", "reasoning_effort=much", "cache_prompt=1",
     "stop_seqs=[1]", "extra_body=5", "temperature=nan"],
)  # fmt: skip
def test_a_bad_value_says_what_is_expected(text):
    with pytest.raises(UserError, match="expected"):
        parse_setting("--tutor-setting", text)


def test_an_unknown_setting_lists_the_known_ones():
    with pytest.raises(UserError) as refused:
        parse_setting("--tutor-setting", "temprature=0.2")
    assert all(name in str(refused.value) for name in SETTINGS)


def test_every_setting_is_a_field_of_inspect():
    from inspect_ai.model import GenerateConfig

    assert set(SETTINGS) <= set(GenerateConfig.model_fields)
