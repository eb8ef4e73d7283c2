// SPDX-License-Identifier: MIT
//
// The registry of blocks, and adding one to a model.

#include "model/block.h"

#include "base/alloc.h"
#include "model/builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// Expressions of blocks are as long as their inputs, several of which may be in one.
enum { TEXT = 10000 };

static tn_status add_text(tn_model *model, const tn_block_def *def, const char *tail,
                          const double *initial, const char *format, va_list args)
{
    char name[200];
    char *text = tn_alloc(TEXT);
    TN_TRY(tn_got(text));
    snprintf(name, sizeof name, "%s%s", def->name, tail);
    tn_status status;
    if (vsnprintf(text, TEXT, format, args) >= TEXT)
        status =
            tn_fail(TN_ERR_MODEL, "block '%s': its input is too long; make it a signal", def->name);
    else if (initial)
        status =
            tn_model_add_state(model, &(tn_state_def){name, text, *initial, -INFINITY, INFINITY});
    else
        status = tn_model_add_signal(model, name, text);
    tn_free(text);
    return status;
}

tn_status tn_block_state(tn_model *model, const tn_block_def *def, const char *tail, double initial,
                         const char *rate, ...)
{
    va_list args;
    va_start(args, rate);
    const tn_status status = add_text(model, def, tail, &initial, rate, args);
    va_end(args);
    return status;
}

tn_status tn_block_signal(tn_model *model, const tn_block_def *def, const char *tail,
                          const char *expression, ...)
{
    va_list args;
    va_start(args, expression);
    const tn_status status = add_text(model, def, tail, NULL, expression, args);
    va_end(args);
    return status;
}

static tn_status keep_input(tn_model *model, const tn_block_def *def)
{
    tn_block_input input = {tn_strdup(def->name), NULL};
    TN_TRY(tn_model_own(model, (char *)input.block));
    input.text = tn_strdup(def->input);
    TN_TRY(tn_model_own(model, (char *)input.text));
    return tn_array_push(&model->block_inputs, input);
}

static tn_status add_block(tn_model *model, const tn_block_def *def)
{
    const tn_block_ops *ops = tn_kind_at(model->kinds, TN_FAMILY_BLOCK, (int)def->kind);
    char what[200];
    if (!def->name || !*def->name)
        return tn_fail(TN_ERR_MODEL, "a block needs a name, by which its output is known");
    snprintf(what, sizeof what, "block '%s'", def->name);
    if (!ops)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of block", what, (int)def->kind);
    if (!def->input || !*def->input)
        return tn_fail(TN_ERR_MODEL, "%s: input is missing; it is an expression", what);
    TN_TRY(tn_params_check(ops->nparam, ops->params, def, what));
    TN_TRY(keep_input(model, def));
    return ops->expand(model, def);
}

tn_status tn_model_add_block(tn_model *model, const tn_block_def *def)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, def);
    TN_TRY(tn_model_open_to_change(model));
    return tn_model_keep_error(model, add_block(model, def));
}
