// SPDX-License-Identifier: MIT
//
// Expressions of the state in director coordinates: derivative blocks of live numbers and of extra
// equations match differences where directors are not orthonormal, at a point and over an
// interval; where they are, forces and rates are those of absolute coordinates.

#include "coords/director.h"
#include "probe.h"
#include "tenon/io.h"
#include "test.h"

static const double TANGENT_TOL = 1e-9; // as in test_director_system.c
static const double SAME = 1e-11;

// Scalar laws, a wrench and a bushing beside them, with numbers of bodies near and far.
static const char text[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 2, 1.5]}\n"
    "  b: {mass: 0.5, inertia: [0.1, 0.2, 0.25], com: [0, 0.1, 0.5], initial: {position: [0.3, "
    "0.1, 0.2]}}\n"
    "  c: {mass: 2, inertia: [0.3, 0.2, 0.25], initial: {position: [1, 0.4, 0]}}\n"
    "  w: {kind: planar, mass: 1, inertia: 0.2, initial: {position: [0, 1, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [a, b], axis: [0, 1, 0]}\n"
    "signals:\n"
    "  far: sin(c.position.x)*c.velocity.z + 0.3*c.angular_velocity.y\n"
    "  near: pin.angle*pin.angle.rate + w.angle.rate*cos(w.angle)\n"
    "states:\n"
    "  x: {rate: far - x*y + 0.2*rope.length}\n"
    "  y: {rate: near + x - 0.4*y^2}\n"
    "  z: {rate: sin(x)}\n"
    "forces:\n"
    "  drive: {kind: motor, joint: pin, effort: far*near + 2*x + t}\n"
    "  rope: {kind: spring, bodies: [a, c], stiffness: 3 + pin.angle^2 + y,\n"
    "         damping: 1 + w.position.x^2, preload: b.velocity.x*z, free: 0.5}\n"
    "  push: {kind: point-force, body: c, force: [x*y, a.position.z, far], follower: true,\n"
    "         torque: [rope.rate, 0, w.velocity.y]}\n";

typedef struct bench {
    tn_model *model;
    probe world, p; // of absolute coordinates, and of directors
    double *q1;     // the end of an interval from p.q
    double h;
} bench;

static bench open_bench(void)
{
    tn_system *world = NULL, *sys = NULL;
    bench b = {.h = 0.1};
    CHECK_OK(tn_model_parse(text, "signals.yaml", &b.model, NULL));
    CHECK_OK(tn_absolute_create(b.model, TN_ROTATION_SO3, false, &world));
    CHECK_OK(tn_director_create(world, &sys));
    b.world = probe_open(world);
    b.p = probe_open(sys);
    b.q1 = calloc((size_t)sys->nq, sizeof(double));
    CHECK(b.q1 != NULL);
    return b;
}

static void close_bench(bench *b)
{
    free(b->q1);
    probe_close(&b->p);
    probe_close(&b->world);
    tn_model_destroy(b->model);
}

static void randomize(bench *b, double off)
{
    tn_system *s = b->p.sys;
    probe_randomize(&b->world, 0.3);
    random_fill(s->ne, b->world.e);
    const tn_point at = probe_point(&b->world);
    CHECK_OK(s->ops->world->from(s, &at, b->p.q, b->p.v));
    for (int i = 0; off > 0.0 && i < s->nq; i++) {
        b->p.q[i] += off * tn_random();
        b->p.v[i] += tn_random();
        b->q1[i] = b->p.q[i] + off * tn_random();
    }
    tn_zero(s->nv, b->p.a);
    tn_zero(s->ng, b->p.lambda);
    tn_copy(s->ne, b->world.e, b->p.e);
    tn_copy(s->nr, b->world.r, b->p.r);
    b->p.t = b->world.t;
    const tn_point point = probe_point(&b->p);
    s->ops->accept(s, &point, b->p.r);
}

// Differences -------------------------------------------------------------------------------------

// -f and the right sides of the extra equations, at a point or over an interval.
static void evaluate(const bench *b, bool over, double *out)
{
    tn_system *s = b->p.sys;
    const tn_point at = probe_point(&b->p);
    const tn_span span = {b->p.t,      b->h,     b->p.q, b->q1, b->p.v,
                          b->p.lambda, b->p.eta, b->p.r, b->p.e};
    if (over) {
        CHECK_OK(tn_system_gradient(s, &span, TN_EVAL_FORCE));
    } else {
        CHECK_OK(tn_system_eval(s, &at, TN_EVAL_FORCE | TN_EVAL_EXTRA));
        tn_copy(s->ne, s->extra, out + s->nv);
    }
    for (int i = 0; i < s->nv; i++)
        out[i] = -s->f[i];
}

