// SPDX-License-Identifier: MIT
//
// Simulation: a model (or a user's own equations) under a method, advanced in time.
//
//     tn_sim_options options = tn_default_sim();
//     options.method = "galpha/ggl";      // integrator/formulation@coordinates, or "auto"
//     tn_sim *sim = NULL;
//     tn_status s = tn_sim_create(model, &options, &sim);   // finds consistent start values
//     while (s == TN_OK && tn_sim_time(sim) < 1.0)
//         s = tn_sim_step(sim, 1e-3);
//     tn_sim_destroy(sim);
//
// Nothing is allocated between tn_sim_create and tn_sim_destroy. Simulations share no state:
// several may run side by side in threads, also on one model. One simulation is used by one thread
// at a time, but for functions of a `const tn_sim`, which may be called at the same time as long as
// nothing else is: functions that have to evaluate are not const. A simulation keeps its model
// alive: tn_model_destroy may be called before tn_sim_destroy. Functions that are given NULL or an
// index that does not exist return TN_ERR_USAGE, or a value that means nothing (0, "", NULL, index
// -1), and tn_last_error() names the function and the argument.

#pragma once

#include "tenon/base.h"
#include "tenon/json.h"
#include "tenon/model.h"
#include "tenon/system.h"

// A motion in time; tn_sim_destroy it.
typedef struct tn_sim tn_sim;

// Settings of a simulation. The keys of the `simulate` block of model files have the same names.
typedef struct tn_sim_options {
    const char *method;   // "integrator/formulation@coordinates"; parts may be left out; "auto"
    const char *rotation; // "auto": so3, for multi-step methods quaternion; "so3", "se3",
                          // "quaternion" or "euler"
    double t_start;       // [s]
    double step;          // fixed step, or first step of an error-controlled run; 0: galpha and hht
                          // take a thousandth of the time that the motion has for some lengths of
                          // the model, all others control their error and choose [s]
    bool adaptive;        // error-controlled step
    double rtol, atol;    // of the error-controlled step; atol is a part of the size of the model,
                          // of an angle of 1 rad, and of speeds that go with these
    double atol_length;   // absolute tolerances of one kind, in place of atol; 0: by atol [m]
    double atol_angle;    // [rad]
    double atol_speed;    // [m/s]
    double atol_rate;     // [rad/s]
    double step_min, step_max; // bounds of the error-controlled step; 0: none [s]
    double rho_inf;            // galpha: spectral radius at infinite frequency, 0 to 1
    double hht_alpha;          // hht: alpha in [-1/3, 0]
    double newton_tol;         // relative tolerance of the corrector iteration
    int newton_max;            // iterations before a step is given up
    int jacobian_every;   // 1: fresh tangent in each iteration; 0: reuse while it converges well
    bool corrected_start; // index3: velocity start corrected to second order in lambda
    int nproject;         // times at which velocities are projected onto B v = 0
    const double *project_times; // [s], increasing
    double assembly_tol;         // allowed gap of joints after assembly [sizes of the model, rad]
    double dependence_tol;       // axes and lengths that are off by up to this part repeat others
                                 // all the same, as in a loop of parallel axes [rad, or of lengths]
    double massless_tol;    // inertias up to this part of the largest of the bodies that joints
                            // connect with them count as none
    double project_tol;     // "+project": q and v are projected where |g| or |B v| is above this
                            // [sizes of the model, rad]
    double baumgarte_alpha; // baumgarte: B v' + gamma + 2 alpha (B v + g_t) + beta^2 g = 0 [1/s]
    double baumgarte_beta;  // [1/s]; both 0: 20 by the time that the motion has for some lengths
                            // of the model, which is 1 s for a metre under gravity
    double baumgarte_c;     // baumgarte2: B v + g_t + (C/h) g = 0; 0 < C <= 1
    double penalty_alpha;   // penalty, augmented-lagrangian: weight of rows, in effective masses
    double penalty_omega;   // r = B v' + gamma + 2 mu omega (B v + g_t) + omega^2 g [1/s]; 0: as
                            // baumgarte_alpha
    double penalty_mu;      // damping ratio of that
    int penalty_iterations; // augmented-lagrangian: rounds, at most
    const char *nullspace;  // basis of ker B: "auto", "lu", "qr", "svd", "gram-schmidt", "natural",
                            // "zero-eigenvalue"
    const char
        *characteristics; // maggi: velocities by name, "crank.angle.rate, arm.velocity.x", one
                          // for each freedom; NULL or "": the basis chooses
    const char *euler_sequence;  // "auto", or "zxz", "zyx", …: intrinsic rotations
    const char *quaternion_norm; // "renormalise" after each step, or "multipliers" [Arn16, eq. 45]
    double kappa;  // radau5, bdf: tolerance of the corrector as a part of that of the step; 0: the
                   // method's own
    int max_order; // bdf, adams: largest order; fixed-step bdf: its order; 0: the method's own
    const char *bounds; // of the verdict, by name: "energy<1e-2,g<1e-6"; NULL or "": the defaults
    int threads;        // that share the work of a step, 1 to 256; 0: one for each processor where
                        // the model is large, else 1. Results do not depend on it
    const char *stiff;  // auto takes a method for stiff models, for this reason; NULL: by the start
    bool wrenches;      // tn_sim_apply_wrench may push any body; costs a force on each of them
    unsigned long long stated; // set by readers of files: the stated ones of the above; 0: all that
                               // differs from the defaults
    unsigned long long in_file; // the same of what the file of the model states, for messages
} tn_sim_options;

