// SPDX-License-Identifier: MIT
//
// Units do not matter: random mechanisms with all lengths, masses and times multiplied (forces,
// stiffnesses and dampings with them) move as before. With fixed steps and powers of two the
// numbers are the same to the last bit, with decades and controlled errors to the tolerance.
//
// With TN_LONG in the environment there are 200 mechanisms and more factors, and the worst of each
// method is printed; scripts/check_units runs it so.

#include "model/units.h"
#include "random_mechanism.h"
#include "tenon/tenon.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static bool is_long(void)
{
    return getenv("TN_LONG") != NULL;
}

// Mechanisms --------------------------------------------------------------------------------------

// One law of each kind on coordinates of joints, and forces from outside, beside the springs that
// random mechanisms have.
static void add_forces(mechanism *m, int seed)
{
    int coordinate = 0;
    const tn_joint joint = random_coordinate(m, &coordinate);
    if (joint.index >= 0 && seed % 3 == 0) {
        tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
        motor.joint = joint;
        motor.coordinate = coordinate;
        motor.motor.effort.expression = "0.3*sin(4*t)";
        tn_model_add_force(m->model, &motor);
    }
    if (joint.index >= 0 && seed % 3 == 1) {
        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = joint;
        spring.coordinate = coordinate;
        spring.spring.stiffness = 3.0;
        spring.spring.damping = 0.4;
        spring.spring.cubic = 1.0;
        tn_model_add_force(m->model, &spring);
    }
    if (joint.index >= 0 && seed % 6 == 5) { // where contacts begin and end is found on the way
        tn_force_def stop = tn_default_force(TN_FORCE_JOINT_STOP);
        stop.joint = joint;
        stop.coordinate = coordinate;
        stop.stop.lower = -0.02;
        stop.stop.upper = 0.03;
        stop.stop.stiffness = 40.0;
        stop.stop.damping = 0.5;
        tn_model_add_force(m->model, &stop);
    }
    if (seed % 4 == 2) {
        tn_force_def push = tn_default_force(TN_FORCE_POINT);
        push.body_b = (tn_body){1};
        push.frame_b.p = tn_v3(0.1, 0.2, 0.0);
        push.point.force[0].expression = "cos(2*t)";
        push.point.force[1].expression = "if(t > 0.043, 0.7, 0)"; // a jump that steps end at
        push.point.torque[2].constant = 0.2;
        tn_model_add_force(m->model, &push);
    }
    CHECK_OK(tn_model_status(m->model));
}

static mechanism mechanism_of(int seed)
{
    mechanism m = random_mechanism(seed);
    add_forces(&m, seed);
    return m;
}

// Runs --------------------------------------------------------------------------------------------

typedef struct factors {
    const char *name;
    double length, mass, time; // that all numbers of the model are multiplied with
} factors;

enum { VALUES = 40 * (MOST_BODIES + 8) };

// What is seen at the end, in the units of the first model.
typedef struct picture {
    tn_status status;
    char why[400];
    int n;
    double x[VALUES];
    double size[VALUES]; // that relates differences: 1 for lengths and angles, a speed …
} picture;

static void put(picture *p, double value, double unit, double size)
{
    CHECK(p->n < VALUES);
    p->x[p->n] = value / unit;
    p->size[p->n++] = size;
}

static void put3(picture *p, tn_vec3 v, double unit, double size)
{
    put(p, v.x, unit, size);
    put(p, v.y, unit, size);
    put(p, v.z, unit, size);
}

typedef struct road {
    const char *method;
    double step, t_end, rtol; // a fixed step, or a tolerance
} road;

// Error control of galpha leaves multipliers out, and those of index3 jump with the step.
static bool has_rough_forces(const road *way)
{
    return strncmp(way->method, "galpha/index3", 13) == 0;
}

// Those that are not unique are of minimum norm, which shows the unit of length where that is not
// as before (docs/theory/units.md).
static bool is_unique(tn_sim *sim, tn_joint joint)
{
    double lambda[6];
    bool unique[6], all = true;
    const int n = tn_sim_joint_multipliers(sim, joint, lambda, unique);
    for (int i = 0; i < n; i++)
        all = all && unique[i];
    return all;
}

