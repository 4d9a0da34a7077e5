"""Worlds that a seat cannot tell apart: another deal of the hidden cards with the same public history.

The reasoning, written from docs/rules.md, section 2.1, and not from the code of the views:

1. `known_cards` lists what the viewer has seen by decision k: his own cards, the cards turned up, robbed, stopping a
   robbery, taken, the fola's suit cards, for the dealer's side the whole fola, declared cards, cards played, and, once
   turned up, the discards. With a limited memory he has forgotten cards of earlier tricks.
2. All other cards may change places. A permutation that moves nothing else is applied to the pack and to the actions
   (a hidden discard moves with its card); public actions stay what they were.
3. The result is the same story if the rules allow each of its actions, if the same seats are to act all along, if the
   marks are the same, if the fola still holds nothing that would have been taken or shown, and if the same cards were
   shown in declarations. Swaps that break one of these are rejected, one after the other.
4. The order of the cards inside a seat's packets, and inside the searched part of the fola, tells nobody anything, nor
   do seed and hand number: they are changed in every world.
"""

import dataclasses

import numpy as np

from minchiate_rl.agents.fused import advance
from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DONE
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, UNDISCARDABLE, suit_of
from minchiate_rl.game.dealing import deal
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import (
    LOG,
    MATTO_STATE,
    NOBODY,
    OPENED,
    PAID,
    PHASE,
    PILE,
    SCORE,
    SEAT,
    TRICK,
    TRICKS,
)
from minchiate_rl.game.engine.legal import is_legal
from minchiate_rl.game.engine.step import apply
from minchiate_rl.game.lawbook import versicole_of
from minchiate_rl.game.seats import Phase
from minchiate_rl.views.batch import Batch

FOLA, CUTTERS_DISCARD, DEALERS_DISCARD = 4, 5, 6
#: What stays public whatever a seat forgets: marks, resti, tricks, the suits led, the Matto's player, debt and payment.
MARKS = [*range(SCORE, TRICKS + 2), OPENED, MATTO_STATE, PAID]


@kernel
def replay(rows, log, ledger, rule, actions, counts, turns):  # type: ignore[no-untyped-def]
    """Take counts[i] of the actions in each row; write who is to act, phase and trick at each decision to `turns`.

    Returns whether all of a row's actions were legal, bool (N,).
    """
    legal = np.ones(len(rows), np.bool_)
    for i in range(len(rows)):
        for t in range(counts[i] + 1):
            turns[i, t, 0] = np.int8(rows[i, SEAT])
            turns[i, t, 1] = np.int8(rows[i, PHASE])
            turns[i, t, 2] = np.int8(rows[i, TRICK])
            if t == counts[i]:
                break
            action = np.int64(actions[i, t])
            if rows[i, SEAT] == NOBODY or not is_legal(rows, i, rule, action):
                legal[i] = False
                break
            apply(rows, log, ledger, i, rule, action)
    return legal


@dataclasses.dataclass
class Stories:
    """Hands from the pack on: packs (N, 97), cuts, dealers (N,), actions (N, LOG), counts (N,)."""

    rules: object
    packs: np.ndarray
    cuts: np.ndarray
    dealers: np.ndarray
    actions: np.ndarray
    counts: np.ndarray

    def take(self, rows, counts):
        """Return some of the stories, each up to a number of actions."""
        parts = (self.packs[rows], self.cuts[rows], self.dealers[rows], self.actions[rows])
        return Stories(self.rules, *(part.copy() for part in parts), np.asarray(counts))

    def told(self, seed=0):
        """Return the batch after the actions, the turns (N, LOG + 1, 3), and which stories are legal."""
        size = len(self.packs)
        seeds = np.full(size, seed, dtype=np.uint64)
        hands = np.arange(size, dtype=np.uint64) + np.uint64(seed)
        batch = Batch.from_packs(self.rules, self.packs, self.cuts, self.dealers, seeds, hands)
        turns = np.full((size, LOG + 1, 3), -1, dtype=np.int8)
        row = self.rules.row
        legal = replay(batch.rows, batch.log, batch.ledger, row, self.actions, self.counts, turns)
        return batch, turns, legal


