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

static void sections_of_beams_are_told(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies:\n"
        "  rod: {kind: beam, points: [[0, 0, 0], [1, 0, 0]], elements: 2, x_axis: [0, 1, 0],\n"
        "        section: {kind: circle, radius: 0.01, E: 2e9, rho: 1000}}\n"
        "joints: {clamp: {kind: fixed, bodies: [ground, rod.start]}}\n"
        "forces: {pull: {kind: point-force, body: rod.end, force: [0, 0, 3]}}\n";
    tn_test_write("rod.yaml", text, strlen(text));
    CHECK(tenon("equilibrium rod.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *forces = json_at(doc, "forces");
    CHECK(forces->count == 3);
    const tn_node *moment = tn_node_get(forces->children[1], "section_moment");
    const tn_node *turned = tn_node_get(forces->children[1], "curvature");
    double M, k;
    CHECK_OK(tn_node_number(doc, moment->children[0], "section_moment", &M));
    CHECK_OK(tn_node_number(doc, turned->children[0], "curvature", &k));
    CHECK_NEAR(M, -3.0 * 0.25, 5e-3); // a quarter before the tip, of an arm 0.4 % shorter
    CHECK_NEAR(k, M / (2e9 * 3.14159265358979 / 4.0 * 1e-8), 1e-9);
    CHECK(tn_node_get(forces->children[2], "section_force") == NULL); // the point force
    tn_document_destroy(doc);
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

static void rows_without_rest_are_refused(void)
{
    static const char text[] =
        "tenon: 1\nbodies: {q: {kind: point-2d, mass: 1, initial: {position: [0, 1]}}}\n"
        "joints: {belt: {kind: velocity-row, row: q.velocity.x - 0.2}}\n"
        "forces: {s: {kind: spring, bodies: [ground, q], at_a: [0, 2], stiffness: 100}}\n";
    static const char *const commands[] = {"equilibrium", "modes", "linearize"};
    tn_test_write("belt.yaml", text, strlen(text));
    for (int i = 0; i < TN_COUNT(commands); i++) {
        CHECK(tenon("%s belt.yaml", commands[i]) == 2);
        CHECK(strstr(cli.err, "belt.yaml:3:10: joint 'belt': its row is not zero without motion") !=
              NULL);
    }
}

static const tn_test tests[] = {
    {"a position is printed and written", a_position_is_printed_and_written},
    {"sections of beams are told", sections_of_beams_are_told},
    {"a path goes into a table", a_path_goes_into_a_table},
    {"a rotation is steady", a_rotation_is_steady},
    {"mistakes are told", mistakes_are_told},
    {"rows without rest are refused", rows_without_rest_are_refused},
};

int main(int argc, char **argv)
{
    enter_scratch("equilibrium");
    if (symlink(tn_test_path("models"), "models") != 0)
        return 1;
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
