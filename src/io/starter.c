// SPDX-License-Identifier: MIT
//
// The texts of the starter models, line by line. tests/cross/test_cli.c runs
// every one of them.

#include "base/status.h"
#include "io/target.h"
#include "tenon/help.h"

#include <sys/stat.h>

// clang-format off: the texts keep their lines.
static const char *const pendulum[] = {
    "# A rod that swings on a pin under gravity.",
    "#",
    "#   tenon run pendulum.yaml      simulates it; results go to the folder "
    "pendulum.results",
    "#   tenon check pendulum.yaml    tells freedoms, redundant constraints "
    "and start values",
    "#   tenon help rigid             lists what a rigid body may state; so "
    "for every kind",
    "#",
    "# SI units and radians throughout; only keys that end in _deg take "
    "degrees.",
    "",
    "tenon: 1                      # version of the format",
    "name: pendulum",
    "gravity: [0, -9.81, 0]        # m/s^2; y points up",
    "",
    "parameters:                   # named numbers for use in every number "
    "below",
    "  length: 1.0                 # m",
    "  mass: 2.0                   # kg",
    "  radius: 0.02                # m",
    "",
    "bodies:",
    "  rod:                        # the body frame sits in the middle of the "
    "rod, x along it",
    "    mass: mass",
    "    inertia:                  # of a round rod about its middle, kg m^2",
    "      - mass*radius^2/2",
    "      - mass*(3*radius^2 + length^2)/12",
    "      - mass*(3*radius^2 + length^2)/12",
    "    initial:",
    "      position: [length/2, 0, 0]    # level at the start, and at rest",
    "",
    "joints:",
    "  pin:",
    "    kind: revolute",
    "    body: rod                 # one body: the other is the ground",
    "    at: [0, 0, 0]             # where the joint is at the start, in the "
    "inertial frame",
    "    axis: [0, 0, 1]           # what the rod turns about",
    "",
    "# Take away the '#' of the next five lines for a little friction in the "
    "pin.",
    "#forces:",
    "#  friction:",
    "#    kind: joint-spring",
    "#    joint: pin",
    "#    damping: 0.1             # N m s/rad",
    "",
    "simulate:                     # defaults; options such as --step 1e-4 "
    "come before them",
    "  t_end: 10                   # s",
    "  step: 1e-3                  # s",
    NULL,
};
// clang-format on

// clang-format off: the texts keep their lines.
static const char *const fourbar[] = {
    "# A four-bar linkage in the plane: a motor turns the crank, the coupler "
    "swings the rocker.",
    "#",
    "#            C",
    "#          /  \\          A, D  pivots on the ground",
    "#        /     \\         AB    crank",
    "#      B        \\        BC    coupler",
    "#      |         \\       CD    rocker",
    "#      A          D",
    "#",
    "#   tenon run fourbar.yaml      simulates it; results go to the folder "
    "fourbar.results",
    "#   tenon check fourbar.yaml    tells freedoms, redundant constraints and "
    "start values",
    "#   tenon help planar           lists what a planar body may state; so "
    "for every kind",
    "#",
    "# SI units and radians throughout; only keys that end in _deg take "
    "degrees.",
    "",
    "tenon: 1                      # version of the format",
    "name: four-bar linkage",
    "gravity: [0, -9.81, 0]        # m/s^2; y points up",
    "",
    "parameters:                   # the four points at the start [m], and the "
    "motor",
    "  Bx: 0.0",
    "  By: 0.1",
    "  Cx: 0.3",
    "  Cy: 0.25",
    "  Dx: 0.35",
    "  density: 2.0                # mass per length of the bars [kg/m]",
    "  speed: 2*pi                 # of the motor [rad/s]",
    "  crank: sqrt(Bx^2 + By^2)",
    "  coupler: sqrt((Cx - Bx)^2 + (Cy - By)^2)",
    "  rocker: sqrt((Cx - Dx)^2 + Cy^2)",
    "",
    "bodies:                       # each body frame starts in the middle of "
    "its bar, unturned",
    "  crank:",
    "    kind: planar",
    "    mass: density*crank",
    "    inertia: density*crank^3/12",
    "    initial: {position: [Bx/2, By/2]}",
    "  coupler:",
    "    kind: planar",
    "    mass: density*coupler",
    "    inertia: density*coupler^3/12",
    "    initial: {position: [(Bx + Cx)/2, (By + Cy)/2]}",
    "  rocker:",
    "    kind: planar",
    "    mass: density*rocker",
    "    inertia: density*rocker^3/12",
    "    initial: {position: [(Cx + Dx)/2, Cy/2]}",
    "",
    "joints:                       # `at` is where the joint is at the start",
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0]}",
    "  B: {kind: revolute, bodies: [crank, coupler], at: [Bx, By]}",
    "  C: {kind: revolute, bodies: [coupler, rocker], at: [Cx, Cy]}",
    "  D: {kind: revolute, bodies: [ground, rocker], at: [Dx, 0]}",
    "  motor:                      # turns joint A as a function of time, "
    "whatever torque it takes",
    "    kind: drive",
    "    joint: A",
    "    motion: speed*t           # rad",
    "",
    "simulate:                     # defaults; options such as --step 1e-4 "
    "come before them",
    "  t_end: 2                    # s",
    "  step: 1e-3                  # s",
    NULL,
};
// clang-format on

