// SPDX-License-Identifier: MIT
//
// Absolute coordinates: one frame per body, at its centre of mass. Every joint row and every force
// is evaluated in world axes on pairs of frames (row/row.h, model/force.h); this folder alone
// knows how world variations map to the coordinates of a body:
//
//   world twist V = J v_b          R^3 x SO(3): J = diag(I, R)     v_b = (u, Omega)
//                                  SE(3):       J = diag(R, R)     v_b = (U, Omega), body-fixed
//                                  planar:      x, y, angle        points: x, y (, z)

#pragma once

#include "model/model.h"
#include "system/system.h"

typedef enum tn_rotation { TN_ROTATION_SO3, TN_ROTATION_SE3 } tn_rotation;

// Compiles the model, which must outlive the system. Lengths, gear constants and free lengths that
// come from the start configuration are taken from the frames of the bodies as given. With
// `start_rows` the system has more rows at its end, for finding start values only: stated joint
// coordinates c - position = 0 and rates c' - rate = 0.
tn_status tn_absolute_create(const tn_model *model, tn_rotation rotation, bool start_rows,
                             tn_system **out);
// The same without blocks, which is enough for g and its rate, forces and read-out; and the blocks
// of such a system, where it has none yet.
tn_status tn_absolute_create_bare(const tn_model *model, tn_rotation rotation, bool start_rows,
                                  tn_system **out);
tn_status tn_absolute_open_blocks(tn_system *sys);

// For a row of a system with start rows: whether it has a part on position level and on velocity
// level, and whether its position is a guess.
typedef struct tn_row_levels {
    bool position, velocity, guess;
} tn_row_levels;
tn_row_levels tn_absolute_row_levels(const tn_system *sys, int row);

// Narrow features of expressions of the state on a way between two states, by their variables (and
// the time) there and between them; and work for ranges.
typedef struct tn_way {
    double *from, *middle, *to;
    double *first, *last; // at the ends of the step that it is a part of
    int seen;             // divisions of the way that the stages of a step resolve
    bool judged;          // for widths at half the height of what its ends show less than half of
    bool corners;         // a history shows corners at the end, which are no features then
    bool steady;          // no condition has changed at its end: one that does on the way is hidden
    tn_range_jet *x;
} tn_way;
// The parts of all expressions of the state, and of rows, that depend on t alone, in seconds; the
// list has room for them. Returns how many there are; list may be NULL.
int tn_absolute_time_parts(const tn_system *world, const struct tn_expression **list);
int tn_absolute_way_size(const tn_system *world); // variables and the time; 0: none
void tn_absolute_copy_variables(const tn_system *world, double *x); // of the last evaluation
// The force with the first feature on a path that a step would miss, or with the narrowest where
// these are checked; -1 for none. Its begin and its width, in parts of the path.
int tn_absolute_hides(const tn_system *world, const tn_way *way, double *begin, double *width);

// Start values as the model states them, before any correction: q (nq), v (nv), r (nr).
void tn_absolute_start(const tn_system *sys, double *q, double *v, double *r);
// Extra variables as the model states them, at the time of the start; sampled systems count from
// it.
void tn_absolute_start_extra(tn_system *sys, double t, double *e);
// Another time is set: samples are counted from there, in r (nr), and values that wait for their
// delay are gone, so that those that act do so until one that is sampled later comes to act.
void tn_absolute_set_sample_time(const tn_system *sys, double t, double *r);
// Number of samples that a sampled system has taken, and the values of the last one.
double tn_absolute_samples(const tn_system *sys, double *r, int system, const double **value);
// Value i of a sampled system becomes another one and acts at once.
void tn_absolute_set_sampled(const tn_system *sys, int system, int i, double value, double *r);
// Conditions of expressions in the equations of motion: how many there are, and the side on which
// each one is evaluated, as tn_sides of signal/formula.h, so that steps see smooth functions.
int tn_absolute_decision_count(const tn_system *sys);
signed char *tn_absolute_sides(const tn_system *sys);
// True if condition k has hysteresis: look-ahead does not report its mode (tn_formula_remembers).
bool tn_absolute_remembers(const tn_system *sys, int k);
// Number of conditions of a signal, with those of the signals that it uses, and the numbers that
// decided them when signals were evaluated last (value may be NULL).
int tn_absolute_signal_switches(const tn_system *sys, int signal, double *value);
// Sets all modes at the point, those with hysteresis by signals with these values (NAN: unknown).
// TN_ERR_USAGE where they do not determine them, with a remedy.
tn_status tn_absolute_recall(tn_system *sys, const tn_point *at, const double *signal);
// The part of the model to which condition k belongs, for messages: "signal 'error'".
void tn_absolute_describe_decision(const tn_system *sys, int k, char *text, size_t size);
// A variation of a point, in its coordinates, multipliers, extra variables, memories and an input.
// Numbers without derivatives are read at `moved`, points along it: sums of the numbers read there,
// each times its weight.
typedef struct tn_variation {
    const double *x, *v;          // of coordinates and velocities
    const double *lambda, *e, *r; // lambda and r: NULL for none
    int input;                    // that varies by one; -1 for none
    int count;
    const tn_point *moved;
    const double *weight;
} tn_variation;

