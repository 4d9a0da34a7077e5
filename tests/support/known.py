"""Where each card of a story lies, and what each seat has seen of it: docs/rules.md, sections 2.1, 7, 10 and 13.

Plain Python, from the rules alone: nothing here looks at the views, nor at how the engine or the reference make them.
"""

import numpy as np

from minchiate_rl.game.actions import DECLARE, DECLARE_WITH_MATTO, DONE, DROP
from minchiate_rl.game.cards import FIRST_TRUMP, MATTO, N_CARDS, suit_of
from minchiate_rl.game.dealing import Deal, deal
from minchiate_rl.game.lawbook import extras_of, versicole_of
from minchiate_rl.game.piedicavallo import lawbook
from minchiate_rl.game.seats import Phase, cutter_of

#: Where a card may lie beside the hands of seats 0 to 3: what the cutter or the fola's user laid away, what the dealer
#: did, what the cutter handed to the dealer, and what the dealer's side took into its pile.
FOLA, FIRST_DISCARD, SECOND_DISCARD, PASSED, TAKEN = range(4, 9)
FOLA_SIZE = 13


def deal_of(stories, i):
    """Return what lies where before anybody decides."""
    pack, cut, dealer = stories.packs[i].tolist(), int(stories.cuts[i]), int(stories.dealers[i])
    if stories.rules.form.deal != "piedicavallo":
        return deal(pack, cut, dealer, stories.rules)
    hands = tuple(map(tuple, lawbook.deal(pack, cut, dealer)))
    return Deal(hands, (None,) * 4, ((), ()), (None, None), (), (), 0)


def told_of(table, rules):
    """Return what everybody is told of a deal: robbed, turned, stoppers, taken, and what is said of the fola."""
    plain = [card for card in table.fola if not _is_trump(card)]
    if not rules.fola_suits_shown:
        plain = [suit_of(card) for card in plain]
    fola = [] if rules.form.sorter == "nobody" else sorted(plain)
    return table.robbed, table.turned, table.stoppers, set(table.taken), len(table.fola), fola


