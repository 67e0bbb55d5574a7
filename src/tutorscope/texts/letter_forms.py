"""The forms that a sentence giving one letter as its answer may have, from its beginning to its letter."""

from __future__ import annotations

import re

FAR = 400
"""A sentence is not looked at any farther, in characters."""


def any_of(*phrases: str) -> str:
    """Write a pattern for any of some phrases, whatever white space is between their words."""
    return "(?:" + "|".join(phrase.replace(" ", r"\s++") for phrase in phrases) + ")"


# The parts of a sentence that gives an answer.
_LETTER = r"[(\[\"'“‘]*+(?P<letter>[A-Za-z])(?!\w|['’]\w)[)\]\"'”’]*+"
_NAMED = r"(?:(?:option|answer|choice|letter)\s++)?"
_NOUN = any_of(
    "answer", "ans", "choice", "option", "selection", "response", "reply", "letter", "pick", "decision",
    "recommendation", "approach", "strategy", "move", "vote", "next step", "intervention", "action", "accommodation",
    "technique", "support", "preference", "winner", "favou?rite",
)  # fmt: skip
_GOOD = any_of(
    "best", "correct", "right", "final", "chosen", "selected", "preferred", "recommended", "strongest", "ideal",
    "optimal", r"most (?:appropriate|suitable|effective|helpful|fitting|supportive|beneficial|constructive|empathetic|"
    "responsive|productive|promising|useful)",
)  # fmt: skip
_GOODS = rf"(?:(?:very|single|better|{_GOOD})[,\s]++(?:and\s++)?){{0,3}}"
_SURELY = rf"(?:{any_of('clearly', 'definitely', 'certainly', 'probably', 'therefore', 'still', 'by far')}\s++)?"
_PERSON = any_of("student", "learner", "child", "pupil", "boy", "girl")
_PLACE = any_of(
    _PERSON, "tutor", "moment", "situation", "case", "context", "scenario", "question", "dialogue", "options",
    "choices", "strategies", "four", "three", "two", "given", "upset", "struggling", "particular", "specific",
)  # fmt: skip
_WHERE = (
    r"(?:\s++(?:here|right\s++now|now|overall|(?:for|in|to|at|given|of|among)\s++(?:the|this|these|those|all|him|her|them)\b"
    rf"(?:\s++{_PLACE}\b){{0,4}}|to\s++(?:use|choose|pick|take|give)\b)){{0,2}}"
)
_WHOM = rf"(?:\s++(?:him|her|them|(?:the|this)\s++{_PLACE}(?:\s++{_PERSON})?))"
_SUITS = any_of("suits?", "fits?", "works?(?: for)?", "helps?", "serves?", "supports?")
_THAT = rf"(?:\s++(?:that|which)\s++(?:best\s++{_SUITS}{_WHOM}|{_SUITS}{_WHOM}?\s++best)\b)?"
_BE = any_of("is", "would be", "will be", "should be", "must be", "remains")
_IS = rf"(?:\s*+[:=：→]|\s-(?=\s)|\s++{_BE}\b(?:\s*+:)?)\s*+{_SURELY}"
_CHOOSE = any_of("choose", "pick", "select", "go with", "opt for", "vote for", "go for")
_CHOSEN = (
    rf"(?:(?:I|we)(?:['’](?:d|ll)|\s++(?:would|will|shall))?\s++(?:therefore\s++)?"
    rf"(?:{_CHOOSE}|{any_of('chose', 'picked', 'selected', 'recommend', 'suggest', 'prefer', 'say', 'went with')}"
    r"|opted\s++for|lean\s++to(?:wards?)?)"
    rf"|(?:I|we)(?:['’]d|\s++would)\s++do|(?:I|we)(?:['’](?:m|re)|\s++(?:am|are))\s++"
    rf"{any_of('choosing', 'picking', 'selecting', 'going with', 'leaning to(?:wards?)?')}|let['’]?s\s++{_CHOOSE}"
    rf"|going\s++with|(?:the\s++)?tutor\s++should\s++{_CHOOSE}|(?P<bidden>{_CHOOSE}))\s++"
)
_SO = any_of(
    "(?:and )?so", "therefore", "thus", "hence", "overall", "ultimately", "finally", "consequently", "clearly",
    "in (?:conclusion|summary|short|sum|the end|this (?:case|situation|moment)|my (?:view|opinion))", "all in all",
    "on balance", "as a result", "for (?:this|these|that) reasons?", "with (?:this|that) in mind", "to conclude",
    "given (?:this|that|the above)", "conclusion", "verdict", "decision", "result", "summary", "yes", "okay", "sure",
)  # fmt: skip
_THINK = any_of(
    "I (?:think|believe|feel|would say|am (?:confident|convinced|sure))", r"I['’]d say", r"I['’]m (?:confident|sure)",
    "it (?:is clear|seems)",
)  # fmt: skip

