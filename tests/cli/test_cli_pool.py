"""batch and pool: stores that go on, pools that are checked, files that are not lost."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from dealgen.pool import canonical_bytes
from dealgen.pool_read import read_pool
from dealgen.pool_use import spread

RANGE = "11961-12000"  # 40 deals, of which 11982 is unwinnable


@pytest.fixture(scope="module")
def store(run, tmp_path_factory):
    """A store with the answers of RANGE."""
    path = tmp_path_factory.mktemp("batch") / "deals.db"
    assert run("batch", "freecell", RANGE, "--store", path).code == 0
    return path


@pytest.fixture(scope="module")
def pool(run, store):
    """A pool of RANGE."""
    path = store.with_name("pool.json")
    assert run("pool", "build", "freecell", RANGE, "--store", store, "--out", path).code == 0
    return path


def test_a_batch_that_is_run_again_keeps_what_is_there(run, store):
    (line,) = run("batch", "freecell", RANGE, "--store", store, "--json").lines
    record = json.loads(line)
    assert list(record) == [
        "game",
        "profile",
        "numbering",
        "first",
        "last",
        "deals",
        "store",
        "kept",
        "winnable",
        "unwinnable",
        "undecided",
    ]
    assert record["kept"] == 40
    assert (record["winnable"], record["unwinnable"], record["undecided"]) == (39, 1, 0)
    text = run("batch", "freecell", RANGE, "--store", store)
    assert text.lines == [
        f"39 winnable, 1 unwinnable, 0 undecided in {store}; 40 of them from before"
    ]
    assert run("batch", "freecell", RANGE, "--store", store, "--quiet").out == text.out


def test_quiet_hides_nothing_of_stdout(run, store, tmp_path):
    pool = tmp_path / "quiet.json"
    for words in (
        ("pool", "build", "freecell", RANGE, "--store", store, "--out", pool, "--force"),
        ("pool", "verify", pool, "--no-measure"),
    ):
        loud, quiet = run(*words), run(*words, "--quiet")
        assert loud.out
        assert (quiet.out, quiet.code, quiet.err) == (loud.out, loud.code, "")


def test_undecided_deals_are_told_of_and_tried_again_with_larger_limits(run, tmp_path):
    store = tmp_path / "deals.db"
    words = ["batch", "freecell", "31465", "--store", store, "--no-grade"]
    first = run(*words, "--max-nodes", "10")
    assert first.code == 0
    assert first.lines[0].startswith("0 winnable, 0 unwinnable, 1 undecided")
    assert first.lines[1].startswith("Larger limits")
    assert run(*words).lines[0].startswith("1 winnable, 0 unwinnable, 0 undecided")


def test_a_pool_is_the_same_however_it_was_built(run, store, pool, tmp_path):
    again, alone = tmp_path / "again.json", tmp_path / "alone.json"
    run("pool", "build", "freecell", RANGE, "--store", store, "--out", again, "--jobs", "1")
    run("pool", "build", "freecell", RANGE, "--out", alone, "--jobs", "2")
    assert pool.read_bytes() == again.read_bytes() == alone.read_bytes()


def test_a_pool_is_not_replaced_without_force(run, one_line, pool, tmp_path):
    target = tmp_path / "pool.json"
    target.write_text("precious")
    words = ["pool", "build", "freecell", RANGE, "--out", target]
    assert "--force" in one_line(run(*words))
    assert target.read_text() == "precious"
    assert run(*words, "--force").code == 0
    assert target.read_bytes() == pool.read_bytes()


def test_stats(run, pool):
    (line,) = run("pool", "stats", pool, "--json").lines
    facts = json.loads(line)
    assert facts["counts"] == {"winnable": 39, "unwinnable": 1, "undecided": 0}
    assert sum(tier["count"] for tier in facts["tiers"].values()) == 39
    text = run("pool", "stats", pool).out
    assert text.startswith(f"{pool}: freecell classic, ms 11961..12000\n")
    for name, tier in facts["tiers"].items():
        assert f"{name:<6} {tier['count']:>9} deals" in text
    assert facts["sha256"] in text


def test_tiers_of_ones_own(run, tmp_path):
    path = tmp_path / "pool.json"
    build = ["pool", "build", "freecell", "1-40", "--out", path, "--force"]
    varied = [*build, "--profile", "classic,cells=3"]
    result = run(*varied, "--tiers", "thirds")
    assert (result.code, result.err) == (0, "")
    sizes = [len(tier.numbers) for tier in read_pool(path).tiers.values()]
    assert max(sizes) - min(sizes) <= 2
    assert "by its own range" in result.out
    result = run(*build, "--tiers", "5")
    assert list(read_pool(path).tiers) == list("12345")
    assert run("pool", "pick", path, "--tier", "5", "--seed", "1").code == 0
    assert run("pool", "verify", path).code == 0
    result = run(*build, "--easy-below", "0.5", "--hard-from", "60.25")
    assert read_pool(path).cuts.cuts == (500, 60_250)
    assert result.err.startswith("winnable: the tiers are lopsided: easy has no deals, ")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--profile", "classic,cells=3"], "give --tiers thirds, --tiers 5, or --easy-below and"),
        (["--tiers", "fifths"], "--tiers is 'fifths'; valid is thirds, or a whole number 2..9"),
        (["--tiers", "1"], "--tiers is '1'; valid is thirds, or a whole number 2..9"),
        (["--tiers", "5", "--easy-below", "3"], "give either --tiers or --easy-below"),
        (["--easy-below", "3"], "give both --easy-below and --hard-from"),
        (["--easy-below", "3", "--hard-from", "2"], "--easy-below is above --hard-from"),
        (["--easy-below", "1e3", "--hard-from", "2"], "--easy-below is '1e3'; valid is a number"),
    ],
)
def test_tiers_that_make_no_sense(run, one_line, tmp_path, options, fault):
    path = tmp_path / "pool.json"
    assert fault in one_line(run("pool", "build", "freecell", "1-9", "--out", path, *options))
    assert list(tmp_path.iterdir()) == []


NASTY = "\x1b[2J\x07\n\r\x9b\u202e"


@pytest.mark.parametrize(
    "place",
    [
        "game",
        "profile",
        "numbering",
        "sha256",
        "grader name",
        "grader calibrated_on",
        "solver_versions",
    ],
)
def test_nothing_of_a_pool_reaches_the_terminal_raw(run, pool, tmp_path, place):
    content = json.loads(pool.read_text())
    *above, key = place.split()
    where = content[above[0]] if above else content
    where[key] = [NASTY] if isinstance(where[key], list) else NASTY
    wrong = tmp_path / "wrong.json"
    if place != "sha256":
        del content["sha256"]
        content["sha256"] = hashlib.sha256(canonical_bytes(content)).hexdigest()
    wrong.write_text(json.dumps(content))
    for command in ("stats", "verify") if place != "sha256" else ("verify",):
        for flags in ([], ["--json"]):
            result = run("pool", command, wrong, *flags)
            assert result.code == 0 or command == "verify"
            assert result.err == ""
            shown = result.out.splitlines()
            assert all(line.isprintable() for line in shown)
            assert len(shown) == result.out.count("\n")
    if place != "sha256":
        lines = run("pool", "stats", pool).lines
        assert len(run("pool", "stats", wrong).lines) == len(lines)


def test_statistics_and_picking_do_not_load_the_compiler(loaded, pool):
    assert "numba" not in loaded("pool", "stats", pool)
    assert "numba" not in loaded("pool", "pick", pool, "--tier", "random", "--seed", "1")


def test_pick(run, pool):
    facts = json.loads(run("pool", "stats", pool, "--json").out)
    tier = max(facts["tiers"], key=lambda name: facts["tiers"][name]["count"])
    words = ["pool", "pick", pool, "--tier", tier, "--seed"]
    picked = run(*words, "7")
    assert picked.code == 0
    number = picked.out.strip()
    assert 11961 <= int(number) <= 12000
    assert number != "11982"
    assert run(*words, "7").out == picked.out
    others = {run(*words, seed, "--not", number).out for seed in range(30)}
    assert picked.out not in others
    assert len(others) > 1
    record = json.loads(run(*words, "7", "--json").out)
    (dealt,) = map(json.loads, run("deal", "freecell", number, "--json").lines)
    assert record == {
        "game": "freecell",
        "profile": "classic",
        "numbering": "ms",
        "number": int(number),
        "tier": tier,
        "position": dealt["position"],
        "par": None,
        "par_kind": None,
        "solution": None,
    }


def tier_of(pool, tier):
    """Return a tier's numbers, as the pool's documentation has them."""
    read = read_pool(pool)
    if tier == "random":
        return list(read.covers)
    return read.tiers[tier].numbers.tolist()


@pytest.mark.parametrize("tier", ["easy", "normal", "hard", "random"])
def test_every_exclusion_counts(run, one_line, pool, tier):
    numbers = tier_of(pool, tier)
    assert len(numbers) > 3
    words = ["pool", "pick", pool, "--tier", tier, "--seed"]
    choices = random.Random(tier)
    for seed in range(12):
        excluded = choices.sample(numbers, seed % len(numbers))
        # In any order, again, and with numbers that are not in the tier at all.
        given = choices.sample([*excluded, *excluded, 1, 2**33 - 1], 2 * len(excluded) + 2)
        options = [word for number in given for word in ("--not", str(number))]
        left = [number for number in numbers if number not in excluded]
        # docs/pool-format.md: "value mod (how many numbers the tier has)", of those that are left.
        expected = left[spread(seed) % len(left)]
        assert run(*words, seed, *options).out == f"{expected}\n"
    every = [word for number in numbers for word in ("--not", str(number))]
    assert "has no deals but those excluded" in one_line(run(*words, 7, *every))


def test_an_exclusion_picks_among_the_others_as_the_format_says(run, pool):
    """By the spread seed among the numbers that are left, in their order."""
    for tier in ("easy", "random"):
        for seed, number in enumerate(tier_of(pool, tier)[:4]):
            picked = run("pool", "pick", pool, "--tier", tier, "--seed", seed, "--not", number).out
            others = [other for other in tier_of(pool, tier) if other != number]
            assert int(picked) == others[spread(seed) % len(others)]


def test_an_unknown_tier_names_the_tiers(run, one_line, pool):
    message = one_line(run("pool", "pick", pool, "--tier", "brutal", "--seed", "1"))
    assert "unknown tier 'brutal'; there are: easy, normal, hard, random" in message


@pytest.mark.parametrize("options", [[], ["--rules"], ["--no-measure", "--jobs", "1"]])
def test_a_right_pool_is_verified(run, pool, options):
    result = run("pool", "verify", pool, *options)
    assert result.code == 0
    measured = "--no-measure" not in options
    said = "every grade measured" if measured else "grades and pars were not measured"
    assert result.lines == [
        f"{pool}: all right; a solution of each of its 39 deals replayed, {said}"
    ]
    record = json.loads(run("pool", "verify", pool, *options, "--json").out)
    assert record == {"pool": str(pool), "ok": True, "problems": [], "measured": measured}


def test_a_pool_of_an_unknown_game_is_wrong_and_not_unreadable(run, pool, tmp_path):
    content = json.loads(pool.read_text())
    content["game"] = "chess"
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(content))
    result = run("pool", "verify", wrong)
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith(f"{wrong}: unknown game 'chess'; there are: freecell")


def test_what_is_not_a_pool_is_said_to_be_none(run, one_line, tmp_path):
    board = tmp_path / "mydeal.txt"
    board.write_text(run("deal", "freecell", "617", "--format", "fc-solve").out)
    empty, other = tmp_path / "empty", tmp_path / "other.json"
    empty.touch()
    other.write_text('{"format": "png"}')
    for file in (board, empty, other):
        for words in (["stats"], ["verify"], ["pick", "--tier", "easy", "--seed", "1"]):
            message = one_line(run("pool", *words, file))
            assert str(file) in message
            assert "is not a pool: " in message


def test_a_pool_with_solutions_is_verified(run, store, tmp_path):
    path = tmp_path / "solutions.json"
    words = ["pool", "build", "freecell", RANGE, "--store", store, "--out", path, "--solutions"]
    assert run(*words).code == 0
    assert json.loads(run("pool", "stats", path, "--json").out)["solutions"] is True
    assert run("pool", "verify", path, "--rules").code == 0


def test_a_wrong_pool_is_told_what_is_wrong(run, pool, tmp_path):
    content = json.loads(pool.read_text())
    content["counts"]["winnable"] += 1
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(content))
    result = run("pool", "verify", wrong)
    assert result.code == 1
    assert result.err == ""
    assert result.lines
    assert all(line.startswith(f"{wrong}: ") for line in result.lines)
    answer = json.loads(run("pool", "verify", wrong, "--json").out)
    assert (answer["pool"], answer["ok"]) == (str(wrong), False)
    assert [f"{wrong}: {problem}" for problem in answer["problems"]] == result.lines


def test_one_writer_at_a_time(process, one_line, tmp_path):
    store = tmp_path / "deals.db"
    words = ["batch", "freecell", "1-5000000", "--store", store, "--no-grade", "--jobs", "1"]
    with start(words) as first:
        wait_for_answers(first, store)
        assert str(store) in one_line(process(*words))
        first.send_signal(signal.SIGKILL)


def test_ctrl_c_leaves_a_store_that_goes_on(process, tmp_path):
    store = tmp_path / "deals.db"
    words = ["batch", "freecell", "1-5000000", "--store", store, "--no-grade"]
    with start(words) as first:
        wait_for_answers(first, store)
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=60)
    assert first.returncode == 4
    assert out == ""
    assert err.startswith("winnable: interrupted; ")
    assert err.endswith(
        f" of 5,000,000 deals are in {store}; the same command goes on from there\n"
    )
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["deals.db"]
    kept = int(err.split()[2].replace(",", ""))
    assert kept > 0
    again = process("batch", "freecell", "1-20", "--store", store, "--no-grade", "--json")
    assert json.loads(again.out)["kept"] == 20


def test_ctrl_c_before_the_first_deal_is_a_batch_interrupted_too(run, monkeypatch, tmp_path):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    store = tmp_path / "deals.db"
    monkeypatch.setattr("dealgen.store.Store.open", interrupt)
    result = run("batch", "freecell", "1-100", "--store", store)
    assert (result.code, result.out) == (4, "")
    assert result.err == (
        f"winnable: interrupted; 0 of 100 deals are in {store}; the same command goes on from "
        "there\n"
    )
    assert not store.exists()


def start(words):
    """Start a run in the background."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "cli.main", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_answers(running, store):
    """Wait until a batch has written something."""
    log = f"{store}-wal"
    for _ in range(600):
        if os.path.exists(log) and os.path.getsize(log) > 200_000:
            return
        assert running.poll() is None, running.communicate()
        time.sleep(0.1)
    pytest.fail("the batch wrote nothing in a minute")


