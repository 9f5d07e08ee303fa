"""Codex over its app-server: its own sandbox holds it, and the file it keeps tells what its stream leaves out."""
