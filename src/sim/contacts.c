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
//
// Contacts that rub have components along their surface in both, u = N v + n0, with Coulomb's cone:
// L_T <= mu L against u (linalg/cone.h). Between changes those that stick have rows N, and those
// that slip have friction (system/slide.h); the first change where mu N - |eta| falls through zero,
// the second where their slip along the direction at the begin of a step does.

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
// Hits that come so soon one after the other, by the time scale, are one: what lands flat does so
// but for round-off.
static const double SAME_TIME = 1e-9;
// Heights of flights from one contact to another, as of a block that rocks, that are as low as the
// gaps that count as none: each closing adds one.
static const double LOW = 16.0;
// Velocities after an impact, and accelerations, that are round-off of those before.
static const double SETTLED = 1e-10;
// A step that follows an impact sees the flight before its middle.
static const double PART_OF_FLIGHT = 0.5;
// A slip that turns far within a step has not stopped above this part of its speed, and above this
// part of all speeds, or some tolerances of them.
static const double STOPPED = 1e-3, STANDS = 1e-8, TOLERANCES = 10.0;
// Contacts that begin to slip and stop at one time are let go on by so much more each time.
static const double DOUBT = 10.0;

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
    c->nslide = sys->nslide;
    c->ncomponent = c->n;
    for (int k = 0; k < sys->nslide; k++)
        c->ncomponent += sys->slide[k].n;
    c->nwatched = sim->method.integrator->over_impacts ? 0 : c->n + c->nslide;
    c->at = tn_carve_bytes(mem, (size_t)c->n * sizeof *c->at);
    TN_CARVE_DOUBLES(mem, c->n, &c->gap, &c->rate, &c->mu);
    TN_CARVE_DOUBLES(mem, c->ncomponent, &c->free, &c->load, &c->left, &c->slipping);
    if (sim->method.integrator->over_impacts)
        TN_CARVE_DOUBLES(mem, c->n, &c->before, &c->lift);
    TN_CARVE_DOUBLES(mem, c->n > 0 ? sys->nv : 0, &c->move);
    TN_CARVE_DOUBLES(mem, c->n > 0 ? sys->ng + sys->nn : 0, &c->rows);
    const int most = c->ncomponent < AT_ONCE ? c->ncomponent : AT_ONCE;
    c->matrix = tn_carve_doubles(mem, most * most);
    c->factor = tn_carve_doubles(mem, most * most);
    c->gradient = tn_carve_doubles(mem, most * sys->nv);
    c->work = tn_carve_doubles(mem, tn_bounded_size(most));
    c->place = tn_carve_ints(mem, c->n > 0 ? sys->ng + sys->nn : 0);
    TN_CARVE_DOUBLES(mem, 2 * c->n, &c->slip);
    c->candidate = tn_carve_ints(mem, c->n);
    c->dim = tn_carve_ints(mem, c->n);
    c->touching = tn_carve_ints(mem, c->n);
    c->first = tn_carve_ints(mem, c->n);
    c->taken = tn_carve_ints(mem, c->ncomponent);
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
                             .slide = -1,
                             .last_hit = -INFINITY,
                             .spared_at = -INFINITY,
                             .tried = -INFINITY,
                             .event = -1};
        for (int i = 0; i < sim->contacts.nslide; i++)
            if (sim->start.sys->slide[i].normal == row)
                next->slide = i;
        next->nslip = next->slide >= 0 ? sim->start.sys->slide[next->slide].n : 0;
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
        for (int d = 0; d < k->nslip; d++)
            c->slip[2 * i + d] = apart ? 0.0 : sys->ndot[sys->slide[k->slide].row + d];
    }
    return TN_OK;
}

// Rates of gaps that are round-off.
static double least_rate(const tn_sim *sim, const tn_state *x)
{
    const tn_system *sys = sim->start.sys;
    return TN_ROUND_SOLVE * (tn_system_typical(sys, TN_KIND_SPEED) + tn_norm_inf(sys->nv, x->v));
}

static bool rubs(const tn_contact *k)
{
    return k->slide >= 0 && k->closed && k->active;
}

bool tn_sim_contact_holds(const tn_sim *sim, int i)
{
    const tn_contacts *c = &sim->contacts;
    for (int k = 0; k < c->n && i >= c->n; k++)
        if (c->at[k].slide == i - c->n)
            return rubs(&c->at[k]);
    return i < c->n && c->at[i].closed && c->at[i].active;
}

