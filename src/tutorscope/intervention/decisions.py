"""What a tutor decided: reading its reply, while watching and looking back (intervention game, appendix F.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tutorscope.models.speaking import Reply
from tutorscope.texts.labels import read_labels, read_yes_no
from tutorscope.texts.parsed import Parsed, read, unread

INTERVENE, POINT, MESSAGE = "Intervene", "Point", "Message"
NO_MESSAGE = "no_message"


@dataclass(frozen=True)
class Decision:
    """One decision.

    Parameters
    ----------
    intervenes : bool
    message : str
        What the student is told; "" where the tutor waits, whatever it left in the field.
    quote : str
        Looking back, the words before the point.
    """

    intervenes: bool
    message: str = ""
    quote: str = ""


def read_decision(reply: Reply, judged: Sequence[str], *, looks_back: bool = False) -> Parsed[Decision]:
    """Read a tutor's reply.

    Parameters
    ----------
    reply : Reply
    judged : sequence of str
        What the tutor was shown: a "Yes" inside the student's quoted words decides nothing.
    looks_back : bool
        Whether a point was asked for as well.

    Returns
    -------
    Parsed of Decision
        A "yes" without a message is `no_message`, and neither yes nor no has its own reason: the tutor is asked again.
        It is never taken for a "no". A "yes" without a quote is a decision whose point is unknown.
    """
    labels = (INTERVENE, POINT, MESSAGE) if looks_back else (INTERVENE, MESSAGE)
    found = read_labels(reply.text, labels, optional=labels[1:], judged=judged, finish=reply.finish)
    if found.value is None:
        return unread(found.reason or "empty")
    yes = read_yes_no(found.value[INTERVENE])
    if yes.value is None:
        return unread(yes.reason or "not_a_yes_or_no")
    if not yes.value:
        return read(Decision(False))
    message = found.value.get(MESSAGE, "").strip()
    if not message:
        return unread(NO_MESSAGE)
    return read(Decision(True, message, found.value.get(POINT, "").strip()))
