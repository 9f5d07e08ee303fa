"""How it is told: Markdown now, further formats beside it."""
