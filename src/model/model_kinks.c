// SPDX-License-Identifier: MIT
//
// Discontinuities of a model: see model_kinks.h.

#include "model/model_kinks.h"

#include "signal/curve.h"

#include <float.h>
#include <math.h>
#include <string.h>

const tn_timefn *tn_model_function(const tn_model *model, int k)
{
    const int element = k / TN_ELEMENT_FUNCTIONS, place = k % TN_ELEMENT_FUNCTIONS,
              force = element - model->joints.count;
    if (force < 0)
        return model->joints.at[element].u[place];
    // the curve of a spring is one of its deflection
    return model->forces.at[force].table ? NULL : model->forces.at[force].u[place];
}

// The same, NULL where it does not change with time.
static const tn_timefn *function(const tn_model *model, int k)
{
    const tn_timefn *f = tn_model_function(model, k);
    return f && tn_timefn_moves(f) ? f : NULL;
}

int tn_model_function_count(const tn_model *model)
{
    return model->timed ? TN_ELEMENT_FUNCTIONS * (model->joints.count + model->forces.count) : 0;
}

bool tn_model_moves(const tn_model *model)
{
    for (int k = 0; k < tn_model_function_count(model); k++)
        if (function(model, k))
            return true;
    return false;
}

bool tn_model_next_kink(const tn_model *model, double t, double end, double spacing, tn_kink *out)
{
    bool found = false, sampled = false;
    *out = (tn_kink){.t = end, .before = end, .after = end};
    for (int k = 0; k < tn_model_function_count(model) && !tn_is_stopping(); k++) {
        const tn_timefn *f = function(model, k);
        tn_kink next;
        // A little further, as far as discontinuities that belong to the first one may be.
        const double limit = found ? out->t + tn_time_round_off(out->t) : out->t;
        if (!f)
            continue;
        const bool is_kink = tn_timefn_next_kink(f, t, limit, spacing, &next);
        sampled = sampled || next.sampled;
        if (is_kink && found && fabs(next.t - out->t) <= tn_time_round_off(out->t)) {
            out->before = fmin(out->before, next.before);
            out->after = fmax(out->after, next.after);
        } else if (next.t < out->t) {
            *out = next;
            found = is_kink;
        }
    }
    out->sampled = sampled;
    return found;
}

bool tn_model_kinks_are_searched(const tn_model *model)
{
    for (int k = 0; k < tn_model_function_count(model); k++) {
        const tn_timefn *f = function(model, k);
        if (f && tn_timefn_is_searched(f))
            return true;
    }
    return false;
}

double tn_model_piece_after(const tn_model *model, double t)
{
    enum { MOST = 8 }; // near zero a condition may be zero for a few times, as 0.01*t is
    const double slack = 16.0 * DBL_EPSILON * fmax(fabs(t), 1e-9);
    double after = -INFINITY;
    for (int k = 0; k < tn_model_function_count(model); k++) {
        const tn_timefn *f = function(model, k);
        tn_kink kink = {.after = t - slack};
        for (int i = 0; i < MOST && f; i++) {
            if (!tn_timefn_next_kink(f, kink.after, t + slack, slack, &kink))
                break;
            if (kink.after > t)
                after = fmax(after, kink.after);
        }
    }
    return after;
}

// Drives ------------------------------------------------------------------------------------------

// Jumps below this part of the largest value of a function in the intervals on both sides are
// round-off, and those that its derivative makes between the two numbers of a discontinuity, a few
// times.
static const double JUMP = 1e-9, MOVES = 8.0;
enum { LOOKS = 64 };

// Raises the sizes of a function and of its derivative to those between two times.
static void model_kinks_sizes(const tn_timefn *f, double from, double to, double size[2])
{
    for (int i = 0; i <= LOOKS; i++) {
        double u[3];
        tn_timefn_eval(f, from + (to - from) * i / LOOKS, u);
        for (int k = 0; k < 2; k++)
            if (isfinite(u[k]))
                size[k] = fmax(size[k], fabs(u[k]));
    }
}

// Returns true if a function, or the derivative of it that comes at `before` and `after`, with the
// next one behind it, jumps at a discontinuity.
static bool jumps(const tn_kink *kink, const double *before, const double *after, double size)
{
    const double least = JUMP * fmax(size, fmax(fabs(before[0]), fabs(after[0])));
    const double slope = fmax(fabs(before[1]), fabs(after[1]));
    return fabs(after[0] - before[0]) > least + MOVES * slope * (kink->after - kink->before);
}

