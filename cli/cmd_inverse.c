// SPDX-License-Identifier: MIT
//
// tenon inverse: moves a mechanism as told and finds the forces of its motors.

#include "base/alloc.h"
#include "inverse_table.h"
#include "io/motion_file.h"
#include "io/target.h"
#include "io/yaml_text.h"
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    const char *motion, *from, *motors, *out;
    double tolerance, t_start, t_end, output;
    bool reactions, trust, force;
} inverse_options;

#define OPTION(...) CLI_OPTION(inverse_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("motion", motion, TEXT, "FILE.csv",
           "motions of joint coordinates: a line of names, time first, then numbers"),
    OPTION("from", from, TEXT, "DIR", "follow the motion of an earlier run, DIR or result.h5"),
    CLI_OPTION_WITH(inverse_options, "trust", trust, BOOL, "",
                    "read results without checksums all the same", .needs = "from"),
    OPTION("motors", motors, TEXT, "NAMES",
           "where the motors are, for example 'A,screw.angle'; all that is driven when left out"),
    OPTION("out", out, TEXT, "FILE.csv", "write a table of all times; -o for short"),
    OPTION("force", force, BOOL, "", "replace the table that is there"),
    OPTION("reactions", reactions, BOOL, "", "with the forces and torques in the joints"),
    OPTION("t_start", t_start, NUMBER, "s", "begin; that of the motion or of the model"),
    OPTION("t_end", t_end, NUMBER, "s", "end; that of the motion or of the model"),
    {.name = "output",
     .type = TN_PARAM_NUMBER,
     .unit = "s",
     .range = TN_POSITIVE,
     .text = "time between rows; that of the model, or 200 rows",
     .offset = offsetof(inverse_options, output)},
    {.name = "tolerance",
     .type = TN_PARAM_NUMBER,
     .unit = "rad",
     .range = TN_POSITIVE,
     .text = "how far motions that contradict each other may be missed, lengths in sizes of the "
             "model; 1e-6, with --from 1e-3",
     .offset = offsetof(inverse_options, tolerance)},
};

static int run(int argc, char **argv);

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
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .noption = CLI_COUNT(options),
    .options = options,
    .run = run,
};

typedef struct {
    const char *path;
    inverse_options wanted;
    tn_model *model;
    tn_simulate simulate;
    tn_motion_file motion;
    TN_ARRAY(tn_motor) motors;
    tn_inverse *inverse;
    cli_inverse_table table;
    double from, to, interval;
} job;

// What is wanted

static tn_status push_motor(job *j, tn_joint joint, int coordinate, int force)
{
    const tn_motor motor = {joint, coordinate, {force}};
    return tn_array_push(&j->motors, motor);
}

// A motor of the model, a drive, a joint with all its coordinates, or one coordinate.
static tn_status add_motor(job *j, const char *name)
{
    const tn_force force = tn_find_force(j->model, name);
    tn_joint joint = tn_find_joint(j->model, name);
    int coordinate;

    if (force.index >= 0 && j->model->forces.at[force.index].def.kind == TN_FORCE_MOTOR)
        return push_motor(j, (tn_joint){-1}, 0, force.index);
    if (joint.index >= 0 && j->model->joints.at[joint.index].def.kind == TN_JOINT_DRIVE) {
        const tn_joint_def *def = &j->model->joints.at[joint.index].def;
        return push_motor(j, def->drive.joint, def->drive.coordinate, -1);
    }
    const int n = joint.index >= 0 ? tn_joint_coordinate_count(j->model, joint) : 0;
    for (int i = 0; i < n; i++)
        CLI_TRY(push_motor(j, joint, i, -1));
    if (n > 0)
        return TN_OK;
    CLI_TRY(tn_motion_coordinate(j->model, name, "--motors", &joint, &coordinate));
    return push_motor(j, joint, coordinate, -1);
}

