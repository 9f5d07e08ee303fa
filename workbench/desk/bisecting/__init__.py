"""Which commit of guidance lost or taught an answer: the line of commits, the journal, the asking."""
