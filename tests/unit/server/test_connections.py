"""Connections that keep a server waiting, over real sockets: they are cut, and everyone else is served."""

import json
import resource
import select
import socket
import subprocess
import threading
from contextlib import ExitStack, contextmanager, suppress

import pytest

from scova import config
from scova.server.hall import Hall
from scova.server.layout import ServerLayout
from scova.server.limits import Limits
from scova.server.middleware.connections import SPARE
from scova.server.serving import allow_files, bound, server
from serving import SCOVA
from until import until

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
BUSY = b"POST /projects HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n"
LONG = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Door:
    """A server in a thread, and those who come to it."""

    def __init__(self, hall, stack):
        self.hall = hall
        taken = bound(hall, "127.0.0.1", 0)
        self.port = taken.getsockname()[1]
        self.server = server(hall, "127.0.0.1", files=4096)
        self._stack = stack
        thread = threading.Thread(target=self.server.run, kwargs={"sockets": [taken]})
        thread.start()
        stack.callback(thread.join)
        stack.callback(setattr, self.server, "should_exit", True)

    def connect(self, receive_buffer=0):
        one = socket.socket()
        if receive_buffer:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        one.settimeout(20)
        one.connect(("127.0.0.1", self.port))
        return self._stack.enter_context(one)

    def wait_until(self, is_so):
        until(lambda: is_so(self.server.server_state))


@contextmanager
def door(tmp_path, **limits):
    data = tmp_path / "data"
    data.mkdir(parents=True)
    with ExitStack() as stack:
        yield Door(Hall(ServerLayout(data), config.load(data), Limits(rate=0, **limits)), stack)


def answer(one):
    """The status and the body of the next answer on a connection."""
    got = b""
    while b"\r\n\r\n" not in got:
        part = one.recv(65536)
        assert part, got
        got += part
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length"))
    while len(body) < length:
        body += one.recv(65536)
    return int(head.split()[1]), body


def ask(one):
    one.sendall(GET)
    return answer(one)[0]


def is_cut(one, *, drip=b""):
    """Whether the other side closes in the end, while bytes are sent one at a time."""
    one.settimeout(0.05)

    def closed():
        try:
            return not one.recv(1)
        except TimeoutError:
            if drip:
                with suppress(OSError):
                    one.send(drip)
            return False
        except OSError:
            return True

    return until(closed, "being cut")


