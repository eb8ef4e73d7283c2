// SPDX-License-Identifier: MIT
//
// Inverse dynamics: what is driven, where the motors are, and the read-out. See tenon/inverse.h,
// inverse_parts.h and docs/theory/inverse.md.

#include "analysis/inverse_parts.h"

#include "analysis/motion_name.h"
#include "base/alloc.h"
#include "linalg/dense.h"
#include "model/model_kinks.h"
#include "model/units.h"
#include "start/combinations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tn_inverse_options tn_default_inverse(void)
{
    return (tn_inverse_options){.start = tn_default_sim(), .tolerance = 1e-6};
}

// Names ------------------------------------------------------------------------------------------

void tn_inverse_name_driven(const tn_inverse *s, int driven, char *text, size_t size)
{
    TN_ASSERT(driven >= 0 && driven <= s->ndriven); // the last may not count yet
    const inv_driven *d = &s->driven[driven];
    if (d->row >= 0)
        s->sys->ops->row_name(s->sys, d->row, text, size);
    else
        snprintf(text, size, "joint '%s', %s", s->model->joints.at[d->joint].name,
                 s->model->joints.at[d->joint].ops->coords[d->coordinate].name);
}

static double coordinate_unit(const tn_inverse *s, int joint, int coordinate)
{
    return tn_unit_joint_coordinate(s->model, (tn_joint){joint}, coordinate);
}

// Unit of a row of the system, or else of a coordinate.
static double unit_of(const tn_inverse *s, int row, int joint, int coordinate)
{
    return row >= 0 ? tn_system_row_unit(s->sys, row) : coordinate_unit(s, joint, coordinate);
}

double tn_inverse_driven_unit(const tn_inverse *s, int driven)
{
    TN_ASSERT(driven >= 0 && driven < s->ndriven);
    const inv_driven *d = &s->driven[driven];
    return unit_of(s, d->row, d->joint, d->coordinate);
}

double tn_inverse_name_motion(const tn_inverse *s, const double *x, char *text, size_t size)
{
    const tn_point now = tn_state_point(&s->start.x);
    return tn_motion_name(s->model, s->sys, &now, x, text, size);
}

// Driven coordinates -----------------------------------------------------------------------------

static int count_drive_rows(const tn_model *model)
{
    int n = 0;
    for (int j = 0; j < model->joints.count; j++)
        if (tn_joint_is_drive(model->joints.at[j].ops))
            n += tn_constraint_count(model, j);
    return n;
}

static void list_drives(tn_inverse *s)
{
    for (int i = 0; i < s->sys->ng; i++) {
        const int j = tn_absolute_row_joint(s->sys, i, NULL);
        const tn_joint_data *joint = &s->model->joints.at[j];
        s->passive[i] = !tn_joint_is_drive(joint->ops);
        s->driven_of[i] = s->passive[i] ? -1 : s->ndriven;
        if (s->passive[i])
            continue;
        tn_driven to = {{j}, -1}; // all of a pose
        (void)tn_joint_drives(joint, &to);
        s->driven[s->ndriven++] =
            (inv_driven){.row = i, .joint = to.joint.index, .coordinate = to.coordinate};
    }
}

static tn_status check_coordinate(const tn_inverse *s, tn_joint joint, int coordinate,
                                  const char *what)
{
    if (joint.index < 0 || joint.index >= s->model->joints.count)
        return tn_fail(TN_ERR_USAGE, "%s: there is no joint number %d", what, joint.index);
    return tn_joint_coord_check(s->model, joint, coordinate, NULL, what, "joint");
}

static tn_status inverse_add_motion(tn_inverse *s, const tn_motion *motion)
{
    char what[160] = "a motion";
    TN_TRY(check_coordinate(s, motion->joint, motion->coordinate, what));
    inv_driven *d = &s->driven[s->ndriven];
    *d = (inv_driven){.row = -1, .joint = motion->joint.index, .coordinate = motion->coordinate};
    tn_inverse_name_driven(s, s->ndriven, what, sizeof what);
    for (int i = 0; i < s->ndriven; i++)
        if (s->driven[i].joint == d->joint && s->driven[i].coordinate == d->coordinate)
            return tn_fail(TN_ERR_USAGE,
                           "%s is driven twice; leave out one of its motions or its drive in the "
                           "model",
                           what);
    s->ndriven++; // destroyed with the others from here on
    TN_TRY(tn_function_compile(s->model, &motion->motion, TN_USE_DRIVE, what, &d->stated));
    return tn_timefn_scaled(d->stated, 1.0, 1.0 / coordinate_unit(s, d->joint, d->coordinate),
                            &d->u);
}

