"""Remote embedders against a real server on loopback, which behaves and misbehaves."""

import json
import logging
import math
import struct
import threading

import pytest

from clock import Clock
from endpoint import KEY, Endpoint, body, changed, cut, dripping, dropped, serving, slow, status
from scova.embed import endpoint as calling
from scova.embed import remote
from scova.embed.endpoint import Pace, RemoteSettings
from scova.embed.opening import open_embedder
from scova.embed.remote import RemoteEmbedder
from scova.embed.replies import scaled
from scova.errors import ConfigError, EmbedderError
from scova.types import Spent

FAST = Pace(apart=0.0, first_pause=0.01, longest_pause=0.2)


@pytest.fixture
def endpoint():
    with serving(Endpoint()) as running:
        yield running


@pytest.fixture
def opened(endpoint):
    def opened(pace=FAST, widths=None, **chosen):
        return RemoteEmbedder(endpoint.address, RemoteSettings("m", **chosen), widths=widths, pace=pace)

    return opened


def numbers(vector):
    return list(struct.unpack(f"{len(vector)}b", vector))


# --- what is asked, and what comes of it


def test_vectors_are_scaled_to_127_and_rounded_as_those_of_the_shipped_model(endpoint, opened):
    wanted = endpoint.vector("parse the file")
    largest = max(map(abs, wanted))
    assert numbers(opened().embed(["parse the file"])[0]) == [round(one * 127 / largest) for one in wanted]


@pytest.mark.parametrize("given", [[0.0, 0, 0.0], [1e308, -1e308, 0.0], [5e-324, 0.0, -5e-324], [1, -2, 3]])
def test_numbers_of_any_size_become_a_vector(given):
    vector = numbers(scaled(given))
    largest = max(map(abs, given))
    assert max(map(abs, vector)) == (127 if largest else 0)
    assert [(one > 0) - (one < 0) for one in vector] == [(one > 0) - (one < 0) for one in given]


@pytest.mark.parametrize(("batch", "sizes"), [(50, [50, 50, 20]), (10, [10] * 12), (100, [100, 20])])
def test_texts_are_sent_in_batches_of_the_chosen_size(endpoint, opened, batch, sizes):
    texts = [f"text number {number}" for number in range(120)]
    embedder = opened(batch=batch)
    vectors = embedder.embed(texts)
    assert [len(sent) for sent in endpoint.batches] == sizes
    assert endpoint.texts == texts
    assert vectors == [scaled(endpoint.vector(text)) for text in texts]


def test_the_batch_size_can_be_changed_between_calls_and_has_limits(endpoint, opened):
    embedder = opened()
    embedder.batch_size = 25
    embedder.embed(["x"] * 60)
    assert [len(sent) for sent in endpoint.batches] == [25, 25, 10]
    for count in (9, 101):
        with pytest.raises(ConfigError, match=str(count)):
            embedder.batch_size = count
    assert embedder.batch_size == 25


def test_order_is_restored_by_number(endpoint, opened):
    endpoint.script = [changed(lambda reply: reply["data"].reverse())]
    assert opened().embed(["a", "b", "c"]) == [scaled(endpoint.vector(text)) for text in "abc"]


def test_entries_without_numbers_are_taken_as_they_come(endpoint, opened):
    def unnumbered(reply):
        for one in reply["data"]:
            del one["index"]

    endpoint.script = [changed(unnumbered)]
    assert opened().embed(["a", "b"]) == [scaled(endpoint.vector(text)) for text in "ab"]


def test_a_blank_text_is_not_sent_and_has_no_direction(endpoint, opened):
    vectors = opened().embed(["", "a", " \n"])
    assert endpoint.texts == ["a"]
    assert vectors == [bytes(32), scaled(endpoint.vector("a")), bytes(32)]


def test_long_texts_are_cut(endpoint, opened):
    opened().embed(["x" * 50_000])
    assert [len(text) for text in endpoint.texts] == [remote.MOST_CHARACTERS]


# --- identity and width


def test_the_identity_is_address_model_and_width(endpoint, opened):
    place = endpoint.address.removeprefix("http://")
    assert opened().model == f"{place}/m:32"
    assert opened(width=8).model == f"{place}/m:8"
    other = RemoteEmbedder(endpoint.address + "/", RemoteSettings("n", width=8))
    assert other.model == f"{place}/n:8"


def test_the_width_is_asked_for_once_and_remembered_for_other_processes(endpoint, opened, tmp_path):
    widths = tmp_path / "embedders.json"
    embedder = opened(widths=widths)
    assert endpoint.batches == [], "opening it calls nobody"
    assert (embedder.width, embedder.width, len(embedder.model) > 0) == (32, 32, True)
    assert len(endpoint.batches) == 1
    assert opened(widths=widths).width == 32
    assert len(endpoint.batches) == 1
    widths.write_text("{torn")
    assert opened(widths=widths).width == 32
    assert len(endpoint.batches) == 2


