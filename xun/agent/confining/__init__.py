"""What a command of an agent may touch in the sandbox."""
