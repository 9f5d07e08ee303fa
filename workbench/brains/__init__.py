"""Who thinks: proposers of the next turn, as functions of messages and tool schemas alone."""
