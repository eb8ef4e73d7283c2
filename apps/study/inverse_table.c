// SPDX-License-Identifier: MIT
//
// A table of inverse dynamics (tenon/inverse.h) from its options to its file: which motions are
// followed, where motors are, at which times there are rows, and the works between rows.

#include "base/array.h"
#include "base/tolerance.h"
#include "file/yaml_text.h"
#include "model/model.h"
#include "model/model_kinks.h"
#include "model/vocabulary.h"
#include "sim/verdict.h"
#include "study/motion_file.h"
#include "tenon/inverse.h"
#include "tenon/io.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/notes.h"
#include "text/param.h"
#include "text/target.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Quantities of the verdict, with the bounds that --bounds replaces. Rows of a run that are too far
// apart, as a part of the largest effort: a third of what leaving out every second one changes,
// which is the error of splines, or a sixth, which is above that of polynomials of degree five and
// not far below what a motion that jumps between rows has. Work that is not resolved: as a part
// of all that was exchanged.
static const char *const judged[] = {"spacing", "work"};
enum { SPACING, WORK, BOUNDS };
static const double usual[BOUNDS] = {1e-2, 1e-3};

// Integrals of power, effort^2 and power^2; nodes of a rule, and what has a largest value: effort
// and power.
enum { INTEGRALS = 3, NODES = 7, PEAKS = 2 };

typedef struct motor_sums {
    // Over a part of the motion: the integrals, that of the power by another rule and with all
    // signs positive, the way, and by what the rules differ in the integral of the power times
    // the time from the middle of the part, by half of its length.
    double work[INTEGRALS], rough, size, part_way, moment_off;
    double at[PEAKS][NODES];
    double all[INTEGRALS], sum, way; // up to the last part
    double inertia;                  // the largest effort that masses take
    double off;                      // how far efforts by every second row are off so far
} motor_sums;

struct tn_inverse_table {
    const tn_model *model;
    tn_inverse_table_options wanted;
    tn_motion_file motion, coarse; // of results by all rows, and by every second one
    TN_ARRAY(tn_motor) chosen;
    tn_inverse *inverse, *halved; // by both; NULL where there is nothing to compare
    double interval;              // between rows [s]
    double bound[BOUNDS];
    tn_verdict verdict;
    tn_inverse_facts facts;
    TN_ARRAY(tn_inverse_column) columns;
    TN_ARRAY(double) values; // row by row
    tn_motor_summary *motor; // sums while rows come, then what they are
    motor_sums *sums;
    double potential; // at the start [J]
    double energy;    // largest kinetic energy and change of the potential one [J]
    int parts;        // since the last row
};

static const char *const axes[] = {"x", "y", "z"};

// Columns

// Takes the name and the unit.
static tn_status inverse_table_add_column(tn_inverse_table *t, char *name, char *unit)
{
    const tn_inverse_column column = {name, unit};
    if (name && unit && tn_array_push(&t->columns, column) == TN_OK)
        return TN_OK;
    TN_FREE(name, unit);
    return tn_got(false);
}

static tn_status add_coordinates(tn_inverse_table *t, int joint)
{
    const int n = tn_owner_places(t->model, TN_OWNER_COORDINATE, joint);
    for (tn_quantity k = TN_Q_JOINT_COORDINATE; k <= TN_Q_JOINT_ACCELERATION; k++)
        for (int i = 0; i < n; i++) {
            const tn_column c = tn_quantity_column(t->model, &(tn_named_quantity){k, joint, i, ""});
            TN_TRY(inverse_table_add_column(t, tn_quantity_name(&tn_quantity_kinds[k], &c),
                                            tn_strdup(c.unit)));
        }
    return TN_OK;
}

static tn_status add_reactions(tn_inverse_table *t, int joint)
{
    const char *name = t->model->joints.at[joint].name;
    for (int i = 0; i < 3; i++)
        TN_TRY(
            inverse_table_add_column(t, tn_format("%s.force.%s", name, axes[i]), tn_strdup("N")));
    for (int i = 0; i < 3; i++)
        TN_TRY(inverse_table_add_column(t, tn_format("%s.torque.%s", name, axes[i]),
                                        tn_strdup("N m")));
    return TN_OK;
}

