"""Hands of the plain reference for tests: of any rule set, dealt from a seed or laid out by hand, played at random."""

import random

from minchiate_rl.game.accounts import PairAccount, SideAccount
from minchiate_rl.game.actions import DROP, parse_action
from minchiate_rl.game.cards import FIRST_TRUMP, KINGS, parse_card
from minchiate_rl.game.events import Ear
from minchiate_rl.game.reference import ReferenceHand
from minchiate_rl.game.rules import RuleSet, ruleset
from minchiate_rl.game.seats import Phase

CLASSIC = ruleset("classic")


def rules_of(game, **switches):
    """Return a game's own rule set, with some switches changed."""
    return RuleSet.from_toml(f'game = "{game}"', f"{game}.toml").replace(**switches)


def shuffled(rules, rng):
    """Return a shuffled pack, with a worthless suit card at the bottom if the rules ask for it."""
    while True:
        pack = list(rules.cards)
        rng.shuffle(pack)
        if not rules.bottom_check or (pack[-1] < FIRST_TRUMP and pack[-1] not in KINGS):
            return pack


def dealt(seed, rules=CLASSIC):
    """Return a hand dealt from a seed, and the generator to go on with."""
    rng = random.Random(seed)
    pack = shuffled(rules, rng)
    cut = 0 if rules.form.deal == "plain" else rng.randint(3, 94)
    return ReferenceHand(rules, pack, cut, rng.randrange(rules.n_seats)), rng


def play_on(hand, rng, until=lambda hand: False):
    """Play uniformly at random until the end, or until something holds; hands are dropped when they may, often."""
    while hand.seat is not None and not until(hand):
        legal = sorted(hand.legal())
        hand.step(DROP if DROP in legal and rng.random() < 0.3 else rng.choice(legal))
    return hand


def at_table(hands, leader=0, tricks=(3, 3), piles=None, rules=CLASSIC):
    """Return a hand in mid-play with the given cards: seats' hands and sides' piles as codes."""
    hand, _ = dealt(0, rules)
    hand.hands = [set(map(parse_card, codes.split())) for codes in hands]
    piles = ["" for _ in tricks] if piles is None else piles
    hand.piles = tuple(set(map(parse_card, codes.split())) for codes in piles)
    hand.phase, hand.seat, hand.tricks = Phase.PLAY, leader, list(tricks)
    hand.trick, hand.opened, hand.deferred = [], set(), []
    hand.account = PairAccount(rules) if rules.form.for_himself else SideAccount(rules)
    hand._to_declare, hand.events, hand._listened = [], [], [0 for _ in hands]
    hand._ears = [_ear(hand, seat) for seat in range(len(hands))]
    return hand


def _ear(hand, seat):
    """Return an ear that has heard of the cards of a hand laid out in mid-play."""
    ear = Ear(seat, hand.rules)
    ear.dealer, ear.match, ear.hand = hand.dealer, hand.match, set(hand.hands[seat])
    ear.piles, ear.tricks = [set(pile) for pile in hand.piles], list(hand.tricks)
    return ear


def with_deal(rules, places, cut=40, dealer=0):
    """Return a hand whose deal has some cards at given places of the pack, the others in the order of the new pack."""
    fixed = {place: parse_card(code) for place, code in places.items()}
    rest = iter([card for card in rules.cards if card not in fixed.values()])
    pack = [fixed[place] if place in fixed else next(rest) for place in range(len(rules.cards))]
    return ReferenceHand(rules, pack, cut, dealer)


def play(hand, names):
    """Take actions by their names, in order."""
    for name in names.split():
        hand.step(parse_action(name))
    return hand
