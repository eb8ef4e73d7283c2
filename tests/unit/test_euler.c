// SPDX-License-Identifier: MIT
//
// Rotations by three angles: each sequence is found again from its product, also where two of its
// angles are one; rates are those of differences; and what results tell of a body.

#include "lie/euler.h"
#include "lie/so3.h"
#include "model/body.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

static tn_mat3 about(int axis, double angle)
{
    return tn_so3_exp(
        tn_v3(axis == 0 ? angle : 0.0, axis == 1 ? angle : 0.0, axis == 2 ? angle : 0.0));
}

static tn_mat3 rotation(tn_sequence s, const double angle[3])
{
    return tn_m3_mul(about(s.axis[0], angle[0]),
                     tn_m3_mul(about(s.axis[1], angle[1]), about(s.axis[2], angle[2])));
}

static double apart(tn_mat3 A, tn_mat3 B)
{
    return tn_v3_norm(tn_so3_log(tn_m3_mul(tn_m3_transpose(A), B)));
}

static bool is_proper(tn_sequence s)
{
    return s.axis[0] == s.axis[2];
}

static void every_sequence_is_found_again(void)
{
    static const double outer[] = {-3.0, -1.2, 0.0, 0.4, 2.9};
    for (tn_angles k = TN_ANGLES_ZXZ; k < TN_ANGLES_COUNT; k++) {
        const tn_sequence s = tn_angles_sequence(k);
        CHECK(s.axis[0] != s.axis[1] && s.axis[1] != s.axis[2]);
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                for (double middle = 0.1; middle < 3.1; middle += 0.3) {
                    const double second = is_proper(s) ? middle : middle - 1.6;
                    const double angle[3] = {outer[i], second, outer[j]};
                    double found[3];
                    if (fabs(second) > 1.5 && !is_proper(s))
                        continue;
                    tn_euler_angles(s, rotation(s, angle), found);
                    for (int m = 0; m < 3; m++)
                        CHECK_NEAR(found[m], angle[m], 1e-14 / 0.05); // round-off by sin(2)
                }
    }
}

// Two angles about one line: the third is zero, and the rotation is the same.
static void aligned_axes_have_one_angle(void)
{
    const double pi = acos(-1.0);
    for (tn_angles k = TN_ANGLES_ZXZ; k < TN_ANGLES_COUNT; k++) {
        const tn_sequence s = tn_angles_sequence(k);
        const double ends[2] = {is_proper(s) ? 0.0 : -0.5 * pi, is_proper(s) ? pi : 0.5 * pi};
        for (int i = 0; i < 2; i++) {
            const double angle[3] = {0.7, ends[i], -0.2};
            double found[3];
            const tn_mat3 R = rotation(s, angle);
            tn_euler_angles(s, R, found);
            CHECK(found[2] == 0.0);
            CHECK_NEAR(found[1], ends[i], 1e-15);
            CHECK_NEAR(apart(R, rotation(s, found)), 0.0, 1e-14);
        }
    }
}

// R(t + h) = R exp(h W): central differences of the angles.
static void rates_are_those_of_differences(void)
{
    const double h = 1e-4, angle[3] = {0.5, 0.8, -1.1};
    const tn_vec3 W = tn_v3(0.3, -0.7, 1.9);
    for (tn_angles k = TN_ANGLES_ZXZ; k < TN_ANGLES_COUNT; k++) {
        const tn_sequence s = tn_angles_sequence(k);
        const tn_mat3 R = rotation(s, angle);
        double before[3], after[3], rate[3];
        tn_euler_angles(s, tn_m3_mul(R, tn_so3_exp(tn_v3_scale(-h, W))), before);
        tn_euler_angles(s, tn_m3_mul(R, tn_so3_exp(tn_v3_scale(h, W))), after);
        tn_euler_rates(s, R, W, rate);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(rate[i], (after[i] - before[i]) / (2.0 * h),
                       1e-6); // h^2 and third derivatives
    }
}

