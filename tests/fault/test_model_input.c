// SPDX-License-Identifier: MIT
//
// Model files that are wrong: every mistake gets its own sentence with file, line and column, no
// model comes out and nothing leaks; neither when memory runs out at any point, nor when a file is
// cut or damaged anywhere.

#include "test.h"

#include "base/alloc.h"
#include "model/model.h"
#include "tenon/io.h"

#include <sys/stat.h>
#include <unistd.h>

#define BODIES "tenon: 1\nbodies:\n"
#define PLANAR BODIES "  crank: {kind: planar, mass: 1, inertia: 0.1}\n"
#define RIGID BODIES "  crank: {mass: 1, inertia: [1, 1, 1]}\n"

typedef struct {
    const char *mistake, *text, *message;
} bad_input;

static const bad_input bad_inputs[] = {
    {"numbers without their digits", BODIES "  a: {kind: point, mass: 1e-320}\n",
     "m.yaml:3:26: body 'a': mass is 9.99989e-321 kg, too small for a number with all its digits; "
     "the smallest is 2.3e-308, and 0 says that there is none"},
    {"a name that is written from right to left",
     BODIES "  \"a\xe2\x80\xae b\": {kind: point, mass: 1}\n",
     "m.yaml:3:3: body 'a\\u202e b': the name has a control character, which would reach "
     "terminals; "
     "leave it out"},
    {"a name with an invisible character", BODIES "  \"a\xe2\x80\x8b\": {kind: point, mass: 1}\n",
     "m.yaml:3:3: body 'a\\u200b': the name has a control character, which would reach terminals; "
     "leave it out"},
    {"an unknown key names the nearest",
     BODIES "  crank:\n"
            "    kind: planar\n"
            "    mas: 1\n",
     "m.yaml:5:5: body 'crank': unknown key 'mas'; did you mean 'mass'?"},
    {"an unknown key without a near one lists what is known",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, thickness: 2}\n",
     "m.yaml:5:40: joint 'pin': unknown key 'thickness'; known are kind, initial, share, "
     "one_sided, restitution, friction, impact_without_collision, bodies, body, at_s, at, at_a, "
     "at_b, axis, axis_2, orientation, "
     "frame_a, frame_b"},
    {"an unknown key at the top",
     "tenon: 1\n"
     "bodys: {}\n",
     "m.yaml:2:1: unknown key 'bodys'; did you mean 'bodies'?"},
    {"an unknown key in initial", BODIES "  p: {kind: point, mass: 1, initial: {angle: 1}}\n",
     "m.yaml:3:39: body 'p': initial: unknown key 'angle'; known are guess, position, velocity, "
     "fixed"},
    {"an unknown key in a frame",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, frame_a: {axes: [0, 0, 1]}}\n",
     "m.yaml:5:50: joint 'pin': frame_a: unknown key 'axes'; did you mean 'axis'?"},
    {"an unknown key in a rotation",
     BODIES "  a: {massless: true, initial: {orientation: {quat: [1, 0, 0, 0]}}}\n",
     "m.yaml:3:47: body 'a': initial: orientation: unknown key 'quat'; did you mean 'quaternion'?"},
    {"a foreign key in a rotation",
     BODIES "  a: {massless: true, initial: {orientation: {rpy: [1, 0, 0]}}}\n",
     "m.yaml:3:47: body 'a': initial: orientation: unknown key 'rpy'; known are quaternion, axis, "
     "angle, angle_deg, angles, angles_deg, x_axis, z_axis"},
    {"an unknown key in simulate", PLANAR "simulate: {stepp: 1}\n",
     "m.yaml:4:12: simulate: unknown key 'stepp'; did you mean 'step'?"},
    {"text instead of a number", BODIES "  crank: {kind: planar, mass: heavy, inertia: 1}\n",
     "m.yaml:3:31: body 'crank': mass: unknown name 'heavy'; write a number, or define it in "
     "'parameters'"},
    {"a parameter with a slip",
     "tenon: 1\n"
     "parameters: {m0: 1}\n"
     "bodies:\n"
     "  crank: {kind: planar, mass: m_0, inertia: 1}\n",
     "m.yaml:4:31: body 'crank': mass: unknown name 'm_0'; did you mean the parameter 'm0'?"},
    {"a parameter that is missing",
     "tenon: 1\n"
     "parameters: {L: 1}\n"
     "bodies:\n"
     "  crank: {kind: planar, mass: m, inertia: 1}\n",
     "m.yaml:4:31: body 'crank': mass: unknown name 'm'; write a number, or define it in "
     "'parameters'"},
    {"powers as other languages write them", BODIES "  crank: {mass: 2**3, inertia: 1}\n",
     "m.yaml:3:18: body 'crank': mass: expression '2**3', column 2: '**' is not an operator; write "
     "^ for powers"},
    {"a kind by the name that others use",
     PLANAR "joints:\n"
            "  pin: {kind: hinge, bodies: crank}\n",
     "m.yaml:5:15: joint 'pin': 'hinge' is not a kind of joint; did you mean 'revolute'?"},
    {"a list instead of a number", BODIES "  crank: {kind: planar, mass: [1], inertia: 1}\n",
     "m.yaml:3:31: body 'crank': mass: expected a number, found a list"},
    {"a number instead of a list",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, at: 3}\n",
     "m.yaml:5:44: joint 'pin': at: expected a list of 2 or 3 numbers, found '3'"},
    {"a number instead of a map", BODIES "  crank: 3\n",
     "m.yaml:3:10: body 'crank': expected a map, found '3'"},
    {"a list instead of a section", BODIES "- crank\n",
     "m.yaml:3:1: bodies: expected a map, found a list"},
    {"a number instead of true or false", BODIES "  crank: {massless: 1}\n",
     "m.yaml:3:21: body 'crank': massless: expected true or false, found '1'"},
    {"a fraction instead of a whole number", PLANAR "simulate: {newton_max: 2.5}\n",
     "m.yaml:4:24: simulate: newton_max: expected a whole number, found '2.5'"},
    {"a list as a function of time",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank}\n"
            "  d: {kind: drive, joint: pin, motion: [1]}\n",
     "m.yaml:6:40: joint 'd': motion: expected a number, an expression in t or a table, found a "
     "list"},
    {"a vector that is too short",
     RIGID "joints:\n"
           "  pin: {kind: revolute, bodies: crank, at: [0, 0]}\n",
     "m.yaml:5:44: joint 'pin': at: expected 3 numbers, found 2"},
    {"a vector of the plane that is too long",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, at: [0, 0, 0, 0]}\n",
     "m.yaml:5:44: joint 'pin': at: expected 2 or 3 numbers, found 4"},
    {"a quaternion that is too short",
     BODIES "  a: {massless: true, initial: {orientation: {quaternion: [1, 0, 0]}}}\n",
     "m.yaml:3:59: body 'a': initial: orientation: quaternion: expected 4 numbers, found 3"},
    {"too many bodies",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: [ground, crank, crank]}\n",
     "m.yaml:5:33: joint 'pin': bodies: expected 1 or 2 names, found 3"},
    {"a row of a table that is too long",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank}\n"
            "  d: {kind: drive, joint: pin, motion: {table: [[0, 0], [1, 2, 3]]}}\n",
     "m.yaml:6:57: joint 'd': motion: table: row 2: expected 2 numbers, found 3"},
    {"too many joint coordinates",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, initial: {position: [1, 2]}}\n",
     "m.yaml:5:60: joint 'pin': position has 2 values, but a planar-revolute joint has 1 "
     "coordinate"},
    {"an unknown body names the nearest",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: [ground, crnak]}\n",
     "m.yaml:5:42: joint 'pin': unknown body 'crnak'; did you mean 'crank'?"},
    {"an unknown body without a near one",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: [ground, wheelhouse]}\n",
     "m.yaml:5:42: joint 'pin': unknown body 'wheelhouse'; known are ground, crank"},
    {"an unknown joint names the nearest",
     PLANAR "joints:\n"
            "  hinge: {kind: revolute, bodies: crank}\n"
            "  d: {kind: drive, joint: hing, motion: 1}\n",
     "m.yaml:6:27: joint 'd': joint: unknown joint 'hing'; did you mean 'hinge'?"},
    {"an unknown joint of a force",
     PLANAR "joints:\n"
            "  hinge: {kind: revolute, bodies: crank}\n"
            "forces:\n"
            "  m: {kind: motor, joint: hing, effort: 1}\n",
     "m.yaml:7:27: force 'm': unknown joint 'hing'; did you mean 'hinge'?"},
    {"an unknown coordinate",
     PLANAR "joints:\n"
            "  hinge: {kind: revolute, bodies: crank}\n"
            "forces:\n"
            "  m: {kind: motor, joint: hinge, coordinate: displacement, effort: 1}\n",
     "m.yaml:7:46: force 'm': coordinate: joint 'hinge' has no coordinate 'displacement'; a "
     "planar-revolute joint has angle"},
    {"a coordinate that is too large",
     PLANAR "joints:\n"
            "  hinge: {kind: revolute, bodies: crank}\n"
            "forces:\n"
            "  m: {kind: motor, joint: hinge, coordinate: 1, effort: 1}\n",
     "m.yaml:7:46: force 'm': coordinate 1 of joint 'hinge' does not exist (a planar-revolute "
     "joint has 1, numbered from 0)"},
    {"a joint without coordinates",
     PLANAR "joints:\n"
            "  d: {kind: drive, joint: d, motion: 1}\n",
     "m.yaml:5:27: joint 'd': joint: 'd' is of kind drive, which has no coordinate to refer to"},
    {"an unknown kind of body", BODIES "  crank: {kind: plannar}\n",
     "m.yaml:3:17: body 'crank': 'plannar' is not a kind of body; did you mean 'planar'?"},
    {"an unknown kind of joint names the nearest",
     PLANAR "joints:\n"
            "  pin: {kind: revolut, bodies: crank}\n",
     "m.yaml:5:15: joint 'pin': 'revolut' is not a kind of joint; did you mean 'revolute'?"},
    {"an unknown kind of force",
     PLANAR "forces:\n"
            "  s: {kind: sprng, bodies: crank}\n",
     "m.yaml:5:13: force 's': 'sprng' is not a kind of force; did you mean 'spring'?"},
    {"a missing kind",
     PLANAR "joints:\n"
            "  pin: {bodies: crank}\n",
     "m.yaml:5:3: joint 'pin': missing key 'kind'"},
    {"a missing mass", BODIES "  crank: {kind: planar, inertia: 1}\n",
     "m.yaml:3:3: body 'crank': missing key 'mass' [kg]; state it, or 'massless: true', or "
     "'density' for that of its shapes"},
    {"a missing inertia", BODIES "  crank: {mass: 1}\n",
     "m.yaml:3:3: body 'crank': missing key 'inertia' [kg m^2]; state it, or 'massless: true', or "
     "'density' for that of its shapes"},
    {"a body without anything", BODIES "  crank:\n",
     "m.yaml:3:3: body 'crank': missing key 'mass' [kg]; state it, or 'massless: true', or "
     "'density' for that of its shapes"},
    {"a massless body with a mass that is no number",
     BODIES "  crank: {massless: true, mass: heavy}\n",
     "m.yaml:3:33: body 'crank': mass: unknown name 'heavy'; write a number, or define it in "
     "'parameters'"},
    {"missing bodies",
     PLANAR "joints:\n"
            "  pin: {kind: revolute}\n",
     "m.yaml:5:3: joint 'pin': missing key 'bodies': body A and body B, or body B alone"},
    {"a missing pitch",
     RIGID "joints:\n"
           "  s: {kind: screw, bodies: crank}\n",
     "m.yaml:5:3: joint 's': missing key 'pitch': advance along z per angle, negative for a "
     "left-hand thread [m/rad]"},
    {"a missing joint of a force",
     PLANAR "forces:\n"
            "  m: {kind: motor, effort: 1}\n",
     "m.yaml:5:3: force 'm': missing key 'joint': the joint that the force acts in"},
    {"a duplicate name",
     BODIES "  crank: {massless: true}\n"
            "  crank: {massless: true}\n",
     "m.yaml:4:3: key 'crank' is given twice, first at 3:3"},
    {"the name of the ground", BODIES "  ground: {massless: true}\n",
     "m.yaml:3:3: body 'ground': the name stands for the inertial frame; choose another"},
    {"an empty name", BODIES "  \"\": {massless: true}\n",
     "m.yaml:3:3: body without a name; write one"},
    {"a joint of a body with itself",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: [crank, crank]}\n",
     "m.yaml:5:3: joint 'pin': connects body 'crank' with itself"},
    {"a joint of the ground with itself",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: ground}\n",
     "m.yaml:5:3: joint 'pin': connects body 'ground' with itself"},
    {"a negative mass",
     BODIES "  crank:\n"
            "    kind: planar\n"
            "    mass: -1\n"
            "    inertia: 0.1\n",
     "m.yaml:5:11: body 'crank': mass is -1 kg; it must not be negative"},
    {"a negative inertia", BODIES "  crank: {kind: planar, mass: 1, inertia: -0.1}\n",
     "m.yaml:3:43: body 'crank': inertia is -0.1 kg m^2; it must not be negative"},
    {"an inertia that no body can have",
     BODIES "  crank:\n"
            "    mass: 1\n"
            "    inertia: [1, 1, 3]\n",
     "m.yaml:5:14: body 'crank': inertia (1, 1, 3) cannot belong to any body: each principal "
     "moment must not exceed the sum of the other two (3 > 2)"},
    {"products of inertia that no body can have",
     BODIES "  crank:\n"
            "    mass: 1\n"
            "    inertia: [1, 1, 1]\n"
            "    products: [2, 0, 0]\n",
     "m.yaml:5:14: body 'crank': inertia has the principal moment -1 kg m^2; it must not be "
     "negative"},
    {"a zero axis",
     RIGID "joints:\n"
           "  pin: {kind: revolute, bodies: crank, at: [0, 0, 0], axis: [0, 0, 0]}\n",
     "m.yaml:5:61: joint 'pin': axis is the zero vector; it must have a direction"},
    {"a zero quaternion",
     BODIES "  a: {massless: true, initial: {orientation: {quaternion: [0, 0, 0, 0]}}}\n",
     "m.yaml:3:59: body 'a': initial: orientation: quaternion is zero; it must have a length other "
     "than zero"},
    {"two axes that are not at right angles",
     RIGID "joints:\n"
           "  pin: {kind: universal, bodies: crank, axis: [1, 0, 0], axis_2: [1, 1, 0]}\n",
     "m.yaml:5:66: joint 'pin': axis and axis_2 are at 45 degrees; they must be at right angles, "
     "to 0.0002 rad"},
    {"two axes that are nearly at right angles",
     BODIES "  a: {massless: true, initial: {orientation: {x_axis: [1, 0, 0], z_axis: [0.001, 0, "
            "1]}}}\n",
     "m.yaml:3:55: body 'a': initial: orientation: z_axis and x_axis are at 89.942704 degrees; "
     "they "
     "must be at right angles, to 0.0002 rad"},
    {"an axis normal to the plane for sliding",
     PLANAR "joints:\n"
            "  s: {kind: prismatic, bodies: crank, axis: [0, 0, 1]}\n",
     "m.yaml:5:45: joint 's': axis leaves the plane of the bodies; it must lie in it, for example "
     "[1, 0, 0]"},
    {"an axis in the plane for turning",
     PLANAR "joints:\n"
            "  s: {kind: revolute, bodies: crank, axis: [1, 0, 0]}\n",
     "m.yaml:5:44: joint 's': planar bodies turn about z; axis must be [0, 0, 1]"},
    {"an incomplete rotation",
     BODIES "  a: {massless: true, initial: {orientation: {axis: [0, 0, 1]}}}\n",
     "m.yaml:3:33: body 'a': initial: orientation: a rotation is one of {quaternion}, {axis, "
     "angle}, {angles} or {x_axis, z_axis}"},
    {"not a number", BODIES "  crank: {kind: planar, mass: .nan, inertia: 1}\n",
     "m.yaml:3:31: body 'crank': mass: must be finite, found '.nan'"},
    {"infinity",
     "tenon: 1\n"
     "gravity: [0, -.inf, 0]\n",
     "m.yaml:2:14: gravity: item 2: must be finite, found '-.inf'"},
    {"a number that overflows",
     "tenon: 1\n"
     "gravity: [0, 1e999, 0]\n",
     "m.yaml:2:14: gravity: item 2: must be finite, found '1e999'"},
    {"an expression without a finite value",
     "tenon: 1\n"
     "parameters: {a: 0}\n"
     "gravity: [0, 1/a, 0]\n",
     "m.yaml:3:14: gravity: item 2: expression '1/a' has the value inf; a finite one is needed"},
    {"an expression that is wrong",
     "tenon: 1\n"
     "parameters: {a: 1}\n"
     "gravity: [0, 2*(a, 0]\n",
     "m.yaml:3:18: gravity: item 2: expression '2*(a', column 5: ')' expected to close a "
     "parenthesis, but here is the end of the text"},
    {"an expression with an unknown name",
     "tenon: 1\n"
     "parameters: {len: 1}\n"
     "gravity: [0, 2*lne, 0]\n",
     "m.yaml:3:16: gravity: item 2: expression '2*lne', column 3: unknown name 'lne'; did you mean "
     "'len'?"},
    {"time in a constant",
     "tenon: 1\n"
     "gravity: [0, t, 0]\n",
     "m.yaml:2:14: gravity: item 2: expression 't', column 1: t is not known here; a constant is "
     "needed"},
    {"a motion that is wrong",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank}\n"
            "  d: {kind: drive, joint: pin, motion: sin(2*}\n",
     "m.yaml:6:46: joint 'd': motion: expression 'sin(2*', column 7: a number, a name or '(' "
     "expected, but here is the end of the text"},
    {"a table whose times do not increase",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank}\n"
            "  d: {kind: drive, joint: pin, motion: {table: [[1, 0], [0, 1]]}}\n",
     "m.yaml:6:40: joint 'd': motion: table, row 2: 0 does not follow 1 of row 1; the first of "
     "each pair must increase"},
    {"a parameter that is no name",
     "tenon: 1\n"
     "parameters: {2x: 1}\n",
     "m.yaml:2:14: parameter '2x': a name is a letter followed by letters, digits or '_'"},
    {"a parameter called t",
     "tenon: 1\n"
     "parameters:\n"
     "  t: 1\n",
     "m.yaml:3:3: parameter 't': this name is taken; choose one that is none of t, pi, e, sin, "
     "cos, tan, "
     "asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, ln, log10, sqrt, abs, sign, min, max, "
     "if, step, select, smooth_abs, hypot, clamp, limited, deadband, smooth_sign, "
     "smooth_step, smooth_min, smooth_max, smooth_clamp, smooth_deadband"},
    {"no version", "bodies: {}\n",
     "m.yaml:1:1: missing key 'tenon', the version of the format; write 'tenon: 1'"},
    {"a version to come", "tenon: 2\n",
     "m.yaml:1:8: tenon: format version 2 is newer than 1, the newest that Tenon 0.1.0 reads"},
    {"a version that never was", "tenon: 0\n",
     "m.yaml:1:8: tenon: there is no format version 0; the first is 1"},
    {"a version that is no number", "tenon: one\n",
     "m.yaml:1:8: tenon: expected a whole number, found 'one'"},
    {"a list instead of a model", "- 1\n",
     "m.yaml:1:1: expected a map that begins with 'tenon: 1', found a list"},
    {"two ways to place a joint",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, at: [0, 0], frame_a: {}}\n",
     "m.yaml:5:3: joint 'pin': 'at' is in the inertial frame and 'frame_a' in that of a body; "
     "state one or the other"},
    {"two ways to state a point",
     PLANAR "joints:\n"
            "  pin: {kind: revolute, bodies: crank, at: [0, 0], at_b: [0, 0]}\n",
     "m.yaml:5:3: joint 'pin': both 'at' and 'at_b' are stated; leave out one"},
    {"two ways to state the axes",
     PLANAR
     "joints:\n"
     "  pin: {kind: revolute, bodies: crank, axis: [0, 0, 1], orientation: {angles: [0, 0, 0]}}\n",
     "m.yaml:5:3: joint 'pin': both 'orientation' and 'axis' are stated; leave out one"},
    {"two angles",
     BODIES "  a: {kind: planar, massless: true, initial: {angle: 1, angle_deg: 1}}\n",
     "m.yaml:3:37: body 'a': initial: both 'angle_deg' and 'angle' are stated; leave out one"},
    {"a point mass that is held elsewhere",
     BODIES "  p: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}\n"
            "joints:\n"
            "  rod: {kind: distance, bodies: p, at_a: [0, 0, 0], at_b: [2, 0, 0]}\n",
     "m.yaml:5:59: joint 'rod': at_b is 1 m away from the point mass 'p'; it must be its start "
     "position"},
    {"a revolute joint on a point mass",
     BODIES "  p: {kind: point, mass: 1}\n"
            "joints:\n"
            "  pin: {kind: revolute, bodies: p}\n",
     "m.yaml:5:3: joint 'pin': a revolute joint needs a body with orientation, but 'p' is a point "
     "mass"},
    {"a velocity out of the plane",
     BODIES "  a: {kind: planar, mass: 1, inertia: 1, initial: {velocity: [0, 0, 1]}}\n",
     "m.yaml:3:62: body 'a': velocity z is 1 m/s; a body of the plane cannot leave it, so it must "
     "be zero"},
    {"a negative stiffness",
     PLANAR "forces:\n"
            "  s: {kind: spring, bodies: crank, stiffness: -5}\n",
     "m.yaml:5:47: force 's': stiffness is -5 N/m; it must not be negative"},
    {"a negative step",
     PLANAR "simulate:\n"
            "  step: -1e-3\n",
     "m.yaml:5:9: simulate: step is -0.001 s; it must not be negative"},
    {"an end before the start",
     PLANAR "simulate:\n"
            "  t_start: 2\n"
            "  t_end: 1\n",
     "m.yaml:6:10: simulate: t_end is 1 s, before t_start at 2 s"},
    {"a damping parameter out of range", PLANAR "simulate: {rho_inf: 1.5}\n",
     "m.yaml:4:21: simulate: rho_inf is 1.5; it must lie between 0 and 1"},
    {"an alpha out of range", PLANAR "simulate: {hht_alpha: 0.1}\n",
     "m.yaml:4:23: simulate: hht_alpha is 0.1; it must lie between -1/3 and 0"},
    {"an unknown rotation", PLANAR "simulate: {rotation: so4}\n",
     "m.yaml:4:22: simulate: rotation: unknown 'so4'; did you mean 'so3'?"},
    {"times that do not increase", PLANAR "simulate: {project_times: [1, 0.5]}\n",
     "m.yaml:4:27: simulate: project_times must increase, but 0.5 follows 1"},
    {"an alias bomb",
     "a: &a [x, x, x, x, x, x, x, x, x]\n"
     "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
     "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
     "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
     "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
     "f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
     "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\n"
     "h: &h [*g, *g, *g, *g, *g, *g, *g, *g, *g]\n",
     "m.yaml:7:8: aliases stand for more than 1000000 values: write fewer of them"},
    {"a truncated file", BODIES "  crank: {kind: planar, mass: 1, iner",
     "m.yaml:3:38: the file ends inside the map that starts at 3:10: is it cut off?"},
    {"an empty file", "", "m.yaml: file is empty"},
};

