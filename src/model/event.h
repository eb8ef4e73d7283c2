// SPDX-License-Identifier: MIT
//
// The parameter table of events.

#pragma once

#include "base/param.h"
#include "model/model.h"

extern const tn_param tn_event_params[];
extern const int tn_event_param_count;
