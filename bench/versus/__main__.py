"""`python -m versus`, run by bench/run."""

import argparse
import datetime
import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

from . import growth, rows
from .data import Data, find
from .processes import BINARY, ROOT, Failed, answer_of
from .report import markdown

GROUPS = {
    "br": rows.br,
    "napkin": rows.napkin,
    "brcv": rows.brcv,
    "cc": rows.cc,
    "mlknn": rows.mlknn,
    "structure": rows.structure,
    "octave": rows.octave,
    "gemm": rows.gemm,
    "predict": rows.predict,
    "load": rows.load,
    "growth": growth.growth,
    "large": growth.large,
}


class Bench:
    """What every comparison needs to know."""

    def __init__(self, args):
        self.quick, self.large = args.quick, args.large
        self.rounds = 1 if args.quick else 5
        self.home = ROOT / "target/bench"
        self.scratch = self.home / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.data = Data(find(args.data), self.home)
        beside = self.data.folder.parent
        self.folds = existing(args.folds or beside / "folds")
        self.reference = existing(args.reference or beside / "reference")
        self.settings = {kind: setting for kind, setting in SEARCHES.items() if is_known(setting)}

    def rounds_for(self, seconds):
        """Fewer rounds of what takes long."""
        return self.rounds if seconds < 3 else min(self.rounds, 3 if seconds < 15 else 1)


# The two kinds of structure search.
SEARCHES = {
    "exact": {"structure": {"candidates": "exact"}},
    "screened": {"structure": {"candidates": {"screened": 10}}},
}


def is_known(setting):
    """Whether this build has a parameter: builds from before screening search exactly."""
    try:
        answer_of("planted", "ctbn", "--rows", 60, "--features", 2, "--labels", 2, "--set", json.dumps(setting))
    except Failed:
        return False
    return True


def existing(folder):
    folder = pathlib.Path(folder)
    return folder.resolve() if folder.is_dir() else None


def arguments():
    parser = argparse.ArgumentParser(prog="bench/run", description="See the head of bench/run.")
    parser.add_argument("data", nargs="?")
    parser.add_argument("--only", default="", help=f"comma-separated: {', '.join(GROUPS)}, or whole names (br-scene)")
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--again", action="store_true", help="measure again what was measured with this build")
    parser.add_argument("--large", action="store_true", help="also the large planted problem")
    parser.add_argument("--folds", help="folder of NAME.txt with the fold of each row [DATA/../folds]")
    parser.add_argument("--reference", help="folder of authors-octave.csv [DATA/../reference]")
    args = parser.parse_args()
    args.only = [word for word in args.only.split(",") if word]
    unknown = [word for word in args.only if word.split("-")[0] not in (*GROUPS, "memory")]
    if unknown:
        parser.error(f"--only {','.join(unknown)}: known are {', '.join(GROUPS)}")
    # Asking for it by name is asking for it.
    args.large = args.large or "large" in args.only
    return args


def command_output(*words):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def cpu_name():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine(bench, args, digest):
    """Facts that stand above the table."""
    versions = []
    for name in ("numpy", "scipy", "scikit-learn", "scikit-multilearn-ng", "napkinxc", "liac-arff"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} (not installed)")
    dirty = " with changes" if command_output("git", "status", "--porcelain", "--untracked-files=no") else ""
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 2),
        "commit": command_output("git", "rev-parse", "--short", "HEAD") + dirty,
        "command": " ".join(["bench/run", *("DATA" if word == args.data else word for word in sys.argv[1:])]),
        "binary": digest,
        "versions": [*versions, f"Python {platform.python_version()}"],
        "quick": bench.quick,
        "real_data": bench.data.real,
        "failed": {},
    }


def measured(name, work, kept, again, key, facts):
    """The part of one comparison, from an earlier run of the same build if there is one; None if it fails."""
    path = kept / f"{name}.json"
    if path.exists() and not again:
        stored = json.loads(path.read_text())
        if stored["key"] == key:
            print(f"{name}: kept", flush=True)
            return stored["part"]
    begun = time.monotonic()
    try:
        part = work()
    # Whatever goes wrong in one comparison is reported, and the others go on.
    except Exception as error:
        reason = str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"
        facts["failed"][name] = reason
        print(f"{name}: not measured: {reason}", flush=True)
        return None
    part["took"] = time.monotonic() - begun
    part["measured"] = {"date": datetime.date.today().isoformat(), "load": round(os.getloadavg()[0], 2)}
    path.with_suffix(".part").write_text(json.dumps({"key": key, "part": part}))
    path.with_suffix(".part").rename(path)
    print(f"{name}: {part['ratio']:.3g} (aim {part['aim']}), {part['took']:.0f} s; {part['says']}", flush=True)
    return part


def main():
    args = arguments()
    bench = Bench(args)
    digest = hashlib.sha256(BINARY.read_bytes()).hexdigest()[:16]
    facts = machine(bench, args, digest)
    key = {"binary": digest, "quick": bench.quick, "data": str(bench.data.folder), "settings": bench.settings}
    kept = bench.home / "parts"
    kept.mkdir(exist_ok=True)
    parts = []
    for group, comparisons in GROUPS.items():
        for name, work in comparisons(bench):
            if not args.only or {group, name, name.split("-")[0]} & set(args.only):
                parts.append(measured(name, work, kept, args.again, key, facts))
    parts = [part for part in parts if part]
    word = re.sub(r"[^a-z0-9]+", "-", facts["cpu"].lower()).strip("-")
    kind = "-quick" if bench.quick else ""
    # What was asked for in part does not take the place of a whole run.
    kind += "-" + "-".join(args.only) if args.only else ""
    results = ROOT / "bench/results"
    results.mkdir(exist_ok=True)
    target = results / f"{facts['date']}-{word}{kind}"
    pathlib.Path(f"{target}.json").write_text(json.dumps({"facts": facts, "parts": parts}, indent=1) + "\n")
    pathlib.Path(f"{target}.md").write_text(markdown(facts, parts))
    print(f"{target.relative_to(ROOT)}.md")
    doubtful = [part for part in parts if part["same"] is False]
    if doubtful or facts["failed"]:
        sys.exit(
            f"bench/run: {len(facts['failed'])} comparisons were not measured, {len(doubtful)} did not show that both "
            "sides solved the same problem"
        )


main()
