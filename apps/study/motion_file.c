// SPDX-License-Identifier: MIT
//
// Motions from files; see motion_file.h.

#include "study/motion_file.h"

#include "base/alloc.h"
#include "base/array.h"
#include "model/model.h"
#include "result/result.h"
#include "text/lines.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BEYOND = 8 }; // points added at each end: the lack of curvature decays by 0.27 in each

// Names -------------------------------------------------------------------------------------------

static int coordinate_of(const tn_joint_data *joint, const char *name)
{
    for (int i = 0; i < joint->ops->ncoord; i++)
        if (strcmp(joint->ops->coords[i].name, name) == 0)
            return i;
    return -1;
}

static tn_status fail_coordinate(const tn_joint_data *joint, const char *name, const char *what)
{
    char known[128] = "";
    size_t used = 0;
    for (int i = 0; i < joint->ops->ncoord && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s.%s", i ? ", " : "",
                                 joint->name, joint->ops->coords[i].name);
    if (joint->ops->ncoord == 0)
        return tn_fail(TN_ERR_USAGE, "%s: joint '%s' (%s) has no coordinate", what, joint->name,
                       joint->ops->name);
    return tn_fail(TN_ERR_USAGE, "%s: '%s' is no coordinate of joint '%s'; take %s", what, name,
                   joint->name, known);
}

// Names of joints may hold dots: the longest beginning that is one counts.
static int joint_before_dot(const tn_model *model, const char *name, const char **rest)
{
    char joint[256];
    for (size_t n = strlen(name); n-- > 0;) {
        if (name[n] != '.' || n >= sizeof joint)
            continue;
        snprintf(joint, n + 1, "%s", name);
        const int found = tn_model_find_joint(model, joint).index;
        *rest = name + n + 1;
        if (found >= 0)
            return found;
    }
    return -1;
}

static tn_status find_coordinate(const tn_model *model, const char *name, const char *what,
                                 tn_joint *joint, int *coordinate)
{
    const char *rest = "";
    *coordinate = 0;
    joint->index = tn_model_find_joint(model, name).index;
    if (joint->index >= 0) {
        const tn_joint_data *data = &model->joints.at[joint->index];
        return data->ops->ncoord == 1 ? TN_OK : fail_coordinate(data, name, what);
    }
    joint->index = joint_before_dot(model, name, &rest);
    if (joint->index < 0)
        return tn_fail(TN_ERR_USAGE, "%s: there is no joint '%s'; %s", what, name,
                       tn_table_hint(model->joint_names, name).text);
    *coordinate = coordinate_of(&model->joints.at[joint->index], rest);
    return *coordinate >= 0 ? TN_OK : fail_coordinate(&model->joints.at[joint->index], rest, what);
}

tn_status tn_motion_coordinate(const tn_model *model, const char *name, const char *what,
                               tn_joint *joint, int *coordinate)
{
    char *today = tn_name_of_today(name);
    const tn_status s = find_coordinate(model, today ? today : name, what, joint, coordinate);
    tn_free(today);
    return s;
}

// Tables ------------------------------------------------------------------------------------------

void tn_motion_clear(tn_motion_file *file)
{
    TN_FREE(file->motions, file->points, file->source, file->model);
    *file = (tn_motion_file){0};
}

// Puts a column of n values into a table, times if `times` is NULL, with points beyond its ends.
static void motion_file_extend(int n, int beyond, const double *times, const double *column,
                               double *table)
{
    memcpy(table + beyond, column, (size_t)n * sizeof *column);
    for (int k = 1; k <= beyond; k++) {
        const double *t = times ? times : column;
        const double before = t[0] - k * (t[1] - t[0]);
        const double after = t[n - 1] + k * (t[n - 1] - t[n - 2]);
        table[beyond - k] = times ? tn_value_through(4, t, column, before) : before;
        table[beyond + n - 1 + k] =
            times ? tn_value_through(4, t + n - 4, column + n - 4, after) : after;
    }
}

