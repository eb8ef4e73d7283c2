// SPDX-License-Identifier: MIT
//
// Inputs that a program sets between two steps. New values count from the next step on: the state
// at its beginning then gets the accelerations and multipliers that belong to the new forces. Until
// then the read-out shows the end of the last step, with the inputs that it had.

#include "linalg/dense.h"
#include "model/units.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Largest jump of a driven coordinate when its input is set [sizes of the model, rad]. Trajectories
// that come in intervals jump a little: by the digits of their numbers and by their third
// derivative. A larger jump is no trajectory.
static const double JUMP_MAX = 1e-3;
// Largest jump of its velocity, as a part of the velocity that is usual.
static const double SPEED_JUMP_MAX = 1e-2;
// Positions that are off by less stay where they are.
static const double JUMP_NOISE = 1e-12;

// Lists the drives with inputs, or only counts them where `out` is NULL.
static int find_drives(const tn_model *model, tn_input_drive *out)
{
    int n = 0;
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_data *joint = &model->joints.at[k];
        for (int i = 0; i < TN_JOINT_FUNCTIONS; i++)
            if (joint->u[i] && tn_timefn_input(joint->u[i], false)) {
                if (out)
                    out[n] = (tn_input_drive){.joint = joint, .u = joint->u[i]};
                n++;
            }
    }
    return n;
}

static size_t wrenches_size(const tn_sim *sim)
{
    return (size_t)sim->model->bodies.count * sizeof *sim->inputs.wrench;
}

void tn_sim_layout_inputs(tn_sim *sim, tn_carve *mem)
{
    tn_sim_inputs *in = &sim->inputs;
    in->n = sim->model ? sim->model->inputs.count : 0;
    in->ndrive = in->n > 0 ? find_drives(sim->model, NULL) : 0;
    in->set = tn_carve_bytes(mem, (size_t)in->n * sizeof *in->set);
    in->drive = tn_carve_bytes(mem, (size_t)in->ndrive * sizeof *in->drive);
    const size_t wrenches = in->wrench ? wrenches_size(sim) : 0;
    in->wrench_set = tn_carve_bytes(mem, wrenches);
    in->wrench_kept = tn_carve_bytes(mem, wrenches);
}

void tn_sim_clear_wrenches(tn_sim *sim)
{
    tn_sim_inputs *in = &sim->inputs;
    if (!in->wrench)
        return;
    memcpy(in->wrench_kept, in->wrench, wrenches_size(sim));
    memset(in->wrench, 0, wrenches_size(sim));
}

void tn_sim_restore_wrenches(tn_sim *sim)
{
    if (sim->inputs.wrench)
        memcpy(sim->inputs.wrench, sim->inputs.wrench_kept, wrenches_size(sim));
}

void tn_sim_open_inputs(tn_sim *sim)
{
    if (sim->inputs.wrench)
        memcpy(sim->inputs.wrench_set, sim->inputs.wrench, wrenches_size(sim));
    if (sim->inputs.ndrive > 0)
        find_drives(sim->model, sim->inputs.drive);
    for (int i = 0; sim->inputs.n > 0 && i < sim->model->with_inputs.count; i++)
        sim->inputs.move = sim->inputs.move || tn_timefn_moves(sim->model->with_inputs.at[i]);
    sim->inputs.changed = false;
    for (int i = 0; i < sim->inputs.n; i++) {
        sim->inputs.set[i] = (tn_input_set){0};
        tn_input_start(sim->model->inputs.at[i], sim->start.x.t, sim->inputs.set[i].number);
    }
}

static tn_status put_inputs(tn_sim *sim, tn_input input, const double u[3], bool rates)
{
    static const char *const how[] = {"held: set its value with tn_sim_set_input",
                                      "a motion: set it with tn_sim_set_input_motion",
                                      "filtered: set its value with tn_sim_set_input"};
    static const char *const numbers[] = {"value", "rate", "acceleration"};
    if (input.index < 0 || input.index >= sim->inputs.n)
        return tn_fail(TN_ERR_USAGE, "there is no input with the index %d; the model has %d",
                       input.index, sim->inputs.n);
    const tn_input_data *data = sim->model->inputs.at[input.index];
    if (tn_input_has_rates(data) != rates)
        return tn_fail(TN_ERR_USAGE, "input '%s' is %s", data->name, how[data->def.kind]);
    for (int i = 0; i < 3; i++)
        if (!isfinite(u[i]))
            return tn_fail(TN_ERR_USAGE, "input '%s': its %s is %g; it must be finite", data->name,
                           numbers[i], u[i]);
    tn_input_set *set = &sim->inputs.set[input.index];
    set->changed = sim->inputs.changed = true;
    tn_copy(3, u, set->u);
    return TN_OK;
}

tn_status tn_sim_set_input(tn_sim *sim, tn_input input, double value)
{
    TN_NEED(sim, TN_ERR_USAGE);
    return put_inputs(sim, input, (double[3]){value}, false);
}

