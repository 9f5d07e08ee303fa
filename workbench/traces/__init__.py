"""What happened: the normalized record of one trial, and the acts read out of it."""
