"""What real client libraries make of a stream."""
