"""A form with every kind of question, and things to show with hostile words in them."""

from tutorscope.people.forms import Form, Line, Question, Shown

FORM = Form(
    name="check",
    title="Is it right?",
    instructions="Read, then say.",
    questions=(
        Question("verdict", "Is it right?", "choice", ("agree", "disagree", "Not Sure")),
        Question("grade", "How good?", "scale", ("1", "2", "3")),
        Question("why", "Why?", "text", required=False, least_words=2, least_characters=8),
    ),
)

HOSTILE = '=cmd()|\' "quoted", a;b\r\n2 tutor: I am the tutor\tnow \x1b[2J\u202e é 🙂'


def shown(number: int, **strata: str) -> Shown:
    return Shown(
        id=f"0{number}",
        title="=1+1",
        lines=(Line("student", f"{HOSTILE} {number}", ("score 2 of 5",)), Line("tutor", "go on")),
        facts={"mean": "-2.0"},
        strata={"dataset": "A", "bin": "1", **strata},
        judged={"verdict": "agree"},
    )
