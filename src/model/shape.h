// SPDX-License-Identifier: MIT
//
// The registry of shapes, and colours. Shapes are for pictures: no equation reads them.

#pragma once

#include "tenon/model.h"
#include "text/param.h"

// A part of a picture: a unit geometry, scaled and moved along z of the frame of the shape.
typedef struct tn_shape_part {
    const char *geometry; // "box", "cylinder", "cone", "sphere", or "mesh" of a file
    tn_vec3 scale;
    double z;
    double reach; // radius of a sphere around it; 0 where only the file knows
} tn_shape_part;

enum { TN_SHAPE_PARTS = 3 };

typedef struct tn_shape_ops {
    const char *name; // "box"
    const char *text; // one line for help and the reference page
    const tn_param *params;
    int nparam;
    int (*parts)(const tn_shape_def *def, tn_shape_part part[TN_SHAPE_PARTS]); // returns how many
} tn_shape_ops;

#define TN_KIND(NAME, name) extern const tn_shape_ops tn_shape_##name;
#include "tenon/shape_kinds.inc"
#undef TN_KIND

// A shape in the model.
typedef struct tn_shape_data {
    tn_shape_def def; // def.path is `path`
    char *path;       // NULL when there is none
} tn_shape_data;

enum { TN_COLOR_AUTOMATIC = -1, TN_COLOR_MARK = 0x222222 };

// A shape on body B of a joint, at a point of frame B and with its axes.
tn_shape_def tn_shape_on(const tn_joint_def *joint, tn_shape_kind kind, tn_vec3 at);

// "#rrggbb" or a name as 0xRRGGBB; `what` is "body 'crank': shape 1: color".
tn_status tn_color_parse(const char *text, const char *what, int *out);
#define TN_COLOR_NAMES "blue, cyan, green, yellow, red, purple, orange, brown, white, grey, black"
