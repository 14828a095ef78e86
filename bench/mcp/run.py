"""The MCP server as a client meets it: start, first list of tools, cost of a call. `python bench/mcp/run.py TREE`

TREE is indexed once (SCOVA_CACHE says where). Times are of the real command over stdio with the protocol's own client, except for the
start, which is raw: from starting the process to the last byte of the list of tools.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save

from scova import Index

SCOVA = str(Path(sys.executable).with_name("scova"))
STARTS, CALLS = 7, 200
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
QUESTIONS = ["where are files opened", "parse arguments", "error handling", "write to the store", "read configuration"]


def start_ms(tree: Path) -> float:
    """From nothing to the list of tools."""
    began = time.perf_counter()
    pipe = subprocess.PIPE
    with subprocess.Popen([SCOVA, "mcp"], cwd=tree, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as server:
        for message in (
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        ):
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        for _ in range(2):
            server.stdout.readline()
        taken = 1000 * (time.perf_counter() - began)
        server.stdin.close()
    return taken


async def called(tree: Path) -> dict[str, object]:
    """What calls take, and what the server weighs when it has nothing to do."""
    async with Client(
        StdioServerParameters(command=SCOVA, args=["mcp"], cwd=str(tree), env=dict(os.environ))
    ) as client:
        for text in QUESTIONS:
            await client.call_tool("search", {"query": text})
        search, index = [], []
        for number in range(CALLS):
            began = time.perf_counter()
            await client.call_tool("search", {"query": QUESTIONS[number % len(QUESTIONS)], "resend": True})
            search.append(1000 * (time.perf_counter() - began))
        for _ in range(20):
            began = time.perf_counter()
            job = (await client.call_tool("index", {})).structured_content["job_id"]
            index.append(1000 * (time.perf_counter() - began))
            while (await client.call_tool("status", {"job_id": job})).structured_content["jobs"][job]["status"] in (
                "queued",
                "running",
            ):
                await anyio.sleep(0.05)
        tools = (await client.list_tools()).tools
        await anyio.sleep(1)
        return {
            "search_ms": statistics.median(search),
            "index_ms": statistics.median(index),
            "tools_list_tokens": len(json.dumps([t.model_dump(by_alias=True, exclude_none=True) for t in tools])) // 4,
            "idle_memory_mb": resident_mb(),
        }


def resident_mb() -> float:
    """Of the server: the child of this process that is `scova mcp`."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    sizes = [Path(f"/proc/{child}/smaps_rollup").read_text() for child in children]
    return max(int(line.split()[1]) / 1024 for size in sizes for line in size.splitlines() if line.startswith("Pss:"))


def direct_ms(tree: Path) -> float:
    """The same questions, asked of the Python API."""
    with Index.open(tree) as index:
        for text in QUESTIONS:
            index.search(text, limit=5)
        taken = []
        for number in range(CALLS):
            began = time.perf_counter()
            index.search(QUESTIONS[number % len(QUESTIONS)], limit=5)
            taken.append(1000 * (time.perf_counter() - began))
        return statistics.median(taken)


def main() -> None:
    tree = Path(sys.argv[1]).resolve()
    subprocess.run([SCOVA, "index", str(tree)], check=False, stdout=subprocess.DEVNULL)
    starts = sorted(start_ms(tree) for _ in range(STARTS))
    figures = anyio.run(called, tree)
    direct = direct_ms(tree)
    figures |= {
        "tree": tree.name,
        "start_to_tools_ms": {"best": starts[0], "median": statistics.median(starts)},
        "python_search_ms": direct,
        "overhead_ms": figures["search_ms"] - direct,
    }
    print(json.dumps(figures, indent=1))
    print(save("mcp", figures))


if __name__ == "__main__":
    main()
