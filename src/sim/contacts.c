// SPDX-License-Identifier: MIT
//
// Contacts: one-sided rows, at which bodies part and meet again. A closed contact is a row like any
// other, an open one takes no part (tn_system.row_open): between changes every formulation and all
// coordinates go on as they are. With the side s = 1 or -1 of its row, gap s g and H = s B of its
// row, a contact changes where its gap falls through zero (closed ones: where their pressing force
// N = -s lambda does); steps end there as at other switches (events.c). Then
//
//   impact   v+ = v- + P H^T L,   xi = H v+ + e H v-,   0 <= xi  _|_  L >= 0
//   after it  w = H v' + gamma,                          0 <= w   _|_  N >= 0
//
// for all contacts that are closed or touch, P being the inverse of M on the motions that the other
// rows allow. The first is Newton's law in the form of Moreau, the second tells which contacts with
// H v+ = 0 stay closed. Contacts that repeat others are closed, and their rows take no part.

#include "base/tolerance.h"
#include "linalg/bounded.h"
#include "linalg/cone.h"
#include "linalg/dense.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Gaps count as none below this part of the size of the model: what positions are known to.
static const double TOUCHES = 1e-12;
// Contacts that may touch at once; up to the first number they are solved as cones, and steps over
// impacts have them as rows.
enum { TOGETHER = 60, AT_ONCE = 1000 };

// Gaps at the start that were typed: nine digits.
static const double TYPED = TN_ROUND_ITERATE;
// Closed contacts that others hold are lost from this gap on, in sizes of the model.
static const double DRIFTS = 1e-6;
// Impacts below this part of the fastest one of a contact end without rebound.
static const double REST = 1e-8;
// Time since the last hit of a contact that alternates with another, by the time scale.
static const double SHORTLY = 1e-3;
// Heights of flights that are round-off of positions, in sizes of the model.
static const double RISEN = 16.0 * DBL_EPSILON;
// Velocities after an impact, and accelerations, that are round-off of those before.
static const double SETTLED = 1e-10;
// A step that follows an impact sees the flight before its middle.
static const double PART_OF_FLIGHT = 0.5;

static int count_one_sided(const tn_system *sys)
{
    int n = 0;
    for (int i = 0; i < sys->ng; i++)
        n += tn_system_row_is_one_sided(sys, i);
    return n;
}

void tn_sim_layout_contacts(tn_sim *sim, tn_carve *mem)
{
    const tn_system *sys = sim->start.sys;
    tn_contacts *c = &sim->contacts;
    c->n = count_one_sided(sys);
    c->nwatched = sim->method.integrator->over_impacts ? 0 : c->n;
    c->at = tn_carve_bytes(mem, (size_t)c->n * sizeof *c->at);
    TN_CARVE_DOUBLES(mem, c->n, &c->gap, &c->rate, &c->free, &c->load, &c->left);
    if (sim->method.integrator->over_impacts)
        TN_CARVE_DOUBLES(mem, c->n, &c->before, &c->lift);
    TN_CARVE_DOUBLES(mem, c->n > 0 ? sys->nv : 0, &c->move);
    TN_CARVE_DOUBLES(mem, c->n > 0 ? sys->ng + sys->nn : 0, &c->rows);
    const int most = c->n < AT_ONCE ? c->n : AT_ONCE;
    c->matrix = tn_carve_doubles(mem, most * most);
    c->factor = tn_carve_doubles(mem, most * most);
    c->gradient = tn_carve_doubles(mem, most * sys->nv);
    c->work = tn_carve_doubles(mem, tn_bounded_size(most));
    c->place = tn_carve_ints(mem, c->n > 0 ? sys->ng : 0);
    c->candidate = tn_carve_ints(mem, c->n);
    c->dim = tn_carve_ints(mem, c->n);
    c->touching = tn_carve_ints(mem, c->n);
}

// The row of a joint in the coordinates of the simulation.
static int row_of_joint(const tn_sim *sim, int joint)
{
    const tn_system *sys = sim->start.sys;
    const int row = tn_absolute_joint_row(tn_sim_world(sim), joint, 0);
    if (!sim->start.world)
        return row;
    for (int i = 0; i < sys->ng; i++)
        if (sys->ops->world->row(sys, i) == row)
            return i;
    return -1;
}

