"""The alphabet of the n-gram index: 256 bytes as 64 symbols, so that three of them make a number below 2**18.

Letters, digits and the signs that code is full of have a symbol each; capitals share that of their small letter; rare signs
share a few. A shared symbol can only let a file through that a look at it would have ruled out, never the other way round.
Symbol 0 is the line feed's alone: no match reaches over the end of a line, so three bytes with one among them are not kept.

Part of the format of `reader`: whoever changes the table raises the version there.
"""

WIDTH = 3  # symbols in a gram
BITS = 6
CODES = 1 << (WIDTH * BITS)

_OWN = b"abcdefghijklmnopqrstuvwxyz0123456789_ \t(){}[].,;:=\"'/-<>#"
_SHARED = (b"&!@^", b"*$?~`", b"+%|\\")
_BEYOND_ASCII = 3  # symbols for the bytes of other characters
_LINE_FEED = 10

# Two characters beyond ASCII that are letters of ASCII when case is ignored; they are indexed as these.
_FOLDED = {"\u017f": "s", "\u212a": "k"}


def folded(text: str) -> bytes:
    """The bytes of a text as they are cut into grams: what differs in case only, as far as ASCII goes, is the same."""
    if not text.isascii():
        for character, letter in _FOLDED.items():
            text = text.replace(character, letter)
    return text.encode("utf-8", "surrogatepass")


def _table() -> bytes:
    table = bytearray(len(_OWN) + 1 + byte % len(_SHARED) for byte in range(128))  # control characters
    beyond = len(_OWN) + 1 + len(_SHARED)
    table += bytes(beyond + byte % _BEYOND_ASCII for byte in range(128))
    for symbol, byte in enumerate(_OWN, start=1):
        table[byte] = symbol
    for symbol, group in enumerate(_SHARED, start=len(_OWN) + 1):
        for byte in group:
            table[byte] = symbol
    for capital in range(ord("A"), ord("Z") + 1):
        table[capital] = table[capital + 32]
    table[_LINE_FEED] = 0
    return bytes(table)


SYMBOLS = _table()  # by byte


def code_of(gram: bytes) -> int:
    """The number of three bytes."""
    first, second, third = gram.translate(SYMBOLS)
    return (first << 2 * BITS) | (second << BITS) | third
