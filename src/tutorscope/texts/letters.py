"""Read which option a reply chooses, strictly: a letter counts only where it is given as the answer.

What counts is a closed list: objects as they are asked for (`letter_objects`), and the forms that a sentence may have
from its beginning to its letter (`letter_forms`). Behind it the sentence ends, quotes the option or gives a reason
(`letter_sentences`); words that judge or reject make it doubtful (`letter_doubts`). What cannot be read is asked again,
which is cheap. A letter that was not meant would be a result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tutorscope.texts.bodies import EMPTY, reply_body
from tutorscope.texts.json_in_text import find_json
from tutorscope.texts.letter_doubts import contradicted, declines, taken_back
from tutorscope.texts.letter_forms import FAR
from tutorscope.texts.letter_objects import in_objects, objects_of
from tutorscope.texts.letter_options import done_in, words_of
from tutorscope.texts.letter_sentences import alone_on_lines, in_sentences
from tutorscope.texts.letter_typesetting import plain
from tutorscope.texts.parsed import Parsed, read, unread

_FIRST = re.compile(r"[(\[\"'“‘]*+[A-Z][)\]\"'”’]*+")


def read_letter(
    reply: str, letters: str = "ABCD", *, options: Mapping[str, str] | None = None, finish: str = "stop"
) -> Parsed[str]:
    r"""Read the one letter that a reply gives as its answer.

    The rules, in this order:

    1. `refused`, `cut_off` and `empty` as `reply_body` says; thinking at the front is taken off. Bold, code, boxes,
       bullets, headings, HTML and letters of other shapes are looked through. A reply that says it cannot choose has
       `no_letter`.
    2. A JSON object gives a letter under ``answer``, ``choice``, ``option``, ``letter`` (also ``final_answer`` and the
       like) if beside it there is at most a reason that is more than a placeholder, a confidence or the question, and
       no example is announced. It may be in a list of one or in an object under ``response`` or the like, and a whole
       reply that is almost JSON (other quote marks, or none around its keys, no braces) counts. With ``options`` an
       option's whole text stands there for its letter.
    3. A sentence gives one if that is what it says from its beginning on: "The best answer here is B", "Final answer:
       B", "I would choose B", "Option B suits him best". Ahead may stand "so", "I think", "Considering how upset he
       is," and other leads of a closed list; not "Of the bad ones," or "For adults,".
    4. A letter alone does on the first line, on the last one behind a finished sentence, and under a heading such as
       "Answer". So does a reply that begins "B) ", "B. " or "B: ", unless lines begin so with other letters: then the
       options are gone through, and "Option A" at the top is a heading.
    5. Behind the letter the sentence ends, quotes the option or gives its reason. With ``options`` a quotation is that
       option's own text or its first words, and a letter alone goes on otherwise only with praise ("B. This gives him
       time."). The words of another option, words that judge, reject or foresee harm, "B or C", "A?", "B for now"
       leave none; other letters do too, but where a reason says what is wrong with them ("B, because A shames him").
    6. Nor does a sentence right behind that judges and does not begin with what another option does, or one right
       ahead that asks for something else ("Which should be avoided?") or speaks of what is said ("Do not say the
       following.").
    7. Letters are capitals; a small one counts only if nothing follows it on its line. "A" before a noun is an article.
    8. Letters that were not asked, or no letter, are `no_letter`; lines that list options, and no answer, are
       `ambiguous`. So are different letters, and one that is taken back ("No wait: C", "not B") or behind which another
       one stands as an answer stands ("Then C.").

    Parameters
    ----------
    reply : str
        The reply's text.
    letters : str
        The letters that were offered.
    options : mapping of str to str, optional
        Letter to the text that was shown with it.
    finish : str
        Why the reply stopped (``Reply.finish``).

    Returns
    -------
    Parsed of str
        A capital letter.

    Examples
    --------
    >>> read_letter("I think a calm reply works, so the answer is **C**.").value
    'C'
    >>> read_letter("I doubt that the answer is C.").reason
    'no_letter'
    >>> read_letter("B. Wait beside him.", options={"A": "Send him out", "B": "Wait beside him"}).value
    'B'
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or EMPTY)
    found, cut = find_json(body.value)
    if cut:
        return unread("cut_off")
    texts = words_of(options or {})
    objects = objects_of(body.value, found)
    held = list(in_objects(body.value, objects, texts))
    text = plain(_without(body.value, [(one.start, one.end) for one in objects]))
    if declines(text):
        return unread("no_letter")
    said = list(in_sentences(text, texts))
    alone, listed = alone_on_lines(text, texts)
    if held or said:
        # A capital alone on the first line was meant, whatever comes later; other lone letters are a list.
        alone = [(letter, end) for letter, end in alone if _FIRST.fullmatch(text, 0, end)]
    given = {*held, *(letter for letter, _ in (*said, *alone))}
    if not any(letter in letters for letter in given):
        return unread("ambiguous" if listed else "no_letter")
    ends = [end for _, end in (*said, *alone)]
    behind = plain(body.value[max(one.end for one in objects) :]) if held else text[min(ends) :]
    last = behind if held else text[max(ends) :]
    firsts = [text[end : end + FAR] for end in ends] + ([behind[:FAR]] if held else [])
    answer, *others = given
    # "Telling him to sit down would make it worse" condemns another option.
    acts = [(one, done_in(one, texts)) for one in firsts]
    condemned = any(contradicted(one, answer) for one, done in acts if not done or answer in done)
    if others or taken_back(answer, behind, last) or condemned:
        return unread("ambiguous")
    return read(answer)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Take the objects out, so that what their strings say is not read as prose."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
