"""Claude Code in print mode: alone with a copy of the box, its key in a pipe, its own word of success doubted."""