static void list_contacts(tn_sim *sim)
{
    const tn_model *m = sim->model;
    tn_contact *next = sim->contacts.at;
    for (int k = 0; sim->contacts.n > 0 && k < m->joints.count; k++) {
        const tn_joint_def *def = m->joints.at[k].def;
        if (!def->one_sided)
            continue;
        const int row = row_of_joint(sim, k);
        TN_ASSERT(row >= 0);
        *next = (tn_contact){.joint = k,
                             .row = row,
                             .side = sim->start.sys->row_side[row],
                             .restitution = def->restitution,
                             .last_hit = -INFINITY,
                             .spared_at = -INFINITY,
                             .event = -1};
        for (int i = 0; i < m->events.count && next->event < 0; i++)
            if (m->events.at[i].joint.index == k && m->events.at[i].coordinate == TN_EVENT_OF_HIT)
                next->event = i;
        next++;
    }
}

// They stand in the order of joints.
const tn_contact *tn_sim_contact_of(const tn_sim *sim, int joint)
{
    const tn_contact *at = sim->contacts.at;
    int from = 0, to = sim->contacts.n;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (at[middle].joint == joint)
            return &at[middle];
        if (at[middle].joint < joint)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

// Evaluates rows as if all contacts were closed.
static tn_status see_all(tn_sim *sim, const tn_state *x, unsigned want)
{
    tn_system *sys = sim->start.sys;
    int *const open = sys->row_open;
    const tn_point at = tn_state_point(x);
    sys->row_open = NULL;
    const tn_status status = tn_system_sample(sys, &at, want);
    sys->row_open = open;
    sys->looked = false;
    return status;
}

// Gaps and their rates; far apart where there are none, as of curves that are parallel.
static tn_status measure_gaps(tn_sim *sim, const tn_state *x)
{
    tn_contacts *c = &sim->contacts;
    const tn_system *sys = sim->start.sys;
    TN_TRY(see_all(sim, x, TN_EVAL_G | TN_EVAL_GDOT));
    for (int i = 0; i < c->n; i++) {
        const tn_contact *k = &c->at[i];
        const double gap = k->side * sys->g[k->row], rate = k->side * sys->gdot[k->row];
        const bool apart = !isfinite(gap) || !isfinite(rate);
        c->gap[i] = apart ? INFINITY : gap;
        c->rate[i] = apart ? 0.0 : rate;
    }
    return TN_OK;
}

tn_status tn_sim_contact_values(tn_sim *sim, double *value, double *rate)
{
    tn_contacts *c = &sim->contacts;
    bool measured = false;
    if (c->nwatched == 0)
        return TN_OK;
    const tn_state *x = c->nclosed > 0 ? tn_sim_recover_loads(sim, sim->view) : sim->view;
    for (int i = 0; i < c->nwatched; i++) {
        const tn_contact *k = &c->at[i];
        if (k->closed && k->active) {
            value[i] = c->least_load - k->side * x->lambda[k->row];
            if (rate)
                rate[i] = 0.0; // as guessed from what it has done
            continue;
        }
        if (!measured)
            TN_TRY(measure_gaps(sim, sim->view));
        measured = true;
        // Bodies that part do not meet, whatever errors leave of their gap.
        // Those that others hold are off by what these have drifted.
        const double gap = c->rate[i] > 0.0 ? fmax(c->gap[i], 0.0) : c->gap[i];
        value[i] = gap + (k->closed ? fmax(DRIFTS, c->slack) : c->slack);
        if (rate)
            rate[i] = c->rate[i];
    }
    return TN_OK;
}

// The matrix of the contacts ----------------------------------------------------------------------

// Row `row` of B, on its free side, as a dense vector.
static void take_gradient(const tn_sim *sim, const tn_contact *k, double *out)
{
    const tn_sparse *B = sim->start.sys->block[TN_BLOCK_B];
    tn_zero(sim->start.sys->nv, out);
    for (int j = 0; j < B->ncol; j++)
        for (int i = B->colptr[j]; i < B->colptr[j + 1]; i++)
            if (B->rowind[i] == k->row)
                out[j] = k->side * B->val[i];
}

// The same of the m candidates.
static void take_gradients(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const tn_system *sys = sim->start.sys;
    const tn_sparse *B = sys->block[TN_BLOCK_B];
    memset(c->place, 0, sizeof(int) * (size_t)sys->ng);
    for (int i = 0; i < m; i++)
        c->place[c->at[c->candidate[i]].row] = i + 1;
    tn_zero(sys->nv * m, c->gradient);
    for (int j = 0; j < B->ncol; j++)
        for (int l = B->colptr[j]; l < B->colptr[j + 1]; l++) {
            const int i = c->place[B->rowind[l]] - 1;
            if (i >= 0)
                tn_column_of(c->gradient, sys->nv, i)[j] = sys->row_side[B->rowind[l]] * B->val[l];
        }
}

// All contacts open: factors of what is left of the mechanism.
static tn_status open_all(tn_sim *sim)
{
    for (int i = 0; i < sim->contacts.n; i++)
        tn_start_set_row(&sim->start, sim->contacts.at[i].row, true, false);
    const tn_point at = tn_state_point(&sim->start.x);
    return tn_accel_factor(sim->start.accel, &at);
}

// The change of velocities by an impulse, on all that holds but contacts: P b, in place.
static tn_status respond(tn_sim *sim, double *b)
{
    tn_zero(sim->start.sys->ng + sim->start.sys->nn, sim->contacts.rows);
    return tn_accel_resolve(sim->start.accel, b, sim->contacts.rows);
}

// Gradients of the m candidates, and W = H P H^T. The mechanism is factored without contacts.
static tn_status form_matrix(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const int nv = sim->start.sys->nv;
    if (m > AT_ONCE)
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s %d contacts touch at once, and %d are the most that are "
                       "solved for; take fewer bodies, or restitution that keeps them apart",
                       sim->start.x.t, m, AT_ONCE);
    TN_TRY(see_all(sim, &sim->start.x, TN_EVAL_B));
    take_gradients(sim, m);
    for (int j = 0; j < m; j++) {
        tn_copy(nv, tn_column_of(c->gradient, nv, j), c->move);
        TN_TRY(respond(sim, c->move));
        for (int i = 0; i < m; i++)
            c->matrix[i + j * m] = tn_dot(nv, tn_column_of(c->gradient, nv, i), c->move);
    }
    return TN_OK;
}

