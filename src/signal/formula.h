// SPDX-License-Identifier: MIT
//
// An expression of t and of variables, compiled once: values, and exact first derivatives with
// respect to every variable it uses. The language is that of signal/timefn.h. A name may be dotted
// (joint.angle.rate); parts that are no identifiers are quoted: 'left arm'.angle, with ' or ", and
// a quote within the quotes written twice. Evaluations do not allocate and may run side by side.
//
// Some operations decide by the sign of a function s(t, x): a comparison by the difference of its
// operands, abs and sign by their operand, min and max by differences, step by x - x0 and x - x1.
// While a step is computed each stays in the mode that it has at the start of the step, also
// slightly beyond the zero of s: so a formula is smooth within a step, and the functions s show the
// changes. Conditions (if, && and ||) change with the comparisons that they are made of. One
// between numbers that do not change is none.

#pragma once

#include "signal/expression.h"

typedef struct tn_formula tn_formula;

typedef struct tn_lookup {
    void *self;
    // The number of the variable that a name stands for, 0 or more. Else TN_ERR_MODEL with a
    // sentence about the name alone ("unknown name 'x'; did you mean 'y'?"): the parser puts
    // "expression '...', column n: " before it. The name is whole, its quotes removed.
    tn_status (*find)(void *self, const char *name, int *variable);
} tn_lookup;

// One mode per condition, -1 or 1: the sign of its function; 0: as the numbers say; TN_SIDE_ZERO:
// it is zero, whatever round-off makes of it. NULL: all as the numbers say.
typedef const signed char *tn_sides;

// Parameters are folded in. t, parameters, pi and e are known; the lookup is asked for other names,
// and for those of inputs among the parameters.
tn_status tn_formula_create(const char *text, int nparam, const tn_named_value *params,
                            const tn_lookup *names, tn_formula **out);
void tn_formula_destroy(tn_formula *f); // NULL is fine

int tn_formula_variables(const tn_formula *f, const int **list); // each once, ascending
bool tn_formula_has_time(const tn_formula *f);

// x is by number of variable. The gradient is in the order of the list of variables; it returns the
// value.
double tn_formula_eval(const tn_formula *f, double t, const double *x, tn_sides side);
double tn_formula_gradient(const tn_formula *f, double t, const double *x, tn_sides side,
                           double *dx);

// Along a motion: value, first and second derivative.
tn_jet tn_formula_jet(const tn_formula *f, tn_jet t, const tn_jet *x);
// Returns true if it is linear, as it is written, in the variables whose flag is set, by their
// numbers.
bool tn_formula_is_linear(const tn_formula *f, const bool *in);
// Ranges of the value, and of its derivatives along a path, where variables are within ranges.
tn_range_jet tn_formula_over(const tn_formula *f, const tn_range_jet *t, const tn_range_jet *x);

// Its largest parts that depend on t alone, as v(t) in x - v(t).
int tn_formula_time_parts(const tn_formula *f, tn_expression *const **list);

double tn_formula_by_time(const tn_formula *f, double t, const double *x); // the derivative by t

// The first table in it that is no number beyond its ends; NULL for none.
const char *tn_formula_closed_table(const tn_formula *f);
int tn_formula_switch_count(const tn_formula *f); // conditions
// Returns true if condition k has hysteresis: its mode is not that of a number, but stays until its
// function has changed its sign. k of -1: if any has.
bool tn_formula_remembers(const tn_formula *f, int k);
// Returns true if its value, or the mode of a condition with hysteresis, may jump at a condition.
// Otherwise it has discontinuities of derivatives alone. With steady conditions, those that are as
// they were, roots, arcs, angles and hysteresis still count.
bool tn_formula_jumps(const tn_formula *f, bool steady);
// The functions whose zeros are where conditions change, each on the smooth branch of its modes.
void tn_formula_switches(const tn_formula *f, double t, const double *x, tn_sides side,
                         double *value);