static void look(const tn_model *model, tn_sim *sim, const road *way, const factors *f, picture *p)
{
    const double speed = f->length / f->time, gain = speed / f->time, force = f->mass * gain;
    double fastest = 1.0, strongest = 1.0;
    for (int k = 1; k < tn_model_body_count(model); k++) {
        fastest = fmax(fastest, tn_v3_norm(tn_sim_body_velocity(sim, (tn_body){k})) / speed);
        fastest = fmax(fastest, tn_v3_norm(tn_sim_body_rate(sim, (tn_body){k})) * f->time);
    }
    for (int k = 0; k < tn_model_joint_count(model); k++)
        strongest =
            fmax(strongest, tn_v3_norm(tn_sim_joint_reaction(sim, (tn_joint){k}).f) / force);
    p->n = 0;
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_body b = {k};
        const tn_quat e = tn_sim_body_rotation(sim, b);
        put3(p, tn_sim_body_frame(sim, b).p, f->length, 1.0);
        put3(p, tn_v3(e.x, e.y, e.z), 1.0, 1.0);
        put3(p, tn_sim_body_velocity(sim, b), speed, fastest);
        put3(p, tn_sim_body_rate(sim, b), 1.0 / f->time, fastest);
    }
    for (int k = 0; k < tn_model_joint_count(model); k++) {
        const bool counts =
            way->rtol == 0.0 || (!has_rough_forces(way) && is_unique(sim, (tn_joint){k}));
        put3(p, tn_sim_joint_reaction(sim, (tn_joint){k}).f, force, counts ? strongest : INFINITY);
    }
}

static void run(const tn_model *model, const road *way, const factors *f, picture *p)
{
    const tn_units units = {1.0 / f->length, 1.0 / f->mass, 1.0 / f->time};
    tn_model *other = NULL;
    CHECK_OK(tn_model_in_units(model, units, &other));
    tn_sim_options o = tn_default_sim();
    o.method = way->method;
    o.step = way->step * f->time;
    o.adaptive = way->step == 0.0;
    if (o.adaptive) {
        o.rtol = way->rtol;
        o.atol = 1e-2 * way->rtol;
    }
    tn_sim *sim = NULL;
    p->n = 0;
    p->status = tn_sim_create(other, &o, &sim);
    if (p->status == TN_OK)
        p->status = tn_sim_run(sim, way->t_end * f->time, NULL, NULL);
    snprintf(p->why, sizeof p->why, "%s", p->status == TN_OK ? "" : tn_last_error());
    if (p->status == TN_OK)
        look(other, sim, way, f, p);
    tn_sim_destroy(sim);
    tn_model_in_units_destroy(other);
}

// What is no number, in one or in both, is as far off as can be.
static double difference(const picture *a, const picture *b)
{
    double most = 0.0;
    for (int i = 0; i < a->n; i++) {
        const double off = fabs(a->x[i] - b->x[i]) / a->size[i];
        most = isnan(off) ? INFINITY : fmax(most, off);
    }
    return most;
}

// Tests -------------------------------------------------------------------------------------------

static const factors same = {"the same", 1.0, 1.0, 1.0};

typedef struct tally {
    int runs, refused, unlike;
    double worst;
} tally;

static void compare(int seed, const tn_model *model, const road *way, const factors *f, double tol,
                    const picture *first, tally *sum)
{
    static picture other;
    run(model, way, f, &other);
    sum->runs++;
    sum->refused += other.status != TN_OK;
    if (first->status != other.status) {
        printf("seed %d, %s, %s: %s | %s\n", seed, way->method, f->name, first->why, other.why);
        sum->unlike++;
        return;
    }
    const double d = difference(first, &other);
    sum->worst = fmax(sum->worst, d);
    if (!(d <= tol)) {
        printf("seed %d, %s, %s: off by %.3g\n", seed, way->method, f->name, d);
        sum->unlike++;
    }
}

// Of the runs, how many may be refused, alike in all units: measured are none, also in long tests.
// With more the motion of what is left would tell little.
static const double REFUSED_MAX = 0.02;

static int compare_all(const char *what, int seeds, int nroad, const road *roads, int nfactor,
                       const factors *list, double tolerances)
{
    int unlike = 0;
    static picture first;
    for (int r = 0; r < nroad; r++) {
        tally sum = {0};
        const double tol = fmax(tolerances * roads[r].rtol, DBL_MIN); // less has fewer bits
        for (int seed = 0; seed < seeds; seed++) {
            mechanism m = mechanism_of(seed);
            run(m.model, &roads[r], &same, &first);
            const int begin = is_long() ? 0 : (seed + r) % nfactor;
            for (int k = begin; k < (is_long() ? nfactor : begin + 1); k++)
                compare(seed, m.model, &roads[r], &list[k], tol, &first, &sum);
            tn_model_destroy(m.model);
        }
        printf("%s, %-34s %5d runs, %4d refused alike, %d unlike, worst %.3g%s\n", what,
               roads[r].method, sum.runs, sum.refused, sum.unlike,
               roads[r].rtol > 0.0 ? sum.worst / roads[r].rtol : sum.worst,
               roads[r].rtol > 0.0 ? " rtol" : "");
        CHECK(sum.refused <= REFUSED_MAX * sum.runs);
        unlike += sum.unlike;
    }
    return unlike;
}

