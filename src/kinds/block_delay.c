// SPDX-License-Identifier: MIT
//
// A value of some time ago: the input is sampled, and each sample acts when the time is over. The
// output is constant between samples.

#include "model/block.h"

#include <stdio.h>

static const tn_param delay_params[] = {
    TN_PARAM(tn_block_def, input, TEXT, "input", "", .required = true, .role = TN_ROLE_EXPRESSION,
             .text = "what is delayed: an expression"),
    TN_PARAM(tn_block_def, delay.time, NUMBER, "time", "s", .range = TN_POSITIVE, .required = true,
             .text = "how long ago"),
    TN_PARAM(tn_block_def, delay.every, NUMBER, "every", "s", .range = TN_POSITIVE,
             .required = true, .text = "time between two samples of the input"),
    TN_PARAM(tn_block_def, delay.initial, NUMBER, "initial", "", .range = TN_ANY,
             .text = "output until the first sample acts"),
};

static tn_status expand_delay(tn_model *model, const tn_block_def *def)
{
    char name[200];
    snprintf(name, sizeof name, "%s_samples", def->name);
    const tn_sampled_value value = {"y", def->delay.initial, def->input};
    TN_TRY(tn_model_add_sampled(
        model, &(tn_sampled_def){name, def->delay.every, def->delay.time, 1, &value}));
    return tn_block_signal(model, def, "", "%s.y", name);
}

const tn_block_ops tn_block_delay = {
    .name = "delay",
    .text = "a value of some time ago, constant between samples",
    TN_PARAMS(delay_params),
    .expand = expand_delay,
};
