// SPDX-License-Identifier: MIT
//
// Read-out of a simulation: its sensors (sensors.h) at the output state, and the raw state.

#include "base/tolerance.h"
#include "model/units.h"
#include "sim/sim.h"

// For quantities without reactions: the output state, if it is valid already, so that the system is
// evaluated once.
static const tn_state *seen_state(const tn_sim *sim)
{
    return sim->recovered.known ? sim->recovered.best : sim->view;
}

static tn_body_state seen_body(tn_sim *sim, tn_body body)
{
    return tn_sensors_body(&sim->sensors, seen_state(sim), body);
}

TN_GETTER(double, tn_sim_time, (const tn_sim *sim), sim, 0.0, sim->view->t);
TN_GETTER(tn_frame, tn_sim_body_frame, (tn_sim * sim, tn_body body), sim, tn_frame_identity,
          seen_body(sim, body).frame);
TN_GETTER(tn_quat, tn_sim_body_rotation, (tn_sim * sim, tn_body body), sim, tn_quat_identity,
          seen_body(sim, body).rotation);
TN_GETTER(tn_vec3, tn_sim_body_velocity, (tn_sim * sim, tn_body body), sim, ((tn_vec3){0}),
          seen_body(sim, body).velocity);
TN_GETTER(tn_vec3, tn_sim_body_rate, (tn_sim * sim, tn_body body), sim, ((tn_vec3){0}),
          seen_body(sim, body).rate);
TN_GETTER(tn_vec3, tn_sim_body_acceleration, (tn_sim * sim, tn_body body), sim, ((tn_vec3){0}),
          tn_sensors_body(&sim->sensors, tn_sim_recovered(sim), body).acceleration);
TN_GETTER(tn_vec3, tn_sim_body_rate_dot, (tn_sim * sim, tn_body body), sim, ((tn_vec3){0}),
          tn_sensors_body(&sim->sensors, tn_sim_recovered(sim), body).rate_dot);
TN_GETTER(int, tn_sim_joint_coordinates, (tn_sim * sim, tn_joint joint, double *q, double *rate),
          sim, 0, tn_sensors_coordinates(&sim->sensors, seen_state(sim), joint, q, rate));

void tn_sim_contact(tn_sim *sim, tn_joint joint, double *at, tn_vec3 *point)
{
    tn_sensors_contact(&sim->sensors, seen_state(sim), joint, at, point);
}

double tn_sim_contact_load(tn_sim *sim, tn_joint joint)
{
    double lambda[TN_JOINT_MAX_ROWS] = {0};
    sim->sensors.lambda_known = false; // of the step
    tn_sensors_multipliers(&sim->sensors, tn_sim_recover_loads(sim, sim->view), joint, lambda,
                           NULL);
    sim->sensors.lambda_known = false;
    const tn_system *sys = sim->start.sys;
    const double size = tn_unit_force(sys->units) / (sys->time_scale * sys->time_scale);
    return TN_ROUND_SOLVE * size - lambda[0]; // M v' = f - G^T lambda
}

tn_status tn_sim_check_loads(tn_sim *sim)
{
    for (int k = 0; sim->model && k < sim->model->joints.count; k++) {
        const tn_joint_data *joint = &sim->model->joints.at[k];
        if (!joint->ops->shapes || joint->def->contact.lift_off != TN_LIFT_OFF_END)
            continue;
        const double load = tn_sim_contact_load(sim, (tn_joint){k});
        if (load < 0.0)
            return tn_fail(TN_ERR_MODEL,
                           "joint '%s': at the start its contact would have to pull, with %.3g N; "
                           "press the bodies together, state other_side where body B is on the "
                           "other side, or lift_off: tell or ignore",
                           joint->name, -load);
    }
    return TN_OK;
}

int tn_sim_joint_accelerations(tn_sim *sim, tn_joint joint, double *a)
{
    TN_NEED_ALL(0, sim, a);
    return tn_sensors_accelerations(&sim->sensors, tn_sim_recovered(sim), joint, a);
}

void tn_sim_deflection(tn_sim *sim, int force, double *y, double *rate)
{
    tn_sensors_deflection(&sim->sensors, seen_state(sim), force, y, rate);
}

tn_status tn_sim_force(tn_sim *sim, tn_force force, tn_force_state *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, out);
    return tn_sensors_force(&sim->sensors, seen_state(sim), force, out);
}

TN_GETTER(tn_wrench, tn_sim_joint_reaction, (tn_sim * sim, tn_joint joint), sim, ((tn_wrench){0}),
          tn_sensors_reaction(&sim->sensors, tn_sim_recovered(sim), joint));

int tn_sim_joint_multipliers(tn_sim *sim, tn_joint joint, double *lambda, bool *unique)
{
    TN_NEED(sim, 0);
    return tn_sensors_multipliers(&sim->sensors, tn_sim_recovered(sim), joint, lambda, unique);
}

