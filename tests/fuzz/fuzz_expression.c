// SPDX-License-Identifier: MIT
//
// Expressions in t and two parameters, and formulas in which all other names are variables:
// compiled, and evaluated at some times.

#include "../formula_sides.h"
#include "fuzz.h"

#include "signal/formula.h"
#include "tenon/tenon.h"

enum { VARIABLES = 8 };

// A variable by the sum of its letters.
static tn_status find_any(void *self, const char *name, int *variable)
{
    unsigned sum = 0;
    for (; *name; name++)
        sum += (unsigned char)*name;
    *variable = (int)(sum % VARIABLES);
    return TN_OK;
}

static void check_formula(const char *text, int n, const tn_named_value *parameters)
{
    static const double x[VARIABLES] = {0.0, 1.0, -2.5, 1e9, 1e-300, 0.1, -0.3, 7.0};
    double dx[VARIABLES];
    tn_formula *formula = NULL;
    const tn_lookup names = {NULL, find_any};
    const tn_status status = tn_formula_create(text, n, parameters, &names, &formula);
    fuzz_check_status(status);
    if (status != TN_OK)
        return;
    const int count = tn_formula_switch_count(formula);
    signed char *side = calloc((size_t)count + 1, 1);
    tn_test_sides(formula, 0.5, x, side);
    tn_formula_gradient(formula, 0.5, x, side, dx);
    free(side);
    tn_formula_destroy(formula);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tn_named_value parameters[] = {{"a", 0.5, NULL, NULL}, {"b_1", -3.0, NULL, NULL}};
    static const double times[] = {0.0, 1.0, -2.5, 1e9, 1e-300};
    char *text = fuzz_text(data, size);
    tn_timefn *function = NULL;
    const tn_status status = tn_timefn_expression(text, 2, parameters, &function);
    fuzz_check_status(status);
    for (int k = 0; status == TN_OK && k < TN_COUNT(times); k++) {
        double u[3];
        tn_timefn_eval(function, times[k], u);
    }
    tn_timefn_destroy(function);
    check_formula(text, 2, parameters);
    free(text);
    return 0;
}
