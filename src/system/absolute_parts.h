// SPDX-License-Identifier: MIT
//
// The compiled model in absolute coordinates: private to the absolute*.c files.

#pragma once

#include "joint/formula_row.h"
#include "model/vocabulary.h"
#include "system/absolute.h"

// Location of a block of two bodies, or of a joint and a body. The coordinates of a rigid body in
// R^3 x SO(3) are two blocks, moving and turning, as many couplings touch the turning part only;
// those of other bodies are one. Parts that are not declared have offset -1 and are skipped.
typedef struct abs_slots {
    tn_slot part[2][2];
} abs_slots;

static inline void abs_add(tn_sparse *A, const abs_slots *at, double scale, const double *block)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (at->part[i][j].offset >= 0)
                tn_sparse_add(A, at->part[i][j], scale, block + 18 * i + 3 * j, 6);
}

// The parts of two bodies that the rows and forces of a pair couple.
typedef enum abs_reach { ABS_NOTHING, ABS_TURNING, ABS_ALL } abs_reach;

// The block numbers of a body's coordinates, or that of the rows of a joint.
typedef struct abs_blocks {
    int first, count; // at most 2, of which the last turns
} abs_blocks;

// Blocks of a matrix, in a list that grows.
typedef struct abs_pattern {
    tn_pair_index *at;
    int count, room;
    bool full; // there is no memory for more
} abs_pattern;

// The numbers from `first` to n - 1 whose flag is set; how many.
static inline int tn_list_flags(int first, int n, const bool *flag, int *list)
{
    int count = 0;
    for (int k = first; k < n; k++)
        if (flag[k])
            list[count++] = k;
    return count;
}

void tn_pattern_add(abs_pattern *list, int row, int column);
// The matrix of the blocks in the list, which is empty then.
tn_status tn_pattern_create(abs_pattern *list, int nrow, const int *rows, int ncol,
                            const int *columns, tn_sparse **out);
// Declares the blocks of a and b that a coupling of that reach touches, and finds where they are.
void tn_blocks_declare(abs_pattern *list, abs_blocks a, abs_blocks b, abs_reach reach);
abs_slots tn_blocks_slots(const tn_sparse *A, abs_blocks a, abs_blocks b);

typedef struct abs_body {
    int moves, turns;              // of its kind; of the ground as if it were rigid
    bool se3;                      // rigid bodies: velocity is a body-fixed twist
    int nv, v0, q0;                // slices; nv is 0 for the ground
    abs_blocks blocks;             // of its coordinates, none for the ground
    double mass;                   // [kg]
    tn_mat3 J;                     // about the centre of mass, body axes
    tn_vec3 com;                   // centre of mass in the user's body frame
    double height;                 // z of the centre of mass, of bodies that move in a plane
    tn_mat3 R;                     // evaluated: rotation,
    tn_vec3 p;                     //   centre of mass,
    tn_twist V;                    //   world twist at the centre of mass,
    tn_vec3 U, W;                  //   the same in body axes
    abs_slots *diagonal, *damping; // its own block in K and D
} abs_body;

// A pair of frames on two bodies, local to their centres of mass; evaluated into `at`.
typedef struct abs_pair {
    int a, b;
    tn_frame fa, fb;
    bool turned[2];                    // frame A or B has axes other than those of its body
    const tn_joint_data *pose;         // frame A is prescribed by this pose drive; NULL otherwise
    struct abs_attachment *attachment; // frame A is a place of a modal body; NULL otherwise
    tn_pair at;
    tn_twist *Va_dot;           // acceleration of a prescribed frame A; NULL for others
    abs_slots (*K)[2], (*D)[2]; // blocks (a, b) x (a, b)
    abs_reach joint_reach;      // of joint rows, in K
    abs_reach force_reach;      // of forces, in K and D
    int memory[3], nmemory;     // memories of its angles
} abs_pair;

typedef struct abs_term {
    tn_row row;
    int pair;
    int memory; // of an angle, index in r; -1 for other rows
    double coefficient;
} abs_term;

