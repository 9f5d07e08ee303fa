"""What the screens of stored runs say: lines of runs, trials and hits, a trend, a report's Markdown as styled lines."""
