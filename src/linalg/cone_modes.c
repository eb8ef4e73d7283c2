// SPDX-License-Identifier: MIT
//
// What contacts do after an impact, and impacts by Newton's and by Poisson's law.
//
// On the level of accelerations a contact that slips has the force -mu N u_T / |u_T|, which makes A
// unsymmetric: solutions need not exist, and need not be one [PG96]. Where few
// modes are possible all are tried, each of which is a linear system; sets of modes without a
// regular one are left to the general search.

#include "linalg/cone_parts.h"

#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

// Combinations of modes that are tried: some milliseconds.
enum { MOST_COMBINATIONS = 4096 };

// ---- All modes in turn

enum { PART, CLOSE, SLIP_BACK, SLIP_ON }; // of a contact; CLOSE also holds where there is friction

static int mode_count(const tn_cone *s, int i)
{
    return s->dim[i] == 1 ? 2 : 4;
}

// 0: too many, or directions of slip that are not known in space.
static int combination_count(const tn_cone *s)
{
    int count = 1;
    for (int i = 0; i < s->n; i++) {
        count *= mode_count(s, i);
        if (s->dim[i] > 2 || count > MOST_COMBINATIONS)
            return 0;
    }
    return count;
}

static int mode_of(const tn_cone *s, int i, int *code)
{
    const int count = mode_count(s, i), mode = *code % count;
    *code /= count;
    return mode;
}

// Unknowns of a combination: component `at`, and friction of `lean` times that beside it.
typedef struct {
    int at;
    double lean;
} active;

static int list_active(const tn_cone *s, int code, active *out)
{
    int m = 0;
    for (int i = 0; i < s->n; i++) {
        const int mode = mode_of(s, i, &code);
        if (mode == PART)
            continue;
        const double lean = mode == SLIP_BACK ? s->mu[i] : mode == SLIP_ON ? -s->mu[i] : 0.0;
        out[m++] = (active){s->at[i], lean};
        if (mode == CLOSE && s->dim[i] == 2)
            out[m++] = (active){s->at[i] + 1, 0.0};
    }
    return m;
}

// y of one combination; false where its matrix is singular.
static bool solve_combination(tn_cone *s, int m, const active *list, double *y)
{
    const int N = s->N;
    double *x = s->step, least = INFINITY;
    for (int j = 0; j < m; j++) {
        const double *column = tn_column_of(s->A, N, list[j].at);
        for (int i = 0; i < m; i++) {
            double a = column[list[i].at];
            if (list[j].lean != 0.0)
                a += list[j].lean * column[N + list[i].at];
            tn_column_of(s->J, m, j)[i] = a;
        }
        x[j] = -s->c[list[j].at];
    }
    if (tn_lu_factor(m, s->J, s->jpvt) != TN_OK)
        return false;
    for (int j = 0; j < m; j++)
        least = fmin(least, fabs(s->J[(size_t)j * ((size_t)m + 1)]));
    if (m > 0 && least <= TN_ROUND_SOLVE)
        return false;
    tn_lu_solve(m, s->J, s->jpvt, x);
    tn_zero(N, y);
    for (int j = 0; j < m; j++) {
        y[list[j].at] += x[j];
        if (list[j].lean != 0.0)
            y[list[j].at + 1] += list[j].lean * x[j];
    }
    return true;
}

static void find_u(tn_cone *s, const double *y)
{
    tn_copy(s->N, s->c, s->u);
    for (int j = 0; j < s->N; j++)
        tn_axpy(s->N, y[j], tn_column_of(s->A, s->N, j), s->u);
}

// Whether forces and accelerations are those that the modes stand for.
static bool is_consistent(const tn_cone *s, int code, const double *y)
{
    const double some = TN_ROUND_ITERATE * fmax(1.0, tn_norm_inf(s->N, y));
    for (int i = 0; i < s->n; i++) {
        const int mode = mode_of(s, i, &code), a = s->at[i];
        if (y[a] < -some || s->u[a] < -some)
            return false;
        if (s->dim[i] == 1 || mode == PART)
            continue;
        if (mode == CLOSE && fabs(y[a + 1]) > s->mu[i] * y[a] + some)
            return false;
        if ((mode == SLIP_ON && s->u[a + 1] < -some) || (mode == SLIP_BACK && s->u[a + 1] > some))
            return false;
    }
    return true;
}

// Keeps u of a solution unless it is there; best becomes y of the one with the smallest forces.
// Known ones stand in R, which has room for N of them.
static int keep_solution(tn_cone *s, int count, const double *y)
{
    const int N = s->N;
    for (int k = 0; k < count && k < N; k++) {
        double far = 0.0;
        const double *known = tn_column_of(s->R, N, k);
        for (int i = 0; i < N; i++)
            far = fmax(far, fabs(known[i] - s->u[i]));
        if (far <= TN_ROUND_ENLARGED * fmax(1.0, tn_norm_inf(N, y)))
            return count;
    }
    if (count < N)
        tn_copy(N, s->u, tn_column_of(s->R, N, count));
    if (count == 0 || tn_norm2(N, y) < tn_norm2(N, s->best))
        tn_copy(N, y, s->best);
    return count + 1;
}

static int try_all_modes(tn_cone *s, int combinations)
{
    int found = 0;
    for (int code = 0; code < combinations; code++) {
        active list[2 * 12]; // 2^12 combinations
        const int m = list_active(s, code, list);
        if (!solve_combination(s, m, list, s->trial))
            continue;
        find_u(s, s->trial);
        if (is_consistent(s, code, s->trial))
            found = keep_solution(s, found, s->trial);
    }
    return found;
}

