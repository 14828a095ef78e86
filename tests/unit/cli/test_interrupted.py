"""What a command says when Ctrl-C ends it: only one that keeps what it has done says that it can be gone on with."""

from importlib import import_module

import pytest

from scova.cli.main import main
from scova.cli.parser import COMMANDS


def interrupted(arguments):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("words", "goes_on"),
    [(["index"], True), (["repair"], True), (["search", "x"], False), (["grep", "x"], False), (["status"], False)],
)
def test_only_a_command_that_keeps_what_it_did_says_so(words, goes_on, monkeypatch, capsys):
    chosen = import_module(f"scova.cli.{COMMANDS[words[0]].module}").WORDS
    monkeypatch.setitem(chosen, words[0], (chosen[words[0]][0], interrupted))
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: interrupted\n")
    assert ("hint: what was committed is kept; run the same command to go on" in said) is goes_on
