// SPDX-License-Identifier: MIT
//
// Results that were written when joint coordinates were called pin.coordinates.angle: they read
// under the names of today, and who asks for an old name is told the new one. older/result.journal
// is a pendulum of 7 rows that was stopped.

#include "cli_driver.h"
#include "study/motion_file.h"
#include "tenon/tenon.h"

static void copy_older(void)
{
    CHECK(tn_test_shell("rm -rf older && mkdir older && cp " TN_SOURCE_DIR
                        "/tests/cross/older/result.journal older") == 0);
}

static double last_of(tn_result *result, const char *name, const char *unit)
{
    int channel = -1;
    double x = NAN;
    CHECK_OK(tn_result_find(result, name, &channel));
    CHECK_TEXT(tn_result_channel_at(result, channel)->unit, unit);
    CHECK_OK(tn_result_read(result, channel, tn_result_rows(result) - 1, 1, &x));
    return x;
}

// The rod turns about the ground: its angle and the place of its centre of mass tell the same.
static void coordinates_have_the_names_of_today(void)
{
    tn_result *result = NULL;
    copy_older();
    CHECK_OK(tn_result_open("older", false, &result));
    const double angle = last_of(result, "pin.angle", "rad");
    const double rate = last_of(result, "pin.angle.rate", "rad/s");
    CHECK_NEAR(last_of(result, "rod.position.x", "m"), 0.5 * cos(angle), 1e-9);
    CHECK_NEAR(last_of(result, "rod.position.y", "m"), 0.5 * sin(angle), 1e-9);
    CHECK_NEAR(last_of(result, "rod.velocity.y", "m/s"), 0.5 * cos(angle) * rate, 1e-9);
    int channel;
    CHECK_STATUS(tn_result_find(result, "pin.rates.angle", &channel), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "older/result.journal has no channel 'pin.rates.angle'; did you "
                                "mean 'pin.angle.rate'?");
    tn_result_close(result);
}

static void commands_know_both_names(void)
{
    static char page[1 << 22];
    copy_older();
    remove("angle.svg");
    CHECK(tenon("plot older pin.angle pin.angle.rate -o angle.svg") == 0);
    CHECK(strncmp(cli.out, "Wrote angle.svg: 2 channels, 7 rows", 35) == 0);
    CHECK(tenon("plot older pin.coordinates.angle -o angle.svg") == 1);
    CHECK(strstr(cli.err, "no channel 'pin.coordinates.angle'; did you mean 'pin.angle'?") != NULL);
    if (tn_report_check() != TN_OK) // a Tenon without the page
        return;
    CHECK(tenon("report older") == 0);
    FILE *file = fopen("older/report.html", "r");
    CHECK(file != NULL);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    CHECK(strstr(page, "\"name\":\"pin.angle.rate\"") || strstr(page, "\"pin.angle.rate\""));
    CHECK(strstr(page, "pin.rates.angle") == NULL);
}

// A motion to follow may come from an older folder, or from a table with names of before.
static void motions_are_followed(void)
{
    static const char model[] = "tenon: 1\n"
                                "bodies:\n"
                                "  rod: {kind: planar, mass: 1, inertia: 0.1}\n"
                                "joints:\n"
                                "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n";
    static const char *const names[] = {"pin", "pin.angle", "pin.coordinates.angle"};
    tn_model *m = NULL;
    tn_motion_file motion = {0};
    copy_older();
    write_text("rod.yaml", model);
    CHECK_OK(tn_model_load("rod.yaml", &m, NULL));
    CHECK_OK(tn_motion_from_result("older", false, false, m, &motion));
    CHECK(motion.nmotion == 1);
    tn_motion_clear(&motion);
    for (int i = 0; i < TN_COUNT(names); i++) {
        tn_joint joint = {-1};
        int coordinate = -1;
        CHECK_OK(tn_motion_coordinate(m, names[i], "--motors", &joint, &coordinate));
        CHECK(joint.index == 0 && coordinate == 0);
    }
    tn_model_destroy(m);
}

static const tn_test tests[] = {
    {"coordinates have the names of today", coordinates_have_the_names_of_today},
    {"commands know both names", commands_know_both_names},
    {"motions are followed", motions_are_followed},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
