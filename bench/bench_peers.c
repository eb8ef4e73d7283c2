// SPDX-License-Identifier: MIT
//
// Whole runs beside other libraries (peers.h), each by methods of its own.
//
// 1. Pendulum chains of 4 and 40 links, 1 m together, fall from 45 degrees below the horizontal for
//    1 s. Every method takes the largest step, or the loosest tolerance, by which the angles at the
//    end are right to a goal, 1e-3 and 1e-6 rad: what digits cost. The truth is dop853 with a tight
//    tolerance.
// 2. A walking robot of 30 bodies and 35 freedoms in the air, its joints in motion: what one step
//    of 1 ms costs, and how far its angles are from the truth after 0.1 s, for a price has to say
//    what it buys.
//
// Times are those of the processor, the least of some runs; set-up is not in them. Without peers in
// the build Tenon's own rows are there. With an argument, also as CSV into that file.

#include "../tests/reference/humanoid_data.h"
#include "peers.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };               // links
static const double ENOUGH = 2.0; // a method that takes longer does not reach the goal [s]

typedef struct mechanism {
    const char *name;
    int n;         // links
    bool floating; // the first one is on no joint
    double t_end;
    double gravity[3];
    peer_link links[MOST];
    double q[MOST], v[MOST]; // of joints at the start
    double exact[MOST];      // q at the end
} mechanism;

static int joints_of(const mechanism *m)
{
    return m->n - m->floating;
}

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_at(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "%s\n", tn_last_error());
    exit(1);
}

// Mechanisms --------------------------------------------------------------------------------------

static void put_matrix(tn_mat3 A, double out[3][3])
{
    memcpy(out, A.m, sizeof A.m);
}

static void put_vector(tn_vec3 a, double out[3])
{
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

static peer_link link_on(int below, tn_mat3 R, tn_vec3 d, double mass, tn_vec3 com, tn_vec3 moments)
{
    peer_link link = {.below = below, .mass = mass};
    put_matrix(R, link.R);
    put_vector(d, link.d);
    put_vector(com, link.com);
    put_matrix(tn_m3_identity, link.axes);
    put_vector(moments, link.moments);
    memcpy(link.inertia, link.moments, sizeof link.moments);
    return link;
}

static mechanism chain(const char *name, int n)
{
    mechanism m = {.name = name, .n = n, .t_end = 1.0, .gravity = {0.0, -9.81, 0.0}};
    const double l = 1.0 / n, I = l * l * l / 12.0; // rods of 1 kg/m
    for (int k = 0; k < n; k++)
        m.links[k] = link_on(k - 1, tn_m3_identity, tn_v3(k > 0 ? l : 0.0, 0.0, 0.0), l,
                             tn_v3(0.5 * l, 0.0, 0.0), tn_v3(0.1 * I, I, I));
    m.q[0] = -0.78539816339744831;
    return m;
}

// Turns z to the axis of a joint.
static tn_mat3 axes_of(char axis)
{
    static const double quarter = 1.5707963267948966;
    return axis == 'x'   ? tn_m3_rot_y(quarter)
           : axis == 'y' ? tn_m3_rot_x(-quarter)
                         : tn_m3_identity;
}

static mechanism walker(void)
{
    mechanism m = {.name = "walker",
                   .n = HUMANOID_BODIES,
                   .floating = true,
                   .t_end = 0.1,
                   .gravity = {0.0, 0.0, -9.8}};
    for (int k = 0; k < m.n; k++) {
        const humanoid_body *b = &humanoid[k];
        const tn_mat3 F = axes_of(b->axis);
        const tn_mat3 below = tn_m3_transpose(k > 0 ? axes_of(humanoid[b->below].axis) : F);
        m.links[k] = link_on(b->below, tn_m3_mul(below, F), tn_m3_apply(below, b->at), b->mass,
                             tn_m3_apply(tn_m3_transpose(F), b->com), tn_v3(1.0, 1.0, 1.0));
    }
    for (int k = 0; k < m.n - 1; k++) {
        m.q[k] = 0.5 * sin(k + 1.0);
        m.v[k] = 3.0 * cos(2.0 * k + 1.0);
    }
    return m;
}

// Tenon -------------------------------------------------------------------------------------------

static tn_frame frame_of(const double R[3][3], const double d[3])
{
    tn_frame f;
    memcpy(f.R.m, R, sizeof f.R.m);
    f.p = tn_v3(d[0], d[1], d[2]);
    return f;
}

static tn_model *model_of(const mechanism *m)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(m->gravity[0], m->gravity[1], m->gravity[2]));
    tn_body id[MOST];
    for (int k = 0; k < m->n; k++) {
        const peer_link *link = &m->links[k];
        tn_body_def body = tn_default_body();
        body.mass = link->mass;
        body.com = tn_v3(link->com[0], link->com[1], link->com[2]);
        body.inertia = tn_v3(link->moments[0], link->moments[1], link->moments[2]);
        id[k] = tn_model_add_body(model, &body);
        if (m->floating && k == 0)
            continue;
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = link->below < 0 ? TN_GROUND : id[link->below];
        pin.body_b = id[k];
        pin.frame_a = frame_of(link->R, link->d);
        pin.nposition = pin.nrate = 1;
        pin.position[0] = m->q[k - m->floating];
        pin.rate[0] = m->v[k - m->floating];
        tn_model_add_joint(model, &pin);
    }
    return model;
}

