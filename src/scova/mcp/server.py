"""The server: hands what an agent sends to the tools, and their answers back. The only file that knows the protocol.

The handshake and the list of tools need no index. Whatever takes time runs in a thread. Nothing but the protocol is ever
written to stdout: the transport takes it away from everyone else.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as protocol
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from scova import __version__
from scova.core.deadline import Deadline, asking
from scova.errors import Cancelled, ScovaError, UsageError
from scova.mcp import chores, guide, projects
from scova.mcp.arguments import Parameter, checked, schema
from scova.mcp.ledger import Ledger
from scova.mcp.page import encoded, fitted
from scova.mcp.tools import QUESTIONS, start, told_beside
from scova.mcp.workplace import Workplace
from scova.types import Job

_log = logging.getLogger(__name__)
_LOOK_EVERY = 0.2  # seconds between looks at a job that is waited for
MOST_BYTES = 64_000_000  # that one answer may hold while it is made
_SESSION = "mcp-session-id"
_MOST_SESSIONS = 64  # of which it is remembered what they were sent

Context = ServerRequestContext[Any, Any]


class Door:
    """Handlers of one server over one Workplace."""

    def __init__(self, desk: Workplace) -> None:
        self._desk = desk
        self._ledgers: OrderedDict[str, Ledger] = OrderedDict()  # by session, the latest that asked last

    def server(self) -> Server[Any]:
        """The server, ready to run on any transport."""
        return Server(
            "scova",
            version=__version__,
            title="scova",
            instructions=guide.INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    # --- tools

    async def _list_tools(self, ctx: Context, params: object) -> protocol.ListToolsResult:
        has_builds = await _in_thread(self._desk.builds.exist)
        return protocol.ListToolsResult(tools=tools(has_builds=has_builds))

    async def _call_tool(self, ctx: Context, params: protocol.CallToolRequestParams) -> protocol.CallToolResult:
        given = params.arguments or {}
        try:
            if params.name == "index":
                return _answered(await self._index(ctx, given))
            if params.name == "project_build":
                return _answered(await self._project_build(ctx, given))
            if params.name == "project_build_status":
                return _answered(await _in_thread(lambda: self._desk.builds.status(checked(projects.STATUS, given))))
            if params.name == "status":
                found = await _in_thread(lambda: chores.state(self._desk, checked(chores.STATUS, given)))
                return _answered(found)
            if params.name not in QUESTIONS:
                raise MCPError(protocol.INVALID_PARAMS, f"there is no tool `{params.name[:100]}`")
            ledger = self._ledger(ctx)
            return _answered(await self._within_deadline(lambda: self._question(params.name, given, ledger)))
        except ScovaError as error:
            return _refused(error)
        except OSError as error:
            return _refused(UsageError(f"{error.strerror or error}", "`status` tells how the index is"))
        except (MCPError, anyio.get_cancelled_exc_class()):
            raise
        except Exception:  # noqa: BLE001 - the top of a door
            _log.exception("tool %s failed", params.name)
            return _refused(UsageError("scova failed on this question", "the server's log on stderr has the details"))

    async def _within_deadline(self, question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The answer, in a thread that ends in the time of a question, or when the call is cancelled or its connection is lost."""
        cancelled = threading.Event()

        def stop() -> None:
            if cancelled.is_set():
                raise Cancelled("the call was cancelled")

        deadline = Deadline(self._desk.question_seconds, most_bytes=MOST_BYTES, stop=stop)

        def answered() -> dict[str, Any]:
            with asking(deadline):
                return question()

        try:
            found: dict[str, Any] = await _in_thread(answered)
        finally:
            cancelled.set()
        return found

    def _question(self, name: str, given: Mapping[str, Any], ledger: Ledger | None) -> dict[str, Any]:
        tool = QUESTIONS[name]
        arguments = checked(tool.all_parameters, given)
        begin = start(arguments)
        asked = self._desk.ask(arguments["project"])
        listing = tool.run(asked, arguments, begin)
        if listing.items and (manifest := asked.manifest()) is not None:
            listing = listing._replace(items=[projects.placed(manifest, item) for item in listing.items])
        if ledger is not None and not arguments.get("resend"):
            listing = listing._replace(items=[ledger.spared(item) for item in listing.items])
        listing = listing._replace(beside=told_beside(listing.beside, asked))
        answer = fitted(listing, start=begin, most_bytes=arguments["max_bytes"])
        if ledger is not None:
            ledger.note(answer[listing.name])
        return answer

    async def _index(self, ctx: Context, given: Mapping[str, Any]) -> dict[str, Any]:
        arguments = checked(chores.INDEX, given)
        job = await _in_thread(lambda: chores.begun(self._desk, arguments))
        if arguments["wait_seconds"] and not arguments["cancel"]:
            job = await self._waited(ctx, job, arguments["wait_seconds"])
        return chores.started(job)

    async def _project_build(self, ctx: Context, given: Mapping[str, Any]) -> dict[str, Any]:
        """One slice of a project's build. Who cancels the call stops it, in good order."""
        arguments = checked(projects.BUILD, given)
        stopped = threading.Event()

        def report(done: int, total: int, words: str) -> None:
            with suppress(
                RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError
            ):  # nobody listens any more
                anyio.from_thread.run(ctx.session.report_progress, done, total, words)

        try:
            found: dict[str, Any] = await _in_thread(lambda: self._desk.builds.build(arguments, report, stopped.is_set))
        finally:
            stopped.set()
        return found

    async def _waited(self, ctx: Context, job: Job, seconds: float) -> Job:
        """The job at its end, or after so long, telling how far it is meanwhile. Who cancels the call cancels the job."""
        try:
            with anyio.move_on_after(seconds):
                while job.status in chores.UNDER_WAY:
                    await anyio.sleep(_LOOK_EVERY)
                    job = await _in_thread(partial(self._desk.jobs.get, job.job_id))
                    eta = f", {job.eta_seconds:.0f} s left" if job.eta_seconds is not None else ""
                    said = f"{job.stage or job.status}: {job.rate:.0f} files/s{eta}"
                    await ctx.session.report_progress(job.files_processed, job.files_total or None, said)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await _in_thread(lambda: self._desk.jobs.cancel(job.job_id))
            raise
        return job

    def _ledger(self, ctx: Context) -> Ledger | None:
        """What this agent has been sent; None where requests cannot be told to be of one agent."""
        session = "" if ctx.request is None else ctx.request.headers.get(_SESSION, "")
        if ctx.request is not None and not session:
            return None
        found = self._ledgers.setdefault(session, Ledger())
        self._ledgers.move_to_end(session)
        if len(self._ledgers) > _MOST_SESSIONS:  # whoever it was is sent everything again
            self._ledgers.popitem(last=False)
        return found

    # --- outlines as resources, and prompts

    async def _list_resources(self, ctx: Context, params: object) -> protocol.ListResourcesResult:
        return protocol.ListResourcesResult(resources=[])

    async def _list_templates(self, ctx: Context, params: object) -> protocol.ListResourceTemplatesResult:
        template = protocol.ResourceTemplate(
            name="outline",
            uri_template=f"{guide.OUTLINE}{{+path}}",
            description="What a file of the project defines, one line each.",
            mime_type="text/plain",
        )
        return protocol.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(
        self, ctx: Context, params: protocol.ReadResourceRequestParams
    ) -> protocol.ReadResourceResult:
        uri = str(params.uri)
        path = guide.outlined_path(uri)
        if path is None:
            raise MCPError(
                protocol.INVALID_PARAMS, f"there is no resource `{uri[:200]}`; outlines are {guide.OUTLINE}PATH"
            )
        try:
            given = {"path": path, "max_bytes": 200_000}
            found = await self._within_deadline(lambda: self._question("outline", given, None))
        except ScovaError as error:
            raise MCPError(protocol.INVALID_PARAMS, f"{error.message}; {error.hint}") from error
        text = "\n".join(found["outline"])
        content = protocol.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        return protocol.ReadResourceResult(contents=[content])

    async def _list_prompts(self, ctx: Context, params: object) -> protocol.ListPromptsResult:
        return protocol.ListPromptsResult(prompts=guide.prompts())

    async def _get_prompt(self, ctx: Context, params: protocol.GetPromptRequestParams) -> protocol.GetPromptResult:
        return guide.prompt(params.name, params.arguments or {})


