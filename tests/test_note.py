"""A note: an oddity and its place."""

import copy
import pickle

from pyfunctools.note import Note, hidden_notes


def test_a_note_is_a_sentence_with_its_place() -> None:
    assert str(Note(text="Odd.")) == "Odd."
    assert str(Note(text="Odd.", pointer="/a/b")) == "Odd. (at /a/b)"
    assert str(Note(text="Odd.", pointer="")) == "Odd. (at /)"


def test_hidden_characters_are_counted() -> None:
    assert hidden_notes("the title", "plain ü 👩‍💻") == ()
    assert hidden_notes("the title", "a\u200b") == (
        Note(text="1 hidden character is left out of the title."),
    )
    assert hidden_notes("the title", "\u202ea\x00", "/x") == (
        Note(text="2 hidden characters are left out of the title.", pointer="/x"),
    )


def test_a_note_survives_pickle_and_deepcopy() -> None:
    note = Note(text="Odd.", pointer="/a")
    assert pickle.loads(pickle.dumps(note)) == copy.deepcopy(note) == note
