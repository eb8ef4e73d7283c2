// SPDX-License-Identifier: MIT
//
// Numbers below which something is round-off, and other tolerances that mean the same everywhere.
// All are relative. Each says what breaks where it is a hundred times larger; where it is a hundred
// times smaller rounding itself is taken for a difference. Tolerances of only one algorithm, as the
// part of a step that it risks, are defined there.

#pragma once

#define TN_PI 3.14159265358979323846

// Left by sums of dozens of terms. Larger: states of forces by reactions and of friction stop two
// digits short of what energy and resumed runs are compared to.
#define TN_ROUND_SUM 1e-14

// Round-off of numbers that cancel in matrices of hundreds of entries, by the largest of them.
// Larger: soft springs beside stiff ones count as no stiffness, light bodies beside heavy ones as
// no inertia.
#define TN_ROUND_MATRIX 1e-13

// Left after one linear solve. Larger: an equilibrium keeps an error that shows beside the digits
// of its reactions, and pivots of light bodies count as none.
#define TN_ROUND_SOLVE 1e-12

// Left by an iteration, or by numbers that somebody typed with nine digits. Larger: loops that are
// open by a micron in ten metres count as closed, and slow modes as rigid motions.
#define TN_ROUND_ITERATE 1e-9

// Corrections of long nets up to this part of the unknowns may be round-off that the net enlarges,
// if their residuals say so too. Larger: steps whose iteration has stalled are accepted.
#define TN_ROUND_ENLARGED 1e-6

// Matrices differ from their transpose by round-off and truncation of differences. Larger: weak
// follower loads and gyroscopic terms are left out of modes.
#define TN_SYMMETRIC 1e-9

// Ratio of pivots below which the condition of a matrix is estimated, and solutions are verified.
// Larger: each step of a chain of a thousand links takes that estimate.
#define TN_RCOND_DOUBT 1e-10

// Backward error that a trial solve may have: four digits above round-off. Larger: old pivots stay
// where they lose digits to which multipliers are read.
#define TN_BACKWARD_MAX 1e-12

// Part of the tolerance of a step that its iteration may leave. Larger: the residual of iterations
// is the error of the method.
#define TN_NEWTON_PART 0.03

// Entries up to which ranks are found by full matrices: 8 MB. Larger: minutes, and gigabytes.
#define TN_DENSE_ENTRIES 1e6
