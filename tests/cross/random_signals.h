// SPDX-License-Identifier: MIT
//
// Random expressions of the state on a random mechanism: signals that use each other, states,
// unknowns, sampled systems, and forces whose numbers they are. Expressions are smooth and small,
// so that motions stay tame.

#pragma once

#include "model/signal.h"
#include "model/vocabulary.h"
#include "random_mechanism.h"
#include "tenon/tenon.h"

enum { MOST_NAMES = 600, TERM_SIZE = 400 };

// Numbers of the mechanism that expressions may use, and how often which was used.
typedef struct random_names {
    int n;
    char name[MOST_NAMES][96];
    tn_quantity what[MOST_NAMES];
    int first[TN_QUANTITIES], count[TN_QUANTITIES]; // they stand together
    int used[TN_QUANTITIES];
} random_names;

// Gears have multipliers but no force at a point.
static inline bool is_wanted(const tn_model *model, const tn_named_quantity *q, bool reactions)
{
    const tn_variable v = {.kind = TN_VARIABLE_QUANTITY, .index = (int)q->what};
    if ((q->what == TN_Q_REACTION_FORCE || q->what == TN_Q_REACTION_TORQUE) &&
        model->joints.at[q->element].def->kind == TN_JOINT_GEAR)
        return false;
    return tn_variable_is_measured(&v) && (reactions || !tn_variable_is_reaction(&v));
}

// "'body 2'.'position'.'x'", "'joint 1'.'lambda'.'tilt about x'"
static inline void quote_name(const tn_model *model, const tn_named_quantity *q, char *out)
{
    const tn_column column = tn_quantity_column(model, q);
    char *name = tn_quantity_name(&tn_quantity_kinds[q->what], &column);
    CHECK(name != NULL && column.owner != NULL);
    int n = snprintf(out, 96, "'%s'", column.owner);
    for (char *part = strtok(name + strlen(column.owner), "."); part; part = strtok(NULL, "."))
        n += snprintf(out + n, (size_t)(96 - n), ".'%s'", part);
    tn_free(name);
}

static inline random_names list_names(const tn_model *model, bool reactions)
{
    random_names list = {0};
    tn_named_quantity at = {.component = -1};
    while (tn_vocabulary_next(model, &at) && list.n < MOST_NAMES) {
        if (!is_wanted(model, &at, reactions))
            continue;
        if (list.count[at.what]++ == 0)
            list.first[at.what] = list.n;
        list.what[list.n] = at.what;
        quote_name(model, &at, list.name[list.n++]);
    }
    return list;
}

// One name: each kind of number that the mechanism has as likely as the others, however many other
// kinds there are.
static inline const char *random_name(random_names *list)
{
    int kinds = 0, what = -1;
    for (int k = 0; k < TN_QUANTITIES; k++)
        kinds += list->count[k] > 0;
    for (int skip = random_int(kinds); skip >= 0; skip--)
        do
            what++;
        while (list->count[what] == 0);
    list->used[what]++;
    return list->name[list->first[what] + random_int(list->count[what])];
}

// A small smooth function of two numbers, and of one that is stated.
static inline const char *random_term(random_names *list, const char *other, char *out)
{
    const char *a = random_name(list), *b = random_name(list);
    const double x = 0.3 * tn_random(), y = 0.3 * tn_random();
    switch (random_int(4)) {
    case 0:
        snprintf(out, TERM_SIZE, "%.3f*tanh(%s) + %.3f*sin(%s)*cos(%s)", x, a, y, b, other);
        break;
    case 1:
        snprintf(out, TERM_SIZE, "%.3f*%s/(1 + %s^2) + %.3f*atan(%s - %s)", x, a, a, y, b, other);
        break;
    case 2:
        snprintf(out, TERM_SIZE, "%.3f*sin(%s + 0.3*t) + %.3f*exp(-tanh(%s))*%s", x, a, y, b,
                 other);
        break;
    default:
        snprintf(out, TERM_SIZE, "%.3f*sqrt(1 + tanh(%s)^2) + %.3f*tanh(%s*%s)", x, a, y, b, other);
    }
    return out;
}

