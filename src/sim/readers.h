// SPDX-License-Identifier: MIT
//
// Who reads which option of a simulation (base/options.h).

#pragma once

#include "base/options.h"
#include "integrator/integrator.h"

bool tn_integrator_reads(const tn_integrator_ops *integrator, bool controlled, const char *option);
bool tn_formulation_reads(const tn_formulation *formulation, const char *option);

// Whether a method of this name may read the option, as far as the name tells.
bool tn_method_may_read(const char *method, const tn_param *option);
