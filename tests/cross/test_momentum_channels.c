// SPDX-License-Identifier: MIT
//
// Momenta as channels: those of a thrown body by hand and in closed form, what a top keeps, and the
// balance with reactions of beams and modal bodies; by discrete principles in terms of p and of Qp.

#include "fixed_step.h"

#include <math.h>

static tn_vec3 vector(tn_sim *sim, const char *name)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        char full[80];
        snprintf(full, sizeof full, "%s.%c", name, "xyz"[i]);
        x[i] = tn_test_value(sim, full);
    }
    return tn_v3(x[0], x[1], x[2]);
}

static void check_vector(tn_vec3 is, tn_vec3 must, double tolerance)
{
    CHECK_NEAR(is.x, must.x, tolerance);
    CHECK_NEAR(is.y, must.y, tolerance);
    CHECK_NEAR(is.z, must.z, tolerance);
}

// A body whose centre of mass is not its origin, turned by 90 degrees about z: body x is inertial
// y, body y is inertial -x. Its parts, in inertial axes:
//   centre of mass  (1, 2, 3) + (-0.2, 0.1, 0.5)
//   velocity there  (4, 5, 6) + w x (-0.2, 0.1, 0.5),   w = (-0.3, 0.7, 2)
//   inertia         diag(0.5, 0.4, 0.3) along (-x, y, z)
static const char thrown[] = "tenon: 1\n"
                             "gravity: [0, 0, -10]\n"
                             "bodies:\n"
                             "  block: {mass: 2, com: [0.1, 0.2, 0.5], inertia: [0.4, 0.5, 0.3],\n"
                             "          initial: {position: [1, 2, 3], orientation: {axis: [0, 0, "
                             "1], angle: 1.5707963267948966},\n"
                             "                    velocity: [4, 5, 6], rate: [0.7, 0.3, 2]}}\n";

static tn_sim *throw_block(const char *method, tn_model **model)
{
    CHECK_OK(tn_model_parse(thrown, "thrown.yaml", model, NULL));
    return open_fixed(*model, method, 1e-3);
}

