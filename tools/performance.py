#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/performance.md and its pictures from the tables of the benchmarks.

    tools/performance.py FOLDER "NAME OF THE MACHINE"

FOLDER holds NAME.csv for each program bench_NAME, all of one machine and one run of `make bench`.
Numbers of the page come from there and from nowhere else; the words stand in SECTIONS below.
"""

import csv
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"


@dataclass
class Plot:
    """Curves over a size, both axes logarithmic; the slope of each stands beside its name."""

    name: str
    x: str
    y: tuple  # columns, each a curve of its own
    by: tuple = ()  # columns whose values make further curves
    only: dict = field(default_factory=dict)
    x_title: str = ""
    y_title: str = ""
    per_x: bool = False  # the column holds the cost of a whole: slopes are powers of the size
    slope_from: float = 0.0  # smallest size that counts for slopes


@dataclass
class Section:
    table: str
    title: str
    words: str
    plots: tuple = ()
    columns: tuple = ()  # what is shown; all if empty
    only: dict = field(default_factory=dict)
    after: str = ""


SECTIONS = (
    Section(
        "peers",
        "What digits cost, beside other libraries",
        "Pendulum chains of 4 and 40 links fall for 1 s. Every method takes the largest step or the "
        "loosest tolerance by which all angles at the end are right to the goal, and is charged for "
        "that run. The walking robot has 30 bodies and 35 freedoms; its rows are the price of one "
        "step of 1 ms, and the error is that of its angles after 0.1 s. `times_first` is the time by "
        "that of the first row of its group. A row without numbers did not get there within 2 s.",
        after="**Where others win.** A step of the robot by the semi-implicit Euler method of Bullet or "
        "MuJoCo is cheaper than one of ours: it is one evaluation of the accelerations and has first "
        "order, `galpha` solves for second order and constraints. The column of errors says what each "
        "step buys. The libraries "
        "have contacts, which is what they are made for and what is switched off here.",
    ),
    Section(
        "tree",
        "Forward dynamics, beside other libraries and a kernel by hand",
        "Accelerations of chains and trees of revolute joints with random axes, in ns per body "
        "(`bench_tree`; what libraries refuse or take minutes to build is left out). `kernel` is "
        "written by hand for revolute joints only, `forward` is Tenon. Other libraries "
        "have columns where they were built.",
        plots=(
            Plot(
                "tree_chain",
                "bodies",
                ("kernel_ns", "forward_ns", "simbody_ns", "bullet_ns", "dart_ns", "mujoco_ns"),
                only={"shape": "chain"},
                x_title="bodies of a chain",
                y_title="ns per body",
            ),
        ),
    ),
    Section(
        "runs",
        "Whole runs, beside equations by hand",
        "DOP853 on both sides, to 1e-6, each with the loosest tolerance that gets there "
        "(`bench_runs`). `ratio` is time by that of the equations by hand. Andrews' mechanism and the "
        "four-bars have loops; by hand they are one full matrix per evaluation.",
    ),
    Section(
        "evaluation",
        "One evaluation, beside equations by hand",
        "Time of an evaluation of the equations in a run of fixed steps (`bench_evaluation`); why some are "
        "what they are stands in [theory/cost.md](theory/cost.md).",
    ),
    Section(
        "nets",
        "Nets of loops",
        "Rows of four-bars, even rows of parallelograms, ladders, whose loops share a side, and cloths "
        "(`bench_nets`): time of a step, the part of new factors in it, and the ratio to the next smaller "
        "size. Slopes in the pictures are those from 100 loops on. The far end of a row runs ahead, the "
        "more the longer it is, so that long rows need more iterations; even rows of any length move "
        "alike. Why some slopes are above 1.1 stands in "
        "[theory/cost.md](theory/cost.md#nets-of-loops). Others were using the processor, too; what is "
        "missing was not measured.",
        plots=tuple(
            Plot(
                f"nets_{net}",
                "bodies",
                ("us_per_step",),
                by=("method",),
                only={"net": net},
                x_title=f"bodies, {net}",
                y_title="us per step",
                per_x=True,
                slope_from=200,
            )
            for net in ("row", "even", "ladder", "grid")
        ),
        columns=(
            "net",
            "method",
            "loops",
            "bodies",
            "setup_s",
            "us_per_step",
            "us_factoring",
            "iterations_per_step",
            "factorizations_per_step",
            "factors",
            "ratio",
            "slope",
        ),
    ),
    Section(
        "chain",
        "Chains in absolute coordinates",
        "`galpha/ggl`, steps of 1 ms (`bench_chain`).",
        plots=(
            Plot(
                "chain",
                "bodies",
                ("us_per_step",),
                x_title="links",
                y_title="us per step",
                per_x=True,
            ),
        ),
    ),
    Section(
        "beam",
        "Beams",
        "A clamped beam of n elements falls; `of_hand` is time by that of the same beam written out in "
        "C (`bench_beam`).",
    ),
    Section(
        "setup",
        "Set-up",
        "From a model that a program builds to its first step, `dopri5/index1@joint` (`bench_setup`). "
        "`placed`: bodies stand where they belong; `angles`: nothing but the angles of joints is given. The "
        "first rows are one simulation of four planar links, created and destroyed.",
    ),
    Section(
        "files",
        "Small runs and files",
        "`ratio` is value by yardstick, the other way round for rates: how many times longer than the "
        "yardstick it takes (`bench_files`).",
    ),
    Section(
        "cores",
        "All processors",
        "Comparisons of methods side by side, and one large model on more threads (`bench_cores`). The line "
        "of `bdf` was measured before more of its step was shared by threads.",
    ),
    Section(
        "ensemble",
        "Ensembles",
        "Many chains of four links at once by vectors of the processor: times per step and chain, and "
        "how many times faster than separate simulations on the same core (`bench_ensemble`). The table "
        "was measured before trees of few bodies went by their mass matrix; with it, on a Neoverse V1, "
        "where ratios were 2.0, 1.7, 2.8 and 2.0 before, they are 3.9, 3.3, 4.1 and 3.1 "
        "([ensemble-Neoverse-V1.csv](../bench/results/ensemble-Neoverse-V1.csv)).",
    ),
)

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#cc6600")


def read(path, only):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [r for r in rows if all(r[k] == v for k, v in only.items())]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def curves(plot, rows):
    found = {}
    for row in rows:
        for column in plot.y:
            if column not in row:
                continue
            parts = [row[k] for k in plot.by]
            if len(plot.y) > 1:
                parts.append(column.rsplit("_", 1)[0])
            x, y = number(row[plot.x]), number(row[column])
            if x > 0.0 and y > 0.0:
                found.setdefault(" ".join(parts), []).append((x, y))
    return {name: sorted(points) for name, points in found.items()}


def slope(points, smallest=0.0):
    """By least squares in logarithms."""
    points = [p for p in points if p[0] >= smallest]
    if len(points) < 2:
        return math.nan
    xs = [math.log(x) for x, _ in points]
    ys = [math.log(y) for _, y in points]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0) ** 2 for x in xs)


def decades(values):
    return math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)


def label(power):
    return f"1e{power}" if abs(power) > 3 else f"{10.0 ** power:g}"


def draw(plot, rows):
    """An SVG file; False where there is nothing to draw."""
    lines = curves(plot, rows)
    lines = {name: points for name, points in lines.items() if len(points) > 1}
    if not lines:
        return False
    x0, x1 = decades([x for points in lines.values() for x, _ in points])
    y0, y1 = decades([y for points in lines.values() for _, y in points])
    left, top, wide, high = 70, 20, 420, max(320, 20 * len(lines))

    def place(x, y):
        return (
            left + wide * (math.log10(x) - x0) / max(1, x1 - x0),
            top + high * (1.0 - (math.log10(y) - y0) / max(1, y1 - y0)),
        )

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 330} {top + high + 60}" '
        f'width="{left + wide + 330}" height="{top + high + 60}">',
        f"<title>{plot.y_title} over {plot.x_title}</title>",
        "<style>text { font: 13px sans-serif; fill: #333 } .grid { stroke: #ddd }",
        "  @media (prefers-color-scheme: dark) { text { fill: #ccc } .grid { stroke: #555 } }</style>",
    ]
    for power in range(x0, x1 + 1):
        x, _ = place(10.0**power, 10.0**y0)
        out.append(f'<path d="M{x:.1f} {top}V{top + high}" class="grid"/>')
        out.append(f'<text x="{x:.1f}" y="{top + high + 18}" text-anchor="middle">{label(power)}</text>')
    for power in range(y0, y1 + 1):
        _, y = place(10.0**x0, 10.0**power)
        out.append(f'<path d="M{left} {y:.1f}H{left + wide}" class="grid"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{label(power)}</text>')
    out.append(
        f'<text x="{left + wide / 2}" y="{top + high + 42}" text-anchor="middle">{plot.x_title}</text>'
    )
    out.append(
        f'<text transform="translate(16 {top + high / 2}) rotate(-90)" text-anchor="middle">'
        f"{plot.y_title}</text>"
    )
    for k, (name, points) in enumerate(lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        dash = ' stroke-dasharray="6 3"' if k >= len(COLOURS) else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in points))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in (place(*p) for p in points)]
        y = top + 14 + 20 * k
        power = f", slope {slope(points, plot.slope_from):.2f}" if plot.per_x else ""
        out.append(f'<path d="M{left + wide + 14} {y - 4}h18" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{left + wide + 38}" y="{y}">{name}{power}</text>')
    out.append("</svg>")
    (PICTURES / f"performance_{plot.name}.svg").write_text("\n".join(out) + "\n")
    return True


def table(rows, columns):
    columns = columns or list(rows[0])
    heads = [c.replace("_", " ") for c in columns]
    out = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        out.append("| " + " | ".join(row.get(c) or "" for c in columns) + " |")
    return out


def section(s, folder):
    path = folder / f"{s.table}.csv"
    if not path.exists():
        print(f"{s.title}: there is no {path}", file=sys.stderr)
        return []
    rows = read(path, s.only)
    if not rows:
        return []
    out = ["", f"## {s.title}", "", s.words, ""]
    for plot in s.plots:
        if draw(plot, [r for r in rows if all(r[k] == v for k, v in plot.only.items())]):
            out += [f"![{s.title}: {plot.y_title} over {plot.x_title}](pictures/performance_{plot.name}.svg)", ""]
    out += table(rows, s.columns)
    if s.after:
        out += ["", s.after]
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, machine = Path(sys.argv[1]), sys.argv[2]
    page = [
        "# Performance",
        "",
        f"Measured on {machine}, processor time unless said otherwise. `make performance`",
        "runs all benchmarks (`make bench CMAKE_ARGS=-DTENON_PEERS=ON`) and writes this page from",
        f"the tables ([{folder.name}](../bench/results/{folder.name}/)); ratios mean more than times, and timing",
        "decides no test. Why costs are what they are stands in [theory/cost.md](theory/cost.md) and",
        "[theory/trees.md](theory/trees.md).",
    ]
    for s in SECTIONS:
        page += section(s, folder)
    (ROOT / "docs" / "performance.md").write_text("\n".join(page) + "\n")


main()
