// SPDX-License-Identifier: MIT
//
// Robots in URDF: read with all choices in turn, and the text is a model or one with mistakes.

#include "fuzz.h"

enum { MOST_BODIES = 12 };

static void check_text(const char *text)
{
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_check *check = NULL;
    const tn_status status = tn_model_parse(text, "robot.yaml", &model, &simulate);
    fuzz_check_status(status);
    if (status == TN_OK && tn_model_body_count(model) <= MOST_BODIES)
        fuzz_check_status(tn_check_create(model, &simulate.options, &check));
    tn_check_destroy(check);
    tn_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const limits[] = {"stop", "event", "none"}, *const inertias[] = {
                                                                       "refuse", "repair", "keep"};
    tn_import_options options = tn_default_import();
    tn_import *robot = NULL;
    options.base = size % 2 ? "fixed" : "free";
    options.limits = limits[size % 3];
    options.inertia = inertias[size / 3 % 3];
    options.keep_fixed = size / 2 % 2;
    const char *path = fuzz_file(".urdf", data, size);
    const tn_status status = tn_import_create(path, &options, &robot);
    fuzz_check_status(status);
    if (status == TN_OK)
        check_text(tn_import_text(robot));
    tn_import_destroy(robot);
    return 0;
}