def tools(*, has_builds: bool) -> list[protocol.Tool]:
    """Every tool, as the protocol lists them; those of builds where there are any."""
    listed = [_tool(tool.name, tool.title, tool.about, tool.all_parameters) for tool in QUESTIONS.values()]
    listed.append(_tool("index", "Index in the background", chores.INDEX_ABOUT, chores.INDEX, writes=True))
    listed.append(_tool("status", "State of the index and of jobs", chores.STATUS_ABOUT, chores.STATUS))
    if has_builds:
        about, parameters = projects.BUILD_ABOUT, projects.BUILD
        listed.append(_tool("project_build", "Build a project", about, parameters, writes=True, fetches=True))
        listed.append(_tool("project_build_status", "State of a project", projects.STATUS_ABOUT, projects.STATUS))
    return listed


def _tool(
    name: str,
    title: str,
    about: str,
    parameters: tuple[Parameter, ...],
    *,
    writes: bool = False,
    fetches: bool = False,
) -> protocol.Tool:
    # What a tool that only reads need not say is left out: every conversation pays for each word.
    harmless = False if writes else None
    hints = protocol.ToolAnnotations(
        read_only_hint=not writes, destructive_hint=harmless, idempotent_hint=writes or None, open_world_hint=fetches
    )
    return protocol.Tool(name=name, title=title, description=about, input_schema=schema(parameters), annotations=hints)


def _answered(found: dict[str, Any]) -> protocol.CallToolResult:
    text = encoded(found).decode("utf-8")
    return protocol.CallToolResult(content=[protocol.TextContent(text=text)], structured_content=found)


def _refused(error: ScovaError) -> protocol.CallToolResult:
    hint = f"\nhint: {error.hint}" if error.hint else ""
    said = {"error": error.message, "hint": error.hint}
    return protocol.CallToolResult(
        content=[protocol.TextContent(text=f"{error.message}{hint}")], structured_content=said, is_error=True
    )


async def _in_thread(work: Callable[[], Any]) -> Any:
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def serve_stdio(desk: Workplace) -> None:
    """Serve one agent over this process's stdin and stdout until it leaves."""
    anyio.run(_serve_stdio, desk)


async def _serve_stdio(desk: Workplace) -> None:
    from mcp.server.stdio import stdio_server

    server = Door(desk).server()
    async with stdio_server() as (incoming, outgoing):
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await server.run(incoming, outgoing, server.create_initialization_options())


def serve_http(desk: Workplace, *, host: str, port: int) -> None:
    """Serve any number of agents over HTTP until stopped."""
    import uvicorn

    app = Door(desk).server().streamable_http_app(host=host)
    uvicorn.run(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=1)