def play_stories(rules, hands, seed):
    """Return finished stories: random players in the even hands, heuristic ones in the odd."""
    batch = Batch(rules, hands, seed=seed)
    drawn = [batch.pack(i) for i in range(hands)]
    codes = np.where(np.arange(hands) % 2 == 0, 0, 2).astype(np.int8)
    advance(batch.rows, batch.log, batch.ledger, rules.row, np.repeat(codes[:, None], 4, axis=1), 0, hands)
    packs, cuts = np.array([pack for pack, _ in drawn], dtype=np.uint8), np.array([cut for _, cut in drawn])
    actions = batch.log.astype(np.int16)
    return Stories(rules, packs, cuts, batch.dealer.astype(np.int64), actions, batch.decision.astype(np.int64))


@dataclasses.dataclass
class Table:
    """Where each card of a story lies, and what has been seen of it; plain Python, from the rules alone."""

    story: Stories
    i: int
    turns: np.ndarray

    def __post_init__(self):
        self.dealer = int(self.story.dealers[self.i])
        self.deal = deal(self.story.packs[self.i].tolist(), int(self.story.cuts[self.i]), self.dealer)
        robbed = self.deal.robbed
        self.n_discards = len(robbed[0]), len(robbed[1]) + len(self.deal.taken)
        self.k = int(self.story.counts[self.i])
        self.actions = self.story.actions[self.i, : self.k].tolist()
        self.own = [set(cards) for cards in self.deal.dealt]
        self.own[(self.dealer + 3) % 4] |= set(robbed[0])
        self.own[self.dealer] |= {*robbed[1], *self.deal.taken}
        first = self.n_discards[0]
        self.discards = [self.actions[:first], self.actions[first : sum(self.n_discards)]]
        self.shown = self._shown_in_declarations()
        # The discards are turned up when the dealer has declared, the lead being on the table.
        self.revealed = self.turns[self.k, 1] >= Phase.PLAY and (
            self.turns[self.k, 2] > 0 or self.turns[self.k, 0] != (self.dealer + 1) % 4
        )

    def _shown_in_declarations(self):
        """Return the cards shown in declarations."""
        cards = set()
        turns, actions = self.turns[: self.k], np.array(self.actions)
        for t in np.flatnonzero((turns[:, 1] == int(Phase.DECLARE)) & (actions != DONE)):
            hand = self.own[turns[t, 0]] - set(self.discards[0]) - set(self.discards[1])
            with_matto = bool(actions[t] >= DECLARE_WITH_MATTO)
            number = int(actions[t]) - (DECLARE_WITH_MATTO if with_matto else DECLARE)
            cards |= next(set(v.cards) for v in versicole_of(hand, self.story.rules.demonio) if v.k == number)
            cards |= {MATTO} if with_matto else set()
        return cards

    def played(self):
        """Return the cards played, as (trick, card)."""
        turns = self.turns[: self.k].tolist()
        return [(turn[2], card) for turn, card in zip(turns, self.actions, strict=True) if turn[1] == 2]

    def known_cards(self, viewer, pile):
        """Return the cards that the viewer knows the place of; `pile` holds the trick cards of his side."""
        table = self.deal
        known = {*table.turned, *table.robbed[0], *table.robbed[1], *table.taken, *self.shown}
        known |= {card for card in table.stoppers if card is not None}
        known |= {card for card in table.fola if card < FIRST_TRUMP}
        if (viewer - self.dealer) % 2 == 0:
            known |= set(table.fola)
        if self.revealed:
            known |= {*self.discards[0], *self.discards[1]}
        memory, trick = self.story.rules.memory, self.turns[self.k, 2]
        plays = self.played()
        forgotten = {card for t, card in plays if t < trick} if memory != "perfect" else set()
        if memory == "own_tricks":
            forgotten -= pile
        known |= self.own[viewer] - forgotten
        known |= {card for _, card in plays} - forgotten
        return known

    def places(self):
        """Return where each card lies or lay: a seat's hand, the fola, or a discard."""
        where = np.full(N_CARDS, FOLA)
        for seat, cards in enumerate(self.own):
            where[list(cards)] = seat
        where[self.discards[0]] = CUTTERS_DISCARD
        where[self.discards[1]] = DEALERS_DISCARD
        return where


def _kind(card):
    if card < FIRST_TRUMP:
        return int(suit_of(card))
    return 5 if card in UNDISCARDABLE else 4


KINDS = np.array([_kind(card) for card in range(N_CARDS)])
COUNTING = np.array([card in UNDISCARDABLE for card in range(N_CARDS)])


