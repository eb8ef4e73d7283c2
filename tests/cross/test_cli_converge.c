// SPDX-License-Identifier: MIT
//
// tenon converge: errors and orders of a pendulum against published numbers and against each other,
// its reference, its settings and its messages.

#include "cli_driver.h"

#include "integrator/integrator.h"

// x and y of the bob of models/pendulum.yaml at t = 1 s, see that file: IFToMM library, A01.
static const double BOB[2] = {0.98629175, -0.16501085};

static const tn_node *run_of(const tn_document *doc, int method, int k)
{
    const tn_node *m = json_at(doc, "methods")->children[method];
    return tn_node_get(m, "runs")->children[k];
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

static void pendulum(const char *more)
{
    CHECK(tenon("converge %s --t-end 1 %s --json", tn_test_path("models/pendulum.yaml"), more) ==
          0);
}

// Generalized-alpha with ggl is of order two in all [Arn16, Theorem 1]; halved steps that are small
// show it to a few parts in hundred.
static void halved_steps_show_the_order(void)
{
    pendulum("--methods galpha/ggl,galpha/index3 --steps 0.01 --levels 4");
    tn_document *doc = json_of(cli.out);
    CHECK(json_at(doc, "methods")->count == 2);
    CHECK(json_number(doc, "times") == 100); // those of the largest steps
    for (int m = 0; m < 2; m++) {
        const tn_node *method = json_at(doc, "methods")->children[m];
        const tn_node *order = tn_node_get(method, "order");
        CHECK(tn_node_get(method, "runs")->count == 4);
        CHECK_NEAR(number_in(doc, order, "q"), 2.0, 0.05);
        CHECK_NEAR(number_in(doc, order, "v"), 2.0, 0.05);
        CHECK_NEAR(number_in(doc, order, "lambda"), 2.0, 0.1);
        CHECK(number_in(doc, tn_node_get(method, "stated_order"), "q") == 2.0);
        for (int k = 0; k < 4; k++) {
            const tn_node *run = run_of(doc, m, k);
            CHECK_NEAR(number_in(doc, run, "step"), 0.01 / (1 << k), 1e-15);
            CHECK(number_in(doc, run, "steps") == 100 << k);
        }
    }
    tn_document_destroy(doc);
}

static void check_multipliers(const char *method, const char *more, double stated, double seen)
{
    CHECK(tenon("converge %s --t-end 0.2 --methods %s --steps 0.002 --levels 4 %s --json",
                tn_test_path("models/slider_crank.yaml"), method, more) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *told = json_at(doc, "methods")->children[0];
    CHECK(number_in(doc, tn_node_get(told, "stated_order"), "v") == 2.0);
    CHECK(number_in(doc, tn_node_get(told, "stated_order"), "lambda") == stated);
    CHECK_NEAR(number_in(doc, tn_node_get(told, "order"), "lambda"), seen, 0.35);
    tn_document_destroy(doc);
}

// Multipliers of index3 begin with an error of first order unless the start is corrected [Arn16,
// Example 8]; other forms need no correction.
static void stated_orders_are_those_of_the_start(void)
{
    check_multipliers("hht/index3", "", 1.0, 1.0);
    check_multipliers("galpha/index3", "", 1.0, 1.0);
    check_multipliers("hht/index3", "--corrected-start", 2.0, 2.1);
    check_multipliers("hht/ggl", "", 2.0, 2.0);
}

// The error that is told for the end is that of the digits in the model file; 8 digits are given.
static void errors_are_those_of_published_digits(void)
{
    pendulum("--methods galpha/ggl --steps 0.02 --levels 1 --points 1");
    tn_document *doc = json_of(cli.out);
    const double told = number_in(doc, tn_node_get(run_of(doc, 0, 0), "error"), "q");
    CHECK_NEAR(json_number(doc, "sizes.position"), 1.0, 1e-9); // the rod has the length 1 m
    CHECK(number_in(doc, tn_node_get(json_at(doc, "reference"), "doubt"), "q") < 1e-8);
    tn_document_destroy(doc);

    CHECK(tenon("run %s --t-end 1 --step 0.02 --method galpha/ggl --out bob --json --force",
                tn_test_path("models/pendulum.yaml")) == 0);
    doc = json_of(cli.out);
    double at[2];
    for (int i = 0; i < 2; i++)
        CHECK_OK(tn_node_number(doc, json_at(doc, "final.bodies.bob.position")->children[i], "x",
                                &at[i]));
    CHECK_NEAR(told, hypot(at[0] - BOB[0], at[1] - BOB[1]), 2e-8);
    CHECK(told > 1e-5); // the digits do tell
    tn_document_destroy(doc);
}

static void smaller_tolerances_give_smaller_errors(void)
{
    pendulum("--methods galpha/ggl --tols 1e-4,1e-6,1e-5");
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "times") == 1);
    double last = INFINITY;
    for (int k = 0; k < 3; k++) {
        const tn_node *run = run_of(doc, 0, k);
        const double error = number_in(doc, tn_node_get(run, "error"), "q");
        CHECK_NEAR(number_in(doc, run, "rtol"), pow(10.0, -4 - k), 1e-12); // sorted
        CHECK(error < last);
        last = error;
    }
    tn_document_destroy(doc);
}

