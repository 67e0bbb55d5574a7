"""Many tests: Holm's adjustment within a family that was declared beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tutorscope.errors import UserError

if TYPE_CHECKING:
    import pandas as pd


def holm(p_values: Mapping[str, float], family: Sequence[str], *, alpha: float = 0.05) -> pd.DataFrame:
    """Adjust the p-values of a declared family, so that the chance of any false rejection stays at alpha.

    The family is what the plan declared, not what happened to be estimable: a member without a p-value still counts,
    as if it were 1, so that a fit that failed never makes the others easier to reject. The smallest of m values is
    multiplied by m, the next by m - 1, and so on; an adjusted value is at least the one before it and at most 1.

    Parameters
    ----------
    p_values : mapping of str to float
        By member; nan where a test was not estimable. Members without an entry count the same.
    family : sequence of str
        All declared members, each once.
    alpha : float
        A member is significant when its adjusted p-value is at most this.

    Returns
    -------
    DataFrame
        One row a member, in the declared order, with the columns ``member``, ``p``, ``p_holm`` (nan where p is),
        ``significant`` and ``family_size``.

    Raises
    ------
    ValueError
        When the family is empty or names a member twice, or alpha is no share.
    UserError
        When a p-value belongs to no member or does not lie between 0 and 1.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm({"sonnet": 0.01, "gemini": 0.04, "gpt": 0.03}, ["sonnet", "gpt", "gemini"])[["member", "p", "p_holm"]]
       member     p  p_holm
    0  sonnet  0.01    0.03
    1     gpt  0.03    0.06
    2  gemini  0.04    0.06
    """
    import numpy as np
    import pandas as pd

    if not family or len(set(family)) < len(family):
        raise ValueError(f"family: found {list(family)}, expected at least one member, each once")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: found {alpha}, expected a share between 0 and 1")
    if strangers := [name for name in p_values if name not in set(family)]:
        raise UserError(f"p-values: found {strangers[0]!r}, expected members of the family: {', '.join(family)}")
    found = {name: float(p_values.get(name, math.nan)) for name in family}
    for name, p in found.items():
        if not (math.isnan(p) or 0 <= p <= 1):
            raise UserError(f"p-value of {name!r}: found {p}, expected a number from 0 to 1")
    # Not by statsmodels: it collects garbage each time, which takes a simulation of studies minutes.
    values = np.array([1.0 if math.isnan(p) else p for p in found.values()])
    order = values.argsort(kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1.0)
    rows = [
        {"member": name, "p": p, "p_holm": math.nan if math.isnan(p) else float(value)}
        for (name, p), value in zip(found.items(), adjusted, strict=True)
    ]
    frame = pd.DataFrame(rows)
    return frame.assign(significant=frame["p_holm"] <= alpha, family_size=len(family))
