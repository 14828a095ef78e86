"""Sets of characters in the engine's own notation. The line feed is in none of them, since no match holds one."""

from scova.search.regex.pattern.syntax import LINE_FEED, Combined, Item, Named, Range, Set
from scova.search.regex.pattern.unicode import ASCII, UNICODE, Ranges, common, complement, ranges, union

_NOTHING = r"[^\x{0}-\x{10ffff}]"
_LINE_FEED: Ranges = ((LINE_FEED, LINE_FEED),)


def source(wanted: Set) -> str:
    """One character of this set. Names are kept as names where that is the same; otherwise the set is spelt out."""
    plain = _unwrapped(wanted)
    pieces = [_piece(item, fold=plain.fold, negated=plain.negated) for item in plain.items]
    if None not in pieces:
        inside = "".join(piece for piece in pieces if piece)
        if plain.negated:
            inside = f"^\\n{inside}"
        if not inside:
            return _NOTHING
        return f"(?i:[{inside}])" if plain.fold else f"[{inside}]"
    found = common(_numbers(wanted, fold=wanted.fold), complement(_LINE_FEED))
    return f"[{''.join(map(_range, found))}]" if found else _NOTHING


def small(wanted: Set, most: int) -> list[str] | None:
    """The characters of a set that is spelt out and has no more than `most`; None for others. Case is not looked at."""
    plain = _unwrapped(wanted)
    if plain.negated:
        return None
    found: list[str] = []
    for item in plain.items:
        inner = small(item, most) if isinstance(item, Set) else None
        if inner is not None:
            found += inner
        elif isinstance(item, Range) and item.high - item.low < most:
            found += map(chr, range(item.low, item.high + 1))
        else:
            return None
        if len(found) > most:
            return None
    return [character for character in found if character != "\n"]


def _unwrapped(wanted: Set) -> Set:
    """The same without brackets around brackets, and with a lone negated name turned round."""
    while len(wanted.items) == 1:
        (item,) = wanted.items
        if isinstance(item, Set) and item.fold == wanted.fold:
            wanted = item._replace(negated=item.negated != wanted.negated)
        elif isinstance(item, Named) and item.negated:
            wanted = Set((item._replace(negated=False),), not wanted.negated, wanted.fold)
        else:
            break
    return wanted


def _piece(item: Item, *, fold: bool, negated: bool) -> str | None:
    """An item inside brackets; None when it cannot be written there as it is."""
    if isinstance(item, Range):
        return "".join(map(_range, common(((item.low, item.high),), complement(_LINE_FEED))))
    if isinstance(item, Named):
        if item.negated:
            return None
        if item.ascii:
            return "".join(map(_range, common(ASCII[item.name], complement(_LINE_FEED))))
        if item.name == "s" and not negated:
            return UNICODE["s"].replace(r"\t-\r", r"\t\x{b}-\r")
        if item.name in UNICODE:
            return UNICODE[item.name]
        return rf"\p{{{item.name}}}" if negated or (item.name[0] in "LMNPSZ" and len(item.name) <= 2) else None
    if isinstance(item, Set) and not item.negated and item.fold == fold:
        pieces = [_piece(inner, fold=fold, negated=negated) for inner in item.items]
        return None if None in pieces else "".join(piece for piece in pieces if piece)
    return None


def _numbers(item: Item, *, fold: bool) -> Ranges:
    """The characters of an item, one by one; case is ignored before anything is negated or combined."""
    if isinstance(item, Range):
        plain = ((item.low, item.high),)
        return ranges(f"(?i:[{_range(plain[0])}])") if fold else plain
    if isinstance(item, Named):
        if item.ascii:
            found: Ranges = ASCII[item.name]
        else:
            inside = UNICODE.get(item.name, rf"\p{{{item.name}}}")
            found = ranges(f"(?i:[{inside}])" if fold else f"[{inside}]")
        return complement(found) if item.negated else found
    if isinstance(item, Combined):
        return _combined(item, fold=fold)
    found = union(*(_numbers(inner, fold=item.fold) for inner in item.items))
    return complement(found) if item.negated else found


def _combined(item: Combined, *, fold: bool) -> Ranges:
    left, right = _numbers(item.left, fold=fold), _numbers(item.right, fold=fold)
    if item.operator == "&&":
        return common(left, right)
    if item.operator == "--":
        return common(left, complement(right))
    return common(union(left, right), complement(common(left, right)))


def _range(pair: tuple[int, int]) -> str:
    low, high = pair
    return rf"\x{{{low:x}}}-\x{{{high:x}}}" if low != high else rf"\x{{{low:x}}}"
