"""bench: one node total a list, compared with the recorded one; peers side by side."""

import importlib.util
import json
from pathlib import Path

import pytest

from cli.commands.bench import lists, peers, web
from solvers.games import NAMES, load


@pytest.fixture
def recorder(monkeypatch, signatures):
    """The script that records node totals."""
    script = Path(__file__).parents[2] / "benchmarks" / "record_signatures.py"
    spec = importlib.util.spec_from_file_location("record_signatures", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "signatures_path", lambda: signatures)
    return module


@pytest.fixture
def signatures(tmp_path, monkeypatch):
    """Signatures in a file of the test's own, none recorded yet."""
    path = tmp_path / "signatures.json"
    path.write_text("{}")
    monkeypatch.setattr(lists, "signatures_path", lambda: path)
    # Short lists: what is tested here is not the search.
    game = load("freecell")
    monkeypatch.setattr(type(game), "bench_deals", {"a": [1, 2, 11982], "b": range(5, 9)})
    return path


def test_a_signature_is_recorded_compared_and_missed(run, recorder, signatures):
    before = run("bench", "freecell")
    assert before.code == 1
    assert before.out.count("nodes, not recorded") == 2
    assert signatures.read_text() == "{}"
    recorder.record("freecell", ["fast"])
    recorded = json.loads(signatures.read_text())
    assert set(recorded["freecell"]) == {"a", "b"}
    same = run("bench", "freecell")
    assert same.code == 0
    assert same.out.count("as recorded") == 2
    recorded["freecell"]["a"]["fast"] += 1
    signatures.write_text(json.dumps(recorded))
    other = run("bench", "freecell")
    assert other.code == 1
    assert f"DIFFERS from the recorded {recorded['freecell']['a']['fast']}" in other.out


def test_all_methods_side_by_side(run, recorder):
    result = run("bench", "freecell", "--method", "all", "--json")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert {(row["list"], row["method"]) for row in rows} == {
        (name, method) for name in "ab" for method in ("fast", "best-first", "dfs")
    }
    for row in rows:
        decided = row["winnable"] + row["unwinnable"] + row["undecided"]
        assert decided == row["deals"] == (3 if row["list"] == "a" else 4)
        assert row["nodes"] > 0
        assert row["deals_per_s"] > 0
        assert row["recorded"] is None
    assert result.code == 1
    recorder.record("freecell", [])
    assert run("bench", "freecell", "--method", "all").code == 0


def test_the_totals_of_every_method_are_recorded():
    recorded = lists.read_signatures()
    for name in NAMES:
        game = load(name)
        assert set(recorded[name]) == set(game.bench_deals)
        for methods in recorded[name].values():
            assert set(methods) == set(game.methods)


def test_recording_one_method_keeps_the_others(recorder, signatures):
    recorder.record("freecell", ["best-first"])
    kept_before = json.loads(signatures.read_text())["freecell"]["a"]["best-first"]
    recorder.record("freecell", ["fast"])
    kept = json.loads(signatures.read_text())["freecell"]["a"]
    assert kept["best-first"] == kept_before
    assert "fast" in kept


def test_a_peer_is_run_side_by_side(run, recorder, monkeypatch, tmp_path):
    log = tmp_path / "log"
    rival = tmp_path / "rival"
    rival.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    rival.chmod(0o755)
    peer = peers.Peer("fc-solve", "freecell", str(rival), ("-l", "lg"), "none")
    monkeypatch.setitem(peers.PEERS, "fc-solve", peer)
    monkeypatch.setattr(peers, "LAST", 60)
    monkeypatch.setattr(web, "DEALS", 30)
    monkeypatch.setattr(web, "reason_to_skip", lambda: None)
    monkeypatch.setattr(web, "run", lambda _game: web.WebTimes(cold=0.2, warm=0.1))
    recorder.record("freecell", ["fast"])
    result = run("bench", "freecell", "--peer", "fc-solve", "--json")
    assert result.code == 0
    record = json.loads(result.out.splitlines()[-1])
    assert log.read_text() == "1 60 60 -l lg\n1 30 30 -l lg\n" * 3
    for key in ("peer_cpu_s", "peer_wall_s", "our_cpu_s", "our_wall_s", "web_peer_cpu_s"):
        assert len(record[key]) == 3
    median, least, greatest = record["cpu_ratio"]
    assert least <= median <= greatest
    assert record["web_cold_cpu_s"] == [0.2] * 3
    assert record["web_warm_cpu_s"] == [0.1] * 3


def test_without_node_the_peer_is_compared_all_the_same(monkeypatch):
    monkeypatch.setattr(web, "reason_to_skip", lambda: "there is no node on the PATH")
    comparison = peers.Comparison(peers.PEERS["fc-solve"], [6.0], [7.0], [2.0], [3.5])
    assert comparison.lines()[-1].endswith("not measured, since there is no node on the PATH")
    assert comparison.record()["web_warm_cpu_s"] == []


def test_a_comparison_gives_the_median_ratio_and_its_spread():
    comparison = peers.Comparison(
        peers.PEERS["fc-solve"], [6.0, 8.0, 6.6], [7.0, 9.0, 7.0], [2.0, 2.0, 2.0], [3.5, 3.0, 3.5]
    )
    record = comparison.record()
    assert record["cpu_ratio"] == [3.3, 3.0, 4.0]
    assert record["wall_ratio"] == [2.0, 2.0, 3.0]
    text = "\n".join(comparison.lines())
    assert "freecell-solver-range-parallel-solve 1 32000 32000 -l lg\n" in text
    assert "CPU 2.00 2.00 2.00; the peer takes 3.30 times as long (3.00..4.00)" in text
    assert (
        "winnable check freecell 1-32000 --only unwinnable --quiet --jobs 1, whole process\n"
        in text
    )
    assert "wall 3.50 3.00 3.50; the peer takes 2.00 times as long (2.00..3.00)" in text


def test_a_peer_that_fails_is_told(run, one_line, signatures, monkeypatch, tmp_path):
    rival = tmp_path / "rival"
    # 1 and 3 are answers of ours; of a peer they are failures like any other.
    rival.write_text("#!/bin/sh\nexit 1\n")
    rival.chmod(0o755)
    peer = peers.Peer("fc-solve", "freecell", str(rival), (), "none")
    monkeypatch.setitem(peers.PEERS, "fc-solve", peer)
    monkeypatch.setattr(peers, "LAST", 60)
    result = run("bench", "freecell", "--peer", "fc-solve")
    assert result.code == 2
    assert result.err == f"winnable: {rival} ended with exit code 1\n"
