"""Worlds that a seat cannot tell apart: another deal of the hidden cards with the same public history, in any form.

The reasoning, written from docs/rules.md, sections 2.1, 7, 10 and 13, and not from the code of the views:

1. `Table.known_cards` lists what the viewer has seen by decision k. With a limited memory he has forgotten cards of
   earlier tricks.
2. All other cards may change places: one takes the place of another in the pack and in the actions alike (a hidden
   discard moves with its card). A card that all have seen in a discarder's hand may have been discarded or not, and
   changes places with another of his cards in the discards alone. Public actions stay what they were.
3. The result is the same story if the rules allow each of its actions, if the same seats are to act all along, if the
   marks are the same, if the same cards were turned, robbed, taken, shown and declared, and if what was counted aloud
   is the same. Swaps that break one of these are rejected, one after the other.
4. The order of the cards inside a seat's packets, and inside the searched part of the fola, tells nobody anything, nor
   do seed and hand number: they are changed in every world.
"""

import dataclasses

import numpy as np

from minchiate_rl.game.cards import FIRST_TRUMP, N_CARDS, UNDISCARDABLE, suit_of, trump
from minchiate_rl.game.engine.layout import MATTO_STATE, OPENED, PAID, PAIRS, PILE, SCORE, TRICKS
from tests.support.known import FIRST_DISCARD, FOLA, SECOND_DISCARD, Table, deal_of, told_of

#: What stays public whatever a seat forgets: marks, resti, tricks, the suits led, the Matto's player, debt and payment.
MARKS = [*range(SCORE, TRICKS + 4), OPENED, MATTO_STATE, PAID, *range(PAIRS, PAIRS + 6)]


def _kind(card):
    if card < FIRST_TRUMP:
        return int(suit_of(card))
    return 5 if card in UNDISCARDABLE else 4


KINDS = np.array([_kind(card) for card in range(N_CARDS)])
IS_TRUMP = np.arange(N_CARDS) >= FIRST_TRUMP
SUITS = np.array([int(suit_of(card)) for card in range(N_CARDS)])
COUNTING = np.array([card in UNDISCARDABLE for card in range(N_CARDS)])

IN_VERSICOLE = COUNTING.copy()
IN_VERSICOLE[trump(14)] = True


def _exchanged(cards, a, b):
    """Return an array with two cards in each other's place."""
    exchanged = cards.copy()
    exchanged[cards == a], exchanged[cards == b] = b, a
    return exchanged


