// SPDX-License-Identifier: MIT
//
// The explicit O(N) formalism [Arn16, Table 1], written down as it stands there, for a chain of N
// rods in the plane, and beside it what Tenon computes for the same chain in joint coordinates.
// Position coordinates of a rod are p = (x, y, angle), q is its angle against its predecessor:
//
//   0 = k_i = p_i - r_i(p_pi, q_i),  K_i = I,  H_i = -dr_i/dp_pi,  J_i = -dr_i/dq_i
//
//     table1 ACCELERATIONS.csv COST.csv
//
// ACCELERATIONS: for each joint of a chain of ten the formalism by (57b), second line, by the first
// line as printed, and Tenon. COST: time of one evaluation in Tenon, over N.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TEN = 10, MOST = 2048 };
static const double MASS = 1.5, LENGTH = 0.4, GRAVITY = 9.81;

typedef struct rod {
    double c, s, rate;                    // of its angle
    double H[3][3], J[3], k[3];           // of its joint
    double M[3][3], f[3];                 // condensed
    double MJ[3], D, Hbar[3][3], kbar[3]; // of Lemma 3
    double a[3];
} rod;

// Step 1: positions, velocities, and what they make of the joints.
static void go_out(int n, const double *q, const double *v, rod *r)
{
    double angle = 0.0, rate = 0.0;
    for (int i = 0; i < n; i++) {
        const double before = i > 0 ? 0.5 * LENGTH : 0.0, half = 0.5 * LENGTH;
        const rod ground = {.c = 1.0}, *p = i > 0 ? &r[i - 1] : &ground;
        angle += q[i];
        rate += v[i];
        r[i] = (rod){.c = cos(angle), .s = sin(angle), .rate = rate};
        for (int k = 0; k < 3; k++)
            r[i].H[k][k] = -1.0;
        r[i].H[0][2] = before * p->s + half * r[i].s;
        r[i].H[1][2] = -before * p->c - half * r[i].c;
        r[i].J[0] = half * r[i].s;
        r[i].J[1] = -half * r[i].c;
        r[i].J[2] = -1.0;
        r[i].k[0] = before * p->c * p->rate * p->rate + half * r[i].c * rate * rate;
        r[i].k[1] = before * p->s * p->rate * p->rate + half * r[i].s * rate * rate;
        r[i].M[0][0] = r[i].M[1][1] = MASS;
        r[i].M[2][2] = MASS * LENGTH * LENGTH / 12.0;
        r[i].f[1] = -MASS * GRAVITY;
    }
}

// M J, J^T M J, and bars of H and k (55), for a rod whose M and f are condensed.
static void condense(rod *r)
{
    double Jf = 0.0, MJk = 0.0;
    r->D = 0.0;
    for (int i = 0; i < 3; i++) {
        r->MJ[i] = r->M[i][0] * r->J[0] + r->M[i][1] * r->J[1] + r->M[i][2] * r->J[2];
        r->D += r->J[i] * r->MJ[i];
        Jf += r->J[i] * r->f[i];
    }
    for (int i = 0; i < 3; i++)
        MJk += r->MJ[i] * r->k[i];
    for (int i = 0; i < 3; i++) {
        r->kbar[i] = r->k[i] - r->J[i] * (MJk + Jf) / r->D;
        for (int j = 0; j < 3; j++) {
            const double MJH =
                r->MJ[0] * r->H[0][j] + r->MJ[1] * r->H[1][j] + r->MJ[2] * r->H[2][j];
            r->Hbar[i][j] = r->H[i][j] - r->J[i] * MJH / r->D;
        }
    }
}

// Step 2: adds what rod j hands on to rod i, (57a) and (57b): its second line, or its first line as
// it is printed.
static void hand_on(rod *i, const rod *j, bool printed)
{
    double MH[3][3], y[3], Jy = 0.0;
    for (int a = 0; a < 3; a++) {
        y[a] = j->f[a];
        for (int b = 0; b < 3; b++)
            y[a] += j->M[a][b] * j->k[b];
        Jy += j->J[a] * y[a];
    }
    for (int a = 0; a < 3; a++) {
        y[a] = printed ? y[a] : -(y[a] - j->MJ[a] * Jy / j->D);
        for (int b = 0; b < 3; b++)
            MH[a][b] = j->M[a][0] * j->Hbar[0][b] + j->M[a][1] * j->Hbar[1][b] +
                       j->M[a][2] * j->Hbar[2][b];
    }
    for (int a = 0; a < 3; a++) {
        i->f[a] += j->H[0][a] * y[0] + j->H[1][a] * y[1] + j->H[2][a] * y[2];
        for (int b = 0; b < 3; b++)
            i->M[a][b] += j->H[0][a] * MH[0][b] + j->H[1][a] * MH[1][b] + j->H[2][a] * MH[2][b];
    }
}

