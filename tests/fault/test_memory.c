// SPDX-License-Identifier: MIT
//
// Every allocation on the way from a model file to a checked motion fails once: each time there is
// one clear error, nothing leaks, and nothing else happens. SuiteSparse and SUNDIALS take their
// memory by themselves and are not part of this.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

static const char *const MODELS[] = {"models/pendulum.yaml", "models/fourbar_spatial.yaml",
                                     "models/governor.yaml", "models/gear_train.yaml"};

// Loads, checks and runs three steps by the method, or that of the file where it is NULL; stops at
// the first error. *loaded: allocations until the model was there.
static tn_status whole_way(const char *path, const char *method, long *loaded)
{
    const long before = tn_test_alloc_count();
    tn_model *model = NULL;
    tn_check *check = NULL;
    tn_sim *sim = NULL;
    tn_simulate simulate;
    tn_status status = tn_model_load(path, &model, &simulate);
    const double h = status == TN_OK ? simulate.options.step : 0.0;
    *loaded = tn_test_alloc_count() - before;
    if (method) {
        simulate.options.method = method;
        simulate.options.step = 0.0;
    }
    if (status == TN_OK)
        status = tn_check_create(model, &simulate.options, &check);
    if (status == TN_OK)
        status = tn_sim_create(model, &simulate.options, &sim);
    for (int k = 0; status == TN_OK && k < 3; k++)
        status = tn_sim_step(sim, h);
    tn_sim_destroy(sim);
    tn_check_destroy(check);
    tn_model_destroy(model);
    return status;
}

// Each allocation fails in turn; returns their number. Those that load the model are the same for
// all methods: once is enough.
static int fail_each(const char *model, const char *method, bool loading)
{
    char path[512];
    long loaded = 0;
    snprintf(path, sizeof path, "%s", tn_test_path(model));
    CHECK_OK(whole_way(path, method, &loaded));
    CHECK(loaded > 0);
    for (int count = loading ? 0 : (int)loaded;; count++) {
        long until;
        tn_test_alloc_fail_at(count + 1);
        const tn_status status = whole_way(path, method, &until);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(tn_test_alloc_live() == 0);
        if (!failed) {
            CHECK_OK(status);
            return count;
        }
        if (status != TN_ERR_MEMORY)
            printf("allocation %d: status %d, %s\n", count + 1, (int)status, tn_last_error());
        CHECK(status == TN_ERR_MEMORY);
        CHECK(strstr(tn_last_error(), "memory") != NULL);
    }
}

static void every_allocation_may_fail(void)
{
    for (int k = 0; k < TN_COUNT(MODELS); k++) {
        const int count = fail_each(MODELS[k], NULL, true);
        printf("%s: %d allocations failed in turn\n", MODELS[k], count);
        CHECK(count > 50);
    }
}

// Every formulation by the first integrator that can use it, and every integrator by the first
// formulation.
static void fail_each_method(const char *model, const char *coordinates)
{
    bool formulation_seen[64] = {false}, first = true;
    CHECK(tn_formulation_count <= TN_COUNT(formulation_seen));
    for (int i = 0; i < tn_integrator_count; i++) {
        bool integrator_seen = false;
        for (int k = 0; k < tn_formulation_count; k++) {
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                (formulation_seen[k] && integrator_seen) ||
                (tn_integrators[i]->needs & TN_VIEW_DISCRETE && strcmp(coordinates, "director")))
                continue;
            char method[64];
            snprintf(method, sizeof method, "%s/%s@%s", tn_integrators[i]->name,
                     tn_formulations[k]->name, coordinates);
            integrator_seen = formulation_seen[k] = true;
            const int count = fail_each(model, method, first);
            first = false;
            printf("%s: %d allocations failed in turn\n", method, count);
        }
    }
}

static void every_allocation_of_every_method_may_fail(void)
{
    fail_each_method("models/pendulum_3d.yaml", "absolute");
}

// A tree and a loop by every method, and the models above.
static void every_allocation_in_joint_coordinates_may_fail(void)
{
    fail_each_method("models/pendulum_3d.yaml", "joint");
    fail_each_method("models/fourbar.yaml", "joint");
    for (int k = 0; k < TN_COUNT(MODELS); k++)
        CHECK(fail_each(MODELS[k], "radau5/ggl@joint", false) > 50);
}

static void every_allocation_in_director_coordinates_may_fail(void)
{
    fail_each_method("models/fourbar_spatial.yaml", "director");
    for (int k = 0; k < TN_COUNT(MODELS); k++)
        CHECK(fail_each(MODELS[k], "radau5/ggl@director", false) > 50);
    CHECK(fail_each("models/cart_pole_lqr.yaml", "variational/dalembert@director", true) > 50);
}

// From the model to a path of equilibria in steps, or by its length.
static tn_status find_equilibrium(const tn_model *model, int way)
{
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *e = NULL;
    options.steps = way == 0 ? 2 : 0;
    options.arc = way == 1;
    options.arc_step = 0.5;
    options.spin = way == 2 ? 5.0 : 0.0;
    tn_status status = tn_equilibrium_create(model, &options, &e);
    if (status == TN_OK)
        status = tn_equilibrium_find(e);
    tn_equilibrium_destroy(e);
    return status;
}

