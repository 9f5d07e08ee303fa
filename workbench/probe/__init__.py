"""What is loaded: the installed agent run against an endpoint of ours, every guidance file traced in its requests."""
