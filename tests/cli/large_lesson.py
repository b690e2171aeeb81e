#!/usr/bin/env python3
"""Prints a lesson as JSON whose tensors are large enough to be tiled and divided among threads: TOKENS
WIDTH.
"""

import json
import sys


def large_lesson(tokens, width):
    numbers = [[((i * 37 + j * 101) % 199 - 99) / 100 for j in range(width)] for i in range(tokens)]
    return json.dumps({"tokens": [str(i) for i in range(tokens)], "embeddings": numbers})


if __name__ == "__main__":
    print(large_lesson(int(sys.argv[1]), int(sys.argv[2])))
