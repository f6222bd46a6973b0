"""Lines, colours and figures that several panes draw with."""
