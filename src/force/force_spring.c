// SPDX-License-Identifier: MIT
//
// Spring-dampers on a length, on an angle and on a joint coordinate: one law for a coordinate x
// with free value x0 and deflection y = x - x0,
//
//   N = k y + k3 y^3 + n(y) + N0 + c x'      tension, positive when stretched
//   Q = -N,   V = k y^2 / 2 + k3 y^4 / 4 + W(y) + N0 y,   dissipated = c x'^2
//
// n(y) is an optional table and W(y) its integral from y = 0. By default it is a monotone curve
// that goes on straight beyond its ends: a spline would swing beyond its points and push where none
// is stated. Each curve is a cubic at most between knots, for which the rule of Gauss of two points
// is exact; integrals up to the knots are stored beside them. A linear curve has corners at its
// knots, which steps do not cross (sim/watch.c).

#include "base/alloc.h"
#include "model/builder.h"
#include "model/units.h"
#include "signal/curve.h"

#include <math.h>
#include <stdio.h>

#define SPRING(member, kind, unit_, ...) \
    TN_PARAM(tn_force_def, spring.member, kind, #member, unit_, __VA_ARGS__)

// `free` of a length; angles and joint coordinates may have any sign.
#define SPRING_PARAMS(per_length, per_speed, per_cube, length, force, free_range, what)            \
    {                                                                                              \
        SPRING(stiffness, NUMBER, per_length, .range = TN_NONNEGATIVE, .affine = true,             \
               .text = "stiffness"),                                                               \
            SPRING(damping, NUMBER, per_speed, .range = TN_NONNEGATIVE, .affine = true,            \
                   .damps = true, .text = "damping"),                                              \
            SPRING(cubic, NUMBER, per_cube, .affine = true,                                        \
                   .text = "factor of the cube of the deflection"),                                \
            SPRING(free, NUMBER, length, .range = free_range,                                      \
                   .text = what ", by default that of the start configuration",                    \
                   .given = offsetof(tn_force_def, spring.free_given)),                            \
            SPRING(preload, NUMBER, force, .affine = true, .text = "constant tension added"),      \
            TN_PARAM(tn_force_def, spring.ntable, TABLE, "table", length ", " force,               \
                     .text = "tension over deflection, added to the terms above"),                 \
            SPRING(interpolation, CHOICE, "", .choices = tn_interpolation_names,                   \
                   .text =                                                                         \
                       "curve of the table: `linear`, `monotone` (when left out) or `spline`"),    \
            SPRING(beyond, CHOICE, "", .choices = tn_beyond_names,                                 \
                   .text = "what the table is beyond its ends: `hold`, `linear` (when left out), " \
                           "`periodic`, or `error`, which ends the run there"),                    \
    }

static const tn_param spring_params[] =
    SPRING_PARAMS("N/m", "N s/m", "N/m^3", "m", "N", TN_NONNEGATIVE, "free length");
static const tn_param torsion_params[] =
    SPRING_PARAMS("N m/rad", "N m s/rad", "N m/rad^3", "rad", "N m", TN_ANY, "free angle");
static const tn_param joint_params[] =
    SPRING_PARAMS("N/m or N m/rad", "N s/m or N m s/rad", "N/m^3 or N m/rad^3", "m or rad",
                  "N or N m", TN_ANY, "free value of the coordinate");

static const tn_row length_row = {.form = TN_ROW_LENGTH};
static const tn_row turn_row = {.form = TN_ROW_ANGLE, .i = TN_Y, .j = TN_X, .k = TN_X, .l = TN_X};

static double curve(const tn_timefn *f, double y)
{
    double n[3];
    tn_timefn_eval(f, y, n);
    return n[0];
}

// The integral from a to b inside one piece of the curve.
static double piece_integral(const tn_timefn *f, double a, double b)
{
    const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
    const double gauss = half / sqrt(3.0);
    return half * (curve(f, middle - gauss) + curve(f, middle + gauss));
}

// Number of periods by which y lies above the first; zero where the table does not begin again.
static double turns_of(const tn_force_data *data, double y)
{
    const int n = data->def.spring.ntable;
    const double *knot = data->table;
    return data->def.spring.beyond == TN_BEYOND_PERIODIC
               ? floor((y - knot[0]) / (knot[n - 1] - knot[0]))
               : 0.0;
}

// The integral up to y, from the nearest knot below it (or the first).
static double curve_energy(const tn_force_data *data, double y)
{
    const int n = data->def.spring.ntable;
    const double *knot = data->table, *energy = data->table + 2 * n;
    const double turns = turns_of(data, y);
    y -= turns * (knot[n - 1] - knot[0]);
    const int low = tn_larger(tn_count_up_to(n, knot, y) - 1, 0);
    return energy[low] + turns * (energy[n - 1] - energy[0]) +
           piece_integral(data->u[0], knot[low], y);
}

static void spring_law(const tn_force_data *data, double t, double x, double rate, double kept,
                       tn_scalar_load *out)
{
    const double k = data->def.spring.stiffness, c = data->def.spring.damping;
    const double k3 = data->def.spring.cubic, preload = data->def.spring.preload;
    const double y = x - data->free, yy = y * y;
    out->elastic = -(k * y + k3 * yy * y + preload);
    out->elastic_x = -(k + 3.0 * k3 * yy);
    out->energy = 0.5 * k * yy + 0.25 * k3 * yy * yy + preload * y;
    out->dissipated = c * rate * rate;
    if (data->table) {
        double n[3];
        tn_timefn_eval(data->u[0], y, n);
        out->elastic -= n[0];
        out->elastic_x -= n[1];
        out->energy += curve_energy(data, y);
    }
    out->Q = out->elastic - c * rate;
    out->Q_x = out->elastic_x;
    out->Q_v = -c;
}

static bool spring_conserves(const tn_force_data *data)
{
    return data->def.spring.damping == 0.0;
}

// With y = y0 + s (y1 - y0), adds the integrals of -n and of -s dn/dy over [s0, s1], within which
// y is in one piece of the curve: both are cubics at most.
static void add_piece(const tn_timefn *f, double y0, double y1, double s0, double s1,
                      tn_scalar_mean *mean)
{
    const double half = 0.5 * (s1 - s0), middle = 0.5 * (s0 + s1);
    for (int k = -1; k <= 1; k += 2) {
        const double s = middle + k * half / sqrt(3.0);
        double n[3];
        tn_timefn_eval(f, y0 + s * (y1 - y0), n);
        mean->Q -= half * n[0];
        mean->Q_1 -= half * s * n[1];
    }
}

// Up to where the knots of one period are passed, all moved by `shift`; the part that remains
// begins at *last.
static void add_period(const tn_force_data *data, double y0, double y1, double shift, double *last,
                       tn_scalar_mean *mean)
{
    const int n = data->def.spring.ntable;
    for (int i = 0; i < n; i++) {
        const double s = (data->table[y1 > y0 ? i : n - 1 - i] + shift - y0) / (y1 - y0);
        if (!(s > *last && s < 1.0))
            continue;
        add_piece(data->u[0], y0, y1, *last, s, mean);
        *last = s;
    }
}

static void add_curve(const tn_force_data *data, double y0, double y1, tn_scalar_mean *mean)
{
    const int n = data->def.spring.ntable;
    const double from = turns_of(data, y0), to = turns_of(data, y1), way = to < from ? -1.0 : 1.0;
    double last = 0.0;
    for (double k = from; y1 != y0 && way * k <= way * to; k += way)
        add_period(data, y0, y1, k * (data->table[n - 1] - data->table[0]), &last, mean);
    add_piece(data->u[0], y0, y1, last, 1.0, mean);
}

// Quotients (V(x1) - V(x0)) / (x1 - x0) of powers, divided out.
static tn_scalar_mean spring_mean(const tn_force_data *data, double x0, double x1)
{
    const double k = data->def.spring.stiffness, k3 = data->def.spring.cubic;
    const double y0 = x0 - data->free, y1 = x1 - data->free;
    const double sum = y0 + y1, squares = y0 * y0 + y1 * y1;
    tn_scalar_mean mean = {
        .Q = -(0.5 * k * sum + 0.25 * k3 * sum * squares + data->def.spring.preload),
        .Q_1 = -(0.5 * k + 0.25 * k3 * (squares + 2.0 * y1 * sum)),
    };
    if (data->table)
        add_curve(data, y0, y1, &mean);
    return mean;
}

// A table that must not be left goes on within a step, which is then refused (sim/watch.c).
static tn_status make_curve(tn_force_data *data)
{
    tn_force_def *def = &data->def;
    const int n = def->spring.ntable;
    const double *x = def->spring.table_x, *f = def->spring.table_f;
    char what[300];
    snprintf(what, sizeof(what), "force '%s'", data->name);
    TN_TRY(tn_check_table_rules(def->spring.interpolation, def->spring.beyond, what));
    if (!def->spring.interpolation)
        def->spring.interpolation = TN_TABLE_MONOTONE;
    if (!def->spring.beyond)
        def->spring.beyond = TN_BEYOND_LINEAR;
    if (def->spring.beyond == TN_BEYOND_PERIODIC && f[0] != f[n - 1])
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': table begins with %g and ends with %g; one that is periodic "
                       "must end as it begins",
                       data->name, f[0], f[n - 1]);
    const bool straight = def->spring.beyond == TN_BEYOND_ERROR;
    const tn_status s =
        tn_timefn_table(n, x, f, def->spring.interpolation,
                        straight ? TN_BEYOND_LINEAR : def->spring.beyond, &data->u[0]);
    return s == TN_OK ? TN_OK : tn_fail_within(s, "%s", what);
}