// Motors -----------------------------------------------------------------------------------------

static tn_status add_motor(tn_inverse *s, inv_motor motor)
{
    TN_TRY(tn_got(motor.name));
    s->motor[s->nmotor++] = motor;
    for (int i = 0; i < s->nmotor - 1; i++)
        if (motor.row < 0 && s->motor[i].row < 0 && s->motor[i].joint == motor.joint &&
            s->motor[i].coordinate == motor.coordinate)
            return tn_fail(TN_ERR_USAGE,
                           "motors '%s' and '%s' act on the same coordinate; name one",
                           s->motor[i].name, motor.name);
    return TN_OK;
}

// On a coordinate; `name` is NULL for "joint.coordinate".
static tn_status add_motor_at(tn_inverse *s, const char *name, int joint, int coordinate, int force)
{
    const tn_joint_data *data = &s->model->joints.at[joint];
    const tn_joint_coord *coord = &data->ops->coords[coordinate];
    return add_motor(
        s, (inv_motor){
               .name = name ? tn_strdup(name) : tn_format("%s.%s", data->name, coord->name),
               .unit = strcmp(coord->unit, "m") == 0 ? "N" : "N m",
               .row = -1,
               .joint = joint,
               .coordinate = coordinate,
               .force = force,
           });
}

// A row of a pose drive. Rows of turning are products of axes, a_i . b_j, which decrease with the
// angle about z and x where the frames coincide.
static tn_status add_pose_motor(tn_inverse *s, int joint, int row)
{
    int i;
    (void)tn_absolute_row_joint(s->sys, row, &i);
    const tn_row form = tn_constraint_get(s->model, joint, i).term[0].row;
    const bool turns = form.form == TN_ROW_DOT;
    return add_motor(s, (inv_motor){
                            .name = tn_format("%s.%s", s->model->joints.at[joint].name,
                                              tn_constraint_row_name(s->model, joint, i)),
                            .unit = turns ? "N m" : "N",
                            .row = row,
                            .force = -1,
                            .sign = turns && !(form.i == TN_X && form.j == TN_Z) ? -1.0 : 1.0,
                        });
}

static tn_status drive_motors(tn_inverse *s)
{
    for (int i = 0; i < s->ndriven; i++) {
        const inv_driven *d = &s->driven[i];
        if (d->row < 0)
            TN_TRY(add_motor_at(s, NULL, d->joint, d->coordinate, -1));
        else if (d->coordinate < 0)
            TN_TRY(add_pose_motor(s, d->joint, d->row));
        else
            TN_TRY(add_motor_at(
                s, s->model->joints.at[tn_absolute_row_joint(s->sys, d->row, NULL)].name, d->joint,
                d->coordinate, -1));
    }
    return TN_OK;
}

static tn_status named_motor(tn_inverse *s, const tn_motor *motor)
{
    if (motor->force.index < 0) {
        TN_TRY(check_coordinate(s, motor->joint, motor->coordinate, "a motor"));
        return add_motor_at(s, NULL, motor->joint.index, motor->coordinate, -1);
    }
    if (motor->force.index >= s->model->forces.count ||
        !s->model->forces.at[motor->force.index].ops->is_motor)
        return tn_fail(TN_ERR_USAGE, "force number %d is no motor of the model",
                       motor->force.index);
    const tn_force_data *force = &s->model->forces.at[motor->force.index];
    return add_motor_at(s, force->name, force->def.joint.index, force->def.coordinate,
                        motor->force.index);
}

static tn_status list_motors(tn_inverse *s, const tn_inverse_options *options)
{
    if (options->nmotor == 0)
        return drive_motors(s);
    for (int k = 0; k < options->nmotor; k++)
        TN_TRY(named_motor(s, &options->motors[k]));
    return TN_OK;
}

// Creation ---------------------------------------------------------------------------------------

