// SPDX-License-Identifier: MIT
//
// One vocabulary: the names by which results, plots, sensors and expressions know a number of a
// model. A name is the owner, then the quantity, with dots between:
//
//   rod.position.x   crank pin.angle   crank pin.angle.rate   crank pin.force.x
//   cable.length     cable.tension     energy.kinetic
//
// The table of quantities (vocabulary.c) is the only place where these words stand: the channels of
// a simulation, files of results and the search by name follow from it. Names of elements stand as
// they are; expressions put those that are no identifiers into quotes, and take the quotes off
// before they ask here.

#pragma once

#include "model/model.h"
#include "text/table.h"

// The owner of a number. An element of the model has some numbers of an owner: a joint as many
// coordinates as it measures, a body that moves in space no angle.
typedef enum tn_owner {
    TN_OWNER_RUN,        // nobody's: one place
    TN_OWNER_BODY,       // bodies but the ground
    TN_OWNER_PLANE,      // of these the ones that turn about one axis, in the plane
    TN_OWNER_EULER,      // those that measure angles about axes in a sequence: three places
    TN_OWNER_QUATERNION, // those that measure the rate of their quaternion
    TN_OWNER_JOINT,      // joints and couplings
    TN_OWNER_COORDINATE, // coordinates of all joints
    TN_OWNER_ROW,        // constraint rows of all joints
    TN_OWNER_CONTACT,    // joints whose shapes touch
    TN_OWNER_TOUCH,      // contact coordinates of all of these
    TN_OWNER_FORCE,      // force elements
    TN_OWNER_SCALAR,     // forces along one coordinate, theirs or that of a joint
    TN_OWNER_TAUT,       // of these the ones along the line between two points
    TN_OWNER_TWIST,      // the ones on the angle between two frames
    TN_OWNER_TURNING,    // and all but those along a line
    TN_OWNER_GENERAL,    // forces that are no scalar law
    TN_OWNER_SECTION,    // of these the elements of beams
    TN_OWNER_SIGNAL,     // signals
    TN_OWNER_INTEGRAL,   // states of the model
    TN_OWNER_UNKNOWN,    // algebraic unknowns
    TN_OWNER_SAMPLED,    // values of sampled systems
    TN_OWNER_OUTPUT,     // outputs
    TN_OWNER_STATE,      // numbers of equations without names
    TN_OWNERS
} tn_owner;

// In the order of the columns of a table.
typedef enum tn_quantity {
    TN_Q_TIME,
    TN_Q_STEP,
    TN_Q_BODY_POSITION,             // of the origin of its frame, inertial axes
    TN_Q_BODY_QUATERNION,           // scalar first
    TN_Q_BODY_VELOCITY,             // of the origin, inertial axes
    TN_Q_BODY_SPIN,                 // angular velocity, body axes
    TN_Q_BODY_ACCELERATION,         // of the origin, inertial axes
    TN_Q_BODY_ANGULAR_ACCELERATION, // body axes
    TN_Q_BODY_ANGLE,                // of a planar body, about z
    TN_Q_BODY_ANGLE_RATE,
    TN_Q_BODY_ANGLE_ACCELERATION,
    TN_Q_BODY_EULER, // the component is the number of the angle
    TN_Q_BODY_EULER_RATE,
    TN_Q_BODY_QUATERNION_RATE,
    TN_Q_JOINT_COORDINATE, // the component is the number of the coordinate
    TN_Q_JOINT_RATE,
    TN_Q_JOINT_ACCELERATION,
    TN_Q_REACTION_FORCE,    // on body B, inertial axes
    TN_Q_REACTION_TORQUE,   // on body B about the origin of its joint frame, inertial axes
    TN_Q_MULTIPLIER,        // the component is the number of the row
    TN_Q_CONTACT,           // the component is the number of the contact coordinate
    TN_Q_CONTACT_POINT,     // contact of shapes, inertial axes
    TN_Q_CONTACT_LOAD,      // by which they press on each other
    TN_Q_FORCE_LENGTH,      // between its two points
    TN_Q_FORCE_ANGLE,       // between its two frames
    TN_Q_FORCE_DEFLECTION,  // of springs from where they are free; else the coordinate
    TN_Q_FORCE_RATE,        // of both
    TN_Q_FORCE_TENSION,     // positive where it pulls the two points together
    TN_Q_FORCE_EFFORT,      // along a joint coordinate or angle, positive where it makes it larger
    TN_Q_FORCE_FORCE,       // on body B, inertial axes
    TN_Q_FORCE_TORQUE,      // on body B about the origin of frame B, inertial axes
    TN_Q_SECTION_FORCE,     // of the part behind the section of a beam on that before it,
    TN_Q_SECTION_MOMENT,    //   section axes: z is along the beam
    TN_Q_SECTION_STRAIN,    // shear along x and y, stretch along z
    TN_Q_SECTION_CURVATURE, // beyond that without strain: bending about x and y, twist about z
    TN_Q_FORCE_POWER,       // of its load on the bodies
    TN_Q_SIGNAL,            // this and the next ones by name alone
    TN_Q_STATE,
    TN_Q_UNKNOWN,
    TN_Q_SAMPLED, // "servo.u", as it acts; the component is the number of the value
    TN_Q_OUTPUT,
    TN_Q_STATE_Q,
    TN_Q_STATE_V,
    TN_Q_STATE_A,
    TN_Q_STATE_LAMBDA,
    TN_Q_STATE_ETA,
    TN_Q_KINETIC,
    TN_Q_POTENTIAL,
    TN_Q_DISSIPATED,
    TN_Q_SUPPLIED,
    TN_Q_BALANCE,
    TN_Q_LINEAR_MOMENTUM,  // of all bodies, inertial axes
    TN_Q_ANGULAR_MOMENTUM, // the same about the origin
    TN_Q_RESIDUAL_G,
    TN_Q_RESIDUAL_GDOT,
    TN_Q_ENERGY_D,
    TN_Q_HAMILTONIAN_D,
    TN_Q_HIDDEN_F,
    TN_Q_HIDDEN_H,
    TN_Q_HIDDEN_QP,
    TN_Q_LINEAR_D, // of all bodies, by differences over an interval of a discrete principle,
    TN_Q_ANGULAR_D,
    TN_Q_LINEAR_P, //   by its momenta p and by Qp
    TN_Q_ANGULAR_P,
    TN_Q_LINEAR_QP,
    TN_Q_ANGULAR_QP,
    TN_Q_MOMENTA,
    TN_Q_PROJECTED,
    TN_Q_REDUCED,
    TN_QUANTITIES
} tn_quantity;

