"""What draws: each widget shows what it is given and posts what the human did."""
