// SPDX-License-Identifier: MIT
//
// Why there are no consistent initial values: rows that stay open or contradict each other, by the
// names of their elements.

#include "base/random.h"
#include "linalg/dense.h"
#include "start/initial_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// At the best point found, C^T g = 0 with g != 0. Where that also holds nearby the rows contradict
// each other whatever the configuration; otherwise the mechanism just does not reach.
static bool contradicts(tn_initial *s, const tn_point *at, const double *q)
{
    tn_system *sys = s->sys;
    tn_point point = *at;
    uint32_t seed = 12345u;
    double *g = s->rhs, *force = s->dx, most = 0.0;
    point.q = q;
    if (tn_system_eval(sys, &point, TN_EVAL_G) != TN_OK)
        return false;
    for (int i = 0; i < sys->ng; i++) {
        g[i] = s->position[i] == TN_ROW_HOLDS ? sys->g[i] * s->scale[i] * s->scale[i] : 0.0;
        most = fmax(most, fabs(g[i]) / s->scale[i]);
    }
    for (int i = 0; i < sys->nv; i++) {
        const double x = tn_random_next(&seed);
        s->part[i] = isfinite(s->factor[i]) ? 1e-2 * s->unit[i] * x : 0.0;
    }
    tn_group_retract(sys->ngroup, sys->groups, q, s->part, s->q1);
    point.q = s->q1;
    if (tn_system_eval(sys, &point, TN_EVAL_B) != TN_OK)
        return false;
    tn_zero(sys->nv, force);
    tn_sparse_mul_t(sys->block[TN_BLOCK_B], 1.0, g, force);
    for (int i = 0; i < sys->nv; i++)
        force[i] *= isfinite(s->factor[i]) ? s->unit[i] : 0.0;
    return tn_norm_inf(sys->nv, force) <= 1e-6 * most;
}

static const char STATED[] = "stated start value"; // as systems call such rows

// The largest part in `share` of at least `least` of a joint that `text` does not name yet; what is
// stated comes before what follows from it. -1 for none.
static int next_row(const tn_initial *s, const double *share, double least, const char *text)
{
    double most = 0.0;
    int found = -1;
    for (int i = 0; i < s->rows; i++) {
        char name[160];
        if (fabs(share[i]) < least || share[i] == 0.0)
            continue;
        s->sys->ops->row_name(s->sys, i, name, sizeof name);
        const double part = fabs(share[i]) * (strstr(name, STATED) ? 1e3 : 1.0);
        char *row = strstr(name, STATED) ? NULL : strstr(name, ", row");
        if (row)
            *row = 0;
        if (part > (1.0 + 1e-6) * most && !strstr(text, name)) {
            most = part;
            found = i;
        }
    }
    return found;
}

// Adds the rows with a part of at least a tenth of the largest in `share`, each joint once, to a
// text that names `count` of them.
static void name_rows(const tn_initial *s, const double *share, int count, char *text, size_t size)
{
    enum { MOST_NAMES = 4 };
    const double least = 0.1 * tn_norm_inf(s->rows, share);
    for (; count < MOST_NAMES; count++) {
        const int i = next_row(s, share, least, text);
        const size_t used = strlen(text);
        char name[160];
        if (i < 0 || used + sizeof name > size)
            return;
        s->sys->ops->row_name(s->sys, i, name, sizeof name);
        snprintf(text + used, size - used, "%s%s", count > 0 ? " and " : "", name);
    }
}

// Columns that share a row with a marked one, and these rows, become marked; true where any did.
// Every other time columns are taken from behind, so that chains are done in few calls.
static bool spread_marks(const tn_sparse *block, bool behind, bool *column, bool *row)
{
    bool grown = false;
    for (int k = 0; block && k < block->ncol; k++) {
        const int j = behind ? block->ncol - 1 - k : k;
        for (int i = block->colptr[j]; i < block->colptr[j + 1]; i++)
            if (row[block->rowind[i]] && !column[j])
                column[j] = grown = true;
        for (int i = block->colptr[j]; i < block->colptr[j + 1] && column[j]; i++)
            if (!row[block->rowind[i]])
                row[block->rowind[i]] = grown = true;
    }
    return grown;
}

