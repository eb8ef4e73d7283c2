// SPDX-License-Identifier: MIT
//
// The compiled model in absolute coordinates: private to the absolute*.c files.

#pragma once

#include "system/absolute.h"

// Where a block of two bodies, or of a joint and a body, lives. The coordinates of a rigid body in
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

// Which parts of two bodies the rows and forces of a pair couple.
typedef enum abs_reach { ABS_NOTHING, ABS_TURNING, ABS_ALL } abs_reach;

// The block numbers of a body's coordinates, or that of the rows of a joint.
typedef struct abs_blocks {
    int first, count; // at most 2, of which the last turns
} abs_blocks;

typedef struct abs_pattern {
    tn_pair_index *at;
    int count;
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

// Declares the blocks of a and b that a coupling of that reach touches, and finds where they are.
void tn_blocks_declare(abs_pattern *list, abs_blocks a, abs_blocks b, abs_reach reach);
abs_slots tn_blocks_slots(const tn_sparse *A, abs_blocks a, abs_blocks b);

typedef struct abs_body {
    int moves, turns;            // of its kind; of the ground as if it were rigid
    bool se3;                    // rigid bodies: velocity is a body-fixed twist
    int nv, v0, q0;              // slices; nv is 0 for the ground
    abs_blocks blocks;           // of its coordinates, none for the ground
    double mass;                 // [kg]
    tn_mat3 J;                   // about the centre of mass, body axes
    tn_vec3 com;                 // centre of mass in the user's body frame
    double height;               // z of the centre of mass, of bodies that move in a plane
    tn_mat3 R;                   // evaluated: rotation,
    tn_vec3 p;                   //   centre of mass,
    tn_twist V;                  //   world twist at the centre of mass,
    tn_vec3 U, W;                //   the same in body axes
    abs_slots diagonal, damping; // its own block in K and D
} abs_body;

// A pair of frames on two bodies, local to their centres of mass; evaluated into `at`.
typedef struct abs_pair {
    int a, b;
    tn_frame fa, fb;
    bool turned[2];            // frame A or B has axes other than those of its body
    const tn_joint_data *pose; // frame A is prescribed by this pose drive; NULL otherwise
    tn_pair at;
    tn_twist Va_dot;            // acceleration of a prescribed frame A
    abs_slots K[2][2], D[2][2]; // blocks (a, b) x (a, b)
    abs_reach joint_reach;      // of joint rows, in K
    abs_reach force_reach;      // of forces, in K and D
    int memory[3], nmemory;     // memories of its angles
} abs_pair;

typedef struct abs_term {
    tn_row row;
    int pair;
    double coefficient;
    int memory; // of an angle, index in r; -1 for other rows
} abs_term;

typedef struct abs_row {
    int nterm;
    abs_term term[2];
    const tn_timefn *u;
    bool start_constant;
    double constant, rate;         // g = … - constant - u(t), gdot = … - rate - u'(t)
    bool no_position, no_velocity; // of a start row that states only one of the two
    bool guess;                    // of a start row: its position is a guess
} abs_row;

typedef struct abs_joint {
    int model_index; // in the model; start rows follow the joints and share their index
    bool start_rows;
    int row0, nrow;
    abs_row row[TN_JOINT_MAX_ROWS];
    int npair, pair[2];
    int nbody, body[4];              // moving bodies of the rows, each once
    abs_slots B[4], Z[4];            // in blocks B and Z; only part[0][…] is used
    bool has_time;                   // some row depends on time
    int own_pair;                    // pair of its frames, -1 for gears and drives
    int memory[TN_JOINT_MAX_COORDS]; // of its angle coordinates, -1 for others
} abs_joint;

typedef struct abs_force {
    tn_force_data data; // shares functions with the model; `free` is this system's own
    int pair;
    int memory; // of the angle of a scalar law, -1
} abs_force;

// An angle that counts its turns. The memories of a state are r = (angles, their rates, time): an
// angle is the value nearest to the one that goes on at the rate of the last accepted step, so that
// long steps of a fast wheel do not lose turns. Without a time yet (the last entry, 1 when known)
// it is the value nearest to the angle itself.
typedef struct abs_memory {
    int pair;
    tn_row row;
} abs_memory;

typedef struct absolute {
    tn_system base;
    const tn_model *model;
    int nbody, nblock, npair, nforce, nmemory;
    int njoint; // joints of the model, then one more for each joint with stated start values
    abs_body *body;
    abs_pair *pair;
    abs_joint *joint;
    abs_force *force;
    abs_memory *memory;
    double *turning; // rates of the angles, while a step is accepted
    int *row_joint;  // joint of each row
    // Who has placed bodies and pairs: this system, where it was told to; another one, in whose
    // coordinates they move (joint_system.h, director.h); NULL where they stand at several points.
    const void *placed_by;
    double placed_t, *placed_q, *placed_v;
    bool has_B;  // block B is that of the place
    void *block; // the memory of all arrays
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

// A driven coordinate with its derivatives: beyond its piece as its Taylor series goes on, so that
// it has one velocity for methods that look ahead.
static inline void abs_driven(const absolute *s, const tn_timefn *f, double t, double u[3])
{
    const double clock = abs_clock(s, t), dt = t - clock;
    tn_timefn_eval(f, clock, u);
    if (dt != 0.0) {
        u[0] += dt * (u[1] + 0.5 * dt * u[2]);
        u[1] += dt * u[2];
    }
}

// A point at which bodies and pairs have been placed, in whatever coordinates: what rows and forces
// need to know of it beside these.
typedef struct abs_point {
    double t;
    const double *lambda; // of all rows here; where they are asked for
    const double *r;
    const double *q;    // coordinates that are angles themselves,
    const int *angle_q; //   of each memory: where they have its angle, -1 for none; NULL: nowhere
} abs_point;

static inline abs_point abs_here(const tn_point *at) // in these coordinates, and in directors
{
    return (abs_point){.t = at->t, .lambda = at->lambda, .r = at->r};
}

// The angle that memory k expects at a point; -1 for rows without. Where it is a coordinate of the
// point it is known, however far it turns within a step.
static inline double abs_expected(const absolute *s, const abs_point *at, int k)
{
    if (k >= 0 && at->angle_q && at->angle_q[k] >= 0)
        return at->q[at->angle_q[k]];
    if (k < 0 || !at->r)
        return 0.0;
    const double *rate = at->r + s->nmemory, *time = rate + s->nmemory;
    return time[1] > 0.0 ? at->r[k] + (at->t - time[0]) * rate[k] : at->r[k];
}

// What a force element does, and its derivatives, where its pair is placed.
static inline tn_load abs_load(const absolute *s, const abs_point *at, const abs_force *f)
{
    tn_load load = {0};
    tn_force_eval(&f->data, abs_clock(s, at->t), abs_expected(s, at, f->memory),
                  &s->pair[f->pair].at, &load);
    return load;
}

static inline tn_load_tangent abs_load_tangent(const absolute *s, const abs_point *at,
                                               const abs_force *f)
{
    tn_load_tangent T = {0};
    tn_force_tangent(&f->data, abs_clock(s, at->t), abs_expected(s, at, f->memory),
                     &s->pair[f->pair].at, &T);
    return T;
}

static inline void abs_add_momenta(tn_vec3 momentum, tn_vec3 spin, tn_energy *out)
{
    tn_v3_to(tn_v3_add(tn_v3_from(out->momentum), momentum), out->momentum);
    tn_v3_to(tn_v3_add(tn_v3_from(out->spin), spin), out->spin);
}

// Six numbers of a wrench or gradient along a twist.
static inline double abs_along(const double *w, tn_twist V)
{
    return tn_v3_dot(tn_v3_from(w), V.v) + tn_v3_dot(tn_v3_from(w + 3), V.w);
}

// What the rows of one joint give in world axes, gathered per moving body.
typedef struct abs_rows {
    double G[4][TN_JOINT_MAX_ROWS][6]; // gradients
    double Z[4][TN_JOINT_MAX_ROWS][6]; // V^T H, with the tangent
    double H[2][12][12];               // second derivatives per pair, weighted by lambda
} abs_rows;

// Rows of a joint: g, gdot and gamma of the system, and w; gamma is without what accelerates the
// bodies at v' = 0.
void tn_absolute_rows(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                      abs_rows *w);

// Places bodies and pairs at a point: fills the evaluated fields.
void tn_absolute_place(absolute *s, const tn_point *at);
// The same for one body, and for the bodies and pairs of one joint: read-out costs what it reads.
void tn_absolute_place_body(absolute *s, const tn_point *at, int body);
void tn_absolute_place_joint(absolute *s, const tn_point *at, const abs_joint *j);
void tn_absolute_place_force(absolute *s, const tn_point *at, const abs_force *f);
// Row i of the world counts a length.
static inline bool abs_row_is_length(const absolute *s, int i)
{
    const abs_joint *j = &s->joint[s->row_joint[i]];
    return tn_row_is_length(&j->row[i - j->row0].term[0].row);
}

// Coordinates and velocities of a body as it is placed, and v' that belongs to the acceleration A
// of its centre of mass and of its turning, in world axes.
void tn_absolute_put(const absolute *s, int body, double *q, double *v);
void tn_absolute_put_acceleration(const absolute *s, int body, tn_twist A, double *a);
void tn_absolute_place_pair(absolute *s, abs_pair *p, double t); // after its bodies
// Adds what force elements store, dissipate and supply, and what drives do, where they are placed.
void tn_absolute_powers(absolute *s, const abs_point *at, tn_energy *out);
// The same with kinetic energy, gravity and momenta of all bodies.
void tn_absolute_energies(absolute *s, const abs_point *at, tn_energy *out);
// The end of a step, for n of the memories (NULL: the first n): their angles and rates, where their
// pairs are placed.
tn_status tn_absolute_count_turns(absolute *s, double t, int n, const int *which, double *r);
// Read-out (tn_mechanism_ops) and the name of a force that is not finite, where bodies and pairs
// are placed.
//
// A body, with its acceleration where A is not NULL. The sign of its quaternion goes on from the
// last one that was read, as in absolute coordinates it does.
void tn_placed_body(const absolute *s, int body, const tn_twist *A, tn_quat *last,
                    tn_body_state *out);
tn_wrench tn_placed_reaction(const absolute *s, const abs_point *at, int joint);
int tn_placed_coordinates(const absolute *s, const abs_point *at, int joint, double *q, double *qd);
void tn_placed_force(const absolute *s, const abs_point *at, int force, struct tn_force_state *out);
void tn_placed_force_name(const absolute *s, const abs_point *at, char *text, size_t size);
extern const tn_system_ops tn_absolute_ops;
extern const tn_tree_ops tn_absolute_tree;           // absolute_natural.c
extern const tn_mechanism_ops tn_absolute_mechanism; // absolute_read.c