static tn_status inverse_table_add_columns(tn_inverse_table *t)
{
    const int joints = tn_model_joint_count(t->model);
    TN_TRY(inverse_table_add_column(t, tn_strdup("time"), tn_strdup("s")));
    for (int j = 0; j < joints; j++)
        TN_TRY(add_coordinates(t, j));
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        const char *name = tn_inverse_motor_name(t->inverse, k);
        TN_TRY(inverse_table_add_column(t, tn_format("%s.effort", name),
                                        tn_strdup(tn_inverse_motor_unit(t->inverse, k))));
        TN_TRY(inverse_table_add_column(t, tn_format("%s.power", name), tn_strdup("W")));
    }
    for (int j = 0; t->wanted.reactions && j < joints; j++)
        TN_TRY(add_reactions(t, j));
    TN_TRY(inverse_table_add_column(t, tn_strdup("energy.kinetic"), tn_strdup("J")));
    return inverse_table_add_column(t, tn_strdup("energy.potential"), tn_strdup("J"));
}

static tn_status inverse_table_begin(tn_inverse_table *t)
{
    const int n = tn_inverse_motor_count(t->inverse);
    const size_t motors = (size_t)n + 1;
    t->motor = tn_alloc(motors * sizeof *t->motor);
    t->sums = tn_alloc(motors * sizeof *t->sums);
    TN_TRY(tn_got(t->motor && t->sums));
    for (int k = 0; k < n; k++) {
        t->motor[k].name = tn_inverse_motor_name(t->inverse, k);
        t->motor[k].unit = tn_inverse_motor_unit(t->inverse, k);
    }
    t->facts.nmotor = n;
    t->facts.motors = t->motor;
    TN_TRY(inverse_table_add_columns(t));
    t->facts.ncolumn = t->columns.count;
    t->facts.columns = t->columns.at;
    return TN_OK;
}

// Rows

static void note_motor(tn_inverse_table *t, int k)
{
    const tn_motor_state now = tn_inverse_motor(t->inverse, k);
    tn_motor_summary *m = &t->motor[k];
    t->sums[k].inertia = fmax(t->sums[k].inertia, fabs(now.inertia));
    if (fabs(now.effort) > fabs(m->max_effort)) {
        m->max_effort = now.effort;
        m->max_effort_time = tn_inverse_time(t->inverse);
    }
    if (fabs(now.power) > fabs(m->max_power)) {
        m->max_power = now.power;
        m->max_power_time = tn_inverse_time(t->inverse);
    }
}

// Works and mean squares are integrated between rows, so that they do not depend on how many there
// are, and largest values are sought there, too: by Kronrod's
// extension of the Lobatto rule with four points, in halves and halves of these where the two
// disagree [Gander and Gautschi, BIT 40, 2000]. Powers have discontinuities where tables have
// points.
enum {
    HALVINGS_MAX = 24,
    PARTS_MAX = 512, // between two rows; fewer leave works of jumps rough, more take minutes where
                     // the power is noise
};
// A part of the work with all signs positive and of the energy exchanged: a motion that needs no
// motor leaves powers that are noise, and their digits say nothing.
static const double AGREE = 1e-8;
static const double node[NODES] = {-1.0, -0.81649658092772603, -0.44721359549995794,
                                   0.0,  0.44721359549995794,  0.81649658092772603,
                                   1.0};

static void add_node(tn_inverse_table *t, int i, double half)
{
    static const double kronrod[NODES] = {77.0 / 1470.0,  432.0 / 1470.0, 625.0 / 1470.0,
                                          672.0 / 1470.0, 625.0 / 1470.0, 432.0 / 1470.0,
                                          77.0 / 1470.0};
    static const double lobatto[NODES] = {1.0 / 6.0, 0.0, 5.0 / 6.0, 0.0,
                                          5.0 / 6.0, 0.0, 1.0 / 6.0};
    const int motors = tn_inverse_motor_count(t->inverse);
    for (int k = 0; k < motors; k++) {
        const tn_motor_state now = tn_inverse_motor(t->inverse, k);
        const double value[INTEGRALS] = {now.power, now.effort * now.effort, now.power * now.power};
        for (int j = 0; j < INTEGRALS; j++)
            t->sums[k].work[j] += kronrod[i] * half * value[j];
        t->sums[k].rough += lobatto[i] * half * now.power;
        t->sums[k].moment_off += (kronrod[i] - lobatto[i]) * half * node[i] * now.power;
        t->sums[k].size += kronrod[i] * half * fabs(now.power);
        t->sums[k].part_way += kronrod[i] * half * fabs(now.rate);
        t->sums[k].at[0][i] = now.effort;
        t->sums[k].at[1][i] = now.power;
        note_motor(t, k);
    }
}

