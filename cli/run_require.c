// SPDX-License-Identifier: MIT
//
// Bounds that a run must keep: 'g<1e-9,gdot<1e-9,energy<1e-6'.

#include "base/alloc.h"
#include "io/document.h"
#include "run.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static double max_g(const tn_ledger *ledger)
{
    return ledger->max_g;
}

static double max_gdot(const tn_ledger *ledger)
{
    return ledger->max_gdot;
}

static double drift(const tn_ledger *ledger)
{
    return ledger->has_energy ? fabs(ledger->drift) : NAN;
}

static double rejected(const tn_ledger *ledger)
{
    return (double)ledger->rejected;
}

static double newton(const tn_ledger *ledger)
{
    return (double)ledger->newton;
}

static double steps(const tn_ledger *ledger)
{
    return (double)ledger->steps;
}

typedef struct {
    const char *name;
    double (*value)(const tn_ledger *ledger);
} quantity;

static const quantity quantities[] = {
    {"g", max_g},       {"gdot", max_gdot},
    {"Bv", max_gdot},   {"energy", tn_ledger_relative_balance},
    {"drift", drift},   {"rejected", rejected},
    {"newton", newton}, {"steps", steps},
};

const char *cli_bound_name(const cli_bound *bound)
{
    return quantities[bound->quantity].name;
}

static tn_status find_quantity(const char *name, int *out)
{
    const char *known[CLI_COUNT(quantities)];

    for (int i = 0; i < CLI_COUNT(quantities); i++) {
        known[i] = quantities[i].name;
        *out = i;
        if (strcmp(name, known[i]) == 0)
            return TN_OK;
    }
    return tn_fail_within(tn_fail_unknown("quantity", name, CLI_COUNT(quantities), known),
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

static tn_status parse_bound(char *text, cli_bound *out)
{
    char *item = trim(text);
    char *sign = strchr(item, '<');

    *out = (cli_bound){0};
    if (!sign)
        return tn_fail(TN_ERR_USAGE,
                       "--require: expected NAME<VALUE, for example g<1e-9, found '%s'", item);
    *sign = '\0';
    CLI_TRY(find_quantity(trim(item), &out->quantity));
    const char *value = trim(sign + 1);
    if (!tn_number_from_text(value, &out->limit) || !isfinite(out->limit))
        return tn_fail(TN_ERR_USAGE, "--require: %s: expected a number behind '<', found '%s'",
                       quantities[out->quantity].name, value);
    return TN_OK;
}

tn_status cli_require_parse(const char *text, cli_require *out)
{
    char *copy = text ? tn_strdup(text) : NULL;
    tn_status s = TN_OK;

    out->count = 0;
    if (!text)
        return TN_OK;
    if (!copy)
        return tn_fail(TN_ERR_MEMORY, "--require: out of memory");
    for (char *at = copy, *next = NULL; at && s == TN_OK; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (out->count == CLI_MOST_BOUNDS)
            s = tn_fail(TN_ERR_USAGE, "--require: at most %d bounds", CLI_MOST_BOUNDS);
        else
            s = parse_bound(at, &out->bound[out->count++]);
    }
    tn_free(copy);
    return s;
}

// A quantity that is not a number is not below any bound.
int cli_require_check(cli_require *require, const tn_ledger *ledger)
{
    int unmet = 0;

    for (int i = 0; i < require->count; i++) {
        cli_bound *b = &require->bound[i];
        b->found = quantities[b->quantity].value(ledger);
        b->met = b->found < b->limit;
        unmet += !b->met;
    }
    return unmet;
}

void cli_require_tell(const cli_require *require)
{
    for (int i = 0; i < require->count; i++) {
        const cli_bound *b = &require->bound[i];
        if (!b->met)
            cli_message("required %s < %g, found %.3g", cli_bound_name(b), b->limit, b->found);
    }
}
