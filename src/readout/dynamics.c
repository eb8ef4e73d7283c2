// SPDX-License-Identifier: MIT
//
// The equations of motion at any state; see tenon/dynamics.h. The state is that of a start, and
// what is read of it are the sensors that simulations have.

#include "tenon/dynamics.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "model/units.h"
#include "readout/sensors.h"

#include <math.h>

struct tn_dynamics {
    tn_model *model; // in units of its own size
    tn_start start;  // start.x is the state
    tn_state first;  // that of the model
    tn_sensors sensors;
    bool solved;                // x has accelerations and multipliers
    double *q, *v;              // the state in SI units
    double *force, *multiplier; // nv, ng + nn
    void *block;
};

static void dynamics_layout(void *self, tn_carve *mem)
{
    tn_dynamics *d = self;
    const tn_system *sys = d->start.sys;
    tn_sensors_layout(&d->sensors, mem);
    tn_state_layout(sys, &d->first, mem);
    d->q = tn_carve_doubles(mem, sys->nq);
    TN_CARVE_DOUBLES(mem, sys->nv, &d->v, &d->force);
    d->multiplier = tn_carve_doubles(mem, sys->ng + sys->nn);
}

// The state is another one.
static void take_state(tn_dynamics *d)
{
    const tn_system *sys = d->start.sys;
    tn_system_to_si(sys, TN_MEASURE_POSITION, d->start.x.q, d->q);
    tn_system_to_si(sys, TN_MEASURE_VELOCITY, d->start.x.v, d->v);
    d->solved = false;
    tn_sensors_forget(&d->sensors);
}

static tn_status choose_coordinates(tn_dynamics *d, const char *coordinates)
{
    const tn_coordinates *to = coordinates ? tn_find_coordinates(coordinates) : NULL;
    if (coordinates && !to)
        return tn_unknown_coordinates(coordinates);
    return to ? tn_start_to(&d->start, to, NULL) : TN_OK;
}

static tn_status build_dynamics(tn_dynamics *d, const char *coordinates)
{
    const tn_sim_options options = tn_default_sim();
    TN_TRY(tn_start_model(d->model, &options, &d->start));
    TN_TRY(choose_coordinates(d, coordinates));
    d->sensors = (tn_sensors){.model = d->model, .start = &d->start};
    TN_TRY(tn_carve_block(d, dynamics_layout, &d->block));
    tn_state_copy(d->start.sys, &d->start.x, &d->first);
    take_state(d);
    return TN_OK;
}

tn_status tn_dynamics_create(const tn_model *model, const char *coordinates, tn_dynamics **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, out);
    *out = NULL;
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    tn_dynamics *d = tn_alloc(sizeof *d);
    TN_TRY(tn_got(d));
    tn_status status = tn_model_in_units(model, tn_model_units(model), &d->model);
    TN_THEN(status, build_dynamics(d, coordinates));
    if (status == TN_OK)
        *out = d;
    else
        tn_dynamics_destroy(d);
    return tn_place_error(model, tn_leave(status, "no consistent start values"));
}

void tn_dynamics_destroy(tn_dynamics *d)
{
    if (!d)
        return;
    tn_start_clear(&d->start);
    tn_free(d->block);
    tn_model_in_units_destroy(d->model);
    tn_free(d);
}

TN_GETTER(int, tn_dynamics_nq, (const tn_dynamics *d), d, 0, d->start.sys->nq);
TN_GETTER(int, tn_dynamics_nv, (const tn_dynamics *d), d, 0, d->start.sys->nv);
TN_GETTER(int, tn_dynamics_rows, (const tn_dynamics *d), d, 0, d->start.sys->ng + d->start.sys->nn);

tn_status tn_dynamics_velocity_name(const tn_dynamics *d, int i, char *text, size_t size)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, text);
    TN_NEED_INDEX(i, tn_dynamics_nv(d), TN_ERR_USAGE);
    d->start.sys->ops->velocity_name(d->start.sys, i, text, size);
    return TN_OK;
}

tn_status tn_dynamics_row_name(const tn_dynamics *d, int i, char *text, size_t size)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, text);
    TN_NEED_INDEX(i, tn_dynamics_rows(d), TN_ERR_USAGE);
    d->start.sys->ops->row_name(d->start.sys, i, text, size);
    return TN_OK;
}

