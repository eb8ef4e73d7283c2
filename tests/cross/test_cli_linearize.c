// SPDX-License-Identifier: MIT
//
// tenon linearize: what it prints and writes, and its messages.

#include "cli_driver.h"

static const char cart[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "inputs: {push: 0}\n"
    "bodies:\n"
    "  cart: {kind: planar, mass: 1, inertia: 0.01}\n"
    "  pole: {kind: planar, mass: 0.1, inertia: 0.002, com: [0, 0.3]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
    "  the pin.1: {kind: revolute, bodies: [cart, pole], at: [0, 0]}\n"
    "forces: {drive: {kind: motor, joint: rail, effort: push}}\n";

// The entry (i, j) of a matrix of the JSON.
static double json_entry(const tn_document *doc, const char *matrix, int i, int j)
{
    const tn_node *rows = json_at(doc, matrix);
    double value = NAN;
    CHECK(rows && i < rows->count && j < rows->children[i]->count);
    CHECK_OK(tn_node_number(doc, rows->children[i]->children[j], matrix, &value));
    return value;
}

static void it_is_printed(void)
{
    CHECK(tenon("linearize cart.yaml --nearest") == 0);
    CHECK_TEXT(cli.err, "");
    CHECK(strstr(cli.out, "x' = A x + B u, y = C x + D u about an equilibrium at t = 0 s\n"));
    CHECK(strstr(cli.out, "states     1 rail.displacement [m], 2 the pin.1.angle [rad],"));
    CHECK(strstr(cli.out, "inputs     1 push\n"));
    CHECK(strstr(cli.out, "\n 1 rail.displacement                  0            0            1"));
    CHECK(strstr(cli.out, "\nC is the identity, D is zero\n"));
    CHECK(strstr(cli.out, "\neigenvalues [1/s]\n"));
    CHECK(tenon("linearize cart.yaml --nearest --outputs 'the pin.1.force.y'") == 0);
    CHECK(strstr(cli.out, "outputs    1 the pin.1.force.y [N]\n"));
    CHECK(tenon("linearize models/arm.yaml") == 0);
    CHECK(strstr(cli.out, "no states: nothing is free to move\n"));
}

// No line of a wide table is longer than the page, and what is larger is not printed.
static void wide_tables_fit(void)
{
    int column = 0;
    CHECK(tenon("linearize models/governor.yaml --spin 5") == 0);
    for (const char *c = cli.out; *c; c++) {
        column = *c == '\n' ? 0 : column + 1;
        CHECK(column <= 104);
    }
    CHECK(strstr(cli.out, "e-1") == NULL ||
          strstr(cli.out, "eigenvalues") < strstr(cli.out, "e-1"));
    CHECK(tenon("linearize models/beams/spin_up.yaml") == 0);
    CHECK(strstr(cli.out, "(-o and --json tell it)\n") && strstr(cli.out, "in all (--json"));
}

static void it_is_told_as_json(void)
{
    CHECK(tenon("linearize cart.yaml --nearest --outputs 'the pin.1.angle' --matrices joint "
                "--json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "model"), "cart.yaml");
    CHECK(json_at(doc, "states")->count == 4 && json_at(doc, "A")->count == 4);
    CHECK(json_at(doc, "inputs")->count == 1 && json_at(doc, "outputs")->count == 1);
    CHECK(json_at(doc, "eigenvalues.re")->count == 4);
    CHECK(json_at(doc, "mass")->count == 2 && json_at(doc, "coordinates")->count == 2);
    CHECK_NEAR(json_entry(doc, "A", 0, 2), 1.0, 0.0);
    CHECK_NEAR(json_entry(doc, "C", 0, 1), 1.0, 1e-12);
    CHECK_NEAR(json_entry(doc, "mass", 0, 0), 1.1, 1e-12);
    tn_document_destroy(doc);
}

// Of a row in which a relay is on that is off at the start: k = 9 in A, in C and in K.
static void relays_are_those_of_the_row(void)
{
    static const char relay[] =
        "tenon: 1\n"
        "bodies: {a: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {p: {kind: prismatic, bodies: [ground, a], axis: [1, 0]}}\n"
        "signals: {on: 'hysteresis(p.displacement, -0.5, 0.5, 0)'}\n"
        "forces:\n"
        "  m: {kind: motor, joint: p, effort: 'if(t < 3, 2*(1 - cos(t*2*pi/3)), 0)'}\n"
        "  s: {kind: joint-spring, joint: p, stiffness: 1 + 8*on, damping: 2, free: 0}\n"
        "simulate: {t_end: 60, output: 1}\n";
    tn_test_write("relay.yaml", relay, strlen(relay));
    CHECK(tenon("run relay.yaml --out relay --force") == 0);
    CHECK(tenon("linearize relay.yaml --from relay --outputs a.acceleration.x --matrices joint "
                "--json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_NEAR(json_entry(doc, "A", 1, 0), -9.0, 1e-9);
    CHECK_NEAR(json_entry(doc, "C", 0, 0), -9.0, 1e-9);
    CHECK_NEAR(json_entry(doc, "stiffness", 0, 0), 9.0, 1e-9);
    tn_document_destroy(doc);
}

static void it_is_written(void)
{
    CHECK(tenon("linearize cart.yaml --nearest -o cart.csv") == 0);
    CHECK(strstr(cli.out, "\nWrote cart.csv.\n"));
    read_text("cart.csv", cli.out);
    CHECK(strncmp(cli.out, "A,rail.displacement,the pin.1.angle,", 36) == 0);
    CHECK(strstr(cli.out, "\nB,push\nrail.displacement,0\n"));
    refuses(1, "linearize cart.yaml --nearest -o cart.csv",
            "tenon: cart.csv is there already; --force replaces it\n");
    CHECK(tenon("linearize cart.yaml --nearest -o cart.csv --force") == 0);
    CHECK(tenon("linearize cart.yaml --nearest -o -") == 0);
    CHECK(strncmp(cli.out, "A,rail.displacement,", 20) == 0);
    CHECK(tenon("linearize cart.yaml --nearest -o cart.json") == 0);
    read_text("cart.json", cli.out);
    tn_document *doc = json_of(cli.out);
    CHECK_NEAR(json_entry(doc, "B", 2, 0), 0.976, 0.01); // 1/(M + m), and a little more
    tn_document_destroy(doc);
    CHECK(tenon("linearize cart.yaml --nearest -o cart.h5 --json") == 0);
    FILE *file = fopen("cart.h5", "rb");
    char magic[4] = {0};
    CHECK(file && fread(magic, 1, 4, file) == 4 && memcmp(magic, "\x89HDF", 4) == 0);
    fclose(file);
}

// Analyses have a verdict too: a kink, a controller that is held and a difference that does not
// settle end with the code of what is doubtful, with a sentence, in the text and in the JSON.
static void doubts_have_their_code(void)
{
    static const struct {
        const char *elements, *doubt;
        bool equilibrium; // which a slope alone does not spoil
    } models[] = {
        {"forces: {t: {kind: joint-law, joint: r, law: '-15*coordinate - 35*abs(coordinate)'}}\n",
         "tenon: doubtful: force 't': its stiffness is -20 N/m on one side", true},
        {"forces: {t: {kind: joint-law, joint: r, law: bent(coordinate)}}\n"
         "tables: {bent: {x: [-1, 0, 1], values: [-20, 0, -50], interpolation: linear}}\n",
         "tenon: doubtful: force 't': its stiffness is -20 N/m on one side", true},
        {"sampled: {c: {every: 0.1, next: {f: -9*r.displacement}}}\n"
         "forces: {t: {kind: motor, joint: r, effort: c.f}, s: {kind: joint-spring, joint: r, "
         "stiffness: 10, damping: 1}}\n",
         "tenon: doubtful: sampled 'c'", false},
    };
    static const char *const commands[] = {"linearize", "modes", "equilibrium"};
    for (int k = 0; k < TN_COUNT(models) * TN_COUNT(commands); k++) {
        const char *command = commands[k % TN_COUNT(commands)];
        const int i = k / TN_COUNT(commands);
        char text[600];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}}\n%s",
                 models[i].elements);
        write_text("doubt.yaml", text);
        if (!models[i].equilibrium && !strcmp(command, "equilibrium"))
            continue;
        CHECK(tenon("%s doubt.yaml", command) == 5);
        CHECK(strncmp(cli.err, models[i].doubt, strlen(models[i].doubt)) == 0);
        CHECK(strstr(cli.out, "\ndoubtful  ") != NULL);
        CHECK(tenon("%s doubt.yaml --json", command) == 5);
        tn_document *doc = json_of(cli.out);
        CHECK_TEXT(json_text(doc, "status"), "doubtful");
        tn_document_destroy(doc);
    }
}

static void mistakes_are_told(void)
{
    refuses(1, "linearize cart.yaml --inputs pull",
            "tenon: unknown input 'pull'; known are push\n");
    refuses(1, "linearize cart.yaml --nearest --outputs rail.displacement,rail.displacement",
            "tenon: output 'rail.displacement' is listed twice\n");
    refuses(1, "linearize cart.yaml --about there",
            "tenon: --about: 'there' is neither 'equilibrium' nor 'start'\n");
    refuses(1, "linearize cart.yaml --motion 2",
            "tenon: --motion changes velocities of a start: add --about start\n");
    refuses(1, "linearize cart.yaml --about start --spin 2",
            "tenon: a start or a state is taken as it is: leave out --spin and --nearest\n");
    refuses(1, "linearize cart.yaml --nearest --matrices director",
            "tenon: unknown coordinates 'director'; known are absolute, joint\n");
    refuses(1, "linearize cart.yaml --nearest -o cart.mat",
            "tenon: cart.mat: a linear model is written as FILE.h5, FILE.json or FILE.csv\n");
    refuses(1, "linearize cart.yaml --spin 2 --axis up",
            "tenon: --axis: 'up' is not three numbers; write them as 0,0,1\n");
    CHECK(tenon("linearize cart.yaml --nearest --outputs pole.x") == 1);
    CHECK(strstr(cli.err, "no channel 'pole.x'"));
    CHECK(tenon("linearize models/fourbar.yaml --about start") == 3);
    CHECK(strstr(cli.err, "the start is neither an equilibrium nor a steady motion: "));
    // Gravity turns round as the mechanism sees it.
    CHECK(tenon("linearize models/pendulum.yaml --spin 2") == 3);
    CHECK(strstr(cli.err, "this rotation is no steady motion: "));
    CHECK(strstr(cli.err, "N are left on body 'bob'"));
}

static void parameters_have_other_values(void)
{
    // The castering of [MPRS07, table 2] at 5 m/s.
    CHECK(tenon("linearize models/bicycle.yaml --about start --set push=0,speed=5 --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *re = json_at(doc, "eigenvalues.re");
    double value = NAN;
    CHECK_OK(tn_node_number(doc, re->children[re->count - 1], "re", &value));
    CHECK_NEAR(value, -14.07838969279822, 1e-8);
    tn_document_destroy(doc);
    CHECK(tenon("linearize models/bicycle.yaml --about start --set hurry=0") == 1);
    CHECK(strstr(cli.err, "hurry"));
    refuses(1, "linearize models/bicycle.yaml --set push",
            "tenon: --set: 'push' does not state parameters; write NAME=VALUE, with commas between "
            "or with --set before each\n");
}

static void inputs_that_have_no_constant_place_are_refused(void)
{
    write_text("satellite.yaml",
               "tenon: 1\n"
               "inputs: {f: 0}\n"
               "bodies: {sat: {mass: 10, inertia: [1, 2, 3], initial: {rate: [0, 0, 5]}}}\n"
               "forces: {thrust: {kind: point-force, body: sat, force: [f, 0, 0]}}\n");
    CHECK(tenon("linearize satellite.yaml --about start") == 3);
    CHECK(strstr(cli.err, "input 'f' is periodic about this steady motion"));
    CHECK(tenon("linearize satellite.yaml --about start --inputs ''") == 0);
    CHECK(tenon("linearize satellite.yaml --about start --inputs '' --outputs sat.position.x") ==
          3);
    CHECK(strstr(cli.err, "output 'sat.position.x' is periodic about this steady motion"));
    write_text("driven.yaml",
               "tenon: 1\n"
               "inputs: {u: {kind: motion, value: 0}}\n"
               "bodies: {rod: {kind: planar, mass: 1, inertia: 0.1},\n"
               "         bob: {kind: planar, mass: 1, inertia: 0.1, com: [0.3, 0]}}\n"
               "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]},\n"
               "         turn: {kind: drive, joint: pin, motion: u + 0.1},\n"
               "         hook: {kind: revolute, bodies: [rod, bob], at: [0, 0]}}\n");
    CHECK(tenon("linearize driven.yaml") == 1);
    CHECK(strstr(cli.err, "input 'u' moves a constraint, joint 'turn', row motion"));
}

static const tn_test tests[] = {
    {"it is printed", it_is_printed},
    {"wide tables fit", wide_tables_fit},
    {"it is told as JSON", it_is_told_as_json},
    {"relays are those of the row", relays_are_those_of_the_row},
    {"it is written", it_is_written},
    {"doubts have their code", doubts_have_their_code},
    {"mistakes are told", mistakes_are_told},
    {"parameters have other values", parameters_have_other_values},
    {"inputs that have no constant place are refused",
     inputs_that_have_no_constant_place_are_refused},
};

int main(int argc, char **argv)
{
    enter_scratch("linearize");
    if (symlink(tn_test_path("models"), "models") != 0)
        return 1;
    write_text("cart.yaml", cart);
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
