"""`scova doctor`: everything looked at, one line each."""

from argparse import ArgumentParser, Namespace

from scova.cli import render
from scova.cli.setup.install import around, records
from scova.cli.words import FOUND, INCOMPLETE, Words, data_of
from scova.config import cache_folder
from scova.doctor.check import FAIL, OK, Check
from scova.doctor.clients import clients
from scova.doctor.machine import machine
from scova.doctor.project import project


def add_doctor_words(command: ArgumentParser) -> None:
    """`scova doctor` has only the words that all commands have."""


def doctor(arguments: Namespace) -> int:
    """`scova doctor`: what is well, and what to fix."""
    here = around(arguments.path)
    checks = [
        *machine(cache_folder()),
        *project(arguments.path, data_of(arguments)),
        *clients(here, records()),
    ]
    failed = any(check.state == FAIL for check in checks)
    if arguments.json:
        rows = [check._asdict() for check in checks]
        render.data(render.json_text({"ok": not failed, "checks": rows}) + "\n")
    else:
        render.data("".join(map(_lines, checks)))
    return INCOMPLETE if failed else FOUND


def _lines(check: Check) -> str:
    line = f"{check.state:<5} {check.name:<12} {check.message}"
    hint = f"\n{'':19}hint: {check.hint}" if check.hint and check.state != OK else ""
    return "\n".join(map(render.clean, f"{line}{hint}".split("\n"))) + "\n"


WORDS: Words = {"doctor": (add_doctor_words, doctor)}
