# SPDX-License-Identifier: MIT
"""Runs commands on a model and judges how they end.

An answer is a result, or a refusal in a sentence. Bad are signals, reports of sanitizers, failed
assertions, leaks, hangs, exit codes that no page names, refusals without a word, numbers that are
none in results that end done, and results that differ without a word.
"""

import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
from decimal import Decimal

from repair import lines_of

# How far two methods may be apart, in the size of the motion; and how far at the tolerances to
# which a difference is followed before it counts.
APART, TOLERANCES = 2e-5, ("1e-7", "1e-10")
# Methods whose error goes to zero with the tolerance.
EXACT = ("radau5/ggl", "radau5/index1", "radau5/index2", "radau5/index3", "bdf/ggl", "bdf/index1",
         "radau5/stabilized-index1", "dopri5/index1+project", "dop853/index1", "adams/index1",
         "herk5/index2+project", "dopri5/nullspace", "dopri5/maggi", "dopri5/projective",
         "dopri5/udwadia-kalaba", "dop853/minimal", "dop853/phase-space", "auto")


# Libraries that keep memory for the life of the process.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "leaks.supp")) as suppressed:
    LIBRARIES = re.findall(r"^leak:(\S+)", suppressed.read(), re.MULTILINE)

# Methods that have no multipliers between nodes.
DISCRETE = re.compile("variational|energy-momentum")


class Bad(Exception):
    """A bad end: `key` tells it from others, for the reduction."""

    def __init__(self, key, text, command=()):
        super().__init__(text)
        self.key, self.text, self.command = key, text, list(command)


class End:
    def __init__(self, code, out, err, took):
        self.code, self.out, self.err, self.took = code, out, err, took


