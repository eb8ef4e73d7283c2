// SPDX-License-Identifier: MIT
//
// The parser of expressions: one language for functions of time and for formulas, in which other
// names than t stand for variables.

#pragma once

#include "signal/expression.h"
#include "signal/formula.h"

// Instructions in postfix order: they need at most TN_EXPRESSION_STACK values on a stack.
typedef struct tn_code {
    tn_instruction *at; // as TN_ARRAY
    int count, capacity;
    int time_column; // of the first t, 0 for none
} tn_code;

// names: NULL for an expression in t alone. tn_array_free the code, also after an error.
tn_status tn_parse(const char *text, int nparam, const tn_named_value *params,
                   const tn_lookup *names, tn_code *out);

// The same as an expression, to be evaluated alone; tn_free it.
tn_status tn_expression_pack(const tn_code *code, tn_expression **out);

// Returns true if a text is a name alone, "'left arm'.angle": out has it without quotes.
enum { TN_LONG_NAME = 256 }; // characters and the end
bool tn_name_without_quotes(const char *text, char out[TN_LONG_NAME]);
// Returns the place behind a text in quotes; where none begins here, this place.
const char *tn_behind_quotes(const char *at);

// The text as messages show it: the beginning when it is long, control characters as '?'.
enum { TN_EXPRESSION_SHOWN = 60 };
const char *tn_expression_shown(const char *text, char out[TN_EXPRESSION_SHOWN + 4]);
