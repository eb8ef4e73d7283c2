// SPDX-License-Identifier: MIT
//
// Derivatives of variable parameters and of the extra equations in any coordinates of a model. A
// number z of the mechanism has the derivatives z_x by the places of bodies and z_V by their twists
// (absolute_signals.c). With the columns (q, p, v) of the effect of a coordinate on a body,
//
//   dx = q dq,   dV = p dq + v dv,   z_q = q^T z_x + p^T z_V,   z_v = v^T z_V
//
// and a force f that depends on the number affinely has f_z = f(1) - f(0), so that
//
//   K -= f_z z_q^T,   D -= f_z z_v^T,   FE -= f_z z_e^T,   FL -= f_z z_lambda^T
//
// and rows of extra equations are EQ = z_q, EV = z_v, EE = z_e, EL = z_lambda. A coordinate system
// computes its columns and, where a force is more than a wrench on two bodies, f_z.

#pragma once

#include "system/absolute_parts.h"

typedef struct signal_blocks signal_blocks;

// Motion of one body by the coordinates: arrays of n, in `room` or elsewhere.
typedef struct body_columns {
    int n;
    const int *index;
    const tn_twist *q, *p, *v;
    struct {
        int index[12];
        tn_twist q[12], p[12], v[12];
    } room;
} body_columns;

typedef struct signal_ops {
    // The coordinates that move a body (not the ground), those of a force where it acts on one of
    // them alone or of a number that is one: into `list`, how many.
    int (*path)(const tn_system *self, int body, int *list);
    int (*of_force)(const tn_system *self, int force, int *list);     // NULL: those of its bodies
    int (*of_measure)(const tn_system *self, int measure, int *list); // NULL: those of its bodies
    void (*columns)(tn_system *self, int body, body_columns *out);    // where bodies are posed
    // f_z by tn_signal_push; whether the bodies of the force itself are among those that its number
    // depends on here, or its own tangents have them. NULL: the wrench on its bodies.
    bool (*slope)(tn_system *self, const abs_live *live, const void *act, signal_blocks *b);
    // Address of an entry of K or D; NULL for none. The whole NULL: in the block.
    double *(*entry)(tn_system *self, tn_block block, int row, int column);
    int (*row)(const tn_system *self, int world_row); // of a multiplier; NULL: the same
} signal_ops;

// The matrices of extra variables and multipliers; NULL where the model has no expressions.
tn_status tn_signal_blocks_create(tn_system *sys, const absolute *world, const signal_ops *ops,
                                  signal_blocks **out);
void tn_signal_blocks_destroy(signal_blocks *b);
// Adds to K, `share` times, and D, and fills these matrices, after tn_absolute_set_signals with
// derivatives; `act` is for `slope`.
void tn_signal_blocks_tangent(signal_blocks *b, const abs_point *here, double share,
                              const void *act);
// For `slope`: adds x to coordinate k of f_z; and the wrench on both bodies.
void tn_signal_push(signal_blocks *b, int k, double x);
void tn_signal_push_wrench(signal_blocks *b, const abs_live *live);
