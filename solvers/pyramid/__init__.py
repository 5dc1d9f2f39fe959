"""Pyramid: remove 28 cards in pairs of 13, kings alone, with a stock drawn card by card.

Rooms as in every game: `rules` and `notation` in plain Python; `layout`, `kernel`;
`proof` (exact winnability by pair needs, for unlimited redeals), `search` (feasibility
where redeals are limited or a goal needs the stock), `optimal` (fewest moves),
`effort`, `solver`, `game`. `ideals` tabulates the 1,430 shapes that a pyramid can have.
"""
