// SPDX-License-Identifier: MIT
//
// Own functions of time. Derivatives that are not given are formed by differences of fourth order.

#include "model/own.h"

#include "base/alloc.h"

#include <math.h>

// For u' a step of 1e-3 s leaves 1e-12 of u; for u'' it leaves 1e-9.
static const double OWN_TIME_STEP = 1e-3;

const tn_own_function *tn_own_function_table(int kind)
{
    return tn_own_at(TN_FAMILY_FUNCTION, kind - 1);
}

void tn_own_function_differences(const tn_own_function *f, const tn_function_at *at, double step,
                                 double u[2])
{
    double y[5]; // from -2 to 2 steps
    for (int i = 0; i < 5; i++) {
        const tn_function_at moved = {at->t + (i - 2) * step, at->params, at->user};
        y[i] = f->value(&moved);
    }
    u[0] = (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / (12.0 * step);
    u[1] = (-y[0] + 16.0 * y[1] - 30.0 * y[2] + 16.0 * y[3] - y[4]) / (12.0 * step * step);
}

void tn_own_function_eval(const tn_own_function *f, const void *params, double t, double u[3])
{
    const tn_function_at at = {t, params, f->kind.user};
    u[0] = f->value(&at);
    if (f->derivatives)
        f->derivatives(&at, u + 1);
    else
        tn_own_function_differences(f, &at, OWN_TIME_STEP, u + 1);
}

bool tn_own_function_next_kink(const tn_own_function *f, const void *params, double t, double end,
                               tn_kink *out)
{
    const tn_function_at at = {t, params, f->kind.user};
    const double kink = f->next_kink ? f->next_kink(&at) : INFINITY;
    const bool found = kink > t && kink < end;
    const double where = found ? kink : end;
    *out = (tn_kink){
        .t = where, .before = found ? nextafter(where, -INFINITY) : where, .after = where};
    return found;
}

tn_status tn_add_function_kind(const tn_own_function *function, int *out)
{
    TN_NEED(function, TN_ERR_USAGE);
    int number = 0;
    TN_TRY(tn_own_check(&function->kind, sizeof((tn_own_values *)0)->at, false));
    if (!function->value)
        return tn_fail(TN_ERR_USAGE, "kind '%s': a function of time needs the function value",
                       function->kind.name);
    tn_own_function *own = tn_alloc(sizeof *own);
    TN_TRY(tn_got(own));
    *own = *function;
    TN_TRY(tn_own_push(TN_FAMILY_FUNCTION, function->kind.name, own, &number));
    if (out)
        *out = number + 1;
    return TN_OK;
}
