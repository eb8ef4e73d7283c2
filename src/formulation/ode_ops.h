// SPDX-License-Identifier: MIT
//
// What a formulation does to form the explicit view (ode.h): one const table for each, in its own
// file. ode.c calls it with q, v and e known; the shared struct holds system, chart and scratch.

#pragma once

#include "formulation/ode.h"
