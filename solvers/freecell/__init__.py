"""FreeCell, with its relatives that differ in cells, building, supermoves and autoplay.

Rooms: `rules` is the specification in plain Python, `notation` its text, `singles` writes
supermoves out card by card. `layout` packs states, moves and profiles into arrays, and `kernel` is
the compiled twin of the rules. `search` looks for a win: over the states of `search_state`, whose
layout is in `records`, by `children`, `score` and `frontier`. `proof` exhausts a deal that may have
no win, over the positions of `proof_state`. `schedule` says which searches run for how long, `case`
runs them on one position and then the proof, and `lines` writes what they find as moves; `bulk`
runs the short ones over many positions, and `effort` measures for the grade. `short` makes the line
of a won position shorter by one `beam` after another. All of it is compiled
as one program, whose entries are in `session` and whose memory is laid out in `block`. `solver`
decides with it, and `game` is what the registry hands out. The room `optimal` is not needed: no
solution of proved fewest moves is offered.
"""