# What may stand ahead, up to its comma. It must not set another question than the one that was asked.
_ASKED_OTHERWISE = any_of(
    r"wors\w+", r"wrong\w*", r"bad\w*", r"poor\w*", r"weak\w*", r"harm\w*", r"hurt\w*", r"avoid\w*", r"reject\w*",
    r"fail\w*", r"least", r"never", r"no", r"not", r"none", r"nothing", r"what", r"which", r"who\w*", r"if", r"whether",
    r"option\w*", r"choice\w*", r"list", r"other\w*", r"another", r"different", r"adult\w*", r"older", r"younger",
    r"long", r"later", r"future", r"weeks?", r"months?", r"years?", r"tomorrow", r"punish\w*", r"rid", r"goal", r"aim",
    r"wish\w*", r"eliminat\w*", r"exclu\w*", r"except\w*", r"opposite", r"ruin\w*", r"scare\w*",
    r"upsetting", r"(?:task|plan|idea|purpose|intention|desire) (?:of|to)", r"textbook\w*", r"manual", r"policy",
    r"key", r"theory", r"class\w*", r"group", r"parents?",
    r"mothers?", r"fathers?", r"average", r"typical\w*", r"general\w*",
)  # fmt: skip
_ALL = (
    r"(?:all\s++(?:of\s++)?)?(?:(?:the|these|those)\s++)?(?:(?:given|available|listed|offered|provided|possible|four|three"
    r"|two)\s++)*+(?:options|choices|strategies|responses|approaches|alternatives|possibilities|four|three|two|these|them"
    r"|those)(?:\s++(?:above|here|given|listed|offered|presented|provided))?"
)
_READING = any_of("weighing", "comparing", "considering", "reviewing", "looking at", "reading", "evaluating")
_LETTERS = r"(?-i:[A-H])(?:(?:,\s++(?:and\s++|n?or\s++)?|\s++(?:and|n?or)\s++)(?-i:[A-H]))*+(?![\w'’])"
_NEUTRAL = (
    rf"(?:(?:(?:of|among(?:st)?|out\s++of|from|between|(?:after\s++)?{_READING})\s++(?:{_ALL}|{_LETTERS})"
    rf"|(?:based\s++on|given|since|because|in\s++(?:light|view)\s++of|(?:after\s++)?{_READING})\s++"
    rf"(?![^,.;:?!\n]{{0,100}}\b{_ASKED_OTHERWISE}\b)(?:how\s++\w++(?:\s++and\s++\w++)?\s++(?:\w++\s++){{1,2}}"
    r"(?:is|are|was|were|feels|seems|looks)(?:\s++\w++){0,3}"
    r"|(?:(?:that\s++)?(?:he|she|they|the|this|his|her|their|these|those)|all)\s[^,.;:?!\n]{1,100}+)"
    rf"|(?:based\s++on|given)\s++what\s++(?:he|she|the\s++{_PERSON})\s++(?:has\s++)?(?:just\s++)?(?:said|says|wrote|did)"
    rf"|to\s++(?:support|help|calm|reassure)(?![^,.;:?!\n]{{0,100}}\b{_ASKED_OTHERWISE}\b){_WHOM}[^,.;:?!\n]{{0,60}}+"
    rf"|(?:in|for|with|at)\s++(?:this|the)\s++(?:(?:upset|struggling|particular|specific)\s++)?"
    rf"(?:{_PERSON}|moment|situation|case|context|scenario|exchange|dialogue|point)"
    r"(?:\s++(?:right\s++now|now|here|at\s++this\s++(?:moment|point)|in\s++this\s++(?:moment|situation)))?"
    rf"|if\s++(?:I|we)\s++had\s++to\s++{_CHOOSE}(?:\s++(?:(?:just|only)\s++)?one)?"
    r"|for\s++(?:him|her|them)|right\s++now|at\s++this\s++point"
    r"|as\s++(?:an?|the|his|her|their|this)\s++(?:(?:experienced|caring|good|thoughtful|skilled)\s++)?"
    r"(?:tutor|teacher|educator)"
    rf"|(?:while|(?:even\s++)?(?:al)?though)\s++(?:both\s++)?(?:options?\s++)?(?P<conceded>{_LETTERS})"
    r"\s[^,.;:?!\n]{1,100}+"
    r"),\s++"
    rf"|(?:not|instead\s++of|rather\s++than|unlike)\s++(?:options?\s++)?(?P<excluded>{_LETTERS})\s*+[:;,–—]\s++"
    r"|none\s++of\s++(?:them|these|the\s++(?:four\s++)?options)\s++(?:is|are)\s++(?:perfect|ideal),?\s++but\s++)"
)
_LEAD = rf"(?:{_SO}(?:\s*+[,:!])?\s++|{_THINK}(?:\s++that)?\s++|{_NEUTRAL})"