static void note_energy(tn_inverse_table *t)
{
    const tn_inverse_energy now = tn_inverse_energies(t->inverse);
    if (t->facts.rows == 0)
        t->potential = now.potential;
    t->energy = fmax(t->energy, now.kinetic + fabs(now.potential - t->potential));
}

// If every second row gives no motion that can be followed, their spacing is no help.
static void compare_halved(tn_inverse_table *t)
{
    if (!t->wanted.from)
        return;
    const bool moved =
        t->halved && tn_inverse_move(t->halved, tn_inverse_time(t->inverse)) == TN_OK;
    tn_clear_error();
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++)
        t->sums[k].off = moved ? fmax(t->sums[k].off, fabs(tn_inverse_motor(t->halved, k).effort -
                                                           tn_inverse_motor(t->inverse, k).effort))
                               : INFINITY;
}

// Both rules over one part; the motion is at b then.
static tn_status integrate_inverse_table(tn_inverse_table *t, double a, double b)
{
    const double half = 0.5 * (b - a);
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++)
        memset(&t->sums[k], 0, offsetof(motor_sums, all));
    for (int i = 0; i < NODES; i++) {
        TN_TRY(tn_inverse_move(t->inverse, i == NODES - 1 ? b : a + half * (1.0 + node[i])));
        add_node(t, i, half);
        note_energy(t);
        if (i == NODES / 2)
            compare_halved(t);
    }
    t->parts++;
    return TN_OK;
}

// An effort that would exchange all the energy on the way so far: much smaller ones may be noise.
static double exchanging_effort(const tn_inverse_table *t, int k)
{
    return t->sums[k].way > 0.0 ? t->energy / t->sums[k].way : 0.0;
}

static double tolerance_of(const tn_inverse_table *t, int k)
{
    return AGREE * (t->sums[k].size + t->sums[k].sum + t->energy);
}

// Mean squares are by the way: near a position where a motor can do nothing they have no bound. Of
// whole periods of a swing both works are zero, and the other integral is not.
static bool agrees(const tn_inverse_table *t)
{
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        const motor_sums *at = &t->sums[k];
        if (!(fmax(fabs(at->work[0] - at->rough), fabs(at->moment_off)) <= tolerance_of(t, k)))
            return false;
    }
    return true;
}

static void take_part(tn_inverse_table *t)
{
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        const double off = fabs(t->sums[k].work[0] - t->sums[k].rough);
        if (off > tolerance_of(t, k)) // before the part is in the sum
            t->motor[k].unsure += off;
        for (int j = 0; j < INTEGRALS; j++)
            t->sums[k].all[j] += t->sums[k].work[j];
        t->sums[k].sum += t->sums[k].size;
        t->sums[k].way += t->sums[k].part_way;
    }
}

// The polynomial through values at the nodes.
static double interpolate(const double *value, double s)
{
    double sum = 0.0;
    for (int i = 0; i < NODES; i++) {
        double factor = value[i];
        for (int j = 0; j < NODES; j++)
            factor *= j == i ? 1.0 : (s - node[j]) / (node[i] - node[j]);
        sum += factor;
    }
    return sum;
}

// Where that polynomial has its largest value, without sign, and what it is there; one that is
// below `least` may be left out.
static double peak_of(const double *value, double least, double *most)
{
    enum { LOOKS = 8 };
    static const double ABOVE =
        2.0; // polynomials are below so many times their values at the nodes
    int largest = 0;
    for (int i = 1; i < NODES; i++)
        largest = fabs(value[i]) > fabs(value[largest]) ? i : largest;
    double best = node[largest];
    *most = fabs(value[largest]);
    if (ABOVE * *most <= least)
        return best;
    for (double width = 1.0 / LOOKS, from = -1.0; width > 1e-6; width /= LOOKS) {
        for (int i = 0; i <= 2 * LOOKS; i++) {
            const double s = fmin(from + i * width, 1.0), size = fabs(interpolate(value, s));
            if (size > *most) {
                *most = size;
                best = s;
            }
        }
        from = fmax(-1.0, best - width);
    }
    return best;
}

