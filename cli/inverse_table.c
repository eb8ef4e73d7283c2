// SPDX-License-Identifier: MIT
//
// The table of `tenon inverse`; see inverse_table.h.

#include "inverse_table.h"

#include "base/alloc.h"
#include "base/number.h"
#include "io/target.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z"};

static tn_status no_memory(void)
{
    return tn_fail(TN_ERR_MEMORY, "out of memory for the rows of inverse dynamics");
}

// Columns

// Takes the name and the unit.
static tn_status add_column(cli_inverse_table *t, char *name, char *unit)
{
    const cli_inverse_column column = {name, unit};

    if (name && unit && tn_array_push(&t->columns, column) == TN_OK)
        return TN_OK;
    tn_free(name);
    tn_free(unit);
    return no_memory();
}

static tn_status add_coordinates(cli_inverse_table *t, int joint)
{
    static const char *const levels[] = {"coordinates", "rates", "accelerations"};
    static const char *const per[] = {"", "/s", "/s^2"};
    const tn_joint_data *data = &t->model->joints.at[joint];

    for (int k = 0; k < TN_COUNT(levels); k++)
        for (int i = 0; i < data->ops->ncoord; i++)
            TN_TRY(add_column(
                t, tn_format("%s.%s.%s", data->name, levels[k], data->ops->coords[i].name),
                tn_format("%s%s", data->ops->coords[i].unit, per[k])));
    return TN_OK;
}

static tn_status add_reactions(cli_inverse_table *t, int joint)
{
    const char *name = t->model->joints.at[joint].name;

    for (int i = 0; i < 3; i++)
        TN_TRY(add_column(t, tn_format("%s.force.%s", name, axes[i]), tn_strdup("N")));
    for (int i = 0; i < 3; i++)
        TN_TRY(add_column(t, tn_format("%s.torque.%s", name, axes[i]), tn_strdup("N m")));
    return TN_OK;
}

static tn_status add_columns(cli_inverse_table *t)
{
    const int joints = tn_model_joint_count(t->model);

    TN_TRY(add_column(t, tn_strdup("time"), tn_strdup("s")));
    for (int j = 0; j < joints; j++)
        TN_TRY(add_coordinates(t, j));
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        const char *name = tn_inverse_motor_name(t->inverse, k);
        TN_TRY(add_column(t, tn_format("%s.effort", name),
                          tn_strdup(tn_inverse_motor_unit(t->inverse, k))));
        TN_TRY(add_column(t, tn_format("%s.power", name), tn_strdup("W")));
    }
    for (int j = 0; t->reactions && j < joints; j++)
        TN_TRY(add_reactions(t, j));
    TN_TRY(add_column(t, tn_strdup("energy.kinetic"), tn_strdup("J")));
    return add_column(t, tn_strdup("energy.potential"), tn_strdup("J"));
}

tn_status cli_inverse_begin(cli_inverse_table *t, const tn_model *model, const tn_inverse *inverse,
                            bool reactions)
{
    const size_t motors = (size_t)tn_inverse_motor_count(inverse) + 1;

    *t = (cli_inverse_table){.model = model, .inverse = inverse, .reactions = reactions};
    t->motor = tn_alloc(motors * sizeof *t->motor);
    t->before = tn_alloc(motors * sizeof *t->before);
    return t->motor && t->before ? add_columns(t) : no_memory();
}

void cli_inverse_free(cli_inverse_table *t)
{
    for (int i = 0; i < t->columns.count; i++) {
        tn_free(t->columns.at[i].name);
        tn_free(t->columns.at[i].unit);
    }
    tn_array_free(&t->columns);
    tn_array_free(&t->values);
    tn_free(t->motor);
    tn_free(t->before);
}

// Rows

static tn_status put(cli_inverse_table *t, double value)
{
    return tn_array_push(&t->values, value) == TN_OK ? TN_OK : no_memory();
}

static tn_status put_vec3(cli_inverse_table *t, tn_vec3 v)
{
    TN_TRY(put(t, v.x));
    TN_TRY(put(t, v.y));
    return put(t, v.z);
}

static tn_status put_coordinates(cli_inverse_table *t, int joint)
{
    double level[3][TN_JOINT_MAX_COORDS];
    const int n =
        tn_inverse_joint_coordinates(t->inverse, (tn_joint){joint}, level[0], level[1], level[2]);

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            TN_TRY(put(t, level[k][i]));
    return TN_OK;
}

// Work by the trapezoidal rule.
static void note_motor(cli_inverse_table *t, int k, double interval)
{
    const tn_motor_state now = tn_inverse_motor(t->inverse, k);
    cli_inverse_motor *m = &t->motor[k];

    if (fabs(now.effort) > fabs(m->max_effort)) {
        m->max_effort = now.effort;
        m->max_effort_time = tn_inverse_time(t->inverse);
    }
    if (fabs(now.power) > fabs(m->max_power)) {
        m->max_power = now.power;
        m->max_power_time = tn_inverse_time(t->inverse);
    }
    m->rms_effort += now.effort * now.effort;
    m->rms_power += now.power * now.power;
    if (t->rows > 0)
        m->work += 0.5 * interval * (now.power + t->before[k]);
    t->before[k] = now.power;
}

