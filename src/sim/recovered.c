// SPDX-License-Identifier: MIT
//
// Accelerations and multipliers recovered for output. They cost only if requested, and the motion
// does not change for it: the matrices are those of an accel of its own.
//
// Rows between steps. Dense output meets the constraints to its own order, not as the ends of the
// step do. A state within the step, at s from 0 to 1, is moved to where the residuals are those of
// the ends with weights 1 - s and s, by simplified Newton steps in the norm of M [Arn16, eq. 89,
// 91]:
//
//   ( M  C^T ) ( dq )   (               0              )
//   ( C  0   ) ( mu ) = ( (1 - s) g_0 + s g_1 - g(q) )     and the same for v with C v + (g_t, n0)
//
// So the output of a form that drifts drifts, and one that does not is on the constraints.
//
// Accelerations and multipliers. In forms on velocity or position level those of a collocation
// method are of lower order than q and v; on acceleration level no error controls them between the
// ends of steps, which are long where drives move all. They are solved for on acceleration level at
// q and v [Arn16, eq. 17]. Where there are motions without inertia those of the step stay: there v'
// belongs to forces whose rates the step knows better.
//
// The sign of a multiplier decides if a contact holds. In `index3` and `baumgarte2` multipliers of
// a step alternate about the true ones, by more than their own size where a body with a contact
// turns far in a step (docs/theory/formulation_index3.md), and would lift off wheels that stand on
// their rails. There the multipliers that belong to q and v decide.

#include "linalg/dense.h"
#include "sim/sim.h"

#include <string.h>

// Newton steps with one matrix. Dense output is off by a tolerance or so: two or three do.
enum { MOVES_MAX = 5 };

void tn_sim_layout_recovered(tn_sim *sim, tn_carve *mem)
{
    const tn_system *sys = sim->start.sys;
    const int rows = sys->ng + sys->nn;
    tn_recovered *recovered = &sim->recovered;
    tn_state_layout(sys, &recovered->x, mem);
    for (int k = 0; k < 2; k++) {
        TN_CARVE_DOUBLES(mem, sys->ng, &recovered->g[k]);
        TN_CARVE_DOUBLES(mem, rows, &recovered->rate[k]);
    }
    TN_CARVE_CHOICES(mem, -1, 1, rows, &recovered->active);
    TN_CARVE_DOUBLES(mem, sys->nv, &recovered->move);
    TN_CARVE_DOUBLES(mem, rows, &recovered->left);
    TN_CARVE_DOUBLES(mem, sys->nq, &recovered->kept);
}

tn_status tn_sim_open_recovered(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_formulation *f = sim->method.formulation;
    if (sys->ng + sys->nn == 0)
        return TN_OK;
    // Errors of multipliers do not control steps. Where drives leave little else to control these
    // are long, and formulas over several of them know nothing of multipliers in between.
    // On acceleration level their iterations end by the motion: beside a body of 1e-12 kg reactions
    // of bdf/index1 were 200 times too large, and on a driven cam those of radau5 lifted off late.
    const tn_integrator_ops *ops = sim->method.integrator;
    const bool adaptive = ops->multistep && sim->options.adaptive;
    const bool iterated = ops->needs & TN_VIEW_RESIDUAL && f->acceleration && !f->baumgarte;
    const bool rough = ops->rough_forces || iterated || (adaptive && tn_sim_is_driven(sim));
    const bool solvable = (!f->acceleration || iterated) && sys->nmassless == 0;
    const bool implicit = ops->needs & (TN_VIEW_STEP | TN_VIEW_RESIDUAL);
    // What slips rub away is a product of multipliers.
    sim->recovered.recovers = (rough && solvable) || (sys->nslide > 0 && sys->nmassless == 0);
    sim->recovered.recovers_parts = sys->nmassless == 0;
    const bool loose = sim->options.adaptive || !f->velocity || f->baumgarte;
    sim->recovered.loads = solvable && (rough || (implicit && loose));
    TN_TRY(tn_accel_create(sys, &sim->recovered.accel));
    memset(sim->recovered.active, -1, sizeof(int) * (size_t)(sys->ng + sys->nn));
    return TN_OK;
}