// A parse that must fail with this message and leave nothing behind.
static void check_fails(const char *text, const char *message)
{
    const long live = tn_test_alloc_live();
    tn_model *model = (tn_model *)&live; // anything but NULL

    CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
    CHECK(model == NULL);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(tn_test_alloc_live() == live);
}

static void every_mistake_has_its_own_sentence(void)
{
    for (int i = 0; i < TN_COUNT(bad_inputs); i++) {
        tn_model *model = NULL;
        if (tn_model_parse(bad_inputs[i].text, "m.yaml", &model, NULL) == TN_OK)
            fprintf(stderr, "no error: %s\n", bad_inputs[i].mistake);
        tn_model_destroy(model);
        check_fails(bad_inputs[i].text, bad_inputs[i].message);
    }
}

static void nested_brackets_do_not_exhaust_the_stack(void)
{
    enum { DEPTH = 100000 };
    char *text = tn_alloc(DEPTH + 64);
    const int start = snprintf(text, 64, "tenon: 1\nbodies: ");

    memset(text + start, '[', DEPTH);
    check_fails(text, "m.yaml:2:72: more than 64 levels of lists and maps inside each other");
    tn_free(text);
}

static void chains_of_references_do_not_exhaust_the_stack(void)
{
    enum { N = 20000, LINE = 64 };
    char *text = tn_alloc(N * LINE);
    size_t used = (size_t)snprintf(text, LINE, "tenon: 1\njoints:\n");

    for (int i = 0; i < N; i++)
        used += (size_t)snprintf(text + used, LINE, "  d%d: {kind: drive, joint: d%d, motion: 0}\n",
                                 i, i + 1);
    tn_model *model = NULL;
    CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
    const char *first = "m.yaml:3:28: joint 'd0': joint: 'd1' is of kind drive, which has no "
                        "coordinate to refer to\n";
    CHECK(strncmp(tn_last_error(), first, strlen(first)) == 0);
    tn_free(text);
}