def test_a_width_that_was_chosen_is_asked_for_and_one_that_was_not_is_not(endpoint, opened):
    opened().embed(["a"])
    assert "dimensions" not in endpoint.bodies[-1]
    endpoint.width = 8
    assert len(opened(width=8).embed(["a"])[0]) == 8
    assert endpoint.bodies[-1]["dimensions"] == 8
    assert endpoint.bodies[-1]["model"] == "m"


def test_vectors_of_another_width_than_expected_are_refused_with_the_way_out(endpoint, opened, tmp_path):
    with pytest.raises(EmbedderError, match="32 components where 8") as caught:
        opened(width=8).embed(["a"])
    assert "`embedder_width` to 32" in caught.value.hint
    embedder = opened(widths=tmp_path / "embedders.json")
    embedder.embed(["a"])
    endpoint.width = 16
    with pytest.raises(EmbedderError, match="16 components where 32") as caught:
        embedder.embed_query("b")
    assert "embedders.json" in caught.value.hint


def test_a_model_that_makes_no_such_width_says_what_to_set(endpoint, opened):
    endpoint.script = [status(400, "Model does not support matryoshka representation, changing dimensions")]
    with pytest.raises(EmbedderError, match="8 components") as caught:
        opened(width=8).embed(["a"])
    assert "`embedder_width` to 0" in caught.value.hint


def test_as_long_as_nobody_answers_the_identity_is_one_of_nothing(endpoint, opened):
    endpoint.script = [status(401)]
    embedder = opened()
    assert embedder.model.endswith("/m:?")
    assert embedder.width == 0
    assert len(endpoint.batches) == 1, "and it is not asked again at once"
    embedder.embed(["a"])
    assert embedder.model.endswith("/m:32")


# --- what is asked again


@pytest.mark.parametrize(
    "tricks",
    [
        [status(500)],
        [status(503), status(502), status(500), status(429)],
        [status(429, Retry_After="0")],
        [status(429, Retry_After="Mon, 01 Jan 2024 00:00:00 GMT")],
        [status(429, Retry_After="soon")],
        [status(408)],
        [cut],
        [dropped],
    ],
)
def test_what_may_pass_is_tried_again(endpoint, opened, tricks):
    endpoint.script = list(tricks)
    embedder = opened()
    assert embedder.embed(["a"]) == [scaled(endpoint.vector("a"))]
    assert len(endpoint.batches) == embedder.spent.calls == len(tricks) + 1


def test_an_endpoint_that_is_slow_once_is_asked_again(endpoint, opened):
    endpoint.script = [slow]
    assert opened(timeout_seconds=3.0).embed(["a"]) == [scaled(endpoint.vector("a"))]


def test_an_endpoint_that_never_answers_is_given_up_within_two_time_limits(endpoint, opened):
    endpoint.script = [slow] * 9
    with pytest.raises(EmbedderError, match=r"did not answer within 0\.3 s, 2 times"):
        opened(timeout_seconds=0.3).embed(["a"])
    assert len(endpoint.batches) == 2


def test_the_time_limit_is_for_the_whole_call(endpoint, opened):
    endpoint.script = [dripping]
    assert opened(timeout_seconds=3.0).embed(["a"]) == [scaled(endpoint.vector("a"))]
    assert len(endpoint.batches) == 2


def test_an_endpoint_that_fails_on_and_on_is_given_up_after_five_attempts(endpoint, opened):
    endpoint.script = [status(500, "out of order")] * 9
    with pytest.raises(EmbedderError, match=r"failed \(500\), 5 times: out of order"):
        opened().embed(["a"])
    assert len(endpoint.batches) == 5


@pytest.fixture
def clock(monkeypatch):
    """The clock by which calls are kept apart, and pauses made."""
    return Clock(monkeypatch, calling, stands=True)


def test_retry_after_is_waited_for(endpoint, opened, clock):
    endpoint.script = [status(429, Retry_After="1")]
    opened(Pace(apart=0.0, first_pause=0.001)).embed(["a"])
    assert clock.slept == [1.0]


def test_retry_after_is_not_waited_for_forever(endpoint, opened, clock):
    endpoint.script = [status(429, Retry_After="86400")]
    opened().embed(["a"])
    assert clock.slept == [FAST.longest_pause]


