// SPDX-License-Identifier: MIT
//
// A six-axis arm that follows its hand: a spring and a damper between the tool and a target frame
// make a wrench, and the transposed Jacobian of the tool makes torques of it. The motors also carry
// gravity, whose torques the simulation tells, a thousand times a second.

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

enum { AXES = 6 };

static const char *const text =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs: {u1: 0, u2: 0, u3: 0, u4: 0, u5: 0, u6: 0}\n"
    "bodies:\n"
    "  turret: {mass: 8, inertia: [0.10, 0.10, 0.05], initial: {position: [0, 0, 0.2]}}\n"
    "  upper: {mass: 6, inertia: [0.13, 0.13, 0.02], initial: {position: [0, 0, 0.65]}}\n"
    "  fore: {mass: 3, inertia: [0.01, 0.02, 0.02], initial: {position: [0.1, 0, 0.9]}}\n"
    "  wrist: {mass: 2, inertia: [0.004, 0.01, 0.01], initial: {position: [0.3, 0, 0.9]}}\n"
    "  knuckle: {mass: 1, inertia: [0.002, 0.003, 0.003], initial: {position: [0.42, 0, 0.9]}}\n"
    "  tool: {mass: 0.5, inertia: [0.003, 0.004, 0.004], initial: {position: [0.5, 0, 0.9]}}\n"
    "joints:\n"
    "  j1: {kind: revolute, body: turret, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  j2: {kind: revolute, bodies: [turret, upper], at: [0, 0, 0.4], axis: [0, 1, 0]}\n"
    "  j3: {kind: revolute, bodies: [upper, fore], at: [0, 0, 0.9], axis: [0, 1, 0]}\n"
    "  j4: {kind: revolute, bodies: [fore, wrist], at: [0.2, 0, 0.9], axis: [1, 0, 0]}\n"
    "  j5: {kind: revolute, bodies: [wrist, knuckle], at: [0.4, 0, 0.9], axis: [0, 1, 0]}\n"
    "  j6: {kind: revolute, bodies: [knuckle, tool], at: [0.45, 0, 0.9], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  m1: {kind: motor, joint: j1, effort: u1}\n"
    "  m2: {kind: motor, joint: j2, effort: u2}\n"
    "  m3: {kind: motor, joint: j3, effort: u3}\n"
    "  m4: {kind: motor, joint: j4, effort: u4}\n"
    "  m5: {kind: motor, joint: j5, effort: u5}\n"
    "  m6: {kind: motor, joint: j6, effort: u6}\n";

// Stiffness and damping of the hand, and some friction that the motors imitate.
static const double STIFFNESS = 600.0, DAMPING = 110.0;        // [N/m], [N s/m]
static const double TURN_STIFFNESS = 40.0, TURN_DAMPING = 1.0; // [N m/rad], [N m s/rad]
static const double FRICTION = 0.05;                           // [N m s/rad]

static tn_vec3 vec(double x, double y, double z)
{
    return (tn_vec3){x, y, z};
}

// The rotation vector from R to the target, for angles that are not large: the mean of the cross
// products of their axes.
static tn_vec3 turn_to(tn_mat3 R, tn_mat3 target)
{
    tn_vec3 sum = vec(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++)
        sum = tn_v3_add(sum, tn_v3_cross(vec(R.m[0][k], R.m[1][k], R.m[2][k]),
                                         vec(target.m[0][k], target.m[1][k], target.m[2][k])));
    return tn_v3_scale(0.5, sum);
}

static tn_status control(tn_sim *sim, tn_body tool, tn_frame tip, tn_frame target, double *torque)
{
    double J[6 * AXES], f[AXES];
    tn_status s = tn_sim_frame_jacobian(sim, tool, tip, J);
    if (s == TN_OK)
        s = tn_sim_forces(sim, f);
    const tn_frame_motion at = tn_sim_frame(sim, tool, tip);
    const tn_vec3 away = tn_v3_sub(target.p, at.frame.p), turn = turn_to(at.frame.R, target.R);
    const double wrench[6] = {
        STIFFNESS * away.x - DAMPING * at.velocity.x,
        STIFFNESS * away.y - DAMPING * at.velocity.y,
        STIFFNESS * away.z - DAMPING * at.velocity.z,
        TURN_STIFFNESS * turn.x - TURN_DAMPING * at.rate.x,
        TURN_STIFFNESS * turn.y - TURN_DAMPING * at.rate.y,
        TURN_STIFFNESS * turn.z - TURN_DAMPING * at.rate.z,
    };
    for (int k = 0; k < AXES && s == TN_OK; k++) {
        // Velocities in joint coordinates are the rates of the joints. What acts beside the motors
        // is gravity and what the motion asks for.
        double u = torque[k] - f[k] - FRICTION * tn_sim_v(sim)[k];
        for (int i = 0; i < 6; i++)
            u += J[6 * k + i] * wrench[i];
        torque[k] = u;
        s = tn_sim_set_input(sim, (tn_input){k}, u);
    }
    return s;
}

int main(void)
{
    const tn_frame tip = {tn_frame_identity.R, {0.05, 0.0, 0.0}};
    const double a = 0.6, b = 0.4; // about z, then about the new y
    const tn_frame target = {{{{cos(a) * cos(b), -sin(a), cos(a) * sin(b)},
                               {sin(a) * cos(b), cos(a), sin(a) * sin(b)},
                               {-sin(b), 0.0, cos(b)}}},
                             {0.35, 0.3, 0.75}};
    double torque[AXES] = {0.0}, away = INFINITY, turn = INFINITY;
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl@joint";
    tn_status s = tn_model_parse(text, "arm", &model, NULL);
    if (s == TN_OK)
        s = tn_sim_create(model, &options, &sim);
    const tn_body tool = s == TN_OK ? tn_model_find_body(model, "tool") : (tn_body){-1};

    printf("%6s %12s %12s\n", "t [s]", "away [mm]", "turn [mrad]");
    for (int k = 0; k <= 3000 && s == TN_OK; k++) {
        const tn_frame at = tn_sim_frame(sim, tool, tip).frame;
        away = tn_v3_norm(tn_v3_sub(target.p, at.p));
        turn = tn_v3_norm(turn_to(at.R, target.R));
        if (k % 500 == 0)
            printf("%6.2f %12.4f %12.4f\n", tn_sim_time(sim), 1e3 * away, 1e3 * turn);
        s = control(sim, tool, tip, target, torque);
        if (s == TN_OK)
            s = tn_sim_step(sim, 1e-3);
    }
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return s == TN_OK && away < 1e-4 && turn < 1e-3 ? 0 : 1;
}
