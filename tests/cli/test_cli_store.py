"""`winnable store`: what batches keep, described, checked, merged and exported."""

import csv
import io
import json
import sqlite3

from dealgen.store_tools import COLUMNS, info, rows_of


def test_the_commands_say_it(run, one_line, tmp_path):
    whole, other = str(tmp_path / "whole.db"), str(tmp_path / "other.db")
    for store, words in ((whole, ("1-60",)), (other, ("1-20", "--profile", "microsoft"))):
        assert run("batch", "pyramid", *words, "--store", store, "--quiet").code == 0
    told = run("store", "info", whole)
    assert told.lines[0].startswith("pyramid classic, ms 1..60: 60 deals, ")
    assert [json.loads(line) for line in run("store", "info", whole, "--json").lines] == info(whole)
    assert run("store", "check", whole).out == f"{whole}: sound\n"
    out = str(tmp_path / "out.db")
    assert run("store", "merge", whole, other, "--out", out).out == f"{out}: 80 deals\n"
    exported = list(csv.reader(io.StringIO(run("store", "export", out).out)))
    assert exported[0] == list(COLUMNS)
    assert len(exported) == 81
    as_json = [json.loads(line) for line in run("store", "export", out, "--json").lines]
    assert [list(record.values()) for record in as_json] == list(map(list, rows_of(out)))
    with sqlite3.connect(out) as connection:
        connection.execute("UPDATE result SET verdict = 7 WHERE number = 55")
    connection.close()
    found = run("store", "check", out)
    assert (found.code, found.lines[0]) == (1, f"{out}: not one of the verdicts: deals 55")
    refused = one_line(run("store", "merge", out, "--out", whole))
    assert f"store {out} is not sound: not one of the verdicts: deals 55" in refused
    assert "does not exist" in one_line(run("store", "info", tmp_path / "none.db"))
