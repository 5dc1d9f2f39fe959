"""The plain FreeCell rules: worked examples, and the naive oracle on everything else."""

from __future__ import annotations

import contextlib
import random
import re
from dataclasses import replace

import pytest
from freecell_cases import (
    fc_solve_lines,
    ms_deal,
    naive_options,
    naive_table,
    random_play,
    random_profile,
    reduced_deal,
    reduced_games,
    walk,
)
from hypothesis import given
from hypothesis import strategies as st
from oracles import freecell_naive as naive

from solvers.cards import CLUBS, DIAMONDS, HEARTS, SPADES, card_of, parse_card
from solvers.errors import IllegalMoveError, InvalidDealError, NotationError
from solvers.freecell import rules
from solvers.freecell.notation import format_board, parse_move
from solvers.freecell.rules import (
    FIRST_CELL,
    FOUNDATION,
    MAX_CELLS,
    MAX_COLUMNS,
    NO_CARD,
    PROFILES,
    Move,
    Profile,
    State,
    apply,
    autoplay,
    capacity,
    check_position,
    deal,
    is_won,
    legal_moves,
    longest_movable,
    run_length,
    start,
    target_kind,
)
from solvers.play import perft, replay
from solvers.profiles import parse_profile

CLASSIC = PROFILES["classic"]


def state_of(columns: str, cells: str = "-- -- -- --", home: str = "0 0 0 0") -> State:
    """Read a position: columns apart by `|`, ranks home by clubs, diamonds, hearts, spades."""
    return State(
        tuple(tuple(map(parse_card, column.split())) for column in columns.split("|")),
        tuple(NO_CARD if card == "--" else parse_card(card) for card in cells.split()),
        tuple(map(int, home.split())),
    )


def move_texts(state: State, profile: Profile = CLASSIC) -> list[str]:
    """Return the legal moves as text."""
    return [str(move) for move in legal_moves(state, profile)]


# Capacities. Rows: 0..4 free cells; columns: 0..3 empty columns. Written out from
# (f+1) * 2^e and (f+1) * (e+1), and with e one less to an empty column.

ONTO_CARD = {
    "power": [[1, 2, 4, 8], [2, 4, 8, 16], [3, 6, 12, 24], [4, 8, 16, 32], [5, 10, 20, 40]],
    "linear": [[1, 2, 3, 4], [2, 4, 6, 8], [3, 6, 9, 12], [4, 8, 12, 16], [5, 10, 15, 20]],
    "single": [[1, 1, 1, 1]] * 5,
}
TO_EMPTY = {
    "power": [[0, 1, 2, 4], [0, 2, 4, 8], [0, 3, 6, 12], [0, 4, 8, 16], [0, 5, 10, 20]],
    "linear": [[0, 1, 2, 3], [0, 2, 4, 6], [0, 3, 6, 9], [0, 4, 8, 12], [0, 5, 10, 15]],
    "single": [[0, 1, 1, 1]] * 5,
}
CAPACITY_CASES = [
    (supermove, free, empty)
    for supermove in ("power", "linear", "single")
    for free in range(5)
    for empty in range(4)
]


def run_state(length: int, free: int, empty: int) -> State:
    """Return a run of black and red cards beside a card that takes it, with room as asked."""
    run = tuple(card_of(rank, HEARTS if rank % 2 else SPADES) for rank in range(length, 0, -1))
    below = card_of(length + 1, SPADES if length % 2 else HEARTS)
    others = tuple((card_of(13 - index, CLUBS),) for index in range(MAX_COLUMNS - 2 - empty))
    cells = tuple(card_of(13 - index, DIAMONDS) for index in range(4 - free))
    return State((run, (below,), *others, *[()] * empty), cells + (NO_CARD,) * free, (0,) * 4)


