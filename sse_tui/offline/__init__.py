"""What is done with a recording afterwards."""
