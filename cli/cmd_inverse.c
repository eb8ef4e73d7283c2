// SPDX-License-Identifier: MIT
//
// tenon inverse: moves a mechanism as stated and finds the forces of its motors.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPTION(...) CLI_OPTION(tn_inverse_table_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("motion", motion, TEXT, "FILE.csv",
           "motions of joint coordinates: a line of names, time first, then numbers"),
    OPTION("from", from, TEXT, "DIR", "follow the motion of an earlier run, DIR or result.h5"),
    OPTION("trust", trust, BOOL, "", "read results without checksums all the same",
           .needs = "from"),
    OPTION("motors", motors, TEXT, "NAMES",
           "where the motors are, for example 'A,screw.angle'; all that is driven when left out"),
    OPTION("out", out, TEXT, "FILE.csv", "write a table of all times; -o for short"),
    OPTION("force", replace, BOOL, "", "replace the table that is there"),
    OPTION("reactions", reactions, BOOL, "", "with the forces and torques in the joints"),
    OPTION("t_start", t_start, NUMBER, "s", "begin; that of the motion or of the model"),
    OPTION("t_end", t_end, NUMBER, "s", "end; that of the motion or of the model"),
    OPTION("output", output, NUMBER, "s", "time between rows; that of the model, or 200 rows",
           .range = TN_POSITIVE),
    OPTION("tolerance", tolerance, NUMBER, "rad",
           "how far motions that contradict each other may be missed, lengths in sizes of the "
           "model; 1e-6, with --from 1e-3",
           .range = TN_POSITIVE),
    OPTION(
        "bounds", bounds, TEXT, "LIST",
        "bounds of the verdict, 'spacing<1e-3,work<1e-2'; 1e-2 of the largest effort for what the "
        "spacing of rows of --from costs, 1e-3 of the energy exchanged for works"),
};

// Output ------------------------------------------------------------------------------------------

// Work that cancels over a closed motion leaves round-off, which says nothing.
static double work_to_print(const tn_inverse_facts *t, const tn_motor_summary *m)
{
    const double last = t->values[(t->rows - 1) * t->ncolumn], first = t->values[0];
    return fabs(m->work) > 1e-12 * m->rms_power * (last - first) ? m->work : 0.0;
}

static void print_motors(const tn_inverse_facts *t)
{
    const int motors = t->nmotor;
    int width = 5;
    if (motors == 0)
        return;
    for (int k = 0; k < motors; k++) {
        const int length = (int)strlen(t->motors[k].name);
        width = length > width ? length : width;
    }
    printf("\n%-*s  unit    max effort  at t [s]         rms   max power [W]  at t [s]         rms"
           "    work [J]\n",
           width, "motor");
    for (int k = 0; k < motors; k++) {
        const tn_motor_summary *m = &t->motors[k];
        printf("%-*s  %-4s  %12.6g  %8.4g  %10.5g  %14.6g  %8.4g  %10.5g  %10.5g\n", width,
               t->motors[k].name, t->motors[k].unit, m->max_effort, m->max_effort_time,
               m->rms_effort, m->max_power, m->max_power_time, m->rms_power, work_to_print(t, m));
    }
}

static void put_motors(tn_json *json, const tn_inverse_facts *t)
{
    tn_json_begin_array(json, "motors");
    for (int k = 0; k < t->nmotor; k++) {
        const tn_motor_summary *m = &t->motors[k];
        tn_json_object(json, NULL,
                       "name %s unit %s max_effort %g max_effort_time %g rms_effort %g max_power "
                       "%g max_power_time %g rms_power %g work %g work_unsure %g",
                       t->motors[k].name, t->motors[k].unit, m->max_effort, m->max_effort_time,
                       m->rms_effort, m->max_power, m->max_power_time, m->rms_power, m->work,
                       m->unsure);
    }
    tn_json_end_array(json);
}

