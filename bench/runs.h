// SPDX-License-Identifier: MIT
//
// Runs that are compared with equations written by hand (bench_runs.c, bench_evaluation.c):
// pendulum chains, Andrews' mechanism, and ten coupled four-bars (IFToMM A02). By hand, chains are
// O(N) recursions, and mechanisms with loops one full matrix of accelerations and multipliers in
// each evaluation. Both sides use DOP853, by hand in plain_dop853.h.

#pragma once

#include "hand_andrews.h"
#include "hand_chain.h"
#include "hand_fourbars.h"
#include "tenon/tenon.h"

#include <stdio.h>
#include <time.h>

typedef struct problem problem;
struct problem {
    const char *name;
    int n; // links of a chain
    double t_end;
    const char *method; // without coordinates
    double project_tol; // 0: the usual one
    int nz, nout;       // by hand: variables, numbers that are compared
    tn_model *(*model)(const problem *p);
    void (*start)(const problem *p, double *z);
    void (*by_hand)(const problem *p, const double *z, double *out);
    void (*by_tenon)(const problem *p, tn_sim *sim, double *out);
    void (*exact)(const problem *p, double *out); // NULL: a run by hand
    void (*rates)(void *user, const double *z, double *zdot);
    void (*blocks)(void *user, const double *z, double *zdot); // the same with more care, or NULL
    bool (*after)(void *user, const double *before, double *z);
    void *user;
};

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_body add_rod(tn_model *model, double x, double y, double angle, double mass,
                       double inertia)
{
    tn_body_def rod = tn_default_body();
    rod.kind = TN_BODY_PLANAR;
    rod.mass = mass;
    rod.inertia.z = inertia;
    rod.frame = (tn_frame){tn_m3_rot_z(angle), {x, y, 0.0}};
    return tn_model_add_body(model, &rod);
}

// A pin at a place that is given from the middles of both bodies.
static tn_joint_def pin_between(tn_body a, tn_vec3 at_a, tn_body b, tn_vec3 at_b)
{
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.body_a = a;
    pin.body_b = b;
    pin.frame_a.p = at_a;
    pin.frame_b.p = at_b;
    return pin;
}

// Middles of all bodies, in the order of the model.
static void middles(const problem *p, tn_sim *sim, double *out)
{
    for (int i = 0; i < p->nout / 2; i++) {
        const tn_vec3 at = tn_sim_body_frame(sim, (tn_body){i + 1}).p;
        out[2 * i] = at.x;
        out[2 * i + 1] = at.y;
    }
}

// Chains ------------------------------------------------------------------------------------------

static const double CHAIN_ANGLE = -0.78539816339744831; // at the start

static tn_model *chain_model(const problem *p)
{
    const double l = 1.0 / p->n, x = cos(CHAIN_ANGLE), y = sin(CHAIN_ANGLE);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    tn_body last = TN_GROUND;
    for (int k = 0; k < p->n; k++) {
        const double to = (k + 0.5) * l;
        const tn_body rod = add_rod(model, to * x, to * y, CHAIN_ANGLE, l, l * l * l / 12.0);
        const tn_joint_def pin = pin_between(last, (tn_vec3){k > 0 ? 0.5 * l : 0.0, 0.0, 0.0}, rod,
                                             (tn_vec3){-0.5 * l, 0.0, 0.0});
        tn_model_add_joint(model, &pin);
        last = rod;
    }
    return model;
}

static void chain_start(const problem *p, double *z)
{
    for (int i = 0; i < p->nz; i++)
        z[i] = i < p->n ? CHAIN_ANGLE : 0.0;
}

static void chain_middles(const problem *p, const double *z, double *out)
{
    double x = 0.0, y = 0.0; // in half rods
    for (int i = 0; i < p->n; i++) {
        out[2 * i] = 0.5 / p->n * (x + cos(z[i]));
        out[2 * i + 1] = 0.5 / p->n * (y + sin(z[i]));
        x += 2.0 * cos(z[i]);
        y += 2.0 * sin(z[i]);
    }
}

// Andrews' mechanism ------------------------------------------------------------------------------

