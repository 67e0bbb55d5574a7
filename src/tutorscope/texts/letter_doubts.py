"""What makes it doubtful that a letter was meant as the answer: what is said ahead of it, right behind it and later."""

from __future__ import annotations

import re

from tutorscope.texts.letter_forms import FAR, PRAISE, any_of

# Words that judge or reject an option.
_JUDGES = any_of(
    r"worst", r"wrong\w*", r"incorrect\w*", r"false", r"untrue", r"mistake\w*", r"terribl\w+", r"horribl\w+", r"horrid",
    r"awful\w*", r"dreadful\w*", r"bad(?:ly)?", r"poor\w*", r"weak\w*", r"harmful\w*", r"reject\w*", r"eliminat\w+",
    r"rul(?:e|ed|es|ing) (?:it |this |that )?out", r"leav(?:e|ing) (?:it |this |that )?out", r"left out", r"discard\w*",
    r"dismiss\w*", r"exclud\w+", r"least", r"un(?:helpful|suitable|kind|wise|acceptable|fit)\w*",
    r"in(?:appropriate|effective|adequate|sensitive)\w*", r"cruel\w*", r"rude\w*", r"harsh\w*", r"dangerous\w*",
    r"disast\w+", r"stupid\w*", r"silly", r"ridiculous\w*", r"useless", r"pointless", r"problematic", r"detriment\w+",
    r"counter-?productive", r"joking", r"kidding", r"sarcas\w+", r"opposite", r"too", r"nope", r"hate\w*",
    r"contempt\w*", r"(?:would|should|will|must|could|can|[’']d|I) never",
    r"never (?:do|say|choose|use|pick|a|the|ever|mind)",
    r"(?:not|n[’']t|cannot|hardly|barely|no) (?:be |really |at all |actually |even )?(?:a|an|the|good|"
    r"right|help\w*|teach|solve|address|meet|support|calm|suit\w*|appropriate|recommend\w*|ideal|correct|wise|what|do|say|choose|pick|use|work|fit|"
    r"one|answer|way|better|best)",
    r"(?:one|option|choice|thing|response|answer|what|best|move|strategy)(?: \w+)? to avoid", r"best avoided",
    r"avoid (?:it|this|that)", r"(?:should|must|would|[’']d|to) be avoided", r"I(?:[’']d| would| will)? avoid",
    r"to avoid(?=\W*$)", r"(?:last|only) (?:resort|if)", r"unless", r"except", r"against", r"flawed", r"skip\w*",
    r"mock\w*", r"strik\w+ out", r"(?:not|n[’']t) (?:listed|among|offered|there)", r"missing",
    r"for (?:the )?(?:next (?:time|lesson|week|day|year)|tomorrow|later)",
    r"rul(?:e|ed|es|ing) \w+ out", r"takes? away", r"no one", r"nobody\w*", r"\w+s nothing(?=\W*$)", r"anything but",
    r"steer clear", r"stay away", r"cons(?=\s*:)", r"(?:drawback|downside|disadvantage)s?", r"mortif\w+",
    r"instead(?! of)",
)  # fmt: skip
# Words for what harms a student. A reason may name what is prevented, and what the student feels already.
_HARMS = any_of(
    r"hurt\w*", r"harm\w*", r"cry(?:ing)?", r"cries", r"cried", r"tears?", r"weep\w*", r"sob\w*", r"damag\w+",
    r"humiliat\w+", r"sham(?:e|es|ed|ing)", r"embarrass\w*", r"(?<!de-)(?<!de)escalat\w+", r"fail\w*", r"ruin\w*",
    r"destroy\w*", r"los(?:e|es|ing)", r"backfir\w+", r"upsets?", r"upsetting", r"scar(?:e|es|ed|ing)", r"frighten\w*",
    r"threat\w*", r"punish\w*", r"ang(?:er|ers|ering|ry)", r"resent\w*", r"quit\w*", r"worse\w*", r"ignor\w+",
    r"abandon\w*", r"risk\w*", r"storm\w*", r"explod\w+", r"shout\w*", r"scream\w*", r"panic\w*", r"hit",
    r"break\w* (?:down|him|her|them|his|their)",
    r"undermin\w+", r"tease\w*", r"belittl\w+", r"insult\w*", r"shut\w* (?:him |her |them )?down", r"give up",
    r"giv(?:es|ing) up", r"overwhelm\w*", r"run away", r"walk out", r"discourag\w+", r"demoraliz\w+", r"demotivat\w+",
    r"alienat\w+", r"crush\w*", r"regret\w*", r"avoid", r"refus\w+", r"miss(?:es)?", r"misconception\w*",
)  # fmt: skip
_PREVENTS = re.compile(
    r"\b(?:avoid(?:s|ing)|to\s+avoid|prevent\w*|without|rather\s+than|instead\s+of|reduc\w+|lower\w*|protect\w*|minimi[sz]\w+|"
    r"less|lest|keeps?\s+\w+\s+from|stops?|unlike|others?|before|against|no\s+longer|does\s+not|doesn['’]t|not|eas(?:es|ing)|calms?|"
    r"acknowledg\w+|validat\w+|names?|recogni[sz]\w+|address\w+)\b",
    re.IGNORECASE,
)
_IS_SO = re.compile(
    r"\b(?:is|are|was|were|feels?|felt|has|have|had|seems?|needs?|already|just|clearly|signals|shows|expresse[sd]|says|said)\b(?!\s+going\b)",
    re.IGNORECASE,
)
_WILL = re.compile(r"\b(?:will|would|could|might|may|going\s+to|makes?|causes?)\b|['’](?:ll|d)\b", re.IGNORECASE)
_JUDGED = re.compile(
    rf"\b{_JUDGES}\b|^\s*(?:never|no|not|or|but|hardly|avoid|skip|don['’]t|vs|versus)\b|[❌✗✘🚫]", re.IGNORECASE
)
# What is said of a student ("because he is too tired") is not said of the option; but "he is too old for this" is.
_OF_STUDENT = re.compile(
    r"\b(?:he|she|they|(?:the|this)\s+(?:student|child|boy|girl|pupil|learner))\s+(?:already\s+|now\s+|just\s+)?"
    r"(?:is|are|was|were|feels?|felt|has|had|have|finds?|thinks?|says?|said|seems?|looks?|needs?|cannot|can['’]t"
    r"|could\s+not|did\s+not|didn['’]t)\b[^.;!?\n]{0,60}\Z",
    re.IGNORECASE,
)
_FOR_THIS = re.compile(r"\s+\w+\s+for\s+(?:this|that|it)\b")
_HARMED = re.compile(rf"\b{_HARMS}\b", re.IGNORECASE)

