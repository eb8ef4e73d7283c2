// SPDX-License-Identifier: MIT
//
// Works within a step, by the Lobatto rule with six nodes on its dense output. Steps are as long as
// the motion allows, and that of a crank which a drive turns at constant rate allows any: powers
// may go up and down many times within one. The step is therefore halved until the polynomial
// through all nodes and the one through four of them agree about the work over each part and over
// the first half of it. Their difference d, by the largest power, is that of a rule of fourth
// order; the rule in use has order ten, so that d^2 is a safe estimate of its error: over half
// the length d becomes 16 times smaller and the error 1024 times, as d^(5/2), which is below d^2
// for all d below one.
//
// That holds for powers with many derivatives. If a stop lets go, k p^1.5 has few, and d and the
// error become smaller by the same factor. The coefficients c of Legendre's polynomials show it:
// they become smaller from one degree to the next by
//
//   r = ((c_4^2 + c_5^2) / (c_3^2 + c_4^2))^(1/2),
//
// and r^3 d is above the error of s^(1/2), s^(3/2), s^(5/2) and s^(7/2) by factors of 1 to 4, also
// where they are a small part of a power that is smooth. (A square of it has no part in r.)
//
// What a drive takes out may be what a motor puts in: the powers of elements, each by a factor of
// its own, are watched as one more power, in which the two do not cancel.

#include "linalg/dense.h"
#include "sim/sim.h"

#include <math.h>

enum { LAST = TN_POWER_NODES - 1 };

// A step that is not resolved costs more than 4000 dense outputs. After so many in a row the next
// one will not be resolved either, and an eighth of them says as much: what is left open is booked
// as not resolved all the same. With fewer in a row one burst of power within a run would do.
enum { PATIENCE = 8, HALVINGS_WITHOUT = TN_POWER_HALVINGS - 3 };

// Nodes and weights of the Lobatto rule on [0, 1], exact to degree nine.
const double tn_power_node[TN_POWER_NODES] = {
    0.0, 0.11747233803526765, 0.35738424175967745, 0.64261575824032255, 0.88252766196473235, 1.0};
const double tn_power_weight[TN_POWER_NODES] = {1.0 / 30.0,          0.18923747814892349,
                                                0.27742918851774318, 0.27742918851774318,
                                                0.18923747814892349, 1.0 / 30.0};
// Weights less those of the cubic through the nodes 0, 2, 3 and 5: of [0, 1] and of [0, 1/2].
static const double whole_less_cubic[TN_POWER_NODES] = {
    -0.10381260925538255,  0.18923747814892349, -0.085424868893540938,
    -0.085424868893540938, 0.18923747814892349, -0.10381260925538255};
static const double half_less_cubic[TN_POWER_NODES] = {
    -0.093246168863075504, 0.19311806292811784,    -0.16197543981881605,
    0.076550570925275115,  -0.0038805847791943521, -0.010566440392307046};

// Coefficients of degree 3, 4 and 5.
static const double degree[3][TN_POWER_NODES] = {
    {-0.23333333333333334, 0.037219473425260607, 0.71821788687011179, -0.71821788687011179,
     -0.037219473425260607, 0.23333333333333334},
    {0.3, -0.54686269665968845, 0.24686269665968835, 0.24686269665968835, -0.54686269665968845,
     0.3},
    {-0.16666666666666666, 0.39711194700919822, -0.48082324239937962, 0.48082324239937962,
     -0.39711194700919822, 0.16666666666666666},
};

// Coefficients below this part of a power are round-off of multipliers, which does not decay. With
// less of it steps of stiff mechanisms would be halved in vain.
static const double ROUNDED = 1e-9;

static tn_exchange weighed(const double w[TN_POWER_NODES], const tn_exchange at[TN_POWER_NODES])
{
    tn_exchange sum = {0.0, 0.0};
    for (int i = 0; i < TN_POWER_NODES; i++) {
        sum.dissipated += w[i] * at[i].dissipated;
        sum.supplied += w[i] * at[i].supplied;
    }
    return sum;
}

static tn_exchange plus(tn_exchange a, double f, tn_exchange b)
{
    return (tn_exchange){a.dissipated + f * b.dissipated, a.supplied + f * b.supplied};
}

