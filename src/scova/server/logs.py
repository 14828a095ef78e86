"""The server's log: one JSON object a line on stderr. What a request said, its query and its token are not in it, only who and which route."""

import json
import logging
import sys
import time

_PLAIN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName", "color_message"}


class _Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        said: dict[str, object] = {
            "time": f"{when}.{record.msecs:03.0f}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        said |= {name: value for name, value in record.__dict__.items() if name not in _PLAIN}
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps(said, default=str)


def configure(*, quiet: bool = False) -> None:
    """Have everything that is logged in this process written so; with `quiet`, only what is wrong."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING if quiet else logging.INFO)
    for noisy in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logging.getLogger(noisy).handlers = []
        logging.getLogger(noisy).propagate = True
    logging.getLogger("uvicorn.access").disabled = True
    # That it starts, waits and ends is said by `serving`, once and in our words.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
