// SPDX-License-Identifier: MIT
//
// Data of a simulation: private to src/sim, but for the check of its options.

#pragma once

#include "base/alloc.h"
#include "base/team.h"
#include "model/model_kinks.h"
#include "readout/sensors.h"
#include "signal/timefn.h"
#include "sim/channels.h"
#include "sim/verdict.h"
#include "start/method.h"
#include "start/start.h"
#include "system/absolute.h"

#include <signal.h>
#include <stdint.h>

// Reciprocal conditions of the constraints, as estimated by factorisations of steps.
typedef struct tn_condition {
    double best, now; // largest, last
    double t_now;     // of the factorisation that gave it
    bool told;        // the method gives hints
} tn_condition;

// A straight line through the balances of energy, by least squares: means and moments so far, each
// step weighed by its length.
typedef struct tn_fit {
    double weight, t, y, tt, ty;
} tn_fit;

// Works of dampers, motors, outer forces and drives within a step; see works.c.
enum { TN_POWER_NODES = 6, TN_POWER_HALVINGS = 9, TN_POWER_PARTS = 1 << TN_POWER_HALVINGS };

// Nodes and weights of its rule on [0, 1]; an estimate of its error, and the polynomial through the
// nodes.
extern const double tn_power_node[TN_POWER_NODES], tn_power_weight[TN_POWER_NODES];
double tn_power_error(const double power[TN_POWER_NODES]);
double tn_power_at(const double power[TN_POWER_NODES], double z);

// A part of a step over which the powers at the nodes give the work.
typedef struct tn_power_part {
    double from, to; // of the step, 0 to 1
    tn_exchange at[TN_POWER_NODES];
    double mixed[TN_POWER_NODES]; // of the elements, such that what cancels in `at` shows
    tn_exchange before;           // work of the step up to here
} tn_power_part;

typedef struct tn_works {
    bool known; // of the last step
    int count;
    tn_power_part *part; // TN_POWER_PARTS; NULL where there are no powers or no dense output
    tn_exchange sum;     // work of the step
    tn_exchange most;    // the largest work on the way, without sign
    double share;        // error of the work over a part that is allowed [J]
    double not_resolved; // estimated error of parts that ought to be halved once more [J]
    int in_a_row;        // steps one after the other that were not resolved
    bool closed_form;    // by gains, without parts
} tn_works;

// Powers at the ends of the last step, for the quadrature of works.
typedef struct tn_powers {
    double h;               // its size; 0 where it gives no slope
    tn_exchange begin, end; // [W]
} tn_powers;

// The same by element: forces of the model, then drives of its joints; see element_work.c.
typedef struct tn_element_powers {
    double *all;              // these, one behind the other
    tn_exchange *work;        // so far [J]                                       n
    tn_exchange *begin, *end; // powers at the ends of the last step [W]          n
    double *from, *to;        // gains there (tn_absolute_gain) [J]               n
} tn_element_powers;

typedef struct tn_element_work {
    int n;                                  // 0 for users' equations
    int busy;                               // as n; 0 where nothing works: all stays zero
    bool closed_form;                       // all works are by gains; see works_closed_form.c
    int size;                               // numbers of a page
    tn_element_powers now, kept;            // now, and before the last step
    tn_exchange *inside;                    // weighed powers at nodes of a part  n
    tn_exchange *middle[TN_POWER_HALVINGS]; // powers where parts are halved      n
} tn_element_work;

// Sums over steps, restored if a step is rejected.
typedef struct tn_sums {
    tn_ledger ledger;
    tn_powers powers;
    tn_fit fit;
    tn_judge judge;
} tn_sums;

