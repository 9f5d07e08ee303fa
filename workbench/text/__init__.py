"""Words: sanitizing, JavaScript patterns, shell grammar, passages and their ranking."""