// Loads of many contacts, from what is left of all that are found in a lift or in an impact.
static const double MANY_TOL = 1e-10, MANY_BOUND = 1e-6;
enum { PRODUCTS = 20000 };

static bool solve_many(tn_sim *sim, int m, double *left)
{
    tn_contacts *c = &sim->contacts;
    const tn_bounded_problem p = {
        .n = m, .W = c->matrix, .c = c->free, .tol = MANY_TOL, .most = PRODUCTS};
    *left = tn_bounded_solve(&p, c->load, c->left, c->work);
    return *left <= MANY_BOUND;
}

// What loads leave of the larger of pressing and parting, by the largest of what they answer.
static void judge_loads(tn_sim *sim, int m)
{
    const tn_contacts *c = &sim->contacts;
    const double scale = tn_norm_inf(m, c->free);
    double worst = 0.0;
    int at = 0;
    for (int i = 0; i < m; i++) {
        const double left = fabs(fmin(c->matrix[i + i * m] * c->load[i], c->left[i]));
        at = left > worst ? i : at;
        worst = fmax(worst, left);
    }
    if (scale > 0.0)
        tn_sim_judge_contacts(sim, TN_QUANTITY_LOADS, worst / scale, c->at[c->candidate[at]].row);
}

// c->load >= 0 and c->left = W load + c->free >= 0, one of each zero.
static tn_status find_loads(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    tn_cone_report report = {.solved = false};
    for (int i = 0; i < m; i++)
        c->dim[i] = 1;
    tn_zero(m, c->load);
    const tn_cone_problem p = {.n = m, .dim = c->dim, .W = c->matrix, .c = c->free};
    if (m <= TOGETHER)
        TN_TRY(tn_cone_solve(c->cone, &p, c->load, c->left, &report));
    if (report.solved || solve_many(sim, m, &report.signorini))
        return TN_OK;
    return tn_fail(
        TN_ERR_NUMERIC,
        "at t = %.6g s the loads of %d contacts are not found: the largest speed that is "
        "left is %.2g of the largest; fewer contacts, or a little restitution, may help",
        sim->start.x.t, m, report.signorini);
}

static tn_status solve_contacts(tn_sim *sim, int m)
{
    TN_TRY(find_loads(sim, m));
    judge_loads(sim, m);
    return TN_OK;
}

// Impacts -----------------------------------------------------------------------------------------

static void note_hit(tn_sim *sim, const tn_contact *k, bool parts)
{
    if (k->event < 0)
        return;
    tn_sim_note_event(
        sim, (tn_event_hit){.event = k->event + parts, .t = sim->start.x.t, .rising = parts});
}

// Contacts that touch: closed ones, those whose gap has fallen through zero, and those beside them.
// One that opens is none, unless others repeat it, which may share its load: once at a time.
static int find_candidates(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    bool shared = false;
    int m = 0;
    for (int i = 0; i < c->n; i++)
        shared = shared || (c->at[i].closed && !c->at[i].active);
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        const bool opens = k->released && !(shared && k->spared_at < sim->start.x.t);
        const bool touches = k->closed || k->reached || c->gap[i] <= 2.0 * c->slack;
        if (k->released)
            k->spared_at = sim->start.x.t;
        if (touches && !opens)
            c->candidate[m++] = i;
    }
    return m;
}

