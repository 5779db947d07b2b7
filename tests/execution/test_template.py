import pytest

from pyfunctools.execution.request.parameters import Slot, Template, is_dot_segment, template_of
from pyfunctools.execution.unsendable import UnsendableError


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        ("/", ((), ())),
        ("/users/{id}", ((), ("users",), (Slot("id"),))),
        ("users/{id}/", ((), ("users",), (Slot("id"),), ())),
        ("/a{x}b{y}.json", ((), ("a", Slot("x"), "b", Slot("y"), ".json"))),
        ("/users/:id", ((), ("users",), (Slot("id", ":id"),))),
        ("/v1/{name}:cancel", ((), ("v1",), (Slot("name"), ":cancel"))),
        ("/{a/b}/c", ((), (Slot("a/b"),), ("c",))),
        ("/x{?q,page}", ((), ("x", Slot("?q,page", "")))),
        ("/a b/ü/%2F/50%", ((), ("a%20b",), ("%C3%BC",), ("%2F",), ("50%25",))),
        ("/x#op", ((), ("x",))),
        ("/{unclosed", ((), ("%7Bunclosed",))),
    ],
)
def test_a_path_is_taken_apart(path: str, segments: tuple[object, ...]) -> None:
    assert template_of(path).segments == segments


def test_what_the_template_writes_into_the_query_is_kept() -> None:
    assert template_of("/x{?q}?type=a&id={id}#frag").query == ("type=a&id=", Slot("id"), "")
    assert template_of("/x").query == ()
    assert isinstance(template_of("/x"), Template)


def test_a_path_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(UnsendableError):
        template_of("/\ud800")


@pytest.mark.parametrize(
    "segment",
    [".", "..", "%2e", "%2E%2e", "%252e%252E", "%25252e.", "%2525252e%2525252e", "a%2F..",
     "..%5Cadmin", "a%5c.%5cb", "..%3Bx", "..;x", "%2e%2e%2Fadmin"],
)  # fmt: skip
def test_a_dot_segment_is_seen_in_every_encoding(segment: str) -> None:
    assert is_dot_segment(segment)


@pytest.mark.parametrize("segment", ["", "...", "a.", ".a", "a..b", "..a", "%252", "a%2Fb", "%"])
def test_dots_inside_a_name_are_no_dot_segment(segment: str) -> None:
    assert not is_dot_segment(segment)


def test_a_long_path_is_taken_apart_in_linear_time() -> None:
    assert len(template_of("/" + "{" * 100_000).segments) == 2
    assert len(template_of("/:" * 50_000).segments) == 50_001
