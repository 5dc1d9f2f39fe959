"""How long `winnable serve` takes for a hint, from the line written to the line read.

    python benchmarks/serve.py

FreeCell in mid-game: positions half-way through a solution of each deal of a range. The server is
warm.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np

from dealgen.numbering import numbering_of
from solvers import games

#: Deals from which positions come, and how many.
FIRST, POSITIONS = 300_001, 400


def positions() -> list[dict[str, object]]:
    """Return positions half-way through the solutions of deals."""
    game = games.load("freecell")
    profile = game.profiles["classic"]
    found = []
    for number in range(FIRST, FIRST + POSITIONS):
        state = game.deal(numbering_of("ms").deck(game, number))
        moves = game.solve(state, profile, game.default_limits).moves
        for move in moves[: len(moves) // 2]:
            state = game.apply(state, move, profile)
        found.append(game.position_to_json(state))
    return found


def main() -> None:
    """Measure, and print the median and the slowest of a hundred."""
    boards = positions()
    server = subprocess.Popen(
        [sys.executable, "-m", "winnable", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    times = []
    for at, board in enumerate([*boards[:20], *boards]):
        line = json.dumps({"id": at, "do": "hint", "game": "freecell", "board": board})
        begin = time.perf_counter()
        server.stdin.write(line + "\n")
        answer = json.loads(server.stdout.readline())
        times.append(time.perf_counter() - begin)
        assert answer["verdict"] == "winnable", answer
    server.stdin.close()
    server.wait()
    measured = np.array(times[20:]) * 1000
    median, slow = np.percentile(measured, [50, 99])
    print(f"{len(boards)} hints: median {median:.2f} ms, 99 % below {slow:.2f} ms")


if __name__ == "__main__":
    main()
