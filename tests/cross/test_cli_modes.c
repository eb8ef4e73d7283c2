// SPDX-License-Identifier: MIT
//
// tenon modes: what it prints and writes, and its messages.

#include "cli_driver.h"
#include "tenon/result.h"

#include <math.h>

static void modes_are_printed_and_written(void)
{
    CHECK(tenon("modes models/double_pendulum.yaml --shapes --json") == 0);
    CHECK_TEXT(cli.err, "");
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "method"), "dense");
    CHECK_NEAR(json_number(doc, "freedoms"), 2.0, 0.0);
    CHECK_NEAR(json_number(doc, "rigid"), 0.0, 0.0);
    const tn_node *modes = json_at(doc, "modes");
    CHECK(modes->count == 2);
    double share[2], sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const tn_node *body = tn_node_get(modes->children[0], "bodies")->children[k];
        CHECK_OK(tn_node_number(doc, tn_node_get(body, "share"), "share", &share[k]));
        CHECK(tn_node_get(body, "move_re")->count == 3);
        sum += share[k];
    }
    CHECK_NEAR(sum, 1.0, 1e-12);
    tn_document_destroy(doc);
    CHECK(tenon("modes models/double_pendulum.yaml -o modes.csv --force") == 0);
    CHECK(strstr(cli.out, "   1      0.63648457     0.000000             0  joint 'shoulder', "
                          "angle; lower 86 %, upper 14 %\n") != NULL);
    CHECK(strstr(cli.out, "Wrote modes.csv.") != NULL);
    FILE *file = fopen("modes.csv", "r");
    char line[400];
    int rows = 0;
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK_TEXT(line, "mode,kind,re [1/s],im [1/s],frequency [Hz],undamped [Hz],damping [1],name,"
                     "upper.share [1],lower.share [1]\n");
    while (fgets(line, sizeof line, file))
        rows++;
    fclose(file);
    CHECK(rows == 2);
    refuses(1, "modes models/double_pendulum.yaml -o modes.csv",
            "tenon: modes.csv is there already; --force replaces it\n");
}

static void a_page_shows_them(void)
{
    refuses(1, "modes models/double_pendulum.yaml --report -",
            "tenon: --report: the standard output has the table; name a file, modes.html\n");
    refuses(1, "modes models/double_pendulum.yaml --report modes.html --over load=1:2:2",
            "tenon: --report shows the modes about one state: leave out --over, or state the "
            "value\n");
    if (tn_report_check() != TN_OK)
        return;
    CHECK(tenon("modes models/double_pendulum.yaml --report modes.html --force") == 0);
    CHECK(strstr(cli.out, "report             modes.html\n") != NULL);
    CHECK(tn_test_shell("grep -q 'tenon modes models/double_pendulum.yaml' modes.html") == 0);
    refuses(1, "modes models/double_pendulum.yaml --report modes.html",
            "tenon: modes.html is there already; --force replaces it\n");
    remove("modes.html");
}

static void rigid_and_unstable_modes_are_told(void)
{
    CHECK(tenon("modes models/governor.yaml") == 0);
    CHECK(strstr(cli.out, "rigid              1 mode has s = 0") != NULL);
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {rod: {kind: planar, mass: 3, inertia: 0.25, initial: {position: [0, 0.5]}}}\n"
        "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}}\n";
    tn_test_write("rod.yaml", text, strlen(text));
    CHECK(tenon("modes rod.yaml --nearest") == 0);
    CHECK(strstr(cli.out, "unstable           1 mode grows; their real parts are positive") !=
          NULL);
    CHECK(strstr(cli.out, "3.83601  joint 'pin', angle; rod 100 %") != NULL);
}