// From columns of n numbers each, the times first; out->motions are there. `before`: so many of
// them are beyond the ends already.
static tn_status make_tables(const char *path, int n, const double *columns, int before,
                             tn_motion_file *out)
{
    const int beyond = n >= 4 && before == 0 ? BEYOND : 0;
    const size_t length = (size_t)(n + 2 * beyond);
    out->points = tn_alloc(length * (size_t)(out->nmotion + 1) * sizeof(double));
    TN_TRY(tn_got(out->points));
    out->from = columns[before];
    out->to = columns[n - 1 - before];
    motion_file_extend(n, beyond, NULL, columns, out->points);
    for (int k = 0; k < out->nmotion; k++) {
        double *table = out->points + (size_t)(k + 1) * length;
        motion_file_extend(n, beyond, columns, columns + (size_t)(k + 1) * (size_t)n, table);
        out->motions[k].motion = (tn_function){.n = (int)length, .t = out->points, .u = table};
    }
    return TN_OK;
}

static tn_status motion_file_add_motion(tn_motion_file *out, int capacity, tn_joint joint,
                                        int coordinate)
{
    if (!out->motions)
        out->motions = tn_alloc(sizeof(tn_motion) * (size_t)(capacity + 1));
    TN_TRY(tn_got(out->motions));
    TN_ASSERT(out->nmotion < capacity);
    out->motions[out->nmotion++] = (tn_motion){.joint = joint, .coordinate = coordinate};
    return TN_OK;
}

// Text --------------------------------------------------------------------------------------------

typedef struct {
    tn_lines lines;
    int columns;
    char between;            // fields
    TN_ARRAY(double) values; // row by row
} scan;

static void cut_unit(char *name)
{
    char *unit = strstr(name, " [");
    if (unit && name[strlen(name) - 1] == ']')
        *unit = '\0';
}

static tn_status read_names(scan *s, const tn_model *model, tn_motion_file *out)
{
    char what[1024];
    bool more = true;
    if (!tn_lines_row(&s->lines))
        return tn_fail(TN_ERR_FILE,
                       "%s is empty; the first line names the columns: time, then joints",
                       s->lines.path);
    const char *line = s->lines.at;
    s->between = strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : '\t';
    s->columns = 1;
    for (const char *c = line; *c; c++)
        s->columns += *c == s->between;
    snprintf(what, sizeof what, "%s:%d", s->lines.path, s->lines.line);
    char *name = tn_lines_field(&s->lines, s->between, &more);
    cut_unit(name);
    if (strcmp(name, "time") != 0 && strcmp(name, "t") != 0)
        return tn_fail(TN_ERR_FILE, "%s: the first column must be 'time', found '%s'", what, name);
    while ((name = tn_lines_field(&s->lines, s->between, &more))) {
        tn_joint joint;
        int coordinate;
        cut_unit(name);
        if (tn_motion_coordinate(model, name, what, &joint, &coordinate) != TN_OK)
            return TN_ERR_FILE;
        TN_TRY(motion_file_add_motion(out, s->columns, joint, coordinate));
    }
    if (s->columns < 2)
        return tn_fail(TN_ERR_FILE, "%s: there is no column beside the time; name joints", what);
    return TN_OK;
}

static tn_status read_row(scan *s)
{
    bool more = true;
    int n = 0;
    double value = 0.0;
    for (char *field; (field = tn_lines_field(&s->lines, s->between, &more)); n++) {
        if (!tn_number_from_text(field, &value) || !isfinite(value))
            return tn_lines_fail(&s->lines, "column %d: expected a number, found '%s'", n + 1,
                                 field);
        if (n == 0 && s->values.count > 0 && !(value > s->values.at[s->values.count - s->columns]))
            return tn_lines_fail(&s->lines, "the time %.10g s does not follow %.10g s", value,
                                 s->values.at[s->values.count - s->columns]);
        TN_TRY(tn_array_push(&s->values, value));
    }
    if (n != s->columns)
        return tn_lines_fail(&s->lines, "%d column%s, but %d names", n, n == 1 ? "" : "s",
                             s->columns);
    return TN_OK;
}

