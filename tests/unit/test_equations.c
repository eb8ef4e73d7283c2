// SPDX-License-Identifier: MIT
//
// The index of the equations that a simulation solves, and the numbers of their unknowns.

#include "tenon/tenon.h"
#include "test.h"

static int mass(void *user, const tn_arguments *at, double *M)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    f[0] = f[1] = 0.0;
    return 0;
}

// x = 0
static int constraint(void *user, const tn_arguments *at, double *g)
{
    g[0] = at->q[0];
    return 0;
}

// x' = 0
static int pfaffian(void *user, const tn_arguments *at, double *N, double *n0)
{
    N[0] = 1.0;
    N[1] = n0[0] = 0.0;
    return 0;
}

static int own_variable(void *user, const tn_arguments *at, double *b)
{
    b[0] = at->w[0] - at->q[1];
    return 0;
}

static int follow(void *user, const tn_arguments *at, double *d)
{
    d[0] = at->q[1];
    return 0;
}

static double next_sample(void *user, double t)
{
    return t + 1.0;
}

static int sample(void *user, const tn_arguments *at, double *r)
{
    return 0;
}

static tn_equations equations_of(const tn_callbacks *cb)
{
    const double q[2] = {0.0, 1.0}, v[2] = {0.0, 1.0};
    const tn_sim_options options = tn_default_sim();
    tn_equations out;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(cb, q, v, &options, &sim));
    tn_sim_equations(sim, &out);
    tn_sim_destroy(sim);
    return out;
}

static void the_index_follows_from_the_unknowns(void)
{
    tn_callbacks cb = {.nq = 2, .mass = mass, .force = force};
    tn_equations e = equations_of(&cb);
    CHECK(e.index == 0 && e.q == 2 && e.v == 2);
    CHECK_TEXT(e.coordinates, "callbacks");
    cb.nc = 1;
    cb.states = follow;
    cb.nr = 2;
    cb.next_sample = next_sample;
    cb.sample = sample;
    e = equations_of(&cb);
    CHECK(e.index == 0 && e.c == 1 && e.w == 0 && e.r == 2);
    cb.nw = 1;
    cb.algebraic = own_variable;
    e = equations_of(&cb);
    CHECK(e.index == 1 && e.w == 1 && e.s == 0);
    CHECK_TEXT(e.why, "algebraic variables");
    cb.nn = 1;
    cb.pfaffian = pfaffian;
    e = equations_of(&cb);
    CHECK(e.index == 2 && e.eta == 1 && e.lambda == 0);
    CHECK_TEXT(e.why, "nonholonomic rows");
    cb.ng = 1;
    cb.nn = 0;
    cb.constraint = constraint;
    e = equations_of(&cb);
    CHECK(e.index == 3 && e.eta == 0 && e.lambda == 1);
    CHECK_TEXT(e.why, "holonomic rows");
}

// Turns of angles are remembered between steps, but are no sampled states.
static void massless_motions_and_turns_are_told_apart(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies: {plate: {kind: planar, %s}}\n"
        "joints: {pin: {kind: revolute, bodies: [ground, plate]}}\n"
        "forces: {d: {kind: joint-spring, joint: pin, stiffness: 1, damping: 1, free: 1}}\n";
    static const char *const inertia[] = {"mass: 1, inertia: 1", "massless: true"};
    for (int i = 0; i < 2; i++) {
        char all[500];
        tn_simulate simulate;
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_equations e;
        snprintf(all, sizeof all, text, inertia[i]);
        CHECK_OK(tn_model_parse(all, "m.yaml", &model, &simulate));
        simulate.options.method = "radau5@joint";
        CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
        tn_sim_equations(sim, &e);
        CHECK(e.index == i && e.q == 1 && e.v == 1 && e.r == 0 && e.lambda == 0);
        CHECK(strstr(e.why, i ? "without inertia" : "no rows") != NULL);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Delays and counters of samples, which r holds, too, are no sampled states.
static void states_of_a_file_are_counted(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies: {plate: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {pin: {kind: revolute, bodies: [ground, plate]}}\n"
        "states: {c: {rate: pin.angle, initial: 0}}\n"
        "unknowns: {w: {equation: w - 2*pin.angle, start: 0}}\n"
        "sampled:\n"
        "  s: {every: 0.1, delay: 0.25, initial: {a: 0, b: 0}, next: {a: pin.angle, b: a}}\n"
        "forces: {m: {kind: motor, joint: pin, effort: s.b - c - w}}\n";
    static const char *const methods[] = {"galpha/ggl@joint", "galpha/ggl@absolute"};
    for (int i = 0; i < 2; i++) {
        tn_simulate simulate;
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_equations e;
        CHECK_OK(tn_model_parse(text, "m.yaml", &model, &simulate));
        simulate.options.method = methods[i];
        CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
        tn_sim_equations(sim, &e);
        CHECK(e.c == 1 && e.w == 1 && e.s == 0 && e.r == 2);
        CHECK(e.index == (i ? 3 : 1) && e.lambda == 2 * i);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"the index follows from the unknowns", the_index_follows_from_the_unknowns},
        {"massless motions and turns are told apart", massless_motions_and_turns_are_told_apart},
        {"states of a file are counted", states_of_a_file_are_counted},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
