"""Who acts: one adapter a file, and the in-process agent with its toolbox."""
