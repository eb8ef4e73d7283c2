// SPDX-License-Identifier: MIT
//
// Models made of parts that are wrong: every mistake has its own sentence, with the place in the
// file where it stands and the place of use; no model comes out and nothing leaks.

#include "test.h"

#include "base/alloc.h"
#include "tenon/io.h"

#define PENDULUM                                               \
    "    bodies: {rod: {kind: planar, mass: m, inertia: 1}}\n" \
    "    joints: {pin: {kind: revolute, bodies: rod}}\n"
#define ARM "tenon: 1\ntemplates:\n  arm:\n    parameters: {m: 1}\n" PENDULUM

#define TAKEN                                                                                    \
    "t, pi, e, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, ln, log10, "  \
    "sqrt, abs, sign, min, max, if, step, select, smooth_abs, hypot, clamp, limited, deadband, " \
    "smooth_sign, smooth_step, smooth_min, smooth_max, smooth_clamp, smooth_deadband"

typedef struct {
    const char *mistake, *text, *message;
} bad_input;

static const bad_input bad_inputs[] = {
    // Repeats
    {"a repeat without an end", "tenon: 1\nrepeat: {bodies: {}}\n",
     "m.yaml:2:9: repeat: missing key 'to': the last value of the index"},
    {"a billion copies", "tenon: 1\nrepeat:\n  to: 1e9\n  bodies: {a$i: {kind: point, mass: 1}}\n",
     "m.yaml:3:3: repeat: 1000000000 copies of 11 values are 1.1e+10 values; at most 1e+08 can be "
     "read"},
    {"copies of copies without end",
     "tenon: 1\nrepeat:\n  to: 2e7\n  repeat: {index: j, to: 2e7}\n",
     "m.yaml:3:3: repeat: 20000000 copies of 9 values are 1.8e+08 values; at most 1e+08 can be "
     "read"},
    {"copies of nothing, many times over",
     "tenon: 1\nrepeat:\n  to: 1e6\n  repeat: {index: j, to: 1e6}\n",
     "m.yaml:4:11: the model has more than 1e+08 values when it is written out"},
    {"a number of copies that is no whole number", "tenon: 1\nrepeat: {to: 2.5}\n",
     "m.yaml:2:14: repeat: to: expected a whole number, found 2.5"},
    {"an end before the beginning", "tenon: 1\nrepeat: {from: 5, to: 2}\n",
     "m.yaml:2:9: repeat: from 5 to 2: 'to' must not be below 'from'"},
    {"an end that is no number", "tenon: 1\nrepeat: {to: [1]}\n",
     "m.yaml:2:14: repeat: to: expected a whole number, found a list"},
    {"an end that nobody knows", "tenon: 1\nparameters: {count: 3}\nrepeat: {to: cuont}\n",
     "m.yaml:3:14: expression 'cuont', column 1: unknown name 'cuont'; did you mean 'count'?"},
    {"an index that is a parameter", "tenon: 1\nparameters: {i: 3}\nrepeat: {to: 2}\n",
     "m.yaml:3:9: repeat: index 'i': there is a parameter of that name; choose another one"},
    {"an index of two repeats", "tenon: 1\nrepeat: {to: 2, repeat: {to: 2}}\n",
     "m.yaml:2:25: repeat: index 'i' is that of the repeat around it, too; choose another one"},
    {"an index that is no name", "tenon: 1\nrepeat: {index: 2x, to: 2}\n",
     "m.yaml:2:17: repeat: index '2x': a name is a letter followed by letters, digits or '_'"},
    {"a dollar without an index", "tenon: 1\nrepeat: {to: 2, bodies: {a$: {}}}\n",
     "m.yaml:2:26: 'a$': behind '$' stands an index, as in rod$i, or a whole number in "
     "parentheses, "
     "as in rod$(i-1)"},
    {"an index of an outer repetition with a letter behind it",
     "tenon: 1\nrepeat: {to: 2, repeat: {index: m, to: 2, bodies: {f$i_$m: {}}}}\n",
     "m.yaml:2:52: 'f$i_$m': there is no index 'i_' here; what stands behind 'i' needs $(i)"},
    {"letters behind an index", "tenon: 1\nrepeat: {to: 2, bodies: {a$i_b: {}}}\n",
     "m.yaml:2:26: 'a$i_b': there is no index 'i_b' here; what stands behind 'i' needs "
     "$(i)"},
    {"a parenthesis without end", "tenon: 1\nrepeat: {to: 2, bodies: {a$(i: {}}}\n",
     "m.yaml:2:26: 'a$(i': ')' is missing behind '$('"},
    {"half an index", "tenon: 1\nrepeat: {to: 2, bodies: {a$(i/2): {}}}\n",
     "m.yaml:2:26: a$(i/2): expected a whole number, found 0.5"},
    {"names without an index collide", "tenon: 1\nrepeat: {to: 2, bodies: {a: {}}}\n",
     "m.yaml:2:26: body 'a' is given twice, first at m.yaml:2:26"},
    {"a copy that is there already",
     "tenon: 1\nbodies: {a2: {}}\nrepeat: {to: 2, bodies: {a$i: {}}}\n",
     "m.yaml:3:26: body 'a2' is given twice, first at m.yaml:2:10"},
    {"an unknown key of a repeat", "tenon: 1\nrepeat: {to: 2, bodys: {}}\n",
     "m.yaml:2:17: repeat: unknown key 'bodys'; did you mean 'bodies'?"},
    {"a mistake in a copy", "tenon: 1\nrepeat: {to: 1, bodies: {a$i: {kind: point, mas: 1}}}\n",
     "m.yaml:2:45: body 'a1': unknown key 'mas'; did you mean 'mass'?"},
    {"a mistake in many copies is told once",
     "tenon: 1\nrepeat: {to: 500, bodies: {a$i: {kind: point, mas: 1}}}\n",
     "m.yaml:2:47: body 'a1': unknown key 'mas'; did you mean 'mass'?"},
    {"a repeat that is no block", "tenon: 1\nrepeat: 5\n",
     "m.yaml:2:9: repeat: expected a map, found '5'"},
    // Includes
    {"a file that is not there", "tenon: 1\ninclude: no_such.yaml\n",
     "m.yaml:2:10: include: no_such.yaml: cannot read the file: No such file or directory"},
    {"a file that includes itself", "tenon: 1\ninclude: self.yaml\n",
     "self.yaml:2:10: include: 'self.yaml' includes itself, without end (included at m.yaml:2:10)"},
    {"files that include each other", "tenon: 1\ninclude: [ping.yaml]\n",
     "pong.yaml:2:10: include: 'ping.yaml' includes itself, without end (included at "
     "ping.yaml:2:10, included at m.yaml:2:11)"},
    {"a file that is no model", "tenon: 1\ninclude: list.yaml\n",
     "list.yaml:1:1: expected a map that begins with 'tenon: 1', found a list (included at "
     "m.yaml:2:10)"},
    {"a file without a version", "tenon: 1\ninclude: bare.yaml\n",
     "bare.yaml:1:1: missing key 'tenon', the version of the format; write 'tenon: 1' (included at "
     "m.yaml:2:10)"},
    {"a file that is no YAML", "tenon: 1\ninclude: torn.yaml\n",
     "torn.yaml:2:14: the file ends inside the list that starts at 2:10: is it cut off?"},
    {"a folder", "tenon: 1\ninclude: .\n",
     "m.yaml:2:10: include: .: cannot read the file: Is a directory"},
    {"an include that is no name", "tenon: 1\ninclude: {a: b}\n",
     "m.yaml:2:10: include: expected a file or a list of files, found a map"},
    {"an include of a list", "tenon: 1\ninclude: [[a]]\n",
     "m.yaml:2:11: include: expected the name of a file, found a list"},
    {"parameters that need each other across files",
     "tenon: 1\ninclude: needs_y.yaml\nparameters: {y: x}\n",
     "needs_y.yaml:2:17: parameter 'x' needs 'y', which stands behind it, at m.yaml:3:14; a "
     "parameter may use those before it (included at m.yaml:2:10)"},
    {"a parameter made of itself", "tenon: 1\nparameters: {y: 2*y}\n",
     "m.yaml:2:17: parameter 'y' is made of itself; a parameter may use those that stand before "
     "it"},
    {"a parameter of an assembly that comes later",
     "tenon: 1\ntemplates: {t: {parameters: {p: 3, q: 2}}}\nassemblies: {x: {of: t, parameters: "
     "{p: y.q}}, y: {of: t}}\n",
     "m.yaml:3:41: parameter 'x.p' needs 'y.q', which stands behind it, at m.yaml:2:36; a "
     "parameter may use those before it"},
    {"a number of copies by a parameter that comes later",
     "tenon: 1\nparameters: {n: 2*k, k: 3}\nrepeat: {to: n, bodies: {b$i: {massless: true}}}\n",
     "m.yaml:2:17: parameter 'n' needs 'k', which stands behind it, at m.yaml:2:22; a parameter "
     "may use those before it"},
    {"a slip in the input of a block",
     "tenon: 1\nbodies: {b: {kind: planar, mass: 1, inertia: 1}}\njoints: {pin: {kind: revolute, "
     "body: b}}\nblocks:\n  f: {kind: lowpass, input: 2*pin.angel, tau: 0.1}\n",
     "m.yaml:5:31: block 'f': input: expression '2*pin.angel', column 3: 'pin.angel': joint 'pin' "
     "has no such quantity; did you mean 'pin.angle'?"},
    {"the input of a block that breaks off",
     "tenon: 1\nblocks:\n  f: {kind: pid, input: \"1 + \", kp: 1}\n",
     "m.yaml:3:30: block 'f': input: expression '1 + ', column 5: a number, a name or '(' "
     "expected, "
     "but here is the end of the text"},
    {"the input of a block in an assembly",
     "tenon: 1\ntemplates:\n  t: {blocks: {f: {kind: lowpass, input: speed, tau: 0.1}}}\n"
     "assemblies: {x: {of: t}}\n",
     "m.yaml:3:42: block 'x.f': input: expression 'speed', column 1: unknown name 'speed'; known "
     "are time, step, x.f, x.f_1, energy.kinetic, energy.potential, energy.dissipated, "
     "energy.supplied, energy.balance, momentum.linear.x, momentum.linear.y, momentum.linear.z, "
     "momentum.angular.x, momentum.angular.y, momentum.angular.z and 25 more (used as 'x' at "
     "m.yaml:4:14)"},
    {"a name that the file has, too", "tenon: 1\ninclude: needs_y.yaml\nparameters: {x: 1}\n",
     "m.yaml:3:14: parameter 'x' is given twice, first at needs_y.yaml:2:14 (included at "
     "m.yaml:2:10)"},
    {"gravity of two files", "tenon: 1\ninclude: [heavy.yaml, light.yaml]\n",
     "light.yaml:2:1: 'gravity' is given by two files that are included, first at heavy.yaml:2:1; "
     "state it in the model itself (included at m.yaml:2:23)"},
    {"an unknown key of a file", "tenon: 1\ninclude: slip.yaml\n",
     "slip.yaml:2:1: file: unknown key 'bodys'; did you mean 'bodies'? (included at m.yaml:2:10)"},
    {"a mistake in an included file", "tenon: 1\ninclude: wrong.yaml\n",
     "wrong.yaml:4:37: body 'rod': mass: unknown name 'massive'; write a number, or define it in "
     "'parameters' (included at m.yaml:2:10)"},
    // Assemblies
    {"an assembly of nothing", "tenon: 1\nassemblies: {a: {at: [0, 0, 0]}}\n",
     "m.yaml:2:14: assembly 'a': missing key: 'of', the name of a template, or 'file'"},
    {"an assembly of two", ARM "assemblies: {a: {of: arm, file: b.yaml}}\n",
     "m.yaml:7:33: file: b.yaml: cannot read the file: No such file or directory"},
    {"an assembly of two that are there", ARM "assemblies: {a: {of: arm, file: wrong.yaml}}\n",
     "m.yaml:7:14: assembly 'a': state one of 'of', the name of a template, or 'file'"},
    {"an unknown template", ARM "assemblies: {a: {of: amr}}\n",
     "m.yaml:7:22: assembly 'a': unknown template 'amr'; did you mean 'arm'?"},
    {"no template at all", "tenon: 1\nassemblies: {a: {of: arm}}\n",
     "m.yaml:2:22: assembly 'a': unknown template 'arm'; there are none; write it under "
     "'templates', or name its 'file'"},
    {"a template that contains itself",
     "tenon: 1\ntemplates: {a: {assemblies: {b: {of: a}}}}\nassemblies: {c: {of: a}}\n",
     "m.yaml:2:38: assembly 'c.b': 'a' contains itself, without end (used as 'c' at m.yaml:3:14)"},
    {"templates that contain each other",
     "tenon: 1\ntemplates:\n  a: {assemblies: {x: {of: b}}}\n  b: {assemblies: {y: {of: a}}}\n"
     "assemblies: {c: {of: a}}\n",
     "m.yaml:4:28: assembly 'c.x.y': 'a' contains itself, without end (used as 'c.x' at "
     "m.yaml:3:20, used as 'c' at m.yaml:5:14)"},
    {"a file that is part of itself", "tenon: 1\nassemblies: {a: {file: nest.yaml}}\n",
     "nest.yaml:2:24: assembly 'a.b': 'nest.yaml' contains itself, without end (used as 'a' at "
     "m.yaml:2:14)"},
    {"a parameter that it does not have",
     ARM "assemblies: {left: {of: arm, parameters: {mm: 2}}}\n",
     "m.yaml:7:43: assembly 'left': it has no parameter 'mm'; known are m"},
    {"an unknown key of an assembly", ARM "assemblies: {left: {of: arm, position: [0, 0]}}\n",
     "m.yaml:7:30: assembly 'left': unknown key 'position'; known are of, file, parameters, names, "
     "at, orientation"},
    {"an assembly that is given twice", ARM "repeat: {to: 2, assemblies: {left: {of: arm}}}\n",
     "m.yaml:7:30: assembly 'left' is given twice"},
    {"an assembly whose name is none", ARM "assemblies: {my arm: {of: arm}}\n",
     "m.yaml:7:14: assembly 'my arm': the name is put before those of its elements; it must be a "
     "letter followed by letters, digits or '_'"},
    {"an element that has the name of one in an assembly",
     ARM "bodies: {left.rod: {kind: point, mass: 1}}\nassemblies: {left: {of: arm}}\n",
     "m.yaml:5:14: body 'left.rod' is given twice, first at m.yaml:7:10 (used as 'left' at "
     "m.yaml:8:14)"},
    {"a template with keys of a model", "tenon: 1\ntemplates: {arm: {gravity: [0, 0, 1]}}\n",
     "m.yaml:2:19: template 'arm': unknown key 'gravity'; known are parameters, tables, inputs, "
     "ground, bodies, frames, joints, forces, signals, states, unknowns, sampled, blocks, events, "
     "outputs, "
     "assemblies, repeat"},
    {"names that the template has itself",
     ARM "bodies: {base: {kind: planar, mass: 1, inertia: 1}}\n"
         "assemblies: {left: {of: arm, names: {rod: base}}}\n",
     "m.yaml:8:38: assembly 'left': names: it has 'rod' itself; leave one of them out"},
    {"a mistake in a template",
     "tenon: 1\ntemplates:\n  arm:\n    bodies: {rod: {kind: planar, mass: heavy, inertia: 1}}\n"
     "assemblies:\n  left: {of: arm}\n",
     "m.yaml:4:40: body 'left.rod': mass: unknown name 'heavy'; write a number, or define it in "
     "'parameters' (used as 'left' at m.yaml:6:3)"},
    {"a mistake that only shows when all is there", ARM "assemblies: {left: {file: signal.yaml}}\n",
     "signal.yaml:3:16: signal 'left.s': expression 'left.rod.speed', column 1: 'left.rod.speed': "
     "body 'left.rod' has no such quantity; known are left.rod.position.x, left.rod.position.y, "
     "left.rod.position.z, left.rod.quaternion.w, left.rod.quaternion.x, left.rod.quaternion.y, "
     "left.rod.quaternion.z, left.rod.velocity.x, left.rod.velocity.y, left.rod.velocity.z and 9 "
     "more (used as 'left' at "
     "m.yaml:7:14)"},
    {"a placement that is no point", ARM "assemblies: {left: {of: arm, at: 5}}\n",
     "m.yaml:7:34: assembly 'left': at: expected a list of 2 or 3 numbers, found '5'"},
    {"a plane that is turned out of itself",
     ARM "assemblies: {left: {of: arm, orientation: {axis: [1, 0, 0], angle_deg: 90}}}\n",
     "m.yaml:5:14: body 'left.rod': it moves in the plane of x and y; its assembly may be turned "
     "about z alone (used as 'left' at m.yaml:7:14)"},
    {"a beam whose section does not know where to turn",
     "tenon: 1\ntemplates:\n  t:\n    bodies:\n      b: {kind: beam, points: [[0, 0, 0], [1, 0, "
     "0]], section: {kind: circle, radius: 0.1, E: 1e9, rho: 1}}\n"
     "assemblies: {a: {of: t, orientation: {axis: [0, 0, 1], angle_deg: 90}}}\n",
     "m.yaml:5:7: body 'a.b': missing key 'x_axis': its assembly is turned, and the section turns "
     "with it only when its x axis is stated (used as 'a' at m.yaml:6:14)"},
    {"a name that expressions have taken",
     "tenon: 1\ntemplates: {p: {parameters: {t: 1}}}\nassemblies: {a: {of: p}}\n",
     "m.yaml:2:30: parameter 't': this name is taken; choose one that is none of " TAKEN
     " (used as 'a' at m.yaml:3:14)"},
    {"a signal that is a function",
     "tenon: 1\ntemplates: {p: {signals: {sin: 1}}}\nassemblies: {a: {of: p}}\n",
     "m.yaml:2:27: signal 'sin': this name is taken; choose one that is none of " TAKEN
     " (used as 'a' at m.yaml:3:14)"},
    {"a body that is the ground",
     "tenon: 1\ntemplates: {p: {bodies: {ground: {kind: point, mass: 1}}}}\nassemblies: {a: {of: "
     "p}}\n",
     "m.yaml:2:26: body 'ground': the name stands for the inertial frame; choose another (used as "
     "'a' at m.yaml:3:14)"},
    {"an index that is a number of forces", "tenon: 1\nrepeat: {index: length, to: 2}\n",
     "m.yaml:2:17: repeat: index 'length': within expressions of forces it is a number of theirs; "
     "choose another one"},
    {"a parameter of a part that is also a number of its force",
     "tenon: 1\ntemplates:\n  p:\n    parameters: {length: 1}\n"
     "    bodies: {b: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}}\n"
     "    forces: {f: {kind: law, body: b, law: 3*length}}\nassemblies: {a: {of: p}}\n",
     "m.yaml:6:43: force 'a.f': law: expression '3*a.length', column 3: 'a.length' is a parameter "
     "and also a number of this force; rename the parameter, or write a.f.length for that of the "
     "force (used as 'a' at m.yaml:7:14)"},
    {"a number of a part that its force sees by that name",
     "tenon: 1\ntemplates:\n  q: {signals: {x: 5}}\n  p:\n    assemblies: {turn: {of: q}}\n"
     "    bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
     "    forces: {f: {kind: frame-law, body: b, torque: [turn.x, 0, 0]}}\nassemblies: {a: {of: "
     "p}}\n",
     "m.yaml:7:53: force 'a.f': torque x: expression 'turn.x', column 1: 'turn.x' is what force "
     "'a.f' sees of its frames and also a number of 'a.turn.x'; give that another name (used as "
     "'a' "
     "at m.yaml:8:14)"},
    {"a name that the part never uses",
     ARM "bodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
         "assemblies: {a: {of: arm, names: {gruond: b}}}\n",
     "m.yaml:8:35: assembly 'a': names: it uses no 'gruond' from outside; did you mean 'ground'?"},
    {"a name that expressions have taken for another",
     ARM "signals: {s: t}\nassemblies: {a: {of: arm, names: {t: s}}}\n",
     "m.yaml:8:35: assembly 'a': names 't': this name is taken; choose one that is none of " TAKEN},
    {"a driven pose that cannot be mounted",
     ARM "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
         "assemblies: {a: {file: driven.yaml, names: {ground: b}}}\n",
     "driven.yaml:3:20: kind: a pose-drive moves its body as the inertial frame sees it, but the "
     "ground of this part is 'b' by 'names'; hold the body by joints instead (used as 'a' at "
     "m.yaml:8:14)"},
    {"a driven pose that cannot be turned",
     ARM "bodies: {b: {massless: true}}\n"
         "assemblies: {a: {file: driven.yaml, orientation: {axis: [1, 0, 0], angle: 1}}}\n",
     "driven.yaml:3:10: joint 'a.d': roll, pitch and yaw of a driven pose begin with z; its "
     "assembly may be turned about z alone (used as 'a' at m.yaml:8:14)"},
};

