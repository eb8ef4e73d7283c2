// SPDX-License-Identifier: MIT
//
// Models made of parts move as the same models written out by hand and as those that a program
// builds; an assembly that is placed elsewhere moves there as it would here.

#include "placed_templates.h"
#include "test.h"

#include "base/alloc.h"
#include "lie/so3.h"
#include "model/model.h"
#include "read/parts.h"
#include "tenon/sweep.h"
#include "tenon/tenon.h"

#include <sys/resource.h>
#include <time.h>

static tn_model *load(const char *relative, int n, const tn_parameter_value *values)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load_with(tn_test_path(relative), n, values, &model, NULL));
    return model;
}

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    return model;
}

static tn_sim *moved(const tn_model *model, double t)
{
    tn_sim *sim = tn_test_open(model, "galpha/ggl", 1e-3, 0.0);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    return sim;
}

// Chains ------------------------------------------------------------------------------------------

// As a program builds it, with the numbers of models/chain.yaml.
static tn_model *built_chain(int n)
{
    const double pi = 3.14159265358979323846, l = 1.0 / n, tilt = 30 * pi / 180;
    const double x = l * sin(tilt), z = l * cos(tilt);
    tn_model *model = tn_model_create();
    tn_body before = TN_GROUND;
    CHECK(model != NULL);
    tn_model_set_gravity(model, tn_v3(0, -9.81, 0));
    tn_body *rod = tn_alloc(sizeof *rod * (size_t)(n + 1));
    for (int i = 1; i <= n; i++) {
        tn_body_def def = tn_default_body();
        def.kind = TN_BODY_PLANAR;
        def.mass = l;
        def.inertia.z = l * l * l / 12;
        def.frame = (tn_frame){tn_m3_rot_z(tilt - pi / 2), {(i - 0.5) * x, -(i - 0.5) * z, 0.0}};
        def.given_position = def.given_rotation = true;
        rod[i] = tn_model_add_body(model, &def);
    }
    for (int i = 1; i <= n; i++) {
        tn_joint_def def = tn_default_joint(TN_JOINT_REVOLUTE);
        def.body_a = before;
        def.body_b = rod[i];
        def.frame_a.p = i > 1 ? tn_v3(l / 2, 0, 0) : tn_v3(0, 0, 0);
        def.frame_b.p = tn_v3(-l / 2, 0, 0);
        tn_model_add_joint(model, &def);
        before = rod[i];
    }
    CHECK_OK(tn_model_status(model));
    tn_free(rod);
    return model;
}

// Frames of joints differ in the last digits: those of the file are computed from places.
static void a_chain_by_repeat_moves_as_one_that_is_built(void)
{
    enum { N = 24 };
    const tn_parameter_value count = {"n", N, NULL};
    tn_model *model = load("models/chain.yaml", 1, &count), *built = built_chain(N);
    CHECK(tn_model_body_count(model) == N + 1 && tn_model_joint_count(model) == N);
    tn_sim *a = moved(model, 0.5), *b = moved(built, 0.5);
    for (int k = 1; k <= N; k++) {
        const tn_frame x = tn_sim_body_frame(a, (tn_body){k}),
                       y = tn_sim_body_frame(b, (tn_body){k});
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(x.p, y.p)), 0.0, 1e-10);
    }
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
    tn_model_destroy(built);
}

static const tn_node *write_out(tn_document *doc, const tn_parameter_value *count, double *seconds,
                                tn_document **out)
{
    const clock_t start = clock(); // other tests may run beside this one
    CHECK_OK(tn_parts_write(doc, 1, count, out));
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return (*out)->root;
}

