"""The agent CLIs themselves, pinned, against a model endpoint on this machine: `make test-engines`."""