// The load of a closed contact, and its friction, with what they have of loads that are not unique.
static double load_of(const tn_contact *k, const tn_state *x)
{
    return k->share[0] - k->side * x->lambda[k->row];
}

static double friction_of(const tn_sim *sim, const tn_contact *k, const tn_state *x, double eta[2])
{
    double sum = 0.0;
    for (int d = 0; d < k->nslip; d++) {
        eta[d] = x->eta[sim->start.sys->slide[k->slide].row + d] + k->share[1 + d];
        sum = hypot(sum, eta[d]);
    }
    return sum;
}

// The friction that a contact has left before it slips, or its slip.
static double reserve_of(const tn_sim *sim, const tn_state *x, int i)
{
    const tn_contacts *c = &sim->contacts;
    const tn_contact *k = &c->at[i];
    if (!rubs(k))
        return 1.0;
    const tn_slide *slide = &sim->start.sys->slide[k->slide];
    const double *u = &c->slip[2 * i];
    double eta[2];
    if (k->sticks)
        return (1.0 + k->doubt) * c->least_load + slide->mu * load_of(k, x) -
               friction_of(sim, k, x, eta);
    return u[0] * k->way[0] + (k->nslip > 1 ? u[1] * k->way[1] : 0.0) +
           (1.0 + k->doubt) * least_rate(sim, x);
}

static bool some_slip(const tn_contacts *c)
{
    for (int i = 0; i < c->n; i++)
        if (rubs(&c->at[i]) && !c->at[i].sticks)
            return true;
    return false;
}

