"""hint, and solve card by card: words, JSON keys, exit codes."""

import json

import pytest
from freecell_cases import AFTER, BEFORE
from oracles import freecell_naive as naive

COMMON = ["game", "profile", "numbering", "number", "verdict", "nodes", "limit"]
KEYS = [*COMMON, "move", "words", "moves", "length", "par_kind", "legal_moves"]
FREECELL_KEYS = [*KEYS, "capacity", "longest_movable", "finishes_by_itself"]

#: Deal 1730 in mid-game, where nothing can move.
STUCK = """\
Foundations: H-0 C-2 D-0 S-0
Freecells: 5H KS KH KC
: 6C QD TS 9H 8S JH TC 9D
: 2D QH AS AH 8D 7S 6H 5S 4H
: 8H 6S JS KD 7D JC TD 9S
: QS 3S 5C TH 9C
: 4D 3C 2H
: 6D 2S QC JD 7C
: AD 8C 4C 3H
: 5D 4S 7H 3D
"""


def records(result):
    return [json.loads(line) for line in result.lines]


def hinted(run, board, *options):
    """Return how the hint on a FreeCell board went."""
    return run("hint", "freecell", "--board", "-", *options, stdin=board)


def test_a_hint_begins_a_line_that_wins_by_the_oracle(run):
    result = hinted(run, BEFORE, "--json")
    (record,) = records(result)
    assert result.code == 0
    assert record["verdict"] == "winnable"
    assert record["move"] == record["moves"][0] != "3d"
    assert record["length"] == len(record["moves"])
    assert naive.replay(BEFORE, record["moves"], naive.Options()).won
    (line,) = hinted(run, BEFORE).lines
    assert line.startswith("stdin winnable ")
    told = f"nodes, next {record['move']} ({record['words']}), wins in {record['length']} moves"
    assert line.endswith(told)


def test_the_move_before_a_proved_loss_and_the_losing_move(run):
    table = naive.read_board(BEFORE, naive.Options())
    lost = naive.played(table, "3d", naive.Options())
    assert lost == naive.read_board(AFTER, naive.Options())
    explored = naive.explore(lost, naive.Options(), 1_000)
    assert explored is not None
    assert not explored.winnable
    result = hinted(run, AFTER)
    assert result.code == 1
    assert result.out.startswith("stdin unwinnable ")
    assert result.out.endswith("nodes, cannot be won any more\n")
    (record,) = records(hinted(run, AFTER, "--json"))
    assert (record["move"], record["moves"], record["length"]) == (None, None, None)
    # Lost, and yet the player can go on.
    assert record["legal_moves"]


def test_no_legal_move_is_told(run):
    table = naive.read_board(STUCK, naive.Options())
    assert naive.next_tables(table, naive.Options()) == set()
    result = hinted(run, STUCK, "--moves")
    assert result.code == 1
    first, *rest = result.lines
    assert first.endswith("cannot be won any more, no legal move")
    assert rest == [
        "  capacity         column 1, empty column 0",
        "  longest movable  1 1 1 1 1 1 1 1",
    ]


def test_an_undecided_hint_names_its_limit(run):
    result = run("hint", "freecell", "11982", "--max-nodes", "10")
    assert result.code == 3
    assert result.lines == ["11982 undecided      10 nodes, stopped by --max-nodes 10"]
    result = run("hint", "freecell", "11982", "--max-nodes", "10", "--json")
    (record,) = records(result)
    assert (record["verdict"], record["limit"], record["move"]) == ("undecided", "nodes", None)
    # The rules know the legal moves all the same.
    assert len(record["legal_moves"]) == 11


def test_the_rest_goes_home_without_a_decision(run):
    # Two kings lie on queens: nothing but the foundations has to be thought of.
    home = "Foundations: H-J C-J D-J S-J\nFreecells:\n"
    board = home + ": KC QC\n: KD QD\n: KH QH\n: KS QS\n:\n:\n:\n:\n"
    (line,) = hinted(run, board).lines
    assert line.endswith("wins in 8 moves, the rest goes home without a decision")
    (record,) = records(hinted(run, board, "--json"))
    assert record["finishes_by_itself"] is True
    # A queen under its king is one decision.
    (record,) = records(hinted(run, board.replace("KC QC", "QC KC"), "--json"))
    assert (record["verdict"], record["finishes_by_itself"]) == ("winnable", False)


def test_a_won_game_needs_no_hint(run):
    result = hinted(run, "Foundations: H-K C-K D-K S-K\n")
    assert (result.code, result.lines) == (0, ["stdin winnable        0 nodes, won already"])
    (record,) = records(hinted(run, "Foundations: H-K C-K D-K S-K\n", "--json"))
    assert (record["move"], record["moves"], record["length"]) == (None, [], 0)


