// SPDX-License-Identifier: MIT
//
// Functions of time: constants, expressions (signal/expression.c) and tables (signal/curve.c).

#include "signal/timefn.h"

#include "base/alloc.h"
#include "signal/curve.h"
#include "signal/expression.h"
#include "signal/grid.h"
#include "signal/own_function.h"

#include <math.h>
#include <string.h>

struct tn_timefn {
    tn_expression *expression;  // or NULL
    tn_curve *curve;            // or NULL
    double constant;            // when it is none of the others
    bool live;                  // which is set from outside
    const tn_own_function *own; // or NULL; its parameters follow
    const tn_timefn *of;        // or value of(argument t), the function of another model
    double argument, value;
};

static tn_status create_timefn(tn_timefn **out)
{
    *out = tn_alloc(sizeof(tn_timefn));
    return *out ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory: time function");
}

static tn_status timefn_finish(tn_status status, tn_timefn **out)
{
    if (status != TN_OK) {
        tn_free(*out);
        *out = NULL;
    }
    return status;
}

tn_status tn_timefn_constant(double value, tn_timefn **out)
{
    *out = NULL;
    if (!isfinite(value))
        return tn_fail(TN_ERR_MODEL, "constant %g is not finite", value);
    TN_TRY(create_timefn(out));
    (*out)->constant = value;
    return TN_OK;
}

tn_status tn_timefn_expression(const char *text, int nparam, const tn_named_value *params,
                               tn_timefn **out)
{
    TN_TRY(create_timefn(out));
    return timefn_finish(tn_expression_create(text, nparam, params, &(*out)->expression), out);
}

tn_status tn_timefn_table(int n, const double *t, const double *u, tn_interpolation interpolation,
                          tn_beyond beyond, tn_timefn **out)
{
    TN_TRY(create_timefn(out));
    return timefn_finish(tn_curve_create(n, t, u, interpolation, beyond, &(*out)->curve), out);
}

tn_status tn_timefn_own(const tn_own_function *own, const void *params, tn_timefn **out)
{
    *out = NULL;
    *out = tn_alloc(sizeof **out + sizeof(tn_own_values)); // with room for the parameters
    TN_TRY(tn_got(*out));
    (*out)->own = own;
    if (params)
        memcpy(*out + 1, params, own->kind.size);
    else
        tn_params_default(own->kind.nparam, own->kind.params, *out + 1);
    return timefn_finish(
        tn_params_check(own->kind.nparam, own->kind.params, *out + 1, own->kind.name), out);
}

tn_status tn_timefn_scaled(const tn_timefn *f, double argument, double value, tn_timefn **out)
{
    TN_TRY(create_timefn(out));
    (*out)->of = f;
    (*out)->argument = argument;
    (*out)->value = value;
    return TN_OK;
}

tn_status tn_timefn_live(tn_timefn **out)
{
    TN_TRY(create_timefn(out));
    (*out)->live = true;
    return TN_OK;
}

double *tn_timefn_number(tn_timefn *f)
{
    TN_ASSERT(f->live);
    return &f->constant;
}

void tn_timefn_destroy(tn_timefn *f)
{
    if (f)
        TN_FREE(f->expression, f->curve, f);
}

const tn_own_function *tn_timefn_own_table(const tn_timefn *f, double *t, const void **params)
{
    for (; f->of; f = f->of)
        *t *= f->argument;
    *params = f + 1;
    return f->own;
}

static const tn_expression *expression_of(const tn_timefn *f)
{
    return f->of ? expression_of(f->of) : f->expression;
}

const char *tn_timefn_closed_table(const tn_timefn *f)
{
    const tn_expression *expression = expression_of(f);
    for (int i = 0; expression && i < expression->count; i++) {
        const struct tn_grid *table = expression->code[i].table;
        if (table && table->beyond == TN_BEYOND_ERROR)
            return table->name;
    }
    return NULL;
}

const tn_input_data *tn_timefn_input(const tn_timefn *f, bool jumping)
{
    const tn_expression *expression = expression_of(f);
    return expression ? tn_expression_input(expression, jumping) : NULL;
}

tn_status tn_timefn_copy(const tn_timefn *f, tn_timefn **out)
{
    TN_ASSERT(f->expression);
    const size_t size =
        sizeof *f->expression + (size_t)f->expression->count * sizeof f->expression->code[0];
    *out = tn_alloc(sizeof **out + size);
    TN_TRY(tn_got(*out));
    (*out)->expression = memcpy(*out + 1, f->expression, size);
    return TN_OK;
}

void tn_timefn_set_input(tn_timefn *f, const tn_input_data *input, const double *number)
{
    for (int i = 0; i < f->expression->count; i++)
        if (f->expression->code[i].input == input)
            f->expression->code[i].argument = number[f->expression->code[i].number];
}

static void eval_scaled(const tn_timefn *f, double t, double u[3])
{
    double factor = f->value;
    tn_timefn_eval(f->of, f->argument * t, u);
    for (int k = 0; k < 3; k++, factor *= f->argument)
        u[k] *= factor;
}

void tn_timefn_eval(const tn_timefn *f, double t, double u[3])
{
    if (f->of) {
        eval_scaled(f, t, u);
    } else if (f->own) {
        tn_own_function_eval(f->own, f + 1, t, u);
    } else if (f->curve) {
        tn_curve_eval(f->curve, t, u);
    } else if (f->expression) {
        const tn_jet jet = tn_expression_eval(f->expression, t);
        u[0] = jet.v, u[1] = jet.d, u[2] = jet.dd;
    } else {
        u[0] = f->constant, u[1] = u[2] = 0.0;
    }
}

bool tn_timefn_is_constant(const tn_timefn *f)
{
    if (f->of)
        return tn_timefn_is_constant(f->of);
    return !f->curve && !f->own && !f->live &&
           (!f->expression ||
            (f->expression->time_column == 0 && !tn_expression_input(f->expression, false)));
}

bool tn_timefn_moves(const tn_timefn *f)
{
    const tn_expression *expression = expression_of(f);
    for (int i = 0; expression && i < expression->count; i++)
        if (expression->code[i].op == &tn_op_time)
            return true;
    return !expression && (tn_timefn_curve(f) || (f->of ? f->of : f)->own);
}

const tn_curve *tn_timefn_curve(const tn_timefn *f)
{
    return f->of ? tn_timefn_curve(f->of) : f->curve;
}

static bool next_kink_scaled(const tn_timefn *f, double t, double end, double spacing, tn_kink *out)
{
    const double a = f->argument;
    const bool found = tn_timefn_next_kink(f->of, a * t, a * end, a * spacing, out);
    *out = (tn_kink){out->t / a, out->before / a, out->after / a, out->sampled};
    return found;
}

bool tn_timefn_next_kink(const tn_timefn *f, double t, double end, double spacing, tn_kink *out)
{
    if (f->of)
        return next_kink_scaled(f, t, end, spacing, out);
    if (f->own)
        return tn_own_function_next_kink(f->own, f + 1, t, end, out);
    if (f->curve)
        return tn_curve_next_kink(f->curve, t, end, out);
    if (f->expression)
        return tn_expression_next_kink(f->expression, t, end, spacing, out);
    *out = (tn_kink){.t = end, .before = end, .after = end};
    return false;
}

bool tn_timefn_is_searched(const tn_timefn *f)
{
    if (f->of)
        return tn_timefn_is_searched(f->of);
    return f->expression && tn_expression_is_searched(f->expression);
}
