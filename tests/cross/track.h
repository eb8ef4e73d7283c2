// SPDX-License-Identifier: MIT
//
// Runs of one model by different methods: what bodies and multipliers did at some times, and how
// far two such tracks are apart.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

enum { TRACK_TIMES = 4, TRACK_ROOM = 400 };

typedef struct road_model {
    const char *file;
    double t_end; // [s]
} road_model;

typedef struct track {
    int nmotion, nforce;
    double motion[TRACK_TIMES][TRACK_ROOM], force[TRACK_TIMES][TRACK_ROOM];
} track;

static inline void put_vec3(double *to, int *n, tn_vec3 x)
{
    CHECK(*n + 3 <= TRACK_ROOM);
    tn_v3_to(x, to + *n);
    *n += 3;
}

static inline void note(const tn_model *model, tn_sim *sim, int k, track *out)
{
    out->nmotion = out->nforce = 0;
    for (int i = 1; i < tn_model_body_count(model); i++) {
        const tn_body body = {i};
        const tn_frame frame = tn_sim_body_frame(sim, body);
        put_vec3(out->motion[k], &out->nmotion, frame.p);
        put_vec3(out->motion[k], &out->nmotion, tn_m3_column(frame.R, 0));
        put_vec3(out->motion[k], &out->nmotion, tn_m3_column(frame.R, 1));
        put_vec3(out->motion[k], &out->nmotion, tn_sim_body_velocity(sim, body));
        put_vec3(out->motion[k], &out->nmotion, tn_sim_body_rate(sim, body));
    }
    for (int i = 0; i < tn_model_joint_count(model); i++) {
        double lambda[6];
        const int n = tn_sim_joint_multipliers(sim, (tn_joint){i}, lambda, NULL);
        CHECK(out->nforce + n <= TRACK_ROOM);
        for (int m = 0; m < n; m++)
            out->force[k][out->nforce++] = lambda[m];
    }
}

static inline void follow(const tn_model *model, const road_model *m, const tn_sim_options *options,
                          track *out)
{
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, options, &sim));
    for (int k = 0; k < TRACK_TIMES; k++) {
        CHECK_OK(tn_sim_run(sim, m->t_end * (k + 1) / TRACK_TIMES, NULL, NULL));
        note(model, sim, k, out);
    }
    tn_sim_destroy(sim);
}

// Relative to the largest number of the track: lengths, speeds and angles of a model go together.
static inline double distance(int n, double (*x)[TRACK_ROOM], double (*y)[TRACK_ROOM])
{
    double most = 0.0, size = 1.0;
    for (int k = 0; k < TRACK_TIMES; k++)
        for (int i = 0; i < n; i++) {
            most = fmax(most, fabs(x[k][i] - y[k][i]));
            size = fmax(size, fabs(y[k][i]));
        }
    return most / size;
}

static inline tn_sim_options controlled(const char *method, double tol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = 0.0;
    options.adaptive = true;
    options.rtol = tol;
    options.atol = 1e-2 * tol;
    return options;
}
