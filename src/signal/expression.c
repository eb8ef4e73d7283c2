// SPDX-License-Identifier: MIT
//
// Compiles expressions in t and evaluates them together with their first and second derivative.
// Our own evaluator, not muparser, because muparser has no derivatives and differences would lose
// half the digits in the acceleration level of rheonomic constraints.

#include "signal/expression.h"

#include "base/array.h"
#include "signal/parser.h"

#include <string.h>

static tn_status prepare(tn_code *code)
{
    if (tn_kinks_prepare(code->count, code->at) <= TN_KINKS_MAX)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "expression has more than %d conditions and kinks; a table will do",
                   TN_KINKS_MAX);
}

tn_status tn_expression_pack(const tn_code *code, tn_expression **out)
{
    const size_t size = (size_t)code->count * sizeof(*code->at);
    tn_expression *expression = tn_alloc(sizeof(*expression) + size);
    TN_TRY(tn_got(expression));
    expression->count = code->count;
    expression->time_column = code->time_column;
    memcpy(expression->code, code->at, size);
    *out = expression;
    return TN_OK;
}

tn_status tn_expression_create(const char *text, int nparam, const tn_named_value *params,
                               tn_expression **out)
{
    tn_code code = {0};
    *out = NULL;
    tn_status status = tn_parse(text, nparam, params, NULL, &code);
    TN_THEN(status, prepare(&code));
    TN_THEN(status, tn_expression_pack(&code, out));
    tn_array_free(&code);
    return status;
}

static tn_jet run(int count, const tn_instruction *code, double t)
{
    tn_jet stack[TN_EXPRESSION_STACK + 1];
    tn_jet *top = stack; // one below the first value
    for (int i = 0; i < count; i++)
        top = code[i].op->run(top, &code[i], t);
    return *top;
}

tn_jet tn_expression_eval(const tn_expression *expression, double t)
{
    return run(expression->count, expression->code, t);
}

static const tn_input_data *input_of(int count, const tn_instruction *code, bool jumping)
{
    for (int i = 0; i < count; i++)
        if (code[i].input && (!jumping || tn_input_jumps(code[i].input)))
            return code[i].input;
    return NULL;
}

const tn_input_data *tn_expression_input(const tn_expression *expression, bool jumping)
{
    return input_of(expression->count, expression->code, jumping);
}

tn_status tn_expression_value(const char *text, int nparam, const tn_named_value *params,
                              double *result)
{
    char buffer[TN_EXPRESSION_SHOWN + 4];
    tn_code code = {0};
    double v = 0.0;
    tn_status status = tn_parse(text, nparam, params, NULL, &code);
    TN_THEN(status, prepare(&code));
    const int column = code.time_column;
    const tn_input_data *input = input_of(code.count, code.at, false);
    if (status == TN_OK)
        v = run(code.count, code.at, 0.0).v;
    tn_array_free(&code);
    TN_TRY(status);
    if (input)
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s': input '%s' changes while a simulation runs; a constant is "
                       "needed here",
                       tn_expression_shown(text, buffer), input->name);
    if (column > 0)
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s', column %d: t is not known here; a constant is needed",
                       tn_expression_shown(text, buffer), column);
    if (!isfinite(v))
        return tn_fail(TN_ERR_MODEL, "expression '%s' has the value %g; a finite one is needed",
                       tn_expression_shown(text, buffer), v);
    *result = v;
    return TN_OK;
}
