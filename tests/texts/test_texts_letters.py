import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.letters import read_letter

# The letter, or the reason.
REPLIES = [
    ("B", "B"),
    ("b", "B"),
    ("(B)", "B"),
    ("B.", "B"),
    ("b)", "B"),
    ("**B**", "B"),
    ("Answer: B", "B"),
    ("answer: b", "B"),
    ("**Answer:** B", "B"),
    ("**Answer: B**", "B"),
    ("The answer is B.", "B"),
    ("The correct answer is **C**, because it names the feeling.", "C"),
    ("The correct answer is:\n\n**C**", "C"),
    ("I think a calm reply is best, so C", "no_letter"),
    ("I think a calm reply is best, so the answer is C", "C"),
    ("A calm reply works best.", "no_letter"),
    ("A calm reply works best. Answer: D", "D"),
    ("Answer: A calm reply", "no_letter"),
    ("Answer: A", "A"),
    ("Answer: A.", "A"),
    ("The answer is A because it is kind", "A"),
    ("The answer is a calm reply", "no_letter"),
    ("A", "A"),
    ("a", "A"),
    ("A)", "A"),
    ("A) Offer help", "A"),
    ("A. Offer help", "A"),
    ("A: Offer help", "A"),
    ("B) Offer help\n\nThis gives the student room.", "B"),
    ("A) x\nB) y\nC) z", "ambiguous"),
    ("A) weak\nB) weak\nC) strong\nAnswer: C", "C"),
    ("B or C", "no_letter"),
    ("The answer is B or C", "no_letter"),
    ("The answer is A and C", "no_letter"),
    ("A/B", "no_letter"),
    ("Answer: A, B", "no_letter"),
    ("I would choose option B.", "B"),
    ("I'd go with B", "B"),
    ("I would not choose B. I choose D.", "D"),
    ("The answer is not B", "no_letter"),
    ("Option B is the best response.", "B"),
    ("Option B is not the best. Option C is clearly the best.", "C"),
    ("Option A is the most appropriate", "A"),
    ('{"answer": "B"}', "B"),
    ('{"answer": "b", "reasoning": "A is too harsh; the answer is C"}', "no_letter"),
    ('```json\n{"answer": "D"}\n```', "D"),
    ('{"answer": "B) Offer help"}', "B"),
    ('{"answer": "A calm reply"}', "no_letter"),
    ('{"answer": "B", "answer": "C"}', "ambiguous"),
    ('{"answer": "B"} {"answer": "C"}', "ambiguous"),
    ('{"answer": "B"', "cut_off"),
    ('{"choice": "E"}', "no_letter"),
    ("E", "no_letter"),
    ("Answer: E", "no_letter"),
    ("Answer: 2", "no_letter"),
    ("\\boxed{C}", "C"),
    ("$\\boxed{\\text{C}}$", "C"),
    ("The answer is A. Wait, the answer is C.", "ambiguous"),
    ("Answer: B\n\nAnswer: B", "B"),
    ("", "empty"),
    ("I cannot choose.", "no_letter"),
    ("<think>The answer is A</think>C", "C"),
    ("<think>A", "cut_off"),
    ("Choice: Option D", "D"),
    ("My final answer: (D) because", "D"),
    ("D\n\nReasoning: A is too harsh.", "D"),
    ("B is the best", "B"),
    ("A is the best", "A"),
    ("The letter B", "no_letter"),
    ("Option B", "B"),
    ("Answer B", "B"),
    ("A-level students struggle. Answer: B", "B"),
    ('The tutor says "I\'d pick A" ... Answer: B', "B"),
    ("answer is D, which", "no_letter"),
    ("answer – C", "no_letter"),
    ("# Answer\nC", "C"),
    ("- C", "C"),
    ("> C", "C"),
    ("C\u200b", "C"),
    ("Ｃ", "C"),
    ("С", "no_letter"),
    ("Answer: [B]", "B"),
    ("Answer: <B>", "no_letter"),
    ("Answer: B-", "no_letter"),
    ("I'd say B", "B"),
    ("I. e. nothing", "no_letter"),
    ("Answer = B", "B"),
    ("ANSWER: B", "B"),
    ("The best response would be B, as it", "B"),
    ("The best response would be B, A is cold", "no_letter"),
    ("The reply is A", "A"),
    ("Option a calm reply is the best", "no_letter"),
    ("I prefer A calm tone", "no_letter"),
    ("We choose B & C", "no_letter"),
    ("all of them", "no_letter"),
    ("None of A, B, C or D", "no_letter"),
]

