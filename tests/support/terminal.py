"""A program in its own terminal, 80 columns wide, and a person who types."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

LAUNCH = (
    "import fcntl, os, signal, sys, termios;"
    "os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "signal.signal(signal.SIGINT, signal.SIG_DFL);"  # a shell's background job ignores it
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""Makes the terminal the one that the program is controlled from, as a shell's is."""


class Terminal:
    """A running program: `until` waits for its output, `type` answers."""

    def __init__(self, *words: str, cwd: Path, seconds: float = 30) -> None:
        self._ours, child = os.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *words],
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=cwd,
            env={**os.environ, "TERM": "dumb", "NO_COLOR": "1"},
        )
        os.close(child)
        self._end = time.monotonic() + seconds
        self._met = 0
        self.output = ""

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(60)
        os.close(self._ours)

    def until(self, text: str) -> None:
        """Wait until this text is printed, after the earlier output."""
        while (found := self.output.find(text, self._met)) < 0:
            if not self._read():
                raise AssertionError(f"{text!r} is not in {self.output[self._met :]!r}")
        self._met = found + len(text)

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        os.write(self._ours, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Type ctrl-C, again where two seconds pass without an output.

        One that comes just before a read of a line is seen by CPython only after that read.
        """
        os.write(self._ours, b"\x03")
        while not select.select([self._ours], [], [], 2)[0] and time.monotonic() < self._end:
            os.write(self._ours, b"\x03")

    def answer(self, prompt: str, line: str) -> None:
        """Wait for a question and answer it."""
        self.until(prompt)
        self.type(line)

    def end(self) -> int:
        """Wait for the end, and return the exit status."""
        while self._read():
            pass
        return self._process.wait(60)

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], max(self._end - time.monotonic(), 0))[0]:
            raise AssertionError(f"nothing more came after {self.output!r}")
        try:
            piece = os.read(self._ours, 4096)
        except OSError:  # the program has ended
            return False
        self.output += piece.decode().replace("\r\n", "\n")
        return bool(piece)