// Accelerations and multipliers recovered for output; see recovered.c.
typedef struct tn_recovered {
    tn_accel *accel;     // NULL where there are no constraints
    bool recovers;       // accelerations and multipliers are solved for
    bool recovers_parts; // those within short parts of steps (micro_steps.c) are
    bool loads;          // those that decide whether contacts hold are
    tn_state x;          // the view with them
    bool known;          // `best` is that of the view
    bool loads_known;    // `x` is that of the view
    const tn_state *best;
    double begins, ends;    // of the step whose residuals are known at both ends
    double *g[2], *rate[2]; // these                                             ng, ng + nn
    int *active;            // rows that `accel` has                             ng + nn
    double *move, *left;    // of one Newton step                                nv, ng + nn
    double *kept;           // q or v before it                                  nq
} tn_recovered;

// The grid of fixed steps of a run, and how far it has come.
typedef struct tn_stretch {
    double begin, end, reached;
} tn_stretch;

// Smooth intervals: times between two discontinuities of functions of time; see pieces.c.
typedef struct tn_pieces {
    tn_piece last, now; // of the last step, and of the current one
    bool ends;          // a discontinuity is known that ends the current one
    tn_kink next;
    double known_to; // there is no other one up to here
    bool searched;   // some can only be found by looking for them
    bool move;       // some functions change with time by themselves
    bool told;       // that some may be missed
} tn_pieces;

// A one-sided row of a joint; see contacts.c.
typedef struct tn_contact {
    int joint, row, event; // event: that it hits, and behind it that it parts; -1 for none
    double side;           // of its row on which bodies part, 1 or -1
    double restitution;
    int slide, nslip;                   // of those that rub: the slide, and directions of slip
    bool closed, active;                // held; by its row, or by those that it repeats
    bool was_closed, reached, released; // of the change under way
    bool sticks, was_stuck;             // of those that rub and are closed: they do not slip
    bool held[2];                       // by these rows of the slip
    bool breaks, stops;                 // of the change under way: begins to slip, or ends to
    double way[2], speed;               // in which it slips, and how fast it did as the step began
    double tried, doubt;                // time of the last change of slip, and slack since then
    double share[3];                    // of loads that are not unique, beside those of its rows
    double fastest, last_hit;           // impact so far; time of the last one
    double spared_at;                   // its load vanished last, and others might share it [s]
    double impulse, loss;               // of the last impact; energy lost in all of them
    long hits;
} tn_contact;

typedef struct tn_contacts {
    int n, nclosed; // whose rows take part
    int nwatched;   // of these and of slides, whose changes end steps: none over impacts
    int nslide;     // contacts that rub
    int ncomponent; // a normal of each contact, and directions of slip
    tn_contact *at;
    bool pending;                    // some change where the step ends
    double slack, least_load;        // gaps and pressing forces below them are none
    int turn;                        // one that changes at the start of the step, -1 for none
    double from, flight;             // the last change, and the time until something may be back
    double *gap, *rate;              // n
    double *slip;                    // 2 n
    double *free, *load, *left;      // ncomponent: of candidates, one after the other
    double *slipping;                //
    double *before, *lift;           // n: rates where a step over impacts began, what moved them
    double *matrix, *factor;         // of components of candidates, by themselves
    double *gradient;                // nv x these
    double *move, *rows;             // nv, ng + nn
    double low;                      // of the change under way: speeds up to it are none
    int *candidate, *touching, *dim; // n
    int *place;                      // ng + nn: of a row among the components
    double *work;                    // of many contacts
    int *first, *taken;              // n: of candidates the first component; ncomponent
    double *mu;                      // n, of candidates
    struct tn_cone *cone;
} tn_contacts;

// A condition on the state at which a force has a discontinuity: where it changes its sign the step
// ends.
enum { TN_SWITCH_CONDITION = -1, TN_SWITCH_CONTACT = -2 }; // in the place of a force

typedef struct tn_switch {
    int force;      // or what it is instead
    int kind;       // its number in the law of the force, among all conditions, or all contacts
    bool contact;   // and not the end of a push
    int mode;       // sign in which it is now, -1 or 1, as the step under way has it
    int kept_mode;  // and at the end of the last step that was kept
    double when;    // its first change within the step, INFINITY for none
    bool flips;     // at the end of the step that is taken again
    double since;   // time of the last change
    double lasted;  // the last contact; 0 for none
    long step;      // and the number of the step
    int in_a_row;   // changes with hardly a step between them
    int at_once;    // changes with next to no time between them, in which no state moves
    double largest; // of a condition: its value so far
    bool turned;    // of a condition: the step under way is taken again in its other mode
    bool slide_told;
} tn_switch;

