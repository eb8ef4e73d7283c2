// SPDX-License-Identifier: MIT
//
// End stops on a joint coordinate, after Hunt and Crossley (J. Appl. Mech. 42, 1975): the damping
// grows with the penetration, so the force starts from zero at contact and is continuous.
//
//   p = x - upper or lower - x, where positive
//   F = k p^e max(0, 1 + d p')        pushes x back, never pulls
//   V = k p^(e+1) / (e+1)
//   dissipated = (F - k p^e) p'  >= 0      k p^e d p'^2 while the stop pushes; what is stored is
//                                          lost where it cannot follow, 1 + d p' < 0
//
// With the direction s of the push (-1 at the upper stop, +1 at the lower), p' = -s x', Q = s F,
// dQ/dx = -dF/dp and dQ/dx' = -dF/dp'.

#include "model/units.h"

#include <math.h>

static const tn_param stop_params[] = {
    TN_PARAM(tn_force_def, stop.lower, NUMBER, "lower", "m or rad", .range = TN_UNBOUNDED,
             .fallback = -INFINITY, .text = "lower end of the free travel, none by default"),
    TN_PARAM(tn_force_def, stop.upper, NUMBER, "upper", "m or rad", .range = TN_UNBOUNDED,
             .fallback = INFINITY, .text = "upper end of the free travel, none by default"),
    TN_PARAM(tn_force_def, stop.stiffness, NUMBER, "stiffness", "N/m^e or N m/rad^e",
             .range = TN_POSITIVE, .required = true,
             .text = "stiffness k of the law k p^e (1 + d p') for a penetration p"),
    TN_PARAM(tn_force_def, stop.damping, NUMBER, "damping", "s/m or s/rad", .range = TN_NONNEGATIVE,
             .text = "damping d, relative to the elastic force"),
    TN_PARAM(tn_force_def, stop.exponent, NUMBER, "exponent", "", .range = TN_AT_LEAST_ONE,
             .fallback = 1.0, .text = "exponent e"),
};

static void stop_law(const tn_force_data *data, double t, double x, double rate, double kept,
                     tn_scalar_load *out)
{
    const double lower = data->def.stop.lower, upper = data->def.stop.upper;
    const double k = data->def.stop.stiffness, d = data->def.stop.damping;
    const double e = data->def.stop.exponent;
    const double s = x > upper ? -1.0 : 1.0;
    const double p = x > upper ? x - upper : lower - x;
    if (!(p > 0.0))
        return;
    const double speed = -s * rate;
    const double elastic = k * pow(p, e);
    const double factor = 1.0 + d * speed;
    out->energy = elastic * p / (e + 1.0);
    out->elastic = s * elastic;
    out->elastic_x = -e * elastic / p;
    out->dissipated = (fmax(factor, 0.0) - 1.0) * elastic * speed;
    if (factor <= 0.0)
        return;
    out->Q = s * elastic * factor;
    out->Q_x = -(e * elastic / p) * factor;
    out->Q_v = -elastic * d;
}

// Derivative of the mean by p1, which is the integral of s e p^(e-1) over s, p = p0 + s (p1 - p0).
// As a quotient it loses the digits that p0 and p1 share; Gauss's rule of two points is good to
// twelve where they share three.
static double power_slope(double e, double p0, double p1, double mean)
{
    if (p0 <= 0.0 || p1 <= 0.0 || fabs(p1 - p0) > 1e-3 * fmax(p0, p1))
        return (pow(fmax(p1, 0.0), e) - mean) / (p1 - p0);
    double sum = 0.0;
    for (int k = -1; k <= 1; k += 2) {
        const double s = 0.5 + 0.5 * k / sqrt(3.0);
        sum += 0.5 * s * e * pow(p0 + s * (p1 - p0), e - 1.0);
    }
    return sum;
}