// The state ---------------------------------------------------------------------------------------

tn_status tn_dynamics_set(tn_dynamics *d, double t, const double *q, const double *v)
{
    TN_NEED(d, TN_ERR_USAGE);
    tn_clear_error();
    TN_TRY(tn_start_set(&d->start, t, q, v));
    take_state(d);
    return TN_OK;
}

tn_status tn_dynamics_reset(tn_dynamics *d)
{
    TN_NEED(d, TN_ERR_USAGE);
    tn_state_copy(d->start.sys, &d->first, &d->start.x);
    tn_model_start_inputs(d->model, d->first.t);
    TN_TRY(tn_start_set(&d->start, d->first.t, NULL, NULL));
    take_state(d);
    return TN_OK;
}

tn_status tn_dynamics_set_input(tn_dynamics *d, tn_input input, double value)
{
    TN_NEED(d, TN_ERR_USAGE);
    TN_NEED_INDEX(input.index, d->model->inputs.count, TN_ERR_USAGE);
    if (!isfinite(value))
        return tn_fail(TN_ERR_USAGE, "input '%s': its value is %g; it must be finite",
                       d->model->inputs.at[input.index]->name, value);
    const double number[TN_INPUT_NUMBERS] = {value, 0.0, 0.0, d->start.x.t};
    tn_model_put_numbers(d->model, input.index, number);
    TN_TRY(tn_start_set(&d->start, d->start.x.t, NULL, NULL)); // what was placed is of the past
    take_state(d);
    return TN_OK;
}

tn_status tn_dynamics_set_value(tn_dynamics *d, const char *name, double value)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, name);
    bool known;
    tn_clear_error();
    TN_TRY(tn_start_put_value(&d->start, name, value, &known));
    if (!known)
        return tn_fail(TN_ERR_USAGE, "the model has no state and no sampled value '%s'", name);
    TN_TRY(tn_start_set(&d->start, d->start.x.t, NULL, NULL)); // what was placed is of the past
    take_state(d);
    return TN_OK;
}

TN_GETTER(double, tn_dynamics_time, (const tn_dynamics *d), d, 0.0, d->start.x.t);
TN_GETTER(const double *, tn_dynamics_q, (const tn_dynamics *d), d, NULL, d->q);
TN_GETTER(const double *, tn_dynamics_v, (const tn_dynamics *d), d, NULL, d->v);

static tn_status evaluate_state(tn_dynamics *d, unsigned want)
{
    const tn_point at = tn_state_point(&d->start.x);
    d->sensors.looked_at = NULL;
    return tn_leave(tn_system_eval(d->start.sys, &at, want), "the equations cannot be evaluated");
}

// Holonomic rows, then nonholonomic ones.
static void put_rows(const tn_dynamics *d, double scale, const double *holonomic,
                     const double *others, double *out)
{
    const tn_system *sys = d->start.sys;
    if (!out)
        return;
    tn_system_to_si(sys, TN_MEASURE_ROW, holonomic, out);
    tn_system_to_si(sys, TN_MEASURE_VELOCITY_ROW, others, out + sys->ng);
    tn_scale(sys->ng + sys->nn, scale, out);
}

tn_status tn_dynamics_residuals(tn_dynamics *d, double *g, double *rate)
{
    TN_NEED(d, TN_ERR_USAGE);
    const tn_system *sys = d->start.sys;
    tn_clear_error();
    TN_TRY(evaluate_state(d, TN_EVAL_G | TN_EVAL_GDOT));
    tn_zero(sys->nn, d->multiplier); // rates alone are constrained
    put_rows(d, 1.0, sys->g, d->multiplier, g);
    put_rows(d, 1.0, sys->gdot, sys->ndot, rate);
    return TN_OK;
}

// Equations ---------------------------------------------------------------------------------------

tn_status tn_dynamics_mass_matrix(tn_dynamics *d, double *M)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, M);
    tn_clear_error();
    return tn_leave(tn_sensors_mass_matrix(&d->sensors, &d->start.x, M), "no mass matrix");
}