# Pools that are asked for deals, and pools made of pools.


@pytest.fixture(scope="session")
def solved(run, tmp_path_factory):
    """A pool of a list of deals with solutions, and of one game more with pars."""
    folder = tmp_path_factory.mktemp("solved")
    numbers = folder / "numbers.txt"
    numbers.write_text("11982 617 # the famous ones\n1-40\n")
    out = folder / "solved.json"
    words = ("--deals-from", numbers, "--solutions", "--out", out, "--quiet")
    assert run("pool", "build", "freecell", *words).code == 0
    return out


def records(result):
    return [json.loads(line) for line in result.lines]


def test_a_pool_answers_for_a_list_of_deals(run, solved):
    facts = json.loads(run("pool", "stats", solved, "--json").out)
    assert (facts["first"], facts["last"], facts["deals"]) == (1, 11982, 42)
    assert facts["counts"] == {"undecided": 0, "winnable": 41, "unwinnable": 1}
    assert facts["limits"] == {"max_nodes": 10_000_000, "memory_mib": 400, "max_seconds": None}
    assert "freecell classic, ms 1..40, 617, 11982\n" in run("pool", "stats", solved).out
    assert run("pool", "verify", solved).code == 0


def test_what_a_pool_has_on_a_deal(run, solved, one_line):
    result = run("pool", "lookup", solved, "617", "--json")
    (record,) = records(result)
    assert (result.code, record["verdict"], record["tier"]) == (0, "winnable", "hard")
    line = " ".join(record["solution"])
    assert run("replay", "freecell", "617", "--moves", "-", stdin=line).code == 0
    shown = run("pool", "lookup", solved, "617")
    assert shown.lines == ["617 winnable, tier hard", line]
    lost = run("pool", "lookup", solved, "11982")
    assert (lost.code, lost.lines) == (1, ["11982 unwinnable"])
    assert "the pool does not answer for deal 41; it has 1..40, 617, 11982" in one_line(
        run("pool", "lookup", solved, "41")
    )


