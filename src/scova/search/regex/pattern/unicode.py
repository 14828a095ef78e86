"""Which characters a named set has: `\\w`, `\\d`, `\\s` and Unicode properties, as Rust's regex crate defines them.

The tables are the engine's own. Where a set must be known character by character, the engine is run over all there are.
"""

from functools import lru_cache

from scova.search.regex.pattern.engine import accepts, compiled
from scova.search.regex.pattern.syntax import LAST

Ranges = tuple[tuple[int, int], ...]

# Alphabetic, marks, decimal digits, connectors, joiners: alphabetic characters that are neither letters nor marks are spelt out.
WORD = r"\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}"
DIGIT = r"\p{Nd}"
SPACE = r"\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
UNICODE = {"w": WORD, "d": DIGIT, "s": SPACE}
ASCII: dict[str, Ranges] = {
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "d": ((48, 57),),
    "s": ((9, 13), (32, 32)),
}

# General categories by their long names, without spaces and the like.
_CATEGORIES = {
    "letter": "L", "casedletter": "LC", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc",
    "enclosingmark": "Me", "number": "N", "decimalnumber": "Nd", "digit": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "punct": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po", "symbol": "S",
    "mathsymbol": "Sm", "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z",
    "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp", "control": "Cc", "cntrl": "Cc",
    "format": "Cf", "privateuse": "Co",
}  # fmt: skip
_KINDS = frozenset(("", "gc", "generalcategory", "sc", "script"))


@lru_cache(maxsize=256)
def known_property(name: str) -> str:
    """The engine's name of a property, or `s` for white space; empty for one that it does not know."""
    kind, separator, value = name.replace(":", "=").rpartition("=")
    kind, plain = ("".join(character for character in text.lower() if character not in " _-") for text in (kind, value))
    if kind not in _KINDS or (separator and not kind) or not plain:
        return ""
    if not kind and plain in ("whitespace", "space"):
        return "s"
    written = "_".join(part.capitalize() for part in value.replace("-", "_").replace(" ", "_").split("_"))
    for candidate in (_CATEGORIES.get(plain, ""), plain.capitalize(), written):
        if candidate not in ("", "LC", "C", "Cs") and accepts(rf"\p{{{candidate}}}"):
            return candidate
    return ""


@lru_cache(maxsize=64)
def ranges(source: str) -> Ranges:
    """Every character that a source for one character matches."""
    everything = _everything()
    found = []
    for match in compiled(f"(?:{source})+").finditer(everything):
        start, end = match.span()
        low = everything[start : start + 4].decode(errors="ignore")[0]
        high = everything[max(0, end - 4) : end].decode(errors="ignore")[-1]
        found.append((ord(low), ord(high)))
    return tuple(found)


@lru_cache(maxsize=1)
def _everything() -> bytes:
    from array import array

    numbers = array("I", range(0xD800))
    numbers.extend(range(0xE000, LAST + 1))
    return numbers.tobytes().decode("utf-32-le" if numbers.itemsize == 4 else "ascii").encode()


def complement(of: Ranges) -> Ranges:
    """Every other character."""
    found, start = [], 0
    for low, high in of:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    return (*found, (start, LAST)) if start <= LAST else tuple(found)


def union(*of: Ranges) -> Ranges:
    """Characters that are in any of them."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(pair for some in of for pair in some):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def common(left: Ranges, right: Ranges) -> Ranges:
    """Characters that are in both."""
    return complement(union(complement(left), complement(right)))