tn_status tn_sim_contact_values(tn_sim *sim, double *value, double *rate)
{
    tn_contacts *c = &sim->contacts;
    bool measured = some_slip(c);
    if (c->nwatched == 0)
        return TN_OK;
    const tn_state *x = c->nclosed > 0 ? tn_sim_recover_loads(sim, sim->view) : sim->view;
    if (measured)
        TN_TRY(measure_gaps(sim, sim->view));
    for (int i = 0; i < c->n; i++) {
        if (c->at[i].slide >= 0) {
            value[c->n + c->at[i].slide] = reserve_of(sim, x, i);
            if (rate)
                rate[c->n + c->at[i].slide] = 0.0;
        }
        const tn_contact *k = &c->at[i];
        if (k->closed && k->active) {
            value[i] = c->least_load + load_of(k, x);
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

// Component d of a contact, the normal one on its free side, as a dense vector.
static void take_gradient(const tn_sim *sim, const tn_contact *k, int d, double *out)
{
    const tn_system *sys = sim->start.sys;
    const tn_sparse *A = sys->block[d == 0 ? TN_BLOCK_B : TN_BLOCK_N];
    const int row = d == 0 ? k->row : sys->slide[k->slide].row + d - 1;
    tn_zero(sys->nv, out);
    for (int j = 0; j < A->ncol; j++)
        for (int i = A->colptr[j]; i < A->colptr[j + 1]; i++)
            if (A->rowind[i] == row)
                out[j] = (d == 0 ? k->side : 1.0) * A->val[i];
}

static void set_slip_rows(tn_sim *sim, const tn_contact *k, bool open)
{
    const tn_system *sys = sim->start.sys;
    for (int d = 0; d < k->nslip; d++)
        tn_start_set_row(&sim->start, sys->ng + sys->slide[k->slide].row + d, open || !k->sticks,
                         !open && k->sticks && k->held[d]);
}

// All contacts open: factors of what is left of the mechanism.
static tn_status open_all(tn_sim *sim)
{
    for (int i = 0; i < sim->contacts.n; i++) {
        const tn_contact *k = &sim->contacts.at[i];
        tn_start_set_row(&sim->start, k->row, true, false);
        set_slip_rows(sim, k, true);
        if (k->slide >= 0)
            tn_start_set_slide(&sim->start, k->slide, false, NULL);
    }
    const tn_point at = tn_state_point(&sim->start.x);
    return tn_accel_factor(sim->start.accel, &at);
}

// The change of velocities by an impulse, on all that holds but contacts: P b, in place.
static tn_status respond(tn_sim *sim, double *b)
{
    tn_zero(sim->start.sys->ng + sim->start.sys->nn, sim->contacts.rows);
    return tn_accel_resolve(sim->start.accel, b, sim->contacts.rows);
}

// The first component of each candidate; returns the number of components.
static int lay_out(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    int n = 0;
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        c->first[i] = n;
        c->dim[i] = 1 + k->nslip;
        c->mu[i] = k->slide >= 0 ? sim->start.sys->slide[k->slide].mu : 0.0;
        n += c->dim[i];
    }
    return n;
}

// Components of m candidates that are laid out.
static int count_of(const tn_contacts *c, int m)
{
    return m > 0 ? c->first[m - 1] + c->dim[m - 1] : 0;
}

// The same of all components of the m candidates.
static void take_gradients(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const tn_system *sys = sim->start.sys;
    const tn_sparse *const block[2] = {sys->block[TN_BLOCK_B], sys->block[TN_BLOCK_N]};
    memset(c->place, 0, sizeof(int) * (size_t)(sys->ng + sys->nn));
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        c->place[k->row] = c->first[i] + 1;
        for (int d = 0; d < c->dim[i] - 1; d++)
            c->place[sys->ng + sys->slide[k->slide].row + d] = c->first[i] + 2 + d;
    }
    tn_zero(sys->nv * count_of(c, m), c->gradient);
    for (int b = 0; b < 2 && block[b]; b++)
        for (int j = 0; j < block[b]->ncol; j++)
            for (int l = block[b]->colptr[j]; l < block[b]->colptr[j + 1]; l++) {
                const int row = block[b]->rowind[l] + b * sys->ng, i = c->place[row] - 1;
                if (i >= 0)
                    tn_column_of(c->gradient, sys->nv, i)[j] =
                        sys->row_side[row] * block[b]->val[l];
            }
}

// Gradients of the m candidates, and W = H P H^T. The mechanism is factored without contacts.
static tn_status form_matrix(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const int nv = sim->start.sys->nv, n = lay_out(sim, m);
    if (n > AT_ONCE)
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s %d contacts touch at once, and %d are the most that are "
                       "solved for; take fewer bodies, or restitution that keeps them apart",
                       sim->start.x.t, m, AT_ONCE);
    TN_TRY(see_all(sim, &sim->start.x, TN_EVAL_B));
    take_gradients(sim, m);
    for (int j = 0; j < n; j++) {
        tn_copy(nv, tn_column_of(c->gradient, nv, j), c->move);
        TN_TRY(respond(sim, c->move));
        for (int i = 0; i < n; i++)
            c->matrix[i + j * n] = tn_dot(nv, tn_column_of(c->gradient, nv, i), c->move);
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
    const int n = count_of(c, m);
    const double scale = tn_norm_inf(n, c->free);
    double worst = 0.0;
    int at = 0;
    for (int i = 0; i < m; i++) {
        const int j = c->first[i];
        const double left = fabs(fmin(c->matrix[j + j * n] * c->load[j], c->left[j]));
        at = left > worst ? i : at;
        worst = fmax(worst, left);
    }
    if (scale > 0.0)
        tn_sim_judge_contacts(sim, TN_QUANTITY_LOADS, worst / scale, c->at[c->candidate[at]].row);
}

static bool some_rub(const tn_contacts *c, int m)
{
    for (int i = 0; i < m; i++)
        if (c->dim[i] > 1)
            return true;
    return false;
}

// c->load >= 0 and c->left = W load + c->free >= 0, one of each zero; with friction in the cone.
static tn_status find_loads(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    tn_cone_report report = {.solved = false};
    const tn_cone_problem p = {.n = m, .dim = c->dim, .mu = c->mu, .W = c->matrix, .c = c->free};
    tn_zero(count_of(c, m), c->load);
    if (m <= TOGETHER)
        TN_TRY(tn_cone_solve(c->cone, &p, c->load, c->left, &report));
    if (report.solved || (!some_rub(c, m) && solve_many(sim, m, &report.signorini)))
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

// What contacts do, in the order of their events.
typedef enum { HITS, PARTS, SLIPS, STICKS } deed;

static void note_deed(tn_sim *sim, const tn_contact *k, deed what)
{
    if (k->event < 0)
        return;
    const bool rising = what == PARTS || what == SLIPS;
    tn_sim_note_event(
        sim, (tn_event_hit){.event = k->event + (int)what, .t = sim->start.x.t, .rising = rising});
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
        const double soon = -c->rate[i] * SAME_TIME * sim->start.sys->time_scale;
        const bool touches = k->closed || k->reached || c->gap[i] <= fmax(2.0 * c->slack, soon);
        if (k->released)
            k->spared_at = sim->start.x.t;
        if (touches && !opens)
            c->candidate[m++] = i;
    }
    return m;
}

static bool is_hit(const tn_sim *sim, int i)
{
    return sim->contacts.rate[i] < -least_rate(sim, &sim->start.x) && !sim->contacts.at[i].closed;
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

// The speed at which a contact is hit beside closed ones after a flight too low to count; 0 where
// there is none. Both stay closed then.
static double low_speed(const tn_sim *sim, int m)
{
    const tn_contacts *c = &sim->contacts;
    double speed = 0.0;
    bool closed = false;
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        const double rate = c->rate[c->candidate[i]];
        const double height = -0.25 * rate * (sim->start.x.t - k->last_hit);
        closed = closed || k->closed;
        if (is_hit(sim, c->candidate[i]) && height < LOW * c->slack)
            speed = fmax(speed, -rate);
    }
    return closed ? speed : 0.0;
}

// Newton's law: rates of approach times 1 + e. True if some contact is hit.
static bool approaches(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const bool ends = alternates(sim, m);
    bool hits = false;
    c->low = low_speed(sim, m);
    for (int i = 0; i < m; i++) {
        tn_contact *k = &c->at[c->candidate[i]];
        const double rate = c->rate[c->candidate[i]];
        const bool hit = is_hit(sim, c->candidate[i]);
        if (hit)
            k->fastest = fmax(k->fastest, -rate);
        const bool rebounds = hit && !ends && -rate > REST * k->fastest && has_risen(sim, k, rate);
        c->free[c->first[i]] = rate * (rebounds ? 1.0 + k->restitution : 1.0);
        for (int d = 0; d < k->nslip; d++)
            c->free[c->first[i] + 1 + d] = c->slip[2 * c->candidate[i] + d];
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
    for (int j = 0; j < count_of(c, m); j++)
        tn_axpy(nv, c->load[j], tn_column_of(c->gradient, nv, j), c->move);
    TN_TRY(respond(sim, c->move));
    tn_axpy(nv, 1.0, c->move, v);
    for (int i = 0; i < m; i++) {
        tn_contact *k = &c->at[c->candidate[i]];
        double loss = 0.0;
        for (int d = 0; d < c->dim[i]; d++) {
            const int j = c->first[i] + d;
            double *u = d == 0 ? &c->rate[c->candidate[i]] : &c->slip[2 * c->candidate[i] + d - 1];
            const double before = *u;
            *u = before + tn_dot(nv, tn_column_of(c->gradient, nv, j), c->move);
            loss -= 0.5 * c->load[j] * (before + *u);
        }
        k->impulse = c->load[c->first[i]];
        k->loss += loss;
        k->hits += k->impulse > 0.0;
        lost += loss;
        if (k->impulse > 0.0 && !k->closed && !(c->before && c->before[c->candidate[i]] >= 0.0))
            note_deed(sim, k, HITS);
    }
    tn_sim_note_impact(sim, lost);
    judge_gain(sim, m, -lost, kinetic);
    // What moves with time by itself, a floor or a drive, takes and gives energy in the impact.
    const double gain = tn_sim_kinetic(sim) - kinetic + lost;
    if (fabs(gain) > TN_ROUND_SOLVE * (kinetic + fabs(lost)))
        tn_sim_note_impulse(sim, gain);
    return TN_OK;
}

// The candidates whose rates are round-off of those with which something hits; *least of these.
static int keep_touching(tn_sim *sim, int m, double *least)
{
    tn_contacts *c = &sim->contacts;
    double most = least_rate(sim, &sim->start.x) / SETTLED;
    int kept = 0;
    for (int i = 0; i < m; i++)
        most = fmax(most, fabs(c->free[c->first[i]]));
    *least = SETTLED * most;
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        if (c->rate[c->candidate[i]] <= fmax(fmax(SETTLED * most, c->low), REST * k->fastest))
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
        for (int d = 0; d < c->dim[i]; d++) {
            const double gamma = d == 0 ? k->side * sys->gamma[k->row]
                                        : sys->ngamma[sys->slide[k->slide].row + d - 1];
            const double *gradient = tn_column_of(c->gradient, sys->nv, c->first[i] + d);
            c->free[c->first[i] + d] = tn_dot(sys->nv, gradient, sim->start.x.a) + gamma;
        }
    }
    return TN_OK;
}

// Slips that have come to nothing where one stops: those of a plate end together, but for what they
// are known to.
static double still_speed(const tn_sim *sim, int m)
{
    const tn_contacts *c = &sim->contacts;
    const double known = fmax(STANDS, sim->options.adaptive ? TOLERANCES * sim->options.rtol : 0.0);
    bool stops = false;
    for (int i = 0; i < m; i++)
        stops = stops || c->at[c->candidate[i]].stops;
    return stops ? known / TN_ROUND_SOLVE * least_rate(sim, &sim->start.x) : 0.0;
}

// The direction in which a candidate slips, or is about to slip; zero where it may begin to.
static void take_slip(tn_sim *sim, int i, double still)
{
    tn_contacts *c = &sim->contacts;
    const tn_contact *k = &c->at[c->candidate[i]];
    const double *u = &c->slip[2 * c->candidate[i]];
    const double speed = k->nslip > 1 ? hypot(u[0], u[1]) : fabs(u[0]);
    const bool stopped = k->stops && (k->nslip == 1 || speed <= STOPPED * k->speed);
    double *slip = &c->slipping[c->first[i]];
    slip[0] = 0.0;
    for (int d = 0; d < k->nslip; d++)
        slip[1 + d] = k->breaks ? k->way[d] : stopped || speed <= still ? 0.0 : u[d];
}

static tn_status fail_modes(const tn_sim *sim, int m, const tn_cone_choice *choice)
{
    const tn_contacts *c = &sim->contacts;
    const int at = choice->painleve_at >= 0 && choice->painleve_at < m ? choice->painleve_at : 0;
    const tn_contact *k = &c->at[c->candidate[at]];
    const char *name = sim->model->joints.at[k->joint].name;
    if (choice->painleve <= 0.0)
        return tn_fail(
            TN_ERR_NUMERIC,
            "joint '%s' jams at t = %.6g s: it slips with friction %g where A / W = %.4g "
            "is not above zero, so that rigid bodies have %s [PG96]; lower its friction, "
            "or make the contact a force of kind contact-force",
            name, sim->start.x.t, sim->model->joints.at[k->joint].def->friction, choice->painleve,
            choice->counted && choice->solutions > 1 ? "two motions" : "no motion");
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s it is not found which of %d contacts hold, slip or part: %d "
                   "solutions; lower the friction of joint '%s', or state other contacts",
                   sim->start.x.t, m, choice->solutions, name);
}

