// SPDX-License-Identifier: MIT
//
// The commands of tenon beside run: what they print, their JSON, their messages
// and exit codes.

#include "cli_driver.h"

static const char redundant_model[] =
    "tenon: 1\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  slot: {kind: point-in-plane, body: rod, at: [1, 0, 0], axis: [0, 0, "
    "1]}\n";

static const char moved_model[] =
    "tenon: 1\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, frame_b: {at: [-0.9, 0, 0]}, initial: "
    "{rate: 2}}\n";

static const char contradicting_model[] =
    "tenon: 1\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  a: {kind: drive, joint: pin, motion: t}\n"
    "  b: {kind: drive, joint: pin, motion: 1 + t}\n";

static const char contradiction[] =
    "contradiction.yaml:6:3: the constraints contradict each other: joint 'a', row motion and "
    "joint "
    "'b', row motion cannot "
    "hold together, they miss each other by 1 rad; remove one of them or make them "
    "agree";

static void tenon_alone_lists_the_commands(void)
{
    static const char *const names[] = {"new",     "run",         "report",    "plot",    "view",
                                        "check",   "methods",     "converge",  "compare", "help",
                                        "inverse", "equilibrium", "linearize", "modes"};
    char alone[CLI_TEXT_SIZE];

    CHECK(tenon(" ") == 0);
    CHECK_TEXT(cli.err, "");
    for (int i = 0; i < TN_COUNT(names); i++) {
        char line[32];
        snprintf(line, sizeof(line), "\n  %-9s ", names[i]);
        CHECK(strstr(cli.out, line) != NULL);
    }
    memcpy(alone, cli.out, sizeof(alone));
    CHECK(tenon("help") == 0);
    CHECK_TEXT(cli.out, alone);
    CHECK(tenon("--help") == 0);
    CHECK_TEXT(cli.out, alone);
}

