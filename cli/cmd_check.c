// SPDX-License-Identifier: MIT
//
// tenon check: what can be said of a model before it moves. Freedoms, rank,
// redundant rows, reactions that the equations do not determine, and what the
// initialisation moved.

#include "cli.h"
#include "model/joint.h"
#include "tenon/analysis.h"

static int run(int argc, char **argv);

const cli_command cmd_check = {
    .name = "check",
    .summary = "freedoms, rank, redundancy and start values of a model",
    .usage = "check MODEL [--json]",
    .text = "Assembles the model and analyses its constraints at the start. A "
            "model that cannot be\n"
            "assembled or whose constraints contradict each other ends with "
            "code 2 and the reason.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .run = run,
};

// Text --------------------------------------------------------------------------------------------

static void print_redundant(const tn_model *model, const tn_check *check)
{
    printf("redundant rows   %d\n", tn_check_redundant_count(check));
    for (int i = 0; i < tn_check_redundant_count(check); i++) {
        const tn_redundant r = tn_check_redundant(check, i);
        printf("    joint '%s', row %s repeats joint%s", tn_joint_name(model, r.joint), r.row_name,
               r.nrepeats == 1 ? "" : "s");
        for (int k = 0; k < r.nrepeats; k++)
            printf("%s '%s'", k ? "," : "", tn_joint_name(model, r.repeats[k]));
        printf("\n");
    }
}

static void print_not_unique(const tn_model *model, const tn_check *check)
{
    bool any = false;

    for (int j = 0; j < tn_model_joint_count(model); j++) {
        bool here = false;
        for (int i = 0; i < tn_joint_row_count(model, (tn_joint){j}); i++) {
            if (tn_check_unique(check, (tn_joint){j}, i))
                continue;
            if (!any)
                printf("reactions        not determined by the equations (runs report "
                       "those of "
                       "minimum norm):\n");
            if (!here)
                printf("    joint '%s', rows ", tn_joint_name(model, (tn_joint){j}));
            printf("%s%s", here ? ", " : "", tn_constraint_row_name(model, j, i));
            any = here = true;
        }
        if (here)
            printf("\n");
    }
    if (!any)
        printf("reactions        all determined by the equations\n");
}

static void print_moved(const tn_model *model, const tn_check *check)
{
    const int n = tn_check_moved_count(check);

    printf("initialisation   %s\n", n ? "moved these bodies:" : "moved nothing");
    for (int i = 0; i < n; i++) {
        const tn_moved m = tn_check_moved(check, i);
        printf("    body '%s': by %.3g m and %.3g rad, velocity by %.3g m/s and "
               "%.3g rad/s\n",
               tn_body_name(model, m.body), m.position, m.rotation, m.velocity, m.rate);
    }
}

static void print_report(const char *path, const tn_model *model, const tn_check *check)
{
    printf("%s: consistent\n\n", path);
    printf("bodies           %d\n", tn_model_body_count(model) - 1);
    printf("joints           %d\n", tn_model_joint_count(model));
    printf("forces           %d\n", tn_model_force_count(model));
    printf("coordinates      %d\n", tn_check_coordinates(check));
    printf("constraint rows  %d of rank %d\n", tn_check_rows(check), tn_check_rank(check));
    printf("freedoms         %d\n", tn_check_freedoms(check));
    print_redundant(model, check);
    print_not_unique(model, check);
    printf("residual         max |g| %.3g after assembly\n", tn_check_residual(check));
    printf("condition        %.3g\n", tn_check_condition(check));
    print_moved(model, check);
}

// JSON --------------------------------------------------------------------------------------------

static void put_redundant(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_begin_array(json, "redundant");
    for (int i = 0; i < tn_check_redundant_count(check); i++) {
        const tn_redundant r = tn_check_redundant(check, i);
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "joint", tn_joint_name(model, r.joint));
        tn_json_string(json, "row", r.row_name);
        tn_json_begin_array(json, "repeats");
        for (int k = 0; k < r.nrepeats; k++)
            tn_json_string(json, NULL, tn_joint_name(model, r.repeats[k]));
        tn_json_end_array(json);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static void put_unique(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_begin_object(json, "unique");
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        tn_json_begin_array(json, tn_joint_name(model, (tn_joint){j}));
        for (int i = 0; i < tn_joint_row_count(model, (tn_joint){j}); i++)
            tn_json_boolean(json, NULL, tn_check_unique(check, (tn_joint){j}, i));
        tn_json_end_array(json);
    }
    tn_json_end_object(json);
}

static void put_moved(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_begin_array(json, "moved");
    for (int i = 0; i < tn_check_moved_count(check); i++) {
        const tn_moved m = tn_check_moved(check, i);
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "body", tn_body_name(model, m.body));
        tn_json_number(json, "position", m.position);
        tn_json_number(json, "rotation", m.rotation);
        tn_json_number(json, "velocity", m.velocity);
        tn_json_number(json, "angular_velocity", m.rate);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static tn_status report_json(const char *path, const tn_model *model, const tn_check *check)
{
    tn_json *json = NULL;

    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "done");
    tn_json_string(json, "model", path);
    tn_json_integer(json, "bodies", tn_model_body_count(model) - 1);
    tn_json_integer(json, "joints", tn_model_joint_count(model));
    tn_json_integer(json, "forces", tn_model_force_count(model));
    tn_json_integer(json, "coordinates", tn_check_coordinates(check));
    tn_json_integer(json, "rows", tn_check_rows(check));
    tn_json_integer(json, "rank", tn_check_rank(check));
    tn_json_integer(json, "freedoms", tn_check_freedoms(check));
    put_redundant(json, model, check);
    tn_json_boolean(json, "consistent", true);
    tn_json_number(json, "residual", tn_check_residual(check));
    tn_json_number(json, "condition", tn_check_condition(check));
    put_moved(json, model, check);
    put_unique(json, model, check);
    tn_json_end_object(json);
    return cli_print_json(json);
}

// A model that could be read and not be assembled: what cli_end prints under
// --json, and that the constraints are to blame.
static int inconsistent(const char *path)
{
    tn_json *json = NULL;

    cli_message("%s", tn_last_error());
    if (tn_json_create(&json) != TN_OK)
        return CLI_MODEL;
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "error");
    tn_json_string(json, "message", tn_last_error());
    tn_json_string(json, "model", path);
    tn_json_boolean(json, "consistent", false);
    tn_json_end_object(json);
    cli_print_json(json);
    return CLI_MODEL;
}

static int check_model(const char *path)
{
    tn_model *model = NULL;
    tn_check *check = NULL;
    tn_simulate simulate;

    tn_status s = tn_model_load(path, &model, &simulate);
    const bool loaded = s == TN_OK;
    if (loaded)
        s = tn_check_model(model, &simulate.options, &check);
    if (s == TN_OK && cli_json())
        s = report_json(path, model, check);
    else if (s == TN_OK)
        print_report(path, model, check);
    const int code = loaded && s == TN_ERR_MODEL && cli_json() ? inconsistent(path) : cli_finish(s);

    tn_check_destroy(check);
    tn_model_destroy(model);
    return code;
}

static int run(int argc, char **argv)
{
    cli_args args;

    const tn_status s = cli_parse(&cmd_check, argc, argv, &args, NULL);
    return s == TN_OK ? check_model(args.word[0]) : cli_finish(s);
}