// Largest values between the nodes of a part on which the rules agree: the motion is evaluated
// where polynomials have larger ones than any before.
static tn_status seek_peaks(tn_inverse_table *t, double a, double b)
{
    static const double LARGER = 1.0 + 1e-9;
    bool moved = false;
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++)
        for (int i = 0; i < PEAKS; i++) {
            const double before = fabs(i == 0 ? t->motor[k].max_effort : t->motor[k].max_power);
            double size;
            const double s = peak_of(t->sums[k].at[i], before, &size);
            if (!(size > LARGER * before))
                continue;
            TN_TRY(tn_inverse_move(t->inverse, a + 0.5 * (b - a) * (1.0 + s)));
            for (int j = 0; j < tn_inverse_motor_count(t->inverse); j++)
                note_motor(t, j);
            moved = true;
        }
    return moved ? tn_inverse_move(t->inverse, b) : TN_OK;
}

static tn_status move_part(tn_inverse_table *t, double from, double to, int halvings)
{
    TN_TRY(integrate_inverse_table(t, from, to));
    const bool known = agrees(t);
    if (known || halvings == HALVINGS_MAX || t->parts >= PARTS_MAX) {
        take_part(t);
        return known ? seek_peaks(t, from, to) : TN_OK;
    }
    const double middle = from + 0.5 * (to - from);
    TN_TRY(move_part(t, from, middle, halvings + 1));
    return move_part(t, middle, to, halvings + 1);
}

// From row to row, in parts between which functions of time have discontinuities: pulses of a
// table are short beside the time between rows. A part ends before a discontinuity, also where a
// row lies on it, and begins behind it; one that is round-off of that time is left out.
static tn_status move_between(tn_inverse_table *t, double from, double to)
{
    const double spacing = (to - from) / PARTS_MAX, least = TN_ROUND_ITERATE * (to - from);
    tn_kink kink;
    while (from < to && t->parts < PARTS_MAX &&
           tn_model_next_kink(t->model, from, to + least, spacing, &kink)) {
        if (fmin(kink.before, to) - from > least)
            TN_TRY(move_part(t, from, fmin(kink.before, to), 0));
        from = kink.after;
    }
    return from < to ? move_part(t, from, to, 0) : tn_inverse_move(t->inverse, to);
}

static tn_status inverse_table_move(tn_inverse_table *t, double to)
{
    t->parts = 0;
    if (t->facts.rows > 0)
        return move_between(t, tn_inverse_time(t->inverse), to);
    TN_TRY(tn_inverse_move(t->inverse, to));
    note_energy(t);
    return TN_OK;
}

static tn_status inverse_table_row(tn_inverse_table *t)
{
    const int joints = tn_model_joint_count(t->model);
    const tn_inverse_energy energy = tn_inverse_energies(t->inverse);
    double *to;
    // Room for one more row.
    for (int i = 0; i < t->columns.count; i++)
        TN_TRY(tn_array_push(&t->values, 0.0));
    to = t->values.at + t->values.count - t->columns.count;
    *to++ = tn_inverse_time(t->inverse);
    for (int j = 0; j < joints; j++) {
        const int n = t->model->joints.at[j].ops->ncoord;
        tn_inverse_joint_coordinates(t->inverse, (tn_joint){j}, to, to + n, to + 2 * n);
        to += 3 * n;
    }
    for (int k = 0; k < tn_inverse_motor_count(t->inverse); k++) {
        *to++ = tn_inverse_motor(t->inverse, k).effort;
        *to++ = tn_inverse_motor(t->inverse, k).power;
        note_motor(t, k);
    }
    for (int j = 0; t->wanted.reactions && j < joints; j++, to += 6) {
        const tn_wrench w = tn_inverse_joint_reaction(t->inverse, (tn_joint){j});
        tn_v3_to(w.f, to);
        tn_v3_to(w.m, to + 3);
    }
    *to++ = energy.kinetic;
    *to = energy.potential;
    compare_halved(t);
    t->facts.least_norm |= tn_inverse_is_least_norm(t->inverse);
    t->facts.missed = fmax(t->facts.missed, tn_inverse_missed(t->inverse));
    t->facts.rows++;
    t->facts.values = t->values.at;
    t->facts.steps = tn_inverse_steps(t->inverse);
    return TN_OK;
}

