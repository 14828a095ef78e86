"""Words for agents: how to use the tools well, as instructions, prompts and resources."""

from collections.abc import Mapping
from urllib.parse import unquote

import mcp_types as protocol
from mcp.shared.exceptions import MCPError

OUTLINE = "scova://outline/"

INSTRUCTIONS = """\
scova knows this codebase: code and documentation, definitions, calls. The index keeps itself fresh.
- Where or how is something done? `search` with the question in plain words.
- A name you know: `definitions` (with `body` for the source), then `callers` or `usages`.
- All places of a text or pattern: `grep`; it is complete, so there is no need to look further.
- To understand one thing whole: `context`. What is in a file or folder: `outline`.
Most questions take one to three calls. Places are given as path and lines; read a file only where you will edit it.
Text marked `already_sent` was in an earlier answer of this session."""

_PROMPTS = {
    "understand": (
        "Understand how something works here",
        "topic",
        "Explain how {topic} works in this codebase. Begin with the scova tool `search` for it, take the best result's symbol to"
        " `context`, and follow `callers` only where that is not enough. Name the path and lines of everything you rely on.",
    ),
    "before_changing": (
        "What a change would touch",
        "name",
        "I want to change `{name}`. With scova: `definitions` with its body, `usages` for everything that depends on it, `callers`"
        " with depth 3. List what has to change with it, with path and line, and say which call edges are guesses.",
    ),
}


def prompts() -> list[protocol.Prompt]:
    """The prompts there are."""
    return [
        protocol.Prompt(
            name=name,
            description=about,
            arguments=[protocol.PromptArgument(name=argument, required=True)],
        )
        for name, (about, argument, _) in _PROMPTS.items()
    ]


def prompt(name: str, arguments: Mapping[str, str]) -> protocol.GetPromptResult:
    """One prompt, filled in."""
    if name not in _PROMPTS:
        raise MCPError(protocol.INVALID_PARAMS, f"there is no prompt `{name[:100]}`; there are {', '.join(_PROMPTS)}")
    about, argument, text = _PROMPTS[name]
    if argument not in arguments:
        raise MCPError(protocol.INVALID_PARAMS, f"the argument `{argument}` is missing")
    message = protocol.PromptMessage(
        role="user", content=protocol.TextContent(text=text.replace(f"{{{argument}}}", arguments[argument]))
    )
    return protocol.GetPromptResult(description=about, messages=[message])


def outlined_path(uri: str) -> str | None:
    """The path whose outline a URI names; None for any other."""
    return unquote(uri.removeprefix(OUTLINE)) if uri.startswith(OUTLINE) else None