static tn_status create_lists(tn_inverse *s, const tn_inverse_options *options)
{
    const int rows = count_drive_rows(s->model) + options->nmotion;
    const int motors = options->nmotor > 0 ? options->nmotor : rows;
    const size_t rows_of_both = (size_t)s->sys->ng + (size_t)s->sys->nn;
    s->passive = tn_alloc(sizeof(int) * (rows_of_both + (size_t)s->sys->ng + 1));
    s->driven = tn_alloc(sizeof(inv_driven) * (size_t)(rows + 1));
    s->motor = tn_alloc(sizeof(inv_motor) * (size_t)(motors + 1));
    TN_TRY(tn_got(s->passive && s->driven && s->motor));
    s->driven_of = s->passive + rows_of_both;
    list_drives(s);
    for (int i = 0; i < s->sys->nn; i++)
        s->passive[s->sys->ng + i] = 0;
    for (int k = 0; k < s->model->joints.count; k++)
        s->impulses |= s->model->joints.at[k].def->impulse;
    for (int k = 0; k < options->nmotion; k++)
        TN_TRY(inverse_add_motion(s, &options->motions[k]));
    return list_motors(s, options);
}

static void layout_inverse(void *self, tn_carve *mem)
{
    tn_inverse *s = self;
    const tn_system *sys = s->sys;
    tn_reduced_layout(&s->drives, s->ndriven, s->nf, mem);
    tn_reduced_layout(&s->motors, s->nmotor, s->nl, mem);
    s->D = tn_carve_doubles(mem, sys->nv * s->ndriven);
    s->A = tn_carve_doubles(mem, sys->nv * s->nmotor);
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q1, &s->q2);
    TN_CARVE_DOUBLES(mem, sys->nv, &s->v1, &s->dx, &s->rest, &s->force);
    s->r1 = tn_carve_doubles(mem, sys->nr);
    s->cp = tn_carve_doubles(mem, sys->ng);
    s->multipliers = tn_carve_doubles(mem, sys->ng + sys->nn);
    TN_CARVE_DOUBLES(mem, s->ndriven, &s->cd, &s->distance);
    TN_CARVE_DOUBLES(mem, s->nf, &s->e, &s->rho);
    s->effort = tn_carve_doubles(mem, s->nmotor);
}

// Rows of velocities alone hold no position, which is to be driven for all of them; they push.
static tn_status create_loads(tn_inverse *s)
{
    const int ng = s->sys->ng;
    s->loads = s->basis;
    if (s->sys->nn == 0)
        return TN_OK;
    TN_TRY(tn_basis_create(s->sys, "auto", &s->loads));
    for (int i = 0; i < s->sys->nn; i++)
        s->passive[ng + i] = 1;
    tn_basis_set_active(s->loads, s->passive);
    for (int i = 0; i < s->sys->nn; i++)
        s->passive[ng + i] = 0;
    return TN_OK;
}

// The freedoms without drives, at the start.
static tn_status count_freedoms(tn_inverse *s)
{
    const tn_point at = tn_state_point(&s->start.x);
    TN_TRY(tn_basis_create(s->sys, "auto", &s->basis));
    tn_basis_set_active(s->basis, s->passive);
    TN_TRY(create_loads(s));
    TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_B));
    TN_TRY(tn_basis_form(s->basis, &at));
    TN_TRY(tn_basis_form(s->loads, &at));
    s->nf = s->basis->nf;
    s->nl = s->loads->nf;
    return TN_OK;
}

static tn_status check_determined(tn_inverse *s)
{
    const tn_point at = tn_state_point(&s->start.x);
    const tn_status status = tn_inverse_linearise(s, &at);
    char name[160];
    if (status <= TN_OK)
        return status;
    tn_reduced_kernel(&s->drives, s->drives.rank, s->e);
    tn_inverse_motion_of(s, s->basis, s->e, s->v1);
    tn_inverse_name_motion(s, s->v1, name, sizeof name);
    return tn_fail(TN_ERR_MODEL,
                   "the mechanism has %d freedom%s, of which %d %s driven: %s moves while all that "
                   "is driven stands still; give it a drive, a pose-drive or a motion",
                   s->nf, s->nf == 1 ? "" : "s", s->drives.rank, s->drives.rank == 1 ? "is" : "are",
                   name);
}

static tn_status refuse_memories(const tn_system *sys)
{
    char what[600];
    for (int k = 0; k < tn_absolute_decision_count(sys); k++) {
        if (!tn_absolute_remembers(sys, k))
            continue;
        tn_absolute_describe_decision(sys, k, what, sizeof what);
        return tn_fail(TN_ERR_MODEL,
                       "%s: inverse dynamics does not follow hysteresis along the motion; leave "
                       "out what uses it, or run the model with drives",
                       what);
    }
    return TN_OK;
}