static const struct {
    const char *name, *text;
} files[] = {
    {"self.yaml", "tenon: 1\ninclude: self.yaml\n"},
    {"ping.yaml", "tenon: 1\ninclude: pong.yaml\n"},
    {"pong.yaml", "tenon: 1\ninclude: ping.yaml\n"},
    {"list.yaml", "- 1\n"},
    {"bare.yaml", "bodies: {}\n"},
    {"torn.yaml", "tenon: 1\ngravity: [0, "},
    {"needs_y.yaml", "tenon: 1\nparameters: {x: y + 1}\n"},
    {"heavy.yaml", "tenon: 1\ngravity: [0, 0, -9]\n"},
    {"light.yaml", "tenon: 1\ngravity: [0, 0, -1]\n"},
    {"slip.yaml", "tenon: 1\nbodys: {}\n"},
    {"wrong.yaml", "tenon: 1\nbodies:\n  # a rod\n  rod: {kind: point,          mass: massive}\n"},
    {"nest.yaml", "tenon: 1\nassemblies: {b: {file: nest.yaml}}\n"},
    {"signal.yaml",
     "tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\nsignals: {s:   rod.speed}\n"},
    {"driven.yaml", "tenon: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                    "joints: {d: {kind: pose-drive, body: b, x: t}}\n"},
};

static void write_files(void)
{
    for (int i = 0; i < TN_COUNT(files); i++)
        tn_test_write(files[i].name, files[i].text, strlen(files[i].text));
}

static void every_mistake_has_its_own_sentence(void)
{
    int wrong = 0;
    write_files();
    for (int i = 0; i < TN_COUNT(bad_inputs); i++) {
        const bad_input *bad = &bad_inputs[i];
        const long live = tn_test_alloc_live();
        tn_model *model = NULL;
        const tn_status s = tn_model_parse(bad->text, "m.yaml", &model, NULL);
        if (s != TN_ERR_MODEL || strcmp(tn_last_error(), bad->message) != 0) {
            printf("%s:\n  %s\n  is told as (%d)\n  %s\n", bad->mistake, bad->message, (int)s,
                   s == TN_OK ? "" : tn_last_error());
            wrong++;
        }
        tn_model_destroy(model);
        CHECK(tn_test_alloc_live() == live);
    }
    CHECK(wrong == 0);
}

#define CAR                                                                                      \
    "tenon: 1\ninclude: heavy.yaml\nparameters: {n: 2}\n"                                        \
    "templates:\n  arm:\n    parameters: {m: 1}\n" PENDULUM                                      \
    "    outputs: {turn: pin.angle}\n    ground: {shapes: [{kind: sphere, radius: 1}]}\n"        \
    "assemblies: {left: {of: arm, at: [1, 0], parameters: {m: n}, names: {ground: base}}}\n"     \
    "repeat: {to: n, assemblies: {a$i: {of: arm, at: [i, 2]}}, bodies: {b$(i+1): {kind: point, " \
    "mass: 1}}}\n"                                                                               \
    "bodies: {base: {kind: planar, mass: 1, inertia: 1}}\n"

static void running_out_of_memory_is_an_error_and_leaks_nothing(void)
{
    const long live = tn_test_alloc_live();
    bool failed = true;
    write_files();
    for (long n = 1; failed; n++) {
        tn_model *model = NULL;
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_model_parse(CAR, "m.yaml", &model, NULL);
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        if (failed && s != TN_ERR_MEMORY)
            printf("allocation %ld: %d %s\n", n, (int)s, tn_last_error());
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK((model == NULL) == failed);
        tn_model_destroy(model);
        CHECK(tn_test_alloc_live() == live);
    }
}

static void files_cut_anywhere_are_refused_or_complete(void)
{
    char text[sizeof CAR];
    write_files();
    for (size_t n = 0; n < sizeof CAR; n++) {
        tn_model *model = NULL;
        memcpy(text, CAR, n);
        text[n] = '\0';
        const tn_status s = tn_model_parse(text, "m.yaml", &model, NULL);
        CHECK(s == TN_OK || (s == TN_ERR_MODEL && *tn_last_error()));
        tn_model_destroy(model);
    }
}

// Characters that mean something to parts in every place of a good model.
static void damaged_files_never_do_harm(void)
{
    static const char damage[] = "$({:.'i9\n";
    char text[sizeof CAR];
    write_files();
    for (size_t n = 0; n + 1 < sizeof CAR; n++)
        for (size_t k = 0; k + 1 < sizeof damage; k++) {
            tn_model *model = NULL;
            memcpy(text, CAR, sizeof CAR);
            text[n] = damage[k];
            const tn_status s = tn_model_parse(text, "m.yaml", &model, NULL);
            CHECK(s == TN_OK || (s == TN_ERR_MODEL && *tn_last_error()));
            tn_model_destroy(model);
        }
}

static void deep_assemblies_do_not_exhaust_the_stack(void)
{
    static char text[65536];
    tn_model *model = NULL;
    *text = '\0';
    tn_test_append(text, sizeof text, "tenon: 1\ntemplates:\n");
    for (int i = 0; i < 200; i++)
        tn_test_append(text, sizeof text, "  t%d: {assemblies: {a: {of: t%d}, b: {of: t%d}}}\n", i,
                       i + 1, i + 1);
    tn_test_append(text, sizeof text, "  t200: {}\nassemblies: {a: {of: t0}}\n");
    CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
    CHECK(tn_test_says("assemblies stand more than 32 deep in each other"));
}

static const tn_test tests[] = {
    {"every mistake has its own sentence", every_mistake_has_its_own_sentence},
    {"running out of memory is an error and leaks nothing",
     running_out_of_memory_is_an_error_and_leaks_nothing},
    {"files cut anywhere are refused or complete", files_cut_anywhere_are_refused_or_complete},
    {"damaged files never do harm", damaged_files_never_do_harm},
    {"deep assemblies do not exhaust the stack", deep_assemblies_do_not_exhaust_the_stack},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
