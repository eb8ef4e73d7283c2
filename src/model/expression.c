// SPDX-License-Identifier: MIT
//
// Compiles expressions in t and evaluates them together with their first and second derivative.
// Our own evaluator, not muparser, because muparser has no derivatives and differences would lose
// half the digits in the acceleration level of rheonomic constraints.

#include "model/expression.h"

#include "base/array.h"
#include "model/parser.h"

#include <string.h>

static tn_status expression_pack(const tn_code *code, tn_expression **out)
{
    const size_t size = (size_t)code->count * sizeof(*code->at);
    tn_expression *expression = tn_alloc(sizeof(*expression) + size);
    TN_TRY(tn_got(expression));
    expression->count = code->count;
    expression->time_column = code->time_column;
    memcpy(expression->code, code->at, size);
    *out = expression;
    if (tn_kinks_prepare(code->count, expression->code) <= TN_KINKS_MAX)
        return TN_OK;
    tn_free(expression);
    *out = NULL;
    return tn_fail(TN_ERR_MODEL,
                   "expression has more than %d conditions and kinks; a table will do",
                   TN_KINKS_MAX);
}

tn_status tn_expression_create(const char *text, int nparam, const tn_named_value *params,
                               tn_expression **out)
{
    tn_code code = {0};
    *out = NULL;
    tn_status status = tn_parse(text, nparam, params, NULL, &code);
    TN_THEN(status, expression_pack(&code, out));
    tn_array_free(&code);
    return status;
}

tn_jet tn_expression_eval(const tn_expression *expression, double t)
{
    tn_jet stack[TN_EXPRESSION_STACK + 1];
    tn_jet *top = stack; // one below the first value
    for (int i = 0; i < expression->count; i++)
        top = expression->code[i].op->run(top, &expression->code[i], t);
    return *top;
}

const tn_input_data *tn_expression_input(const tn_expression *expression, bool jumping)
{
    for (int i = 0; i < expression->count; i++) {
        const tn_input_data *input = expression->code[i].input;
        if (input && (!jumping || tn_input_jumps(input)))
            return input;
    }
    return NULL;
}

tn_status tn_expression_value(const char *text, int nparam, const tn_named_value *params,
                              double *result)
{
    char buffer[TN_EXPRESSION_SHOWN + 4];
    tn_expression *expression = NULL;
    TN_TRY(tn_expression_create(text, nparam, params, &expression));
    const int column = expression->time_column;
    const double v = tn_expression_eval(expression, 0.0).v;
    const tn_input_data *input = tn_expression_input(expression, false);
    tn_free(expression);
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
