"""Floor 1: what a seat may know, and the same as numbers for learning."""