static void version_is_that_of_the_library(void)
{
    char expected[64];

    snprintf(expected, sizeof(expected), "tenon %s\n", tn_version());
    CHECK(tenon("--version") == 0);
    CHECK_TEXT(cli.out, expected);
    CHECK(tenon("--version --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "version"), tn_version());
    tn_document_destroy(doc);
}

static void unknown_commands_name_the_nearest(void)
{
    refuses(1, "rum", "tenon: unknown command 'rum'; did you mean 'run'?\n");
    refuses(1, "sculpture",
            "tenon: unknown command 'sculpture'; known are new, run, report, plot, view, check, "
            "equilibrium, modes, linearize, inverse, methods, converge, compare, sweep, expand, "
            "import, reduce, paper, doctor, help\n");
}

static void help_explains_commands_from_their_options(void)
{
    char by_name[CLI_TEXT_SIZE];

    CHECK(tenon("help run") == 0);
    CHECK(strncmp(cli.out, "tenon run: simulate a model\n", 28) == 0);
    CHECK(strstr(cli.out, "\n  --out DIR ") != NULL);
    CHECK(strstr(cli.out, "\n  --require BOUNDS ") != NULL);
    CHECK(strstr(cli.out, "\n  --step-max X ") != NULL); // a key of the simulate block
    CHECK(strstr(cli.out, "\n  --adaptive ") != NULL);
    memcpy(by_name, cli.out, sizeof(by_name));
    CHECK(tenon("run --help") == 0);
    CHECK_TEXT(cli.out, by_name);
    CHECK(tenon("run model.yaml -h") == 0);
    CHECK_TEXT(cli.out, by_name);
}

static void help_explains_kinds(void)
{
    CHECK(tenon("help revolute") == 0);
    CHECK(strncmp(cli.out, "joint revolute: ", 16) == 0);
    CHECK(tenon("help simulate") == 0);
    CHECK(strstr(cli.out, "rho_inf") != NULL);
    CHECK(tenon("help --reference") == 0);
    CHECK(strstr(cli.out, "| key | value | unit |") != NULL);
    refuses(1, "help revolut",
            "tenon: unknown command or kind 'revolut'; did you mean 'revolute'?\n");
}

static void help_has_json(void)
{
    CHECK(tenon("help --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_at(doc, "commands")->count == 20);
    tn_document_destroy(doc);

    CHECK(tenon("help check --json") == 0);
    doc = json_of(cli.out);
    CHECK(json_at(doc, "commands")->count == 1);
    CHECK_TEXT(tn_node_get(json_at(doc, "commands")->children[0], "name")->text, "check");
    tn_document_destroy(doc);

    CHECK(tenon("help spring --json") == 0);
    doc = json_of(cli.out);
    CHECK(strstr(json_text(doc, "text"), "stiffness") != NULL);
    tn_document_destroy(doc);
}

static void new_writes_a_model_once(void)
{
    CHECK(tenon("new pendulum") == 0);
    CHECK_TEXT(cli.out, "Wrote pendulum.yaml: a rod that swings on a pin.\n"
                        "Next: tenon run pendulum.yaml\n");
    refuses(1, "new pendulum",
            "tenon: pendulum.yaml exists already; use --force to replace it or "
            "name another "
            "file\n");
    CHECK(tenon("new pendulum --force") == 0);
    CHECK(tenon("new top spin.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "file"), "spin.yaml");
    CHECK_TEXT(json_text(doc, "next"), "tenon run spin.yaml");
    tn_document_destroy(doc);
    CHECK(file_exists("spin.yaml"));
}

static void new_says_what_is_wrong(void)
{
    refuses(1, "new pendlum", "tenon: unknown starter model 'pendlum'; did you mean 'pendulum'?\n");
    refuses(1, "new",
            "tenon: new: the name of a starter model is missing; usage: tenon new "
            "pendulum|fourbar|slider-crank|top|arm|suspension|stewart|chain|gyroscope|crane "
            "[FILE] [--force] [--json]\n");
    refuses(1, "new top nowhere/top.yaml",
            "tenon: cannot write nowhere/top.yaml: No such file or directory\n");
    refuses(1, "new top /dev/null --force",
            "tenon: cannot write /dev/null: it is a device, and only plain files are replaced\n");
}

static void starters_are_consistent(void)
{
    static const struct {
        const char *name;
        int freedoms;
    } starters[] = {{"pendulum", 1},  {"fourbar", 0},    {"slider-crank", 1}, {"top", 3},
                    {"arm", 3},       {"suspension", 2}, {"stewart", 0},      {"chain", 8},
                    {"gyroscope", 3}, {"crane", 2}};

    for (int i = 0; i < TN_COUNT(starters); i++) {
        CHECK(tenon("new %s starter.yaml --force", starters[i].name) == 0);
        CHECK(tenon("check starter.yaml --json") == 0);
        tn_document *doc = json_of(cli.out);
        CHECK(json_number(doc, "freedoms") == starters[i].freedoms);
        CHECK(json_at(doc, "redundant")->count == 0);
        tn_document_destroy(doc);
    }
}

static void check_reports_as_text(void)
{
    CHECK(tenon("new pendulum --force") == 0);
    CHECK(tenon("check pendulum.yaml") == 0);
    CHECK_TEXT(cli.err, "");
    CHECK(strncmp(cli.out, "pendulum.yaml: consistent\n", 26) == 0);
    CHECK(strstr(cli.out, "constraint rows  5 of rank 5\n") != NULL);
    CHECK(strstr(cli.out, "freedoms         1\n") != NULL);
    CHECK(strstr(cli.out, "redundant rows   0\n") != NULL);
    CHECK(strstr(cli.out, "reactions        all determined by the equations\n") != NULL);
    CHECK(strstr(cli.out, "initialisation   moved nothing\n") != NULL);
}

// A pin in absolute coordinates has rows, its angle has none; directors have rows of their own.
static void check_tells_the_index(void)
{
    static const struct {
        const char *method, *text;
        int index, q, lambda;
    } cases[] = {
        {"galpha/ggl@absolute",
         "index            3 in absolute coordinates: holonomic rows\n"
         "unknowns         q 7, v 6, c 0, w 0, s 0, r 0, lambda 5, eta 0\n",
         3, 7, 5},
        {"dop853/index1@joint",
         "index            0 in joint coordinates: no rows and no algebraic variables\n"
         "unknowns         q 1, v 1, c 0, w 0, s 0, r 0, lambda 0, eta 0\n",
         0, 1, 0},
        {"variational",
         "index            3 in director coordinates: holonomic rows\n"
         "unknowns         q 12, v 12, c 0, w 0, s 0, r 0, lambda 11, eta 0\n",
         3, 12, 11},
    };
    CHECK(tenon("new pendulum --force") == 0);
    for (int i = 0; i < TN_COUNT(cases); i++) {
        CHECK(tenon("check pendulum.yaml --method %s", cases[i].method) == 0);
        CHECK(strstr(cli.out, cases[i].text) != NULL);
        CHECK(tenon("check pendulum.yaml --json --method %s", cases[i].method) == 0);
        tn_document *doc = json_of(cli.out);
        CHECK(json_number(doc, "equations.index") == cases[i].index);
        CHECK(json_number(doc, "equations.q") == cases[i].q);
        CHECK(json_number(doc, "equations.lambda") == cases[i].lambda);
        tn_document_destroy(doc);
    }
}

// Forces alone give the multipliers of rows on motions without inertia [Arn16, Example 5], whatever
// else has a mass; rows that lead from there to a mass are as others.
static void rows_without_inertia_have_index_two(void)
{
    static const struct {
        const char *more;
        int index;
    } cases[] = {
        {"", 2},
        {"  free: {kind: planar, mass: 2, inertia: 1}\n", 2},
        {"  pinned: {kind: planar, mass: 2, inertia: 1}\n"
         "joints: {pin: {kind: revolute, bodies: [a, pinned]}, ",
         3},
    };
    static const char *const methods[] = {"auto", "galpha/ggl@absolute"};
    for (int i = 0; i < TN_COUNT(cases) * TN_COUNT(methods); i++) {
        const int k = i / TN_COUNT(methods);
        char text[600];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "bodies:\n"
                 "  a: {kind: planar, mass: 0, inertia: 0, initial: {position: [1, 0]}}\n"
                 "%s%sd: {kind: pose-drive, body: a, x: 1 + 0.1*sin(t), y: 0.2*t^2, yaw: 0.3*t}}\n"
                 "forces: {f: {kind: point-force, body: a, force: [3*cos(t), -2, 0]}}\n",
                 cases[k].more, strstr(cases[k].more, "joints") ? "" : "joints: {");
        write_text("light.yaml", text);
        CHECK(tenon("check light.yaml --json --method %s", methods[i % TN_COUNT(methods)]) == 0);
        tn_document *doc = json_of(cli.out);
        CHECK(json_number(doc, "equations.index") == cases[k].index);
        CHECK(strstr(json_text(doc, "equations.why"), "holonomic rows") != NULL);
        tn_document_destroy(doc);
    }
}

static void check_draws_the_topology(void)
{
    CHECK(tenon("new fourbar --force") == 0);
    CHECK(tenon("check fourbar.yaml --graph fourbar.svg") == 0);
    CHECK(strstr(cli.out, "\ngraph            fourbar.svg\n") != NULL);
    CHECK(tenon("check fourbar.yaml --graph=fourbar.dot --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "graph"), "fourbar.dot");
    tn_document_destroy(doc);
    CHECK(tenon("check fourbar.yaml --graph -") == 0);
    CHECK(strncmp(cli.out, "<?xml ", 6) == 0 && strstr(cli.out, "class=\"edge loop\"") != NULL);
    CHECK(strcmp(cli.out + strlen(cli.out) - 7, "</svg>\n") == 0);
    refuses(
        1, "check fourbar.yaml --graph fourbar.yaml",
        "tenon: 'fourbar.yaml': the ending tells the kind of picture, and must be .svg or .dot; "
        "- is SVG on the standard output\n");
    CHECK(tenon("check fourbar.yaml") == 0); // which is still a model
    refuses(1, "check fourbar.yaml --graph nowhere/a.svg",
            "tenon: cannot write nowhere/a.svg: No such file or directory\n");
    CHECK(tenon("check fourbar.yaml --graph - --json") == 1);
    CHECK_TEXT(cli.err,
               "tenon: --graph - and --json both write to the standard output; name a file "
               "for the picture\n");
    write_text("contradiction.yaml", contradicting_model);
    CHECK(tenon("check contradiction.yaml --graph -") == 2);
    CHECK(strstr(cli.out, "</svg>") != NULL && strstr(cli.err, "contradict") != NULL);
}

static void check_draws_the_pattern(void)
{
    CHECK(tenon("new fourbar --force") == 0);
    CHECK(tenon("check fourbar.yaml --pattern fourbar.svg") == 0);
    CHECK(strstr(cli.out, "\npattern          fourbar.svg: 24 unknowns, ") != NULL);
    CHECK(tenon("check fourbar.yaml --pattern=fourbar.csv --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "pattern.file"), "fourbar.csv");
    CHECK(json_number(doc, "pattern.blocks") == 4.0); // three links, and the rows of the loop
    tn_document_destroy(doc);
    CHECK(tenon("check fourbar.yaml --pattern -") == 0);
    CHECK(strncmp(cli.out, "<?xml ", 6) == 0 && strstr(cli.out, "ordered by topology") != NULL);
    CHECK(tenon("check fourbar.yaml --pattern - --json") == 1);
    CHECK_TEXT(cli.err, "tenon: --pattern - and --json both write to the standard output; name a "
                        "file for the picture\n");
    refuses(
        1, "check fourbar.yaml --pattern - --graph -",
        "tenon: --graph - and --pattern - both write to the standard output; name a file for one "
        "of the two\n");
    refuses(1, "check fourbar.yaml --pattern both.svg --graph both.svg",
            "tenon: --graph and --pattern both write 'both.svg'; name two files\n");
    CHECK(!file_exists("both.svg"));
    CHECK(tenon("check contradiction.yaml --pattern -") == 2);
    CHECK(strstr(cli.out, "</svg>") != NULL && strstr(cli.err, "contradict") != NULL);
}

// Three pins carry the links, the fourth closes the loop by two rows; the drive is the third.
static void check_tells_where_loops_are_cut(void)
{
    CHECK(tenon("new fourbar --force") == 0);
    CHECK(tenon("check fourbar.yaml") == 0);
    CHECK(strstr(cli.out, "joint coords     3 with 3 rows; loops cut at '") != NULL);
    CHECK(strstr(cli.out, "director coords  18 with 18 rows of rank 18\n") != NULL);
    CHECK(tenon("check fourbar.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "joint_coordinates") == 3 && json_number(doc, "joint_rows") == 3);
    CHECK(json_at(doc, "cut")->count == 1);
    CHECK(json_number(doc, "director_coordinates") == 18 &&
          json_number(doc, "director_rows") == 18);
    tn_document_destroy(doc);
    CHECK(tenon("check pendulum.yaml") == 0);
    CHECK(strstr(cli.out, "joint coords     1\n") != NULL);
}

// The pin holds the rod in the plane z = 0 already, so the slot repeats it.
static void check_names_redundant_rows(void)
{
    write_text("redundant.yaml", redundant_model);
    CHECK(tenon("check redundant.yaml") == 0);
    CHECK(strstr(cli.out, "constraint rows  6 of rank 5\n") != NULL);
    CHECK(strstr(cli.out, "redundant rows   1\n    joint 'slot', row offset "
                          "along z repeats joint 'pin'\n"));
    CHECK(strstr(cli.out, "reactions        not determined by the equations (runs report those of "
                          "minimum norm):\n    joint 'pin', rows z, tilt about "));

    CHECK(tenon("check redundant.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "rows") == 6 && json_number(doc, "rank") == 5);
    CHECK(json_number(doc, "freedoms") == 1);
    CHECK_TEXT(json_text(doc, "consistent"), "true");
    CHECK(json_at(doc, "redundant")->count == 1);
    const tn_node *row = json_at(doc, "redundant")->children[0];
    CHECK_TEXT(tn_node_get(row, "joint")->text, "slot");
    CHECK_TEXT(tn_node_get(row, "row")->text, "offset along z");
    CHECK_TEXT(tn_node_get(row, "repeats")->children[0]->text, "pin");
    CHECK(json_at(doc, "unique.pin")->count == 5);
    CHECK_TEXT(json_at(doc, "unique.pin")->children[0]->text, "true");
    CHECK_TEXT(json_at(doc, "unique.slot")->children[0]->text, "false");
    tn_document_destroy(doc);
}

static void check_tells_what_the_initialisation_moved(void)
{
    const double TOL = 1e-9; // the assembly stops far below it, at its tolerance for residuals

    write_text("moved.yaml", moved_model);
    CHECK(tenon("check moved.yaml") == 0);
    CHECK(strstr(cli.out, "initialisation   moved these bodies:\n"
                          "    body 'rod': by 0.1 m and 0 rad, velocity by 1.8 m/s and 2 rad/s\n"));

    CHECK(tenon("check moved.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_at(doc, "moved")->count == 1);
    const tn_node *moved = json_at(doc, "moved")->children[0];
    CHECK_TEXT(tn_node_get(moved, "body")->text, "rod");
    CHECK_NEAR(atof(tn_node_get(moved, "position")->text), 0.1, TOL);
    CHECK_NEAR(atof(tn_node_get(moved, "velocity")->text), 1.8, TOL);
    CHECK_NEAR(atof(tn_node_get(moved, "angular_velocity")->text), 2.0, TOL);
    tn_document_destroy(doc);
}

// A small mass between two springs: frequency sqrt(200 / m), decay 2 / m.
static const char small_model[] =
    "tenon: 1\n"
    "bodies:\n"
    "  small: {mass: 1e-6, inertia: [1, 1, 1]%s}\n"
    "  large: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, body: small, at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  slide: {kind: prismatic, bodies: [small, large], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  a: {kind: joint-spring, joint: rail, stiffness: 100, damping: 1, free: -0.1}\n"
    "  b: {kind: joint-spring, joint: slide, stiffness: 100, damping: 1}\n";

static void check_warns_of_small_masses_and_names_massless_motions(void)
{
    char text[1024];
    snprintf(text, sizeof text, small_model, "");
    write_text("small.yaml", text);
    CHECK(tenon("check small.yaml") == 0);
    CHECK(strstr(cli.out,
                 "warning          body 'small' is light: its mass is 1e-06 of that of body "
                 "'large', and it\n"
                 "                 oscillates at about 1.41e+04 rad/s and\n"
                 "                 comes to rest at rates of up to 2e+06 1/s,\n") != NULL);
    CHECK(tenon("check small.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_at(doc, "massless")->count == 0 && json_at(doc, "small_masses")->count == 1);
    const tn_node *small = json_at(doc, "small_masses")->children[0];
    CHECK_TEXT(tn_node_get(small, "body")->text, "small");
    CHECK_TEXT(tn_node_get(small, "neighbour")->text, "large");
    CHECK_TEXT(tn_node_get(small, "of")->text, "mass");
    tn_document_destroy(doc);

    snprintf(text, sizeof text, small_model, ", massless: true");
    write_text("small.yaml", text);
    CHECK(tenon("check small.yaml") == 0);
    CHECK(strstr(cli.out, "warning") == NULL);
    CHECK(strstr(cli.out,
                 "massless motions 1, whose velocities follow from dampers (inertias up to "
                 "1e-14 of the\n                 largest count as none):\n    body 'small', x\n"));
    CHECK(strstr(cli.out, "    body 'small': by 0 m and 0 rad, velocity by 5 m/s and 0 rad/s\n"));
    CHECK(tenon("check small.yaml --json") == 0);
    doc = json_of(cli.out);
    CHECK(json_at(doc, "small_masses")->count == 0);
    CHECK_TEXT(json_at(doc, "massless")->children[0]->text, "body 'small', x");
    tn_document_destroy(doc);
}

// A parallelogram, th'' = -(6/5) g cos th from pi/2 with -1 rad/s: it lies flat at 0.70845 s.
static const char flat_model[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [0, 0.5]}}\n"
    "  b: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [1, 0.5]}}\n"
    "  c: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [0.5, 1]}}\n"
    "joints:\n"
    "  A: {kind: revolute, body: a, at: [0, 0], initial: {rate: -1}}\n"
    "  B: {kind: revolute, body: b, at: [1, 0]}\n"
    "  C: {kind: revolute, bodies: [a, c], at: [0, 1]}\n"
    "  D: {kind: revolute, bodies: [b, c], at: [1, 1]}\n"
    "simulate: {method: herk5/index2+project, t_end: 1, output: 0.1}\n";

static void check_along_finds_singular_positions(void)
{
    write_text("flat.yaml", flat_model);
    CHECK(tenon("check flat.yaml") == 0);
    CHECK(strstr(cli.out, "warning") == NULL && strstr(cli.out, "along") == NULL);
    CHECK(tenon("check flat.yaml --along --rtol 1e-8 --atol 1e-8") == 0);
    CHECK(strstr(cli.out, "along            0 to 1 s by herk5/index2+project@absolute") != NULL);
    CHECK(strstr(cli.out, "warning          1 near-singular position on the way") != NULL);
    CHECK(strstr(cli.out, "    joint '") != NULL);

    CHECK(tenon("check flat.yaml --along --json --rtol 1e-8 --atol 1e-8") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "along.status"), "done");
    CHECK(json_number(doc, "along.count") == 1);
    CHECK(json_number(doc, "margin.ratio") > 0.1 && json_at(doc, "margin.rows")->count == 0);
    CHECK(json_number(doc, "along.least.ratio") < 1e-6);
    const tn_node *met = json_at(doc, "along.near_singular")->children[0];
    const double t = atof(tn_node_get(met, "time")->text);
    printf("flat at t = %.6f s\n", t);
    CHECK_NEAR(t, 0.70845, 1e-5);
    CHECK(tn_node_get(met, "rows")->count > 0);
    tn_document_destroy(doc);

    CHECK(tenon("run flat.yaml --out flat --force --rtol 1e-8 --atol 1e-8") == 0);
    CHECK(strstr(cli.out, "singular position  near at t = 0.") != NULL);
    CHECK(strstr(cli.out, "rows that depend on others there: joint '") != NULL);
    CHECK(tenon("run flat.yaml --out flat --force --t-end 0.5 --json") == 0);
    doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "singular"), "null");
    tn_document_destroy(doc);
    // Attachments of a free modal body have no mass, so that no force answers at all: none is near.
    write_text(
        "free.yaml",
        "tenon: 1\n"
        "bodies: {b: {kind: modal, rod: {length: 1, section: {kind: rectangle, width: 0.02,\n"
        "  height: 0.02, E: 7e10, rho: 2700}, functions: [{y: s^2}],\n"
        "  attachments: {root: 0, tip: 1}}}}\n");
    CHECK(tenon("run free.yaml --no-results") == 0);
    CHECK(strstr(cli.out, "singular position") == NULL);
}

static void check_refuses_contradictions(void)
{
    char expected[512];

    write_text("contradiction.yaml", contradicting_model);
    snprintf(expected, sizeof(expected), "tenon: %s\n", contradiction);
    refuses(2, "check contradiction.yaml", expected);

    CHECK(tenon("check contradiction.yaml --json") == 2);
    CHECK_TEXT(cli.err, expected);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "error");
    CHECK_TEXT(json_text(doc, "message"), contradiction);
    CHECK_TEXT(json_text(doc, "consistent"), "false");
    tn_document_destroy(doc);
}

static void check_refuses_what_it_cannot_read(void)
{
    refuses(2, "check nowhere.yaml",
            "tenon: nowhere.yaml: cannot read the file: No such file or directory\n");
    refuses(1, "check",
            "tenon: check: MODEL is missing; usage: tenon check MODEL [--along [--method NAME] "
            "...] [--graph FILE] [--pattern FILE] [--projectors FILE [--at T]] [--json]\n");
    refuses(1, "check a.yaml --jsn", "tenon: unknown option '--jsn'; did you mean '--json'?\n");

    CHECK(tenon("check nowhere.yaml --json") == 2);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "error");
    CHECK_TEXT(json_text(doc, "message"),
               "nowhere.yaml: cannot read the file: No such file or directory");
    tn_document_destroy(doc);
}

static void a_full_disk_behind_stdout_is_noticed(void)
{
    if (!file_exists("/dev/full"))
        return;
    const int status = tn_test_shell(TN_BINARY " methods >/dev/full 2>stderr.txt");
    read_text("stderr.txt", cli.err);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK_TEXT(cli.err, "tenon: cannot write to the standard output; is the disk full?\n");
}

// Options that a method refuses, and notes of the start, are those of a run.
static void check_judges_as_run_does(void)
{
    static const char model[] = "tenon: 1\n"
                                "bodies:\n"
                                "  rod: {kind: planar, mass: 1, inertia: 1, initial: {position: "
                                "[0.5, 0]}}\n"
                                "joints:\n"
                                "  pin: {kind: revolute, body: rod}\n";
    write_text("judged.yaml", model);
    refuses(1, "check judged.yaml --method bdf --max-order 99",
            "tenon: max_order is 99; bdf has orders 1 to 5\n");
    refuses(1, "run judged.yaml --method bdf --max-order 99",
            "tenon: max_order is 99; bdf has orders 1 to 5\n");
    CHECK(tenon("check judged.yaml") == 0);
    CHECK_TEXT(cli.err, "tenon: note: assembly moved body 'rod' by 0.5 m from where the "
                        "model states it\n");
}

// What a user states and nobody reads is refused or told, whether it is the usual value or not.
static void options_without_effect_are_told(void)
{
    write_text("told.yaml",
               "tenon: 1\n"
               "bodies: {rod: {kind: planar, mass: 1, inertia: 1}}\n"
               "joints: {pin: {kind: revolute, body: rod, initial: {rate: 1}}}\n"
               "simulate: {method: galpha/ggl, step: 1e-3, rho_inf: 0.8, t_end: 0.1}\n");
    CHECK(tenon("run told.yaml -o told --force --method dop853@joint") == 0);
    CHECK_TEXT(cli.err, ""); // the file is for galpha
    CHECK(tenon("run told.yaml -o told --force --method dop853@joint --rho-inf 0.9") == 0);
    CHECK_TEXT(cli.err, "tenon: note: rho_inf has no effect with dop853/index1@joint: galpha, "
                        "nsgalpha read it\n");
    CHECK(tenon("run told.yaml -o told --force --rtol 1e-6") == 0);
    CHECK_TEXT(cli.err,
               "tenon: note: rtol has no effect: steps are fixed at 0.001 s; state adaptive: "
               "true to have errors control them\n");
    CHECK(tenon("check told.yaml --t-end 1 --method galpha") == 0);
    CHECK_TEXT(cli.err,
               "tenon: note: no effect without --along, which follows the motion: t_end\n");
    CHECK(tenon("check told.yaml --along --t-end 0.2 --output 0.1") == 0);
    CHECK_TEXT(cli.err, "tenon: note: no effect on check, which stores no rows: output\n");
    CHECK(tenon("compare told.yaml --methods dop853 --tols 1e-4 --rho-inf 1 --steps 0.01") == 0);
    CHECK_TEXT(cli.err, "tenon: note: --steps has no effect: all methods control their error\n"
                        "tenon: note: rho_inf has no effect: none of the methods reads it\n");
    refuses(1, "compare told.yaml --force",
            "tenon: --force has no effect without --out; state both or leave it out\n");
    refuses(1, "run told.yaml --checkpoint -5",
            "tenon: --checkpoint is -5; it must not be negative\n");
    refuses(1, "plot told --list -o told.svg",
            "tenon: --out has no effect with --list; leave one of them out\n");
    refuses(1, "report told/summary.json",
            "tenon: told/summary.json is the summary of a run; name the folder that it is in "
            "('tenon report told')\n");
    CHECK(tenon("report told --out - --json") == 1); // which would be a page and JSON in one
    CHECK_TEXT(cli.err, "tenon: --json and --out - both print to the standard output; leave one of "
                        "them out\n");
    refuses(1, "plot told --list energy", "tenon: --list shows all channels; leave out 'energy'\n");
    refuses(1, "view told.yaml --trust --no-browser",
            "tenon: --trust is for results; told.yaml is a model that is to be run\n");
}

// Nothing that is opened takes the place of what is closed, so that messages do not end in files.
static void closed_standard_files_do_no_harm(void)
{
    write_text("closed.yaml", "tenon: 1\n"
                              "bodies: {rod: {kind: planar, mass: 1, inertia: 1}}\n"
                              "joints: {pin: {kind: revolute, body: rod, initial: {rate: 1}}}\n"
                              "simulate: {t_end: 0.1}\n");
    static const char *const closed[] = {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"};
    for (int i = 0; i < TN_COUNT(closed); i++) {
        char line[512];
        snprintf(line, sizeof line, "%s run closed.yaml -o closed --force %s", TN_BINARY,
                 closed[i]);
        CHECK(tn_test_shell(line) == 0);
        CHECK(tenon("plot closed energy -o closed.svg") == 0);
        CHECK_TEXT(cli.err, "");
    }
}

#ifndef __SANITIZE_ADDRESS__
// Libraries that find no memory while they are loaded would try for ever.
static void short_memory_is_told_before_libraries_start(void)
{
    CHECK(tn_test_shell("ulimit -v 200000; " TN_BINARY " --version 2>limit.txt") >> 8 == 3);
    read_text("limit.txt", cli.err);
    CHECK_TEXT(cli.err, "tenon: less than 400 MB of memory are allowed (ulimit -v), and the "
                        "libraries need that to start; raise the limit\n");
}

// Looks at a run while it goes on: its first file is there, and so are all threads of libraries.
static void little_memory_is_for_one_thread(void)
{
    write_text("slow.yaml", "tenon: 1\n"
                            "bodies: {rod: {kind: planar, mass: 1, inertia: 1}}\n"
                            "joints: {pin: {kind: revolute, body: rod, at: [0, 1]}}\n"
                            "simulate: {method: galpha/ggl, step: 1e-5, t_end: 1e4, output: 1}\n");
    CHECK(tn_test_shell("rm -rf slow; ulimit -v 2000000\n"
                        "env -u OPENBLAS_NUM_THREADS " TN_BINARY
                        " run slow.yaml --out slow --quiet & p=$!\n"
                        "until [ -e slow/result.journal ]; do kill -0 $p || exit 9; sleep 0.02; "
                        "done\n"
                        "grep -q '^Threads:.1$' /proc/$p/status && "
                        "grep -qz '^OPENBLAS_NUM_THREADS=1$' /proc/$p/environ; found=$?\n"
                        "kill -9 $p; wait $p 2>/dev/null; rm -rf slow; exit $found") == 0);
    remove("slow.yaml");
}
#endif

static const tn_test tests[] = {
#ifndef __SANITIZE_ADDRESS__
    {"short memory is told before libraries start", short_memory_is_told_before_libraries_start},
    {"little memory is for one thread", little_memory_is_for_one_thread},
#endif
    {"closed standard files do no harm", closed_standard_files_do_no_harm},
    {"options without effect are told", options_without_effect_are_told},
    {"check judges as run does", check_judges_as_run_does},
    {"tenon alone lists the commands", tenon_alone_lists_the_commands},
    {"version is that of the library", version_is_that_of_the_library},
    {"unknown commands name the nearest", unknown_commands_name_the_nearest},
    {"help explains commands from their options", help_explains_commands_from_their_options},
    {"help explains kinds", help_explains_kinds},
    {"help has JSON", help_has_json},
    {"new writes a model once", new_writes_a_model_once},
    {"new says what is wrong", new_says_what_is_wrong},
    {"starters are consistent", starters_are_consistent},
    {"check reports as text", check_reports_as_text},
    {"check tells where loops are cut", check_tells_where_loops_are_cut},
    {"check names redundant rows", check_names_redundant_rows},
    {"check tells what the initialisation moved", check_tells_what_the_initialisation_moved},
    {"check warns of small masses and names massless motions",
     check_warns_of_small_masses_and_names_massless_motions},
    {"check along finds singular positions", check_along_finds_singular_positions},
    {"check tells the index", check_tells_the_index},
    {"rows without inertia have index two", rows_without_inertia_have_index_two},
    {"check draws the topology", check_draws_the_topology},
    {"check draws the pattern", check_draws_the_pattern},
    {"check refuses contradictions", check_refuses_contradictions},
    {"check refuses what it cannot read", check_refuses_what_it_cannot_read},
    {"a full disk behind stdout is noticed", a_full_disk_behind_stdout_is_noticed},
};

int main(int argc, char **argv)
{
    enter_scratch("cli-scratch");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