REPLIES += [
    ("The best answer here is (C).", "C"),
    ("**C.** Validate the feeling", "C"),
    ("C. Validate\n", "C"),
    ("Correct answer: C) Validate", "C"),
    ('I believe the answer is "C"', "C"),
    ("Among these, C seems best", "C"),
    ("My pick is B", "B"),
    ("Answer: **A** – it validates", "A"),
    ("Answer: A – it validates", "A"),
    ("ANSWER: (A) It validates", "A"),
    ("A\n\nBecause it validates", "A"),
    ("(A) It validates the student", "A"),
    ("A is correct", "A"),
    ("The answer: A is kind", "no_letter"),
    ("the answer is 'a'", "A"),
    ('{"answer": "A", "reasoning": "B is cold"}', "A"),
    ('{"Answer": "D."}', "D"),
    ('{"answer": ["A"]}', "A"),
    ('{"answer": null}', "no_letter"),
    ("Letter: D", "D"),
    ("D", "D"),
    ("D!", "D"),
    (" d ", "D"),
    ("Ans: D", "D"),
    ("Option (D)", "D"),
    ("Option D: Ask first", "D"),
    ("A. x\nB. y\nC. z\nD. w\n\nThe best option is B.", "B"),
    ("I'd choose option A because it is calm", "A"),
    ("I choose A calm tone", "no_letter"),
    ("I would pick (B), not (C).", "B"),
    ("The answer is B, not C.", "B"),
    ("Answer: B (not A)", "B"),
    ("Between A and B, I choose B.", "B"),
    ("not A", "no_letter"),
    ("Answer: none", "no_letter"),
    ("Answer: AB", "no_letter"),
    ("Answer: A B", "no_letter"),
    ("Answer:\nA\n", "A"),
    ("answer is: \n- B", "B"),
    ("The worst option is A; the best option is C.", "C"),
    ("The wrong answer is B.", "no_letter"),
    ("The least helpful choice is D", "no_letter"),
]


@pytest.mark.parametrize(("reply", "expected"), REPLIES)
def test_a_letter_counts_only_where_it_is_given_as_the_answer(reply, expected):
    parsed = read_letter(reply)
    assert (parsed.value or parsed.reason) == expected


OPTIONS = {
    "A": "Tell him firmly to sit down and finish the sheet before the break.",
    "B": "Name the feeling you see, then offer him two ways to begin.",
    "C": "Sit next to him and say nothing for a moment.",
    "D": "Praise him for the work he has done so far and end the session.",
}

GIVE_B = [
    "Definitely B.",
    "Probably B",
    "It would be B.",
    "It should be B.",
    "B would suit this student best.",
    "B suits the student best.",
    "B seems like the best choice.",
    "While A is tempting, the best answer is B.",
    "Not A, C or D: the answer is B.",
    "None of them is perfect, but B is best.",
    "Therefore, option B is the best fit.",
    "As a tutor, I would choose B.",
    "Let's go with B.",
    "Sure, B.",
    "I'd do B.",
    "The strategy that fits best is B.",
    "Selected option: B",
    "I choose the option B",
    "My vote: B",
    "Ans: B",
    "Answer - B",
    "B would be the best first step",
    '{"answer":["B"]}',
    '{"final_answer":"B"}',
    "{'answer': 'B'}",
    '"answer": "B", "why": "x"',
    '{"answer":"B","why":"he said "stop""}',
    "{“answer”: “B”, “why”: “It names the feeling.”}",
    '{"answer":"Definitely B"}',
    "Ｂ",
]

