"""Floor 6, the people: the command line and the terminal."""
