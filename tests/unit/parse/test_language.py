"""A file's language is told by its name first, by its text where the name leaves it open."""

import subprocess
import sys

import pytest

from scova.parse import language
from scova.parse.grammar import GRAMMARS
from scova.parse.language import kind_of, language_of, possible_languages


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/app.py", "python"),
        ("types.pyi", "python"),
        ("App.TSX", "tsx"),
        ("index.d.ts", "typescript"),
        ("a/b.mjs", "javascript"),
        ("view.jsx", "javascript"),
        ("x.h", "c"),
        ("x.hpp", "cpp"),
        ("Program.cs", "csharp"),
        ("main.kts", "kotlin"),
        ("lib.rs", "rust"),
        ("Main.hs", "haskell"),
        ("build.zig.zon", "zig"),
        ("mix.exs", "elixir"),
        ("deploy.sh", "bash"),
        ("page.blade.php", "php"),
        ("README.md", "markdown"),
        ("index.rst", "rst"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("CMakeLists.txt", "cmake"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("Makefile", "make"),
        ("rules.mk", "make"),
        ("package.json", "json"),
        ("Cargo.lock", "toml"),
        (".github/workflows/ci.yml", "yaml"),
        ("pyproject.toml", "toml"),
        ("schema.sql", "sql"),
        ("style.scss", "scss"),
        ("page.html", "html"),
        (".gitignore", "gitignore"),
        (".env.local", "dotenv"),
        ("Gemfile", "ruby"),
        ("BUILD", "starlark"),
        ("go.mod", "go.mod"),
        ("kernel.cu", "cuda"),
        (".bashrc", "bash"),
    ],
)
def test_name_decides(path: str, expected: str) -> None:
    assert language_of(path) == expected


@pytest.mark.parametrize("path", ["", "unknown", "a.", ".hidden", "archive.xyz", "dir.py/file", "a.py/", "build", "7"])
def test_unknown_names_have_no_language(path: str) -> None:
    assert language_of(path) == ""


@pytest.mark.parametrize(
    ("first_line", "expected"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python2.7 -u", "python"),
        ("#! /bin/sh", "bash"),
        ("#!/usr/bin/env -S deno run --allow-net", "typescript"),
        ("#!/usr/bin/env NODE_ENV=test node", "javascript"),
        ("#!/usr/local/bin/Rscript", "r"),
        ("#!/opt/strange", ""),
        ("#!", ""),
        ("<?php echo 1;", "php"),
        ("<?xml version='1.0'?>", "xml"),
        ("<!DOCTYPE html>", "html"),
        ("# -*- mode: ruby; coding: utf-8 -*-", "ruby"),
        ("// -*- C++ -*-", "cpp"),
        ("# vim: set ft=sh sw=2:", "bash"),
        ("# vim: ft=nothing", ""),
        ("plain words", ""),
    ],
)
def test_first_line_decides_for_a_name_that_says_nothing(first_line: str, expected: str) -> None:
    assert language_of("bin/tool", first_line) == expected


def test_first_line_does_not_overrule_an_extension() -> None:
    assert language_of("a.py", "#!/bin/sh") == "python"


def test_the_first_line_of_a_header_may_say_what_it_is() -> None:
    assert language_of("a.h", "/* -*- C++ -*- */\nint f(void);\n") == "cpp"
    assert language_of("a.h", "/* -*- C -*- */\nnamespace a {}\n") == "c"


@pytest.mark.parametrize(
    "line",
    [
        "namespace shop {",
        "namespace shop::orders\n{",
        "inline namespace v1 {",
        "class Basket {",
        "struct Basket : public Base {",
        "  class Basket\n  {",
        "template <typename T>",
        "  template<class T> T most(T a, T b);",
        "enum class Colour { red };",
        " public:",
        "using Name = std::string;",
        "using namespace std;",
        "using std::string;",
        "#include <vector>",
        "#  include <memory>",
        "INLINE bool shop::Basket::empty() const {",
        "void fill(std::string &name);",
        "class Basket : Base {",
        "struct Basket : Base\n{",
        "    virtual ~Basket();",
        "    explicit Basket(int size);",
    ],
)
def test_a_header_is_cpp_where_a_line_says_so_that_c_has_not(line: str) -> None:
    text = f"#pragma once\n#include <stdio.h>\n{line}\n"
    assert language_of("a.h", text) == "cpp"
    assert language_of("a.h", text.replace("\n", "\r\n")) == "cpp"
    assert language_of("a.h", f"#pragma once\n/*\n{line}\n*/\nint f(void);\n") == "c"