// Drives are what is to be replaced by motors, and have no multipliers here.
static tn_status refuse_laws_of_drives(const tn_inverse *s)
{
    const tn_sparse *FL = s->sys->block[TN_BLOCK_FL];
    char name[160];
    for (int i = 0; FL && i < s->sys->ng; i++) {
        if (s->passive[i] || FL->colptr[i + 1] == FL->colptr[i])
            continue;
        s->sys->ops->row_name(s->sys, i, name, sizeof name);
        return tn_fail(TN_ERR_MODEL,
                       "a force depends on the effort of %s, which inverse dynamics is to find; "
                       "leave it out, or run the model with drives",
                       name);
    }
    return TN_OK;
}

static tn_status build_inverse(tn_inverse *s, const tn_inverse_options *options)
{
    TN_TRY(tn_start_model(s->model, &options->start, &s->start));
    s->sys = s->start.sys;
    TN_TRY(tn_combination_check(TN_BEFORE_INVERSE,
                                (tn_combination){.model = s->model, .sys = s->sys}));
    TN_TRY(refuse_memories(s->sys));
    TN_TRY(create_lists(s, options));
    TN_TRY(refuse_laws_of_drives(s));
    TN_TRY(count_freedoms(s));
    TN_TRY(tn_carve_block(s, layout_inverse, &s->block));
    TN_TRY(check_determined(s));
    TN_TRY(tn_inverse_approach(s));
    return tn_inverse_move(s, s->start.x.t);
}

tn_status tn_inverse_create(const tn_model *model, const tn_inverse_options *options,
                            tn_inverse **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    if (options->nmotion > 0)
        TN_NEED(options->motions, TN_ERR_USAGE);
    if (options->nmotor > 0)
        TN_NEED(options->motors, TN_ERR_USAGE);
    *out = NULL;
    tn_clear_error();
    tn_inverse *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->tolerance = options->tolerance;
    s->assembly_tol = options->start.assembly_tol;
    tn_status status = tn_model_in_units(model, tn_model_units(model), &s->model);
    TN_THEN(status, build_inverse(s, options));
    if (status != TN_OK) {
        tn_inverse_destroy(s);
        return tn_place_error(model, tn_leave(status, "inverse dynamics cannot start"));
    }
    *out = s;
    return TN_OK;
}

void tn_inverse_destroy(tn_inverse *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->ndriven; i++) {
        tn_timefn_destroy(s->driven[i].u);
        tn_timefn_destroy(s->driven[i].stated);
    }
    for (int k = 0; k < s->nmotor; k++)
        tn_free(s->motor[k].name);
    TN_FREE(s->passive, s->driven, s->motor);
    if (s->loads != s->basis)
        tn_basis_destroy(s->loads);
    tn_basis_destroy(s->basis);
    tn_start_clear(&s->start);
    tn_free(s->block);
    tn_model_in_units_destroy(s->model);
    tn_free(s);
}

// No finite effort gives a jump of a velocity. Discontinuities that must be searched are found at
// LOOKS times in a move.
static tn_status refuse_impulse(const tn_inverse *s, double t)
{
    static const double LOOKS = 64.0;
    const double now = s->start.x.t, end = fmax(now, t);
    const double spacing = fabs(t - now) / LOOKS;
    tn_kink kink;
    for (double from = fmin(now, t); from < end;) {
        const bool found = tn_model_next_kink(s->model, from, end, spacing, &kink);
        if (found && tn_model_has_impulse(s->model, &kink))
            return tn_fail(TN_ERR_NUMERIC,
                           "a driven velocity jumps at t = %.9g s, which takes an impulse and no "
                           "finite effort; end the motion before, begin behind it, round the "
                           "drive off, or take 'tenon run', which books the work of impulses",
                           kink.t);
        from = found ? kink.after : fmax(kink.t, from + spacing); // how far was searched
    }
    return TN_OK;
}

tn_status tn_inverse_move(tn_inverse *s, double t)
{
    TN_NEED(s, TN_ERR_USAGE);
    tn_clear_error();
    if (s->impulses)
        TN_TRY(refuse_impulse(s, t));
    TN_TRY(tn_place_error(s->model,
                          tn_leave(tn_inverse_follow(s, t), "the motion cannot be followed")));
    const tn_status status = tn_inverse_forces(s);
    return tn_place_error(
        s->model, status > 0 ? tn_fail_within(TN_ERR_NUMERIC, "forces at t = %g s", t) : status);
}

