"""What there is to read in a reply: the part that is no thinking, or the reason why there is nothing to read."""

from __future__ import annotations

import re

from tutorscope.texts.parsed import Parsed, read, unread

# Servers that do not split the thinking off leave it at the front, in the marks of the model's own chat template.
_THINKING = re.compile(
    r"[\s\ufeff\u200b]*+(?:<(?P<tag>think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)>"
    r"|(?P<square>\[THINK\])|(?P<wedge>◁think▷))",
    re.IGNORECASE,
)

REFUSED, EMPTY = "refused", "empty"
"""Why there is no body: the provider held the reply back, or nothing was said."""


def reply_body(reply: str, finish: str = "stop") -> Parsed[str]:
    r"""Give the part of a reply that is to be read.

    The rules, which all readers of this room share:

    - a reply that the provider filtered is `refused`, whatever text came with it;
    - a reply that hit a token limit is `cut_off`, even if what arrived looks whole: what would have followed is
      unknown;
    - thinking in marks (``<think>...</think>`` and its kin) at the front is taken off, block by block. Each block ends
      at its first closing mark. A closing mark without an opening one is left alone, because cutting there would let a
      quoted ``</think>`` cut away the reply. A block that never closes leaves nothing to read: `cut_off`;
    - nothing but blanks is `empty`.

    Parameters
    ----------
    reply : str
        The reply's text.
    finish : str
        Why it stopped, as ``models.speaking.Reply.finish`` has it.

    Returns
    -------
    Parsed of str
        The body without blanks around it, or one of the reasons above.

    Examples
    --------
    >>> reply_body("<think>hm</think>\n Yes").value
    'Yes'
    >>> reply_body("Yes, but the", "length").reason
    'cut_off'
    """
    if finish == "filter":
        return unread(REFUSED)
    if finish in ("length", "model_length"):
        return unread("cut_off")
    at = 0
    while opening := _THINKING.match(reply, at):
        closing = _closing(opening).search(reply, opening.end())
        if closing is None:
            return unread("cut_off")
        at = closing.end()
    body = reply[at:].strip().strip("\ufeff\u200b").strip()
    return read(body) if body else unread(EMPTY)


def _closing(opening: re.Match[str]) -> re.Pattern[str]:
    unnamed = "[/THINK]" if opening["square"] else "◁/think▷"
    return re.compile(re.escape(f"</{opening['tag']}>" if opening["tag"] else unnamed), re.IGNORECASE)