static void several_mistakes_are_told_at_once(void)
{
    check_fails("tenon: 1\n"
                "bodies:\n"
                "  a: {kind: planar, mas: 1, inertia: 1}\n"
                "  b: {kind: planar, mass: 1, inertia: 1}\n"
                "joints:\n"
                "  p: {kind: revolute, bodies: [ground, a]}\n" // no fault of its own
                "  q: {kind: hinge, bodies: b}\n"
                "  r: {kind: revolute, bodies: c}\n"
                "forces:\n"
                "  s: {kind: joint-spring, joint: q, stiffness: 1}\n" // none either
                "  u: {kind: joint-spring, joint: p, stiffness: 1}\n" // nor this
                "simulate: {method: rk4}\n",
                "m.yaml:3:21: body 'a': unknown key 'mas'; did you mean 'mass'?\n"
                "m.yaml:7:13: joint 'q': 'hinge' is not a kind of joint; did you mean 'revolute'?\n"
                "m.yaml:8:31: joint 'r': unknown body 'c'; known are ground, b\n"
                "m.yaml:12:20: simulate: method: unknown integrator 'rk4'; did you mean 'dopri5'?");
}

static void ten_mistakes_are_told_and_more_are_counted(void)
{
    for (int n = 9; n < 400; n += n < 12 ? 1 : 129) {
        char text[8192] = "tenon: 1\nbodies:\n", rest[64] = "";
        for (int i = 0; i < n; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "  b%d: {mas: 1}\n", i);
        tn_model *model = NULL;
        CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        int lines = 1;
        for (const char *c = tn_last_error(); *c; c++)
            lines += *c == '\n';
        CHECK(lines == (n > 10 ? 11 : n));
        if (n > 10)
            snprintf(rest, sizeof rest, n < 100 ? "\nand %d more" : "\nand at least 90 more",
                     n - 10);
        CHECK_TEXT(tn_last_error() + strlen(tn_last_error()) - strlen(rest), rest);
    }
}

