"""Solutions as each kind of frontend gets them: judged by rules that did not find them."""

from __future__ import annotations

import functools
import itertools
import random

import numpy as np
import pytest
from freecell_cases import ms_deal, naive_options
from freecell_packed import cards, decks_of, written_line
from numpy.typing import NDArray
from oracles import freecell_naive as naive

from solvers.cards import CLUBS, DIAMONDS, HEARTS, SPADES, card_of, parse_card
from solvers.errors import IllegalMoveError
from solvers.freecell import kernel, layout, rules
from solvers.freecell.game import GAME
from solvers.freecell.layout import unpack_moves
from solvers.freecell.lines import MACRO, ONTO_EMPTY, ONTO_HOME, WRITER_SIZE, write_line
from solvers.freecell.notation import format_board
from solvers.freecell.rules import NO_CARD, PROFILES, Move, Profile, State
from solvers.freecell.singles import single_moves
from solvers.freecell.solver import SOLVER
from solvers.outcome import BatchOutcome, Limits, Verdict
from solvers.play import replay

LIMITS = Limits(max_nodes=30_000, memory_mib=16)
#: Every named profile, and variations that write lines in other ways.
JUDGED = {
    **PROFILES,
    "single": Profile("classic", supermove="single"),
    "single, safe": Profile("classic", supermove="single", autoplay="safe"),
    "single, max": Profile("classic", supermove="single", autoplay="max"),
    "linear, max": Profile("classic", supermove="linear", autoplay="max"),
    "by suit, safe": Profile("classic", build="suit", autoplay="safe"),
    "by suit, max": Profile("classic", build="suit", autoplay="max"),
    "3 cells": Profile("classic", cells=3),
    "3 cells, linear, safe": Profile("classic", cells=3, supermove="linear", autoplay="safe"),
    "3 cells, max": Profile("classic", cells=3, autoplay="max"),
    "2 cells": Profile("classic", cells=2),
}
#: How many deals from 1 on; of each profile with four cells and colours all but some are won.
DEALS = 500


@functools.cache
def solved(name: str) -> BatchOutcome:
    """Return the solutions of the deals 1..DEALS under a profile."""
    decks = decks_of(range(1, DEALS + 1))
    return SOLVER.solve_decks(decks, JUDGED[name], LIMITS, want_lines=True)


def wins_by_rules(number: int, line: NDArray[np.uint16], profile: Profile) -> bool:
    """Tell whether the plain rules accept a packed line throughout, and it wins."""
    try:
        end = replay(rules, ms_deal(number), unpack_moves(line), profile)
    except IllegalMoveError:
        return False
    return rules.is_won(end, profile)


def wins_by_kernel(number: int, line: NDArray[np.uint16], profile: Profile) -> bool:
    """Tell the same by the compiled rules."""
    packed = layout.pack(rules.deal(decks_of([number])[0].tolist(), 8, profile.cells))
    return bool(kernel.replay(packed, line, layout.pack_profile(profile)))


@pytest.mark.parametrize("name", JUDGED)
def test_every_line_wins_by_the_naive_oracle_from_its_text_alone(name: str) -> None:
    batch, profile = solved(name), JUDGED[name]
    options = naive_options(profile)
    wins = 0
    for index in range(DEALS):
        line = batch.line(index)
        assert len(line) == batch.length[index]
        if batch.verdict[index] == Verdict.WINNABLE:
            texts = GAME.format_line(line)
            assert naive.replay(format_board(ms_deal(index + 1)), texts, options).won, index + 1
            wins += 1
        else:
            assert len(line) == 0
    few = {"2 cells": 100, "single, max": 430, "bakers": 160}
    few |= {"by suit, safe": 160, "by suit, max": 160}
    assert wins >= few.get(name, DEALS - 25)


@pytest.mark.parametrize("name", JUDGED)
def test_lines_and_damaged_lines_are_judged_alike_by_both_rules(name: str) -> None:
    batch, profile = solved(name), JUDGED[name]
    rng = random.Random(name)
    refused = 0
    for index in np.flatnonzero(batch.verdict == Verdict.WINNABLE)[:40].tolist():
        line = batch.line(index)
        assert wins_by_rules(index + 1, line, profile)
        assert wins_by_kernel(index + 1, line, profile)
        first, second = rng.randrange(len(line) - 1), rng.randrange(len(line))
        swapped = line.copy()
        swapped[[first, first + 1]] = line[[first + 1, first]]
        changed = line.copy()
        changed[second] ^= 1 << rng.randrange(10)
        for damaged in (
            np.delete(line, second),
            line[:-1].copy(),
            swapped,
            changed,
            np.insert(line, second, line[first]),
        ):
            accepted = wins_by_rules(index + 1, damaged, profile)
            assert wins_by_kernel(index + 1, damaged, profile) == accepted
            refused += not accepted
    assert refused > 80


def test_lines_of_any_numbers_are_judged_alike_by_both_rules() -> None:
    rng = np.random.default_rng(1)
    for index in range(100):
        profile = list(JUDGED.values())[index % len(JUDGED)]
        line = rng.integers(0, 1 << 16, index, dtype=np.uint16)
        assert not wins_by_kernel(index + 1, line, profile)
        assert not wins_by_rules(index + 1, line, profile)


@pytest.mark.parametrize("name", ["classic", "safe-auto", "max-auto"])
def test_replay_in_bulk_finds_the_lines_that_win(name: str) -> None:
    batch, profile = solved(name), JUDGED[name]
    decks = decks_of(range(1, DEALS + 1))
    won = batch.verdict == Verdict.WINNABLE
    wins = SOLVER.replay_decks(decks, profile, batch.lines, batch.offsets)
    assert wins.tolist() == won.tolist()
    # Each line on the deal after its own.
    wins = SOLVER.replay_decks(np.roll(decks, -1, axis=0), profile, batch.lines, batch.offsets)
    assert not wins.any()
    assert not SOLVER.replay_decks(
        decks, profile, np.empty(0, np.uint16), np.zeros(DEALS + 1, np.int64)
    ).any()


