// SPDX-License-Identifier: MIT
//
// Discrete principles from the command line: channels of their nodes in tables and pictures, lines
// of the ledger, the places that they have in compare and converge, and what they refuse.

#include "cli_driver.h"

static const char *model(void)
{
    return tn_test_path("models/mathematical_pendulum.yaml");
}

// Numbers of a column of result.csv; returns how many.
static int column(const char *path, const char *name, int most, double *out)
{
    static char text[CLI_TEXT_SIZE];
    int at = 0, n = 0;
    read_text(path, text);
    const char *end = strchr(text, '\n'), *found = NULL;
    for (char *c = text; c < end; c++) {
        const size_t length = strlen(name);
        if ((c == text || c[-1] == ',') && !strncmp(c, name, length) && strchr(",\n ", c[length])) {
            found = c;
            break;
        }
        at += *c == ',';
    }
    CHECK(found != NULL);
    for (const char *line = end + 1; *line && n < most; line = strchr(line, '\n') + 1) {
        const char *field = line;
        for (int k = 0; k < at; k++)
            field = strchr(field, ',') + 1;
        out[n++] = strtod(field, NULL);
    }
    return n;
}

static void nodes_are_columns_of_the_table(void)
{
    static const char *const names[] = {"discrete.E_d",    "discrete.H_d", "discrete.f_d",
                                        "discrete.h_d",    "discrete.p.0", "discrete.p.1",
                                        "discrete.h_d_Qp", "discrete.Qp.0"};
    double x[200], lambda[200];
    CHECK(tenon("run %s --step 0.1 --output 0.1 --csv --out nodes --force --quiet", model()) == 0);
    for (int k = 0; k < TN_COUNT(names); k++) {
        CHECK(column("nodes/result.csv", names[k], 200, x) == 101);
        for (int i = 0; i < 101; i++)
            CHECK(isfinite(x[i]));
    }
    CHECK(column("nodes/result.csv", "rod.lambda.length", 200, lambda) == 101);
    // From rest B u is zero and half the weight is the momentum: q_1 is (sqrt(1 - y^2), y) with
    // y = -g h^2 / 2, and h/2 lambda_0 = (1 - x_1) / h.
    const double y = -0.5 * 9.81 * 0.01;
    CHECK_NEAR(lambda[0], 2.0 * (1.0 - sqrt(1.0 - y * y)) / 0.01, 1e-10);
    CHECK(tenon("run %s --step 0.1 --output 0.1 --method variational/dalembert --csv --out nodes "
                "--force --quiet",
                model()) == 0);
    CHECK(column("nodes/result.csv", "discrete.reduced.0", 200, x) == 101);
    CHECK(
        tenon(
            "run %s --step 0.1 --output 0.1 --method galpha/ggl --csv --out nodes --force --quiet",
            model()) == 0);
    read_text("nodes/result.csv", cli.out);
    CHECK(strstr(cli.out, "discrete.") == NULL);
}

// Every second row is in the middle of a step.
static void between_nodes_there_is_no_number(void)
{
    double x[200];
    CHECK(tenon("run %s --step 0.1 --output 0.05 --csv --out between --force --quiet", model()) ==
          0);
    CHECK(column("between/result.csv", "discrete.H_d", 200, x) == 200);
    for (int i = 0; i < 200; i++)
        CHECK(isnan(x[i]) == (i % 2 == 1));
}

#ifdef TN_WITH_HDF5
static void both_energies_share_a_panel(void)
{
    CHECK(tenon("run %s --step 0.1 --output 0.1 --out drawn --force --quiet", model()) == 0);
    CHECK(
        tenon("plot drawn discrete.E_d discrete.H_d energy.kinetic discrete.h_d --out drawn.svg") ==
        0);
    read_text("drawn.svg", cli.out);
    CHECK(strstr(cli.out, "discrete.E_d") && strstr(cli.out, "discrete.H_d"));
    int panels = 0; // one for energies, one for the residual
    for (const char *at = cli.out; (at = strstr(at, "[J]")); at++)
        panels++;
    CHECK(panels == 1);
    CHECK(tenon("plot drawn --list") == 0);
    CHECK(strstr(cli.out, "discrete.Qp.1") != NULL);
}
#endif

