// SPDX-License-Identifier: MIT
//
// A system made of a user's own functions (tenon/system.h).

#pragma once

#include "signal/timefn.h"
#include "system/system.h"
#include "tenon/system.h"

// Copies the struct; names and whatever `user` points to stay the caller's and must outlive it.
tn_status tn_callbacks_create(const tn_callbacks *cb, tn_system **out);

// TN_ERR_USAGE where the functions contradict themselves at a point with all variables: a mass
// matrix that is not symmetric, functions of a rotation that differ for e and -e.
tn_status tn_callbacks_check(tn_system *sys, const tn_point *at);
// The same for given derivatives of constraints and contacts by q and s that differences do not
// show, at any q.
tn_status tn_callbacks_check_derivatives(tn_system *sys, const tn_point *at);
// The same for given constraint_t and gamma, at times, places and velocities near a point on the
// constraints: after tn_callbacks_check_derivatives.
tn_status tn_callbacks_check_rates(tn_system *sys, const tn_point *at);

// Fits the steps of differences to the lengths over which constraints change near a point; until
// then they are for lengths of size one.
tn_status tn_callbacks_find_lengths(tn_system *sys, const tn_point *at);

// Start values of the extra variables e = (c, w, s) and of the sampled states r.
void tn_callbacks_start(const tn_system *sys, double *e, double *r);

bool tn_callbacks_next_kink(const tn_system *sys, double t, tn_kink *out); // after t

// Events: how many, their functions at a point, whether one ends the run.
int tn_callbacks_event_count(const tn_system *sys);
tn_status tn_callbacks_events(tn_system *sys, const tn_point *at, double *out);
bool tn_callbacks_event_stops(const tn_system *sys, int event);