static void all_unknown_keys_of_a_map_are_told(void)
{
    check_fails("tenon: 1\n"
                "gravty: [0, 0, 0]\n"
                "jonts: {}\n",
                "m.yaml:2:1: unknown key 'gravty'; did you mean 'gravity'?\n"
                "m.yaml:3:1: unknown key 'jonts'; did you mean 'joints'?");
    check_fails("tenon: 1\n"
                "bodies:\n"
                "  a: {mas: 1, inerta: 1, initial: {positon: [0, 0, 0], velocty: [0, 0, 0]}}\n",
                "m.yaml:3:7: body 'a': unknown key 'mas'; did you mean 'mass'?\n"
                "m.yaml:3:15: body 'a': unknown key 'inerta'; did you mean 'inertia'?");
    check_fails("tenon: 1\n"
                "bodies:\n"
                "  a: {mass: 1, inertia: [1, 1, 1], initial: {positon: [0, 0, 0], velocty: 1}}\n",
                "m.yaml:3:46: body 'a': initial: unknown key 'positon'; did you mean 'position'?\n"
                "m.yaml:3:66: body 'a': initial: unknown key 'velocty'; did you mean 'velocity'?");
}

static void names_of_constants_and_functions_are_no_parameters(void)
{
    static const char *const taken[] = {"pi", "e", "t", "sin", "step", "if"};
    for (int i = 0; i < TN_COUNT(taken); i++) {
        char text[64], begin[96];
        snprintf(text, sizeof text, "tenon: 1\nparameters: {%s: 3}\n", taken[i]);
        snprintf(begin, sizeof begin, "m.yaml:2:14: parameter '%s': this name is taken; choose one",
                 taken[i]);
        tn_model *model = NULL;
        CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        CHECK(strncmp(tn_last_error(), begin, strlen(begin)) == 0);
    }
}