GIVE_NONE = [
    "I would choose B as the worst.",
    "I select B as the least helpful.",
    "I pick B as the one to avoid.",
    "I choose B as wrong.",
    "B. This is the worst one.",
    "B. I would never do this.",
    "B (I would never do this)",
    "B. Terrible idea.",
    "B: He would cry",
    "B: Definitely the wrong way",
    "B - this would hurt him.",
    "B — it would make him cry.",
    "Choose B: he will cry.",
    "Of the bad options, the answer is B",
    "From the list of bad options, B",
    "Considering what would fail, I would choose B",
    "Among options to reject, I would choose B",
    "Of the harmful ones, I would pick B",
    "For adults, the best option is B.",
    "For the long term, the best option is B.",
    "B is the best option for another student.",
    "Answer: B. Then C.",
    "Answer: B as a first step, then C",
    "I'd pick B for now and D for later.",
    "Pick B. Lose him. Hence C.",
    "The answer is B.  The answer is not B.",
    "Do not say the following. The answer is B.",
    "Which should be avoided?\n\nAnswer: B",
    '{"answer":"B. Then C"}',
    '{"answer":"B. This is the worst one"}',
    '{"option":"A","good":false}',
    '{"answer": "A", "why": "..."}',
    '{"answer": "A", "why": "one short sentence"}',
    '{"answer": "the letter", "why": "one short sentence"}',
    'Example: {"answer": "B"}. I cannot pick one.',
    "Between A and B, the answer is B. But overall D serves him best.",
    "The answer is B. However, C is more appropriate.",
    "The answer is B. However, C would be the stronger choice.",
    "I would choose B. Still, C is more helpful.",
    "The best option is C. D, though, would serve him better.",
    "The answer is B. I made that up.",
    '{"answer": "B", "why": "He needs time to calm."}\n\nI would not submit this.',
    '{"answer": "B", "why": "He needs time to calm."}\n\nC is just as defensible.',
]
REASONS_FOR_NO_B = [
    "The answer is D.",
    "So the correct option is D.",
    "This is the wrong choice; D is right.",
    "Changed my mind: C.",
    "Hmm, wait, C is right.",
    "On second thought the answer should be D.",
    "On reflection D.",
    "Not B.",
    "Option C is the most appropriate because it gives control.",
    "B is not appropriate because he needs control.",
    "B and C are equally good.",
    "None of the options fit.",
    "I cannot decide.",
    "I did not see the options.",
    "This is a random pick because I cannot view the dialogue.",
    "placeholder",
    "Example only",
]
REASONS_FOR_B = [
    "It names what he feels, unlike A, which orders him about.",
    "He is not ready to talk, and A would press him.",
    "C and D come too late, and A is not appropriate while he cries.",
    "Waiting shows respect; D gives up on the task.",
    "He asked for time, and B gives him just that.",
]


@pytest.mark.parametrize("options", [None, OPTIONS])
@pytest.mark.parametrize("reply", GIVE_B)
def test_an_answer_in_other_words_is_read(reply, options):
    assert read_letter(reply, options=options).value == "B"


@pytest.mark.parametrize("options", [None, OPTIONS])
@pytest.mark.parametrize("reply", GIVE_NONE)
def test_a_rejection_another_question_and_a_second_letter_are_no_answer(reply, options):
    assert read_letter(reply, options=options).reason in ("no_letter", "ambiguous")


@pytest.mark.parametrize("options", [None, OPTIONS])
@pytest.mark.parametrize("why", REASONS_FOR_NO_B)
def test_an_object_whose_reason_is_for_another_letter_or_for_none_gives_none(why, options):
    assert read_letter(json.dumps({"answer": "B", "why": why}), options=options).value is None


@pytest.mark.parametrize("options", [None, OPTIONS])
@pytest.mark.parametrize("why", REASONS_FOR_B)
def test_an_objects_reason_may_speak_of_other_letters(why, options):
    assert read_letter(json.dumps({"answer": "B", "why": why}), options=options).value == "B"


