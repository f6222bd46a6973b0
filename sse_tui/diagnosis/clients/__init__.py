"""What named client libraries make of a stream."""
