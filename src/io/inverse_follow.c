// SPDX-License-Identifier: MIT
//
// A table of inverse dynamics from its options to its last row: which motions are followed, where
// motors are, and at which times there are rows.

#include "base/notes.h"
#include "io/inverse_table.h"
#include "io/target.h"
#include "io/yaml_text.h"
#include "model/model.h"
#include "tenon/io.h"

#include <math.h>
#include <string.h>

static tn_status push_motor(tn_inverse_table *t, tn_joint joint, int coordinate, int force)
{
    const tn_motor motor = {joint, coordinate, {force}};
    return tn_array_push(&t->chosen, motor);
}

// A motor of the model, a drive, a joint with all its coordinates, or one coordinate.
static tn_status add_motor(tn_inverse_table *t, const char *name)
{
    const tn_force force = tn_find_force(t->model, name);
    tn_joint joint = tn_find_joint(t->model, name);
    int coordinate;
    if (force.index >= 0 && t->model->forces.at[force.index].ops->is_motor)
        return push_motor(t, (tn_joint){-1}, 0, force.index);
    tn_driven driven;
    if (joint.index >= 0 && tn_joint_drives(&t->model->joints.at[joint.index], &driven))
        return push_motor(t, driven.joint, driven.coordinate, -1);
    const int n = joint.index >= 0 ? tn_joint_coordinate_count(t->model, joint) : 0;
    for (int i = 0; i < n; i++)
        TN_TRY(push_motor(t, joint, i, -1));
    if (n > 0)
        return TN_OK;
    TN_TRY(tn_motion_coordinate(t->model, name, "--motors", &joint, &coordinate));
    return push_motor(t, joint, coordinate, -1);
}

static tn_status read_motors(tn_inverse_table *t)
{
    char *copy = tn_strdup(t->wanted.motors);
    tn_status s = TN_OK;
    if (t->wanted.motors && !copy)
        return tn_got(false);
    for (char *at = copy; at && s == TN_OK;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        s = add_motor(t, at);
        at = comma ? comma + 1 : NULL;
    }
    tn_free(copy);
    return s;
}

static tn_status read_motion(tn_inverse_table *t)
{
    if (t->wanted.motion && t->wanted.from)
        return tn_fail(TN_ERR_USAGE, "--motion and --from both state the motion; give one of them");
    if (t->wanted.motion)
        return tn_motion_read(t->wanted.motion, t->model, &t->motion);
    return t->wanted.from
               ? tn_motion_from_result(t->wanted.from, t->wanted.trust, t->model, &t->motion)
               : TN_OK;
}

// Results of another model may well be meant, for a motor in the place of a drive, but are taken by
// mistake as easily.
static tn_status note_other_model(const tn_inverse_table *t)
{
    char *text = NULL;
    size_t length;
    if (!t->motion.source || !t->wanted.model_path || !t->wanted.teller.tell)
        return TN_OK;
    const tn_status s = tn_yaml_text_read(t->wanted.model_path, &text, &length);
    const bool same = s == TN_OK && strlen(t->motion.source) == length &&
                      memcmp(t->motion.source, text, length) == 0;
    if (s == TN_OK && !same)
        tn_tell(t->wanted.teller,
                "note: %s is a run of %s, whose text is not that of %s: its motion is followed all "
                "the same",
                t->wanted.from, *t->motion.model ? t->motion.model : "a model",
                t->wanted.model_path);
    tn_free(text);
    return s;
}

static double first_number(double a, double b)
{
    return isnan(a) ? b : a;
}

static tn_status choose_times(tn_inverse_table *t, const tn_simulate *defaults)
{
    enum { ROWS = 200 };
    const bool file = t->motion.nmotion > 0;
    t->facts.from =
        first_number(t->wanted.t_start, file ? t->motion.from : defaults->options.t_start);
    t->facts.to = first_number(t->wanted.t_end, file ? t->motion.to : defaults->t_end);
    t->interval = first_number(t->wanted.output, defaults->output);
    if (!(t->interval > 0.0))
        t->interval = (t->facts.to - t->facts.from) / ROWS;
    if (t->facts.to < t->facts.from)
        return tn_fail(TN_ERR_USAGE, "t_end is %g s, before t_start at %g s", t->facts.to,
                       t->facts.from);
    if (file && (t->facts.from < t->motion.from || t->facts.to > t->motion.to))
        return tn_fail(TN_ERR_USAGE,
                       "%s tells the motion from %g s to %g s; --t-start and --t-end must lie "
                       "between them",
                       t->wanted.motion ? t->wanted.motion : t->wanted.from, t->motion.from,
                       t->motion.to);
    if (t->facts.to - t->facts.from > 1e7 * t->interval)
        return tn_fail(TN_ERR_USAGE, "--output: rows every %g s from %g s to %g s are too many",
                       t->interval, t->facts.from, t->facts.to);
    return TN_OK;
}

