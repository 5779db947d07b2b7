import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools.execution.http.decoding import Body, UnreadableError


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP": gzip.compress,
    "deflate": zlib.compress,
}


def read(encoding: str, raw: bytes, limit: int = 1 << 20, step: int = 1 << 16) -> bytes:
    body = Body(encoding, limit)
    for start in range(0, len(raw), step):
        body.feed(raw[start : start + step])
    return body.whole()


@settings(deadline=None)
@given(st.binary(max_size=3000), st.sampled_from([*PACKED]), st.integers(1, 700))
def test_a_body_is_what_was_packed_however_it_arrives(data: bytes, name: str, step: int) -> None:
    assert read(name, PACKED[name](data), step=step) == data
    assert read("deflate", deflated(data), step=step) == data


def test_several_members_and_their_padding_are_one_body() -> None:
    raw = gzip.compress(b"a" * 100_000) + gzip.compress(b"b") + b"\0" * 7
    for step in (1, 7, 100_000):
        assert read("gzip", raw, step=step) == b"a" * 100_000 + b"b"


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "gzip,deflate", "é"])
def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(UnreadableError):
        Body(encoding, 10)


@pytest.mark.parametrize("name", ["", "gzip", "deflate"])
def test_the_limit_is_kept_to_the_byte(name: str) -> None:
    assert read(name, PACKED[name](b"a" * 1000), 1000) == b"a" * 1000
    with pytest.raises(UnreadableError, match="1000 bytes"):
        read(name, PACKED[name](b"a" * 1001), 1000)


@pytest.mark.slow
def test_a_bomb_costs_no_more_than_the_limit() -> None:
    bomb = gzip.compress(b"\0" * (200 << 20), 9)
    assert len(bomb) < 210_000
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableError):
            read("gzip", bomb, 10 << 20)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("gzip", b"not gzip"),
        ("gzip", gzip.compress(b"abc")[:-4]),
        ("gzip", gzip.compress(b"abc")[:1]),
        ("gzip", gzip.compress(b"abc") + b"garbage"),
        ("gzip", gzip.compress(b"abc")[:-5] + b"\0\0\0\0\0"),
        ("deflate", zlib.compress(b"abc")[:-1]),
        ("deflate", b"\xff\xff\xff"),
    ],
    ids=["none", "no checksum", "one byte", "garbage", "checksum", "deflate cut off", "no deflate"],
)
def test_broken_data_is_never_a_shorter_body(name: str, raw: bytes) -> None:
    with pytest.raises(UnreadableError):
        read(name, raw)


def test_an_empty_body_is_empty_in_every_encoding() -> None:
    assert [read(name, b"") for name in PACKED] == [b""] * len(PACKED)
