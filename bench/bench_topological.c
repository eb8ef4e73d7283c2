// SPDX-License-Identifier: MIT
//
// The topological solver in joint coordinates, against the number of bodies N: spatial chains,
// binary trees and planar chains on revolute joints, and chains on balls, with random axes and
// inertias. Time per body to linearise, to factor (real, complex), to solve, and of products; what
// a solution leaves of its right-hand side. "dampers" has one between all neighbours, "ground"
// springs from the ground to all bodies.

#include "tenon/tenon.h"
#include "tree/tree_linear_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double uniform(void) // in [-1, 1], the same on every machine
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static tn_mat3 random_turn(void)
{
    tn_quat e = {uniform(), uniform(), uniform(), uniform()};
    while (tn_quat_norm(e) < 0.1)
        e.w = uniform();
    return tn_quat_matrix(tn_quat_normalize(e));
}

typedef enum shape { CHAIN, BINARY, PLANAR, BALLS, DAMPERS, GROUND, SHAPES } shape;

static const char *const names[SHAPES] = {"chain", "binary",  "planar",
                                          "balls", "dampers", "ground"};

static tn_model *mechanism(int n, shape form)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    for (int k = 1; k <= n; k++) {
        tn_body_def link = tn_default_body();
        link.kind = form == PLANAR ? TN_BODY_PLANAR : TN_BODY_RIGID;
        link.mass = 1.0 + 0.5 * uniform();
        link.com = (tn_vec3){0.3 * uniform(), 0.3 * uniform(), 0.3 * uniform()};
        link.inertia = (tn_vec3){1.0 + 0.2 * uniform(), 1.0 + 0.2 * uniform(), 1.0};
        link.inertia_axes = random_turn();
        tn_joint_def pin = tn_default_joint(form == BALLS ? TN_JOINT_SPHERICAL : TN_JOINT_REVOLUTE);
        pin.body_a.index = form == BINARY ? k / 2 : k - 1;
        pin.body_b = tn_model_add_body(model, &link);
        pin.frame_a = (tn_frame){random_turn(), {uniform(), uniform(), uniform()}};
        pin.frame_b = (tn_frame){random_turn(), {0.2 * uniform(), 0.2 * uniform(), uniform()}};
        if (form == PLANAR)
            pin.frame_a.R = pin.frame_b.R = tn_m3_identity;
        tn_model_add_joint(model, &pin);
    }
    return model;
}

typedef struct bench {
    shape form;
    tn_tree *tree;
    tn_tree_linear *lin;
    double *q, *v, *a, *b, *x, *r, *im;
} bench;

static void random_motion(bench *s)
{
    for (int i = 0; i < s->tree->nq; i++)
        s->q[i] = uniform();
    for (int k = 0; k < s->tree->ngroup; k++) {
        double *e = s->q + s->tree->groups[k].q0;
        if (s->tree->groups[k].kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize(tn_quat_from(e)), e);
    }
    for (int i = 0; i < s->tree->nv; i++) {
        s->v[i] = 0.3 * uniform();
        s->x[i] = uniform();
    }
}

static void linearise(bench *s)
{
    double K[12][12] = {{0}}, D[12][12] = {{0}};
    double(*A)[12] = s->form == GROUND ? K : D;
    for (int i = 0; i < 6; i++) {
        A[i][i] = A[6 + i][6 + i] = -1.0;
        A[i][6 + i] = A[6 + i][i] = 1.0;
    }
    tn_tree_linear_set(s->lin);
    for (int k = 1; k < s->tree->n && s->form >= DAMPERS; k++)
        tn_tree_linear_add(s->lin, s->form == GROUND ? 0 : s->tree->body[k].parent, k, K, D);
}

static void stop(tn_status status)
{
    if (status == TN_OK)
        return;
    fprintf(stderr, "%s\n", tn_last_error());
    exit(1);
}

typedef enum task { SET, FACTOR, FACTOR_COMPLEX, SOLVE, SOLVE_COMPLEX, TIMES, TASKS } task;