@pytest.mark.parametrize(
    "text",
    [
        "#pragma once\n",
        "#include <stdio.h>\n#include <sys/stat.h>\nstruct stat_list { struct stat *first; };\nint class(struct stat *new);\n",
        "/*\n * template <T> as C++ has it, see std::vector\n// a::b\n * class Foo {\n */\nint f(void);\n",
        "/*\nclass of things that are private: none\nnamespace and public names\nusing them is simple\n*/\nint f(void);\n",
        'const char *path = "a::b";\nint x = y ? a : b;\nlabel:\n  f(a ? : b);\n',
        '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n',
        "#if defined(__cplusplus)\n#include <atomic>\nusing std::atomic_int;\n#else\n#include <stdatomic.h>\n#endif\n",
        "#ifdef __cplusplus\r\nclass Foo {\r\n};\r\n#endif\r\n",
        "#ifdef __cplusplus /* C++ */\nclass Foo {\n};\n#endif\n",
        "#if __cplusplus\nclass Foo {\n};\n#endif\n",
        "#ifndef __cplusplus\n#include <stdatomic.h>\n#else\n#include <atomic>\n#endif\n",
        "struct foo\n{\n  unsigned a : 3;\n  struct bar b;\n};\nint x = 2001;  /* 2001:db8::1 */\n",
        "/* never closed: namespace a {\n",
    ],
)
def test_a_header_of_c_stays_one_also_with_an_addition_for_cpp(text: str) -> None:
    assert language_of("a.h", text) == "c"


def test_a_header_that_refuses_c_is_cpp() -> None:
    assert language_of("a.h", "#ifndef __cplusplus\n# error C++ only\n#endif\nnamespace a {\n}\n") == "cpp"


@pytest.mark.parametrize(
    "piece",
    [" ", "\n", "/*", "*/", "//", "a::", "::", "class ", "class a ", "struct a:", "namespace ", "namespace a\n", "using ", "# ",
     "#include <", "#if defined ( ", "template \n", "class a\r\n", "x : y ", "'", '"'],
)  # fmt: skip
def test_no_header_takes_long(piece: str) -> None:
    """Not timed: what takes longer by the square of the length would take hours."""
    assert language_of("a.h", piece * 1_000_000) in ("c", "cpp")


def test_a_header_that_asks_for_a_version_of_cpp_is_cpp() -> None:
    text = "#if defined(__cplusplus) && __cplusplus >= 201703L\n#include <optional>\n#endif\nnamespace a {\n}\n"
    assert language_of("a.h", text) == "cpp"


def test_by_its_name_a_header_may_be_either() -> None:
    assert possible_languages("src/A.H") == ("c", "cpp")
    assert possible_languages("a.hpp") == ("cpp",)
    assert possible_languages("a.c") == ("c",)
    assert possible_languages("unknown") == ("",)


def test_a_script_called_install_is_a_script() -> None:
    assert (language_of("install"), language_of("install", "#!/bin/sh")) == ("text", "bash")


def test_a_number_after_a_dot_is_a_manual_page_only_with_its_markup() -> None:
    assert (language_of("git.1", ".TH GIT 1"), language_of("data.1", "hello")) == ("man", "")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("markdown", "prose"), ("rst", "prose"), ("text", "prose"), ("json", "data"), ("yaml", "data"), ("csv", "data"), ("xml", "data"),
     ("python", "code"), ("dockerfile", "code"), ("sql", "code"), ("", "code"), ("never heard of", "code")],
)  # fmt: skip
def test_kinds(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_every_extension_stands_in_one_row_only() -> None:
    rows = [extension for row in language._EXTENSIONS.values() for extension in row.split()]
    assert len(rows) == len(set(rows)) > 300


def test_every_language_with_a_grammar_can_be_told() -> None:
    assert set(GRAMMARS) <= language._KNOWN


def test_telling_a_language_loads_no_parser() -> None:
    """`scova search` and the folder walk ask for languages; neither may pay for tree-sitter."""
    code = "import sys, scova.parse.language; print(any(name.startswith('tree_sitter') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
