// SPDX-License-Identifier: MIT
//
// Tables of a model, from their definitions.

#include "base/alloc.h"
#include "signal/curve.h"
#include "signal/expression.h"
#include "signal/grid.h"

#include <stdio.h>
#include <string.h>

// Checks ------------------------------------------------------------------------------------------

// Each knot of a linear table is a condition of the expressions that use it.
enum { LINEAR_MOST = TN_KINKS_MAX / 2 };

tn_status tn_table_check_arguments(const char *what, int n, const double *list, int *place)
{
    *place = 0;
    if (n < 2 || !list)
        return tn_fail(TN_ERR_MODEL, "%s: %d number%s; at least 2 are needed", what, list ? n : 0,
                       list && n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        *place = i;
        if (!isfinite(list[i]))
            return tn_fail(TN_ERR_MODEL, "%s: place %d: %g is not finite", what, i + 1, list[i]);
        if (i > 0 && !(list[i] > list[i - 1]))
            return tn_fail(TN_ERR_MODEL,
                           "%s: place %d: %.10g does not follow %.10g of place %d; arguments must "
                           "increase",
                           what, i + 1, list[i], list[i - 1], i);
    }
    return TN_OK;
}

static tn_status check_direction(const char *name, const char *key, int n, const double *list)
{
    char what[128];
    int ignored;
    snprintf(what, sizeof what, "table '%.100s': %s", name, key);
    return tn_table_check_arguments(what, n, list, &ignored);
}

static tn_status check_values(const tn_table_def *def)
{
    const int row = tn_larger(def->ny, 1), count = def->nx * row;
    if (!def->values)
        return tn_fail(TN_ERR_MODEL, "table '%s': values: there are none", def->name);
    for (int i = 0; i < count; i++) {
        if (isfinite(def->values[i]))
            continue;
        if (def->ny == 0)
            return tn_fail(TN_ERR_MODEL, "table '%s': values: place %d: %g is not finite",
                           def->name, i + 1, def->values[i]);
        return tn_fail(TN_ERR_MODEL, "table '%s': values: row %d, place %d: %g is not finite",
                       def->name, i / row + 1, i % row + 1, def->values[i]);
    }
    return TN_OK;
}

static tn_status check_rules(const tn_table_def *def)
{
    char what[128];
    snprintf(what, sizeof what, "table '%.100s'", def->name);
    TN_TRY(tn_check_table_rules(def->interpolation, def->beyond, what));
    if (def->beyond == TN_BEYOND_PERIODIC)
        return tn_fail(TN_ERR_MODEL,
                       "%s: beyond: a table that is a function cannot be periodic; write hold, "
                       "linear or error, and reduce its argument",
                       what);
    if (def->interpolation == TN_TABLE_MONOTONE && def->ny > 0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: interpolation: there is no monotone surface; write linear or spline",
                       what);
    if (def->interpolation == TN_TABLE_LINEAR && def->nx + def->ny > LINEAR_MOST)
        return tn_fail(TN_ERR_MODEL,
                       "%s: interpolation: a linear table may have %d arguments, this one has %d; "
                       "write %s",
                       what, LINEAR_MOST, def->nx + def->ny, def->ny > 0 ? "spline" : "monotone");
    return TN_OK;
}

static tn_status check_definition(const tn_table_def *def)
{
    TN_TRY(check_direction(def->name, "x", def->nx, def->x));
    if (def->ny != 0)
        TN_TRY(check_direction(def->name, "y", def->ny, def->y));
    TN_TRY(check_values(def));
    return check_rules(def);
}

// Creation ----------------------------------------------------------------------------------------

