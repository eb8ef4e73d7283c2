// SPDX-License-Identifier: MIT
//
// Unknowns that go on. An equation 0 = b(t, q, v, c, w, ...) may have several solutions w, and only
// the one that continues the last state belongs to the motion. Implicit methods solve for w
// together with their step, from a prediction, and may end on another one. So what they have found
// is compared with w as followed along the way from the one state to the other, in parts that are
// halved until the iteration for each contracts [Deu04, sect. 5.1.1], the determinant of b_w has
// the sign of the branch, which it keeps, and w has changed by as much as its slopes at both ends
// say: where solutions move by their distance, another one is where the right one was. It is done
// at each stage at which w acts on the motion. Where the two differ the step is solved again from
// what was followed, or is too long.
//
// Mostly one iteration does, with the factors of some step before: where it comes from the old
// value to near the new one, and the slopes agree, that is the root to which the iteration
// contracts.

#pragma once

#include "motion/roots.h"
#include "system/system.h"

typedef struct tn_unknowns {
    tn_system *sys;
    tn_roots roots;
    tn_state way;     // between two states, then the second with what was followed
    tn_state node[2]; // of methods: a stage and the one before it
    double *found;    // n
    double *next;     // n, at the end of a part of the way
    double *slope[2]; // n each, of both ends of that part, times its length
    int side;         // sign of the determinant of the branch,
    double side_at;   //   as known at this time
    bool looked;      // the method has checked its step
} tn_unknowns;

void tn_unknowns_layout(tn_unknowns *u, tn_system *sys, tn_carve *mem); // nothing where n is 0
void tn_unknowns_values(tn_unknowns *u, tn_values *v); // beside those of the layout
static inline bool tn_unknowns_exist(const tn_unknowns *u)
{
    return u->roots.n > 0;
}

// w of `to` become those that continue `from`; where they cannot be followed they stay, with a
// positive status and a sentence. r are those of `from`.
tn_status tn_unknowns_follow(tn_unknowns *u, const tn_state *from, tn_state *to);
// The same at a point, whose e is `e`.
tn_status tn_unknowns_at(tn_unknowns *u, const tn_state *from, const tn_point *at, double *e);
// TN_OK where w of `to` are those, as far as the iteration of a step goes; else a positive status
// and a sentence.
tn_status tn_unknowns_check(tn_unknowns *u, const tn_state *from, const tn_state *to);
// The rest of the way: w of `to`, which have been checked, become what they are to round-off. Where
// this fails they stay.
tn_status tn_unknowns_settle(tn_unknowns *u, const tn_state *from, tn_state *to);
