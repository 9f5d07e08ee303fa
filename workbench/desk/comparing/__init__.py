"""Before and after: two runs, or two states of the boxes, asked alike and laid beside each other."""
