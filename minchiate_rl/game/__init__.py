"""Floor 0, the game itself: cards, rules, reference, records, engine; it knows nothing of learning."""
