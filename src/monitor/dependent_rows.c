// SPDX-License-Identifier: MIT
//
// Rows that were left out, verified after each step: the motion must satisfy them as well
// (start/dependence.h). Where it does not, the constraints contradict each other from here on,
// and the run ends. Rows that part and come together again within one step do so by a function of
// time: where one is farthest from the cubic through the ends of the step, rows are verified too.

#include "integrator/interpolate.h"
#include "model/model_kinks.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>

typedef struct dependent_rows {
    tn_monitor monitor;
    double speed; // largest rate of a row by its size, or of the motion, so far [1/s]
} dependent_rows;

static tn_status part_company(tn_sim *sim, const tn_violated *v)
{
    TN_ASSERT(v->row >= 0);
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    char name[160], others[640];
    TN_TRY(tn_dependence_text(sys, &at, &sim->start.redundancy, tn_start_active(&sim->start),
                              v->row, others, sizeof others));
    sys->ops->row_name(sys, v->row, name, sizeof name);
    const bool rate = v->level == TN_LEVEL_VELOCITY;
    const double unit = tn_system_row_unit(sys, v->row);
    return tn_fail(TN_ERR_NUMERIC,
                   "between t = %.6g and %.6g s the constraints come to contradict each other: %s "
                   "depends on %s and was left out, but %s %.3g there, and %.2g is allowed; "
                   "no motion satisfies them all, so make them agree, remove one or end before",
                   sim->before.t, sim->start.x.t, name, others,
                   rate ? "moves apart at a rate of" : "is off by", unit * v->residual,
                   unit * v->bound);
}

static tn_status judge_rows(dependent_rows *d, tn_sim *sim, const tn_state *x, unsigned levels,
                            tn_violated *v)
{
    tn_start *s = &sim->start;
    const tn_point at = tn_state_point(x);
    return tn_dependence_judge_rows(s->sys, &at, &s->redundancy, tn_start_active(s),
                                    s->dependence_tol, levels, x->t - sim->options.t_start,
                                    &d->speed, v);
}

// Within a step --------------------------------------------------------------------------------

// Looks at a function in one step: steps of a stated size are short. Parts of what it reaches that
// are no more than round-off.
enum { LOOKS = 256, LOOKS_FIXED = 32 };
static const double SMALL = 1e-9;

// Finds where in the interval of the step a function is farthest from the cubic by its ends; false
// if it is that cubic.
static bool bulges(const tn_sim *sim, const tn_timefn *f, double *t)
{
    const tn_piece *piece = &sim->pieces.last;
    const double a = fmax(sim->before.t, piece->from), b = fmin(sim->start.x.t, piece->to);
    const int looks = sim->options.adaptive ? LOOKS : LOOKS_FIXED;
    double u0[3], u1[3], size = 0.0, most = 0.0;
    tn_timefn_eval(f, a, u0);
    tn_timefn_eval(f, b, u1);
    for (int i = 1; i < looks; i++) {
        const double s = (double)i / looks;
        double u[3];
        tn_timefn_eval(f, a + s * (b - a), u);
        const double off = fabs(u[0] - tn_hermite(s, b - a, u0[0], u1[0], u0[1], u1[1]));
        size = fmax(size, fabs(u[0]));
        if (off > most) {
            most = off;
            *t = a + s * (b - a);
        }
    }
    return most > SMALL * size;
}

static tn_status watch_within(dependent_rows *d, tn_sim *sim, tn_violated *v)
{
    tn_status status = TN_OK;
    const int drives = TN_ELEMENT_FUNCTIONS * sim->model->joints.count;
    for (int k = 0; k < drives && status == TN_OK; k++) {
        const tn_timefn *f = tn_model_function(sim->model, k);
        double t = sim->before.t;
        if (!f || !bulges(sim, f, &t))
            continue;
        status = tn_sim_sample_silently(sim, t);
        TN_THEN(status, judge_rows(d, sim, &sim->shown, TN_LEVEL_POSITION, v));
        tn_sim_current(sim);
        if (v->row >= 0)
            break;
    }
    return status;
}

static tn_status watch_rows(tn_monitor *m, tn_sim *sim)
{
    dependent_rows *d = (dependent_rows *)m;
    tn_violated v;
    if (sim->start.redundancy.count == 0)
        return TN_OK;
    // Rates of rows are related to the speeds of bodies, not only to what gradients make of
    // velocities: in joint coordinates all gradients of a loop that closes by one joint are
    // round-off or the digits that its axis was typed with. A rate within the bound by this one
    // takes longer than the shortest time of the mechanism to bring a row to its bound, which is
    // then found by the row itself.
    if (sim->model)
        d->speed = fmax(d->speed, sim->sums.judge.sizes.rate);
    TN_TRY(judge_rows(d, sim, &sim->start.x, TN_LEVEL_POSITION | TN_LEVEL_VELOCITY, &v));
    if (v.row < 0 && sim->model && sim->start.x.t > sim->before.t)
        TN_TRY(watch_within(d, sim, &v));
    return v.row < 0 ? TN_OK : part_company(sim, &v);
}

static void rows_values(tn_monitor *m, const tn_sim *sim, tn_values *v)
{
    TN_VALUES_ANY(v, "1", 1, &((dependent_rows *)m)->speed);
}

const tn_monitor_ops tn_monitor_dependent_rows = {.name = "dependent_rows",
                                                  .size = sizeof(dependent_rows),
                                                  .values = rows_values,
                                                  .after = watch_rows};
