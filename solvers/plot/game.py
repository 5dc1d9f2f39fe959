"""The Plot as the registry hands it out: see `solvers.games.Game` for every member.

Owns the bench lists. Nothing here loads numpy or numba until something is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from solvers.games import Game
from solvers.outcome import Limits
from solvers.plot import notation, rules
from solvers.plot.grader import GRADER


class Plot(Game[rules.State, rules.Move, rules.Profile]):
    """The game The Plot; `GAME` is its only instance."""

    rules = rules
    notation = notation
    name = "plot"
    title = "The Plot"
    position_marks = ("base", "reserve", "piles")
    board_shape = (13, 1, 12, 13, 13, 13, 13, 13, 13)
    deck_size = rules.DECK_SIZE
    profiles = rules.PROFILES
    default_profile = "classic"
    default_limits = Limits(max_nodes=500_000, memory_mib=128)
    methods = ("fast", "best-first", "dfs")
    grader = GRADER
    profile_numberings: ClassVar[Mapping[str, str]] = {"pysol": "pysol"}
    #: The first deals; deals that rollouts leave open; deals proved lost, by the reserve bound and
    #: by the phase-1 abstraction.
    bench_deals: ClassVar[Mapping[str, Sequence[int]]] = {
        "first": range(1, 5001),
        "hard": (16, 1266, 1882, 2030, 2302, 3622, 7522, 9298, 10598, 12518, 13892, 14620, 18982),
        "unwinnable": (501, 890, 979, 987, 441, 2183, 3308, 5108, 5694, 10926, 13107, 15105),
    }


GAME = Plot()
