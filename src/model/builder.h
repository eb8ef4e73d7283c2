// SPDX-License-Identifier: MIT
//
// The builders of bodies, joints and forces share this: names, sticky errors, and the checks of
// frames, bodies and functions. `what` names the element in messages, for example "joint 'pin'".

#pragma once

#include "model/model.h"

// The name of a new element, given or automatic ("body 3"), with the text that messages use.
typedef struct tn_label {
    char *name;     // lives as long as the model
    char what[480]; // "body 'rod'"
} tn_label;

// Makes the label of element number `number` of a list.
tn_status tn_label_make(tn_model *model, const char *list, const char *given, const tn_table *names,
                        int number, tn_label *out);
// Adds an element to a model that is open to change, by a function that puts it at the end of its
// list; keeps its error. Returns the index, -1 for none. A definition begins with its name.
int tn_builder_add(tn_model *model, tn_family family, const void *def,
                   tn_status (*add)(tn_model *model, const void *def, const tn_label *label));

// The definitions of tn_default_joint and tn_default_force.
tn_joint_def tn_joint_def_of(const tn_kinds *kinds, tn_joint_kind kind);
tn_force_def tn_force_def_of(const tn_kinds *kinds, tn_force_kind kind);

// Puts a joint, whose definition and functions are the caller's, at the end of the list.
tn_status tn_joint_push(tn_model *model, tn_joint_data data);

// Remembers the first error of a model with its text; returns the status.
tn_status tn_model_keep_error(tn_model *model, tn_status status);
// For readers that go on to the next mistake; such a model is never simulated.
void tn_model_forget_error(tn_model *model);

bool tn_body_exists(const tn_model *model, tn_body body);
// `side` is "body_a" or "body_b".
tn_status tn_check_body(const tn_model *model, tn_body body, const char *what, const char *side);
tn_status tn_check_two_bodies(const tn_model *model, tn_body a, tn_body b, const char *what);
tn_status tn_check_finite(tn_vec3 v, const char *what, const char *quantity);
// Checks a frame and makes its axes orthonormal to round-off; `quantity` is "frame_a".
tn_status tn_check_frame(tn_frame *frame, const char *what, const char *quantity);
bool tn_rotation_is_level(tn_mat3 R); // the z axis is the z axis of the outer frame
tn_status tn_check_level(tn_frame frame, const char *what, const char *quantity);
// Checks that the bodies have the orientations that a row needs; `subject` is "a revolute joint".
tn_status tn_check_row_bodies(const tn_model *model, const tn_row *row, tn_body a, tn_body b,
                              const char *what, const char *subject);
tn_status tn_check_rotation(const tn_model *model, tn_body body, const char *what,
                            const char *subject);
// Checks that no offset is given on a point mass, which has no frame in which it could be meant.
tn_status tn_check_offset(const tn_model *model, tn_body body, tn_frame frame, const char *what,
                          const char *quantity);
// Both bodies move in the plane. The ground does when the other one does.
// Fails where both bodies are planar, or one is a point mass; `instead` ends the sentence.
tn_status tn_check_spatial(const tn_model *model, const tn_joint_def *def, const char *what,
                           const char *instead);
// The cross product of axis i of frame A and axis j of frame B, of a joint whose bodies are where
// the model has them.
tn_vec3 tn_axes_at_start(const tn_model *model, const tn_joint_def *def, int i, int j);
bool tn_pair_is_planar(const tn_model *model, tn_body a, tn_body b);

// Notes a table whose curve swings far beyond its points, f(argument).
void tn_tell_overshoot(tn_model *model, const char *what, const char *argument, const char *unit,
                       const struct tn_curve *curve);

// "force 'wind': force x", of a function of a parameter.
void tn_function_words(const tn_param *param, int component, const char *what, size_t size,
                       char *text);
// Compiles the functions that a parameter table lists, in its order, into u (6 places) and clears
// them in the definition, which is a copy whose pointers belong to the caller.
tn_status tn_compile_functions(tn_model *model, int nparam, const tn_param *params, void *def,
                               tn_use use, const char *what, tn_timefn *u[6]);

// An event of a friction element itself: the speed of slip of force number `force` rises above a
// value [m/s].
tn_status tn_event_own(tn_model *model, int force, const char *name, double speed);
// An event of joint number `joint`: the shapes that it keeps in touch lift off.
tn_status tn_event_lift_off(tn_model *model, int joint, const char *name, bool stop);
// One that a one-sided contact notes itself, of this kind (model/joint.h).
tn_status tn_event_contact(tn_model *model, int joint, const char *name, int kind);