// Rates of gaps that are round-off.
static double least_rate(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    return TN_ROUND_SOLVE *
           (tn_system_typical(sys, TN_KIND_SPEED) + tn_norm_inf(sys->nv, sim->start.x.v));
}

static bool is_hit(const tn_sim *sim, int i)
{
    return sim->contacts.rate[i] < -least_rate(sim) && !sim->contacts.at[i].closed;
}

// Two contacts that hit by turns, as the corners of a slider, do so at times that pile up, and end
// at rest: as one impact of both without rebound. They have come to it where both touch, and one of
// them was hit shortly before. Their gaps vanish before their speeds do.
static bool alternates(const tn_sim *sim, int m)
{
    const tn_contacts *c = &sim->contacts;
    const double since = sim->start.x.t - SHORTLY * sim->start.sys->time_scale;
    int touching = 0;
    bool again = false;
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        touching += !k->closed;
        again = again || (!k->closed && k->last_hit > since);
    }
    return touching > 1 && again;
}

// The height of a flight, a quarter of its duration times the speed of its end, is no round-off.
static bool has_risen(const tn_sim *sim, const tn_contact *k, double rate)
{
    const double far = fmax(1.0, tn_norm_inf(sim->start.sys->nq, sim->start.x.q));
    return -0.25 * rate * (sim->start.x.t - k->last_hit) > RISEN * far;
}

// Newton's law: rates of approach times 1 + e. True if some contact is hit.
static bool approaches(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const bool ends = alternates(sim, m);
    bool hits = false;
    for (int i = 0; i < m; i++) {
        tn_contact *k = &c->at[c->candidate[i]];
        const double rate = c->rate[c->candidate[i]];
        const bool hit = is_hit(sim, c->candidate[i]);
        if (hit)
            k->fastest = fmax(k->fastest, -rate);
        const bool rebounds = hit && !ends && -rate > REST * k->fastest && has_risen(sim, k, rate);
        c->free[i] = rate * (rebounds ? 1.0 + k->restitution : 1.0);
        k->last_hit = hit ? sim->start.x.t : k->last_hit;
        hits = hits || hit;
    }
    return hits;
}

// Steps over impacts have in their loss what forces have done in the rest of the step.
static void judge_gain(tn_sim *sim, int m, double gained, double kinetic)
{
    const tn_contacts *c = &sim->contacts;
    if (c->nwatched == c->n && kinetic > 0.0)
        tn_sim_judge_contacts(sim, TN_QUANTITY_GAIN, gained / kinetic,
                              c->at[c->candidate[tn_largest_at(m, c->load)]].row);
}

// Velocities jump by the impulses in c->load; what contacts lose is booked with each of them.
static tn_status take_impulses(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const int nv = sim->start.sys->nv;
    const double kinetic = tn_sim_kinetic(sim);
    double *v = sim->start.x.v, lost = 0.0;
    tn_zero(nv, c->move);
    for (int i = 0; i < m; i++)
        tn_axpy(nv, c->load[i], tn_column_of(c->gradient, nv, i), c->move);
    TN_TRY(respond(sim, c->move));
    tn_axpy(nv, 1.0, c->move, v);
    for (int i = 0; i < m; i++) {
        tn_contact *k = &c->at[c->candidate[i]];
        const double before = c->rate[c->candidate[i]];
        const double after = before + tn_dot(nv, tn_column_of(c->gradient, nv, i), c->move);
        const double loss = -0.5 * c->load[i] * (before + after);
        c->rate[c->candidate[i]] = after;
        k->impulse = c->load[i];
        k->loss += loss;
        k->hits += c->load[i] > 0.0;
        lost += loss;
        if (c->load[i] > 0.0 && !k->closed && !(c->before && c->before[c->candidate[i]] >= 0.0))
            note_hit(sim, k, false);
    }
    tn_sim_note_impact(sim, lost);
    judge_gain(sim, m, -lost, kinetic);
    // What moves with time by itself, a floor or a drive, takes and gives energy in the impact.
    const double gain = tn_sim_kinetic(sim) - kinetic + lost;
    if (fabs(gain) > TN_ROUND_SOLVE * (kinetic + fabs(lost)))
        tn_sim_note_impulse(sim, gain);
    return TN_OK;
}

