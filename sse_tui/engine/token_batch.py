"""The arrays of a batch, made once and filled by slices."""

from __future__ import annotations

import numpy as np


class TokenBatch:
    """Room for `size` tokens: what each is, where in its sequence, in which, and whether it gives logits.

    `counts` and `rows` are what llama.cpp wants beside: every token is in one sequence, and its row is a
    pointer to its own entry of `sequences`.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.tokens = np.zeros(size, np.int32)
        self.positions = np.zeros(size, np.int32)
        self.sequences = np.zeros(size, np.int32)
        self.logits = np.zeros(size, np.int8)
        self.counts = np.ones(size, np.int32)
        self.rows = np.uint64(self.sequences.ctypes.data) + 4 * np.arange(size, dtype=np.uint64)
