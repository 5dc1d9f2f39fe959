"""Pyramid: remove 28 cards in pairs of 13, kings alone, with a stock drawn card by card.

Rooms as in every game: `rules` and `notation` in plain Python; `layout`, and `kernel`, the fast
twin of the rules; `proof`, the exact test by pair needs, which is all that unlimited redeals take;
`lines`, which writes what was found as moves; `search`, for any win where the test does not decide,
and `optimal`, for proved fewest moves; `bulk`, which applies the test to many positions, and
`session`, which decides one in slices; `effort`, `solver`, `game`. There is no `schedule`: a
position has one test, and at most one search, which runs until the limits.

What these are made of: `fields` reads packed positions and moves; `counts` packs small numbers by
rank or class; `ranks` sorts a position's cards; `ideals` tabulates the 1,430 shapes that a pyramid
can have; `graph` and `passes` prepare a search, `bounds` estimates the moves that are left,
`children` makes the positions one step on, `frontier` keeps what is known and what waits, and
`loop` puts them together. `block` lays out the memory that all of them work in, and `case` takes a
position through test and search.
"""
