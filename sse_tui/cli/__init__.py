"""The command line: one module a command, `output` owns stdout, `narration` owns stderr.

Modules here import nothing heavy at their top (no textual, httpx, llama_cpp, numpy): ``--help`` and shell
completion load all of them. A command imports what it runs in its body.
"""