def test_the_deals_of_a_pool_are_listed(run, solved):
    every = records(run("pool", "list", solved, "--json"))
    assert sorted(record["number"] for record in every) == [*range(1, 41), 617]
    for record in every:
        (entry,) = records(run("pool", "lookup", solved, record["number"], "--json"))
        assert (entry["tier"], entry["par"]) == (record["tier"], record["par"])
    hard = run("pool", "list", solved, "--tier", "hard", "--limit", "2", "--csv").lines
    expected = [record["number"] for record in every if record["tier"] == "hard"][:2]
    assert hard == ["number,tier,par", *(f"{number},hard," for number in expected)]
    assert run("pool", "list", solved, "--tier", "Hard").lines[0].split() == [
        str(expected[0]),
        "hard",
    ]


def test_the_deal_of_a_day(run, solved, one_line):
    words = ("pool", "pick", solved, "--tier", "easy")
    (record,) = records(run(*words, "--date", "2026-12-24", "--json"))
    assert run(*words, "--date", "2026-12-24").out == f"{record['number']}\n"
    line = " ".join(record["solution"])
    board = json.dumps(record["position"])
    replayed = run("replay", "freecell", record["number"], "--moves", "-", stdin=line)
    assert replayed.code == 0
    assert (
        f"deal {record['number']} (ms)" in run("check", "freecell", "--board", "-", stdin=board).out
    )
    days = {run(*words, "--date", f"2026-12-{day:02}").out for day in range(1, 11)}
    assert len(days) == 10
    for wrong in ("2026-13-01", "20261224", "today", "1999-12-31"):
        assert "valid is" in one_line(run(*words, "--date", wrong))
    assert "give either --seed or --date" in one_line(run(*words))
    both = run(*words, "--date", "2026-12-24", "--seed", "1")
    assert "give either --seed or --date" in one_line(both)


