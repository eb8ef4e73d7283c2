// SPDX-License-Identifier: MIT

// Bounds by their names: 'energy<1e-2, g<1e-6'.

#include "sim/verdict.h"
#include "text/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *const tn_quantity_names[TN_QUANTITY_COUNT] = {
    "g",        "Bv",       "energy", "rows",   "start",  "turn",   "error",
    "depth",    "loads",    "gain",   "modal",  "turned", "strain", "creep",
    "rounding", "sampling", "narrow", "missed", "joints"};

enum { ITEM_SIZE = 64 };

// The text between two places, without spaces around it; false where it is too long.
static bool take_bounds(const char *from, const char *to, char out[ITEM_SIZE])
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    const size_t length = (size_t)(to - from);
    if (length >= ITEM_SIZE)
        return false;
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

static int find_bound(const char *name, int n, const char *const *names)
{
    for (int k = 0; k < n; k++)
        if (!strcmp(name, names[k]))
            return k;
    return strcmp(name, "gdot") == 0 ? find_bound("Bv", n, names) : -1;
}

tn_status tn_bounds_take(const char **text, const char *within, int n, const char *const *names,
                         int *which, double *value)
{
    const char *from = *text, *comma = strchr(from, ','), *to = comma ? comma : from + strlen(from);
    const char *sign = memchr(from, '<', (size_t)(to - from));
    char name[ITEM_SIZE], number[ITEM_SIZE];
    if (!sign || !take_bounds(from, sign, name) || !take_bounds(sign + 1, to, number))
        return tn_fail(TN_ERR_USAGE, "%s: expected NAME<VALUE, for example %s<1e-6, found '%.*s'",
                       within, names[0], (int)(to - from), from);
    *which = find_bound(name, n, names);
    if (*which < 0)
        return tn_fail_within(tn_fail_unknown("quantity", name, n, names), "%s", within);
    if (!tn_number_from_text(number, value) || !isfinite(*value))
        return tn_fail(TN_ERR_USAGE, "%s: %s: expected a number behind '<', found '%s'", within,
                       name, number);
    *text = comma ? comma + 1 : to;
    return TN_OK;
}

tn_status tn_bounds_read(const char *text, int n, const char *const *names, double *bound)
{
    while (text && *text) {
        double value;
        int k = 0;
        TN_TRY(tn_bounds_take(&text, "bounds", n, names, &k, &value));
        if (value < 0.0)
            return tn_fail(TN_ERR_USAGE,
                           "bounds: %s: expected a number that is not negative behind '<', found "
                           "'%g'",
                           names[k], value);
        bound[k] = value;
    }
    return TN_OK;
}

tn_status tn_bounds_parse(const char *text, double bound[TN_QUANTITY_COUNT])
{
    for (int k = 0; k < TN_QUANTITY_COUNT; k++)
        bound[k] = NAN;
    return tn_bounds_read(text, TN_QUANTITY_COUNT, tn_quantity_names, bound);
}
