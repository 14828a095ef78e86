"""Names against what was asked."""

from candidates import chunk, light
from scova.search.asked.evidence import wanted
from scova.search.asked.query import parse
from scova.search.ranking.symbols import SymbolSearcher, asked_names, exactness, name_match
from scova.search.searchers.text import TextSearcher
from scova.types import ChunkType, Hit


def exact(text, candidate):
    names = asked_names(parse(text))
    return exactness(candidate, names, {name.lower() for name in names})


def test_the_own_symbol_written_exactly_so_is_worth_most():
    own = light(names=("Router",))
    assert exact("Router", own) == 1.0
    assert exact("router", own) > exact("Router", light(names=("router",)))
    assert exact("Router", light(names=("App", "Router"), symbol="App")) < 1.0
    assert exact("Router", light(names=("RouterGroup",))) == 0.0


def test_a_qualified_name_is_found_in_full_and_by_its_last_component():
    assert exact("Server.run", light(names=("Server.run",))) == 1.0
    assert exact("Server::run", light(names=("Server.run",))) == 1.0
    assert exact("run", light(names=("Server.run",))) == 1.0


def test_a_heading_or_key_of_that_name_mentions_it_and_does_not_define_it():
    assert exact("Router", light(names=("Router",), kind="key")) < exact(
        "Router", light(names=("Router",), kind="class")
    )


def test_words_of_a_name_count_by_what_they_cover_both_ways():
    asked = wanted(("register", "blueprint"), lambda term: 1.0)
    best = [name_match((name,), asked).best for name in ("register_blueprint", "register_error_handler", "teardown")]
    assert best[0] == 1.0
    assert best[0] > best[1] > best[2] == 0.0


def test_all_names_together_cover_what_one_alone_does_not():
    asked = wanted(("open", "file"), lambda term: 1.0)
    found = name_match(("open_socket", "close_file"), asked).found
    assert asked.share(found) == 1.0


class Fields:
    """A name index of a few chunks, as the text index answers it."""

    def __init__(self, lights):
        self.lights = {one.row: one for one in lights}

    def field_search(self, mark, asked, limit, allowed=None):
        rows = self.lights if allowed is None else [row for row in self.lights if row in allowed]
        return [Hit(row, 1.0) for row in rows]

    def read(self, rows):
        return [self.lights[row] for row in rows]


def search(text, lights, limit=10, allowed=None):
    fields = Fields(lights)
    return [one.row for one, _ in SymbolSearcher(fields, fields.read).search(parse(text), limit, allowed)]


def test_symbol_mode_orders_exact_then_other_case_then_prefix_then_words():
    lights = [
        light(1, names=("read_the_config",)),
        light(2, names=("config_reader",)),
        light(3, names=("Config",)),
        light(4, names=("config",)),
        light(5, names=("unrelated",)),
    ]
    assert search("config", lights) == [4, 3, 1, 2] or search("config", lights) == [4, 3, 2, 1]
    assert 5 not in search("config", lights)


def test_symbol_mode_breaks_ties_by_path_and_line_and_respects_what_is_allowed():
    lights = [
        light(1, "b.py", names=("run",)),
        light(2, "a.py", names=("run",), line=50),
        light(3, "a.py", names=("run",), line=5),
    ]
    assert search("run", lights) == [3, 2, 1]
    assert search("run", lights, allowed={1}) == [1]
    assert search("run", lights, limit=2) == [3, 2]


def test_prose_with_the_word_comes_after_code_with_it():
    lights = [
        light(1, "a.md", names=("config files",), chunk_type=ChunkType.DOCUMENTATION, kind="section"),
        light(2, "z.py", names=("config_files",)),
    ]
    assert search("config", lights) == [2, 1]


def test_symbol_mode_finds_names_that_begin_as_asked_through_the_real_text_index():
    chunks = [
        chunk(f"def {name}(): pass\n", f"{name}.py", row=row, names=(name,))
        for row, name in enumerate(("router_of", "route", "other"), 1)
    ]
    text = TextSearcher.open(None, chunks)
    lights = {one.row: light(one.row, one.file_path, names=one.names) for one in chunks}
    searcher = SymbolSearcher(text, lambda rows: [lights[row] for row in rows], text.vocabulary.expanded)
    found = [one.symbol for one, _ in searcher.search(parse("rout"), 10)]
    assert found == ["route", "router_of"]
    assert [one.symbol for one, _ in searcher.search(parse("rout*"), 10)] == ["route", "router_of"]