static tn_status check_kink(const tn_joint_data *joint, const tn_timefn *f, const tn_kink *kink,
                            const double size[2])
{
    double before[3], after[3];
    tn_timefn_eval(f, kink->before, before);
    tn_timefn_eval(f, kink->after, after);
    if (!isfinite(before[0]) || !isfinite(after[0])) // no jump: the run ends there (finite.c)
        return TN_OK;
    if (jumps(kink, before, after, size[0]))
        return tn_fail(TN_ERR_MODEL,
                       "joint '%s': its motion jumps from %.6g to %.6g at t = %.9g s; a drive must "
                       "be continuous, for example with step(t, t0, u0, t1, u1)",
                       joint->name, before[0], after[0], kink->t);
    if (jumps(kink, before + 1, after + 1, size[1]) && !joint->def->impulse)
        return tn_fail(
            TN_ERR_MODEL,
            "joint '%s': its velocity jumps from %.6g to %.6g at t = %.9g s, which takes "
            "an infinite acceleration; round the motion off (step, a table with "
            "interpolation: spline), or state impulse: true",
            joint->name, before[1], after[1], kink->t);
    return TN_OK;
}

// As many discontinuities of one function as are checked: periodic ones repeat themselves.
enum { KINKS = 100000, SEARCHED = 4096 };

// Discontinuities one after the other, each with the sizes of the smooth intervals before and after
// it: they may be much shorter than the run.
static tn_status check_drive(const tn_joint_data *joint, const tn_timefn *f, double from, double to)
{
    const double spacing = (to - from) / SEARCHED;
    double run[2] = {0.0, 0.0}, last[2] = {0.0, 0.0}, t = from;
    tn_kink kink = {.t = from, .before = from, .after = from};
    bool is_kink = false;
    model_kinks_sizes(f, from, to, run);
    for (int i = 0; i < KINKS && t < to && !tn_is_stopping(); i++) {
        const tn_kink at = kink;
        const bool check = is_kink && at.t > from;
        double size[2] = {0.0, 0.0};
        is_kink = tn_timefn_next_kink(f, t, to, spacing, &kink);
        model_kinks_sizes(f, t, kink.before, size);
        for (int k = 0; k < 2; k++)
            last[k] = fmax(run[k], fmax(last[k], size[k]));
        TN_TRY(check ? check_kink(joint, f, &at, last) : TN_OK);
        memcpy(last, size, sizeof last);
        t = fmax(kink.after, nextafter(t, INFINITY));
    }
    return TN_OK;
}

tn_status tn_model_check_drives(const tn_model *model, double from, double to, int *joint)
{
    for (*joint = 0; *joint < model->joints.count; ++*joint)
        for (int place = 0; place < TN_ELEMENT_FUNCTIONS; place++) {
            const tn_timefn *f = function(model, *joint * TN_ELEMENT_FUNCTIONS + place);
            if (f)
                TN_TRY(check_drive(&model->joints.at[*joint], f, from, to));
        }
    *joint = -1;
    return TN_OK;
}

bool tn_model_has_impulse(const tn_model *model, const tn_kink *kink)
{
    for (int k = 0; k < TN_ELEMENT_FUNCTIONS * model->joints.count; k++) {
        const tn_timefn *f = function(model, k);
        double before[3], after[3];
        if (!f || !model->joints.at[k / TN_ELEMENT_FUNCTIONS].def->impulse)
            continue;
        tn_timefn_eval(f, kink->before, before);
        tn_timefn_eval(f, kink->after, after);
        if (jumps(kink, before + 1, after + 1, 0.0))
            return true;
    }
    return false;
}

// Tables ------------------------------------------------------------------------------------------

tn_status tn_model_check_tables(const tn_model *model, double from, double to)
{
    for (int k = 0; k < tn_model_function_count(model); k++) {
        const tn_timefn *f = function(model, k);
        const tn_curve *curve = f ? tn_timefn_curve(f) : NULL;
        if (!curve || curve->beyond != TN_BEYOND_ERROR)
            continue;
        const double begin = curve->t[0], end = curve->t[curve->n - 1];
        const int element = k / TN_ELEMENT_FUNCTIONS, force = element - model->joints.count;
        const char *name =
            force < 0 ? model->joints.at[element].name : model->forces.at[force].name;
        if (from < begin || to > end)
            return tn_fail(TN_ERR_MODEL,
                           "%s '%s': its table is from %.9g s to %.9g s and must not be left "
                           "(beyond: error), but the run is from %.9g s to %.9g s",
                           force < 0 ? "joint" : "force", name, begin, end, from, to);
    }
    return TN_OK;
}
