"""Where it is asked: snapshots of a box, disposable workspaces, fixtures, and the Bee Box adapter."""