// Column j of the derivative by the numbers x, and of the blocks that tell it (NULL: none).
static double misfit(const bench *b, bool over, double *x, int j, const tn_sparse *force,
                     const tn_sparse *extra)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    const tn_system *s = b->p.sys;
    const int n = s->nv + s->ne;
    double *exact = calloc(2 * (size_t)n, sizeof(double)), *r = exact + n;
    CHECK(exact != NULL);
    probe_column(force, j, exact);
    if (extra)
        probe_column(extra, j, exact + s->nv);
    const int rows = extra ? n : s->nv;
    const double size = 1.0 + tn_norm_inf(rows, exact), before = x[j];
    for (int k = 0; k < 4; k++) {
        x[j] = before + at_step[k] * PROBE_STEP;
        evaluate(b, over, r);
        tn_axpy(rows, -weight[k] / (12.0 * PROBE_STEP), r, exact);
    }
    x[j] = before;
    const double off = tn_norm_inf(rows, exact) / size;
    free(exact);
    return off;
}

static void derivatives_at_a_point_match_differences(void)
{
    bench b = open_bench();
    tn_system *s = b.p.sys;
    randomize(&b, 0.1);
    const tn_point at = probe_point(&b.p);
    for (int loads = 0; loads < 2; loads++) {
        CHECK_OK(tn_system_eval(s, &at, loads ? TN_EVAL_LOADS : TN_EVAL_TANGENT));
        tn_sparse *const *B = s->block;
        for (int j = 0; j < s->nv; j++) {
            CHECK_NEAR(misfit(&b, false, b.p.q, j, B[TN_BLOCK_K], B[TN_BLOCK_EQ]), 0, TANGENT_TOL);
            CHECK_NEAR(misfit(&b, false, b.p.v, j, B[TN_BLOCK_D], B[TN_BLOCK_EV]), 0, TANGENT_TOL);
        }
        for (int j = 0; j < s->ne; j++)
            CHECK_NEAR(misfit(&b, false, b.p.e, j, B[TN_BLOCK_FE], B[TN_BLOCK_EE]), 0, TANGENT_TOL);
    }
    close_bench(&b);
}

static void derivatives_over_an_interval_match_differences(void)
{
    bench b = open_bench();
    tn_system *s = b.p.sys;
    randomize(&b, 0.1);
    const tn_span over = {b.p.t, b.h, b.p.q, b.q1, b.p.v, b.p.lambda, b.p.eta, b.p.r, b.p.e};
    CHECK_OK(tn_system_gradient(s, &over, TN_EVAL_TANGENT));
    for (int j = 0; j < s->nv; j++) {
        CHECK_NEAR(misfit(&b, true, b.q1, j, s->block[TN_BLOCK_K], NULL), 0, TANGENT_TOL);
        CHECK_NEAR(misfit(&b, true, b.p.v, j, s->block[TN_BLOCK_D], NULL), 0, TANGENT_TOL);
    }
    for (int j = 0; j < s->ne; j++)
        CHECK_NEAR(misfit(&b, true, b.p.e, j, s->block[TN_BLOCK_FE], NULL), 0, TANGENT_TOL);
    close_bench(&b);
}

// The power of all forces along the motion, and the rates of states.
static void forces_and_rates_are_those_of_absolute_coordinates(void)
{
    bench b = open_bench();
    tn_system *s = b.p.sys, *w = b.world.sys;
    randomize(&b, 0.0);
    const tn_point at = probe_point(&b.p);
    tn_point there = probe_point(&b.world);
    there.r = at.r;
    double rates[3];
    tn_energy x, y;
    s->ops->energy(s, &at, &x);
    w->ops->energy(w, &there, &y);
    CHECK_NEAR(x.supplied, y.supplied, SAME * (1.0 + fabs(y.supplied)));
    CHECK_OK(tn_system_eval(w, &there, TN_EVAL_FORCE | TN_EVAL_EXTRA));
    const double power = tn_dot(w->nv, w->f, b.world.v);
    tn_copy(3, w->extra, rates);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_FORCE | TN_EVAL_EXTRA));
    CHECK_NEAR(tn_dot(s->nv, s->f, b.p.v), power, SAME * (1.0 + fabs(power)));
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(s->extra[i], rates[i], SAME * (1.0 + fabs(rates[i])));
    close_bench(&b);
}

static const tn_test tests[] = {
    {"derivatives at a point match differences", derivatives_at_a_point_match_differences},
    {"derivatives over an interval match differences",
     derivatives_over_an_interval_match_differences},
    {"forces and rates are those of absolute coordinates",
     forces_and_rates_are_those_of_absolute_coordinates},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
