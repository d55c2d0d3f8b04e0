"""Where and how the reference values are written: compact JSON beside the Rust tests, floats to full precision."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "crates" / "arbormix" / "tests" / "reference"
LIMIT = 60_000  # bytes; the files live in the repository


def store(name: str, value: dict) -> None:
    """Writes FOLDER/name, one top-level list entry per line so that diffs stay readable."""
    parts = []
    for key, entries in value.items():
        lines = ",\n".join(json.dumps(entry, separators=(",", ":"), allow_nan=False) for entry in entries)
        parts.append(f"{json.dumps(key)}:[\n{lines}\n]")
    text = "{" + ",\n".join(parts) + "}\n"
    assert len(text) < LIMIT, f"{name} has {len(text)} bytes, more than {LIMIT}"
    (FOLDER / name).write_text(text)
    print(f"{name}: {len(text)} bytes, " + ", ".join(f"{len(v)} {k}" for k, v in value.items()))
