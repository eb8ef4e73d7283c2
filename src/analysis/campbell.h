// SPDX-License-Identifier: MIT
//
// Modes over a parameter, for campbell.c and what writes them. See tenon/modes.h.

#pragma once

#include "tenon/modes.h"

struct tn_campbell {
    tn_campbell_options options;
    const tn_model *model;
    char *over;
    bool turns; // over the speed of a rotation: spin or motion
    int nline, npoint;
    double *value, *speed; // npoint
    tn_mode *mode;         // nline x npoint
    tn_verdict verdict;
};
