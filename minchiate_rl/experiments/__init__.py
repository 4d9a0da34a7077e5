"""Floor 5: recipes, runs on disk, evaluation during training, and the speed of every layer."""
