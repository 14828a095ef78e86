"""A Qdrant to test with: its own engine (qdrant-edge) behind as much of its REST interface as scova and the official client use here.

Run as a process: `python qdrant_server.py FOLDER`; it prints the port it listens at. What it does not cover, and a live server has:
clusters and replicas, quotas, snapshots, gRPC, a graph that is built behind. One folder is one collection, kept over a restart.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@contextlib.contextmanager
def running(key=""):
    """The address of a Qdrant: the live one of SCOVA_TEST_QDRANT_URL, or a process started for the test; skipped where there is none."""
    import pytest

    live = LIVE_URL
    if live:
        yield live
        return
    pytest.importorskip(
        "qdrant_edge", reason="no Qdrant to test with: pip install qdrant-edge-py, or set SCOVA_TEST_QDRANT_URL"
    )
    folder = tempfile.mkdtemp(prefix="qdrant-")
    server = Server(folder, key)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


LIVE_URL = os.environ.get("SCOVA_TEST_QDRANT_URL", "")  # read before the tests clean their environment


class Server:
    """The process, to be stopped and started at will."""

    def __init__(self, folder, key=""):
        self.folder, self.key, self.port, self._process = folder, key, 0, None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        command = [sys.executable, __file__, str(self.folder), str(self.port), self.key]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process = None


class Refused(Exception):
    """A status and what is said with it."""


class Engine:
    """Collections, each a shard of the engine. One thing at a time."""

    def __init__(self, folder):
        import qdrant_edge

        self.edge, self.folder, self.lock = qdrant_edge, Path(folder), threading.Lock()
        self.shards = {path.name: qdrant_edge.EdgeShard.load(str(path)) for path in self.folder.iterdir()}
        self.indexes = {}

    def create(self, name, body):
        edge = self.edge
        if name in self.shards:
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        graph = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000} | (body.get("hnsw_config") or {})
        path, vectors = self.folder / name, body.get("vectors") or {}
        dense = self.dense(vectors) if "size" in vectors else {one: self.dense(each) for one, each in vectors.items()}
        sparse = {one: self.words(each) for one, each in (body.get("sparse_vectors") or {}).items()}
        config = edge.EdgeConfig(dense, sparse or None, hnsw_config=edge.HnswIndexConfig(**graph))
        self.shards[name] = edge.EdgeShard.create(str(path), config)
        return True

    def dense(self, wanted):
        datatype = {"float16": self.edge.VectorStorageDatatype.Float16}.get(wanted.get("datatype"))
        distance = getattr(self.edge.Distance, wanted["distance"])
        return self.edge.EdgeVectorParams(wanted["size"], distance, datatype=datatype)

    def words(self, wanted):
        modifier = {"idf": self.edge.Modifier.Idf}.get(wanted.get("modifier"))
        return self.edge.EdgeSparseVectorParams(modifier=modifier)

    def remove(self, name):
        self.shard(name).close()
        del self.shards[name]
        shutil.rmtree(self.folder / name)
        return True

    def shard(self, name):
        if name not in self.shards:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return self.shards[name]

    def info(self, name):
        points = self.shard(name).info().points_count
        return {"status": "green", "optimizer_status": "ok", "points_count": points, "segments_count": 1,
                "config": {"params": {}, "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10_000},
                           "optimizer_config": {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000,
                                                "default_segment_number": 0, "flush_interval_sec": 5}},
                "payload_schema": self.indexes.get(name, {})}  # fmt: skip

    def index(self, name, body):
        edge, schema = self.edge, body["field_schema"]
        if isinstance(schema, dict):
            made = {"keyword": edge.KeywordIndexParams, "integer": edge.IntegerIndexParams}[schema["type"]]
            params = made(**{key: value for key, value in schema.items() if key != "type"})
            kind = schema["type"]
        else:
            params, kind = getattr(edge.PayloadSchemaType, schema.capitalize()), schema
        self.shard(name).update(edge.UpdateOperation.create_field_index(body["field_name"], params))
        said = {"data_type": kind, "points": 0} | ({"params": schema} if isinstance(schema, dict) else {})
        self.indexes.setdefault(name, {})[body["field_name"]] = said
        return {"operation_id": 0, "status": "completed"}

    def upsert(self, name, body):
        points = [
            self.edge.Point(each["id"], self.vectors(each["vector"]), each.get("payload") or {})
            for each in body["points"]
        ]
        return self.update(name, self.edge.UpdateOperation.upsert_points(points))

    def vectors(self, given):
        return {one: self.vector(each) for one, each in given.items()} if isinstance(given, dict) else given

    def vector(self, given):
        if isinstance(given, dict):
            return self.edge.SparseVector(given["indices"], [float(value) for value in given["values"]])
        return [float(value) for value in given]

    def delete(self, name, body):
        if "filter" in body:
            operation = self.edge.UpdateOperation.delete_points_by_filter(self.filter(body["filter"]))
        else:
            operation = self.edge.UpdateOperation.delete_points(body["points"])
        return self.update(name, operation)

    def update(self, name, operation):
        self.shard(name).update(operation)
        return {"operation_id": 0, "status": "completed"}

    def retrieve(self, name, body):
        options = self.shown(body)
        return [record(one) for one in self.shard(name).retrieve(body["ids"], **options)]

    def query(self, name, body):
        return {"points": [scored(one) for one in self.shard(name).query(self.asked(body))]}

    def query_batch(self, name, body):
        found = self.shard(name).query_batch(self.edge.QueryBatchRequest([self.asked(one) for one in body["searches"]]))
        return [{"points": [scored(one) for one in points]} for points in found]

    def asked(self, body):
        edge, params = self.edge, body.get("params") or {}
        idf = params.get("idf")
        scope = edge.IdfParams(corpus=self.filter(idf["corpus"])) if isinstance(idf, dict) else None
        wanted = edge.SearchParams(hnsw_ef=params.get("hnsw_ef"), exact=bool(params.get("exact")), idf=scope)
        asked = body["query"]
        asked = asked["nearest"] if isinstance(asked, dict) and "nearest" in asked else asked
        return edge.QueryRequest(
            body.get("limit") or 10,
            query=edge.Query.Nearest(self.vector(asked), using=body.get("using")),
            filter=self.filter(body.get("filter")),
            params=wanted,
            **self.shown(body),
        )

    def scroll(self, name, body):
        request = self.edge.ScrollRequest(
            offset=body.get("offset"),
            limit=body.get("limit") or 10,
            filter=self.filter(body.get("filter")),
            **self.shown(body),
        )
        found, after = self.shard(name).scroll(request)
        return {"points": [record(one) for one in found], "next_page_offset": plain(after)}

    def count(self, name, body):
        request = self.edge.CountRequest(filter=self.filter(body.get("filter")), exact=body.get("exact", True))
        return {"count": self.shard(name).count(request)}

    def filter(self, asked):
        if not asked:
            return None
        must = asked.get("must") or []
        return self.edge.Filter(must=[self.condition(one) for one in (must if isinstance(must, list) else [must])])

    def condition(self, asked):
        edge = self.edge
        if "has_id" in asked:
            return edge.HasIdCondition(set(asked["has_id"]))
        match = asked["match"]
        made = edge.MatchAny(match["any"]) if "any" in match else edge.MatchValue(match["value"])
        return edge.FieldCondition(asked["key"], match=made)

    def shown(self, body):
        vector = body.get("with_vector")
        return {"with_payload": body.get("with_payload", True), "with_vector": bool(vector)}


def plain(point_id):
    return point_id if point_id is None or isinstance(point_id, int) else str(point_id)


def record(one):
    vector = {} if one.vector is None else {"vector": told(one.vector)}
    return {"id": plain(one.id), "payload": one.payload} | vector


def scored(one):
    return record(one) | {"score": one.score, "version": one.version}


def told(vector):
    if isinstance(vector, dict):
        return {name: told(each) for name, each in vector.items()}
    if hasattr(vector, "indices"):
        return {"indices": list(vector.indices), "values": list(vector.values)}
    return [float(value) for value in vector]


ROUTES = [
    ("GET", r"/collections()", lambda engine, name, body: {"collections": [{"name": one} for one in engine.shards]}),
    ("GET", r"/collections/([^/]+)/exists", lambda engine, name, body: {"exists": name in engine.shards}),
    ("GET", r"/collections/([^/]+)", lambda engine, name, body: engine.info(name)),
    ("PUT", r"/collections/([^/]+)", Engine.create),
    ("DELETE", r"/collections/([^/]+)", lambda engine, name, body: engine.remove(name)),
    ("PUT", r"/collections/([^/]+)/index", Engine.index),
    ("PUT", r"/collections/([^/]+)/points", Engine.upsert),
    ("POST", r"/collections/([^/]+)/points", Engine.retrieve),
    ("POST", r"/collections/([^/]+)/points/delete", Engine.delete),
    ("POST", r"/collections/([^/]+)/points/query", Engine.query),
    ("POST", r"/collections/([^/]+)/points/query/batch", Engine.query_batch),
    ("POST", r"/collections/([^/]+)/points/scroll", Engine.scroll),
    ("POST", r"/collections/([^/]+)/points/count", Engine.count),
]


def main(folder, port="0", key=""):
    engine = Engine(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one piece: in two, each would wait for the other side
        disable_nagle_algorithm = True

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path, status, said = urlsplit(self.path).path, 404, "Not found"
            if key and self.headers.get("api-key") != key:
                return self.reply(401, {"status": {"error": "Must provide an API key"}, "time": 0.0})
            if path == "/":
                return self.reply(200, {"title": "qdrant - vector search engine", "version": "1.20.0"})
            try:
                for method, pattern, done in ROUTES:
                    found = re.fullmatch(pattern, path)
                    if found and method == self.command:
                        with engine.lock:
                            result = done(engine, found[1], json.loads(body or b"{}"))
                        return self.reply(200, {"result": result, "status": "ok", "time": 0.0})
            except Refused as error:
                status, said = error.args
            except Exception as error:
                status, said = 400, f"{type(error).__name__}: {error}"
            return self.reply(status, {"status": {"error": said}, "time": 0.0})

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def reply(self, status, body):
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words):
            pass

    class Listening(ThreadingHTTPServer):
        allow_reuse_address, daemon_threads = True, True

    with Listening(("127.0.0.1", int(port)), Handler) as server:
        print(server.server_address[1], flush=True)  # noqa: T201 - who started it waits for this
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
