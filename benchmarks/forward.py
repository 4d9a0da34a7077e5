"""The policy's forward pass in compiled code: how near it is to torch's, and what a decision costs.

    python benchmarks/forward.py --width 256 --rows 10000

Views come from hands played at random, and are of choices alone; the network has random weights. Times are the best of
several runs, in microseconds of the processor a decision, one thread.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch

from minchiate_rl.agents import suits
from minchiate_rl.agents.choice import unpack_legal
from minchiate_rl.agents.forward import choose_by_policy, choose_rows
from minchiate_rl.agents.network import PolicyNetwork, policy_logits
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.game.engine.jit import kernel
from minchiate_rl.game.engine.layout import V_LEGAL, V_TURN
from minchiate_rl.game.rules import ruleset
from minchiate_rl.views.batch import Batch
from minchiate_rl.views.view import Views


@kernel
def _singly(layers, scratch, views, words, j, repeats):  # type: ignore[no-untyped-def]
    """Choose for view row j over and over; return the sum of the actions."""
    total = 0
    for _ in range(repeats):
        total += choose_by_policy(layers, scratch, views, j, words[j], 0.0)
    return total


def _views(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the view rows of choices in hands played at random, and a random word for each."""
    batch, found, count = Batch("classic", max(64, rows // 40), seed=1), [], 0
    while count < rows:
        if batch.done.all():
            batch.reset()
        turn = batch.seat >= 0
        mask = batch.legal_mask()
        seen = batch.views(turn).words[mask[turn].sum(axis=1) > 1]
        found.append(seen)
        count += len(seen)
        chances = np.random.default_rng(count).random(mask.shape)
        batch.step(np.where(mask, chances, -1.0).argmax(axis=1).astype(np.int16))
    order = np.random.default_rng(0).permutation(count)[:rows]
    words = np.random.default_rng(1).integers(0, 2**63, rows, dtype=np.uint64)
    return np.ascontiguousarray(np.concatenate(found)[order]), words


def _best(work: Callable[[], object], units: int, runs: int = 7) -> float:
    """Return the microseconds of the processor that a unit of the work takes, the best of some runs."""
    work()
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) / units * 1e6


def main() -> None:
    """Compare and time, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--rows", type=int, default=10_000)
    args = parser.parse_args()
    torch.set_num_threads(1)
    rules = ruleset("classic")
    network = PolicyNetwork(shape_for(rules, args.width, 8))
    torch.nn.init.normal_(network.head.weight, 0.0, 3.0 / args.width**0.5)
    policy, scratch = network.compiled(), network.compiled().scratch(rules)
    seen, words = _views(args.rows)
    views = Views(seen, rules)
    tokens, legal = views.tokens(), seen[:, V_LEGAL : V_LEGAL + 4].copy()
    suits.rename(seen, np.arange(len(seen)), tokens, legal, np.zeros(len(seen), np.int8))
    phases = (seen[:, V_TURN] & np.uint64(0xFF)).astype(np.int8)
    mask = unpack_legal(legal, rules.num_actions)
    ours, theirs = policy.logits(tokens, phases, legal), policy_logits(network, tokens, phases, legal)
    print(f"width {args.width}, {len(seen)} views, {mask.sum() / len(seen):.1f} legal actions a view")
    print(f"largest difference from torch: {np.abs(ours - theirs)[mask].max():.1e}")
    size = min(2048, len(seen))
    some, actions = slice(0, size), np.zeros(size, np.int16)

    def one_by_one() -> None:
        for j in range(0, size, 32):
            _singly(policy.layers, scratch, seen, words, j, 32)

    for name, work in (
        ("torch, the logits of a batch", lambda: policy_logits(network, tokens[some], phases[some], legal[some])),
        ("compiled, the same logits", lambda: policy.logits(tokens[some], phases[some], legal[some])),
        (
            "compiled, from views to actions, in a batch",
            lambda: choose_rows(policy.layers, scratch, seen[some], words[some], 0.0, actions),
        ),
        ("the same one by one in a kernel, each 32 times over", one_by_one),
    ):
        print(f"{name}: {_best(work, size):.1f} us a decision")


if __name__ == "__main__":
    main()
