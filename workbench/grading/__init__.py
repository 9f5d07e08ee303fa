"""How good was it: human assessments, kept as entered; later command graders and the rubric judge."""
