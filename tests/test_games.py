"""The members by which everybody speaks to a game, alike in all of them."""

from __future__ import annotations

import inspect
import json

import pytest
from game_cases import deal_of

from dealgen.numbering import numbering_of
from solvers import games
from solvers.errors import NotationError, WinnableError
from solvers.positions import read_position

MEMBERS = [
    name for name in {*vars(games.Game), *games.Game.__annotations__} if not name.startswith("_")
]


@pytest.mark.parametrize("game", games.NAMES)
@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_every_member_is_there_as_declared(game: str, name: str) -> None:
    member = getattr(games.load(game), name)
    declared = vars(games.Game).get(name)
    if inspect.isfunction(declared):
        # The instance has no self.
        expected = list(inspect.signature(declared).parameters.values())[1:]
        given = list(inspect.signature(member).parameters.values())
        assert [(p.name, p.kind, p.default) for p in given] == [
            (p.name, p.kind, p.default) for p in expected
        ]


@pytest.mark.parametrize("name", games.NAMES)
def test_a_deal_has_a_deck_and_a_position_in_mid_game_has_none(name: str) -> None:
    game = games.load(name)
    for number in range(1, 60):
        deal = deal_of(game, number)
        deck = game.deck_of(deal)
        assert deck is not None
        # Two decks have every card twice, and the base card of The Plot has no suit.
        assert game.deal(deck) == deal
        assert sorted(deck) == sorted(numbering_of("ms").stream(number, game.deck_size))
        for profile in game.profiles.values():
            state = game.start(deal, profile)
            assert (game.deck_of(state) is None) == (state != deal)
            for move in game.legal_moves(state, profile):
                assert game.deck_of(game.apply(state, move, profile)) is None


@pytest.mark.parametrize("name", games.NAMES)
def test_positions_are_read_from_text_and_json_alike(name: str) -> None:
    game = games.load(name)
    profile = game.profiles[game.default_profile]
    deal = deal_of(game, 1)
    state = game.apply(deal, game.legal_moves(deal, profile)[0], profile)
    for position in (deal, state):
        data = game.position_to_json(position)
        for text in (
            game.format_board(position),
            json.dumps(data),
            json.dumps({"number": 1, "position": data}, indent=2),
        ):
            assert read_position(game, text, profile) == position
            # As editors on Windows write it.
            windows = "\ufeff" + text.replace("\n", "\r\n")
            assert read_position(game, windows, profile) == position
    for text in ("{", '{"position": 1}', '{"stock": [], "stock": []}', "[]", ""):
        with pytest.raises(WinnableError):
            read_position(game, text, profile)
    with pytest.raises(NotationError, match="line 2, column 1: not JSON"):
        read_position(game, "{\n", profile)
