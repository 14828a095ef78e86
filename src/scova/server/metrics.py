"""What is counted for Prometheus. Labels are routes as they are written in the API and words of ours; never a project, a path or a query."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ["method", "route", "status"]
        self._requests = Counter("scova_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "scova_request_seconds", "Time to answer.", ["route"], buckets=_BUCKETS, registry=self._registry
        )
        self._bytes = Counter("scova_request_body_bytes", "Bytes of bodies received.", registry=self._registry)
        self._files = Counter(
            "scova_files", "Files pushed, by what became of them.", ["status"], registry=self._registry
        )
        self._under_way = Gauge("scova_requests_under_way", "Requests being answered.", registry=self._registry)

    def begin(self) -> None:
        """A request came in."""
        self._under_way.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """And was answered."""
        self._under_way.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def received(self, size: int) -> None:
        """So many bytes came in."""
        self._bytes.inc(size)

    def pushed(self, status: str) -> None:
        """What became of one file."""
        self._files.labels(status).inc()

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)
