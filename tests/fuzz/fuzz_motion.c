// SPDX-License-Identifier: MIT
//
// Motion files of a model with two joints.

#include "fuzz.h"

#include "study/motion_file.h"
#include "tenon/tenon.h"

static tn_model *arm(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies:\n"
                               "  upper: {mass: 1, inertia: [1, 1, 1]}\n"
                               "  lower: {mass: 1, inertia: [1, 1, 1]}\n"
                               "joints:\n"
                               "  shoulder: {kind: revolute, bodies: [ground, upper]}\n"
                               "  elbow: {kind: cylindrical, bodies: [upper, lower]}\n";
    tn_model *model = NULL;
    if (tn_model_parse(text, "arm.yaml", &model, NULL) != TN_OK)
        abort();
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tn_model *model;
    tn_motion_file motion = {0};
    if (!model)
        model = arm();
    fuzz_check_status(tn_motion_read(fuzz_file("", data, size), model, &motion));
    tn_motion_clear(&motion);
    return 0;
}
