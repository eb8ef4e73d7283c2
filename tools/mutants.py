#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Measures the tests: changes single tokens of src/ at random (operators, comparisons, constants),
# builds each changed library and runs the tests whose coverage reaches the changed line, the
# quickest first, until one fails. What no test notices is listed: it wants a test, or is code that
# is not needed.
#
#   tools/mutants.py [--count 200] [--seed 1] [--tests REGEX] [--jobs 2] [--constants]
#
# With --constants the changes are those of tuned constants (static const double NAME = …), a hundred
# times as large: the list then says which test holds each of them.
#
# Everything happens in build-mutants/: a copy of the tree, a build with coverage, one without. The
# coverage of each test is kept there and used again while src/ and tests/ stay as they are. On two
# quiet cores the builds and the coverage take about 40 minutes, a mutant 5 to 10 seconds when it is
# noticed and up to 5 minutes when it is not: some two hours for 200. Ends with code 1 when fewer
# than nine in ten of the changes that reach the machine code are noticed.

import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

GOAL = 0.9
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutants")
TREE = os.path.join(WORK, "tree")
COVERED = os.path.join(WORK, "covered")  # build with coverage
PLAIN = os.path.join(WORK, "plain")  # build of the mutants

# What a token may become. A change that does not compile, or that gives the same machine code, is
# drawn again.
SWAPS = {
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "++": "--", "--": "++", "true": "false", "false": "true",
}
TOKEN = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*)"
    r"|(?P<number>(?<![\w.])(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)(?![\w.]))"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign><<=?|>>=?|->|\+\+|--|[-+*/<>=!]=|&&|\|\||[-+*/<>])",
    re.M | re.S)

Mutant = collections.namedtuple("Mutant", "path line column start before after text")


def run(command, cwd=ROOT, timeout=None, env=None):
    try:
        done = subprocess.run(command, cwd=cwd, env=env or ENVIRONMENT, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return "time", ""


def must(command, cwd=ROOT):
    code, text = run(command, cwd)
    if code != 0:
        sys.exit("%s\n%s" % (" ".join(command), text[-4000:]))
    return text


# Copies and builds -------------------------------------------------------------------------------


def files_of_the_tree():
    names = must(["git", "ls-files", "--cached", "--others", "--exclude-standard"]).split("\n")
    return [n for n in names if n and os.path.isfile(os.path.join(ROOT, n))]


def content_key(names):
    key = hashlib.sha256()
    for name in sorted(names):
        if re.match(r"(src|apps|tests|cli|include|cmake|CMakeLists)", name):
            key.update(name.encode() + open(os.path.join(ROOT, name), "rb").read())
    return key.hexdigest()


# Files that differ are copied, those that are the same keep their times, so that builds do too.
def copy_tree(names):
    for name in names:
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "rb") as file:
            data = file.read()
        if os.path.islink(target) or not os.path.exists(target) or open(target, "rb").read() != data:
            shutil.copy(source, target)
    for path in glob.glob(TREE + "/src/*/*.c") + glob.glob(TREE + "/apps/*/*.c") + glob.glob(TREE + "/tests/*/*.c"):
        if os.path.relpath(path, TREE) not in names:
            os.remove(path)


def configure(folder, build_type, flags):
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    must(["cmake", "-S", TREE, "-B", folder, "-DCMAKE_BUILD_TYPE=" + build_type, "-DTENON_WEB=OFF",
          "-DCMAKE_C_FLAGS=" + flags] + generator)


def build(folder, targets, jobs):
    return run(["cmake", "--build", folder, "-j", str(jobs), "--target"] + targets)


# Name of the test, "unit/joint", to the program and the folder it runs in.
def list_tests(folder, wanted):
    tests = {}
    for test in json.loads(must(["ctest", "--show-only=json-v1"], folder))["tests"]:
        if re.match(r"(unit|cross|reference|fault)/", test["name"]) and re.search(
                wanted, test["name"]):
            place = [p["value"] for p in test["properties"] if p["name"] == "WORKING_DIRECTORY"]
            program = os.path.join(folder, "tests", "test_" + test["name"].split("/")[1])
            tests[test["name"]] = ([program], place[0])
    return tests


