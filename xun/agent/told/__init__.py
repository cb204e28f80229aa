"""What the model is told beside the conversation."""
