// SPDX-License-Identifier: MIT
//
// The integrators, one line each, in the order of tables: KIND(bdf) is tn_integrator_bdf.

#pragma once

#include "integrator/integrator.h"

#define TN_INTEGRATORS(KIND) \
    KIND(galpha)             \
    KIND(hht)                \
    KIND(bdf)                \
    KIND(radau5)             \
    KIND(herk5)              \
    KIND(dopri5)             \
    KIND(dop853)             \
    KIND(adams)              \
    KIND(variational)        \
    KIND(energy_momentum)    \
    KIND(nsgalpha)

#define TN_KIND(name) extern const tn_integrator_ops tn_integrator_##name;
TN_INTEGRATORS(TN_KIND)
#undef TN_KIND

extern const tn_integrator_ops tn_integrator_rest; // where there are no unknowns: not in tables
