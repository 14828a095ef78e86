"""Another order of tests, drawn from a seed: nothing may depend on the usual one."""

import random


def shuffle(items, seed):
    """Files in another order, and tests within each: a file stays together, as its fixtures do."""
    chance, by_file = random.Random(seed), {}
    for item in items:
        by_file.setdefault(item.path, []).append(item)
    files = sorted(by_file)
    chance.shuffle(files)
    for path in files:
        chance.shuffle(by_file[path])
    items[:] = [item for path in files for item in by_file[path]]