typedef struct abs_row {
    int nterm;
    bool start_constant;
    bool no_position, no_velocity; // of a start row that states only one of the two
    bool guess;                    // of a start row: its position is a guess
    abs_term term[2];
    const tn_timefn *u;
    double constant, rate; // g = … - constant - u(t), gdot = … - rate - u'(t)
} abs_row;

// Moving bodies that the rows of a joint see, and pairs of them, at most.
enum { ABS_BODIES = 4, ABS_PAIRS = 6 };

// Joints between two bodies that share loads, at most, and the rows of all of them.
enum { ABS_SHARING = 4, ABS_SHARED_ROWS = ABS_SHARING * TN_JOINT_MAX_ROWS };

typedef struct abs_formula_row abs_formula_row;

typedef struct abs_joint {
    int model_index; // in the model; rows of velocities and start rows follow the joints and share
                     // their index
    bool start_rows;
    bool rolls;     // its rows are those of velocities, in ndot and blocks N and NZ
    int rolling;    // of a joint of the model: where its rows of velocities are, -1 for none
    int row0, nrow; // in g, or in ndot
    abs_row *row;   // nrow
    int npair, pair[ABS_PAIRS];
    int nbody, body[ABS_BODIES];       // moving bodies of the rows, each once
    abs_formula_row *formula;          // an expression that gives its row; NULL: terms do
    struct abs_attachment *attachment; // it holds an attachment of a modal body; NULL: it does not
    abs_slots *B, *Z; // nbody: in blocks B and Z, or N and NZ; only part[0][…] is used
    bool has_time;    // some row depends on time
    int nshare,
        share[ABS_SHARING]; // joints that share loads, itself among them (absolute_share.c),
    double share_length;    //   and how far they are apart
    int own_pair;           // pair of its frames, -1 for gears and drives
    int memory[TN_JOINT_MAX_COORDS]; // of its angle coordinates, -1 for others
} abs_joint;

typedef struct abs_force {
    tn_force_data data; // shares functions with the model; `free` is this system's own
    int pair;
    int memory; // of the angle of a scalar law, -1
    int live;   // its first variable parameter, -1 for none
    bool fed;   // by a variable parameter that it stores energy with: all its work is supplied
} abs_force;

// A beam element of consistent inertia between its bodies (absolute_spread.c).
typedef struct abs_spread {
    int pair;
    double mass; // one sixth of that of the element [kg]
    tn_mat3 J;   // the same of its inertia
    abs_slots M[2][2];
} abs_spread;

// An angle that counts its turns. The memories of a state are r = (angles, their rates, time): an
// angle is the value nearest to the one that goes on at the rate of the last accepted step, so that
// long steps of a fast wheel do not lose turns. Without a time yet (the last entry, 1 when valid)
// it is the value nearest to the angle itself.
//
// A force that keeps the speed at which its coordinate has fallen through zero has two memories
// beside them, whose rates are zero: that speed, which is 0 above zero, and the coordinate.
typedef enum abs_kept { ABS_ANGLE, ABS_SPEED, ABS_BEFORE } abs_kept;

typedef struct abs_memory {
    int pair;
    tn_row row;
    abs_kept kept;
} abs_memory;

// Expressions of the state (absolute_signals.c). Derivatives are by variations (dp, dtheta) and
// twists (v, w) of bodies in world axes.

// A number of the mechanism that they use, in SI units: a row of a pair or its rate, or another
// number of a body, force or joint.
typedef struct abs_measure {
    const tn_variable *from;
    int variable;
    int pair, memory; // of the row; the memory of an angle, -1 for others
    tn_row row;
    double unit;                     // of its value here
    int body[2];                     // of the pair
    double q[12], v[12];             // derivatives by motions of its bodies
    int nrow, rows[ABS_SHARED_ROWS]; // of a reaction: rows of the world
    double lambda[ABS_SHARED_ROWS];
} abs_measure;

// A row that an expression gives (absolute_formula_row.c).
struct abs_formula_row {
    int joint; // of the model
    bool slip; // of its slip
    tn_formula_row from;
    double unit, scale;                    // of the row in SI units; of positions
    abs_measure measure[TN_ROW_VARIABLES]; // of each of its variables,
    int into[TN_ROW_VARIABLES][2];         //   whose bodies are these of the joint; -1: none
};

