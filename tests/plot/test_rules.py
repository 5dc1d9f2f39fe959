"""The plain rules of The Plot: worked examples, and the naive oracle on everything else."""

from __future__ import annotations

import random
import re

import pytest
from plot_cases import ALL_PROFILES, ALWAYS, CLASSIC, PYSOL, deck_of, random_play, to_naive

from solvers.cards import parse_card, rank_of
from solvers.errors import IllegalMoveError, InvalidDealError
from solvers.play import replay
from solvers.plot import rules
from solvers.plot.rules import (
    DRAW,
    FOUNDATION,
    RESERVE,
    WASTE,
    Move,
    Profile,
    State,
    apply,
    check_position,
    deal,
    is_won,
    legal_moves,
    start,
    target_kind,
)


def cards(text: str) -> tuple[int, ...]:
    """Read cards."""
    return tuple(map(parse_card, text.split()))


def position(
    *, out: tuple[int, ...], piles: list[str], waste: str = "", stock: str = "", reserve: str = ""
) -> State:
    """Return a position whose base is an ace."""
    return State(
        base=1,
        reserve=cards(reserve),
        foundations=out,
        piles=tuple(cards(pile) for pile in piles),
        stock=cards(stock),
        waste=cards(waste),
    )


PHASE_ONE = (1,) * 5 + (0,) * 8  # A..5 are out
ONE_SHORT = (1,) * 12 + (0,)  # the first foundation lacks its king
PHASE_TWO = (1,) * 13


def is_legal(state: State, move: Move, profile: Profile) -> bool:
    """Tell whether `apply` accepts a move."""
    try:
        apply(state, move, profile)
    except IllegalMoveError:
        return False
    return True


def test_deal_lays_out_reserve_base_piles_and_stock() -> None:
    """13 reserve cards, the base card, 12 piles of one card and 78 stock cards, in that order."""
    deck = deck_of(1)
    state = deal(deck)
    assert state.reserve == tuple(deck[:13])
    assert state.base == rank_of(deck[13])
    assert sum(state.foundations) == state.foundations[state.base - 1] == 1
    assert [pile[0] for pile in state.piles] == deck[14:26]
    assert state.stock == tuple(deck[26:])


def test_initial_waste_is_turned_once() -> None:
    """`pysol` starts with the first stock card on the waste; a game under way stays as it is."""
    fresh = deal(deck_of(1))
    assert start(fresh, CLASSIC) == fresh
    began = start(fresh, PYSOL)
    assert began.waste == fresh.stock[:1]
    assert start(began, PYSOL) == began


@pytest.mark.parametrize(("profile", "accepts"), [(CLASSIC, False), (PYSOL, True), (ALWAYS, False)])
def test_base_card_in_phase_one_builds_and_is_built_upon_only_without_isolation(
    profile: Profile, accepts: bool
) -> None:
    """Base is the ace: an ace on a two, and a king on an ace, from the waste and from a pile."""
    onto = position(out=PHASE_ONE, piles=["2C", "AC", "AD", "KH"], waste="AH")
    assert is_legal(onto, Move(WASTE, 0), profile) is accepts
    assert is_legal(onto, Move(1, 0), profile) is accepts
    under = position(out=PHASE_ONE, piles=["AC", "KH"], waste="KD")
    assert is_legal(under, Move(WASTE, 0), profile) is accepts
    assert is_legal(under, Move(1, 0), profile) is accepts


def test_base_card_in_phase_two_is_isolated_only_always() -> None:
    """From phase 2 on the classic profile lets base cards build and be built upon."""
    state = position(out=PHASE_TWO, piles=["2C", "AC", "KH"], waste="AH")
    for move in (Move(WASTE, 0), Move(1, 0), Move(2, 1)):
        assert is_legal(state, move, CLASSIC)
        assert is_legal(state, move, PYSOL)
        assert not is_legal(state, move, ALWAYS)


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_spaces_refuse_tableau_cards_always_and_non_base_cards_in_phase_one(
    profile: Profile,
) -> None:
    """A space takes waste cards only, in phase 1 of the base rank only."""
    for out in (PHASE_ONE, PHASE_TWO):
        state = position(out=out, piles=["", "7C", "AC"], waste="8C", reserve="9D")
        assert not is_legal(state, Move(1, 0), profile)
        assert not is_legal(state, Move(2, 0), profile)
        assert not is_legal(state, Move(RESERVE, 0), profile)
        assert is_legal(state, Move(WASTE, 0), profile) is (out == PHASE_TWO)
        ace = state._replace(waste=cards("AD"))
        assert is_legal(ace, Move(WASTE, 0), profile)


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_second_foundation_refuses_to_start_one_card_early(profile: Profile) -> None:
    """With twelve cards on the first foundation an ace stays; the king lets it go."""
    state = position(out=ONE_SHORT, piles=["AC", "KC"], waste="AD", reserve="AH")
    for source in (0, WASTE, RESERVE):
        assert not is_legal(state, Move(source, FOUNDATION), profile)
    done = apply(state, Move(1, FOUNDATION), profile)
    for source in (0, WASTE, RESERVE):
        assert is_legal(done, Move(source, FOUNDATION), profile)


