// SPDX-License-Identifier: MIT
//
// Start of the bristles of LuGre's friction (force/force_lugre.c), if the model does not state it.
//
// Surfaces that slip have bent them to the end: z = mu(s) / sigma_0 in the direction of slip. At
// rest they carry the load: z is such that the surfaces do not begin to slip, u'(z) = 0, by Newton
// iterations with differences, as u' is nearly linear in z. A force that needs more than friction
// at rest is bent to the end, and slips.

#include "start/start_parts.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "force/force_friction.h"
#include "linalg/dense.h"
#include "system/absolute.h"

#include <math.h>
#include <string.h>

static const double AT_REST = 1e-9; // speeds of slip below it [m/s]
enum { ITERATIONS = 30 };

// One direction of one force: number of its state.
typedef struct bristle {
    int force, direction, state;
    double most; // deflection at which it breaks away [m]
    bool given;  // slips, or is bent to the end: no unknown any more
} bristle;

typedef struct bristles {
    tn_start *s;
    const tn_model *model;
    int n;
    bristle *at;
    double *u1, *base, *matrix, *step;
    int *pivot;
} bristles;

static int state_of(const tn_model *model, const tn_force_data *force, int k)
{
    char name[TN_BRISTLE_NAME];
    tn_bristle_name(force, k, name);
    for (int i = 0; i < model->states.count; i++)
        if (strcmp(model->states.at[i].name, name) == 0)
            return i;
    return -1;
}

static bool starts_by_itself(const tn_force_data *force)
{
    return force->ops == &tn_force_lugre && !force->def.friction.bristle_given;
}

static int count_bristles(const tn_model *model)
{
    int n = 0;
    for (int i = 0; i < model->forces.count; i++)
        if (starts_by_itself(&model->forces.at[i]))
            n += model->forces.at[i].slip.n;
    return n;
}

static void bend_to_end(bristles *b, int first, const double bent[TN_SLIPS])
{
    const int n = b->model->forces.at[b->at[first].force].slip.n;
    const double size = tn_norm2(TN_SLIPS, bent);
    for (int k = 0; k < n; k++) {
        b->at[first + k].given = true;
        b->s->x.e[b->at[first + k].state] =
            size > 0.0 ? b->at[first + k].most * bent[k] / size : 0.0;
    }
}

static void list_bristles(bristles *b)
{
    const tn_point at = tn_state_point(&b->s->x);
    const double length = b->s->sys->units.length;
    for (int i = 0; i < b->model->forces.count; i++) {
        const tn_force_data *force = &b->model->forces.at[i];
        const tn_friction *f = &force->def.friction;
        double u[TN_SLIPS], rate[TN_SLIPS];
        if (!starts_by_itself(force))
            continue;
        tn_absolute_slip(b->s->sys, &at, i, u, rate);
        const double s = tn_norm2(TN_SLIPS, u);
        const bool slips = s * length > AT_REST;
        const int first = b->n;
        for (int k = 0; k < force->slip.n; k++)
            b->at[b->n++] = (bristle){.force = i,
                                      .direction = k,
                                      .state = state_of(b->model, force, k),
                                      .most = length * tn_friction_coefficient(f, slips ? s : 0.0) /
                                              f->stiffness};
        if (slips)
            bend_to_end(b, first, u);
    }
}

// u' of all directions.
static tn_status slip_rates(bristles *b, double *out)
{
    tn_start *s = b->s;
    const tn_point at = tn_state_point(&s->x);
    TN_TRY(tn_accel_solve(s->accel, &at, s->x.e, s->x.a, s->x.lambda, s->x.eta));
    for (int k = 0; k < b->n; k++) {
        double u[TN_SLIPS], rate[TN_SLIPS];
        tn_absolute_slip(s->sys, &at, b->at[k].force, u, rate);
        out[k] = rate[b->at[k].direction];
    }
    return TN_OK;
}

