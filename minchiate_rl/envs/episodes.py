"""Episodes in kernels: which hand is dealt next, who sits where in it, and how the match stands (game/girone.py).

An episode is one hand, a girata of four, a girone of twelve, or a game of Piedicavallo. Learners and agents are
*players*, numbered by the seats of the first hand; in a girone they are seated anew for each girata. A learner against
agents keeps his seat, and the others move; where every seat is a learner's, the first dealer keeps his.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.fused import advance
from minchiate_rl.envs.worth import RESTI_KIND
from minchiate_rl.game.engine.bits import ONE, ZERO, U
from minchiate_rl.game.engine.deal import deal_row, own_dealer
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import HAND_NUMBER, KEY, MATCH, MATCH_HAND, RESTI, SCORE, SEAT, SEED
from minchiate_rl.game.engine.score import ACCOUNT_TRICKS
from minchiate_rl.game.engine.streams import stream_key, stream_word
from minchiate_rl.game.girone import HANDS, sitting
from minchiate_rl.game.piedicavallo.lawbook import HALF
from minchiate_rl.game.piedicavallo.match import EARLY_END, EXTRA_DEALS, N_DEALS
from minchiate_rl.game.rules import R_ACCOUNTS, R_COUNTS_RESTI, R_GIRATA_BONUS, R_SEATS
from minchiate_rl.game.seats import N_SEATS

#: Columns of `books`, int64 (B, BOOKS). What of the hand has been paid out as reward to each side, four columns.
PAID_OUT: Final = 0
#: PLAYING, FINISHED, or BROKEN_OFF by an illegal action.
STATUS: Final = 4
#: The learner; SELF_PLAY if every player is one.
LEARNER: Final = 5
#: The seat that acted last.
ACTOR: Final = 6
#: The seat that is shown.
LOOKER: Final = 7
#: What the last step did: ACTED, DEALT or STOOD.
EVENT: Final = 8
#: The player in each seat, four columns.
PLAYER: Final = 9
#: The learner's seat as it was asked for; ANY_SEAT for a new one by chance each episode.
SEAT_ASKED: Final = 13
#: The dealer of the hand to be dealt, if one was asked for; -1 for the hand's own.
DEALER_ASKED: Final = 14
#: Hands of the episode before this one.
HANDS_DONE: Final = 15
#: Who deals the first hand of the episode.
FIRST_DEALER: Final = 16
#: What each player has won in earlier hands of the episode, four columns: resti, or points where none are counted.
WON: Final = 17
#: How far side 0 is ahead in this girata, in the same unit.
GIRATA_LEAD: Final = 21
#: A whole number of cache lines.
BOOKS: Final = 24

PLAYING: Final = 0
FINISHED: Final = 1
BROKEN_OFF: Final = 2

ACTED: Final = 0
DEALT: Final = 1
STOOD: Final = 2

SELF_PLAY: Final = -1
ANY_SEAT: Final = -2

#: Entries of `setup`, int64: the kind of reward, the autoreset mode, the kind of episode.
REWARD_KIND: Final = 0
AUTORESET: Final = 1
EPISODE: Final = 2

#: Autoreset modes, as in `tables.MODES`.
NEXT_STEP: Final = 0
SAME_STEP: Final = 1
DISABLED: Final = 2

#: Kinds of episode, as in `tables.EPISODES`; a girata of Piedicavallo is a game.
HAND: Final = 0
GIRATA: Final = 1
GIRONE: Final = 2
GAME: Final = 3

#: The domain of a hand's stream that draws the learner's seat.
_DOMAIN_LEARNER: Final = np.uint64(16)
_WORD: Final = np.uint64(0xFFFF)
_N_HANDS: Final = np.array([1, HANDS["girata"], HANDS["girone"], N_DEALS], dtype=np.int64)
_LEVEL: Final = HALF


def _sittings() -> npt.NDArray[np.int64]:
    """Return [hand, first dealer, who stays]: the player in each of the four seats of a girone, then the dealer."""
    table = np.empty((HANDS["girone"], N_SEATS, N_SEATS, N_SEATS + 1), dtype=np.int64)
    for hand, first, stays in np.ndindex(table.shape[:3]):
        place = sitting(hand, first, stays)
        table[hand, first, stays] = *place.players, place.dealer
    return table


_SITTINGS: Final = _sittings()


@kernel
def play_on(rows, log, ledger, i, rule, books, codes):  # type: ignore[no-untyped-def]
    """Let the agents that run in kernels act until the learner, another agent, or nobody is to act."""
    if books[i, LEARNER] != SELF_PLAY:
        advance(rows, log, ledger, rule, codes, i, i + 1)


@kernel
def _seat_players(i, rule, setup, books):  # type: ignore[no-untyped-def]
    """Write the player in each seat for the hand to be dealt, and return its dealer (girone.sitting)."""
    first, hand = books[i, FIRST_DEALER], books[i, HANDS_DONE]
    if setup[EPISODE] != GIRONE:
        for seat in range(4):
            books[i, PLAYER + seat] = seat
        return (first + hand) % rule[R_SEATS]
    stays = books[i, LEARNER] if books[i, LEARNER] != SELF_PLAY else first
    for seat in range(4):
        books[i, PLAYER + seat] = _SITTINGS[hand, first, stays, seat]
    return _SITTINGS[hand, first, stays, 4]


@kernel
def _hands_of(setup, hand):  # type: ignore[no-untyped-def]
    """Return how many hands the episode has, as far as is known in a hand of it; 0 for a hand that stands alone."""
    episode = setup[EPISODE]
    if episode == HAND:
        return 0
    hands = _N_HANDS[episode]
    while hands <= hand:
        hands += EXTRA_DEALS
    return hands


@kernel
def _deal(rows, log, ledger, i, rule, setup, books, codes, plan, pack):  # type: ignore[no-untyped-def]
    """Deal the hand that the row's seed and number name to the players in their seats, and play on to the learner."""
    dealer = _seat_players(i, rule, setup, books)
    deal_row(rows, ledger, i, rule, pack, dealer)
    n_seats, learner = rule[R_SEATS], max(books[i, LEARNER], 0)
    told = ZERO
    for seat in range(n_seats):
        player = books[i, PLAYER + seat]
        codes[i, seat] = plan[(player - learner) % n_seats]
        told |= (U(books[i, WON + player]) & _WORD) << U(16 * seat)
    for side in range(4):
        books[i, PAID_OUT + side] = 0
    if setup[EPISODE] != HAND:
        rows[i, MATCH] = told
        rows[i, MATCH_HAND] = U(books[i, HANDS_DONE]) | (U(_hands_of(setup, books[i, HANDS_DONE])) << U(8))
    books[i, ACTOR] = np.int64(rows[i, SEAT])
    play_on(rows, log, ledger, i, rule, books, codes)


