// SPDX-License-Identifier: MIT
//
// tenon converge: errors and observed orders of methods on a model, over halved steps or falling
// tolerances.

#include "compare.h"

static const tn_param options[] = {CLI_STUDY_OPTIONS};

static int converge_main(int argc, char **argv);

const cli_command cmd_converge = {
    .name = "converge",
    .summary = "errors and observed orders over halved steps or tolerances",
    .usage = "converge MODEL [--methods a,b,...] [--steps LIST | --tols LIST] [--levels N] ...",
    .text = "Runs each method with falling steps or tolerances and compares positions and\n"
            "rotations (q), velocities (v) and multipliers (lambda) with a reference: a tight run\n"
            "of a method of high order, judged by a second one, or the results of --reference.\n"
            "Without --methods the method of the model is taken. Without --steps and --tols,\n"
            "methods that control their error get tolerances and the others steps. Where all\n"
            "steps are fixed the error is the largest at the steps that all runs share, else that\n"
            "at the end.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .instead = cli_study_instead,
    .noption = CLI_COUNT(options),
    .options = options,
    .run = converge_main,
};

static int converge_main(int argc, char **argv)
{
    cli_args args;
    cli_study study = {0};
    tn_compare_options wanted = tn_default_compare();
    wanted.converge = true;
    tn_status s = cli_parse(&cmd_converge, argc, argv, &args, &wanted);
    CLI_THEN(s, cli_study_make(&study, &cmd_converge, &args, &wanted));
    if (s == TN_OK && cli_json()) {
        s = cli_study_json(&study);
    } else if (s == TN_OK) {
        cli_study_print_head(&study);
        cli_study_print_orders(&study);
    }
    cli_study_free(&study);
    cli_args_free(&args);
    return cli_finish(s);
}
