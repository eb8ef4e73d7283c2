// SPDX-License-Identifier: MIT
//
// Every method of the review [LB08] on one mechanism, a row each:
//
//   every_method FOURBAR REDUNDANT FLAT FILE.csv
//
// the four-bar for 2 s with tolerances of 1e-8, the same in space with rows that repeat others, and
// a parallelogram that begins flat, in a singular position. Times are those of the processor.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>
#include <time.h>

typedef struct method {
    const char *row, *name, *nullspace, *characteristics, *enforces;
} method;

static const method methods[] = {
    {"Lagrange, index 3", "bdf/index3", "auto", "", "g"},
    {"index 2", "radau5/index2", "auto", "", "Bv"},
    {"index 1", "dop853/index1", "auto", "", "Ba"},
    {"null space, LU", "dop853/nullspace", "lu", "", "Ba"},
    {"null space, zero eigenvalue", "dop853/nullspace", "zero-eigenvalue", "", "Ba"},
    {"Udwadia-Kalaba", "dop853/udwadia-kalaba", "auto", "", "Ba"},
    {"Maggi, LU", "dop853/maggi", "lu", "", "Bv"},
    {"Maggi, QR", "dop853/maggi", "qr", "", "Bv"},
    {"Maggi, SVD", "dop853/maggi", "svd", "", "Bv"},
    {"Maggi, Gram-Schmidt", "dop853/maggi", "gram-schmidt", "", "Bv"},
    {"Maggi, zero eigenvalue", "dop853/maggi", "zero-eigenvalue", "", "Bv"},
    {"Maggi, velocity analysis", "dop853/maggi", "natural", "", "Bv"},
    {"Maggi, chosen velocities", "dop853/maggi", "auto", "A.angle.rate", "Bv"},
    {"Kane", "dop853/kane", "auto", "A.angle.rate", "Bv"},
    {"projective", "dop853/projective", "auto", "", "Bv"},
    {"Gibbs-Appell", "dop853/gibbs-appell", "auto", "", "Bv"},
    {"phase space", "dop853/phase-space", "auto", "", "Bv"},
    {"coordinate partitioning", "dop853/minimal", "auto", "", "g Bv Ba"},
    {"Baumgarte", "dop853/baumgarte", "auto", "", "mixed"},
    {"GGL", "radau5/ggl", "auto", "", "g Bv"},
    {"index 1, projected", "dop853/index1+project", "auto", "", "g Bv Ba"},
    {"penalty", "dop853/penalty", "auto", "", "mixed"},
    {"augmented Lagrangian", "dop853/augmented-lagrangian", "auto", "", "mixed"},
};

typedef struct outcome {
    const char *ends;
    double force[3];
    tn_ledger ledger;
    double seconds;
} outcome;

static void need(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "every_method: %s\n", tn_last_error());
    exit(1);
}

static outcome run_by(const tn_model *model, const method *m, double tol, double t_end)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    outcome x = {.ends = "refuses"};
    char name[64];
    snprintf(name, sizeof name, "%s@absolute", m->name);
    options.method = name;
    options.nullspace = m->nullspace;
    options.characteristics = m->characteristics;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    const clock_t begin = clock();
    if (tn_sim_create(model, &options, &sim) != TN_OK)
        return x;
    x.ends = tn_sim_run(sim, t_end, NULL, NULL) == TN_OK ? "goes on" : "ends";
    x.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    tn_sim_ledger(sim, &x.ledger);
    const tn_wrench w = tn_sim_joint_reaction(sim, tn_model_find_joint(model, "A"));
    x.force[0] = w.f.x;
    x.force[1] = w.f.y;
    tn_sim_destroy(sim);
    return x;
}

int main(int argc, char **argv)
{
    static const method exact = {"", "dop853/index1+project", "auto", "", ""};
    static const method base = {"", "dop853/index1", "auto", "", ""};
    tn_model *model[3] = {0};
    if (argc != 5)
        return 2;
    for (int k = 0; k < 3; k++)
        need(tn_model_load(argv[1 + k], &model[k], NULL));
    FILE *file = fopen(argv[4], "w");
    if (!file)
        return 1;
    const outcome truth = run_by(model[0], &exact, 1e-12, 2.0);
    const outcome usual = run_by(model[0], &base, 1e-8, 2.0);
    fprintf(file, "method,enforces,g,Bv,reaction,evaluations,time,redundant,singular\n");
    for (int k = 0; k < (int)(sizeof methods / sizeof *methods); k++) {
        const method *m = &methods[k];
        const outcome x = run_by(model[0], m, 1e-8, 2.0), r = run_by(model[1], m, 1e-8, 0.5),
                      s = run_by(model[2], m, 1e-8, 0.5);
        const double off = hypot(x.force[0] - truth.force[0], x.force[1] - truth.force[1]) /
                           hypot(truth.force[0], truth.force[1]);
        fprintf(file, "\"%s\",%s,%.1e,%.1e,%.1e,%ld,%.2f,%s,%s\n", m->row, m->enforces,
                x.ledger.max_g, x.ledger.max_gdot, off, x.ledger.evaluations,
                x.seconds / fmax(usual.seconds, 1e-9), r.ends, s.ends);
    }
    fclose(file);
    for (int k = 0; k < 3; k++)
        tn_model_destroy(model[k]);
    return 0;
}
