// SPDX-License-Identifier: MIT
//
// Block elimination along the topology against KLU, on the matrices of trees of bodies in absolute
// coordinates: the KKT matrix of the accelerations, core and projection of galpha/ggl with a step
// of 1 ms, and that core with complex numbers as in radau5. Chains and binary trees of revolute
// joints, spatial with random axes and planar; microseconds per body of a factorisation with new
// values and of a solve, without the equilibration that precedes both, and the largest difference
// of the solutions, relative. With an argument, also as CSV into that file.

#include "formulation/corrector.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"
#include "system/absolute.h"

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

// A factorisation with a matrix and a right side.
typedef struct work {
    const tn_factor_ops *ops;
    void *self;
    const tn_sparse *A;
    int n; // doubles in x
    double *x;
} work;

static void factor(work *w)
{
    tn_solver_stats stats = {0};
    check(w->ops->factor(w->self, w->A, &stats));
}

static void solve(work *w)
{
    for (int i = 0; i < w->n; i++)
        w->x[i] = 1.0;
    w->ops->solve(w->self, w->x);
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

static cost measure(const tn_factor_ops *ops, int parts, const tn_sparse *A, const tn_forest *along,
                    double *x)
{
    work w = {.ops = ops, .A = A, .n = parts * A->nrow, .x = x};
    check(ops->create(A, along, &w.self));
    factor(&w);
    const int repeats = 1 + 20000 / A->nrow;
    const cost c = {least(factor, &w, repeats), least(solve, &w, 4 * repeats)};
    ops->destroy(w.self);
    return c;
}

static FILE *csv;

static void compare(shape form, int bodies, const char *what, int parts, const tn_sparse *A,
                    const tn_forest *along)
{
    const int n = parts * A->nrow;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    if (!x || !y)
        exit(1);
    const cost tree =
        measure(parts == 1 ? &tn_factor_tree : &tn_factor_tree_complex, parts, A, along, x);
    const cost klu =
        measure(parts == 1 ? &tn_factor_klu : &tn_factor_klu_complex, parts, A, NULL, y);
    const double size = tn_norm_inf(n, y), us = 1e6 / bodies;
    tn_axpy(n, -1.0, x, y);
    printf("%-14s %6d  %-15s  %7.3f %7.3f  %5.2f    %7.3f %7.3f  %5.2f    %.1e\n", form.name,
           bodies, what, us * klu.factor, us * tree.factor, klu.factor / tree.factor,
           us * klu.solve, us * tree.solve, klu.solve / tree.solve, tn_norm_inf(n, y) / size);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%d,%s,%.4f,%.4f,%.4f,%.4f\n", form.name, bodies, what, us * klu.factor,
                us * tree.factor, us * klu.solve, us * tree.solve);
    free(x);
    free(y);
}

// The same with values (1 + i/2) times those of A.
static void compare_complex(shape form, int bodies, const char *what, const tn_sparse *A,
                            const tn_forest *along)
{
    tn_sparse Z = *A;
    Z.val = calloc(2 * (size_t)A->nnz, sizeof *Z.val);
    if (!Z.val)
        exit(1);
    for (int k = 0; k < A->nnz; k++) {
        Z.val[2 * k] = A->val[k];
        Z.val[2 * k + 1] = 0.5 * A->val[k];
    }
    compare(form, bodies, what, 2, &Z, along);
    free(Z.val);
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
    compare(form, bodies, "accelerations", 1, A.matrix, &sys->forest);
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
    compare(form, bodies, "ggl-core", 1, tn_problem_matrix(problem), &sys->forest);
    compare(form, bodies, "ggl-projection", 1, tn_problem_projection(problem), &sys->forest);
    compare_complex(form, bodies, "complex-core", tn_problem_matrix(problem), &sys->forest);
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