static void check_load_fails(const char *path, tn_status status, const char *message)
{
    const long live = tn_test_alloc_live();
    tn_model *model = (tn_model *)&live;

    CHECK_STATUS(tn_model_load(path, &model, NULL), status);
    CHECK(model == NULL);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(tn_test_alloc_live() == live);
}

static void files_that_cannot_be_read_say_why(void)
{
    static const char binary[] = {'a', ':', ' ', 0, 2, 1, (char)0xff};

    tn_test_write("empty.yaml", "", 0);
    tn_test_write("binary.yaml", binary, sizeof(binary));
    mkdir("folder.yaml", 0777);
    check_load_fails("missing.yaml", TN_ERR_FILE,
                     "missing.yaml: cannot read the file: No such file or directory");
    check_load_fails("folder.yaml", TN_ERR_FILE,
                     "folder.yaml: cannot read the file: Is a directory");
    check_load_fails("empty.yaml", TN_ERR_MODEL, "empty.yaml: file is empty");
    check_load_fails("binary.yaml", TN_ERR_MODEL,
                     "binary.yaml:1:4: byte 0x00 is not text: a model file is text in UTF-8");
    rmdir("folder.yaml");
    remove("empty.yaml");
    remove("binary.yaml");
}

// One of everything: each branch of the reader that allocates.
static const char everything[] =
    "tenon: 1\n"
    "name: everything\n"
    "gravity: [0, -g, 0]\n"
    "parameters: {g: 9.81, L: 2*0.5}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], initial: {position: [L, 0, 0]}}\n"
    "  b: {kind: planar, mass: L, inertia: 1, initial: {angle: 0.1}}\n"
    "  c: {kind: point, mass: 1}\n"
    "joints:\n"
    "  motor: {kind: drive, joint: pin, coordinate: angle, motion: \"sin(g*t)\"}\n"
    "  pin: {kind: revolute, bodies: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  rod: {kind: distance, bodies: [a, c], length: 0.5}\n"
    "  pose: {kind: pose-drive, body: b, x: {table: [[0, 0], [1, 1], [2, 0]]}}\n"
    "forces:\n"
    "  push: {kind: point-force, body: a, force: [0, t, 0]}\n"
    "  law: {kind: spring, bodies: [a, c], table: [[-1, -1], [0, 0], [1, 2]]}\n"
    "  stop: {kind: joint-stop, joint: pin, lower: -1, stiffness: 1e5}\n"
    "simulate: {method: galpha/ggl, rotation: so3, t_end: 2, project_times: [0.5, 1]}\n";