void tn_sim_forget_recovered(tn_sim *sim)
{
    sim->recovered.known = sim->recovered.loads_known = false;
    tn_sensors_forget(&sim->sensors);
}

static void recovered_take_rows(tn_sim *sim)
{
    tn_recovered *recovered = &sim->recovered;
    const int *active = tn_start_active(&sim->start);
    const size_t size = sizeof(int) * (size_t)(sim->start.sys->ng + sim->start.sys->nn);
    if (!memcmp(recovered->active, active, size))
        return;
    memcpy(recovered->active, active, size);
    tn_accel_set_active(recovered->accel, active);
}

// Evaluations for output do not count as work of the method.
typedef struct work {
    long evals, tangents;
} work;

static work begin_work(tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    recovered_take_rows(sim);
    return (work){sys->evals, sys->tangents};
}

static void end_work(tn_sim *sim, work w)
{
    tn_system *sys = sim->start.sys;
    sys->evals = w.evals;
    sys->tangents = w.tangents;
    sys->looked = false;
}

// Accelerations and multipliers -------------------------------------------------------------------

static const tn_state *solve_recovered(tn_sim *sim, const tn_state *x)
{
    tn_recovered *recovered = &sim->recovered;
    const tn_system *sys = sim->start.sys;
    char sentence[TN_ERROR_SIZE]; // of a run that has failed, and is read out
    strcpy(sentence, tn_last_error());
    recovered->known = recovered->loads_known = false;
    sim->sensors.looked_at = NULL;
    const work w = begin_work(sim);
    tn_state_copy(sys, x, &recovered->x);
    const tn_point at = tn_state_point(&recovered->x);
    const tn_status status = tn_accel_solve(recovered->accel, &at, recovered->x.e, recovered->x.a,
                                            recovered->x.lambda, recovered->x.eta);
    end_work(sim, w);
    if (status == TN_OK)
        return &recovered->x;
    (void)tn_fail(status, "%s", sentence); // those of the step are told
    return x;
}

static bool recovers(const tn_sim *sim)
{
    return sim->recovered.recovers || (sim->micro_stepped && sim->recovered.recovers_parts);
}

const tn_state *tn_sim_recover(tn_sim *sim, const tn_state *x)
{
    return recovers(sim) ? solve_recovered(sim, x) : x;
}

const tn_state *tn_sim_recover_loads(tn_sim *sim, const tn_state *x)
{
    tn_recovered *recovered = &sim->recovered;
    if (!recovered->loads)
        return x;
    if (x == sim->view && recovered->loads_known)
        return &recovered->x;
    const tn_state *solved = solve_recovered(sim, x);
    recovered->loads_known = x == sim->view && solved == &recovered->x;
    return solved;
}

const tn_state *tn_sim_recovered(tn_sim *sim)
{
    if (!recovers(sim))
        return sim->view;
    if (!sim->recovered.known) {
        sim->recovered.best = tn_sim_recover(sim, sim->view);
        sim->recovered.known = true;
    }
    return sim->recovered.best;
}

// Rows between steps ------------------------------------------------------------------------------

static tn_status measure_recovered(tn_sim *sim, const tn_state *x, double *g, double *rate)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_GDOT));
    tn_copy(sys->ng, sys->g, g);
    tn_copy(sys->ng, sys->gdot, rate);
    tn_copy(sys->nn, sys->ndot, rate + sys->ng);
    return TN_OK;
}

static tn_status measure_ends(tn_sim *sim)
{
    tn_recovered *recovered = &sim->recovered;
    if (recovered->ends == sim->start.x.t && recovered->begins == sim->before.t)
        return TN_OK;
    TN_TRY(measure_recovered(sim, &sim->before, recovered->g[0], recovered->rate[0]));
    TN_TRY(measure_recovered(sim, &sim->start.x, recovered->g[1], recovered->rate[1]));
    recovered->begins = sim->before.t;
    recovered->ends = sim->start.x.t;
    return TN_OK;
}

