// SPDX-License-Identifier: MIT
//
// tenon compare: its table, its files, runs that fail, the methods it takes by itself, redundant
// constraints and driven models.

#include "cli_driver.h"

#include "page/page.h"

static const char *const model_of[] = {"models/pendulum.yaml", "models/slider_crank.yaml"};

static const tn_node *method_at(const tn_document *doc, int i)
{
    return json_at(doc, "methods")->children[i];
}

static double number_in(const tn_document *doc, const tn_node *node, const char *key)
{
    double value = NAN;
    const tn_node *at = tn_node_get(node, key);
    CHECK(at != NULL);
    if (at->kind == TN_NODE_NULL || (at->text && strcmp(at->text, "null") == 0))
        return NAN;
    CHECK_OK(tn_node_number(doc, at, key, &value));
    return value;
}

static void every_run_tells_its_work_and_its_errors(void)
{
    static const char *const counts[] = {"steps", "evaluations", "cpu_time"};

    CHECK(tenon("compare %s --t-end 1 --methods galpha/ggl,hht/index3 --tols 1e-4,1e-6 --json",
                tn_test_path(model_of[0])) == 0);
    CHECK_TEXT(cli.err, "");
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "kind"), "compare");
    CHECK_TEXT(json_text(doc, "ranked_by"), "q");
    CHECK(json_at(doc, "methods")->count == 2);
    for (int i = 0; i < 2; i++) {
        const tn_node *runs = tn_node_get(method_at(doc, i), "runs");
        CHECK(runs->count == 2);
        for (int k = 0; k < 2; k++) {
            const tn_node *run = runs->children[k];
            CHECK_TEXT(tn_node_get(run, "status")->text, "done");
            for (int c = 0; c < TN_COUNT(counts); c++)
                CHECK(number_in(doc, run, counts[c]) > 0.0);
            CHECK(number_in(doc, tn_node_get(run, "error"), "q") > 0.0);
            CHECK(number_in(doc, tn_node_get(run, "residuals"), "g") < 1e-12); // both enforce g
            CHECK(number_in(doc, run, "energy") > 0.0);
        }
        // A tolerance a hundred times smaller gives ten times smaller errors at least.
        const double coarse = number_in(doc, tn_node_get(runs->children[0], "error"), "q");
        CHECK(number_in(doc, tn_node_get(runs->children[1], "error"), "q") < 0.1 * coarse);
    }
    tn_document_destroy(doc);
}

// The same run by `tenon run` has the same ledger. atol is a product there: with 1e-7, which
// differs in the last bit, some iterations end at another time.
static void numbers_are_those_of_a_run(void)
{
    static const char *const keys[] = {"steps",       "rejected", "newton",
                                       "evaluations", "tangents", "factorizations"};
    double expected[TN_COUNT(keys)], g, energy;
    const char *model = tn_test_path(model_of[0]);

    CHECK(tenon("run %s --t-end 1 --method galpha/index2 --adaptive --rtol 1e-5 "
                "--atol 1.0000000000000001e-7 --out one --json",
                model) == 0);
    tn_document *doc = json_of(cli.out);
    for (int k = 0; k < TN_COUNT(keys); k++)
        expected[k] = json_number(doc, keys[k]);
    g = json_number(doc, "residuals.g");
    energy = json_number(doc, "energy.relative");
    tn_document_destroy(doc);

    CHECK(tenon("compare %s --t-end 1 --methods galpha/index2 --tols 1e-5 --json", model) == 0);
    doc = json_of(cli.out);
    const tn_node *run = tn_node_get(method_at(doc, 0), "runs")->children[0];
    for (int k = 0; k < TN_COUNT(keys); k++)
        CHECK(number_in(doc, run, keys[k]) == expected[k]);
    CHECK_NEAR(number_in(doc, tn_node_get(run, "residuals"), "g") / g, 1.0, 1e-12);
    CHECK_NEAR(number_in(doc, run, "energy") / energy, 1.0, 1e-12);
    tn_document_destroy(doc);
}