// Methods that control their error by themselves get tolerances, the others steps.
static void settings_follow_the_integrator(void)
{
    for (int i = 0; i < tn_integrator_count; i++) {
        const tn_integrator_ops *ops = tn_integrators[i];
        char words[256];
        snprintf(words, sizeof(words), "--methods %s/%s --levels 1", ops->name,
                 ops->needs & TN_VIEW_ACCEL      ? "index1"
                 : ops->needs & TN_VIEW_DISCRETE ? "multiplier@director"
                 : ops->needs & TN_VIEW_IMPACTS  ? "ggl"
                                                 : "index2");
        pendulum(words);
        tn_document *doc = json_of(cli.out);
        const tn_node *run = run_of(doc, 0, 0);
        CHECK((tn_node_get(run, "rtol") != NULL) == ops->controlled);
        CHECK_TEXT(tn_node_get(run, "status")->text, "done");
        tn_document_destroy(doc);
    }
}

static void a_stored_run_can_be_the_reference(void)
{
    const char *model = tn_test_path("models/pendulum.yaml");

    CHECK(tenon("run %s --t-end 1 --method galpha/ggl --step 1e-4 --output 0.1 --out fine --quiet "
                "--force",
                model) == 0);
    pendulum("--methods galpha/ggl --steps 0.01 --levels 2 --reference fine");
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "times") == 10); // of the hundred shared times ten are stored
    CHECK_TEXT(json_text(doc, "reference.file"), "fine/result.h5");
    const double by_file = number_in(doc, tn_node_get(run_of(doc, 0, 0), "error"), "lambda");
    tn_document_destroy(doc);

    // Errors at these times, with a reference a hundred times as good as what is measured.
    pendulum("--methods galpha/ggl --steps 0.01 --levels 2 --points 10");
    doc = json_of(cli.out);
    const double by_itself = number_in(doc, tn_node_get(run_of(doc, 0, 0), "error"), "lambda");
    CHECK_NEAR(by_file / by_itself, 1.0, 0.01);
    tn_document_destroy(doc);
}

static void a_reference_must_fit(void)
{
    char words[512];
    const char *model = tn_test_path("models/pendulum.yaml");

    CHECK(tenon("run %s --t-end 0.5 --method galpha/ggl --out half --quiet --force", model) == 0);
    snprintf(words, sizeof(words), "converge %s --t-end 1 --methods galpha/ggl --reference half",
             model);
    refuses(1, words,
            "tenon: half/result.h5 has no row at t = 1 s, where runs are compared; its last is at "
            "0.5 s; choose --t-end among its times\n");
    snprintf(words, sizeof(words), "converge %s --t-end 0.5 --reference half",
             tn_test_path("models/fourbar.yaml"));
    refuses(1, words,
            "tenon: half/result.h5: these results are of another model: the numbers of bodies or "
            "joints differ\n");
    snprintf(words, sizeof(words), "converge %s --reference nowhere", model);
    CHECK(tenon("%s", words) == 1);
    CHECK(strncmp(cli.err, "tenon: --reference: ", 20) == 0);
}