def test_parts_of_a_pool_are_merged_again(run, solved, tmp_path, one_line):
    parts = []
    for tier in ("easy", "normal", "hard"):
        parts.append(tmp_path / f"{tier}.json")
        made = run("pool", "subset", solved, "--tier", tier, "--count", "5", "--out", parts[-1])
        assert made.code == 0
        assert run("pool", "verify", parts[-1]).code == 0
    out = tmp_path / "merged.json"
    facts = json.loads(run("pool", "merge", *parts, "--out", out, "--json").out)
    assert facts["deals"] == facts["counts"]["winnable"] == 15
    assert facts["solutions"] is True
    assert run("pool", "verify", out).code == 0
    again = run("pool", "merge", *parts, "--out", out)
    assert "exists already; --force replaces it" in one_line(again)
    one = run("pool", "merge", parts[0], "--out", tmp_path / "one.json")
    assert "POOLS has one name; valid is two pool files or more" in one_line(one)
    few = run("pool", "subset", solved, "--count", "99", "--out", tmp_path / "few.json")
    assert "fewer than 99" in one_line(few)


@pytest.mark.parametrize(
    "words",
    [
        ("stats",),
        ("list",),
        ("lookup", "617"),
        ("pick", "--tier", "easy", "--seed", "1"),
        ("subset", "--out", "{0}/new.json"),
        ("merge", "{0}/wrong.json", "--out", "{0}/new.json"),
    ],
)
def test_a_pool_whose_hash_is_wrong_is_not_used(run, solved, tmp_path, one_line, words):
    content = json.loads(solved.read_text())
    content["grader"]["cuts"][0] += 1
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(content))
    command, *rest = (word.format(tmp_path) for word in words)
    message = one_line(run("pool", command, wrong, *rest))
    assert "its content is not what its hash was made of" in message
    assert list(tmp_path.iterdir()) == [wrong]


