"""Show what the long FreeCell searches are worth on the deals that the short ones leave open.

    python benchmarks/long_freecell.py --first 2000001 --deals 2000000

Tells how long the solver takes for these deals and which are slowest; then which kinds of search
win how many of them, and how many are won by splitting runs alone.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np
from tune_freecell import Bench, packed_of

from solvers import games
from solvers.freecell import schedule
from solvers.freecell.layout import MAX, SAFE
from solvers.freecell.solver import SOLVER
from solvers.outcome import Verdict

CHUNK = 20_000
BUDGET = 40_000
WEIGHTS = dict.fromkeys(stage.weights for stage in schedule.QUICK_STAGES)
KINDS = [
    schedule.Stage(weights, BUDGET, autoplay, noise, seed, splits)
    for seed, (weights, autoplay, noise, splits, _) in enumerate(
        itertools.product(WEIGHTS, (MAX, SAFE), (127, 255, 511), (False, True), range(2)), 5000
    )
]


def open_deals(first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers that the short searches leave open, and their packed deals."""
    bench = Bench()
    numbers, found = [], []
    for start in range(first, first + count, CHUNK):
        chunk = np.arange(start, min(start + CHUNK, first + count))
        packed = packed_of(chunk)
        won, _ = bench.run(packed, schedule.QUICK)
        numbers.append(chunk[~won])
        found.append(packed[~won])
    return np.concatenate(numbers), np.concatenate(found)


def decide(numbers: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """Decide the deals as the solver does; print times and return the verdicts."""
    game = games.load("freecell")
    profile, limits = game.profiles["classic"], game.default_limits
    warm = packed_of(np.array([1, 11982]))  # one that is won, one that comes to the proof
    SOLVER.solve_packed(warm, profile, limits, want_lines=True)
    seconds, verdicts = [], []
    for one in packed:
        begin = time.process_time()
        outcome = SOLVER.solve_packed(one[None], profile, limits, want_lines=True)
        seconds.append(time.process_time() - begin)
        verdicts.append(outcome.verdict[0])
    taken, found = np.array(seconds), np.array(verdicts)
    print(f"{len(numbers)} deals in {taken.sum():.1f} s of CPU time")
    for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        rows = np.flatnonzero(found == verdict)
        slowest = rows[np.argsort(-taken[rows])[:5]]
        listed = ", ".join(f"{numbers[row]} {taken[row]:.2f} s" for row in slowest)
        print(f"  {len(rows)} {verdict.label}, slowest {listed}")
    return found


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=2_000_001, help="number of the first deal")
    parser.add_argument("--deals", type=int, default=2_000_000)
    parser.add_argument("--no-kinds", action="store_true", help="leave the kinds out")
    arguments = parser.parse_args()
    numbers, packed = open_deals(arguments.first, arguments.deals)
    found = decide(numbers, packed)
    if arguments.no_kinds:
        return
    winnable = packed[found == Verdict.WINNABLE]
    bench = Bench(18, 1 << 18)
    wins = np.array([bench.run(winnable, schedule.configure(kind)[None])[0] for kind in KINDS])
    splits = np.array([kind.splits for kind in KINDS])
    alone = wins[splits].any(axis=0) & ~wins[~splits].any(axis=0)
    print(f"{alone.sum()} won by splitting runs alone")
    hard = wins.mean(axis=0) < 0.5
    if not hard.any():
        return
    print(f"of the {hard.sum()} that fewer than half of {len(KINDS)} searches win, won by")
    for name in ("weights", "autoplay", "noise", "splits"):
        values = [getattr(kind, name) for kind in KINDS]
        for place, value in enumerate(dict.fromkeys(values)):
            share = wins[[other == value for other in values]][:, hard].mean()
            print(f"  {name} {place if name == 'weights' else value}: {share:.0%}")


if __name__ == "__main__":
    main()