static void fixed_step_methods_take_steps_when_given(void)
{
    CHECK(tenon("compare %s --t-end 1 --methods galpha/ggl --steps 1e-2,1e-3 --json",
                tn_test_path(model_of[0])) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *runs = tn_node_get(method_at(doc, 0), "runs");
    CHECK(runs->count == 2);
    CHECK(number_in(doc, runs->children[0], "step") == 1e-2);
    CHECK(number_in(doc, runs->children[0], "steps") == 100);
    CHECK(number_in(doc, runs->children[1], "steps") == 1000);
    tn_document_destroy(doc);
}

static void a_number_behind_a_method_is_its_own(void)
{
    const char *model = tn_test_path(model_of[0]);
    char words[512];

    CHECK(tenon("compare %s --t-end 1 --methods galpha/ggl:5e-3,radau5/ggl:1e-3,bdf/ggl "
                "--steps 1e-2,1e-3 --tols 1e-4,1e-5 --json",
                model) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *runs = tn_node_get(method_at(doc, 0), "runs");
    CHECK(runs->count == 1 && number_in(doc, runs->children[0], "step") == 5e-3);
    runs = tn_node_get(method_at(doc, 1), "runs");
    CHECK(runs->count == 1 && number_in(doc, runs->children[0], "rtol") == 1e-3);
    CHECK(tn_node_get(method_at(doc, 2), "runs")->count == 2);
    tn_document_destroy(doc);
    snprintf(words, sizeof(words), "compare %s --methods galpha/ggl:-1", model);
    refuses(1, words,
            "tenon: --methods: expected a positive number behind galpha/ggl:, found '-1'\n");
}

static void by_itself_it_takes_several_families(void)
{
    CHECK(tenon("compare %s --t-end 0.2 --tols 1e-5 --json", tn_test_path(model_of[0])) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *methods = json_at(doc, "methods");
    CHECK(methods->count >= 2);
    for (int i = 0; i < methods->count; i++) {
        const tn_node *run = tn_node_get(methods->children[i], "runs")->children[0];
        CHECK_TEXT(tn_node_get(run, "status")->text, "done");
        // All of them compute the same motion: errors of a run at 1e-5 that lasts half a swing.
        CHECK(number_in(doc, tn_node_get(run, "error"), "q") < 1e-3);
    }
    tn_document_destroy(doc);
}

// A step far beyond what the fast top allows: hht finds no motion, or one that leaves its joint;
// galpha with the small step goes on.
static void a_run_that_fails_says_why_and_the_others_go_on(void)
{
    const char *model = tn_test_path("models/heavy_top.yaml");

    CHECK(tenon("compare %s --t-end 0.5 --methods hht/index3,galpha/ggl --steps 0.1,0.001",
                model) == 0);
    CHECK_TEXT(cli.err, "");
    const char *line = strstr(cli.out, "failed: ");
    CHECK(line != NULL && strstr(cli.out, "hht/index3\n") < line);
    CHECK(strstr(line, "galpha/ggl\n") != NULL);
    for (const char *at = cli.out; *at; at += strcspn(at, "\n") + 1)
        CHECK(strcspn(at, "\n") <= 100);

    CHECK(tenon("compare %s --t-end 0.5 --methods hht/index3,galpha/ggl --steps 0.1,0.001 --json",
                model) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *run = tn_node_get(method_at(doc, 0), "runs")->children[0];
    CHECK_TEXT(tn_node_get(run, "status")->text, "failed");
    const char *reason = tn_node_get(run, "reason")->text;
    CHECK(strstr(reason, "did not converge") || strstr(reason, "is open by"));
    CHECK(isnan(number_in(doc, tn_node_get(run, "error"), "q")));
    tn_document_destroy(doc);
}

static void impatience_ends_a_run_and_says_so(void)
{
    CHECK(tenon("compare %s --t-end 10 --methods galpha/ggl --steps 2e-5 --patience 0.02 --json",
                tn_test_path(model_of[0])) == 3);
    if (strstr(cli.err, "so there is no reference")) // a slow machine: not within that time either
        return;
    CHECK_TEXT(cli.err, "tenon: no run came to its end\n");
    tn_document *doc = json_of(cli.out);
    const tn_node *run = tn_node_get(method_at(doc, 0), "runs")->children[0];
    CHECK_TEXT(tn_node_get(run, "status")->text, "failed");
    CHECK(strstr(tn_node_get(run, "reason")->text, "the run took longer than 0.02 s") != NULL);
    tn_document_destroy(doc);
}

// Where drives prescribe the motion lambda tells methods apart.
static void driven_models_are_ranked_by_lambda(void)
{
    CHECK(tenon("compare %s --t-end 0.5 --methods galpha/ggl --tols 1e-4 --json",
                tn_test_path(model_of[1])) == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "freedoms") == 0);
    CHECK_TEXT(json_text(doc, "ranked_by"), "lambda");
    tn_document_destroy(doc);
    CHECK(tenon("compare %s --t-end 0.5 --methods galpha/ggl --tols 1e-4",
                tn_test_path(model_of[1])) == 0);
    CHECK(strstr(cli.out, "correct digits of lambda\n") != NULL);
}

// The slot repeats the pin: multipliers that both share are not compared, the others are.
static void redundant_multipliers_are_left_out(void)
{
    write_text("redundant.yaml",
               "tenon: 1\n"
               "gravity: [0, -9.81, 0]\n"
               "bodies:\n"
               "  rod: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
               "joints:\n"
               "  pin: {kind: revolute, body: rod, at: [0, 0, 0], axis: [0, 0, 1]}\n"
               "  slot: {kind: point-in-plane, body: rod, at: [1, 0, 0], axis: [0, 0, 1]}\n"
               "simulate: {t_end: 0.5, step: 0.01}\n");
    CHECK(tenon("compare redundant.yaml --methods galpha/ggl --steps 1e-2,1e-3 --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *runs = tn_node_get(method_at(doc, 0), "runs");
    double error[2];
    for (int k = 0; k < 2; k++)
        error[k] = number_in(doc, tn_node_get(runs->children[k], "error"), "lambda");
    CHECK(error[0] > 0.0 && error[0] < 1e-3);
    CHECK_NEAR(error[0] / error[1], 100.0, 20.0); // order two
    tn_document_destroy(doc);
}

static char text[CLI_TEXT_SIZE];

static void a_folder_gets_picture_table_and_page(void)
{
    const bool page = tn_report_check() == TN_OK;

    CHECK(tenon("compare %s --t-end 0.5 --methods galpha/ggl,galpha/index3 --tols 1e-4,1e-5 "
                "--out some/where",
                tn_test_path(model_of[0])) == 0);
    CHECK(strstr(cli.out, "\nwritten     some/where: compare.svg, energy.svg, compare.csv") !=
          NULL);
    read_text("some/where/compare.svg", text);
    CHECK(strstr(text, "</svg>") && strstr(text, ">correct digits of q</text>"));
    CHECK(strstr(text, ">galpha/index3</text>") != NULL);
    read_text("some/where/energy.svg", text);
    CHECK(strstr(text, "</svg>") && strstr(text, ">|energy balance| [J]</text>"));
    CHECK(strstr(text, ">galpha/index3, rtol 1e-05</text>") != NULL);
    read_text("some/where/compare.csv", text);
    int lines = 0, commas = 0;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
        commas += *c == ',';
    }
    CHECK(lines == 5 && commas == 5 * 19);
    CHECK(strstr(text, "\ngalpha/index3,1e-04,,done,0.5,") ||
          strstr(text, "\ngalpha/index3,1e-4,,done,0.5,") ||
          strstr(text, "\ngalpha/index3,0.0001,,done,0.5,"));
    CHECK(file_exists("some/where/compare.html") == page);
    if (page) {
        read_text("some/where/compare.html", text);
        CHECK(strstr(text, "<!doctype html>") != NULL);
    }
    char words[512];
    snprintf(words, sizeof(words), "compare %s --out some/where", tn_test_path(model_of[0]));
    refuses(1, words,
            "tenon: some/where holds a comparison already; use --force to replace it or --out for "
            "another place\n");
    write_text("file", "");
    snprintf(words, sizeof(words), "compare %s --out file/below", tn_test_path(model_of[0]));
    refuses(1, words, "tenon: --out: the folder file/below cannot be made\n");
}

// Least condition number as written or as solved; NaN where a run tells none.
static double condition_in(const tn_document *doc, int method, int run, const char *kind)
{
    const tn_node *at = tn_node_get(method_at(doc, method), "runs")->children[run];
    const tn_node *condition = tn_node_get(at, "condition");
    double value = NAN;
    if (!condition)
        return NAN;
    CHECK_OK(tn_node_number(doc, tn_node_get(condition, kind)->children[0], kind, &value));
    return value;
}

// A point of 1 kg on a rod of 1 m, in the middle of its first step: as written the matrix is
// (1/h, 0, h; 0, 1/h, 0; 1, 0, 0) but for the turn of the rod, whose singular values are near 1/h
// and h^2. Without the multiplier it is diag(1/h, 1). As solved they are (1, 1; 1, 0) and 1, with
// the condition ((1 + sqrt 5) / 2)^2 = 2.618 and 1, whatever the step.
static void conditions_have_the_powers_of_the_step(void)
{
    const char *model = tn_test_path("models/mathematical_pendulum.yaml");
    const char words[] =
        "compare %s --methods variational/multiplier,variational/dalembert,"
        "energy-momentum/multiplier,galpha/ggl:1e-5 --steps 1e-2,1e-3 --t-end 0.01 "
        "--condition %s";
    CHECK(tenon(words, model, "--json") == 0);
    tn_document *doc = json_of(cli.out);
    for (int k = 0; k < 2; k++) {
        const double h = k == 0 ? 1e-2 : 1e-3;
        // h^-3 (1 + h^2 / 2 ...), and the rod turns by 5e-4
        CHECK_NEAR(condition_in(doc, 0, k, "written") * pow(h, 3.0), 1.0, 2e-3);
        CHECK_NEAR(condition_in(doc, 1, k, "written") * h, 1.0, 2e-3);
        CHECK_NEAR(condition_in(doc, 2, k, "written") * pow(h, 3.0), 4.0, 1e-2); // 2 M / h
        CHECK_NEAR(condition_in(doc, 0, k, "solved"), 2.618, 2e-3);
        CHECK_NEAR(condition_in(doc, 1, k, "solved"), 1.0, 2e-3);
    }
    CHECK(isnan(condition_in(doc, 3, 0, "written")));
    tn_document_destroy(doc);

    CHECK(tenon(words, model, "--out conditions") == 0);
    CHECK(strstr(cli.out, "   0.001         3                1.0e+09  -3.00 ") != NULL);
    CHECK(strstr(cli.out, "   1e-05         -                      -      -  ") != NULL);
    for (const char *at = strstr(cli.out, "\nCondition "); *at; at += strcspn(at, "\n") + 1)
        CHECK(strcspn(at, "\n") <= 100);
    read_text("conditions/compare.csv", text);
    CHECK(strstr(text, ",unknowns,condition written,condition written largest,") != NULL);
    CHECK(strstr(text, ",,,,,,\n") != NULL); // galpha
    refuses(1, "converge told.yaml --condition",
            "tenon: unknown option '--condition'; 'tenon help converge' lists the options\n");
}

// Errors against the results of another mechanism would look like those of the methods.
static void a_reference_of_another_model_is_refused(void)
{
    static const char pattern[] =
        "tenon: 1\n# %s\nparameters: {k: 4, m: 1}\n"
        "bodies: {mass: {kind: point, mass: m, initial: {position: [%s, 0, "
        "0]}}}\nforces: {s: {kind: point-force, body: mass, force: "
        "['-k*mass.position.x', 0, 0]}}\n"
        "simulate: {t_end: 0.5, method: dop853, output: 0.1}\n";
    static const char command[] = "compare %s --methods dopri5 --tols 1e-6 --reference truth";
    char model[1024];
    snprintf(model, sizeof model, pattern, "one", "1");
    write_text("one.yaml", model);
    CHECK(tenon("run one.yaml --out truth --force --quiet --rtol 1e-12 --atol 1e-12") == 0);
    CHECK(tenon(command, "one.yaml") == 0);
    CHECK(tenon("compare one.yaml --methods dopri5 --tols 1e-6 --reference truth --set k=5") == 1);
    CHECK(strstr(cli.err, "truth/result.h5: these results are of another model: k is 4 in the "
                          "reference and 5 in the model; "));
    snprintf(model, sizeof model, pattern, "another comment", "1.0"); // says the same
    write_text("two.yaml", model);
    CHECK(tenon(command, "two.yaml") == 0);
    snprintf(model, sizeof model, pattern, "one", "1.1");
    write_text("three.yaml", model);
    CHECK(tenon(command, "three.yaml") == 1);
    CHECK(strstr(cli.err, "bodies.mass.initial.position.1 is 1 in the reference and 1.1 in the "
                          "model; "));
}

static void wrong_usage_is_explained(void)
{
    const char *model = tn_test_path(model_of[0]);
    char words[512];

    refuses(1, "compare",
            "tenon: compare: MODEL is missing; usage: tenon compare MODEL [--methods a,b,...] "
            "[--tols LIST] [--steps LIST] [--out DIR] ...\n");
    snprintf(words, sizeof(words), "compare %s --tolls 1e-3", model);
    refuses(1, words, "tenon: unknown option '--tolls'; did you mean '--tols'?\n");
    CHECK(tenon("compare %s --methods galpha/ggl,galpha/nothing", model) == 1);
    CHECK(strncmp(cli.err, "tenon: unknown formulation 'nothing'", 36) == 0);
    CHECK(tenon("compare %s --methods galpha/ggl+project", model) == 1);
    CHECK(tenon("compare absent.yaml --json") == 2);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "error");
    tn_document_destroy(doc);
}

// What an included file says is part of the model, and so is where the run began.
static void a_reference_of_other_parts_is_refused(void)
{
    static const char spring[] =
        "tenon: 1\n# %s\nforces: {s: {kind: point-force, body: mass, force: "
        "['-%d*mass.position.x', 0, 0]}}\n";
    static const char command[] =
        "compare whole.yaml --methods dopri5 --tols 1e-6 --reference parts";
    char part[300];
    write_text("whole.yaml",
               "tenon: 1\ninclude: spring.yaml\n"
               "bodies: {mass: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}}\n"
               "simulate: {t_end: 0.5, method: dop853, output: 0.1}\n");
    snprintf(part, sizeof part, spring, "one", 4);
    write_text("spring.yaml", part);
    CHECK(tenon("run whole.yaml --out parts --force --quiet --rtol 1e-12 --atol 1e-12") == 0);
    snprintf(part, sizeof part, spring, "another comment", 4);
    write_text("spring.yaml", part);
    CHECK(tenon("%s", command) == 0);
    CHECK(tenon("%s --t-start 0.1", command) == 1);
    CHECK(strstr(cli.err, "parts/result.h5 begins at t = 0 s, and runs that are compared begin at "
                          "0.1 s") != NULL);
    snprintf(part, sizeof part, spring, "one", 5);
    write_text("spring.yaml", part);
    CHECK(tenon("%s", command) == 1);
    CHECK(strstr(cli.err, "in the file spring.yaml forces.s.force.1 is -4*mass.position.x in the "
                          "reference and -5*mass.position.x in the model") != NULL);
}

// A mesh that a body takes its mass from, and the file of a modal body, are part of the model; a
// mesh that is only looked at is not.
static void a_reference_with_other_files_is_refused(void)
{
    static const char mesh[] = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 "
                               "0\nvertex 1 0 0\nendloop\nendfacet\nfacet normal 0 0 0\nouter "
                               "loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 %d\nendloop\n"
                               "endfacet\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex "
                               "0 0 %d\nvertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 0\n"
                               "outer loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 %d\nendloop\n"
                               "endfacet\nendsolid\n";
    static const char command[] =
        "compare meshes.yaml --methods dopri5 --tols 1e-6 --reference files";
    char solid[1000];
    snprintf(solid, sizeof solid, mesh, 1, 1, 1);
    write_text("heavy.stl", solid);
    write_text("looks.stl", solid);
    write_text("meshes.yaml",
               "tenon: 1\ngravity: [0, 0, -9.81]\nbodies: {b: {density: 1000, initial: {rate: [1, "
               "2, 3]}, shapes: [{kind: mesh, file: heavy.stl}]}, c: {mass: 1, inertia: [1, 1, 1], "
               "shapes: [{kind: mesh, file: looks.stl}]}}\n"
               "simulate: {t_end: 0.5, method: dop853, output: 0.1}\n");
    CHECK(tenon("run meshes.yaml --out files --force --quiet --rtol 1e-12 --atol 1e-12") == 0);
    CHECK(tenon("%s", command) == 0);
    snprintf(solid, sizeof solid, mesh, 2, 2, 2);
    write_text("looks.stl", solid);
    CHECK(tenon("%s", command) == 0);
    write_text("heavy.stl", solid);
    CHECK(tenon("%s", command) == 1);
    CHECK(strstr(cli.err, "the file heavy.stl is not the same in the reference and in the model"));
}

// Two runs of a double pendulum part after some ten swings.
static void a_reference_that_means_little_is_doubtful(void)
{
    write_text("chaos.yaml",
               "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
               "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
               "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
               "joints:\n"
               "  p: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
               "  q: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
               "simulate: {t_end: 40}\n");
    CHECK(tenon("compare chaos.yaml --methods dop853 --tols 1e-6 --json") == 5);
    CHECK(strstr(cli.err, "tenon: doubtful: the two runs for the reference are far apart"));
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "doubtful");
    tn_document_destroy(doc);
}

static const tn_test tests[] = {
    {"a reference that means little is doubtful", a_reference_that_means_little_is_doubtful},
    {"a reference with other files is refused", a_reference_with_other_files_is_refused},
    {"a reference of other parts is refused", a_reference_of_other_parts_is_refused},
    {"every run tells its work and its errors", every_run_tells_its_work_and_its_errors},
    {"numbers are those of a run", numbers_are_those_of_a_run},
    {"fixed-step methods take steps when given", fixed_step_methods_take_steps_when_given},
    {"a number behind a method is its own", a_number_behind_a_method_is_its_own},
    {"by itself it takes several families", by_itself_it_takes_several_families},
    {"a run that fails says why, and the others go on",
     a_run_that_fails_says_why_and_the_others_go_on},
    {"impatience ends a run and says so", impatience_ends_a_run_and_says_so},
    {"driven models are ranked by lambda", driven_models_are_ranked_by_lambda},
    {"redundant multipliers are left out", redundant_multipliers_are_left_out},
    {"a folder gets picture, table and page", a_folder_gets_picture_table_and_page},
    {"conditions have the powers of the step", conditions_have_the_powers_of_the_step},
    {"a reference of another model is refused", a_reference_of_another_model_is_refused},
    {"wrong usage is explained", wrong_usage_is_explained},
};

int main(int argc, char **argv)
{
    enter_scratch("cli_compare");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