@kernel
def open_table(rows, log, ledger, i, rule, setup, books, codes, plan, pack):  # type: ignore[no-untyped-def]
    """Begin an episode with the hand that the row's seed and number name: seat the learner, deal, play on to him."""
    n_seats = rule[R_SEATS]
    dealer = books[i, DEALER_ASKED]
    if dealer < 0:
        dealer = own_dealer(rows, i, rule)
    books[i, DEALER_ASKED] = -1
    rows[i, KEY] = stream_key(rows[i, SEED], rows[i, HAND_NUMBER])
    seat = books[i, SEAT_ASKED]
    if seat == ANY_SEAT:
        seat = np.int64(stream_word(rows[i, KEY], _DOMAIN_LEARNER, ZERO) % U(n_seats))
    books[i, LEARNER], books[i, FIRST_DEALER] = seat, dealer
    books[i, STATUS], books[i, EVENT], books[i, HANDS_DONE], books[i, GIRATA_LEAD] = PLAYING, DEALT, 0, 0
    for player in range(4):
        books[i, WON + player] = 0
    _deal(rows, log, ledger, i, rule, setup, books, codes, plan, pack)


@kernel
def next_hand(rows, log, ledger, i, rule, setup, books, codes, plan, pack):  # type: ignore[no-untyped-def]
    """Deal the next hand of an episode that goes on."""
    rows[i, HAND_NUMBER] += ONE
    books[i, HANDS_DONE] += 1
    _deal(rows, log, ledger, i, rule, setup, books, codes, plan, pack)


@kernel
def _is_over(setup, books, i, ahead):  # type: ignore[no-untyped-def]
    """Return whether the episode has ended with this hand; `ahead` is side 0's lead in a game of Piedicavallo."""
    hands = books[i, HANDS_DONE] + 1
    if setup[EPISODE] != GAME:
        return hands >= _N_HANDS[setup[EPISODE]]
    if hands == EARLY_END:
        return abs(ahead) > _LEVEL
    return hands >= N_DEALS and (hands - N_DEALS) % EXTRA_DEALS == 0 and ahead != 0


@kernel
def finish_hand(rows, i, rule, setup, books, net):  # type: ignore[no-untyped-def]
    """Enter a finished hand in the books, and note whether the episode has ended.

    The bonus of a girata (docs/rules.md, V-5) is added to `net`, int64 (4,), where that counts resti.
    """
    if setup[EPISODE] == HAND:
        books[i, STATUS] = FINISHED
        return
    if rule[R_COUNTS_RESTI] != 0:
        won = np.int64(rows[i, RESTI]) - np.int64(rows[i, RESTI + 1])
    else:
        won = np.int64(rows[i, SCORE]) - np.int64(rows[i, SCORE + 1])
        if rule[R_ACCOUNTS] == ACCOUNT_TRICKS:
            won //= 2
    books[i, GIRATA_LEAD] += won
    lead = books[i, GIRATA_LEAD]
    if setup[EPISODE] != GAME and (books[i, HANDS_DONE] & 3) == 3:
        if rule[R_GIRATA_BONUS] != 0 and lead != 0:
            bonus = rule[R_GIRATA_BONUS] if lead > 0 else -rule[R_GIRATA_BONUS]
            won += bonus
            if setup[REWARD_KIND] == RESTI_KIND:
                net[0] += bonus
                net[1] -= bonus
        books[i, GIRATA_LEAD] = 0
    for seat in range(4):
        books[i, WON + books[i, PLAYER + seat]] += won if seat & 1 == 0 else -won
    if _is_over(setup, books, i, lead):
        books[i, STATUS] = FINISHED