static bool may_jam(const tn_sim *sim, const tn_contact *k)
{
    return k->slide >= 0 && sim->model->joints.at[k->joint].def->impact_without_collision;
}

// All that slip may jam, and be stopped.
static bool may_stop(const tn_sim *sim, int m)
{
    const tn_contacts *c = &sim->contacts;
    for (int i = 0; i < m; i++)
        if (c->at[c->candidate[i]].slide >= 0 && !may_jam(sim, &c->at[c->candidate[i]]))
            return false;
    return true;
}

// As solve_contacts for accelerations with friction: which of the candidates stick, slip or part.
// *jams where they need an impulse to go on.
static tn_status solve_modes(tn_sim *sim, int m, double least, bool *jams)
{
    tn_contacts *c = &sim->contacts;
    tn_cone_mode mode[TOGETHER];
    tn_cone_choice choice;
    *jams = false;
    const tn_cone_problem p = {.n = m, .dim = c->dim, .mu = c->mu, .W = c->matrix, .c = c->free};
    if (m > TOGETHER)
        return tn_fail(
            TN_ERR_NUMERIC,
            "at t = %.6g s %d contacts touch at once, some with friction, and %d are the "
            "most that are solved for with it; take fewer bodies, or leave friction out",
            sim->start.x.t, m, TOGETHER);
    const double still = fmax(least, still_speed(sim, m));
    for (int i = 0; i < m; i++)
        take_slip(sim, i, still);
    TN_TRY(tn_cone_modes(c->cone, &p, c->slipping, c->load, c->left, mode, &choice));
    *jams = choice.painleve <= 0.0 && may_stop(sim, m);
    if (*jams)
        return TN_OK;
    if (!choice.report.solved || choice.painleve <= 0.0 || (choice.counted && choice.solutions > 1))
        return fail_modes(sim, m, &choice);
    for (int i = 0; i < m; i++)
        c->at[c->candidate[i]].sticks = c->dim[i] > 1 && mode[i] == TN_CONE_STICK;
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

// The direction in which a candidate slips: against its friction, or where it goes.
static void take_way(tn_contacts *c, int i)
{
    tn_contact *k = &c->at[c->candidate[i]];
    const double *slip = &c->slipping[c->first[i] + 1], *load = &c->load[c->first[i] + 1],
                 *gain = &c->left[c->first[i] + 1];
    const double by[3][2] = {{slip[0], k->nslip > 1 ? slip[1] : 0.0},
                             {-load[0], k->nslip > 1 ? -load[1] : 0.0},
                             {gain[0], k->nslip > 1 ? gain[1] : 0.0}};
    for (int b = 0; b < TN_COUNT(by); b++) {
        const double size = hypot(by[b][0], by[b][1]);
        for (int d = 0; d < k->nslip && size > 0.0; d++)
            k->way[d] = by[b][d] / size;
        if (size > 0.0)
            return;
    }
}

// Contacts that press come first, so that those that are left over have no load, and those whose
// load has vanished come last: these stay closed only by what the others hold.
static void take_rows(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const int size = count_of(c, m);
    int n = 0;
    double most = 0.0;
    for (int j = 0; j < size; j++)
        most = fmax(most, fabs(c->free[j]));
    // Loads are known to the tolerance of the positions that they hold.
    const double known = fmax(SETTLED, sim->options.adaptive ? sim->options.rtol : 0.0);
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < m; i++) {
            tn_contact *k = &c->at[c->candidate[i]];
            const int at = c->first[i];
            const int turn = k->released ? 2 : c->load[at] > 0.0 ? 0 : 1;
            if (turn != pass || c->left[at] > SETTLED * most)
                continue;
            const bool independent = is_independent(c, size, at, c->taken, n, c->factor);
            k->active = independent && !k->released;
            k->closed = k->active || !independent;
            c->least_load = fmax(c->least_load, known * c->load[at]);
            if (k->active)
                c->taken[n++] = at;
        }
    for (int i = 0; i < m; i++) {
        tn_contact *k = &c->at[c->candidate[i]];
        k->sticks = k->sticks && rubs(k);
        for (int d = 0; d < k->nslip; d++) {
            const int at = c->first[i] + 1 + d;
            k->held[d] = k->sticks && is_independent(c, size, at, c->taken, n, c->factor);
            if (k->held[d])
                c->taken[n++] = at;
        }
        if (rubs(k) && !k->sticks)
            take_way(c, i);
    }
}

