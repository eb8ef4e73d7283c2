// SPDX-License-Identifier: MIT
//
// The model: the parts of a mechanism. Bodies, joints, couplings and forces are added to a model
// one by one, each from a definition struct that a tn_default_… function fills; adding returns a
// small id. A model only grows, so ids never dangle, and it is constant once a simulation runs: one
// thread builds it, and any thread may read it then.
//
// Builders are sticky: a faulty definition returns an invalid id (index -1) and the model stores
// the first error; tn_model_status and tn_sim_create report it.
//
// SI units and radians everywhere. Joint frames are right-handed; the axis of a joint is its z axis
// in space. In the plane (x, y) the axis is z for turning and x for sliding.

#pragma once

#include "tenon/base.h"
#include "tenon/spatial.h"

#include <stdbool.h>

// A mechanism under construction, then a constant one; tn_model_destroy it.
typedef struct tn_model tn_model;

// The id of a body.
typedef struct tn_body {
    int index; // 0 is the ground, -1 is invalid
} tn_body;

// The id of a joint or a coupling.
typedef struct tn_joint {
    int index; // joints and couplings share one list; -1 is invalid
} tn_joint;

// The id of a force element.
typedef struct tn_force {
    int index; // -1 is invalid
} tn_force;

// An input of a model.
typedef struct tn_input {
    int index; // -1 is invalid
} tn_input;

// The inertial frame, which is body 0 of every model.
#define TN_GROUND (TN_VALUE(tn_body){0})

// The curve through the points of a table.
typedef enum tn_interpolation {
    TN_TABLE_DEFAULT,  // a spline for drives, monotone for forces and springs
    TN_TABLE_LINEAR,   // straight from point to point
    TN_TABLE_MONOTONE, // cubics with a continuous slope that never leave the range of neighbours
    TN_TABLE_SPLINE,   // the cubic spline, with a continuous second derivative
} tn_interpolation;

// The values of a table beyond its ends.
typedef enum tn_beyond {
    TN_BEYOND_DEFAULT,  // linear for drives and springs, hold for forces
    TN_BEYOND_HOLD,     // the value of the end; smooth curves arrive there with slope zero
    TN_BEYOND_LINEAR,   // straight on with the slope of the end
    TN_BEYOND_PERIODIC, // it begins again; smooth curves close where both ends have one value
    TN_BEYOND_ERROR,    // a run that goes there is refused; a spring that does ends it
} tn_beyond;

// A function of time, u(t): a constant, an expression in t, a table, or a kind of its own. Exactly
// one of them is used: the kind when it is not 0, else the expression when it is not NULL, else the
// table when n > 0, else the constant.
typedef struct tn_function {
    double constant;
    const char *expression; // for example "0.1*sin(10*t)"; derivatives are taken exactly
    int n;                  // points of the table, at increasing times
    int kind;               // of tn_add_function_kind (tenon/extend.h)
    const double *t;        // [s]
    const double *u;
    tn_interpolation interpolation;
    tn_beyond beyond;
    const void *params; // of that kind: its struct, copied when the function is used
} tn_function;

// The parameters of a user-defined kind (tenon/extend.h) in a definition: its struct is copied
// into `at`. The library sets `table` and, in copies of a model, `unit`; leave them zero.
typedef struct tn_own_values {
    double at[32];
    double unit[3];
    const void *table;
} tn_own_values;

TN_API tn_model *tn_model_create(void); // with nothing but the ground; NULL when memory is short
TN_API void tn_model_destroy(tn_model *model);           // NULL is fine
TN_API tn_status tn_model_status(const tn_model *model); // first error, its text in tn_last_error
TN_API void tn_model_set_gravity(tn_model *model, tn_vec3 gravity); // [m/s^2], zero by default
// A named constant that expressions of time functions added later may use.
TN_API tn_status tn_model_set_parameter(tn_model *model, const char *name, double value);

// Tables ------------------------------------------------------------------------------------------

// A table of one or two arguments, which expressions added later use as a function by its name:
// torque(speed), thrust(speed, angle).
typedef struct tn_table_def {
    const char *name; // a letter followed by letters, digits or '_'
    int nx, ny;       // numbers of arguments, at least 2; ny is 0 for a table of one argument
    const double *x;  // nx, increasing
    const double *y;  // ny, increasing
    // nx, or nx rows of ny, one row for each x.
    const double *values;
    tn_interpolation interpolation; // by default monotone with one argument, a spline with two
    tn_beyond beyond;               // by default hold; not periodic
} tn_table_def;