// Its gradient depends on velocities.
static inline bool abs_is_bent(const abs_joint *j)
{
    return j->formula && !j->formula->from.linear;
}

// Friction along its rows turns with the slip.
static inline bool abs_turns_friction(const abs_joint *j)
{
    return j->rolls && j->nrow > 1 && !j->formula && j->row[0].term[0].row.form == TN_ROW_SLIP;
}

// The loads that joints share: the load of each of their rows on body B of one of them, at the
// reference point of the body, by a multiplier of -1.
typedef struct abs_share_loads {
    int n, row[ABS_SHARED_ROWS];
    double w[ABS_SHARED_ROWS][6];
} abs_share_loads;

// The part of a body in the value of a formula.
typedef struct abs_share {
    int body;
    double q[6], v[6];
    bool far;    // of a variable parameter: it is no body of its force
    bool varies; // by some measure that is not left to the caller
} abs_share;

// A formula of the equations of motion with its derivatives.
typedef struct abs_outcome {
    int node, ndep;
    int *measure;   // of each variable that it depends on: the measure, -1 for others
    int *e;         //   the extra variable, -1 for others
    int (*into)[2]; //   where the bodies of the measure are in `share`, -1 for the ground
    int nshare;
    abs_share *share;
} abs_outcome;

// A number of a force that an expression gives.
typedef struct abs_live {
    int force, next; // the next one of the force, -1 for none
    double *number;
    double unit;
    double w[12]; // derivative of the wrench by the number in SI units
    abs_outcome z;
} abs_live;

// Returns true if it depends on bodies other than those of its force.
static inline bool tn_live_is_far(const abs_live *live)
{
    for (int k = 0; k < live->z.nshare; k++)
        if (live->z.share[k].far)
            return true;
    return false;
}

typedef struct abs_signals {
    tn_signals *program;
    double *x;            // values of variables, SI units, and t
    double *value;        // of each node
    int *variable_of;     // of each node: the variable that has its value, -1 for none
    int nplain, *plain;   // variables that are neither nodes nor of the mechanism
    double **d;           // of each node: derivatives by the variables that it depends on
    double *partial;      // of a formula by its own variables
    double *along;        // variations of variables, and then of nodes (tn_absolute_vary_signals)
    bool nudged;          // variable parameters and rates of states vary by as much
    int nmeasure, nfirst; // of which those of the equations of motion are the first
    abs_measure *measure;
    int nlive;
    abs_live *live;
    tn_timefn **function; // of each variable parameter that is a function
    int nextra;
    abs_outcome *extra; // rates, then equations
    int ndecision;
    int *decision;     // of each node: its first condition; -1 for those of samples and read-out
    signed char *side; // of each condition
    double *decided;   // work: its function
    int nsampled;
    int sampled0;   // begin of sampled values in r
    double t_first; // time of the first sample
    bool idle;      // of a system for assembly alone
    void *block;
} abs_signals;

// The parts that are posed at a point: the bodies that move by themselves; of the world bodies and
// pairs that evaluations need, those of all forces and rows; all; all unless a sample did that.
typedef enum placed { PLACED_NOTHING, PLACED_TREE, PLACED_USED, PLACED_ALL, PLACED_SEEN } placed;

enum { ABS_ROUNDS = 4 };

// Elements that threads evaluate side by side (absolute_batches.c).
typedef struct abs_batches {
    int count;      // of batches in a round, or one less; 1: all in their order
    int *list;      // elements by rounds and batches, then those for one thread
    int *begin;     // ABS_ROUNDS x (count + 2): batches in the list, and their end
    int first_lone; // place of the first one for one thread
} abs_batches;

