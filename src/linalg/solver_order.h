// SPDX-License-Identifier: MIT
//
// Orders of elimination that keep pivots on the diagonal, for solver_klu.c.
//
// Matrices of mechanisms, (M C^T; C 0) with or without more in them, have zeros on the diagonal in
// the place of multipliers. If elimination comes to such a row before all velocities that it binds,
// there may be nothing for a pivot yet: rows are exchanged then, and with them goes the order that
// was to keep the fill low. On nets of loops factors become ten to a hundred times as large as the
// order promised. After its velocities a multiplier finds a row of -C M^-1 C^T, which has a good
// pivot on the diagonal, whatever the net. Those of one of the two bodies often do. A hub on which
// hundreds of spokes are pinned is left for the end, and nothing waits for it: with the hub held
// fast the rest is a mechanism still, or there would be no such order.

#pragma once

#include "linalg/sparse.h"

// Kinds of unknowns: with a diagonal entry from the start, without one, or without one and to be
// eliminated after half of the strong ones that share an entry with it, or after all. Hubs are
// strong ones with far more entries than others, that come at the end.
enum { TN_UNKNOWN_STRONG, TN_UNKNOWN_WEAK, TN_UNKNOWN_LATE, TN_UNKNOWN_LAST, TN_UNKNOWN_HUB };

// Tells strong unknowns from weak ones, and finds scales d > 0 with which D S D has ones on the
// diagonal of the strong ones, and entries up to one in rows of the weak ones. Values of S have 1
// part or, complex ones, 2.
void tn_order_judge(int parts, const tn_sparse *S, char *kind, double *d);

// Values like those of S with a small entry on the diagonal of each weak unknown, of the sign with
// which elimination goes on in any order (quasidefinite matrices), so that a trial does not end at
// the first pivot that is zero.
void tn_order_regularise(int parts, const tn_sparse *S, const char *kind, const double *d,
                         double *val);

// Makes hubs of strong unknowns; how many there are.
int tn_order_hubs(const tn_sparse *S, char *kind);

// Moves late and last unknowns of an order to where half or all strong ones are gone that share an
// entry with them, and hubs to the end; all others stay in their order. `room` is room for 3 n
// numbers.
void tn_order_delay(const tn_sparse *S, const char *kind, int *order, int *room);
