// SPDX-License-Identifier: MIT
//
// Block elimination along the topology against KLU, on the matrices of trees of bodies in absolute
// coordinates: the KKT matrix of the accelerations, core and projection of galpha/ggl with a step
// of 1 ms, and that core with complex numbers as in radau5. Chains and binary trees of revolute
// joints, spatial with random axes and planar; microseconds per body of a factorisation with new
// values (equilibration included) and of a solve, and the largest difference of the solutions,
// relative. With an argument, also as CSV into that file.

#include "formulation/corrector.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"
#include "linalg/solver.h"
#include "system/absolute.h"

#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) // processor time of this program [s]
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(void) // in [-1, 1], the same on every machine
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static void check(tn_status status)
{
    if (status == TN_OK)
        return;
    fprintf(stderr, "%s\n", tn_last_error());
    exit(1);
}

typedef struct shape {
    const char *name;
    bool planar, binary;
} shape;

static const shape shapes[] = {
    {"chain", false, false},
    {"binary", false, true},
    {"planar-chain", true, false},
    {"planar-binary", true, true},
};

static tn_mat3 random_turn(bool planar)
{
    if (planar)
        return tn_m3_rot_z(uniform());
    return tn_m3_mul(tn_m3_rot_x(3.0 * uniform()), tn_m3_rot_z(3.0 * uniform()));
}

// Links that stand where their joints put them.
static tn_model *mechanism(int n, shape form)
{
    tn_model *model = tn_model_create();
    tn_body *bodies = calloc((size_t)n, sizeof *bodies);
    tn_frame *frames = calloc((size_t)n, sizeof *frames);
    if (!bodies || !frames)
        exit(1);
    for (int k = 0; k < n; k++) {
        const int parent = form.binary ? (k + 1) / 2 - 1 : k - 1;
        tn_joint_def pin =
            tn_default_joint(form.planar ? TN_JOINT_PLANAR_REVOLUTE : TN_JOINT_REVOLUTE);
        tn_body_def link = tn_default_body();
        const tn_frame turned = {random_turn(form.planar), {0.0, 0.0, 0.0}};
        const tn_frame half = {tn_m3_identity, {0.5, 0.0, 0.0}};
        pin.frame_a = parent < 0 ? turned : tn_frame_mul(half, turned);
        pin.frame_b =
            (tn_frame){form.planar ? tn_m3_identity : random_turn(false), {-0.5, 0.0, 0.0}};
        const tn_frame base = parent < 0 ? (tn_frame){.R = tn_m3_identity} : frames[parent];
        frames[k] = tn_frame_mul(tn_frame_mul(base, pin.frame_a), tn_frame_inverse(pin.frame_b));
        link.kind = form.planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
        link.mass = 1.5 + uniform();
        link.inertia = (tn_vec3){0.01, 0.09, 0.09};
        link.frame = frames[k];
        bodies[k] = tn_add_body(model, &link);
        pin.body_a = parent < 0 ? TN_GROUND : bodies[parent];
        pin.body_b = bodies[k];
        tn_add_joint(model, &pin);
    }
    free(bodies);
    free(frames);
    return model;
}

typedef struct cost {
    double factor, solve; // [s]
} cost;

// A solver of either kind with a matrix and a right side.
typedef struct work {
    const tn_sparse *A;
    tn_solver *real;
    tn_zsolver *complex_;
    double complex *val, *z;
    double *x;
} work;

static void factor(work *w)
{
    check(w->real ? tn_solver_factor(w->real, w->A) : tn_zsolver_factor(w->complex_, w->val));
}

static void solve(work *w)
{
    for (int i = 0; i < w->A->nrow; i++)
        if (w->real)
            w->x[i] = 1.0;
        else
            w->z[i] = 1.0;
    if (w->real)
        tn_solver_solve(w->real, w->x);
    else
        tn_zsolver_solve(w->complex_, w->z);
}

// The least of some rounds: other programs disturb, they never help.
static double least(void (*action)(work *), work *w, int repeats)
{
    double best = INFINITY;
    for (int round = 0; round < 7; round++) {
        const double start = now();
        for (int i = 0; i < repeats; i++)
            action(w);
        best = fmin(best, (now() - start) / repeats);
    }
    return best;
}

static cost measure(const tn_sparse *A, const tn_forest *along, bool is_complex, double *x)
{
    const size_t n = (size_t)A->nrow;
    work w = {.A = A, .x = x};
    w.val = calloc((size_t)A->nnz, sizeof *w.val);
    w.z = calloc(n, sizeof *w.z);
    if (!w.val || !w.z)
        exit(1);
    for (int k = 0; k < A->nnz; k++)
        w.val[k] = CMPLX(A->val[k], 0.5 * A->val[k]);
    if (is_complex)
        check(tn_zsolver_create_along(A, along, &w.complex_));
    else
        check(tn_solver_create_along(A, along, &w.real));
    factor(&w);
    const int repeats = 1 + 20000 / A->nrow;
    const cost c = {least(factor, &w, repeats), least(solve, &w, 4 * repeats)};
    for (size_t i = 0; i < n && is_complex; i++)
        x[i] = creal(w.z[i]);
    tn_solver_destroy(w.real);
    tn_zsolver_destroy(w.complex_);
    free(w.val);
    free(w.z);
    return c;
}

