// SPDX-License-Identifier: MIT
//
// Modes over a parameter. Lines go from point to point by the modal assurance criterion
//
//   MAC(x, y) = |x^H M y|^2 / ((x^H M x) (y^H M y))
//
// [AB82], less a part for values that leap: pairs are taken from the best on. More modes than lines
// are found at each point, so that a line may leave the slowest ones.

#include "analysis/campbell.h"

#include "analysis/modes.h"
#include "base/alloc.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double LEAP = 0.5; // how much a leap by |s| counts against the shape
static const double LOST = 0.1; // a best score below it: the line ends
enum { LINES = 8, POINTS = 21, SPARE = 4 };

tn_campbell_options tn_default_campbell(void)
{
    return (tn_campbell_options){
        .modes = tn_default_modes(), .over = "spin", .to = 1.0, .points = POINTS};
}

// Following ---------------------------------------------------------------------------------------

static double by_mass(tn_equilibrium *s, const double *x, const double *y)
{
    tn_eq_times_mass(s, y, s->y1);
    return tn_dot(s->sys->nv, x, s->y1);
}

// MAC of mode i of a and mode j of b, by the masses of b.
static double assurance(const tn_modes *a, int i, const tn_modes *b, int j)
{
    tn_equilibrium *s = b->state;
    const int nv = s->sys->nv;
    const double *x = tn_modes_shape(a, i), *y = tn_modes_shape(b, j);
    const double re = by_mass(s, x, y) + by_mass(s, x + nv, y + nv);
    const double im = by_mass(s, x, y + nv) - by_mass(s, x + nv, y);
    const double xx = by_mass(s, x, x) + by_mass(s, x + nv, x + nv);
    const double yy = by_mass(s, y, y) + by_mass(s, y + nv, y + nv);
    return xx > 0.0 && yy > 0.0 ? (re * re + im * im) / (xx * yy) : 0.0;
}

// Rigid motions that s does not distinguish are one as good as another.
static double score(const tn_modes *a, int i, const tn_modes *b, int j)
{
    const tn_mode p = tn_mode_of(a, i), q = tn_mode_of(b, j);
    if (p.kind == TN_MODE_RIGID && q.kind == TN_MODE_RIGID)
        return 1.0;
    const double size = hypot(p.re, p.im) + hypot(q.re, q.im);
    return assurance(a, i, b, j) - LEAP * hypot(p.re - q.re, p.im - q.im) / fmax(size, 1e-300);
}

// Lines that stand at modes `at` of a (-1: lost) go on to modes of b.
static tn_status follow_lines(const tn_modes *a, const tn_modes *b, int nline, int *at)
{
    const int n = b->n;
    const size_t pairs = (size_t)nline * (size_t)n;
    double *scores = tn_alloc(sizeof(double) * (pairs + 1) + sizeof(int) * (size_t)(nline + 1));
    TN_TRY(tn_got(scores));
    int *next = (int *)(scores + pairs + 1);
    for (int l = 0; l < nline; l++) {
        next[l] = -1;
        for (int j = 0; j < n; j++)
            scores[l * n + j] = at[l] >= 0 ? score(a, at[l], b, j) : -INFINITY;
    }
    for (int k = 0; k < nline; k++) {
        int best = 0;
        for (int i = 1; i < nline * n; i++)
            best = scores[i] > scores[best] ? i : best;
        if (!(scores[best] > LOST))
            break;
        next[best / n] = best % n;
        for (int j = 0; j < n; j++)
            scores[best / n * n + j] = -INFINITY;
        for (int l = 0; l < nline; l++)
            scores[l * n + best % n] = -INFINITY;
    }
    for (int l = 0; l < nline; l++)
        at[l] = next[l];
    tn_free(scores);
    return TN_OK;
}

// Points ------------------------------------------------------------------------------------------

static tn_status name_point(const tn_campbell *c, int point, tn_status status)
{
    if (status == TN_OK || status == TN_ERR_MEMORY || point == 0)
        return status;
    return tn_fail_within(status, "modes at %s = %.6g", c->over, c->value[point]);
}

// Modes hold on to their model, so that it may go.
static tn_status modes_of_other(const tn_campbell *c, double value, const tn_modes_options *options,
                                const tn_modes_case *at, tn_modes **out)
{
    tn_model *model = NULL;
    TN_TRY(c->options.model_at(c->options.user, value, &model));
    const tn_status status = tn_modes_create_case(model, options, at, out);
    tn_model_destroy(model);
    return status;
}

static tn_status modes_at(tn_campbell *c, int point, tn_modes **out)
{
    tn_modes_options options = c->options.modes;
    tn_modes_case at = {.at_most = true};
    const double value = c->value[point];
    options.count = c->nline + SPARE + c->nline / 2;
    if (c->options.model_at) {
        const tn_status made = modes_of_other(c, value, &options, &at, out);
        return name_point(c, point, made);
    }
    if (strcmp(c->over, "spin") == 0) {
        options.find.spin = value;
    } else if (strcmp(c->over, "motion") == 0) {
        options.motion = value;
    } else if (strcmp(c->over, "load") == 0) {
        options.find.load_to = value;
    } else {
        at.input = c->over;
        at.value = value;
    }
    return name_point(c, point, tn_modes_create_case(c->model, &options, &at, out));
}

static void keep_point(tn_campbell *c, int point, const tn_modes *m, const int *at)
{
    const tn_verdict *v = &m->state->verdict;
    for (int i = 0; i < v->count; i++)
        tn_verdict_add(&c->verdict, &v->judged[i], "at %s = %.6g %s", c->over, c->value[point],
                       v->judged[i].text);
    c->speed[point] = m->facts.speed;
    for (int l = 0; l < c->nline; l++) {
        tn_mode *mode = &c->mode[l * c->npoint + point];
        *mode = at[l] >= 0
                    ? m->mode[at[l]]
                    : (tn_mode){
                          .re = NAN, .im = NAN, .frequency = NAN, .undamped = NAN, .damping = NAN};
    }
}

