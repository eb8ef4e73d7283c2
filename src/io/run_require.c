// SPDX-License-Identifier: MIT
//
// Bounds that a run must keep: 'g<1e-9,gdot<1e-9,energy<1e-6'.

#include "io/run_parts.h"

#include "base/alloc.h"
#include "base/number.h"

#include <ctype.h>
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

static tn_status find_quantity(const char *name, int *out)
{
    for (*out = 0; *out < TN_COUNT(quantities); ++*out)
        if (strcmp(name, quantities[*out]) == 0)
            return TN_OK;
    return tn_fail_within(tn_fail_unknown("quantity", name, TN_COUNT(quantities), quantities),
                          "--require");
}

static char *trim(char *text)
{
    char *end = text + strlen(text);
    while (isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

static tn_status parse_bound(char *text, int *number, tn_bound *out)
{
    char *item = trim(text);
    char *sign = strchr(item, '<');
    *out = (tn_bound){0};
    if (!sign)
        return tn_fail(TN_ERR_USAGE,
                       "--require: expected NAME<VALUE, for example g<1e-9, found '%s'", item);
    *sign = '\0';
    TN_TRY(find_quantity(trim(item), number));
    out->quantity = quantities[*number];
    const char *value = trim(sign + 1);
    if (!tn_number_from_text(value, &out->limit) || !isfinite(out->limit))
        return tn_fail(TN_ERR_USAGE, "--require: %s: expected a number behind '<', found '%s'",
                       out->quantity, value);
    return TN_OK;
}

tn_status tn_require_parse(tn_run *run)
{
    const char *text = run->wanted.require;
    char *copy = text ? tn_strdup(text) : NULL;
    tn_status s = TN_OK;
    int n = 0;
    if (!text)
        return TN_OK;
    TN_TRY(tn_got(copy));
    for (char *at = copy, *next = NULL; at && s == TN_OK; at = next, n++) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        s = n < TN_MOST_BOUNDS
                ? parse_bound(at, &run->quantity[n], &run->bound[n])
                : tn_fail(TN_ERR_USAGE, "--require: at most %d bounds", TN_MOST_BOUNDS);
    }
    for (int i = 0; i < n && s == TN_OK; i++)
        run->wanted.error |= strcmp(run->bound[i].quantity, "error") == 0;
    tn_free(copy);
    run->facts.bounds = run->bound;
    run->facts.nbound = s == TN_OK ? n : 0;
    return s;
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