// Functions of the state whose sign changes are searched: events first, then switches. Values are
// those in parts of a window of the last step; see watch.c.
enum { TN_WATCH_PARTS = 8 };

enum { TN_EVENT_HITS = 4096 }; // that are kept

typedef struct tn_watch {
    int n, nevent;
    double *value[TN_WATCH_PARTS + 1]; // n each: the first at its begin, the last at its end
    double from, to;                   // the window
    double span, whole;                // its length as that of the last one allows, and the largest
    int close;                         // shorter windows in this step
    double *end[2], *rate[2];          // n: at both ends of the step; rates INFINITY where unknown
    double *work;                      // n
    tn_switch *switches;               // n - nevent
    int ndecision, first_decision;     // conditions of expressions among them, the last ones
    int first_contact;                 // contacts, before these
    double *decision;                  // their values
    tn_unknowns unknowns;              // w within steps: samples do not change the steps
    bool *decided;                     // those that change where the step ends
    bool settles;                      // some have changed: forces may jump there
    signed char *side[2];              // their modes: of the last step, and now
    double redo_at;                    // a switch that the last step has passed, INFINITY for none
    bool left_zero;                    // one at its start, which shows only later
    double latest;                     // where the step under way may end, at the latest
    double least;                      // steps as short as this end at a switch whatever they find
    int sharpened;                     // how often its end has been moved onto a condition
} tn_watch;

// Oscillation of a sampled value; see verdict_theory.c.
typedef struct tn_swing {
    double taken, last, way;    // samples so far, value and change of the last one
    double turn, height, first; // where it last turned round, after what way; that of the first
    int samples, count;         // since then; swings in a row that have grown
} tn_swing;

// Inputs that a program sets; see inputs.c.
typedef struct tn_input_set {
    bool changed;
    double u[3];                                             // value and derivatives that were set
    double number[TN_INPUT_NUMBERS], kept[TN_INPUT_NUMBERS]; // of its formula: now, and before
} tn_input_set;

// A driven coordinate whose function has inputs.
typedef struct tn_input_drive {
    const tn_joint_data *joint;
    const tn_timefn *u;
    double before[3], after[3]; // u, u' and u'' where inputs are set
} tn_input_drive;

typedef struct tn_sim_inputs {
    int n, ndrive;
    bool changed;          // some were set since the last step
    bool move;             // functions with inputs change with time, too, so that kinks may
    tn_input_set *set;     // n
    tn_input_drive *drive; // ndrive
    // Wrenches on all bodies: as they act, as they were set, as they were before. NULL without the
    // option.
    tn_applied *wrench, *wrench_set, *wrench_kept;
} tn_sim_inputs;

// The end of the last step as the integrator left it, where the current state is another one.
typedef struct tn_step_end {
    bool kept;
    tn_state x;
    tn_ledger ledger;
    tn_exchange powers;
} tn_step_end;

// Steps of explicit methods that stability holds back, and not accuracy; see loop.c.
typedef struct tn_held {
    int hits, others; // steps near its bound, and others since the last of them
    long steps;       // held so far
    double since;     // the first of them [s]
} tn_held;

// Output state in SI units; see si.c.
typedef struct tn_si {
    tn_state x;
    double *p, *Qp, *reduced; // nv
    double *rows[3];          // ng
} tn_si;

