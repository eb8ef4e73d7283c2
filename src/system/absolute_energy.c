// SPDX-License-Identifier: MIT
//
// Energies, momenta and powers of placed bodies, forces and drives; the turns that angles count.

#include "system/absolute_parts.h"

#include <math.h>

static void body_energy(const absolute *s, const abs_body *b, tn_energy *out)
{
    const tn_vec3 JW = tn_m3_apply(b->J, b->W);
    const tn_vec3 momentum = tn_v3_scale(b->mass, b->V.v);
    const tn_vec3 spin = tn_v3_add(tn_v3_cross(b->p, momentum), tn_m3_apply(b->R, JW));
    out->kinetic += 0.5 * tn_v3_dot(momentum, b->V.v) + 0.5 * tn_v3_dot(b->W, JW);
    out->potential -= b->mass * tn_v3_dot(s->model->gravity, b->p);
    abs_add_momenta(momentum, spin, out);
}

// Power of the rheonomic constraint forces: -lambda^T B v = lambda^T g_t where B v + g_t = 0.
static double drive_power(const absolute *s, const abs_joint *j, const abs_point *at)
{
    double power = 0.0;
    for (int i = 0; i < j->nrow; i++) {
        const abs_row *row = &j->row[i];
        double gt = 0.0, u[3] = {0};
        if (row->u)
            abs_driven(s, row->u, at->t, u);
        gt -= u[1];
        for (int m = 0; m < row->nterm; m++) {
            const abs_pair *p = &s->pair[row->term[m].pair];
            double G[12];
            if (!p->pose)
                continue;
            tn_row_gradient(&row->term[m].row, &p->at, G);
            gt += row->term[m].coefficient * abs_along(G, p->at.a.V);
        }
        power += at->lambda[j->row0 + i] * gt;
    }
    return power;
}

// What a joint rubs away: its friction times its slip.
static double slide_power(absolute *s, const tn_slide *slide, const abs_point *at)
{
    const abs_joint *j = &s->joint[s->roll_joint[slide->row]];
    double power = 0.0;
    abs_rows w;
    if (!slide->slips || !at->eta)
        return 0.0;
    tn_absolute_rows(s, j, at, TN_EVAL_GDOT, &w);
    for (int i = 0; i < slide->n; i++)
        power += at->eta[slide->row + i] * s->base.ndot[slide->row + i];
    return power;
}

void tn_absolute_powers(absolute *s, const abs_point *at, tn_energy *out)
{
    tn_absolute_set_signals(s, at, false);
    for (int k = 0; k < s->nforce; k++) {
        const tn_load load = tn_absolute_load(s, at, &s->force[k]);
        out->potential += load.energy;
        out->dissipated += load.dissipated;
        out->supplied += load.supplied;
    }
    tn_exchange *of_joint = s->exchange + s->nforce;
    for (int k = 0; k < s->model->joints.count; k++)
        of_joint[k] = (tn_exchange){
            .supplied = s->joint[k].has_time ? drive_power(s, &s->joint[k], at) : 0.0};
    for (int k = 0; k < s->nformula_row; k++)
        of_joint[s->formula_row[k].joint].supplied +=
            tn_absolute_formula_power(s, &s->formula_row[k], at);
    for (int k = 0; k < s->base.nslide; k++)
        of_joint[s->joint[s->roll_joint[s->base.slide[k].row]].model_index].dissipated =
            slide_power(s, &s->base.slide[k], at);
    for (int k = 0; k < s->model->joints.count; k++) {
        out->supplied += of_joint[k].supplied;
        out->dissipated += of_joint[k].dissipated;
    }
}

void tn_absolute_energies(absolute *s, const abs_point *at, tn_energy *out)
{
    *out = (tn_energy){.has_momentum = true};
    for (int k = 1; k < s->nbody; k++)
        body_energy(s, &s->body[k], out);
    tn_absolute_spread_energy(s, out);
    tn_absolute_powers(s, at, out);
    tn_absolute_modal_energy(s, out);
}

// Turns -------------------------------------------------------------------------------------------

static double angle_rate(const absolute *s, int k)
{
    TN_ASSERT(k >= 0 && k < s->nmemory);
    const tn_pair *pair = &s->pair[s->memory[k].pair].at;
    double G[12];
    tn_row_gradient(&s->memory[k].row, pair, G);
    const double rate = tn_row_rate(G, pair);
    return isfinite(rate) ? rate : 0.0;
}

