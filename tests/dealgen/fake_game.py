"""A game without a search, so that batches, stores and pools are tested in milliseconds.

Its facts are a hash of the deck: about one deal in ten is unwinnable, one in twenty needs a
million nodes, one in twenty 64 MiB, and a solution plays the first few cards of the deck in
their order. It has the members of `solvers.games.Game` that `dealgen` uses.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from dealgen.numbering import numbering_of
from dealgen.task import Task
from solvers.cards import format_card, parse_card
from solvers.errors import IllegalMoveError
from solvers.graders import Grader, Scale
from solvers.outcome import BatchOutcome, Limit, Limits, Verdict
from solvers.profiles import option

EASY_LIMITS = Limits(max_nodes=1000, memory_mib=16)
LIMITS = Limits(max_nodes=2_000_000, memory_mib=256)


@dataclass(frozen=True)
class FakeProfile:
    """A profile; its option changes every fact."""

    name: str
    cells: int = option(4, low=0, high=7, help="nothing")


PROFILES = {"plain": FakeProfile("plain"), "bare": FakeProfile("bare", cells=0)}


@dataclass(frozen=True)
class Facts:
    """What is true of a deck, as one reads it off the hash."""

    winnable: bool
    nodes: int
    memory_mib: int
    length: int
    effort: int
    par: int


class FakeGame:
    """See the module; the counters tell what has been asked."""

    name = "fake"
    title = "Fake"
    deck_size = 52
    profiles = PROFILES
    default_profile = "plain"
    default_limits = LIMITS
    methods = ("fast",)
    optimal_method = None
    grader = Grader("fake-1", {"plain": Scale(1000, 2000, tuple(range(30, 3000, 30)), "1..1000")})

    def __init__(self, *, seconds_a_deal: float = 0.0) -> None:
        """Make one whose search takes its time."""
        self.seconds_a_deal = seconds_a_deal
        self.solved = 0
        self.measured = 0
        self.refuses = lambda deck: False

    def facts(self, deck, profile) -> Facts:
        """Read the facts of a deck."""
        digest = hashlib.blake2b(
            bytes(deck) + bytes([profile.cells]), digest_size=8, usedforsecurity=False
        ).digest()
        value = int.from_bytes(digest, "big")
        kind = value % 20
        return Facts(
            winnable=kind > 1,
            nodes=1_000_000 if kind == 2 else 1 + value // 20 % 900,
            memory_mib=64 if kind == 3 else 1,
            length=3 + value // 100 % 9,
            effort=1 + value // 1000 % 3000,
            # Its solutions are of fewest moves, where these are known.
            par=3 + value // 100 % 9 if value // 77 % 12 else 0,
        )

    def scale(self, profile):
        """Return the scale of the plain profile, None for others."""
        return self.grader.scale_of(profile, self.profiles)

    def prepare(self):
        """Load nothing."""

    def solve_many(self, decks, profile, limits, *, want_lines, method="fast"):
        """Look the answers up."""
        assert method == "fast"
        time.sleep(self.seconds_a_deal * len(decks))
        self.solved += len(decks)
        verdict, nodes, limit, lines, lengths = [], [], [], [], []
        for deck in decks.tolist():
            facts = self.facts(deck, profile)
            stopped = Limit.NONE
            if facts.nodes > limits.max_nodes:
                stopped = Limit.NODES
            elif facts.memory_mib > limits.memory_mib:
                stopped = Limit.MEMORY
            won = facts.winnable and not stopped
            verdict.append(
                Verdict.UNDECIDED if stopped else Verdict.WINNABLE if won else Verdict.UNWINNABLE
            )
            nodes.append(min(facts.nodes, limits.max_nodes))
            limit.append(stopped)
            lengths.append(facts.length if won else 0)
            lines.append(deck[: facts.length] if won and want_lines else [])
        return BatchOutcome(
            verdict=np.array(verdict, np.int8),
            nodes=np.array(nodes, np.int64),
            limit=np.array(limit, np.int8),
            length=np.array(lengths, np.int32),
            lines=np.array([card for line in lines for card in line], np.uint16),
            offsets=np.cumsum([0, *map(len, lines)], dtype=np.int64),
        )

    def measure_many(self, decks, profile):
        """Look the efforts up."""
        self.measured += len(decks)
        return np.array([self.facts(deck, profile).effort for deck in decks.tolist()], np.int64)

    def par_many(self, decks, profile, limits):
        """Look the pars up."""
        return np.array([self.facts(deck, profile).par for deck in decks.tolist()], np.int32)

    def replay_many(self, decks, profile, lines, offsets):
        """Tell which lines are the first cards of their decks."""
        wins = np.zeros(len(decks), np.bool_)
        for row, deck in enumerate(decks.tolist()):
            line = lines[offsets[row] : offsets[row + 1]].tolist()
            facts = self.facts(deck, profile)
            wins[row] = facts.winnable and line == deck[: facts.length]
        return wins

    def format_line(self, line):
        """Write the cards."""
        return [format_card(card) for card in line.tolist()]

    def parse_line(self, texts):
        """Read the cards."""
        return np.array([parse_card(text) for text in texts], np.uint16)

    def parse_move(self, text):
        """Read a card."""
        return parse_card(text)

    def deal(self, deck):
        """Return the state (deck, cards played)."""
        return tuple(deck), 0

    def replay(self, state, moves, profile):
        """Play cards in the order of the deck."""
        deck, played = state
        for ply, card in enumerate(moves, 1):
            if self.refuses(deck) or played == len(deck) or card != deck[played]:
                raise IllegalMoveError("not the next card", move=format_card(card), ply=ply)
            played += 1
        return deck, played

    def is_won(self, state, profile):
        """Tell whether just enough cards are played."""
        deck, played = state
        facts = self.facts(deck, profile)
        return facts.winnable and played == facts.length


def task_of(game: FakeGame | None = None, **changes: Any) -> Task:
    """Return a task of the fake game: plain rules, `ms`, limits that decide every deal."""
    what = {"profile": PROFILES["plain"], "numbering": numbering_of("ms"), "limits": LIMITS}
    return Task(game=game or FakeGame(), **{**what, **changes})
