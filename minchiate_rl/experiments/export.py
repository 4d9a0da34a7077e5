"""An agent's folder out of a training run: the policy of its newest sound checkpoint, and what it comes from."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minchiate_rl import content
from minchiate_rl.agents.policy import read_policy, save_agent
from minchiate_rl.errors import AgentError, RunError
from minchiate_rl.experiments.folder import CONFIG, recipe_of


def export(run: Path, folder: Path, about: Mapping[str, str]) -> dict[str, Any]:
    """Write the policy of a run's newest sound checkpoint as an agent's folder; critic and optimizer stay behind.

    Args:
        run: the folder of a run; it may still be going on.
        folder: the agent's folder, which must not be there yet. It is complete or not there at all.
        about: what agent.json tells besides the recipe's name and the seed, minutes, steps and hands of training.

    Returns:
        What agent.json tells about the agent.

    Raises:
        RunError: `run` holds no run, or the folder is there already or cannot be written.
        AgentError: the run has no checkpoint yet, or `about` names what the run tells itself.
        CheckpointError: no checkpoint is sound.
        RecipeError: the settings of the run are damaged.
    """
    if os.path.lexists(folder):
        raise RunError(f"{folder}: exists already; an agent gets a folder of its own")
    if not (run / CONFIG).is_file():
        raise RunError(f"{run}: holds no run ({CONFIG} is missing)")
    recipe = recipe_of(run)
    network, rules, document = read_policy(run)
    counters = document.get("counters", {})
    told: dict[str, Any] = {
        "recipe": recipe.name,
        "seed": recipe.seed,
        "minutes": round(counters.get("seconds", 0.0) / 60.0, 1),
        "steps": counters.get("step", 0),
        "hands": counters.get("hands", 0),
    }
    for key in about:
        if key in told:
            raise AgentError(f"--about {key}: is told by the run itself; other keys than {', '.join(told)} are free")
    told |= about
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        save_agent(part, network, rules, told)
        part.rename(folder)
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return told


def spec_of(folder: Path) -> str:
    """Return the spec of the agent in a folder: `zoo:NAME` among those that come with the toolkit, else its path."""
    if folder.resolve().parent == content.folder("agents").resolve():
        return f"zoo:{folder.name}"
    return f"policy:{folder}"
