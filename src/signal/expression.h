// SPDX-License-Identifier: MIT
//
// An expression in t, compiled to a list of instructions on a stack of jets. The language is
// described in signal/timefn.h.

#pragma once

#include "signal/input.h"
#include "signal/jet.h"
#include "signal/range.h"
#include "signal/timefn.h"

// Number of characters at the beginning of a text that are a name: letters, digits and _, no digit
// first.
int tn_name_length(const char *text);
// TN_ERR_MODEL where a parameter or an input would take the name of the time, a constant or a
// function, with all of these names.
tn_status tn_expression_check_name(const char *list, const char *name);

// An operation in three ways: on a stack of jets in t, on a stack of ranges of such jets
// (signal/range.c), and on numbers, with partial derivatives. On a stack one takes its operands off
// the top, puts its result there, and returns the new top.
typedef struct tn_instruction tn_instruction;
typedef tn_jet *tn_jet_operation(tn_jet *top, const tn_instruction *at, double t);

// The site of an evaluation of an operation with its partial derivatives. An operation that decides
// has functions whose zeros are where its conditions change, and a smooth branch for all modes of
// these.
typedef struct tn_site {
    const tn_instruction *at;
    const double *a;         // operands, at->operands of them
    const signed char *side; // of its conditions, as tn_sides of signal/formula.h; or NULL
    double *d; // partial derivatives in the order of the operands; NULL: not asked for
    double *s; // the deciding number; NULL: not asked for
} tn_site;

typedef double tn_slope_operation(const tn_site *site); // returns the value

// The shape of the result of an operation by those of its operands, and its discontinuities.
typedef enum tn_kink_rule {
    TN_RULE_SUM,     // as its operands
    TN_RULE_PRODUCT, // constant or linear between them
    TN_RULE_RATIO,
    TN_RULE_LOGIC,   // constant between discontinuities of its operands
    TN_RULE_COMPARE, // jumps where its two operands are equal
    TN_RULE_SIGN,    // jumps where its operand is zero
    TN_RULE_ABS,     // has a corner there
    TN_RULE_LEAST,   // has corners where operands are equal, in the order of op_min
    TN_RULE_MOST,
    TN_RULE_SELECT, // if
    TN_RULE_CHOICE, // jumps where its first operand is half way between whole numbers
    TN_RULE_STEP,   // has corners where x is x0 or x1
    TN_RULE_ANGLE,  // jumps by a turn where y changes its sign beside a negative x
    TN_RULE_WAVE,   // smooth, but comes back as often as its operand grows by pi
    TN_RULE_ROOT,   // has a corner where its first operand is zero, also where that one turns back
    TN_RULE_ARC,    // the same where its operand is 1 or -1
    TN_RULE_SMOOTH,
    TN_RULE_TABLE, // a table of the model; a linear one has corners at its arguments
    TN_RULE_COPY,  // of a value further down
    TN_RULE_KEEP,  // the last operand alone
    TN_RULE_HELD,  // jumps where its operand leaves a band, has hysteresis: of formulas only
} tn_kink_rule;

typedef struct tn_operation {
    tn_jet_operation *run;
    tn_range_operation *over;
    tn_slope_operation *slope; // NULL without operands
    tn_kink_rule rule;
} tn_operation;

// A variable has a value in a formula only, and so has hysteresis. A copy pushes the value that is
// `argument` below the top; a `keep` removes the operands below the last.
extern const tn_operation tn_op_number, tn_op_time, tn_op_variable, tn_op_copy, tn_op_keep,
    tn_op_neg, tn_op_pow, tn_op_if, tn_op_table, tn_op_hysteresis;

typedef struct tn_operator {
    const char *text; // a longer one before its beginning: "<=" before "<"
    int precedence;   // higher binds more tightly; all associate to the left
    tn_operation op;
} tn_operator;

typedef struct tn_function_entry {
    const char *name;
    int least, most; // number of arguments
    tn_operation op;
    const char *letters, *body; // an expression of arguments of one letter; NULL: an operation
} tn_function_entry;

struct tn_instruction {
    const tn_operation *op;
    double argument; // a number, a variable's number, or how far below the top
    int operands;
    tn_kink_rule rule;           // as the operation's; a power has it by its exponent
    bool moves;                  // the function of t whose zeros are discontinuities
    int number;                  // of the input, which the argument is
    const tn_input_data *input;  // NULL for none
    const struct tn_grid *table; // NULL: no table
};

enum { TN_SIDE_ZERO = 2 }; // among tn_sides of signal/formula.h

// Finds the moving operands in a list of instructions; returns the number of functions that decide.
int tn_kinks_prepare(int count, tn_instruction *code);
enum {
    TN_EXPRESSION_STACK = 512, // jets
    TN_KINKS_MAX = 1024,       // functions that decide, of an expression
};

typedef struct tn_expression {
    int count;
    int time_column;       // of the first t, 0 for none
    tn_instruction code[]; // count
} tn_expression;

// Number of conditions that an instruction has in a formula.
int tn_decision_count(const tn_instruction *at);

// tn_free it.
tn_status tn_expression_create(const char *text, int nparam, const tn_named_value *params,
                               tn_expression **out);
tn_jet tn_expression_eval(const tn_expression *expression, double t);
// The first input, or the first one that jumps when it is set; NULL for none.
const tn_input_data *tn_expression_input(const tn_expression *expression, bool jumping);

// As tn_timefn_next_kink.
bool tn_expression_is_searched(const tn_expression *expression);
bool tn_expression_next_kink(const tn_expression *expression, double t, double end, double spacing,
                             tn_kink *out);

enum { TN_PRECEDENCE_COMPARE = 3 };

extern const tn_operator tn_operators[];
extern const int tn_operator_count;
extern const tn_function_entry tn_functions[];
extern const int tn_function_count;
