// SPDX-License-Identifier: MIT
//
// Motions from files; see motion_file.h.

#include "io/motion_file.h"

#include "base/alloc.h"
#include "base/array.h"
#include "io/document.h"
#include "io/result.h"
#include "io/yaml_text.h"
#include "model/model.h"

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
        const int found = tn_find_joint(model, joint).index;
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
    joint->index = tn_find_joint(model, name).index;
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

// The cubic through four points.
static double motion_file_cubic(const double *t, const double *u, double at)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        double product = u[i];
        for (int j = 0; j < 4; j++)
            product *= j == i ? 1.0 : (at - t[j]) / (t[i] - t[j]);
        sum += product;
    }
    return sum;
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
        table[beyond - k] = times ? motion_file_cubic(t, column, before) : before;
        table[beyond + n - 1 + k] =
            times ? motion_file_cubic(t + n - 4, column + n - 4, after) : after;
    }
}

// From columns of n numbers each, the times first; out->motions are there.
static tn_status make_tables(const char *path, int n, const double *columns, tn_motion_file *out)
{
    const int beyond = n >= 4 ? BEYOND : 0;
    const size_t length = (size_t)(n + 2 * beyond);
    out->points = tn_alloc(length * (size_t)(out->nmotion + 1) * sizeof(double));
    TN_TRY(tn_got(out->points));
    out->from = columns[0];
    out->to = columns[n - 1];
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
    const char *path;
    char *at; // rest of the text, which is cut into fields
    int line, columns;
    char between;            // fields
    TN_ARRAY(double) values; // row by row
} scan;