tn_frame_motion tn_sim_frame(tn_sim *sim, tn_body body, tn_frame frame)
{
    TN_NEED(sim, (tn_frame_motion){.frame = tn_frame_identity});
    return tn_sensors_frame(&sim->sensors, tn_sim_recovered(sim), body, frame);
}

tn_frame_motion tn_sim_frame_between(tn_sim *sim, tn_body body_a, tn_frame frame_a, tn_body body_b,
                                     tn_frame frame_b)
{
    TN_NEED(sim, (tn_frame_motion){.frame = tn_frame_identity});
    const tn_frame_motion a = tn_sim_frame(sim, body_a, frame_a);
    const tn_frame_motion b = tn_sim_frame(sim, body_b, frame_b);
    return tn_frame_seen_from(&a, &b);
}

tn_status tn_sim_frame_jacobian(tn_sim *sim, tn_body body, tn_frame frame, double *J)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, J);
    return tn_sensors_jacobian(&sim->sensors, sim->view, body, frame, J);
}

tn_status tn_sim_mass_matrix(tn_sim *sim, double *M)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, M);
    return tn_sensors_mass_matrix(&sim->sensors, sim->view, M);
}

tn_status tn_sim_forces(tn_sim *sim, double *f)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, f);
    return tn_sensors_forces(&sim->sensors, sim->view, f);
}

TN_GETTER(int, tn_sim_nq, (const tn_sim *sim), sim, 0, sim->start.sys->nq);
TN_GETTER(int, tn_sim_nv, (const tn_sim *sim), sim, 0, sim->start.sys->nv);
TN_GETTER(int, tn_sim_nl, (const tn_sim *sim), sim, 0, sim->start.sys->ng);
TN_GETTER(int, tn_sim_nn, (const tn_sim *sim), sim, 0, sim->start.sys->nn);
TN_GETTER(const double *, tn_sim_q, (tn_sim * sim), sim, NULL,
          tn_sim_si(sim, TN_MEASURE_POSITION, sim->view->q, sim->si.x.q));
TN_GETTER(const double *, tn_sim_v, (tn_sim * sim), sim, NULL,
          tn_sim_si(sim, TN_MEASURE_VELOCITY, sim->view->v, sim->si.x.v));
TN_GETTER(const double *, tn_sim_a, (tn_sim * sim), sim, NULL,
          tn_sim_si(sim, TN_MEASURE_VELOCITY, tn_sim_recovered(sim)->a, sim->si.x.a));
TN_GETTER(const double *, tn_sim_lambda, (tn_sim * sim), sim, NULL,
          tn_sim_si(sim, TN_MEASURE_MULTIPLIER, tn_sim_recovered(sim)->lambda, sim->si.x.lambda));
TN_GETTER(const double *, tn_sim_eta, (tn_sim * sim), sim, NULL,
          tn_sim_si(sim, TN_MEASURE_ETA, tn_sim_recovered(sim)->eta, sim->si.x.eta));
TN_GETTER(const double *, tn_sim_extra, (tn_sim * sim), sim, NULL, tn_sim_recovered(sim)->e);
TN_GETTER(const double *, tn_sim_sampled, (const tn_sim *sim), sim, NULL, sim->view->r);

bool tn_sim_discrete(tn_sim *sim, tn_discrete_node *out)
{
    TN_NEED_ALL(false, sim, out);
    const tn_integrator_ops *ops = sim->method.integrator;
    *out = (tn_discrete_node){0};
    if (!ops->node || sim->view != &sim->start.x)
        return false;
    const bool told = ops->node(sim->integrator, &sim->stepper, sim->view, out) == TN_OK;
    if (told)
        tn_sim_si_node(sim, out);
    sim->start.sys->looked = false;
    return told;
}

TN_GETTER(const char *, tn_sim_method, (const tn_sim *sim), sim, "", sim->method.name);
TN_GETTER(const char *, tn_sim_why, (const tn_sim *sim), sim, "", sim->method.why);
TN_GETTER(const char *, tn_sim_rotation, (const tn_sim *sim), sim, "",
          tn_sim_has_directors(sim) ? "directors" : sim->options.rotation);

const char *tn_sim_solver(const tn_sim *sim)
{
    TN_NEED(sim, "");
    if (sim->discrete)
        return sim->discrete->ops->solver(sim->discrete);
    if (sim->problem)
        return tn_corrector_solver(sim->problem->corrector);
    return sim->ode ? tn_ode_solver(sim->ode) : "none";
}

TN_GETTER(int, tn_sim_note_count, (const tn_sim *sim), sim, 0, sim->start.notes.count);
TN_GETTER(const char *, tn_sim_note, (const tn_sim *sim, int i), sim, "",
          i >= 0 && i < sim->start.notes.count ? sim->start.notes.text[i] : "");
TN_GETTER(int, tn_sim_freedoms, (const tn_sim *sim), sim, 0,
          sim->start.sys->nv - sim->start.redundancy.rank);
TN_GETTER(int, tn_sim_redundant, (const tn_sim *sim), sim, 0, sim->start.redundancy.count);