@pytest.mark.parametrize(("supermove", "free", "empty"), CAPACITY_CASES)
def test_capacity_is_the_written_table(supermove: str, free: int, empty: int) -> None:
    profile = Profile("classic", supermove=supermove)
    onto_card, to_empty = ONTO_CARD[supermove][free][empty], TO_EMPTY[supermove][free][empty]
    state = run_state(1, free, empty)
    assert capacity(state, profile, empty_target=False) == onto_card
    assert capacity(state, profile, empty_target=True) == to_empty
    # And moves are legal up to it, no further.
    for length in range(1, 13):
        state = run_state(length, free, empty)
        assert (Move(0, 1) in legal_moves(state, profile)) == (length <= onto_card)
        counts = {
            move.count or 1
            for move in legal_moves(state, profile)
            if move.source == 0 and move.target < MAX_COLUMNS and not state.columns[move.target]
        }
        assert counts == set(range(1, min(length, to_empty) + 1))


# Autoplay.


@pytest.mark.parametrize(
    ("columns", "cells", "home", "safe", "maximum"),
    [
        # Aces and twos always, from columns and cells, one after another.
        ("KS AH|KC 2H", "AS -- -- --", "0 0 0 0", "0 0 2 1", "0 0 2 1"),
        ("KS 2H", "-- -- -- --", "0 0 1 0", "0 0 2 0", "0 0 2 0"),
        # 3H waits until both black foundations have their two.
        ("KS 3H", "-- -- -- --", "1 0 2 2", "1 0 2 2", "1 0 3 2"),
        ("KS 3H", "-- -- -- --", "2 0 2 1", "2 0 2 1", "2 0 3 1"),
        ("KS 3H", "-- -- -- --", "2 0 2 2", "2 0 3 2", "2 0 3 2"),
        # The other red foundation does not matter, nor how far ahead the black ones are.
        ("KS 5D", "-- -- -- --", "9 4 0 4", "9 5 0 4", "9 5 0 4"),
        # One card lets the next go: 2S makes 3H safe, and that 4C.
        ("4C|3H|2S", "-- -- -- --", "3 3 2 1", "4 3 3 2", "4 3 3 2"),
        # A card with another on top does not go.
        ("3H KS", "-- -- -- --", "2 2 2 2", "2 2 2 2", "2 2 2 2"),
        # max takes a whole suit; safe stops at 3S.
        ("3S|2S|AS|5S 4S", "-- -- -- --", "0 0 0 0", "0 0 0 2", "0 0 0 5"),
    ],
)
def test_autoplay_takes_what_the_rule_says(
    columns: str, cells: str, home: str, safe: str, maximum: str
) -> None:
    state = state_of(columns, cells, home)
    for name, after in (("none", home), ("safe", safe), ("max", maximum)):
        done = autoplay(state, Profile("classic", autoplay=name))
        assert done.foundations == tuple(map(int, after.split())), name


@pytest.mark.parametrize("build", ["alternate", "suit"])
def test_safe_autoplay_is_the_same_rule_under_both_ways_of_building(build: str) -> None:
    state = state_of("KS 3H", home="2 0 2 1")
    assert autoplay(state, Profile("classic", build=build, autoplay="safe")) == state


def test_autoplay_waits_for_the_whole_move() -> None:
    # As one move 5H stays under 4S; card by card max takes 5H as soon as it lies free.
    state = state_of("KC 5H 4S|QD 6C", home="3 3 4 2")
    profile = PROFILES["max-auto"]
    whole = replay(rules, state, [parse_move("12")], profile)
    assert whole.columns == state_of("KC|QD 6C 5H 4S").columns
    parts = replay(rules, state, [parse_move("1a")], profile)
    assert parts.foundations == (3, 3, 5, 2)


def test_autoplay_is_forced_on_the_deal_and_after_each_move() -> None:
    state = state_of("2C KS AC|AD")
    first = start(state, PROFILES["max-auto"])
    assert first == state_of("2C KS|", home="1 1 0 0")
    last = apply(first, parse_move("12"), PROFILES["max-auto"])
    assert last == state_of("|KS", home="2 1 0 0")
    assert start(state, CLASSIC) == state


def test_autoplay_may_wait_for_the_first_move() -> None:
    state = state_of("2C KS AC|AD")
    profile = PROFILES["safe-auto"]
    assert start(state, profile) == state
    # AC goes by a move of the player's, and then what has waited goes by itself.
    assert apply(state, parse_move("1h"), profile) == state_of("2C KS|", home="1 1 0 0")
    every = replace(profile, autoplay_on_deal=True)
    assert start(state, every) == state_of("2C KS|", home="1 1 0 0")