// The options of `tenon run` without any: the method is chosen.
TN_API tn_sim_options tn_default_sim(void);

// Finds consistent start values of the model and makes everything ready for the first step.
TN_API tn_status tn_sim_create(const tn_model *model, const tn_sim_options *options, tn_sim **out);
// The same for equations given as callbacks (tenon/system.h). q and v are start values.
TN_API tn_status tn_sim_create_callbacks(const tn_callbacks *callbacks, const double *q,
                                         const double *v, const tn_sim_options *options,
                                         tn_sim **out);
TN_API void tn_sim_destroy(tn_sim *sim);

// One step of size h [s]. On an error the state is that of the last good step.
TN_API tn_status tn_sim_step(tn_sim *sim, double h);
// Advances to exactly t_end with the step of the options, fixed or error-controlled; after each
// accepted step calls `each` (may be NULL), which may end the run by returning another status.
typedef tn_status (*tn_sim_observer)(void *user, tn_sim *sim);
TN_API tn_status tn_sim_run(tn_sim *sim, double t_end, tn_sim_observer each, void *user);
// Sets an input of the model, held or filtered, from the next step on; call it between steps or in
// an observer. Several inputs that are set between two steps change together. All integrators but
// galpha and hht start anew then. Fails for an index that is none and for values that are not
// finite.
TN_API tn_status tn_sim_set_input(tn_sim *sim, tn_input input, double value);
// The same for an input of kind motion: value, first and second derivative. A drive must go on from
// where the last ones have led: where it would jump by more than a thousandth (of the size of the
// model, or rad) the next step is refused.
TN_API tn_status tn_sim_set_input_motion(tn_sim *sim, tn_input input, double value, double rate,
                                         double acceleration);
TN_API double tn_sim_input(const tn_sim *sim, tn_input input); // in the output state

