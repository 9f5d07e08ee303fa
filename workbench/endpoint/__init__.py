"""Brains over HTTP: the providers' wire formats on loopback, so that real CLIs can be rehearsed and probed."""
