// SPDX-License-Identifier: MIT
//
// The formulations, one line each, in the order of tables: KIND(ggl) is tn_formulation_ggl.

#pragma once

#include "formulation/formulation.h"

#define TN_FORMULATIONS(KIND)  \
    KIND(ggl)                  \
    KIND(index1)               \
    KIND(index2)               \
    KIND(index3)               \
    KIND(baumgarte)            \
    KIND(baumgarte2)           \
    KIND(stabilized_index1)    \
    KIND(udwadia_kalaba)       \
    KIND(minimal)              \
    KIND(nullspace)            \
    KIND(maggi)                \
    KIND(projective)           \
    KIND(phase_space)          \
    KIND(penalty)              \
    KIND(augmented_lagrangian) \
    KIND(multiplier)           \
    KIND(dalembert)            \
    KIND(reparam)

#define TN_KIND(name) extern const tn_formulation tn_formulation_##name;
TN_FORMULATIONS(TN_KIND)
#undef TN_KIND
