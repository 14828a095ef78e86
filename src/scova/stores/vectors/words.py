"""What a chunk is found by in an index that holds words beside vectors.

Its terms are those of the text index (`stores.invert`), each with the part of BM25 that depends on the chunk alone; the part that
depends on all others, how rare a term is, is the index's to add when it is asked. Of names only whole ones are among them, marked as
there. Knows no index.

A weight is written once and must not depend on chunks that come later. So lengths are compared with a fixed average: chunks are cut
to about one size in every language (126 to 161 terms over six repositories of the benchmark), and `b` is small.
"""

from scova.stores.invert import EXACT, NAME, document_terms
from scova.types import Chunk

K1, B = 1.2, 0.4  # those of the text index
AVERAGE_LENGTH = 150.0  # terms in a chunk
_DIGITS = 4  # behind the point; more would only make requests longer


def weighed(chunk: Chunk) -> dict[str, float]:
    """Every term of a chunk with its weight; a whole name that it defines weighs 1."""
    counts, length = document_terms(chunk)
    floor = K1 * (1.0 - B + B * length / AVERAGE_LENGTH)
    return {
        term: 1.0 if term.startswith(EXACT) else round(count * (K1 + 1.0) / (count + floor), _DIGITS)
        for term, count in counts.items()
        if not term.startswith(NAME) or term.startswith(EXACT)
    }