static double largest_residual_of(int n, const int *active, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        if (active[i])
            most = fmax(most, fabs(x[i]));
    return most;
}

// Positions or velocities to move, with the residuals of both ends.
typedef struct moving {
    bool position;
    int n; // rows
    double s;
    double *const *ends;
    bool *factored;
} moving;

// Differences of the residuals from those expected, in told->left, and the largest.
static tn_status find_left(tn_sim *sim, const moving *m, double *size)
{
    TN_ASSERT(sim->recovered.accel);
    tn_recovered *recovered = &sim->recovered;
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->shown);
    TN_TRY(tn_system_eval(sys, &at, m->position ? TN_EVAL_G : TN_EVAL_GDOT));
    tn_zero(sys->ng + sys->nn, recovered->left);
    for (int i = 0; i < m->n; i++) {
        const double now = m->position   ? sys->g[i]
                           : i < sys->ng ? sys->gdot[i]
                                         : sys->ndot[i - sys->ng];
        recovered->left[i] = (1.0 - m->s) * m->ends[0][i] + m->s * m->ends[1][i] - now;
    }
    *size = largest_residual_of(m->n, recovered->active, recovered->left);
    return isfinite(*size) ? TN_OK : TN_RETRY_FUNCTION;
}

static tn_status move_once(tn_sim *sim, const moving *m)
{
    tn_recovered *recovered = &sim->recovered;
    tn_system *sys = sim->start.sys;
    tn_state *x = &sim->shown;
    const tn_point at = tn_state_point(x);
    if (!*m->factored)
        TN_TRY(tn_accel_factor(recovered->accel, &at));
    *m->factored = true;
    tn_zero(sys->nv, recovered->move);
    TN_TRY(tn_accel_resolve(recovered->accel, recovered->move, recovered->left));
    if (m->position)
        tn_group_retract(sys->ngroup, sys->groups, x->q, recovered->move, x->q);
    else
        tn_axpy(sys->nv, 1.0, recovered->move, x->v);
    return TN_OK;
}

// Goes on until residuals are between those of the ends, or no longer shrink. A move that makes
// them larger is taken back.
static tn_status move_recovered(tn_sim *sim, const moving *m)
{
    tn_recovered *recovered = &sim->recovered;
    const tn_system *sys = sim->start.sys;
    double *x = m->position ? sim->shown.q : sim->shown.v;
    const int nx = m->position ? sys->nq : sys->nv;
    const double bound = fmax(largest_residual_of(m->n, recovered->active, m->ends[0]),
                              largest_residual_of(m->n, recovered->active, m->ends[1]));
    double size, last;
    TN_TRY(find_left(sim, m, &size));
    for (int k = 0; k < MOVES_MAX && size > 0.1 * bound; k++) {
        tn_copy(nx, x, recovered->kept);
        TN_TRY(move_once(sim, m));
        last = size;
        if (find_left(sim, m, &size) != TN_OK || size > last) {
            tn_copy(nx, recovered->kept, x);
            return TN_OK;
        }
        if (size > 0.5 * last)
            break;
    }
    return TN_OK;
}

static tn_status straighten(tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    const tn_recovered *recovered = &sim->recovered;
    const double h = sim->start.x.t - sim->before.t;
    bool factored = false;
    TN_TRY(measure_ends(sim));
    moving m = {.position = true,
                .n = sys->ng,
                .s = (sim->shown.t - sim->before.t) / h,
                .ends = recovered->g,
                .factored = &factored};
    TN_TRY(move_recovered(sim, &m));
    m.position = false;
    m.n = sys->ng + sys->nn;
    m.ends = recovered->rate;
    return move_recovered(sim, &m);
}

// Contact points s would have to follow q: they and what they carry stay as they are.
void tn_sim_project_output(tn_sim *sim)
{
    if (!sim->recovered.accel || sim->start.sys->ns > 0)
        return;
    const work w = begin_work(sim);
    if (straighten(sim) != TN_OK)
        tn_clear_error();
    end_work(sim, w);
}