// 1e5 a second are wanted; the bound leaves room for sanitizers and emulators.
static void a_chain_of_a_hundred_thousand_is_written_out_quickly(void)
{
    enum { N = 100000 };
    const tn_parameter_value count = {"n", N, NULL};
    tn_document *doc = NULL, *out = NULL;
    double seconds;
    struct rusage before, after;
    CHECK_OK(tn_document_read(tn_test_path("models/chain.yaml"), &doc));
    getrusage(RUSAGE_SELF, &before);
    const tn_node *root = write_out(doc, &count, &seconds, &out);
    getrusage(RUSAGE_SELF, &after);
    CHECK(tn_node_get(root, "bodies")->count == N);
    CHECK_TEXT(tn_node_get(root, "joints")->keys[N - 1]->text, "joint100000");
    printf("%d rods and joints in %.3f s: %.3g bodies a second, %.0f bytes a body\n", N, seconds,
           N / seconds, 1024.0 * (double)(after.ru_maxrss - before.ru_maxrss) / N);
    CHECK(N / seconds > 1e4);
    tn_parts_done(doc, out);
    tn_document_destroy(doc);
}

// Cars --------------------------------------------------------------------------------------------

// A point of a corner in the car, by its side: the right one is turned by half a turn about z.
static const char *point(double x0, int side, double x, double y, double z)
{
    static char texts[8][96];
    static int next;
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "[%.17g, %.17g, %.17g]", x0 + side * x, side * y, z);
    return text;
}

typedef struct corner {
    const char *name;
    double x0, k, phase;
    int side;
} corner;

static const double HALF_TURN = 3.14159265358979323846;

static const corner corners[] = {{"front.left", 1.3, 42000, 0, 1},
                                 {"front.right", 1.3, 42000, 3.14159265358979323846 / 3, -1},
                                 {"rear.left", -1.4, 36000, 3.14159265358979323846 / 2, 1},
                                 {"rear.right", -1.4, 36000, 3.14159265358979323846 * 5 / 6, -1}};

static void put_bodies(char *out, size_t size, const corner *c)
{
    static const struct {
        const char *name, *mass, *inertia;
        double y, z;
    } bodies[] = {{"lower", "5", "[0.09, 0.02, 0.09]", 0.52, 0.19},
                  {"upper", "3", "[0.04, 0.01, 0.04]", 0.52, 0.44},
                  {"upright", "30", "[0.8, 1.2, 0.8]", 0.76, 0.3}};
    for (int i = 0; i < 3; i++)
        tn_test_append(out, size,
                       "  %s.%s: {mass: %s, inertia: %s, initial: {position: %s, orientation: "
                       "{axis: [0, 0, 1], angle: %.17g}}}\n",
                       c->name, bodies[i].name, bodies[i].mass, bodies[i].inertia,
                       point(c->x0, c->side, 0, bodies[i].y, bodies[i].z),
                       c->side > 0 ? 0.0 : HALF_TURN);
}

static void put_joints(char *out, size_t size, const corner *c)
{
    const int s = c->side;
    const double tie = -0.12 * s;
    const char *n = c->name;
    for (int upper = 0; upper < 2; upper++)
        tn_test_append(out, size,
                       "  %s.%s_pivot: {kind: revolute, bodies: [chassis, %s.%s], at: %s, axis: "
                       "[%d, 0, 0], axis_2: [0, %d, 0]}\n",
                       n, upper ? "upper" : "lower", n, upper ? "upper" : "lower",
                       upper ? point(c->x0, s, 0, 0.35, 0.45) : point(c->x0, s, 0, 0.3, 0.2), s, s);
    tn_test_append(out, size,
                   "  %s.lower_ball: {kind: spherical, bodies: [%s.lower, %s.upright], at: %s}\n"
                   "  %s.upper_ball: {kind: spherical, bodies: [%s.upper, %s.upright], at: %s}\n"
                   "  %s.tie_rod: {kind: distance, bodies: [chassis, %s.upright], at_a: %s, "
                   "at_b: %s}\n",
                   n, n, n, point(c->x0, s, 0, 0.75, 0.18), n, n, n, point(c->x0, s, 0, 0.70, 0.43),
                   n, n, point(c->x0, s, tie, 0.33, 0.25), point(c->x0, s, tie, 0.73, 0.23));
}