// In which axes a wrench has its components: those of the body turn with it.
typedef enum tn_axes { TN_AXES_INERTIAL, TN_AXES_BODY } tn_axes;
// A force [N] and a moment [N m] on a body from outside, at a point of the body that is given in
// its frame [m]. They act from the next step on until the next call for this body; a wrench of
// zeros takes them away. Their work is supplied in the ledger. Call it as tn_sim_set_input;
// integrators take it as a held input. Fails without options.wrenches, for a body that does not
// exist, for the ground, for numbers that are not finite, and for a point mass, where it is not a
// force in inertial axes at its place.
TN_API tn_status tn_sim_apply_wrench(tn_sim *sim, tn_body body, tn_vec3 point, tn_axes axes,
                                     tn_wrench wrench);
// Asks a simulation to stop after the current step; where none is running, the next tn_sim_run
// returns TN_ERR_STOPPED at once. Safe in a signal handler.
TN_API void tn_sim_stop(tn_sim *sim);

// Begins anew at another state of the model: time [s], positions (tn_sim_nq) and velocities
// (tn_sim_nv) in the coordinates of the simulation, as tn_sim_time, tn_sim_q and tn_sim_v give
// them; NULL leaves them as they are. Ledger (but for counts of work), verdict and events are those
// from there on, inputs have the values of the model again, wrenches are gone, and every integrator
// starts anew. Not for observers. Quaternions are normalised; angles that q does not hold are
// within half a turn of their old values. With `project` the state is moved onto the constraints,
// in the norm of the mass matrix; without, it must satisfy them to a millionth (of the size of the
// model, rad, and of the speed that is usual). A state that is refused leaves the simulation as it
// was. States c and sampled values r stay as they are (tn_sim_set_value), w and s follow. A
// hysteresis stays on its side, unless its input is beyond the band there. Sampled systems keep
// their times, and where t is another one their values that wait for a delay are gone: those that
// act do so until one that is sampled later comes to act. To begin again with all that a model has,
// save a simulation at its start and load that.
TN_API tn_status tn_sim_set_state(tn_sim *sim, double t, const double *q, const double *v,
                                  bool project);
// Gives a state of the model or a value of a sampled system another value by its name ("integral",
// "servo.u", "bearing.bristle"), and begins anew there as tn_sim_set_state does. A sampled value
// acts at once, without its delay.
TN_API tn_status tn_sim_set_value(tn_sim *sim, const char *name, double value);

// Saves all that a simulation knows, after a step or in an observer, as named numbers with their
// units (docs/formats/state.md), and loads it into another simulation of the same model with the
// same options, also in another process: that one goes on as the first would have, to the last bit
// on the same machine with the same libraries. Only bdf and adams with error control start anew
// from the saved state: SUNDIALS does not hand out their history. Names, sizes and ranges are
// checked: data that does not fit is refused with a sentence, and the simulation is as before. The
// user's own functions must not store anything.
TN_API tn_status tn_sim_save(const tn_sim *sim, void **saved, size_t *size);
TN_API void tn_saved_free(void *saved);
TN_API tn_status tn_sim_load(tn_sim *sim, const void *saved, size_t size);
// True if a simulation that is loaded goes on to the last bit.
TN_API bool tn_sim_loads_exactly(const tn_sim *sim);

// Dense output: within the last step, from where it began (tn_sim_before) to where it ended
// (tn_sim_time), shows the state at t to all read-out functions until the next call of
// tn_sim_current, of a step or of run. It does not change the motion.
TN_API double tn_sim_before(const tn_sim *sim);
TN_API tn_status tn_sim_show(tn_sim *sim, double t);
TN_API void tn_sim_current(tn_sim *sim); // back to the end of the step

// Events so far, in order of time; the first 4096 are saved.
typedef struct tn_event_hit {
    int event; // of the model or of the user's functions
    double t;  // [s]
    bool rising;
} tn_event_hit;
// Returns how many there are; the array lives as long as the simulation.
TN_API int tn_sim_event_hits(const tn_sim *sim, const tn_event_hit **out);
// The event that has ended the last run, -1 for none: tn_sim_run then returns TN_OK before t_end.
TN_API int tn_sim_ended_by(const tn_sim *sim);

