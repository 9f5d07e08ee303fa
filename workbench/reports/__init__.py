"""How it is told: a run as Markdown, HTML, JUnit XML or JSON; filled-in assessments read back."""
