// SPDX-License-Identifier: MIT
//
// What `tenon check --along` finds: the motion of the simulate block, and how near it comes to
// positions where the constraints lose rank.

#pragma once

#include "cli.h"
#include "tenon/sim.h"

enum { CLI_MOST_MET = 16 };

typedef struct cli_along {
    bool failed;
    char reason[1024]; // why, "" otherwise
    char doubt[400];   // the first doubt of the verdict on a run that did not fail, "" for none
    char method[96];
    double t; // that was reached [s]
    long steps;
    double largest; // ratio of singular values
    tn_rank_margin least;
    int count; // near-singular positions met, of which the first are kept
    tn_rank_margin met[CLI_MOST_MET];
} cli_along;

// Runs the model. A run that fails is told by `failed`; the status is that of the looking.
tn_status cli_follow(const tn_model *model, const tn_simulate *simulate, cli_along *out);