static double largest_effort(const tn_inverse_table *t, const char *unit)
{
    double most = 0.0;
    for (int k = 0; k < t->facts.nmotor; k++)
        if (strcmp(t->motor[k].unit, unit) == 0)
            most = fmax(most, fabs(t->motor[k].max_effort));
    return most;
}

static void judge_motor(tn_inverse_table *t, int k)
{
    static const double OF_OTHERS =
        1e-3; // efforts that are a smaller part of others are not checked
    const tn_motor_summary *m = &t->motor[k];
    const double others = fmax(largest_effort(t, m->unit), exchanging_effort(t, k));
    const double most = fmax(fmax(fabs(m->max_effort), t->sums[k].inertia), OF_OTHERS * others);
    const double exchanged = t->sums[k].sum + t->energy;
    const double parts = t->motion.degree_five ? 6.0 : 3.0;
    tn_judged spacing = {.quantity = judged[SPACING],
                         .value = most > 0.0 ? t->sums[k].off / (parts * most) : 0.0,
                         .bound = t->bound[SPACING],
                         .t = m->max_effort_time};
    tn_judged work = {.quantity = judged[WORK],
                      .value = m->unsure > 0.0 ? m->unsure / exchanged : 0.0,
                      .bound = t->bound[WORK],
                      .t = t->facts.to};
    snprintf(spacing.where, sizeof spacing.where, "%s", m->name);
    snprintf(work.where, sizeof work.where, "%s", m->name);
    if (t->wanted.from)
        tn_verdict_add(&t->verdict, &spacing,
                       "the effort of %s is off by about %.2g of its largest value or of what its "
                       "masses take, as rows of %s are too far apart or the motion jumps between "
                       "them: run it with a smaller --output",
                       m->name, spacing.value, t->wanted.from);
    tn_verdict_add(&t->verdict, &work,
                   "the work of %s is known to about %.2g J: its power jumps or is noise between "
                   "rows",
                   m->name, m->unsure);
}

static void inverse_table_end(tn_inverse_table *t, tn_status status)
{
    for (int k = 0; k < t->facts.nmotor && t->facts.rows > 0; k++) {
        tn_motor_summary *m = &t->motor[k];
        const double *all = t->sums[k].all;
        const double span = tn_inverse_time(t->inverse) - t->facts.from;
        m->work = all[0];
        m->rms_effort = span > 0.0 ? sqrt(all[1] / span) : fabs(m->max_effort);
        m->rms_power = span > 0.0 ? sqrt(all[2] / span) : fabs(m->max_power);
        judge_motor(t, k);
    }
    if (status != TN_OK)
        t->verdict.outcome = TN_OUTCOME_FAILED;
}

// Motions and motors

static tn_status push_motor(tn_inverse_table *t, tn_joint joint, int coordinate, int force)
{
    const tn_motor motor = {joint, coordinate, {force}};
    return tn_array_push(&t->chosen, motor);
}

// A motor of the model, a drive, a joint with all its coordinates, or one coordinate.
static tn_status add_motor(tn_inverse_table *t, const char *name)
{
    const tn_force force = tn_model_find_force(t->model, name);
    tn_joint joint = tn_model_find_joint(t->model, name);
    int coordinate;
    if (force.index >= 0 && t->model->forces.at[force.index].ops->is_motor)
        return push_motor(t, (tn_joint){-1}, 0, force.index);
    tn_driven driven;
    if (joint.index >= 0 && tn_joint_drives(&t->model->joints.at[joint.index], &driven))
        return push_motor(t, driven.joint, driven.coordinate, -1);
    const int n = joint.index >= 0 ? tn_model_joint_coordinate_count(t->model, joint) : 0;
    for (int i = 0; i < n; i++)
        TN_TRY(push_motor(t, joint, i, -1));
    if (n > 0)
        return TN_OK;
    TN_TRY(tn_motion_coordinate(t->model, name, "--motors", &joint, &coordinate));
    return push_motor(t, joint, coordinate, -1);
}