static const double h = 1e-3; // a step

static void perform(bench *s, task what)
{
    const double complex z = h * CMPLX(1.0, 1.0), real[3] = {h, 1.0, 1.0 / h};
    const double complex pair[3] = {z, 1.0, 1.0 / z};
    const double *const X[2] = {NULL, NULL};
    switch (what) {
    case SET:
        linearise(s);
        break;
    case FACTOR:
    case FACTOR_COMPLEX:
        stop(tn_tree_linear_factor(s->lin, what == FACTOR_COMPLEX, what == FACTOR ? real : pair, X,
                                   NULL));
        break;
    case SOLVE:
    case SOLVE_COMPLEX:
        tn_tree_linear_solve(s->lin, s->b, what == SOLVE ? NULL : s->im);
        break;
    default:
        tn_tree_linear_times(s->lin, h, 1.0, 1.0 / h, s->x, s->r);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The best of some runs, in ns per body.
static double time_of(bench *s, task what)
{
    const int bodies = s->tree->n - 1, repeats = bodies > 20000 ? 1 : 20000 / bodies;
    double best = INFINITY;
    for (int run = 0; run < 5; run++) {
        const double start = seconds();
        for (int i = 0; i < repeats; i++)
            perform(s, what);
        best = fmin(best, (seconds() - start) / repeats);
    }
    return 1e9 * best / bodies;
}

// |A x - b| / |b| of a solution x.
static double left_over(bench *s)
{
    double most = 0.0, left = 0.0;
    for (int i = 0; i < s->tree->nv; i++)
        s->b[i] = s->r[i] = 0.0;
    tn_tree_linear_times(s->lin, h, 1.0, 1.0 / h, s->x, s->b);
    for (int i = 0; i < s->tree->nv; i++)
        s->x[i] = s->b[i];
    tn_tree_linear_solve(s->lin, s->x, NULL);
    tn_tree_linear_times(s->lin, h, 1.0, 1.0 / h, s->x, s->r);
    for (int i = 0; i < s->tree->nv; i++) {
        most = fmax(most, fabs(s->b[i]));
        left = fmax(left, fabs(s->r[i] - s->b[i]));
    }
    return left / most;
}

static void measure(int n, shape form)
{
    bench s = {.form = form};
    tn_model *model = mechanism(n, form);
    double ns[TASKS];
    stop(tn_tree_create(model, &s.tree));
    stop(tn_tree_linear_create(s.tree, &s.lin));
    double **const all[] = {&s.q, &s.v, &s.a, &s.b, &s.x, &s.r, &s.im};
    for (int i = 0; i < TN_COUNT(all); i++)
        *all[i] = calloc((size_t)s.tree->nq, sizeof(double));
    random_motion(&s);
    tn_tree_move(s.tree, s.q, s.v);
    stop(tn_tree_accelerate(s.tree, NULL, s.a, NULL));
    tn_tree_residual(s.tree, NULL, s.a, s.r);
    for (int i = 0; i < TASKS; i++)
        ns[i] = time_of(&s, (task)i);
    printf("%-8s %7d %6.0f %8.0f %8.0f %8.0f %8.0f %8.0f %10.1e\n", names[form], n, ns[SET],
           ns[FACTOR], ns[FACTOR_COMPLEX], ns[SOLVE], ns[SOLVE_COMPLEX], ns[TIMES], left_over(&s));
    fflush(stdout);
    for (int i = 0; i < TN_COUNT(all); i++)
        free(*all[i]);
    tn_tree_linear_destroy(s.lin);
    tn_tree_destroy(s.tree);
    tn_model_destroy(model);
}

int main(void)
{
    printf("ns per body\n%-8s %7s %6s %8s %8s %8s %8s %8s %10s\n", "", "bodies", "set", "factor",
           "complex", "solve", "complex", "times", "left over");
    for (int form = 0; form < SHAPES; form++)
        for (int n = 100; n <= 100000; n *= 10)
            measure(n, (shape)form);
    return 0;
}