_COMPARED = re.compile(
    r"\b(?:unlike|rather\s+than|instead\s+of|not|over|than|compared\s+(?:to|with))\s+(?:the\s+others?\b|(?:options?\s+)?"
    r"\(?[A-H]\b\)?(?:(?:,\s+(?:and\s+|n?or\s+)?|\s+(?:and|n?or)\s+)\(?[A-H]\b\)?)*)"
)
# An article can be told from the letter only by what follows.
_A_LETTER = re.compile(
    r"(?<![\w'’])(?:A(?!\s+[a-z])|A(?=\s+(?:and|or|would|will|could|might|may|can|is|was|\w+[^\W\dsiu]s)\b)|[B-H])(?![\w'’])"
)
_OR = re.compile(r"\b(?:or|and|then|with|but|plus|if)\W*(?:option\W*)?\Z", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:but|however|though|although)\b[^.!?\n]*?\b(?:I|not|better|more|first|instead)\b|\?")

_SPEAKS_OF = re.compile(
    r"\b(?:following|for\s+example|for\s+instance|example|e\.g|imagine|suppose|supposing|pretend|assume|assuming|false|untrue|"
    r"opposite|claims?|statement|sarcas\w+|joke|quote)\b|\b(?:sa(?:y|id|ys|ying)|as\s+in)\W*$"
    r"|\b(?:not|never|n['’]t|nobody|no\s+one|wrong\s+to|mistake\s+to)\s+(?:\w+\s+)?(?:say|think|answer|believe|reply|write|claim|"
    r"conclude)\b",
    re.IGNORECASE,
)
_ANOTHER_FRAME = re.compile(
    r"\b(?:no|not|never|n['’]t|none|nobody|avoid\w*|out|example\w*|format|template|such\s+as|like|if|else|another|different|other|"
    r"adults?|older|younger|long[\s-]*term|later|tomorrow|weeks?|months?|next|last|worse|least|"
    r"second|runner|alternatives?|backup|colleague\w*|critics?|textbook|some|many|says?|writes?|wrote)\b|\b(?:student|tutor|teacher|child|he|she)\W*:$",
    re.IGNORECASE,
)
_ASKS_THIS = re.compile(
    r"\b(?:best|right|most|suits?|fits?|needs?|should|answer|choose|helps?|supports?|why)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“][^\"“”\n]{0,200}+[\"”]")
