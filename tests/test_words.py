"""Moves in words, and as objects: what is said is what the moves do."""

from __future__ import annotations

import random

import pytest
from game_cases import NAMED, deal_of, random_walk

from solvers import games
from solvers.cards import format_card, rank_of
from solvers.errors import NotationError

#: A board where every kind of move of FreeCell is legal; by hand.
BOARD = """\
Foundations: H-0 C-0 D-0 S-0
Freecells: TS -- -- --
: 3H 5D 9H 8C 7D
: 4S KC TH KS 9S AC
: QD QS KD 5H 3S JH
: 2D QC 8H 7S 4H 9D
: 6D 6H AS JS AH 2C 2S
: JC 4C 6S 8S 2H 5C 4D 3C
: TC KH JD 3D AD 7C 6C QH 7H 5S 8D TD 9C
:
"""


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("a3", "TS from cell a onto JH in column 3"),
        ("7b", "9C from column 7 to cell b"),
        ("2h", "AC from column 2 to the foundation"),
        ("a8", "TS from cell a to empty column 8"),
        ("78v2", "TD 9C from column 7 to empty column 8"),
    ],
)
def test_words_for_each_kind_of_move_of_freecell(move: str, words: str) -> None:
    game = games.load("freecell")
    profile = game.profiles["classic"]
    state = game.parse_board(BOARD, profile)
    assert game.describe_move(state, game.parse_move(move), profile) == words


def test_what_goes_home_by_itself_is_told() -> None:
    game = games.load("freecell")
    state = game.parse_board(BOARD, game.profiles["classic"])
    profile = game.profiles["max-auto"]
    assert game.describe_start(state, profile) == "home by itself: AC"
    assert game.describe_start(state, game.profiles["classic"]) == ""
    # 2S uncovers 2C, which follows AC; AH lies under it.
    begun = game.start(state, profile)
    said = game.describe_move(begun, game.parse_move("5b"), profile)
    assert said == "2S from column 5 to cell b; home by themselves: AH, 2C, 3C"
    # What the player plays home does not go by itself.
    said = game.describe_move(state, game.parse_move("2h"), profile)
    assert said == "AC from column 2 to the foundation"


@pytest.mark.parametrize(("name", "profile_name"), NAMED)
def test_words_and_objects_name_the_cards_that_move(name: str, profile_name: str) -> None:
    """On random walks: the cards named are those that leave their place."""
    game = games.load(name)
    profile, rng = game.profiles[profile_name], random.Random(name + profile_name)
    for number in range(1, 6):
        for state in random_walk(game, profile, deal_of(game, number), rng, 40):
            for move in game.legal_moves(state, profile):
                entry = game.move_to_json(state, move, profile)
                assert list(entry) == ["move", "from", "to", "cards", "target"]
                assert entry["move"] == game.format_move(move)
                assert entry["target"] == game.target_kind(state, move)
                words = game.describe_move(state, move, profile)
                assert "\n" not in words
                assert all(card in words for card in entry["cards"])
                assert playable(game, state, entry)


def playable(game, state, entry) -> bool:
    """Tell whether the cards of a move lie where it says."""
    data, cards, source = game.position_to_json(state), entry["cards"], entry["from"]
    if entry["move"] == "reset":
        return cards == [] and source == "waste"
    if game.name == "pyramid":
        return all(any(card in (data[part] or ()) for part in source.split("+")) for card in cards)
    if game.name == "freecell":
        if source.isdigit():
            return data["columns"][int(source) - 1][-len(cards) :] == cards
        return [data["cells"]["abcdefg".index(source)]] == cards
    if source == "stock":
        return data["stock"][:1] == cards
    places = {"w": data["waste"], "r": data["reserve"]}
    pile = places[source] if source in places else data["piles"][int(source) - 1]
    return pile[-1:] == cards


@pytest.mark.parametrize(("name", "profile_name"), NAMED)
def test_a_line_on_one_line_is_read_as_it_was_written(name: str, profile_name: str) -> None:
    game = games.load(name)
    profile, rng = game.profiles[profile_name], random.Random(name)
    state, moves = game.start(deal_of(game, 3), profile), []
    for _ in range(60):
        legal = game.legal_moves(state, profile)
        if not legal:
            break
        moves.append(rng.choice(legal))
        state = game.apply(state, moves[-1], profile)
    assert game.parse_moves(game.format_moves(moves)) == moves
    # Also as single texts between white space.
    assert game.parse_moves(" ".join(map(game.format_move, moves))) == moves


def test_pyramid_words_say_where_the_cards_lie() -> None:
    """Deal 2 begins with these cards: king and nines lie in the lowest row."""
    game = games.load("pyramid")
    profile = game.profiles["classic"]
    state = deal_of(game, 2)
    lowest = [format_card(card) for card in state.pyramid[-7:]]
    king = next(format_card(card) for card in state.pyramid[-7:] if rank_of(card) == 13)
    assert game.describe_move(state, game.parse_move(king), profile) == f"{king} from row 7"
    assert {"9D", "4S"} <= set(lowest)
    pair = game.parse_move("9D+4S")
    assert game.describe_move(state, pair, profile) == "9D from row 7 with 4S from row 7"
    drawn = game.apply(state, game.parse_move("draw"), profile)
    top = format_card(drawn.waste[-1])
    draw = game.describe_move(state, game.parse_move("draw"), profile)
    assert draw == f"{top} from the stock onto the waste"


def test_a_card_without_a_partner_is_refused_in_pyramid() -> None:
    with pytest.raises(NotationError, match="line 7, column 4: '9D' is without a partner"):
        games.load("pyramid").parse_moves("KS 9D", 7)