// The candidates whose rates are round-off of those with which something hits.
static int keep_touching(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    double most = least_rate(sim) / SETTLED;
    int kept = 0;
    for (int i = 0; i < m; i++)
        most = fmax(most, fabs(c->free[i]));
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        if (c->rate[c->candidate[i]] <= fmax(SETTLED * most, REST * k->fastest))
            c->candidate[kept++] = c->candidate[i];
    }
    return kept;
}

// Modes -------------------------------------------------------------------------------------------

// Accelerations of the gaps if none is closed: H v' + gamma.
static tn_status find_free_accelerations(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    tn_system *sys = sim->start.sys;
    TN_TRY(tn_start_refresh(&sim->start));
    TN_TRY(see_all(sim, &sim->start.x, TN_EVAL_GAMMA));
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        const double *gradient = tn_column_of(c->gradient, sys->nv, i);
        c->free[i] = tn_dot(sys->nv, gradient, sim->start.x.a) + k->side * sys->gamma[k->row];
    }
    return TN_OK;
}

// True if contact i repeats none of the n that are taken: it gets a row of the Cholesky factor.
static bool is_independent(const tn_contacts *c, int m, int i, const int *taken, int n,
                           double *factor)
{
    double left = c->matrix[i + i * m];
    for (int j = 0; j < n; j++) {
        double sum = c->matrix[i + taken[j] * m];
        for (int l = 0; l < j; l++)
            sum -= factor[n * m + l] * factor[j * m + l];
        factor[n * m + j] = sum / factor[j * m + j];
        left -= factor[n * m + j] * factor[n * m + j];
    }
    if (!(left > TN_ROUND_ITERATE * c->matrix[i + i * m]))
        return false;
    factor[n * m + n] = sqrt(left);
    return true;
}

// Contacts that press come first, so that those that are left over have no load, and those whose
// load has vanished come last: these stay closed only by what the others hold.
static void take_rows(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    int n = 0;
    double most = 0.0;
    for (int i = 0; i < m; i++)
        most = fmax(most, fabs(c->free[i]));
    // Loads are known to the tolerance of the positions that they hold.
    const double known = fmax(SETTLED, sim->options.adaptive ? sim->options.rtol : 0.0);
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < m; i++) {
            tn_contact *k = &c->at[c->candidate[i]];
            const int turn = k->released ? 2 : c->load[i] > 0.0 ? 0 : 1;
            if (turn != pass || c->left[i] > SETTLED * most)
                continue;
            const bool independent = is_independent(c, m, i, c->dim, n, c->factor);
            k->active = independent && !k->released;
            k->closed = k->active || !independent;
            c->least_load = fmax(c->least_load, known * c->load[i]);
            if (k->active)
                c->dim[n++] = i;
        }
}

static void tell_views(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    const int *active = tn_start_active(&sim->start);
    c->nclosed = 0;
    for (int i = 0; i < c->n; i++) {
        const tn_contact *k = &c->at[i];
        tn_start_set_row(&sim->start, k->row, !k->closed, k->active);
        c->nclosed += k->closed && k->active;
    }
    if (sim->problem)
        tn_problem_set_active(sim->problem, active);
    if (sim->ode)
        tn_ode_set_active(sim->ode, active);
    tn_sim_forget_recovered(sim);
}

// The time until an open contact that leaves with this rate may be back.
static double flight_of(const tn_sim *sim, int i)
{
    const tn_contacts *c = &sim->contacts;
    const tn_system *sys = sim->start.sys;
    const tn_contact *k = &c->at[i];
    double fall = k->side * sys->gamma[k->row];
    take_gradient(sim, k, c->move);
    fall += tn_dot(sys->nv, c->move, sim->start.x.a);
    return c->rate[i] > 0.0 && fall < 0.0 ? -2.0 * c->rate[i] / fall : INFINITY;
}

static tn_status look_ahead(tn_sim *sim, int m, const int *left)
{
    tn_contacts *c = &sim->contacts;
    double soonest = INFINITY;
    TN_TRY(see_all(sim, &sim->start.x, TN_EVAL_GAMMA | TN_EVAL_B));
    for (int i = 0; i < m; i++)
        if (!c->at[left[i]].closed)
            soonest = fmin(soonest, flight_of(sim, left[i]));
    c->from = sim->start.x.t;
    c->flight = PART_OF_FLIGHT * soonest;
    return TN_OK;
}

double tn_sim_next_contact(const tn_sim *sim, double h)
{
    const tn_contacts *c = &sim->contacts;
    const bool counts = c->nwatched > 0 && c->from == sim->start.x.t && c->flight < h;
    return counts ? c->from + c->flight : INFINITY;
}

