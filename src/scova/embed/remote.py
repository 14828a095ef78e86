"""Text into vectors by a model on another machine, or on this one behind an address: any endpoint that speaks as OpenAI's does.

Responsible for batches, for texts that are too long, for how wide the vectors are, and for what was used up. Calls are made
by `endpoint`, replies read by `replies`. Every text that is embedded is sent there.

A text is cut after MOST_CHARACTERS. Where the endpoint still says that a call is too long, half as many texts are sent at a time, and
then half of a text, down to FEWEST_CHARACTERS. A blank text is not sent: its vector is zeros.

The model's identity is address, name and width, so that vectors of different models never meet. The width is given, or known
from earlier (`widths`), or asked for with one short call. As long as nobody knows it, the identity ends in `?`: an identity
under which nothing is kept, so that an index still answers from text and names when the endpoint cannot be reached.

Tokens are those that the endpoint says it used; where it does not, one for each CHARACTERS_PER_TOKEN characters sent.
"""

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from scova.embed.endpoint import Endpoint, Pace, Patience, RemoteSettings, TooLong
from scova.embed.replies import read_reply
from scova.embed.widths import known_width, remember_width
from scova.errors import ConfigError, EmbedderError
from scova.types import Spent, Vector

MOST_CHARACTERS = 20_000
FEWEST_CHARACTERS = 500
CHARACTERS_PER_TOKEN = 4
FEWEST_TEXTS, MOST_TEXTS = 10, 100
ATTEMPTS = 5
QUESTION_SECONDS = 10.0  # a question is answered without vectors rather than later
QUESTION_PAUSE = 1.0
REST_SECONDS = 30.0  # questions do without an endpoint for so long after it failed

_UNKNOWN = "?"


class RemoteEmbedder:
    """A model behind an address. Constructing it calls nobody. Threads may share it; processes should not."""

    is_remote = True

    def __init__(
        self, address: str, settings: RemoteSettings, *, widths: Path | None = None, pace: Pace | None = None
    ) -> None:
        """`widths` is a file in which is kept how wide the vectors of which model are."""
        address = address.rstrip("/").removesuffix("/embeddings")
        parts = urlsplit(address)
        self._name = f"{parts.netloc.lower()}{parts.path}/{settings.model}"
        self._endpoint = Endpoint(address, settings, pace or Pace())
        self._settings = settings
        self._widths = widths
        self._width = settings.width or (known_width(widths, self._name) if widths else 0)
        self._tokens = 0
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        self._rest: tuple[float, str, str] | None = None  # until when, and why: message and hint
        self._batch = 0
        self.batch_size = settings.batch

    def __repr__(self) -> str:
        return f"RemoteEmbedder({self._name!r})"

    @property
    def model(self) -> str:
        """Address, name and width."""
        return f"{self._name}:{self.width or _UNKNOWN}"

    @property
    def width(self) -> int:
        """Components per vector; 0 as long as nobody knows."""
        if not self._width:
            with self._asking, suppress(EmbedderError):
                if not self._width:
                    self._ask("how wide")
        return self._width

    @property
    def batch_size(self) -> int:
        """How many texts are sent at a time."""
        return self._batch

    @batch_size.setter
    def batch_size(self, count: int) -> None:
        if not FEWEST_TEXTS <= count <= MOST_TEXTS:
            raise ConfigError(
                f"{count} texts at a time are not possible", f"choose between {FEWEST_TEXTS} and {MOST_TEXTS}"
            )
        self._batch = count

    @property
    def deadline(self) -> float:
        """When everything is given up, by the monotonic clock."""
        return self._endpoint.deadline

    @deadline.setter
    def deadline(self, moment: float) -> None:
        self._endpoint.deadline = moment

    @property
    def spent(self) -> Spent:
        """What was used up since it was opened."""
        return Spent(self._endpoint.calls, self._tokens, self._tokens * self._settings.price / 1_000_000)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order; patiently."""
        patience = Patience(ATTEMPTS, self._settings.timeout_seconds, Pace().longest_pause)
        vectors: list[Vector] = []
        for start in range(0, len(texts), self._batch):
            vectors += self._filled(texts[start : start + self._batch], patience)
        return vectors

    def embed_query(self, text: str) -> Vector:
        """The vector of a question; EmbedderError soon rather than late, and at once for a while after that."""
        return self._ask(text) if text.strip() else bytes(self.width)

    def _ask(self, text: str) -> Vector:
        if self._rest and time.monotonic() < self._rest[0]:
            raise EmbedderError(*self._rest[1:])
        seconds = min(QUESTION_SECONDS, self._settings.timeout_seconds)
        try:
            return self._filled([text], Patience(2, seconds, QUESTION_PAUSE))[0]
        except EmbedderError as error:
            self._rest = (time.monotonic() + REST_SECONDS, error.message, error.hint)  # the error would hold on to this
            raise

    def _filled(self, texts: Sequence[str], patience: Patience) -> list[Vector]:
        """The vectors of a batch, blank texts included."""
        sent = [text[:MOST_CHARACTERS] for text in texts if text.strip()]
        vectors = iter(self._sent(sent, patience) if sent else [])
        return [next(vectors) if text.strip() else self._zeros() for text in texts]

    def _zeros(self) -> Vector:
        width = self.width
        if not width:
            why = self._rest[1:] if self._rest else (f"nobody knows how wide vectors of `{self._name}` are", "")
            raise EmbedderError(*why)
        return bytes(width)

    def _sent(self, texts: list[str], patience: Patience) -> list[Vector]:
        try:
            body = self._endpoint.post(texts, patience)
        except TooLong as refusal:
            return self._shortened(texts, patience, str(refusal))
        embedded = read_reply(body, len(texts))
        self._rest = None
        with self._lock:
            self._check_width(embedded.width)
            estimate = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
            self._tokens += estimate if embedded.tokens is None else embedded.tokens
        return embedded.vectors

    def _shortened(self, texts: list[str], patience: Patience, said: str) -> list[Vector]:
        """The same by halves: of the batch, then of the text."""
        if len(texts) > 1:
            middle = len(texts) // 2
            return self._sent(texts[:middle], patience) + self._sent(texts[middle:], patience)
        half = texts[0][: len(texts[0]) // 2]
        if len(half) < FEWEST_CHARACTERS:
            begins = " ".join(texts[0].split())[:60]
            raise EmbedderError(
                f"`{self._name}` says that {len(texts[0])} characters are too long (`{begins}…`): {said}",
                "choose a model that takes longer texts",
            )
        return self._sent([half], patience)

    def _check_width(self, width: int) -> None:
        """Vectors of another width are of another model, whatever it is called."""
        if not self._width:
            self._width = width
            if self._widths:
                remember_width(self._widths, self._name, width)
        elif width != self._width:
            forget = "" if self._settings.width or not self._widths else f", or delete `{self._widths}`"
            raise EmbedderError(
                f"`{self._name}` gave vectors of {width} components where {self._width} were expected",
                f"set `embedder_width` to {width}{forget}: everything is then embedded again",
            )
