"""The errors of the toolkit, each one clear sentence for the person who made the mistake.

Every error derives from `MinchiateError`; the command line prints its text on one line and exits with status 2.
"""


class MinchiateError(Exception):
    """Base class: bad input of any kind, told in one line."""


class InvalidNotation(MinchiateError, ValueError):
    """A card code, action name or agent spec that cannot be read."""


class IllegalAction(MinchiateError, ValueError):
    """An action that the rules do not allow at this point; nothing was moved."""


class RulesError(MinchiateError, ValueError):
    """An unknown rule set, or a switch whose value is not allowed."""


class RecordError(MinchiateError, ValueError):
    """A game record that is malformed, or that does not replay."""


class AgentError(MinchiateError, ValueError):
    """An unknown agent, or an option that the agent does not take."""


class RecipeError(MinchiateError, ValueError):
    """An unknown training recipe, or a field with a value that is not allowed."""


class CheckpointError(MinchiateError, ValueError):
    """A checkpoint that is damaged, or made for other rules or another observation layout."""


class RunError(MinchiateError, OSError):
    """A run folder that cannot be used: in use by another process, or not writable."""
