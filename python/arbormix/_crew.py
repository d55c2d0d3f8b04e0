"""Work done by other processes, through joblib, so that any of its backends serves: local processes, Dask, Ray, Spark.

Data travel once per process: one task per worker carries them at first, and they stay there under their digest. The
others name the digest only; a process that does not have it (it is new, or took the place of one that died) says so,
and its task is sent again with the data.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core

#: Data that a process keeps: those of the work at hand and of the work before it.
KEPT = 2
#: How often work is sent again after workers were lost.
ATTEMPTS = 3
#: Seconds that a task should last at least, so that sending it does not matter.
SECONDS = 1.0
#: Tasks per worker in a stage whose pace is unknown: enough to even out workers of different speed.
TASKS_PER_WORKER = 4

_kept: OrderedDict[str, Any] = OrderedDict()
#: Workers may be threads of one process.
_lock = threading.Lock()


@dataclass(frozen=True)
class _Absent:
    """The process does not have the data."""


@dataclass(frozen=True)
class _Raised:
    """What our own code raised; what joblib raises itself is trouble with workers, which another attempt may mend."""

    error: BaseException


def _work(digest: str, data: bytes | None, make: Callable[[Any], Any], act: Callable[..., Any], *words: Any) -> Any:
    """One task, in whichever process it ends up in."""
    try:
        with _lock:
            if digest not in _kept:
                if data is None:
                    return _Absent()
                _kept[digest] = make(pickle.loads(data))
            _kept.move_to_end(digest)
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
            held = _kept[digest]
        return act(held, *words)
    except Exception as error:
        return _Raised(error)


class Crew:
    """The processes of joblib's backend, with data that each of them gets once.

    ``make`` turns the data into what tasks work with, in each process. Both it and the tasks' functions must be pure:
    a task may be done twice.
    """

    def __init__(self, data: Any, make: Callable[[Any], Any], n_jobs: int | None = None) -> None:
        try:
            import joblib
        except ImportError as error:
            raise ImportError("work is given to other processes with joblib; run: pip install joblib") from error
        self._joblib = joblib
        # Bytes, not an array: Dask would keep an array on one worker only, and lose it with that worker.
        self._parcel = pickle.dumps(data, protocol=5)
        self._digest = hashlib.sha256(self._parcel).hexdigest()
        self._make = make
        self._n_jobs = n_jobs
        self._sent = False

    def workers(self) -> int:
        """How many tasks run at a time."""
        return max(int(self._joblib.effective_n_jobs(self._n_jobs)), 1)

    def do(self, act: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``act(data, *task)`` of every task, in order."""
        done: list[Any] = [_Absent()] * len(tasks)
        open_ = list(range(len(tasks)))
        failures: list[BaseException] = []
        while open_ and len(failures) < ATTEMPTS:
            carriers = 0 if self._sent else self.workers()
            calls = [
                self._joblib.delayed(_work)(
                    self._digest, self._parcel if number < carriers else None, self._make, act, *tasks[place]
                )
                for number, place in enumerate(open_)
            ]
            try:
                answers = self._joblib.Parallel(n_jobs=self._n_jobs, batch_size=1)(calls)
            except (Exception, asyncio.CancelledError) as error:
                failures.append(error)
                self._sent = False
                continue
            for place, answer in zip(open_, answers, strict=True):
                if not isinstance(answer, _Raised):
                    done[place] = answer
                elif not isinstance(answer.error, MemoryError):
                    raise answer.error
            failures += [answer.error for answer in answers if isinstance(answer, _Raised)][:1]
            open_ = [place for place in open_ if isinstance(done[place], _Absent)]
            self._sent = not open_
        if open_:
            raise RuntimeError(
                f"{len(open_)} of {len(tasks)} tasks were not done in {ATTEMPTS} attempts: workers were lost or ran out of "
                f"memory ({type(failures[-1]).__name__}: {failures[-1]}). The data need {len(self._parcel) / 1e6:.0f} MB, "
                "and several times that while they are worked on; give each worker more"
            ) from failures[-1]
        return done


def _helper(data: tuple[Any, ...]) -> _core.UnitHelper:
    method, overrides, features, columns, labels, names, weights = data
    dataset = _core.Dataset("python", features, columns, labels, names)
    return _core.UnitHelper(method, "default", overrides, dataset, weights)


def _answer(helper: _core.UnitHelper, stage: bytes, units: list[bytes]) -> tuple[list[bytes], float]:
    begun = time.perf_counter()
    return helper.answer(stage, units), time.perf_counter() - begun


class Helpers:
    """Answers the units of one fit; see the library's ``distribution``."""

    def __init__(self, *data: Any) -> None:
        self._crew = Crew(data, _helper)
        #: Seconds per unit of each stage, as last seen.
        self._pace: dict[bytes, float] = {}

    def __call__(self, stage: bytes, units: list[bytes]) -> list[bytes]:
        name = stage.split(b"\n", 1)[0]
        size = -(-len(units) // (TASKS_PER_WORKER * self._crew.workers()))
        if self._pace.get(name):
            size = max(size, round(SECONDS / self._pace[name]))
        bundles = [units[at : at + size] for at in range(0, len(units), size)]
        answers = self._crew.do(_answer, [(stage, bundle) for bundle in bundles])
        self._pace[name] = sum(seconds for _, seconds in answers) / len(units)
        return [answer for some, _ in answers for answer in some]


__all__ = ["Crew", "Helpers"]