// Powers at the part s of the step, from its dense output.
static bool sample_works(tn_sim *sim, double h, double s, tn_exchange *out)
{
    TN_ASSERT(h > 0.0 && s >= 0.0 && s <= 1.0);
    tn_system *sys = sim->start.sys;
    tn_energy e = {0};
    sim->stepper.motion_only = !sim->powers_need_reactions;
    const tn_status status = tn_sim_interpolate(sim, sim->before.t + s * h);
    sim->stepper.motion_only = false;
    if (status != TN_OK)
        return false;
    const tn_state *x = sim->powers_need_reactions ? tn_sim_recover(sim, &sim->shown) : &sim->shown;
    const tn_point at = tn_state_point(x);
    (sys->ops->power ? sys->ops->power : sys->ops->energy)(sys, &at, &e);
    *out = (tn_exchange){e.dissipated, e.supplied};
    return true;
}

// r^3 of the head comment.
static double decay(const double power[TN_POWER_NODES])
{
    double c[3];
    for (int k = 0; k < 3; k++)
        c[k] = tn_dot(TN_POWER_NODES, degree[k], power);
    const double r = hypot(c[1], c[2]) / hypot(c[0], c[1]);
    return r < 1.0 ? r * r * r : 1.0;
}

double tn_power_error(const double power[TN_POWER_NODES])
{
    const double whole = fabs(tn_dot(TN_POWER_NODES, whole_less_cubic, power));
    const double half = fabs(tn_dot(TN_POWER_NODES, half_less_cubic, power));
    const double most = tn_norm_inf(TN_POWER_NODES, power), d = fmax(whole, half);
    if (!(most > 0.0))
        return 0.0;
    return d * fmin(1.0, fmax(d / most, d > ROUNDED * most ? decay(power) : 0.0));
}

// The error of the work over a part of length h.
static double estimated_error(const tn_power_part *part, double h)
{
    double dissipated[TN_POWER_NODES], supplied[TN_POWER_NODES];
    for (int i = 0; i < TN_POWER_NODES; i++) {
        dissipated[i] = part->at[i].dissipated;
        supplied[i] = part->at[i].supplied;
    }
    return h * fmax(tn_power_error(dissipated), tn_power_error(supplied));
}

static void take_part(tn_works *w, const tn_power_part *part, double h)
{
    TN_ASSERT(w->count < TN_POWER_PARTS && h > 0.0);
    w->part[w->count] = *part;
    w->part[w->count++].before = w->sum;
    w->sum = plus(w->sum, h, weighed(tn_power_weight, part->at));
    w->most.dissipated = fmax(w->most.dissipated, fabs(w->sum.dissipated));
    w->most.supplied = fmax(w->most.supplied, fabs(w->sum.supplied));
}

// Powers between the ends of a part.
static bool sample_part(tn_sim *sim, double h, tn_power_part *part)
{
    TN_ASSERT(part->from < part->to);
    const double length = part->to - part->from;
    tn_sim_clear_nodes(sim);
    for (int k = 1; k < LAST; k++) {
        if (!sample_works(sim, h, part->from + tn_power_node[k] * length, &part->at[k]))
            return false;
        part->mixed[k] = tn_sim_mix_powers(sim, NULL);
        tn_sim_element_work_node(sim, tn_power_weight[k], NULL);
    }
    return true;
}

// From its ends, whose powers are known, those by element in `from` and `to`.
static bool integrate_works(tn_sim *sim, double h, tn_power_part part, int halvings,
                            const tn_exchange *from, const tn_exchange *to)
{
    tn_works *w = &sim->step_works;
    const double length = part.to - part.from, middle = part.from + 0.5 * length;
    part.mixed[0] = tn_sim_mix_powers(sim, from);
    part.mixed[LAST] = tn_sim_mix_powers(sim, to);
    if (!sample_part(sim, h, &part))
        return false;
    const double error = estimated_error(&part, h * length);
    const double of_elements = h * length * tn_power_error(part.mixed);
    if (!(fmax(error, of_elements) > w->share) || halvings == 0) {
        w->not_resolved += error > w->share ? error : 0.0;
        take_part(w, &part, h * length);
        tn_sim_element_work_part(sim, h * length, tn_power_weight[0], from, to);
        return true;
    }
    tn_power_part first = part, second = part;
    first.to = second.from = middle;
    if (!sample_works(sim, h, middle, &first.at[LAST]))
        return false;
    const tn_exchange *between = tn_sim_element_work_middle(sim, halvings - 1);
    second.at[0] = first.at[LAST];
    return integrate_works(sim, h, first, halvings - 1, from, between) &&
           integrate_works(sim, h, second, halvings - 1, between, to);
}

