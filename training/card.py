"""The card of a packed model, from the facts in its header.

card.py static.bin docs/reference/model.md
"""

import json
import struct
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from scova.embed.static import identity

LANGUAGES = {"csharp": "C#", "cpp": "C++", "javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP", "objc": "Objective-C", "bash": "shell", "prose": "prose (documents beside code)"}  # fmt: skip
KINDS = {
    "doc": "documentation of a definition → the definition without it",
    "name": "the words of a definition's name → its body",
    "path": "the words of a file's path → some of its lines",
    "file": "the comment at the head of a file → the names it defines, or its first lines",
    "comment": "a remark inside a body → the lines under it",
    "test": "the sentence that a test is called by → the test",
    "section": "a heading and the sentence under it → the rest of the section",
    "example": "the prose before an example → the example",
}
BENCHMARK = {
    "vector": "this model alone: mode `vector`, as it ranks",
    "text": "BM25 alone: mode `text`",
    "hybrid": "the whole ranking, with this model",
    "without": "the whole ranking, without any",
}


def header(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        length: int = struct.unpack("<4sII", file.read(12))[2]
        facts: dict[str, Any] = json.loads(file.read(length))
    return facts


def table(titles: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [titles, ("---", *["---:"] * (len(titles) - 1)), *rows]
    return "\n".join(
        "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row) + " |" for row in lines
    )


def data(facts: dict[str, Any]) -> list[str]:
    said = [
        f"{facts['pairs']:,} pairs of something that could be asked and the code that answers it, from {facts['packages']:,} packages of PyPI, npm and Debian."
    ]
    if by_kind := facts.get("by_kind"):
        said.append(table(("pair", "pairs"), [(KINDS[kind], n) for kind, n in by_kind.items() if n]))
    if by_lang := facts.get("by_lang"):
        rows = sorted(by_lang.items(), key=lambda item: -item[1])
        said.append(table(("language", "pairs"), [(LANGUAGES.get(lang, lang.capitalize()), n) for lang, n in rows]))
    return said


def measured(facts: dict[str, Any]) -> list[str]:
    said = []
    if metrics := facts.get("metrics"):
        rows = [
            (
                LANGUAGES.get(k, k.capitalize()),
                f"{m['static']:.3f}",
                f"{m['bm25']:.3f}",
                f"{m['both']:.3f}",
                m["queries"],
            )
            for k, m in metrics.items()
        ]
        said.append(
            "MRR@10 of a definition by the first sentence of its documentation, among 20,000, from project families that training never saw; int8 through the shipped loader; `both` is the plain sum of the two, each divided by its maximum:"
        )
        said.append(table(("language", "this model", "BM25", "both", "questions"), rows))
    if benchmark := facts.get("benchmark"):
        about = benchmark["about"]
        said.append(
            f"NDCG@10 on the development split of the question benchmark, mean over {benchmark['repositories']} repositories (`training/benchmark.py`, {about['date']}, ranking of {about['commit']}); what vectors add is paired over repositories, with its 95 % interval:"
        )
        gain = benchmark["gain"]
        rows = [(name, f"{benchmark[key]:.4f}") for key, name in BENCHMARK.items()]
        rows.append(("what its vectors add", f"{gain['mean']:+.4f} ({gain['low']:+.4f} … {gain['high']:+.4f})"))
        said.append(table(("asked", "NDCG@10"), rows))
    return said or ["None are in the header of this file."]


def proof(facts: dict[str, Any]) -> str:
    found = facts.get("exclusions")
    if not found:
        return "The header of this file holds no report; `training/check_exclusions.py` makes one."
    return (
        f"`training/check_exclusions.py` looked at {found['pairs']:,} pairs and found {sum(found['forbidden_pairs'].values())} of the benchmark's projects in them, by package name, and by content against "
        f"{found['benchmark_files']:,} files, {found['benchmark_texts']:,} texts and {found['benchmark_lines']:,} lines of its checkouts. As a control, {found['control_found']:,} of {found['control_tried']:,} pairs taken from those checkouts were recognised."
    )


def card(path: Path) -> str:
    """The whole page; the same file gives the same page."""
    facts = header(path)
    counts = f"n^{facts['power']:g}" if "power" in facts else "1 + ln n"
    options = ", ".join(
        f"{name} {value}" for name, value in facts.get("training", {}).items() if value not in ("", 0.0)
    )
    about = [
        ("name", facts["name"]),
        ("made", f"{facts['date']}, by this project, from scratch: no other model's weights, vocabulary or outputs"),
        ("table", f"{facts['vocab_size']:,} lower-case identifier parts and word pieces × {facts['width']} components, int8 with one scale a row; {path.stat().st_size:,} bytes"),
        ("a text's vector", f"the sum of its tokens' rows, each {counts} times where it occurs n times; word order is not seen"),
        ("training", options or "in-batch contrast (InfoNCE, both directions); training/README.md"),
        ("digest of the weights", f"`{facts['digest']}`"),
        ("vectors are kept under", f"`{identity(facts)}`"),
        ("licence", "that of scova; only weights are shipped, no text they were made from"),
        ("meant for", "ranking the chunks of one codebase against a question, beside a text index"),
        ("not meant for", "prose in other languages than English, exact names, telling whether two programs do the same"),
    ]  # fmt: skip
    parts = [
        "# The embedding model",
        "Made by `training/card.py` from the header of `src/scova/embed/static.bin`; a test holds the two together.",
        table(("", "&nbsp;"), about).replace("---:", "---"),
        "## Data", *data(facts),
        "A package is read only when its metadata, or else the licence text in it, names a permissive licence (MIT, BSD, Apache, ISC and the like, MPL and EPL too) and no GPL, LGPL or AGPL. For Debian the first licence stanza decides, so single files under another licence may be among them.",
        "## What it was not trained on", proof(facts),
        "For projects on the list whose checkouts were not at hand, names are the only guard.",
        "## Figures", *measured(facts),
        "## How to repeat", "`training/README.md` has the commands; `training/sample.sh FOLDER` goes the whole way on a small sample in half a minute. Registries move, so a new harvest gives another model of about the same quality: compare by `evaluate.py` and `benchmark.py`.",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(card(Path(sys.argv[1])))