static void print_cmd_inverse(const tn_inverse_table *table, const char *path, const char *out)
{
    const tn_inverse_facts *t = tn_inverse_table_facts(table);
    printf("%s: %d freedom%s, %d motor%s, %g to %g s in %d rows\n", path, t->freedoms,
           CLI_S(t->freedoms), t->nmotor, CLI_S(t->nmotor), t->from, t->to, t->rows);
    cli_print_doubts(tn_inverse_table_verdict(table), 11);
    if (t->least_norm)
        printf("There are more motors than freedoms: efforts are those of least norm.\n");
    if (t->missed > 1e-9)
        printf("Motions are missed by %.3g at most.\n", t->missed);
    print_motors(t);
    cli_print_wrote(out, NULL);
}

static tn_status print_json(const tn_inverse_table *table, const char *path)
{
    const tn_inverse_facts *t = tn_inverse_table_facts(table);
    const tn_verdict *verdict = tn_inverse_table_verdict(table);
    tn_json *json = cli_json_begin();
    tn_status s = TN_OK;
    tn_json_put(json, "{ status %s model %s freedoms %d least_norm %i missed %g steps %ld",
                tn_outcome_word(verdict->outcome), path, t->freedoms, t->least_norm, t->missed,
                t->steps);
    tn_verdict_put(json, verdict);
    put_motors(json, t);
    tn_json_put(json, "rows %d columns [", t->rows);
    for (int i = 0; i < t->ncolumn; i++)
        CLI_THEN(s, cli_put_column(json, t->columns[i].name, t->columns[i].unit, t->rows,
                                   t->ncolumn, t->values + i));
    tn_json_put(json, "] }");
    return cli_end_json(json, s);
}

// Saves the results up to a failure; returns the reason of the failure.
static tn_status conclude(const tn_inverse_table *table, tn_status s, const char *path,
                          const char *out)
{
    const tn_inverse_facts *t = tn_inverse_table_facts(table);
    char reason[CLI_MESSAGE_SIZE];
    if (s != TN_OK) {
        snprintf(reason, sizeof reason, "%s", tn_last_error());
        if (out && t->rows > 0)
            tn_inverse_table_write(table, out);
        return tn_fail(s, "%s", reason);
    }
    s = out ? tn_inverse_table_write(table, out) : TN_OK;
    CLI_TRY(cli_of_target(s));
    if (cli_json())
        return print_json(table, path);
    print_cmd_inverse(table, path, out);
    return TN_OK;
}

static tn_status inverse(cli_args *args)
{
    tn_inverse_table_options own = tn_default_inverse_table(), *wanted = &own;
    CLI_TRY(cli_parse(args, wanted));
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_inverse_table *table = NULL;
    wanted->model_path = args->word[0];
    wanted->teller.tell = cli_tell;
    tn_status s = cli_load_held(args, NAN, &model, &simulate);
    CLI_THEN(s, tn_inverse_table_create(model, &simulate, wanted, &table));
    CLI_THEN(s, conclude(table, tn_inverse_table_follow(table), args->word[0], wanted->out));
    if (table)
        args->verdict = *tn_inverse_table_verdict(table);
    tn_inverse_table_destroy(table);
    tn_model_destroy(model);
    return s;
}

const cli_command cmd_inverse = {
    .name = "inverse",
    .summary = "motor forces of a mechanism that moves as told",
    .usage = "inverse MODEL [--motion FILE.csv | --from DIR] [--motors NAMES] [-o FILE.csv] ...",
    .text =
        "What moves the mechanism are the drives of the model, and the motions of a file or of\n"
        "an earlier run; together they must leave no freedom. Each of them is a motor, or\n"
        "--motors names joints, coordinates (JOINT.COORDINATE), drives or motors of the model\n"
        "instead. Where there are more motors than freedoms the efforts are those of least\n"
        "norm. A motion that cannot be followed, a singular position or a force that no motor\n"
        "can give ends with code 3, its time and its reason; rows up to there are written.",
    CLI_ONE_MODEL,
    CLI_OPTIONS(options),
    .run = inverse,
};