def test_forced_max_autoplay_begins_on_the_deal() -> None:
    with pytest.raises(NotationError, match="autoplay is max and autoplay_on_deal is no; with max"):
        parse_profile("max-auto,autoplay_on_deal=no", PROFILES)
    with pytest.raises(NotationError, match="autoplay is max and autoplay_on_deal is no; with max"):
        parse_profile("safe-auto,autoplay=max", PROFILES)


# Moves.


def test_moves_come_by_kind_then_source_target_and_count() -> None:
    state = state_of("KD 4C 3D|AH|5H|2C|", "2S -- -- 4D", "0 0 0 1")
    assert move_texts(state) == [
        # 2S follows the ace of spades; AH begins hearts.
        *("2h", "ah"),
        # Both cards of 4C 3D onto 5H; AH onto 2C; 2C and 2S onto 3D.
        *("13", "24", "41", "a1"),
        *("1b", "2b", "3b", "4b"),
        *("15", "15v2", "25", "35", "45", "a5", "d5"),
    ]


def test_a_move_onto_a_card_takes_as_many_cards_as_fit() -> None:
    state = state_of("9C 8D 7S 6H|8H|7D|7C|KC")
    assert apply(state, parse_move("12"), CLASSIC).columns[:2] == state_of("9C 8D|8H 7S 6H").columns
    assert apply(state, parse_move("14"), CLASSIC).columns[3] == state_of("7C 6H").columns[0]
    # An explicit count may say the same, and nothing else.
    assert apply(state, parse_move("12v2"), CLASSIC) == apply(state, parse_move("12"), CLASSIC)
    with pytest.raises(IllegalMoveError, match="count of 2"):
        apply(state, parse_move("12v3"), CLASSIC)


def test_any_empty_cell_and_column_is_a_target() -> None:
    state = state_of("KC QD|||KD", "-- AC -- --")
    assert apply(state, parse_move("1d"), CLASSIC).cells == state_of("", "-- AC -- QD").cells
    assert apply(state, parse_move("13v2"), CLASSIC).columns == state_of("||KC QD|KD").columns


def test_building_by_suit() -> None:
    bakers = PROFILES["bakers"]
    state = state_of("9C 8C 7C|9S|8D 7S|TC")
    assert run_length(state.columns[0], bakers) == 3
    assert run_length(state.columns[2], bakers) == 1
    assert move_texts(state, bakers)[:1] == ["14"]
    assert apply(state, parse_move("14"), bakers).columns[3] == state_of("TC 9C 8C 7C").columns[0]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("h1", "foundations do not give cards back"),
        ("41", "column 4 has no card"),
        ("51", "column 5 has no card"),
        ("15", "there is no column 5"),
        ("c1", "cell c has no card"),
        ("g1", "cell g has no card"),
        ("1e", "there is no cell e"),
        ("1a", "cell a holds KS"),
        ("ab", "a card in a cell goes to a column or to the foundation"),
        ("1h", "5D does not fit on the foundation of D, 3D"),
        ("2h", "9H does not fit on the foundation of H, empty"),
        ("1hv2", "only between columns does more than one card move"),
        ("a4v2", "only between columns does more than one card move"),
        ("12", "nothing there fits on 9H"),
        ("31", "nothing there fits on 5D"),
        ("14v3", "the last 3 cards of column 1 are not a run"),
        ("14v2", "it would move 2 cards as one, and the capacity is 1"),
        ("32", "it would move 2 cards as one, and the capacity is 1"),
    ],
)
def test_illegal_moves_say_why(move: str, reason: str) -> None:
    state = state_of("2C 6S 5D|9H|8S 7D|", "KS KH", "0 3 0 0")
    profile = Profile("classic", cells=2, supermove="single")
    with pytest.raises(IllegalMoveError) as caught:
        apply(state, parse_move(move), profile)
    assert str(caught.value) == f"move {move!r}: {reason}"
    assert (caught.value.move, caught.value.ply) == (move, None)


@pytest.mark.parametrize(
    "move", [Move(-1, 2), Move(16, 2), Move(0, 99), Move(0, -1), Move(0, 2, -1), Move(3, 3)]
)
def test_moves_that_no_text_can_name_are_illegal_too(move: Move) -> None:
    with pytest.raises(IllegalMoveError):
        apply(ms_deal(1), move, CLASSIC)