// Varies formulas, by their exact derivatives; then by node, from signals and from the next values
// of sampled systems on. NULL: the model has none.
void tn_absolute_vary_signals(tn_system *sys, const tn_point *at, const tn_variation *by);
const double *tn_absolute_varied(const tn_system *sys, int *first_signal, int *first_next);
int tn_absolute_sampled_place(const tn_system *sys); // in r: values as they act, then as computed
// Returns true if expressions use numbers that have no derivatives, as accelerations.
bool tn_absolute_reads_others(const tn_system *sys);
// Live numbers and rates of states are those of their formulas moved by the last variation, or not:
// other numbers depend on them affinely, and its difference is their derivative.
void tn_absolute_nudge_signals(tn_system *sys, bool on);
// Angles that are driven begin on the turn of their drive at time t: r (nr).
void tn_absolute_start_turns(const tn_system *sys, double t, double *r);

// Puts the velocities and rates that the model states back into v, at the configuration q: those of
// the body frames, where only one of the two is stated the other one as it is in v. Returns
// the largest change.
double tn_absolute_restate(const tn_system *sys, const double *q, double *v);
// Difference between the velocity of the origin of a body frame and that of the centre of mass, in
// the moving coordinates of the body, per velocity coordinate: v_origin = v + L v. False where
// there is none.
bool tn_absolute_lever(const tn_system *sys, const double *q, int body, double L[3][6]);

// From the body frames at q to those that the model states, in the same coordinates: d (nv), 0 for
// those it leaves open.
void tn_absolute_stated_offset(const tn_system *sys, const double *q, double *d);
// Puts a body into q and v.
void tn_absolute_set_body(const tn_system *sys, int body, const tn_body_state *state, double *q,
                          double *v);

// Takes lengths, gear constants, free lengths and angle memories that come from the start
// configuration from the configuration q, once it has been assembled.
void tn_absolute_fix_constants(tn_system *sys, const double *q, double *r);

// Read-out at a point (tn_mechanism_ops).
void tn_absolute_body(const tn_system *sys, const tn_point *at, int body, tn_body_state *out);
tn_frame tn_absolute_frame_in_si(const tn_system *sys, const tn_point *at, int body);

// Reaction on body B of a joint at the origin of its frame B, inertial axes.
tn_wrench tn_absolute_reaction(const tn_system *sys, const tn_point *at, int joint);
// The multiplier of the slip of a joint by that of its gap, where both are one force.
double tn_absolute_slip_ratio(const tn_system *sys, int joint);
// Row i of a joint among all rows, of which those of velocities come last; and the way back.
int tn_absolute_joint_row(const tn_system *sys, int joint, int i);
int tn_absolute_row_joint(const tn_system *sys, int row, int *i); // i may be NULL
// Scalar coordinates of a joint and their rates; returns how many.
int tn_absolute_coordinates(const tn_system *sys, const tn_point *at, int joint, double *q,
                            double *qd);
// One of them on all levels: c, its rate c' = row . v (row: nv) and c'' = row . v' + gamma.
void tn_absolute_coordinate(const tn_system *sys, const tn_point *at, int joint, int coordinate,
                            double *c, double *row, double *gamma);
// Powers as last evaluated where energies, powers or forces of this system were, also by another
// one in whose coordinates its bodies move: of each force of the model, then, by energies and
// powers alone, of the drive of each of its joints.
const tn_exchange *tn_absolute_exchange(const tn_system *sys);
// Gain of a motor of constant effort u: u x with its coordinate x where its pair was posed last (by
// energies, powers or forces); *turn: the part of a turn, 0 where x is a length. 0 for other
// forces.
double tn_absolute_gain(const tn_system *sys, int force, double *turn);
// Velocity coordinates of a body: first index and count (0 for the ground).
int tn_absolute_body_velocity(const tn_system *sys, int body, int *v0);
// Memories of angles (nturn, as of any system of a model) at t within a step from t0 to t1, at
// whose ends they are r0 and r1: by cubics through angles and rates, so that turns of long steps
// in which wheels speed up are not lost.
void tn_absolute_between(int nturn, double t0, double t1, const double *r0, const double *r1,
                         double t, double *r);
// For row_turns of tn_system_ops.
bool tn_absolute_row_is_bent(const tn_system *sys, int row); // not linear in velocities
bool tn_absolute_row_turns(const tn_system *sys, int row, double *coefficient);
void tn_absolute_turns(const tn_system *sys, bool *turns); // nv: it turns its body, or moves it
// The first beam element of consistent inertia between bodies, which no other coordinates take;
// NULL for none.
const char *tn_absolute_spread_name(const tn_system *sys);
// The first modal body; NULL for none.
const char *tn_absolute_modal_name(const tn_system *sys);
const char *tn_absolute_share_name(const tn_system *sys); // the first joint that shares loads
const tn_model *tn_absolute_model(const tn_system *sys);

// Elastic forces that the linear theory of a modal body leaves out, as a part of its forces, where
// its energy was evaluated last.
double tn_absolute_modal_left_out(const tn_system *sys, int modal);

// The load of a force element on its two bodies in world axes, and its derivatives.
void tn_absolute_force_tangent(tn_system *sys, const tn_point *at, int force, double w[12],
                               tn_load_tangent *T);
// Derivatives of own forces that do not give them are differences, with steps that this settles for
// this point and from now on.
typedef struct tn_unsure {
    double part;  // of the largest derivative, by which differences of a force part however narrow
    int force;    //   they are, and which that is; 0 where all are confirmed
    double noise; // part of the largest that is round-off of loads
} tn_unsure;
tn_unsure tn_absolute_settle_differences(tn_system *sys, const tn_point *at);
// Speeds of slip of a friction element at a point in absolute coordinates, and their rates.
void tn_absolute_slip(tn_system *sys, const tn_point *at, int force, double u[TN_SLIPS],
                      double rate[TN_SLIPS]);
