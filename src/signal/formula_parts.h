// SPDX-License-Identifier: MIT
//
// A compiled formula: slots with values, and operations on slots. The slots are t, the variables,
// the numbers and the results of the operations, in this order, so that each operation works on
// slots before its own.

#pragma once

#include "base/array.h"
#include "signal/expression.h"
#include "signal/formula.h"
#include "signal/parser.h"

enum {
    TN_FORMULA_SLOTS = 2048,
    TN_FORMULA_OPERANDS = 4096, // of all operations together
};

typedef struct tn_formula_op {
    tn_instruction at;
    int first;    // its operands, in the list of all
    int decision; // its first one
} tn_formula_op;

struct tn_formula {
    int nvar, nnumber, nop, noperand, ndecision;
    int result; // slot
    int *list;  // nvar variables, ascending
    double *number;
    tn_formula_op *op;
    int *operand; // slots
    bool has_time;
    TN_ARRAY(tn_expression *) part; // its parts of t alone
};

static inline int tn_formula_slot(const tn_formula *f, int op)
{
    return 1 + f->nvar + f->nnumber + op;
}

// From instructions; fills the formula, which owns its arguments also after an error.
tn_status tn_formula_build(const char *text, const tn_code *code, tn_formula *f);
tn_status tn_formula_find_time_parts(tn_formula *f);