LABELLED = Path(__file__).parent / "labelled"


def labelled(name: str = "letters.txt") -> list[list[tuple[str, str]]]:
    """Read the labelled replies by part, each with its letter, or "-" where none can be taken from it."""
    parts: list[list[tuple[str, str]]] = []
    before = ""
    for line in (LABELLED / name).read_text("utf-8").splitlines():
        if line.startswith("#") and not before.startswith("#"):
            parts.append([])
        elif not line.startswith("#"):
            parts[-1].append((json.loads(line[2:]), line[0]))
        before = line
    return parts


# The first and the third part are what the rule was made with; the others' recall is that of their first reading.
@pytest.mark.parametrize(("part", "precision", "recall"), [(0, 1, 1), (1, 1, 17 / 21), (2, 1, 1), (3, 1, 17 / 20)])
def test_labelled_replies_are_read_or_left(part, precision, recall):
    found = [(read_letter(reply).value or "-", label) for reply, label in labelled()[part]]
    assert len(found) >= 42
    right = sum(got == label != "-" for got, label in found)
    assert right / sum(got != "-" for got, _ in found) >= precision
    assert right / sum(label != "-" for _, label in found) >= recall


@pytest.mark.parametrize(("part", "recall"), [(0, 30 / 32), (1, 1), (2, 28 / 30), (3, 0)])
def test_labelled_replies_to_known_options_are_read_or_left(part, recall):
    found = [
        (read_letter(reply, options=OPTIONS), label) for reply, label in labelled("letters_with_options.txt")[part]
    ]
    assert all(parsed.value in (None, label) for parsed, label in found)
    given = [parsed.value for parsed, label in found if label != "-"]
    assert sum(value is not None for value in given) >= recall * len(given)


CORNER = {
    "A": "Ask Ines which one corner she still wants to set right, and agree that the rest may wait.",
    "B": "Tell Ines that the poster looks lovely and that nobody is going to notice the smudged circle.",
}
SHEET = {
    "A": "Hold up the sheet and point out to Ines that nineteen of the twenty words are spelled correctly.",
    "B": "Offer to put the sheet away, and let Ines decide when to look at the one word, and whether alone.",
}


@pytest.mark.parametrize(
    ("name", "part", "options", "wrong", "right"),
    [
        *(("letters_second_author.txt", 0, OPTIONS, 3, 148), ("letters_second_author.txt", 1, CORNER, 0, 9)),
        *(("letters_second_author.txt", 2, SHEET, 2, 12), ("letters_blind.txt", 0, OPTIONS, 0, 108)),
        ("letters_blind.txt", 1, CORNER, 0, 38),
    ],
)
def test_what_others_wrote_is_read_or_left(name, part, options, wrong, right):
    found = [
        (read_letter(reply, "".join(options), options=options).value, label) for reply, label in labelled(name)[part]
    ]
    assert sum(value not in (None, label) for value, label in found) <= wrong
    assert sum(value == label for value, label in found) >= right


