"""How kernels say what a search came to: one set of codes for all games, and what they mean.

OPEN           nothing is decided; there is more to do, by this search or by another one
WON            a win was found
LOST           the search space is exhausted and nothing lossy was used: a proof
OUT_OF_NODES   the bound on nodes was reached
OUT_OF_MEMORY  a table is full
DRY            a search that leaves moves or positions out ran dry, which proves nothing
REJECTED       a line of ours failed its replay: always our bug
"""

from __future__ import annotations

import numpy as np

from solvers.outcome import Limit, Verdict

OPEN, WON, LOST, OUT_OF_NODES, OUT_OF_MEMORY, DRY, REJECTED = range(7)

#: By status: the verdict, and the limit that stopped the search.
VERDICTS = np.full(7, Verdict.UNDECIDED, np.int8)
VERDICTS[WON], VERDICTS[LOST] = Verdict.WINNABLE, Verdict.UNWINNABLE
LIMITS = np.full(7, Limit.NONE, np.int8)
LIMITS[OUT_OF_NODES], LIMITS[OUT_OF_MEMORY] = Limit.NODES, Limit.MEMORY
