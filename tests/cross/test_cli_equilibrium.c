// SPDX-License-Identifier: MIT
//
// tenon equilibrium: what it prints and writes, and its messages.

#include "cli_driver.h"

static void a_position_is_printed_and_written(void)
{
    CHECK(tenon("equilibrium models/double_pendulum.yaml --json") == 0);
    CHECK_TEXT(cli.err, "");
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "stability"), "stable");
    CHECK_TEXT(json_text(doc, "direction"), "");
    CHECK_NEAR(json_number(doc, "freedoms"), 2.0, 0.0);
    CHECK_NEAR(json_number(doc, "load"), 1.0, 0.0);
    CHECK(json_number(doc, "residual") < 1e-12);
    CHECK(json_at(doc, "joints")->count == 2 && json_at(doc, "bodies")->count == 2);
    CHECK(json_at(doc, "path")->count == 3 + 2 + 6);
    tn_document_destroy(doc);
    CHECK(tenon("equilibrium models/double_pendulum.yaml") == 0);
    CHECK(strstr(cli.out, "stability          stable\n") != NULL);
    CHECK(strstr(cli.out, "  shoulder.angle = -1.57079633 rad\n") != NULL);
}

static void a_path_goes_into_a_table(void)
{
    CHECK(tenon("equilibrium models/double_pendulum.yaml --steps 4 --load-from 0.5 -o path.csv "
                "--force") == 0);
    CHECK(strstr(cli.out, "Wrote path.csv.") != NULL);
    FILE *file = fopen("path.csv", "r");
    char line[400];
    int rows = 0;
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK(strncmp(line, "load [1],unstable [1],limit [1],shoulder.angle [rad],", 52) == 0);
    for (; fgets(line, sizeof line, file); rows++)
        CHECK_NEAR(strtod(line, NULL), 0.5 + 0.125 * rows, 1e-15);
    fclose(file);
    CHECK(rows == 5);
    CHECK(tenon("equilibrium models/governor.yaml --steps 3 --load-from 0.5 --plot path.svg --show "
                "'slider.z' --force") == 0);
    CHECK(strstr(cli.out, "Wrote path.svg.") != NULL);
    CHECK(tenon("equilibrium models/governor.yaml --steps 3 --plot path.svg --force --show tip") ==
          1);
    CHECK(strstr(cli.err, "no column 'tip'") != NULL);
    CHECK(tenon("equilibrium models/governor.yaml --plot path.png") == 1);
    CHECK(strstr(cli.err, "add --steps N or --arc") != NULL);
    CHECK(tenon("equilibrium models/double_pendulum.yaml -o path.csv") == 1);
    CHECK(strstr(cli.err, "path.csv is there already; --force replaces it") != NULL);
}

static void a_rotation_is_steady(void)
{
    CHECK(tenon("equilibrium models/governor.yaml --spin 5 --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "stability"), "neutral");
    CHECK_TEXT(json_text(doc, "direction"), "joint 'bearing', angle");
    tn_document_destroy(doc);
    CHECK(tenon("equilibrium models/governor.yaml --spin 5 --axis 1,0,0") == 3);
    CHECK(strstr(cli.err, "spin: the mechanism cannot turn about this axis") != NULL);
}

static void mistakes_are_told(void)
{
    CHECK(tenon("equilibrium models/gear_train.yaml") == 3);
    CHECK(strstr(cli.err, "no equilibrium was found: joint 'shaft1', angle, goes on") != NULL);
    CHECK(tenon("equilibrium models/crane.yaml") == 2);
    CHECK(strstr(cli.err, "sampled 'servo'") != NULL);
    CHECK(tenon("equilibrium models/governor.yaml --spin 5 --axis up") == 1);
    CHECK(strstr(cli.err, "--axis: 'up' is not three numbers") != NULL);
    CHECK(tenon("equilibrium models/governor.yaml --axis 0,0,1") == 1);
    CHECK(tenon("equilibrium models/governor.yaml --arc --steps 3") == 1);
    CHECK(tenon("equilibrium models/governor.yaml --load-from 0.5") == 1);
    CHECK(strstr(cli.err, "--load-from begins a path of loads") != NULL);
    CHECK(tenon("equilibrium models/governor.yaml --load wind") == 1);
    CHECK(strstr(cli.err, "no input 'wind'") != NULL);
    CHECK(tenon("equilibrium models/governor.yaml --trim wind") == 1);
}

static const tn_test tests[] = {
    {"a position is printed and written", a_position_is_printed_and_written},
    {"a path goes into a table", a_path_goes_into_a_table},
    {"a rotation is steady", a_rotation_is_steady},
    {"mistakes are told", mistakes_are_told},
};

int main(int argc, char **argv)
{
    enter_scratch("equilibrium");
    if (symlink(tn_test_path("models"), "models") != 0)
        return 1;
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