struct tn_sim {
    tn_team *team;         // threads that share the work of its steps
    uint64_t fingerprint;  // of what a saved state must be, to be loaded here, but for the model
    const tn_model *model; // in units of its own size; NULL for user equations
    tn_model *own;         // the same, to be destroyed
    tn_si si;
    tn_sim_options options;
    tn_start start; // system, state, redundancy; start.x is the current state
    tn_method method;
    tn_problem *problem;
    tn_dae *dae;
    tn_ode *ode;
    tn_discrete *discrete;
    tn_chart chart;
    void *chart_block;
    tn_integrator *integrator, *measuring;
    tn_stepper stepper;
    tn_unknowns unknowns;
    tn_ode_way way, way_within; // of unknowns in steps, and within the last one
    tn_stretch stretch;
    bool time_scale_unknown; // nothing moved at the start
    bool time_scale_bounded; // by the first run
    bool usual_step;         // the fixed step was not stated
    double h, last_error;    // of the error-controlled step; h is 0 until one has been chosen
    double whole;            // the step of which the one under way may be a part
    tn_held held;
    bool micro_stepped; // the last step was a short part, without the integrator; see micro_steps.c
    bool took_back;     // the last attempt had taken its step and was undone
    bool restart;       // the integrator begins anew with the next step
    tn_pieces pieces;
    tn_sim_inputs inputs;
    double sample_at; // next time of sampled states
    double h_limit;   // below the last step at which a corrector failed; grows with each success
    tn_state before;  // where the last step began
    tn_state shown;   // within it
    tn_step_end step_end;
    tn_watch watch;
    tn_contacts contacts;
    double shapes_to;         // functions of time are known up to here; NAN: not known
    tn_singular singular;     // of these, in the run under way; see shapes.c
    tn_pulses pulses;         // steps end at these times
    tn_time_parts time_parts; // of expressions, in which these are looked for
    double pole_at;           // steps end here, shortly before a pole; INFINITY for none
    tn_event_hit *hits;
    int nhit, ended_by;
    const tn_state *view; // what read-out functions see: start.x or shown
    volatile sig_atomic_t stop;
    double *project_times;
    int nprojected;

    tn_sums sums, sums_before; // now, and before the last step
    tn_ledger ledger_shown;
    double *row_weight;         // rows: residuals times this are angles or lengths
    bool *row_turns;            // rows: angles
    tn_energy now;              // at the current state
    tn_swing *swing;            // values of sampled systems
    bool powers_need_reactions; // those of drives, and forces of reactions, are by multipliers
    tn_works step_works;        // of the last step
    tn_element_work element_work;

    long row_changes;           // of the choice of rows, as the views know it
    double rows_reserve;        // what was left of it at the last check
    int rows_wait, rows_waited; // steps until the next check, and what they were at the last one

    tn_rank_hint hint; // of the step under way
    tn_condition condition;
    const struct tn_monitor_ops *const *monitor_kinds; // all that there are, see monitor.h
    struct tn_monitor **monitor;                       // those that apply, and NULL

    tn_sensors sensors;
    tn_channels channels;
    tn_recovered recovered;
    double *scratch; // nv
    double *rows;    // ng + nn
    void *block;
};

// TN_ERR_USAGE with a sentence that names the option and the rule.
tn_status tn_sim_options_check(const tn_sim_options *options);

void tn_sim_carved_values(tn_sim *sim, tn_values *v); // its arrays, and those of its integrator
uint64_t tn_sim_fingerprint(
    const tn_sim *sim); // of a simulation that has just been made, see save.c
uint64_t tn_sim_whole_fingerprint(const tn_sim *sim); // of the model, too, with files that it names
// The first step begins at the current state, and so do ledger, verdict and events.
tn_status tn_sim_begin(tn_sim *sim);

