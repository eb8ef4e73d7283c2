// SPDX-License-Identifier: MIT
//
// Machines with controllers whose equations a test writes by hand: y' = F(t, y, u) with numbers u
// that are constant between samples. They are integrated here, without anything of the library, by
// extrapolation of the modified midpoint rule [HNW93, section II.9] in small steps that begin anew
// where u changes.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

enum { HAND_MOST = 12, HAND_COLUMNS = 8 }; // numbers of a machine; order 16

typedef void (*hand_rate)(double t, const double *y, const double *u, double *rate);

typedef struct hand_machine {
    const char *file; // in models/
    int n;            // numbers in y
    double t_end, step;
    hand_rate rate;
    void (*start)(double *y);
    // Reads y and, behind it, one more number that the controller makes.
    void (*read)(tn_sim *sim, double *y);
    double (*made)(double t, const double *y, const double *u);
    double every, delay;                                             // 0 without samples
    void (*sample)(double t, const double *y, double *r, double *u); // r: what it keeps
} hand_machine;

// y(t + h) by the midpoint rule with n substeps, n even.
static inline void hand_midpoint(const hand_machine *m, double t, double h, int n, const double *u,
                                 const double *y, double *out)
{
    double before[HAND_MOST], now[HAND_MOST], f[HAND_MOST];
    const double s = h / n;
    m->rate(t, y, u, f);
    for (int i = 0; i < m->n; i++) {
        before[i] = y[i];
        now[i] = y[i] + s * f[i];
    }
    for (int k = 1; k < n; k++) {
        m->rate(t + k * s, now, u, f);
        for (int i = 0; i < m->n; i++) {
            const double next = before[i] + 2.0 * s * f[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    m->rate(t + h, now, u, f);
    for (int i = 0; i < m->n; i++)
        out[i] = 0.5 * (now[i] + before[i] + s * f[i]);
}

// Errors are a series in (h/n)^2; the scheme of Aitken and Neville takes its terms away.
static inline void hand_step(const hand_machine *m, double t, double h, const double *u, double *y)
{
    double T[HAND_COLUMNS][HAND_MOST];
    for (int j = 0; j < HAND_COLUMNS; j++) {
        hand_midpoint(m, t, h, 2 * (j + 1), u, y, T[j]);
        for (int k = j - 1; k >= 0; k--) {
            const double ratio = (j + 1.0) / (k + 1.0), weight = 1.0 / (ratio * ratio - 1.0);
            for (int i = 0; i < m->n; i++)
                T[k][i] = T[k + 1][i] + (T[k + 1][i] - T[k][i]) * weight;
        }
    }
    for (int i = 0; i < m->n; i++)
        y[i] = T[0][i];
}

static inline void hand_advance(const hand_machine *m, double t, double to, const double *u,
                                double *y)
{
    const int n = (int)ceil((to - t) / m->step);
    for (int k = 0; k < n; k++)
        hand_step(m, t + (to - t) * k / n, (to - t) / n, u, y);
}

// From t on, at which the sample has been taken and acts if it has no delay. The delay is shorter
// than the time between two samples.
typedef struct hand_run {
    double t, y[HAND_MOST], u[HAND_MOST], next[HAND_MOST], kept[HAND_MOST];
    int samples, acted;
} hand_run;

// The next time at which something happens.
static inline double hand_next(const hand_machine *m, const hand_run *r, double to)
{
    if (m->every <= 0.0)
        return to;
    const double sample = r->samples * m->every, acts = r->acted * m->every + m->delay;
    return fmin(to, fmin(sample, r->acted < r->samples ? acts : INFINITY));
}

static inline void hand_happen(const hand_machine *m, hand_run *r)
{
    if (m->every <= 0.0)
        return;
    if (r->acted < r->samples && r->t == r->acted * m->every + m->delay) {
        memcpy(r->u, r->next, sizeof r->u);
        r->acted++;
    }
    if (r->t == r->samples * m->every) {
        m->sample(r->t, r->y, r->kept, r->next);
        r->samples++;
    }
}

static inline void hand_run_to(const hand_machine *m, hand_run *r, double to)
{
    while (r->t < to) {
        hand_happen(m, r);
        const double next = hand_next(m, r, to);
        hand_advance(m, r->t, next, r->u, r->y);
        r->t = next;
    }
}

// A model against its equations ----------------------------------------------------------------

static const char *const hand_methods[] = {
    "dop853/index1+project@absolute",
    "radau5/ggl@absolute",
    "herk5/index2+project@absolute",
    "bdf/ggl@absolute",
    "dop853@joint",
    "radau5@joint",
    "herk5@joint",
    "bdf@joint",
    "dopri5@joint",
    "adams@joint",
};

static inline double hand_angle(tn_sim *sim, int body)
{
    const tn_frame X = tn_sim_body_frame(sim, (tn_body){body});
    return atan2(X.R.m[1][0], X.R.m[0][0]);
}

// The largest deviation at four times, of numbers above one relative to them.
static inline double hand_deviation(const hand_machine *m, tn_sim *sim)
{
    double worst = 0.0, y[HAND_MOST + 1];
    hand_run r = {0};
    m->start(r.y);
    for (int k = 1; k <= 4; k++) {
        const double t = m->t_end * k / 4.0;
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        hand_run_to(m, &r, t);
        m->read(sim, y);
        const double made = m->made(t, r.y, r.u);
        worst = fmax(worst, fabs(y[m->n] - made) / fmax(1.0, fabs(made)));
        for (int i = 0; i < m->n; i++)
            worst = fmax(worst, fabs(y[i] - r.y[i]) / fmax(1.0, fabs(r.y[i])));
    }
    return worst;
}

static inline void hand_compare(const hand_machine *m)
{
    const double TOL = 1e-8;
    char path[200];
    tn_model *model = NULL;
    snprintf(path, sizeof path, "models/%s.yaml", m->file);
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    double worst = 0.0;
    for (int k = 0; k < TN_COUNT(hand_methods); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = hand_methods[k];
        options.adaptive = true;
        options.rtol = options.atol = 1e-12;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        const double off = hand_deviation(m, sim);
        printf("%-16s %-32s %.1e\n", m->file, hand_methods[k], off);
        worst = off <= worst ? worst : off; // NaN stays
        tn_sim_destroy(sim);
    }
    CHECK_NEAR(worst, 0.0, TOL);
    tn_model_destroy(model);
}