static void running_out_of_memory_is_an_error_and_leaks_nothing(void)
{
    const long live = tn_test_alloc_live();
    tn_simulate simulate;
    tn_model *model = NULL;
    long n = 1;

    for (;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_model_parse(everything, "m.yaml", &model, &simulate);
        if (!tn_test_alloc_failed()) {
            CHECK_OK(s);
            break;
        }
        CHECK_STATUS(s, TN_ERR_MEMORY);
        CHECK(strstr(tn_last_error(), "memory") != NULL);
        CHECK(model == NULL);
        CHECK(tn_test_alloc_live() == live);
    }
    tn_model_destroy(model);
    CHECK(n > 50); // the loop did meet the allocations
    CHECK(tn_test_alloc_live() == live);
}

// Reads what may be a model or not; either way nothing may be left.
static bool reads(const char *text)
{
    const long live = tn_test_alloc_live();
    tn_model *model = NULL;
    const tn_status s = tn_model_parse(text, "m.yaml", &model, NULL);

    CHECK((s == TN_OK) == (model != NULL));
    CHECK(s == TN_OK || strlen(tn_last_error()) > strlen("m.yaml: "));
    tn_model_destroy(model);
    CHECK(tn_test_alloc_live() == live);
    return s == TN_OK;
}

static void files_cut_anywhere_are_refused_or_complete(void)
{
    char *text = tn_alloc(sizeof(everything));
    int complete = 0;

    for (size_t length = 0; length < sizeof(everything); length++) {
        memcpy(text, everything, length);
        text[length] = '\0';
        complete += reads(text);
    }
    tn_free(text);
    CHECK(complete > 0 && complete < (int)sizeof(everything) / 2);
}