// Forces whose coordinate, rate and effort are among the names.
static inline void add_plain_forces(mechanism *m)
{
    tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
    spring.body_b = (tn_body){1};
    spring.frame_a = joint_frame(m->planar);
    spring.frame_b = joint_frame(m->planar);
    spring.frame_a.p.x += 2.0; // long enough
    spring.spring.stiffness = 3.0;
    spring.spring.damping = 0.2;
    tn_model_add_force(m->model, &spring);
    tn_force_def turning = tn_default_force(TN_FORCE_JOINT_SPRING);
    turning.joint = random_coordinate(m, &turning.coordinate);
    turning.spring.stiffness = 2.0;
    turning.spring.damping = 0.3;
    if (turning.joint.index >= 0)
        tn_model_add_force(m->model, &turning);
}

static inline void add_formulas(mechanism *m, random_names *list)
{
    char term[TERM_SIZE], text[2 * TERM_SIZE];
    // Later ones are used before they are there.
    CHECK_OK(tn_model_add_signal(m->model, "s3", random_term(list, "(s1 + s2)", term)));
    CHECK_OK(tn_model_add_signal(m->model, "s2", random_term(list, "w0", term)));
    CHECK_OK(tn_model_add_signal(m->model, "s1", random_term(list, "s0", term)));
    CHECK_OK(tn_model_add_signal(m->model, "s0", random_term(list, "c0", term)));
    for (int k = 0; k < 2; k++) {
        tn_state_def state = tn_default_state();
        state.name = k ? "c1" : "c0";
        state.rate = text;
        state.initial = 0.2 * tn_random();
        snprintf(text, sizeof text, "%s - %s", random_term(list, k ? "s3" : "c1", term),
                 state.name);
        CHECK_OK(tn_model_add_state(m->model, &state));
    }
    snprintf(text, sizeof text, "2*w0 + 0.1*w0^3 - (%s)", random_term(list, "c1", term));
    CHECK_OK(tn_model_add_unknown(m->model, &(tn_unknown_def){.name = "w0", .equation = text}));
}

static inline void add_sampler(mechanism *m, random_names *list)
{
    char term[TERM_SIZE], text[2 * TERM_SIZE];
    snprintf(text, sizeof text, "0.5*u + %s", random_term(list, "s0", term));
    const tn_sampled_value value = {.name = "u", .next = text};
    const double shorter = random_unit(), longer = random_unit();
    CHECK_OK(tn_model_add_sampled(m->model, &(tn_sampled_def){.name = "servo",
                                                              .every = 0.03 + 0.04 * shorter,
                                                              .delay = random_int(2) * 0.1 * longer,
                                                              .n = 1,
                                                              .value = &value}));
}

static inline void add_live_forces(mechanism *m, random_names *list)
{
    char term[TERM_SIZE], text[2 * TERM_SIZE], other[TERM_SIZE];
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    motor.joint = random_coordinate(m, &motor.coordinate);
    snprintf(text, sizeof text, "s1 + c0 + 0.5*w0 + servo.u + %s", random_term(list, "s3", term));
    motor.motor.effort.expression = text;
    if (motor.joint.index >= 0)
        tn_model_add_force(m->model, &motor);
    tn_force_def push = tn_default_force(TN_FORCE_POINT);
    push.body_b = (tn_body){m->nbody};
    push.frame_b.p.x = m->point[m->nbody] ? 0.0 : 0.2;
    push.point.force[0].expression = random_term(list, "c1", term);
    push.point.force[1].expression = random_term(list, "t", other);
    push.point.torque[2].expression = m->point[m->nbody] ? NULL : "0.2*s3";
    tn_model_add_force(m->model, &push);
    tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
    spring.joint = random_coordinate(m, &spring.coordinate);
    if (spring.joint.index >= 0) {
        const tn_force id = tn_model_add_force(m->model, &spring);
        CHECK_OK(tn_model_set_force_expression(m->model, id, "stiffness", "1 + s2^2"));
        CHECK_OK(tn_model_set_force_expression(m->model, id, "damping", "0.1 + 0.1*c1^2"));
        CHECK_OK(
            tn_model_set_force_expression(m->model, id, "preload", random_term(list, "w0", term)));
    }
}

// Adds what was said; returns the names with how often they were used.
static inline random_names add_random_signals(mechanism *m, bool reactions)
{
    add_plain_forces(m);
    random_names list = list_names(m->model, reactions);
    add_formulas(m, &list);
    add_sampler(m, &list);
    add_live_forces(m, &list);
    CHECK_OK(tn_model_status(m->model));
    return list;
}
