// SPDX-License-Identifier: MIT
//
// The parts of a start (start.c).

#pragma once

#include "model/model.h"
#include "start/start.h"
#include "system/absolute.h"
#include "tree/tree.h"

// Assembly ----------------------------------------------------------------------------------------
//
// Positions and velocities of a model in absolute coordinates that satisfy its constraints and what
// it states. Stated coordinates and rates of joints, stated velocities of bodies and bodies with
// `fixed` hold to round-off, or the error says what they contradict. Stated positions of bodies
// choose between the ways to assemble the mechanism and are kept as nearly as can be; what is open
// follows.

// Fills t, q, v, r of s->x and what the model states, and notes what was moved far. s->sys exists.
// `tree`: it was a tree, and without a search.
tn_status tn_assemble(const tn_model *model, const tn_sim_options *options, tn_rotation rotation,
                      bool *tree, tn_start *s);

// The same for a tree of joints, where it needs no search: bodies stand where they belong, or
// forward kinematics place them at stated coordinates of their joints, and all that is stated holds
// so to round-off. `found` is false where it does not, and nothing is said of why. In O(N), without
// blocks of s->sys.
tn_status tn_assemble_tree(const tn_model *model, tn_start *s, bool *found);

// Takes the start values of users' equations, with quaternions of length 1.
tn_status tn_start_take_given(tn_start *s, const double *q, const double *v);

// Multipliers -------------------------------------------------------------------------------------
//
// Users' forces and extra equations that use multipliers which the equations do not determine. With
// C^T z = 0 the multipliers lambda and lambda + z are the same reactions on the bodies [Arn16,
// section 2.3]: functions that differ for the two give a motion that depends on which row was left
// out.

// TN_ERR_MODEL with the rows where f, c', b or h changes along such a z.
tn_status tn_unique_judge(tn_start *start);

// Notes -------------------------------------------------------------------------------------------
//
// Facts of a start that a user should know: bodies that do not stand where the model states them,
// stops and springs that begin strained. And the last word on what is stated: it holds in the
// coordinates of the run, after every conversion.

// Fails where what an own kind of joint, force or function gives is not what differences give where
// its elements start (kinds/own.h), by the name of the element.
tn_status tn_start_check_own(const tn_model *model, const tn_start *s);
// Adds notes to the start of a model in absolute coordinates.
void tn_start_tell(const tn_model *model, tn_start *s);
// Adds one where the start is a singular position, with more freedoms than velocities are stated;
// the start has its accelerations. Allocates.
tn_status tn_start_tell_singular(const tn_model *model, tn_start *s);
// Fails where a stated coordinate or rate of a joint, or a stated velocity of a body, does not hold
// in the start, in whatever coordinates it is.
tn_status tn_start_verify(const tn_model *model, tn_start *s);

// Inertias that a model states and that count as none, being too small beside those that joints
// connect with them (motion/massless.h): which one, by how much, and by which option.
enum { TN_DROPPED_TEXT = 480 };

// A sentence on the smallest of them; empty where all inertias that are not zero count. Allocates.
tn_status tn_dropped_inertia(const tn_system *sys, double massless_tol, char text[TN_DROPPED_TEXT]);

// The error that has been raised, with that sentence after it where there is one.
tn_status tn_dropped_within(const tn_system *sys, double massless_tol, tn_status status);

// Placement ---------------------------------------------------------------------------------------
//
// Begin of the search for an assembled mechanism: bodies are placed one after the other from the
// ground on, each by one joint at its stated coordinates, those of a drive or a guess; where there
// are none, at the coordinates that its bodies have where the model leaves them. A tree of
// joints is assembled by that, and no joint begins with its axes against each other.

typedef enum tn_place_way {
    TN_PLACE_CARRIED, // as above: bodies that a joint carries move along with it
    TN_PLACE_GIVEN,   // not at all
    TN_PLACE_FITTED,  // bodies stay where they are stated; what is open is fitted to neighbours
    TN_PLACE_FITTED_CARRIED, // that first, then along the joints
    TN_PLACE_WAYS
} tn_place_way;

// Moves q, of `world` in absolute coordinates, at time t, along a tree that is there or one of its
// own (NULL). Allocates.
tn_status tn_place_positions(const tn_model *model, const tn_system *world, tn_tree *along,
                             double t, tn_place_way way, double *q);
// Changes v likewise, by rates of joints, at the positions q: bodies on a joint without a rate
// move along, or with the velocities of its bodies in v; a speed of `size`, that of the
// mechanism, counts as a rate of 1. Allocates.
tn_status tn_place_velocities(const tn_model *model, const tn_system *world, tn_tree *along,
                              double t, double size, const double *q, double *v);

// The first joint whose frames are turned against each other by more than it allows, though its
// rows may hold: products of axes vanish at half a turn too. -1 for none.
int tn_place_flipped(const tn_model *model, const tn_system *world, const double *q);

// Bends the bristles of friction whose surfaces slip to their end.
tn_status tn_bristles_bend(tn_start *s);
// Bends the bristles of friction such that they carry the load at rest, where the model does not
// state their start, and finds accelerations anew.
tn_status tn_bristles_settle(tn_start *s);
