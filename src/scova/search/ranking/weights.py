"""What each signal of the ranking counts: one value, so that an experiment can vary it and a reader can see it whole.

Fitted on a public benchmark by cross-validation over repositories; docs/reference/ranking.md has the table, with what is
lost when a signal is left out.
"""

from collections.abc import Mapping

from scova.record import names_of, record, replace
from scova.search.asked.query import Shape


@record
class Weights:
    """What each signal counts; 0 turns it off. The last four are taken away instead of given."""

    text: float = 0.35  # words of the chunk
    file_text: float = 0.85  # words of the file's best chunks together
    vector: float = 0.25  # meaning of the chunk
    file_vector: float = 0.7  # meaning of the file's best chunks together
    name: float = 0.3  # words of the best name the chunk defines
    file_names: float = 0.15  # words of all names the file's candidates define
    exact: float = 0.85  # an asked identifier is defined here
    file_name: float = 0.65  # how much of the question the file's name covers
    file_named: float = 0.85  # how much of the file's name the question covers, squared
    folders: float = 1.1  # how much of the question the folders cover
    used: float = 0.5  # files that answer use what this one defines
    beside: float = 0.5  # a file in the same folder answers
    aside: float = 1.0  # tests, vendored, generated and example files, unless asked for
    docs: float = 1.1  # prose beside code
    map: float = 0.05  # the map of a file's symbols: it names everything and shows nothing
    data: float = 0.6  # constants and configuration


def for_one_name(weights: Weights) -> Weights:
    """The same for who types a name and nothing else: they want its definition, whatever lies around it, and no namesake in a test; or else where it is explained."""
    return replace(weights, exact=4 * weights.exact, aside=1.5 * weights.aside, used=0.0, beside=0.0, docs=0.0)


BY_SHAPE: Mapping[Shape, Weights] = {
    Shape.QUESTION: Weights(),
    Shape.MIXED: Weights(),
    Shape.IDENTIFIER: for_one_name(Weights()),
}

SIGNALS = names_of(Weights)
