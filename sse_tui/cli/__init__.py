"""The command line: one module a command, `output` owns stdout, `narration` owns stderr.

A command's module imports nothing heavy at its top (no textual, httpx, llama_cpp, numpy), because its ``--help`` loads
it. What it runs it imports in its body.
"""
