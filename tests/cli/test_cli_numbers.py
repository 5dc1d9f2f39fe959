"""Numbers as people have them: PySolFC's, Microsoft's games below 0, ms617, thousands, lists."""

from __future__ import annotations

import json

import pytest


def records(result):
    """The JSON objects of a run, whose answer may be any verdict."""
    assert result.code in (0, 1, 3), result.err
    return [json.loads(line) for line in result.lines]


#: Verdicts under PySolFC's rules, found by an independent program on PySolFC's own layout.
@pytest.mark.parametrize(
    ("options", "verdicts"),
    [
        (["--profile", "pysol"], ["unwinnable", "winnable"]),
        (["--profile", "pysol", "--numbering", "pysol"], ["unwinnable", "winnable"]),
        (["--profile", "pysol", "--numbering", "ms"], ["winnable", "unwinnable"]),
        (["--profile", "pysol,initial_waste=0"], ["unwinnable", "winnable"]),
    ],
)
def test_the_plots_pysol_profile_has_pysol_numbers(run, options, verdicts):
    rows = records(run("check", "plot", "103", "105", *options, "--json"))
    assert [row["verdict"] for row in rows] == verdicts
    assert {row["numbering"] for row in rows} == {"ms" if "ms" in options else "pysol"}


def test_pyramids_pysol_profile_is_microsofts_rules_with_all_cards_to_go(run):
    (row,) = records(run("solve", "pyramid", "7", "--profile", "pysol", "--json"))
    assert (row["profile"], row["numbering"], row["number"]) == ("pysol", "pysol", "7")
    # Below 32000 a single deck is dealt as by ms; equal rules have one name under any numbers.
    words = ["solve", "pyramid", "7", "--profile", "microsoft,goal=all", "--json"]
    (other,) = records(run(*words))
    assert (other["profile"], other["numbering"], other["number"]) == ("pysol", "ms", 7)
    assert (other["verdict"], other["moves"]) == (row["verdict"], row["moves"])


def test_games_say_whose_numbers_they_have(run):
    text = run("games").out
    assert "no frontend deals The Plot by it" in text
    listed = {game["game"]: game for game in records(run("games", "--json"))}
    assert listed["plot"]["default_numberings"] == {"classic": "ms", "pysol": "pysol"}
    assert listed["pyramid"]["default_numberings"]["pysol"] == "pysol"
    assert set(listed["freecell"]["default_numberings"].values()) == {"ms"}
    assert listed["plot"]["numberings"][1]["last"] == "9" * 20


def test_microsofts_games_below_0(run, one_line):
    (row,) = records(run("check", "freecell", "-1", "--json"))
    assert (row["number"], row["verdict"]) == (-1, "unwinnable")
    both = records(run("deal", "freecell", "-2", "617", "-1", "--json"))
    assert [row["number"] for row in both] == [-2, 617, -1]
    assert (
        run("deal", "freecell", "5,-1", "--format", "cards").lines[1].startswith("AC AD AH AS QC")
    )
    for words, message in (
        ("check freecell -3", "Microsoft's game -3 is not offered: no public source has its cards"),
        ("check freecell -5", "deal number -5 is out of range; ms has 1..8589934591"),
        ("check pyramid -1", "deal number -1 is out of range"),
        ("deal plot 5,-1", "deal number -1 is out of range"),
        ("check freecell -1 --numbering pysol", "deal number -1 is out of range; pysol has 1.."),
        (
            "pool build freecell -1 --out p.json",
            "deal -1 is below 0, and a pool has no such numbers",
        ),
    ):
        assert message in one_line(run(*words.split()))


def test_a_number_may_say_that_it_is_microsofts(run, one_line):
    assert run("deal", "freecell", "ms617").out == run("deal", "freecell", "617").out
    ranges = run("deal", "freecell", "ms3-MS5,ms9", "--format", "cards").lines
    assert ranges == run("deal", "freecell", "3-5,9", "--format", "cards").lines
    words = ["deal", "freecell", "ms32000", "--numbering", "pysol"]
    assert "valid is --numbering ms" in one_line(run(*words))


@pytest.mark.parametrize(
    "number",
    ["11.982", "11'982", "11_982", "11 982", "1,002", "1,000,000", "12,034-12,050", "1-32,000"],
)
def test_thousands_separators_are_refused_with_the_reason(run, one_line, number):
    assert "it has thousands separators, so write " in one_line(run("deal", "freecell", number))


def test_a_list_that_looks_like_one_number_is_told_of(run, tmp_path):
    warning = "winnable: 11,982 is read as 2 deals; if one is meant, write 11982\n"
    result = run("deal", "freecell", "11,982", "--format", "cards")
    assert (result.err, len(result.lines)) == (warning, 2)
    path = tmp_path / "mine.txt"
    path.write_text("617\n11,982 # mine\n")
    checked = run("check", "freecell", "--deals-from", path)
    assert checked.err.startswith(warning)
    assert [line.split()[0] for line in checked.lines] == ["617", "11", "982"]
    assert run("check", "freecell", "11,982", "--quiet").err == ""
    for clear in ("11,98", "1,2,3", "1234,567", "11,982,5"):
        assert run("deal", "freecell", clear, "--format", "cards").err == "", clear


@pytest.mark.parametrize("numbering", ["ms", "pysol"])
def test_a_batch_of_a_list_answers_its_numbers_alone(run, tmp_path, numbering):
    store, path = tmp_path / "deals.db", tmp_path / "mine.txt"
    large = 10**20 - 9 if numbering == "pysol" else 2**33 - 1
    path.write_text(f"90-120\n617 7 # and one more\n{large}\n")
    words = ["batch", "plot", "5", "100", "--deals-from", path, "--numbering", numbering]
    (row,) = records(run(*words, "--store", store, "--json"))
    assert (row["deals"], row["kept"]) == (35, 0)
    assert (int(row["first"]), int(row["last"])) == (5, large)
    assert row["winnable"] + row["unwinnable"] == 35
    (again,) = records(run(*words, "--store", store, "--json"))
    assert again == {**row, "kept": 35}
    # Of the range only what was asked for is there.
    (more,) = records(
        run("batch", "plot", "1-120", "--numbering", numbering, "--store", store, "--json")
    )
    assert more["kept"] == 33
    checked = run("check", "plot", "5", "100", "--deals-from", path, "--numbering", numbering)
    assert checked.err.startswith(f"{row['winnable']} winnable, {row['unwinnable']} unwinnable")


def test_a_pool_under_pysol_numbers(run, tmp_path):
    pool = tmp_path / "pool.json"
    first = 2**63 - 40
    words = ["pool", "build", "plot", f"{first}-{2**63 - 1}", "--profile", "pysol", "--out", pool]
    (built,) = records(run(*words, "--solutions", "--json"))
    assert (built["numbering"], built["last"]) == ("pysol", str(2**63 - 1))
    assert sum(built["counts"].values()) == 40
    assert run("pool", "verify", pool, "--rules").code == 0
    (picked,) = records(run("pool", "pick", pool, "--tier", "random", "--seed", "1", "--json"))
    assert first <= int(picked["number"]) < 2**63
    checked = records(run("check", "plot", picked["number"], "--profile", "pysol", "--json"))
    assert checked[0]["verdict"] in ("winnable", "unwinnable")
