// SPDX-License-Identifier: MIT
//
// The parameter table of events.

#pragma once

#include "model/model.h"
#include "model/param.h"

extern const tn_param tn_event_params[];
extern const int tn_event_param_count;
