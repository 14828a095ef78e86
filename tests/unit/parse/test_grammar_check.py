"""A grammar that has changed is noticed: told in words, and never fewer definitions in silence."""

import os
import re
from importlib import import_module

import pytest
from tree_sitter import Language, Parser, Query, QueryCursor

from scova.parse import grammar, grammar_check
from scova.parse.grammar import GRAMMARS
from scova.parse.grammar_check import EXPECTED, given_by_sample, grammar_fault, sampled_languages
from scova.parse.outline import outline

# Languages whose sample is not enough for every pattern of theirs, and why that is no loss.
_SHOWN_ELSEWHERE = {"tsx": "typescript and javascript have samples of what it inherits"}


@pytest.fixture
def query_of(monkeypatch):
    """Change the query of a language as a grammar of another version would make it wrong, for this test alone."""
    real = grammar._query_text

    def change(language, old, new):
        assert old in real(language)
        monkeypatch.setattr(
            grammar, "_query_text", lambda each: real(each).replace(old, new) if each == language else real(each)
        )
        forget()

    def forget():
        for cached in (grammar.grammar_of, grammar._compiled, grammar_check.grammar_fault):
            cached.cache_clear()

    yield change
    monkeypatch.undo()
    forget()


def test_samples_give_the_definitions_and_calls_of_the_table():
    written = "".join(f"{language}\t{line}\n" for language in sampled_languages() for line in given_by_sample(language))
    if os.environ.get("SCOVA_UPDATE_GOLDEN"):
        EXPECTED.write_text(written, encoding="utf-8")
    assert written == EXPECTED.read_text(encoding="utf-8")


def test_every_grammar_has_a_sample():
    sampled = {GRAMMARS[language] for language in sampled_languages()}
    assert sampled == set(GRAMMARS.values())


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_installed_grammars_give_what_they_must(language):
    assert grammar_fault(language) == ""


@pytest.mark.parametrize("language", [each for each in sampled_languages() if each not in _SHOWN_ELSEWHERE])
def test_the_sample_meets_every_pattern_for_definitions_and_calls(language):
    """So that a pattern that no longer matches is noticed, whichever it is; what only broken texts meet is left out."""
    module, function = GRAMMARS[language]
    loaded = Language(getattr(import_module(module), function)())
    tree = Parser(loaded).parse((grammar_check.SAMPLES / f"{language}.txt").read_bytes())
    defining = [
        pattern
        for pattern in grammar._PATTERN.split(grammar._query_text(language))
        if re.search(r"@(def\.|callee)", pattern) and not pattern.startswith("(ERROR")
    ]
    assert len(defining) > 8
    unmet = [each for each in defining if not QueryCursor(Query(loaded, each)).matches(tree.root_node)]
    assert not unmet


def test_a_renamed_node_is_told_and_costs_only_what_names_it(query_of):
    query_of("swift", "typealias_declaration", "type_alias_declaration")
    fault = grammar_fault("swift")
    assert "type_alias_declaration" in fault and "type Handler" in fault and "tree-sitter-swift 0." in fault
    kept = {symbol.qualified for symbol in outline("typealias A = Int\nfunc b() {}\n", "swift").symbols}
    assert kept == {"b"}


def test_a_field_that_is_gone_is_told(query_of):
    query_of("python", "(function_definition\n  name:", "(function_definition\n  called:")
    assert "Invalid field name" in grammar_fault("python")


def test_a_pattern_that_compiles_and_matches_nothing_any_more_is_told(query_of):
    """As happened with tree-sitter 0.26.1, for which an anchor before an option meant something else."""
    query_of("swift", '(typealias_declaration "typealias" . name', '(typealias_declaration "typealias" . "=" . name')
    fault = grammar_fault("swift")
    assert "lost" in fault and "type Handler" in fault


def test_a_grammar_that_cannot_be_loaded_is_told_and_its_files_are_read_as_text(monkeypatch, query_of):
    monkeypatch.setitem(GRAMMARS, "lua", ("tree_sitter_not_there", "language"))
    query_of("lua", "function", "function")
    assert "tree-sitter-not-there (not installed)" in grammar_fault("lua")
    assert outline("function f() end", "lua").symbols == ()