// Copies the definition and its numbers.
TN_API tn_status tn_model_add_table(tn_model *model, const tn_table_def *def);

// Inputs ------------------------------------------------------------------------------------------

// A number that a program sets while a simulation runs (tn_sim_set_input), and that expressions of
// functions added later use by its name: the effort of a motor, the target of a drive.
typedef enum tn_input_kind {
    TN_INPUT_HELD,   // stays as it was set until it is set again; not for drives, as it jumps
    TN_INPUT_MOTION, // is set with its first and second derivative, and goes on with these
    TN_INPUT_FILTER, // y, which follows the set value x: y'' = w^2 (x - y) - 2 damping w y'
    TN_INPUT_KIND_COUNT
} tn_input_kind;

// The definition of an input.
typedef struct tn_input_def {
    const char *name; // a letter followed by letters, digits or '_'
    tn_input_kind kind;
    double value;        // until it is set
    double rate;         // motion: first derivative at the start; filter: y' [1/s]
    double acceleration; // motion: second derivative at the start [1/s^2]
    double frequency;    // filter: w, undamped [rad/s]
    double damping;      // filter: as a part of the critical one, 1 by default
} tn_input_def;

TN_API tn_input_def tn_default_input(void); // held, of value zero
// Copies the definition; an invalid id and an error of the model where it is refused.
TN_API tn_input tn_model_add_input(tn_model *model, const tn_input_def *def);

// Signals and states ------------------------------------------------------------------------------

// Expressions of these, and of numbers of force elements (tn_model_set_force_expression), may use
// t, parameters, inputs, signals, states, unknowns, sampled values ("servo.u"), and all numbers of
// results about joints, bodies and force elements by the names that results use
// ("rail.displacement", "rail.displacement.rate", "pin.force.x"; docs/guide/signals.md). Their
// order does not matter: they are looked up when the model is complete, by tn_model_check or by the
// first simulation.

// A named expression.
TN_API tn_status tn_model_add_signal(tn_model *model, const char *name, const char *expression);

// A continuous state c with c' = rate, [Arn16, eq. 44c].
typedef struct tn_state_def {
    const char *name; // a letter followed by letters, digits or '_'
    const char *rate; // expression [1/s]
    double initial;
    double lower, upper; // it stays between them: its rate does not lead further out
} tn_state_def;

TN_API tn_state_def tn_default_state(void); // without limits, from zero
// Adds a state; name and expression are copied.
TN_API tn_status tn_model_add_state(tn_model *model, const tn_state_def *def);

// An algebraic unknown w with 0 = equation, [Arn16, eq. 44d], solved together with the motion.
typedef struct tn_unknown_def {
    const char *name;
    const char *equation; // expression that is zero
    double start;         // first value of its solution at the start
} tn_unknown_def;

// Adds an unknown with its equation; name and expression are copied.
TN_API tn_status tn_model_add_unknown(tn_model *model, const tn_unknown_def *def);

// A value of a sampled system.
typedef struct tn_sampled_value {
    const char *name;
    double initial;
    const char *next; // expression of its next value; sees the old values of all
} tn_sampled_value;

// A sampled system r_{j+1} = a(r_j, …), [Arn16, eq. 41]: at the start and then every `every`
// seconds its values are computed anew. Its own expressions see the last ones; all others see them
// `delay` seconds later, as "name.value".
typedef struct tn_sampled_def {
    const char *name;
    double every, delay; // [s]
    int n;
    const tn_sampled_value *value; // n
} tn_sampled_def;

// Adds a sampled system; names and expressions are copied.
TN_API tn_status tn_model_add_sampled(tn_model *model, const tn_sampled_def *def);

// A part of a controller that is made of these: TN_BLOCK_PID …, a line of tenon/block_kinds.inc
// each.
typedef enum tn_block_kind {
#define TN_KIND(NAME, name) TN_BLOCK_##NAME,
#include "tenon/block_kinds.inc"
#undef TN_KIND
    TN_BLOCK_KIND_COUNT
} tn_block_kind;

