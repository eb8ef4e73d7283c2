// SPDX-License-Identifier: MIT
//
// The sparsity pattern of the equations of motion of a model in mixed coordinates [Arn16, sect.
// 3.3]: accelerations p'' of all bodies and q'' of the joints that carry them, multipliers mu of
// their kinematic relations 0 = k_i(p_i, p_parent, q_i), and multipliers lambda of all other rows.
//
//   ( M    0    K^T + H^T   G^T )   M  body mass matrices                  K  dk_i / dp_i
//   ( 0    0    J^T         G^T )   H  dk_i / dp of the body below         J  dk_i / dq_i
//   ( K+H  J    0           0   )   G  rows of loops and couplings
//   ( G    G    0           0   )
//
//   pattern.c         unknowns, their order by topology, and what is not zero, from a model
//   pattern_tree.c    which joint or coupling carries which body
//   pattern_draw.c    as SVG and as a table
//
// Entries are structural: what a position makes zero by chance counts.

#pragma once

#include "base/array.h"
#include "model/model.h"
#include "system/system.h"
#include "tenon/io.h"
#include "text/buffer.h"
#include "tree/tree.h"

typedef enum tn_pattern_part {
    TN_PART_MASS,
    TN_PART_JOINT, // K and J of a body and the joint that carries it
    TN_PART_BELOW, // H
    TN_PART_LOOP,  // G
    TN_PART_COUNT
} tn_pattern_part;

typedef struct tn_pattern_entry {
    int row, column; // in the original order
    tn_pattern_part part;
} tn_pattern_entry;

// A body with the unknowns that belong to it, in the order in which bodies are numbered: behind the
// body that carries it, else as in the model.
typedef struct tn_pattern_body {
    int body;            // of the model
    int below;           // body of the model that carries it; -1 for a free one
    int joint;           // that carries it, of the model; -1 for none
    int axis[6], d;      // components of its motion: 0 to 2 along, 3 to 5 about x, y, z
    int n;               // freedoms of its joint
    bool turns[6];       // whether freedom i turns the body; all do where that is not known
    int p0, q0, m0, nmu; // its unknowns in the original order
} tn_pattern_body;

typedef struct tn_pattern {
    const tn_model *model;
    tn_tree *tree;
    tn_system *world;      // for rows of loops; NULL where there are none
    int nbody;             // without the ground
    tn_pattern_body *body; // nbody, by number
    int *number;           // of each body of the model
    int *velocity;         // first velocity of each body in absolute coordinates
    int *carried;          // by each joint of the model, the number of a body; -1 for none
    int *row;              // of each joint of the model: its first row lambda, -1 for none
    int n, np, nq, nm;     // unknowns, those of p, q and mu
    int *place;            // n: in the order by topology
    int *block;            // n: in which block, from 0
    int nblock;            // of the order by topology
    int *first;            // nblock + 1: first place of each
    const char **block_name;
    TN_ARRAY(tn_pattern_entry) entries; // both triangles, by row and column
    tn_status status;                   // of the first that failed
} tn_pattern;

// Tells if a path ends with `other`; fails where neither that nor .svg nor - is what it is.
tn_status tn_drawn_as(const char *path, const char *other, const char *what, bool *is_other);

// The joints that a definition refers to, at most two; returns how many.
int tn_pattern_joints_of(int n, const tn_param *params, const void *def, int out[2]);

// The tree of bodies: their numbers, what carries them, and freedoms.
tn_status tn_pattern_carry(tn_pattern *p);
void tn_pattern_svg(const tn_pattern *p, const tn_pattern_told *told, tn_buffer *out);
void tn_pattern_csv(const tn_pattern *p, tn_buffer *out);
