"""Pyramid's speeds, one core, warm, by CPU time.

python benchmarks/pyramid_speed.py verdicts    # classic, from number to verdict
python benchmarks/pyramid_speed.py microsoft   # fewest steps of the 750 reference decks
python benchmarks/pyramid_speed.py classic     # fewest moves of 1..300
python benchmarks/pyramid_speed.py limited     # verdicts under two redeals
python benchmarks/pyramid_speed.py grade       # effort of 1..500
"""

from __future__ import annotations

import csv
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealgen.numbering import numbering_of
from solvers.cards import parse_card
from solvers.games import load

MS = numbering_of("ms")
GAME = load("pyramid")
LIMITS = GAME.default_limits
REFERENCE = Path(__file__).parent.parent / "data" / "reference" / "pyramid_microsoft_750.csv"


def decks_of(first: int, last: int) -> NDArray[np.uint8]:
    """Return the decks of a range of numbers."""
    return MS.decks(GAME, range(first, last + 1))


def verdicts() -> None:
    """Print deals a second from number to verdict, five runs of 100,000."""
    profile = GAME.profiles["classic"]
    numbers = np.arange(1, 100_001)
    rates = []
    for _turn in range(6):
        begin = time.thread_time()
        decks = MS.decks(GAME, numbers)
        GAME.solve_many(decks, profile, LIMITS, want_lines=False)
        rates.append(len(numbers) / (time.thread_time() - begin))
    low, middle, high = min(rates[1:]), statistics.median(rates[1:]), max(rates[1:])
    print(f"classic verdicts: median {middle:,.0f} deals/s ({low:,.0f} .. {high:,.0f})")


def one_by_one(
    name: str, decks: NDArray[np.uint8], solve: Callable[[NDArray[np.uint8]], object]
) -> None:
    """Print the CPU milliseconds that each deck takes."""
    solve(decks[:2])
    times = []
    for row in range(len(decks)):
        begin = time.thread_time()
        solve(decks[row : row + 1])
        times.append((time.thread_time() - begin) * 1e3)
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    p50, p90, p99 = np.percentile(times, [50, 90, 99])
    mean = statistics.mean(times)
    print(
        f"{name}: mean {mean:.2f} ms ({1e3 / mean:,.0f} deals/s), p50 {p50:.2f}, p90 {p90:.2f}, "
        f"p99 {p99:.1f}, max {max(times):.1f} ms; {len(times)} deals; {mib:.0f} MiB"
    )


def shortest(name: str) -> Callable[[NDArray[np.uint8]], object]:
    """Return the search for fewest moves under a profile."""
    return lambda decks: GAME.par_many(decks, GAME.profiles[name], LIMITS)


def main() -> None:
    """Run the study that is named."""
    study = sys.argv[1]
    if study == "verdicts":
        verdicts()
    elif study == "microsoft":
        with REFERENCE.open() as file:
            cards = [[parse_card(card) for card in row[0].split()] for row in csv.reader(file)]
        one_by_one("microsoft fewest steps", np.array(cards, np.uint8), shortest("microsoft"))
    elif study == "classic":
        one_by_one("classic fewest moves", decks_of(1, 300), shortest("classic"))
    elif study == "limited":
        for name in ("microsoft", "classic,redeals=2"):
            profile = GAME.profiles["microsoft"]
            if name != "microsoft":
                profile = type(profile)("classic", redeals=2)
            one_by_one(
                f"{name} verdicts",
                decks_of(1, 500),
                lambda decks, profile=profile: GAME.solve_many(  # type: ignore[misc]
                    decks, profile, LIMITS, want_lines=False
                ),
            )
    elif study == "grade":
        one_by_one(
            "effort",
            decks_of(1, 500),
            lambda decks: GAME.measure_many(decks, GAME.profiles["classic"]),
        )
    else:
        sys.exit(f"unknown study {study!r}")


if __name__ == "__main__":
    main()
