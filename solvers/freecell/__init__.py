"""FreeCell, with its relatives that differ in cells, building, supermoves and autoplay.

Rooms: `rules` is the specification in plain Python, `notation` its text, `singles` writes
supermoves out card by card; `layout` packs states into arrays, `kernel` is the compiled twin of
the rules. `search` looks for a win: over the states of `search_state`, by `children`, `score` and
`frontier`; `staged` runs it in the `stages`, and `lines` writes what it found as moves. `proof`
exhausts a deal that may have no win, over the positions of `proof_state`; `effort` measures for
the grade; `solver` decides and replays, and `game` is what the registry hands out. The room
`optimal` is not needed: no solution of proved fewest moves is offered.
"""