static FILE *csv;

static void compare(shape form, int bodies, const char *what, const tn_sparse *A,
                    const tn_forest *along, bool is_complex)
{
    double *x = calloc((size_t)A->nrow, sizeof *x), *y = calloc((size_t)A->nrow, sizeof *y);
    if (!x || !y)
        exit(1);
    const cost tree = measure(A, along, is_complex, x), klu = measure(A, NULL, is_complex, y);
    const double size = tn_norm_inf(A->nrow, y), us = 1e6 / bodies;
    tn_axpy(A->nrow, -1.0, x, y);
    printf("%-14s %6d  %-15s  %7.3f %7.3f  %5.2f    %7.3f %7.3f  %5.2f    %.1e\n", form.name,
           bodies, what, us * klu.factor, us * tree.factor, klu.factor / tree.factor,
           us * klu.solve, us * tree.solve, klu.solve / tree.solve, tn_norm_inf(A->nrow, y) / size);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%d,%s,%.4f,%.4f,%.4f,%.4f\n", form.name, bodies, what, us * klu.factor,
                us * tree.factor, us * klu.solve, us * tree.solve);
    free(x);
    free(y);
}

static void compare_accelerations(shape form, int bodies, tn_system *sys)
{
    const tn_sparse *M = sys->block[TN_BLOCK_M], *B = sys->block[TN_BLOCK_B];
    const tn_placement place[] = {
        {.source = M},
        {.source = B, .row0 = sys->nv},
        {.source = B, .col0 = sys->nv, .transposed = true},
        {.size = sys->ng, .row0 = sys->nv, .col0 = sys->nv},
    };
    tn_composition A = {0};
    check(tn_sparse_compose(sys->nv + sys->ng, 4, place, &A));
    tn_sparse_scatter(A.matrix->val, A.maps[0], M->nnz, 1.0, M->val);
    tn_sparse_scatter(A.matrix->val, A.maps[1], B->nnz, 1.0, B->val);
    tn_sparse_scatter(A.matrix->val, A.maps[2], B->nnz, 1.0, B->val);
    compare(form, bodies, "accelerations", A.matrix, &sys->forest, false);
    tn_composition_clear(&A);
}

static void run(shape form, int bodies)
{
    tn_model *model = mechanism(bodies, form);
    tn_system *sys = NULL;
    tn_problem *problem = NULL;
    check(tn_absolute_create(model, TN_ROTATION_SO3, false, &sys));
    const size_t room = (size_t)(sys->nq + 4 * sys->nv + sys->ng + sys->nr + 1);
    double *q = calloc(room, sizeof *q);
    if (!q)
        exit(1);
    double *v = q + sys->nq, *a = v + sys->nv, *dx = a + sys->nv, *lambda = dx + sys->nv;
    const tn_point at = {.q = q, .v = v, .a = a, .lambda = lambda, .r = lambda + sys->ng};
    tn_absolute_start(sys, q, v, lambda + sys->ng);
    for (int i = 0; i < sys->nv; i++)
        a[i] = uniform();
    for (int i = 0; i < sys->ng; i++)
        lambda[i] = 10.0 * uniform();
    check(tn_problem_create(sys, &tn_formulation_ggl, NULL, &problem));
    check(tn_problem_begin(problem, &at));
    check(tn_problem_factor(problem, &at, dx,
                            (tn_weights){.h = 1e-3, .q = 1e-3, .v = 1.8, .a = 2.0e3, .c = 1e3}));
    compare_accelerations(form, bodies, sys);
    compare(form, bodies, "ggl-core", tn_problem_matrix(problem), &sys->forest, false);
    compare(form, bodies, "ggl-projection", tn_problem_projection(problem), &sys->forest, false);
    compare(form, bodies, "complex-core", tn_problem_matrix(problem), &sys->forest, true);
    tn_problem_destroy(problem);
    tn_system_destroy(sys);
    tn_model_destroy(model);
    free(q);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {4, 10, 100, 1000, 10000};
    csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (csv)
        fprintf(csv,
                "shape,bodies,matrix,klu_factor_us,tree_factor_us,klu_solve_us,tree_solve_us\n");
    printf("                                                  factor [us/body]         solve "
           "[us/body]\n");
    printf("shape          bodies  matrix              KLU    tree  ratio        KLU    "
           "tree  ratio  difference\n");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            run(shapes[k], sizes[i]);
    if (csv)
        fclose(csv);
    return 0;
}