// data->table holds the deflections, the forces, and the energies at the knots, counted from y =
// 0.
static tn_status spring_prepare(tn_force_data *data, const tn_model *model)
{
    const int n = data->def.spring.ntable;
    const double *x = data->def.spring.table_x, *f = data->def.spring.table_f;
    data->free_at_start = !data->def.spring.free_given;
    data->free = data->def.spring.free_given ? data->def.spring.free : 0.0;
    if (n <= 0 && (data->def.spring.interpolation || data->def.spring.beyond))
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': interpolation and beyond belong to a table, and it has none",
                       data->name);
    if (n <= 0)
        return TN_OK;
    TN_TRY(make_curve(data));
    data->table = tn_alloc(3 * (size_t)n * sizeof(double));
    TN_TRY(tn_got(data->table));
    double *energy = data->table + 2 * n;
    for (int i = 0; i < n; i++) {
        data->table[i] = x[i];
        data->table[n + i] = f[i];
        energy[i] = i ? energy[i - 1] + piece_integral(data->u[0], x[i - 1], x[i]) : 0.0;
    }
    data->def.spring.table_x = data->table;
    data->def.spring.table_f = data->table + n;
    const double at_rest = curve_energy(data, 0.0);
    for (int i = 0; i < n; i++)
        energy[i] -= at_rest;
    return TN_OK;
}

