// SPDX-License-Identifier: MIT
//
// Views of the equations for an integrator: those that it needs, in the coordinates for rotations
// that it can use. Rotations stay on the group in the system; quaternions and Euler angles are
// charts on top of it (lie/chart.h).

#include "sim/sim.h"

#include "coords/joint_coords.h"
#include "formulation/corrector.h"
#include "formulation/ode_ops.h"
#include "start/combinations.h"
#include "start/stiffness.h"

#include <stdio.h>
#include <string.h>

bool tn_sim_turns(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    for (int k = 0; k < sys->ngroup; k++)
        if (tn_group_turns(&sys->groups[k]))
            return true;
    return false;
}

// A user's equations say themselves what their rotations are.
static tn_status check_own_spaces(const tn_sim *sim, tn_chart_kind kind)
{
    const tn_system *sys = sim->start.sys;
    if (tn_chart_size(kind, sys->ngroup, sys->groups) >= 0)
        return TN_OK;
    return tn_fail(TN_ERR_PAIRING,
                   "integrator '%s' with rotation '%s' needs linear coordinates of all rotations, "
                   "which TN_SPACE_SE3 does not have; take TN_SPACE_LINEAR for the position beside "
                   "TN_SPACE_SO3, or rotation auto with a one-step method, such as radau5 or "
                   "dop853",
                   sim->method.integrator->name, sim->options.rotation);
}

// The chart that carries the rotations, and the name of the choice for the summary.
static tn_status choose_chart(tn_sim *sim, tn_chart_kind *kind)
{
    const tn_integrator_ops *integrator = sim->method.integrator;
    const char *wanted = sim->options.rotation ? sim->options.rotation : "auto";
    const bool any = !strcmp(wanted, "auto");
    const bool linear = !strcmp(wanted, "quaternion") || !strcmp(wanted, "euler");
    *kind = TN_CHART_LOCAL;
    sim->options.rotation = any ? "so3" : wanted;
    if (!tn_sim_turns(sim))
        return TN_OK;
    if (any && integrator->multistep) {
        *kind = TN_CHART_QUATERNION;
        sim->options.rotation = "quaternion";
    } else if (linear) {
        *kind = wanted[0] == 'q' ? TN_CHART_QUATERNION : TN_CHART_EULER;
    }
    return sim->start.from_callbacks ? check_own_spaces(sim, *kind) : TN_OK;
}

static void layout_chart(void *self, tn_carve *mem)
{
    tn_chart_layout(self, mem);
}

static tn_status open_chart(tn_sim *sim, tn_chart_kind kind)
{
    TN_ASSERT(!sim->chart_block);
    const tn_system *sys = sim->start.sys;
    sim->chart = (tn_chart){
        .kind = kind, .ngroup = sys->ngroup, .nq = sys->nq, .nv = sys->nv, .groups = sys->groups};
    TN_TRY(tn_carve_block(&sim->chart, layout_chart, &sim->chart_block));
    tn_chart_open(&sim->chart, tn_euler_sequence(sim->options.euler_sequence));
    sim->stepper.chart = &sim->chart;
    return TN_OK;
}

// The terms of baumgarte and penalties decay at the roots of s^2 + 2 alpha s + beta^2, and an
// explicit method bears only so much of that in a step [HW96, IV.2].
static tn_status check_decay(const tn_sim *sim)
{
    const tn_sim_options *o = &sim->options;
    const tn_formulation *f = sim->method.formulation;
    const bool penalty = tn_formulation_reads(f, "penalty_omega");
    const double b = penalty ? o->penalty_omega : o->baumgarte_beta;
    const double a = penalty ? o->penalty_mu * b : o->baumgarte_alpha;
    const double most = sim->method.integrator->decay_max;
    const double rate = a > b ? a + sqrt(a * a - b * b) : b;
    const bool weighted = penalty || (f->baumgarte && f->acceleration); // else by the step
    if (o->adaptive || most == 0.0 || !weighted || rate * o->step <= most)
        return TN_OK;
    char weights[96];
    if (penalty)
        snprintf(weights, sizeof weights, "penalty_omega %g 1/s and penalty_mu %g", b,
                 o->penalty_mu);
    else
        snprintf(weights, sizeof weights, "alpha %g 1/s and beta %g 1/s", a, b);
    return tn_fail(TN_ERR_PAIRING,
                   "%s with %s is unstable: it decays at %.3g 1/s, and %s with steps of %g s bears "
                   "%.3g 1/s; take smaller weights or a smaller step%s",
                   f->name, weights, rate, sim->method.integrator->name, o->step, most / o->step,
                   penalty ? "" : ", or an implicit method");
}

// Bristles relax at the rate sigma_0 s / mu; fixed steps must bear that at Stribeck's speed at
// least, and at the speed at which surfaces slip now.
tn_status tn_sim_check_bristles(const tn_sim *sim)
{
    const double most = sim->method.integrator->decay_max, h = sim->options.step;
    tn_system *sys = sim->start.sys;
    if (!sim->model || sim->options.adaptive || most == 0.0)
        return TN_OK;
    for (int k = 0; k < sim->model->forces.count; k++) {
        const tn_force_data *force = &sim->model->forces.at[k];
        const tn_friction *f = &force->def.friction;
        if (force->ops != &tn_force_lugre)
            continue;
        const tn_point at = tn_state_point(&sim->start.x);
        tn_force_state now = {0};
        sys->ops->mechanism->force(sys, &at, k, &now);
        const double speed = fmax(now.slip, f->stribeck), rate = f->stiffness * speed / f->coulomb;
        if (rate * h > most)
            return tn_fail(TN_ERR_PAIRING,
                           "force '%s': its bristles relax at %.3g 1/s where they slip at %.3g "
                           "m/s, and %s with steps of %g s bears %.3g 1/s (t = %.6g s); take a "
                           "smaller step, softer bristles or an implicit method",
                           force->name, rate, speed * sys->units.length,
                           sim->method.integrator->name, h, most / h, at.t);
    }
    return TN_OK;
}

