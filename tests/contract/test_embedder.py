"""What every Embedder promises: one vector per text, of one width, the same for the same text however it is batched."""

from collections.abc import Callable

import pytest

from endpoint import Endpoint, serving
from scova.embed.endpoint import Pace, RemoteSettings
from scova.embed.remote import RemoteEmbedder
from scova.embed.static import StaticEmbedder
from scova.protocols import Embedder

TEXTS = ["parse the config file", "", "def größe(): pass", "x" * 5000, "parse the config file"]


@pytest.fixture(params=["static", "remote"])
def opened(request):
    """Opens the embedder once more."""
    if request.param == "static":
        yield StaticEmbedder
        return
    with serving(Endpoint()) as endpoint:
        yield lambda: RemoteEmbedder(endpoint.address, RemoteSettings("m"), pace=Pace(apart=0.0))


@pytest.fixture
def embedder(opened: Callable[[], Embedder]) -> Embedder:
    return opened()


def test_one_vector_per_text_in_order_and_of_one_width(embedder):
    vectors = embedder.embed(TEXTS)
    assert [len(vector) for vector in vectors] == [embedder.width] * len(TEXTS)
    assert vectors[0] == vectors[-1]


def test_batches_do_not_change_vectors(embedder):
    assert [embedder.embed([text])[0] for text in TEXTS] == embedder.embed(TEXTS)


def test_no_texts_no_vectors(embedder):
    assert embedder.embed([]) == []


def test_the_model_is_named_the_same_by_every_instance(embedder, opened):
    assert embedder.model == opened().model != ""


def test_what_is_remote_counts_what_it_uses_up(embedder):
    assert embedder.batch_size > 0
    embedder.embed(["some text"])
    assert (embedder.spent.calls > 0, embedder.spent.tokens > 0) == (embedder.is_remote, embedder.is_remote)


def test_a_question_lies_near_a_text_that_says_the_same(embedder):
    import simsimd

    asked = memoryview(embedder.embed_query("parse the config file")).cast("b")
    same, other = (
        memoryview(vector).cast("b") for vector in embedder.embed(["parse the config file", "network socket"])
    )
    assert simsimd.cosine(asked, same) < 0.01 < simsimd.cosine(asked, other)
