"""The position of a record before one of its actions, as a batch that can be looked at and played on."""

from typing import Any

from minchiate_rl.game.record import replay_to
from minchiate_rl.views.batch import Batch


def position(record: dict[str, Any], k: int) -> Batch:
    """Return a batch of one hand that stands before the record's action k (docs/records.md).

    Declarations that action k passes over have been refused. Nothing after action k is looked at, nor the result, so
    a record that was cut off after action k stands at the same position.

    Args:
        record: a record; `players` and `result` may be missing.
        k: 0 to the number of actions; that number stands for the end.

    Raises:
        RecordError: there is no action k, a field needed is malformed, or an action before k is illegal.
    """
    return replay_to(record, k, Batch)
