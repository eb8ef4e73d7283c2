// SPDX-License-Identifier: MIT
//
// The registry of force elements. A force sees two attachment frames in the world (tn_pair) and
// gives a wrench on each body about its reference point, in world axes, with its exact tangents.
// Springs, torsion springs, joint springs, stops and motors are scalar laws Q(x, x', t) on a
// coordinate x of the pair (row.h): their wrench is Q G and their tangent follows from G and H of
// the row in one place, force_scalar.c.

#pragma once

#include "row/row.h"
#include "signal/timefn.h"
#include "tenon/model.h"
#include "text/notes.h"
#include "text/param.h"

typedef struct tn_load {
    double w[12];      // wrench on A (force, moment), then on B
    double energy;     // potential energy stored [J]
    double dissipated; // power turned into heat, not negative [W]
    double supplied;   // power put in from outside [W]
} tn_load;

typedef struct tn_load_tangent {
    double K[12][12]; // dw / d(dp_a, dtheta_a, dp_b, dtheta_b), dR = skew(dtheta) R
    double D[12][12]; // dw / d(V_a, V_b)
} tn_load_tangent;

// A force in the model: its definition with compiled functions and tables.
typedef struct tn_force_data tn_force_data;

// A scalar law at one state: the generalized force Q on a coordinate x, whose power is Q x'.
typedef struct tn_scalar_load {
    double Q;                            // [N] or [N m]
    double Q_x, Q_v;                     // dQ/dx, dQ/dx'
    double elastic, elastic_x;           // -dV/dx, the part of Q that has a potential, and d/dx
    double energy, dissipated, supplied; // as in tn_load
} tn_scalar_load;

// `kept` is what a law that keeps a speed keeps, its sense where it first acted; out comes zeroed.
typedef void tn_scalar_law(const tn_force_data *data, double t, double x, double rate, double kept,
                           tn_scalar_load *out);

// The part with a potential between two values of the coordinate: its mean, for which
// Q (x1 - x0) = V(x0) - V(x1), without loss of digits where the values are near each other.
typedef struct tn_scalar_mean {
    double Q, Q_1; // and dQ/dx1
} tn_scalar_mean;

// The products of tn_seen_row over an interval: at its ends, and the rate (z1 - z0) / h.
typedef struct tn_seen_span {
    double from[TN_SEEN], to[TN_SEEN], rate[TN_SEEN];
} tn_seen_span;

// Forces on these products, Q . (z1 - z0) = V(z0) - V(z1) - heat, and their derivatives.
typedef struct tn_seen_load {
    double Q[TN_SEEN];
    double Q_1[TN_SEEN][TN_SEEN]; // dQ/dz1
    double Q_v[TN_SEEN][TN_SEEN]; // dQ/dz'
    double energy, dissipated;    // at z1, and by z'; of elements that are `products`
} tn_seen_load;

// The load on the section of an element of a beam, in its own axes: the force along x, y and z and
// the moment about these, which the part behind the section exerts on the part before it, by the
// elastic law and by damping; and the strains, without damping.
typedef struct tn_section_load {
    double s[6];                   // force, moment
    double strain[6];              // shear along x and y, stretch; curvatures and twist by length
    double s_q[6][12], s_v[6][12]; // derivatives by motions of the bodies of the pair
    double strain_q[6][12];
} tn_section_load;

// The sizes of one unit [m], [kg], [s].
typedef struct tn_units {
    double length, mass, time;
} tn_units;

// A function of a scalar law's coordinate that passes zero where the law has a discontinuity.
typedef struct tn_force_switch {
    bool exists;        // with the numbers of this force
    bool contact;       // the force begins to act there
    double value, rate; // the rate is INFINITY where it is not known
} tn_force_switch;

// The ends of a tabulated law; both 0 where there is none.
typedef struct tn_force_range {
    double low, high;
    bool closed; // they must not be left
} tn_force_range;

// Deformation of a force element against the limits of its theory: the turn of its frames against
// each other as a rotation vector, and the strain.
typedef struct tn_reach {
    tn_vec3 turn; // [rad]
    double strain;
} tn_reach;

// Position of a force, for notes to the user: all in the units of the model.
typedef struct tn_force_view {
    tn_frame a, b; // attachment frames in the world
    double y;      // deflection of a scalar law from its free value
    double energy; // that is stored
    double size;   // of the mechanism
    tn_units units;
} tn_force_view;

