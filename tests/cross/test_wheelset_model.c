// SPDX-License-Identifier: MIT
//
// The wheelset of models/wheelset.yaml, which is made of a body, two joints wheel-rail and creep by
// expressions, against the equations of the Test Set for IVP Solvers as functions in C
// (reference/wheelset.h): the same motion and normal forces. The model has x along the track, y to
// the left and z up, the test set z, x and y.

#include "reference/wheelset.h"
#include "test.h"

static const tn_body axle = {1};

static tn_sim_options exact(const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-10;
    options.project_tol = 1e-13;
    return options;
}

static tn_sim *open_model(const tn_model *model, const char *method)
{
    const tn_sim_options options = exact(method);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// Lateral, vertical and longitudinal place, yaw and roll.
static void look(tn_sim *sim, double q[WHEELSET_NQ])
{
    const tn_frame at = tn_sim_body_frame(sim, axle);
    const tn_vec3 b = tn_m3_column(at.R, 1);
    q[0] = at.p.y;
    q[1] = at.p.z;
    q[2] = at.p.x;
    q[3] = atan2(-b.x, b.y);
    q[4] = asin(b.z);
}

static tn_sim *open_equations(wheelset *set, const double *q)
{
    const tn_callbacks equations = wheelset_equations(set);
    const tn_sim_options options = exact("radau5/ggl");
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&equations, q, wheelset_v0, &options, &sim));
    return sim;
}

// Half a period of the hunting motion, over which the amplitude grows from 1.5 to 1.64 mm. The
// model differs from the test set by squares of roll and yaw angle, 4e-8 and 4e-6, in what is small
// itself: moments of normal forces about z, and the part of creep forces along the normal.
static void model_moves_as_the_test_set(void)
{
    const double PART = 1e-6; // of the amplitudes
    wheelset set = {{0}};
    double start[WHEELSET_NQ], q[WHEELSET_NQ], most[WHEELSET_NQ] = {0}, off[WHEELSET_NQ] = {0};
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/wheelset.yaml"), &model, NULL));
    tn_sim *sim = open_model(model, "dop853/index1+project");
    look(sim, start);
    tn_sim *equations = open_equations(&set, start);
    for (int k = 1; k <= 10; k++) {
        CHECK_OK(tn_sim_run(sim, 0.01 * k, NULL, NULL));
        CHECK_OK(tn_sim_run(equations, 0.01 * k, NULL, NULL));
        look(sim, q);
        for (int i = 0; i < WHEELSET_NQ; i++) {
            const double want = tn_sim_q(equations)[i];
            most[i] = fmax(most[i], fabs(want));
            off[i] = fmax(off[i], fabs(q[i] - want));
        }
    }
    CHECK(most[0] > 1.6e-3 && most[3] > 1.9e-3);
    CHECK_NEAR(off[0], 0.0, PART * most[0]);
    CHECK_NEAR(off[1], 0.0, PART * most[0]);
    CHECK_NEAR(off[2], 0.0, PART * most[0]);
    CHECK_NEAR(off[3], 0.0, PART * most[3]);
    CHECK_NEAR(off[4], 0.0, PART * most[4]);
    tn_sim_destroy(equations);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"the model moves as the equations of the test set", model_moves_as_the_test_set},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