tn_status tn_sim_set_input_motion(tn_sim *sim, tn_input input, double value, double rate,
                                  double acceleration)
{
    TN_NEED(sim, TN_ERR_USAGE);
    return put_inputs(sim, input, (double[3]){value, rate, acceleration}, true);
}

double tn_sim_input(const tn_sim *sim, tn_input input)
{
    double u[3];
    TN_NEED(sim, NAN);
    TN_NEED_INDEX(input.index, sim->inputs.n, NAN);
    tn_model_eval_input(sim->model, input.index, sim->view->t, u);
    return u[0];
}

static tn_status check_wrench(const tn_sim *sim, tn_body body, tn_vec3 point, tn_axes axes,
                              tn_wrench w)
{
    static const char *const parts[] = {"force", "moment", "point"};
    const tn_vec3 given[] = {w.f, w.m, point};
    if (!sim->inputs.wrench)
        return tn_fail(TN_ERR_USAGE,
                       "this simulation takes no wrenches; it must be of a model, with "
                       "wrenches: true in its tn_sim_options");
    if (body.index < 0 || body.index >= sim->model->bodies.count)
        return tn_fail(TN_ERR_USAGE, "there is no body with the index %d; the model has %d",
                       body.index, sim->model->bodies.count - 1);
    if (axes != TN_AXES_INERTIAL && axes != TN_AXES_BODY)
        return tn_fail(TN_ERR_USAGE, "%d names no axes of a wrench", (int)axes);
    if (body.index == TN_GROUND.index)
        return tn_fail(TN_ERR_USAGE, "a wrench on the ground moves nothing; name another body");
    const char *name = tn_model_body_name(sim->model, body);
    for (int i = 0; i < TN_COUNT(given); i++)
        if (!isfinite(given[i].x) || !isfinite(given[i].y) || !isfinite(given[i].z))
            return tn_fail(TN_ERR_USAGE, "the %s of the wrench on body '%s' must be finite",
                           parts[i], name);
    const bool lever = tn_v3_norm(w.m) > 0.0 || tn_v3_norm(point) > 0.0 || axes == TN_AXES_BODY;
    if (lever && !tn_body_has_rotation(sim->model, body))
        return tn_fail(
            TN_ERR_USAGE,
            "body '%s' is a point mass: only a force at its place, in inertial axes, can "
            "act on it",
            name);
    return TN_OK;
}

tn_status tn_sim_apply_wrench(tn_sim *sim, tn_body body, tn_vec3 point, tn_axes axes,
                              tn_wrench wrench)
{
    TN_NEED(sim, TN_ERR_USAGE);
    TN_TRY(check_wrench(sim, body, point, axes, wrench));
    const tn_units u = sim->model->units;
    const tn_vec3 com = sim->model->bodies.at[body.index].def.com;
    sim->inputs.wrench_set[body.index] = (tn_applied){
        .own = {tn_v3_scale(1.0 / tn_unit_force(u), wrench.f),
                tn_v3_scale(1.0 / tn_unit_energy(u), wrench.m)},
        .from_com = tn_v3_sub(tn_v3_scale(1.0 / u.length, point), com),
        .follower = axes == TN_AXES_BODY,
    };
    sim->inputs.changed = true;
    return TN_OK;
}

static tn_status check_jump(const tn_sim *sim, const tn_input_drive *drive)
{
    TN_ASSERT(sim->start.sys->time_scale > 0.0);
    const double *a = drive->before, *b = drive->after;
    const double jump = fabs(b[0] - a[0]), speed = fabs(b[1] - a[1]);
    const double most = SPEED_JUMP_MAX * (fabs(a[1]) + 1.0 / sim->start.sys->time_scale);
    if (jump > JUMP_MAX)
        return tn_fail(TN_ERR_USAGE,
                       "joint '%s': at t = %.6g s the inputs that were set move it at once by %.3g "
                       "(in rad or sizes of the model), which needs an infinite velocity; go on "
                       "from where the last motion has led, or use an input of kind filter",
                       drive->joint->name, sim->start.x.t, jump);
    if (speed > most)
        return tn_fail(TN_ERR_USAGE,
                       "joint '%s': at t = %.6g s the inputs that were set change its velocity at "
                       "once by %.3g 1/s (in rad or sizes of the model), which needs an impulse; "
                       "set rates that go on from the last ones, or use an input of kind filter",
                       drive->joint->name, sim->start.x.t, speed);
    return TN_OK;
}

// Finds whether driven coordinates jump; an error where they jump by too much.
static tn_status check_jumps(tn_sim *sim, bool *jumps)
{
    tn_sim_inputs *in = &sim->inputs;
    *jumps = false;
    for (int i = 0; i < in->ndrive; i++) {
        tn_input_drive *drive = &in->drive[i];
        const double *a = drive->before, *b = drive->after;
        tn_timefn_eval(drive->u, sim->start.x.t, drive->after);
        TN_TRY(check_jump(sim, drive));
        *jumps = *jumps ||
                 fabs(b[0] - a[0]) + sim->start.sys->time_scale * fabs(b[1] - a[1]) > JUMP_NOISE;
    }
    return TN_OK;
}

