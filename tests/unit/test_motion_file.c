// SPDX-License-Identifier: MIT
//
// Motions from tables: names, columns, what lies beyond the ends, and memory.

#include "model/model.h"
#include "study/motion_file.h"
#include "tenon/tenon.h"
#include "test.h"

static const char model_text[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  arm.left: {kind: revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  tube: {kind: cylindrical, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n";

static tn_model *load(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(model_text, "model", &model, NULL));
    return model;
}

static void write_table(const char *text)
{
    FILE *file = fopen("table.csv", "w");
    CHECK(file != NULL);
    fputs(text, file);
    CHECK(fclose(file) == 0);
}

static void names_are_joints_and_their_coordinates(void)
{
    static const struct {
        const char *name;
        int joint, coordinate; // -1: refused
    } names[] = {{"arm.left", 0, 0},
                 {"arm.left.angle", 0, 0},
                 {"arm.left.coordinates.angle", 0, 0},
                 {"tube.angle", 1, 0},
                 {"tube.displacement", 1, 1},
                 {"tube.coordinates.displacement", 1, 1},
                 {"tube", -1, 0},
                 {"tube.x", -1, 0},
                 {"arm", -1, 0},
                 {"", -1, 0},
                 {".", -1, 0}};
    tn_model *model = load();
    for (int i = 0; i < TN_COUNT(names); i++) {
        tn_joint joint;
        int coordinate;
        const tn_status s = tn_motion_coordinate(model, names[i].name, "x", &joint, &coordinate);
        CHECK(s == (names[i].joint < 0 ? TN_ERR_USAGE : TN_OK));
        CHECK(s != TN_OK || (joint.index == names[i].joint && coordinate == names[i].coordinate));
    }
    CHECK_STATUS(tn_motion_coordinate(model, "tube", "--motors", &(tn_joint){0}, &(int){0}),
                 TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "--motors: 'tube' is no coordinate of joint 'tube'; take "
                                "tube.angle, tube.displacement");
    tn_model_destroy(model);
}

// A cubic comes back with all its derivatives, at the ends too; a byte order mark does no harm.
static void cubics_come_back_up_to_the_ends(void)
{
    tn_model *model = load();
    tn_motion_file file;
    char text[4096];
    int used = snprintf(text, sizeof text,
                        "\xEF\xBB\xBF# a cubic\n\"time [s]\";\"arm.left\"; tube.angle [rad]\r\n");
    for (int k = 0; k <= 20; k++) {
        const double t = 1.0 + 0.1 * k;
        used += snprintf(text + used, sizeof text - (size_t)used, "%.17g;%.17g;%.17g\r\n", t,
                         t * t * t - t, 2.0 * t);
    }
    write_table(text);
    CHECK_OK(tn_motion_read("table.csv", model, &file));
    CHECK(file.nmotion == 2 && file.motions[1].joint.index == 1);
    CHECK_NEAR(file.from, 1.0, 0.0);
    CHECK_NEAR(file.to, 3.0, 1e-15);
    tn_timefn *f = NULL;
    CHECK_OK(tn_function_compile(model, &file.motions[0].motion, TN_USE_DRIVE, "motion", &f));
    for (int k = 0; k <= 40; k++) {
        const double t = 1.0 + 0.05 * k;
        double u[3];
        tn_timefn_eval(f, t, u);
        // Natural ends eight points outside, where the curvature is 6 * 3.8: 0.27^8 of it.
        CHECK_NEAR(u[0], t * t * t - t, 1e-5);
        CHECK_NEAR(u[2], 6.0 * t, 2e-3);
    }
    tn_timefn_destroy(f);
    tn_motion_clear(&file);
    tn_model_destroy(model);
}

static void failed_allocations_leave_nothing(void)
{
    tn_model *model = load();
    tn_motion_file file;
    write_table("time,arm.left,tube.angle\n0,0,0\n1,1,2\n2,0,1\n3,1,1\n4,0,0\n");
    const long live = tn_test_alloc_live();
    for (long n = 1;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_motion_read("table.csv", model, &file);
        if (!tn_test_alloc_failed())
            break;
        CHECK(s == TN_ERR_MEMORY && tn_test_alloc_live() == live);
    }
    tn_test_alloc_fail_at(0);
    tn_motion_clear(&file);
    CHECK(tn_test_alloc_live() == live);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"names are joints and their coordinates", names_are_joints_and_their_coordinates},
    {"cubics come back up to the ends", cubics_come_back_up_to_the_ends},
    {"failed allocations leave nothing", failed_allocations_leave_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