bool tn_sim_has_directors(const tn_sim *sim)
{
    return sim->start.sys->ops->directors;
}

bool tn_sim_is_driven(const tn_sim *sim)
{
    for (int i = 0; sim->model && i < sim->model->joints.count; i++)
        if (sim->model->joints.at[i].u[0])
            return true;
    return false;
}

static bool may_be_stiff(const tn_model *model) // NULL: equations of a user
{
    return !model || model->forces.count > 0 || model->modals.count > 0 ||
           tn_model_has_signals(model);
}

// Rates of decay and frequencies of springs, in rates of the motion, from which on the parts of a
// stabilised formulation are solved together. On a flyball governor with decays of 1300 bdf with
// low tolerances takes a fifth of the steps then, at 130 as many as before; without dampers, with
// springs of 64, steps over the vibration become possible, at 20 they were. One matrix takes up to
// 1.4 times as long where it is not needed. Generalized-alpha gains nothing: its iterations are
// those of tangents from earlier steps. Motions without inertia are the limit of strong damping.
static const double STIFF_DECAY = 100.0, STIFF_SPRINGS = 50.0;

// With drives what parts leave of an iteration goes to mu and comes back as noise of z, which the
// differences of a multistep method enlarge: on a universal joint with two drives bdf takes 1100
// steps by one matrix and failed after 339 000 by parts. Rows of velocities may do the same: one of
// 200 random mechanisms with wheels took 2664 steps of order one over 0.05 s, and 17 by one matrix.
//
// Without forces nothing is stiff. In joint coordinates weight alone has entries in K that are no
// stiffness, as loops and accelerations that balance it are not there.
static tn_status choose_matrices(tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    const bool parts = tn_projects_position(sim->start.sys, f);
    tn_stiffness s;
    if (!parts || !(sim->method.integrator->needs & TN_VIEW_RESIDUAL))
        return TN_OK;
    if (sim->start.sys->nmassless > 0 ||
        (sim->method.integrator->multistep && (tn_sim_is_driven(sim) || sim->start.sys->nn > 0)))
        return tn_problem_set_exact(sim->problem, true);
    if (!may_be_stiff(sim->model))
        return TN_OK;
    TN_TRY(tn_stiffness_find(&sim->start, &s));
    return tn_problem_set_exact(sim->problem, s.decay > STIFF_DECAY * s.motion ||
                                                  s.springs > STIFF_SPRINGS * s.motion);
}

// Checks that the model has what its method needs, and the method what the model needs.
static tn_status check_method(const tn_sim *sim)
{
    const tn_combination all = {.model = sim->model,
                                .sys = sim->start.sys,
                                .integrator = sim->method.integrator,
                                .formulation = sim->method.formulation,
                                .options = &sim->options};
    TN_TRY(tn_combination_check(TN_BEFORE_VIEWS, all));
    TN_TRY(check_decay(sim));
    return tn_sim_check_bristles(sim);
}

tn_status tn_sim_open_views(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const int *active = tn_start_active(&sim->start);
    const tn_point at = tn_state_point(&sim->start.x);
    tn_chart_kind kind;
    tn_status fits = check_method(sim);
    while (fits == TN_ERR_PAIRING && tn_method_next(&sim->method, sys))
        fits = check_method(sim);
    TN_TRY(fits);
    const unsigned needs = sim->method.integrator->needs;
    if (needs & TN_VIEW_DISCRETE)
        TN_TRY(tn_discrete_create(sys, sim->method.formulation, &at, active, &sim->discrete));
    TN_TRY(choose_chart(sim, &kind));
    sim->stepper = (tn_stepper){.accel = sim->start.accel, .options = &sim->options, .moved = true};
    sim->stepper.known = true;
    tn_sim_set_tolerances(sim);
    sim->stepper.discrete = sim->discrete;
    sim->stepper.rows = sim->start.rows;
    sim->row_changes = sim->start.rows ? sim->start.rows->changes : 0;
    if (needs & (TN_VIEW_STEP | TN_VIEW_RESIDUAL | TN_VIEW_BLOCKS)) {
        TN_TRY(tn_problem_create(sys, sim->method.formulation, &sim->options, &sim->problem));
        tn_problem_set_active(sim->problem, active);
        TN_TRY(choose_matrices(sim));
        sim->stepper.problem = sim->problem;
    }
    if (needs & TN_VIEW_RESIDUAL) {
        const tn_integrator_ops *ops = sim->method.integrator;
        const bool complex_too = ops->pairs || (ops->fixed_pairs && !sim->options.adaptive);
        TN_TRY(tn_dae_create(sim->problem, kind, &sim->options, complex_too, &sim->dae));
        sim->stepper.dae = sim->dae;
    }
    if (needs & TN_VIEW_ACCEL) {
        TN_TRY(tn_ode_create(sys, sim->method.formulation, kind, &sim->options, &sim->ode));
        tn_ode_set_active(sim->ode, active);
        TN_TRY(tn_ode_choose(sim->ode, sim->model, sim->options.characteristics));
        sim->stepper.ode = sim->ode;
    }
    return needs & TN_VIEW_BLOCKS ? open_chart(sim, kind) : TN_OK;
}

void tn_sim_close_views(tn_sim *sim)
{
    tn_discrete_destroy(sim->discrete);
    tn_ode_destroy(sim->ode);
    tn_dae_destroy(sim->dae);
    tn_problem_destroy(sim->problem);
    tn_free(sim->chart_block);
}