static tn_status change_modes(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    TN_TRY(measure_gaps(sim, &sim->start.x));
    int m = find_candidates(sim);
    const int touching = m;
    memcpy(c->touching, c->candidate, sizeof(int) * (size_t)m);
    TN_TRY(open_all(sim));
    if (m > 0 && approaches(sim, m)) {
        TN_TRY(form_matrix(sim, m));
        TN_TRY(solve_contacts(sim, m));
        TN_TRY(take_impulses(sim, m));
        m = keep_touching(sim, m);
        TN_TRY(tn_sim_settle_decisions(sim));
    } else {
        for (int i = 0; i < m; i++)
            c->free[i] = c->rate[c->candidate[i]];
        m = keep_touching(sim, m);
    }
    for (int i = 0; i < c->n; i++) {
        c->at[i].was_closed = c->at[i].closed;
        c->at[i].closed = c->at[i].active = false;
    }
    if (m > 0) {
        TN_TRY(form_matrix(sim, m));
        TN_TRY(find_free_accelerations(sim, m));
        TN_TRY(solve_contacts(sim, m));
        take_rows(sim, m);
    }
    bool changed = false;
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        if (k->was_closed && !k->closed)
            note_hit(sim, k, true);
        changed = changed || k->was_closed != k->closed;
        k->reached = k->released = false;
    }
    tell_views(sim);
    TN_EACH_MONITOR(sim, rows_change, sim);
    if (c->nclosed > 0 && changed)
        TN_TRY(tn_sim_project(sim));
    TN_TRY(tn_sim_begin_anew(sim, "an impact"));
    return look_ahead(sim, touching, c->touching);
}

// Steps over impacts ------------------------------------------------------------------------------
//
// Between impacts nsgalpha is galpha with closed contacts as rows. At the end of a step (q, v) that
// leaves bodies in each other it is moved to
//
//   q+ = q o exp(U),   M U = H^T nu - B^T mu,   0 <= gap(q+)  _|_  nu >= 0,   g(q+) = 0
//
// and what touches there has an impact, xi = H v+ + e min(H v0, 0) with v0 from where the step
// began [BAC14]. Contacts with H v+ = 0 that press are closed then: as impulses, step by step, they
// would lose an order.

// Bodies may be in each other by this part of the slack: round-off of positions.
static const double WITHIN = 0.02;
enum { LIFTS_MAX = 30 };

static bool is_within(const tn_contacts *c, int i)
{
    return c->gap[i] < -WITHIN * c->slack;
}

tn_status tn_sim_find_released(tn_sim *sim, tn_status status, bool *found)
{
    tn_contacts *c = &sim->contacts;
    *found = false;
    if (c->nwatched == c->n || c->nclosed == 0 || status < 0)
        return status;
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        const bool pulls = k->side * sim->start.x.lambda[k->row] > c->least_load;
        k->released = k->closed && k->active && (status != TN_OK || pulls);
        *found = *found || k->released;
        if (k->released && status == TN_OK)
            note_hit(sim, k, true);
    }
    return *found ? TN_OK : status;
}

tn_status tn_sim_let_go(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        if (!k->released)
            continue;
        k->closed = k->active = k->released = false;
    }
    tell_views(sim);
    TN_EACH_MONITOR(sim, rows_change, sim);
    return tn_sim_begin_anew(sim, "the end of a contact");
}

// Contacts that hold positions: those that are closed, and what the step or the lift left within.
static int find_lifted(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    int m = 0;
    for (int i = 0; i < c->n; i++)
        if (c->at[i].closed || c->lift[i] > 0.0 || is_within(c, i))
            c->candidate[m++] = i;
    return m;
}

// How far bodies are in each other, or off the rows that hold both ways, whose values stay.
static tn_status measure_misfit(tn_sim *sim, double *out)
{
    tn_contacts *c = &sim->contacts;
    const tn_system *sys = sim->start.sys;
    *out = 0.0;
    TN_TRY(measure_gaps(sim, &sim->start.x));
    for (int i = 0; i < c->n; i++)
        *out = fmax(*out, -c->gap[i]);
    for (int i = 0; i < sys->ng; i++)
        if (!tn_system_row_is_one_sided(sys, i) && tn_start_active(&sim->start)[i])
            *out = fmax(*out, fabs(sys->g[i]));
    return TN_OK;
}

