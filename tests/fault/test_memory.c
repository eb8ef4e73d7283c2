// SPDX-License-Identifier: MIT
//
// Every allocation on the way from a model file to a checked motion fails once: each time there is
// one clear error, nothing leaks, and nothing else happens. SuiteSparse takes its memory by itself
// and is not part of this.

#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

static const char *const MODELS[] = {"models/pendulum.yaml", "models/fourbar_spatial.yaml",
                                     "models/governor.yaml", "models/gear_train.yaml"};

// Loads, checks and runs three steps; stops at the first error.
static tn_status whole_way(const char *path)
{
    tn_model *model = NULL;
    tn_check *check = NULL;
    tn_sim *sim = NULL;
    tn_simulate simulate;
    tn_status status = tn_model_load(path, &model, &simulate);
    if (status == TN_OK)
        status = tn_check_model(model, &simulate.options, &check);
    if (status == TN_OK)
        status = tn_sim_create(model, &simulate.options, &sim);
    for (int k = 0; status == TN_OK && k < 3; k++)
        status = tn_sim_step(sim, simulate.options.step);
    tn_sim_destroy(sim);
    tn_check_destroy(check);
    tn_model_destroy(model);
    return status;
}

static void every_allocation_may_fail(void)
{
    for (int k = 0; k < TN_COUNT(MODELS); k++) {
        char path[512];
        snprintf(path, sizeof path, "%s", tn_test_path(MODELS[k]));
        int count = 0;
        for (;;) {
            tn_test_alloc_fail_at(count + 1);
            const tn_status status = whole_way(path);
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(tn_test_alloc_live() == 0);
            if (!failed) {
                CHECK_OK(status);
                break;
            }
            if (status != TN_ERR_MEMORY)
                printf("allocation %d: status %d, %s\n", count + 1, (int)status, tn_last_error());
            CHECK(status == TN_ERR_MEMORY);
            CHECK(strstr(tn_last_error(), "memory") != NULL);
            count++;
        }
        printf("%s: %d allocations failed in turn\n", MODELS[k], count);
        CHECK(count > 50);
    }
}

static const tn_test tests[] = {
    {"every allocation may fail", every_allocation_may_fail},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