// Mean of p^e between two penetrations, of its positive part: with the deeper one a and r = 1 - p/a
// of the other, a^e (1 - (1 - r)^(e+1)) / ((e + 1) r).
static double power_mean(double e, double p0, double p1)
{
    const double deep = fmax(p0, p1), other = fmin(p0, p1);
    if (deep <= 0.0)
        return 0.0;
    if (other <= 0.0)
        return pow(deep, e) * deep / ((e + 1.0) * (deep - other));
    const double r = (deep - other) / deep;
    return r > 0.0 ? pow(deep, e) * -expm1((e + 1.0) * log1p(-r)) / ((e + 1.0) * r) : pow(deep, e);
}

// Adds the push of one stop, from penetrations p0 to p1, in the direction s.
static void add_push(const tn_force_data *data, double s, double p0, double p1, tn_scalar_mean *out)
{
    const double k = data->def.stop.stiffness, e = data->def.stop.exponent;
    if (p0 <= 0.0 && p1 <= 0.0)
        return;
    const double mean = power_mean(e, p0, p1);
    out->Q += s * k * mean;
    out->Q_1 -= k * power_slope(e, p0, p1, mean);
}

static tn_scalar_mean stop_mean(const tn_force_data *data, double x0, double x1)
{
    const double lower = data->def.stop.lower, upper = data->def.stop.upper;
    tn_scalar_mean mean = {0};
    add_push(data, -1.0, x0 - upper, x1 - upper, &mean);
    add_push(data, 1.0, lower - x0, lower - x1, &mean);
    return mean;
}

static tn_status stop_prepare(tn_force_data *data, const tn_model *model)
{
    const double lower = data->def.stop.lower, upper = data->def.stop.upper;
    if (isinf(lower) && isinf(upper))
        return tn_fail(TN_ERR_MODEL, "force '%s': a stop needs a lower or an upper end",
                       data->name);
    if (lower >= upper)
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': lower is %g and upper is %g; lower must be smaller", data->name,
                       lower, upper);
    return TN_OK;
}

// k is given per p^e.
static tn_status stop_scale(tn_model *copy, tn_force_data *data, double c)
{
    data->def.stop.stiffness *= pow(c, data->def.stop.exponent - 1.0);
    return TN_OK;
}

// Contact at the upper and the lower end, and the speed at which the push has become zero while the
// stop is still pressed in.
enum { UPPER, LOWER, UPPER_LEFT, LOWER_LEFT, SWITCHES };

static int stop_switches(const tn_force_data *data)
{
    return SWITCHES;
}

static tn_force_switch stop_switch_at(const tn_force_data *data, int k, double x, double rate)
{
    const double damping = data->def.stop.damping;
    const bool upper = k == UPPER || k == UPPER_LEFT, contact = k == UPPER || k == LOWER;
    const double end = upper ? data->def.stop.upper : data->def.stop.lower;
    const double p = upper ? x - end : end - x, speed = upper ? rate : -rate;
    tn_force_switch s = {isfinite(end) && (contact || damping > 0.0), contact, p, speed};
    if (!contact) {
        s.value = p > 0.0 ? 1.0 + damping * speed : 1.0;
        s.rate = p > 0.0 ? INFINITY : 0.0;
    }
    return s;
}

// From which on a stop counts as violated: in sizes of the mechanism, or rad.
static const double NOTICED = 1e-3;

static void stop_tell_start(const tn_force_data *data, const tn_force_view *at, tn_notes *notes)
{
    const bool length = tn_force_acts_on_length(data);
    const double over = at->y - data->def.stop.upper, under = data->def.stop.lower - at->y;
    const double beyond = fmax(over, under);
    if (!(beyond > NOTICED * (length ? at->size : 1.0)))
        return;
    tn_notes_add(notes, "stop '%s' starts %.4g %s beyond its %s end and stores %.4g J", data->name,
                 beyond * (length ? at->units.length : 1.0), length ? "m" : "rad",
                 over > under ? "upper" : "lower", at->energy * tn_unit_energy(at->units));
}

const tn_force_ops tn_force_joint_stop = {
    .name = "joint-stop",
    .text = "elastic end stops on a joint coordinate",
    TN_PARAMS(stop_params),
    .on_joint = true,
    .law = stop_law,
    .mean = stop_mean,
    .prepare = stop_prepare,
    .scale = stop_scale,
    .switches = stop_switches,
    .switch_at = stop_switch_at,
    .tell_start = stop_tell_start,
};
