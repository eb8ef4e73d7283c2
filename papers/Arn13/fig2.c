// SPDX-License-Identifier: MIT
//
// Steps of a BDF method over the ratio m1/m2 of two coupled oscillators [Arn13, Fig. 2], with the
// tolerances of the paper, and those of the limit m1 = 0, which stand in each row for the plot.
//
//   fig2 MODEL LEAST FILE.csv      ratios 0.1, 0.01 ... down to 10^-LEAST

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

static long steps_of(const char *path, double m1)
{
    const tn_parameter_value with = {"m1", m1, NULL};
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_sim *sim = NULL;
    tn_ledger ledger = {0};
    tn_status s = tn_model_load_with(path, 1, &with, &model, &simulate);
    if (s == TN_OK)
        s = tn_sim_create(model, &simulate.options, &sim);
    if (s == TN_OK)
        s = tn_sim_run(sim, simulate.t_end, NULL, NULL);
    if (s == TN_OK)
        tn_sim_ledger(sim, &ledger);
    else
        fprintf(stderr, "fig2: %s\n", tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return s == TN_OK ? ledger.steps : -1;
}

int main(int argc, char **argv)
{
    FILE *out = argc == 4 ? fopen(argv[3], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: fig2 MODEL LEAST FILE.csv\n");
        return 1;
    }
    const long limit = steps_of(argv[1], 0.0);
    bool good = limit > 0;
    fprintf(out, "ratio,steps,without_mass\n");
    for (int k = 1; good && k <= atoi(argv[2]); k++) {
        const long steps = steps_of(argv[1], pow(10.0, -k)); // m2 = 1 kg
        good = steps > 0;
        fprintf(out, "%.0e,%ld,%ld\n", pow(10.0, -k), steps, limit);
    }
    return fclose(out) == 0 && good ? 0 : 1;
}
