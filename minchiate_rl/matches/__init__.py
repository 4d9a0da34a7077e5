"""Floor 3: duplicate deals, playing them out, and intervals for what came of it."""
