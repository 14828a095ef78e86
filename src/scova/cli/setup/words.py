"""Which words and which function each of these commands has."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from scova.cli.setup import doctor, guide, install

WORDS: dict[str, tuple[Callable[[ArgumentParser], None], Callable[[Namespace], int]]] = {
    "install": (install.add_install_words, install.install),
    "uninstall": (install.add_uninstall_words, install.uninstall),
    "doctor": (doctor.add_doctor_words, doctor.doctor),
    "help": (guide.add_help_words, guide.show_help),
}