// Where the third angle is taken to be zero, and nowhere else, there are no rates: next to it they
// would be round-off. A turn about the first axis has the rate 1, 0, 0 as soon as it has any.
static void rates_are_told_where_angles_are(void)
{
    const double pi = acos(-1.0), off[] = {0.0, 1e-16, 1e-12, 9e-11, 1.1e-10, 1e-9, 1e-6};
    for (tn_angles k = TN_ANGLES_ZXZ; k < TN_ANGLES_COUNT; k++) {
        const tn_sequence s = tn_angles_sequence(k);
        const double top = is_proper(s) ? pi : 0.5 * pi;
        for (int i = 0; i < TN_COUNT(off); i++) {
            const double angle[3] = {0.7, top - off[i], -0.2};
            const tn_mat3 R = rotation(s, angle);
            const tn_vec3 W = tn_m3_apply_t(
                R, tn_v3(s.axis[0] == 0, s.axis[0] == 1, s.axis[0] == 2)); // in body axes
            double found[3], rate[3];
            tn_euler_angles(s, R, found);
            tn_euler_rates(s, R, W, rate);
            CHECK((found[2] == 0.0) == (off[i] < 1e-10));
            for (int m = 0; m < 3; m++)
                if (off[i] < 1e-10)
                    CHECK(isnan(rate[m]));
                else
                    CHECK_NEAR(rate[m], m == 0, 1e-15 / off[i]); // round-off by cos or sin(2)
        }
    }
}

// A symmetric top in free flight: nutation and the rates of precession and spin stay, by
// precession = L / A and spin = (1 - C / A) W_z cos-free, with L along z.
static const char top[] =
    "tenon: 1\n"
    "bodies:\n"
    "  top: {mass: 1, inertia: [2, 2, 1], angles: zxz, quaternion_rate: true,\n"
    "        initial: {orientation: {axis: [1, 0, 0], angle: 0.6}, rate: [0, W_Y, W_Z]}}\n"
    "  plane: {mass: 1, inertia: [1, 1, 1], angles: zyx,\n"
    "          initial: {orientation: {angles: [0.3, -0.4, 0.5]}}}\n"
    "  box: {mass: 1, inertia: [1, 1, 1], angles: yxz}\n"
    "simulate: {method: METHOD, t_end: 1, step: 1e-3}\n";

static tn_model *model_of(const char *method, tn_simulate *simulate)
{
    char text[2000], wy[32], wz[32];
    tn_model *model = NULL;
    // L = 4 along z: in body axes (0, L sin 0.6, L cos 0.6), W = L / inertia
    snprintf(wy, sizeof wy, "%.17g", 4.0 * sin(0.6) / 2.0);
    snprintf(wz, sizeof wz, "%.17g", 4.0 * cos(0.6));
    *text = '\0';
    for (const char *c = top; *c;) {
        const char *by = !strncmp(c, "W_Y", 3)      ? wy
                         : !strncmp(c, "W_Z", 3)    ? wz
                         : !strncmp(c, "METHOD", 6) ? method
                                                    : NULL;
        tn_test_append(text, sizeof text, by ? "%s" : "%.1s", by ? by : c);
        c += !by ? 1 : by == method ? 6 : 3;
    }
    CHECK_OK(tn_model_parse(text, "top.yaml", &model, simulate));
    return model;
}

static void results_tell_the_angles_of_a_top(void)
{
    static const char *const methods[] = {"dop853/index1@absolute", "radau5@joint",
                                          "energy-momentum@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_simulate simulate;
        tn_model *model = model_of(methods[k], &simulate);
        tn_sim *sim = NULL;
        const double off = k == 2 ? 1e-5 : 1e-6; // second order with steps of 1 ms
        CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
        CHECK_NEAR(tn_test_value(sim, "top.angles.nutation"), 0.6, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "top.angles.precession"), 0.0, 1e-12);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        const double spin = 4.0 * cos(0.6) * (1.0 - 1.0 / 2.0); // (1/C - 1/A) L cos
        CHECK_NEAR(tn_test_value(sim, "top.angles.precession"), 4.0 / 2.0, off);
        CHECK_NEAR(tn_test_value(sim, "top.angles.nutation"), 0.6, off);
        CHECK_NEAR(tn_test_value(sim, "top.angles.spin"), spin, off);
        CHECK_NEAR(tn_test_value(sim, "top.angles.precession.rate"), 2.0, off);
        CHECK_NEAR(tn_test_value(sim, "top.angles.nutation.rate"), 0.0, off);
        CHECK_NEAR(tn_test_value(sim, "top.angles.spin.rate"), spin, off);
        CHECK_NEAR(tn_test_value(sim, "plane.angles.roll"), 0.3, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "plane.angles.pitch"), -0.4, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "plane.angles.yaw"), 0.5, 1e-12);
        CHECK_NEAR(tn_test_value(sim, "box.angles.second"), 0.0, 1e-12);
        // q . q' = 0, and |q'| = |W| / 2
        double dot = 0.0, size = 0.0;
        for (int i = 0; i < 4; i++) {
            char name[2][40];
            snprintf(name[0], 40, "top.quaternion.%c", "wxyz"[i]);
            snprintf(name[1], 40, "top.quaternion.%c.rate", "wxyz"[i]);
            const double x = tn_test_value(sim, name[1]);
            dot += x * tn_test_value(sim, name[0]);
            size += x * x;
        }
        const double W = hypot(4.0 * cos(0.6), 2.0 * sin(0.6));
        CHECK_NEAR(dot, 0.0, 1e-12);
        CHECK_NEAR(sqrt(size), 0.5 * W, off);
        int channel;
        CHECK_STATUS(tn_sim_channel_find(sim, "box.quaternion.w.rate", &channel), TN_ERR_USAGE);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// The derivative of the quaternion is that of differences between rows, also read back from files;