// clang-format off: the texts keep their lines.
static const char *const slider_crank[] = {
    "# A slider-crank in the plane: a motor turns the crank against a load on "
    "the piston.",
    "#",
    "#   B",
    "#   |  -.  rod             AB  crank, turns about A on the ground",
    "#   |     -.               BC  connecting rod",
    "#   A       [C]---->  x    C   piston, slides along x",
    "#",
    "#   tenon run slider-crank.yaml      simulates it; results go to "
    "slider-crank.results",
    "#   tenon check slider-crank.yaml    tells freedoms, redundant "
    "constraints and start values",
    "#   tenon help prismatic             lists what this joint may state; so "
    "for every kind",
    "#",
    "# SI units and radians throughout; only keys that end in _deg take "
    "degrees.",
    "",
    "tenon: 1                      # version of the format",
    "name: slider-crank",
    "gravity: [0, -9.81, 0]        # m/s^2; y points up",
    "",
    "parameters:",
    "  crank: 0.05                 # m",
    "  rod: 0.2                    # m",
    "  reach: sqrt(rod^2 - crank^2)      # where the piston starts, with the "
    "crank upright [m]",
    "",
    "bodies:                       # each body frame starts at its centre of "
    "mass, unturned",
    "  crank:",
    "    kind: planar",
    "    mass: 1.0                 # kg",
    "    inertia: 2e-3             # kg m^2, with the flywheel",
    "    initial: {position: [0, 0]}",
    "  rod:",
    "    kind: planar",
    "    mass: 0.4",
    "    inertia: 0.4*rod^2/12",
    "    initial: {position: [reach/2, crank/2]}",
    "  piston:",
    "    kind: planar",
    "    mass: 0.3",
    "    inertia: 1e-4",
    "    initial: {position: [reach, 0]}",
    "",
    "joints:                       # `at` is where the joint is at the start",
    "  main:",
    "    kind: revolute",
    "    bodies: [ground, crank]",
    "    at: [0, 0]",
    "    initial: {rate: -40}      # rad/s; the other bodies follow",
    "  crankpin: {kind: revolute, bodies: [crank, rod], at: [0, crank]}",
    "  wristpin: {kind: revolute, bodies: [rod, piston], at: [reach, 0]}",
    "  cylinder: {kind: prismatic, bodies: [ground, piston], at: [reach, 0], "
    "axis: [1, 0]}",
    "",
    "forces:",
    "  motor:",
    "    kind: motor",
    "    joint: main",
    "    effort: -1.5*(1 - exp(-10*t))   # torque as a function of time [N m]",
    "  load:",
    "    kind: joint-spring",
    "    joint: cylinder",
    "    damping: 30               # N s/m",
    "",
    "simulate:                     # defaults; options such as --step 1e-4 "
    "come before them",
    "  t_end: 1                    # s",
    "  step: 2e-4                  # s",
    NULL,
};
// clang-format on

// clang-format off: the texts keep their lines.
static const char *const top[] = {
    "# A spinning top whose tip stays in place: it precesses and nods under "
    "gravity.",
    "#",
    "#   tenon run top.yaml                  simulates it; results go to the "
    "folder top.results",
    "#   tenon run top.yaml --rotation se3   the same with screw motions as "
    "coordinates",
    "#   tenon help spherical                lists what this joint may state; "
    "so for every kind",
    "#",
    "# SI units and radians throughout; only keys that end in _deg take "
    "degrees.",
    "",
    "tenon: 1                      # version of the format",
    "name: spinning top",
    "gravity: [0, 0, -9.81]        # m/s^2; z points up",
    "",
    "bodies:",
    "  top:                        # the body frame sits in the tip, z along "
    "the axis of the top",
    "    mass: 0.5                 # kg",
    "    com: [0, 0, 0.06]         # centre of mass in the body frame [m]",
    "    inertia: [4e-4, 4e-4, 6e-4]     # about the centre of mass [kg m^2]",
    "    initial:",
    "      position: [0, 0, 0]",
    "      orientation: {axis: [1, 0, 0], angle_deg: 20}   # tilted about x",
    "      rate: [0, 0, 150]       # spin about its own axis, in body axes "
    "[rad/s]",
    "",
    "joints:",
    "  tip:",
    "    kind: spherical",
    "    body: top                 # one body: the other is the ground",
    "    at: [0, 0, 0]             # where the joint is at the start, in the "
    "inertial frame",
    "",
    "simulate:                     # defaults; options such as --step 1e-4 "
    "come before them",
    "  t_end: 2                    # s",
    "  step: 2e-4                  # s",
    NULL,
};
// clang-format on

static const tn_starter starters[] = {
    {"pendulum", "a rod that swings on a pin", pendulum},
    {"fourbar", "a four-bar linkage driven by a motor", fourbar},
    {"slider-crank", "a crank that drives a piston against a load", slider_crank},
    {"top", "a spinning top on its tip", top},
};

const tn_starter *tn_help_starter(int i)
{
    return i >= 0 && i < TN_COUNT(starters) ? &starters[i] : NULL;
}

tn_status tn_starter_write(const tn_starter *starter, const char *path, bool replace)
{
    struct stat info;
    tn_target target;

    TN_NEED(starter, TN_ERR_USAGE);
    TN_NEED(path, TN_ERR_USAGE);
    if (!replace && lstat(path, &info) == 0)
        return tn_fail(TN_ERR_USAGE,
                       "%s exists already; use --force to replace it or name another file", path);
    TN_TRY(tn_target_open(path, &target));
    for (const char *const *line = starter->lines; *line; line++)
        fprintf(target.file, "%s\n", *line);
    return tn_target_close(&target, TN_OK);
}
