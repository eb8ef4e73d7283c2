// SPDX-License-Identifier: MIT
//
// The registry of blocks: parts of controllers that are made of signals, states and sampled systems
// when they are added to a model. The output of a block is the signal of its name; what it needs
// beside that has names that begin with it, "speed_integral".

#pragma once

#include "tenon/model.h"
#include "text/param.h"

typedef struct tn_block_ops {
    const char *name; // "pid"
    const char *text; // one line for help and the reference page
    const tn_param *params;
    int nparam;
    // Adds the parts of the block; range checks beyond the parameter table.
    tn_status (*expand)(tn_model *model, const tn_block_def *def);
} tn_block_ops;

#define TN_KIND(NAME, name) extern const tn_block_ops tn_block_##name;
#include "tenon/block_kinds.inc"
#undef TN_KIND

// A state or signal "<block><tail>" with a rate or an expression that is put together as by printf.
tn_status tn_block_state(tn_model *model, const tn_block_def *def, const char *tail, double initial,
                         const char *rate, ...) __attribute__((format(printf, 5, 6)));
tn_status tn_block_signal(tn_model *model, const tn_block_def *def, const char *tail,
                          const char *expression, ...) __attribute__((format(printf, 4, 5)));
