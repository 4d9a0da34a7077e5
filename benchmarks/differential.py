"""Compare the engine with the reference on random hands: every legal set, score entry, resto, trick and view.

    python benchmarks/differential.py --hands 50000 --seed 1 [--all-seats 0.1] [--flags]

The view of the seat to act is compared at every decision, those of all four seats in the share `--all-seats` of the
hands. A difference ends the run with exit status 1. `--flags` draws the switches at random for each block of hands.
"""

import argparse
import sys
import time

from minchiate_rl.testing import compare_with_reference


def main() -> int:
    """Run the comparison over blocks of hands and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-hand", type=int, default=0)
    parser.add_argument("--all-seats", type=float, default=0.1)
    parser.add_argument("--flags", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()
    decisions = compare_with_reference(
        options.hands, options.seed, options.first_hand, all_seats=options.all_seats, random_switches=options.flags
    )
    print(f"{options.hands} hands, {decisions} decisions, no difference, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
