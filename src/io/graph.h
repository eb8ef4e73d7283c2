// SPDX-License-Identifier: MIT
//
// The topology of a model as a picture. Bodies are nodes in rows by their distance from the ground
// along the spanning tree of joint coordinates (system/tree.h); joints are edges, those of the tree
// and those that close loops; force elements and couplings are dashed.
//
//   graph.c          what the picture shows, from a model; writing it to a file
//   graph_rows.c     the row of each body
//   graph_layout.c   places in rows
//   graph_route.c    edges that are not in the tree, and room for their names
//   graph_svg.c      as SVG, light or dark as the viewer has it
//   graph_dot.c      as text for Graphviz
//
// Units are 1/96 inch, y goes down.

#pragma once

#include "base/buffer.h"
#include "model/model.h"

typedef enum tn_graph_look {
    TN_LOOK_BODY,
    TN_LOOK_TREE,     // a joint of the tree
    TN_LOOK_LOOP,     // a joint that closes a loop
    TN_LOOK_COUPLING, // and drives
    TN_LOOK_FORCE,
    TN_LOOK_COUNT
} tn_graph_look;

// A body, or the name of a joint, a coupling or a force, with the names of what acts on it alone as
// tags below: a point force on a body, a motor or a drive on a joint.
typedef struct tn_graph_box {
    tn_graph_look look;
    const char *name;
    char note[40];        // "2 kg", "revolute"
    int first, last;      // tags, -1 for none
    double x, y;          // of its centre
    double width, height; // of its text, with a margin
} tn_graph_box;

typedef struct tn_graph_tag {
    tn_graph_look look;
    const char *name, *kind;
    int next; // of the same box, -1 for none
} tn_graph_tag;

// A cubic curve between two boxes, with its name on it.
typedef struct tn_graph_edge {
    int a, b; // boxes
    int name; // box
    tn_graph_look look;
    double x[4], y[4];
} tn_graph_edge;

typedef struct tn_graph {
    const tn_model *model;
    TN_ARRAY(tn_graph_box) boxes; // bodies first, in the order of the model
    TN_ARRAY(tn_graph_tag) tags;
    TN_ARRAY(tn_graph_edge) edges; // that are not in the tree
    int nbody;
    int *parent;                     // of each body in the tree; -1 of the ground
    int *carrier;                    // box of the joint that carries it, -1 for none
    int *joint;                      // box of each joint that has one, -1 for others
    int *row;                        // of each body, 0 for the ground
    double left, top, width, height; // of the whole
} tn_graph;

// Sizes of text, in which lines are LINE apart.
static const double TN_GRAPH_NAME = 13.0, TN_GRAPH_NOTE = 11.0, TN_GRAPH_LINE = 18.0;

static inline bool tn_graph_carries(const tn_graph *g, int body)
{
    return g->carrier[body] >= 0;
}

// The joints that a definition refers to, at most two; returns how many.
int tn_graph_joints_of(int n, const tn_param *params, const void *def, int out[2]);

double tn_graph_tag_width(const tn_graph_tag *tag);

tn_status tn_graph_rows(tn_graph *g);
tn_status tn_graph_place(tn_graph *g); // bodies and the joints that carry them
tn_status tn_graph_route(tn_graph *g); // all other edges; then the size of the whole
void tn_graph_svg(const tn_graph *g, tn_buffer *out);
void tn_graph_dot(const tn_graph *g, tn_buffer *out);