def test_a_pool_keeps_the_limits_of_its_build(run, tmp_path):
    # With fewer nodes this deal is not decided, and with the game's it would be.
    out = tmp_path / "pool.json"
    few = ("--max-nodes", "20000", "--memory", "32", "--out", out, "--json", "--quiet")
    facts = json.loads(run("pool", "build", "freecell", "11981-11983", *few).out)
    assert facts["limits"] == {"max_nodes": 20000, "memory_mib": 32, "max_seconds": None}
    assert facts["counts"]["undecided"] == 1
    assert run("pool", "verify", out).code == 0
    assert run("pool", "lookup", out, "11982").code == 3


def test_a_pool_of_pysolfcs_numbers(run, tmp_path):
    out = tmp_path / "pool.json"
    numbers = "12345678901234567890-12345678901234567899"
    words = ("--numbering", "pysol", "--out", out, "--json", "--quiet", "--tiers", "thirds")
    facts = json.loads(run("pool", "build", "pyramid", numbers, "1-20", *words).out)
    assert (facts["first"], facts["last"], facts["deals"]) == ("1", "12345678901234567899", 30)
    assert run("pool", "verify", out).code == 0
    listed = records(run("pool", "list", out, "--json"))
    assert any(len(record["number"]) == 20 for record in listed)
    number = next(record["number"] for record in listed if len(record["number"]) == 20)
    assert run("pool", "lookup", out, number).code == 0