def test_what_the_frontend_finishes_by_itself_is_not_won_already(run):
    board = "Foundations: H-Q C-Q D-Q S-Q\n: KC\n: KD\n: KH\n: KS\n:\n:\n:\n:\n"
    (line,) = hinted(run, board, "--profile", "safe-auto,autoplay_on_deal=yes").lines
    assert line.endswith(" 0 nodes, the rest goes home by itself")
    (record,) = records(hinted(run, board, "--json", "--profile", "safe-auto,autoplay_on_deal=yes"))
    assert (record["move"], record["moves"], record["legal_moves"]) == (None, [], [])


@pytest.mark.parametrize("options", [(), ("--profile", "classic,cells=3")])
def test_a_deal_that_nobody_can_win_was_not_lost_by_a_move(run, options):
    (line,) = run("hint", "freecell", "11982", *options).lines
    assert line.endswith(" nodes, cannot be won")


def test_freecell_json_has_the_keys_of_the_contract(run):
    (record,) = records(run("hint", "freecell", "617", "--json"))
    assert list(record) == FREECELL_KEYS
    assert record["number"] == 617
    assert record["capacity"] == {"column": 5, "empty_column": 0}
    assert record["longest_movable"] == [1] * 8
    assert {entry["target"] for entry in record["legal_moves"]} == {"column", "cell"}


def test_legal_moves_are_in_the_order_of_their_targets(run):
    home = "Foundations: H-9 C-9 D-9 S-9\nFreecells: KC -- JH --\n"
    board = home + ": KD QS JD TS\n: KH QC\n: KS QD JC\n: QH JS TH\n: TC\n: TD\n:\n:\n"
    (record,) = records(hinted(run, board, "--json"))
    moves = [(entry["move"], entry["target"]) for entry in record["legal_moves"]]
    order = ["foundation", "column", "cell", "empty column"]
    assert [kind for _, kind in moves] == sorted((kind for _, kind in moves), key=order.index)
    by_kind = {kind: [text for text, target in moves if target == kind] for kind in order}
    # By hand; f = 2 free cells and e = 2 empty columns: 3 * 2^2 cards onto a card, 3 * 2 to a
    # column that is empty itself.
    assert by_kind["foundation"] == ["1h", "4h", "5h", "6h"]
    assert by_kind["column"] == ["12", "43", "63", "c2"]
    assert by_kind["cell"] == ["1b", "2b", "3b", "4b", "5b", "6b"]
    assert by_kind["empty column"] == [
        *("17", "17v2", "17v3", "17v4", "27", "27v2", "37", "37v2", "37v3", "47", "47v2"),
        *("47v3", "57", "67", "a7", "c7"),
    ]
    assert record["capacity"] == {"column": 12, "empty_column": 6}
    assert record["longest_movable"] == [4, 2, 3, 3, 1, 1, 0, 0]
    lines = hinted(run, board, "--moves").lines[1:]
    assert lines == [
        "  foundation       1h, 4h, 5h, 6h",
        "  column           12, 43, 63, c2",
        "  cell             1b, 2b, 3b, 4b, 5b, 6b",
        f"  empty column     {', '.join(by_kind['empty column'])}",
        "  capacity         column 12, empty column 6",
        "  longest movable  4 2 3 3 1 1 0 0",
    ]


@pytest.mark.parametrize(
    ("game", "kinds"),
    [
        ("pyramid", ["foundation", "waste", "stock"]),
        ("plot", ["foundation", "pile", "space", "waste"]),
    ],
)
def test_other_games_have_their_own_kinds_of_targets(run, game, kinds):
    result = run("hint", game, "2", "--json")
    (record,) = records(result)
    assert list(record) == KEYS
    assert result.code == 0
    found = [entry["target"] for entry in record["legal_moves"]]
    assert found == sorted(found, key=kinds.index)
    assert record["move"] in {entry["move"] for entry in record["legal_moves"]}
    shown = run("hint", game, "2", "--moves").lines
    told = f"next {record['move']} ({record['words']}), wins in {record['length']} moves"
    assert shown[0].endswith(told)
    assert [line.split()[0] for line in shown[1:]] == list(dict.fromkeys(found))


def test_hints_of_several_deals(run):
    result = run("hint", "freecell", "5,11982,617", "--json", "--quiet")
    assert [(r["number"], r["verdict"]) for r in records(result)] == [
        (5, "winnable"),
        (11982, "unwinnable"),
        (617, "winnable"),
    ]
    assert result.code == 1
    assert run("hint", "freecell", "1-2").err.startswith("2 winnable, 0 unwinnable")