static tn_status read_table(scan *s, const tn_model *model, tn_motion_file *out)
{
    TN_TRY(read_names(s, model, out));
    while (tn_lines_row(&s->lines))
        TN_TRY(read_row(s));
    const int n = s->values.count / s->columns;
    if (n < 2)
        return tn_fail(TN_ERR_FILE, "%s: a motion needs two lines of numbers at least, found %d",
                       s->lines.path, n);
    double *columns = tn_alloc((size_t)s->values.count * sizeof(double));
    TN_TRY(tn_got(columns));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s->columns; k++)
            columns[(size_t)k * (size_t)n + (size_t)i] = s->values.at[i * s->columns + k];
    const tn_status status = make_tables(s->lines.path, n, columns, 0, out);
    tn_free(columns);
    return status;
}

tn_status tn_motion_read(const char *path, const tn_model *model, tn_motion_file *out)
{
    scan s = {0};
    *out = (tn_motion_file){0};
    tn_status status = tn_lines_open(path, &s.lines);
    TN_THEN(status, read_table(&s, model, out));
    tn_array_free(&s.values);
    tn_lines_close(&s.lines);
    if (status != TN_OK)
        tn_motion_clear(out);
    return status;
}

// Results -----------------------------------------------------------------------------------------

static bool is_driven(const tn_model *model, int joint, int coordinate)
{
    for (int j = 0; j < model->joints.count; j++) {
        tn_driven driven;
        if (tn_joint_drives(&model->joints.at[j], &driven) && driven.joint.index == joint &&
            driven.coordinate == coordinate)
            return true;
    }
    return false;
}

static tn_status read_column(tn_result *result, const tn_model *model, const tn_motion *motion,
                             const char *of, long rows, double *column)
{
    const tn_joint_data *joint = &model->joints.at[motion->joint.index];
    char name[512];
    int channel;
    snprintf(name, sizeof name, "%s.%s%s", joint->name, joint->ops->coords[motion->coordinate].name,
             of);
    TN_TRY(tn_result_find(result, name, &channel));
    return tn_result_read(result, channel, 0, rows, column);
}

// A row at the time of the one before it, as an event leaves it, is left out of all columns.
static int drop_repeated(int rows, int columns, double *values)
{
    const double *t = values;
    int n = 0;
    for (int i = 0; i < rows; i++)
        if (n == 0 || t[i] > t[n - 1]) {
            for (int k = 0; k < columns; k++)
                values[(size_t)k * (size_t)rows + (size_t)n] =
                    values[(size_t)k * (size_t)rows + (size_t)i];
            n++;
        }
    for (int k = 1; k < columns; k++)
        memmove(values + (size_t)k * (size_t)n, values + (size_t)k * (size_t)rows,
                (size_t)n * sizeof *values);
    return n;
}

// A row has the time, then value, rate and acceleration of each motion. The polynomial of degree
// five through two of them follows the motion that was run: of one that goes by w the acceleration
// is off by (w h)^4/1900, where a spline through values alone has (w h)^2/12. Where rows are close
// the spline is the better one: rates and accelerations of methods of low order are not those of
// their positions, by what makes noise of h^-2. Both report their errors before they are made: a
// spline has the curvature M with
//
//   (h_0 M_0 + 2 (h_0 + h_1) M_1 + h_1 M_2)/6 = (x_2 - x_1)/h_1 - (x_1 - x_0)/h_0,
//
// and the polynomial the acceleration (3/2) (v_1 - v_0)/h - (a_0 + a_1)/4 in the middle, and on
// both sides of it 5.8/h^2 of what x_1 - x_0 is off h (v_0 + v_1)/2 + h^2 (a_0 - a_1)/12.
static double spline_misses(int n, const double *t, const double *x, const double *a)
{
    double most = 0.0;
    for (int i = 1; i < n - 1; i++) {
        const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
        const double bend = (x[i + 1] - x[i]) / h1 - (x[i] - x[i - 1]) / h0;
        const double off = (h0 * a[i - 1] + 2.0 * (h0 + h1) * a[i] + h1 * a[i + 1]) / 6.0 - bend;
        most = fmax(most, fabs(off) / (0.5 * (h0 + h1)));
    }
    return n > 2 ? most : INFINITY;
}