static tn_status read_motors(job *j)
{
    char *copy = tn_strdup(j->wanted.motors);
    tn_status s = TN_OK;

    if (j->wanted.motors && !copy)
        return tn_fail(TN_ERR_MEMORY, "--motors: out of memory");
    for (char *at = copy; at && s == TN_OK;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        s = add_motor(j, at);
        at = comma ? comma + 1 : NULL;
    }
    tn_free(copy);
    return s;
}

static tn_status read_motion(job *j)
{
    if (j->wanted.motion && j->wanted.from)
        return tn_fail(TN_ERR_USAGE, "--motion and --from both state the motion; give one of them");
    if (j->wanted.motion)
        return tn_motion_read(j->wanted.motion, j->model, &j->motion);
    return j->wanted.from
               ? tn_motion_from_result(j->wanted.from, j->wanted.trust, j->model, &j->motion)
               : TN_OK;
}

// Results of another model may well be meant, for a motor in the place of a drive, but are taken by
// mistake as easily.
static tn_status note_other_model(const job *j)
{
    char *text = NULL;
    size_t length;

    if (!j->motion.source)
        return TN_OK;
    const tn_status s = tn_yaml_text_read(j->path, &text, &length);
    if (s == TN_OK &&
        (strlen(j->motion.source) != length || memcmp(j->motion.source, text, length) != 0))
        cli_message("note: %s is a run of %s, whose text is not that of %s: its motion is followed "
                    "all the same",
                    j->wanted.from, *j->motion.model ? j->motion.model : "a model", j->path);
    tn_free(text);
    return s;
}

static double first_number(double a, double b)
{
    return isnan(a) ? b : a;
}

static tn_status choose_times(job *j)
{
    enum { ROWS = 200 };
    const bool file = j->motion.nmotion > 0;

    j->from = first_number(j->wanted.t_start, file ? j->motion.from : j->simulate.options.t_start);
    j->to = first_number(j->wanted.t_end, file ? j->motion.to : j->simulate.t_end);
    j->interval = first_number(j->wanted.output, j->simulate.output);
    if (!(j->interval > 0.0))
        j->interval = (j->to - j->from) / ROWS;
    if (j->to < j->from)
        return tn_fail(TN_ERR_USAGE, "t_end is %g s, before t_start at %g s", j->to, j->from);
    if (file && (j->from < j->motion.from || j->to > j->motion.to))
        return tn_fail(TN_ERR_USAGE,
                       "%s tells the motion from %g s to %g s; --t-start and --t-end must lie "
                       "between them",
                       j->wanted.motion ? j->wanted.motion : j->wanted.from, j->motion.from,
                       j->motion.to);
    if (j->to - j->from > 1e7 * j->interval)
        return tn_fail(TN_ERR_USAGE, "--output: rows every %g s from %g s to %g s are too many",
                       j->interval, j->from, j->to);
    return TN_OK;
}

// Before the work is done: what stands at the place of the table.
static tn_status check_out(const inverse_options *wanted)
{
    struct stat info;

    if (!wanted->out || strcmp(wanted->out, "-") == 0)
        return TN_OK;
    if (!wanted->force && lstat(wanted->out, &info) == 0 && S_ISREG(info.st_mode))
        return tn_fail(TN_ERR_USAGE,
                       "%s exists already; use --force to replace it or name another file",
                       wanted->out);
    return tn_target_check(wanted->out);
}

static tn_status prepare(job *j)
{
    tn_inverse_options inverse = tn_default_inverse();

    CLI_TRY(check_out(&j->wanted));
    CLI_TRY(tn_model_load(j->path, &j->model, &j->simulate));
    CLI_TRY(read_motion(j));
    CLI_TRY(note_other_model(j));
    for (int i = 0; i < tn_model_note_count(j->model); i++)
        cli_message("note: %s", tn_model_note(j->model, i));
    CLI_TRY(read_motors(j));
    CLI_TRY(choose_times(j));
    inverse.start = j->simulate.options;
    inverse.start.t_start = j->from;
    inverse.nmotion = j->motion.nmotion;
    inverse.motions = j->motion.motions;
    inverse.nmotor = j->motors.count;
    inverse.motors = j->motors.at;
    // What a run has stored is as near to its constraints as its method was.
    inverse.tolerance =
        first_number(j->wanted.tolerance, j->wanted.from ? 1e-3 : inverse.tolerance);
    CLI_TRY(tn_inverse_create(j->model, &inverse, &j->inverse));
    return cli_inverse_begin(&j->table, j->model, j->inverse, j->wanted.reactions);
}