def test_pauses_grow(endpoint, opened, clock):
    endpoint.script = [status(500)] * 4
    opened(Pace(apart=0.0, first_pause=0.1)).embed(["a"])
    assert len(clock.slept) == 4
    assert all(0.05 * 2**number <= pause <= 0.1 * 2**number for number, pause in enumerate(clock.slept)), clock.slept


def test_calls_keep_their_distance_whoever_makes_them(endpoint, opened, clock):
    embedder = opened(Pace(apart=0.1), width=32)
    embedder.embed(["what the first call loads"])
    threads = [threading.Thread(target=embedder.embed, args=([f"t{number}"],)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(clock.slept) == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_nothing_goes_on_beyond_a_deadline(endpoint, opened, clock):
    endpoint.script = [status(500)] * 9
    embedder = opened(Pace(apart=0.0, first_pause=30.0))
    embedder.deadline = clock.now + 5
    with pytest.raises(EmbedderError, match="500"):
        embedder.embed(["a"])
    assert clock.slept == [], "a pause of 15 s at the least would end after it"
    assert len(endpoint.batches) == 1


# --- what is refused


def without(reply):
    reply["data"].pop()


def doubled(reply):
    reply["data"][1]["index"] = 0


def not_a_number(reply):
    reply["data"][0]["embedding"][3] = math.nan


def endless(reply):
    reply["data"][0]["embedding"][3] = -math.inf


def nothing(reply):
    reply["data"][0]["embedding"][3] = None


def uneven(reply):
    reply["data"][0]["embedding"].pop()


def empty(reply):
    for one in reply["data"]:
        one["embedding"] = []


def encoded(reply):
    reply["data"][0]["embedding"] = "AAAA"


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        (body(b"<html>gateway</html>"), "not JSON"),
        (body(b""), "not JSON"),
        (body(b"[" * 100_000), "not JSON"),
        (body(b"\xff\xfe\x00"), "not JSON"),
        (body([]), "no `data`"),
        (body({"error": {"message": "said with 200"}}), "no `data`"),
        (body({"data": [1, 2]}), "no `embedding`"),
        (changed(without), "1 vectors for 2 texts"),
        (changed(doubled), "numbered"),
        (changed(not_a_number), "not finite"),
        (changed(endless), "not finite"),
        (changed(nothing), "list of numbers"),
        (changed(encoded), "list of numbers"),
        (changed(uneven), "31 and 32"),
        (changed(empty), "0 components"),
    ],
)
def test_a_reply_that_is_wrong_is_refused_and_not_asked_for_again(endpoint, opened, trick, said):
    endpoint.script = [trick]
    with pytest.raises(EmbedderError, match=said) as caught:
        opened(width=32).embed(["a", "b"])
    assert "embedder_model" in caught.value.hint
    assert len(endpoint.batches) == 1


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_names_the_variable_to_set_and_is_not_tried_again(endpoint, opened, code):
    endpoint.script = [status(code)] * 3
    with pytest.raises(EmbedderError, match=f"refuses the key.*{code}") as caught:
        opened(key=KEY, key_env="MY_KEY").embed(["a"])
    assert "MY_KEY" in caught.value.hint
    endpoint.key = KEY
    with pytest.raises(EmbedderError, match="wants a key"):
        opened().embed(["a"])
    assert len(endpoint.batches) == 2


@pytest.mark.parametrize(("code", "said"), [(404, "embedder_model"), (301, "moved"), (400, "documentation")])
def test_other_refusals_say_what_to_look_at(endpoint, opened, code, said):
    endpoint.script = [status(code, "no\x1b[31m such\nthing", Location="http://127.0.0.1:1/v1")] * 3
    with pytest.raises(EmbedderError) as caught:
        opened().embed(["a"])
    assert said in caught.value.hint
    assert "\x1b" not in caught.value.message and "\n" not in caught.value.message
    assert len(endpoint.batches) == 1


def test_too_many_texts_are_sent_by_halves(endpoint, opened):
    endpoint.most_texts = 8
    texts = [f"t{number}" for number in range(20)]
    assert opened().embed(texts) == [scaled(endpoint.vector(text)) for text in texts]
    assert [len(sent) for sent in endpoint.batches] == [20, 10, 5, 5, 10, 5, 5]


def test_a_text_that_is_too_long_is_halved_and_the_others_are_not(endpoint, opened):
    endpoint.longest = 1200
    texts = ["short", "word " * 800, "other"]
    vectors = opened().embed(texts)
    assert vectors == [scaled(endpoint.vector(text)) for text in ("short", texts[1][:1000], "other")]