typedef struct tn_quantity_kind {
    const char *path;  // in a file of results, "bodies/position"
    const char *word;  // behind the owner, "position"; "" where the component says it all
    const char *tail;  // behind the component, "rate"; "" for none
    const char *unit;  // "" for none, "mixed" when each column has its own
    const char *frame; // "inertial", "body", "section", NULL
    tn_owner owner;
    int ncomponent; // numbers per place
    const char *const *components;
    tn_quantity rate; // its derivative by time; TN_QUANTITIES: has no name
} tn_quantity_kind;

extern const tn_quantity_kind tn_quantity_kinds[TN_QUANTITIES];

// Returns true if one element has several numbers of the owner, each with a name of its own, which
// files list beside those of the elements.
static inline bool tn_owner_names_parts(tn_owner owner)
{
    return owner == TN_OWNER_TOUCH || owner == TN_OWNER_SAMPLED || owner == TN_OWNER_EULER;
}

// Number of places that element i of the model has; i counts bodies (with the ground), joints,
// forces, signals and so on.
int tn_owner_places(const tn_model *model, tn_owner owner, int i);
int tn_owner_elements(const tn_model *model,
                      tn_owner owner); // of its list; 1 of a run

// Returns true if files list, beside each quantity of the owner, the names of those who have it.
static inline bool tn_owner_is_listed(tn_owner owner)
{
    return (owner >= TN_OWNER_PLANE && owner <= TN_OWNER_QUATERNION) ||
           (owner >= TN_OWNER_CONTACT && owner < TN_OWNER_STATE);
}

// The name of one number.
typedef struct tn_column {
    const char *owner;     // name of the body, joint or force, NULL for none
    const char *component; // "x", "angle", NULL for none
    int number;            // of a column without names, -1 for none
    const char *unit;      // "" for none
} tn_column;

// "time", "energy.kinetic", "rod.position.x", "pin.angle.rate", "state.q.0"; tn_free it; NULL when
// memory is short.
char *tn_quantity_name(const tn_quantity_kind *kind, const tn_column *column);

// A number of a model.
typedef struct tn_named_quantity {
    tn_quantity what;
    int element;      // body (the ground is 0), joint or force; 0 for those of a run
    int component;    // 0 for x; number of the coordinate or row; 0 where there is one
    const char *unit; // "rad/s", "" for none; tn_unit_of gives its size in units of the model
} tn_named_quantity;

// The unit of a quantity that goes with a length or an angle: "m/s" or "rad/s".
const char *tn_mixed_unit(tn_quantity what, bool length);
tn_column tn_quantity_column(const tn_model *model, const tn_named_quantity *q);

// Number of meanings of a full name in a model, the first of them in *out.
tn_status tn_vocabulary_count(const tn_model *model, const char *name, int *count,
                              tn_named_quantity *out);
// The one meaning of a name; TN_ERR_MODEL with a sentence where there are none (with the nearest
// name) or two.
tn_status tn_vocabulary_find(const tn_model *model, const char *name, tn_named_quantity *out);

// TN_ERR_MODEL where a signal, state, unknown, sampled value or output has a name that results have
// for something else.
tn_status tn_vocabulary_check(const tn_model *model);

// Goes through all names of a model: begins at {.component = -1}; false behind the last.
bool tn_vocabulary_next(const tn_model *model, tn_named_quantity *at);

// A hint for a name that is none of a table: the current name, the nearest one, or some of those
// that there are.
tn_hint tn_vocabulary_hint(const tn_table *names, const char *name);