class Table:
    """A story up to its decision k."""

    def __init__(self, stories, i, turns):
        self.rules, self.dealer = stories.rules, int(stories.dealers[i])
        self.cutter = cutter_of(self.dealer, self.rules.n_seats)
        self.k = int(stories.counts[i])
        self.deal = deal_of(stories, i)
        self.actions, self.turns = stories.actions[i, : self.k].tolist(), turns
        phases = np.where(np.arange(stories.actions.shape[1]) < self.k, turns[:-1, 1], -1)
        self.is_discard = phases == Phase.DISCARD
        self.is_play = ((phases == Phase.PLAY) & (stories.actions[i] < N_CARDS)) | (phases == Phase.PICK)
        self.is_move = self.is_discard | self.is_play
        self._lay_away()
        self.declared = self._declarations()
        self.shown = {card for _, cards in self.declared for card in cards} | self._dropped()

    def _lay_away(self):
        """Find what each seat has had in its hand, and what was laid away or handed over."""
        rules, table = self.rules, self.deal
        self.own = [set(cards) for cards in table.dealt]
        self.own[self.cutter] |= set(table.robbed[0])
        self.own[self.dealer] |= {*table.robbed[1], *(table.taken if rules.pigliare_to == "hand" else ())}
        self.discards, self.passed, self.user = [[], []], [], None
        if rules.form.bidding == "fola" and (self.turns[: self.k + 1, 1] == Phase.DISCARD).any():
            first = np.flatnonzero(self.turns[: self.k + 1, 1] == Phase.DISCARD)[0]
            self.user = int(self.turns[first, 0])
            self.own[self.user] |= set(table.fola)
        for t in np.flatnonzero(self.is_discard):
            seat, card = int(self.turns[t, 0]), self.actions[t]
            first = seat == (self.cutter if self.user is None else self.user) and rules.form.deal == "robbed"
            if first and rules.rob_limit is None and len(self.discards[0]) == FOLA_SIZE:
                self.passed.append(card)
                self.own[self.dealer].add(card)
            else:
                self.discards[0 if first else 1].append(card)
        self.revealed = self._revealed()
        self.sorters = set()
        if rules.form.sorter != "nobody":
            self.sorters = {self.dealer, (self.dealer + 2) % 4} if rules.form.sorter == "partner" else {self.dealer}

    def _revealed(self):
        """Tell whether the discards have been turned up."""
        if self.rules.form.deal == "piedicavallo":
            return False
        phase, trick = self.turns[self.k, 1], self.turns[self.k, 2]
        if trick > 0 or self.rules.discards_shown == "after_first_trick":
            return trick > 0
        # Before the second card; where each declares after his own card, the eldest alone has done so by then.
        turns_taken = sum(phase == Phase.PLAY for phase in self.turns[: self.k, 1])
        return turns_taken >= (1 if phase in (Phase.PLAY, Phase.PICK) else 2)

    def _in_hand(self, t, places, actions):
        """Return the hand of the seat to act at decision t, all discards being over."""
        seat = int(self.turns[t, 0])
        held = set(np.flatnonzero((places == seat) | ((places == PASSED) & (seat == self.dealer))).tolist())
        return held - {actions[p] for p in self._plays_before(t, seat)}

    def _plays_before(self, t, seat):
        """Return when a seat played cards before decision t; it still plays for itself."""
        return [p for p in np.flatnonzero(self.is_play[:t]) if self.turns[p, 0] == seat]

    def _shows(self, t, hand):
        """Return the cards that the declaration of decision t shows out of a hand; None if it cannot be made."""
        with_matto = self.actions[t] >= DECLARE_WITH_MATTO
        number = self.actions[t] - (DECLARE_WITH_MATTO if with_matto else DECLARE)
        held = [set(v.cards) for v in versicole_of(hand, **extras_of(self.rules)) if v.k == number]
        if not held or (with_matto and MATTO not in hand):
            return None
        return held[0] | ({MATTO} if with_matto else set())

    def _declarations(self):
        """Return the declarations as (decision, cards shown)."""
        places = self.places()
        declared = (self.turns[: self.k, 1] == Phase.DECLARE) & (np.array(self.actions) != DONE)
        return [
            (t, self._shows(t, self._in_hand(t, places, self.actions)))
            for t in (np.flatnonzero(declared) if self.k else [])
        ]

    def same_declarations(self, places, actions):
        """Tell whether the same cards are shown in all declarations when the cards lie elsewhere."""
        return all(self._shows(t, self._in_hand(t, places, actions)) == cards for t, cards in self.declared)

    def _dropped(self):
        """Return the cards of hands laid open."""
        places, cards = self.places(), set()
        for t in range(self.k):
            if self.actions[t] == DROP and self.turns[t, 1] == Phase.PLAY:
                cards |= self._in_hand(t, places, self.actions)
        return cards

    def played(self):
        """Return the cards played, as (trick, card)."""
        return [(int(self.turns[t, 2]), self.actions[t]) for t in np.flatnonzero(self.is_play)]

    def _known_discards(self, viewer):
        """Return the discards that the viewer knows."""
        known = set(self.discards[0]) if viewer == (self.cutter if self.user is None else self.user) else set()
        known |= set(self.discards[1]) if viewer == self.dealer else set()
        if self.revealed:
            trumps_too = self.rules.discard_trumps_shown or viewer in self.sorters
            known |= {c for cards in self.discards for c in cards if trumps_too or not _is_trump(c)}
        return known

    def known_cards(self, viewer, pile):
        """Return the cards that the viewer knows; `pile` holds the trick cards of his side."""
        table, rules = self.deal, self.rules
        known = {*table.turned, *table.robbed[0], *table.robbed[1], *table.taken, *table.stoppers, *self.shown} - {None}
        if viewer in self.sorters:
            known |= set(table.fola)
        elif self.sorters and rules.fola_suits_shown:
            known |= {card for card in table.fola if not _is_trump(card)}
        known |= self._known_discards(viewer) | (set(self.passed) if viewer in (self.cutter, self.dealer) else set())
        trick, plays = self.turns[self.k, 2], self.played()
        forgotten = {card for t, card in plays if t < trick} if rules.memory != "perfect" else set()
        if rules.memory == "own_tricks":
            forgotten -= pile
        known |= self.own[viewer] - forgotten
        return known | ({card for _, card in plays} - forgotten)

    def unplaced(self):
        """Return cards that all have seen in a hand out of which they may have been discarded since."""
        seen = {*self.deal.turned, *self.deal.robbed[0], *self.deal.robbed[1]} - {None}
        return seen - self.shown - {card for _, card in self.played()}

    def secret_places(self, viewer):
        """Return the places of discards that the viewer does not see, with the seat that they came from."""
        owner = self.cutter if self.user is None else self.user
        hidden = not self.revealed or not (self.rules.discard_trumps_shown or viewer in self.sorters)
        found = [(FIRST_DISCARD, owner)] if hidden and viewer != owner else []
        found += [(SECOND_DISCARD, self.dealer)] if hidden and viewer != self.dealer else []
        return found + ([(PASSED, self.cutter)] if viewer not in (self.cutter, self.dealer) else [])

    def places(self):
        """Return where each card lies or lay: in a seat's hand, the fola, a discard; int (97,), -1 for no card."""
        where = np.full(N_CARDS, -1)
        where[list(self.deal.fola)] = FOLA
        where[list(self.deal.taken)] = TAKEN
        for seat, cards in enumerate(self.own):
            where[sorted(cards - set(self.passed))] = seat
        where[self.discards[0]] = FIRST_DISCARD
        where[self.discards[1]] = SECOND_DISCARD
        where[self.passed] = PASSED
        return where


def _is_trump(card):
    return card >= FIRST_TRUMP
