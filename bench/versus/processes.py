"""The two sides of a comparison, as processes that live as long as it does.

A side prepares (reads its rows), prints a line of JSON about that, and then does its work once for every line it is sent,
answering with the seconds it took. So ours and theirs run in turns, and only the work is measured.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = ROOT / "target/release/arbormix-bench"


class Failed(Exception):
    """A side that ended without an answer."""


class Side:
    """A running side."""

    def __init__(self, words, threads=1):
        settings = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        self.words = words
        # A pipe that nobody reads would stop a side that says much.
        self.messages = tempfile.TemporaryFile("w+")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.messages}
        self.process = subprocess.Popen(words, text=True, env=settings, **pipes)
        self.prepared = self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.messages.seek(0)
        message = self.messages.read().strip().splitlines()
        raise Failed(message[-1] if message else f"{pathlib.Path(self.words[0]).name} ended without an answer")

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self._answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()
        self.process.stdout.close()
        self.messages.close()


def ours(job, *words, threads=1):
    return Side([str(BINARY), job, *map(str, words)], threads)


def theirs(work, **options):
    return Side([sys.executable, "-m", "versus.peers", work, json.dumps(options)])


def answer_of(job, *words, threads=1):
    """What a job of ours prints that answers once and ends."""
    settings = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    done = subprocess.run([str(BINARY), job, *map(str, words)], capture_output=True, text=True, env=settings)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return json.loads(done.stdout) if done.stdout.strip() else None


def in_turns(rounds, *sides):
    """The answers of every side, asked one after the other in every round."""
    answers = [[] for _ in sides]
    for _ in range(rounds):
        for side, list_of_answers in zip(sides, answers):
            list_of_answers.append(side.run())
    return answers


def median(answers, field):
    return statistics.median(answer[field] for answer in answers)


AT_LEAST = 0.3


def timed(work):
    """What the work gives, and the seconds it takes on average; short work is repeated, as on our side."""
    wall = cpu = 0.0
    repetitions = 0
    while repetitions == 0 or wall < AT_LEAST:
        begun, before = time.perf_counter(), time.process_time()
        value = work()
        wall += time.perf_counter() - begun
        cpu += time.process_time() - before
        repetitions += 1
    return value, {"wall": wall / repetitions, "cpu": cpu / repetitions, "repetitions": repetitions}