// One step of Newton's method: what the rows need by themselves, then what contacts add.
static tn_status lift_once(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    tn_system *sys = sim->start.sys;
    double *q = sim->start.x.q, *dq = sim->scratch;
    TN_TRY(open_all(sim));
    TN_TRY(form_matrix(sim, m));
    tn_zero(sys->ng + sys->nn, c->rows);
    tn_axpy(sys->ng, -1.0, sys->g, c->rows);
    tn_zero(sys->nv, dq);
    TN_TRY(tn_accel_resolve(sim->start.accel, dq, c->rows));
    for (int i = 0; i < m; i++) {
        c->free[i] =
            c->gap[c->candidate[i]] + tn_dot(sys->nv, tn_column_of(c->gradient, sys->nv, i), dq);
        for (int j = 0; j < m; j++)
            c->free[i] -= c->matrix[i + j * m] * c->lift[c->candidate[j]];
    }
    TN_TRY(solve_contacts(sim, m));
    tn_zero(sys->nv, c->move);
    for (int i = 0; i < m; i++) {
        double *lift = &c->lift[c->candidate[i]];
        tn_axpy(sys->nv, c->load[i] - *lift, tn_column_of(c->gradient, sys->nv, i), c->move);
        *lift = c->load[i];
    }
    TN_TRY(respond(sim, c->move));
    tn_axpy(sys->nv, 1.0, c->move, dq);
    tn_group_retract(sys->ngroup, sys->groups, q, dq, q);
    return TN_OK;
}

static void judge_depth(tn_sim *sim)
{
    const tn_contacts *c = &sim->contacts;
    int at = 0;
    for (int i = 1; i < c->n; i++)
        at = c->gap[i] < c->gap[at] ? i : at;
    tn_sim_judge_contacts(sim, TN_QUANTITY_DEPTH,
                          fmax(-c->gap[at], 0.0) / sim->sums.judge.sizes.length, c->at[at].row);
}

// Moves bodies out of each other. What that adds to the energy is taken from what impacts lose.
static tn_status lift_apart(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    const double stored = tn_sim_stored(sim);
    double misfit, last = INFINITY;
    tn_zero(c->n, c->lift);
    TN_TRY(measure_misfit(sim, &misfit));
    // On to round-off, which is where it falls no further.
    for (int k = 0; misfit > WITHIN * c->slack && !(misfit > 0.5 * last && last < c->slack); k++) {
        if (k == LIFTS_MAX)
            return tn_fail(TN_ERR_NUMERIC,
                           "at t = %.6g s bodies are in each other, and no position near it is "
                           "found in which they are not; take a smaller step",
                           sim->start.x.t);
        last = misfit;
        TN_TRY(lift_once(sim, find_lifted(sim)));
        TN_TRY(measure_misfit(sim, &misfit));
    }
    judge_depth(sim);
    const tn_point at = tn_state_point(&sim->start.x);
    TN_TRY(open_all(sim));
    TN_TRY(tn_accel_project(sim->start.accel, &at, sim->start.x.v));
    const double lost = stored - tn_sim_stored(sim);
    double lifts = 0.0;
    for (int i = 0; i < c->n; i++)
        lifts += c->lift[i];
    for (int i = 0; i < c->n; i++) {
        c->at[i].reached = c->lift[i] > 0.0;
        c->at[i].loss += lifts > 0.0 ? lost * c->lift[i] / lifts : 0.0;
    }
    tn_sim_note_impact(sim, lifts > 0.0 ? lost : 0.0);
    return TN_OK;
}

// Impacts of what touches. Approach is what it was where the step began: at its end there is what
// forces have done after the impact, too. A flight that is over within a step ends.
static tn_status hit_after_step(tn_sim *sim, int *touching)
{
    tn_contacts *c = &sim->contacts;
    TN_TRY(measure_gaps(sim, &sim->start.x));
    const int m = *touching = find_candidates(sim);
    TN_TRY(open_all(sim));
    TN_TRY(form_matrix(sim, m));
    for (int i = 0; i < m; i++) {
        const int j = c->candidate[i];
        c->at[j].fastest = fmax(c->at[j].fastest, -c->before[j]);
        c->free[i] = c->rate[j] + c->at[j].restitution * fmin(c->before[j], 0.0);
    }
    TN_TRY(solve_contacts(sim, m));
    TN_TRY(take_impulses(sim, m));
    tell_views(sim);
    return TN_OK;
}

// So many contacts are held by impulses alone, step by step, which are of order one.
static tn_status hold_by_impulses(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    const bool rows = c->nclosed > 0;
    for (int i = 0; i < c->n; i++)
        c->at[i].closed = c->at[i].active = c->at[i].reached = false;
    if (!rows)
        return TN_OK;
    tell_views(sim);
    TN_EACH_MONITOR(sim, rows_change, sim);
    return tn_sim_begin_anew(sim, "impacts");
}

