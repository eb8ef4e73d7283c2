// SPDX-License-Identifier: MIT
//
// Forward dynamics in joint coordinates, against the number of bodies N: spatial chains, binary
// trees and planar chains on revolute joints with random axes and inertias. Time per body of
// tn_tree_move and tn_tree_accelerate beside a kernel written by hand for revolute joints only
// (revolute_kernel.h), and the largest difference of their accelerations. Also times per body of
// the other recursions, and memory per body of the tree. Where the build has other libraries
// (peers.h), their times for the same accelerations follow. With an argument, also as CSV into that
// file.

#include "counted_memory.h"
#include "peers.h"
#include "revolute_trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
    const peer *peer;
    void *peer_self;
} subject;

// Between the accelerations a of the tree and others b, by their size.
static double difference(const subject *s)
{
    double apart = 0.0, size = 1.0;
    for (int i = 0; i < s->tree->nv; i++) {
        apart = fmax(apart, fabs(s->a[i] - s->b[i]));
        size = fmax(size, fabs(s->a[i]));
    }
    return apart / size;
}

static void run_yardstick(subject *s)
{
    kernel_run(&s->yardstick, s->form, s->q, s->v, s->b);
}

static void run_forward(subject *s)
{
    tn_tree_move(s->tree, s->q, s->v);
    if (tn_tree_accelerate(s->tree, NULL, s->a, NULL) != TN_OK)
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
    if (tn_tree_factor(s->tree, NULL) != TN_OK)
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
    const double start = clock_now(), enough = 2.0; // [s]
    double best = 1e9;
    for (int i = 0; i < trials && (i < 3 || clock_now() - start < enough); i++) {
        const double begin = clock_now();
        for (int k = 0; k < inner; k++)
            run(s);
        const double time = (clock_now() - begin) / inner;
        best = time < best ? time : best;
    }
    return 1e9 * best / n;
}

// Other libraries ---------------------------------------------------------------------------------

static void put_matrix(tn_mat3 A, double out[3][3])
{
    memcpy(out, A.m, sizeof A.m);
}

static void put_vector(tn_vec3 a, double out[3])
{
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

// The body at a place as the model has it, not as the tree has compiled it.
static peer_link link_at(const tn_tree *base, int place)
{
    const tn_model *model = base->model;
    const tn_tree_body *at = &base->body[place], *below = &base->body[at->parent];
    const tn_joint_def *pin = model->joints.at[at->joint].def;
    const tn_body_data *body = &model->bodies.at[at->body];
    tn_frame attachment = pin->frame_a;
    if (at->parent > 0) {
        const tn_frame last = model->joints.at[below->joint].def->frame_b;
        attachment = tn_frame_mul(tn_frame_inverse(last), attachment);
    }
    const tn_mat3 in = tn_m3_transpose(pin->frame_b.R);
    const tn_mat3 I = tn_m3_mul(tn_m3_mul(in, body->inertia), pin->frame_b.R);
    peer_link link = {.below = at->parent - 1, .mass = body->def.mass};
    put_matrix(attachment.R, link.R);
    put_vector(attachment.p, link.d);
    put_vector(tn_m3_apply(in, tn_v3_sub(body->def.com, pin->frame_b.p)), link.com);
    tn_mat3 axes;
    tn_principal_axes(body->inertia, link.moments, &axes);
    put_matrix(tn_m3_mul(in, axes), link.axes);
    const double inertia[6] = {I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]};
    memcpy(link.inertia, inertia, sizeof inertia);
    return link;
}

static void run_peer(subject *s)
{
    s->peer->run(s->peer_self, s->q, s->v, s->b);
}

// Times per body and the largest difference of the accelerations, NAN where it is too large for the
// library.
static void measure_peers(subject *s, double *time, double *apart)
{
    const int n = s->tree->n - 1;
    peer_link *links = malloc((size_t)n * sizeof *links);
    for (int i = 0; i < n; i++)
        links[i] = link_at(s->tree, i + 1);
    for (int i = 0; peers[i]; i++) {
        s->peer = peers[i];
        const int most = s->form == CHAIN ? s->peer->most_chain : s->peer->most_tree;
        s->peer_self =
            n > most ? NULL : s->peer->create(n, links, (double[3]){0.0, -9.81, 0.0}, false);
        time[i] = apart[i] = NAN;
        if (!s->peer_self)
            continue;
        time[i] = least_time(s, run_peer);
        apart[i] = difference(s);
        s->peer->destroy(s->peer_self);
    }
    free(links);
}

static void report_peers(const double *time, const double *apart, double forward, FILE *csv)
{
    for (int i = 0; peers[i]; i++) {
        if (!isnan(time[i]))
            printf("%17s %-8s %8.1f %8.1f times       apart %.0e\n", "", peers[i]->name, time[i],
                   time[i] / forward, apart[i]);
        if (csv)
            fprintf(csv, isnan(time[i]) ? "," : ",%.1f", time[i]);
    }
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
    const double apart = difference(&s);
    const double move = least_time(&s, run_move), residual = least_time(&s, run_residual);
    const double product = least_time(&s, run_product), factor = least_time(&s, run_factor);
    const double solve = least_time(&s, run_solve);
    printf("%-6s %8d  %8.1f %8.1f %6.2f   %6.1f %8.1f %7.1f %7.1f %7.1f  %6.0f   %.0e\n",
           names[form], n, yardstick, forward, forward / yardstick, move, residual, product, factor,
           solve, (double)memory / n, apart);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.0f", names[form], n, yardstick,
                forward, move, residual, product, factor, solve, (double)memory / n);
    if (form != PLANAR) {
        double time[TN_COUNT(peers)], away[TN_COUNT(peers)];
        measure_peers(&s, time, away);
        report_peers(time, away, forward, csv);
    }
    if (csv)
        fputc('\n', csv);
    free_kernel(&s.yardstick);
    free(below);
    free(numbers);
    tn_tree_destroy(s.tree);
    tn_model_destroy(model);
    return true;
}

static void introduce_peers(void)
{
    for (int i = 0; peers[i]; i++)
        printf("%s %s: chains up to %d bodies, trees up to %d: %s\n", peers[i]->name,
               peers[i]->version(), peers[i]->most_chain, peers[i]->most_tree, peers[i]->why);
}

static void head_of(FILE *csv)
{
    fprintf(csv, "shape,bodies,kernel_ns,forward_ns,move_ns,residual_ns,product_ns,factor_ns,"
                 "solve_ns,bytes_per_body");
    for (int i = 0; peers[i]; i++)
        fprintf(csv, ",%s_ns", peers[i]->name);
    fputc('\n', csv);
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    const int most = argc > 2 ? atoi(argv[2]) : 1000000;
    introduce_peers();
    if (csv)
        head_of(csv);
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