// The next line that is not empty and no comment; NULL at the end.
static char *next_line(scan *s)
{
    while (*s->at) {
        char *line = s->at + strspn(s->at, " ");
        s->at += strcspn(s->at, "\n");
        if (*s->at)
            *s->at++ = '\0';
        s->line++;
        line[strcspn(line, "\r")] = '\0';
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

// Cuts the first field off a line: without spaces and quotes around it. NULL when there is none.
static char *next_field(const scan *s, char **line)
{
    char *field = *line;
    if (!field)
        return NULL;
    char *end = strchr(field, s->between);
    *line = end ? end + 1 : NULL;
    end = end ? end : field + strlen(field);
    while (end > field && strchr(" \"", end[-1]))
        end--;
    *end = '\0';
    return field + strspn(field, " \"");
}

static void cut_unit(char *name)
{
    char *unit = strstr(name, " [");
    if (unit && name[strlen(name) - 1] == ']')
        *unit = '\0';
}

static tn_status read_names(scan *s, const tn_model *model, tn_motion_file *out)
{
    char *line = next_line(s), what[1024];
    if (!line)
        return tn_fail(TN_ERR_FILE,
                       "%s is empty; the first line names the columns: time, then joints", s->path);
    s->between = strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : '\t';
    s->columns = 1;
    for (const char *c = line; *c; c++)
        s->columns += *c == s->between;
    snprintf(what, sizeof what, "%s:%d", s->path, s->line);
    char *name = next_field(s, &line);
    cut_unit(name);
    if (strcmp(name, "time") != 0 && strcmp(name, "t") != 0)
        return tn_fail(TN_ERR_FILE, "%s: the first column must be 'time', found '%s'", what, name);
    while ((name = next_field(s, &line))) {
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

static tn_status read_row(scan *s, char *line)
{
    int n = 0;
    double value = 0.0;
    for (char *field; (field = next_field(s, &line)); n++) {
        if (!tn_number_from_text(field, &value) || !isfinite(value))
            return tn_fail(TN_ERR_FILE, "%s:%d: column %d: expected a number, found '%s'", s->path,
                           s->line, n + 1, field);
        if (n == 0 && s->values.count > 0 && !(value > s->values.at[s->values.count - s->columns]))
            return tn_fail(TN_ERR_FILE, "%s:%d: the time %.10g s does not follow %.10g s", s->path,
                           s->line, value, s->values.at[s->values.count - s->columns]);
        TN_TRY(tn_array_push(&s->values, value));
    }
    if (n != s->columns)
        return tn_fail(TN_ERR_FILE, "%s:%d: %d column%s, but %d names", s->path, s->line, n,
                       n == 1 ? "" : "s", s->columns);
    return TN_OK;
}

static tn_status read_table(scan *s, const tn_model *model, tn_motion_file *out)
{
    TN_TRY(read_names(s, model, out));
    for (char *line; (line = next_line(s));)
        TN_TRY(read_row(s, line));
    const int n = s->values.count / s->columns;
    if (n < 2)
        return tn_fail(TN_ERR_FILE, "%s: a motion needs two lines of numbers at least, found %d",
                       s->path, n);
    double *columns = tn_alloc((size_t)s->values.count * sizeof(double));
    TN_TRY(tn_got(columns));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s->columns; k++)
            columns[(size_t)k * (size_t)n + (size_t)i] = s->values.at[i * s->columns + k];
    const tn_status status = make_tables(s->path, n, columns, out);
    tn_free(columns);
    return status;
}

static const char byte_order_mark[] = "\xEF\xBB\xBF"; // some programs write it first

tn_status tn_motion_read(const char *path, const tn_model *model, tn_motion_file *out)
{
    char *text = NULL;
    size_t length;
    *out = (tn_motion_file){0};
    tn_status status = tn_yaml_text_read(path, &text, &length);
    scan s = {.path = path, .at = text};
    if (status == TN_OK) {
        s.at += strncmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
        status = read_table(&s, model, out);
    }
    tn_array_free(&s.values);
    tn_free(text);
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

static tn_status list_coordinates(const tn_model *model, tn_motion_file *out)
{
    const int most = TN_JOINT_MAX_COORDS * model->joints.count;
    for (int j = 0; j < model->joints.count; j++)
        for (int i = 0; i < model->joints.at[j].ops->ncoord; i++)
            if (!is_driven(model, j, i))
                TN_TRY(motion_file_add_motion(out, most, (tn_joint){j}, i));
    return TN_OK;
}

static tn_status read_column(tn_result *result, const tn_model *model, const tn_motion *motion,
                             long rows, double *column)
{
    const tn_joint_data *joint = &model->joints.at[motion->joint.index];
    char name[512];
    int channel;
    snprintf(name, sizeof name, "%s.%s", joint->name, joint->ops->coords[motion->coordinate].name);
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

static tn_status read_result(tn_result *result, const char *path, const tn_model *model,
                             tn_motion_file *out)
{
    const long rows = tn_result_rows(result);
    if (rows < 2 || rows > 10000000)
        return tn_fail(TN_ERR_FILE, "%s holds %ld rows; a motion needs 2 to 10000000", path, rows);
    TN_TRY(list_coordinates(model, out));
    double *columns = tn_alloc((size_t)rows * (size_t)(out->nmotion + 1) * sizeof(double));
    tn_status s = columns ? tn_result_time(result, 0, rows, columns) : tn_got(false);
    for (int k = 0; s == TN_OK && k < out->nmotion; k++)
        s = read_column(result, model, &out->motions[k], rows, columns + (k + 1) * rows);
    if (s == TN_OK) {
        const int n = drop_repeated((int)rows, out->nmotion + 1, columns);
        s = n < 2 ? tn_fail(TN_ERR_FILE, "%s holds one time only", path)
                  : make_tables(path, n, columns, out);
    }
    tn_free(columns);
    return s;
}

tn_status tn_motion_from_result(const char *path, bool trust, const tn_model *model,
                                tn_motion_file *out)
{
    tn_result *result = NULL;
    *out = (tn_motion_file){0};
    TN_TRY(tn_result_open(path, trust, &result));
    tn_status s = read_result(result, path, model, out);
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