def test_pars_are_of_short_lines_or_of_fewest_moves(run, tmp_path, one_line):
    out = tmp_path / "short.json"
    ask = ("freecell", "1-6", "--profile", "max-auto", "--out", out, "--solutions", "--quiet")
    words = (*ask, "--par", "short", "--effort", "1", "--tiers", "2", "--force", "--json")
    facts = json.loads(run("pool", "build", *words).out)
    assert facts["par_kind"] == "found"
    assert run("pool", "verify", out).code == 0
    for record in records(run("pool", "list", out, "--json")):
        number = record["number"]
        solve = ("solve", "freecell", number, "--profile", "max-auto", "--short", "--effort", "1")
        (solved,) = records(run(*solve, "--json"))
        (entry,) = records(run("pool", "lookup", out, number, "--json"))
        assert record["par"] == solved["length"] == len(entry["solution"]) == entry["par"]
        assert entry["par_kind"] == "found"
    fewest = tmp_path / "fewest.json"
    words = ("pyramid", "1-12", "--par", "optimal", "--solutions", "--out", fewest, "--quiet")
    assert run("pool", "build", *words).code == 0
    assert run("pool", "verify", fewest).code == 0
    for record in records(run("pool", "list", fewest, "--json")):
        (solved,) = records(run("solve", "pyramid", record["number"], "--optimal", "--json"))
        (entry,) = records(run("pool", "lookup", fewest, record["number"], "--json"))
        assert record["par"] == solved["length"] == len(entry["solution"])
        assert entry["par_kind"] == "optimal"
    for words, says in (
        (("plot", "1-2", "--par", "short"), "--par short is not offered for plot; games that"),
        (("freecell", "1-2", "--par", "optimal"), "--par optimal is not offered for freecell"),
        (("freecell", "1-2", "--effort", "2"), "--effort goes with --par short"),
    ):
        assert says in one_line(run("pool", "build", *words, "--out", tmp_path / "no.json"))