def is_open(one):
    one.settimeout(0)
    try:
        return bool(one.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        one.settimeout(20)


def test_a_head_that_does_not_arrive_ends_the_connection_however_it_drips(tmp_path):
    with door(tmp_path, head_seconds=0.5) as one:
        slow = one.connect()
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        assert is_cut(slow, drip=b"a")
        assert is_cut(one.connect())
        kept = one.connect()
        assert ask(kept) == 200
        assert is_cut(kept, drip=b"G")
        assert ask(one.connect()) == 200


def test_an_idle_connection_lives_longer_than_a_head_may_take_and_is_closed_in_the_end(tmp_path):
    with door(tmp_path, head_seconds=0.2, idle_seconds=3600) as one:
        kept = one.connect()
        assert ask(kept) == 200
        assert is_cut(one.connect())  # so that the time for a head is over for the other one too
        assert ask(kept) == 200
    with door(tmp_path / "soon", head_seconds=3600, idle_seconds=0.2) as one:
        kept = one.connect()
        assert ask(kept) == 200
        assert is_cut(kept)


def test_the_rest_of_a_body_that_was_refused_may_not_drip_in_for_ever(tmp_path):
    with door(tmp_path, head_seconds=0.5, idle_seconds=60) as one:
        slow = one.connect()
        slow.sendall(BUSY.replace(b"10", b"99999999"))
        assert answer(slow)[0] == 413
        assert is_cut(slow, drip=b"a")


def test_at_the_limit_the_longest_idle_is_closed_first(tmp_path):
    with door(tmp_path, connections=4) as one:
        a, b, c, d = (one.connect() for _ in range(4))
        for connection in (a, b, c, d, a):
            assert ask(connection) == 200
        e = one.connect()
        assert ask(e) == 200
        assert [is_open(connection) for connection in (a, b, c, d, e)] == [True, False, True, True, True]
        assert [ask(connection) for connection in (a, c, d, e)] == [200] * 4


def post(route, **body):
    """A request with a body, as bytes."""
    content = json.dumps(body).encode()
    head = f"POST {route} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def test_one_with_a_request_under_way_is_never_closed_for_another(tmp_path):
    with door(tmp_path, connections=2, pause_seconds=0.0) as one:
        one.hall.tenants.create("p")
        with one.hall.tenants.lease("p") as tenant, tenant.held():  # who writes waits for this
            busy = [one.connect() for _ in range(2)]
            for connection in busy:
                connection.sendall(post("/index", project_id="p", files=[{"path": "a.py", "content": "x"}]))
            one.wait_until(lambda state: [each.is_receiving for each in state.connections if each.cycle] == [False] * 2)
            other = one.connect()
            other.sendall(GET.replace(b"/healthz", b"/projects"))
            status, body = answer(other)
            assert status == 503
            assert set(json.loads(body)) == {"error", "hint"}
        for connection in busy:
            assert answer(connection)[0] == 200
        assert ask(one.connect()) == 200


def test_280_bodies_that_were_announced_and_do_not_arrive_keep_nobody_out(tmp_path):
    with door(tmp_path, body_seconds=60.0) as one:
        waiting = [one.connect() for _ in range(280)]
        for connection in waiting:
            connection.sendall(BUSY.replace(b"10", b"50"))
        one.wait_until(lambda state: len(state.tasks) == 280)
        good = one.connect()
        for path in (b"/healthz", b"/readyz", b"/projects"):
            good.sendall(GET.replace(b"/healthz", path))
            assert answer(good)[0] == 200
        good.sendall(post("/projects", project_id="p"))
        assert answer(good)[0] == 201
        assert is_open(waiting[0])  # there was room for all


def test_a_body_that_does_not_arrive_in_time_is_408(tmp_path):
    with door(tmp_path, body_seconds=0.5) as one:
        waiting = [one.connect() for _ in range(20)]
        for connection in waiting:
            connection.sendall(BUSY + b"{")
        assert [answer(connection)[0] for connection in waiting] == [408] * 20


def test_probes_are_answered_when_every_connection_is_taken(tmp_path):
    """By bodies that do not arrive; whoever asks anything else is told to come back."""
    with door(tmp_path, connections=4, pause_seconds=60.0) as one:
        waiting = [one.connect() for _ in range(4)]
        for connection in waiting:
            connection.sendall(BUSY)
        one.wait_until(lambda state: len(state.tasks) == 4)
        for path in (b"/healthz", b"/readyz") * 20:
            probing = one.connect()
            probing.sendall(GET.replace(b"/healthz", path))
            assert answer(probing)[0] == 200
        silent = [one.connect() for _ in range(40)]  # of those that bring no request, only so many are kept
        one.wait_until(lambda state: len(state.connections) == 4 + SPARE)
        assert ask(one.connect()) == 200
        assert not is_open(silent[0])
        other = one.connect()
        other.sendall(GET.replace(b"/healthz", b"/projects"))
        assert answer(other)[0] == 503
        assert [is_open(connection) for connection in waiting] == [True] * 4


def test_whose_body_does_not_arrive_makes_room_for_another_where_none_is_left(tmp_path):
    with door(tmp_path, connections=4, pause_seconds=0.2, body_seconds=60.0) as one:
        waiting = [one.connect() for _ in range(4)]
        for connection in waiting:
            connection.sendall(BUSY)
        one.wait_until(lambda state: any(each.is_slow(0.2) for each in state.connections))
        good = one.connect()
        good.sendall(GET.replace(b"/healthz", b"/projects"))
        assert answer(good)[0] == 200
        assert sum(map(is_open, waiting)) == 3


def test_readiness_is_told_though_every_thread_has_something_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("scova.server.app.THREADS", 1)
    with door(tmp_path) as one:
        one.hall.tenants.create("p")
        with one.hall.tenants.lease("p") as tenant, tenant.held():
            writing = one.connect()
            writing.sendall(post("/index", project_id="p", files=[{"path": "a.py", "content": "x"}]))
            one.wait_until(lambda state: any(each.cycle and not each.is_receiving for each in state.connections))
            probing = one.connect()
            probing.sendall(GET.replace(b"/healthz", b"/readyz"))
            assert answer(probing)[0] == 200
        assert answer(writing)[0] == 200


def test_one_token_has_a_quarter_of_the_room_for_bodies(tmp_path):
    """What arrived counts, not what was announced."""
    with door(tmp_path, body_bytes=1000) as one:
        secrets = [one.hall.tokens.create("*", "admin")[1] for _ in range(2)]
        first, second = (
            BUSY.replace(b"Host:", f"Authorization: Bearer {secret}\r\nHost:".encode()).replace(b"10", b"1000")
            for secret in secrets
        )
        waiting = [one.connect() for _ in range(9)]
        for connection in waiting:
            connection.sendall(first + b" " * 900)
        one.wait_until(lambda state: select.select(waiting, [], [], 0.0)[0])
        refused = select.select(waiting, [], [], 0.0)[0]
        assert len(refused) == 1
        assert answer(refused[0])[0] == 429
        other = one.connect()
        other.sendall(second + b" " * 1000)
        assert answer(other)[0] == 400  # read to its end: it is no JSON
        announcing = [one.connect() for _ in range(40)]
        for connection in announcing:
            connection.sendall(second)
        one.wait_until(lambda state: len(state.tasks) == 48)
        other.sendall(second + b" " * 1000)
        assert answer(other)[0] == 400


def test_who_takes_nothing_of_an_answer_is_cut_and_holds_neither_memory_nor_a_task(tmp_path):
    with door(tmp_path, stalled_seconds=0.5) as one:
        deaf = one.connect(receive_buffer=4096)
        sender = threading.Thread(target=_pour, args=(deaf,))
        sender.start()
        one.wait_until(lambda state: any(each.transport.get_write_buffer_size() for each in [*state.connections]))
        one.wait_until(lambda state: not state.connections and not state.tasks)
        sender.join()
        assert ask(one.connect()) == 200


def _pour(one):
    """More questions than answers fit into any buffer."""
    with suppress(OSError):
        one.sendall(LONG * 2000)


def test_who_takes_an_answer_slowly_gets_all_of_it(tmp_path):
    """Some kilobytes at a time: for longer than one may take nothing, most of it waits in the system, and nothing moves in the server."""
    with door(tmp_path, stalled_seconds=3.0) as one:
        slow = one.connect(receive_buffer=65536)
        slow.sendall(LONG)
        wanted = len(answer(slow)[1]) * 150
        slow.sendall(LONG * 150)
        got = reads = 0
        while got < wanted:
            part = slow.recv(16384)
            assert part
            got += len(part)
            reads += 1
            if reads < 120:  # six seconds or more
                threading.Event().wait(0.05)


@pytest.fixture
def many_files():
    """So many files may be open in this process, and in what it starts if that does not say otherwise."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield allow_files()
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("limit", ["ulimit -n 512", "ulimit -S -n 512"])
def test_1500_idle_connections_keep_nobody_out(tmp_path, many_files, limit):
    """In a process that may have 512 files open; and in one that may allow itself more."""
    count = min(1500, many_files - 300)
    command = f"{limit}; exec {SCOVA} serve --port 0 --data {tmp_path / 'data'}"
    with ExitStack() as stack, (tmp_path / "log").open("wb") as log:
        process = stack.enter_context(
            subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, stderr=log, text=True)
        )
        stack.callback(process.kill)
        port = int(process.stdout.readline().rpartition(":")[2])
        idle = []
        for number in range(count):
            idle.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120)))
            if number % 300 == 299:
                good = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120))
                assert [ask(good), ask(good)] == [200, 200]
        assert not is_open(idle[0])
        assert is_open(idle[-1])
        process.terminate()
        assert process.wait(120) == 0
        assert "out of system resource" not in (tmp_path / "log").read_text()


def test_bodies_in_chunks_take_the_room_of_what_arrived(tmp_path):
    """Whatever length stands beside them."""
    head = BUSY.replace(b"/projects", b"/index").replace(b"Length: 10", b"Length: 0\r\nTransfer-Encoding: chunked")
    with door(tmp_path, body_seconds=3.0) as there:
        waiting = [there.connect() for _ in range(100)]
        for one in waiting:
            one.sendall(head + b"5\r\n{    \r\n")
        assert [answer(one)[0] for one in waiting] == [408] * 100