// At the start, see scales.c; the sizes that it goes by.
tn_status tn_sim_find_time_scale(tn_sim *sim, tn_sizes *sizes);
// The memory that a simulation takes at least [bytes], by the size of its model.
double tn_sim_memory(const tn_model *model, const char *method);
void tn_sim_bound_time_scale(tn_sim *sim, double duration); // of the first run, before it
double tn_sim_usual_step(const tn_sim *sim);                // for want of a stated one
void tn_sim_follow_time_scale(tn_sim *sim);                 // before a step
tn_status tn_sim_check_tolerances(const tn_sim *sim);
void tn_sim_set_tolerances(tn_sim *sim);  // absolute ones, of the stepper
bool tn_sim_turns(const tn_sim *sim);     // whether its coordinates hold rotations in space
void tn_sim_note_unused(tn_sim *sim);     // reports stated options without effect
tn_status tn_sim_open_views(tn_sim *sim); // what the integrator needs, into the stepper
void tn_sim_close_views(tn_sim *sim);
// As tn_leave, and with the place in the model's file of what the error names.
tn_status tn_sim_leave(const tn_sim *sim, tn_status status, const char *what);
bool tn_sim_is_driven(const tn_sim *sim);     // some joint of a model has a prescribed motion
bool tn_sim_has_directors(const tn_sim *sim); // its coordinates are axes of bodies
tn_status tn_sim_project(tn_sim *sim);        // q and v onto the constraints
tn_status tn_sim_project_drift(tn_sim *sim);  // where the method asks for it and it is due
void tn_sim_keep(tn_sim *sim);                // the current state is where a step begins

void tn_sim_keep_step_end(tn_sim *sim); // before the current state is changed

// Functions of time have discontinuities: which interval is valid, and where it ends.
void tn_sim_open_pieces(tn_sim *sim);
// Before a step: goes over to the next interval if the current one has ended.
tn_status tn_sim_enter_piece(tn_sim *sim);
// Around steps: loops are shared by the simulation's team, and end where it is to stop. tn_sim_exit
// gives back what was joined before.
typedef struct tn_sim_entry {
    tn_team *team;
    const volatile sig_atomic_t *stop;
} tn_sim_entry;

static inline tn_sim_entry tn_sim_enter(const tn_sim *sim)
{
    return (tn_sim_entry){tn_team_join(sim->team), tn_stop_join(&sim->stop)};
}

static inline void tn_sim_exit(tn_sim_entry outer)
{
    tn_team_join(outer.team);
    tn_stop_join(outer.stop);
}

// Takes up a request to stop, once: TN_ERR_STOPPED.
tn_status tn_sim_heed_stop(tn_sim *sim);

// A run of a simulation with these options. Where auto took an explicit method by the start, and
// stability holds its steps on the way, it begins again with a method for stiff models, while that
// is worth it.
typedef struct tn_auto_run {
    const tn_sim_options *options;
    double t_end;
    tn_sim_observer each;
    // Takes the simulation with which the run begins again; the one before is still there.
    tn_status (*again)(void *user, tn_sim *next);
    void *user;
    char why[200]; // it began again, or was to
} tn_auto_run;

tn_status tn_sim_run_auto(tn_auto_run *run, tn_sim *sim);
// Goes over to the interval in which a step of about h can be taken, and returns where it ends.
tn_status tn_sim_pass_kinks(tn_sim *sim, double h, double *piece_end);
void tn_sim_use_piece(tn_sim *sim, const tn_piece *piece); // for evaluations
void tn_sim_begin_piece_here(tn_sim *sim); // functions of time are others from now on

void tn_sim_layout_inputs(tn_sim *sim, tn_carve *mem);
void tn_sim_open_inputs(tn_sim *sim);
void tn_sim_clear_wrenches(tn_sim *sim);
void tn_sim_restore_wrenches(tn_sim *sim); // as they were before that
tn_status tn_sim_take_inputs(tn_sim *sim); // before a step: those that were set count from here on
double tn_sim_kinetic(tn_sim *sim);        // energy of the current state
double tn_sim_stored(tn_sim *sim);         // and with the potential one

// Steps that are too short beside the whole one for an integrator; where the forces are too stiff
// for a creep as well it returns a positive status.
bool tn_sim_is_short(const tn_sim *sim, double h);
tn_status tn_sim_micro_step(tn_sim *sim, double h);