static void the_ledger_tells_band_drift_and_momenta(void)
{
    CHECK(tenon("run %s --step 0.1 --output 0.1 --out ledger --force", model()) == 0);
    CHECK(strstr(cli.out, "\nenergy band        -0.365 to ") != NULL);
    CHECK(strstr(cli.out, " J, drift ") != NULL);
    CHECK(strstr(cli.out, "\nmomenta            change by up to (") != NULL);
    CHECK(tenon("run %s --step 0.1 --out ledger --force --quiet --require 'drift<1e-9'", model()) ==
          4);
    CHECK(strstr(cli.err, "required drift < 1e-09, found 0.00144") != NULL);
    CHECK(tenon("run %s --step 0.1 --output 0.1 --out ledger --force --json", model()) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *band = json_at(doc, "energy.band");
    CHECK(band && band->count == 2);
    CHECK(strtod(band->children[0]->text, NULL) < -0.3);
    CHECK(fabs(json_number(doc, "energy.drift")) < 0.01);
    CHECK(json_at(doc, "momentum.linear_change")->count == 3);
    CHECK(strtod(json_at(doc, "momentum.angular_change")->children[2]->text, NULL) > 4.0);
    tn_document_destroy(doc);
}

// Where coordinates are not stated, and where the file controls its step.
static void it_takes_directors_and_its_own_kind_of_steps(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies: {rod: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}\n"
                               "joints: {pin: {kind: revolute, body: rod, at: [0, 0, 0]}}\n"
                               "simulate: {t_end: 0.1, adaptive: true}\n";
    write_text("rod.yaml", text);
    CHECK(tenon("run rod.yaml --method variational --out rod --force") == 0);
    CHECK(strstr(cli.out, "variational/multiplier@director: as asked for, in directors") != NULL);
    CHECK(strstr(cli.out, "steps              100, 0 rejected") != NULL);
}

static void refused(const char *options, const char *sentence)
{
    CHECK(tenon("run rod.yaml --out refused %s", options) != 0);
    if (!strstr(cli.err, sentence))
        CHECK_TEXT(cli.err, sentence);
    CHECK(!file_exists("refused"));
}

static void what_it_cannot_do_is_one_sentence(void)
{
    it_takes_directors_and_its_own_kind_of_steps();
    refused("--method variational --adaptive", "with a fixed step only, and steps that errors "
                                               "control would lose it; state a step without "
                                               "adaptive, or take radau5/ggl");
    refused("--method variational@absolute", "absolute coordinates of this model have rotations; "
                                             "take @director");
    refused("--method variational/ggl", "the nearest legal method is variational/multiplier");
    refused("--method variational/multiplier+project", "does not take +project");
    refused("--method galpha/multiplier", "the nearest legal method is galpha/ggl");
}

static const tn_node *runs_of(const tn_document *doc, const char *method)
{
    const tn_node *methods = json_at(doc, "methods");
    for (int i = 0; i < methods->count; i++)
        if (!strcmp(tn_node_get(methods->children[i], "method")->text, method))
            return tn_node_get(methods->children[i], "runs");
    return NULL;
}

// Three tolerances for others, three steps from four times that of the model on for it.
static void compare_takes_it_with_steps(void)
{
    CHECK(tenon("compare %s --t-end 0.4 --json", tn_test_path("models/pendulum.yaml")) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *runs = runs_of(doc, "variational/multiplier@director");
    CHECK(runs && runs->count == 3);
    for (int k = 0; k < 3; k++) {
        CHECK_TEXT(tn_node_get(runs->children[k], "status")->text, "done");
        CHECK(tn_node_get(runs->children[k], "step") && tn_node_get(runs->children[k], "drift"));
    }
    CHECK_NEAR(strtod(tn_node_get(runs->children[0], "step")->text, NULL), 0.004, 1e-12);
    tn_document_destroy(doc);
}

static void converge_takes_it_with_steps_beside_tolerances(void)
{
    CHECK(
        tenon("converge %s --t-end 0.4 --methods variational,dop853/index1 --tols 1e-5,1e-6 --json",
              tn_test_path("models/pendulum.yaml")) == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *runs = runs_of(doc, "variational/multiplier@director");
    CHECK(runs && runs->count > 1 && tn_node_get(runs->children[0], "step"));
    CHECK_TEXT(tn_node_get(runs->children[0], "status")->text, "done");
    tn_document_destroy(doc);
}

static const tn_test tests[] = {
    {"nodes are columns of the table", nodes_are_columns_of_the_table},
    {"between nodes there is no number", between_nodes_there_is_no_number},
#ifdef TN_WITH_HDF5
    {"both energies share a panel", both_energies_share_a_panel},
#endif
    {"the ledger tells band, drift and momenta", the_ledger_tells_band_drift_and_momenta},
    {"it takes directors and its own kind of steps", it_takes_directors_and_its_own_kind_of_steps},
    {"what it cannot do is one sentence", what_it_cannot_do_is_one_sentence},
    {"compare takes it with steps", compare_takes_it_with_steps},
    {"converge takes it with steps beside tolerances",
     converge_takes_it_with_steps_beside_tolerances},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
