"""The baseline ranks files as a person with grep would."""

from scova.evaluation.grepping import grepped
from scova.evaluation.question import Kind, Question

TEXTS = {
    "common.py": "value value value value",
    "both.py": "def parseHEADER(value): ...",
    "often.py": "header value header value",
    "rare.py": "header",
    "none.py": "nothing here",
    "filler.py": "value",
}


def ranked(text, texts=TEXTS):
    return grepped([Question(Kind.DOCS, text, (), "")], texts, texts.get)[0]


def test_more_words_come_first_then_rarer_ones_then_more_often():
    # Both words: `often` has them four times, `both` twice. Of one word, `header` is in fewer files than `value`.
    assert ranked("Header VALUE") == ["often.py", "both.py", "rare.py", "common.py", "filler.py"]


def test_a_word_is_found_inside_others_and_counts_once():
    assert ranked("header header parse") == ["both.py", "often.py", "rare.py"]


def test_equal_files_come_by_path_and_strange_words_find_nothing():
    assert ranked("word", {"b.py": "words", "a.py": "sword"}) == ["a.py", "b.py"]
    assert ranked("zebra") == []


def test_every_question_has_its_own_ranking():
    questions = [Question(Kind.DOCS, text, (), "") for text in ("nothing", "header")]
    assert grepped(questions, TEXTS, TEXTS.get) == [["none.py"], ["often.py", "both.py", "rare.py"]]