#: Numbers about the bounds of places and counts, and any others.
NUMBERS = st.integers(-20, 20) | st.sampled_from((52, 255, 256, 1 << 16)) | st.integers()


@given(seed=st.integers(0, 2**32), moves=st.lists(st.builds(Move, NUMBERS, NUMBERS, NUMBERS)))
def test_a_move_of_any_numbers_is_legal_or_illegal_and_no_other_error(
    seed: int, moves: list[Move]
) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    state = random_play(ms_deal(rng.randrange(1, 32001)), profile, rng, rng.randrange(80))[-1][1]
    for move in moves:
        with contextlib.suppress(IllegalMoveError):
            check_position(apply(state, move, profile), profile)


# The naive oracle.


@pytest.mark.parametrize("seed", range(40))
def test_the_next_positions_are_the_oracles(seed: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    history = random_play(ms_deal(rng.randrange(1, 32001)), profile, rng, 60)
    for state in walk(history)[::10]:
        moves = legal_moves(state, profile)
        assert len(set(moves)) == len(moves)
        after = {naive.unordered(naive_table(apply(state, move, profile))) for move in moves}
        assert after == naive.next_tables(naive_table(state), naive_options(profile))


@pytest.mark.parametrize("seed", range(40))
def test_every_move_is_judged_as_by_the_oracle(seed: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    state = reduced_deal(rng, rng.randrange(4, 8), rng.randrange(3, 9), profile.cells)
    state = random_play(state, profile, rng, rng.randrange(40))[-1][1]
    table, options = naive_table(state), naive_options(profile)
    for source in range(FOUNDATION):
        for target in set(range(FOUNDATION + 1)) - {source}:
            for count in range(8):
                move = Move(source, target, count)
                try:
                    expected = naive.played(table, str(move), options)
                except naive.Refused:
                    with pytest.raises(IllegalMoveError):
                        apply(state, move, profile)
                else:
                    assert naive_table(apply(state, move, profile)) == expected


def test_reduced_games_have_the_oracles_positions_and_verdicts() -> None:
    for game in reduced_games():
        first = start(game.state, game.profile)
        seen, waiting = {naive.unordered(naive_table(first))}, [first]
        won = is_won(first, game.profile)
        while waiting:
            state = waiting.pop()
            for move in legal_moves(state, game.profile):
                after = apply(state, move, game.profile)
                key = naive.unordered(naive_table(after))
                if key not in seen:
                    seen.add(key)
                    waiting.append(after)
                    won = won or is_won(after, game.profile)
        assert naive.Explored(won, len(seen)) == game.explored, game


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_lines_of_fc_solve_are_judged_as_by_the_oracle(profile: Profile) -> None:
    accepted = 0
    for number, line in fc_solve_lines().items():
        state = ms_deal(number)
        expected = naive.replay(format_board(state), line, naive_options(profile))
        moves = [parse_move(text) for text in line]
        if expected.refused is None:
            assert is_won(replay(rules, state, moves, profile), profile) == expected.won
            accepted += expected.won
        else:
            with pytest.raises(IllegalMoveError) as caught:
                replay(rules, state, moves, profile)
            assert caught.value.ply == expected.refused
    # They were printed for classic rules, where each of them wins.
    assert (accepted == 40) == (profile is CLASSIC)


# Properties.


@given(seed=st.integers(0, 2**32), length=st.integers(0, 120))
def test_every_card_is_somewhere_exactly_once(seed: int, length: int) -> None:
    rng = random.Random(seed)
    profile = random_profile(rng)
    history = random_play(ms_deal(rng.randrange(1, 32001)), profile, rng, length)
    for state in walk(history):
        check_position(state, profile)
        assert len(state.columns) == MAX_COLUMNS
        assert len(state.cells) == profile.cells
    moves = [move for move, _ in history if move is not None]
    assert replay(rules, history[0][1], moves, profile) == history[-1][1]


@given(seed=st.integers(0, 2**32))
def test_a_position_with_a_card_changed_is_refused(seed: int) -> None:
    rng = random.Random(seed)
    state = ms_deal(rng.randrange(1, 32001))
    column, other = rng.randrange(8), rng.randrange(52)
    cards = state.columns[column]
    changed = state._replace(
        columns=(*state.columns[:column], (*cards[:-1], other), *state.columns[column + 1 :])
    )
    if other == cards[-1]:
        check_position(changed, CLASSIC)
        return
    with pytest.raises(InvalidDealError) as caught:
        check_position(changed, CLASSIC)
    assert (caught.value.missing, caught.value.duplicated) == ((cards[-1],), (other,))


# Deals, starts, ends.


def test_a_deal_goes_row_by_row() -> None:
    state = deal(range(52))
    assert [len(column) for column in state.columns] == [7, 7, 7, 7, 6, 6, 6, 6]
    assert state.columns[0] == (0, 8, 16, 24, 32, 40, 48)
    assert state.columns[7] == (7, 15, 23, 31, 39, 47)
    assert (state.cells, state.foundations) == ((NO_CARD,) * 4, (0, 0, 0, 0))
    assert deal(range(12), columns=3, cells=1).columns[2] == (2, 5, 8, 11)


def test_start_gives_the_cells_of_the_profile() -> None:
    for cells in range(MAX_CELLS + 1):
        assert start(ms_deal(1), Profile("classic", cells=cells)).cells == (NO_CARD,) * cells
    with pytest.raises(InvalidDealError, match="beyond the profile's 2 cells: 5C"):
        start(state_of("", "-- -- -- 5C"), Profile("classic", cells=2))


@given(seed=st.integers(0, 2**32), wrong=st.integers(0, MAX_CELLS))
def test_a_state_is_played_with_the_cells_of_the_profile_however_many_it_has(
    seed: int, wrong: int
) -> None:
    rng = random.Random(seed)
    profile = replace(random_profile(rng), autoplay="none")
    state = random_play(ms_deal(rng.randrange(1, 32001)), profile, rng, rng.randrange(60))[-1][1]
    used = [card for card in state.cells if card != NO_CARD]
    # Empty cells are added at the end or left out there; cards stay where they are.
    last = max((n for n, card in enumerate(state.cells, 1) if card != NO_CARD), default=0)
    cells = (state.cells + (NO_CARD,) * MAX_CELLS)[: max(wrong, last)]
    odd = state._replace(cells=cells)
    assert [card for card in odd.cells if card != NO_CARD] == used
    assert legal_moves(odd, profile) == legal_moves(state, profile)
    for empty_target in (False, True):
        room = capacity(state, profile, empty_target=empty_target)
        assert capacity(odd, profile, empty_target=empty_target) == room
    assert longest_movable(odd, profile) == longest_movable(state, profile)
    for source in range(FOUNDATION):
        for target in range(FOUNDATION + 1):
            for count in (0, 2):
                move = Move(source, target, count)
                try:
                    after = apply(state, move, profile)
                except IllegalMoveError as error:
                    with pytest.raises(IllegalMoveError, match=f"^{re.escape(str(error))}$"):
                        apply(odd, move, profile)
                else:
                    assert apply(odd, move, profile) == after


def test_four_cells_are_not_filled_under_two() -> None:
    profile = Profile("classic", cells=2)
    state = ms_deal(1)
    assert len(state.cells) == 4
    for place in (FIRST_CELL, FIRST_CELL + 1):
        state = apply(state, Move(place - FIRST_CELL, place), profile)
    assert "cell" not in {target_kind(state, move) for move in legal_moves(state, profile)}
    with pytest.raises(IllegalMoveError, match="there is no cell c"):
        apply(state, parse_move("3c"), profile)
    assert capacity(state, profile, empty_target=False) == 1


def test_a_card_in_a_cell_that_the_profile_does_not_have_may_leave_and_none_follows() -> None:
    profile = Profile("classic", cells=1)
    state = state_of("KC QD|KS||", "-- -- JC QH", "0 0 0 0")
    assert move_texts(state, profile) == [
        "12",
        "c1",
        "d2",
        "1a",
        "2a",
        "13",
        "13v2",
        "23",
        "c3",
        "d3",
    ]
    after = apply(state, parse_move("d2"), profile)
    # The last of its cells goes with the last card beyond the profile's.
    assert after == state_of("KC QD|KS QH||", "-- -- JC")
    assert apply(after, parse_move("c2"), profile) == state_of("KC QD|KS QH JC||", "--")
    with pytest.raises(IllegalMoveError, match="there is no cell d"):
        apply(after, parse_move("1d"), profile)
    with pytest.raises(InvalidDealError, match="beyond the profile's 1 cell: JC QH"):
        start(state, profile)


def test_won_means_nothing_left_in_columns_and_cells() -> None:
    assert is_won(state_of("||", home="13 13 13 13"), CLASSIC)
    assert is_won(state_of("||", home="3 3 3 3"), CLASSIC)
    assert not is_won(state_of("||KC", home="12 13 13 13"), CLASSIC)
    assert not is_won(state_of("||", "-- KC -- --", home="12 13 13 13"), CLASSIC)


def test_replay_names_the_ply() -> None:
    moves = [parse_move(text) for text in fc_solve_lines()[1]]
    assert is_won(replay(rules, ms_deal(1), moves, CLASSIC), CLASSIC)
    with pytest.raises(IllegalMoveError, match=r"^move 2, '5a': cell a holds 6C$") as caught:
        replay(rules, ms_deal(1), [moves[0], *moves], CLASSIC)
    assert caught.value.ply == 2


def test_perft_of_a_position_counted_by_hand() -> None:
    # First moves: AC home; 2H AC onto 3S; 3S or AC to the cell. They leave 3, 4, 3 and 3
    # moves: [3S][2H]: 21, 1a, 2a. [3S 2H AC][]: 1h, 1a, 12, 12v2. [][2H AC] a=3S: 2h, 21,
    # a1 (12v2 needs a free cell). [3S][2H] a=AC: ah, 21, a2.
    state, profile = state_of("3S|2H AC", "--"), Profile("classic", cells=1)
    assert [perft(rules, state, profile, depth) for depth in (0, 1, 2)] == [1, 4, 13]


@pytest.mark.parametrize(
    ("state", "faults", "missing", "duplicated"),
    [
        (state_of("", home="13 13 13 12"), ("missing: KS",), "KS", ""),
        (
            state_of("KS QS|QS KS", home="13 13 13 11"),
            ("more than once: QS KS",),
            "",
            "QS KS",
        ),
        (
            state_of("QC KS", home="13 13 13 12"),
            ("on a foundation and elsewhere too: QC",),
            "",
            "QC",
        ),
        (
            state_of("QC QC|3D", "-- -- -- -- KD KD", "12 11 13 13"),
            (
                "beyond the profile's 4 cells: KD KD",
                "missing: QD KC",
                "more than once: QC KD",
                "on a foundation and elsewhere too: 3D QC",
            ),
            "QD KC",
            "3D QC KD",
        ),
        (
            state_of("|" * 8, home="13 13 13 13"),
            ("there are 9 columns; at most 8 are valid",),
            "",
            "",
        ),
        (
            State(((52, -7),), (), (13, 13, 13, 13)),
            ("not in this deck: (-7) (52)",),
            "",
            "",
        ),
    ],
    ids=["missing", "twice", "home too", "all at once", "columns", "no cards"],
)
def test_a_position_is_refused_with_all_its_faults(
    state: State, faults: tuple[str, ...], missing: str, duplicated: str
) -> None:
    with pytest.raises(InvalidDealError) as caught:
        check_position(state, CLASSIC)
    assert caught.value.faults == faults
    assert caught.value.missing == tuple(map(parse_card, missing.split()))
    assert caught.value.duplicated == tuple(map(parse_card, duplicated.split()))


def test_reduced_decks_are_checked_by_their_ranks() -> None:
    rng = random.Random(1)
    check_position(reduced_deal(rng, 4, 3, 4), CLASSIC, ranks=4)
    with pytest.raises(InvalidDealError, match="not in this deck: 4C 4D 4H 4S"):
        check_position(reduced_deal(rng, 4, 3, 4), CLASSIC, ranks=3)


def test_cells_are_lettered_past_the_columns() -> None:
    assert (FIRST_CELL, FOUNDATION) == (8, 15)
    assert [str(Move(7, place)) for place in (0, 8, 14, 15)] == ["81", "8a", "8g", "8h"]
