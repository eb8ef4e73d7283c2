// SPDX-License-Identifier: MIT
//
// Private to tree_lanes.c and the kernels of several vector widths.

#pragma once

#include "tree/tree_lanes.h"

typedef struct lanes_node {
    int parent;
    int v0;         // of its freedom
    tree_axis kind; // of its joint
    bool first;     // the first to hand something to its predecessor, going backwards
    bool leaf;      // it has no children
    bool several;   // more than one node does
    double sign;    // in the plane: 1, or -1 where z points down; in space 0
} lanes_node;

// Numbers of a node, each one vector: see tree_base and tree_mass of tree_parts.h.
enum {
    LANES_X = 0,
    LANES_Y = 3,
    LANES_Z = 6,
    LANES_D = 9,
    LANES_MC = 12,
    LANES_G = 15,
    LANES_M = 18,
    LANES_LAMBDA,
    LANES_KY,
    LANES_KZ,
    LANES_PLACE // their number
};
// Numbers of a node in their stead where few bodies turn in the plane (tree_lanes_few_flat.h):
// angle of the frame, way to it from the predecessor, moment of mass and inertia of the body with
// all that it carries in its joints.
enum { FLAT_ANGLE, FLAT_DX, FLAT_DY, FLAT_GX, FLAT_GY, FLAT_J };
// Numbers of a spring: tension k y + k3 y^3 + preload + c x', y = x - free.
enum { LANES_K, LANES_C, LANES_K3, LANES_FREE, LANES_PRELOAD, LANES_SPRING };
// Numbers of a row: in the tree frames of its bodies, arms of the point or directions of the axes.
enum { LANES_ROW = 6 };
// Number of values that an evaluation saves of a node, and those of an inertia with its force.
enum { LANES_KEPT = 35, LANES_SUM = 27 };
// Most nodes, with the ground, of trees that are moved by their mass matrix.
enum { LANES_FEW = 13 };

// A row of a joint that closes a loop, between two nodes.
typedef struct lanes_row {
    int a, b;
    bool turns; // DOT: two axes stay at right angles; else COORD: points stay together along e_i
    int i, j;   // axes as in tn_row
    int joint;  // of the model
} lanes_row;

typedef void tn_lanes_function(const tn_lanes *lanes, const double *numbers, const double *q,
                               const double *v, double *vdot, double *memory);

// Numbers lie in the order: minus gravity (3), nodes but the ground, springs, rows.
struct tn_lanes {
    int n; // nodes, with the ground
    int nv;
    lanes_node *node; // n
    int nspring;      // the forces of the model, in its order
    int *spring;      // velocity that it acts along
    int nrow;         // of joints that close loops
    lanes_row *row;
    bool flat, few; // in the plane without loops; by the mass matrix
    tn_lanes_function *accelerate;
    void *block;
};

tn_lanes_function tn_lanes_by_two, tn_lanes_flat_by_two, tn_lanes_few_by_two,
    tn_lanes_few_flat_by_two;
#if defined(__x86_64__)
tn_lanes_function tn_lanes_by_four, tn_lanes_flat_by_four, tn_lanes_few_by_four,
    tn_lanes_few_flat_by_four;
#endif