// A block as it is added to a model. Its output is a signal of its name.
typedef struct tn_block_def {
    const char *name;
    tn_block_kind kind;
    const char *input; // expression
    union {
        struct {
            double kp, ki, kd;
            double tau;          // lag of the derivative [s]
            double lower, upper; // of the output, infinite for none
            double windup;       // time in which the integral follows them [s]
            double every, delay; // of a sampled one [s]; every is 0 for a continuous one
        } pid;
        struct {
            double tau;     // [s]
            double damping; // of one of second order; 0 for first order
            double initial;
        } lowpass;
        struct {
            int nnumerator;
            const double *numerator; // from the highest power on
            int ndenominator;
            const double *denominator;
        } transfer_function;
        struct {
            double time, every; // [s]
            double initial;
        } delay;
        struct {
            double on, off;             // thresholds
            double value_on, value_off; // output
            int initial;                // within the band at the start: 0 off, 1 on
        } hysteresis;
    };
} tn_block_def;

TN_API tn_block_def tn_default_block(tn_block_kind kind); // state its input and numbers
// Adds a block: the signals, states and sampled systems that it is made of.
TN_API tn_status tn_model_add_block(tn_model *model, const tn_block_def *def);

// Bodies ------------------------------------------------------------------------------------------

// The kind of a body: TN_BODY_RIGID, TN_BODY_PLANAR …, a line of tenon/body_kinds.inc each.
typedef enum tn_body_kind {
#define TN_KIND(NAME, name) TN_BODY_##NAME,
#include "tenon/body_kinds.inc"
#undef TN_KIND
    TN_BODY_KIND_COUNT
} tn_body_kind;

// A body as it is added to a model.
// Angles in results of a rigid body: R = R_a(first) R_b(second) R_c(third), about axes that
// turn with the body.
typedef enum tn_angles {
    TN_ANGLES_NONE,
    TN_ANGLES_ZXZ, // precession, nutation, spin
    TN_ANGLES_ZYX, // yaw, pitch, roll
    TN_ANGLES_XYZ,
    TN_ANGLES_XZY,
    TN_ANGLES_YXZ,
    TN_ANGLES_YZX,
    TN_ANGLES_ZXY,
    TN_ANGLES_XYX,
    TN_ANGLES_XZX,
    TN_ANGLES_YXY,
    TN_ANGLES_YZY,
    TN_ANGLES_ZYZ,
    TN_ANGLES_COUNT
} tn_angles;

// A body as it starts; by tn_default_body, then changed.
typedef struct tn_body_def {
    const char *name;
    tn_body_kind kind;
    double mass;          // [kg], zero for a massless body
    tn_vec3 com;          // centre of mass in the body frame [m]
    tn_vec3 inertia;      // Ixx, Iyy, Izz about the centre of mass, in inertia axes [kg m^2]
    tn_vec3 products;     // the entries Ixy, Ixz, Iyz of the inertia matrix [kg m^2]
    bool keep_inertia;    // also where no body can have it
    tn_mat3 inertia_axes; // axes of the inertia in the body frame, as columns; identity by default
    tn_angles angles;     // that results contain for a rigid body beside its quaternion
    bool quaternion_rate; // results contain the time derivative of its quaternion
    tn_frame frame;       // start of the body frame, in the inertial frame [m]
    tn_vec3 velocity;     // of the origin of the body frame, inertial axes [m/s]
    tn_vec3 rate;         // angular velocity, body axes [rad/s]
    bool given_position, given_rotation, given_velocity, given_rate; // stated, not defaults
    bool fixed_start; // the initialisation must not move the position and velocity given here
    bool of_shapes;   // mass, com and inertia came from shapes, for the report of `check`
} tn_body_def;

// A rigid body of 1 kg with the moments (1, 1, 1) kg m^2, at rest at the origin: state your own.
// Point masses ignore the inertia, planar bodies use its z component only.
TN_API tn_body_def tn_default_body(void);
TN_API tn_body tn_model_add_body(tn_model *model, const tn_body_def *def);

// Joints and couplings ----------------------------------------------------------------------------

// The freedoms that a joint leaves, or the motions that a coupling ties together: TN_JOINT_FIXED,
// TN_JOINT_REVOLUTE …, a line of tenon/joint_kinds.inc each.
typedef enum tn_joint_kind {
#define TN_KIND(NAME, name) TN_JOINT_##NAME,
#include "tenon/joint_kinds.inc"
#undef TN_KIND
    TN_JOINT_KIND_COUNT, // user-defined kinds follow (tenon/extend.h)
    TN_JOINT_KIND_MOST = 1023
} tn_joint_kind;