// Mechanisms that share nothing but the ground may each be in conflict: of `share` those rows stay
// that are connected with row `where`, or where that is -1 with columns v0 … v0 + nv - 1.
static void keep_connected(const tn_initial *s, int where, int v0, int nv, double *share)
{
    const tn_system *sys = s->sys;
    bool *column = tn_alloc((size_t)sys->nv + 1), *row = tn_alloc((size_t)s->rows + 1);
    if (column && row) {
        if (where >= 0)
            row[where] = true;
        for (int j = v0; where < 0 && j < v0 + nv; j++)
            column[j] = true;
        for (bool behind = false, grown = true; grown; behind = !behind) {
            grown = spread_marks(sys->block[TN_BLOCK_B], behind, column, row);
            grown |= spread_marks(sys->block[TN_BLOCK_N], behind, column, row + sys->ng);
        }
        for (int i = 0; i < s->rows; i++)
            share[i] = row[i] ? share[i] : 0.0;
    }
    TN_FREE(column, row); // without memory all rows are named
}

void tn_initial_pressed(tn_initial *s, int v0, int nv, char *text, size_t size)
{
    text[0] = 0;
    keep_connected(s, -1, v0, nv, s->pressed);
    name_rows(s, s->pressed, 0, text, size);
}

// The unit of a residual of row i, with a blank before it; nothing is known of the rows of own
// equations.
static const char *unit_of(const tn_system *sys, int i)
{
    double coefficient;
    if (!sys->ops->row_turns || i >= sys->ng)
        return "";
    return sys->ops->row_turns(sys, i, &coefficient) ? " rad" : " m";
}

// Names the rows with a part in the residual at q, the largest first. True if there are several.
static bool name_misfit(tn_initial *s, const tn_point *at, const double *q, double *e, char *names,
                        size_t size, double *apart, const char **unit)
{
    tn_system *sys = s->sys;
    int where = 0;
    tn_initial_residual(s, at, e, q);
    tn_initial_largest(s, s->position, &where);
    *apart = fabs(sys->g[where]) * tn_system_row_unit(sys, where);
    *unit = unit_of(sys, where);
    for (int i = 0; i < s->rows; i++)
        s->pressed[i] =
            i < sys->ng && s->position[i] == TN_ROW_HOLDS ? s->scale[i] * sys->g[i] : 0.0;
    sys->ops->row_name(sys, where, names, size);
    const size_t first = strlen(names);
    keep_connected(s, where, 0, 0, s->pressed);
    name_rows(s, s->pressed, 1, names, size);
    return names[first] != 0;
}

tn_status tn_initial_cannot_assemble(tn_initial *s, const tn_point *at, const double *q, double *e)
{
    char names[480] = "";
    double apart;
    const char *unit;
    const bool several = name_misfit(s, at, q, e, names, sizeof names, &apart, &unit);
    if (several && contradicts(s, at, q))
        return tn_fail(TN_ERR_MODEL,
                       "the constraints contradict each other: %s cannot hold together, they "
                       "miss each other by %.4g%s; remove one of them or make them agree",
                       names, 2.0 * apart, unit);
    if (several && strstr(names, STATED))
        return tn_fail(TN_ERR_MODEL,
                       "the mechanism cannot be assembled at what is stated: %s cannot hold "
                       "together, they stay %.4g%s apart; state fewer start values, others, or "
                       "guesses",
                       names, apart, unit);
    char *end = strstr(names, " and ");
    if (end)
        *end = 0;
    return tn_fail(TN_ERR_MODEL,
                   "the mechanism cannot be assembled: %s stays %.4g%s apart; check the lengths, "
                   "positions and stated start values of the bodies that it connects",
                   names, apart, unit);
}

// At the least residual C^T r = 0: the rows that have a part in it contradict each other.
tn_status tn_initial_cannot_move(tn_initial *s, int where)
{
    const tn_system *sys = s->sys;
    char names[480] = "";
    sys->ops->row_name(sys, where, names, sizeof names);
    const size_t first = strlen(names);
    const double rate = fabs(where < sys->ng ? sys->gdot[where] : sys->ndot[where - sys->ng]) *
                        tn_system_row_unit(sys, where);
    keep_connected(s, where, 0, 0, s->rhs + sys->nv);
    name_rows(s, s->rhs + sys->nv, 1, names, sizeof names);
    const char *unit = unit_of(sys, where);
    const char *others = names[first] ? names + first + strlen(" and ") : "";
    return tn_fail(
        TN_ERR_MODEL,
        "the velocities cannot be made consistent: %.*s is violated at a rate of %.4g%s%s; "
        "stated start velocities, drives and joints contradict each other%s%s",
        (int)first, names, rate, unit, *unit ? "/s" : "",
        *others ? ": it cannot hold together with " : "", others);
}