typedef struct absolute {
    tn_system base;
    abs_signals *signals;         // NULL for none
    struct signal_blocks *blocks; // their derivatives (signal_blocks.h)
    int nformula_row;
    abs_formula_row *formula_row; // rows by expressions
    const tn_model *model;
    int nbody, nblock, npair, nforce, nmemory;
    int njoint; // joints of the model, then one more for each that rolls, and for each with stated
                // start values
    abs_body *body;
    abs_pair *pair;
    abs_joint *joint;
    abs_force *force;
    abs_batches joint_batches, force_batches;
    bool is_prescribed; // some pair has a pose or an attachment
    int nspread;
    abs_spread *spread;
    int nmodal, nattachment;
    struct abs_modal *modal;           // modal bodies,
    struct abs_attachment *attachment; //   and the rows of their attachments
    tn_exchange *exchange; // nforce + njoint: powers of forces and drives as last evaluated
    tn_twist *pose_rate;   // of each pose drive: Va_dot of its pair
    abs_memory *memory;
    double *turning, *turned; // rates of the angles and themselves, while a step is accepted
    int *row_joint;           // joint of each row of g,
    int *roll_joint;          //   of each row of ndot
    // The system that has posed bodies and pairs: this one, at a call; another one, in whose
    // coordinates they move (joint_coords.h, director.h); NULL where they are posed at several
    // points.
    const void *placed_by;
    placed placed; // the part of it that is posed
    double placed_t, *placed_q, *placed_v;
    bool has_B;                // block B is that of the place
    abs_row *row;              // of all joints,
    int nrow;                  //   taken so far
    int most_rows, most_rolls; // of positions, start rows included, and of velocities
    void *slots;               // memory of all slots of the blocks, where there are any
    struct tn_tree *tree; // of its joints, saved for joint coordinates (joint_coords.h); NULL: not
    bool by_recursion;    // the system in joint coordinates on it needs no matrices
    void *block;          // the memory of all arrays
} absolute;

static inline int abs_memory_size(const absolute *s) // of r
{
    return s->nmemory > 0 ? 2 * s->nmemory + 2 : 0;
}

// The time for functions of forces.
static inline double abs_clock(const absolute *s, double t)
{
    return tn_piece_time(&s->base.piece, t);
}

// A driven coordinate with its derivatives: beyond its smooth interval by its Taylor series, so
// that it has one velocity for methods that look ahead.
static inline void abs_driven(const absolute *s, const tn_timefn *f, double t, double u[3])
{
    const double clock = abs_clock(s, t), dt = t - clock;
    tn_timefn_eval(f, clock, u);
    if (dt != 0.0) {
        u[0] += dt * (u[1] + 0.5 * dt * u[2]);
        u[1] += dt * u[2];
    }
}

// A point at which bodies and pairs have been posed, in whatever coordinates: the numbers of it
// that rows and forces read beside these.
typedef struct abs_point {
    double t;
    const double *lambda; // of all rows here; where they are asked for
    const double *eta;
    const double *r;
    const double *e;    // extra variables
    const double *q;    // coordinates that are angles themselves,
    const int *angle_q; //   of each memory: where they have its angle, -1 for none; NULL: nowhere
    const double *v;    // and their rates, nq coordinates before them;
    const int *direct;  //   of each measure: which of these it is, -1 for none; NULL: all are none
    int nq;
    // For derivatives by coordinates: for each force a mark if it acts on one of them alone, or 0.
    // The caller adds the derivatives of such forces and of direct measures. NULL: by bodies.
    const int *alone;
} abs_point;

static inline abs_point abs_here(const tn_point *at) // in these coordinates, and in directors
{
    return (abs_point){.t = at->t, .lambda = at->lambda, .eta = at->eta, .r = at->r, .e = at->e};
}

// The angle that memory k expects at a point; -1 for rows without. If it is a coordinate of the
// point, it is known, however far it turns within a step.
static inline double abs_expected(const absolute *s, const abs_point *at, int k)
{
    if (k >= 0 && at->angle_q && at->angle_q[k] >= 0)
        return at->q[at->angle_q[k]];
    if (k < 0 || !at->r)
        return 0.0;
    const double *rate = at->r + s->nmemory, *time = rate + s->nmemory;
    return time[1] > 0.0 ? at->r[k] + (at->t - time[0]) * rate[k] : at->r[k];
}

