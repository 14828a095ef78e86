"""Questions of every kind, the costly ones too, made by a seed: each as every door takes it.

The words are those of the texts that are asked about, so that most questions find something. The same seed makes the same questions.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PATTERNS = ("x", ".*", "^", r"\w+", "e.*e", "[a-z]{3,40}", r"\bself\b", "(a|b|c|d)+", r"\s+$", "(?i)RETURN", "é|日")


class Question(NamedTuple):
    """One question, by kind, as HTTP, an agent and the command line ask it."""

    kind: str
    route: str
    body: Mapping[str, Any]
    tool: str
    arguments: Mapping[str, Any]
    words: Sequence[str]


def words_of(texts: Sequence[str], seed: int) -> list[str]:
    """Words to ask for: often those that are there often."""
    found = re.findall(r"[A-Za-z_]{2,30}", "\n".join(texts))
    return random.Random(seed).sample(found, min(2000, len(found)))


def questions(words: Sequence[str], seed: int, count: int) -> Iterator[Question]:
    """So many questions, of all kinds in turn."""
    chance = random.Random(seed)
    kinds = [*_SEARCHES, *_OTHERS]
    for number in range(count):
        kind = kinds[number % len(kinds)]
        if kind in _SEARCHES:
            yield _search(kind, _SEARCHES[kind](chance, words), chance)
        else:
            yield _OTHERS[kind](kind, chance, words)


def plain(words: Sequence[str], seed: int, count: int) -> Iterator[Question]:
    """Questions of a few words, as people ask them."""
    chance = random.Random(seed)
    for _ in range(count):
        yield _search("plain", " ".join(chance.sample(words, 4)), chance, mode="hybrid")


def _search(kind: str, query: str, chance: random.Random, *, mode: str = "") -> Question:
    mode = mode or ("regex" if kind == "regex" else chance.choice(("hybrid", "text", "symbol")))
    limit = chance.choice((1, 10, 50))
    body = {"query": query, "mode": mode, "limit": limit}
    return Question(
        kind, "/search", body, "search", body, ["search", "-m", mode, "-k", str(limit), "--json", "--", query]
    )


def _stars(form: str, joint: str = " ") -> Any:
    def made(chance: random.Random, words: Sequence[str]) -> str:
        parts = chance.choice(
            (LETTERS, [word[: chance.randint(1, 3)].strip("_") or "a" for word in chance.sample(words, 20)])
        )
        return f"{chance.choice(words)} " * (joint == " ") + joint.join(form.format(part) for part in parts)

    return made


_SEARCHES: Mapping[str, Any] = {
    "word": lambda chance, words: chance.choice(words),
    "phrase": lambda chance, words: f'"{chance.choice(words)}"',
    "sign": lambda chance, words: f'"{chance.choice(("=", "(", ".", "):", "=="))}"',
    "prefixes": _stars("{}*"),
    "prefixes out": _stars("-{}*"),
    "parts": _stars("*{}*"),
    "parts out": _stars("-*{}*"),
    "one of prefixes": _stars("{}*", " OR "),
    "one of parts": _stars("*{}*", " OR "),
    "must": lambda chance, words: " ".join(f"+{word}" for word in chance.sample(words, 6)),
    "must not": lambda chance, words: f"{words[0]} " + " ".join(f"-{word}" for word in chance.sample(words, 30)),
    "phrases out": lambda chance, words: f"{words[0]} " + " ".join(f'-"{word}"' for word in chance.sample(words, 20)),
    "very long": lambda chance, words: " ".join(chance.choices(words, k=900))[:9900],
    "globs": lambda chance, words: f"{words[0]} " + " ".join(f"path:*{word}*" for word in chance.sample(words, 60)),
    "regex": lambda chance, words: chance.choice((*PATTERNS, re.escape(chance.choice(words)))),
}


def _grep(kind: str, chance: random.Random, words: Sequence[str]) -> Question:
    pattern = chance.choice((*PATTERNS, re.escape(chance.choice(words))))
    body = {"pattern": pattern, "limit": 50}
    return Question(
        kind, "/grep", body, "grep", {"pattern": pattern}, ["grep", "--limit", "50", "--json", "-e", pattern]
    )


def _named(command: str, tool: str = "", **more: Any) -> Any:
    def made(kind: str, chance: random.Random, words: Sequence[str]) -> Question:
        name = chance.choice(words)
        body = {"name": name, **more}
        flags = [
            flag
            for key, value in more.items()
            for flag in (f"--{key.replace('_', '-')}", str(value))
            if key != "direction"
        ]
        command_word = more.get("direction", command)
        return Question(
            kind, f"/{tool or command}", body, tool or command, body, [command_word, *flags, "--json", "--", name]
        )

    return made


def _prefix(kind: str, chance: random.Random, words: Sequence[str]) -> Question:
    name = f"{chance.choice(words)[:2]}*"
    return Question(kind, "/definitions", {"name": name}, "definitions", {"name": name}, ["def", "--json", "--", name])


def _outline(kind: str, chance: random.Random, words: Sequence[str]) -> Question:
    return Question(kind, "/outline", {"path": ""}, "outline", {"path": ""}, ["outline", "--json", "."])


def _context(kind: str, chance: random.Random, words: Sequence[str]) -> Question:
    name = chance.choice(words)
    body = {"subject": name, "budget": 50_000}
    return Question(kind, "/context", body, "context", body, ["context", "--budget", "50000", "--json", "--", name])


_OTHERS: Mapping[str, Any] = {
    "grep": _grep,
    "usages": _named("usages", limit=50),
    "callers": _named("callers", direction="callers", depth=10),
    "callees": _named("callers", direction="callees", depth=10),
    "beginning": _prefix,
    "outline": _outline,
    "context": _context,
}
