// SPDX-License-Identifier: MIT
//
// Spring-dampers on a length, on an angle and on a joint coordinate: one law for a coordinate x
// with free value x0 and deflection y = x - x0,
//
//   N = k y + k3 y^3 + n(y) + N0 + c x'      tension, positive when stretched
//   Q = -N,   V = k y^2 / 2 + k3 y^4 / 4 + W(y) + N0 y,   dissipated = c x'^2
//
// n(y) is an optional table, a natural cubic spline that goes on straight beyond its ends, and
// W(y) its integral from y = 0. The spline is a cubic between knots, for which Gauss's rule of two
// points is exact; the integrals up to the knots are stored beside them.

#include "base/alloc.h"
#include "model/force_parts.h"

#include <math.h>

// `free` of a length; angles and joint coordinates may have any sign.
#define SPRING_PARAMS(per_length, per_speed, per_cube, length, force, free_range, what)   \
    {                                                                                     \
        {.name = "stiffness",                                                             \
         .type = TN_PARAM_NUMBER,                                                         \
         .unit = per_length,                                                              \
         .range = TN_NONNEGATIVE,                                                         \
         .text = "stiffness",                                                             \
         .offset = offsetof(tn_force_def, spring.stiffness)},                             \
            {.name = "damping",                                                           \
             .type = TN_PARAM_NUMBER,                                                     \
             .unit = per_speed,                                                           \
             .range = TN_NONNEGATIVE,                                                     \
             .text = "damping",                                                           \
             .offset = offsetof(tn_force_def, spring.damping)},                           \
            {.name = "cubic",                                                             \
             .type = TN_PARAM_NUMBER,                                                     \
             .unit = per_cube,                                                            \
             .text = "factor of the cube of the deflection",                              \
             .offset = offsetof(tn_force_def, spring.cubic)},                             \
            {.name = "free",                                                              \
             .type = TN_PARAM_NUMBER,                                                     \
             .unit = length,                                                              \
             .range = free_range,                                                         \
             .text = what ", by default that of the start configuration",                 \
             .offset = offsetof(tn_force_def, spring.free),                               \
             .given = offsetof(tn_force_def, spring.free_given)},                         \
            {.name = "preload",                                                           \
             .type = TN_PARAM_NUMBER,                                                     \
             .unit = force,                                                               \
             .text = "constant tension added",                                            \
             .offset = offsetof(tn_force_def, spring.preload)},                           \
            {.name = "table",                                                             \
             .type = TN_PARAM_TABLE,                                                      \
             .unit = length ", " force,                                                   \
             .text = "tension over deflection, added to the terms above; a smooth curve", \
             .offset = offsetof(tn_force_def, spring.ntable)},                            \
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

// The integral from a to b inside one piece of the spline.
static double piece_integral(const tn_timefn *f, double a, double b)
{
    const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
    const double gauss = half / sqrt(3.0);
    return half * (curve(f, middle - gauss) + curve(f, middle + gauss));
}

// The integral up to y, from the nearest knot below it (or the first).
static double curve_energy(const tn_force_data *data, double y)
{
    const int n = data->def.spring.ntable;
    const double *knot = data->table, *energy = data->table + 2 * n;
    int low = 0, high = n; // knot[low] <= y < knot[high], open ends

    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (knot[middle] <= y)
            low = middle;
        else
            high = middle;
    }
    return energy[low] + piece_integral(data->u[0], knot[low], y);
}

static void spring_law(const tn_force_data *data, double t, double x, double rate,
                       tn_scalar_load *out)
{
    const double k = data->def.spring.stiffness, c = data->def.spring.damping;
    const double k3 = data->def.spring.cubic, preload = data->def.spring.preload;
    const double y = x - data->free, yy = y * y;

    (void)t;
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

// With y = y0 + s (y1 - y0), adds the integrals of -n and of -s dn/dy over [s0, s1], within which y
// is in one piece of the spline: both are cubics at most.
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

static void add_curve(const tn_force_data *data, double y0, double y1, tn_scalar_mean *mean)
{
    const int n = data->def.spring.ntable;
    double last = 0.0;
    for (int i = 0; y1 != y0 && i < n; i++) {
        const double s = (data->table[y1 > y0 ? i : n - 1 - i] - y0) / (y1 - y0);
        if (!(s > 0.0 && s < 1.0))
            continue;
        add_piece(data->u[0], y0, y1, last, s, mean);
        last = s;
    }
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

static tn_status check_table(const char *name, int n, const double *x, const double *f)
{
    if (n < 2)
        return tn_fail(TN_ERR_MODEL, "force '%s': table has one point; it needs at least two",
                       name);
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(f[i]))
            return tn_fail(TN_ERR_MODEL, "force '%s': table must be finite (point %d)", name,
                           i + 1);
        if (i > 0 && !(x[i] > x[i - 1]))
            return tn_fail(TN_ERR_MODEL,
                           "force '%s': the deflections of table must increase, but %g follows %g "
                           "(point %d)",
                           name, x[i], x[i - 1], i + 1);
    }
    return TN_OK;
}

// data->table holds the deflections, the forces, and the energies at the knots, counted from y = 0.
static tn_status spring_prepare(tn_force_data *data, const tn_model *model)
{
    const int n = data->def.spring.ntable;
    const double *x = data->def.spring.table_x, *f = data->def.spring.table_f;

    (void)model;
    data->free_at_start = !data->def.spring.free_given;
    data->free = data->def.spring.free_given ? data->def.spring.free : 0.0;
    if (n <= 0)
        return TN_OK;
    TN_TRY(check_table(data->name, n, x, f));
    data->table = tn_alloc(3 * (size_t)n * sizeof(double));
    if (!data->table)
        return tn_fail(TN_ERR_MEMORY, "force '%s': out of memory for its table", data->name);
    TN_TRY(tn_timefn_table(n, x, f, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &data->u[0]));

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

static void spring_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                        tn_load *out)
{
    tn_scalar_eval(spring_law, data, t, reference, at, out);
}

static void spring_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                           tn_load_tangent *out)
{
    tn_scalar_tangent(spring_law, data, t, reference, at, out);
}

const tn_force_ops tn_force_spring = {
    .name = "spring",
    .text = "spring-damper along the line between two points",
    .params = spring_params,
    .nparam = TN_COUNT(spring_params),
    .row = &length_row,
    .law = spring_law,
    .mean = spring_mean,
    .prepare = spring_prepare,
    .eval = spring_eval,
    .tangent = spring_tangent,
};

const tn_force_ops tn_force_torsion_spring = {
    .name = "torsion-spring",
    .text = "spring-damper on the angle about z between two frames",
    .params = torsion_params,
    .nparam = TN_COUNT(torsion_params),
    .needs_rotation = true,
    .row = &turn_row,
    .law = spring_law,
    .mean = spring_mean,
    .prepare = spring_prepare,
    .eval = spring_eval,
    .tangent = spring_tangent,
};

const tn_force_ops tn_force_joint_spring = {
    .name = "joint-spring",
    .text = "spring-damper on a joint coordinate",
    .params = joint_params,
    .nparam = TN_COUNT(joint_params),
    .on_joint = true,
    .law = spring_law,
    .mean = spring_mean,
    .prepare = spring_prepare,
    .eval = spring_eval,
    .tangent = spring_tangent,
};