// All systems on the bodies of a model do this at a point by themselves: they pose these, as far as
// asked for, and report it to the world.
typedef struct placing_ops {
    void (*place)(tn_system *self, const tn_point *at, placed what);
    abs_point (*here)(tn_system *self, const tn_point *at);
} placing_ops;

abs_point tn_place_at(tn_system *self, const tn_point *at, placed what);
// Returns true if the world is posed at the point by this system; the next one notes that it is.
bool tn_is_placed(const tn_system *self, const tn_point *at);
void tn_note_placed(tn_system *self, const tn_point *at, placed what);

// From that all of them have these operations of tn_system_ops,
tn_status tn_placed_accept(tn_system *self, const tn_point *at, double *r);
double tn_placed_next_sample(tn_system *self, double t);
tn_status tn_placed_sample(tn_system *self, const tn_point *at, double *r);
void tn_placed_extra_name(const tn_system *self, int i, char *text, size_t size);
void tn_placed_force_name(tn_system *self, const tn_point *at, char *text, size_t size);
// and of tn_mechanism_ops.
void tn_placed_look(tn_system *self, const tn_point *at);
void tn_placed_decisions(tn_system *self, const tn_point *at, double *value);
void tn_placed_settle(tn_system *self, const tn_point *at, const bool *fixed);
int tn_placed_out_of_range(tn_system *self, const tn_point *at, double *value);
void tn_placed_signals(tn_system *self, const tn_point *at, double *values);
int tn_placed_multipliers(const tn_system *self, const tn_point *at, int joint, double *lambda);
int tn_seen_coordinates(const tn_system *self, const tn_point *at, int joint, double *q,
                        double *qd);
void tn_seen_force(const tn_system *self, const tn_point *at, int force,
                   struct tn_force_state *out);

// The load of a force element, with its powers noted, and its derivatives, where its pair is posed
// and its variable parameters are set.
tn_load tn_absolute_load(const absolute *s, const abs_point *at, const abs_force *f);
tn_load_tangent tn_absolute_load_tangent(const absolute *s, const abs_point *at,
                                         const abs_force *f);

// Numbers of the mechanism (absolute_measure.c): the pair and row of one, and its value in SI units
// where bodies and pairs are posed, with its derivatives on request.
tn_status tn_measure_open(absolute *s, abs_measure *m);
double tn_measure_take(const absolute *s, abs_measure *m, const abs_point *at, bool tangent);

// Expressions of the state (absolute_signals.c, absolute_signals_build.c).
//
// Compiles those of the model, before patterns are made: measures, which add pairs.
tn_status tn_absolute_open_signals(absolute *s);
// Lists the bodies of formulas, and finds the numbers that they set, once forces are there.
tn_status tn_absolute_link_signals(absolute *s);
void tn_absolute_close_signals(absolute *s);
int tn_absolute_add_pair(absolute *s, int a, int b, tn_frame fa, tn_frame fb);
int tn_absolute_angle_memory(absolute *s, int pair, const tn_row *row); // -1 for rows that are none
// The values of all formulas of the equations of motion where bodies and pairs are posed: sets
// variable parameters. With derivatives on request.
void tn_absolute_set_signals(absolute *s, const abs_point *at, bool tangent);
// The values of all others after that: of sampled systems, and of numbers that are recorded only.
void tn_absolute_late_signals(absolute *s, const abs_point *at);
// Variables that are read where they are asked for, of no measure.
void tn_absolute_read_variables(absolute *s, tn_system *self, const tn_point *at);
// Sampled systems (absolute_sampled.c): how many numbers of r they take, and their start.
int tn_absolute_sampled_size(const tn_model *model);
void tn_absolute_start_samples(const absolute *s, double *r);
// The right sides of the extra equations after that.
void tn_absolute_extra(const absolute *s, double *extra);

static inline void abs_add_momenta(tn_vec3 momentum, tn_vec3 spin, tn_energy *out)
{
    tn_v3_to(tn_v3_add(tn_v3_from(out->momentum), momentum), out->momentum);
    tn_v3_to(tn_v3_add(tn_v3_from(out->spin), spin), out->spin);
}