// Read-out ----------------------------------------------------------------------------------------

TN_API double tn_sim_time(const tn_sim *sim); // [s]
// Frame and velocities of a body: of the origin of its frame, in inertial axes; rates in body axes.
TN_API tn_frame tn_sim_body_frame(tn_sim *sim, tn_body body);
TN_API tn_quat tn_sim_body_rotation(tn_sim *sim, tn_body body);
TN_API tn_vec3 tn_sim_body_velocity(tn_sim *sim, tn_body body); // [m/s]
TN_API tn_vec3 tn_sim_body_rate(tn_sim *sim, tn_body body);     // [rad/s]
TN_API tn_vec3 tn_sim_body_acceleration(tn_sim *sim, tn_body body);
TN_API tn_vec3 tn_sim_body_rate_dot(tn_sim *sim, tn_body body);
// Coordinates of a joint and their rates (each may be NULL); returns how many (at most 3).
TN_API int tn_sim_joint_coordinates(tn_sim *sim, tn_joint joint, double *q, double *rate);
// Their second derivatives [rad/s^2, m/s^2]; returns how many.
TN_API int tn_sim_joint_accelerations(tn_sim *sim, tn_joint joint, double *a);
// Force and torque on body B at the origin of its joint frame, inertial axes [N, N m].
TN_API tn_wrench tn_sim_joint_reaction(tn_sim *sim, tn_joint joint);
// Multipliers of a joint's rows; returns how many (at most 6). unique[i] is true if the equations
// determine the value, else it is one of many (then: of minimum norm). Both may be NULL.
TN_API int tn_sim_joint_multipliers(tn_sim *sim, tn_joint joint, double *lambda, bool *unique);

// The load of a force element.
typedef struct tn_force_state {
    tn_wrench on_b;    // on body B at the origin of frame B, inertial axes [N, N m]
    double energy;     // stored [J]
    double dissipated; // power turned into heat [W]
    double supplied;   // power put in from outside [W]
    double power;      // of its forces on the bodies: supplied - dissipated - d(energy)/dt [W]
    bool is_scalar;    // it acts along one coordinate; else the numbers below are 0
    double coordinate; // length, angle or joint coordinate [m, rad]
    double deflection; // of springs, from where they are free; else the coordinate [m, rad]
    double rate;       // of both [m/s, rad/s]
    double effort;     // along the coordinate, positive where it makes it larger [N, N m]
    double slip;       // of friction: speed of its surfaces against each other [m/s]
    tn_vec3 slips;     // along each of its directions
    bool is_section;   // it is an element of a beam; else the numbers below are 0
    // In the axes of the section, z along the beam: the part behind it, towards the end of the
    // beam, acts on the part before it by this force and moment, by the elastic law and by damping
    // [N, N m].
    tn_wrench section;
    tn_vec3 strain;    // shear along x and y, stretch
    tn_vec3 curvature; // bending about x and y and twist, beyond those without strain [1/m]
} tn_force_state;

// Reads the load of a force element at the output state.
TN_API tn_status tn_sim_force(tn_sim *sim, tn_force force, tn_force_state *out);

// Channels: all numbers that are known of a simulation by a name, the columns of result.csv in
// their order. They are numbered from 0; the list does not change.
typedef struct tn_channel_info {
    const char *name; // "time", "crank.position.x", "pin.force.x"; lives as long as the simulation
    const char *unit; // "" for none
    int rate;         // the channel of its derivative by time, -1: not listed
} tn_channel_info;

// Number of channels; 0 for NULL.
TN_API int tn_sim_channel_count(tn_sim *sim);
// The name and the unit of a channel. Names are made at the first call of this or the next
// function, which takes memory.
TN_API tn_status tn_sim_channel_at(tn_sim *sim, int channel, tn_channel_info *out);
// The channel of a name; an unknown name is an error that names the nearest one.
TN_API tn_status tn_sim_channel_find(tn_sim *sim, const char *name, int *out);
// The value of a channel at the output state; NAN for a channel that does not exist, and for
// numbers that discrete principles have at their nodes alone.
TN_API double tn_sim_channel(tn_sim *sim, int channel);