// A plane curve of a body that touches another one: through points, or by expressions of s.
typedef struct tn_profile_def {
    int npoint;              // 0: by expressions
    const double *x, *y;     // [m]
    const char *x_of, *y_of; // expressions of s [m]
    double from, to;         // values of s at their ends
    bool open;               // of points: the curve has ends
    bool other_side;         // the body is outside of a closed curve, or left of an open one
} tn_profile_def;

// A curve c(s) or a surface c(u, v) of a body, by expressions.
typedef struct tn_locus_def {
    const char *x, *y, *z; // [m]
    double from[2], to[2]; // ends of s, or of u and v
    bool other_side;       // of the normal, on which the other body is
} tn_locus_def;

// A simple solid of a body: its kind, a plane, a sphere or a capsule, with radius and length [m].
typedef struct tn_solid_def {
    int kind; // 0, 1, 2
    double radius, length;
} tn_solid_def;

// Solids of two bodies, of which one may be within the other.
typedef struct tn_solid_pair {
    tn_solid_def a, b;
    bool hollow; // B is within A
} tn_solid_pair;

// The part that a cam moves.
typedef enum tn_follower { TN_FOLLOWER_FLAT, TN_FOLLOWER_ROLLER, TN_FOLLOWER_PROFILE } tn_follower;

// The action of a run at a contact that would have to pull.
typedef enum tn_lift_off { TN_LIFT_OFF_END, TN_LIFT_OFF_TELL, TN_LIFT_OFF_IGNORE } tn_lift_off;

// Shapes of two bodies that stay in touch.
typedef struct tn_contact_def {
    tn_profile_def a, b;
    tn_locus_def on, by; // of A and of B
    tn_solid_pair solids;
    int follower;           // of a cam: tn_follower
    double radius;          // of a roller [m]
    int lift_off;           // tn_lift_off
    struct tn_touch *touch; // made by the model itself
} tn_contact_def;

// Expressions that give the rows of a joint.
typedef struct tn_formula_def {
    const char *row;  // it stays zero, of positions or of velocities
    const char *slip; // of velocities, along which friction acts; NULL for none
} tn_formula_def;

// A joint or a coupling as it is added to a model.
typedef struct tn_joint_def {
    const char *name;
    tn_joint_kind kind;
    tn_body body_a; // TN_GROUND by default
    tn_body body_b;
    tn_frame frame_a; // joint frame in the frame of body A [m], identity by default
    tn_frame frame_b; // joint frame in the frame of body B [m], identity by default
    // Stated start values of the joint coordinates (angle [rad], displacement [m]) and their rates,
    // in the order of the joint's coordinates; the initialisation satisfies them. With `guess` the
    // positions choose between the ways to assemble the mechanism, and need not hold.
    int nposition, nrate;
    double position[3], rate[3];
    bool guess;
    bool impulse; // drives: a jump of the driven velocity is an impulse, not an error
    // Stiffness beside other joints from body A to body B that state it, by which they share loads
    // that the equations do not determine; 0: not stated.
    double share;
    // Couplings whose row is a gap: the bodies may part there, and meet again with this coefficient
    // of restitution, from 0 to 1, and rub there with this coefficient of friction.
    bool one_sided;
    double restitution, friction;
    bool impact_without_collision; // where rigid bodies that slip have no motion, they are stopped
    union {
        struct {
            double pitch; // advance per angle [m/rad]
        } screw;
        struct {
            double length; // [m]; 0 takes the distance in the start configuration
        } distance;
        struct {
            tn_joint joint_1, joint_2; // joints with a scalar coordinate
            int coordinate_1, coordinate_2;
            double ratio_1, ratio_2; // ratio_1 c_1 + ratio_2 c_2 stays at its start value,
            bool offset_given;       // or at this
            double offset;           // in the unit of c_1
        } gear;
        struct {
            tn_joint rack, pinion; // a sliding and a turning joint
            int rack_coordinate, pinion_coordinate;
            double radius; // displacement per angle [m/rad], sign included
        } rack_pinion;
        struct {
            tn_joint joint;
            int coordinate;
            tn_function motion; // [rad] or [m]
        } drive;
        struct {
            tn_function x, y, z;          // of frame B in the inertial frame [m]
            tn_function roll, pitch, yaw; // R = Rz(yaw) Ry(pitch) Rx(roll) [rad]
        } pose;
        struct {
            double radius; // of a disc or a ball [m]; of a torus to the middle of its tube
            double tube;   // radius of the tube of a torus [m], 0 for a disc
            bool spin;     // of a ball: may it turn about the normal of the plane
        } rolling;
        tn_formula_def formula;
        tn_contact_def contact; // of kinds that touch
        tn_own_values own;      // parameters of a user-defined kind
    };
} tn_joint_def;

