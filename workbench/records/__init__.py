"""How it is kept: a status comment into the corpus on disk, and the commit of exactly that hunk."""
