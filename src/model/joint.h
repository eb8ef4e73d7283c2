// SPDX-License-Identifier: MIT
//
// The registry of joints and couplings. A joint is one file with two sides:
//
//   constraint side: a table of rows (row.h) that vanish on the joint,
//   motion side:     placement X(q) of frame B in frame A and the subspace S of its free twists.
//
// Couplings have rows only. Most rows are one term on the joint's own pair of frames; gears, racks,
// screws and drives combine terms, so every constraint row of Tenon has the form
//
//   0 = sum_k coefficient_k row_k(pair_k) - constant - u(t)
//
// and one piece of code differentiates them all. Rolling joints have rows of velocities beside
// them, N v = 0 [Arn16, eq. 44g], each one term on its own pair of frames.

#pragma once

#include "row/row.h"
#include "row/touch.h"
#include "signal/timefn.h"
#include "tenon/model.h"
#include "text/param.h"

#define TN_JOINT_MAX_ROWS 6
#define TN_JOINT_MAX_COORDS 3

typedef struct tn_joint_ops tn_joint_ops;

typedef struct tn_joint_motion {
    tn_frame X;       // frame B in frame A
    tn_twist S[6];    // columns: twist of B against A at the origin of B, axes of frame B
    tn_twist Sdot[6]; // their rates, in axes of frame B (apparent derivative)
} tn_joint_motion;

// The step of a joint in recursions over a tree: a joint with one axis has steps of its own there.
typedef enum tn_joint_step {
    TN_STEP_MOTION, // by `motion`
    TN_STEP_TURN,   // it turns about z
    TN_STEP_SLIDE,  // it slides along z, in the plane along x
} tn_joint_step;

// A scalar coordinate that the joint measures, for drives, gears, springs, stops and read-out.
typedef struct tn_joint_coord {
    const char *name; // "angle", "displacement", "x" …
    const char *unit; // "rad" or "m"
    tn_row row;
} tn_joint_coord;

// A coordinate of a joint that a drive prescribes.
typedef struct tn_driven {
    tn_joint joint;
    int coordinate;
} tn_driven;

// One term of a constraint row.
typedef struct tn_term {
    tn_row row;
    int joint; // the joint whose pair of frames the row is taken on
    double coefficient;
} tn_term;

// A constraint row in its general form; constants that depend on the start configuration are set by
// the system when it is built.
typedef struct tn_constraint_row {
    int nterm;
    tn_term term[2];
    const tn_timefn *u;  // NULL for none; owned by the joint
    bool start_constant; // the constant is the value in the start configuration
    double constant;     // else
} tn_constraint_row;

enum { TN_LOOK_SHAPES = 8 };

// Events of a joint that are none of its coordinates, in the place of one: its load falls through
// zero; it hits, or parts, or begins to slip, or sticks, which the contact notes itself.
enum {
    TN_EVENT_OF_LOAD = -1,
    TN_EVENT_OF_HIT = -2,
    TN_EVENT_OF_PARTING = -3,
    TN_EVENT_OF_SLIP = -4,
    TN_EVENT_OF_STICK = -5
};