// Largest distance of an angle within a step from its prediction by the rate at the start: beyond
// half a turn it would be taken for another one, and stages of a step may lie further off than its
// end shows. An angle that ends so far from its prediction is on an unknown turn.
static const double STRAY_MAX = 1.0;

static double angle_now(const absolute *s, int k, double expected)
{
    TN_ASSERT(k >= 0 && k < s->nmemory);
    return tn_row_value(&s->memory[k].row, &s->pair[s->memory[k].pair].at, expected);
}

// Prediction of an angle by the rates at both ends of a step.
static double angle_expected(const absolute *s, int k, double from, double rate, double h)
{
    return from + 0.5 * h * (rate + s->turning[k]);
}

static tn_status check_turning(const absolute *s, int k, double from, double rate, double h)
{
    const double off = fabs(s->turned[k] - angle_expected(s, k, from, rate, h));
    if (fabs(0.5 * h * (s->turning[k] - rate)) > STRAY_MAX)
        return tn_fail(TN_RETRY_FUNCTION,
                       "an angle changes its rate from %g to %g rad/s within the step, too much "
                       "to count its turns",
                       rate, s->turning[k]);
    if (h > 0.0 && off > STRAY_MAX)
        return tn_fail(TN_RETRY_FUNCTION,
                       "an angle ends %.2g rad from where its rates, %g and %g rad/s, lead within "
                       "the step, too far to count its turns",
                       off, rate, s->turning[k]);
    return TN_OK;
}

double tn_absolute_remember(const absolute *s, int k, double expected)
{
    const double x = s->memory[k].kept == ABS_SPEED ? 0.0 : angle_now(s, k, expected);
    return isfinite(x) ? x : 0.0;
}

// Places that count as zero, by the way of the last step, which has ended there, or at the start by
// the size of what touches.
static const double AT_ZERO = 1e-6, AT_ZERO_FIRST = 1e-9;

// The speed at which coordinate k falls through zero, r[0], and the coordinate, r[1], at the end of
// a step of length h, or at the start, where h = 0. One that is at zero without a speed, as of
// shapes that rest on each other, has none.
static void keep_speed(const absolute *s, int k, double h, double r[2])
{
    const double x = angle_now(s, k, 0.0), rate = angle_rate(s, k);
    const tn_touch *touch = s->pair[s->memory[k].pair].at.own->contact.touch;
    const double first = AT_ZERO_FIRST * touch->size / touch->length;
    if (x > fmax(AT_ZERO * h * fabs(rate), first))
        r[0] = 0.0;
    else if (h == 0.0 && fabs(x) <= first)
        r[0] = fmax(-rate, 0.0);
    else if (r[0] == 0.0 && r[1] > first)
        r[0] = fmax(-rate, 0.0);
    r[1] = isfinite(x) ? x : 0.0;
}

tn_status tn_absolute_count_turns(absolute *s, double t, int n, const int *which, double *r)
{
    TN_ASSERT(n >= 0 && n <= s->nmemory);
    double *rates = r + s->nmemory, *time = rates + s->nmemory;
    const double h = time[1] > 0.0 ? t - time[0] : 0.0;
    for (int i = 0; i < n; i++) {
        const int k = which ? which[i] : i;
        if (s->memory[k].kept != ABS_ANGLE)
            continue;
        s->turning[k] = angle_rate(s, k);
        s->turned[k] = angle_now(s, k, angle_expected(s, k, r[k], rates[k], h));
    }
    for (int i = 0; i < n; i++) {
        const int k = which ? which[i] : i;
        if (s->memory[k].kept == ABS_ANGLE)
            TN_TRY(check_turning(s, k, r[k], rates[k], h));
    }
    for (int i = 0; i < n; i++) {
        const int k = which ? which[i] : i;
        if (s->memory[k].kept == ABS_SPEED)
            keep_speed(s, k, h, r + k);
        if (s->memory[k].kept != ABS_ANGLE)
            continue;
        r[k] = s->turned[k];
        rates[k] = s->turning[k];
    }
    time[0] = t;
    time[1] = 1.0;
    return TN_OK;
}