// Steps 3 and 4.
static void accelerate(int n, rod *r, double *a)
{
    for (int i = 0; i < n; i++) {
        const double rest[3] = {0}, *before = i > 0 ? r[i - 1].a : rest;
        a[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            double Ha = 0.0, Hbar = 0.0;
            for (int j = 0; j < 3; j++) {
                Ha += r[i].H[k][j] * before[j];
                Hbar += r[i].Hbar[k][j] * before[j];
            }
            r[i].a[k] = -Hbar - r[i].kbar[k];
            a[i] -= (r[i].J[k] * r[i].f[k] + r[i].MJ[k] * (Ha + r[i].k[k])) / r[i].D;
        }
    }
}

static void formalism(int n, const double *q, const double *v, bool printed, double *a)
{
    static rod r[TEN];
    go_out(n, q, v, r);
    for (int i = n - 1; i >= 0; i--) {
        condense(&r[i]);
        if (i > 0)
            hand_on(&r[i - 1], &r[i], printed);
    }
    accelerate(n, r, a);
}

static void check(tn_status status)
{
    if (status != TN_OK) {
        fprintf(stderr, "table1: %s\n", tn_last_error());
        exit(1);
    }
}

static tn_dynamics *chain(int n)
{
    tn_model *model = tn_model_create();
    tn_dynamics *out = NULL;
    tn_model_set_gravity(model, (tn_vec3){0.0, -GRAVITY, 0.0});
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "rod %d", i + 1);
        tn_body_def def = tn_default_body();
        def.name = name;
        def.kind = TN_BODY_PLANAR;
        def.mass = MASS;
        def.inertia = (tn_vec3){0, 0, MASS * LENGTH * LENGTH / 12.0};
        def.frame.p = (tn_vec3){(i + 0.5) * LENGTH, 0, 0};
        const tn_body body = tn_model_add_body(model, &def);
        tn_joint_def pin = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
        snprintf(name, sizeof name, "pin %d", i + 1);
        pin.name = name;
        pin.body_a = (tn_body){i};
        pin.body_b = body;
        pin.frame_a.p = (tn_vec3){i > 0 ? 0.5 * LENGTH : 0.0, 0, 0};
        pin.frame_b.p = (tn_vec3){-0.5 * LENGTH, 0, 0};
        tn_model_add_joint(model, &pin);
    }
    check(tn_dynamics_create(model, "joint", &out));
    tn_model_destroy(model);
    return out;
}

static void put_state(int n, double *q, double *v)
{
    for (int i = 0; i < n; i++) {
        q[i] = 0.3 * sin(1.0 + i);
        v[i] = cos(2.0 * i) / (1.0 + 0.1 * i);
    }
}

// Seconds of one evaluation at a new state, the least of several tries.
static double cost(int n)
{
    static double q[MOST], v[MOST], a[MOST];
    tn_dynamics *d = chain(n);
    double least = INFINITY;
    put_state(n, q, v);
    for (int k = 0; k < 7; k++) {
        const int repeat = 40000 / n + 1;
        const clock_t start = clock();
        for (int i = 0; i < repeat; i++) {
            q[0] += 1e-6;
            check(tn_dynamics_set(d, 0.0, q, v));
            check(tn_dynamics_forward(d, NULL, a, NULL));
        }
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC / repeat);
    }
    tn_dynamics_destroy(d);
    return least;
}

int main(int argc, char **argv)
{
    double q[TEN], v[TEN], a[TEN], wrong[TEN], tenon[TEN];
    FILE *csv = fopen(argc > 1 ? argv[1] : "accelerations.csv", "w");
    FILE *times = fopen(argc > 2 ? argv[2] : "cost.csv", "w");
    if (!csv || !times)
        return perror("table1"), 1;
    put_state(TEN, q, v);
    formalism(TEN, q, v, false, a);
    formalism(TEN, q, v, true, wrong);
    tn_dynamics *d = chain(TEN);
    check(tn_dynamics_set(d, 0.0, q, v));
    check(tn_dynamics_forward(d, NULL, tenon, NULL));
    tn_dynamics_destroy(d);
    fprintf(csv, "joint,formalism,first line of (57b) as printed,Tenon,difference\n");
    for (int i = 0; i < TEN; i++)
        fprintf(csv, "%d,%.15g,%.6g,%.15g,%.3g\n", i + 1, a[i], wrong[i], tenon[i],
                a[i] - tenon[i]);
    fprintf(times, "N,time of an evaluation\n");
    for (int n = 16; n <= MOST; n *= 2)
        fprintf(times, "%d,%.4g\n", n, cost(n));
    return fclose(csv) == 0 && fclose(times) == 0 ? 0 : 1;
}