static void damaged_files_never_do_harm(void)
{
    static const char bytes[] = "{}[]:,-*&!|>'\"%@#?0.e\n\t\x01\xff\xc3 t";
    enum { ROUNDS = 4000 };
    char *text = tn_alloc(sizeof(everything));
    int refused = 0;

    for (int k = 0; k < ROUNDS; k++) {
        memcpy(text, everything, sizeof(everything));
        for (int i = 0; i <= k % 3; i++) {
            const size_t at = (size_t)(fabs(tn_random()) * (sizeof(everything) - 2));
            text[at] = bytes[(size_t)(fabs(tn_random()) * (sizeof(bytes) - 2))];
        }
        refused += !reads(text);
    }
    tn_free(text);
    CHECK(refused > ROUNDS / 2);
}

// Laws of one kind of force do not look at numbers of another: the second byte of 1.1 is no bool.
static void stops_do_not_read_what_belongs_to_springs(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies:\n"
                               "  arm: {mass: 1, inertia: [1, 1, 1]}\n"
                               "joints:\n"
                               "  hinge: {kind: revolute, bodies: [ground, arm]}\n"
                               "forces:\n"
                               "  end: {kind: joint-stop, joint: hinge, lower: -1, upper: 1,\n"
                               "        stiffness: 100, exponent: 1.1}\n";
    const tn_sim_options options = tn_default_sim();
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Each refers to the one before; a name that is not there is looked for among all of them.
static void long_chains_of_parameters_are_read(void)
{
    enum { COUNT = 20000, ROOM = 60 };
    char *text = tn_alloc((size_t)COUNT * ROOM);
    tn_model *model = NULL;
    CHECK(text != NULL);
    size_t n = (size_t)snprintf(text, ROOM, "tenon: 1\nparameters:\n  p0: 1\n");
    for (int i = 1; i < COUNT; i++)
        n += (size_t)snprintf(text + n, ROOM, "  p%d: p%d + 1\n", i, i - 1);
    snprintf(text + n, ROOM, "bodies: {a: {kind: point, mass: p%d}}\n", COUNT - 1);
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    CHECK_NEAR(model->bodies.at[1].def.mass, COUNT, 0.0);
    tn_model_destroy(model);
    snprintf(text + n, ROOM, "bodies: {a: {kind: point, mass: 2*p1234x}}\n");
    CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "did you mean 'p1234'?") != NULL);
    tn_free(text);
}

static const tn_test tests[] = {
    {"every mistake has its own sentence", every_mistake_has_its_own_sentence},
    {"nested brackets do not exhaust the stack", nested_brackets_do_not_exhaust_the_stack},
    {"chains of references do not exhaust the stack",
     chains_of_references_do_not_exhaust_the_stack},
    {"several mistakes are told at once", several_mistakes_are_told_at_once},
    {"ten mistakes are told, and more are counted", ten_mistakes_are_told_and_more_are_counted},
    {"all unknown keys of a map are told", all_unknown_keys_of_a_map_are_told},
    {"names of constants and functions are no parameters",
     names_of_constants_and_functions_are_no_parameters},
    {"files that cannot be read say why", files_that_cannot_be_read_say_why},
    {"running out of memory is an error and leaks nothing",
     running_out_of_memory_is_an_error_and_leaks_nothing},
    {"files cut anywhere are refused or complete", files_cut_anywhere_are_refused_or_complete},
    {"damaged files never do harm", damaged_files_never_do_harm},
    {"stops do not read what belongs to springs", stops_do_not_read_what_belongs_to_springs},
    {"long chains of parameters are read", long_chains_of_parameters_are_read},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