// Six numbers of a wrench or gradient along a twist.
static inline double abs_component(tn_vec3 a, int axis)
{
    return axis == TN_X ? a.x : axis == TN_Y ? a.y : a.z;
}

static inline double abs_along(const double *w, tn_twist V)
{
    return tn_v3_dot(tn_v3_from(w), V.v) + tn_v3_dot(tn_v3_from(w + 3), V.w);
}

// Rows of one joint in world axes, gathered per moving body.
typedef struct abs_rows {
    double G[ABS_BODIES][TN_JOINT_MAX_ROWS][6]; // gradients
    double Z[ABS_BODIES][TN_JOINT_MAX_ROWS][6]; // V^T H, with the tangent
    double H[ABS_PAIRS][12][12];                // second derivatives per pair, weighted by lambda
    double D[ABS_PAIRS][12][12]; // the same by velocities; of expressions not linear in them alone
} abs_rows;

tn_status tn_absolute_link_shares(absolute *s);
void tn_absolute_share(const absolute *s, const abs_joint *j, abs_share_loads *out);

// Rows by expressions: opened before all memory is taken, with room for so many pairs; linked with
// bodies and pairs; and the row of a joint, into sums that are zero.
int tn_absolute_formula_pairs(const tn_model *model);
tn_status tn_absolute_open_formulas(absolute *s);
void tn_absolute_close_formulas(absolute *s);
tn_status tn_absolute_link_formula(absolute *s, abs_joint *j);
void tn_absolute_scale_formula(absolute *s, abs_joint *j, const abs_point *at);
tn_wrench tn_absolute_formula_reaction(const absolute *s, const abs_joint *j, const abs_point *at);
double tn_absolute_formula_power(absolute *s, abs_formula_row *v, const abs_point *at);
void tn_absolute_formula_row(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                             abs_rows *w);

// Destination of the rows of a joint, and their multipliers: of positions, before which a system
// has `first` others, or of velocities.
typedef struct abs_target {
    double *g, *rate, *gamma; // g: of positions alone
    tn_sparse *B, *Z;
    const double *multiplier; // NULL where the point has none
} abs_target;
abs_target tn_joint_target(const tn_system *sys, int first, const abs_joint *j,
                           const abs_point *at);

// Rows of a joint: g, gdot and gamma of the system, and w; gamma is without what accelerates the
// bodies at v' = 0.
void tn_absolute_rows(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                      abs_rows *w);

// Inertia that beam elements spread (absolute_spread.c): its blocks in M, its values there, which
// SE(3) has anew at each place, its parts of f, to the derivatives at the accelerations a, and to
// energies.
void tn_absolute_declare_spread(const absolute *s, abs_pattern *list);
void tn_absolute_build_spread(absolute *s);
void tn_absolute_spread_mass(absolute *s);
void tn_absolute_spread_force(absolute *s, const double *a, unsigned want);
void tn_absolute_spread_energy(const absolute *s, tn_energy *out);

// Modal bodies (absolute_modal.c): opened before all memory is taken, which is laid out with the
// rest; blocks that they declare, with those of the rows of their attachments or without; found in
// the blocks. Then M anew at each place, f with the derivatives at the accelerations a, and
// energies.
typedef struct abs_modal abs_modal;
typedef struct abs_attachment abs_attachment;
tn_status tn_absolute_open_modals(absolute *s);
void tn_absolute_close_modals(absolute *s);
void tn_absolute_layout_modals(absolute *s, tn_carve *mem);
void tn_absolute_declare_modals(const absolute *s, abs_pattern *list, bool rows);
void tn_absolute_declare_attachment(const absolute *s, const abs_joint *j, int row,
                                    abs_pattern *list);
