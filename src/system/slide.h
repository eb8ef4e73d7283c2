// SPDX-License-Identifier: MIT
//
// Friction where bodies rub on each other at one-sided rows: their rows of velocities N along the
// surface, u = N v + n0. Bodies that stick have them as constraints; those that slip have the force
// -N^T eta with Coulomb's law, where s is the side of the row g on which they part,
//
//   eta = mu F u / |u|,   F = -s lambda,   of one component +-mu F,
//
// which is part of f = f(lambda) as every other force that depends on reactions.

#pragma once

#include "base/status.h"

struct tn_system;
struct tn_point;

typedef struct tn_slide {
    int row, n;             // rows of velocities: the first one, and how many there are, 1 or 2
    int normal;             // the row g
    int side;               // of it
    double mu;              // of the multipliers: that of the forces, by units of the rows
    bool slips;             //
    double way[2];          // the direction in which it slips, as the step begins; of length 1
    int ncol, *col;         // columns of these rows in N or NZ,
    int *at_N[2], *at_Z[2]; //   and their places there; -1: none
} tn_slide;

// The multipliers at the pressing force F and the velocities u, and their derivatives by u, row by
// row, on request. The law goes on smoothly where a straight slip turns back: such a step ends
// before.
void tn_slide_law(const tn_slide *slide, double tiny, double F, const double u[2], double eta[2],
                  double eta_u[2][2]);

// Once the blocks of the system and the rows of its slides are there: places of entries, and the
// derivatives of f by lambda.
tn_status tn_slides_open(struct tn_system *sys);
// The function `eval` of a system with slides.
tn_status tn_slides_eval(struct tn_system *sys, const struct tn_point *at, unsigned want);
// For read-out: the multipliers of all rows of velocities at a point, friction among them.
const double *tn_slides_eta(struct tn_system *sys, const struct tn_point *at);
