"""What it means: observed level, hints, flips, staleness, status drafts."""