static void powers_of_two_give_the_same_bits_with_fixed_steps(void)
{
    static const factors list[] = {
        {"lengths 2^20", 0x1p20, 1.0, 1.0}, {"lengths 2^-20", 0x1p-20, 1.0, 1.0},
        {"masses 2^60", 1.0, 0x1p60, 1.0},  {"masses 2^-40", 1.0, 0x1p-40, 1.0},
        {"times 2^20", 1.0, 1.0, 0x1p20},   {"times 2^-20", 1.0, 1.0, 0x1p-20},
        {"all", 0x1p-7, 0x1p31, 0x1p-11},
    };
    static const road roads[] = {
        {"galpha/ggl@absolute", 2e-3, 0.1, 0.0},
        {"galpha/ggl@joint", 2e-3, 0.1, 0.0},
        {"galpha/ggl@director", 2e-3, 0.1, 0.0},
        {"galpha/index3@absolute", 2e-3, 0.1, 0.0},
        {"galpha/index2@joint", 2e-3, 0.1, 0.0},
        {"galpha/index1@absolute", 2e-3, 0.1, 0.0},
        {"hht/index3@director", 2e-3, 0.1, 0.0},
        {"bdf/ggl@absolute", 2e-3, 0.1, 0.0},
        {"bdf/index2@joint", 2e-3, 0.1, 0.0},
        {"radau5/ggl@absolute", 1e-2, 0.1, 0.0},
        {"radau5/index2@joint", 1e-2, 0.1, 0.0},
        {"radau5/stabilized-index1@director", 1e-2, 0.1, 0.0},
        {"herk5/index2@absolute", 5e-3, 0.1, 0.0},
        {"herk5/index2@joint", 5e-3, 0.1, 0.0},
        {"dopri5/index1@absolute", 5e-3, 0.1, 0.0},
        {"dopri5/index1+project@joint", 5e-3, 0.1, 0.0},
        {"dopri5/minimal@absolute", 5e-3, 0.1, 0.0},
        {"dopri5/minimal@joint", 5e-3, 0.1, 0.0},
        {"dop853/nullspace@absolute", 5e-3, 0.1, 0.0},
        {"dop853/maggi@joint", 5e-3, 0.1, 0.0},
        {"dop853/udwadia-kalaba@absolute", 5e-3, 0.1, 0.0},
        {"dopri5/projective@absolute", 5e-3, 0.1, 0.0},
        {"dopri5/phase-space@joint", 5e-3, 0.1, 0.0},
        {"dopri5/nullspace@director", 5e-3, 0.1, 0.0},
        {"galpha/baumgarte@absolute", 2e-3, 0.1, 0.0},
        {"dopri5/baumgarte@joint", 5e-3, 0.1, 0.0},
        {"radau5/index3@joint", 1e-2, 0.1, 0.0},
        {"bdf/index3@director", 2e-3, 0.1, 0.0},
        {"variational/multiplier@director", 5e-3, 0.1, 0.0},
        {"variational/dalembert@director", 5e-3, 0.1, 0.0},
        {"energy-momentum/reparam@director", 5e-3, 0.1, 0.0},
    };
    CHECK(compare_all("powers of two", is_long() ? 200 : 14, TN_COUNT(roads), roads, TN_COUNT(list),
                      list, 0.0) == 0);
}