// A run by a fixed step, or by a tolerance where `controlled`; angles at the end, and the time that
// it takes [s].
static double run_tenon(const mechanism *m, const char *method, bool controlled, double effort,
                        double *q)
{
    tn_model *model = model_of(m);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = controlled;
    if (controlled)
        options.rtol = options.atol = effort;
    else
        options.step = effort;
    tn_sim *sim = NULL;
    stop_at(tn_sim_create(model, &options, &sim));
    const double begin = clock_now();
    const tn_status status = tn_sim_run(sim, m->t_end, NULL, NULL);
    const double time = clock_now() - begin;
    for (int i = 0; i < joints_of(m); i++) {
        double rate;
        tn_sim_joint_coordinates(sim, (tn_joint){i}, &q[i], &rate);
        if (status != TN_OK)
            q[i] = NAN; // a step that is too long
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return time;
}

// One of all methods ------------------------------------------------------------------------------

typedef struct contender {
    const char *library, *method;
    bool controlled;
    const peer *peer; // NULL: Tenon
    void *self;
    int index; // of the method there
} contender;

static double run(const mechanism *m, const contender *c, double effort, double *q)
{
    if (!c->peer)
        return run_tenon(m, c->method, c->controlled, effort, q);
    c->peer->start(c->self, m->q, m->v);
    const double begin = clock_now();
    c->peer->travel(c->self, c->index, m->t_end, effort);
    const double time = clock_now() - begin;
    c->peer->angles(c->self, q);
    return time;
}

static double error_of(const mechanism *m, const double *q)
{
    double error = 0.0;
    for (int i = 0; i < joints_of(m); i++) // a step that is too long ends in no number
        error = fmax(error, isnan(q[i]) ? INFINITY : fabs(q[i] - m->exact[i]));
    return error;
}

static double least_time(const mechanism *m, const contender *c, double effort, double first)
{
    double least = first, spent = 0.0, q[MOST];
    for (int i = 0; i < 50 && spent < 0.5; i++) {
        const double time = run(m, c, effort, q);
        spent += time;
        least = fmin(least, time);
    }
    return least;
}

typedef struct price {
    double effort, time, error; // time NAN: the goal was not reached
} price;

// The largest step or tolerance that meets the goal, and so does the next smaller one.
static price price_of(const mechanism *m, const contender *c, double goal)
{
    price best = {.time = NAN};
    double q[MOST];
    for (double effort = c->controlled ? 1e-2 : 0.02; effort > 1e-13;
         effort *= c->controlled ? 0.31622776601683794 : 0.5) {
        const price now = {effort, run(m, c, effort, q), error_of(m, q)};
        const bool good = now.error <= goal;
        if (good && !isnan(best.time)) {
            best.time = least_time(m, c, best.effort, best.time);
            return best;
        }
        best = good ? now : (price){.time = NAN};
        if (now.time > ENOUGH)
            break;
    }
    return (price){.time = NAN};
}

// Tables ------------------------------------------------------------------------------------------

static void row(const mechanism *m, const char *goal, const contender *c, price p, double *ours,
                FILE *csv)
{
    if (!c->peer && isnan(*ours))
        *ours = p.time; // the first row is ours
    char name[64];
    snprintf(name, sizeof name, "%s %s%s", c->library, c->method, c->controlled ? "" : ", fixed");
    if (isnan(p.time))
        printf("%-8s %-9s %-36s not within %g s\n", m->name, goal, name, ENOUGH);
    else
        printf("%-8s %-9s %-36s %9.1e %12.1f %9.2f   %.1e\n", m->name, goal, name, p.effort,
               1e6 * p.time, p.time / *ours, p.error);
    fflush(stdout);
    if (csv)
        fprintf(csv,
                isnan(p.time) ? "%s,%s,%s,%s,%s,,,,\n" : "%s,%s,%s,%s,%s,%.1e,%.2f,%.3f,%.1e\n",
                m->name, goal, c->library, c->method, c->controlled ? "controlled" : "fixed",
                p.effort, 1e6 * p.time, p.time / *ours, p.error);
}

static void runs_to_goals(const mechanism *m, const contender *all, int count, FILE *csv)
{
    static const double goals[] = {1e-3, 1e-6};
    for (int g = 0; g < 2; g++) {
        double ours = NAN;
        char goal[16];
        snprintf(goal, sizeof goal, "to %g", goals[g]);
        for (int i = 0; i < count; i++)
            row(m, goal, &all[i], price_of(m, &all[i], goals[g]), &ours, csv);
    }
}

// Steps of 1 ms for 0.1 s; controlled methods have no such step.
static void single_steps(const mechanism *m, const contender *all, int count, FILE *csv)
{
    static const double h = 1e-3;
    double ours = NAN;
    for (int i = 0; i < count; i++) {
        double q[MOST];
        if (all[i].controlled)
            continue;
        price p = {h, run(m, &all[i], h, q), error_of(m, q)};
        p.time = least_time(m, &all[i], h, p.time) * h / m->t_end;
        row(m, "per step", &all[i], p, &ours, csv);
    }
}

static void measure(mechanism m, FILE *csv,
                    void (*table)(const mechanism *, const contender *, int, FILE *))
{
    contender all[32] = {{"tenon", "dop853/index1@joint", true, NULL, NULL, 0},
                         {"tenon", "dopri5/index1@joint", true, NULL, NULL, 0},
                         {"tenon", "galpha/ggl@joint", false, NULL, NULL, 0},
                         {"tenon", "galpha/ggl@absolute", false, NULL, NULL, 0},
                         {"tenon", "dopri5/index1@joint", false, NULL, NULL, 0}};
    int count = 5;
    run_tenon(&m, "dop853/index1@joint", true, 1e-12, m.exact);
    void *made[sizeof peers / sizeof *peers] = {NULL};
    for (int i = 0; peers[i]; i++) {
        made[i] = peers[i]->create(m.n, m.links, m.gravity, m.floating);
        for (int k = 0; made[i] && k < PEER_METHODS && peers[i]->methods[k].name; k++)
            all[count++] = (contender){.library = peers[i]->name,
                                       .method = peers[i]->methods[k].name,
                                       .controlled = peers[i]->methods[k].controlled,
                                       .peer = peers[i],
                                       .self = made[i],
                                       .index = k};
    }
    table(&m, all, count, csv);
    for (int i = 0; peers[i]; i++)
        if (made[i])
            peers[i]->destroy(made[i]);
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    for (int i = 0; peers[i]; i++)
        printf("%s %s\n", peers[i]->name, peers[i]->version());
    if (csv)
        fprintf(csv, "mechanism,what,library,method,steps,step_or_tol,us,times_first,error_rad\n");
    printf("\nmechanism what     library, method                      h or tol           us     "
           "times   "
           "error\n");
    measure(chain("chain4", 4), csv, runs_to_goals);
    measure(chain("chain40", 40), csv, runs_to_goals);
    measure(walker(), csv, single_steps);
    if (csv)
        fclose(csv);
    return 0;
}
