"""The wire log and its find bar."""
