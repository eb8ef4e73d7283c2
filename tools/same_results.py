#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the results of two builds bit by bit: proof that a change leaves numbers as they were.

    tools/same_results.py build/tenon /elsewhere/tenon
    tools/same_results.py build/tenon --write before.json    # before a change
    tools/same_results.py build/tenon before.json            # after it

Runs each model of models/ by its own method and by METHODS for a short time and compares every row
of result.csv, summary.json but for times, messages and exit codes. Exit code 1 where any differ. Runs that take
too long in one of them are left out.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METHODS = ("", "galpha/index3", "galpha/ggl", "bdf/ggl", "dopri5/index1+project",
           "dop853/maggi@joint", "herk5/index2", "variational/multiplier")
TIMES = re.compile(r'("(?:wall_time|crc32|bytes)":) *[^,}\n]*')  # and of files that hold times
TOO_LONG = 5  # seconds; such runs are left out


def run(program, model, method, t_end):
    """What a run leaves, by name: digests of files, and its words and exit code as they are."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", ROOT / model, "--csv", "--out", "out", "--t-end", str(t_end)]
        command += ["--method", method] if method else []
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                  timeout=TOO_LONG, check=False)
        except subprocess.TimeoutExpired:
            return {"late": True}
        found = {"exit": done.returncode, "messages": done.stderr}
        for name in ("result.csv", "summary.json"):
            file = Path(folder) / "out" / name
            if file.exists():
                text = TIMES.sub(r"\1", file.read_text())
                found[name] = hashlib.sha256(text.encode()).hexdigest()
        return found


def run_all(program, args):
    models = [str(f.relative_to(ROOT)) for f in sorted((ROOT / "models").rglob("*.yaml"))]
    todo = [(m, by) for m in models for by in METHODS if re.search(args.only, f"{m} {by}")]
    with ThreadPoolExecutor(args.jobs) as pool:
        each = pool.map(lambda one: run(program.resolve(), *one, args.t_end), todo)
        return {f"{m} {by}": found for (m, by), found in zip(todo, each)}


def results_of(place, args):
    return json.loads(place.read_text()) if place.suffix == ".json" else run_all(place, args)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("other", type=Path, nargs="?", help="a program, or what --write has written")
    parser.add_argument("--write", type=Path, help="keep the results for a later comparison")
    parser.add_argument("--only", default="", help="a regular expression for 'MODEL METHOD'")
    parser.add_argument("--t-end", type=float, default=0.1, help="of all runs [s]")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    now = results_of(args.program, args)
    if args.write:
        args.write.write_text(json.dumps(now, indent=1))
    then = results_of(args.other, args) if args.other else now
    known = [one for one in now if one in then and "late" not in now[one] | then[one]]
    bad = [f"{one}: {part}" for one in known for part in sorted(now[one].keys() | then[one].keys())
           if now[one].get(part) != then[one].get(part)]
    print("\n".join(bad + [f"{len(known)} of {len(now)} runs compared, {len(bad)} differences"]))
    return bool(bad) or not known


if __name__ == "__main__":
    sys.exit(main())
