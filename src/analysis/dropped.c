// SPDX-License-Identifier: MIT
//
// Inertias that count as none; see dropped.h.

#include "analysis/dropped.h"

#include "base/alloc.h"
#include "formulation/massless.h"

#include <stdio.h>

// The velocity whose inertia is the smallest part of what would count, -1: none; that part.
static int find_smallest(const tn_system *sys, const double *least, double *part)
{
    int found = -1;
    *part = 1.0;
    for (int i = 0; i < sys->nv; i++) {
        const double inertia = tn_sparse_at(sys->block[TN_BLOCK_M], i, i);
        if (inertia > 0.0 && inertia <= *part * least[i]) {
            *part = inertia / least[i];
            found = i;
        }
    }
    return found;
}

tn_status tn_dropped_inertia(const tn_system *sys, double massless_tol, char text[TN_DROPPED_TEXT])
{
    TN_ASSERT(massless_tol >= 0.0 && massless_tol < 1.0);
    double part = 1.0;
    char name[96];
    text[0] = '\0';
    if (!sys->block[TN_BLOCK_M] || sys->nv == 0)
        return TN_OK;
    double *least = tn_alloc(sizeof(double) * (size_t)sys->nv);
    TN_TRY(tn_got(least));
    const tn_status status = tn_massless_least(sys, massless_tol, least);
    const int found = status == TN_OK ? find_smallest(sys, least, &part) : -1;
    tn_free(least);
    if (found < 0)
        return status;
    sys->ops->velocity_name(sys, found, name, sizeof name);
    snprintf(
        text, TN_DROPPED_TEXT,
        "%s has an inertia that is not zero and counts as none: it is %.3g of the largest that "
        "joints connect with it, and inertias up to massless_tol = %g of that are left out; "
        "lower massless_tol if this one matters",
        name, part * massless_tol, massless_tol);
    return TN_OK;
}

tn_status tn_dropped_within(const tn_system *sys, double massless_tol, tn_status status)
{
    TN_ASSERT(status != TN_OK);
    char dropped[TN_DROPPED_TEXT];
    TN_TRY(tn_dropped_inertia(sys, massless_tol, dropped));
    return dropped[0] ? tn_fail(status, "%s; %s", tn_last_error(), dropped) : status;
}
