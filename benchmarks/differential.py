"""Compare the engine with the reference on random hands: every legal set, score entry, resto, trick and view.

    python benchmarks/differential.py --hands 50000 --seed 1 [--rules NAME] [--all-seats 0.1] [--random-switches]

The view of the seat to act is compared at every decision, those of all seats in the share `--all-seats` of the hands. A
difference ends the run with exit status 1. `--rules` takes a rule set by name, or a TOML file; `--random-switches`
draws the switches of its game at random for each block of `--block` hands.
"""

import argparse
import sys
import time

from minchiate_rl.errors import RulesError
from minchiate_rl.game.rules import ruleset
from minchiate_rl.testing import Difference, compare_with_reference

_BLOCK = 200
_BLOCK_OF_RANDOM_SWITCHES = 20


def main() -> int:
    """Run the comparison over blocks of hands and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-hand", type=int, default=0)
    parser.add_argument("--rules", default="classic", help="the name of a rule set, or a TOML file")
    parser.add_argument("--all-seats", type=float, default=0.1, help="share of hands that are seen from all seats")
    parser.add_argument("--random-switches", action="store_true")
    parser.add_argument("--block", type=int, help="hands dealt at a time, and played by the same switches")
    options = parser.parse_args()
    started = time.monotonic()
    block = options.block or (_BLOCK_OF_RANDOM_SWITCHES if options.random_switches else _BLOCK)
    try:
        decisions = compare_with_reference(
            options.hands,
            options.seed,
            options.first_hand,
            rules=ruleset(options.rules),
            all_seats=options.all_seats,
            random_switches=options.random_switches,
            block=block,
        )
    except RulesError as error:
        print(error, file=sys.stderr)
        return 2
    except Difference as difference:
        print(difference, file=sys.stderr)
        return 1
    print(f"{options.hands} hands, {decisions} decisions, no difference, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
