"""Stores described, checked, merged and exported."""

import sqlite3

import pytest

from dealgen.batch import run_batch
from dealgen.numbering import numbering_of
from dealgen.store import Store
from dealgen.store_tools import check, info, merge, rows_of
from dealgen.task import Task
from solvers import games
from solvers.errors import StoreError
from solvers.outcome import Limits

GAME = games.load("pyramid")
MS, PYSOL = numbering_of("ms"), numbering_of("pysol")


def task(profile="classic", numbering=MS, nodes=100_000):
    return Task(GAME, GAME.profiles[profile], numbering, Limits(nodes, 16))


def made(path, first, last, **what):
    grade = what.pop("grade", True)
    with Store.open(path, create=True) as store:
        run_batch(task(**what), store, [(first, last)], grade=grade)
    return str(path)


def rows(path):
    return list(rows_of(str(path)))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "store.db"
    made(path, 1, 60)
    return made(path, 1, 20, profile="microsoft")


def test_what_is_in_a_store(whole):
    classic, microsoft = info(whole)
    assert [classic[key] for key in ("game", "profile", "numbering")] == [
        "pyramid",
        "classic",
        "ms",
    ]
    assert [classic[key] for key in ("deals", "first", "last")] == [60, 1, 60]
    assert classic["winnable"] + classic["unwinnable"] == 60
    assert classic["graded"] == classic["winnable"]
    assert microsoft["deals"] == 20


def test_numbers_of_twenty_digits(tmp_path):
    last = 12345678901234567899
    path = made(tmp_path / "store.db", last - 4, last, numbering=PYSOL)
    (row,) = info(path)
    assert (row["first"], row["last"], row["deals"]) == (str(last - 4), str(last), 5)
    assert check(path) == []


def test_merging_parts_gives_the_whole(tmp_path, whole):
    parts = [
        made(tmp_path / "a.db", 1, 35),
        made(tmp_path / "b.db", 30, 60, grade=False),
        made(tmp_path / "c.db", 36, 60),
        made(tmp_path / "d.db", 1, 20, profile="microsoft"),
    ]
    for order in (parts, parts[::-1]):
        out = tmp_path / f"{len(order)}-{order[0][-4]}.db"
        merge(order, str(out))
        assert rows(out) == rows(whole)
        assert check(str(out)) == []
    # Into one that has answers already, and once more: nothing changes.
    merge(parts[2:], parts[0])
    merge(parts[2:], parts[0])
    assert rows(parts[0]) == rows(whole)


def test_an_undecided_deal_takes_another_stores_answer(tmp_path):
    # By so few nodes some deals of these rules stay open.
    few = made(tmp_path / "few.db", 1, 60, profile="microsoft", nodes=3)
    more = made(tmp_path / "more.db", 1, 60, profile="microsoft")
    assert info(few)[0]["undecided"] > 3
    for order in ([few, more], [more, few]):
        out = tmp_path / f"{order[0][-7:-3]}-first.db"
        merge(order, str(out))
        found = {row[3]: row for row in rows(out)}
        assert {number: row[4] for number, row in found.items()} == {
            row[3]: row[4] for row in rows(more)
        }
        assert check(str(out)) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("verdict = 2, length = 0, effort = NULL, grader = NULL", "disagrees on deal"),
        ("effort = effort + 1", "disagrees on the effort of deal"),
    ],
)
def test_stores_that_disagree_are_refused_and_nothing_is_made(tmp_path, change, says):
    one, other = made(tmp_path / "a.db", 1, 30), made(tmp_path / "b.db", 20, 40)
    with sqlite3.connect(other) as connection:
        (number,) = connection.execute(
            "SELECT min(number) FROM result WHERE verdict = 1 AND number <= 30"
        ).fetchone()
        connection.execute(f"UPDATE result SET {change} WHERE number = {number}")
    connection.close()
    out = tmp_path / "out.db"
    with pytest.raises(StoreError, match=f"{says} {number}"):
        merge([one, other], str(out))
    assert not out.exists()
    before = rows(one)
    with pytest.raises(StoreError, match=f"{says} {number}"):
        merge([other], one)
    assert rows(one) == before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("verdict = 7", "not one of the verdicts: deals 5"),
        ('"limit" = 9', "not one of the limits: deals 5"),
        ("verdict = 0", "undecided, and stopped by nothing: deals 5"),
        ("effort = 0", "an effort below 1, or of a deal that is not winnable: deals 5"),
        ("grader = NULL", "an effort without a grader, or the other way round: deals 5"),
        ("effort = 'x'", "values that are no whole numbers: deals 5"),
        ("search = 99", "a series, search or grader that is not there: deals 5"),
    ],
)
def test_rows_that_cannot_be_are_told(tmp_path, change, says):
    path = made(tmp_path / "store.db", 1, 9)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT verdict FROM result WHERE number = 5").fetchone() == (1,)
        connection.execute(f"UPDATE result SET {change} WHERE number = 5")
    connection.close()
    assert says in check(path)


def test_a_damaged_file_is_told(tmp_path):
    path = made(tmp_path / "store.db", 1, 2000, grade=False)
    data = bytearray((tmp_path / "store.db").read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 64] = b"\xff" * 64
    (tmp_path / "store.db").write_bytes(data)
    try:
        problems = check(path)
    except StoreError as error:
        problems = [str(error)]
    assert any("damaged" in problem or "malformed" in problem for problem in problems)


def test_what_is_no_store_is_refused(tmp_path, whole):
    (tmp_path / "text.db").write_text("no store")
    for path in (tmp_path / "text.db", tmp_path / "none.db"):
        for ask in (info, check, rows, lambda name: merge([str(name)], str(tmp_path / "o.db"))):
            with pytest.raises(StoreError):
                ask(str(path))
    with pytest.raises(StoreError, match="into itself"):
        merge([whole], whole)
    assert not (tmp_path / "o.db").exists()