// The motion of a frame: of its origin, and angular.
typedef struct tn_frame_motion {
    tn_frame frame;       // [m]
    tn_vec3 velocity;     // [m/s]
    tn_vec3 rate;         // [rad/s]
    tn_vec3 acceleration; // [m/s^2]
    tn_vec3 rate_dot;     // [rad/s^2]
} tn_frame_motion;

// A frame that is fixed to a body and given in the frame of the body, in inertial axes. Frame and
// velocities are zero for a body that does not exist.
TN_API tn_frame_motion tn_sim_frame(tn_sim *sim, tn_body body, tn_frame frame);
// Frame B as one sees it who moves and turns with frame A, in the axes of A.
TN_API tn_frame_motion tn_sim_frame_between(tn_sim *sim, tn_body body_a, tn_frame frame_a,
                                            tn_body body_b, tn_frame frame_b);
// The Jacobian of a frame: its velocity and its rate, in inertial axes, are J v but for the part of
// drives on frames that they prescribe. 6 x tn_sim_nv numbers, column by column.
TN_API tn_status tn_sim_frame_jacobian(tn_sim *sim, tn_body body, tn_frame frame, double *J);
// The mass matrix in the raw velocities, nv x nv, column by column, and the vector f of all forces,
// gravity and velocity terms, nv, of M v' = f - B^T lambda, at the output state.
TN_API tn_status tn_sim_mass_matrix(tn_sim *sim, double *M);
TN_API tn_status tn_sim_forces(tn_sim *sim, double *f); // the same f, alone

// The raw state, for user equations and tests. Memory lives as long as the simulation, values are
// good until the next step, tn_sim_show or tn_sim_current: call again after these.
TN_API int tn_sim_nq(const tn_sim *sim);
TN_API int tn_sim_nv(const tn_sim *sim);
TN_API int tn_sim_nl(const tn_sim *sim); // holonomic rows
TN_API int tn_sim_nn(const tn_sim *sim); // nonholonomic rows
TN_API const double *tn_sim_q(tn_sim *sim);
TN_API const double *tn_sim_v(tn_sim *sim);
TN_API const double *tn_sim_a(tn_sim *sim); // v'
TN_API const double *tn_sim_lambda(tn_sim *sim);
TN_API const double *tn_sim_eta(tn_sim *sim);
TN_API const double *tn_sim_extra(tn_sim *sim);         // c, w, s
TN_API const double *tn_sim_sampled(const tn_sim *sim); // r

// A node of the motion of a discrete principle (variational, energy-momentum) [LMO08, sect. 3], in
// the raw coordinates. Rows are all holonomic ones; g_t is that of drives.
typedef struct tn_discrete_node {
    int nv, ng, nreduced;
    const double *p;       // nv: momentum [LMO08, eq. 35]
    const double *Qp;      // nv: projected momentum, in agreement with the constraints [eq. 40]
    const double *reduced; // nreduced: P^T p [eq. 42]; none with the form `multiplier`
    const double *f;       // ng: B u + g_t at the middle of the interval that begins here [eq. 45]
    const double *h;       // ng: B M^-1 p + g_t [eq. 46]; NULL where axes have no inertia
    const double *h_Qp;    // ng: the same of Qp
    double E_d; // kinetic energy of u and potential at the middle of that interval [eq. 52, J]
    double H_d; // kinetic energy of p and potential [eq. 53, J]; by the reduced M [eq. 114] where
                // axes have no inertia
    // Linear momentum of all bodies [kg m/s] and angular momentum about the origin [kg m^2/s],
    // inertial axes, in directors: by (q_n, q_n+1) as E_d is, by p and by Qp.
    double linear_d[3], angular_d[3], linear_p[3], angular_p[3], linear_Qp[3], angular_Qp[3];
    bool has_momentum;
} tn_discrete_node;