static tn_status open_lines(tn_campbell *c, const tn_modes *m, int **at)
{
    const int count = c->options.modes.count;
    if (count > m->facts.most)
        return tn_fail(TN_ERR_USAGE,
                       "count: %d modes were asked for, but the mechanism has %d freedom%s; ask "
                       "for as many, or leave it out",
                       count, m->facts.freedoms, m->facts.freedoms == 1 ? "" : "s");
    c->nline = tn_smaller(c->nline, m->n);
    c->mode = tn_alloc(sizeof *c->mode * (size_t)(c->nline * c->npoint + 1));
    *at = tn_alloc(sizeof(int) * (size_t)(c->nline + 1));
    TN_TRY(tn_got(c->mode && *at));
    for (int l = 0; l < c->nline; l++)
        (*at)[l] = l;
    return TN_OK;
}

static tn_status go_along(tn_campbell *c)
{
    tn_modes *last = NULL;
    int *at = NULL;
    tn_status status = TN_OK;
    for (int k = 0; k < c->npoint && status == TN_OK; k++) {
        tn_modes *now = NULL;
        status = modes_at(c, k, &now);
        if (k == 0)
            TN_THEN(status, open_lines(c, now, &at));
        else
            TN_THEN(status, follow_lines(last, now, c->nline, at));
        if (status == TN_OK && at)
            keep_point(c, k, now, at);
        tn_modes_destroy(last);
        last = now;
        if (status == TN_OK && c->options.progress)
            c->options.progress(c->options.user, k + 1, c->value[k]);
    }
    tn_modes_destroy(last);
    tn_free(at);
    return status;
}

// Creation ----------------------------------------------------------------------------------------

static tn_status check_campbell(const tn_campbell_options *o)
{
    if (!o->over || !*o->over)
        return tn_fail(TN_ERR_USAGE, "over: there is no parameter; state spin, motion, load, or an "
                                     "input of the model");
    if (o->points < 2 || o->points > 100000)
        return tn_fail(TN_ERR_USAGE, "over: %d points; there must be 2 to 100000", o->points);
    if (!isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
        return tn_fail(TN_ERR_USAGE, "over: %s from %g to %g has no length", o->over, o->from,
                       o->to);
    const bool stated = o->modes.about != TN_ABOUT_EQUILIBRIUM;
    if (strcmp(o->over, "motion") == 0 && !stated)
        return tn_fail(TN_ERR_USAGE, "over: motion changes the velocities of a start or a state; "
                                     "take modes about one of these");
    if ((strcmp(o->over, "spin") == 0 || strcmp(o->over, "load") == 0) && stated)
        return tn_fail(TN_ERR_USAGE,
                       "over: a start or a state is taken as it is, without %s; motion changes "
                       "its velocities",
                       o->over);
    return TN_OK;
}

static tn_status build_campbell(tn_campbell *c)
{
    const tn_campbell_options *o = &c->options;
    c->npoint = o->points;
    c->nline = o->modes.count > 0 ? o->modes.count : LINES;
    c->over = tn_strdup(o->over);
    c->value = tn_alloc(sizeof(double) * 2 * (size_t)c->npoint);
    TN_TRY(tn_got(c->over && c->value));
    c->speed = c->value + c->npoint;
    c->turns = strcmp(c->over, "spin") == 0 || strcmp(c->over, "motion") == 0;
    for (int k = 0; k < c->npoint; k++)
        c->value[k] = o->from + (o->to - o->from) * k / (c->npoint - 1);
    return go_along(c);
}

tn_status tn_campbell_create(const tn_model *model, const tn_campbell_options *options,
                             tn_campbell **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    *out = NULL;
    tn_clear_error();
    TN_TRY(check_campbell(options));
    tn_campbell *c = tn_alloc(sizeof *c);
    TN_TRY(tn_got(c));
    c->options = *options;
    c->model = model;
    const tn_status status = build_campbell(c);
    TN_HAND_OUT(status, c, tn_campbell_destroy, out);
}

void tn_campbell_destroy(tn_campbell *c)
{
    if (c)
        TN_FREE(c->over, c->value, c->mode, c);
}

// Read-out ----------------------------------------------------------------------------------------

TN_GETTER(int, tn_campbell_lines, (const tn_campbell *c), c, 0, c->nline);
TN_GETTER(int, tn_campbell_points, (const tn_campbell *c), c, 0, c->npoint);
TN_GETTER(const tn_verdict *, tn_campbell_verdict, (const tn_campbell *c), c, NULL, &c->verdict);
TN_GETTER_AT(double, tn_campbell_value, (const tn_campbell *c, int k), c, k, c->npoint, NAN,
             c->value[k]);
TN_GETTER_AT(double, tn_campbell_speed, (const tn_campbell *c, int k), c, k, c->npoint, NAN,
             c->speed[k]);
TN_GETTER(const char *, tn_campbell_unit, (const tn_campbell *c), c, "",
          strcmp(c->over, "spin") == 0 ? "rad/s" : "");

tn_mode tn_campbell_mode(const tn_campbell *c, int line, int k)
{
    TN_NEED(c, ((tn_mode){0}));
    TN_NEED_INDEX(line, c->nline, ((tn_mode){0}));
    TN_NEED_INDEX(k, c->npoint, ((tn_mode){0}));
    return c->mode[line * c->npoint + k];
}
