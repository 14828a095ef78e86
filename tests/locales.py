"""Locales that a machine need not have: made once, beside the environment that runs the tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "locales"

MADE = {  # each with the definition and the table of characters that it is made of
    "zh_CN.GBK": ("zh_CN", "GBK"),
    "zh_CN.GB18030": ("zh_CN", "GB18030"),
    "zh_TW.BIG5": ("zh_TW", "BIG5"),
    "ja_JP.EUC-JP": ("ja_JP", "EUC-JP"),
    "ko_KR.EUC-KR": ("ko_KR", "EUC-KR"),
    "en_US.ISO-8859-1": ("en_US", "ISO-8859-1"),
    "ru_RU.KOI8-R": ("ru_RU", "KOI8-R"),
    "ru_RU.CP1251": ("ru_RU", "CP1251"),
    "el_GR.ISO-8859-7": ("el_GR", "ISO-8859-7"),
    "th_TH.TIS-620": ("th_TH", "TIS-620"),
}
WITHOUT_UTF8_MODE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def environment(name: str) -> dict[str, str]:
    """What a shell with this locale sets; the test is skipped where the locale cannot be made."""
    place = FOLDER / name
    if not place.exists():
        _make(place, *MADE[name])
    return {"LC_ALL": name, "LOCPATH": str(FOLDER), "PYTHONUTF8": "0"}


def _make(place: Path, definition: str, characters: str) -> None:
    if not shutil.which("localedef") or not Path("/usr/share/i18n/charmaps").exists():
        pytest.skip("no localedef, or no tables of characters (Debian: the package `locales`)")
    unfinished = place.with_name(f".{place.name}.{os.getpid()}")
    unfinished.parent.mkdir(exist_ok=True)
    command = ["localedef", "--no-archive", "-i", definition, "-f", characters, str(unfinished)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}, check=False)
    assert done.returncode == 0, done.stderr
    try:
        unfinished.rename(place)
    except OSError:  # another test process was faster
        shutil.rmtree(unfinished)
