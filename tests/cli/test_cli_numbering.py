"""A numbering of one's own, far beyond 64 bits, is served by every command without a change."""

import json

import pytest
from toy_numberings import Huge

from dealgen.numbering import NUMBERINGS
from solvers import games
from solvers.cards import format_card

#: The largest numbers there are, and some around those that 63 and 64 bits hold.
FIRST, LAST = 10**20 - 12, 10**20 - 1
RANGE = f"{FIRST}-{LAST}"
NUMBERS = [2**63 - 1, 2**63, 2**64 - 1, 2**64, LAST, 5]
OPTION = ["--numbering", "huge"]


@pytest.fixture(autouse=True)
def huge(monkeypatch):
    """The numbering, registered."""
    numbering = Huge()
    monkeypatch.setitem(NUMBERINGS, "huge", numbering)
    return numbering


def records(result):
    """The JSON objects of a run, whose answer may be any verdict."""
    assert result.code in (0, 1, 3), result.err
    return [json.loads(line) for line in result.lines]


@pytest.mark.parametrize("name", ["freecell", "pyramid"])
def test_deals_have_the_games_own_order(run, huge, name):
    found = records(run("deal", name, *NUMBERS, *OPTION, "--json"))
    assert [record["number"] for record in found] == list(map(str, NUMBERS))
    for record in found:
        cards = [format_card(card) for card in huge.stream(int(record["number"]), 52)]
        order = [*range(26, 52), *range(26)] if name == "freecell" else range(52)
        assert record["cards"] == [cards[place] for place in order]


def test_a_game_without_the_numbering_says_which_it_has(run, one_line, huge):
    for words in (
        ["check", "plot", "5"],
        ["deal", "plot", "5"],
        ["batch", "plot", "5", "--store=s"],
    ):
        message = one_line(run(*words, *OPTION))
        assert message == "winnable: unknown numbering for plot 'huge'; there are: ms, pysol\n"
    listed = {game["game"]: game["numberings"] for game in records(run("games", "--json"))}
    assert [entry["name"] for entry in listed["plot"]] == ["ms", "pysol"]
    assert listed["freecell"][2] == {
        "name": "huge",
        "first": "0",
        "last": str(LAST),
        "describes": huge.describes,
    }


def test_one_deal_and_many_are_answered_alike(run, huge):
    game = games.load("freecell")
    profile = game.profiles["classic"]
    words = ["freecell", *NUMBERS, *OPTION, "--json"]
    checked, solved, hinted, graded = (
        records(run(command, *words)) for command in ("check", "solve", "hint", "grade")
    )
    for rows in (checked, solved, hinted, graded):
        assert [(row["number"], row["numbering"]) for row in rows] == [
            (str(n), "huge") for n in NUMBERS
        ]
        assert [row["verdict"] for row in rows] == [row["verdict"] for row in checked]
    for row in solved:
        deal = game.deal(huge.deck(game, int(row["number"])))
        moves = [game.parse_move(text) for text in row["moves"]]
        assert game.is_won(game.replay(deal, moves, profile), profile)
    assert all(row["effort"] > 0 for row in graded)
    text = run("check", "freecell", f"7,{RANGE}", *OPTION).lines
    assert text[0].startswith(f"{7:>20} winnable")
    assert [int(line.split()[0]) for line in text] == [7, *range(FIRST, LAST + 1)]


def test_a_batch_goes_on_where_it_was(run, tmp_path):
    store = tmp_path / "deals.db"
    words = ["batch", "freecell", RANGE, "--store", store, *OPTION, "--json"]
    half = [*words[:2], f"{FIRST + 3}-{FIRST + 8}", *words[3:]]
    (part,) = records(run(*half, "--no-grade"))
    assert part["kept"] == 0
    (whole,) = records(run(*words))
    # Answered before, and yet to be graded: those that are winnable.
    assert (whole["first"], whole["last"]) == (str(FIRST), str(LAST))
    assert whole["kept"] == part["unwinnable"]
    assert whole["winnable"] + whole["unwinnable"] == LAST - FIRST + 1
    (again,) = records(run(*words))
    assert again == {**whole, "kept": 12}
    # The same numbers of `ms` would be others.
    (other,) = records(run("batch", "freecell", "5", "--store", store, "--json"))
    assert (other["kept"], other["numbering"]) == (0, "ms")


@pytest.mark.parametrize("number", [10**20, 10**60])
def test_numbers_out_of_range_are_refused(run, one_line, number):
    assert f"is out of range; huge has 0..{LAST}" in one_line(
        run("check", "freecell", number, *OPTION)
    )


def test_more_deals_than_can_be_counted_are_refused(run, one_line):
    message = one_line(run("check", "freecell", f"1-{LAST}", *OPTION))
    assert f"{LAST} deals are too many; valid is up to {2**63 - 1}" in message


def test_a_pool_of_it_answers_for_its_numbers(run, tmp_path):
    store, pool = tmp_path / "deals.db", tmp_path / "pool.json"
    build = ["pool", "build", "freecell", RANGE, "--store", store, "--out", pool, *OPTION]
    (built,) = records(run(*build, "--json"))
    assert built["last"] == str(LAST)
    assert run("pool", "verify", pool).code == 0