// Loads of contacts that repeat each other are not unique: what those of the choice have beside
// those of the rows stays with each.
static void share_loads(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    const tn_state *x = &sim->start.x;
    bool repeats = false;
    for (int i = 0; i < m; i++) {
        const tn_contact *k = &c->at[c->candidate[i]];
        repeats = repeats || (k->closed && !k->active);
        for (int d = 0; d < k->nslip; d++)
            repeats = repeats || (k->sticks && !k->held[d]);
    }
    for (int i = 0; i < c->n; i++)
        memset(c->at[i].share, 0, sizeof c->at[i].share);
    for (int i = 0; i < m && repeats; i++) {
        tn_contact *k = &c->at[c->candidate[i]];
        double eta[2];
        if (!(k->closed && k->active))
            continue;
        const double *load = &c->load[c->first[i]], own = load_of(k, x);
        friction_of(sim, k, x, eta);
        k->share[0] = load[0] - own;
        for (int d = 0; d < k->nslip && k->sticks; d++)
            k->share[1 + d] = -load[1 + d] - eta[d];
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
        set_slip_rows(sim, k, false);
        if (k->slide >= 0)
            tn_start_set_slide(&sim->start, k->slide, rubs(k) && !k->sticks, k->way);
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
    take_gradient(sim, k, 0, c->move);
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

// Contacts that jam slip no more: an impact without collision [GP95; PG96].
static tn_status stop_jammed(tn_sim *sim, int m)
{
    tn_contacts *c = &sim->contacts;
    double most = 0.0;
    for (int i = 0; i < m; i++) {
        const int at = c->candidate[i];
        c->free[c->first[i]] = c->rate[at];
        for (int d = 0; d < c->dim[i] - 1; d++)
            c->free[c->first[i] + 1 + d] = c->slip[2 * at + d];
    }
    TN_TRY(solve_contacts(sim, m));
    for (int i = 0; i < m; i++)
        most = fmax(most, c->load[c->first[i]]);
    if (!(most > 0.0))
        return tn_fail(TN_ERR_NUMERIC,
                       "joint '%s' jams at t = %.6g s, and no impulse lets it go on; lower its "
                       "friction",
                       sim->model->joints.at[c->at[c->candidate[0]].joint].name, sim->start.x.t);
    return take_impulses(sim, m);
}

// What the m candidates do after all impacts.
static tn_status choose_modes(tn_sim *sim, int *m, double least)
{
    tn_contacts *c = &sim->contacts;
    bool jams = false;
    for (int tries = 0; tries < 2 && *m > 0; tries++) {
        TN_TRY(form_matrix(sim, *m));
        TN_TRY(find_free_accelerations(sim, *m));
        TN_TRY(some_rub(c, *m) ? solve_modes(sim, *m, least, &jams) : solve_contacts(sim, *m));
        if (!jams)
            return TN_OK;
        TN_TRY(stop_jammed(sim, *m));
        *m = keep_touching(sim, *m, &least);
    }
    return !jams ? TN_OK
                 : tn_fail(TN_ERR_NUMERIC,
                           "contacts jam at t = %.6g s, also after an impact without collision",
                           sim->start.x.t);
}

// Rates that rows have held at zero are round-off.
static void clear_held(tn_contacts *c)
{
    for (int i = 0; i < c->n; i++) {
        const tn_contact *k = &c->at[i];
        if (k->closed && k->active)
            c->rate[i] = 0.0;
        for (int d = 0; d < k->nslip; d++)
            if (k->sticks && k->held[d])
                c->slip[2 * i + d] = 0.0;
    }
}

static tn_status change_modes(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    double least = 0.0;
    c->low = 0.0;
    TN_TRY(measure_gaps(sim, &sim->start.x));
    clear_held(c);
    int m = find_candidates(sim);
    const int touching = m;
    memcpy(c->touching, c->candidate, sizeof(int) * (size_t)m);
    TN_TRY(open_all(sim));
    lay_out(sim, m);
    if (m > 0 && approaches(sim, m)) {
        TN_TRY(form_matrix(sim, m));
        TN_TRY(solve_contacts(sim, m));
        TN_TRY(take_impulses(sim, m));
        m = keep_touching(sim, m, &least);
        TN_TRY(tn_sim_settle_decisions(sim));
    } else {
        for (int i = 0; i < m; i++)
            c->free[c->first[i]] = c->rate[c->candidate[i]];
        m = keep_touching(sim, m, &least);
    }
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        k->was_closed = k->closed;
        k->was_stuck = k->sticks;
        k->closed = k->active = k->sticks = false;
    }
    if (m > 0)
        TN_TRY(choose_modes(sim, &m, least));
    if (m > 0)
        take_rows(sim, m);
    bool changed = false;
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        if (k->was_closed && !k->closed)
            note_deed(sim, k, PARTS);
        if (rubs(k) && k->was_closed && k->sticks != k->was_stuck)
            note_deed(sim, k, k->sticks ? STICKS : SLIPS);
        changed = changed || k->was_closed != k->closed || k->was_stuck != k->sticks;
        k->reached = k->released = k->breaks = k->stops = false;
    }
    tell_views(sim);
    TN_EACH_MONITOR(sim, rows_change, sim);
    if (c->nclosed > 0 && changed)
        TN_TRY(tn_sim_project(sim));
    TN_TRY(tn_sim_begin_anew(sim, "an impact"));
    share_loads(sim, m);
    return look_ahead(sim, touching, c->touching);
}