// Rows and columns of bristles that are given are those of the identity.
static tn_status form_matrix(bristles *b)
{
    double *e = b->s->x.e;
    TN_TRY(slip_rates(b, b->base));
    for (int j = 0; j < b->n; j++) {
        double *column = b->matrix + (size_t)j * (size_t)b->n;
        const double by = 1e-3 * b->at[j].most, now = e[b->at[j].state];
        tn_zero(b->n, column);
        if (b->at[j].given) {
            column[j] = 1.0;
            continue;
        }
        e[b->at[j].state] = now + by;
        TN_TRY(slip_rates(b, b->u1));
        e[b->at[j].state] = now;
        for (int i = 0; i < b->n; i++)
            column[i] = b->at[i].given ? 0.0 : (b->u1[i] - b->base[i]) / by;
    }
    for (int i = 0; i < b->n; i++)
        b->step[i] = b->at[i].given ? 0.0 : b->base[i];
    if (tn_lu_factor(b->n, b->matrix, b->pivot) == TN_OK)
        return TN_OK;
    return tn_fail(TN_ERR_NUMERIC,
                   "force '%s': the deflection at which its bristles carry the load at rest is not "
                   "determined; state 'bristle'",
                   b->model->forces.at[b->at[0].force].name);
}

// Holds bristles at their end that are bent beyond it; true if there are any.
static bool bend_back(bristles *b)
{
    bool any = false;
    for (int k = 0; k < b->n; k += b->model->forces.at[b->at[k].force].slip.n) {
        double bent[TN_SLIPS] = {0};
        for (int i = 0; i < b->model->forces.at[b->at[k].force].slip.n; i++)
            bent[i] = b->s->x.e[b->at[k + i].state];
        if (b->at[k].given || tn_norm2(TN_SLIPS, bent) <= b->at[k].most)
            continue;
        bend_to_end(b, k, bent);
        any = true;
    }
    return any;
}

static tn_status find_bristles(bristles *b)
{
    for (int i = 0; i < ITERATIONS; i++) {
        double change = 0.0;
        TN_TRY(form_matrix(b));
        tn_lu_solve(b->n, b->matrix, b->pivot, b->step);
        for (int k = 0; k < b->n; k++) {
            b->s->x.e[b->at[k].state] -= b->step[k];
            change = fmax(change, fabs(b->step[k]) / b->at[k].most);
        }
        if (!bend_back(b) && change <= TN_ROUND_MATRIX)
            break;
    }
    return TN_OK;
}

// Those of surfaces that slip are bent; *b is empty where there are none at all.
static tn_status open_bristles(tn_start *s, bristles *b)
{
    *b = (bristles){.s = s, .model = tn_absolute_model(s->sys)};
    const int n = count_bristles(b->model);
    if (n == 0)
        return TN_OK;
    const size_t numbers = (size_t)n * (size_t)(n + 3);
    b->u1 =
        tn_alloc(sizeof(double) * numbers + sizeof(bristle) * (size_t)n + sizeof(int) * (size_t)n);
    TN_TRY(tn_got(b->u1));
    b->base = b->u1 + n;
    b->step = b->base + n;
    b->matrix = b->step + n;
    b->at = (bristle *)(b->u1 + numbers);
    b->pivot = (int *)(b->at + n);
    list_bristles(b);
    return TN_OK;
}

tn_status tn_bristles_bend(tn_start *s)
{
    bristles b;
    TN_TRY(open_bristles(s, &b));
    tn_free(b.u1);
    return TN_OK;
}

tn_status tn_bristles_settle(tn_start *s)
{
    bristles b;
    TN_TRY(open_bristles(s, &b));
    if (b.n == 0)
        return TN_OK;
    tn_status status = find_bristles(&b);
    TN_THEN(status, slip_rates(&b, b.base));
    tn_free(b.u1);
    return tn_leave(status, "no start of the bristles of friction");
}
