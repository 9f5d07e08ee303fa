"""Live watch: guidance and corpora followed as they are edited, and what an edit touches asked again."""