typedef struct tn_force_ops {
    const char *name;
    const char *text;
    const char
        *glyph; // its symbol in pictures, "slide a; block b" (docs/formats/result.md); NULL: not
    const tn_param *params;
    int nparam;
    bool on_joint;       // takes its pair and its row from a joint coordinate
    bool single;         // acts on body B only, from outside; no body A
    bool is_motor;       // its first function is its force: inverse dynamics may take its place,
                         // and its law does not ask for the coordinate
    bool is_effort;      // its first function is its force or tension itself
    bool needs_rotation; // the bodies must have an orientation (not point masses)
    const tn_row *row;   // the coordinate of a scalar law on the force's own pair; NULL otherwise
    tn_scalar_law *law;  // of scalar laws: all that they write of their force; NULL otherwise
    // Returns true if it neither dissipates nor supplies energy; NULL where that is not known.
    bool (*conserves)(const tn_force_data *data);
    // The elastic part of a scalar law over an interval; NULL where it has none.
    tn_scalar_mean (*mean)(const tn_force_data *data, double x0, double x1);
    // The same for other elements with a potential; out comes zeroed. NULL for those without.
    void (*between)(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out);
    // Compiles functions and tables of data->def; range checks beyond the parameter table.
    tn_status (*prepare)(tn_force_data *data, const tn_model *model);
    // Scales the numbers of the copy in other units that tn_params tables do not list, where one of
    // the coordinate is c in the old ones: numbers whose unit depends on others, and tables. NULL
    // for nothing.
    tn_status (*scale)(tn_model *copy, tn_force_data *data, double c);
    // Switches of a scalar law: how many there may be, and number k at a deflection y from the free
    // value. NULL for none.
    int (*switches)(const tn_force_data *data);
    tn_force_switch (*switch_at)(const tn_force_data *data, int k, double y, double rate);
    tn_force_range (*range)(const tn_force_data *data); // of a tabulated law; NULL for none
    // Notes on where the force starts; NULL for none.
    void (*tell_start)(const tn_force_data *data, const tn_force_view *at, tn_notes *notes);
    // Deformation against which its theory is checked, and its limits; NULL for those that hold
    // anywhere.
    tn_reach (*reach)(const tn_force_data *data, const tn_force_view *at);
    double turn_limit; // [rad]
    double strain_limit;
    // Its law depends on the speed at which the coordinate has last fallen through zero; 0 where it
    // was below at the start.
    bool keeps_speed;
    bool creeps; // its surfaces are never at rest against each other
    // Wrench and tangent of a force that is no scalar law.
    void (*eval)(const tn_force_data *data, double t, double reference, const tn_pair *at,
                 tn_load *out);
    void (*tangent)(const tn_force_data *data, double t, double reference, const tn_pair *at,
                    tn_load_tangent *out);
    // Computes the load on the section of a beam, with its derivatives on request; NULL for others.
    void (*section)(const tn_force_data *data, const tn_pair *at, bool tangent,
                    tn_section_load *out);
    bool products; // in directors it is the function of products that `between` is of
    // Friction, which acts along all directions of slip of its joint (slip.h): takes them and the
    // pair; NULL for others.
    tn_status (*slips)(const tn_model *model, tn_force_data *data, const char *what);
    // Adds expressions and states of its own to the model, in which it is the next force; NULL.
    tn_status (*join)(tn_model *model, const tn_force_data *data, const char *what);
    // The table of a user-defined kind, else NULL: its parameters, in `own` of the definition, stay
    // in SI units.
    const struct tn_own_force *own;
    const char *note; // advice to a user of the kind; NULL for none
} tn_force_ops;

// A wrench that a program sets while a simulation runs, in the units of the model.
typedef struct tn_applied {
    tn_wrench own;    // components in inertial axes, or in those of the body
    tn_vec3 from_com; // the point, from the centre of mass in body axes
    bool follower;
} tn_applied;

// Directions of friction in a joint (slip.h).
enum { TN_SLIPS = 3 };

typedef struct tn_slip {
    int n;        // directions; 0 for forces that are no friction
    bool ball;    // turns about the three axes of frame A
    bool touches; // where a wheel touches a rail
    tn_row row[TN_SLIPS];
    double ratio[TN_SLIPS]; // of gears, else 1
    bool turns[TN_SLIPS];   // the speed is that of the friction radius
    int joint;              // of the model: whose reactions press the surfaces together
} tn_slip;

struct tn_force_data {
    const char *name;
    const tn_force_ops *ops;
    tn_force_def def; // def.name is `name`; functions are compiled into u
    tn_timefn *u[6];  // compiled functions, as the kind uses them
    double *table;    // copy of a tabulated law with its energy, as the kind lays it out
    tn_row row;       // coordinate of a scalar law
    bool has_row;
    tn_slip slip;              // of friction
    tn_joint_def *shapes;      // of contact, as its row needs them; else NULL
    double free;               // of a spring: free length or angle in force
    bool free_at_start;        // which is that of the start, where none is given
    bool by_products;          // of an element that is `products`: it is in directors
    bool sees_turn;            // of a frame-law: an expression of its own has turn.x, y or z
    const tn_applied *applied; // of a wrench that a program sets, else NULL
    double spread[2];          // of differences of an own force by positions and by velocities, by
                               //   the usual; 0: as usual
};

// Returns true if it has consistent inertia between its bodies, as some beam elements do.
static inline bool tn_force_spreads(const tn_force_data *data)
{
    return data->def.kind == TN_FORCE_BEAM_ELEMENT &&
           (data->def.beam.mass > 0.0 || tn_v3_norm(data->def.beam.inertia) > 0.0);
}

#define TN_KIND(NAME, name) extern const tn_force_ops tn_force_##name;
#include "tenon/force_kinds.inc"
#undef TN_KIND

// The wrench of a force, by its law or its own function, and its tangents. `reference` gives the
// turn of an angle (tn_row_value).
void tn_force_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                   tn_load *out);
void tn_force_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load_tangent *out);

static inline tn_force_range tn_force_range_of(const tn_force_data *data)
{
    return data->ops->range ? data->ops->range(data) : (tn_force_range){0};
}

void tn_force_data_clear(tn_force_data *data);
// The shapes of a contact with what they have made of themselves; NULL is fine.
void tn_force_shapes_destroy(tn_joint_def *shapes);

// The rotation vector of frame B against frame A.
tn_vec3 tn_turn_between(const tn_force_view *at);

// The wrench and the tangents of `between` at one point (force_seen.c).
void tn_seen_eval(const tn_force_data *data, const tn_pair *at, tn_load *out);
void tn_seen_tangent(const tn_force_data *data, const tn_pair *at, tn_load_tangent *out);

// `between` of a bushing, force_bushing_between.c.
void tn_bushing_between(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out);
