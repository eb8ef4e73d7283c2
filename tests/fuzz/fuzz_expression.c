// SPDX-License-Identifier: MIT
//
// Expressions in t and two parameters: compiled, and evaluated at some times.

#include "fuzz.h"

#include "model/timefn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tn_named_value parameters[] = {{"a", 0.5, NULL}, {"b_1", -3.0, NULL}};
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
    free(text);
    return 0;
}
