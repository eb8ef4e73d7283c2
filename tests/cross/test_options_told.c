// SPDX-License-Identifier: MIT
//
// Options without effect are told, those that cannot work are refused, each with what to do.

#include "test.h"

#include "tenon/tenon.h"

static const char CHAIN[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
    "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, body: a, at: [0, 0]}\n"
    "  B: {kind: revolute, bodies: [a, b], at: [1, 0]}\n";

static tn_model *chain(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(CHAIN, "chain.yaml", &model, NULL));
    return model;
}

// Whether a note contains the text.
static bool is_told(const tn_sim_options *options, const char *text)
{
    tn_model *model = chain();
    tn_sim *sim = NULL;
    bool told = false;
    CHECK_OK(tn_sim_create(model, options, &sim));
    for (int k = 0; k < tn_sim_note_count(sim); k++)
        told = told || strstr(tn_sim_note(sim, k), text);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return told;
}

static void options_without_effect_are_told(void)
{
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    options.step = 1e-3;
    CHECK(!is_told(&options, "no effect"));
    options.rtol = 1e-3;
    CHECK(is_told(&options, "rtol and atol have no effect: steps are fixed at 0.001 s"));
    options.adaptive = true;
    CHECK(!is_told(&options, "no effect"));
    options = tn_default_sim();
    options.method = "variational/dalembert";
    options.step = 1e-3;
    options.nullspace = "svd";
    CHECK(is_told(&options, "nullspace: svd has no effect on variational/dalembert@director"));
    options.method = "dopri5/maggi";
    CHECK(!is_told(&options, "no effect"));
    options = tn_default_sim();
    options.method = "dopri5/index1";
    options.quaternion_norm = "multipliers";
    CHECK(is_told(&options, "quaternion_norm: multipliers has no effect"));
}

static void refuse(const tn_sim_options *options, const char *text)
{
    tn_model *model = chain();
    tn_sim *sim = NULL;
    CHECK(tn_sim_create(model, options, &sim) < 0);
    CHECK(strstr(tn_last_error(), text) != NULL);
    tn_model_destroy(model);
}

static void weights_that_cannot_work_are_refused(void)
{
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/baumgarte2";
    options.step = 1e-2;
    options.baumgarte_c = 1.5;
    refuse(&options, "baumgarte_c is 1.5; it must not exceed 1");
    options.baumgarte_c = 0.5;
    options.method = "dopri5/baumgarte@absolute";
    options.baumgarte_alpha = options.baumgarte_beta = 400.0;
    refuse(&options, "baumgarte with alpha 400 1/s and beta 400 1/s is unstable");
    options.baumgarte_alpha = options.baumgarte_beta = 300.0;
    tn_model *model = chain();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static int crooked_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = 0.5;
    M[2] = 0.0;
    return 0;
}

static int no_force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = f[1] = 0.0;
    return 0;
}

static void crooked_mass_matrices_are_refused(void)
{
    const tn_callbacks own = {.nq = 2, .mass = crooked_mass, .force = no_force};
    const double zero[2] = {0.0, 0.0};
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create_callbacks(&own, zero, zero, &options, &sim), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "'mass' is not symmetric") != NULL);
}

static void directors_are_named(void)
{
    tn_model *model = chain();
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl@director";
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_TEXT(tn_sim_rotation(sim), "directors");
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Both coordinates of a universal joint are driven: nothing is free, and multipliers of the
// projection carry what is left of each iteration.
static void bdf_follows_drives(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    tn_sim_options options = tn_default_sim();
    options.method = "bdf/ggl@absolute";
    CHECK_OK(tn_model_parse(
        "tenon: 1\n"
        "bodies: {r: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints:\n"
        "  A: {kind: universal, body: r, at: [0, 0, 0], axis: [1, 0, 0], axis_2: [0, 1, 0]}\n"
        "  d: {kind: drive, joint: A, coordinate: 0, motion: 20*sin(t)}\n"
        "  d2: {kind: drive, joint: A, coordinate: 1, motion: 12*t}\n",
        "universal.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    printf("%ld steps\n", ledger.steps);
    CHECK(ledger.steps < 2000);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"bdf follows drives", bdf_follows_drives},
    {"options without effect are told", options_without_effect_are_told},
    {"weights that cannot work are refused", weights_that_cannot_work_are_refused},
    {"crooked mass matrices are refused", crooked_mass_matrices_are_refused},
    {"directors are named", directors_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