tn_status tn_sim_step_over_impacts(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    if (c->nwatched == c->n)
        return TN_OK;
    bool within = false;
    TN_TRY(measure_gaps(sim, &sim->start.x));
    for (int i = 0; i < c->n; i++)
        within = within || is_within(c, i);
    if (!within)
        return TN_OK;
    tn_sim_keep_step_end(sim);
    TN_TRY(measure_gaps(sim, &sim->before));
    tn_copy(c->n, c->rate, c->before);
    TN_TRY(measure_gaps(sim, &sim->start.x));
    TN_TRY(lift_apart(sim));
    int touching;
    TN_TRY(hit_after_step(sim, &touching));
    c->pending = touching <= TOGETHER; // what closes and opens does so before the next step
    tn_sim_note_jump(sim);
    return c->pending ? TN_OK : hold_by_impulses(sim);
}

tn_status tn_sim_pass_contacts(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    if (!c->pending)
        return TN_OK;
    c->pending = false;
    tn_sim_keep_step_end(sim);
    TN_TRY(change_modes(sim));
    return tn_sim_watch_values(sim, sim->watch.end[1], sim->watch.rate[1]);
}

void tn_sim_reach_contact(tn_sim *sim, int i)
{
    tn_contact *k = &sim->contacts.at[i];
    k->released = k->closed && k->active;
    k->reached = !k->released;
    sim->contacts.pending = true;
}

void tn_sim_part_contacts(tn_sim *sim)
{
    for (int i = 0; i < sim->contacts.n; i++)
        sim->contacts.at[i].closed = sim->contacts.at[i].active = false;
    if (sim->contacts.n > 0)
        tell_views(sim);
}

void tn_sim_contacts_values(tn_sim *sim, tn_values *v)
{
    tn_contacts *c = &sim->contacts;
    if (c->n == 0)
        return;
    tn_values_enter(v, "contacts");
    TN_VALUES_BOOL(v, &c->pending);
    TN_VALUES_INT(v, -1, c->n - 1, 1, &c->turn);
    TN_VALUES_ANY(v, "s", 1, &c->from, &c->flight);
    TN_VALUES(v, "1", 1, &c->slack, &c->least_load);
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        tn_values_enter_at(v, "contact", i);
        TN_VALUES_BOOL(v, &k->closed, &k->active, &k->was_closed, &k->reached, &k->released);
        TN_VALUES(v, "1", 1, &k->fastest, &k->impulse, &k->loss);
        TN_VALUES_ANY(v, "s", 1, &k->last_hit, &k->spared_at);
        TN_VALUES_LONG(v, &k->hits);
        tn_values_leave(v);
    }
    tn_values_leave(v);
    if (tn_values_are_read(v))
        tell_views(sim);
}

tn_status tn_sim_turn_contact(tn_sim *sim)
{
    const int i = sim->contacts.turn;
    sim->contacts.turn = -1;
    tn_sim_reach_contact(sim, i);
    return tn_sim_pass_contacts(sim);
}

// Gaps as small as what files state count as closed.
static tn_status check_start(const tn_sim *sim, int i)
{
    const tn_contacts *c = &sim->contacts;
    tn_contact *k = &c->at[i];
    const double unit = tn_system_row_unit(sim->start.sys, k->row);
    k->reached = fabs(c->gap[i]) <= TYPED;
    if (c->gap[i] >= -TYPED)
        return TN_OK;
    return tn_fail(
        TN_ERR_MODEL,
        "joint '%s': its bodies are in each other by %.4g %s at the start; state a start "
        "at which they touch or are apart",
        sim->model->joints.at[k->joint].name, -unit * c->gap[i],
        sim->start.sys->g_length && sim->start.sys->g_length[k->row] ? "m" : "(unit of its row)");
}

tn_status tn_sim_open_contacts(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    c->turn = -1;
    c->pending = false;
    if (c->n == 0)
        return TN_OK;
    if (!c->cone)
        TN_TRY(tn_cone_create(c->n < TOGETHER ? c->n : TOGETHER, &c->cone));
    list_contacts(sim);
    c->least_load = TN_ROUND_SOLVE / (sim->start.sys->time_scale * sim->start.sys->time_scale);
    c->slack = TOUCHES * fmax(1.0, tn_norm_inf(sim->start.sys->nq, sim->start.x.q));
    TN_TRY(measure_gaps(sim, &sim->start.x));
    if (c->before)
        tn_copy(c->n, c->rate, c->before);
    for (int i = 0; i < c->n; i++) {
        TN_TRY(check_start(sim, i));
        c->pending = c->pending || (c->at[i].reached && c->rate[i] < -least_rate(sim));
    }
    return c->pending ? TN_OK : change_modes(sim); // an impact belongs to the first step
}