def test_a_text_that_is_too_long_however_short_is_named(endpoint, opened):
    endpoint.longest = 3
    with pytest.raises(EmbedderError, match=r"characters are too long \(`def lengthy.*maximum context") as caught:
        opened().embed(["a", "def lengthy(): " + "x" * 4000])
    assert "longer texts" in caught.value.hint


# --- the key


def test_the_key_is_sent_and_nowhere_to_be_seen(endpoint, opened, caplog):
    endpoint.key = KEY
    caplog.set_level(logging.DEBUG)
    settings = RemoteSettings("m", key=KEY)
    embedder = RemoteEmbedder(endpoint.address, settings, pace=FAST)
    embedder.embed(["a"])
    said = []
    for trick in (
        status(401, f"Incorrect API key provided: {KEY}"),
        status(400, f"Bearer {KEY} is bad"),
        status(404, KEY),
        body(KEY.encode()),
        changed(lambda reply: {"data": KEY}),
    ):
        endpoint.script = [trick]
        with pytest.raises(EmbedderError) as caught:
            embedder.embed(["a"])
        said += [caught.value.message, caught.value.hint, repr(caught.value)]
    endpoint.script = [status(500, f"{KEY} {KEY}")] * 5
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["a"])
    said += [caught.value.message, repr(settings), repr(embedder), embedder.model, caplog.text]
    assert len(endpoint.batches) == 11
    assert not [one for one in said if KEY in one]


@pytest.mark.parametrize("key", ["sk-line\nbreak", "sk-ümlaut", "sk-\x00"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(endpoint, opened, key):
    with pytest.raises(EmbedderError, match="SCOVA_EMBEDDER_KEY") as caught:
        opened(key=key).embed(["a"])
    assert "sk-" not in caught.value.message + caught.value.hint + str(caught.value.__context__)
    assert endpoint.batches == []


def test_a_line_feed_at_the_end_of_a_key_does_no_harm(endpoint, opened):
    endpoint.key = KEY
    opened(key=f"{KEY}\n").embed(["a"])


# --- questions, and what was used up


def test_a_question_gives_up_soon_and_then_at_once_until_it_has_rested(endpoint, opened, monkeypatch, clock):
    monkeypatch.setattr(remote, "REST_SECONDS", 3600.0)
    endpoint.script = [status(429, Retry_After="30")] * 9
    embedder = opened(Pace(apart=0.0, first_pause=0.01))
    for _ in range(3):
        with pytest.raises(EmbedderError, match="too many calls"):
            embedder.embed_query("a")
    assert clock.slept == []
    assert len(endpoint.batches) == 1
    endpoint.script = []
    embedder.embed(["b"])
    assert embedder.embed_query("a") == scaled(endpoint.vector("a")), "it has answered a build meanwhile"
    monkeypatch.setattr(remote, "REST_SECONDS", 0.0)
    endpoint.script = [status(400, "no")]
    with pytest.raises(EmbedderError):
        embedder.embed_query("a")
    assert embedder.embed_query("a") == scaled(endpoint.vector("a"))


def test_a_question_to_nobody_is_given_up_at_once(clock):
    with serving(Endpoint()) as gone:
        address = gone.address
    with pytest.raises(EmbedderError, match=f"{address}` cannot be reached") as caught:
        RemoteEmbedder(address, RemoteSettings("m")).embed_query("a")
    assert "running" in caught.value.hint
    assert sum(clock.slept) <= remote.QUESTION_PAUSE


def test_tokens_and_costs_are_those_that_the_endpoint_says(endpoint, opened):
    embedder = opened(price=2.0)
    assert embedder.spent == Spent(0, 0, 0.0)
    embedder.embed(["a"] * 70)
    assert embedder.spent == Spent(2, 490, pytest.approx(0.00098))


def test_tokens_are_estimated_where_the_endpoint_says_nothing(endpoint, opened):
    endpoint.usage = False
    embedder = opened()
    embedder.embed(["x" * 9, "y"])
    assert embedder.spent == Spent(1, 3 + 1, 0.0)


# --- opening


def test_embedders_by_name(endpoint):
    assert open_embedder("none") is None
    assert open_embedder("static").is_remote is False
    assert open_embedder(endpoint.address, RemoteSettings("m")).is_remote
    with pytest.raises(ConfigError, match="which of its models") as caught:
        open_embedder(endpoint.address, RemoteSettings(""))
    assert "embedder_model" in caught.value.hint
    with pytest.raises(ConfigError, match="no embedder `gpt`"):
        open_embedder("gpt")


def test_texts_arrive_as_they_are(endpoint, opened):
    text = 'größe \u2028 \U0001f600 \x00 "quoted" \\n'
    opened().embed([text])
    assert endpoint.texts == [text]
    assert json.dumps(endpoint.bodies[0])
