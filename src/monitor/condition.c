// SPDX-License-Identifier: MIT
//
// Condition numbers (2-norm) of the iteration matrix of a discrete principle: of the equations as
// [LMO08, Tables 1 and 2] has them, and of the matrix that is factored.

#include "base/alloc.h"
#include "integrator/march.h"
#include "linalg/dense.h"
#include "sim/sim.h"

#include <math.h>

typedef struct matrices {
    int n, kept;          // unknowns, and those that take part
    double *all;          // n x n, as factored
    double *matrix;       // kept x kept
    double *row, *column; // n: factors
    double *values;       // kept: singular values
    int *keep;            // kept
} matrices;

static tn_status open_matrices(int n, matrices *m)
{
    const size_t size = (size_t)n * (size_t)n;
    *m = (matrices){.n = n};
    m->all = tn_alloc((2 * size + 3 * (size_t)n) * sizeof(double));
    m->keep = tn_alloc((size_t)n * sizeof(int));
    if (!m->all || !m->keep)
        return tn_got(false);
    m->matrix = m->all + size;
    m->row = m->matrix + size;
    m->column = m->row + n;
    m->values = m->column + n;
    return TN_OK;
}

// Condition of the rows and columns that take part, scaled or as they are.
static tn_status condition_of(const matrices *m, bool scaled, double *out)
{
    for (int j = 0; j < m->kept; j++)
        for (int i = 0; i < m->kept; i++) {
            const int r = m->keep[i], c = m->keep[j];
            const double scale = scaled ? m->row[r] * m->column[c] : 1.0;
            m->matrix[i + (size_t)j * (size_t)m->kept] =
                scale * m->all[r + (size_t)c * (size_t)m->n];
        }
    TN_TRY(tn_singular_values(m->kept, m->kept, m->matrix, m->values));
    *out = m->values[0] / m->values[m->kept - 1];
    return TN_OK;
}

static tn_status find_both(const tn_discrete *d, double share, matrices *m, double *written,
                           double *solved)
{
    d->ops->dense(d, m->all);
    d->ops->written(d, share, m->row, m->column);
    for (int i = 0; i < m->n; i++)
        if (m->row[i] != 0.0)
            m->keep[m->kept++] = i;
    TN_TRY(condition_of(m, true, written));
    return condition_of(m, false, solved);
}

tn_status tn_sim_condition(const tn_sim *sim, int *unknowns, double *written, double *solved)
{
    const tn_discrete *d = sim->discrete;
    matrices m = {0};
    *unknowns = 0;
    *written = *solved = NAN;
    if (!d || d->n == 0)
        return TN_OK;
    tn_status s = open_matrices(d->n, &m);
    TN_THEN(s, find_both(d, tn_march_weight(sim->integrator), &m, written, solved));
    *unknowns = s == TN_OK ? m.kept : 0;
    TN_FREE(m.all, m.keep);
    return s;
}
