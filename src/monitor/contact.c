// SPDX-License-Identifier: MIT
//
// Shapes that stay in touch (row/touch.h), along a run. Before a step their contacts are held:
// the step searches them near where they are. After it they are checked:
//
//   - the shapes part on all sides of the contact, or there would be two contact points;
//   - the placement is one that the kind is for: planes of cams are parallel;
//   - the contact is on the shapes, not beyond their ends;
//   - nowhere else are they in each other;
//   - between both ends of the step they are so smooth that it has not missed anything of them.
//
// If one of these does not hold, a step of error control is taken again, shorter: the run ends
// where it ceases to hold, and what happens before is seen.
//
// A contact that would have to pull is an event (watch.c): lift-off.

#include "model/joint.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The parting of surfaces, without unit, below which a contact is reported to become two.
static const double SINGLE = 1e-6;
// A step of error control that ends where a contact cannot hold is taken again as this part of
// itself, until it is shorter than this part of the time scale.
static const double SHORTER = 0.5, SHORTEST = 1e-6;
// Largest error of a step on the shapes, by the tolerance and the size of the shapes.
static const double MISSED = 10.0, MISSED_LEAST = 1e-9;

typedef struct placed {
    tn_frame a, b;
} placed;

static placed place(tn_sim *sim, const tn_state *x, const tn_joint_def *def)
{
    placed at;
    tn_sensors_frames(&sim->sensors, x, def, &at.a, &at.b);
    return at;
}

// "s = 0.1, z = 0.02"
static const char *words_of(const tn_touch *touch, const double *s, char text[120])
{
    int n = 0;
    if (touch->ops->n == 0)
        return touch->ops->place(s);
    for (int i = 0; i < touch->ops->n && n < 100; i++)
        n += snprintf(text + n, (size_t)(120 - n), "%s%s = %.6g", i ? ", " : "",
                      touch->ops->names[i], s[i]);
    return text;
}

static tn_status leaves_end(const tn_joint_data *joint, const double *s, double t)
{
    char here[120];
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s the contact of joint '%s' leaves the end of its profile, at %s; "
                   "extend the profile, or end the run before by an event",
                   t, joint->name, words_of(joint->def->contact.touch, s, here));
}

// Fails at a placement that ends a run.
static tn_status check_contact(const tn_joint_data *joint, placed at, double t)
{
    tn_touch *touch = joint->def->contact.touch;
    double s[TN_TOUCH_COORDS], other[TN_TOUCH_COORDS];
    char here[120], there[120];
    tn_touch_seen seen, elsewhere;
    if (!touch->held)
        return TN_OK;
    const char *wrong = tn_touch_wrong(touch, at.a, at.b);
    if (wrong)
        return tn_fail(TN_ERR_NUMERIC, "at t = %.6g s joint '%s': %s", t, joint->name, wrong);
    if (!tn_touch_find(touch, at.a, at.b, s, &seen))
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the shapes of joint '%s' have no contact near %s any more; "
                       "check their curvatures there",
                       t, joint->name, words_of(touch, touch->from, here));
    if (!touch->ops->within(touch, s))
        return leaves_end(joint, s, t);
    const bool parts = seen.single > SINGLE;
    if (touch->ops->crosses && (!parts || tn_v3_dot(seen.n, touch->normal) < 0.0))
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the tangents of the curves of joint '%s' become parallel, "
                       "near %s: there they touch in no single place, and behind it the bodies "
                       "would be on the other side of each other; end the run before by an event",
                       t, joint->name, words_of(touch, s, here));
    if (!parts)
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the contact of joint '%s' becomes two: at %s the curvatures "
                       "of its shapes no longer part them; make the follower rounder or the "
                       "profile less hollow",
                       t, joint->name, words_of(touch, s, here));
    if (tn_touch_elsewhere(touch, at.a, at.b, other, &elsewhere))
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the shapes of joint '%s' touch at two places: they are held "
                       "at %s, and are in each other by %.3g m at %s",
                       t, joint->name, words_of(touch, s, here), seen.gap - elsewhere.gap,
                       words_of(touch, other, there));
    return TN_OK;
}

