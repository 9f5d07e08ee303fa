"""Was it right: every check as a pure function of the trace, and the lint of their definitions."""