// Read-out ---------------------------------------------------------------------------------------

TN_GETTER(double, tn_inverse_time, (const tn_inverse *s), s, 0.0, s->start.x.t);
TN_GETTER(int, tn_inverse_motor_count, (const tn_inverse *s), s, 0, s->nmotor);
TN_GETTER_AT(const char *, tn_inverse_motor_name, (const tn_inverse *s, int motor), s, motor,
             s->nmotor, "", s->motor[motor].name);
TN_GETTER_AT(const char *, tn_inverse_motor_unit, (const tn_inverse *s, int motor), s, motor,
             s->nmotor, "", s->motor[motor].unit);

tn_motor_state tn_inverse_motor(const tn_inverse *s, int motor)
{
    TN_NEED(s, ((tn_motor_state){0}));
    TN_NEED_INDEX(motor, s->nmotor, ((tn_motor_state){0}));
    const inv_motor *m = &s->motor[motor];
    const tn_motor_state *now = &m->now;
    const double unit = unit_of(s, m->row, m->joint, m->coordinate);
    const double energy = tn_unit_energy(s->model->units);
    return (tn_motor_state){.effort = now->effort * (energy / unit),
                            .inertia = now->inertia * (energy / unit),
                            .rate = now->rate * unit,
                            .power = now->power * energy};
}

TN_GETTER(bool, tn_inverse_is_least_norm, (const tn_inverse *s), s, false,
          s->nmotor > s->motors.rank);
TN_GETTER(int, tn_inverse_freedoms, (const tn_inverse *s), s, 0, s->nl);
TN_GETTER(double, tn_inverse_missed, (const tn_inverse *s), s, 0.0, s->missed);
TN_GETTER(long, tn_inverse_steps, (const tn_inverse *s), s, 0, s->steps);

int tn_inverse_joint_coordinates(tn_inverse *s, tn_joint joint, double *q, double *rate,
                                 double *acceleration)
{
    TN_NEED(s, 0);
    TN_NEED_INDEX(joint.index, s->model->joints.count, 0);
    const tn_point at = tn_state_point(&s->start.x);
    const tn_joint_data *data = &s->model->joints.at[joint.index];
    for (int i = 0; i < data->ops->ncoord; i++) {
        const double unit = coordinate_unit(s, joint.index, i);
        double c, gamma;
        tn_absolute_coordinate(s->sys, &at, joint.index, i, &c, s->dx, &gamma);
        if (q)
            q[i] = unit * c;
        if (rate)
            rate[i] = unit * tn_dot(s->sys->nv, s->dx, at.v);
        if (acceleration)
            acceleration[i] = unit * (tn_dot(s->sys->nv, s->dx, at.a) + gamma);
    }
    return data->ops->ncoord;
}

tn_frame tn_inverse_body_frame(tn_inverse *s, tn_body body)
{
    TN_NEED(s, tn_frame_identity);
    TN_NEED_INDEX(body.index, s->model->bodies.count, tn_frame_identity);
    const tn_point at = tn_state_point(&s->start.x);
    return tn_absolute_frame_in_si(s->sys, &at, body.index);
}

tn_wrench tn_inverse_joint_reaction(tn_inverse *s, tn_joint joint)
{
    TN_NEED(s, ((tn_wrench){0}));
    TN_NEED_INDEX(joint.index, s->model->joints.count, ((tn_wrench){0}));
    const tn_point at = tn_state_point(&s->start.x);
    return tn_wrench_in_si(s->model->units, tn_absolute_reaction(s->sys, &at, joint.index));
}

tn_inverse_energy tn_inverse_energies(const tn_inverse *s)
{
    TN_NEED(s, ((tn_inverse_energy){0}));
    const double unit = tn_unit_energy(s->model->units);
    tn_inverse_energy out = {
        .kinetic = unit * s->energy.kinetic,
        .potential = unit * s->energy.potential,
        .supplied = unit * s->energy.supplied,
        .dissipated = unit * s->energy.dissipated,
    };
    for (int k = 0; k < s->nmotor; k++)
        out.motors += unit * s->motor[k].now.power;
    return out;
}
