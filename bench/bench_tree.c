// SPDX-License-Identifier: MIT
//
// Forward dynamics in joint coordinates, against the number of bodies N: spatial chains, binary
// trees and planar chains on revolute joints with random axes and inertias. Time per body of
// tn_tree_move and tn_tree_accelerate beside a kernel written by hand for revolute joints only
// (revolute_kernel.h), and the largest difference of their accelerations. Also times per body of
// the other recursions, and memory per body of the tree. With an argument, also as CSV into that
// file.

#include "revolute_kernel.h"
#include "system/tree_data.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Bytes in use by the library, counted through its allocator.
static size_t in_use;

static void *counted(void *user, void *block, size_t size)
{
    (void)user;
    size_t *head = block ? (size_t *)block - 2 : NULL;
    in_use -= head ? head[0] : 0;
    if (size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, size + 2 * sizeof(size_t));
    if (!head)
        return NULL;
    head[0] = size;
    in_use += size;
    return head + 2;
}

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

typedef enum shape { CHAIN, BINARY, PLANAR, SHAPES } shape;

static const char *const names[SHAPES] = {"chain", "binary", "planar"};

static tn_model *mechanism(int n, shape form)
{
    tn_model *model = tn_model_create();
    tn_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    for (int k = 1; k <= n; k++) {
        tn_body_def link = tn_default_body();
        link.mass = 1.0 + 0.5 * uniform();
        link.com = (tn_vec3){0.3 * uniform(), 0.3 * uniform(), 0.3 * uniform()};
        link.inertia = (tn_vec3){1.0 + 0.2 * uniform(), 1.0 + 0.2 * uniform(), 1.0};
        link.inertia_axes = random_turn();
        if (form == PLANAR)
            link.kind = TN_BODY_PLANAR;
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a.index = form == BINARY ? k / 2 : k - 1;
        pin.body_b = tn_add_body(model, &link);
        pin.frame_a = (tn_frame){random_turn(), {uniform(), uniform(), uniform()}};
        pin.frame_b = (tn_frame){random_turn(), {0.2 * uniform(), 0.2 * uniform(), uniform()}};
        if (form == PLANAR)
            pin.frame_a.R = pin.frame_b.R = tn_m3_identity;
        tn_add_joint(model, &pin);
    }
    return model;
}

static vec vec_of(tn_vec3 a)
{
    return (vec){a.x, a.y, a.z};
}

// The kernel for the same mechanism, in the same order.
static kernel kernel_of(const tn_tree *base, shape form, int *below)
{
    const tree *t = (const tree *)base;
    kernel s = {.n = base->n - 1, .below = below};
    const size_t n = (size_t)s.n;
    s.body = malloc(n * sizeof *s.body);
    s.work = malloc(n * sizeof *s.work);
    s.sum = form == BINARY ? malloc(n * sizeof *s.sum) : NULL;
    s.l = form == BINARY ? malloc(n * sizeof *s.l) : NULL;
    s.al = form == BINARY ? malloc(n * sizeof *s.al) : NULL;
    s.sine = malloc(n * sizeof(double));
    s.cosine = malloc(n * sizeof(double));
    for (int k = 1; k < base->n; k++) {
        const tree_base *at = &t->at[k];
        const tree_mass *mass = &t->mass[k];
        s.body[k - 1] = (kernel_body){.X = vec_of(at->X),
                                      .Y = vec_of(at->Y),
                                      .Z = vec_of(at->Z),
                                      .d = vec_of(at->d),
                                      .m = mass->m,
                                      .lambda = mass->lambda,
                                      .ky = mass->ky,
                                      .kz = mass->kz,
                                      .mc = vec_of(mass->mc),
                                      .g = vec_of(mass->g)};
        if (form == PLANAR) // the moment about z
            s.body[k - 1].lambda += mass->g.z * mass->g.z + mass->kz * mass->kz;
        below[k - 1] = base->body[k].parent - 1;
    }
    return s;
}

static void free_kernel(kernel *s)
{
    free(s->body);
    free(s->work);
    free(s->sum);
    free(s->l);
    free(s->al);
    free(s->sine);
    free(s->cosine);
}

// Least time of many short trials [s], of the processor: others on the machine do not count.
static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct subject {
    tn_tree *tree;
    kernel yardstick;
    shape form;
    double *q, *v, *a, *b, *r;
} subject;

