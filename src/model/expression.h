// SPDX-License-Identifier: MIT
//
// An expression in t, compiled to a list of instructions on a stack of jets. The language is
// described in model/timefn.h.

#pragma once

#include "model/jet.h"
#include "model/timefn.h"

typedef struct tn_expression tn_expression;

tn_status tn_expression_create(const char *text, int nparam, const tn_named_value *params,
                               tn_expression **out);
void tn_expression_destroy(tn_expression *expression);
tn_jet tn_expression_eval(const tn_expression *expression, double t);
int tn_expression_time_column(const tn_expression *expression); // of the first t, 0 for none

// The instructions, in model/operation.c. One takes its operands off the top of the stack, puts its
// result there, and returns the new top. The argument is the number of a constant, or how many
// arguments a function was given.
typedef tn_jet *(*tn_operation)(tn_jet *top, double argument, double t);

tn_jet *tn_op_number(tn_jet *top, double argument, double t);
tn_jet *tn_op_time(tn_jet *top, double argument, double t);
tn_jet *tn_op_neg(tn_jet *top, double argument, double t);
tn_jet *tn_op_pow(tn_jet *top, double argument, double t);
tn_jet *tn_op_select(tn_jet *top, double argument, double t);

typedef struct tn_operator {
    const char *text; // a longer one before its beginning: "<=" before "<"
    int precedence;   // higher binds more tightly; all associate to the left
    tn_operation run;
} tn_operator;

typedef struct tn_function_entry {
    const char *name;
    int least, most; // number of arguments
    tn_operation run;
} tn_function_entry;

enum { TN_PRECEDENCE_COMPARE = 3 };

extern const tn_operator tn_operators[];
extern const int tn_operator_count;
extern const tn_function_entry tn_functions[];
extern const int tn_function_count;
