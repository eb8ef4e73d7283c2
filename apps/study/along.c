// SPDX-License-Identifier: MIT
//
// tenon check --along: follows the motion and samples the singular values of the constraints, at
// the ends of steps and on the dense output between them. Where a step comes near a singular
// position the nearest point is found by golden sections.

#include "sim/sim.h"
#include "tenon/analysis.h"

#include <math.h>
#include <stdio.h>

// As parts of the largest ratio so far. Below SEARCH the least ratio of the step is searched for.
// Below WARN a position is reported as near-singular, once until the ratio has risen above AGAIN.
static const double SEARCH = 0.1, WARN = 3e-3, AGAIN = 3e-2;
enum { LOOKS = 400, MOST_IN_A_STEP = 8, SECTIONS = 45 }; // samples at least in the whole run

typedef struct {
    tn_along *out;
    double apart; // time between samples
    bool inside;  // the motion has not left the near-singular position that was reported last
} watch;

// Dense output of methods that solve for coordinates may fail in the singular position itself.
static tn_status look_along(tn_sim *sim, double t, tn_rank_margin *m)
{
    *m = (tn_rank_margin){.t = t, .ratio = INFINITY};
    const tn_status s = tn_sim_sample_silently(sim, t); // positions that no row stores
    if (s != TN_OK)
        return s > 0 ? TN_OK : s;
    return tn_sim_rank_now(sim, m);
}

// Finds the least ratio between a and b; *m is one between them already.
static tn_status search_along(tn_sim *sim, double a, double b, tn_rank_margin *m)
{
    TN_ASSERT(a < b);
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    tn_rank_margin p, q;
    TN_TRY(look_along(sim, b - golden * (b - a), &p));
    TN_TRY(look_along(sim, a + golden * (b - a), &q));
    for (int k = 0; k < SECTIONS && b - a > 1e-15 * fmax(1.0, fabs(b)); k++) {
        if (p.ratio < m->ratio)
            *m = p;
        if (q.ratio < m->ratio)
            *m = q;
        if (p.ratio < q.ratio) {
            b = q.t;
            q = p;
            TN_TRY(look_along(sim, b - golden * (b - a), &p));
        } else {
            a = p.t;
            p = q;
            TN_TRY(look_along(sim, a + golden * (b - a), &q));
        }
    }
    return TN_OK;
}

static void note_along(watch *w, const tn_rank_margin *m)
{
    tn_along *out = w->out;
    if (!isfinite(m->ratio)) // no row, or no dense output there
        return;
    out->largest = fmax(out->largest, m->ratio);
    if (m->ratio < out->least.ratio)
        out->least = *m;
    if (m->ratio > AGAIN * out->largest)
        w->inside = false;
    if (!(m->ratio < WARN * out->largest))
        return;
    if (!w->inside)
        out->count++;
    const int k = out->count - 1;
    if (k < TN_MOST_MET && (!w->inside || m->ratio < out->met[k].ratio))
        out->met[k] = *m;
    w->inside = true;
}

static tn_status each_step(void *user, tn_sim *sim)
{
    watch *w = user;
    const double a = tn_sim_before(sim), b = tn_sim_time(sim), h = b - a;
    const int n = (int)fmin(MOST_IN_A_STEP, ceil(h / w->apart));
    tn_rank_margin least = {.ratio = INFINITY}, m;
    for (int k = 1; k <= n; k++) {
        TN_TRY(look_along(sim, k < n ? a + h * k / n : b, &m));
        if (m.ratio < least.ratio)
            least = m;
        if (isfinite(m.ratio))
            w->out->largest = fmax(w->out->largest, m.ratio);
    }
    if (least.ratio < SEARCH * w->out->largest)
        TN_TRY(search_along(sim, fmax(a, least.t - h / n), fmin(b, least.t + h / n), &least));
    note_along(w, &least);
    if (m.ratio > AGAIN * w->out->largest)
        w->inside = false;
    tn_sim_current(sim);
    return TN_OK;
}

tn_status tn_check_along(const tn_model *model, const tn_sim_options *options, double t_end,
                         tn_along *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    const double span = t_end - options->t_start;
    watch w = {.out = out, .apart = span > 0.0 ? span / LOOKS : 1.0};
    tn_sim *sim = NULL;
    *out = (tn_along){.least = {.ratio = INFINITY}};
    TN_TRY(tn_sim_create(model, options, &sim));
    snprintf(out->method, sizeof out->method, "%s", tn_sim_method(sim));
    tn_rank_margin start;
    tn_status s = tn_sim_rank_now(sim, &start);
    if (s == TN_OK) {
        note_along(&w, &start);
        s = tn_sim_run(sim, t_end, each_step, &w);
    }
    if (s == TN_ERR_NUMERIC) {
        out->failed = true;
        snprintf(out->reason, sizeof out->reason, "%s", tn_last_error());
        s = TN_OK;
    }
    tn_ledger ledger;
    tn_verdict verdict;
    tn_sim_ledger(sim, &ledger);
    tn_sim_verdict(sim, &verdict);
    if (!out->failed && tn_verdict_warn(&verdict))
        snprintf(out->doubt, sizeof out->doubt, "%s", tn_verdict_warn(&verdict));
    out->t = tn_sim_time(sim);
    out->steps = ledger.steps;
    tn_sim_destroy(sim);
    return s;
}