tn_status tn_dynamics_forces(tn_dynamics *d, double *f)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, f);
    tn_clear_error();
    return tn_leave(tn_sensors_forces(&d->sensors, &d->start.x, f), "no forces");
}

// Adds a block of the constraints to G, `row0` rows below its top.
static void put_block(const tn_dynamics *d, const tn_sparse *block, int row0, double *G)
{
    TN_ASSERT(!block || row0 + block->nrow <= d->start.sys->ng + d->start.sys->nn);
    const tn_system *sys = d->start.sys;
    const size_t rows = (size_t)(sys->ng + sys->nn);
    for (int j = 0; block && j < block->ncol; j++)
        for (int k = block->colptr[j]; k < block->colptr[j + 1]; k++) {
            const int i = block->rowind[k] + row0;
            G[(size_t)j * rows + (size_t)i] = block->val[k] * tn_system_row_unit(sys, i) /
                                              tn_system_unit(sys, TN_MEASURE_VELOCITY, j);
        }
}

tn_status tn_dynamics_constraints(tn_dynamics *d, double *G, double *c)
{
    TN_NEED(d, TN_ERR_USAGE);
    const tn_system *sys = d->start.sys;
    tn_clear_error();
    TN_TRY(evaluate_state(d, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    put_rows(d, -1.0, sys->gamma, sys->ngamma, c);
    if (!G)
        return TN_OK;
    tn_zero((sys->ng + sys->nn) * sys->nv, G);
    put_block(d, sys->block[TN_BLOCK_B], 0, G);
    put_block(d, sys->block[TN_BLOCK_N], sys->ng, G);
    return TN_OK;
}

// Velocities without inertia would answer to tau at once, through dampers that know forces of the
// model alone.
static tn_status refuse_response(const tn_dynamics *d)
{
    char motion[256];
    tn_motion_text(d->start.sys, tn_massless_motion(d->start.accel->massless, 0), motion,
                   sizeof motion);
    return tn_fail(TN_ERR_USAGE,
                   "tn_dynamics_forward takes no tau where motions have no inertia, as %s: state "
                   "the force in the model, with an input for its size",
                   motion);
}

// Adds the effect of tau to the accelerations and multipliers without it.
static tn_status add_response(tn_dynamics *d, const double *tau)
{
    const tn_system *sys = d->start.sys;
    tn_state *x = &d->start.x;
    if (!tn_all_finite(sys->nv, tau))
        return tn_fail(TN_ERR_USAGE, "tn_dynamics_forward: a force in tau is not finite");
    if (sys->nmassless > 0 && tn_norm_inf(sys->nv, tau) > 0.0)
        return refuse_response(d);
    tn_system_from_si(sys, TN_MEASURE_FORCE, tau, d->force);
    tn_zero(sys->ng + sys->nn, d->multiplier);
    TN_TRY(tn_accel_resolve(d->start.accel, d->force, d->multiplier));
    tn_axpy(sys->nv, 1.0, d->force, x->a);
    tn_axpy(sys->ng, 1.0, d->multiplier, x->lambda);
    tn_axpy(sys->nn, 1.0, d->multiplier + sys->ng, x->eta);
    return TN_OK;
}

// Which rows are left out where some repeat others depends on the position.
static tn_status solve_forward(tn_dynamics *d, const double *tau)
{
    const tn_point at = tn_state_point(&d->start.x);
    d->solved = false;
    if (d->start.rows)
        TN_TRY(tn_row_choice_at(d->start.rows, &at));
    TN_TRY(tn_start_refresh(&d->start));
    take_state(d); // of motions without inertia
    if (tau)
        TN_TRY(add_response(d, tau));
    d->solved = true;
    return TN_OK;
}

tn_status tn_dynamics_forward(tn_dynamics *d, const double *tau, double *a, double *lambda)
{
    TN_NEED(d, TN_ERR_USAGE);
    const tn_system *sys = d->start.sys;
    const tn_state *x = &d->start.x;
    tn_clear_error();
    TN_TRY(tn_leave(solve_forward(d, tau), "no accelerations at this state"));
    if (a)
        tn_system_to_si(sys, TN_MEASURE_VELOCITY, x->a, a);
    if (lambda) {
        tn_system_to_si(sys, TN_MEASURE_MULTIPLIER, x->lambda, lambda);
        tn_system_to_si(sys, TN_MEASURE_ETA, x->eta, lambda + sys->ng);
    }
    return TN_OK;
}

tn_status tn_dynamics_inverse(tn_dynamics *d, const double *a, const double *lambda, double *tau)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, a, tau);
    const tn_system *sys = d->start.sys;
    const tn_state *x = &d->start.x;
    tn_clear_error();
    if (!tn_all_finite(sys->nv, a) || (lambda && !tn_all_finite(sys->ng + sys->nn, lambda)))
        return tn_fail(TN_ERR_USAGE,
                       "tn_dynamics_inverse: an acceleration or a multiplier is not finite");
    tn_system_from_si(sys, TN_MEASURE_VELOCITY, a, x->a);
    tn_zero(sys->ng, x->lambda);
    tn_zero(sys->nn, x->eta);
    if (lambda) {
        tn_system_from_si(sys, TN_MEASURE_MULTIPLIER, lambda, x->lambda);
        tn_system_from_si(sys, TN_MEASURE_ETA, lambda + sys->ng, x->eta);
    }
    d->solved = true;
    tn_sensors_forget(&d->sensors);
    TN_TRY(evaluate_state(d, tn_system_residual_parts(sys)));
    const tn_point at = tn_state_point(x);
    tn_system_residual(sys, &at, d->force);
    tn_system_to_si(sys, TN_MEASURE_FORCE, d->force, tau);
    return TN_OK;
}