static const char swing[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "inputs: {k: 12, push: 0}\n"
    "bodies: {rod: {kind: planar, mass: 3, inertia: 0.25, initial: {position: [0, -0.5], angle: "
    "-pi/2}}}\n"
    "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}}\n"
    "forces: {m: {kind: motor, joint: pin, effort: -k*pin.angle - 0.1*pin.angle.rate}}\n";

static void modes_go_over_a_parameter(void)
{
    tn_test_write("swing.yaml", swing, strlen(swing));
    CHECK(tenon("modes models/governor.yaml --over spin=0:12:7 -o campbell.csv --plot campbell.svg "
                "--force") == 0);
    CHECK(strstr(cli.out, "modes over spin=0:12:7, 7 points") != NULL);
    CHECK(strstr(cli.out, "Wrote campbell.csv and campbell.svg.") != NULL);
    FILE *file = fopen("campbell.csv", "r");
    char line[900];
    int rows = 0;
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK(strncmp(line, "spin [rad/s],speed [rad/s],1.frequency [Hz],1.damping [1],", 57) == 0);
    while (fgets(line, sizeof line, file))
        rows++;
    fclose(file);
    CHECK(rows == 7);
    CHECK(tenon("modes swing.yaml --over k=0:24:5 --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "over"), "k");
    const tn_node *im = tn_node_get(json_at(doc, "lines")->children[0], "im");
    CHECK(im->count == 5);
    for (int i = 0; i < 5; i++) { // J = 1, m g l / 2 and the motor, d / 2 = 0.05
        double w;
        CHECK_OK(tn_node_number(doc, im->children[i], "im", &w));
        CHECK_NEAR(w, sqrt(3.0 * 9.81 * 0.5 + 6.0 * i - 0.05 * 0.05), 1e-9);
    }
    tn_document_destroy(doc);
}

// The weave and the capsize of a bicycle change their sides at 4.2924 and 6.0243 m/s [MPRS07,
// 6(c)].
static void modes_go_over_a_parameter_of_the_file(void)
{
    CHECK(tenon("modes models/bicycle.yaml --about start --set push=0 --over speed=4:7:4 --json") ==
          0);
    tn_document *doc = json_of(cli.out);
    int grows[4] = {0};
    for (int k = 0; k < json_at(doc, "lines")->count; k++) {
        const tn_node *re = tn_node_get(json_at(doc, "lines")->children[k], "re");
        for (int i = 0; i < 4; i++) {
            double value = 0.0;
            if (re->children[i]->kind != TN_NODE_NULL) // of the zeros, which are not counted alike
                CHECK_OK(tn_node_number(doc, re->children[i], "re", &value));
            grows[i] += value > 0.0;
        }
    }
    tn_document_destroy(doc);
    CHECK(grows[0] == 1 && grows[1] == 0 && grows[2] == 0 && grows[3] == 1);
    refuses(1, "modes models/bicycle.yaml --about start --over sped=4:7:4",
            "tenon: --over: there is no input 'sped', and unknown parameter 'sped'; did you mean "
            "'speed'?\n");
}

static void a_state_of_a_run_will_do(void)
{
    static const char rotor[] =
        "tenon: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  housing: {mass: 2, inertia: [0.3, 0.3, 0.2]}\n"
        "  disc: {mass: 5, inertia: [0.5, 0.5, 0.9], initial: {rate: [0, 0, 10]}}\n"
        "joints:\n"
        "  bearing: {kind: revolute, bodies: [housing, disc], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "forces:\n"
        "  support: {kind: bushing, body: housing, at: [0, 0, 0], stiffness: [700, 700, 2800],\n"
        "            rotational_stiffness: [320, 320, 45]}\n"
        "simulate: {t_end: 0.1, output: 0.01}\n";
    tn_test_write("rotor.yaml", rotor, strlen(rotor));
    CHECK(tenon("run rotor.yaml --out rotor --force") == 0);
    CHECK(tenon("modes rotor.yaml --from rotor --at 0.05") == 0);
    CHECK(strstr(cli.out, "modes about the state at t = 0.05 s, 7 freedoms, damped") != NULL);
    CHECK(strstr(cli.out, " 4.2018437 ") != NULL); // (9 + sqrt(81 + 1024)) / 1.6 / 2 pi
    CHECK(tenon("modes rotor.yaml --about start --motion 0.5") == 0);
    CHECK(tenon("modes rotor.yaml --about start --over motion=0.5:2:4") == 0);
    refuses(1, "modes rotor.yaml --over motion=0.5:2:4",
            "tenon: over: motion changes the velocities of a start or a state; take modes about "
            "one of these\n");
    refuses(1, "modes rotor.yaml --about start --spin 3",
            "tenon: a start or a state is taken as it is: leave out --spin, --nearest and "
            "--load-to\n");
}

// m = 1, c = 2 and k of a sampled value, of an unknown and of a relay, which are not at the start
// what they are in the row: frequencies sqrt(k - 1) / 2 pi.
static void a_state_of_a_run_has_its_memories(void)
{
    static const char head[] =
        "tenon: 1\n"
        "bodies: {a: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {p: {kind: prismatic, bodies: [ground, a], axis: [1, 0]}}\n";
    static const struct {
        const char *text, *frequency; // NULL: it is refused
    } models[] = {
        {"sampled: {late: {every: 1, next: {n: n + 1}}}\n" // 4 samples: k = 5
         "forces: {s: {kind: joint-spring, joint: p, stiffness: 1 + late.n, damping: 2, free: 0}}\n"
         "simulate: {t_end: 3.5, output: 0.5}\n",
         " 0.31830989 "},
        {"sampled: {late: {every: 1, delay: 2, next: {n: n + 1}}}\n" // two of 4 act: k = 3
         "forces: {s: {kind: joint-spring, joint: p, stiffness: 1 + late.n, damping: 2, free: 0}}\n"
         "simulate: {t_end: 3.5, output: 0.5}\n",
         " 0.22507908 "},
        {"unknowns: {w: {equation: sin(w - t)}}\n" // w = t, not a root near 0: k = 11
         "forces: {s: {kind: joint-spring, joint: p, stiffness: 1 + w, damping: 2, free: 0}}\n"
         "simulate: {t_end: 10, output: 1}\n",
         " 0.50329212 "},
        {"signals: {relay: '3 + 2*hysteresis(p.displacement, -0.5, 0.5, 0)'}\n" // on: k = 9
         "forces:\n"
         "  m: {kind: motor, joint: p, effort: 'if(t < 3, 4*(1 - cos(t*2*pi/3)), 0)'}\n"
         "  s: {kind: joint-spring, joint: p, stiffness: 4*relay - 11, damping: 2, free: 0}\n"
         "simulate: {t_end: 60, output: 1}\n",
         " 0.45015816 "},
        {"blocks: {relay: {kind: hysteresis, input: p.displacement, on: 0.5, off: -0.5}}\n"
         "forces:\n"
         "  m: {kind: motor, joint: p, effort: 'if(t < 3, 2*(1 - cos(t*2*pi/3)), 0)'}\n"
         "  s: {kind: joint-spring, joint: p, stiffness: 1 + 8*relay, damping: 2, free: 0}\n"
         "simulate: {t_end: 60, output: 1}\n",
         " 0.45015816 "},
        {"forces:\n"
         "  m: {kind: motor, joint: p, effort: 'if(t < 3, 2*(1 - cos(t*2*pi/3)), 0)'}\n"
         "  s: {kind: joint-spring, joint: p, damping: 2, free: 0,\n"
         "      stiffness: '1 + 8*hysteresis(p.displacement, -0.5, 0.5, 0)'}\n"
         "simulate: {t_end: 60, output: 1}\n",
         NULL},
    };
    for (int k = 0; k < TN_COUNT(models); k++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", head, models[k].text);
        tn_test_write("memory.yaml", text, strlen(text));
        CHECK(tenon("run memory.yaml --out memory --force") == 0);
        if (models[k].frequency) {
            CHECK(tenon("modes memory.yaml --from memory") == 0);
            CHECK(strstr(cli.out, models[k].frequency) != NULL);
            continue;
        }
        refuses(1, "modes memory.yaml --from memory",
                "tenon: memory.yaml:7:18: force 's': stiffness: the results do not tell whether "
                "its hysteresis is on at t = 60 s; make it a signal that is this hysteresis alone, "
                "and run the model again\n");
    }
    static const char changed[] =
        "sampled: {late: {every: 1, next: {n: n + 1}}}\nsimulate: {t_end: 1}\n";
    char text[1000];
    snprintf(text, sizeof text, "%s%s", head, changed);
    tn_test_write("changed.yaml", text, strlen(text));
    refuses(1, "modes changed.yaml --from memory",
            "tenon: the results have no sampled value 'late.n'; run the model as it is now\n");
}

static void a_state_of_other_parameters_is_told(void)
{
    static const char spring[] = "tenon: 1\n"
                                 "parameters: {k: 100}\n"
                                 "bodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
                                 "joints: {p: {kind: revolute, body: b, at: [0, 0]}}\n"
                                 "forces: {s: {kind: joint-spring, joint: p, stiffness: k}}\n"
                                 "simulate: {t_end: 0.1}\n";
    tn_test_write("spring.yaml", spring, sizeof spring - 1);
    CHECK(tenon("run spring.yaml --set k=200 --out spring --force") == 0);
    CHECK(tenon("modes spring.yaml --from spring") == 0);
    CHECK_TEXT(cli.err, "tenon: note: k is 200 in spring and 100 in the model\n");
    CHECK(tenon("modes spring.yaml --from spring --set k=200") == 0);
    CHECK_TEXT(cli.err, "");
    refuses(2, "modes spring.yaml --from nowhere",
            "tenon: cannot read nowhere: No such file or directory\n");
}

static void what_is_wrong_is_told(void)
{
    static const char stiff[] =
        "tenon: 1\n"
        "bodies: {rod: {kind: planar, mass: 3, inertia: 0.25}}\n"
        "joints: {weld: {kind: fixed, bodies: [ground, rod], at: [0, 0]}}\n";
    static const char falls[] = "tenon: 1\n"
                                "gravity: [0, -9.81, 0]\n"
                                "bodies: {stone: {kind: planar, mass: 3, inertia: 0.25}}\n";
    tn_test_write("stiff.yaml", stiff, strlen(stiff));
    tn_test_write("falls.yaml", falls, strlen(falls));
    refuses(2, "modes stiff.yaml",
            "tenon: modes: the mechanism cannot move, it has no freedoms; free a joint, or leave "
            "out the drive that holds it\n");
    CHECK(tenon("modes falls.yaml") == 3);
    CHECK(strstr(cli.err, "no equilibrium was found: body 'stone', y, goes on to move") != NULL);
    refuses(1, "modes models/double_pendulum.yaml --count 3",
            "tenon: count: 3 modes were asked for, but the mechanism has 2 freedoms; ask for as "
            "many, or leave it out\n");
    CHECK(tenon("modes models/double_pendulum.yaml --count 0") == 1);
    CHECK(strstr(cli.err, "count") != NULL);
    refuses(1, "modes models/double_pendulum.yaml --method lanczos",
            "tenon: --method: 'lanczos' is not auto, dense or sparse\n");
    refuses(1, "modes models/double_pendulum.yaml --method sparse",
            "tenon: method: the sparse method finds at most 1 of the modes of this mechanism, and "
            "2 were asked for; ask for fewer, or use the dense method\n");
    CHECK(tenon("modes models/double_pendulum.yaml --load wind") == 1);
    CHECK(strstr(cli.err, "wind") != NULL);
    refuses(
        1, "modes swing.yaml --over wind=0:1:3",
        "tenon: --over: there is no input 'wind', and the model has no parameter 'wind': it states "
        "none\n");
    refuses(1, "modes swing.yaml --over k=0:1",
            "tenon: --over: 'k=0:1' is not NAME=FROM:TO:N with N from 2 to 100000; write it "
            "as spin=0:100:21\n");
    refuses(1, "modes swing.yaml --over k=0:1:1",
            "tenon: --over: 'k=0:1:1' is not NAME=FROM:TO:N with N from 2 to 100000; write it as "
            "spin=0:100:21\n");
    refuses(1, "modes swing.yaml --over k=1:1:4", "tenon: over: k from 1 to 1 has no length\n");
    refuses(1, "modes swing.yaml --axis 0,0,1",
            "tenon: --axis belongs to a rotation: add --spin, or --over spin=...\n");
    refuses(1, "modes swing.yaml --about end",
            "tenon: --about: 'end' is neither 'equilibrium' nor 'start'\n");
}

static const tn_test tests[] = {
    {"modes are printed and written", modes_are_printed_and_written},
    {"a page shows them in motion", a_page_shows_them},
    {"rigid and unstable modes are told", rigid_and_unstable_modes_are_told},
    {"modes go over a parameter", modes_go_over_a_parameter},
    {"modes go over a parameter of the file", modes_go_over_a_parameter_of_the_file},
    {"a state of a run will do", a_state_of_a_run_will_do},
    {"a state of a run has its memories", a_state_of_a_run_has_its_memories},
    {"a state of other parameters is told", a_state_of_other_parameters_is_told},
    {"what is wrong is told", what_is_wrong_is_told},
};

int main(int argc, char **argv)
{
    enter_scratch("modes");
    if (symlink(tn_test_path("models"), "models") != 0)
        return 1;
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
