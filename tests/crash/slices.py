"""A process that builds a project slice after slice until nothing is left: `python -m crash.slices NAME OPTIONS`, to be killed by others.

It says what each slice brought, one JSON object a line. It pauses less between requests than scova does, since only the pauses would take
long.
"""

import json
import sys
from functools import partial

from scova.projects import BuildOptions, chunk_options, project_build
from scova.sources.web import fetch


def main(name: str, options: str) -> None:
    fetch.Limits = partial(fetch.Limits, first_wait=0.05, delay=0.03)
    chosen = BuildOptions(chunk_options=chunk_options(json.loads(options)))
    has_more = True
    while has_more:
        result = project_build(name, chosen)
        has_more = result.progress.has_more
        sys.stdout.write(json.dumps(result.to_json()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