// A step under error control is taken again as this part of itself.
static tn_status take_part(tn_sim *sim, double part)
{
    sim->stepper.factor = part;
    tn_clear_error();
    return TN_RETRY_ERROR;
}

// The end of a profile that a step has passed: the step is taken again up to a little before it,
// until no way is left. Steps of a given size report the time on the way.
static tn_status pass_end(tn_sim *sim, const tn_joint_data *joint, const double *s)
{
    const double h = sim->start.x.t - sim->before.t, BEFORE = 0.999;
    bool at_end;
    const double part = tn_touch_part_within(joint->def->contact.touch, s, &at_end);
    if (sim->options.adaptive && !at_end)
        return take_part(sim, fmin(BEFORE * part, SHORTER));
    return leaves_end(joint, s, sim->before.t + part * h);
}

// The contact at the end of a step.
static tn_status watch_contact(tn_sim *sim, const tn_joint_data *joint)
{
    const placed at = place(sim, &sim->start.x, joint->def);
    tn_touch *touch = joint->def->contact.touch;
    const double h = sim->start.x.t - sim->before.t, t = sim->start.x.t;
    double s[TN_TOUCH_COORDS], on[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    if (touch->held && !tn_touch_wrong(touch, at.a, at.b) &&
        tn_touch_find(touch, at.a, at.b, s, &seen)) {
        memcpy(on, s, sizeof on);
        if (!touch->ops->within(touch, on))
            return pass_end(sim, joint, s);
        const double missed = sim->options.adaptive ? tn_touch_bulge(touch, s) : 0.0;
        if (missed > fmax(MISSED * sim->options.rtol, MISSED_LEAST) * touch->size)
            return take_part(sim, SHORTER);
    }
    const tn_status status = check_contact(joint, at, t);
    const bool again =
        status != TN_OK && sim->options.adaptive && h > SHORTEST * sim->start.sys->time_scale;
    return again ? take_part(sim, SHORTER) : status;
}

// Shapes that are apart have a nearest place, which may jump; it is searched everywhere.
static bool is_open(const tn_sim *sim, int joint)
{
    const tn_contact *of = tn_sim_contact_of(sim, joint);
    return of && !of->closed;
}

static void hold_contacts(tn_monitor *m, tn_sim *sim)
{
    for (int k = 0; k < sim->model->joints.count; k++) {
        const tn_joint_data *joint = &sim->model->joints.at[k];
        if (!joint->ops->shapes)
            continue;
        if (is_open(sim, k)) {
            joint->def->contact.touch->held = false;
            continue;
        }
        const placed at = place(sim, &sim->start.x, joint->def);
        tn_touch_hold(joint->def->contact.touch, at.a, at.b);
    }
}

static tn_status watch_contacts(tn_monitor *m, tn_sim *sim)
{
    for (int k = 0; k < sim->model->joints.count; k++) {
        const tn_joint_data *joint = &sim->model->joints.at[k];
        if (joint->ops->shapes && !is_open(sim, k))
            TN_TRY(watch_contact(sim, joint));
    }
    return TN_OK;
}

static tn_status explain_contacts(tn_monitor *m, tn_sim *sim, tn_status status, double h)
{
    const double t = sim->start.x.t;
    for (int k = 0; k < sim->model->joints.count; k++) {
        const tn_joint_data *joint = &sim->model->joints.at[k];
        if (!joint->ops->shapes || is_open(sim, k))
            continue;
        TN_TRY(check_contact(joint, place(sim, &sim->start.x, joint->def), t));
        tn_sim_look_ahead(sim, h);
        TN_TRY(check_contact(joint, place(sim, &sim->shown, joint->def), t));
    }
    return TN_OK;
}

static bool has_contacts(const tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->joints.count; k++)
        if (sim->model->joints.at[k].ops->shapes)
            return true;
    return false;
}

const tn_monitor_ops tn_monitor_contact = {.name = "contact",
                                           .applies = has_contacts,
                                           .before = hold_contacts,
                                           .after = watch_contacts,
                                           .explain = explain_contacts};