static void every_allocation_of_an_equilibrium_may_fail(void)
{
    for (int way = 0; way < 3; way++) {
        tn_model *model = NULL;
        CHECK_OK(tn_model_load(tn_test_path(way == 2 ? MODELS[2] : "models/wishbone.yaml"), &model,
                               NULL));
        const long live = tn_test_alloc_live();
        for (int count = 0;; count++) {
            tn_test_alloc_fail_at(count + 1);
            const tn_status status = find_equilibrium(model, way);
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(tn_test_alloc_live() == live);
            if (!failed) {
                CHECK_OK(status);
                CHECK(count > 50);
                break;
            }
            CHECK(status == TN_ERR_MEMORY && strstr(tn_last_error(), "memory") != NULL);
        }
        tn_model_destroy(model);
    }
}

// At rest, with states, in rotation, and of a steady motion that rolls.
static const char *const linear_models[] = {"models/fourbar.yaml", "models/dc_motor.yaml",
                                            "models/governor.yaml", "models/rolling_disc.yaml"};

static tn_status make_linear(const tn_model *model, int way)
{
    tn_linear_options options = tn_default_linear();
    tn_linear *l = NULL;
    options.find.nearest = way == 0;
    options.find.spin = way == 2 ? 5.0 : 0.0;
    options.about = way == 3 ? TN_ABOUT_START : TN_ABOUT_EQUILIBRIUM;
    options.outputs = "time,energy.kinetic";
    options.coordinates = way == 1 ? "joint" : NULL;
    const tn_status status = tn_linear_create(model, &options, &l);
    tn_linear_destroy(l);
    return status;
}

static void every_allocation_of_a_linear_model_may_fail(void)
{
    for (int way = 0; way < TN_COUNT(linear_models); way++) {
        tn_model *model = NULL;
        CHECK_OK(tn_model_load(tn_test_path(linear_models[way]), &model, NULL));
        const long live = tn_test_alloc_live();
        for (int count = 0;; count++) {
            tn_test_alloc_fail_at(count + 1);
            const tn_status status = make_linear(model, way);
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(tn_test_alloc_live() == live);
            if (!failed) {
                CHECK_OK(status);
                CHECK(count > 50);
                break;
            }
            if (status != TN_OK) // a look at joint coordinates, to choose a method, may do without
                CHECK(status == TN_ERR_MEMORY && strstr(tn_last_error(), "memory") != NULL);
        }
        tn_model_destroy(model);
    }
}

// Dense, damped in rotation, sparse, with states, and over a parameter.
static tn_status find_modes(const tn_model *model, int way)
{
    tn_modes_options options = tn_default_modes();
    tn_modes *m = NULL;
    options.find.spin = way == 1 ? 5.0 : 0.0;
    options.method = way == 2 ? TN_MODES_SPARSE : TN_MODES_AUTO;
    options.count = way == 2 ? 2 : 0;
    if (way < 4) {
        const tn_status status = tn_modes_create(model, &options, &m);
        tn_modes_destroy(m);
        return status;
    }
    tn_campbell_options over = tn_default_campbell();
    tn_campbell *c = NULL;
    over.points = 2;
    over.over = "load";
    over.from = 0.5;
    const tn_status status = tn_campbell_create(model, &over, &c);
    tn_campbell_destroy(c);
    return status;
}

static void every_allocation_of_modes_may_fail(void)
{
    static const char *const models[] = {"models/wishbone.yaml", "models/governor.yaml",
                                         "models/governor.yaml", "models/cart_pole_lqr.yaml",
                                         "models/double_pendulum.yaml"};
    for (int way = 0; way < TN_COUNT(models); way++) {
        tn_model *model = NULL;
        CHECK_OK(tn_model_load(tn_test_path(models[way]), &model, NULL));
        const long live = tn_test_alloc_live();
        for (int count = 0;; count++) {
            tn_test_alloc_fail_at(count + 1);
            const tn_status status = find_modes(model, way);
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(tn_test_alloc_live() == live);
            if (!failed) {
                CHECK_OK(status);
                CHECK(count > 50);
                break;
            }
            CHECK(status == TN_ERR_MEMORY && strstr(tn_last_error(), "memory") != NULL);
        }
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"every allocation of a linear model may fail", every_allocation_of_a_linear_model_may_fail},
    {"every allocation of modes may fail", every_allocation_of_modes_may_fail},
    {"every allocation of an equilibrium may fail", every_allocation_of_an_equilibrium_may_fail},
    {"every allocation may fail", every_allocation_may_fail},
    {"every allocation of every method may fail", every_allocation_of_every_method_may_fail},
    {"every allocation in joint coordinates may fail",
     every_allocation_in_joint_coordinates_may_fail},
    {"every allocation in director coordinates may fail",
     every_allocation_in_director_coordinates_may_fail},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
