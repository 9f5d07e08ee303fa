"""The machine: child processes and their groups, the one hand that runs git, atomic files, locks."""