def target_of(command):
    return os.path.basename(command[0])


# Coverage ----------------------------------------------------------------------------------------


# The lines of src/ that a test reaches, and the seconds that it takes.
def coverage_of(name, command, place):
    prefix = os.path.join(WORK, "counts", name)
    shutil.rmtree(prefix, ignore_errors=True)
    os.makedirs(prefix)
    began = time.time()
    code, text = run(command, place, 1800, dict(ENVIRONMENT, GCOV_PREFIX=prefix))
    seconds = time.time() - began
    if code != 0:
        print("%s fails without any change and is left out:\n%s" % (name, text[-2000:]), flush=True)
        shutil.rmtree(prefix)
        return seconds, {}
    counts = glob.glob(prefix + "/**/src/*/*.gcda", recursive=True) + glob.glob(
        prefix + "/**/apps/*/*.gcda", recursive=True)
    for path in counts:
        note = path[len(prefix):-len(".gcda")] + ".gcno"
        os.symlink(note, path[:-len(".gcda")] + ".gcno")
    lines = collections.defaultdict(list)
    if counts:
        text = must(["gcov", "--json-format", "--stdout"] + counts, prefix)
        for part in text.split("\n"):
            for file in json.loads(part)["files"] if part.startswith("{") else []:
                path = os.path.relpath(os.path.join(COVERED, file["file"]), TREE)
                if path.startswith(("src/", "apps/")):
                    lines[path] += [l["line_number"] for l in file["lines"] if l["count"] > 0]
    shutil.rmtree(prefix)
    return seconds, {path: sorted(set(found)) for path, found in lines.items()}


def measure_coverage(key, wanted, jobs):
    path = os.path.join(WORK, "coverage.json")
    if os.path.exists(path):
        known = json.load(open(path))
        if known["key"] == key and known["wanted"] == wanted:
            return known["tests"]
    print("Building with coverage and running each test once.", flush=True)
    configure(COVERED, "Debug", "--coverage -fprofile-update=atomic")
    tests = list_tests(COVERED, wanted)
    code, text = build(COVERED, sorted(target_of(c) for c, _ in tests.values()), jobs)
    if code != 0:
        sys.exit(text[-4000:])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        jobs_of = {n: pool.submit(coverage_of, n, c, p) for n, (c, p) in sorted(tests.items())}
        found = {name: job.result() for name, job in jobs_of.items()}
    json.dump({"key": key, "wanted": wanted, "tests": found}, open(path, "w"))
    return found


# Mutants -----------------------------------------------------------------------------------------


CONSTANT = re.compile(r"static const (double|int) [A-Z]")


def changed_number(token, constants):
    if constants:
        return "(100 * %s)" % token
    if re.fullmatch(r"\d+", token):
        return str(int(token) + 1)
    return "1.0" if float(token) == 0.0 else "(2.0 * %s)" % token


def mutants_of(path, constants):
    text = open(os.path.join(TREE, path)).read()
    for found in TOKEN.finditer(text):
        token = found.group()
        number = found.group("number")
        after = changed_number(token, constants) if number else SWAPS.get(token)
        start = found.start()
        if found.group("skip") or not after:
            continue
        # Formatted code has blanks around operators of two sides, none behind those of pointers.
        if token in "+-*/" and (text[start - 1] != " " or text[start + 1] not in " \n"):
            continue
        before = text.count("\n", 0, start)
        if constants and not (number and CONSTANT.search(text.split("\n")[before])):
            continue
        yield Mutant(path, before + 1, start - text.rfind("\n", 0, start), start, token, after,
                     text.split("\n")[before].strip())