# Ways in which replies go through the options, each with all of them, and ways in which they end.
WALKS = [
    "### Option {letter}\nThis {what}.",
    "**Option {letter}**\nThis {what}.",
    "**Option {letter}:** This {what}.",
    "Option {letter}: {text}\nThis {what}.",
    "**Option {letter}: {text}**\n- This {what}.",
    "### {letter}\nThis {what}.",
    "**{letter}.** {text}\nThis {what}.",
    "**{letter}**\n\n{text}\nThis {what}.",
    "1. **Option {letter}** – this {what}.",
]
WHAT = {
    "A": "keeps to the task that lies ahead",
    "B": "meets him where he is",
    "C": "gives him time",
    "D": "asks for some effort of him",
}
CONCLUSIONS = [
    *(
        "Hence B, I would say, before the rest.",
        "B addresses his need directly.",
        "Given his tears, B is what I would do.",
    ),
    *("This points to B.", "I think B makes most sense here.", "Taken together, this speaks for B."),
    *("Of these, B is clearly the strongest.", "B is the way to go.", "So it should be B.", "In my judgement B."),
]


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("end", CONCLUSIONS)
def test_a_walk_through_the_options_gives_no_letter_that_heads_one(walk, end):
    steps = [walk.format(letter=letter, text=OPTIONS[letter], what=WHAT[letter]) for letter in OPTIONS]
    assert read_letter("\n\n".join([*steps, end]), options=OPTIONS).value in (None, "B")
    assert read_letter("\n\n".join(steps), options=OPTIONS).value is None


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize(
    "end", ["**Answer: B**", "The best choice is **B**.", "Therefore B.", "I would opt for B.", "B wins."]
)
def test_a_walk_that_ends_in_an_answer_gives_it(walk, end):
    steps = [walk.format(letter=letter, text=OPTIONS[letter], what=WHAT[letter]) for letter in OPTIONS]
    assert read_letter("\n\n".join([*steps, end]), options=OPTIONS).value == "B"


@pytest.mark.parametrize(
    "reply", ["B\n\nA: Too harsh.\nB: Kind.\nC: Too soft.", "B\n\nA: It would shame him.\nC: It says nothing."]
)
def test_a_letter_ahead_of_a_list_that_holds_it_or_those_before_it_is_an_answer(reply):
    assert read_letter(reply, options=OPTIONS).value == "B"


@pytest.mark.parametrize("words", range(3, 13))
@pytest.mark.parametrize(
    "form", ['{{"answer": "B", "why": "{start} because he needs it."}}', "B. {start} so that he can breathe."]
)
def test_a_reason_may_begin_with_the_words_of_its_option(words, form):
    start = " ".join(OPTIONS["B"].split()[:words]).rstrip(".,")
    assert read_letter(form.format(start=start), options=OPTIONS).value == "B"