static tn_model *andrews_model(const problem *p)
{
    (void)p;
    tn_model *model = NULL;
    if (tn_model_load(TN_SOURCE_DIR "/models/andrews.yaml", &model, NULL) != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    return model;
}

static void andrews_begin(const problem *p, double *z)
{
    memset(z, 0, (size_t)p->nz * sizeof *z);
    memcpy(z, andrews_start, sizeof andrews_start);
}

static void andrews_angles(const problem *p, const double *z, double *out)
{
    memcpy(out, z, (size_t)p->nout * sizeof *out);
}

static void andrews_joints(const problem *p, tn_sim *sim, double *out)
{
    for (int i = 0; i < p->nout; i++) {
        double q[3], rate[3];
        tn_sim_joint_coordinates(sim, (tn_joint){i}, q, rate);
        out[i] = q[0];
    }
}

// Four-bars ---------------------------------------------------------------------------------------

static tn_model *fourbars_model(const problem *p)
{
    (void)p;
    const tn_vec3 up = {0.0, 0.5, 0.0}, down = {0.0, -0.5, 0.0}, left = {-0.5, 0.0, 0.0},
                  right = {0.5, 0.0, 0.0};
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    tn_body rods[LOOPS + 1];
    for (int k = 0; k <= LOOPS; k++) {
        rods[k] = add_rod(model, k, 0.5, 0.0, 1.0, 1.0 / 12.0);
        tn_joint_def pin = pin_between(TN_GROUND, (tn_vec3){k, 0.0, 0.0}, rods[k], down);
        pin.nrate = k == 0;
        pin.rate[0] = -1.0;
        tn_model_add_joint(model, &pin);
    }
    for (int k = 0; k < LOOPS; k++) {
        const tn_body link = add_rod(model, k + 0.5, 1.0, 0.0, 1.0, 1.0 / 12.0);
        const tn_joint_def pins[2] = {pin_between(rods[k], up, link, left),
                                      pin_between(rods[k + 1], up, link, right)};
        tn_model_add_joint(model, &pins[0]);
        tn_model_add_joint(model, &pins[1]);
    }
    return model;
}

static void fourbars_start(const problem *p, double *z)
{
    (void)p;
    hand_fourbars_start(z);
}

static void fourbars_middles(const problem *p, const double *z, double *out)
{
    (void)p;
    for (int k = 0; k <= LOOPS; k++) {
        out[2 * k] = k + 0.5 * cos(z[k]);
        out[2 * k + 1] = 0.5 * sin(z[k]);
    }
    double *links = out + 2 * (LOOPS + 1);
    for (int k = 0; k < LOOPS; k++) {
        links[2 * k] = k + cos(z[k]) + 0.5 * cos(z[LOOPS + 1 + k]);
        links[2 * k + 1] = sin(z[k]) + 0.5 * sin(z[LOOPS + 1 + k]);
    }
}

// All rods parallel: ((N + 1) / 3 + N) th'' = -g ((N + 1) / 2 + N) cos th.
static void pendulum_rates(void *user, const double *z, double *zdot)
{
    (void)user;
    const double N = LOOPS;
    zdot[0] = z[1];
    zdot[1] = -9.81 * ((N + 1.0) / 2.0 + N) / ((N + 1.0) / 3.0 + N) * cos(z[0]);
}

static void fourbars_exact(const problem *p, double *out)
{
    const plain_problem pendulum = {.n = 2, .rates = pendulum_rates};
    double z[2 * BARS], all[2 * BARS];
    hand_fourbars_start(all);
    z[0] = all[0], z[1] = all[BARS];
    plain_dop853(&pendulum, p->t_end, 1e-13, z);
    for (int k = 0; k <= LOOPS; k++)
        all[k] = z[0];
    fourbars_middles(p, all, out);
}

// One run ----------------------------------------------------------------------------------------

typedef struct result {
    bool done;
    double tol, error, create, run; // times [s]
    long steps, rejected, evaluations;
} result;

// One run to the end of the problem with a tolerance.
typedef result (*runner)(const problem *p, const char *method, double tol, double *out);

static result run_by_hand(const problem *p, const char *method, double tol, double *out)
{
    (void)method;
    const plain_problem hand = {p->nz, p->user, p->rates, p->after};
    double *z = malloc((size_t)p->nz * sizeof *z);
    p->start(p, z);
    const double begin = clock_now();
    const plain_count count = plain_dop853(&hand, p->t_end, tol, z);
    const double end = clock_now();
    p->by_hand(p, z, out);
    free(z);
    return (result){
        true, tol, 0.0, 0.0, end - begin, count.steps, count.rejected, count.evaluations};
}

static result run_by_tenon(const problem *p, const char *method, double tol, double *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    if (p->project_tol > 0.0)
        options.project_tol = p->project_tol;
    tn_model *model = p->model(p);
    tn_sim *sim = NULL;
    tn_ledger ledger = {0};
    const double begin = clock_now();
    tn_status status = model ? tn_sim_create(model, &options, &sim) : TN_ERR_USAGE;
    const double ready = clock_now();
    if (status == TN_OK)
        status = tn_sim_run(sim, p->t_end, NULL, NULL);
    const double end = clock_now();
    if (status == TN_OK) {
        p->by_tenon(p, sim, out);
        tn_sim_ledger(sim, &ledger);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return (result){
        status == TN_OK,   tol, 0.0, ready - begin, end - ready, ledger.steps, ledger.rejected,
        ledger.evaluations};
}

// Problems ----------------------------------------------------------------------------------------

static problem chain_problem(int n, const char *name, hand_chain *work)
{
    return (problem){.name = name,
                     .n = n,
                     .t_end = 1.0,
                     .method = "dop853/index1",
                     .nz = 2 * n,
                     .nout = 2 * n,
                     .model = chain_model,
                     .start = chain_start,
                     .by_hand = chain_middles,
                     .by_tenon = middles,
                     .rates = hand_chain_rates,
                     .user = work};
}

static problem andrews_problem(void)
{
    return (problem){.name = "andrews",
                     .t_end = 0.05,
                     .method = "dop853/index1",
                     .nz = 2 * ANDREWS_ANGLES,
                     .nout = ANDREWS_ANGLES,
                     .model = andrews_model,
                     .start = andrews_begin,
                     .by_hand = andrews_angles,
                     .by_tenon = andrews_joints,
                     .rates = dense_andrews_rates,
                     .blocks = hand_andrews_rates};
}

static problem fourbars_problem(hand_fourbars *work)
{
    return (problem){.name = "fourbars",
                     .t_end = 10.0,
                     .method = "dop853/index1+project",
                     .project_tol = 1e-13, // after each step, as by hand
                     .nz = 2 * BARS,
                     .nout = 2 * BARS,
                     .model = fourbars_model,
                     .start = fourbars_start,
                     .by_hand = fourbars_middles,
                     .by_tenon = middles,
                     .exact = fourbars_exact,
                     .rates = dense_fourbars_rates,
                     .blocks = hand_fourbars_rates,
                     .after = hand_fourbars_after,
                     .user = work};
}
