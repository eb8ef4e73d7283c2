// SPDX-License-Identifier: MIT

// Bounds of the verdict by their names.

#include "base/number.h"
#include "sim/verdict.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *const tn_quantity_names[TN_QUANTITY_COUNT] = {"g",     "Bv",   "energy", "rows",
                                                          "start", "turn", "error",  "joints"};

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

static tn_status find_bounds(const char *name, int *out)
{
    for (int k = 0; k < TN_QUANTITY_COUNT; k++)
        if (!strcmp(name, tn_quantity_names[k]) || (k == TN_QUANTITY_BV && !strcmp(name, "gdot"))) {
            *out = k;
            return TN_OK;
        }
    return tn_fail_within(tn_fail_unknown("quantity", name, TN_QUANTITY_COUNT, tn_quantity_names),
                          "bounds");
}

static tn_status parse_one(const char *from, const char *to, double *bound)
{
    const char *sign = memchr(from, '<', (size_t)(to - from));
    char name[ITEM_SIZE], value[ITEM_SIZE];
    int k = 0;
    if (!sign || !take_bounds(from, sign, name) || !take_bounds(sign + 1, to, value))
        return tn_fail(TN_ERR_USAGE,
                       "bounds: expected NAME<VALUE, for example energy<1e-2, "
                       "found '%.*s'",
                       (int)(to - from), from);
    TN_TRY(find_bounds(name, &k));
    if (!tn_number_from_text(value, &bound[k]) || !isfinite(bound[k]) || bound[k] < 0.0)
        return tn_fail(TN_ERR_USAGE,
                       "bounds: %s: expected a number that is not negative behind '<', found '%s'",
                       name, value);
    return TN_OK;
}

tn_status tn_bounds_parse(const char *text, double bound[TN_QUANTITY_COUNT])
{
    for (int k = 0; k < TN_QUANTITY_COUNT; k++)
        bound[k] = NAN;
    while (text && *text) {
        const char *comma = strchr(text, ','), *end = comma ? comma : text + strlen(text);
        TN_TRY(parse_one(text, end, bound));
        text = comma ? comma + 1 : end;
    }
    return TN_OK;
}
