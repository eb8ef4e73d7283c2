// SPDX-License-Identifier: MIT
//
// Probes near the start of a mechanism, in any coordinates: derivatives of its system against
// differences.

#pragma once

#include "probe.h"
#include "random_mechanism.h"
#include "start/start.h"

#include <math.h>
#include <stdio.h>

// A little away from the start, at random rates. The system stays that of the start: see
// `close_probe_of`.
static inline probe probe_of(tn_start *start)
{
    probe p = probe_open(start->sys);
    tn_system *s = p.sys;
    tn_copy(s->nq, start->x.q, p.q);
    tn_copy(s->nr, start->x.r, p.r);
    random_fill(s->nv, p.x);
    tn_scale(s->nv, 0.1, p.x);
    tn_group_retract(s->ngroup, s->groups, p.q, p.x, p.q);
    random_fill(s->nv, p.v);
    random_fill(s->nv, p.a);
    random_fill(s->ng, p.lambda);
    random_fill(s->nn, p.eta);
    p.t = tn_random();
    const tn_point at = probe_point(&p);
    s->ops->accept(s, &at, p.r);
    return p;
}

static inline void close_probe_of(probe *p)
{
    p->sys = NULL;
    probe_close(p);
}

// Four random columns of K and D; the worst.
static inline double check_columns(tn_start *start, int seed, double tol)
{
    double worst = 0.0;
    probe p = probe_of(start);
    for (int k = 0; k < 4 && p.sys->nv > 0; k++) {
        const int j = random_int(p.sys->nv);
        const double q = probe_misfit(&p, ALONG_Q, j), v = probe_misfit(&p, ALONG_V, j);
        worst = fmax(worst, fmax(q, v));
        if (fmax(q, v) > tol)
            printf("seed %d, column %d: %.1e by q, %.1e by v\n", seed, j, q, v);
        CHECK_NEAR(q, 0.0, tol);
        CHECK_NEAR(v, 0.0, tol);
    }
    close_probe_of(&p);
    return worst;
}

// Three random columns in absolute coordinates, at a random state near the start of the model.
static inline void check_absolute_columns(const tn_model *model, int seed, double tol)
{
    tn_system *sys = NULL;
    const tn_rotation rotation = seed % 2 ? TN_ROTATION_SE3 : TN_ROTATION_SO3;
    CHECK_OK(tn_absolute_create(model, rotation, false, &sys));
    probe p = probe_open(sys);
    probe_randomize(&p, 0.1);
    for (int k = 0; k < 3; k++) {
        const int j = random_int(sys->nv);
        CHECK_NEAR(probe_misfit(&p, ALONG_Q, j), 0.0, tol);
        CHECK_NEAR(probe_misfit(&p, ALONG_V, j), 0.0, tol);
    }
    probe_close(&p);
}