def test_reserve_plays_to_foundations_only() -> None:
    """The reserve's top does not build on piles."""
    state = position(out=PHASE_ONE, piles=["7C"], reserve="AC 6H")
    assert not is_legal(state, Move(RESERVE, 0), CLASSIC)
    assert is_legal(state, Move(RESERVE, FOUNDATION), CLASSIC)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (DRAW, "the stock is empty"),
        (Move(0, 0), "on itself"),
        (Move(0, 9), "no such pile; there are 1..3"),
        (Move(2, 0), "no card to play"),
        (Move(99, 0), "no card to play"),
        (Move(0, 1), "7C does not build on 9D"),
        (Move(WASTE, 2), "a space takes a A only"),
        (Move(0, 2), "filled from the waste only"),
        (Move(0, FOUNDATION), "no foundation takes 7C"),
        (Move(RESERVE, 0), "foundations only"),
    ],
)
def test_refusals_say_why(move: Move, reason: str) -> None:
    """Every refused move has one reason, and `replay` adds its ply."""
    state = position(out=PHASE_ONE, piles=["7C", "9D", ""], waste="3C", reserve="KC")
    with pytest.raises(IllegalMoveError, match=reason):
        apply(state, move, CLASSIC)
    with pytest.raises(IllegalMoveError, match="move 2") as caught:
        replay(rules, state._replace(stock=cards("6H")), [DRAW, move], CLASSIC)
    assert caught.value.ply == 2


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_any_numbers_for_a_move_are_judged(profile: Profile) -> None:
    """A move of any two numbers is made or refused as illegal; nothing else is raised."""
    numbers = (*range(-2, 20), 255, -(10**30), 10**30)
    for state in random_play(7, profile, seed=7)[::40]:
        legal = set(legal_moves(state, profile))
        spaces = {place for place, pile in enumerate(state.piles) if not pile}
        made = {
            Move(source, target)
            for source in numbers
            for target in numbers
            if is_legal(state, Move(source, target), profile)
        }
        assert legal <= made
        # Of several spaces the rules list one, and accept all.
        assert {move for move in made - legal if move.target not in spaces} == set()


@pytest.mark.parametrize("profile", ALL_PROFILES)
@pytest.mark.parametrize("number", range(1, 7))
def test_random_play_agrees_with_the_oracle(profile: Profile, number: int) -> None:
    """The same moves are legal at every step, in the same words; every card stays once."""
    for state in random_play(number, profile, seed=number)[::7]:
        game = to_naive(state, profile)
        told = dict(game.successors())
        spaces = {f"w>{index + 1}" for index, pile in enumerate(state.piles) if not pile}
        moves = legal_moves(state, profile)
        listed = {str(move) for move in moves}
        assert listed <= set(told)
        # Spaces are interchangeable: one is listed for all.
        assert set(told) - listed <= spaces
        assert bool(spaces & listed) == bool(spaces & set(told))
        for move in moves:
            after = apply(state, move, profile)
            assert to_naive(after, profile) == _sorted_like(told[str(move)])
            check_position(after, profile)


def _sorted_like(game: object) -> object:
    """Return an oracle position with its foundations as `to_naive` orders them."""
    heights = tuple(sorted(game.foundations, reverse=True))  # type: ignore[attr-defined]
    return type(game)(**{**game.__dict__, "foundations": heights})


def test_won_when_all_cards_are_out() -> None:
    """Only foundations are left."""
    for profile in ALL_PROFILES:
        assert is_won(position(out=(8,) * 13, piles=[""] * 12), profile)
        assert not is_won(position(out=(8,) * 12 + (7,), piles=["KC"] + [""] * 11), profile)


def test_target_kinds() -> None:
    """Each kind of target has its word."""
    state = position(out=PHASE_TWO, piles=["7C", ""], waste="6C", stock="AC")
    assert target_kind(state, DRAW) == "waste"
    assert target_kind(state, Move(0, FOUNDATION)) == "foundation"
    assert target_kind(state, Move(WASTE, 0)) == "pile"
    assert target_kind(state, Move(WASTE, 1)) == "space"


def test_check_position_lists_every_fault() -> None:
    """Cards three times, ranks nine times, broken runs, wrong counters: all are named."""
    state = start(deal(deck_of(1)), CLASSIC)
    check_position(state, CLASSIC)
    wrong = state._replace(
        piles=((*state.piles[0], *state.piles[0], *state.piles[0]), *state.piles[1:]),
        foundations=tuple(9 if rank == 3 else out for rank, out in enumerate(state.foundations)),
    )
    with pytest.raises(InvalidDealError) as caught:
        check_position(wrong, CLASSIC)
    text = str(caught.value)
    assert re.search(r"occurs [34] times; there are 2", text)
    assert "with the foundations; there are 8" in text
    assert "pile 1" in text
    assert "the foundations hold 9 of rank 4" in text


def test_positions_reached_by_play_are_accepted() -> None:
    """No random game reaches a position that is called impossible."""
    rng = random.Random(4)
    for number in range(20, 40):
        for profile in ALL_PROFILES:
            check_position(rng.choice(random_play(number, profile, seed=number)), profile)
