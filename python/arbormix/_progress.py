"""How far a fit is: a bar on a terminal or in a notebook, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

WIDTH = 20


def _redraws() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Bar:
    """Shows what the extension reports, on the standard error stream; a context that clears its line at the end."""

    def __init__(self) -> None:
        self._redraws = _redraws()
        self._stage = ""
        self._begun = time.monotonic()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._redraws and self._stage:
            sys.stderr.write("\r" + " " * 79 + "\r")
            sys.stderr.flush()

    def __call__(self, stage: str, steps: int, done: int) -> None:
        """Called by the extension about ten times a second, and at the end."""
        if stage != self._stage:
            self._stage, self._begun = stage, time.monotonic()
            if not self._redraws and stage:
                sys.stderr.write(f"{stage}\n" if steps < 2 else f"{stage} ({steps} steps)\n")
        if self._redraws and stage:
            sys.stderr.write("\r" + self._line(steps, done))
            sys.stderr.flush()

    def _line(self, steps: int, done: int) -> str:
        share = min(done / steps, 1.0) if steps else 0.0
        full = round(WIDTH * share)
        elapsed = time.monotonic() - self._begun
        left = f"{elapsed * (1 - share) / share:.0f} s left" if share > 0 else ""
        return f"{self._stage[:30]:30} {'█' * full}{'░' * (WIDTH - full)} {done}/{steps} {left}".ljust(79)