SENTENCES = [
    re.compile(_LEAD + "{0,3}" + sentence, re.IGNORECASE)
    for sentence in (
        # The best option here is B. Final answer: B.
        rf"(?:(?:the(?:\s++tutor['’]s)?|my|our)\s++)?{_GOODS}{_NOUN}{_THAT}{_WHERE}{_IS}{_NAMED}{_LETTER}",
        rf"the\s++{_GOOD}(?:\s++(?:one|of\s++(?:them|these|all)))?\s++{_BE}\s++{_NAMED}{_LETTER}",
        # I would choose B.
        rf"{_CHOSEN}(?:the\s++(?=option))?{_NAMED}{_LETTER}{_WHERE}",
        # Option B is the most helpful one. B suits this student best.
        rf"{_NAMED}{_LETTER}\s++(?:(?:is|(?:seems|appears|looks)(?:\s++like)?|would\s++be)\s++{_SURELY}(?:to\s++be\s++)?"
        rf"(?:(?:the|my)\s++(?:{_GOODS}(?:(?:first\s++)?step|{_NOUN}|one|fit|match)\b|{_GOOD})|{_GOOD})"
        rf"|(?:would\s++)?{_SUITS}{_WHOM}?\s++best|it\s++is(?=[.,;!\n]|\Z)|wins\b|stands\s++out(?:\s++as\s++the\s++best)?"
        r"|(?:is|would\s++be)\s++better\s++than\s++(?:all\s++)?(?:of\s++)?the\s++(?:others?|rest)(?:\s++options)?)"
        rf"{_WHERE}",
    )
]
BETTER_OF_TWO = re.compile(
    rf"{_LEAD}{{0,3}}{_NAMED}{_LETTER}\s++(?:is|would\s++be)\s++{_SURELY}(?:the\s++)?better(?:\s++{_NOUN}|\s++one)?"
    rf"(?:\s++than\s++{_NAMED}[A-H]\b)?{_WHERE}",
    re.IGNORECASE,
)
"""Where there are two options, the better one is the best."""
PRAISE = (
    r"(?:acknowledge|validate|name|offer|give|support|help|respect|meet|addresse|provide|allow|calm|restore|protect"
    r"|honou?r|recogni[sz]e|combine|strengthen|de-escalate|reassure|ease|fit|suit)s"
)
"""What a good option does."""
ALONE = re.compile(
    rf"(?P<lead>{_LEAD}{{0,2}}(?:it(?:['’]s|\s++{_BE})\s++)?{_SURELY})(?:final\s++)?{_NAMED}{_LETTER}", re.IGNORECASE
)
HEADING = re.compile(
    rf"(?:(?:the|my|our)\s++)?{_GOODS}(?:{_NOUN}|conclusion|verdict){_WHERE}(?:\s++is)?\s*+:?", re.IGNORECASE
)
LABELLED = re.compile(rf"(?:(?:The|My)\s++)?(?i:{_GOODS}{_NOUN}{_WHERE})\s*+:")
BEGINS = re.compile(
    r"(?:\A|(?P<line>\n))\s*+|(?<!e\.g)(?<!i\.e)[.!?][\"'”’)]*+\s++|;\s++"
    r"|(?P<so>[,–—]|\s-)\s++(?=(?:and\s++)?(?:so|therefore|thus|hence)\b)"
)
"""Where a sentence may begin."""
