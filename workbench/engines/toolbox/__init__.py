"""What an in-process agent can do in its workspace: one tool a file, named and shaped like claude's."""
