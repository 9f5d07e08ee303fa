"""What it means: observed level, hints, standing, flips, agreement, trends, status drafts."""
