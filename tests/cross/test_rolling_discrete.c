// SPDX-License-Identifier: MIT
//
// What rolls under discrete principles: order two in positions, velocities and multipliers, rows of
// velocities that hold in the middle of intervals, energy that energy-momentum keeps exactly, and
// forms that have no place for such rows.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const char disc[] = "tenon: 1\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  body:\n"
                           "    mass: 2\n"
                           "    inertia: [0.02, 0.02, 0.04]\n"
                           "    initial:\n"
                           "      position: [0, 0, 0.19]\n"
                           "      orientation: {axis: [1, 0, 0], angle_deg: 75}\n"
                           "      rate: [0.3, 1, -8]\n"
                           "joints:\n"
                           "  roll: {kind: rolling-wheel, bodies: [ground, body], radius: 0.2}\n";
static const char ball[] = "tenon: 1\n"
                           "gravity: [0.5, 0, -9.81]\n"
                           "bodies:\n"
                           "  body:\n"
                           "    mass: 2\n"
                           "    inertia: [0.02, 0.03, 0.04]\n"
                           "    com: [0.01, 0.02, 0]\n"
                           "    initial: {position: [0, 0, 0.2], rate: [0.3, 4, -2]}\n"
                           "joints:\n"
                           "  roll: {kind: rolling-ball, bodies: [ground, body], radius: 0.2}\n";
static const char sleigh[] = "tenon: 1\n"
                             "bodies:\n"
                             "  body: {kind: planar, mass: 2, inertia: 0.3, com: [0.25, 0],\n"
                             "         initial: {velocity: [1, 0], rate: 1.2}}\n"
                             "joints:\n"
                             "  roll: {kind: knife-edge, bodies: [ground, body]}\n";

static const char *const models[] = {disc, ball, sleigh};

typedef struct outcome {
    tn_frame frame;
    tn_vec3 velocity;
    double eta, energy, energy_start;
} outcome;

static tn_model *read_model(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "roll.yaml", &model, NULL));
    return model;
}

static outcome run_by(const tn_model *model, const char *method, double step)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_ledger ledger;
    options.method = method;
    options.step = step;
    options.adaptive = step == 0.0;
    options.rtol = 1e-11;
    options.atol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    const tn_body body = tn_model_find_body(model, "body");
    const outcome out = {tn_sim_body_frame(sim, body), tn_sim_body_velocity(sim, body),
                         tn_sim_eta(sim)[0], ledger.energy, ledger.energy_start};
    tn_sim_destroy(sim);
    return out;
}

static double apart(const outcome *a, const outcome *b)
{
    const tn_vec3 turn = tn_v3_sub(tn_m3_column(a->frame.R, 0), tn_m3_column(b->frame.R, 0));
    return tn_v3_norm(tn_v3_sub(a->frame.p, b->frame.p)) + tn_v3_norm(turn) +
           tn_v3_norm(tn_v3_sub(a->velocity, b->velocity));
}

static void order_is_two(void)
{
    static const char *const methods[] = {"variational/multiplier@director",
                                          "energy-momentum/multiplier@director"};
    for (int k = 0; k < TN_COUNT(models); k++) {
        tn_model *model = read_model(models[k]);
        const outcome exact = run_by(model, "dop853", 0.0);
        for (int m = 0; m < TN_COUNT(methods); m++) {
            const outcome coarse = run_by(model, methods[m], 4e-3);
            const outcome fine = run_by(model, methods[m], 2e-3);
            const double motion = log2(apart(&coarse, &exact) / apart(&fine, &exact));
            const double eta = log2(fabs(coarse.eta - exact.eta) / fabs(fine.eta - exact.eta));
            printf("%-36s %.2f %.2f, off by %.1e\n", methods[m], motion, eta, apart(&fine, &exact));
            CHECK_NEAR(motion, 2.0, 0.1);
            CHECK_NEAR(eta, 2.0, 0.3);
        }
        tn_model_destroy(model);
    }
}

// Rows of velocities do no work in the middle of an interval.
static void energy_is_kept(void)
{
    for (int k = 0; k < TN_COUNT(models); k++) {
        tn_model *model = read_model(models[k]);
        const outcome x = run_by(model, "energy-momentum/multiplier@director", 4e-3);
        CHECK_NEAR(x.energy, x.energy_start, 1e-11 * (1.0 + fabs(x.energy_start)));
        tn_model_destroy(model);
    }
}

static void other_forms_refuse(void)
{
    static const char *const methods[] = {"variational/dalembert@director",
                                          "variational/reparam@director",
                                          "energy-momentum/reparam@director"};
    tn_model *model = read_model(disc);
    for (int m = 0; m < TN_COUNT(methods); m++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[m];
        options.step = 1e-3;
        CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
        CHECK(strstr(tn_last_error(), "has no place for rows of velocities") != NULL);
    }
    tn_model_destroy(model);
}

// The sleigh is planar, so that its joint coordinates are a linear space: the same motion there.
static void joint_coordinates_take_rows_of_velocities(void)
{
    static const char *const methods[] = {"variational/multiplier@joint",
                                          "variational/multiplier@director"};
    tn_model *model = NULL;
    double at[2][3];
    CHECK_OK(tn_model_load(tn_test_path("models/sleigh.yaml"), &model, NULL));
    for (int m = 0; m < 2; m++) {
        tn_sim *sim = tn_test_open(model, methods[m], 1e-3, 0.0);
        CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
        tn_v3_to(tn_sim_body_frame(sim, (tn_body){1}).p, at[m]);
        tn_sim_destroy(sim);
    }
    for (int i = 0; i < 3; i++) // two methods of order two, each off by some h^2
        CHECK_NEAR(at[0][i], at[1][i], 1e-5);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"joint coordinates take rows of velocities", joint_coordinates_take_rows_of_velocities},
    {"order is two", order_is_two},
    {"energy is kept", energy_is_kept},
    {"other forms refuse", other_forms_refuse},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
