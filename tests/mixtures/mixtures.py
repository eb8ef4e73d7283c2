#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mixtures: small models of all kinds by seeds, through the commands of tenon.

Each seed makes a model (draw.py); check, two runs and two more commands answer it (judge.py). What
is bad comes into the folder --out, reduced to a small file (reduce.py). Needs Python alone: this folder,
../leaks.supp, the command and its libraries can be copied elsewhere, and run there with --tenon.
"""

import argparse
import collections
import concurrent.futures
import copy
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge as judging
from draw import Draw, Schema
from judge import APART, EXACT, TOLERANCES, Bad, Judge
from reduce import reduce
from repair import repaired

# Models that were bad once, as `reduced.json` had them; they are run before the seeds.
FOUND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "found")
# How often what a model is refused for is taken out of it.
REPAIRS = 12
# How many bad seeds of one key are made small.
ALIKE = 3
COORDINATES = ("", "@absolute", "@joint", "@director")


class Case:
    """One seed: its model, what is asked of it, and how it ended."""

    def __init__(self, seed, schema, methods, judge, without=()):
        self.seed, self.schema, self.judge, self.methods = seed, schema, judge, methods
        self.tasks, more = self.choose()
        self.without = without
        if isinstance(seed, int):
            self.model = Draw(seed, schema).model()
        else:  # a file: all that may be asked
            self.tasks += more
            with open(os.path.join(FOUND, seed)) as file:
                self.model = json.load(file)

    def choose(self):
        """What every seed is asked, and two of all other questions."""
        r = random.Random("tasks of %s" % self.seed)
        tasks = [("check", r.choice(((), ("--json",), ("--along",), ("--graph", "g.svg"),
                                     ("--pattern", "p.csv"), ("--projectors", "-")))),
                 ("two_methods", r.choice(EXACT) + r.choice(COORDINATES),
                  r.choice(EXACT) + r.choice(COORDINATES))]
        more = [("any", r.choice(self.methods) + r.choice(COORDINATES)),
                ("equilibrium", r.choice(((), ("--nearest",), ("--steps", "3"), ("--arc",),
                                          ("--spin", "2"), ("--json",)))),
                ("modes", r.choice(((), ("--undamped",), ("--json",), ("--about", "start"),
                                    ("--method", "sparse")))),
                ("linearize", r.choice(((), ("--json",), ("--about", "start"),
                                        ("--matrices", "absolute"), ("--matrices", "joint")))),
                ("inverse", r.choice(((), ("--json",), ("--reactions",)))),
                ("sweep",), ("expand",), ("units",), ("order",), ("resume",), ("report",),
                ("error",)]
        r.shuffle(more)
        return tasks + more[:2], more[2:]

    def repair(self):
        """What is refused is left out, so that most seeds move: the reader says where it stands."""
        for _ in range(REPAIRS):
            where = self.judge.write("model.json", self.model)
            end = self.judge.run("check", "model.json")
            smaller = repaired(self.model, where, end.err, "model.json") if end.code == 2 else None
            if not smaller or not smaller.get("bodies"):
                break
            self.model = smaller

    def run(self, model):
        self.judge.write("model.json", model)
        for task in self.tasks:
            if task[0] in self.without:
                continue
            getattr(self, task[0])(model, *task[1:])

    # What is asked ---------------------------------------------------------------------------

    def check(self, model, options):
        self.judge.run("check", "model.json", *options)

    def tight(self, method, tolerance=TOLERANCES[0], file="model.json", out="out"):
        return self.judge.motion(file, out, "--method", method, "--rtol", tolerance, "--atol",
                                 tolerance, "--output", "0.01")[1]

    def two_methods(self, model, first, second):
        pair = "%s and %s" % (first, second)
        one, two = self.tight(first), self.tight(second)
        if self.elements_differ(model, first, second):
            return
        if one and two and judging.distance(one, two)[0] > APART:
            one, two = self.tight(first, TOLERANCES[1]), self.tight(second, TOLERANCES[1])
        self.judge.compare("model.json", pair, one, two, APART)

    def elements_differ(self, model, first, second):
        """In directors the elements of beams are others, with the same limit (docs/guide/beams.md)."""
        return ("director" in first) != ("director" in second) and '"beam' in json.dumps(model)

    def any(self, model, method):
        self.judge.motion("model.json", "out", "--method", method)

    def equilibrium(self, model, options):
        self.judge.run("equilibrium", "model.json", *options)

    def modes(self, model, options):
        self.judge.run("modes", "model.json", *options)

    def linearize(self, model, options):
        self.judge.run("linearize", "model.json", *options)

    def inverse(self, model, options):
        if self.judge.motion("model.json", "out")[1]:
            self.judge.run("inverse", "model.json", "--from", "out", *options)
        self.judge.run("inverse", "model.json", *options)

    def sweep(self, model):
        name = next(iter(model.get("parameters", {"none": 1})))
        body = next(iter(model.get("bodies", {"b": 1})))
        shutil.rmtree(self.judge.path("swept"), ignore_errors=True)
        self.judge.run("sweep", "model.json", "--set", "%s=0.5:1.5:2" % name, "--jobs", "1",
                       "--outputs", "final(%s.position.x)" % body, "--out", "swept")

    def expand(self, model):
        end = self.judge.run("expand", "model.json", "--out", "expanded.yaml", "--force")
        if end.code == 0:
            self.judge.compare("model.json", "the model and what expand makes of it",
                               self.tight("auto"), self.tight("auto", file="expanded.yaml"), 1e-7)

    def units(self, model):
        other = judging.in_other_units(self.schema, {"properties": self.schema.top}, model)
        self.judge.write("units.json", other)
        self.judge.compare("model.json", "other units of the same numbers", self.tight("auto"),
                           self.tight("auto", file="units.json"), 0)

    def order(self, model):
        other = copy.deepcopy(model)
        r = random.Random(str(self.seed))
        # A part that nothing holds hangs on that body of it which comes first: bodies stay in order.
        for section in ("joints", "forces", "signals"):
            if section in other:
                items = list(other[section].items())
                r.shuffle(items)
                other[section] = dict(items)
        self.judge.write("order.json", other)
        self.judge.compare("model.json", "another order of the elements", self.tight("radau5/ggl"),
                           self.tight("radau5/ggl", file="order.json"), APART)

    def resume(self, model):
        """A run that is stopped as soon as it has begun to write, and goes on."""
        options = ("--checkpoint", "0.001", "--method", "radau5/ggl", "--rtol", "1e-9")
        whole = self.judge.motion("model.json", "out", *options)[1]
        shutil.rmtree(self.judge.path("cut"), ignore_errors=True)
        command = ("run", "model.json", "--out", "cut", "--csv", *options)
        child = self.judge.start(command)
        until = time.monotonic() + 30
        while child.poll() is None and time.monotonic() < until:
            if any("checkpoint" in name or "state" in name for name in self.listed("cut")):
                child.send_signal(signal.SIGINT)
                break
            time.sleep(0.001)
        self.judge.end(child, command)
        command = ("run", "--resume", "cut")
        end = self.judge.run(*command)
        if whole and end.code == 0 and os.path.exists(self.judge.path("cut/result.csv")):
            self.judge.compare("model.json", "a run and one that was stopped and resumed", whole,
                               self.judge.last_row("cut", command), 0)

    def listed(self, folder):
        try:
            return os.listdir(self.judge.path(folder))
        except OSError:
            return []

    def report(self, model):
        end, row = self.judge.motion("model.json", "out", "--report")
        if row:
            self.judge.run("report", "out", "--out", "again.html", "--force")
            self.judge.run("plot", "out", "--list")
            self.judge.run("plot", "out", "energy", "-o", "energy.svg")

    def error(self, model):
        self.judge.run("run", "model.json", "--no-results", "--error", "--json")


# One seed ------------------------------------------------------------------------------------

def reduced(case, bad, options):
    """The smallest model found that ends in the same way, by the task that showed it."""
    until = time.monotonic() + options.reduce

    def holds(model):
        if time.monotonic() > until:
            return False
        try:
            case.run(model)
        except Bad as again:
            return again.key == bad.key
        except Exception:
            return False
        return False

    for task in list(case.tasks):  # alone, if that will do
        every, case.tasks = case.tasks, [task]
        if holds(case.model):
            break
        case.tasks = every
    return reduce(case.model, holds)


def keep(case, bad, options):
    like = os.path.join(options.out, "bad", re.sub(r"[^\w.]+", "_", bad.key)[:80].strip("_"))
    folder = os.path.join(like, str(case.seed))
    os.makedirs(folder, exist_ok=True)
    enough = len(os.listdir(like)) > ALIKE
    small = case.model if enough or options.reduce <= 0 else reduced(case, bad, options)
    for name, model in (("model.json", case.model), ("reduced.json", small)):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(model, file, indent=1)
    with open(os.path.join(folder, "told.txt"), "w") as file:
        file.write("%s\ntenon %s\ntasks %s\n\n%s\n" % (bad.key, " ".join(bad.command),
                                                      case.tasks, bad.text))
    return folder


def one_seed(seed, options, schema, methods):
    folder = tempfile.mkdtemp(prefix="mixture.", dir=options.scratch)
    judge = Judge(options.tenon, folder, options.limit, environment(options))
    answer = {"seed": seed, "bad": None}
    try:
        case = Case(seed, schema, methods, judge, options.without)
        try:
            if isinstance(seed, int):
                case.repair()
            case.run(case.model)
        except Bad as bad:
            ends = dict(judge.ends)
            answer.update(bad=bad.key, command=" ".join(bad.command), folder=keep(case, bad, options))
            judge.ends = ends
        answer.update(ends=judge.ends, slow=judge.slow)
    except Exception as wrong:  # of these scripts: one seed does not end all
        answer.update(bad="script: %s" % type(wrong).__name__, command=str(wrong), folder="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return answer


def environment(options):
    """Leaks leave the exit code as it is, as the judge sorts them; all else ends by a signal."""
    return {"ASAN_OPTIONS": "abort_on_error=1:exitcode=0:detect_leaks=%d:"
                            "allocator_may_return_null=1" % (not options.no_leaks),
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}


def ask(options, *command):
    return subprocess.run([options.tenon, *command], stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, **environment(options))).stdout


def how_it_ended(answer):
    """One word for a seed: refused has no run that ended done."""
    if answer["bad"]:
        return "bad"
    if answer["slow"]:
        return "late"
    return "ok" if answer["ends"].get("run 0") else "refused"


def summarise(answers, options, took):
    ends, bad = collections.Counter(), collections.defaultdict(list)
    for answer in answers:
        ends.update(answer.get("ends", {}))
        if answer["bad"]:
            bad[answer["bad"]].append(answer)
    slow = [(a["seed"], command) for a in answers for command in a.get("slow", ())]
    counts = collections.Counter(how_it_ended(answer) for answer in answers)
    lines = ["%d seeds in %.0f s: %s" % (len(answers), took, ", ".join(
        "%d %s" % (counts[how], how) for how in ("ok", "refused", "late", "bad"))),
             "", "commands by how they ended:"]
    names = sorted({end.split()[0] for end in ends})
    codes = sorted({int(end.split()[1]) for end in ends})
    lines.append("%-12s" % "" + "".join("%8d" % code for code in codes))
    for name in names:
        lines.append("%-12s" % name + "".join("%8d" % ends["%s %d" % (name, c)] for c in codes))
    lines += ["", "beyond the limit of time, but ended when asked to: %d" % len(slow)]
    lines += ["  seed %s: tenon %s" % one for one in slow[:20]]
    lines += ["", "bad: %d" % sum(map(len, bad.values()))]
    for key, them in sorted(bad.items(), key=lambda pair: -len(pair[1])):
        lines.append("%4d  %s: %s" % (len(them), key, ", ".join(
            str(a["seed"]) for a in them[:8])))
    text = "\n".join(lines) + "\n"
    with open(os.path.join(options.out, "summary.txt"), "w") as file:
        file.write(text)
    with open(os.path.join(options.out, "summary.json"), "w") as file:
        json.dump({"seeds": len(answers), "seconds": took, "ends": ends, "slow": slow,
                   "bad": bad}, file, indent=1)
    return text, len(bad)


def parse():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tenon", default=os.path.join(here, "..", "..", "build", "tenon"))
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=0, help="how many seeds; 0: by the time")
    parser.add_argument("--seconds", type=float, default=0, help="how long new seeds are begun")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20, help="seconds for one command")
    parser.add_argument("--reduce", type=float, default=120, help="seconds to make a bad one small")
    parser.add_argument("--out", default="mixtures.results")
    parser.add_argument("--scratch", default=None, help="folder for files of single commands")
    parser.add_argument("--show", action="store_true", help="print the model of --seed")
    parser.add_argument("--no-leaks", action="store_true", help="do not look for leaks")
    parser.add_argument("--without", action="append", default=[], help="a question not to ask")
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    options.tenon = os.path.abspath(options.tenon)
    options.out = os.path.abspath(options.out)
    schema = Schema(json.loads(ask(options, "help", "--schema")))
    legal = json.loads(ask(options, "methods", "--json"))
    methods = [one["method"] for one in legal["methods"] if one["legal"]]
    methods += [one["method"] + "+project" for one in legal["methods"] if one["project"]]
    if options.show:
        print(json.dumps(Draw(options.seed, schema).model(), indent=1))
        return 0
    os.makedirs(options.out, exist_ok=True)
    began, answers, seed = time.monotonic(), [], options.seed
    last = options.seed + options.count if options.count else float("inf")
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(one_seed, name, options, schema, methods)
                   for name in sorted(os.listdir(FOUND))} if os.path.isdir(FOUND) else set()
        while True:
            late = options.seconds and time.monotonic() - began > options.seconds
            while not late and seed < last and len(waiting) < options.jobs:
                waiting.add(pool.submit(one_seed, seed, options, schema, methods))
                seed += 1
            if not waiting:
                break
            done, waiting = concurrent.futures.wait(
                waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for one in done:
                answers.append(one.result())
                if answers[-1]["bad"] and not options.quiet:
                    print("seed %(seed)s: %(bad)s (tenon %(command)s), %(folder)s" % answers[-1],
                          flush=True)
            if len(answers) % 20 == 0:
                summarise(answers, options, time.monotonic() - began)
    text, bad = summarise(answers, options, time.monotonic() - began)
    print(text, end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
