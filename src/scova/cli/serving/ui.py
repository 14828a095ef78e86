"""`scova ui`: the page on a folder of this machine, with one command. Nobody but this machine can reach it."""

import gc
import os
import sys
import threading
from argparse import ArgumentParser, Namespace

from scova.cli import render
from scova.cli.words import FOUND, Words, data_of
from scova.errors import UsageError

HOST = "127.0.0.1"
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")


def add_words(command: ArgumentParser) -> None:
    """The words of `scova ui`."""
    command.description = "Search, read and watch a folder and your named projects in the browser. Answers come from the folder's own index, which is kept fresh meanwhile. Only this machine is served; Ctrl-C ends it."
    command.add_argument("--port", type=int, default=0, help="port to serve on (default: any that is free)")
    command.add_argument("--no-open", action="store_true", help="do not open the browser, only say where the page is")


def ui(arguments: Namespace) -> int:
    """Serve the page until the process is told to stop."""
    gc.disable()  # as in `serve`
    from scova.desk.opening import opened
    from scova.server import logs
    from scova.server.serving import bound, serve

    gc.freeze()
    gc.enable()
    if not 0 <= arguments.port < 65536:
        raise UsageError(f"there is no port {arguments.port}", "give 1 to 65535, or leave --port out")
    hall = opened(arguments.path, data=data_of(arguments))
    try:
        taken = bound(hall, HOST, arguments.port)
    except UsageError:
        hall.close()
        raise
    address = f"http://{HOST}:{taken.getsockname()[1]}/"
    render.at_once(f"serving on {address}\n")
    logs.configure(quiet=True)
    if not arguments.no_open:
        _show(address)
    serve(hall, taken)
    _leave()
    return FOUND


def _leave() -> None:
    """Wait for no question that is still being looked into: who asked it is gone, everything is closed, and the index can be left at any time."""
    if any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(FOUND)


def _show(address: str) -> None:
    """Open the browser, where there is one to be seen: one in a terminal would take it over."""
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in _SCREENS):
        render.talk("no screen to open a browser on: open the address yourself")
        return
    import webbrowser

    # Beside: some wait until the browser has ended.
    threading.Thread(target=lambda: webbrowser.open(address), name="scova-browser", daemon=True).start()


WORDS: Words = {"ui": (add_words, ui)}