static tn_status read_motion(tn_inverse_table *t)
{
    if (t->wanted.motion && t->wanted.from)
        return tn_fail(TN_ERR_USAGE, "--motion and --from both state the motion; give one of them");
    if (t->wanted.motion)
        return tn_motion_read(t->wanted.motion, t->model, &t->motion);
    if (!t->wanted.from)
        return TN_OK;
    TN_TRY(tn_motion_from_result(t->wanted.from, t->wanted.trust, false, t->model, &t->motion));
    return tn_motion_from_result(t->wanted.from, t->wanted.trust, true, t->model, &t->coarse);
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

// Positions between rows are off by their sixth power.
static tn_status create_halved(tn_inverse_table *t, tn_inverse_options inverse)
{
    inverse.motions = t->coarse.motions;
    inverse.tolerance *= 64.0;
    const tn_status status =
        t->wanted.from ? tn_inverse_create(t->model, &inverse, &t->halved) : TN_OK;
    if (status == TN_ERR_MEMORY)
        return status;
    tn_clear_error();
    return TN_OK;
}

static tn_status prepare_inverse_follow(tn_inverse_table *t, const tn_simulate *defaults)
{
    tn_inverse_options inverse = tn_default_inverse();
    memcpy(t->bound, usual, sizeof usual);
    TN_TRY(tn_bounds_read(t->wanted.bounds, BOUNDS, judged, t->bound));
    TN_TRY(check_out(&t->wanted));
    TN_TRY(read_motion(t));
    TN_TRY(note_other_model(t));
    char name[300];
    const char *list = t->wanted.motors;
    for (int n; list && (n = tn_list_next(&list, sizeof name, name)) >= 0;) {
        TN_TRY(tn_list_fits(n, sizeof name, name));
        TN_TRY(add_motor(t, name));
    }
    TN_TRY(choose_times(t, defaults));
    inverse.start = defaults->options;
    inverse.start.t_start = t->facts.from;
    inverse.nmotion = t->motion.nmotion;
    inverse.motions = t->motion.motions;
    inverse.nmotor = t->chosen.count;
    inverse.motors = t->chosen.at;
    // Stored rows of a run are as near to its constraints as its method was.
    inverse.tolerance =
        first_number(t->wanted.tolerance, t->wanted.from ? 1e-3 : inverse.tolerance);
    TN_TRY(tn_inverse_create(t->model, &inverse, &t->inverse));
    TN_TRY(create_halved(t, inverse));
    t->facts.freedoms = tn_inverse_freedoms(t->inverse);
    return inverse_table_begin(t);
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
    TN_FREE(t->motor, t->sums);
    tn_inverse_destroy(t->inverse);
    tn_inverse_destroy(t->halved);
    tn_motion_clear(&t->motion);
    tn_motion_clear(&t->coarse);
    tn_free(t);
}

static tn_status follow(tn_inverse_table *t)
{
    const double ROUNDOFF = 1e-9;
    const double rows = t->interval > 0.0 ? (t->facts.to - t->facts.from) / t->interval : 0.0;
    const int whole = (int)floor(rows + ROUNDOFF);
    for (int k = 0; k <= whole; k++) {
        const bool last = rows - k < ROUNDOFF;
        TN_TRY(inverse_table_move(t, last ? t->facts.to : t->facts.from + k * t->interval));
        TN_TRY(inverse_table_row(t));
    }
    if (rows - whole < ROUNDOFF)
        return TN_OK;
    TN_TRY(inverse_table_move(t, t->facts.to));
    return inverse_table_row(t);
}

tn_status tn_inverse_table_follow(tn_inverse_table *table)
{
    TN_NEED(table, TN_ERR_USAGE);
    if (table->facts.rows > 0)
        return tn_fail(TN_ERR_USAGE, "the motion of this table has been followed already");
    const tn_status s = follow(table);
    inverse_table_end(table, s);
    return s;
}

TN_GETTER(const tn_inverse_facts *, tn_inverse_table_facts, (const tn_inverse_table *table), table,
          NULL, &table->facts);

TN_GETTER(const tn_verdict *, tn_inverse_table_verdict, (const tn_inverse_table *table), table,
          NULL, &table->verdict);

// Output

tn_status tn_inverse_table_write(const tn_inverse_table *table, const char *path)
{
    tn_buffer out = {0};
    TN_NEED_ALL(TN_ERR_USAGE, table, path);
    const int n = table->columns.count;
    for (int i = 0; i < n; i++) {
        tn_csv_name(&out, table->columns.at[i].name, table->columns.at[i].unit);
        tn_buffer_say(&out, i + 1 < n ? "," : "\n");
    }
    tn_csv_rows(&out, n, table->facts.rows, table->values.at);
    return tn_target_finish(TN_OK, path, &out, path);
}
