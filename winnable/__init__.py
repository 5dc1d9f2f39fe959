"""FreeCell, Pyramid and The Plot from Python: play, decide, grade, and use pools.

    import winnable

    table = winnable.deal("freecell", 617)
    table.push("26")
    table.hint().outcome.moves

    winnable.check("freecell", range(1, 32001)).unwinnable

A thin door: everything behind it is in `solvers` (rules, searches) and `dealgen` (numbers,
batches, pools). Importing it loads neither numpy nor numba; `docs/python.md` shows all of it.
"""

from __future__ import annotations

from solvers.errors import (
    IllegalMoveError,
    InvalidArrayError,
    InvalidDealError,
    InvalidNumberError,
    NotationError,
    PoolFormatError,
    StoreError,
    UnknownNameError,
    WinnableError,
)
from solvers.games import NAMES as GAMES
from solvers.outcome import Hint, Limit, Outcome, Verdict
from winnable.deals import Answers, check, grade
from winnable.pools import Pool
from winnable.tables import Checked, Graded, Table, deal, read

__all__ = [
    "GAMES",
    "Answers",
    "Checked",
    "Graded",
    "Hint",
    "IllegalMoveError",
    "InvalidArrayError",
    "InvalidDealError",
    "InvalidNumberError",
    "Limit",
    "NotationError",
    "Outcome",
    "Pool",
    "PoolFormatError",
    "StoreError",
    "Table",
    "UnknownNameError",
    "Verdict",
    "WinnableError",
    "check",
    "deal",
    "grade",
    "read",
]