def set_text(mutant, text):
    with open(os.path.join(TREE, mutant.path), "w") as file:
        file.write(text)


# Without debug information equal code is equal bytes.
def object_key(mutant):
    name = glob.glob(PLAIN + "/**/" + mutant.path + ".o", recursive=True)[0]
    return hashlib.sha256(open(name, "rb").read()).hexdigest()


# The first test that notices, None when none does.
def first_failure(tests, names, seconds, jobs):
    for at in range(0, len(names), jobs):
        part = names[at:at + jobs]
        code, text = build(PLAIN, [target_of(tests[n][0]) for n in part], jobs)
        if code != 0:
            return "the build"
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            limit = [max(20.0, 10.0 * seconds[n]) for n in part]
            codes = list(pool.map(lambda n, t: run(tests[n][0], tests[n][1], t)[0], part, limit))
        for name, code in zip(part, codes):
            if code != 0:
                return name + (" (time)" if code == "time" else "")
    return None


# What became of a mutant: "same", "broken", "unreached", "survived", or the test that noticed.
def judge(mutant, tests, coverage, jobs):
    original = open(os.path.join(TREE, mutant.path)).read()
    end = mutant.start + len(mutant.before)
    names = [n for n, (_, lines) in coverage.items() if mutant.line in lines.get(mutant.path, [])]
    seconds = {n: coverage[n][0] for n in names}
    names.sort(key=lambda n: seconds[n])
    key = object_key(mutant)
    try:
        set_text(mutant, original[:mutant.start] + mutant.after + original[end:])
        if build(PLAIN, ["tenon_objects"], jobs)[0] != 0:
            return "broken", 0
        if object_key(mutant) == key:
            return "same", 0
        if not names:
            return "unreached", 0
        return first_failure(tests, names, seconds, jobs) or "survived", len(names)
    finally:
        set_text(mutant, original)
        build(PLAIN, ["tenon_objects"], jobs)


def describe(mutant):
    return "%s:%d:%d: '%s' becomes '%s'" % (mutant.path, mutant.line, mutant.column, mutant.before,
                                            mutant.after)


def main():
    parser = argparse.ArgumentParser(description="Measures the tests by changes of single tokens.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default=".", help="which tests to use, by name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--constants", action="store_true", help="change tuned constants alone")
    wish = parser.parse_args()

    names = files_of_the_tree()
    os.makedirs(TREE, exist_ok=True)
    copy_tree(names)
    coverage = measure_coverage(content_key(names), wish.tests, wish.jobs)
    configure(PLAIN, "Release", "-O1")
    tests = list_tests(PLAIN, wish.tests)
    must(["cmake", "--build", PLAIN, "-j", str(wish.jobs), "--target", "tenon_objects"])

    everything = [m for n in names if re.match(r"(src|apps)/.*\.c$", n) for m in mutants_of(n, wish.constants)]
    random.Random(wish.seed).shuffle(everything)
    outcomes = collections.Counter()
    unnoticed = []
    for mutant in everything:
        if sum(outcomes.values()) >= wish.count:
            break
        outcome, reach = judge(mutant, tests, coverage, wish.jobs)
        if outcome in ("same", "broken"):
            continue
        outcomes[outcome if outcome in ("survived", "unreached") else "noticed"] += 1
        print("%-60s %s" % (describe(mutant), outcome), flush=True)
        if outcome in ("survived", "unreached"):
            unnoticed.append("%s\n    %s\n    %s" % (describe(mutant), mutant.text,
                             "%d tests reach it" % reach if reach else "no test reaches it"))

    total = sum(outcomes.values())
    print("\n%d changes: %s" % (total, ", ".join("%d %s" % (n, k) for k, n in outcomes.items())))
    print("\nNot noticed:\n\n" + "\n".join(unnoticed) if unnoticed else "All were noticed.")
    return 0 if outcomes["noticed"] >= GOAL * total else 1


if __name__ == "__main__":
    sys.exit(main())