_FRAGMENTS = re.compile(r"(?<=[.!?])[\"'”’)]*\s+|\n+")

_TAKEN_BACK = re.compile(
    r"(?:\A|\n|[.!?–—(…,]|\s-)\s*+(?:(?:oh|but|and|well|ah|hmm++)\b[,.… ]*+){0,3}(?:"
    r"no(?:pe)?\b(?=[\s,.!:–—-]++(?:wait|actually|sorry|not|it|that|the|I|scratch|option|[A-Z])\b)"
    r"|wait\b(?=\s*+(?:[,.!:–—…-]|no\b|actually|I\b|let\s++me|\Z))|(?:sorry|hmm++|hold\s++on)\b(?=\s*+[,.:–—…])"
    r"|(?:actually|correction|oops|apologies|or\s++rather|my\s++mistake|scratch\s++that|strike\s++that|never\s*+mind"
    r"|(?:I['’]m\s++|I\s++am\s++)?(?:just\s++)?(?:kidding|joking)|I\s++made\s++(?:that|this|it)\s++up"
    r"|I\s++would(?:\s++not|n['’]t)\s++(?:submit|send|use|pick|choose|do)\s++(?:this|it|that))\b"
    r"|on\s++(?:(?:second|further|closer)\s++\w++|reflection\b)|let\s++me\s++(?:re\w++|change|correct|think)"
    r"|I\s++(?:take\s++(?:that|it)\s++back|(?:have\s++)?changed?\s++my\s++mind|meant?|made\s++a\s++mistake|was\s++wrong|misread))",
    re.IGNORECASE,
)
_HELPFUL = r"(?:helpful|effective|suitable|appropriate|supportive|useful|good|kind|sensible|wise)"
_WRONG = re.compile(
    r"\b(?P<what>that|it|this|my\s++(?:answer|choice)|[A-Z])\)?\s++(?:is|was|would\s++be|seems)\s++"
    r"(?:actually\s++|probably\s++|clearly\s++|definitely\s++)?"
    r"(?:(?:wrong|incorrect|a\s++mistake|not\s++(?:right|correct|the\s++answer|it))(?=\s*+(?:[.,;!]|\n|\Z))"
    r"|not\s++(?:appropriate|suitable|right|correct|good|ideal|helpful|effective|recommended|a\s++good|the\s++(?:best|right|answer))\b"
    r"|(?:the\s++|a\s++)?wrong\s++(?:choice|option|answer|one|move|way|strategy)\b"
    r"|(?:just\s++)?(?:a\s++)?(?:random|placeholder|guess|example)\b"
    rf"|(?:the\s++|a\s++)?(?:worst|least\s++{_HELPFUL}|bad|terrible|poor|harmful)\b)"
    r"|\b(?P<worse>this|that|it)\s++(?:would\s++|will\s++|only\s++)?makes?\s++(?:it|things|everything)\s++worse\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"(?:(?:\A|\n|[.!?:;–—,]|\s-)\s*+(?i:(?:or|also|and|plus|perhaps|maybe|possibly),?\s++)*+|\b(?i:is|be|now|meant?|say|make\s++it|(?:change|switch)\b[^.!?\n]{0,30}\sto"
    r"|replace\b[^.!?\n]{0,30}\swith|then|later|next|afterwards|hence|thus|so|therefore|finally|followed\s++by"
    r"|(?:I|we|would|will|['’]d|['’]ll)\s++(?:(?:also|now|even|rather|then)\s++)?(?:pick|choose|select|prefer|go\s++with)),?\s++)(?i:option\s++)?"
    r"[(\"'“‘]*+(?P<letter>[A-HJ-Z])[)\"'”’]*+(?=\s*+(?:[.!?;]|\n|\Z|after\s+all\b))"
    r"|\b(?P<better>[A-HJ-Z])\)?\s++(?:is|would\s++be|might\s++be|may\s++be|could\s++be|seems|looks)\s++"
    r"(?:(?:even|actually|an?|much|the|clearly|probably|just\s++as|equally|also)\s++)*+(?:better|best|right|correct|good|answer|kinder|safer|wiser|preferable|superior|defensible|valid|stronger"
    r"|more\s++\w++)\b(?=\s*+(?:[.,;!]|\n|\Z|(?:option|choice|answer|one|response|fit|match|because|since|here)\b))"
    r"|\b(?P<suits>[A-HJ-Z])(?:,\s++(?:though|however|instead),)?\s++(?:would\s++|might\s++|could\s++)?"
    r"(?:suits?|fits?|serves?|helps?|works?|does|do)\b[^.!?\n,;]{0,40}?\b(?:better|best|more)\b"
    r"|\b(?P<what>[A-HJ-Z])\s++is\s++what\s++(?:he|she|they|the\s++\w++|this\s++\w++|[A-Z][a-z]++)\s++(?:really\s++)?needs?\b"
    r"|\b(?P<over>[A-HJ-Z])\s++over\s++(?=[A-H]\b)"
)
_NOT_THIS = re.compile(
    r"\b(?:not|never|n['’]t|avoid|reject|against|except|discard|rule\s++out|instead\s++of|rather\s++than)\s++"
    r"(?:(?:be|choose|pick|select|recommend|use|go|with|to|the|answer|option)\s++){0,4}\(?(?P<letter>[A-Z])(?![\w'’])"
)
_NO_CHOICE = re.compile(
    r"\bI\s++(?:cannot|can['’]?t|can\s++not|could\s++not|couldn['’]t|am\s++(?:not\s++able|unable)\s++to|refuse\s++to|will\s++not"
    r"|won['’]t|would\s++rather\s++not|do\s++not\s++want\s++to|don['’]t\s++want\s++to|decline\s++to)\s++"
    r"(?:really\s++|honestly\s++)?(?:(?:pick|choose|select|decide|answer|commit)\b|(?:say|tell|recommend)\b(?=\W*\Z|\s*+[.,;!\n]|\s++(?:which|what|any|one"
    r"|an?\s++(?:option|answer|choice|letter|single)|between|either)\b))(?!\s++(?:option\s++)?[A-H]\b)",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"\bI\s++(?:(?:am|was)\s++(?:not\s++able|unable)\s++to|cannot|can['’]?t|could\s++not|couldn['’]t)\s++"
    r"(?:see|view|read|open|access)\s++(?:the|this|your|any)\s++(?:dialogue|talk|options?|conversation|strategies|question)",
    re.IGNORECASE,
)


def judges(prose: str) -> bool:
    """Whether some words judge, reject or foresee harm."""
    judged = (found for found in _JUDGED.finditer(prose))
    if any(not _OF_STUDENT.search(prose[: found.start()]) or _FOR_THIS.match(prose, found.end()) for found in judged):
        return True
    harm = _HARMED.search(prose)
    if harm is None:
        return False
    ahead = prose[: harm.start()]
    return not (_PREVENTS.search(ahead) or (_IS_SO.search(ahead) and not _WILL.search(ahead)))


def spoils(tail: str, letter: str, *, reasoned: bool = False) -> bool:
    """Whether the rest of a sentence, behind its letter, makes it something else than an answer with its reason.

    A reason ("because C would shame him") may say of other options what is wrong with them.
    """
    tail = _COMPARED.sub(" ", tail)
    other = next((found for found in _A_LETTER.finditer(tail) if found.group() != letter), None)
    if other and (not reasoned or _BETTER.search(tail) or _OR.search(tail[: other.start()])):
        return True
    return judges(tail[: other.start()] if other else tail) or _HEDGED.search(tail) is not None


_SETS_APART = re.compile(r"\b(?:least|worst|weakest|poorest)\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:this|these|following|below|here|next)\b", re.IGNORECASE)
_ABOUT_OTHERS = re.compile(r"\b(?:others?|alternatives?)\b", re.IGNORECASE)
_BETTER = re.compile(r"\b(?:better|best|fine|good|kinder|safer|wiser|preferable|superior)\b", re.IGNORECASE)
_WHY_NOT = re.compile(
    r"\b(?P<what>this|it|[A-H])(?:\s+(?:one|option|choice))?\s+(?:is|was|would\s+be|does|would\s+do|causes|would\s+cause)"
    rf"\s+(?:the\s+)?(?:worst|least\s+{_HELPFUL}|most\s+(?:damage|harm\w*|hurt\w*|dangerous|damaging))\b"
    r"|\b(?:option|choice|one|approach|answer)\s+to\s+avoid\b"
    rf"|\A\W*(?:the\s+)?(?:least\s+{_HELPFUL}|worst|most\s+harmful)\b"
    r"|\A\W*(?:it|this|that)\s+(?:would|will|could|might)\s+(?:only\s+|just\s+)?make\s+(?:\w+\s+){1,2}(?:feel\s+)?(?:even\s+)?"
    r"(?:worse|more\s+(?:upset|anxious|angry|frustrated|ashamed|distressed|afraid|stressed|overwhelmed|agitated|nervous"
    r"|embarrassed))\b|\b(?:it|this|that)\s+is\s+never\s+(?:appropriate|right|good|acceptable|helpful)\b",
    re.IGNORECASE,
)
# A reason for another letter: "Option C gives him the quiet that he needs", "He needs C."
_FOR_ANOTHER = re.compile(
    rf"\A\W*(?:[Oo]ption\s+)?(?P<praised>[A-H])(?:\s+(?:because|since|{PRAISE})\b|\W*\Z)"
    r"|\b(?:needs|wants)\s+(?P<needed>[A-H])(?=[.!]|\Z)"
)
# What the student says or thinks: "he said 'I can't read this'", "he feels it is not good enough".
_STUDENTS = re.compile(
    r"\b(?:said|says|asks|asked|feels?|thinks?|believes?)[,:]?\s+(?:that\s+)?"
    r"(?:[\"'“‘].{0,200}?[\"'”’](?=[\s,.;]|\Z)|(?:it|this|that)\s+(?:is|was)\b[^.;\n]*)",
    re.IGNORECASE,
)

_NONE_SEEN = re.compile(
    r"\bnone\s+of\s+(?:the(?!\s+others?)|these|them)\b|\b(?:placeholder|example\s+only|only\s+an\s+example|random\s+(?:guess|choice|pick|letter))\b"
    r"|\b(?:I|we)\s+(?:cannot|can['’]?t|could\s+not|couldn['’]t|did\s+not|didn['’]t|(?:am|was)\s+(?:not\s+able|unable)\s+to)"
    r"\s+(?:really\s+)?(?:see|view|read|find|open|access|know)\b",
    re.IGNORECASE,
)
_ALIKE = re.compile(
    r"\b[A-H]\s+and\s+[A-H]\s+(?:both|work|(?:are|seem|would\s+be)\s+(?:equally|both|just\s+as|alike|the\s+same))\b|\bequally\s+(?:good|valid|right|suitable)\b"
)


def framed_otherwise(text: str, at: int, letter: str) -> bool:
    """Whether what stands right ahead of a sentence asks for something else than was asked, or only speaks of it."""
    near = text[max(0, at - FAR) : at].strip()
    pieces = [piece for piece in _FRAGMENTS.split(near) if piece and piece.strip()]
    if not pieces:
        return False
    ahead = pieces[-1].strip()
    if _SPEAKS_OF.search(ahead) or _inside_quote(near.rsplit("\n", 1)[-1]):
        return True
    named = {found.group() for found in _A_LETTER.finditer(ahead)}
    if ahead.rstrip("\"'”’)")[-1:] in (".", "!", ";", ",", "–", "—", "…"):
        return not named and bool(_SETS_APART.search(ahead) or (_POINTS.search(ahead) and _JUDGED.search(ahead)))
    if named and letter not in named and not ahead.endswith((":", "?")):
        return False
    asked = ahead.endswith("?") and not _ASKS_THIS.search(ahead)
    return asked or _JUDGED.search(ahead) is not None or bool(_HARMED.search(ahead) or _ANOTHER_FRAME.search(ahead))


def _inside_quote(line: str) -> bool:
    return line.count('"') % 2 == 1 or line.count("“") > line.count("”") or line.count("(") > line.count(")")


def condemns(sentence: str, letter: str) -> bool:
    """Whether a sentence judges, and is not about other options."""
    if _ABOUT_OTHERS.search(sentence):
        return _BETTER.search(sentence) is not None
    others = any(found.group() != letter for found in _A_LETTER.finditer(sentence))
    return not others and judges(_QUOTED.sub(" ", sentence))


def contradicted(behind: str, letter: str) -> bool:
    """Whether the first sentence behind an answer condemns it."""
    pieces = _FRAGMENTS.split(behind.lstrip(" .!\n)"), maxsplit=1)
    return condemns(pieces[0], letter)


def gives_no_reason(why: str, letter: str) -> bool:
    """Whether what an object gives as its reason for a letter speaks against it, for another one or for none."""
    why = _STUDENTS.sub(" ", why)
    another, badly = _FOR_ANOTHER.search(why), _WHY_NOT.search(why)
    return (
        any(pattern.search(why) for pattern in (_NONE_SEEN, _ALIKE))
        or (badly is not None and (badly["what"] or letter).casefold() in (letter.casefold(), "this", "it"))
        or (another is not None and (another["praised"] or another["needed"]) != letter)
        or declines(why)
        or taken_back(letter, why, why)
        # "He is not ready to talk" begins so too: only a reason that is a "not" and no sentence denies.
        or re.fullmatch(rf"\W*not\s+{letter}\W*", why, re.IGNORECASE) is not None
    )


def taken_back(letter: str, behind: str, last: str) -> bool:
    """Whether an answer is taken back, or another one stands behind it."""
    if _TAKEN_BACK.search(last):
        return True
    if any(one[one.lastgroup or 0] != letter for one in _OTHER.finditer(behind)):
        return True
    if any(one["letter"] == letter for one in _NOT_THIS.finditer(behind)):
        return True
    wrong = (one["what"] or one["worse"] for one in _WRONG.finditer(behind))
    return any(len(what) > 1 or what == letter for what in wrong)


def declines(text: str) -> bool:
    """Whether a reply says that it chooses none, or has not seen what it chooses from."""
    return _NO_CHOICE.search(text) is not None or _UNSEEN.search(text) is not None