static void run_yardstick(subject *s)
{
    static void (*const kernels[SHAPES])(kernel *, vec, const double *, const double *,
                                         double *) = {kernel_chain, kernel_tree, kernel_plane};
    kernels[s->form](&s->yardstick, (vec){0.0, 9.81, 0.0}, s->q, s->v, s->b);
}

static void run_forward(subject *s)
{
    tn_tree_move(s->tree, s->q, s->v);
    if (tn_tree_accelerate(s->tree, NULL, s->a) != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
}

static void run_move(subject *s)
{
    tn_tree_move(s->tree, s->q, s->v);
}

static void run_residual(subject *s)
{
    tn_tree_residual(s->tree, NULL, s->a, s->r);
}

static void run_product(subject *s)
{
    tn_tree_times_mass(s->tree, s->v, s->r);
}

static void run_factor(subject *s)
{
    if (tn_tree_factor(s->tree) != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
}

static void run_solve(subject *s)
{
    memcpy(s->r, s->v, sizeof(double) * (size_t)s->tree->nv);
    tn_tree_solve(s->tree, s->r);
}

static double least_time(subject *s, void (*run)(subject *s))
{
    const int n = s->tree->n - 1, inner = n < 20000 ? 20000 / n : 1;
    const int trials = n > 200000 ? 8 : n > 20000 ? 30 : 200;
    double best = 1e9;
    for (int i = 0; i < trials; i++) {
        const double begin = clock_now();
        for (int k = 0; k < inner; k++)
            run(s);
        const double time = (clock_now() - begin) / inner;
        best = time < best ? time : best;
    }
    return 1e9 * best / n;
}

static bool measure(int n, shape form, FILE *csv)
{
    tn_model *model = mechanism(n, form);
    subject s = {.form = form};
    const size_t before = in_use;
    if (tn_tree_create(model, &s.tree) != TN_OK) {
        fprintf(stderr, "%s\n", tn_last_error());
        return false;
    }
    const size_t memory = in_use - before;
    int *below = malloc((size_t)n * sizeof *below);
    double *numbers = calloc((size_t)n * 5, sizeof *numbers);
    s.q = numbers, s.v = s.q + n, s.a = s.v + n, s.b = s.a + n, s.r = s.b + n;
    for (int i = 0; i < n; i++) {
        s.q[i] = 3.0 * uniform();
        s.v[i] = uniform();
    }
    s.yardstick = kernel_of(s.tree, form, below);
    const double yardstick = least_time(&s, run_yardstick), forward = least_time(&s, run_forward);
    double apart = 0.0, size = 1.0;
    for (int i = 0; i < n; i++) {
        apart = fmax(apart, fabs(s.a[i] - s.b[i]));
        size = fmax(size, fabs(s.b[i]));
    }
    const double move = least_time(&s, run_move), residual = least_time(&s, run_residual);
    const double product = least_time(&s, run_product), factor = least_time(&s, run_factor);
    const double solve = least_time(&s, run_solve);
    printf("%-6s %8d  %8.1f %8.1f %6.2f   %6.1f %8.1f %7.1f %7.1f %7.1f  %6.0f   %.0e\n",
           names[form], n, yardstick, forward, forward / yardstick, move, residual, product, factor,
           solve, (double)memory / n, apart / size);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.0f\n", names[form], n, yardstick,
                forward, move, residual, product, factor, solve, (double)memory / n);
    free_kernel(&s.yardstick);
    free(below);
    free(numbers);
    tn_tree_destroy(s.tree);
    tn_model_destroy(model);
    return true;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    const int most = argc > 2 ? atoi(argv[2]) : 1000000;
    if (csv)
        fprintf(csv, "shape,bodies,kernel_ns,forward_ns,move_ns,residual_ns,product_ns,factor_ns,"
                     "solve_ns,bytes_per_body\n");
    tn_set_allocator(&(tn_allocator){counted, NULL});
    printf("                 by hand  forward  ratio     move residual     M x  factor  M^-1 b  "
           "bytes/    apart\n"
           "shape    bodies  ns/body  ns/body          ns/body  ns/body ns/body ns/body ns/body    "
           "body\n");
    for (int form = 0; form < SHAPES; form++)
        for (int n = 10; n <= most; n *= 10)
            if (!measure(n, (shape)form, csv))
                return 1;
    if (csv)
        fclose(csv);
    return 0;
}