void tn_sim_layout_events(tn_sim *sim, tn_carve *mem);
tn_status tn_sim_open_events(tn_sim *sim); // values at the start
// Sign changes of switches that make the step end there, after it has been taken again.
void tn_sim_flip_switches(tn_sim *sim);
void tn_sim_forget_flips(tn_sim *sim); // another step is tried from the end of the last one
void tn_sim_keep_modes(tn_sim *sim);   // the step is kept
// The state or what acts on it has jumped: conditions of expressions are those of the state now.
tn_status tn_sim_settle_decisions(tn_sim *sim);
// Unknowns w of sim->shown: those of 0 = b there, and not what a polynomial says of them. Where
// that has no root within reach they are left as they are.
tn_status tn_sim_find_unknowns(tn_sim *sim);
double tn_sim_lookahead_time(const tn_sim *sim);       // the look-ahead time
tn_status tn_sim_decide_later(tn_sim *sim, double dt); // values of conditions, by extrapolation
// Slides along conditions (slides.c): reported where one begins; error-controlled runs end there.
tn_status tn_sim_watch_slides(tn_sim *sim);
tn_status tn_sim_tell_slide(tn_sim *sim, int decision);
// Expressions are evaluated in the modes of now, or in those of the last step.
void tn_sim_use_sides(tn_sim *sim, bool now);
void tn_sim_keep_sides(tn_sim *sim);              // a step begins: its modes are those of now
const tn_system *tn_sim_world(const tn_sim *sim); // absolute coordinates of its model

void tn_sim_layout_contacts(tn_sim *sim, tn_carve *mem);
// Contacts at the current state, at which a run begins.
tn_status tn_sim_open_contacts(tn_sim *sim);
const tn_contact *tn_sim_contact_of(const tn_sim *sim, int joint); // NULL: it holds both ways
void tn_sim_part_contacts(tn_sim *sim); // all are open until that is called again
// Functions whose signs tell when contacts change, and their rates (NULL: not asked for).
// Those of slides follow those of contacts.
tn_status tn_sim_contact_values(tn_sim *sim, double *value, double *rate);
// True if function i is a load, or a slip, of a closed contact.
bool tn_sim_contact_holds(const tn_sim *sim, int i);
void tn_sim_reach_contact(tn_sim *sim, int i); // the step ends where it changes
tn_status tn_sim_pass_contacts(tn_sim *sim);   // those that were reached: impacts, and modes
tn_status tn_sim_turn_contact(tn_sim *sim);    // the one that opens at the start of the step
// Steps over impacts. Finds closed contacts that would have to pull in a step that was tried, or
// all where it failed; opens these where it began; takes impacts at its end.
tn_status tn_sim_find_released(tn_sim *sim, tn_status status, bool *found);
tn_status tn_sim_let_go(tn_sim *sim);
tn_status tn_sim_step_over_impacts(tn_sim *sim);
// A step of about h that begins at an impact ends here at the latest.
double tn_sim_next_contact(const tn_sim *sim, double h);
void tn_sim_contacts_values(tn_sim *sim, tn_values *v);
void tn_sim_note_event(tn_sim *sim, tn_event_hit hit); // at the current state
void tn_sim_note_impact(tn_sim *sim, double lost);     // energy that contacts have lost at once
// Forces or velocities may jump at the current state: the integrator begins anew.
tn_status tn_sim_begin_anew(tn_sim *sim, const char *after);

int tn_sim_count_switches(const tn_sim *sim);
int tn_sim_count_decisions(const tn_sim *sim);
void tn_sim_open_switches(tn_sim *sim);
// Values and rates of all functions at the output state; rate may be NULL.
tn_status tn_sim_watch_values(tn_sim *sim, double *value, double *rate);
// One sign change of function k in the last step: between a and b, where it has other signs.
typedef struct tn_change {
    double a, fa, b, fb;
} tn_change;
// Finds if the last step needs no samples; and the values in its next window, up to watch.to.
tn_status tn_sim_watch_step(tn_sim *sim, bool *quiet);
tn_status tn_sim_watch_window(tn_sim *sim);
double tn_sim_part_time(const tn_sim *sim, int i);                          // of value i there
tn_status tn_sim_watch_value_at(tn_sim *sim, int k, double t, double *out); // of function k
// Sign changes of a function in the order of time, from those in the parts; returns how many.
enum { TN_CHANGES_MAX = 3 * TN_WATCH_PARTS };
tn_status tn_sim_watch_changes(tn_sim *sim, int k, tn_change change[TN_CHANGES_MAX], int *count);
// For a function that begins at zero but for round-off, and is on the other side than `side` at the
// first sample: finds if it was on that side before, and the change from there.
tn_status tn_sim_watch_start(tn_sim *sim, int k, int side, tn_change *change, bool *found);
tn_status tn_sim_watch_locate(tn_sim *sim, int k, const tn_change *change, double *when);

