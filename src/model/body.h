// SPDX-License-Identifier: MIT
//
// The registry of bodies. A body moves along two or three axes and turns about none, one or three
// (amplitudes of modal bodies, modal_body.h, move along one): all coordinates, matrices and
// read-outs follow from these two numbers, and nothing but its own file and the list
// (tenon/body_kinds.inc) knows a kind by its name.

#pragma once

#include "lie/euler.h"
#include "tenon/model.h"
#include "text/param.h"

typedef struct tn_body_ops tn_body_ops;

// The part of a definition (tn_body_def) that a model saves: all but what has become `inertia`
// below.
typedef struct tn_body_kept {
    double mass;
    tn_vec3 com;
    tn_frame frame;
    tn_vec3 velocity, rate;
    tn_angles angles;
    bool quaternion_rate;
    bool given_position, given_rotation, given_velocity, given_rate;
    bool fixed_start;
    bool of_shapes;
} tn_body_kept;

typedef struct tn_body_data {
    const char *name;
    const tn_body_ops *ops;
    tn_body_kept def;
    tn_mat3 inertia; // about the centre of mass, in body axes [kg m^2]
    int nshape;      // of the list of shapes
} tn_body_data;

tn_body_kept tn_body_keep(const tn_body_def *def);
// The square of the largest radius of gyration; 0 without a mass.
double tn_body_gyration(const tn_body_data *body);

struct tn_body_ops {
    const char *name; // "rigid"
    const char *text; // one line for help and the reference page
    const tn_param *params;
    int nparam;
    int moves; // components of its position: 3, or 2 in a plane z = const; 1 of an amplitude
    int turns; // 3 of a rigid body, 1 about z in the plane, 0 of a point mass
    // Checks beyond the table; sets the inertia. `what` is "body 'crank'".
    tn_status (*check)(const tn_body_def *def, tn_body_data *data, const char *what);
};

#define TN_KIND(NAME, name) extern const tn_body_ops tn_body_##name;
#include "tenon/body_kinds.inc"
#undef TN_KIND

// The components of a motion that a body has, in the order of its velocities; returns how many.
static inline int tn_body_components(int moves, int turns, tn_vec3 move, tn_vec3 turn, double *x)
{
    const double along[3] = {move.x, move.y, move.z}, about[3] = {turn.x, turn.y, turn.z};
    for (int i = 0; i < moves; i++)
        x[i] = along[i];
    for (int i = 0; i < turns; i++)
        x[moves + i] = about[turns == 1 ? 2 : i];
    return moves + turns;
}

// "none", "zxz" …, ends with NULL; the axes of a sequence that is not none, and the names of its
// angles, "nutation".
extern const char *const tn_angles_names[TN_ANGLES_COUNT + 1];
tn_sequence tn_angles_sequence(tn_angles angles);
const char *tn_angles_word(tn_angles angles, int i);

// Name of velocity i of a body: "x", or "turn about z".
const char *tn_body_velocity_name(const tn_body_ops *ops, int i);

// The eigenvalues of an inertia matrix and its axes as columns, right-handed; a matrix that is
// diagonal already keeps its order.
void tn_principal_axes(tn_mat3 I, double moment[3], tn_mat3 *axes);

bool tn_body_has_rotation(const tn_model *model, tn_body body); // ground included
bool tn_body_is_planar(const tn_model *model, tn_body body);    // moves in a plane; ground: yes

// What the kinds of body share --------------------------------------------------------------------

#define TN_BODY_MASS                                                                            \
    TN_PARAM(tn_body_def, mass, NUMBER, "mass", "kg", .range = TN_NONNEGATIVE, .fallback = 1.0, \
             .required = true, .text = "mass, zero for a massless body")
#define TN_BODY_COM \
    TN_PARAM(tn_body_def, com, VEC3, "com", "m", .text = "centre of mass in the body frame")
#define TN_BODY_POSITION                                                                 \
    TN_PARAM(tn_body_def, frame.p, VEC3, "position", "m",                                \
             .text = "where the origin of the body frame starts, in the inertial frame", \
             .role = TN_ROLE_POINT, .given = offsetof(tn_body_def, given_position))
#define TN_BODY_ORIENTATION(explanation)                                               \
    TN_PARAM(tn_body_def, frame.R, ROTATION, "orientation", "", .text = (explanation), \
             .role = TN_ROLE_ROTATION, .given = offsetof(tn_body_def, given_rotation))
#define TN_BODY_VELOCITY                                                              \
    TN_PARAM(tn_body_def, velocity, VEC3, "velocity", "m/s",                          \
             .text = "start velocity of the origin of the body frame, inertial axes", \
             .role = TN_ROLE_DIRECTION, .given = offsetof(tn_body_def, given_velocity))
#define TN_BODY_FIXED_START                               \
    TN_PARAM(tn_body_def, fixed_start, BOOL, "fixed", "", \
             .text = "keep the stated start values when the mechanism is assembled")

// Start values of a body of the plane keep it there.
tn_status tn_body_check_plane(const tn_body_def *def, const char *what);