class Resampler:
    """Walks from stories to others that the viewers cannot tell from them."""

    def __init__(self, stories, viewers, seed):
        self.rules, self.stories, self.viewers = stories.rules, stories, viewers
        self.chance = np.random.default_rng(seed)
        self.batch, self.turns, legal = stories.told()
        assert legal.all()
        self.tables = [Table(stories, i, self.turns[i]) for i in range(len(viewers))]
        self.hidden = []
        for i, table in enumerate(self.tables):
            known = table.known_cards(int(viewers[i]), self._pile(i))
            if self.rules.bottom_check:
                known |= {int(stories.packs[i, -1])}
            self.hidden.append(np.array(sorted(set(self.rules.cards) - known), dtype=np.int64))
        self.places = np.stack([table.places() for table in self.tables])
        # What the dealer would take out of the fola, were it there.
        self.taken = COUNTING.copy()
        self.taken[trump(29)] &= self.rules.take_29 != "never"

    def _pile(self, i):
        first = PILE + 2 * (int(self.viewers[i]) % self.rules.n_sides)
        number = int(self.batch.rows[i, first]) | int(self.batch.rows[i, first + 1]) << FIRST_TRUMP
        paid = int(self.batch.rows[i, PAID])
        return {card for card in range(N_CARDS) if number >> card & 1} | ({paid} if paid < N_CARDS else set())

    def worlds(self, rounds):
        """Return other stories, and where hidden cards have changed places (bool (N,))."""
        stories, places = self.stories, self.places.copy()
        for _ in range(rounds):
            packs, actions, lie = stories.packs.copy(), stories.actions.copy(), places.copy()
            for i in range(len(packs)):
                self._swap(i, packs[i], actions[i], lie[i])
            proposed = dataclasses.replace(stories, packs=packs, actions=actions)
            good = self._same_story(proposed)
            stories, places = self._choose(good, proposed, stories), np.where(good[:, None], lie, places)
        deals = [deal_of(stories, i) for i in range(len(places))]
        told = [told_of(deal, self.rules) for deal in deals]
        same = np.array([told[i] == told_of(table.deal, self.rules) for i, table in enumerate(self.tables)])
        stories = self._choose(same, stories, self.stories)
        changed = same & (places != self.places).any(axis=1)
        deals = [deal if same[i] else self.tables[i].deal for i, deal in enumerate(deals)]
        return self._shuffled(stories, deals), changed

    def _choose(self, where, these, those):
        packs = np.where(where[:, None], these.packs, those.packs)
        return dataclasses.replace(these, packs=packs, actions=np.where(where[:, None], these.actions, those.actions))

    def _swap(self, i, pack, actions, lie):
        """Exchange two cards that lie in different places, if the viewer knows of neither; modified in place."""
        table = self.tables[i]
        aside = bool(table.is_discard.any()) and self.chance.random() < 0.3
        pair = self._in_and_out(i, actions, lie) if aside else self._hidden_pair(i, lie)
        if pair is None:
            return
        moves = table.is_discard if aside else table.is_move
        after = np.where(moves, _exchanged(actions, *pair), actions)
        a, b = pair
        places = lie.copy()
        places[a], places[b] = lie[b], lie[a]
        if (IN_VERSICOLE[a] or IN_VERSICOLE[b]) and not table.same_declarations(places, after):
            return
        actions[:], lie[:] = after, places
        if not aside:
            pack[:] = _exchanged(pack, *pair)

    def _hidden_pair(self, i, lie):
        """Return two hidden cards, usually of a kind."""
        hidden = self.hidden[i]
        if len(hidden) < 2:
            return None
        a = self._one_of(hidden)
        others = hidden[lie[hidden] != lie[a]]
        alike = others[KINDS[others] == KINDS[a]]
        b = self._one_of(alike if len(alike) and self.chance.random() < 0.8 else others)
        if b is None:
            return None
        places = (lie[a], lie[b])
        if FOLA in places and self.tables[i].sorters and self._is_told(a, b):
            return None
        # Trumps among the discards are counted aloud in Piedicavallo; elsewhere all others are turned up.
        counted = self.rules.form.deal == "piedicavallo" or self.tables[i].revealed
        told = counted and not {FIRST_DISCARD, SECOND_DISCARD}.isdisjoint(places) and IS_TRUMP[a] != IS_TRUMP[b]
        return None if told else (a, b)

    def _is_told(self, a, b):
        """Tell whether it would be heard if two cards changed places into and out of a sorted fola."""
        return self.taken[a] or self.taken[b] or SUITS[a] != SUITS[b]

    def _in_and_out(self, i, actions, lie):
        """Return a card that was discarded and one of the same hand that was not, both of them unknown as such."""
        table = self.tables[i]
        free = np.array(
            sorted({*self.hidden[i].tolist(), *table.unplaced()} - set(actions[table.is_play].tolist())), int
        )
        if table.revealed:
            free = free[IS_TRUMP[free]]
        places = table.secret_places(int(self.viewers[i]))
        if not places:
            return None
        place, owner = places[self.chance.integers(len(places))]
        pair = self._one_of(free[lie[free] == place]), self._one_of(free[lie[free] == owner])
        return None if None in pair else pair

    def _one_of(self, cards):
        return cards[self.chance.integers(len(cards))] if len(cards) else None

    def _same_story(self, stories):
        batch, turns, legal = stories.told()
        same = (turns == self.turns).all(axis=(1, 2))
        return legal & same & (batch.rows[:, MARKS] == self.batch.rows[:, MARKS]).all(axis=1)

    def _shuffled(self, stories, deals):
        """Change the order of cards where it tells nothing: inside the packets, and in the searched fola."""
        packs = stories.packs.copy()
        for i, table in enumerate(deals):
            fixed = {*table.turned, *table.stoppers, *table.robbed[0], *table.robbed[1]}
            fixed |= {int(packs[i, -1])} if self.rules.bottom_check else set()
            place_of = {card: place for place, card in enumerate(packs[i].tolist())}
            for cards in (*table.dealt, (*table.fola, *table.taken)):
                group = [place_of[card] for card in cards if card not in fixed]
                packs[i, group] = packs[i, self.chance.permutation(group)] if group else packs[i, group]
        return dataclasses.replace(stories, packs=packs)
