// SPDX-License-Identifier: MIT
//
// Kinks and jumps of all functions of time of a model together.

#pragma once

#include "model/model.h"

// As tn_timefn_next_kink, of all functions; kinks that differ by round-off are one.
bool tn_model_next_kink(const tn_model *model, double t, double end, double spacing, tn_kink *out);
// Whether some kinks can only be found by looking for them.
bool tn_model_kinks_are_searched(const tn_model *model);
// A time at which the piece is valid that begins at t, where a kink is at t itself; else -INFINITY.
double tn_model_piece_after(const tn_model *model, double t);

// TN_ERR_MODEL where a drive asks for what it cannot have at a kink between two times: a jump of
// its position, or of its velocity without `impulse`. *joint is that drive, -1 for none.
tn_status tn_model_check_drives(const tn_model *model, double from, double to, int *joint);
// Whether driven velocities jump at a kink.
bool tn_model_has_impulse(const tn_model *model, const tn_kink *kink);
// TN_ERR_MODEL where a table that must not be left is left between two times.
tn_status tn_model_check_tables(const tn_model *model, double from, double to);