@pytest.mark.parametrize(
    "reply",
    [
        *('{{"answer": "{text}", "why": "He is upset."}}', '{{"response": {{"answer": "{letter}"}}}}'),
        *('[{{"answer": "{letter}", "why": "He is upset."}}]', '{{answer: "{letter}", why: "He is upset."}}'),
        *("<b>Answer:</b> {letter}", "&quot;{letter}&quot;", "✅ **{letter}**", "<p><strong>{letter}</strong></p>"),
        *("{letter}</s>", "{letter}<|im_end|>", "{letter} it is.", "I lean towards {letter}.", "Answer → {letter}"),
        *("The answer is {letter}, since A would shame him.", "The most helpful would be {letter}.", "Sure! {letter}"),
        '{{"answer": "the letter {letter}", "why": "He is upset."}}',
        *("Answer: {letter}, because A and D would make him feel unheard.", "{letter} is better than the others."),
        *("If I had to pick one, I would pick {letter}.", "Instead of D, I would choose {letter}."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("letter", "BC")
def test_other_ways_to_give_an_answer(reply, letter):
    assert read_letter(reply.format(letter=letter, text=OPTIONS[letter]), options=OPTIONS).value == letter


@pytest.mark.parametrize(
    "why",
    [
        *("It is the least intrusive option for a child in tears.", "Least pressure, most support."),
        *("It would make him feel more understood.", "A would be the worst choice; he needs words."),
        *("None of the other options respects his wish.", "He feels it is not good enough, so this helps."),
        *("He said 'I can't read this', so he needs a small start.", "Pressure is never helpful when he is in tears."),
    ],
)
def test_a_reason_may_speak_of_the_student_and_of_what_is_worse(why):
    assert read_letter(json.dumps({"answer": "B", "why": why}), options=OPTIONS).value == "B"


@pytest.mark.parametrize(
    "reply",
    [
        *(
            'The best option is B: "{b}" This would calm him.',
            "B: “{b}”",
            "The best choice would be B. He is too tired now.",
        ),
        *("B, because he is too tired now.", "I would go for B.", "The best choice would be B. A break will help him."),
    ],
)
def test_an_answer_may_quote_and_say_how_the_student_is(reply):
    assert read_letter(reply.format(b=OPTIONS["B"]), options=OPTIONS).value == "B"


@pytest.mark.parametrize(
    "more",
    [
        *("I think B would be a better fit.", "My answer is now B.", "Or maybe B.", "Perhaps B.", "So B after all."),
        *("Please replace A with B.", "That said, B is what he needs.", "B would be a much better choice."),
    ],
)
@pytest.mark.parametrize("answer", ['{"answer": "A", "why": "It is clear."}\n\n', "The best option is A. "])
def test_another_answer_behind_one_leaves_none(answer, more):
    assert read_letter(answer + more, options=OPTIONS).reason == "ambiguous"


@pytest.mark.parametrize(
    "why",
    [
        *("Praise alone would feel dismissive.", "Ending the session would teach him that tears work, which is bad."),
        *("Telling him to sit down would only make it worse.", "Sitting silently would feel like being ignored."),
    ],
)
def test_a_sentence_that_begins_with_another_option_condemns_that_one(why):
    assert read_letter(f"**Answer: B**\n\n{why}", options=OPTIONS).value == "B"
    assert read_letter("**Answer: B**\n\nNaming the feeling would only make it worse.", options=OPTIONS).value is None


def test_a_sentence_that_begins_with_what_several_options_do_condemns_the_answer_too():
    options = {"A": "Offer him a break.", "B": "Sit down and offer him a pen."}
    reply = "**Answer: B**\n\nOffering him anything would only make it worse."
    assert read_letter(reply, "AB", options=options).reason == "ambiguous"


@pytest.mark.parametrize(
    "reply", ["I cannot recommend ending the session. Answer: B", "I can't tell how upset he is. The best option is B."]
)
def test_what_cannot_be_said_of_something_else_declines_nothing(reply):
    assert read_letter(reply, options=OPTIONS).value == "B"
    assert read_letter("I can't tell which is best. Answer: B", options=OPTIONS).value is None


def test_the_better_one_of_two_is_the_best():
    assert read_letter("B is better than A because it is kind.", "AB", options=CORNER).value == "B"
    assert read_letter("B is better than A because it is kind.", options=OPTIONS).reason == "no_letter"


@pytest.mark.parametrize(("sign", "letter"), [("Ⓑ", "B"), ("ⓑ", "B"), ("🅱️", "B"), ("𝐁", "B"), ("Ｂ", "B"), ("🄱", "B")])
def test_letters_of_other_shapes_are_letters(sign, letter):
    assert read_letter(sign).value == letter


@pytest.mark.parametrize(
    "reply",
    [
        *("B. {b} Then tell him firmly to sit down.", "B. {b} And sit next to him and say nothing.", "B\n\n{c}"),
        *("B ({b}) vs C ({c}): the second one.", "B (Name the feeling you see) or C (sit next to him)?", "B. {b} ❌"),
        *("{b}", 'The student might answer {{"answer": "B"}}.', "Steer clear of this one.\n\nB"),
        *("B. {b} Doing this makes it worse.", "A: firm.\nC: quiet.\n\nD"),
        "Option A: firm.\n\nOption B: warm.\n\nOption C",
        *("B. This names the feeling, but silence would help more.", "I would choose B. Also C."),
        '{{"answer": "B", "why": "Option C gives him the quiet that he needs."}}',
        *('{{"answer": "B", "why": "The tutor should sit next to him."}}', '{{"answer": "B", "why": "He needs C."}}'),
        *('{{"answer": "B", "why": "This is the option to avoid."}}', '{{"answer": "B", "why": "Least helpful."}}'),
        *('{{"answer": "B", "why": "It would make him more upset."}}', '{{"answer": "B", "why": "{c}"}}'),
        *('B, "Name the feeling you see", is what most tutors do by reflex.', "B: {b} Cons: he is exposed.", "❌ B"),
    ],
)  # fmt: skip
def test_other_ways_to_give_none(reply):
    assert read_letter(reply.format(b=OPTIONS["B"], c=OPTIONS["C"]), options=OPTIONS).value is None


@pytest.mark.parametrize("part", range(4))
def test_no_labelled_reply_is_read_wrong_whatever_the_options_are(part):
    read = [(read_letter(reply, options=OPTIONS).value, label) for reply, label in labelled()[part]]
    assert all(value in (None, label) for value, label in read)
    assert sum(value is not None for value, _ in read) >= 9


def test_the_option_itself_may_follow_its_letter():
    assert read_letter("B. Segment it (/v/-/e/).", options={"A": "Wait", "B": "Segment it (/v/-/e/)."}).value == "B"
    assert read_letter("B. He would cry", options={"A": "Wait", "B": "He would cry"}).value == "B"
    assert read_letter("B. “Name the  Feeling you see…”", options=OPTIONS).value == "B"
    assert read_letter("B. Name the window you see", options=OPTIONS).reason == "no_letter"
    assert read_letter(f"B. {OPTIONS['B']} That would be the worst.", options=OPTIONS).reason == "ambiguous"


@pytest.mark.parametrize("form", ["{letter}. {text}", "Answer: {letter}. {text}", '{{"answer": "{letter}) {text}"}}'])
def test_a_letter_with_the_text_of_another_option_is_no_answer(form):
    assert read_letter(form.format(letter="B", text=OPTIONS["B"]), options=OPTIONS).value == "B"
    assert read_letter(form.format(letter="B", text=OPTIONS["C"]), options=OPTIONS).reason == "no_letter"


def test_a_reference_to_no_character_breaks_nothing():
    assert read_letter("&#" + "9" * 5000 + "; is odd.\n\nAnswer: B").value == "B"


def test_only_the_letters_offered_count():
    assert read_letter("Answer: C", "AB").reason == "no_letter"
    assert read_letter("Answer: B", "AB").value == "B"


@pytest.mark.parametrize(("finish", "reason"), [("length", "cut_off"), ("filter", "refused"), ("stop", None)])
def test_a_reply_that_did_not_stop_by_itself_is_not_read(finish, reason):
    assert read_letter("Answer: B", finish=finish).reason == reason


WORDS = ["a", "an", "the", "calm", "reply,", "it", "helps.", "so", "I", "think", "A", "\n", ":"]


@given(st.sampled_from("ABCD"), st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join))
def test_prose_without_an_answer_never_moves_the_answer(letter, prose):
    assert read_letter(f"Look. {prose}\nAnswer: {letter}").value == letter


@given(st.text(st.sampled_from("aA bcalm reply, to I'."), max_size=60))
def test_a_sentence_is_no_answer(text):
    assert read_letter(f"Give {text} reply").reason == "no_letter"


@given(st.text(st.sampled_from('ABCD answer is:"{}()[]*.,\n\\boxed'), max_size=80))
def test_any_text_at_all_gives_an_offered_letter_or_a_known_reason(text):
    parsed = read_letter(text)
    assert parsed.value in set("ABCD") or parsed.reason in {"empty", "cut_off", "no_letter", "ambiguous"}


@pytest.mark.parametrize(
    "piece",
    [
        *["answer is ", "A", "(", "Answer: A, ", "I would choose ", "option ", "B)\n", "answer\n", "\n", "\n ", ". "],
        *[
            ", so ",
            "I think that ",
            "considering it, ",
            "A is the best ",
            "No, wait ",
            "or A ",
            "Answer: B. ",
            "Given the ",
        ],
        *[
            '{"answer": "B"}\n',
            "{'answer': 'B', ",
            "Not A, ",
            "Name the feeling you see, ",
            "B. Name the feeling ",
            '"',
        ],
    ],
)
def test_a_long_hostile_reply_gives_a_letter_or_a_reason(piece):
    parsed = read_letter("x " + piece * (100_000 // len(piece)), options=OPTIONS)
    assert parsed.ok or parsed.reason in ("no_letter", "ambiguous")
