// SPDX-License-Identifier: MIT
//
// Shared parts of scene.c and scene_parts.c, which write scenes.

#pragma once

#include "model/model.h"
#include "tenon/json.h"

void tn_scene_put_place(tn_json *json, tn_frame frame);
void tn_scene_put_color(tn_json *json, int color); // nothing where it is automatic

// The box around all points so far.
typedef struct tn_extent {
    tn_vec3 low, high;
} tn_extent;

void tn_extent_include(tn_extent *box, tn_vec3 p, double radius);

// The shapes of a body that touch others, as elements of a list.
void tn_scene_put_outlines(tn_json *json, const tn_model *model, int body);
void tn_extent_outlines(tn_extent *box, const tn_model *model); // of all bodies, at the start

void tn_scene_put_beams(tn_json *json, const tn_model *model);  // "beams": ...
void tn_scene_put_modals(tn_json *json, const tn_model *model); // "modals": ...
void tn_extent_modals(tn_extent *box, const tn_model *model);   // their surfaces at the start