// Horizontal forces of the tyre are the same in all axes that are turned about z by half a turn.
static void put_forces(char *out, size_t size, const corner *c)
{
    const char *n = c->name;
    tn_test_append(out, size,
                   "  %s.spring: {kind: spring, bodies: [chassis, %s.lower], at_a: %s, at_b: %s, "
                   "stiffness: %.17g, damping: 2500, free: 0.6}\n"
                   "  %s.contact: {kind: frame-law, bodies: [ground, %s.upright], at: %s, "
                   "orientation: {axis: [0, 0, 1], angle: %.17g}, force: [-1e5*displacement.x - "
                   "1000*displacement.x.rate, -1e5*displacement.y - 1000*displacement.y.rate, "
                   "3600 - 2e5*(displacement.z - 0.01*sin(9*t + %.17g) + 0.01*sin(%.17g)) - "
                   "500*displacement.z.rate]}\n",
                   n, n, point(c->x0, c->side, 0, 0.45, 0.62), point(c->x0, c->side, 0, 0.6, 0.19),
                   c->k, n, n, point(c->x0, c->side, 0, 0.82, 0), c->side > 0 ? 0.0 : HALF_TURN,
                   c->phase, c->phase);
}

static tn_model *car_by_hand(void)
{
    static char text[32768];
    *text = '\0';
    tn_test_append(text, sizeof text,
                   "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                   "  chassis: {mass: 1200, inertia: [400, 1600, 1700], initial: {position: [0, 0, "
                   "0.55]}}\n");
    for (int i = 0; i < 4; i++)
        put_bodies(text, sizeof text, &corners[i]);
    tn_test_append(text, sizeof text, "joints:\n");
    for (int i = 0; i < 4; i++)
        put_joints(text, sizeof text, &corners[i]);
    tn_test_append(text, sizeof text, "forces:\n");
    for (int i = 0; i < 4; i++)
        put_forces(text, sizeof text, &corners[i]);
    return parse(text);
}

// Round-off of the half turns is all that is different.
static void a_car_of_four_corners_moves_as_one_written_by_hand(void)
{
    tn_model *model = load("models/car/car.yaml", 0, NULL), *hand = car_by_hand();
    CHECK(tn_model_body_count(model) == 14 && tn_model_body_count(hand) == 14);
    CHECK(tn_model_joint_count(model) == 20);
    tn_sim *a = moved(model, 0.5), *b = moved(hand, 0.5);
    double most = 0.0, way = 0.0;
    for (int k = 1; k < 14; k++) {
        const tn_body other = tn_model_find_body(hand, tn_model_body_name(model, (tn_body){k}));
        CHECK(other.index >= 0);
        const tn_frame x = tn_sim_body_frame(a, (tn_body){k}), y = tn_sim_body_frame(b, other);
        most = fmax(most, tn_v3_norm(tn_v3_sub(x.p, y.p)));
        for (int i = 0; i < 3; i++)
            most = fmax(most, tn_v3_norm(tn_v3_sub(tn_m3_column(x.R, i), tn_m3_column(y.R, i))));
        way = fmax(way, tn_v3_norm(tn_sim_body_velocity(a, (tn_body){k})));
    }
    printf("apart by %.1e after 0.5 s, at speeds of up to %.2g m/s\n", most, way);
    CHECK_NEAR(most, 0.0, 1e-10);
    CHECK(way > 0.01);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
    tn_model_destroy(hand);
}

// Elsewhere ---------------------------------------------------------------------------------------

// A template by itself, and placed twice over, with gravity turned as it is.
static void check_elsewhere(const char *template, const char *axis, double inner, double outer)
{
    char here[8192], there[8192];
    tn_simulate options;
    tn_model *a = NULL, *b = NULL;
    double n[3];
    sscanf(axis, "[%lf, %lf, %lf]", &n[0], &n[1], &n[2]);
    const tn_vec3 unit = tn_v3_scale(1.0 / tn_v3_norm(tn_v3_from(n)), tn_v3_from(n));
    const tn_frame placed =
        tn_frame_mul((tn_frame){tn_so3_exp(tn_v3_scale(outer, unit)), tn_v3(0.3, -2.0, 0.0)},
                     (tn_frame){tn_so3_exp(tn_v3_scale(inner, unit)), tn_v3(1.0, 0.5, 0.0)});
    const tn_vec3 gravity = tn_v3(0.0, -3.0, n[0] == 0.0 ? 0.0 : -9.0),
                  turned = tn_m3_apply(placed.R, gravity);
    snprintf(here, sizeof here,
             "tenon: 1\ngravity: [%.17g, %.17g, %.17g]\ntemplates:\n  t:\n%sassemblies: {i: {of: "
             "t}}\n",
             gravity.x, gravity.y, gravity.z, template);
    snprintf(there, sizeof there,
             "tenon: 1\ngravity: [%.17g, %.17g, %.17g]\ntemplates:\n  t:\n%s  u:\n    assemblies: "
             "{i: {of: t, at: [1, 0.5], orientation: {axis: %s, angle: %.17g}}}\n"
             "assemblies: {o: {of: u, at: [0.3, -2, 0], orientation: {axis: %s, angle: %.17g}}}\n",
             turned.x, turned.y, turned.z, template, axis, inner, axis, outer);
    CHECK_OK(tn_model_parse(here, "here.yaml", &a, &options));
    CHECK_OK(tn_model_parse(there, "there.yaml", &b, NULL));
    tn_sim *x = moved(a, 0.3), *y = moved(b, 0.3);
    double most = 0.0, way = 0.0;
    for (int k = 1; k < tn_model_body_count(a); k++) {
        char name[256];
        snprintf(name, sizeof name, "o.%s", tn_model_body_name(a, (tn_body){k}));
        CHECK_TEXT(tn_model_body_name(b, (tn_body){k}), name);
        if (strcmp(a->bodies.at[k].ops->name, "amplitude") == 0) // has no place
            continue;
        const tn_vec3 p = tn_frame_point(placed, tn_sim_body_frame(x, (tn_body){k}).p);
        const tn_vec3 v = tn_m3_apply(placed.R, tn_sim_body_velocity(x, (tn_body){k}));
        most = fmax(most, tn_v3_norm(tn_v3_sub(p, tn_sim_body_frame(y, (tn_body){k}).p)));
        most = fmax(most, tn_v3_norm(tn_v3_sub(v, tn_sim_body_velocity(y, (tn_body){k}))));
        way = fmax(way, tn_v3_norm(v));
    }
    printf("  %.1e at speeds of up to %.2g m/s\n", most, way);
    CHECK_NEAR(most, 0.0, 1e-9);
    CHECK(way > 1e-3);
    tn_sim_destroy(x);
    tn_sim_destroy(y);
    tn_model_destroy(a);
    tn_model_destroy(b);
}

static void assemblies_move_elsewhere_as_they_do_here(void)
{
    for (int i = 0; i < TN_COUNT(spatial); i++)
        check_elsewhere(spatial[i], "[1, -2, 0.5]", 0.7, 1.1);
    for (int i = 0; i < TN_COUNT(planar); i++)
        check_elsewhere(planar[i], "[0, 0, 1]", 0.7, 1.1);
}

// Controllers -------------------------------------------------------------------------------------

// All that has a name for expressions: parameters, with units and the name of one, tables, inputs,
// signals, states, unknowns, sampled systems, blocks; with elements whose names need quotes.
#define CONTROLLED                                                                                \
    "parameters: {m: 2, length: 500 mm, kp: 20, ref: 0.5}\n"                                      \
    "tables: {gain: {x: [0, 1], values: [1, 2], interpolation: linear}}\n"                        \
    "inputs: {extra: 0.1}\n"                                                                      \
    "bodies:\n  my rod: {mass: m, inertia: [0.01, 0.2, 0.2], com: [5 mm, 0 m, 0], initial: "      \
    "{position: [length/2, 0, 0]}}\n"                                                             \
    "joints: {pin: {kind: revolute, bodies: [ground, my rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n" \
    "signals:\n  err: ref - pin.angle - 0.1*'my rod'.position.z\n"                                \
    "  use: gain(0.3)*err + extra + ctl.u + filt\n"                                               \
    "states: {integ: {rate: err - 0.1*integ}}\n"                                                  \
    "unknowns: {alg: {equation: alg - 2*err}}\n"                                                  \
    "sampled: {ctl: {every: 0.05, next: {u: 0.5*u + 0.1*err}, initial: {u: 0.1}}}\n"              \
    "blocks: {filt: {kind: lowpass, input: err + integ, tau: 0.1}}\n"                             \
    "forces: {motor: {kind: motor, joint: pin, effort: kp*use + alg}}\n"                          \
    "events: {up: {joint: pin, value: 0.01, direction: rising}}\n"                                \
    "outputs: {twice: 2*err, tip: {of: my rod, point: [length/2, 0, 0], axis: z}}\n"

static void controllers_in_assemblies_see_their_own_names(void)
{
    static const char *const names[] = {"pin.angle", "err",  "use",   "integ", "alg",
                                        "ctl.u",     "filt", "twice", "tip"};
    static const char head[] = "tenon: 1\ngravity: [0, 0, -9.81]\n";
    tn_test_write("ctl.yaml", "tenon: 1\n" CONTROLLED, strlen("tenon: 1\n" CONTROLLED));
    char text[sizeof head + sizeof CONTROLLED + 400];
    snprintf(text, sizeof text, "%s%s", head, CONTROLLED);
    tn_model *alone = parse(text);
    snprintf(text, sizeof text,
             "%sparameters: {m: 50, kp: 1}\nsignals: {err: 7*t}\nassemblies:\n"
             "  a: {file: ctl.yaml}\n"
             "  b: {file: ctl.yaml, parameters: {length: a.length, kp: 20*kp}, at: [1, 2, 0]}\n",
             head);
    tn_model *both = parse(text);
    tn_sim *x = moved(alone, 0.2), *y = moved(both, 0.2);
    for (int i = 0; i < TN_COUNT(names); i++)
        for (const char *prefix = "a"; prefix; prefix = *prefix == 'a' ? "b" : NULL) {
            char name[64];
            snprintf(name, sizeof name, "%s.%s", prefix, names[i]);
            const double wanted = tn_test_value(x, names[i]);
            CHECK(wanted != 0.0);
            CHECK_NEAR(tn_test_value(y, name), wanted, 1e-9);
        }
    CHECK(tn_model_event_count(both) == 2);
    CHECK_TEXT(tn_model_event_name(both, 1), "b.up");
    tn_sim_destroy(x);
    tn_sim_destroy(y);
    tn_model_destroy(alone);
    tn_model_destroy(both);
}

// Names that stand for others, in names and in expressions; the inner of two meanings holds.
static void names_stand_for_elements_outside(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "parameters: {k: 5, w: 3}\n"
                            "signals: {pump: 2*t}\n"
                            "bodies: {the hand: {mass: 1, inertia: [1, 1, 1], initial: {position: "
                            "[0, 0, 4]}}}\n"
                            "templates:\n"
                            "  t:\n"
                            "    parameters: {k: 2}\n"
                            "    bodies: {a: {mass: k*w, inertia: [1, 1, 1]}}\n"
                            "    joints: {j: {kind: spherical, bodies: [base, a]}}\n"
                            "    signals: {s: base.position.z + supply + k}\n"
                            "    repeat: {to: 2, signals: {r$i: i*s + k}}\n"
                            "assemblies: {x: {of: t, names: {base: the hand, supply: pump}}}\n");
    tn_sim *sim = tn_test_open(model, "galpha/ggl", 1e-3, 0.0);
    const tn_body body = tn_model_find_body(model, "x.a");
    CHECK(body.index >= 0);
    CHECK_NEAR(model->bodies.at[body.index].def.mass, 6.0, 0.0);
    CHECK(model->joints.at[0].def->body_a.index == tn_model_find_body(model, "the hand").index);
    CHECK_NEAR(tn_test_value(sim, "x.s"), tn_test_value(sim, "the hand.position.z") + 2.0, 1e-12);
    CHECK_NEAR(tn_test_value(sim, "x.r2"), 2.0 * tn_test_value(sim, "x.s") + 2.0, 1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Names of elements may be numbers, which are as good as others within a part.
static void numbers_may_be_names_of_elements_of_parts(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "bodies: {1: {mass: 1, inertia: [1, 1, 1]}}\n"
                            "templates:\n"
                            "  t:\n"
                            "    bodies: {1: {mass: 2, inertia: [1, 2, 1]}}\n"
                            "    joints: {j: {kind: spherical, bodies: [ground, 1]}}\n"
                            "assemblies: {x: {of: t}}\n");
    const tn_body body = tn_model_find_body(model, "x.1");
    CHECK(body.index >= 0 && model->joints.at[0].def->body_b.index == body.index);
    CHECK_NEAR(model->bodies.at[body.index].def.mass, 2.0, 0.0);
    tn_model_destroy(model);
}

// Files -------------------------------------------------------------------------------------------

// What a file includes stands above it, once; numbers of copies follow parameters from outside.
static void files_are_included_once_and_before(void)
{
    static const char common[] = "tenon: 1\ngravity: [0, 0, -1]\nparameters: {m: 2}\n",
                      one[] = "tenon: 1\ninclude: common.yaml\nparameters: {n: m}\n"
                              "bodies: {a: {kind: point, mass: m}}\n",
                      two[] = "tenon: 1\ninclude: [common.yaml]\n"
                              "bodies: {b: {kind: point, mass: 3*m}}\n",
                      top[] = "tenon: 1\ninclude: [one.yaml, two.yaml]\n"
                              "repeat: {index: k, from: 0, to: n - 1, bodies: {c$(k+1)_$k: {kind: "
                              "point, mass: 1 + k}}}\n";
    tn_test_write("common.yaml", common, strlen(common));
    tn_test_write("one.yaml", one, strlen(one));
    tn_test_write("two.yaml", two, strlen(two));
    tn_test_write("top.yaml", top, strlen(top));
    for (int n = 0; n < 4; n++) {
        const tn_parameter_value count = {"n", n, NULL};
        tn_model *model = NULL;
        CHECK_OK(tn_model_load_with("top.yaml", 1, &count, &model, NULL));
        CHECK(tn_model_body_count(model) == 3 + n);
        CHECK_NEAR(model->gravity.z, -1.0, 0.0);
        CHECK_NEAR(model->bodies.at[2].def.mass, 6.0, 0.0);
        CHECK(n < 3 || tn_model_find_body(model, "c3_2").index == 5);
        tn_model_destroy(model);
    }
}

// A sweep does not go on when a file that the model is made of has changed.
static void sweeps_notice_changed_files(void)
{
    static const char top[] = "tenon: 1\ninclude: part.yaml\nsimulate: {t_end: 0.1}\n";
    static const char *const set[] = {"m=[1, 2]"}, *const outputs[] = {"a.position.z"};
    tn_sweep_options options = tn_default_sweep();
    options.set = set;
    options.outputs = outputs;
    options.nset = options.noutput = options.jobs = 1;
    options.out = "changed.sweep";
    options.replace = true;
    tn_test_write("changed.yaml", top, strlen(top));
    for (int i = 0; i < 3; i++) {
        char part[200];
        snprintf(part, sizeof part,
                 "tenon: 1\nparameters: {m: 1}\nbodies: {a: {kind: point, mass: m, initial: "
                 "{position: [0, 0, %d]}}}\n",
                 i / 2);
        tn_test_write("part.yaml", part, strlen(part));
        tn_sweep *sweep = NULL;
        CHECK_STATUS(tn_sweep_create("changed.yaml", NULL, NULL, &options, &sweep),
                     i < 2 ? TN_OK : TN_ERR_USAGE);
        CHECK(i < 2 || tn_test_says("holds cases of another sweep"));
        tn_sweep_destroy(sweep);
        options.replace = false;
    }
}

static const tn_test tests[] = {
    {"a chain by repeat moves as one that is built", a_chain_by_repeat_moves_as_one_that_is_built},
    {"a chain of a hundred thousand is written out quickly",
     a_chain_of_a_hundred_thousand_is_written_out_quickly},
    {"a car of four corners moves as one written by hand",
     a_car_of_four_corners_moves_as_one_written_by_hand},
    {"assemblies move elsewhere as they do here", assemblies_move_elsewhere_as_they_do_here},
    {"controllers in assemblies see their own names",
     controllers_in_assemblies_see_their_own_names},
    {"names stand for elements outside", names_stand_for_elements_outside},
    {"numbers may be names of elements of parts", numbers_may_be_names_of_elements_of_parts},
    {"files are included once and before", files_are_included_once_and_before},
    {"sweeps notice changed files", sweeps_notice_changed_files},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
