"""A real tree, built and searched on PostgreSQL, answers as the embedded index does: same results, same order, same scores."""

import pytest

from placed import Place, own_tree
from scova.build.build import Build
from scova.embed.static import StaticEmbedder
from scova.errors import IndexState
from scova.search.regex.ranked import ranked
from scova.stores.derived import newest_grams
from scova.stores.postgres import PostgresStore
from scova.stores.sqlite import SqliteStore
from scova.types import ChunkType, Filters, Mode, Query

TREES = (
    "src/scova/search",
    "src/scova/stores",
    "src/scova/build",
    "docs/guides",
    "docs/decisions",
    "tests/unit/stores",
)
QUERIES = """how does a refresh find out which files changed
one moment per answer
where is the lock of the writer taken
merge segments
SearchCoordinator
reload
class Verifier
def put
generation of a file
removed chunks log
embedding cache
vectors of a chunk
path filters
json lines
regex to trigrams
n-gram index
who calls advance
change_seq
Kept
Layout.segment_path
temporary folder
damaged store
migrate step by step
fuse ranks of searchers
weights of signals
definitions of a name
aliases of imports
call tree depth
budget of tokens
pack results
skip reasons
hypothesis
kill -9
fsync before rename
numpy is not loaded
query operators
literal occurrences
nearest definitions
usages of a symbol
outline of a file
HNSW graph
compaction process
cosine int8
postings
BM25
stop words
tie break by path and line
freshness
pending embeddings
StoreReader.lights""".splitlines()
PATTERNS = [r"def \w+_seq", r"raise \w+Error", "SELECT .* FROM chunks", r"\bself\._lock\b", "TODO|FIXME", "^class "]
FILTERS = [
    Filters(),
    Filters(paths=("src/**",)),
    Filters(chunk_types=(ChunkType.DOCUMENTATION,)),
    Filters(languages=("python",)),
]


class Compared(Place):
    """A place on either store."""

    def build(self, tree):
        report = super().build(tree)
        return report.files, report.chunks, report.added, report.changed, report.removed, report.moved, report.skipped

    def answers(self, query):
        if query.mode is Mode.REGEX:
            grams = newest_grams(self.layout, self.store.store_id)
            found = self.coordinator.ranked(lambda view: ranked(view, query, grams))
        else:
            found = self.coordinator.search(query)
        assert not found.freshness.pending_embeddings
        # But for the row, which says in which order worker processes came to their ends.
        results = [
            (
                one.chunk.id,
                one.chunk.file_path,
                one.chunk.start_line,
                one.chunk.text,
                one.score,
                dict(one.shares),
            )
            for one in found.results
        ]
        return results, found.total, found.next, found.literal, found.skipped_files


@pytest.fixture
def place(tmp_path, postgres_url):
    embedder, made = StaticEmbedder(), []

    def at(name):
        folder = tmp_path / name
        store = (
            PostgresStore.open(postgres_url, "tree")
            if name.startswith("postgres")
            else SqliteStore.open(folder.with_suffix(".db"), "tree")
        )
        made.append(Compared(folder, store, embedder=embedder, workers=2))
        return made[-1]

    yield at
    for one in made:
        one.close()


@pytest.fixture
def tree(tmp_path):
    return own_tree(tmp_path / "tree", TREES)


def edit(root):
    """What people do between two questions: change, add, rename, remove."""
    files = sorted(path for path in root.rglob("*.py") if path.stat().st_size > 2000)
    for path in files[::9]:
        path.write_text(
            path.read_text().replace("self", "itself", 3) + "\n\ndef added_later(moment):\n    return moment\n"
        )
    for path in files[1::15]:
        path.rename(path.with_name(f"moved_{path.name}"))
    for path in files[2::15]:
        path.unlink()
    (root / "new.md").write_text("# One moment\n\nEvery answer is of one moment.\n")


def compare(left, right):
    modes = [Mode.HYBRID, Mode.TEXT, Mode.VECTOR, Mode.SYMBOL]
    asked = [Query(text, mode) for text in QUERIES for mode in modes]
    asked += [Query(pattern, Mode.REGEX) for pattern in PATTERNS]
    asked += [Query(text, filters=filters, limit=5) for text in QUERIES[:8] for filters in FILTERS]
    found = 0
    for query in asked:
        answer = left.answers(query)
        assert answer == right.answers(query), query
        found += bool(answer[0])
    assert found > len(asked) * 0.7, "they agree on something"


def test_rankings_are_the_same_on_postgresql(place, tree):
    embedded, shared = place("sqlite"), place("postgres")
    assert embedded.build(tree) == shared.build(tree)
    compare(embedded, shared)
    edit(tree)
    told = embedded.build(tree)
    assert told == shared.build(tree) and told[2] and told[3] and told[4]
    compare(embedded, shared)
    assert shared.audit() == []


def test_another_process_answers_the_same_from_files_of_its_own(place, tree):
    """It has never seen the tree: what it derives comes from the database alone, and what others change reaches it."""
    first, second = place("postgres"), place("postgres_too")
    first.build(tree)
    Build(second.tools).tidy()
    assert second.layout.segments() and second.layout.vectors()
    compare(first, second)
    edit(tree)
    first.build(tree)
    Build(second.tools).tidy()
    compare(first, second)
    assert second.audit() == []


def test_questions_fail_clearly_while_the_database_is_away_and_go_on_after(tmp_path, project):
    from pg import running

    with running() as server, server.database() as url:
        store = PostgresStore.open(url, "tree")
        shop = Compared(tmp_path / "away", store, workers=2)
        shop.build(project)
        before = shop.answers(Query("hash password"))
        server.stop()
        for _ in range(3):
            with pytest.raises(IndexState, match="does not answer"):
                shop.answers(Query("hash password"))
            with pytest.raises(IndexState, match="does not answer"):
                shop.build(project)
        server.start()
        assert shop.answers(Query("hash password")) == before
        (project / "src" / "more.py").write_text("def forgotten_password(user):\n    return user.mail\n")
        shop.build(project)
        assert shop.answers(Query("forgotten password"))[0][0][1] == "src/more.py"
        shop.close()