static double polynomial_misses(int n, const double *t, const double *x, const double *v,
                                const double *a)
{
    double most = 0.0;
    for (int i = 1; i < n - 2; i++) {
        const double h = t[i + 1] - t[i];
        const double middle = 1.5 * (v[i + 1] - v[i]) / h - 0.25 * (a[i] + a[i + 1]);
        const double smooth = (9.0 * (a[i] + a[i + 1]) - a[i - 1] - a[i + 2]) / 16.0;
        const double off =
            x[i + 1] - x[i] - 0.5 * h * (v[i] + v[i + 1]) - h * h * (a[i] - a[i + 1]) / 12.0;
        most = fmax(most, fmax(fabs(middle - smooth), 5.8 * fabs(off) / (h * h)));
    }
    return most;
}

static bool spline_is_better(int n, int nmotion, const double *columns)
{
    double spline = 0.0, polynomial = 0.0;
    for (int k = 0; k < nmotion; k++) {
        const double *x = columns + (size_t)(1 + 3 * k) * (size_t)n, *v = x + n, *a = v + n;
        double most = 0.0;
        for (int i = 0; i < n; i++)
            most = fmax(most, fabs(a[i]));
        spline += most > 0.0 ? spline_misses(n, columns, x, a) / most : 0.0;
        polynomial += most > 0.0 ? polynomial_misses(n, columns, x, v, a) / most : 0.0;
    }
    return spline < polynomial;
}

static double between_rows(const double *a, const double *b, double h, double s)
{
    const double r = 1.0 - s;
    const double value[2] = {r * r * r * (1.0 + 3.0 * s + 6.0 * s * s),
                             s * s * s * (1.0 + 3.0 * r + 6.0 * r * r)};
    const double rate[2] = {r * r * r * s * (1.0 + 3.0 * s), -s * s * s * r * (1.0 + 3.0 * r)};
    const double bend[2] = {0.5 * r * r * r * s * s, 0.5 * s * s * s * r * r};
    return value[0] * a[0] + value[1] * b[0] + h * (rate[0] * a[1] + rate[1] * b[1]) +
           h * h * (bend[0] * a[2] + bend[1] * b[2]);
}

// So many points between rows that their spline adds little, and no more than would be slow.
static int points_between(int rows)
{
    enum { FINE = 8, MOST = 400000 };
    const int fit = MOST / rows;
    return fit < 1 ? 1 : fit < FINE ? fit : FINE;
}

// columns: times, then value, rate and acceleration of each motion, n numbers each.
static tn_status fill_between(const char *path, int n, const double *columns, tn_motion_file *out)
{
    const int parts = points_between(n), inside = (n - 1) * parts, fine = inside + 1 + 2 * BEYOND;
    double *table = tn_alloc((size_t)fine * (size_t)(out->nmotion + 1) * sizeof(double));
    TN_TRY(tn_got(table));
    for (int i = 0; i < fine; i++) {
        const int at = i - BEYOND, row = at < 0 ? 0 : at < inside ? at / parts : n - 2;
        const double h = columns[row + 1] - columns[row], s = (double)(at - row * parts) / parts;
        table[i] = at == inside ? columns[n - 1] : columns[row] + s * h;
        for (int k = 0; k < out->nmotion; k++) {
            double end[2][3];
            for (int j = 0; j < 6; j++)
                end[j / 3][j % 3] =
                    columns[(size_t)(1 + 3 * k + j % 3) * (size_t)n + (size_t)(row + j / 3)];
            table[(size_t)(k + 1) * (size_t)fine + (size_t)i] = between_rows(end[0], end[1], h, s);
        }
    }
    const tn_status status = make_tables(path, fine, table, BEYOND, out);
    tn_free(table);
    return status;
}

