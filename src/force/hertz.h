// SPDX-License-Identifier: MIT
//
// The ellipse on which two smooth bodies of one material touch, by Hertz's theory [Joh85, ch. 4].
// With relative curvatures k_x, k_y = 2 A, 2 B of the gap z = A x^2 + B y^2, the shear modulus G,
// Poisson's ratio nu, and the modulus 1/E* = (1 - nu)/G, its semi-axes a along x and b along y are
//
//   long (c d^2) = 3 N E(e) / (2 pi E* (A + B)),   e^2 = 1 - (d / c)^2,
//
// of the longer semi-axis c and the shorter one d, where complete elliptic integrals K and E have
//
//   (E (c / d)^2 - K) / (K - E) = B / A,   B >= A.

#pragma once

typedef struct tn_hertz {
    double a, b; // along x and along y, under the normal force 1; they go with its third root
} tn_hertz;

// Curvatures [1/m] above zero, modulus [N/m^2], Poisson's ratio.
tn_hertz tn_hertz_ellipse(double curvature_x, double curvature_y, double shear, double poisson);