// units and names are kept with the rows.
static void angles_are_columns_of_results(void)
{
    const double h = 1e-3;
    tn_simulate simulate;
    tn_model *model = model_of("dop853/index1@absolute", &simulate);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
    for (int finished = 0; finished < 2; finished++) {
        tn_record *record = NULL;
        tn_result *result = NULL;
        double q[3], rate[3], angle[3];
        int channel;
        const tn_record_options options = {.hdf5 = finished, .csv = !finished, .overwrite = true};
        CHECK_OK(tn_record_create("angles", sim, &options, &record));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(tn_record_row(record, sim));
            CHECK_OK(tn_sim_run(sim, tn_sim_time(sim) + h, NULL, NULL));
        }
        CHECK_OK(tn_record_close(record, "done"));
        CHECK_OK(tn_result_open("angles", true, &result));
        CHECK_OK(tn_result_find(result, "top.quaternion.x", &channel));
        CHECK_OK(tn_result_read(result, channel, 0, 3, q));
        CHECK_OK(tn_result_find(result, "top.quaternion.x.rate", &channel));
        CHECK_TEXT(tn_result_channel_at(result, channel)->unit, "1/s");
        CHECK_OK(tn_result_read(result, channel, 0, 3, rate));
        CHECK_NEAR(rate[1], (q[2] - q[0]) / (2.0 * h), 1e-5);
        CHECK_OK(tn_result_find(result, "top.angles.precession", &channel));
        CHECK_TEXT(tn_result_channel_at(result, channel)->unit, "rad");
        CHECK_OK(tn_result_read(result, channel, 0, 3, angle));
        CHECK_NEAR(angle[2] - angle[0], 2.0 * h * 2.0, 1e-8);
        CHECK_OK(tn_result_find(result, "plane.angles.yaw.rate", &channel));
        CHECK_TEXT(tn_result_channel_at(result, channel)->unit, "rad/s");
        CHECK_TEXT(tn_result_channel_at(result, channel)->group, "bodies");
        tn_result_close(result);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void other_sequences_are_refused(void)
{
    tn_model *model = NULL;
    CHECK_STATUS(tn_model_parse("tenon: 1\nbodies:\n"
                                "  a: {mass: 1, inertia: [1, 1, 1], angles: zzx}\n",
                                "m.yaml", &model, NULL),
                 TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "body 'a': angles") != NULL);
    CHECK_STATUS(tn_model_parse("tenon: 1\nbodies:\n"
                                "  a: {kind: planar, mass: 1, inertia: 1, angles: zxz}\n",
                                "m.yaml", &model, NULL),
                 TN_ERR_MODEL); // a planar body has an angle anyway
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"every sequence is found again", every_sequence_is_found_again},
    {"aligned axes have one angle", aligned_axes_have_one_angle},
    {"rates are those of differences", rates_are_those_of_differences},
    {"rates are told where angles are", rates_are_told_where_angles_are},
    {"results tell the angles of a top", results_tell_the_angles_of_a_top},
    {"angles are columns of results", angles_are_columns_of_results},
    {"other sequences are refused", other_sequences_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