// A step begins: those that slip in space have the direction of now.
static tn_status follow_slips(tn_sim *sim)
{
    tn_contacts *c = &sim->contacts;
    bool any = false;
    for (int i = 0; i < c->n; i++)
        any = any || (rubs(&c->at[i]) && !c->at[i].sticks && c->at[i].nslip > 1);
    if (!any)
        return TN_OK;
    TN_TRY(measure_gaps(sim, &sim->start.x));
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        const double *u = &c->slip[2 * i];
        if (!rubs(k) || k->sticks || k->nslip == 1)
            continue;
        k->speed = hypot(u[0], u[1]);
        for (int d = 0; d < 2 && k->speed > least_rate(sim, &sim->start.x); d++)
            k->way[d] = u[d] / k->speed;
        tn_start_set_slide(&sim->start, k->slide, true, k->way);
    }
    return TN_OK;
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
    if (c->nwatched > 0 || c->nclosed == 0 || status < 0)
        return status;
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        const bool pulls = k->side * sim->start.x.lambda[k->row] > c->least_load;
        k->released = k->closed && k->active && (status != TN_OK || pulls);
        *found = *found || k->released;
        if (k->released && status == TN_OK)
            note_deed(sim, k, PARTS);
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
    if (c->nwatched > 0 || c->n == 0)
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
        return follow_slips(sim);
    c->pending = false;
    tn_sim_keep_step_end(sim);
    TN_TRY(change_modes(sim));
    return tn_sim_watch_values(sim, sim->watch.end[1], sim->watch.rate[1]);
}