void tn_absolute_build_modals(absolute *s);
void tn_absolute_modal_mass(absolute *s);
void tn_absolute_modal_force(absolute *s, const double *a, unsigned want);
void tn_absolute_modal_energy(absolute *s, tn_energy *out);
// The rows of their attachments (absolute_attachment.c): known to joints and pairs, found in the
// blocks, placed after the amplitudes, and evaluated.
void tn_absolute_build_attachments(absolute *s);
void tn_absolute_link_attachments(absolute *s);
void tn_attachment_place(absolute *s, abs_attachment *at);
void tn_attachment_end(const absolute *s, const abs_attachment *at, tn_end *end);
void tn_absolute_attachment_eval(absolute *s, abs_attachment *at, const abs_point *here,
                                 unsigned want);

enum { ABS_MANY = 512 }; // bodies or pairs that are worth a thread
// Elements in batches: lists them, and calls a function for each element, at once for those of
// different batches (absolute_batches.c).
void tn_absolute_layout_batches(absolute *s, tn_carve *mem);
tn_status tn_absolute_find_batches(absolute *s);
void tn_absolute_in_batches(const abs_batches *batches, int n, void (*element)(void *user, int i),
                            void *user);

// Places bodies and pairs at a point: fills the evaluated fields.
void tn_absolute_place(absolute *s, const tn_point *at);
// The same for one body, and for the bodies and pairs of one joint: read-out costs only as much as
// it reads.
void tn_absolute_place_body(absolute *s, const tn_point *at, int body);
void tn_absolute_place_joint(absolute *s, const tn_point *at, const abs_joint *j);
void tn_absolute_place_force(absolute *s, const tn_point *at, const abs_force *f);
// Row i of the world counts a length.
// The joint of row i, of which those of ndot follow those of g, and its row there.
static inline const abs_joint *abs_joint_of(const absolute *s, int i, int *row)
{
    const int ng = s->base.ng;
    const abs_joint *j = &s->joint[i < ng ? s->row_joint[i] : s->roll_joint[i - ng]];
    *row = (i < ng ? i : i - ng) - j->row0;
    return j;
}

static inline bool abs_row_is_length(const absolute *s, int i)
{
    int row;
    const abs_joint *j = abs_joint_of(s, i, &row);
    return j->formula ? j->formula->from.length : tn_row_is_length(&j->row[row].term[0].row);
}

// Coordinates and velocities of a body as it is posed, and v' that belongs to the acceleration A of
// its centre of mass and of its turning, in world axes.
void tn_absolute_put(const absolute *s, int body, double *q, double *v);
void tn_absolute_put_acceleration(const absolute *s, int body, tn_twist A, double *a);
void tn_absolute_place_pair(absolute *s, abs_pair *p, double t); // after its bodies
// Adds the energy that force elements store, and the powers of these and of drives, at the current
// poses.
void tn_absolute_powers(absolute *s, const abs_point *at, tn_energy *out);
// The same with kinetic energy, gravity and momenta of all bodies.
void tn_absolute_energies(absolute *s, const abs_point *at, tn_energy *out);
// The end of a step, for n of the memories (NULL: the first n): their angles and rates, where their
// pairs are posed.
tn_status tn_absolute_count_turns(absolute *s, double t, int n, const int *which, double *r);
// What memory k is at a placement without a step before it.
double tn_absolute_remember(const absolute *s, int k, double expected);
// Read-out (tn_mechanism_ops) where bodies and pairs are posed.
//
// A body, with its acceleration where A is not NULL. The sign of its quaternion goes on from the
// last one that was read, as in absolute coordinates it does.
void tn_placed_body(const absolute *s, int body, const tn_twist *A, tn_quat *last,
                    tn_body_state *out);
tn_wrench tn_placed_reaction(const absolute *s, const abs_point *at, int joint);
int tn_placed_coordinates(const absolute *s, const abs_point *at, int joint, double *q, double *qd);
void tn_placed_force(absolute *s, const abs_point *at, int force, struct tn_force_state *out);
extern const tn_system_ops tn_absolute_ops;
extern const struct signal_ops tn_absolute_signal_ops;
extern const placing_ops tn_absolute_placing;        // absolute_place.c
extern const tn_tree_ops tn_absolute_tree;           // absolute_natural.c
extern const tn_mechanism_ops tn_absolute_mechanism; // absolute_read.c
