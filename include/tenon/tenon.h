// SPDX-License-Identifier: MIT
//
// Everything of Tenon. Read the headers in this order: base.h (status codes), spatial.h (vectors
// and frames), model.h (the parts of a mechanism), sim.h (moving it), dynamics.h (its equations at
// any state), projectors.h (along its constraints and across), analysis.h (a check before it
// moves), equilibrium.h (where it rests), modes.h (how it swings there), linear.h (small motions as
// a state space), inverse.h (forces of given motions), extend.h (your own forces, joints and
// functions), system.h (your own equations), io.h (files), run.h (runs with their folder), result.h
// (results), plot.h (pictures of numbers), view.h (in a browser), compare.h (methods side by side),
// ensemble.h (many states at once), reduce.h (bodies from finite elements), import.h (robots of
// others), help.h (all choices), param.h and json.h (tables and text).

#pragma once

#include "tenon/analysis.h"
#include "tenon/base.h"
#include "tenon/beam.h"
#include "tenon/compare.h"
#include "tenon/doctor.h"
#include "tenon/dynamics.h"
#include "tenon/ensemble.h"
#include "tenon/equilibrium.h"
#include "tenon/extend.h"
#include "tenon/help.h"
#include "tenon/import.h"
#include "tenon/inverse.h"
#include "tenon/io.h"
#include "tenon/json.h"
#include "tenon/linear.h"
#include "tenon/modal.h"
#include "tenon/model.h"
#include "tenon/modes.h"
#include "tenon/paper.h"
#include "tenon/param.h"
#include "tenon/plot.h"
#include "tenon/projectors.h"
#include "tenon/reduce.h"
#include "tenon/result.h"
#include "tenon/run.h"
#include "tenon/sim.h"
#include "tenon/spatial.h"
#include "tenon/sweep.h"
#include "tenon/system.h"
#include "tenon/view.h"