// A contact begins to slip as its friction has it, or ends to.
static void reach_slide(tn_sim *sim, tn_contact *k)
{
    const tn_state *x = &sim->start.x;
    double eta[2];
    const double size = friction_of(sim, k, tn_sim_recover_loads(sim, x), eta);
    const bool again = x->t - k->tried <= SHORTLY * SHORTLY * sim->start.sys->time_scale;
    k->doubt = again ? DOUBT * (1.0 + k->doubt) : 0.0;
    k->tried = x->t;
    k->breaks = k->sticks && size > 0.0;
    k->stops = !k->sticks;
    for (int d = 0; d < k->nslip && k->breaks; d++)
        k->way[d] = eta[d] / size;
    sim->contacts.pending = true;
}

void tn_sim_reach_contact(tn_sim *sim, int i)
{
    tn_contacts *c = &sim->contacts;
    for (int n = 0; n < c->n && i >= c->n; n++)
        if (c->at[n].slide == i - c->n) {
            reach_slide(sim, &c->at[n]);
            return;
        }
    tn_contact *k = &sim->contacts.at[i];
    k->released = k->closed && k->active;
    k->reached = !k->released;
    sim->contacts.pending = true;
}

void tn_sim_part_contacts(tn_sim *sim)
{
    for (int i = 0; i < sim->contacts.n; i++) {
        tn_contact *k = &sim->contacts.at[i];
        k->closed = k->active = k->sticks = false;
    }
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
    TN_VALUES_INT(v, -1, c->n + c->nslide - 1, 1, &c->turn);
    TN_VALUES_ANY(v, "s", 1, &c->from, &c->flight);
    TN_VALUES(v, "1", 1, &c->slack, &c->least_load);
    for (int i = 0; i < c->n; i++) {
        tn_contact *k = &c->at[i];
        tn_values_enter_at(v, "contact", i);
        TN_VALUES_BOOL(v, &k->closed, &k->active, &k->was_closed, &k->reached, &k->released);
        TN_VALUES(v, "1", 1, &k->fastest, &k->impulse, &k->loss);
        TN_VALUES_ANY(v, "s", 1, &k->last_hit, &k->spared_at);
        if (k->slide >= 0) {
            TN_VALUES_BOOL(v, &k->sticks, &k->was_stuck, &k->held[0], &k->held[1], &k->breaks,
                           &k->stops);
            TN_VALUES(v, "1", 1, &k->way[0], &k->way[1], &k->speed, &k->doubt);
            TN_VALUES(v, "1", 3, k->share);
            TN_VALUES_ANY(v, "s", 1, &k->tried);
        }
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
    for (int i = 0; i < c->n; i++)
        if (c->at[i].slide >= 0)
            sim->start.sys->slide[c->at[i].slide].mu =
                sim->model->joints.at[c->at[i].joint].def->friction *
                tn_absolute_slip_ratio(tn_sim_world(sim), c->at[i].joint);
    c->least_load = TN_ROUND_SOLVE / (sim->start.sys->time_scale * sim->start.sys->time_scale);
    c->slack = TOUCHES * fmax(1.0, tn_norm_inf(sim->start.sys->nq, sim->start.x.q));
    TN_TRY(measure_gaps(sim, &sim->start.x));
    if (c->before)
        tn_copy(c->n, c->rate, c->before);
    for (int i = 0; i < c->n; i++) {
        TN_TRY(check_start(sim, i));
        const bool approaches = c->rate[i] < -least_rate(sim, &sim->start.x);
        c->pending = c->pending || (c->at[i].reached && (approaches || may_jam(sim, &c->at[i])));
    }
    return c->pending ? TN_OK : change_modes(sim); // an impact belongs to the first step
}