// Deflections, forces, and the energies at the knots.
static tn_status scale_table(tn_model *copy, tn_force_data *data, double c, double energy)
{
    const int n = data->def.spring.ntable;
    double *table = tn_alloc(3 * (size_t)n * sizeof(double));
    TN_TRY(tn_model_own(copy, table));
    for (int i = 0; i < n; i++) {
        table[i] = data->table[i] / c;
        table[n + i] = data->table[n + i] / (energy / c);
        table[2 * n + i] = data->table[2 * n + i] / energy;
    }
    data->table = table;
    data->def.spring.table_x = table;
    data->def.spring.table_f = table + n;
    return TN_OK;
}

static tn_status spring_scale(tn_model *copy, tn_force_data *data, double c)
{
    const double energy = tn_unit_energy(copy->units);
    data->free /= c;
    if (!data->table)
        return TN_OK;
    TN_TRY(tn_scale_function(copy, c, energy / c, &data->u[0]));
    return scale_table(copy, data, c, energy);
}

static bool is_periodic(const tn_force_data *data)
{
    return data->def.spring.beyond == TN_BEYOND_PERIODIC;
}

// One for each point of a table; a periodic one has one of its two ends.
static int spring_switches(const tn_force_data *data)
{
    return data->table ? data->def.spring.ntable - is_periodic(data) : 0;
}

