"""The tarocchi of Piedicavallo in plain Python: rules, speech, a hand, a game (docs/piedicavallo.md).

Modules:
    lawbook: cards, discards, tricks and scoring, one question a function.
    speech: what a player may say, and whether it is true.
    events: what happens in a hand, who hears it, and the view made of it.
    reference: one hand, decision by decision.
    match: the game of four deals.

Nothing here is shared with the kernels of game/engine: each serves to check the other.
"""
