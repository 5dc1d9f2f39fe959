"""The plain rules: what is legal, what is refused and why, which positions are possible."""

from __future__ import annotations

import random

import pytest
from pyramid_cases import random_deck, random_play, varied, varied_profiles

from solvers import play
from solvers.cards import DECK_SIZE, parse_card
from solvers.errors import IllegalMoveError, InvalidDealError
from solvers.pyramid import rules
from solvers.pyramid.notation import parse_board, parse_move
from solvers.pyramid.rules import (
    DRAW,
    NO_CARD,
    PROFILES,
    PYRAMID_SIZE,
    RESET,
    Move,
    State,
    apply,
    check_position,
    deal,
    is_won,
    legal_moves,
)

CLASSIC, MICROSOFT, SINGLE = (PROFILES[name] for name in ("classic", "microsoft", "single-pass"))


def cards(text: str) -> tuple[int, ...]:
    """Return the cards of a text; `--` is a gap."""
    return tuple(NO_CARD if name == "--" else parse_card(name) for name in text.split())


def ending(apex: str, second: str, *, stock: str = "", waste: str = "", used: int = 0) -> State:
    """Return a position with two rows left, the rest gone."""
    pyramid = cards(f"{apex} {second}") + (NO_CARD,) * (PYRAMID_SIZE - 3)
    return State(pyramid, cards(stock), cards(waste), used)


def test_covered_king_stays() -> None:
    state = ending("KC", "-- 5H")
    with pytest.raises(IllegalMoveError, match="KC is covered by 5H"):
        apply(state, parse_move("KC"), CLASSIC)


def test_king_leaves_alone_and_others_do_not() -> None:
    state = ending("KC", "-- KH", stock="8C")
    after = apply(state, parse_move("KH"), CLASSIC)
    assert after.pyramid[0] == parse_card("KC")
    assert is_won(apply(after, parse_move("KC"), CLASSIC), CLASSIC)
    with pytest.raises(IllegalMoveError, match="8C is not playable"):
        apply(state, parse_move("8C"), CLASSIC)
    with pytest.raises(IllegalMoveError, match="5C is not playable"):
        apply(state, parse_move("KH 5C"), CLASSIC)


@pytest.mark.parametrize("allowed", [True, False])
def test_cover_pair(allowed: bool) -> None:
    state = ending("8C", "-- 5H")
    profile = varied("classic", cover_pairs=allowed)
    move = parse_move("5H 8C")
    assert (move in legal_moves(state, profile)) is allowed
    if allowed:
        assert is_won(apply(state, move, profile), profile)
        assert is_won(apply(state, Move(move.second, move.first), profile), profile)
    else:
        with pytest.raises(IllegalMoveError, match="8C is covered by 5H"):
            apply(state, move, profile)


def test_cover_pair_needs_all_other_covers_gone() -> None:
    state = ending("8C", "3D 5H")
    assert parse_move("5H 8C") not in legal_moves(state, CLASSIC)


def test_waste_and_stock_tops() -> None:
    state = ending("8C", "-- --", stock="4C 5D", waste="9H 2C 5H")
    assert legal_moves(state, CLASSIC) == [parse_move("8C 5H"), DRAW]
    assert legal_moves(state, MICROSOFT) == [parse_move("8C 5H"), DRAW]
    # The stock's top plays with the waste's top, and with the pyramid.
    state = ending("8C", "-- --", stock="8D 5D", waste="9H 5H")
    assert legal_moves(state, MICROSOFT) == [parse_move("8C 5H"), parse_move("8D 5H"), DRAW]
    state = ending("8C", "-- --", stock="KD 5D", waste="KH")
    assert legal_moves(state, MICROSOFT) == [parse_move("KH"), parse_move("KD"), DRAW]
    assert legal_moves(state, CLASSIC) == [parse_move("KH"), DRAW]
    after = apply(state, parse_move("KD"), MICROSOFT)
    assert parse_move("8C 5D") in legal_moves(after, MICROSOFT)


def test_reset_turns_the_waste_over() -> None:
    state = ending("8C", "-- --", waste="9H 2C 5H", used=1)
    after = apply(state, RESET, MICROSOFT)
    assert after == ending("8C", "-- --", stock="9H 2C 5H", used=2)
    spent = ending("8C", "-- --", waste="9H 2C 4H", used=2)
    with pytest.raises(IllegalMoveError, match="all redeals are used"):
        apply(spent, RESET, MICROSOFT)
    with pytest.raises(IllegalMoveError, match="the stock is not empty"):
        apply(after, RESET, MICROSOFT)


def test_nothing_to_draw_is_an_illegal_move() -> None:
    state = ending("8C", "-- --")
    with pytest.raises(IllegalMoveError, match="move 'draw': stock and waste are empty"):
        apply(state, DRAW, CLASSIC)
    with pytest.raises(IllegalMoveError, match=r"move 2, 'draw': .*reset turns the waste over"):
        play.replay(rules, ending("8C", "-- --", stock="2C"), [DRAW, DRAW], CLASSIC)
    with pytest.raises(IllegalMoveError, match="the waste is empty"):
        apply(state, RESET, CLASSIC)


