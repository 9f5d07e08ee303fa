"""The session files agent CLIs keep on disk, read as traces."""