// A joint from the ground to no body yet, both frames the identity: state body_b at least. For a
// coupling state the joints.
TN_API tn_joint_def tn_default_joint(tn_joint_kind kind);
// Adds a joint or a coupling to the model; names are copied.
TN_API tn_joint tn_model_add_joint(tn_model *model, const tn_joint_def *def);

// Forces ------------------------------------------------------------------------------------------

// The kind of a force element: TN_FORCE_POINT, TN_FORCE_SPRING …, a line of tenon/force_kinds.inc
// each.
typedef enum tn_force_kind {
#define TN_KIND(NAME, name) TN_FORCE_##NAME,
#include "tenon/force_kinds.inc"
#undef TN_KIND
    TN_FORCE_KIND_COUNT, // user-defined kinds follow (tenon/extend.h)
    TN_FORCE_KIND_MOST = 1023
} tn_force_kind;

// Friction in a joint, between two surfaces that are pressed together by a normal load.
typedef struct tn_friction {
    double coulomb;   // coefficient of sliding friction
    double stiction;  // coefficient at rest; 0 takes that of sliding
    double stribeck;  // speed at which friction falls from the one to the other [m/s]
    double viscous;   // force per speed of slip [N s/m]
    double radius;    // of turning joints: where the surfaces slip; of gears: the pitch circle [m]
    double length;    // of a bearing or guide that torques press by their ends, 0: they do not [m]
    double load;      // normal load [N]
    bool load_given;  // otherwise it is that of the reactions
    double speed;     // of the regularised law, at which it holds 0.7 of its force [m/s]
    double stiffness; // of the bristles of LuGre's law, relative to the load [1/m]
    double damping;   // the same [s/m]
    double bristle;   // their deflection at the start [m]
    bool bristle_given; // otherwise the one that carries the load at rest
    double carried[3];  // loads of the bristles relative to the load: found by the model itself
} tn_friction;

// The law of forces of creep.
typedef enum tn_creep_law { TN_CREEP_STATED, TN_CREEP_KALKER, TN_CREEP_POLACH } tn_creep_law;

// Forces of a rail on a wheel where they touch: along the rail, across it, and about the normal.
typedef struct tn_creep {
    double x, y;                     // [N]
    double spin;                     // [N m]
    bool given[3];                   // stated, so that the law does not give them
    int law;                         // tn_creep_law; its numbers follow
    double friction;                 // coefficient
    double speed;                    // of rolling [m/s]
    double shear;                    // modulus [N/m^2]
    double poisson;                  // Poisson's ratio
    double curvature_x, curvature_y; // sums of those of wheel and rail [1/m], for the ellipse
    double axis_x, axis_y;           // or its semi-axes [m]
    double C11, C22, C23, C33;       // Kalker's coefficients
} tn_creep;