class Judge:
    def __init__(self, tenon, folder, limit=20.0, environment=None):
        self.tenon, self.folder, self.limit = tenon, folder, limit
        self.environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", **(environment or {}))
        self.ends, self.slow, self.asked = {}, [], set()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, model):
        """Writes a model; tells which part of it stands in each line."""
        text, where = lines_of(model)
        with open(self.path(name), "w") as file:
            file.write(text)
        return where

    # One command -----------------------------------------------------------------------------

    def wait(self, child, command):
        """Its end, within the limit of time, or within another one of asking it to end."""
        began = time.monotonic()
        while True:
            try:
                return child.communicate(timeout=self.limit)
            except subprocess.TimeoutExpired:
                with open("/proc/%d/stat" % child.pid) as file:
                    ticks = file.read().rsplit(")", 1)[1].split()
                used = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
                if used < 0.8 * self.limit and time.monotonic() - began < 20 * self.limit:
                    continue  # the machine is busy
            child.terminate()
            try:
                out = child.communicate(timeout=20)
                self.slow.append(" ".join(command))
                self.asked.add(command)
                return out
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                raise Bad("hang " + command[0], "it goes on and does not hear SIGTERM", command)

    def start(self, command):
        return subprocess.Popen([self.tenon, *command], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def end(self, child, command):
        began = time.monotonic()
        out, err = (text.decode("utf-8", "replace") for text in self.wait(child, command))
        end = End(child.returncode, out, err, time.monotonic() - began)
        self.check(end, command)
        name = "%s %d" % (command[0], end.code)
        self.ends[name] = self.ends.get(name, 0) + 1
        return end

    def run(self, *command):
        return self.end(self.start(command), command)

    def check(self, end, command):
        report = blame(end.err)
        if report:
            raise Bad(report, end.err, command)
        if end.code == -signal.SIGTERM and command in self.asked:
            end.code = 3  # commands that keep nothing end by the signal alone
        elif end.code < 0:
            raise Bad("signal %s" % signal.Signals(-end.code).name, end.err, command)
        if end.code > 5:
            raise Bad("exit %d" % end.code, end.err + end.out, command)
        if end.code in (1, 2, 3, 5) and command not in self.asked and len(end.err.strip()) < 10 and len(end.out.strip()) < 10:
            raise Bad("no word, exit %d" % end.code, end.err, command)
        if "--json" in command and end.code in (0, 5) and end.out:
            try:
                json.loads(end.out, parse_constant=not_a_number)
            except ValueError as wrong:
                raise Bad("JSON", "%s\n%s" % (wrong, end.out[:2000]), command)

    # Motions ---------------------------------------------------------------------------------

    def motion(self, model, out, *options):
        """Runs a model; its end, and its last row if it ended done."""
        folder = self.path(out)
        shutil.rmtree(folder, ignore_errors=True)
        command = ("run", model, "--out", out, "--csv", *options)
        end = self.run(*command)
        return end, self.last_row(out, command) if end.code == 0 else None

    def last_row(self, out, command):
        with open(self.path(os.path.join(out, "result.csv"))) as file:
            rows = list(csv.reader(file))
        # Rates of angles in a singular position (docs/formats/result.md).
        undefined = "." if DISCRETE.search(" ".join(command)) else r"\.angles\."
        for row in rows[1:]:
            for name, text in zip(rows[0], row):
                if text and not math.isfinite(float(text)) and not re.search(undefined, name):
                    raise Bad("not finite", "%s is %s" % (name, text), command)
        return dict(zip(rows[0], rows[-1])) if len(rows) > 1 else None

    def compare(self, model, what, one, two, apart):
        """Whether two last rows agree in time and positions."""
        if not one or not two:
            return
        worst, where = distance(one, two)
        if worst > apart:
            raise Bad("differ: " + what, "%s: %s differs by %.3g of the size of the motion" %
                      (what, where, worst), ["run", model, what])


def not_a_number(text):
    raise ValueError("%s in JSON" % text)


def positions(row):
    return {name: float(text) for name, text in row.items() if text and (
        name == "time [s]" or ".position." in name or name.endswith("[rad]"))}


def distance(one, two):
    a, b = positions(one), positions(two)
    lengths = [abs(v) for k, v in a.items() if k.endswith("[m]")]
    size = {"[m]": max([0.1] + lengths), "rad]": 1.0, "[s]": 1.0}
    worst, where = 0.0, ""
    for name in a.keys() & b.keys():
        gap = abs(a[name] - b[name])
        if name.endswith("[rad]"):
            gap = min(gap, abs(gap - 2 * math.pi))  # an angle may be told on another turn
        gap /= next(s for unit, s in size.items() if name.endswith(unit))
        if gap > worst:
            worst, where = gap, name
    return worst, where


def without_foreign_leaks(err):
    """The report without leaks of libraries (../leaks.supp), by their names: LeakSanitizer itself
    knows some stacks only where llvm-symbolizer is."""
    if "ERROR: LeakSanitizer" not in err:
        return err
    leaks = re.findall(r"^\w+ leak of .*\n(?: +#.*\n)+", err, re.MULTILINE)
    own = [leak for leak in leaks if not any(name in leak for name in LIBRARIES)]
    rest = err[:err.index("ERROR: LeakSanitizer")]
    return rest + "ERROR: LeakSanitizer\n" + "".join(own) if own else rest


def blame(err):
    """What went wrong by the report of a sanitizer or an assertion: a short key, or None."""
    kind = None
    err = without_foreign_leaks(err)
    for pattern in (r"ERROR: (AddressSanitizer: [\w-]+)", r"ERROR: (LeakSanitizer)",
                    r"(runtime error: .*)", r"(Assertion .* failed)", r"(assertion.*)"):
        found = re.search(pattern, err)
        if found:
            kind = re.sub(r"0x[0-9a-f]+|-?\d[\d.e+-]*", "N", found.group(1))
            break
    if not kind:
        return None
    frames = re.findall(r"#\d+ 0x\w+ in (\S+) .*?((?:src|apps|cli)/\S+)?\n", err)
    own = [name for name, place in frames if place] or re.findall(r"((?:src|apps|cli)/\w+/\w+\.c:\d+)", err)
    return "%s in %s" % (kind[:120], own[0] if own else "?")


# Units ---------------------------------------------------------------------------------------

def shift(x, power):
    return str(Decimal(repr(float(x))).scaleb(power))


def in_other_units(schema, definition, value):
    """The same value with plain numbers in milli- or kilo-units of their keys; the same number to
    the last bit."""
    from draw import unit_of
    if isinstance(value, dict):
        props = definition.get("properties", {})
        every = definition.get("additionalProperties")
        if "oneOf" in definition:
            name = schema.refer(definition["oneOf"][0]).split("-")[0]
            props = schema.defs["%s-%s" % (name, value.get("kind", "rigid"))]["properties"]
        out = {}
        for key, one in value.items():
            prop = props.get(key, every if isinstance(every, dict) else {})
            ref = schema.refer(prop)
            unit = re.search(r"\[([^\]]*)\]$", prop.get("description", ""))
            unit = unit.group(1) if unit else ""
            if ref in ("number", "vector", "function") and unit and not re.search(r" or |,|^1|\*", unit):
                out[key] = with_unit(one, unit)
            else:
                out[key] = in_other_units(schema, schema.defs.get(ref, {}), one)
        return out
    return value


def with_unit(value, unit):
    if isinstance(value, list):
        return [with_unit(one, unit) for one in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    first = re.match(r"[A-Za-z]+", unit).group(0)
    if first == "kg":
        return "%s %s" % (shift(value, 3), unit[1:])
    if first in ("m", "s", "rad", "N"):
        return "%s m%s" % (shift(value, 3), unit)
    return "%s k%s" % (shift(value, -3), unit) if first == "Pa" else value
