// SPDX-License-Identifier: MIT
//
// The explicit form that `penalty` and `augmented-lagrangian` share [BGS88; BL96]. With the rows of
// acceleration level as Baumgarte's, r = C a + gamma + 2 mu omega (C v + ...) + omega^2 g, and
// weights alpha (diagonal),
//
//   (M + C^T alpha C) a = f - C^T (lambda_i + alpha (gamma + 2 mu omega gdot + omega^2 g))
//   lambda_i+1 = lambda_i + alpha r(a),        lambda_0 = 0
//
// One round is the penalty method, rounds without end are the augmented Lagrangian method. The
// matrix on the left is not formed: it loses as many digits as alpha has. The same a and lambda are
// the solution of
//
//   ( M  C^T      ) ( a        )   ( f                                                      )
//   ( C  -alpha^-1) ( lambda_i+1) = ( -gamma - 2 mu omega gdot - omega^2 g - alpha^-1 lambda_i)
//
// which has none of that trouble, is sparse, and is regular whatever the rank of C: rows may repeat
// each other, and positions may be singular.
//
// alpha is the option penalty_alpha by the effective mass of each row, 1 / (c D^-1 c^T) with the
// diagonal D of M, so that it has no unit.

#pragma once

#include "formulation/ode_ops.h"

extern const tn_ode_ops tn_ode_penalty, tn_ode_augmented_lagrangian;