struct tn_joint_ops {
    const char *name; // "revolute"
    const char *text; // one line for help and the reference page
    const char
        *glyph; // its symbol in pictures, "slide a; block b" (docs/formats/result.md); NULL: not
    int dim;    // 2: rows for planar bodies only; 3: any bodies that suit the rows
    // The kind that replaces this joint or coupling when both bodies are planar (the ground counts
    // as planar); NULL for nothing. A joint of dim 3 that stays itself is refused there: some of
    // its rows hold already in the plane. Couplings that stay themselves are fine.
    const tn_joint_ops *planar;
    bool coupling; // rows only: no motion side, not an edge of the spanning tree
    // The side of its one row on which bodies may part where the joint is one-sided: 1 above zero,
    // -1 below. 0: it holds both ways always.
    signed char free_side;
    // The bodies may rub where they touch: one that is one-sided and has friction has rows of
    // velocities along the surface (TN_ROW_SLIP), or one by an expression.
    bool rubs;
    bool relative;      // acts between body_a/frame_a and body_b/frame_b (false: gear, rack, drive)
    int nq, nv;         // motion side: stored coordinates (quaternion: 4) and freedoms
    tn_joint_step step; // another way to say `motion`
    const tn_row *rows; // NULL when `row` makes them all from coordinates of other joints
    const char *const *row_names; // as many as rows; NULL: what the rows say (tn_row_name)
    int nrow;
    // An expression gives its row (formula_row.h): whether that counts as a length; else NULL.
    bool (*by_formula)(const tn_model *model, int joint);
    const tn_row *rolls; // rows of velocities (TN_ROW_ROLL, TN_ROW_SPIN), with their names
    const char *const *roll_names;
    int nroll;
    const tn_joint_coord *coords; // scalar coordinates, may be none
    int ncoord;
    const tn_param *params;
    int nparam;
    bool axis_is_x;    // `axis` of a model file is x of frame A, not z
    bool counts_turns; // `coordinates` gives the turn of its first angle, by another row
    // The length that rows of the form TN_ROW_DISTANCE keep; NULL or 0: the one of the start.
    double (*length)(const tn_joint_def *def);
    // The coordinate that follows the first function of the joint; NULL for none.
    tn_driven (*drives)(const tn_joint_def *def);
    // The motion of frame A, which belongs to no body, from the functions and their two derivatives
    // at one time: in the inertial frame, with the rate of its twist. NULL where A is on a body.
    void (*prescribe)(double u[6][3], tn_frame *A, tn_twist *V, tn_twist *V_dot);
    // Numbers of a copy in other units that the units of the table do not say; NULL for none.
    void (*scale)(const tn_model *copy, tn_joint_def *def);
    // Checks of the definition alone, beyond the table; NULL for none. `what` is "joint 'name'".
    tn_status (*check)(const tn_joint_def *def, const char *what);
    // Checks of references to other joints and bodies of the model, called when the joint is added,
    // before it is in the list; NULL for none.
    tn_status (*link)(const tn_model *model, const tn_joint_def *def, const char *what);
    // Row i of the table as a combination of terms; NULL when it is one term on the joint itself.
    tn_constraint_row (*row)(const tn_model *model, int joint, int i);
    // The rows of the table that apply to the bodies of this joint, a bit each; NULL for all.
    unsigned (*active)(const tn_model *model, int joint);
    // Number of its rows of velocities that apply, the first ones; NULL for all.
    int (*rolling)(const tn_joint_def *def);
    // Motion side at q, v (nq and nv numbers); NULL for couplings. X is a rotation by a quaternion,
    // or a chain of motions with one freedom each in the order of q: derivatives of S with respect
    // to q follow from that (tree_carries in tree/tree_parts.h).
    void (*motion)(const tn_joint_def *def, const double *q, const double *v, tn_joint_motion *out);
    // Coordinates q (nq numbers) of a placement X, where they are not those that the joint
    // measures; NULL where they are.
    void (*coordinates)(const tn_joint_def *def, tn_frame X, double *q);
    const tn_touch_ops *shapes; // that touch: its rows are of the form TN_ROW_TOUCH; NULL: none do
    // The torus about z of frame B that touches the plane of frame A: its radius and that of its
    // tube, for pictures. NULL where nothing touches.
    void (*touch)(const tn_joint_def *def, double *radius, double *tube);
    // Shapes of body B where it states none of its own; returns their number, up to TN_LOOK_SHAPES.
    // NULL for none.
    int (*look)(const tn_joint_def *def, tn_shape_def *out);
    // The table of a user-defined kind, else NULL: its parameters, in `own` of the definition, stay
    // in SI units.
    const struct tn_own_joint *own;
    const char *note; // advice to a user of the kind; NULL for none
};