// The motion

static tn_status follow(job *j)
{
    const double ROUNDOFF = 1e-9;
    const double rows = j->interval > 0.0 ? (j->to - j->from) / j->interval : 0.0;
    const int whole = (int)floor(rows + ROUNDOFF);

    for (int k = 0; k <= whole; k++) {
        const bool last = rows - k < ROUNDOFF;
        CLI_TRY(cli_inverse_move(&j->table, last ? j->to : j->from + k * j->interval));
        CLI_TRY(cli_inverse_row(&j->table));
    }
    if (rows - whole < ROUNDOFF)
        return TN_OK;
    CLI_TRY(cli_inverse_move(&j->table, j->to));
    return cli_inverse_row(&j->table);
}

// Output

static void print(const job *j)
{
    const int freedoms = tn_inverse_freedoms(j->inverse);
    const int motors = tn_inverse_motor_count(j->inverse);

    printf("%s: %d freedom%s, %d motor%s, %g to %g s in %d rows\n", j->path, freedoms,
           freedoms == 1 ? "" : "s", motors, motors == 1 ? "" : "s", j->from, j->to, j->table.rows);
    if (j->table.least_norm)
        printf("There are more motors than freedoms: efforts are those of least norm.\n");
    if (j->table.missed > 1e-9)
        printf("Motions are missed by %.3g at most.\n", j->table.missed);
    cli_inverse_print(&j->table);
    if (j->wanted.out)
        printf("\nWrote %s.\n", j->wanted.out);
}

static tn_status print_json(const job *j)
{
    tn_json *json = NULL;

    CLI_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "done");
    tn_json_string(json, "model", j->path);
    tn_json_integer(json, "freedoms", tn_inverse_freedoms(j->inverse));
    tn_json_boolean(json, "least_norm", j->table.least_norm);
    tn_json_number(json, "missed", j->table.missed);
    tn_json_integer(json, "steps", tn_inverse_steps(j->inverse));
    const tn_status s = cli_inverse_json(&j->table, json);
    tn_json_end_object(json);
    if (s == TN_OK)
        return cli_print_json(json);
    tn_json_destroy(json);
    return s;
}

static tn_status tell(const job *j)
{
    if (cli_json())
        return print_json(j);
    print(j);
    return TN_OK;
}

// What was found up to a failure is kept; the reason of the failure counts.
static int conclude(job *j, tn_status s)
{
    cli_inverse_end(&j->table);
    if (s != TN_OK) {
        char *reason = tn_strdup(tn_last_error());
        if (j->wanted.out && j->table.rows > 0)
            cli_inverse_csv(&j->table, j->wanted.out);
        tn_fail(s, "%s", reason ? reason : tn_status_text(s));
        tn_free(reason);
        return cli_finish(s);
    }
    if (j->wanted.out)
        s = cli_inverse_csv(&j->table, j->wanted.out);
    return cli_finish(s == TN_OK ? tell(j) : s);
}

static int run(int argc, char **argv)
{
    cli_args args;
    job j = {
        .wanted = {.tolerance = NAN, .t_start = NAN, .t_end = NAN, .output = NAN},
    };

    tn_status s = cli_parse(&cmd_inverse, argc, argv, &args, &j.wanted);
    if (s == TN_OK) {
        j.path = args.word[0];
        s = prepare(&j);
    }
    const int code = s == TN_OK ? conclude(&j, follow(&j)) : cli_finish(s);
    cli_inverse_free(&j.table);
    tn_inverse_destroy(j.inverse);
    tn_motion_clear(&j.motion);
    tn_array_free(&j.motors);
    tn_model_destroy(j.model);
    cli_args_free(&args);
    return code;
}
