// SPDX-License-Identifier: MIT
//
// Laws of creep as expressions: forces of a rail on a wheel by creepages, which are speeds of slip
// relative to the speed of rolling.

#pragma once

#include "model/force.h"

enum { TN_CREEP_TEXT = 50000, TN_CREEP_NAME = 240 };

// Checks the numbers of a law; `what` is "force 'creep left'".
tn_status tn_creep_check(const tn_creep *creep, const char *what);
// Force k of the law of a definition in SI units: along the rail, across it, moment about the
// normal. The force must have its joint, and both names at most TN_CREEP_NAME characters.
void tn_creep_text(const tn_model *model, const tn_force_data *data, int k,
                   char text[TN_CREEP_TEXT]);