@pytest.mark.parametrize("profile", varied_profiles()[::3], ids=str)
def test_any_numbers_for_a_move_are_judged(profile: rules.Profile) -> None:
    """What is not legal is refused, with a reason; nothing else is raised for any numbers."""
    rng = random.Random(str(profile))
    numbers = [*range(-2, 70), -64, 99, 255, 1 << 16, -(1 << 70), 1 << 70]
    for length in (0, 30, 90):
        state = random_play(deal(random_deck(rng)), profile, rng, length)
        legal = legal_moves(state, profile)
        listed = {*legal, *(Move(move.second, move.first) for move in legal if move.second >= 0)}
        for move in (Move(one, other) for one in numbers for other in numbers):
            if move in listed:
                assert apply(state, move, profile) != state
                continue
            with pytest.raises(IllegalMoveError) as caught:
                apply(state, move, profile)
            assert caught.value.ply is None
            assert caught.value.reason
            if is_won(state, profile) or move in (DRAW, RESET):
                continue
            if move.first not in range(DECK_SIZE) or move.second not in range(-1, DECK_SIZE):
                assert caught.value.reason.endswith(" is not a card")


def test_a_replay_names_the_move_that_is_not_one() -> None:
    with pytest.raises(IllegalMoveError, match=r"move 2, '\?60': 60 is not a card"):
        play.replay(rules, start_state(), [DRAW, Move(60)], CLASSIC)


def test_a_won_game_is_over() -> None:
    won = ending("--", "-- --", stock="2C")
    assert legal_moves(won, CLASSIC) == []
    with pytest.raises(IllegalMoveError, match="the game is won"):
        apply(won, DRAW, CLASSIC)
    assert legal_moves(won, varied("classic", goal="all")) == [DRAW]


def test_perft_by_hand() -> None:
    """Draw, or take one of two fives; then, each time, what is left."""
    state = ending("--", "8C 8D", stock="5C")
    # draw; then a pair with either eight: two lines, and the reset.
    assert [play.perft(rules, state, CLASSIC, depth) for depth in range(4)] == [1, 1, 3, 1]


@pytest.mark.parametrize("profile", varied_profiles(), ids=str)
def test_reachable_positions_are_possible_and_keep_every_card_once(profile) -> None:  # type: ignore[no-untyped-def]
    rng = random.Random(str(profile))
    for _turn in range(6):
        state = random_play(deal(random_deck(rng)), profile, rng, rng.randrange(120))
        check_position(state, profile)
        held = [card for card in (*state.pyramid, *state.stock, *state.waste) if card >= 0]
        assert len(set(held)) == len(held) <= DECK_SIZE


def start_state() -> State:
    """Return the unshuffled deal, aces on top."""
    return deal(range(DECK_SIZE))


def faults(state: State, profile=CLASSIC) -> tuple[str, ...]:  # type: ignore[no-untyped-def]
    """Return the faults of a position."""
    with pytest.raises(InvalidDealError) as caught:
        check_position(state, profile)
    return caught.value.faults


def test_impossible_positions_are_refused_with_every_fault() -> None:
    state = start_state()
    found = faults(state._replace(pyramid=(NO_CARD, *state.pyramid[1:])))
    assert any("missing: AC, but 0 of rank Q" in fault for fault in found)
    assert any("row 1 under AD and AH is empty" in fault for fault in found)
    twice = state._replace(stock=(state.stock[1], *state.stock[1:]))
    assert "duplicated" in faults(twice)[0]
    crowded = state._replace(stock=(*state.stock, 51))
    assert any("25 cards" in fault for fault in faults(crowded))
    assert any(
        "redeals_used is 3" in fault for fault in faults(state._replace(redeals_used=3), MICROSOFT)
    )
    assert any("redeals_used is -1" in fault for fault in faults(state._replace(redeals_used=-1)))


def test_no_more_may_have_left_the_stock_than_had_partners() -> None:
    state = parse_board(
        "QC 2C 3C 4C 5C 6C 7C 8C 9C TC JC AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD AD 2H 3H 4H 5H 6H "
        "7H 8H 9H TH JH AH QH QD KC KD KH KS 2S 3S 4S 5S 6S 7S 8S 9S TS JS AS QS",
        CLASSIC,
    )
    without = state._replace(stock=tuple(c for c in state.stock if c not in cards("AS QS")))
    assert any("2 cards have left stock and waste" in fault for fault in faults(without))
    check_position(without, varied("classic", stock_top=True))
    kingless = state._replace(stock=tuple(c for c in state.stock if c not in cards("KC KS")))
    check_position(kingless, CLASSIC)
