"""The commands, one file each; `main` says how a command is made."""