// Before the work is done: what stands at the place of the table.
static tn_status check_out(const tn_inverse_table_options *wanted)
{
    if (!wanted->out || strcmp(wanted->out, "-") == 0)
        return TN_OK;
    TN_TRY(tn_target_check(wanted->out));
    return wanted->replace ? TN_OK : tn_target_check_free(wanted->out);
}

static tn_status prepare_inverse_follow(tn_inverse_table *t, const tn_simulate *defaults)
{
    tn_inverse_options inverse = tn_default_inverse();
    TN_TRY(check_out(&t->wanted));
    TN_TRY(read_motion(t));
    TN_TRY(note_other_model(t));
    TN_TRY(read_motors(t));
    TN_TRY(choose_times(t, defaults));
    inverse.start = defaults->options;
    inverse.start.t_start = t->facts.from;
    inverse.nmotion = t->motion.nmotion;
    inverse.motions = t->motion.motions;
    inverse.nmotor = t->chosen.count;
    inverse.motors = t->chosen.at;
    // What a run has stored is as near to its constraints as its method was.
    inverse.tolerance =
        first_number(t->wanted.tolerance, t->wanted.from ? 1e-3 : inverse.tolerance);
    TN_TRY(tn_inverse_create(t->model, &inverse, &t->inverse));
    t->facts.freedoms = tn_inverse_freedoms(t->inverse);
    return tn_inverse_table_begin(t);
}

tn_inverse_table_options tn_default_inverse_table(void)
{
    return (tn_inverse_table_options){
        .t_start = NAN, .t_end = NAN, .output = NAN, .tolerance = NAN};
}

tn_status tn_inverse_table_create(const tn_model *model, const tn_simulate *defaults,
                                  const tn_inverse_table_options *options, tn_inverse_table **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, defaults, options, out);
    *out = NULL;
    tn_inverse_table *t = tn_alloc(sizeof *t);
    TN_TRY(tn_got(t));
    t->model = model;
    t->wanted = *options;
    const tn_status s = prepare_inverse_follow(t, defaults);
    TN_HAND_OUT(s, t, tn_inverse_table_destroy, out);
}

void tn_inverse_table_destroy(tn_inverse_table *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->columns.count; i++) {
        TN_FREE((char *)t->columns.at[i].name, (char *)t->columns.at[i].unit);
    }
    tn_array_free(&t->columns);
    tn_array_free(&t->values);
    tn_array_free(&t->chosen);
    TN_FREE(t->motor, t->work);
    tn_inverse_destroy(t->inverse);
    tn_motion_clear(&t->motion);
    tn_free(t);
}

static tn_status follow(tn_inverse_table *t)
{
    const double ROUNDOFF = 1e-9;
    const double rows = t->interval > 0.0 ? (t->facts.to - t->facts.from) / t->interval : 0.0;
    const int whole = (int)floor(rows + ROUNDOFF);
    for (int k = 0; k <= whole; k++) {
        const bool last = rows - k < ROUNDOFF;
        TN_TRY(tn_inverse_table_move(t, last ? t->facts.to : t->facts.from + k * t->interval));
        TN_TRY(tn_inverse_table_row(t));
    }
    if (rows - whole < ROUNDOFF)
        return TN_OK;
    TN_TRY(tn_inverse_table_move(t, t->facts.to));
    return tn_inverse_table_row(t);
}

tn_status tn_inverse_table_follow(tn_inverse_table *table)
{
    TN_NEED(table, TN_ERR_USAGE);
    if (table->facts.rows > 0)
        return tn_fail(TN_ERR_USAGE, "the motion of this table has been followed already");
    const tn_status s = follow(table);
    tn_inverse_table_end(table);
    return s;
}

TN_GETTER(const tn_inverse_facts *, tn_inverse_table_facts, (const tn_inverse_table *table), table,
          NULL, &table->facts);
