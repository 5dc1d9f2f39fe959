"""FreeCell, with its relatives that differ in cells, building, supermoves and autoplay.

Rooms: `rules` is the specification in plain Python, `notation` its text, `singles` writes
supermoves out card by card. `layout` packs states, moves and profiles into arrays, and `kernel` is
the compiled twin of the rules. `search` looks for a win: over the states of `search_state`, whose
layout is in `records`, by `children`, `score` and `frontier`. `schedule` says which searches run
for how long, `bulk` runs them over many positions, and `lines` writes what they find as moves.
`proof` exhausts a deal that may have no win, over the positions of `proof_state`; `effort` measures
for the grade; `solver` decides, and `game` is what the registry hands out. The room `optimal` is
not needed: no solution of proved fewest moves is offered.
"""
