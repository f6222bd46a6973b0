"""Token sources behind one interface: llama.cpp in a process of its own, and a script."""
