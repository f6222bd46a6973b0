"""A plain mutation loop, for where there is no coverage-guided fuzzer."""

from __future__ import annotations

import random

MOST_BYTES = 60_000


def mutated(seeds: list[bytes], words: tuple[bytes, ...], dice: random.Random) -> bytes:
    """One input: a seed, or parts of two, changed in a few places."""
    data = bytearray(dice.choice(seeds))
    if dice.random() < 0.2:
        other = dice.choice(seeds)
        data[dice.randint(0, len(data)) :] = other[dice.randint(0, len(other)) :]
    for _ in range(dice.choice([1, 1, 2, 3, 8, 30])):
        at = dice.randint(0, len(data))
        end = min(len(data), at + dice.choice([1, 1, 2, 5, 40, 400]))
        match dice.randrange(6):
            case 0 if at < len(data):
                data[at] = dice.randrange(256)
            case 1 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 2:
                del data[at:end]
            case 3:
                data[at:at] = data[at:end] * dice.choice([1, 2, 10])
            case 4:
                data[at:at] = dice.choice(words)
            case _:
                data[at:end] = dice.choice(words)
    return bytes(data[:MOST_BYTES])
