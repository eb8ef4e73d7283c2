// SPDX-License-Identifier: MIT
//
// Data of a corrector: private to corrector_layout.c, which lays its matrices out, and corrector.c,
// which fills, factors and solves them.

#pragma once

#include "formulation/corrector.h"

// Which number multiplies a placed block: factor h^power, times one of the weights.
typedef enum by { BY_ONE, BY_Q, BY_V, BY_A, BY_C, BY_STEP, BY_Q_STEP } by;

typedef struct tn_place_weight {
    double factor;
    int power;
    by by;
} tn_place_weight;

// Which values of a block are placed: as they are, times T, times ad(v), or those of the kinematic
// rows.
typedef enum variant { PLAIN, TIMES_T, TIMES_AD, KINEMATIC } variant;

typedef struct placed {
    int block; // tn_block, -1 for a diagonal
    int count; // of values
    variant values;
    tn_place_weight weight;
} placed;

#define MAX_PLACED 48

// One matrix of the corrector with its solvers.
typedef struct tn_part {
    tn_places row, col;
    int nplaced;
    placed placed[MAX_PLACED];
    tn_composition matrix;
    tn_solver *solver;
    tn_solver *zsolver;
    double complex *zval; // values of the complex matrix
    int nmotion;          // equations of motion at row.u, of the velocities at col.u; 0: none
    int row0, rows;       // constraint rows, and the placement of their diagonal entries
    int diagonal;
    int *masked; // slots of rows that are left out
    int nmasked;
    int *unit; // their diagonal slots, set to one
    int nunit;
    bool singular[2]; // last factorisation, real and complex, failed; solve by rank
} tn_part;

struct tn_corrector {
    tn_system *sys;
    const tn_formulation *formulation;
    double alpha, beta, c;            // of Baumgarte's combinations
    tn_part core, position, velocity; // the latter two of stabilised formulations
    tn_part whole;                    // instead of these three, where it is asked for
    tn_part *used[3];                 // in the order of solving
    int nused;
    bool by_tree;        // instead of the core: solutions along the topology of the system
    double complex h[2]; // of the last factorisations, real and complex
    double *times_T[TN_BLOCK_COUNT][2]; // values of block T, where used
    double *times_ad;                   // values of B ad(v)
    double complex *zrhs;               // of any part
    void *block, *zblock, *whole_block;
};

// Blocks that are multiplied by T.
static const tn_block tn_moved_blocks[] = {TN_BLOCK_K, TN_BLOCK_B, TN_BLOCK_Z, TN_BLOCK_NZ,
                                           TN_BLOCK_EQ};
