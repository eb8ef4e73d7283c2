// SPDX-License-Identifier: MIT
//
// Bounds that a run must keep: 'g<1e-9,gdot<1e-9,energy<1e-6'.

#include "run/run_parts.h"

#include "sim/verdict.h"

#include <math.h>
#include <string.h>

static const char *const quantities[] = {"g",        "gdot",   "Bv",    "energy", "drift",
                                         "rejected", "newton", "steps", "error"};

static double value_of(const tn_run_facts *o, int quantity)
{
    const tn_ledger *l = &o->ledger;
    const double values[TN_COUNT(quantities)] = {l->max_g,
                                                 l->max_gdot,
                                                 l->max_gdot,
                                                 tn_ledger_relative_balance(l),
                                                 l->has_energy ? fabs(l->drift) : NAN,
                                                 (double)l->rejected,
                                                 (double)l->newton,
                                                 (double)l->steps,
                                                 tn_run_error_size(&o->error)};
    return values[quantity];
}

tn_status tn_require_parse(tn_run *run)
{
    const char *text = run->wanted.require;
    int n = 0;
    for (; text && (*text || n == 0); n++) {
        tn_bound b = {0};
        int k;
        if (n == TN_MOST_BOUNDS)
            return tn_fail(TN_ERR_USAGE, "--require: at most %d bounds", TN_MOST_BOUNDS);
        TN_TRY(tn_bounds_take(&text, "--require", TN_COUNT(quantities), quantities, &k, &b.limit));
        b.quantity = quantities[k];
        run->wanted.error |= strcmp(b.quantity, "error") == 0;
        run->quantity[n] = k;
        run->bound[n] = b;
    }
    run->facts.bounds = run->bound;
    run->facts.nbound = n;
    return TN_OK;
}

// A quantity that is not a number is not below any bound.
void tn_require_check(tn_run *run)
{
    run->facts.nunmet = 0;
    for (int i = 0; i < run->facts.nbound; i++) {
        tn_bound *b = &run->bound[i];
        b->found = value_of(&run->facts, run->quantity[i]);
        b->met = b->found < b->limit;
        run->facts.nunmet += !b->met;
    }
}
