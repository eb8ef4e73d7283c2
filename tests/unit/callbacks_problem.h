// SPDX-License-Identifier: MIT
//
// A problem of user functions with every kind of variable, nonlinear wherever it may be: for the
// tests of callbacks.

#pragma once

#include "system/callbacks.h"

#include <math.h>
#include <string.h>

enum { NQ = 3, NG = 2, NN = 1, NC = 2, NW = 1, NS = 2, NE = NC + NW + NS, NR = 1 };
enum { EVERYTHING = 2 * TN_EVAL_TANGENT - 1 }; // all bits of an evaluation

static int mass(void *user, const tn_arguments *x, double *M)
{
    (void)user;
    const double off = 0.2 * cos(x->q[1]);
    const double A[9] = {2.0 + 0.1 * x->q[0] * x->q[0], off, 0.0, off,
                         3.0 + 0.1 * sin(x->t),         off, 0.0, off,
                         1.5 + 0.1 * x->q[2] * x->q[0]};
    memcpy(M, A, sizeof A);
    return 0;
}

static int force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    const double *q = x->q, *v = x->v, *c = x->c, *s = x->s;
    const double lambda = x->lambda ? x->lambda[0] * x->lambda[1] : 0.0;
    const double eta = x->eta ? x->eta[0] : 0.0;
    f[0] = sin(q[1]) * v[2] - 0.3 * v[0] * v[0] + c[0] * q[2] + 0.1 * lambda * v[1];
    f[1] = -q[0] * q[0] + x->w[0] * v[1] + 0.2 * cos(x->t) * x->r[0] + 0.3 * eta * q[2];
    f[2] = q[0] * v[0] + c[1] * c[1] + (s ? s[0] * v[2] + s[1] * q[1] : 0.0) - 0.1 * lambda;
    return 0;
}

static int constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    const double *q = x->q, t = x->t, *s = x->s ? x->s : (const double[]){0.0, 0.0};
    g[0] =
        q[0] * q[0] + sin(q[1]) * q[2] + 0.3 * s[0] * q[1] + 0.2 * sin(s[1]) + 0.1 * sin(2.0 * t);
    g[1] = q[0] * q[1] + exp(0.3 * q[2]) + 0.4 * s[1] * s[1] + 0.2 * s[0] + 0.05 * t * t * q[2];
    return 0;
}

static int jacobian(void *user, const tn_arguments *x, double *G)
{
    (void)user;
    const double *q = x->q, t = x->t, *s = x->s ? x->s : (const double[]){0.0, 0.0};
    const double A[NG * NQ] = {2.0 * q[0], q[1],      cos(q[1]) * q[2] + 0.3 * s[0],
                               q[0],       sin(q[1]), 0.3 * exp(0.3 * q[2]) + 0.05 * t * t};
    memcpy(G, A, sizeof A);
    return 0;
}

static int constraint_t(void *user, const tn_arguments *x, double *gt)
{
    (void)user;
    gt[0] = 0.2 * cos(2.0 * x->t);
    gt[1] = 0.1 * x->t * x->q[2];
    return 0;
}

static int pfaffian(void *user, const tn_arguments *x, double *N, double *n0)
{
    (void)user;
    const double *q = x->q, *s = x->s ? x->s : (const double[]){0.0, 0.0};
    N[0] = sin(q[0]) + 0.1 * s[0];
    N[1] = 1.0;
    N[2] = 0.2 * q[1] * x->t;
    n0[0] = 0.3 * cos(x->t) * q[2] + 0.1 * s[1] * s[1];
    return 0;
}

static int states(void *user, const tn_arguments *x, double *d)
{
    (void)user;
    d[0] = -x->c[0] + x->q[0] * x->v[1] + (x->lambda ? 0.1 * x->lambda[0] * x->lambda[0] : 0.0);
    d[1] = x->c[0] * x->c[1] + (x->s ? x->s[1] * x->v[0] : 0.0) + x->r[0];
    return 0;
}

static int algebraic(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    const double w = x->w[0];
    b[0] =
        w + 0.1 * w * w * w - x->v[0] * x->q[1] + 0.1 * x->c[0] + (x->eta ? 0.2 * x->eta[0] : 0.0);
    return 0;
}

static int contact(void *user, const tn_arguments *x, double *h)
{
    (void)user;
    const double *q = x->q, *s = x->s;
    h[0] = s[0] + 0.2 * sin(s[1]) - q[0] * q[1] + 0.1 * cos(x->t);
    h[1] = s[1] + 0.1 * s[0] * s[0] + 0.5 * q[2] * q[2] - 0.2 * x->t * q[0];
    return 0;
}

static tn_callbacks whole_problem(bool jacobians, bool contacts)
{
    return (tn_callbacks){
        .nq = NQ,
        .ng = NG,
        .nn = NN,
        .nc = NC,
        .nw = NW,
        .nr = NR,
        .ns = contacts ? NS : 0,
        .time_dependent = true,
        .lambda_in_force = true,
        .mass = mass,
        .force = force,
        .constraint = constraint,
        .jacobian = jacobians ? jacobian : NULL,
        .constraint_t = jacobians ? constraint_t : NULL,
        .pfaffian = pfaffian,
        .states = states,
        .algebraic = algebraic,
        .contact = contact,
    };
}

// One vector holds all arguments, so that differences may go along any direction.
enum { T = 0, Q = 1, V = Q + NQ, L = V + NQ, ETA = L + NG, E = ETA + NN, NX = E + NE };
enum { S = E + NC + NW };

static const double accel[NQ] = {0.7, -0.4, 0.9}, sampled[NR] = {0.6};

static tn_point point_of(const double *x)
{
    return (tn_point){.t = x[T],
                      .q = x + Q,
                      .v = x + V,
                      .a = accel,
                      .lambda = x + L,
                      .eta = x + ETA,
                      .e = x + E,
                      .r = sampled};
}
