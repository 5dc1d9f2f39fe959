"""The schemas that are shipped describe what the program reads and writes."""

import json
import random
from pathlib import Path

import jsonschema
import pytest

import dealgen
from dealgen.numbering import numbering_of
from solvers import games
from solvers.errors import WinnableError
from solvers.freecell import notation, rules

RESOURCES = Path(dealgen.__file__).parent / "resources"
CLASSIC = rules.PROFILES["classic"]


def validator_of(name):
    schema = json.loads((RESOURCES / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("path", sorted(RESOURCES.glob("*.schema.json")), ids=lambda p: p.name)
def test_every_schema_is_one(path):
    validator_of(path.name.removesuffix(".schema.json"))


@pytest.fixture(scope="module")
def position_schema():
    return validator_of("freecell-position")


def deal(number):
    return rules.start(rules.deal(numbering_of("ms").stream(number, 52)), CLASSIC)


@pytest.mark.parametrize("number", [1, 617, 11982, 31465])
def test_freecell_positions_of_random_play_fit_their_schema(position_schema, number):
    choices = random.Random(number)
    state = deal(number)
    for _ in range(60):
        data = notation.position_to_json(state)
        position_schema.validate(json.loads(json.dumps(data)))
        assert notation.position_from_json(data, CLASSIC) == state
        moves = rules.legal_moves(state, CLASSIC)
        if not moves:
            break
        state = rules.apply(state, choices.choice(moves), CLASSIC)


@pytest.mark.parametrize("name", ["pyramid", "plot"])
def test_positions_of_the_other_games_fit_their_schemas(name):
    game, schema = games.load(name), validator_of(f"{name}-position")
    for profile in game.profiles.values():
        choices = random.Random(profile.name)
        state = game.start(game.deal(numbering_of("ms").stream(2, game.deck_size)), profile)
        for _ in range(120):
            data = json.loads(json.dumps(game.position_to_json(state)))
            schema.validate(data)
            assert game.position_from_json(data, profile) == state
            moves = game.legal_moves(state, profile)
            if not moves:
                break
            state = game.apply(state, choices.choice(moves), profile)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pyramid", [None] * 27),
        ("pyramid", ["XS", *[None] * 27]),
        ("stock", [None]),
        ("stock", "AS"),
        ("waste", ["AS KS"]),
        ("redeals_used", -1),
        ("redeals_used", 100),
        ("redeals_used", True),
        ("note", 1),
    ],
)
def test_what_pyramids_schema_refuses_is_refused(key, value):
    game = games.load("pyramid")
    data = game.position_to_json(game.deal(range(52)))
    schema = validator_of("pyramid-position")
    assert schema.is_valid(data)
    for part in ("waste", "redeals_used"):
        assert schema.is_valid({name: data[name] for name in data if name != part})
    assert not schema.is_valid({**data, key: value})
    with pytest.raises(WinnableError):
        game.position_from_json({**data, key: value}, game.profiles["classic"])


def respelled(data, spell):
    return {**data, "columns": [[spell(card) for card in column] for column in data["columns"]]}


@pytest.mark.parametrize(
    "spell",
    [
        str.lower,
        lambda card: card.replace("T", "10"),
        lambda card: card[0] + "♣♦♥♠"["CDHS".index(card[1])],
        lambda card: card[0] + "♧♢♡♤"["CDHS".index(card[1])],
        lambda card: card[0] + "♣♦♥♠"["CDHS".index(card[1])] + "\ufe0f",
        lambda card: card[::-1].replace("A", "1").replace("T", "0"),
    ],
)
def test_every_spelling_of_a_card_that_is_read_fits_the_schema(position_schema, spell):
    data = respelled(notation.position_to_json(deal(617)), spell)
    assert notation.position_from_json(data, CLASSIC) == deal(617)
    assert position_schema.is_valid(data)


def test_parts_left_out_fit_the_schema(position_schema):
    data = notation.position_to_json(deal(617))
    for key in ("cells", "foundations"):
        part = {name: value for name, value in data.items() if name != key}
        assert notation.position_from_json(part, CLASSIC) == deal(617)
        assert position_schema.is_valid(part)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("columns", "AS"),
        ("columns", [["1S"]]),
        ("columns", [[None]]),
        ("columns", [["AS KS"]]),
        ("columns", [[]] * 9),
        ("cells", [5]),
        ("foundations", {"C": 14}),
        ("foundations", {"c": 0}),
        ("foundations", {"C": True}),
        ("foundations", {"C": 1.5}),
        ("note", 1),
    ],
)
def test_what_the_schema_refuses_is_refused(position_schema, key, value):
    data = {**notation.position_to_json(deal(617)), key: value}
    assert not position_schema.is_valid(data)
    with pytest.raises(WinnableError):
        notation.position_from_json(data, CLASSIC)
