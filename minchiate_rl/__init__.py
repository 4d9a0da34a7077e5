"""Minchiate, the 97-card trick-taking game of Florence."""

__version__ = "0.1.0"