// Joints are many, and most kinds have few parameters: a model keeps no more of their definitions
// than its kind needs, and functions only where there are some.
typedef struct tn_joint_data {
    const char *name;
    const tn_joint_ops *ops; // after planar replacement
    tn_joint_def *def;       // def->name is `name`; functions are compiled into u
    tn_timefn **u; // TN_JOINT_FUNCTIONS, as the kind uses them; tn_joint_no_functions for none
    char *text;    // of an expression of velocities, which `def` shows; NULL for none
} tn_joint_data;

enum { TN_JOINT_FUNCTIONS = 6 };
extern tn_timefn *tn_joint_no_functions[TN_JOINT_FUNCTIONS]; // all NULL, for ever

// Bytes in which a joint keeps its definition and its functions, a multiple of 8.
size_t tn_joint_kept_bytes(const tn_joint_data *joint);
// Copies both into so many bytes, which the joint then points to.
void tn_joint_keep(tn_joint_data *joint, void *bytes);

#define TN_KIND(NAME, name) extern const tn_joint_ops tn_joint_##name;
#include "tenon/joint_kinds.inc"
#undef TN_KIND

// The tables kind_rows and kind_coords as fields of tn_joint_ops; most coordinates are those of the
// motion side, too.
#define TN_ROWS(kind) .rows = kind##_rows, .nrow = TN_COUNT(kind##_rows)
#define TN_ROLLS(kind) \
    .rolls = kind##_rolls, .roll_names = kind##_roll_names, .nroll = TN_COUNT(kind##_rolls)
#define TN_COORDS(kind) .coords = kind##_coords, .ncoord = TN_COUNT(kind##_coords)
#define TN_FREEDOMS(kind) \
    TN_COORDS(kind), .nq = TN_COUNT(kind##_coords), .nv = TN_COUNT(kind##_coords)

// x and y in the plane of frame A.
extern const tn_joint_coord tn_plane_coords[2];
#define TN_PLANE_COORDS .coords = tn_plane_coords, .ncoord = TN_COUNT(tn_plane_coords)

// Coordinates q (nq numbers) of a placement X of a joint with a motion side; angles in (-pi, pi],
// except that of a screw, whose displacement gives the turns.
void tn_joint_locate(const tn_joint_ops *ops, const tn_joint_def *def, tn_frame X, double *q);

// The rows of a fixed joint: x, y, z, then the turns about z, y and x.
#define TN_FIXED_ROWS 6
extern const tn_row tn_fixed_rows[TN_FIXED_ROWS];

// For `link`: fails unless coordinate number `coordinate` of the joint that `key` refers to exists.
// With a unit ("rad", "m", NULL for any) the coordinate must have that unit.
tn_status tn_joint_coord_check(const tn_model *model, tn_joint joint, int coordinate,
                               const char *unit, const char *what, const char *key);
// For `row`: row i of the table, one term on the joint itself.
tn_constraint_row tn_constraint_of_table(const tn_model *model, int joint, int i);
// For `row`: the term coefficient times a coordinate of a joint.
tn_term tn_joint_coord_term(const tn_model *model, tn_joint joint, int coordinate,
                            double coefficient);

// Number of rows, those of velocities last, and row i of joint number `joint` of the model.
int tn_constraint_count(const tn_model *model, int joint);
tn_constraint_row tn_constraint_get(const tn_model *model, int joint, int i);
const char *tn_constraint_row_name(const tn_model *model, int joint, int i);
// Rows of velocities: how many, and the first one; NULL where an expression gives it.
int tn_joint_roll_count(const tn_model *model, int joint);
const tn_row *tn_joint_rolls(const tn_model *model, int joint);
// Returns true if the bodies of the joint rub on each other where they touch.
static inline bool tn_joint_rubs(const tn_joint_data *joint)
{
    return joint->def->friction > 0.0;
}
// Returns true if the joint drives a coordinate of another one.
bool tn_joint_drives(const tn_joint_data *data, tn_driven *out);
// True if it prescribes a coordinate or a frame as a function of time.
static inline bool tn_joint_is_drive(const tn_joint_ops *ops)
{
    return ops->drives || ops->prescribe;
}
