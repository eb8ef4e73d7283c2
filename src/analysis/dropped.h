// SPDX-License-Identifier: MIT
//
// Inertias that a model states and that count as none, being too small beside those that joints
// connect with them (formulation/massless.h): which one, by how much, and by which option.

#pragma once

#include "system/system.h"

enum { TN_DROPPED_TEXT = 480 };

// A sentence on the smallest of them; empty where all inertias that are not zero count. Allocates.
tn_status tn_dropped_inertia(const tn_system *sys, double massless_tol, char text[TN_DROPPED_TEXT]);

// The error that has been raised, with that sentence after it where there is one.
tn_status tn_dropped_within(const tn_system *sys, double massless_tol, tn_status status);