// A force element as it is added to a model.
typedef struct tn_force_def {
    const char *name;
    tn_force_kind kind;
    tn_body body_a, body_b;    // forces act on B and back on A
    tn_frame frame_a, frame_b; // attachment frames in the body frames [m]
    tn_joint joint;            // for forces on a joint coordinate
    int coordinate;
    union {
        struct {
            tn_function force[3];  // at the origin of frame B [N]
            tn_function torque[3]; // [N m]
            bool follower;         // components in frame B instead of the inertial frame
        } point;
        struct {
            double stiffness; // [N/m] or [N m/rad]
            double damping;   // [N s/m] or [N m s/rad]
            double cubic;     // [N/m^3] or [N m/rad^3]
            double free;      // free length [m] or free angle [rad]
            bool free_given;  // otherwise the value in the start configuration
            double preload;   // constant tension or torque added [N] or [N m]
            int ntable;       // optional nonlinear law: points of force over deflection
            const double *table_x, *table_f;
            tn_interpolation interpolation; // of the table
            tn_beyond beyond;
        } spring; // also torsion springs and springs on joint coordinates
        struct {
            tn_vec3 stiffness, rotational_stiffness; // along and about the axes of frame A
            tn_vec3 damping, rotational_damping;
        } bushing;
        struct {
            double length;                // along the element [m]
            tn_vec3 stiffness;            // GA1, GA2, EA [N]
            tn_vec3 rotational_stiffness; // EI1, EI2, GJ [N m^2]
            double damping;               // forces by rates of strain: stiffness times this [s]
            tn_vec3 stretch, turn;        // logarithm of frame B seen from A without strain
            // Consistent instead of lumped inertia: mass [kg] and moments of inertia [kg m^2] of
            // the element, of which each end has one half as its own; zero: lumped.
            double mass;
            tn_vec3 inertia;
        } beam;
        struct {
            double lower, upper; // [rad] or [m], infinite for none
            double stiffness;    // [N/m^e] or [N m/rad^e]
            double damping;      // relative to the elastic force [s/m] or [s/rad]; never pulls
            double exponent;     // e >= 1 of stiffness p^e (1 + damping p'), p the penetration
        } stop;
        struct {
            tn_solid_pair solids;
            int law;
            double stiffness;            // K of K d^exponent, d the depth [N/m^e]; 0: by moduli
            double exponent;             // e
            double restitution;          // 0 to 1
            double young_a, young_b;     // moduli of elasticity [N/m^2]
            double poisson_a, poisson_b; // Poisson's ratios
            double damping;              // relative to the speed of first touch; made by the model
        } contact;
        struct {
            tn_function effort; // [N] or [N m]
        } motor;
        struct {
            tn_function law; // tension [N], or force or torque on a coordinate [N] or [N m]
        } law;               // also of a joint coordinate
        struct {
            tn_function force[3], torque[3]; // on B at the origin of frame B, in axes of frame A
        } frame_law;
        tn_friction friction;
        tn_creep creep;
        tn_own_values own; // parameters of a user-defined kind
    };
} tn_force_def;

// A force element that does nothing yet: state where it acts and its numbers.
TN_API tn_force_def tn_default_force(tn_force_kind kind);
// Adds a force element to the model; names, expressions and tables are copied.
TN_API tn_force tn_model_add_force(tn_model *model, const tn_force_def *def);
// Makes a number of a force element, by its key in model files ("stiffness"), an expression. Its
// functions (the effort of a motor) take expressions in their definition.
TN_API tn_status tn_model_set_force_expression(tn_model *model, tn_force force, const char *key,
                                               const char *expression);

// The mass and the inertia of a body.
typedef struct tn_mass {
    double mass;     // [kg]
    tn_vec3 com;     // centre of mass [m]
    tn_mat3 inertia; // about the centre of mass [kg m^2]
} tn_mass;

// Shapes ------------------------------------------------------------------------------------------

// The shape of a body in pictures, TN_SHAPE_BOX, TN_SHAPE_CYLINDER …, a line of
// tenon/shape_kinds.inc each; the motion does not depend on it.
typedef enum tn_shape_kind {
#define TN_KIND(NAME, name) TN_SHAPE_##NAME,
#include "tenon/shape_kinds.inc"
#undef TN_KIND
    TN_SHAPE_KIND_COUNT
} tn_shape_kind;

// A shape as it is added to a model.
typedef struct tn_shape_def {
    tn_body body; // TN_GROUND by default
    tn_shape_kind kind;
    tn_frame frame;   // in the frame of the body [m], identity by default
    tn_vec3 size;     // box: edge lengths [m]
    double radius;    // cylinder, sphere, capsule, cone [m]
    double length;    // cylinder, capsule (without its ends), cone [m]
    const char *path; // mesh: the file, beside the model file when relative; read by reports only
    double scale;     // mesh: metres per unit of the file, 1 by default
    int color;        // 0xRRGGBB, -1 for automatic
} tn_shape_def;

// A shape at the origin of the ground, of automatic colour: state its sizes.
TN_API tn_shape_def tn_default_shape(tn_shape_kind kind);
TN_API tn_status tn_model_add_shape(tn_model *model, const tn_shape_def *def); // copies the path

// Events ------------------------------------------------------------------------------------------

// The sign changes of its value that an event counts.
typedef enum tn_event_direction {
    TN_EVENT_BOTH,
    TN_EVENT_RISING,
    TN_EVENT_FALLING
} tn_event_direction;

