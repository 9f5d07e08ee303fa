"""How good was it: human assessments, kept as entered, and what the nine levels mean."""
