// SPDX-License-Identifier: MIT
//
// What the command does, in a program: a starter model is checked, run into a folder of results,
// drawn, reported, and run by two methods side by side. Files go to the current folder.

#include <stdio.h>
#include <tenon/tenon.h>

static int complain(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, tn_last_error());
    return 1;
}

static tn_status look_at(const char *path)
{
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_along along;
    tn_status s = tn_model_load(path, &model, &simulate);
    if (s == TN_OK)
        s = tn_check_along(model, &simulate.options, 0.5, &along);
    if (s == TN_OK)
        printf("%ld steps by %s, %d near-singular positions\n", along.steps, along.method,
               along.count);
    tn_model_destroy(model);
    return s;
}

static tn_status make_run(const char *path)
{
    tn_run_options options = tn_default_run();
    tn_run *run = NULL;
    options.out = "fourbar.results";
    options.replace = true; // what an earlier run has left
    options.require = "g<1e-9,energy<1e-4";
    tn_status s = tn_run_create(path, NULL, NULL, &options, &run);
    if (s == TN_OK)
        s = tn_run_open(run);
    if (s == TN_OK)
        s = tn_run_conclude(run, tn_run_simulate(run));
    if (s == TN_OK)
        printf("%s: %s, %d bounds not met\n", tn_run_about(run)->directory,
               tn_run_about(run)->status, tn_run_about(run)->nunmet);
    tn_run_destroy(run);
    return s;
}

static tn_status show_run(void)
{
    const char *names[] = {"crank.position", "*.force.x"};
    tn_plotted plotted = {0};
    tn_result *result = NULL;
    tn_status s = tn_result_open("fourbar.results", false, &result);
    if (s == TN_OK)
        s = tn_result_plot(result, 2, names, NULL, "fourbar.svg", &plotted);
    if (s == TN_OK)
        printf("%d channels of %ld rows in fourbar.svg\n", plotted.nchannel, plotted.rows);
    if (s == TN_OK && tn_report_check() == TN_OK) // built with the page
        s = tn_report_write(result, NULL, (tn_teller){0}, NULL);
    tn_plotted_free(&plotted);
    tn_result_close(result);
    return s;
}

static tn_status compare_methods(const char *path)
{
    tn_compare_options options = tn_default_compare();
    tn_compare *compare = NULL;
    tn_model *model = NULL;
    tn_simulate simulate;
    options.methods = "bdf/ggl,radau5/ggl";
    options.tols = "1e-4,1e-6";
    tn_status s = tn_model_load(path, &model, &simulate);
    if (s == TN_OK)
        s = tn_compare_create(model, &simulate, &options, &compare);
    if (s == TN_OK)
        s = tn_compare_run(compare);
    for (int i = 0; s == TN_OK && i < tn_compare_found(compare).nseries; i++) {
        const tn_series *series = &tn_compare_found(compare).series[i];
        const tn_trial *last = &series->trials.at[series->trials.count - 1];
        printf("%-12s %6ld evaluations, error of lambda below 1e-3: %s\n", series->method,
               last->ledger.evaluations, last->error.lambda < 1e-3 ? "yes" : "no");
    }
    tn_compare_destroy(compare);
    tn_model_destroy(model);
    return s;
}

int main(void)
{
    if (tn_starter_write(tn_help_starter(1), "fourbar.yaml", true) != TN_OK)
        return complain("fourbar.yaml");
    if (look_at("fourbar.yaml") != TN_OK || make_run("fourbar.yaml") != TN_OK)
        return complain("the run");
    if (show_run() != TN_OK)
        return complain("the pictures");
    return compare_methods("fourbar.yaml") == TN_OK ? 0 : complain("the comparison");
}
