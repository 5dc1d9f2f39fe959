"""Other people's solvers beside ours, on the same deals and one core, side by side."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from cli.commands.bench import web
from dealgen.numbering import DEFAULT_NUMBERING, numbering_of
from dealgen.task import Task
from solvers.errors import UnknownNameError, WinnableError
from solvers.games import AnyGame


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that decides a range of a game's deals.

    game         the one that it plays, by the rules of the game's default profile
    program      what is on the PATH
    options      after the first and the last number, and the number again: a progress line
                 only at the end
    package      where Debian has it
    """

    name: str
    game: str
    program: str
    options: tuple[str, ...]
    package: str


PEERS = {
    # `lg` is its fastest preset.
    "fc-solve": Peer(
        "fc-solve",
        "freecell",
        "freecell-solver-range-parallel-solve",
        ("-l", "lg"),
        "freecell-solver-bin",
    ),
}
FIRST, LAST = 1, 32000
#: Pairs of runs; the median of fewer says little.
PAIRS = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """Times of each round, seconds.

    peer_cpu, peer_wall  the peer's whole process
    our_cpu              our solver from number to verdict, in this warm process
    our_wall             our whole process, start-up included
    web_peer             the peer's CPU on deals 1..web.DEALS
    web_cold, web_warm   our WebAssembly module in Node on the same deals; empty without Node
    """

    peer: Peer
    peer_cpu: list[float]
    peer_wall: list[float]
    our_cpu: list[float]
    our_wall: list[float]
    web_peer: list[float] = field(default_factory=list)
    web_cold: list[float] = field(default_factory=list)
    web_warm: list[float] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """Return the times and ratios, ready for JSON."""
        return {
            "game": self.peer.game,
            "peer": self.peer.name,
            "first": FIRST,
            "last": LAST,
            "peer_cpu_s": _rounded(self.peer_cpu),
            "peer_wall_s": _rounded(self.peer_wall),
            "our_cpu_s": _rounded(self.our_cpu),
            "our_wall_s": _rounded(self.our_wall),
            "cpu_ratio": _rounded(_spread(self.peer_cpu, self.our_cpu)),
            "wall_ratio": _rounded(_spread(self.peer_wall, self.our_wall)),
            "web_last": web.DEALS,
            "web_peer_cpu_s": _rounded(self.web_peer),
            "web_cold_cpu_s": _rounded(self.web_cold),
            "web_warm_cpu_s": _rounded(self.web_warm),
            "web_cold_ratio": _rounded(_spread(self.web_peer, self.web_cold)),
            "web_warm_ratio": _rounded(_spread(self.web_peer, self.web_warm)),
        }

    def lines(self) -> list[str]:
        """Write the times and ratios."""
        command = " ".join((self.peer.program, *_arguments(self.peer, LAST)))
        return [
            f"deals {FIRST}..{LAST}, one core, {len(self.our_cpu)} rounds side by side, seconds",
            f"  {command}",
            f"    CPU {_listed(self.peer_cpu)}, wall {_listed(self.peer_wall)}",
            "  winnable in a warm process, from number to verdict",
            f"    CPU {_listed(self.our_cpu)}; {_ratio(self.peer_cpu, self.our_cpu)}",
            f"  winnable {' '.join(_own_arguments(self.peer))}, whole process",
            f"    wall {_listed(self.our_wall)}; {_ratio(self.peer_wall, self.our_wall)}",
            *self._web_lines(),
        ]

    def _web_lines(self) -> list[str]:
        """Write the times in Node."""
        if not self.web_cold:
            return [f"  winnable in Node: not measured, since {web.reason_to_skip()}"]
        return [
            f"  winnable in Node (WebAssembly), deals 1..{web.DEALS}; the peer natively",
            f"    CPU {_listed(self.web_peer)}",
            f"    CPU with loading the module {_listed(self.web_cold)}; "
            f"{_ratio(self.web_peer, self.web_cold)}",
            f"    CPU warm {_listed(self.web_warm)}; {_ratio(self.web_peer, self.web_warm)}",
        ]


def find(name: str, game: AnyGame) -> Peer:
    """Return an installed peer of a game by name; raises WinnableError saying what is missing."""
    peer = PEERS.get(name)
    if peer is None:
        raise UnknownNameError("peer", name, PEERS)
    if peer.game != game.name:
        raise WinnableError(f"peer {name} plays {peer.game}, not {game.name}")
    if shutil.which(peer.program) is None:
        raise WinnableError(
            f"peer {name} is not installed: no {peer.program} on the PATH; "
            f"Debian and Ubuntu have it in the package {peer.package}"
        )
    return peer


def compare(peer: Peer, game: AnyGame) -> Comparison:
    """Run the peer, our solver and our whole process side by side; at least PAIRS rounds."""
    comparison = Comparison(peer, [], [], [], [])
    _solve_here(game)  # not counted: it compiles, and warms the memory
    for _ in range(PAIRS):
        cpu, wall = _run([peer.program, *_arguments(peer, LAST)])
        comparison.peer_cpu.append(cpu)
        comparison.peer_wall.append(wall)
        comparison.our_cpu.append(_solve_here(game))
        # -P: a folder `cli` where this runs is not ours.
        own = [sys.executable, "-P", "-m", "cli.main", *_own_arguments(peer)]
        # 1 and 3: decided, and not all deals are winnable.
        comparison.our_wall.append(_run(own, decided=(0, 1, 3))[1])
        if web.reason_to_skip() is None:
            comparison.web_peer.append(_run([peer.program, *_arguments(peer, web.DEALS)])[0])
            times = web.run(game)
            comparison.web_cold.append(times.cold)
            comparison.web_warm.append(times.warm)
    return comparison


def _arguments(peer: Peer, last: int) -> list[str]:
    return [str(FIRST), str(last), str(last), *peer.options]


def _own_arguments(peer: Peer) -> list[str]:
    return ["check", peer.game, f"{FIRST}-{LAST}", "--only", "unwinnable", "--quiet", "--jobs", "1"]


def _run(command: Sequence[str], decided: Sequence[int] = (0,)) -> tuple[float, float]:
    """Run a program; return its CPU and wall time, seconds. Its output is not read.

    Raises WinnableError when its exit code is none of `decided`.
    """
    import resource

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    cpu, wall = used(), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    cpu, wall = used() - cpu, time.perf_counter() - wall
    if done.returncode not in decided:
        raise WinnableError(f"{command[0]} ended with exit code {done.returncode}")
    return cpu, wall


def _solve_here(game: AnyGame) -> float:
    """Solve the range in this process on one thread; return the CPU time, seconds."""
    from dealgen.batch import solve_numbers

    begin = time.process_time()
    profile = game.profiles[game.default_profile]
    task = Task(game, profile, numbering_of(DEFAULT_NUMBERING), game.default_limits)
    with closing(solve_numbers(task, range(FIRST, LAST + 1))) as chunks:
        for _ in chunks:
            pass
    return time.process_time() - begin


def _spread(theirs: Sequence[float], ours: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, least and greatest ratio of the rounds."""
    ratios = [a / max(b, 1e-9) for a, b in zip(theirs, ours, strict=True)] or [0.0]
    return statistics.median(ratios), min(ratios), max(ratios)


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 3) for value in values]


def _listed(values: Sequence[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> str:
    median, least, greatest = _spread(theirs, ours)
    return f"the peer takes {median:.2f} times as long ({least:.2f}..{greatest:.2f})"
