// SPDX-License-Identifier: MIT
//
// The scene of a model as JSON: what a picture needs beside the motion. docs/formats/result.md
// describes it; results keep it as the dataset /scene.
//
//   planar, gravity, size      all bodies move in the plane; a length to choose distances by [m]
//   bodies[]                   the ground first: name, kind, turns, mass, inertia (principal
//                              moments), axes (their quaternion in the body frame), com, position
//                              and quaternion (at the start), shapes
//   bodies[].shapes[]          kind, position, quaternion, color ("#4477aa", left out when
//                              automatic); size, or radius and length, or name, mesh and scale;
//                              parts to draw
//   joints[], forces[]         name, kind, glyph, a, b, frame_a, frame_b (in the body frames);
//                              joints also coupling
//   beams[], modals[]          which bodies are their nodes, frames, amplitudes; how to draw them
//   meshes[]                   name (as the model says), path (joined with the folder of the
//                              model); shapes refer to them by number, each file stands once

#pragma once

#include "base/status.h"
#include "tenon/model.h"

// `model_path` (NULL or "" for none) is where the model was read from; only the paths of meshes
// need it. *out is freed with tn_free, and NULL on failure.
tn_status tn_scene_json(const tn_model *model, const char *model_path, char **out);
