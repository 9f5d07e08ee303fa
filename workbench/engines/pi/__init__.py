"""pi, of both its lines of releases, its key kept in a relay of ours."""
