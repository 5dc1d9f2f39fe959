"""Decide deals of 1..10,000,000: all 130 that are known to be lost, and random others.

    python benchmarks/sample_freecell.py --deals 200000

Ends with exit code 1 if a known lost deal is not proved, or another one is not won.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np

from dealgen.numbering import numbering_of
from solvers import games
from solvers.outcome import Verdict

LOST = Path(__file__).parent.parent / "data" / "reference" / "freecell_unwinnable_1_to_1e7.txt"
CHUNK = 2000


def decide(numbers: list[int]) -> np.ndarray:
    """Return the verdicts of deals, and print how fast they came."""
    game = games.load("freecell")
    profile, limits = game.profiles[game.default_profile], game.default_limits
    verdicts = []
    begin = time.process_time()
    for start in range(0, len(numbers), CHUNK):
        decks = numbering_of("ms").decks(game, numbers[start : start + CHUNK])
        verdicts.append(game.solve_many(decks, profile, limits, want_lines=False).verdict)
    seconds = time.process_time() - begin
    rate = len(numbers) / seconds
    print(f"{len(numbers):,} deals, {seconds:.2f} s of CPU time, {rate:,.0f} deals/s")
    return np.concatenate(verdicts)


def main() -> int:
    """Print what was decided."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=200_000, help="random deals")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lost = [int(line) for line in LOST.read_text().split() if line.isdigit()]
    drawn = random.Random(arguments.seed).sample(range(1, 10_000_001), arguments.deals)
    others = sorted(set(drawn) - set(lost))
    proved = decide(lost) == Verdict.UNWINNABLE
    won = decide(others) == Verdict.WINNABLE
    print(f"{proved.sum()} of {len(lost)} proved lost, {won.sum():,} of {len(others):,} won")
    for number in np.array([*np.array(lost)[~proved], *np.array(others)[~won]]):
        print(f"not so: {number}")
    return int(not (proved.all() and won.all()))


if __name__ == "__main__":
    sys.exit(main())
