// SPDX-License-Identifier: MIT
//
// Chosen kinematic characteristics; see characteristics.h.

#include "motion/characteristics.h"

#include "base/alloc.h"
#include "coords/joint_motion.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <string.h>

// Names -------------------------------------------------------------------------------------------

static bool is_velocity(tn_quantity what)
{
    return what == TN_Q_BODY_VELOCITY || what == TN_Q_BODY_SPIN || what == TN_Q_BODY_ANGLE_RATE ||
           what == TN_Q_JOINT_RATE;
}

static tn_status no_velocity(const tn_model *model, const char *name, const tn_named_quantity *q)
{
    const tn_quantity rate = tn_quantity_kinds[q->what].rate;
    if (is_velocity(rate)) {
        const tn_named_quantity its = {rate, q->element, q->component, ""};
        const tn_column column = tn_quantity_column(model, &its);
        char *word = tn_quantity_name(&tn_quantity_kinds[rate], &column);
        const tn_status status = tn_fail(
            TN_ERR_USAGE, "characteristics name '%s', which is no velocity; its rate is '%s'", name,
            word ? word : "");
        tn_free(word);
        return status;
    }
    return tn_fail(TN_ERR_USAGE,
                   "characteristics name '%s', which is no velocity; take velocities or angular "
                   "velocities of bodies, or rates of joints",
                   name);
}

static tn_status take_name(tn_characteristics *c, const char *name)
{
    tn_named_quantity *q = &c->of[c->n];
    if (!*name)
        return tn_fail(TN_ERR_USAGE, "characteristics '%s' leave a name empty between commas",
                       c->names);
    if (tn_vocabulary_find(c->model, name, q) != TN_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", tn_last_error());
        return tn_fail(TN_ERR_USAGE, "characteristics name '%s': %s", name, why);
    }
    if (!is_velocity(q->what))
        return no_velocity(c->model, name, q);
    c->n++;
    return TN_OK;
}

static tn_status take_names(tn_characteristics *c, char *text)
{
    for (char *at = text, *comma; at; at = comma) {
        comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        while (*at == ' ')
            at++;
        for (char *end = at + strlen(at); end > at && end[-1] == ' ';)
            *--end = '\0';
        TN_TRY(take_name(c, at));
    }
    return TN_OK;
}

static int count_names(const char *text)
{
    int n = 1;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

static tn_status open_characteristics(tn_characteristics *c, const char *names)
{
    const size_t n = (size_t)count_names(names), length = strlen(names) + 1;
    c->of = tn_alloc(n * sizeof *c->of);
    c->e = tn_alloc(n * sizeof *c->e);
    c->v = tn_alloc((size_t)(c->sys->nv + 1) * sizeof *c->v);
    c->names = tn_alloc(length);
    char *text = tn_alloc(length);
    tn_status status = c->of && c->e && c->v && c->names && text ? TN_OK : tn_got(false);
    if (status == TN_OK) {
        memcpy(c->names, names, length);
        memcpy(text, names, length);
        status = take_names(c, text);
    }
    tn_free(text);
    return status;
}

tn_status tn_characteristics_create(tn_system *sys, const tn_model *model, const char *names,
                                    tn_characteristics **out)
{
    *out = NULL;
    if (!model || !sys->ops->mechanism)
        return tn_fail(TN_ERR_USAGE,
                       "characteristics '%s' are velocities of bodies and joints, and these "
                       "equations have none; leave them out, and the basis chooses",
                       names);
    tn_characteristics *c = tn_alloc(sizeof *c);
    TN_TRY(tn_got(c));
    c->sys = sys;
    c->model = model;
    const tn_status status = open_characteristics(c, names);
    TN_HAND_OUT(status, c, tn_characteristics_destroy, out);
}

void tn_characteristics_destroy(tn_characteristics *c)
{
    if (c)
        TN_FREE(c->of, c->names, c->v, c->e, c);
}

// Reading -----------------------------------------------------------------------------------------

static void look(tn_characteristics *c, const tn_point *at)
{
    const tn_mechanism_ops *ops = c->sys->ops->mechanism;
    if (ops->look)
        ops->look(c->sys, at);
}

// Invalidates the state of the evaluation before.
static void leave(tn_characteristics *c)
{
    c->sys->looked = false;
}

static double of_body(const tn_characteristics *c, const tn_point *at, const tn_named_quantity *q,
                      bool rate)
{
    tn_body_state body = {0};
    double x[3];
    c->sys->ops->mechanism->body(c->sys, at, q->element, &body);
    if (q->what == TN_Q_BODY_VELOCITY)
        tn_v3_to(rate ? body.acceleration : body.velocity, x);
    else
        tn_v3_to(rate ? body.rate_dot : body.rate, x);
    return x[q->what == TN_Q_BODY_ANGLE_RATE ? TN_Z : q->component];
}

static double of_joint(const tn_characteristics *c, const tn_point *at, const tn_named_quantity *q,
                       bool rate)
{
    double x[6], unread[6];
    if (rate)
        tn_joint_second_derivatives(c->sys, c->model, at, q->element, x);
    else
        c->sys->ops->mechanism->coordinates(c->sys, at, q->element, unread, x);
    return x[q->component];
}

static void read_all(tn_characteristics *c, const tn_point *at, bool rate, double *out)
{
    look(c, at);
    for (int k = 0; k < c->n; k++) {
        const tn_named_quantity *q = &c->of[k];
        out[k] = (q->what == TN_Q_JOINT_RATE ? of_joint : of_body)(c, at, q, rate);
    }
    leave(c);
}

void tn_characteristics_read(tn_characteristics *c, const tn_point *at, double *e)
{
    read_all(c, at, false, e);
}

void tn_characteristics_rates(tn_characteristics *c, const tn_point *at, double *rate)
{
    read_all(c, at, true, rate);
}

void tn_characteristics_rows(tn_characteristics *c, const tn_point *at, double *Et, double *e0)
{
    const int nv = c->sys->nv;
    tn_point here = *at;
    here.v = c->v;
    tn_zero(nv, c->v);
    tn_characteristics_read(c, &here, e0);
    for (int i = 0; i < nv; i++) {
        c->v[i] = 1.0;
        tn_characteristics_read(c, &here, c->e);
        c->v[i] = 0.0;
        for (int k = 0; k < c->n; k++)
            tn_column_of(Et, nv, k)[i] = c->e[k] - e0[k];
    }
}
