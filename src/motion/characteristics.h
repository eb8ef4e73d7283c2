// SPDX-License-Identifier: MIT
//
// Kinematic characteristics that a user has chosen by name [LB08, eq. 4]: velocities of bodies,
// angular velocities and rates of joints,
//
//   e = E(t, q) v + e0(t, q)
//
// in any coordinates. They are read off the mechanism: e0 at v = 0, a column of E at a unit
// velocity, and e' at v'. Where they are rates of coordinates e can be integrated to these, and
// elsewhere it cannot.

#pragma once

#include "model/vocabulary.h"
#include "system/system.h"

typedef struct tn_characteristics {
    tn_system *sys;
    const tn_model *model;
    int n;
    tn_named_quantity *of; // n
    char *names;           // as given
    double *v;             // nv, scratch
    double *e;             // n, scratch
} tn_characteristics;

// Names with commas between them; refuses what is no velocity of the model. Keeps system and model.
tn_status tn_characteristics_create(tn_system *sys, const tn_model *model, const char *names,
                                    tn_characteristics **out);
void tn_characteristics_destroy(tn_characteristics *c);

void tn_characteristics_read(tn_characteristics *c, const tn_point *at, double *e);
void tn_characteristics_rates(tn_characteristics *c, const tn_point *at, double *rate); // at v'
// E^T (nv x n) and e0 (n) at t, q of the point.
void tn_characteristics_rows(tn_characteristics *c, const tn_point *at, double *Et, double *e0);
