"""Floor 4: rollouts, returns, PPO, the pool of past selves, checkpoints."""