bool tn_sim_integrate_works(tn_sim *sim, double h, tn_exchange from, tn_exchange to)
{
    tn_works *w = &sim->step_works;
    tn_power_part step = {.from = 0.0, .to = 1.0};
    step.at[0] = from;
    step.at[LAST] = to;
    w->count = 0;
    w->sum = w->most = (tn_exchange){0.0, 0.0};
    w->not_resolved = 0.0;
    w->share = tn_sim_work_share(sim);
    w->closed_form = sim->element_work.closed_form && tn_sim_closed_form_works(sim, h);
    if (w->closed_form)
        return true;
    const int halvings = w->in_a_row < PATIENCE ? TN_POWER_HALVINGS : HALVINGS_WITHOUT;
    const tn_element_powers *page = &sim->element_work.now;
    if (!integrate_works(sim, h, step, halvings, page->begin, page->end))
        return false;
    w->in_a_row = w->not_resolved > 0.0 ? w->in_a_row + 1 : 0;
    return true;
}

static double basis(int i, double z)
{
    TN_ASSERT(i >= 0 && i < TN_POWER_NODES);
    double value = 1.0;
    for (int j = 0; j < TN_POWER_NODES; j++)
        if (j != i)
            value *= (z - tn_power_node[j]) / (tn_power_node[i] - tn_power_node[j]);
    return value;
}

double tn_power_at(const double power[TN_POWER_NODES], double z)
{
    double sum = 0.0;
    for (int i = 0; i < TN_POWER_NODES; i++)
        sum += basis(i, z) * power[i];
    return sum;
}

// Weights of the work from 0 to z: of the polynomial through the nodes, by Gauss's rule with three
// points, which is exact for it.
static void weigh_up_to(double z, double w[TN_POWER_NODES])
{
    const double off = 0.5 * sqrt(0.6);
    for (int i = 0; i < TN_POWER_NODES; i++)
        w[i] = z / 18.0 *
               (5.0 * basis(i, z * (0.5 - off)) + 8.0 * basis(i, 0.5 * z) +
                5.0 * basis(i, z * (0.5 + off)));
}

tn_exchange tn_sim_partial_work(const tn_sim *sim, double s, double h)
{
    const tn_works *w = &sim->step_works;
    const tn_power_part *part = w->part;
    double up_to[TN_POWER_NODES];
    if (w->closed_form)
        return tn_sim_closed_form_part(sim, s * h, NULL);
    TN_ASSERT(w->count > 0 && h > 0.0);
    while (part < w->part + w->count - 1 && s > part->to)
        part++;
    const double length = part->to - part->from;
    weigh_up_to((s - part->from) / length, up_to);
    return plus(part->before, length * h, weighed(up_to, part->at));
}

// One part, up to s.
static bool repeat_part(tn_sim *sim, const tn_power_part *part, double s, double h)
{
    const tn_element_powers *page = &sim->element_work.now;
    const double length = part->to - part->from;
    double w[TN_POWER_NODES];
    tn_exchange unused;
    weigh_up_to(fmin(1.0, (s - part->from) / length), w);
    for (int k = 0; k < TN_POWER_NODES; k++) {
        const double at = k == LAST ? part->to : part->from + tn_power_node[k] * length;
        const tn_exchange *end = at == 0.0 ? page->begin : at == 1.0 ? page->end : NULL;
        if (!end && !sample_works(sim, h, at, &unused))
            return false;
        tn_sim_element_work_node(sim, length * w[k], end);
    }
    return true;
}

static bool repeat_closed_form(tn_sim *sim, double s, double h)
{
    const tn_element_work *b = &sim->element_work;
    tn_exchange unused;
    if (!sample_works(sim, h, s, &unused))
        return false;
    (void)tn_sim_closed_form_part(sim, s * h, b->inside);
    for (int k = 0; k < b->n; k++)
        b->inside[k].supplied /= h;
    return true;
}

bool tn_sim_repeat_works(tn_sim *sim, double s, double h)
{
    const tn_works *w = &sim->step_works;
    TN_ASSERT(w->known && (w->count > 0 || w->closed_form));
    tn_sim_clear_nodes(sim);
    if (w->closed_form)
        return repeat_closed_form(sim, s, h);
    for (int i = 0; i < w->count && w->part[i].from < s; i++)
        if (!repeat_part(sim, &w->part[i], s, h))
            return false;
    return true;
}
