"""Helper processes of this program: starting, watching and ending them, and the messages between them."""
