"""Lines replayed and sequences counted, by rules that fit on a page."""

from __future__ import annotations

import pytest

from solvers.errors import IllegalMoveError
from solvers.play import perft, replay


class Countdown:
    """A game: take 1 or 2 from a number that starts one higher; zero is won."""

    def start(self, state: int, profile: None) -> int:
        return state if state % 2 == 0 else state + 1

    def legal_moves(self, state: int, profile: None) -> list[int]:
        return [take for take in (1, 2) if take <= state]

    def apply(self, state: int, move: int, profile: None) -> int:
        if move not in self.legal_moves(state, profile):
            raise IllegalMoveError(f"{state} is too small", move=str(move))
        return state - move


RULES = Countdown()


def test_a_line_is_replayed_from_the_start() -> None:
    assert replay(RULES, 3, [1, 2, 1], None) == 0
    assert replay(RULES, 4, [], None) == 4


def test_the_first_refused_move_is_named_by_its_place() -> None:
    with pytest.raises(IllegalMoveError, match="move 3, '2': 1 is too small") as caught:
        replay(RULES, 4, [2, 1, 2, 1], None)
    assert (caught.value.ply, caught.value.move, caught.value.reason) == (3, "2", "1 is too small")


def test_sequences_are_counted() -> None:
    """Fibonacci's numbers: ways to come down by ones and twos."""
    assert [perft(RULES, 20, None, depth) for depth in range(5)] == [1, 2, 4, 8, 16]
    assert perft(RULES, 2, None, 2) == 1  # by one and one; two at once ends it