def test_what_a_frontend_plays_by_itself_is_done_before_the_hint(run):
    home = "Foundations: H-J C-J D-J S-J\n"
    board = home + ": KC QC\n: QD KD\n: KH QH\n: KS QS\n:\n:\n:\n:\n"
    (record,) = records(hinted(run, board, "--json", "--profile", "max-auto"))
    # Clubs, hearts and spades are gone; KD goes to a cell or a column, and QD and KD follow.
    assert record["length"] == 1
    assert {entry["move"][0] for entry in record["legal_moves"]} == {"2"}


# solve --expand


def test_expanded_solutions_move_one_card_at_a_time(run):
    single = naive.Options(supermove="single")
    whole = records(run("solve", "freecell", "1-20", "--json"))
    expanded = records(run("solve", "freecell", "1-20", "--json", "--expand"))
    longer = 0
    for one, other in zip(whole, expanded, strict=True):
        assert list(other) == [*one, "move_sizes"]
        assert other | {"moves": None, "move_sizes": None} == one | {
            "moves": None,
            "move_sizes": None,
        }
        assert len(other["moves"]) == other["single_card_moves"] == sum(other["move_sizes"])
        assert len(other["move_sizes"]) == other["length"]
        board = run("deal", "freecell", other["number"], "--format", "board").out
        assert naive.replay(board, other["moves"], single).won
        longer += len(other["moves"]) > len(one["moves"])
    assert longer > 15
    text = run("solve", "freecell", "7", "--expand").lines
    assert text[1].split() == expanded[6]["moves"]
    singles = expanded[6]["single_card_moves"]
    assert text[0].endswith(f", {expanded[6]['length']} moves, {singles} of single cards")


def test_expanded_solutions_hold_autoplay_back_within_a_move(run):
    options = naive.Options(autoplay="max")
    single = naive.Options(supermove="single")
    solved = records(
        run("solve", "freecell", "1-20", "--json", "--expand", "--profile", "max-auto")
    )
    assert len(solved) == 20
    for record in solved:
        board = run("deal", "freecell", record["number"], "--format", "board").out
        table = naive.autoplayed(naive.read_board(board, options), options)
        moves = iter(record["moves"])
        for size in record["move_sizes"]:
            for _ in range(size):
                table = naive.played(table, next(moves), single)
            table = naive.autoplayed(table, options)
        assert naive.is_won(table)


def test_expanded_text_shows_the_board_after_whole_moves(run):
    whole = run("solve", "freecell", "617", "--notation", "text").lines
    expanded = run("solve", "freecell", "617", "--notation", "text", "--expand").lines
    numbered = [line for line in whole if line[0].isdigit() and ". " in line]
    written = [line for line in expanded if line[0].isdigit() and ". " in line]
    assert len(numbered) == len(written)
    assert any(len(line.split()) > 2 for line in written)
    assert [line for line in whole[1:] if ". " not in line] == [
        line for line in expanded[1:] if ". " not in line
    ]


@pytest.mark.parametrize("game", ["pyramid", "plot"])
def test_games_without_supermoves_have_nothing_to_expand(run, game):
    (one,) = records(run("solve", game, "2", "--json"))
    (other,) = records(run("solve", game, "2", "--json", "--expand"))
    assert other == one | {"move_sizes": [1] * one["length"]}
    assert run("solve", game, "2", "--expand").out == run("solve", game, "2").out


def test_what_cannot_be_won_has_nothing_to_expand(run):
    (record,) = records(run("solve", "freecell", "11982", "--json", "--expand"))
    assert (record["moves"], record["move_sizes"]) == (None, None)


def test_a_hint_may_begin_a_short_line(run, one_line):
    ask = ("freecell", "1-12", "--short", "--effort", "1", "--json", "--profile", "max-auto")
    hints, solutions = records(run("hint", *ask)), records(run("solve", *ask))
    plain = records(run("hint", "freecell", "1-12", "--json", "--profile", "max-auto"))
    for hint, solution, longer in zip(hints, solutions, plain, strict=True):
        assert (hint["moves"], hint["length"]) == (solution["moves"], solution["length"])
        assert hint["par_kind"] == solution["par_kind"] == "found"
        assert hint["length"] <= longer["length"]
    assert sum(hint["length"] for hint in hints) < sum(hint["length"] for hint in plain)
    (fewest,) = records(run("hint", "pyramid", "2", "--optimal", "--json"))
    assert fewest["par_kind"] == "optimal"
    (lost,) = records(run("hint", "freecell", "11982", "--json"))
    assert lost["par_kind"] is None
    for words, says in (
        (
            ("plot", "1", "--short"),
            "--short is not offered for plot; games that offer it: freecell",
        ),
        (("freecell", "1", "--effort", "2"), "--effort goes with --short"),
        (("freecell", "1", "--short", "--effort", "0"), "--effort is '0'; valid is a whole number"),
    ):
        assert says in one_line(run("hint", *words))