// A joint coordinate, or a coordinate of the origin of a body, passes a value: the time is found to
// the accuracy of the motion and listed, and the run may end there.
typedef struct tn_event_def {
    const char *name;
    tn_joint joint; // this,
    int coordinate;
    tn_body body;   // or that; the other has the index -1
    int axis;       // 0, 1, 2: x, y, z in inertial axes
    tn_force force; // of neither: friction whose surfaces slip, an event of the model itself
    double value;   // [m] or [rad]; of friction [m/s]
    int direction;  // tn_event_direction
    bool stop;      // ends the run
} tn_event_def;

// An event of nothing yet: state a joint or a body.
TN_API tn_event_def tn_default_event(void);
// Adds an event to the model; the name is copied.
TN_API tn_status tn_model_add_event(tn_model *model, const tn_event_def *def);

// Outputs -----------------------------------------------------------------------------------------

// The quantity of a point that an output reports.
typedef enum tn_output_quantity {
    TN_OUTPUT_POSITION,
    TN_OUTPUT_VELOCITY,
    TN_OUTPUT_ACCELERATION,
    TN_OUTPUT_DISTANCE
} tn_output_quantity;

// A number that is recorded beside the usual ones, as a channel of that name: the motion of a point
// of a body as one sees it who moves and turns with another one, or an expression.
typedef struct tn_output_def {
    const char *name;
    tn_body of;        // the body of the point; index -1 for an expression
    tn_vec3 point;     // in the frame of that body [m]
    int quantity;      // tn_output_quantity
    int axis;          // 0, 1, 2: x, y, z; of no account for a distance
    tn_body in;        // seen from this body, in the axes of its frame
    tn_vec3 from;      // origin of positions and distances, in the frame of `in` [m]
    const char *value; // instead: an expression of t, parameters, inputs and names of channels
    const char *unit;  // of that expression, NULL for none
} tn_output_def;

// A position in the inertial frame of nothing yet: state the body of a point, or an expression.
TN_API tn_output_def tn_default_output(void);
// Adds an output to the model, behind all that an expression names; texts are copied.
TN_API tn_status tn_model_add_output(tn_model *model, const tn_output_def *def);

// Queries -----------------------------------------------------------------------------------------

// Checks that all names in expressions are known and none depends on itself; a simulation checks
// the same.
TN_API tn_status tn_model_check(const tn_model *model);
// Sentences that are no errors but worth reading, of the definitions so far.
TN_API int tn_model_note_count(const tn_model *model);
TN_API const char *tn_model_note(const tn_model *model, int i);
TN_API int tn_model_event_count(const tn_model *model);
TN_API const char *tn_model_event_name(const tn_model *model, int event);
TN_API int tn_model_output_count(const tn_model *model);
TN_API const char *tn_model_output_name(const tn_model *model, int output);

TN_API int tn_model_body_count(const tn_model *model);  // with the ground
TN_API int tn_model_joint_count(const tn_model *model); // with couplings
TN_API int tn_model_force_count(const tn_model *model); // force elements
TN_API int tn_model_input_count(const tn_model *model); // inputs
TN_API int tn_model_shape_count(const tn_model *model); // shapes of all bodies and of the ground
// The names that were given to elements; they live as long as the model.
TN_API const char *tn_model_body_name(const tn_model *model, tn_body body);
// The mass of a body in its frame, stated or from its shapes; zero where there is no such body.
TN_API tn_mass tn_model_body_mass(const tn_model *model, tn_body body);
// True if a file stated it by shapes and density.
TN_API bool tn_model_body_mass_is_of_shapes(const tn_model *model, tn_body body);
TN_API const char *tn_model_joint_name(const tn_model *model, tn_joint joint);
TN_API const char *tn_model_force_name(const tn_model *model, tn_force force);
TN_API const char *tn_model_input_name(const tn_model *model, tn_input input);
TN_API const char *tn_model_joint_kind_name(const tn_model *model, tn_joint joint); // "revolute"
TN_API int tn_model_joint_row_count(const tn_model *model, tn_joint joint); // constraint rows
TN_API const char *tn_model_joint_row_name(const tn_model *model, tn_joint joint, int row); // "x"
TN_API int tn_model_joint_coordinate_count(const tn_model *model, tn_joint joint); // at most 3
TN_API tn_body tn_model_find_body(const tn_model *model, const char *name); // index -1 when unknown
TN_API tn_joint tn_model_find_joint(const tn_model *model, const char *name); // the same
TN_API tn_force tn_model_find_force(const tn_model *model, const char *name); // the same
TN_API tn_input tn_model_find_input(const tn_model *model, const char *name); // the same
