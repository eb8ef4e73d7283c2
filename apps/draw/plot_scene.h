// SPDX-License-Identifier: MIT
//
// The scene of results (result/scene.h) as pieces that can be drawn in a plane: outlines of shapes,
// links between joints where a body has none, joints, springs, beams. Each point of a piece is
// fixed on a body, whose pose brings it into space.

#pragma once

#include "base/array.h"
#include "file/document.h"
#include "tenon/result.h"
#include "tenon/spatial.h"

typedef enum tn_piece_form {
    TN_PIECE_HULL, // the convex hull of the points as they are seen
    TN_PIECE_AREA, // a polygon
    TN_PIECE_LINE,
    TN_PIECE_COIL, // a spring between two points
    TN_PIECE_DOT   // a small disc at one point
} tn_piece_form;

typedef struct tn_piece_point {
    int body; // 0 is the ground
    tn_vec3 at;
} tn_piece_point;

typedef struct tn_piece {
    tn_piece_form form;
    int first, n; // points
    unsigned color;
    bool still;  // on the ground
    bool joint;  // a dot that is one
    double size; // of a dot: its radius [m]
} tn_piece;

typedef struct tn_plot_scene {
    TN_ARRAY(tn_piece) piece;
    TN_ARRAY(tn_piece_point) point;
    double size; // of the model [m]
    bool planar;
    tn_vec3 gravity;
    tn_document *doc;
    tn_status status; // of the first failure, after which nothing is added
    int nbody;        // with the ground
    // Of the document, empty where it has none.
    const tn_node *bodies, *joints, *forces, *beams, *modals, *meshes;
} tn_plot_scene;

// Fails with a sentence where the results hold no scene.
tn_status tn_plot_scene_read(const tn_result *result, tn_plot_scene *out);
void tn_plot_scene_free(tn_plot_scene *scene);
// The point of a body or joint of that name; fails with a sentence.
tn_status tn_plot_scene_find(const tn_plot_scene *scene, const tn_result *result, const char *name,
                             tn_piece_point *out);
