// SPDX-License-Identifier: MIT
//
// Functions of time u(t) with exact first and second derivatives, for drives, forces and signals. A
// function is a constant, an expression, a table of points or a user-defined kind. It holds no
// changing state, so evaluations may run side by side; they do not allocate.
//
// Expressions: numbers, t [s], pi, e, parameters, + - * / ^ (right-associative, before a sign:
// -2^2 = -4), parentheses, < <= > >= == != (1 or 0), && ||, c ? a : b, and the functions
//   sin cos tan asin acos atan atan2(y,x) sinh cosh tanh exp log ln (both natural) log10 sqrt
//   hypot(x,y) abs sign min(…) max(…) if(c,a,b) clamp(x,lo,hi) deadband(x,d)
//   step(x,x0,u0,x1,u1): u0 up to x0, u1 from x1 on, a cubic between them with level ends.
//   select(i,a,b,…): the value whose number, counted from 1, is nearest to i.
//   smooth_sign smooth_step (x,w), smooth_abs(x,w) = w log(2 cosh(x/w)), and made of it
//   smooth_min smooth_max (a,b,w), smooth_clamp(x,lo,hi,w), smooth_deadband(x,d,w).
// At a corner of a function (abs, min, max, if, ends of step) the derivatives are those of the
// smooth interval that is valid at t.
//
// Tables are curves through their points; see signal/curve.h.

#pragma once

#include "base/alloc.h"
#include "base/status.h"
#include "tenon/model.h"

#include <float.h>
#include <math.h>

typedef struct tn_timefn tn_timefn;
struct tn_own_function;

// The meaning of a name in an expression.
typedef struct tn_named_value {
    const char *name;
    double value;
    const struct tn_input_data *input; // NULL for a parameter
    const struct tn_grid *table;       // a function; NULL for a number
} tn_named_value;

// A time at which a function or a derivative of it may jump, with the numbers nearest to it at
// which the intervals on both sides are valid: before <= t <= after.
typedef struct tn_kink {
    double t, before, after;
    bool sampled; // others may have been missed before it: not all could be separated
} tn_kink;

// Discontinuities nearer to each other than this are one: the same time written in different ways,
// or zeros that evaluations with their round-off give. With less, steps of a few neighbouring
// numbers are left between them, in which no method converges.
static inline double tn_time_round_off(double t)
{
    return 64.0 * DBL_EPSILON * fabs(t);
}

tn_status tn_timefn_constant(double value, tn_timefn **out);
// Parameters, whose names are checked (tn_model_check_name), become part of the function. Errors
// give the position in the text.
tn_status tn_timefn_expression(const char *text, int nparam, const tn_named_value *params,
                               tn_timefn **out);
// n >= 2 points, times strictly increasing. Errors give the row, counted from 1.
tn_status tn_timefn_table(int n, const double *t, const double *u, tn_interpolation interpolation,
                          tn_beyond beyond, tn_timefn **out);
// A user-defined kind (tenon/extend.h) with its parameters, NULL for their defaults, which are
// copied.
tn_status tn_timefn_own(const struct tn_own_function *own, const void *params, tn_timefn **out);
// value f(argument t), in other units; f must outlive it.
tn_status tn_timefn_scaled(const tn_timefn *f, double argument, double value, tn_timefn **out);
// A number that others set: the value of an expression of the state (model/signal.h).
tn_status tn_timefn_live(tn_timefn **out);
double *tn_timefn_number(tn_timefn *f); // the number of a live one
void tn_timefn_destroy(tn_timefn *f);

// The table of a user-defined kind with the parameters of the function, and *t in its units of
// time; NULL for other functions.
const struct tn_own_function *tn_timefn_own_table(const tn_timefn *f, double *t,
                                                  const void **params);
// The first table in its expression that is no number beyond its ends; NULL for none.
const char *tn_timefn_closed_table(const tn_timefn *f);
// The first input of a function, or the first one that jumps when it is set; NULL for none.
const struct tn_input_data *tn_timefn_input(const tn_timefn *f, bool jumping);
// Copies a function that has inputs, with numbers of its own for them. tn_free frees the copy.
tn_status tn_timefn_copy(const tn_timefn *f, tn_timefn **out);
// Sets the numbers of an input in such a copy; see signal/input.h.
void tn_timefn_set_input(tn_timefn *f, const struct tn_input_data *input, const double *number);

// u[0] = u(t), u[1] = u'(t), u[2] = u''(t). Not finite where the function is not defined.
void tn_timefn_eval(const tn_timefn *f, double t, double u[3]);
bool tn_timefn_is_constant(const tn_timefn *f); // a constant, or an expression without t and inputs
bool tn_timefn_moves(const tn_timefn *f); // changes with time, and not only when an input is set
const struct tn_curve *tn_timefn_curve(const tn_timefn *f); // of a table, else NULL

// The first discontinuity after t and before `end`, t being a time at which its smooth interval is
// valid. false: there is none; out->t is then the end of the search, at most `end`. Those that are
// conditions linear in t, and those of tables, are found however far away they are. Others are
// found by ranges of the functions; where these do not decide in time, by samples `spacing` apart,
// or less where waves ask for it (out->sampled). `end` must be finite where tn_timefn_is_searched.
bool tn_timefn_next_kink(const tn_timefn *f, double t, double end, double spacing, tn_kink *out);
bool tn_timefn_is_searched(const tn_timefn *f);

// The value of an expression without t, which must be finite.
tn_status tn_expression_value(const char *text, int nparam, const tn_named_value *params,
                              double *value);
