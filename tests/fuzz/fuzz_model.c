// SPDX-License-Identifier: MIT
//
// Model files: read, and assembled when they can be read and are small enough.

#include "fuzz.h"

enum { MOST_BODIES = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_check *check = NULL;
    tn_status status = tn_model_parse(text, "fuzz.yaml", &model, &simulate);
    fuzz_check_status(status);
    if (status == TN_OK && tn_model_body_count(model) <= MOST_BODIES)
        fuzz_check_status(tn_check_create(model, &simulate.options, &check));
    tn_check_destroy(check);
    tn_model_destroy(model);
    free(text);
    return 0;
}