// False for other methods, and where the output state is not at the end of a step. Energies are NAN
// where the equations have none. Arrays are good until the next step or call.
TN_API bool tn_sim_discrete(tn_sim *sim, tn_discrete_node *out);

// Ledger ------------------------------------------------------------------------------------------

// The cost of a run, and its errors in constraints, energy and momenta.
typedef struct tn_ledger {
    long steps, rejected, newton, factorizations, evaluations, tangents;
    long projections;            // of q and v onto the constraints, `+project`
    long events;                 // met so far
    int order;                   // of the last step
    long order_steps[13];        // taken with each order, by integrators that change it
    double g, gdot;              // largest |g| and |B v + g_t| now
    double max_g;                // largest |g| seen, over accepted steps and output states
    double max_gdot;             // largest |B v + g_t|
    double energy_start, energy; // kinetic + potential [J]
    double kinetic, potential;   // now [J]
    double dissipated, supplied; // work so far [J]
    double jumps;                // of `supplied`: the part of jumps of drives [J]
    double impacts;              // of `dissipated`: the part of impacts [J]
    double balance;              // energy + dissipated - supplied - energy_start [J]
    double max_balance;          // largest |balance| seen [J]
    double band[2];              // smallest and largest balance seen [J]
    double drift;                // slope of the balance over time, by least squares [J/s]
    double energy_scale; // size that relates the balance: largest energy exchanged so far [J]
    double energy_noise; // round-off of what was summed: a balance up to this is none [J]
    // Distance of the constraints from losing rank, relative to their largest distance: the
    // smallest singular value of their matrix in the metric of M, at those times at which the
    // factorisations of the method gave an estimate; and the time of that. See tn_sim_rank_least.
    double rank_margin, rank_margin_time;
    double momentum[3], spin[3];               // now
    double momentum_start[3], spin_start[3];   // at the start
    double momentum_change[3], spin_change[3]; // largest |change| of each component since then
    bool has_energy, has_momentum;
    double step_min, step_max; // of the accepted steps [s]
    double step;               // the last one, which contains the output state [s]
    double wall;               // seconds of computing
} tn_ledger;

// Writes the ledger of the run so far.
TN_API void tn_sim_ledger(const tn_sim *sim, tn_ledger *out);

// The work of one element so far: a force, a wrench on a body, the drive of a joint, or all jumps
// of drives together.
typedef struct tn_work {
    const char *name;            // of the force, body or joint; "" for jumps of drives
    const char *kind;            // of the force, "wrench", "drive" or "jumps of drives"
    double dissipated, supplied; // [J]
} tn_work;

// Number of elements: forces in the order of the model, wrenches, joints (with zeros for those
// without a drive), jumps of drives; 0 for users' equations.
TN_API int tn_sim_work_count(const tn_sim *sim);
// The work of an element up to the end of the last step, whatever the output state is. All together
// are `dissipated` and `supplied` of the ledger. Names live as long as the simulation.
TN_API tn_status tn_sim_work(const tn_sim *sim, int element, tn_work *out);
// The largest balance, less its round-off, by the energy exchanged; NAN without energies.
TN_API double tn_ledger_relative_balance(const tn_ledger *ledger);

// Verdict: the ledger by bounds that hold for healthy runs (docs/guide/ledger.md has them and their
// reasons). A run that has come to its end with a bound passed is doubtful. The bound of `joints`
// is another one: a step that passes it fails.

// The end of a run.
typedef enum tn_outcome { TN_OUTCOME_DONE, TN_OUTCOME_DOUBTFUL, TN_OUTCOME_FAILED } tn_outcome;

