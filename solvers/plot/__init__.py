"""The Plot: rules, notation, kernels, search, proofs and grade.

The rooms are those of every game. Beside `search` stand `rollout` (tried first), `bound` and
`phase_one` (proofs of loss, which the search uses too), `playout` (what rollouts and `effort`
share), `policy` and `stages` (weights and budgets), `nodes` and `search_state` (memory), `lines`
(from a search's path to a line) and `staged` (the first stages in bulk). There is no `proof`: a
search that runs dry is one. There is no `optimal`: fewest moves are not offered.
"""
