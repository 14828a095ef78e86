"""Threads share one handle: what one lets go of, closes or finds replaced never makes another answer from the wrong store."""

import threading
from contextlib import suppress

import pytest

import projected
from scova import Index
from scova.errors import IndexClosed, IndexState
from scova.projects.library import Library
from scova.stores.layout import set_aside

A_MOMENT = 0.5  # for the other thread to get as far as it gets; nothing depends on it


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text("def first_marker():\n    return 'a'\n")
    return root


@pytest.fixture
def data(tree, tmp_path):
    with Index.open(tree, data=str(tmp_path / "data")) as index:
        index.refresh()
    return str(tmp_path / "data")


def paths(index, text):
    return {result.chunk.file_path for result in index.search(text).results}


def replaced(index, tree, data):
    """Another store in the place of the one that is open, with one more file."""
    (tree / "b.py").write_text("def second_marker():\n    return 'b'\n")
    set_aside(index.layout.store_db)
    index.layout.remove_derived()
    with Index.open(tree, data=data) as other:
        other.refresh()


def test_a_store_replaced_while_its_searchers_are_made_is_not_searched_for_ever(tree, data):
    others = []

    class Overtaken(Index):
        def _opened(self, **how):
            store = super()._opened(**how)
            if not others:
                replaced(self, tree, data)
                others.append(threading.Thread(target=self.keep_up))
                others[0].start()
                others[0].join(A_MOMENT)
            return store

    with Overtaken.open(tree, data=data) as index:
        index.search("first_marker")
        others[0].join(120)
        index.keep_up()
        assert "b.py" in paths(index, "second_marker")


def test_a_question_goes_on_when_another_thread_finds_the_store_replaced_just_then(tree, data):
    class Replaced(Index):
        reads = None

        @property
        def _coordinator(self):
            found = self.__dict__.get("coordinator")
            if self.reads is not None:
                self.reads += 1
                if self.reads == 1:
                    self.__dict__["coordinator"] = None  # what `keep_up` of another thread does
            return found

        @_coordinator.setter
        def _coordinator(self, value):
            self.__dict__["coordinator"] = value

    with Replaced.open(tree, data=data) as index:
        index.search("first_marker")
        index.reads = 0
        assert paths(index, "first_marker") == {"a.py"}


@pytest.mark.parametrize("kind", ["folder", "project"])
def test_a_handle_closed_while_its_searchers_are_made_says_so_from_then_on(kind, tree, data):
    others = []

    def closing(handle):
        """The handle of a class that another thread closes once its store is open."""

        class Closed(handle):
            def _opened(self, **how):
                store = super()._opened(**how)
                if not others:
                    others.append(threading.Thread(target=self.close))
                    others[0].start()
                    others[0].join(A_MOMENT)
                return store

        return Closed

    if kind == "folder":
        opened = closing(Index).open(tree, data=data)
    else:
        projected.make("shop", [f"folder:{tree}"])
        projected.build("shop")
        opened = closing(Library).open("shop")
    with opened, suppress(IndexState):
        opened.search("first_marker")
    others[0].join(120)
    with pytest.raises(IndexClosed):
        opened.search("first_marker")
