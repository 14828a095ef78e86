"""The reference has every route with its fields, and every status."""

import re
from pathlib import Path

from serving import described

REFERENCE = (Path(__file__).parents[3] / "docs" / "reference" / "http.md").read_text()
SCHEMA = described()


def test_every_route_is_in_the_reference_with_what_it_takes():
    for path, methods in SCHEMA["paths"].items():
        for method, operation in methods.items():
            row = re.search(rf"^\| `{method.upper()} {re.escape(path)}`.*$", REFERENCE, re.M)
            assert row, f"{method} {path}"
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            reference = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            fields = SCHEMA["components"]["schemas"][reference]["properties"] if reference else {}
            asked = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
            for name in (*fields, *asked):
                assert f"`{name}`" in row[0], (method, path, name)


def test_every_status_is_in_the_reference():
    statuses = {
        status for methods in SCHEMA["paths"].values() for one in methods.values() for status in one["responses"]
    } - {"200", "201", "202"}
    for status in statuses:
        assert re.search(rf"^\| {status} \|", REFERENCE, re.M), status