// ---- The choice

// A_ii of contacts whose slip is known beside W_NN, which r has.
static void look_for_painleve(const tn_cone *s, const tn_cone_problem *p, const double *slip,
                              tn_cone_choice *choice)
{
    choice->painleve = 1.0;
    choice->painleve_at = -1;
    for (int i = 0; i < s->n; i++) {
        const int from = s->from[i];
        if (p->dim[i] == 1 || s->dim[i] > 1 || tn_norm2(p->dim[i] - 1, slip + from + 1) == 0.0)
            continue;
        const double ratio = tn_column_of(s->A, s->N, s->at[i])[s->at[i]] * s->r[s->at[i]];
        if (choice->painleve_at < 0 || ratio < choice->painleve) {
            choice->painleve = ratio;
            choice->painleve_at = i;
        }
    }
}

static void name_modes(const tn_cone *s, const tn_cone_problem *p, const double *u,
                       tn_cone_mode *mode)
{
    for (int i = 0; i < s->n; i++) {
        const double *own = u + s->from[i];
        const double some = TN_ROUND_ITERATE * s->unit / s->scale[i];
        const bool known = s->dim[i] == 1, still = tn_norm2(p->dim[i] - 1, own + 1) <= some;
        mode[i] = own[0] > some ? TN_CONE_OPEN : known || !still ? TN_CONE_SLIP : TN_CONE_STICK;
    }
}

tn_status tn_cone_modes(tn_cone *s, const tn_cone_problem *p, const double *slip, double *y,
                        double *u, tn_cone_mode *mode, tn_cone_choice *choice)
{
    TN_TRY(tn_cone_pose(s, p, slip, NULL, y));
    *choice = (tn_cone_choice){0};
    look_for_painleve(s, p, slip, choice);
    tn_cone_search(s);
    tn_cone_return(s, p, y, u);
    choice->report = tn_cone_judge(s, p, y, u);
    choice->solutions = choice->report.solved;
    const int combinations = combination_count(s), found = try_all_modes(s, combinations);
    choice->counted = combinations > 0;
    if (found > 1 || (found == 1 && !choice->report.solved)) {
        tn_copy(s->N, s->best, s->y);
        tn_cone_return(s, p, y, u);
        choice->report = tn_cone_judge(s, p, y, u);
        choice->solutions = found;
    }
    name_modes(s, p, u, mode);
    return TN_OK;
}

// ---- Impacts

static void find_velocities(const tn_cone_problem *p, int rows, const double *y, double *u)
{
    tn_copy(rows, p->c, u);
    for (int j = 0; j < rows; j++)
        tn_axpy(rows, y[j], p->W + (size_t)j * (size_t)rows, u);
}

// T+ - T- = y . (u+ + u-) / 2.
static double kinetic_gain(int rows, const double *y, const double *before, const double *after)
{
    return 0.5 * (tn_dot(rows, y, before) + tn_dot(rows, y, after));
}

static tn_status impact_newton(tn_cone *s, const tn_cone_problem *p, const double *e, double *y,
                               double *u, tn_cone_report *report)
{
    const int rows = tn_cone_rows(p);
    double *c = s->impact;
    for (int k = 0; k < rows; k++)
        c[k] = (1.0 + e[k]) * p->c[k];
    tn_cone_problem xi = *p;
    xi.c = c;
    return tn_cone_solve(s, &xi, y, u, report);
}

// Compression ends with all normal velocities at zero or above it; expansion gives e of its normal
// impulses back, and more where velocities would fall below zero again.
static tn_status impact_poisson(tn_cone *s, const tn_cone_problem *p, const double *e, double *y,
                                double *u, tn_cone_report *report)
{
    const int rows = tn_cone_rows(p);
    double *pressed = s->impact, *least = s->impact + rows, *back = least + p->n;
    TN_TRY(tn_cone_solve(s, p, y, u, report));
    tn_copy(rows, y, pressed);
    tn_zero(rows, back);
    for (int i = 0, from = 0; i < p->n; from += p->dim[i], i++)
        back[from] = least[i] = e[from] * pressed[from];
    tn_cone_problem expansion = *p;
    expansion.c = back + rows;
    tn_copy(rows, u, back + rows);
    TN_TRY(tn_cone_pose(s, &expansion, NULL, least, back));
    tn_cone_search(s);
    tn_cone_return(s, &expansion, back, u);
    const tn_cone_report second = tn_cone_judge(s, &expansion, back, u);
    report->signorini = fmax(report->signorini, second.signorini);
    report->coulomb = fmax(report->coulomb, second.coulomb);
    report->cone = fmax(report->cone, second.cone);
    report->iterations += second.iterations;
    report->solved = report->solved && second.solved;
    tn_axpy(rows, 1.0, back, y);
    return TN_OK;
}

tn_status tn_cone_impact(tn_cone *s, const tn_cone_problem *p, const double *e, tn_impact_law law,
                         double *y, double *u, tn_cone_report *report, double *gain)
{
    const int rows = tn_cone_rows(p);
    TN_TRY((law == TN_IMPACT_NEWTON ? impact_newton : impact_poisson)(s, p, e, y, u, report));
    find_velocities(p, rows, y, u);
    *gain = kinetic_gain(rows, y, p->c, u);
    return TN_OK;
}