static void decades_give_the_same_motion_to_the_tolerance(void)
{
    static const factors list[] = {
        {"lengths 1e6", 1e6, 1.0, 1.0},  {"lengths 1e-6", 1e-6, 1.0, 1.0},
        {"all large", 1e5, 1e9, 1.0},    {"all small", 1e-5, 1e-9, 1.0},
        {"masses 1e18", 1.0, 1e18, 1.0}, {"masses 1e-12", 1.0, 1e-12, 1.0},
        {"times 1e6", 1.0, 1.0, 1e6},    {"times 1e-6", 1.0, 1.0, 1e-6},
        {"all", 1e-3, 1e3, 1e-3},
    };
    static const road roads[] = {
        {"auto", 0.0, 0.2, 1e-6},
        {"galpha/ggl@absolute", 0.0, 0.1, 1e-5},
        {"galpha/index3@joint", 0.0, 0.1, 1e-5},
        {"bdf/ggl@absolute", 0.0, 0.2, 1e-6},
        {"bdf/index2@joint", 0.0, 0.2, 1e-6},
        {"bdf/ggl@director", 0.0, 0.2, 1e-6},
        {"radau5/ggl@absolute", 0.0, 0.2, 1e-6},
        {"radau5/ggl@joint", 0.0, 0.2, 1e-6},
        {"radau5/index2@director", 0.0, 0.2, 1e-6},
        {"herk5/index2@absolute", 0.0, 0.2, 1e-6},
        {"dopri5/index1+project@joint", 0.0, 0.2, 1e-6},
        {"dopri5/minimal@absolute", 0.0, 0.2, 1e-6},
        {"dopri5/baumgarte@absolute", 0.0, 0.2, 1e-6},
        {"dop853/maggi@director", 0.0, 0.2, 1e-6},
        {"dop853/nullspace@joint", 0.0, 0.2, 1e-6},
        {"adams/index1+project@absolute", 0.0, 0.2, 1e-6},
        {"adams/udwadia-kalaba@joint", 0.0, 0.2, 1e-6},
    };
    CHECK(compare_all("decades", is_long() ? 200 : 8, TN_COUNT(roads), roads, TN_COUNT(list), list,
                      100.0) == 0);
}

// Starts that tell nothing of what follows --------------------------------------------------------

// A motor that begins softly, on arms at rest or all but at rest; times are multiplied by c.
static double arms(double c, double rate, const char *method, double step)
{
    static char text[1024];
    double q[6] = {0.0};
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "bodies:\n"
             "  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
             "  b: {mass: 2, inertia: [0.1, 0.2, 0.1]}\n"
             "joints:\n"
             "  j: {kind: revolute, body: a, axis: [0, 0, 1], at: [0.5, 0, 0], "
             "initial: {rate: %.17g}}\n"
             "  k: {kind: revolute, bodies: [a, b], axis: [0, 0, 1], at: [-0.5, 0, 0]}\n"
             "forces:\n"
             "  m: {kind: motor, joint: j, effort: \"%.17g*(t/%.17g)^2\"}\n",
             rate / c, 10.0 / (c * c), c);
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    tn_sim_options o = tn_default_sim();
    o.method = method;
    o.step = step * c;
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_OK(tn_sim_run(sim, 1.5 * c, NULL, NULL));
    CHECK(tn_sim_joint_coordinates(sim, (tn_joint){0}, q, NULL) == 1);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return q[0];
}

static void slow_starts_do_not_tell_the_time_scale(void)
{
    static const road roads[] = {
        {"auto", 0.0, 0.0, 1e-5},
        {"bdf/ggl@absolute", 0.0, 0.0, 1e-4},
        {"radau5/ggl@joint", 0.0, 0.0, 1e-4},
        {"adams/index1+project@absolute", 0.0, 0.0, 1e-4},
        {"radau5/ggl@absolute", 1e-3, 0.0, 1e-5},
        {"bdf/ggl@director", 1e-3, 0.0, 1e-3},
        {"galpha/ggl@absolute", 1e-3, 0.0, 1e-3},
    };
    const double angle = arms(1.0, 0.0, "dop853/index1@joint", 1e-3);
    for (int k = 0; k < TN_COUNT(roads); k++) {
        const road *r = &roads[k];
        CHECK_NEAR(arms(1.0, 1e-10, r->method, r->step), angle, r->rtol);
        CHECK_NEAR(arms(1e6, 0.0, r->method, r->step), angle, r->rtol);
        CHECK_NEAR(arms(1e-6, 0.0, r->method, r->step), angle, r->rtol);
        CHECK_NEAR(arms(1e-6, 1e-10, r->method, r->step), angle, r->rtol);
    }
}

static const tn_test tests[] = {
    {"powers of two give the same bits with fixed steps",
     powers_of_two_give_the_same_bits_with_fixed_steps},
    {"decades give the same motion to the tolerance",
     decades_give_the_same_motion_to_the_tolerance},
    {"slow starts do not tell the pace", slow_starts_do_not_tell_the_time_scale},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