// Second derivatives of splines through lines of values: `count` lines, whose numbers are `step`
// apart and which are `next` apart, at arguments in direction k.
static tn_status bend_lines(tn_grid *g, int k, int count, int step, int next, const double *from,
                            double *to)
{
    TN_ASSERT(k == 0 || k == 1);
    const int n = g->n[k];
    double *line = tn_alloc((size_t)n * sizeof *line);
    tn_status status = tn_got(line);
    for (int i = 0; i < count && status == TN_OK; i++) {
        tn_curve *curve = NULL;
        for (int j = 0; j < n; j++)
            line[j] = from[i * next + j * step];
        status = tn_curve_create(n, g->at[k], line, TN_TABLE_SPLINE, g->beyond, &curve);
        for (int j = 0; j < n && status == TN_OK; j++)
            to[i * next + j * step] = curve->shape[j];
        tn_free(curve);
    }
    tn_free(line);
    return status;
}

static tn_status make_surface(tn_grid *g, const double *values)
{
    const int nx = g->n[0], ny = g->n[1];
    const size_t count = (size_t)nx * (size_t)ny;
    const int lists = g->interpolation == TN_TABLE_SPLINE ? 4 : 1;
    g->f[0] = tn_alloc((size_t)lists * count * sizeof(double));
    TN_TRY(tn_got(g->f[0]));
    memcpy(g->f[0], values, count * sizeof(double));
    if (lists == 1)
        return TN_OK;
    for (int i = 1; i < lists; i++)
        g->f[i] = g->f[i - 1] + count;
    TN_TRY(bend_lines(g, 0, ny, ny, 1, g->f[0], g->f[1]));
    TN_TRY(bend_lines(g, 1, nx, 1, ny, g->f[0], g->f[2]));
    return bend_lines(g, 0, ny, ny, 1, g->f[2], g->f[3]);
}

static tn_status make_curve(tn_grid *g, const double *values)
{
    TN_ASSERT(g->narg == 1);
    const int n = g->n[0];
    TN_TRY(tn_curve_create(n, g->at[0], values, g->interpolation, g->beyond, &g->curve));
    g->met = tn_alloc((size_t)n * sizeof *g->met);
    TN_TRY(tn_got(g->met));
    for (int i = 0; i < n; i++)
        if (g->curve->met[i])
            g->met[g->nmet++] = g->at[0][i];
    return TN_OK;
}

// A linear table has corners at all arguments, at the first and last only where it holds them.
static void find_knots(tn_grid *g)
{
    const int ends = g->beyond == TN_BEYOND_HOLD ? 0 : 1;
    for (int k = 0; k < g->narg && g->interpolation == TN_TABLE_LINEAR; k++) {
        g->knot[k] = g->at[k] + ends;
        g->nknot[k] = g->n[k] - 2 * ends;
    }
}

static tn_status fill_grid(const tn_table_def *def, tn_grid *g)
{
    const size_t nx = (size_t)def->nx, ny = (size_t)def->ny;
    g->narg = def->ny > 0 ? 2 : 1;
    g->n[0] = def->nx;
    g->n[1] = def->ny;
    g->interpolation = def->interpolation ? def->interpolation
                       : g->narg == 2     ? TN_TABLE_SPLINE
                                          : TN_TABLE_MONOTONE;
    g->beyond = def->beyond ? def->beyond : TN_BEYOND_HOLD;
    g->name = tn_strdup(def->name);
    g->at[0] = tn_alloc((nx + ny) * sizeof(double));
    TN_TRY(tn_got(g->name && g->at[0]));
    g->at[1] = g->at[0] + nx;
    memcpy(g->at[0], def->x, nx * sizeof(double));
    if (ny > 0)
        memcpy(g->at[1], def->y, ny * sizeof(double));
    find_knots(g);
    return g->narg == 1 ? make_curve(g, def->values) : make_surface(g, def->values);
}

tn_status tn_grid_create(const tn_table_def *def, tn_grid **out)
{
    *out = NULL;
    TN_TRY(check_definition(def));
    tn_grid *g = tn_alloc(sizeof *g);
    tn_status status = tn_got(g);
    TN_THEN(status, fill_grid(def, g));
    TN_HAND_OUT(status, g, tn_grid_destroy, out);
}

void tn_grid_destroy(tn_grid *g)
{
    if (g)
        TN_FREE((char *)g->name, g->at[0], g->met, g->curve, g->f[0], g);
}
