import sys

import anyio
import pytest
from driving import ScriptedSpeak

from tutorscope.audit.tutoring.policies import BUILTIN, policy_of, prompts_of, read_policies
from tutorscope.audit.tutoring.turns import scoped
from tutorscope.errors import UserError
from tutorscope.models.functions import load_function
from tutorscope.models.speakers import Speaker
from tutorscope.texts.messages import assistant, user

PROBLEM = {"id": "train-1", "statement": "How much acid?", "replicate": 0}
TALK = [user("I am stuck.")]

FUNCTIONS = """
async def asks_twice(problem, dialogue, speak):
    plan = await speak("tutor", [{"role": "user", "content": "Plan: " + problem["statement"]}], draw="plan")
    reply = await speak("tutor", [{"role": "user", "content": plan.text}, *dialogue])
    return reply.text.upper()


async def asks_nobody(problem, dialogue, speak):
    return f"{problem['id']}: {dialogue[-1]['content']}"


async def endpoint(messages, *, session, item):
    return f"{len(messages)} messages about {item['id']}"


async def asks_the_judge(problem, dialogue, speak):
    return (await speak("judge", dialogue)).text


def breaks(problem, dialogue, speak):
    speak
    raise RuntimeError("no")


def other(one):
    return one
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "own_policies.py").write_text(FUNCTIONS, encoding="utf-8")
    (tmp_path / "mine.md").write_text("Answer as a pirate.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    sys.modules.pop("own_policies", None)
    yield tmp_path
    sys.modules.pop("own_policies", None)


def run(spec, script=lambda role, messages, draw, attempt: f"{role} {draw}", talk=TALK):
    found = read_policies([spec])
    choice = found.choices[0]
    prompt = found.inputs[0].items[0].data["text"] if found.inputs else None
    speaker = found.speakers[0] if found.speakers else None
    policy = policy_of(choice, None, router="sound", prompt=prompt, speaker=speaker)
    speak = ScriptedSpeak(script)
    said = anyio.run(lambda: policy(PROBLEM, talk, scoped(speak, "train-1/t0", PROBLEM)))
    return choice, said, speak.asked


def test_nothing_named_gives_the_papers_three():
    found = read_policies([])
    assert [choice.name for choice in found.choices] == ["conversational", "pedagogical", "cold"]
    assert [choice.asks for choice in found.choices] == [True, True, False]


@pytest.mark.parametrize("name", BUILTIN)
def test_every_builtin_is_made_of_templates_that_are_there(name):
    choice = read_policies([name]).choices[0]
    assert all(one.text for one in prompts_of(choice, None)) or name == "cold"


def test_a_file_is_a_system_prompt_over_the_tutor_model(here):
    choice, said, asked = run("mine=mine.md")
    assert (choice.kind, choice.asks, said.text) == ("prompt", True, "tutor train-1/t0/reply")
    assert asked[0].messages[0]["content"].startswith("Answer as a pirate.")
    assert PROBLEM["statement"] in asked[0].messages[0]["content"]


def test_a_changed_prompt_under_the_same_name_has_another_identity(here):
    before = read_policies(["mine=mine.md"])
    (here / "mine.md").write_text("Answer as a poet.\n", encoding="utf-8")
    now = read_policies(["mine=mine.md"])
    assert before.inputs[0].fixed != now.inputs[0].fixed
    assert before.choices[0].sha != now.choices[0].sha


def test_line_ends_and_a_byte_order_mark_change_no_prompt(here):
    before = read_policies(["mine=mine.md"]).choices[0]
    (here / "mine.md").write_bytes(b"\xef\xbb\xbfAnswer as a pirate.\r\n")
    assert read_policies(["mine=mine.md"]).choices[0] == before


def test_a_function_may_ask_the_tutor_model_as_often_as_it_likes(here):
    choice, said, asked = run("twice=own_policies:asks_twice")
    assert (choice.kind, choice.asks) == ("function", True)
    assert [one.draw for one in asked] == ["train-1/t0/plan", "train-1/t0/reply"]
    assert said.text == "TUTOR TRAIN-1/T0/REPLY"


def test_a_function_that_never_names_speak_is_its_own_base_and_goes_through_the_door(here):
    choice, _, asked = run("alone=own_policies:asks_nobody")
    assert (choice.kind, choice.asks) == ("function", False)
    assert [one.role for one in asked] == ["policy"]
    assert asked[0].view == PROBLEM


def test_a_function_in_the_shape_of_an_endpoint_is_told_the_problem_by_the_student(here):
    choice, _, asked = run("shop=own_policies:endpoint", talk=[*TALK, assistant("Why?"), user("Because.")])
    assert (choice.kind, choice.asks) == ("function", False)
    first = asked[0].messages[0]
    assert first["role"] == "user"
    assert PROBLEM["statement"] in first["content"]
    assert "I am stuck." in first["content"]
    assert [m["role"] for m in asked[0].messages] == ["user", "assistant", "user"]


def test_a_policy_cannot_reach_the_judge(here):
    with pytest.raises(Exception, match="asks 'tutor', not 'judge'"):
        run("sly=own_policies:asks_the_judge")


def test_a_function_that_raises_says_where_in_one_line(here):
    with pytest.raises(Exception, match=r"own_policies.py, line \d+") as caught:
        run("broken=own_policies:breaks")
    assert "\n" not in str(caught.value)


def test_asking_is_told_from_the_functions_code(here):
    names = {"asks_twice": True, "asks_nobody": False, "breaks": True}
    for name, asks in names.items():
        assert load_function("--policy", f"own_policies:{name}", "policy").asks is asks


@pytest.mark.parametrize(
    ("specs", "words"),
    [
        (["nonsense"], "cannot read 'nonsense'"),
        (["mine=absent.md"], "'absent.md': cannot be read"),
        (["conversational=mine.md"], "is one of ours"),
        (["mine=mine.md", "mine=own_policies:endpoint"], "two policies"),
        (["http://localhost:1/v1#m"], "has no name"),
        (["x=own_policies:other"], "takes other arguments"),
        (["x=own_policies:absent"], "no function"),
        (["a/b=mine.md"], "'a/b' cannot be a name; a name has at most 60 letters, digits and"),
        (["a b=mine.md"], "'a b' cannot be a name"),
        (["\U0001f600=mine.md"], "cannot be a name"),
        (["x,y=own_policies:endpoint"], "'x,y' cannot be a name"),
        (["x" * 300 + "=mine.md"], r"\(300 characters\) cannot be a name"),
        (["=mine.md"], "'' cannot be a name"),
        (["prod=http://user:secret@localhost/v1#m"], "credential|secret|password|user"),
    ],
)
def test_bad_policies_end_in_one_line(here, specs, words):
    with pytest.raises(UserError, match=words) as caught:
        read_policies(specs)
    assert "\n" not in str(caught.value)
    assert "secret@" not in str(caught.value)


def test_an_option_for_a_policy_that_is_not_there_names_those_that_are(here):
    with pytest.raises(UserError, match=r"--policy-setting: no policy 'nosuch'; there are: prod$"):
        read_policies(["prod=http://localhost:1/v1#m"], settings=["nosuch:temperature=0"])


@pytest.mark.parametrize("content", [b"", b"   \n", b"\xff\xfe\x00"])
def test_a_prompt_file_that_holds_no_text_is_refused(here, content):
    (here / "mine.md").write_bytes(content)
    with pytest.raises(UserError):
        read_policies(["mine=mine.md"])


def test_code_that_a_run_folder_names_is_not_run_by_itself(here):
    found = read_policies(["twice=own_policies:asks_twice"])
    kept = Speaker.from_record(found.speakers[0].record())
    with pytest.raises(UserError, match="runs code"):
        policy_of(found.choices[0], None, router="sound", speaker=kept)