// A linear table has a switch at each point that is a discontinuity, one that must not be left at
// its ends. The value is zero where the deflection is that of the point, in every period.
static tn_force_switch spring_switch_at(const tn_force_data *data, int k, double y, double rate)
{
    const int n = data->def.spring.ntable;
    const bool end = k == 0 || k == n - 1;
    const bool kink =
        data->def.spring.interpolation == TN_TABLE_LINEAR && tn_timefn_curve(data->u[0])->met[k];
    tn_force_switch s = {(end && data->def.spring.beyond == TN_BEYOND_ERROR) || kink, false,
                         y - data->table[k], rate};
    if (is_periodic(data)) {
        const double wave = M_PI / (data->table[n - 1] - data->table[0]);
        s.value = sin(wave * s.value) / wave;
    }
    return s;
}

static tn_force_range spring_range(const tn_force_data *data)
{
    if (!data->table)
        return (tn_force_range){0};
    return (tn_force_range){data->table[0], data->table[data->def.spring.ntable - 1],
                            data->def.spring.beyond == TN_BEYOND_ERROR};
}

// From which on a spring counts as far from rest: in free lengths, sizes of the mechanism, and rad.
// Springs that carry a weight are strained by a third and less.
static const double STRAINED = 0.5, WOUND = 3.141592653589793;

static void spring_tell_start(const tn_force_data *data, const tn_force_view *at, tn_notes *notes)
{
    const bool length = tn_force_acts_on_length(data), own = !data->ops->on_joint;
    const double free = data->free, apart = fabs(at->y);
    const double far = length ? STRAINED * (own && free > 0.0 ? free : at->size) : WOUND;
    if (!data->free_at_start && apart > far && at->energy > 0.0)
        tn_notes_add(notes,
                     "spring '%s' starts far from rest, %.4g %s from its free %s, and stores "
                     "%.4g J",
                     data->name, apart * (length ? at->units.length : 1.0), length ? "m" : "rad",
                     own ? "length" : "position", at->energy * tn_unit_energy(at->units));
}

#define SPRING_LAW                                                                 \
    .conserves = spring_conserves, .law = spring_law, .mean = spring_mean,         \
    .prepare = spring_prepare, .scale = spring_scale, .switches = spring_switches, \
    .switch_at = spring_switch_at, .range = spring_range

const tn_force_ops tn_force_spring = {
    .name = "spring",
    .text = "spring-damper along the line between two points",
    .glyph = "coil",
    TN_PARAMS(spring_params),
    .row = &length_row,
    SPRING_LAW,
    .tell_start = spring_tell_start,
};

const tn_force_ops tn_force_torsion_spring = {
    .name = "torsion-spring",
    .text = "spring-damper on the angle about z between two frames",
    TN_PARAMS(torsion_params),
    .needs_rotation = true,
    .row = &turn_row,
    SPRING_LAW,
};

const tn_force_ops tn_force_joint_spring = {
    .name = "joint-spring",
    .text = "spring-damper on a joint coordinate",
    TN_PARAMS(joint_params),
    .on_joint = true,
    SPRING_LAW,
    .tell_start = spring_tell_start,
};