class Resampler:
    """Walks from stories to others that the viewers cannot tell from them."""

    def __init__(self, stories, viewers, seed):
        self.rules, self.stories, self.viewers = stories.rules, stories, viewers
        self.chance = np.random.default_rng(seed)
        self.batch, self.turns, legal = stories.told()
        assert legal.all()
        self.hidden, self.where, self.shy = [], [], []
        piles = [self._pile(i) for i in range(len(viewers))]
        for i, viewer in enumerate(viewers):
            table = Table(stories, i, self.turns[i])
            known = table.known_cards(int(viewer), piles[i])
            self.hidden.append(np.array(sorted(set(range(N_CARDS)) - known), dtype=np.int64))
            self.where.append(table.places())
            # Where something was declared, cards that could lengthen it stay where they are.
            self.shy.append(bool(table.shown))
        self.identity = np.tile(np.arange(N_CARDS), (len(viewers), 1))

    def _pile(self, i):
        first = PILE + 2 * (int(self.viewers[i]) & 1)
        number = int(self.batch.rows[i, first]) | int(self.batch.rows[i, first + 1]) << FIRST_TRUMP
        paid = int(self.batch.rows[i, PAID])
        return {card for card in range(N_CARDS) if number >> card & 1} | ({paid} if paid < N_CARDS else set())

    def worlds(self, rounds):
        """Return other stories, and where hidden cards have changed places (bool (N,))."""
        moved = self.identity.copy()
        for _ in range(rounds):
            proposed = moved.copy()
            for i in range(len(moved)):
                self._swap(i, proposed[i])
            good = self._same_story(proposed)
            moved[good] = proposed[good]
        places = np.stack(self.where)
        changed = (np.take_along_axis(places, moved, axis=1) != places).any(axis=1)
        return self._shuffled(self._apply(moved)), changed

    def _swap(self, i, moved):
        """Exchange two hidden cards that lie in different places, usually of a kind; modified in place."""
        hidden, where = self.hidden[i], self.where[i]
        if len(hidden) < 2:
            return
        a = hidden[self.chance.integers(len(hidden))]
        others = hidden[where[hidden] != where[a]]
        alike = others[KINDS[moved[others]] == KINDS[moved[a]]]
        pool = alike if len(alike) and self.chance.random() < 0.8 else others
        if not len(pool):
            return
        b = pool[self.chance.integers(len(pool))]
        if FOLA in (where[a], where[b]) and (KINDS[moved[a]] != 4 or KINDS[moved[b]] != 4):
            return
        if self.shy[i] and (COUNTING[moved[a]] or COUNTING[moved[b]]):
            return
        moved[a], moved[b] = moved[b], moved[a]

    def _apply(self, moved):
        """Return the stories with every card replaced by the one that takes its place."""
        stories = self.stories
        packs = np.take_along_axis(moved, stories.packs.astype(np.int64), axis=1).astype(np.uint8)
        cards = stories.actions < N_CARDS
        actions = np.take_along_axis(moved, np.where(cards, stories.actions, 0).astype(np.int64), axis=1)
        actions = np.where(cards, actions, stories.actions).astype(np.int16)
        return dataclasses.replace(stories, packs=packs, actions=actions)

    def _same_story(self, moved):
        batch, turns, legal = self._apply(moved).told()
        same = (turns == self.turns).all(axis=(1, 2))
        return legal & same & (batch.rows[:, MARKS] == self.batch.rows[:, MARKS]).all(axis=1)

    def _shuffled(self, stories):
        """Change the order of cards where it tells nothing: inside the packets, and in the searched fola."""
        packs = stories.packs.copy()
        for i in range(len(packs)):
            cut = int(stories.cuts[i])
            table = deal(packs[i].tolist(), cut, int(stories.dealers[i]))
            places = [[] for _ in range(4)]
            for j in range(84):
                packet = j // 10 if j < 40 else 4 + (j - 40) // 11
                if not (j >= 40 and (j - 40) % 11 == 10):
                    places[packet % 4].append((cut + j) % N_CARDS)
            first, last = 84 + len(table.robbed[1]) + 1, 84 + table.fola_dealt
            places.append([(cut + j) % N_CARDS for j in range(first, last - (table.stoppers[0] is not None))])
            for group in places:
                packs[i, group] = packs[i, self.chance.permutation(group)] if group else packs[i, group]
        return dataclasses.replace(stories, packs=packs)