static void text_is_a_table_per_method(void)
{
    CHECK(tenon("converge %s --t-end 1 --methods galpha/ggl --steps 0.01 --levels 3",
                tn_test_path("models/pendulum.yaml")) == 0);
    CHECK_TEXT(cli.err, "");
    CHECK(strstr(cli.out, "pendulum.yaml, 0 to 1 s\nreference   ") != NULL);
    CHECK(strstr(cli.out, "errors      largest at 100 times that all runs share") != NULL);
    CHECK(strstr(cli.out, "\ngalpha/ggl, states order 2, 2, 2\n    step [s]     steps") != NULL);
    CHECK(strstr(cli.out, "\n       0.005       200 ") != NULL);
    for (const char *at = cli.out; *at; at += strcspn(at, "\n") + 1)
        CHECK(strcspn(at, "\n") <= 100);
}

static void wrong_usage_is_explained(void)
{
    static const struct {
        const char *words, *message;
    } cases[] = {
        {"--tols 1e-4,x", "tenon: --tols: expected positive numbers, found 'x'\n"},
        {"--tols 0", "tenon: --tols: expected positive numbers, found '0'\n"},
        {"--tols ''", "tenon: --tols: expected positive numbers, found ''\n"},
        {"--steps 1e-2,-1", "tenon: --steps: expected positive numbers, found '-1'\n"},
        {"--steps 20", "tenon: --steps: 20 s is longer than the whole time, 10 s\n"},
        {"--levels -1", "tenon: --levels is -1; it must be at least 1\n"},
        {"--levels 0", "tenon: --levels is 0; it must be at least 1\n"},
        {"--levels 65", "tenon: --levels is 65; it must be from 1 to 64\n"},
        {"--levels 3 --steps 0.1,0.05",
         "tenon: --levels makes several tolerances or steps of one, and 2 are stated; leave it out "
         "or state one\n"},
        {"--trust",
         "tenon: --trust has no effect without --reference; state both or leave it out\n"},
        {"--points 1000", "tenon: --points is 1000; it must be from 1 to 100\n"},
        {"--patience -1", "tenon: --patience is -1; it must not be negative\n"},
        {"--methods galpha/ggl,", "tenon: --methods: an empty name in 'galpha/ggl,'\n"},
        {"--rtol 1e-3", "tenon: converge: --rtol is for one run; this command takes --tols\n"},
        {"--method galpha/ggl",
         "tenon: converge: --method is for one run; this command takes --methods\n"},
        {"--t-end 0", "tenon: t_end is 0 s; a comparison needs a motion of some length\n"},
    };
    char words[512];

    for (int i = 0; i < TN_COUNT(cases); i++) {
        snprintf(words, sizeof(words), "converge %s %s", tn_test_path("models/pendulum.yaml"),
                 cases[i].words);
        refuses(1, words, cases[i].message);
    }
    CHECK(tenon("converge %s --methods galpa/ggl", tn_test_path("models/pendulum.yaml")) == 1);
    CHECK(strncmp(cli.err, "tenon: unknown integrator 'galpa'; did you mean 'galpha'?", 57) == 0);
    CHECK(tenon("converge %s --methods galpha/gl", tn_test_path("models/pendulum.yaml")) == 1);
    CHECK(strncmp(cli.err, "tenon: unknown formulation 'gl'", 31) == 0);
    CHECK(tenon("converge absent.yaml") == 2);
}

static const tn_test tests[] = {
    {"halved steps show the order", halved_steps_show_the_order},
    {"stated orders are those of the start", stated_orders_are_those_of_the_start},
    {"errors are those of published digits", errors_are_those_of_published_digits},
    {"smaller tolerances give smaller errors", smaller_tolerances_give_smaller_errors},
    {"settings follow the integrator", settings_follow_the_integrator},
    {"a stored run can be the reference", a_stored_run_can_be_the_reference},
    {"a reference must fit", a_reference_must_fit},
    {"text is a table per method", text_is_a_table_per_method},
    {"wrong usage is explained", wrong_usage_is_explained},
};

int main(int argc, char **argv)
{
    enter_scratch("cli_converge");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
