"""FreeCell, with its relatives that differ in cells, building, supermoves and autoplay.

Rooms: `rules` is the specification in plain Python, `notation` its text; `layout` packs
states into arrays, `kernel` is the compiled twin of the rules; `search` looks for a win,
`proof` exhausts a deal that may have none, `effort` measures for the grade; `solver`
decides and replays, `singles` writes supermoves out card by card, and `game` is what the
registry hands out. The room `optimal` is not needed: no solution of proved fewest moves is
offered.
"""