// Every second row and the last one.
static int thin_rows(int rows, int columns, double *values)
{
    const int n = rows / 2 + 1;
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < n; i++)
            values[(size_t)k * (size_t)n + (size_t)i] =
                values[(size_t)k * (size_t)rows + (size_t)(2 * i < rows ? 2 * i : rows - 1)];
    return n;
}

// Columns of `each` numbers of every motion, behind the times.
static tn_status read_columns(tn_result *result, const tn_model *model, const tn_motion_file *file,
                              int each, long rows, double *columns)
{
    static const char *const of[] = {"", ".rate", ".acceleration"};
    TN_TRY(tn_result_time(result, 0, rows, columns));
    for (int k = 0; k < each * file->nmotion; k++)
        TN_TRY(read_column(result, model, &file->motions[k / each], of[k % each], rows,
                           columns + (k + 1) * rows));
    return TN_OK;
}

// Results of older versions may lack rates.
static tn_status read_result(tn_result *result, const char *path, bool coarse,
                             const tn_model *model, tn_motion_file *out)
{
    const long rows = tn_result_rows(result);
    int each = 3;
    if (rows < 2 || rows > 10000000)
        return tn_fail(TN_ERR_FILE, "%s holds %ld rows; a motion needs 2 to 10000000", path, rows);
    const int most = TN_JOINT_MAX_COORDS * model->joints.count;
    for (int j = 0; j < model->joints.count; j++)
        for (int i = 0; i < model->joints.at[j].ops->ncoord; i++)
            if (!is_driven(model, j, i))
                TN_TRY(motion_file_add_motion(out, most, (tn_joint){j}, i));
    double *columns = tn_alloc((size_t)rows * (size_t)(each * out->nmotion + 1) * sizeof(double));
    tn_status s = tn_got(columns);
    TN_THEN(s, read_columns(result, model, out, each, rows, columns));
    if (columns && s != TN_OK) {
        each = 1;
        s = read_columns(result, model, out, each, rows, columns);
    }
    if (s == TN_OK) {
        const int width = each * out->nmotion + 1;
        int n = drop_repeated((int)rows, width, columns);
        const bool spline = each == 1 || spline_is_better(n, out->nmotion, columns);
        out->degree_five = !spline;
        if (coarse && n > 2)
            n = thin_rows(n, width, columns);
        for (int k = 1; k < out->nmotion && spline && each > 1; k++)
            memmove(columns + (size_t)(1 + k) * (size_t)n,
                    columns + (size_t)(1 + each * k) * (size_t)n, (size_t)n * sizeof *columns);
        s = n < 2    ? tn_fail(TN_ERR_FILE, "%s holds one time only", path)
            : spline ? make_tables(path, n, columns, 0, out)
                     : fill_between(path, n, columns, out);
    }
    tn_free(columns);
    return s;
}

tn_status tn_motion_from_result(const char *path, bool trust, bool coarse, const tn_model *model,
                                tn_motion_file *out)
{
    tn_result *result = NULL;
    *out = (tn_motion_file){0};
    TN_TRY(tn_result_open(path, trust, &result));
    tn_status s = read_result(result, path, coarse, model, out);
    const char *source = tn_result_source(result);
    out->source = tn_strdup(source);
    out->model = tn_strdup(tn_result_about(result)->model);
    if (s == TN_OK && (!out->model || (source && !out->source)))
        s = tn_got(false);
    tn_result_close(result);
    if (s != TN_OK)
        tn_motion_clear(out);
    return s;
}
