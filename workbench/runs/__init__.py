"""The campaign: plan, schedule, journal, resume, regrade."""
