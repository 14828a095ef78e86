"""What is done next: paths alone, or the whole tree for the most telling reason; nothing leaves before it was done."""

from scova.live.todo import REASONS, Todo, Work


def paths(number):
    return {f"{n}.py" for n in range(number)}


def test_a_hundred_paths_are_an_update_and_one_more_a_reconcile():
    todo = Todo(bulk=100)
    todo.add(paths(100))
    assert todo.next() == Work(frozenset(paths(100)))
    todo.add(["one more.py"])
    assert todo.next().reason == "bulk"
    assert len(todo.next().paths) == 101


def test_work_stays_until_it_was_done():
    todo = Todo(bulk=100)
    todo.add(["a"])
    work = todo.next()
    assert todo.next() == work, "another writer may be busy: it is asked for again"
    todo.add(["b"])
    todo.done(work)
    assert todo.next() == Work(frozenset("b"))
    todo.done(todo.next())
    assert todo.next() is None


def test_one_look_at_the_whole_tree_is_for_all_reasons():
    todo = Todo(bulk=100)
    todo.add(["a"], ["sweep", "rules"])
    todo.add((), ["branch"])
    assert todo.next() == Work(frozenset("a"), "branch")
    todo.done(todo.next())
    assert todo.next() is None


def test_every_reason_has_a_rank():
    for reason in REASONS:
        todo = Todo(bulk=1)
        todo.add((), [reason])
        assert todo.next().reason == reason


def test_a_second_look_is_told_from_a_change_and_joins_one():
    todo = Todo(bulk=2)
    todo.look_again(["new"])
    assert todo.next() == Work(frozenset(["new"]), again=True)
    todo.add(["a"])
    assert todo.next() == Work(frozenset(["a", "new"]))
    assert len(todo) == 1, "a second look is nothing that waits to be found"
    todo.done(todo.next())
    todo.look_again(["x", "y", "z"])
    assert todo.next().reason == "look"