tn_status cli_inverse_row(cli_inverse_table *t)
{
    const int last = t->values.count - t->columns.count, joints = tn_model_joint_count(t->model);
    const double time = tn_inverse_time(t->inverse);
    const double interval = t->rows > 0 ? time - t->values.at[last] : 0.0;
    const tn_inverse_energy energy = tn_inverse_energies(t->inverse);

    TN_TRY(put(t, time));
    for (int j = 0; j < joints; j++)
        TN_TRY(put_coordinates(t, j));
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        TN_TRY(put(t, tn_inverse_motor(t->inverse, k).effort));
        TN_TRY(put(t, tn_inverse_motor(t->inverse, k).power));
        note_motor(t, k, interval);
    }
    for (int j = 0; t->reactions && j < joints; j++) {
        const tn_wrench w = tn_inverse_joint_reaction(t->inverse, (tn_joint){j});
        TN_TRY(put_vec3(t, w.f));
        TN_TRY(put_vec3(t, w.m));
    }
    TN_TRY(put(t, energy.kinetic));
    TN_TRY(put(t, energy.potential));
    t->least_norm |= tn_inverse_is_least_norm(t->inverse);
    t->missed = fmax(t->missed, tn_inverse_missed(t->inverse));
    t->rows++;
    return TN_OK;
}

void cli_inverse_end(cli_inverse_table *t)
{
    for (int k = 0; k < tn_inverse_motor_count(t->inverse) && t->rows > 0; k++) {
        t->motor[k].rms_effort = sqrt(t->motor[k].rms_effort / t->rows);
        t->motor[k].rms_power = sqrt(t->motor[k].rms_power / t->rows);
    }
}

// Output

// A field that holds a comma or a quote goes into quotes, its own quotes doubled (RFC 4180).
static void print_name(FILE *file, const cli_inverse_column *column)
{
    const bool quote = strpbrk(column->name, ",\"\n") != NULL;

    if (quote)
        fputc('"', file);
    for (const char *c = column->name; *c; c++) {
        if (*c == '"')
            fputc('"', file);
        fputc(*c, file);
    }
    fprintf(file, " [%s]%s", column->unit, quote ? "\"" : "");
}

static void print_rows(FILE *file, const cli_inverse_table *t)
{
    char digits[TN_NUMBER_SIZE];
    const int n = t->columns.count;

    for (int i = 0; i < n; i++) {
        print_name(file, &t->columns.at[i]);
        fputc(i + 1 < n ? ',' : '\n', file);
    }
    for (int k = 0; k < t->rows * n; k++) {
        tn_number_text(t->values.at[k], digits);
        fprintf(file, "%s%c", digits, (k + 1) % n ? ',' : '\n');
    }
}

tn_status cli_inverse_csv(const cli_inverse_table *t, const char *path)
{
    tn_target target;

    tn_status s = tn_target_open(path, &target);
    if (s == TN_OK) {
        print_rows(target.file, t);
        s = tn_target_close(&target, TN_OK);
    }
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// Work that cancels over a closed motion leaves round-off, which says nothing.
static double work_to_print(const cli_inverse_table *t, const cli_inverse_motor *m)
{
    const double last = t->values.at[(t->rows - 1) * t->columns.count], first = t->values.at[0];

    return fabs(m->work) > 1e-12 * m->rms_power * (last - first) ? m->work : 0.0;
}

void cli_inverse_print(const cli_inverse_table *t)
{
    const int motors = tn_inverse_motor_count(t->inverse);
    int width = 5;

    if (motors == 0)
        return;
    for (int k = 0; k < motors; k++) {
        const int length = (int)strlen(tn_inverse_motor_name(t->inverse, k));
        width = length > width ? length : width;
    }
    printf("\n%-*s  unit    max effort  at t [s]         rms   max power [W]  at t [s]         rms"
           "    work [J]\n",
           width, "motor");
    for (int k = 0; k < motors; k++) {
        const cli_inverse_motor *m = &t->motor[k];
        printf("%-*s  %-4s  %12.6g  %8.4g  %10.5g  %14.6g  %8.4g  %10.5g  %10.5g\n", width,
               tn_inverse_motor_name(t->inverse, k), tn_inverse_motor_unit(t->inverse, k),
               m->max_effort, m->max_effort_time, m->rms_effort, m->max_power, m->max_power_time,
               m->rms_power, work_to_print(t, m));
    }
}

static void put_motors(tn_json *json, const cli_inverse_table *t)
{
    tn_json_begin_array(json, "motors");
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        const cli_inverse_motor *m = &t->motor[k];
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", tn_inverse_motor_name(t->inverse, k));
        tn_json_string(json, "unit", tn_inverse_motor_unit(t->inverse, k));
        tn_json_number(json, "max_effort", m->max_effort);
        tn_json_number(json, "max_effort_time", m->max_effort_time);
        tn_json_number(json, "rms_effort", m->rms_effort);
        tn_json_number(json, "max_power", m->max_power);
        tn_json_number(json, "max_power_time", m->max_power_time);
        tn_json_number(json, "rms_power", m->rms_power);
        tn_json_number(json, "work", m->work);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

tn_status cli_inverse_json(const cli_inverse_table *t, tn_json *json)
{
    const int n = t->columns.count;
    double *values = tn_alloc(((size_t)t->rows + 1) * sizeof *values);

    if (!values)
        return no_memory();
    put_motors(json, t);
    tn_json_integer(json, "rows", t->rows);
    tn_json_begin_array(json, "columns");
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < t->rows; k++)
            values[k] = t->values.at[k * n + i];
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", t->columns.at[i].name);
        tn_json_string(json, "unit", t->columns.at[i].unit);
        tn_json_numbers(json, "values", t->rows, values);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_free(values);
    return TN_OK;
}
