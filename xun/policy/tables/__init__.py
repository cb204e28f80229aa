"""What is known of programs by their names alone."""