# A line written by hand: a run of three goes to an empty column, the rest goes home.


POSITION = State(
    (
        cards("JC KH QC JD"),
        cards("JH KD QS"),
        cards("JS KC QD"),
        cards("TD KS QH"),
        (),
    ),
    (NO_CARD,) * 7,
    (10, 9, 10, 10),
)
#: KH and what lies on it go to the empty column.
TO_EMPTY = MACRO.pack(card=parse_card("KH"), onto=ONTO_EMPTY)


@pytest.mark.parametrize(
    ("supermove", "autoplay", "expected"),
    [
        # Under none the freed jack of clubs goes home as a move; under safe and max by itself.
        ("power", "none", "15v3 1h"),
        ("linear", "none", "15v3 1h"),
        ("single", "none", "1a 1b 15 b5 a5 1h"),
        ("single", "safe", "1a 1b 15 b5 a5"),
        ("power", "max", "15v3"),
    ],
)
def test_a_run_is_split_as_the_profile_asks(supermove: str, autoplay: str, expected: str) -> None:
    profile = Profile("classic", 7, "alternate", supermove, autoplay)
    moves = written_line(POSITION, [TO_EMPTY], layout.MAX, profile)
    assert moves is not None
    texts = list(map(str, moves))
    assert texts[: len(expected.split())] == expected.split()
    assert naive.replay(format_board(POSITION), texts, naive_options(profile)).won


RUN_CASES = [
    (free, helpers, count, to_empty, based)
    for free, helpers, to_empty, based in itertools.product(
        range(5), range(5), (False, True), (False, True)
    )
    for count in range(2, min((free + 1) << helpers, 11) + 1)
]


def test_a_run_is_split_into_few_moves_and_as_many_as_are_counted() -> None:
    single, classic = Profile("classic", supermove="single"), PROFILES["classic"]
    packed_rules = layout.pack_profile(single)
    for free, helpers, count, to_empty, based in RUN_CASES:
        run = tuple(card_of(12 - index, HEARTS - index % 2 * 2) for index in range(count))
        target = [] if to_empty else [card_of(13, CLUBS)]
        others = [(card_of(13 - index, SPADES),) for index in range(6 - helpers)]
        held = [card_of(13 - index, DIAMONDS) for index in range(4 - free)]
        base = [card_of(2, SPADES)] if based else []
        # Not all cards: nothing goes home, and no more than the run is moved.
        state = State(
            ((*base, *run), tuple(target), *others, *[()] * helpers),
            (*held, *[NO_CARD] * free),
            (0, 0, 0, 0),
        )
        move = Move(0, 1, count)
        after = rules.apply(state, move, classic)
        onto = target[0] if target else ONTO_EMPTY
        macros = np.array([MACRO.pack(card=run[0], onto=onto)], np.int64)
        line, writer = np.zeros(128, np.uint16), np.empty(WRITER_SIZE, np.int64)
        # There is more to do than what is asked for: no whole line comes of it.
        packed = layout.pack(state)
        assert write_line(packed, packed_rules, macros, layout.MAX, writer, line) == -1
        made, moves = state, 0
        for made_move in unpack_moves(line):
            if made == after:
                break
            made = rules.apply(made, made_move, single)
            moves += 1
        case = (free, helpers, count, to_empty, based)
        # Some other cells and columns than `singles` takes, and as many moves.
        assert moves == len(single_moves(state, move, classic)), case
        if count <= free + 1 + helpers:
            # A place for each card but one: each of the others moves twice.
            assert moves == 2 * count - 1, case


@pytest.mark.parametrize(
    "macro",
    [
        MACRO.pack(card=parse_card("JC"), onto=ONTO_EMPTY),
        MACRO.pack(card=parse_card("QC"), onto=parse_card("KD")),
        MACRO.pack(card=parse_card("QH"), onto=ONTO_HOME),
        MACRO.pack(card=parse_card("JD"), onto=parse_card("QH")),
    ],
)
def test_macros_that_cannot_be_made_write_no_line(macro: int) -> None:
    assert written_line(POSITION, [macro], layout.MAX, Profile("classic", 7)) is None


@pytest.mark.bounds
@pytest.mark.parametrize("room", [0, 1, 3, 7, 60])
def test_a_column_that_cannot_be_moved_writes_no_line_and_nothing_else(room: int) -> None:
    # 45 cards to be moved onto a king over seven cells; no column is empty, and no card goes home.
    columns = (range(45), *([card] for card in range(51, 44, -1)))
    state = State(tuple(map(tuple, columns)), (NO_CARD,) * 7, (0, 0, 0, 0))
    profile = Profile("classic", 7, supermove="single")
    macro = MACRO.pack(card=0, onto=parse_card("KS"))
    assert written_line(state, [macro], layout.SAFE, profile, room) is None


def test_a_position_that_is_not_sorted_is_not_finished() -> None:
    assert written_line(ms_deal(1), (), layout.MAX, PROFILES["classic"]) is None


def test_a_line_that_does_not_fit_is_no_line() -> None:
    profile = Profile("classic", 7)
    moves = written_line(POSITION, [TO_EMPTY], layout.MAX, profile)
    assert moves is not None
    for room in range(len(moves)):
        assert written_line(POSITION, [TO_EMPTY], layout.MAX, profile, room) is None
    assert written_line(POSITION, [TO_EMPTY], layout.MAX, profile, len(moves)) == moves