// Deflection of a spring and its rate at the output state, in the units of the model.
void tn_sim_deflection(tn_sim *sim, int force, double *y, double *rate);
tn_status tn_sim_watch_tables(
    tn_sim *sim); // an error where a spring left a table with beyond: error
// An error where fixed steps do not bear the rate at which bristles relax (views.c).
tn_status tn_sim_check_bristles(const tn_sim *sim);
// Returns true if the value of a condition is zero but for round-off.
bool tn_sim_is_zero(const tn_sim *sim, int decision, double value);
// Returns true if all values of a switch in the last step are nearer to zero than matters.
bool tn_sim_switch_rests(const tn_sim *sim, int k);

void tn_sim_layout_shapes(tn_sim *sim, tn_carve *mem);
void tn_sim_open_shapes(tn_sim *sim, double t_end); // for a run up to t_end
double tn_sim_next_pulse(const tn_sim *sim);        // after now; INFINITY for none
tn_status tn_sim_check_pole(const tn_sim *sim);     // an error where a pole is next
// The message of a run that failed where a function stops to be finite; `status` elsewhere.
tn_status tn_sim_explain_singular_time(const tn_sim *sim, tn_status status);

// The force that presses the shapes together [N], at the state of the read-out, and the round-off
// of forces: shapes that fall together touch.
double tn_sim_contact_load(tn_sim *sim, tn_joint joint);
tn_status tn_sim_check_loads(tn_sim *sim); // at the start of a run
// Contact of the shapes of a joint at the output state: contact coordinates, and the point.
void tn_sim_contact(tn_sim *sim, tn_joint joint, double *at, tn_vec3 *point);

void tn_sim_layout_recovered(tn_sim *sim, tn_carve *mem);
tn_status tn_sim_open_recovered(tn_sim *sim);
void tn_sim_forget_recovered(tn_sim *sim); // the state that is seen has changed
// A state with accelerations and multipliers as good as its q and v: itself, or until the next call
// one beside it. The second is the state that is seen.
const tn_state *tn_sim_recover(tn_sim *sim, const tn_state *x);
// The same for what decides whether a contact holds, which is asked for more.
const tn_state *tn_sim_recover_loads(tn_sim *sim, const tn_state *x);
const tn_state *tn_sim_recovered(tn_sim *sim);
void tn_sim_project_output(
    tn_sim *sim); // sim->shown, onto the constraints as the ends of the step are

void tn_sim_layout_channels(tn_sim *sim, tn_carve *mem);
void tn_sim_open_channels(tn_sim *sim);
void tn_sim_close_channels(tn_sim *sim);

void tn_sim_layout_si(tn_sim *sim, tn_carve *mem);
// An array in SI units, put to `out`, which it returns.
const double *tn_sim_si(const tn_sim *sim, tn_measure measure, const double *x, double *out);
void tn_sim_si_node(tn_sim *sim, tn_discrete_node *node);
void tn_sim_si_ledger(tn_units units, tn_ledger *ledger); // but for residuals, which are in SI

// Condition numbers (2-norm) of the last iteration matrix of a discrete principle, as [LMO08]
// writes the equations and as it is solved, and how many unknowns take part; zero and NaN for
// methods that have no such matrix. Takes memory: between steps alone.
tn_status tn_sim_condition(const tn_sim *sim, int *unknowns, double *written, double *solved);

