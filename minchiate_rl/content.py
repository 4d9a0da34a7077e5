"""Where the content lies: rule sets (envs/), trained agents (agents/) and recipes (experiments/); values as TOML.

In a checkout these are the top-level folders; an installed wheel carries them inside the package.
"""

import os
from importlib.resources import files
from pathlib import Path

FOLDERS = ("envs", "agents", "experiments")


def root() -> Path:
    """Return the folder that holds the content folders."""
    package = Path(str(files("minchiate_rl")))
    packed = package / "_content"
    return packed if packed.is_dir() else package.parent


def folder(name: str) -> Path:
    """Return one content folder, such as `envs`."""
    return root() / name


def tomls(name: str) -> dict[str, Path]:
    """Return the TOML files of a content folder, by name without the ending, sorted."""
    return {path.stem: path for path in sorted(folder(name).glob("*.toml"))}


def cache_root() -> Path:
    """Return the folder for compiled kernels: MINCHIATE_CACHE_DIR, or `minchiate_rl` in the user's cache folder."""
    own = os.environ.get("MINCHIATE_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "minchiate_rl"


def toml_value(value: object) -> str:
    """Return a text, a number, a truth value or a tuple of them as TOML writes it; None is the text "none"."""
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str):
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'
    return repr(value)