// One quantity of the ledger, or of an analysis, and its bound.
typedef struct tn_judged {
    const char *quantity; // "g", "Bv", "energy", …: those of docs/guide/ledger.md; of analyses
                          // "kink", "difference", "held", "elimination", …
    double value;         // as a part of the size of its quantity, see the docs
    double bound;         // the verdict is doubtful when value is above it, or is no number
    double t;             // when it was nearest to its bound, or farthest above it [s]
    bool doubtful;
    char where[96]; // "joint 'pin', row x", "body 'rod'"; "" for the whole run
    char text[400]; // when doubtful: a sentence with what to try; else ""
} tn_judged;

enum { TN_MOST_JUDGED = 20 };
// All quantities that are checked, and the outcome: of a run, or of an analysis, which has no
// sizes.
typedef struct tn_verdict {
    tn_outcome outcome;
    double length, speed; // sizes of the mechanism, that residuals are related to [m, m/s]
    int count;
    tn_judged judged[TN_MOST_JUDGED];
} tn_verdict;

// The verdict on the run so far.
TN_API void tn_sim_verdict(const tn_sim *sim, tn_verdict *out);
// The text of the first warning, NULL where there is none.
TN_API const char *tn_verdict_warn(const tn_verdict *verdict);
// "done", "doubtful" or "failed".
TN_API const char *tn_outcome_word(tn_outcome outcome);
// Writes `judged` and `doubts` as docs/formats/json.md has them.
TN_API void tn_verdict_put(tn_json *json, const tn_verdict *verdict);

// Singular positions: where constraints that are independent elsewhere depend on each other, so
// that the rank of their matrix drops and motions become possible that are not on the way.
enum { TN_RANK_ROWS = 6 };
// Distance of constraints from depending on each other.
typedef struct tn_rank_margin {
    double t;     // [s]
    double ratio; // smallest by largest singular value of the independent rows, of unit length;
                  // NAN for systems that are too large to find it
    int nrow;     // rows that come to depend on each other, those with the largest part first
    char row[TN_RANK_ROWS][96]; // their names
} tn_rank_margin;
// At the state that is shown. Both take memory and time for a dense matrix and give it back.
TN_API tn_status tn_sim_rank_now(tn_sim *sim, tn_rank_margin *out);
// The position at which the margin of the ledger was found; the start before any step.
TN_API tn_status tn_sim_rank_least(tn_sim *sim, tn_rank_margin *out);
// The equations in the coordinates of the method, in the form of [Arn16, eq. 44], before a
// formulation changes them.
typedef struct tn_equations {
    const char *coordinates; // "absolute", "joint", "director", "callbacks"
    int index;               // as a differential-algebraic system: 3, 2, 1, or 0 for ordinary ones
    const char *why;         // its reason, "holonomic rows"
    int q, v;                // positions and velocities
    int c, w, s;             // continuous states, algebraic variables, contact coordinates
    int r;                   // sampled states
    int lambda, eta;         // multipliers: holonomic and nonholonomic rows, with redundant ones
} tn_equations;
// Describes the equations of a simulation.
TN_API void tn_sim_equations(const tn_sim *sim, tn_equations *out);
TN_API const char *tn_sim_method(const tn_sim *sim);   // "galpha/ggl@absolute"
TN_API const char *tn_sim_why(const tn_sim *sim);      // why this method, in one line
TN_API const char *tn_sim_rotation(const tn_sim *sim); // "so3", "quaternion" …, as it is used
TN_API const char *tn_sim_solver(const tn_sim *sim);   // linear solver in use
// Sentences that are no errors but worth reading, of the start and of the run so far.
TN_API int tn_sim_note_count(const tn_sim *sim);
TN_API const char *tn_sim_note(const tn_sim *sim, int i);
TN_API int tn_sim_freedoms(const tn_sim *sim);  // velocity coordinates - rank of constraints
TN_API int tn_sim_redundant(const tn_sim *sim); // constraint rows that repeat others
