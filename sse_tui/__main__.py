"""``python -m sse_tui``: the same as the ``sse-tui`` command."""

from sse_tui.cli.main import main

if __name__ == "__main__":
    main()