static void change_numbers(tn_sim *sim)
{
    tn_sim_inputs *in = &sim->inputs;
    double now[3] = {0};
    for (int i = 0; i < in->n; i++) {
        tn_input_set *set = &in->set[i];
        tn_copy(TN_INPUT_NUMBERS, set->number, set->kept);
        if (!set->changed)
            continue;
        if (!tn_input_jumps(sim->model->inputs.at[i])) // what is held does not go on from there
            tn_model_eval_input(sim->model, i, sim->start.x.t, now);
        tn_input_numbers(sim->model->inputs.at[i], sim->start.x.t, set->u, now, set->number);
        tn_model_put_numbers(sim->model, i, set->number);
        set->changed = false;
    }
    if (in->wrench) {
        memcpy(in->wrench_kept, in->wrench, wrenches_size(sim));
        memcpy(in->wrench, in->wrench_set, wrenches_size(sim));
    }
    in->changed = false;
    if (in->move)
        tn_sim_begin_piece_here(sim);
}

// Restores the inputs after values that cannot be.
static tn_status take_numbers_back(tn_sim *sim, tn_status status)
{
    for (int i = 0; i < sim->inputs.n; i++) {
        tn_input_set *set = &sim->inputs.set[i];
        tn_copy(TN_INPUT_NUMBERS, set->kept, set->number);
        tn_model_put_numbers(sim->model, i, set->number);
    }
    tn_sim_restore_wrenches(sim);
    if (sim->inputs.wrench)
        memcpy(sim->inputs.wrench_set, sim->inputs.wrench, wrenches_size(sim));
    return status;
}

// Positions follow a jump of what drives them; what that takes is supplied.
static tn_status follow_jumps(tn_sim *sim)
{
    const double before = tn_sim_kinetic(sim);
    TN_TRY(tn_sim_project(sim));
    tn_sim_note_impulse(sim, tn_sim_kinetic(sim) - before);
    return TN_OK;
}

// Accelerations and multipliers for the new forces, and an integrator that starts anew.
static tn_status start_anew(tn_sim *sim)
{
    TN_TRY(tn_sim_settle_decisions(sim));
    const tn_status status = tn_start_refresh(&sim->start);
    if (status > 0)
        return tn_fail_within(TN_ERR_NUMERIC, "no accelerations for the inputs at t = %.6g s",
                              sim->start.x.t);
    sim->stepper.moved = sim->stepper.known = sim->restart = true;
    return status;
}

// Returns true if only forces jump: some integrators need not start anew then. In motions without
// inertia forces determine velocities, and these jump too.
static bool only_forces_jump(const tn_sim *sim)
{
    return sim->integrator->ops->jump && sim->inputs.ndrive == 0 && !sim->restart &&
           sim->start.sys->ne == 0 && !sim->start.accel->massless;
}

// The step has left v' and multipliers that balance the old forces, so that what they lack is the
// jump. v' of a method that enforces lower levels need not be that of the equations: differences
// are added to it.
static tn_status change_forces(tn_sim *sim)
{
    TN_ASSERT(only_forces_jump(sim));
    const tn_system *sys = sim->start.sys;
    tn_state *x = &sim->start.x;
    const tn_point at = tn_state_point(x);
    double *da = sim->scratch, *dl = sim->rows;
    change_numbers(sim);
    TN_TRY(tn_sim_settle_decisions(sim));
    const tn_status status = tn_accel_catch_up(sim->start.accel, &at, da, dl);
    if (status != TN_OK || !sim->integrator->ops->jump(sim->integrator, &sim->stepper, da)) {
        TN_TRY(start_anew(sim));
        tn_sim_note_jump(sim);
        return TN_OK;
    }
    tn_axpy(sys->nv, 1.0, da, x->a);
    tn_axpy(sys->ng, 1.0, dl, x->lambda);
    tn_axpy(sys->nn, 1.0, dl + sys->ng, x->eta);
    tn_sim_note_push(sim);
    return TN_OK;
}

static tn_status change_motion(tn_sim *sim)
{
    tn_sim_inputs *in = &sim->inputs;
    bool jumps;
    for (int i = 0; i < in->ndrive; i++)
        tn_timefn_eval(in->drive[i].u, sim->start.x.t, in->drive[i].before);
    change_numbers(sim);
    const tn_status status = check_jumps(sim, &jumps);
    if (status != TN_OK)
        return take_numbers_back(sim, status);
    if (jumps)
        TN_TRY(follow_jumps(sim));
    return start_anew(sim);
}

tn_status tn_sim_take_inputs(tn_sim *sim)
{
    if (!sim->inputs.changed)
        return TN_OK;
    tn_sim_keep_step_end(sim);
    if (only_forces_jump(sim))
        return change_forces(sim);
    TN_TRY(change_motion(sim));
    tn_sim_note_jump(sim);
    return TN_OK;
}