static void momenta_of_a_thrown_body_are_those_by_hand(void)
{
    static const char *const methods[] = {"radau5/index1@absolute", "dop853/index1@joint",
                                          "variational@director", "energy-momentum@director"};
    const double m = 2.0, t = 0.5;
    const tn_vec3 arm = tn_v3(-0.2, 0.1, 0.5), w = tn_v3(-0.3, 0.7, 2.0);
    const tn_vec3 r = tn_v3_add(tn_v3(1.0, 2.0, 3.0), arm);
    const tn_vec3 v = tn_v3_add(tn_v3(4.0, 5.0, 6.0), tn_v3_cross(w, arm));
    const tn_vec3 p = tn_v3_scale(m, v);
    const tn_vec3 spin = tn_v3(0.5 * w.x, 0.4 * w.y, 0.3 * w.z);
    const tn_vec3 L = tn_v3_add(tn_v3_cross(r, p), spin);
    // The weight at the centre of mass, which goes along a parabola.
    const tn_vec3 weight = tn_v3(0.0, 0.0, -10.0 * m);
    const tn_vec3 way = tn_v3_axpy(t, r, tn_v3_scale(0.5 * t * t, v));
    const tn_vec3 p_end = tn_v3_axpy(t, weight, p), L_end = tn_v3_add(L, tn_v3_cross(way, weight));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = throw_block(methods[k], &model);
        // The first momentum of a variational principle is found with the first step: h^2.
        const double tolerance = strstr(methods[k], "director") ? 1e-5 : 1e-9;
        check_vector(vector(sim, "momentum.linear"), p, 1e-12);
        check_vector(vector(sim, "momentum.angular"), L, tolerance);
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        check_vector(vector(sim, "momentum.linear"), p_end, 1e-8);
        check_vector(vector(sim, "momentum.angular"), L_end, tolerance);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Gravity has no moment about the vertical through the tip: L_z stays, by (q_n, q_n+1), by p and by
// Qp, to round-off of the solver; energy-momentum keeps that of p, and the one by differences but
// for h^2. The velocity shown is that of Qp, and in energy-momentum that of p.
static void a_top_keeps_its_vertical_spin(void)
{
    static const char *const methods[] = {"variational/dalembert@director",
                                          "energy-momentum/multiplier@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = load_model("heavy_top");
        tn_sim *sim = open_fixed(model, methods[k], 1e-3);
        const char *shown = k == 0 ? "discrete.angular_Qp" : "discrete.angular_p";
        double start[3] = {0.0};
        for (int n = 0; n <= 200; n++) {
            if (n > 0)
                CHECK_OK(tn_sim_step(sim, 1e-3));
            const tn_vec3 L = vector(sim, "momentum.angular");
            const double of[3] = {tn_test_value(sim, "discrete.angular_p.z"),
                                  tn_test_value(sim, "discrete.angular_Qp.z"),
                                  tn_test_value(sim, "discrete.angular_d.z")};
            check_vector(vector(sim, shown), L, 1e-9 * tn_v3_norm(L));
            for (int i = 0; i < 3 - k; i++) {
                start[i] = n == 0 ? of[i] : start[i];
                CHECK_NEAR(of[i], start[i], 1e-8 * fabs(start[i])); // of 15 kg on an arm of 1 m
            }
        }
        CHECK_NEAR(start[0], -4.61538 * 15.234375, 0.1); // m l^2 + J about z, at rest of the tilt
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Linear momentum changes by the force of the shaft alone, and the angular one by all torques about
// it; by central differences over two steps of 0.01 s, while the motor accelerates.
static void flexible_arms_change_momenta_by_reactions(void)
{
    static const char *const names[] = {"beams/spin_up", "modal/spin_up"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_model *model = load_model(names[k]);
        tn_sim *sim = open_fixed(model, "galpha/ggl@absolute", 0.01);
        tn_vec3 p[3], L[3], force = {0}, torque = {0};
        CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(tn_sim_step(sim, 0.01));
            p[i] = vector(sim, "momentum.linear");
            L[i] = vector(sim, "momentum.angular");
            if (i == 1) {
                force = tn_v3_add(vector(sim, "shaft.force"), vector(sim, "motor.force"));
                torque = tn_v3_add(vector(sim, "shaft.torque"), vector(sim, "motor.torque"));
            }
        }
        const tn_vec3 rate = tn_v3_scale(1.0 / 0.02, tn_v3_sub(p[2], p[0]));
        const double turning = (L[2].z - L[0].z) / 0.02;
        printf("%s: dp/dt (%.6g, %.6g) by the force (%.6g, %.6g), dL/dt %.6g by %.6g\n", names[k],
               rate.x, rate.y, force.x, force.y, turning, torque.z);
        CHECK(tn_v3_norm(force) > 50.0 && torque.z > 100.0);
        check_vector(rate, force, 1e-3 * tn_v3_norm(force));
        CHECK_NEAR(turning, torque.z, 1e-3 * torque.z);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// As columns of a journal and of result.h5.
static void momenta_are_read_back(void)
{
    tn_model *model = NULL;
    tn_sim *sim = throw_block("variational@director", &model);
    for (int finished = 0; finished < 2; finished++) {
        static const char *const names[] = {"momentum.linear.y", "momentum.angular.z",
                                            "discrete.angular_p.x"};
        tn_record *record = NULL;
        tn_result *result = NULL;
        const tn_record_options options = {.hdf5 = finished, .csv = !finished, .overwrite = true};
        CHECK_OK(tn_record_create("momenta", sim, &options, &record));
        CHECK_OK(tn_record_row(record, sim));
        CHECK_OK(tn_record_row(record, sim));
        CHECK_OK(tn_record_close(record, "done"));
        CHECK_OK(tn_result_open("momenta", true, &result));
        for (int k = 0; k < TN_COUNT(names); k++) {
            double x[2] = {0.0};
            int channel;
            CHECK_OK(tn_result_find(result, names[k], &channel));
            CHECK_TEXT(tn_result_channel_at(result, channel)->unit, k ? "kg m^2/s" : "kg m/s");
            CHECK_TEXT(tn_result_channel_at(result, channel)->group,
                       k < 2 ? "momentum" : "discrete");
            CHECK_OK(tn_result_read(result, channel, 0, 2, x));
            CHECK(x[0] == tn_test_value(sim, names[k]) && x[1] == x[0] && x[0] != 0.0);
        }
        tn_result_close(result);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"momenta of a thrown body are those by hand", momenta_of_a_thrown_body_are_those_by_hand},
    {"a top keeps its vertical spin", a_top_keeps_its_vertical_spin},
    {"flexible arms change momenta by reactions", flexible_arms_change_momenta_by_reactions},
    {"momenta are read back", momenta_are_read_back},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