void tn_sim_layout_ledger(tn_sim *sim, tn_carve *mem);
// Integrates the powers over the last step h, `from` and `to` being those at its ends; false where
// there is no dense output.
bool tn_sim_integrate_works(tn_sim *sim, double h, tn_exchange from, tn_exchange to);
// Works by gains of motors (works_closed_form.c): whether they are all that forces exchange; gains
// at the current state; works of the step h, false where turns are not sure; and of a part h of it
// that ends at the state whose powers were evaluated last, of all and of each force (or NULL).
bool tn_sim_works_have_closed_form(const tn_sim *sim);
void tn_sim_see_gains(const tn_sim *sim, double *gain);
bool tn_sim_closed_form_works(tn_sim *sim, double h);
tn_exchange tn_sim_closed_form_part(const tn_sim *sim, double h, tn_exchange *each);
// Work over the part s of the last step, from 0 to 1. The output state is the one there.
tn_exchange tn_sim_partial_work(const tn_sim *sim, double s, double h);
void tn_sim_open_ledger(tn_sim *sim);
// As tn_sim_show, for samples of our own, which count neither in ledger nor verdict.
tn_status tn_sim_sample_silently(tn_sim *sim, double t);
// Residuals, energies and momenta at sim->shown into those of the current state.
void tn_sim_measure_shown(tn_sim *sim, bool judged, tn_ledger *out);
void tn_sim_note_shown(tn_sim *sim); // into the largest, once the ledger of what is shown is there
// The state at t within the last step, into sim->shown.
tn_status tn_sim_interpolate(tn_sim *sim, double t);
// sim->shown becomes the state a little later, on the way that the motion has now.
void tn_sim_look_ahead(tn_sim *sim, double dt);
void tn_sim_note_balance(tn_ledger *ledger); // of the current state, into its largest and smallest
void tn_sim_note_jump(tn_sim *sim);          // powers jump here: their quadrature starts anew
void tn_sim_note_push(tn_sim *sim); // the same where only forces jump, which were evaluated
void tn_sim_note_impulse(tn_sim *sim, double energy); // what a jump of drives has supplied at once

// works: something exchanges energy; dense: works are by dense output.
void tn_sim_layout_element_work(tn_sim *sim, bool works, bool dense, bool closed_form,
                                tn_carve *mem);
void tn_sim_open_element_work(tn_sim *sim);
void tn_sim_keep_sums(tn_sim *sim);      // a step begins
void tn_sim_take_sums_back(tn_sim *sim); // it was not taken
// Powers by element at the current state, which were evaluated with those of all, or with forces:
// as they are after a jump (with their sum), and as those at the end of a step.
void tn_sim_element_work_jump(tn_sim *sim);
tn_exchange tn_sim_element_work_push(tn_sim *sim);
void tn_sim_shift_powers(tn_sim *sim);
// Quadrature of a step: nodes of a part one by one, with the powers as evaluated (NULL) or given;
// the powers at the middle of a part; a part of length h whose ends have the weight w; and a whole
// step from the powers before it, at its begin and at its end.
void tn_sim_clear_nodes(tn_sim *sim);
// Of powers by element as evaluated (NULL) or given: those supplied, each by a factor of its own.
double tn_sim_mix_powers(const tn_sim *sim, const tn_exchange *powers);
void tn_sim_element_work_node(tn_sim *sim, double weight, const tn_exchange *powers);
tn_exchange *tn_sim_element_work_middle(tn_sim *sim, int level);
void tn_sim_element_work_part(tn_sim *sim, double h, double w, const tn_exchange *from,
                              const tn_exchange *to);
double tn_sim_largest_element_work(
    const tn_sim *sim); // the largest work of an element so far, without sign
void tn_sim_element_work_step(tn_sim *sim, const double w[3]);
void tn_sim_cut_element_work(tn_sim *sim, double s, double h); // the last step h ends at its part s
// Samples the powers of the last step up to its part s once more, as nodes of the works per
// element.
bool tn_sim_repeat_works(tn_sim *sim, double s, double h);