tn_status tn_dynamics_energy(tn_dynamics *d, double *kinetic, double *potential)
{
    TN_NEED(d, TN_ERR_USAGE);
    tn_system *sys = d->start.sys;
    const tn_point at = tn_state_point(&d->start.x);
    const double unit = tn_unit_energy(sys->units);
    tn_energy energy = {0};
    sys->ops->energy(sys, &at, &energy);
    d->sensors.looked_at = NULL;
    if (kinetic)
        *kinetic = unit * energy.kinetic;
    if (potential)
        *potential = unit * energy.potential;
    return TN_OK;
}

// Sensors -----------------------------------------------------------------------------------------

// The state with accelerations; zero where there are none, and tn_last_error says why.
static const tn_state *solved_state(tn_dynamics *d)
{
    if (!d->solved && tn_dynamics_forward(d, NULL, NULL, NULL) != TN_OK) {
        tn_zero(d->start.sys->nv, d->start.x.a);
        tn_zero(d->start.sys->ng, d->start.x.lambda);
    }
    return &d->start.x;
}

TN_GETTER(tn_frame_motion, tn_dynamics_frame, (tn_dynamics * d, tn_body body, tn_frame frame), d,
          (tn_frame_motion){.frame = tn_frame_identity},
          tn_sensors_frame(&d->sensors, solved_state(d), body, frame));

tn_frame_motion tn_dynamics_frame_between(tn_dynamics *d, tn_body body_a, tn_frame frame_a,
                                          tn_body body_b, tn_frame frame_b)
{
    TN_NEED(d, (tn_frame_motion){.frame = tn_frame_identity});
    const tn_frame_motion a = tn_dynamics_frame(d, body_a, frame_a);
    const tn_frame_motion b = tn_dynamics_frame(d, body_b, frame_b);
    return tn_frame_seen_from(&a, &b);
}

tn_status tn_dynamics_frame_jacobian(tn_dynamics *d, tn_body body, tn_frame frame, double *J)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, J);
    return tn_sensors_jacobian(&d->sensors, &d->start.x, body, frame, J);
}

TN_GETTER(int, tn_dynamics_joint_coordinates,
          (tn_dynamics * d, tn_joint joint, double *q, double *rate), d, 0,
          tn_sensors_coordinates(&d->sensors, &d->start.x, joint, q, rate));
TN_GETTER(tn_wrench, tn_dynamics_joint_reaction, (tn_dynamics * d, tn_joint joint), d,
          ((tn_wrench){0}), tn_sensors_reaction(&d->sensors, solved_state(d), joint));

tn_status tn_dynamics_force(tn_dynamics *d, tn_force force, tn_force_state *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, d, out);
    return tn_sensors_force(&d->sensors, &d->start.x, force, out);
}
