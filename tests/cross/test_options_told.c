// SPDX-License-Identifier: MIT
//
// Options without effect are told, those that cannot work are refused, each with what to do.

#include "test.h"

#include "start/method.h"
#include "tenon/tenon.h"

#include <math.h>

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
    CHECK_OK(tn_sim_create(model, options, &sim));
    const bool told = tn_test_has_note(sim, text);
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
    CHECK(is_told(&options, "rtol has no effect: steps are fixed at 0.001 s; state adaptive"));
    options.adaptive = true;
    CHECK(!is_told(&options, "no effect"));
    options = tn_default_sim();
    options.method = "variational/dalembert";
    options.step = 1e-3;
    options.nullspace = "svd";
    CHECK(is_told(&options,
                  "nullspace has no effect with variational/dalembert@director: nullspace, "
                  "maggi, projective, phase-space read it"));
    options.method = "dopri5/maggi";
    CHECK(!is_told(&options, "no effect"));
    options = tn_default_sim();
    options.method = "dopri5/index1";
    options.quaternion_norm = "multipliers";
    CHECK(is_told(&options, "quaternion_norm has no effect"));
    options = tn_default_sim();
    options.method = "dop853";
    options.rho_inf = 0.5;
    CHECK(is_told(&options, "rho_inf has no effect with dop853/index1+project@absolute: galpha, "
                            "nsgalpha read it"));
    options.method = "radau5";
    options.rho_inf = 0.9;
    options.newton_tol = 1e-9;
    CHECK(is_told(&options, "radau5 reads it with fixed steps only"));
    options = tn_default_sim();
    options.method = "galpha/ggl";
    options.corrected_start = true;
    CHECK(is_told(&options,
                  "corrected_start has no effect with galpha/ggl@absolute: galpha, hht read "
                  "it with index3"));
    static const double times[] = {0.1};
    options.corrected_start = false;
    options.nproject = 1;
    options.project_times = times;
    CHECK(is_told(&options, "project_times is of no use with galpha/ggl@absolute: it holds"));
    options.method = "galpha/index3";
    CHECK(!is_told(&options, "project_times"));
}

// auto may take galpha, which reads rho_inf, but never hht.
static void auto_is_told_of_what_it_never_reads(void)
{
    tn_sim_options options = tn_default_sim();
    options.rho_inf = 0.5;
    CHECK(!is_told(&options, "no effect"));
    options.hht_alpha = -0.1;
    CHECK(is_told(&options, "hht_alpha has no effect"));
    options = tn_default_sim();
    options.baumgarte_alpha = 3.0;
    CHECK(is_told(&options, "baumgarte_alpha has no effect"));
}

static void every_option_says_who_reads_it(void)
{
    for (int k = 0; k < tn_simulate_param_count; k++) {
        const tn_param *p = &tn_simulate_params[k];
        bool by_integrator = false, by_formulation = false;
        for (int i = 0; i < tn_integrator_count; i++)
            by_integrator = by_integrator ||
                            tn_integrator_reads(tn_integrators[i], true, p->name) ||
                            tn_integrator_reads(tn_integrators[i], false, p->name);
        for (int i = 0; i < tn_formulation_count; i++)
            by_formulation = by_formulation || tn_formulation_reads(tn_formulations[i], p->name);
        CHECK(p->readers >= TN_READ_ALWAYS && p->readers <= TN_READ_QUATERNION);
        CHECK(by_integrator == (p->readers == TN_READ_INTEGRATOR || p->readers == TN_READ_BOTH));
        CHECK(by_formulation == (p->readers == TN_READ_FORMULATION || p->readers == TN_READ_BOTH));
    }
}

// Another value of an option than the usual one; false where there is none to try.
static bool change(const tn_param *p, tn_simulate *s)
{
    static const double at[] = {0.02};
    char *to = (char *)s + p->offset;
    const char *text = p->choices ? p->choices[1] : NULL;
    if (p->readers == TN_READ_ALWAYS)
        return false;
    switch (p->type) {
    case TN_PARAM_NUMBER:
        *(double *)to = !strcmp(p->name, "hht_alpha")  ? -0.3
                        : !strcmp(p->name, "step_max") ? 1e-4
                        : !strcmp(p->name, "step_min") ? 1e-9
                                                       : 0.3;
        return true;
    case TN_PARAM_INTEGER:
        *(int *)to = 2;
        return true;
    case TN_PARAM_BOOL:
        *(bool *)to = true;
        return true;
    case TN_PARAM_TEXT:
        memcpy(to, &text, sizeof text);
        return text != NULL;
    case TN_PARAM_NUMBERS:
        s->options.nproject = 1;
        s->options.project_times = at;
        return true;
    default:
        return false;
    }
}

// Whether an option is told to have no effect; *q is a coordinate at the end.
static bool run_with(const tn_simulate *s, const char *name, double *q)
{
    char text[64];
    tn_model *model = chain();
    tn_sim *sim = NULL;
    bool told = false;
    snprintf(text, sizeof text, "%s has no effect", name);
    *q = NAN;
    if (tn_sim_create(model, &s->options, &sim) == TN_OK) {
        told = tn_test_has_note(sim, text);
        if (tn_sim_run(sim, 0.05, NULL, NULL) == TN_OK)
            *q = tn_sim_q(sim)[0] + tn_sim_v(sim)[0];
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return told;
}

static void what_is_told_to_have_no_effect_has_none(void)
{
    static const char *const methods[] = {
        "galpha/ggl",    "galpha/index3",        "hht/ggl",           "bdf/ggl",
        "radau5/index2", "herk5/index2+project", "dopri5/baumgarte",  "dop853/index1+project",
        "adams/index1",  "dopri5/maggi",         "galpha/baumgarte2", "variational/multiplier",
    };
    int told = 0, changed = 0;
    for (int m = 0; m < TN_COUNT(methods); m++)
        for (int k = 0; k < tn_simulate_param_count; k++) {
            tn_simulate s = tn_default_simulate();
            double usual, other;
            s.options.method = methods[m];
            CHECK(!run_with(&s, tn_simulate_params[k].name, &usual));
            CHECK(isfinite(usual));
            if (!change(&tn_simulate_params[k], &s))
                continue;
            const bool none = run_with(&s, tn_simulate_params[k].name, &other);
            if (none && other != usual)
                fprintf(stderr, "%s: %s has an effect\n", methods[m], tn_simulate_params[k].name);
            CHECK(!none || other == usual);
            told += none;
            changed += !none && other != usual;
        }
    printf("%d without effect, %d with one\n", told, changed);
    CHECK(told > 100 && changed > 20);
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
    {"auto is told of what it never reads", auto_is_told_of_what_it_never_reads},
    {"every option says who reads it", every_option_says_who_reads_it},
    {"what is told to have no effect has none", what_is_told_to_have_no_effect_has_none},
    {"weights that cannot work are refused", weights_that_cannot_work_are_refused},
    {"crooked mass matrices are refused", crooked_mass_matrices_are_refused},
    {"directors are named", directors_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
