// SPDX-License-Identifier: MIT
//
// Joints under motions known in closed form, with their reactions on body B at its joint frame:
// screw, cylindrical, planar, fixed, universal.

#include "motion.h"

static const double GRAVITY = 9.81;

static tn_vec3 weight_of(double mass) // of a body in a model with the gravity below
{
    return (tn_vec3){0.0, 0.0, -GRAVITY * mass};
}

static tn_vec3 along(tn_frame at, int axis, double size)
{
    return tn_v3_scale(size, tn_m3_column(at.R, axis));
}

// Screw on an inclined axis z: m p^2 + J moves under the weight's part along it,
//   z'' = -g cos(tilt) / (1 + J / (m p^2)),   angle = z / p.
// The frame of the joint is at the centre of mass and turns some fifteen times.

static const double SCREW_PITCH = 0.1, SCREW_MASS = 2.0, SCREW_TILT = 0.5, SCREW_J = 0.03;

static tn_frame screw_axis(void)
{
    return (tn_frame){tn_m3_rot_y(SCREW_TILT), {0.4, -0.2, 0.1}};
}

static void build_screw(tn_model *model, rig *r)
{
    const tn_body_def nut =
        body_def("nut", SCREW_MASS, (tn_vec3){0.05, 0.04, SCREW_J}, screw_axis());
    tn_model_set_gravity(model, weight_of(1.0));
    r->part[0] = add_part(model, &nut);
    tn_joint_def thread = joint_at(TN_JOINT_SCREW, "thread", ground, r->part[0], screw_axis());
    thread.screw.pitch = SCREW_PITCH;
    r->joint[0] = tn_model_add_joint(model, &thread);
}

static deviation compare_screw(tn_sim *sim, const rig *r, double t)
{
    const double ratio = SCREW_J / (SCREW_MASS * SCREW_PITCH * SCREW_PITCH);
    const double a = -GRAVITY * cos(SCREW_TILT) / (1.0 + ratio), z = 0.5 * a * t * t;
    const tn_frame axis = screw_axis();
    const tn_vec3 force = tn_v3_sub(along(axis, 2, SCREW_MASS * a), weight_of(SCREW_MASS));
    double q[3], rate[3];
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], q, rate) == 2);
    double off =
        distance(tn_sim_body_frame(sim, r->part[0].id).p, tn_v3_add(axis.p, along(axis, 2, z)));
    off = worse_of(off, fabs(q[0] - z / SCREW_PITCH));
    off = worse_of(off, fabs(q[1] - z));
    off = worse_of(off, fabs(rate[0] - a * t / SCREW_PITCH));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[0]);
    return (deviation){off, wrench_distance(w, force, along(axis, 2, SCREW_J * a / SCREW_PITCH))};
}

// Cylindrical joint on an inclined axis: the weight along it, a torque about it, each for itself.

static const double TUBE_MASS = 1.5, TUBE_TILT = -0.7, TUBE_J = 0.2, TUBE_TORQUE = 1.2;

static tn_frame tube_axis(void)
{
    return (tn_frame){tn_m3_rot_x(TUBE_TILT), {-0.3, 0.5, 0.2}};
}

static void build_tube(tn_model *model, rig *r)
{
    const tn_body_def tube = body_def("tube", TUBE_MASS, (tn_vec3){0.3, 0.4, TUBE_J}, tube_axis());
    tn_model_set_gravity(model, weight_of(1.0));
    r->part[0] = add_part(model, &tube);
    r->joint[0] = join(model, TN_JOINT_CYLINDRICAL, "guide", ground, r->part[0], tube_axis());
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    motor.name = "motor";
    motor.joint = r->joint[0];
    motor.coordinate = 0;
    motor.motor.effort.constant = TUBE_TORQUE;
    tn_model_add_force(model, &motor);
}

static deviation compare_tube(tn_sim *sim, const rig *r, double t)
{
    const double a = -GRAVITY * cos(TUBE_TILT), alpha = TUBE_TORQUE / TUBE_J;
    const tn_vec3 force = tn_v3_sub(along(tube_axis(), 2, TUBE_MASS * a), weight_of(TUBE_MASS));
    double q[3], rate[3];
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], q, rate) == 2);
    double off = worse_of(fabs(q[0] - 0.5 * alpha * t * t), fabs(q[1] - 0.5 * a * t * t));
    off = worse_of(off, worse_of(fabs(rate[0] - alpha * t), fabs(rate[1] - a * t)));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[0]);
    return (deviation){off, wrench_distance(w, force, (tn_vec3){0, 0, 0})};
}

// Planar joint on an inclined plane: the centre of mass falls along the slope, the spin stays.

static const double PUCK_MASS = 0.8, PUCK_TILT = 0.4, PUCK_SPIN = 3.0;

static tn_frame slope(void)
{
    return (tn_frame){tn_m3_rot_x(PUCK_TILT), {0.1, 0.2, 0.3}};
}

static tn_vec3 puck_start(void) // velocity in the plane
{
    return tn_v3_add(along(slope(), 0, 0.7), along(slope(), 1, 0.4));
}

static void build_puck(tn_model *model, rig *r)
{
    tn_body_def puck = body_def("puck", PUCK_MASS, (tn_vec3){0.02, 0.03, 0.05}, slope());
    puck.velocity = puck_start();
    puck.rate = (tn_vec3){0.0, 0.0, PUCK_SPIN};
    tn_model_set_gravity(model, weight_of(1.0));
    r->part[0] = add_part(model, &puck);
    r->joint[0] = join(model, TN_JOINT_PLANAR, "ice", ground, r->part[0], slope());
}

static deviation compare_puck(tn_sim *sim, const rig *r, double t)
{
    const double a = -GRAVITY * sin(PUCK_TILT); // along y of the slope
    const tn_vec3 normal = along(slope(), 2, PUCK_MASS * GRAVITY * cos(PUCK_TILT));
    double q[3], rate[3];
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], q, rate) == 3);
    double off = worse_of(fabs(q[0] - 0.7 * t), fabs(q[1] - 0.4 * t - 0.5 * a * t * t));
    off = worse_of(off, fabs(q[2] - PUCK_SPIN * t));
    off = worse_of(off, fabs(rate[1] - 0.4 - a * t));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[0]);
    return (deviation){off, wrench_distance(w, normal, (tn_vec3){0, 0, 0})};
}

// Fixed joint: two welded bodies spin about a principal axis of the whole through its centre of
// mass while falling. Body 2 is held on its circle by the weld, m_2 (a_2 - g) = -m_2 w^2 r_2.

static const double WELD_SPIN = 4.0;
static const tn_vec3 weld_one = {-0.6, 0.0, 0.0}, weld_two = {0.3, 0.0, 0.0}; // masses 1 and 2 kg
static const tn_vec3 weld_point = {0.1, 0.2, 0.15};

static part add_welded(tn_model *model, const char *name, double mass, tn_vec3 r)
{
    const tn_vec3 spin = {0.0, 0.0, WELD_SPIN};
    tn_body_def def =
        body_def(name, mass, (tn_vec3){0.02, 0.05, 0.04}, (tn_frame){tn_m3_identity, r});
    def.velocity = tn_v3_cross(spin, r);
    def.rate = spin;
    return add_part(model, &def);
}

static void build_weld(tn_model *model, rig *r)
{
    const tn_mat3 any = tn_m3_mul(tn_m3_rot_x(0.5), tn_m3_rot_y(-0.8));
    tn_model_set_gravity(model, weight_of(1.0));
    r->part[0] = add_welded(model, "one", 1.0, weld_one);
    r->part[1] = add_welded(model, "two", 2.0, weld_two);
    r->joint[0] =
        join(model, TN_JOINT_FIXED, "weld", r->part[0], r->part[1], (tn_frame){any, weld_point});
}

static deviation compare_weld(tn_sim *sim, const rig *r, double t)
{
    const tn_mat3 R = tn_m3_rot_z(WELD_SPIN * t);
    const tn_vec3 fall = {0.0, 0.0, -0.5 * GRAVITY * t * t};
    const tn_vec3 force = tn_m3_apply(R, tn_v3_scale(-2.0 * WELD_SPIN * WELD_SPIN, weld_two));
    const tn_vec3 arm = tn_m3_apply(R, tn_v3_sub(weld_two, weld_point)); // weld to centre of mass
    const tn_frame one = tn_sim_body_frame(sim, r->part[0].id);
    const tn_frame two = tn_sim_body_frame(sim, r->part[1].id);
    double off = distance(one.p, tn_v3_add(fall, tn_m3_apply(R, weld_one)));
    off = worse_of(off, distance(two.p, tn_v3_add(fall, tn_m3_apply(R, weld_two))));
    for (int i = 0; i < 3; i++)
        off = worse_of(off, distance(tn_m3_column(two.R, i), tn_m3_column(R, i)));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[0]);
    return (deviation){off, wrench_distance(w, force, tn_v3_cross(arm, force))};
}

// Universal joint between two shafts that meet at the angle b: with the fork of shaft 1 in the
// plane of the shafts at angle zero, tan(angle 2) = tan(angle 1) / cos b. Shaft 1 turns steadily
// and drives the inertia J of shaft 2: power balance gives its torque, J w_2 w_2' / w_1. The far
// end of shaft 2 rests in a point-on-line bearing, which leaves no row redundant.

static const double HOOKE_ANGLE = 0.6, HOOKE_RATE = 2.5, HOOKE_J = 0.3;

static void build_hooke(tn_model *model, rig *r)
{
    const tn_frame out = {tn_m3_rot_y(HOOKE_ANGLE), {0, 0, 0}};
    tn_body_def one = body_def("shaft 1", 1.0, (tn_vec3){0.1, 0.1, 0.05}, tn_frame_identity);
    tn_body_def two = body_def("shaft 2", 1.0, (tn_vec3){0.4, 0.4, HOOKE_J}, out);
    one.rate.z = HOOKE_RATE;
    two.rate.z = HOOKE_RATE / cos(HOOKE_ANGLE);
    r->part[0] = add_part(model, &one);
    r->part[1] = add_part(model, &two);
    r->joint[0] =
        join(model, TN_JOINT_REVOLUTE, "bearing 1", ground, r->part[0], tn_frame_identity);
    join(model, TN_JOINT_UNIVERSAL, "cross", r->part[0], r->part[1], tn_frame_identity);
    join(model, TN_JOINT_POINT_ON_LINE, "bearing 2", ground, r->part[1],
         (tn_frame){out.R, tn_m3_column(out.R, 2)});
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.name = "drive";
    drive.drive.joint = r->joint[0];
    drive.drive.motion.expression = "2.5*t";
    r->joint[1] = tn_model_add_joint(model, &drive);
}

static deviation compare_hooke(tn_sim *sim, const rig *r, double t)
{
    const double angle = HOOKE_RATE * t, c = cos(angle), s = sin(angle), cb = cos(HOOKE_ANGLE);
    const double D = 1.0 - (1.0 - cb * cb) * c * c, w2 = HOOKE_RATE * cb / D;
    const double w2_dot = -w2 / D * 2.0 * (1.0 - cb * cb) * c * s * HOOKE_RATE;
    const tn_frame two = tn_sim_body_frame(sim, r->part[1].id);
    const tn_mat3 R = tn_m3_mul(tn_m3_rot_y(HOOKE_ANGLE), tn_m3_rot_z(atan2(s, cb * c)));
    double off = largest(two.p);
    for (int i = 0; i < 3; i++)
        off = worse_of(off, distance(tn_m3_column(two.R, i), tn_m3_column(R, i)));
    off = worse_of(off, fabs(tn_sim_body_rate(sim, r->part[1].id).z - w2));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[1]);
    return (deviation){off, wrench_distance(w, (tn_vec3){0, 0, 0},
                                            (tn_vec3){0, 0, HOOKE_J * w2 * w2_dot / HOOKE_RATE})};
}

static const motion motions[] = {
    {"screw", build_screw, compare_screw, 0.01, 2.0, {0, 0}, true},
    {"cylindrical", build_tube, compare_tube, 0.01, 2.0, {0, 0}, true},
    {"planar", build_puck, compare_puck, 0.01, 1.0, {2e-3, 0}, true},
    {"fixed", build_weld, compare_weld, 0.005, 1.0, {2e-4, 2e-3}, false},
    {"universal", build_hooke, compare_hooke, 0.005, 2.0, {1e-4, 3e-4}, false},
};

static void screw_descends_by_its_pitch(void)
{
    judge(&motions[0]);
}

static void cylindrical_joint_slides_and_turns(void)
{
    judge(&motions[1]);
}

static void planar_joint_falls_along_the_slope_and_spins(void)
{
    judge(&motions[2]);
}

static void welded_bodies_move_as_one(void)
{
    judge(&motions[3]);
}

static void universal_joint_turns_unevenly(void)
{
    judge(&motions[4]);
}

// A point mass that sinks in a viscous medium: a bushing to the ground without stiffness damps all
// three directions, v = v0 e^(-ct/m) + g m/c (1 - e^(-ct/m)) in each.
static void a_bushing_damps_a_point_mass_in_all_directions(void)
{
    const char *const methods[] = {"dop853/index1@absolute", "dop853/index1@joint",
                                   "dop853/index1@director"};
    const double v0[3] = {1.0, -2.0, 0.5}, g[3] = {0.0, 0.0, -9.81}, m = 2.0, c = 3.0, t = 0.7;
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = tn_model_create();
        tn_model_set_gravity(model, tn_v3_from(g));
        tn_body_def bob = tn_default_body();
        bob.kind = TN_BODY_POINT;
        bob.mass = m;
        bob.velocity = tn_v3_from(v0);
        tn_force_def medium = tn_default_force(TN_FORCE_BUSHING);
        medium.body_b = tn_model_add_body(model, &bob);
        medium.bushing.damping = tn_v3(c, c, c);
        tn_model_add_force(model, &medium);
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.rtol = 1e-10, options.atol = 1e-12;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        double v[3];
        tn_v3_to(tn_sim_body_velocity(sim, medium.body_b), v);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(v[i], v0[i] * exp(-c * t / m) + g[i] * m / c * (1.0 - exp(-c * t / m)),
                       1e-9);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"a bushing damps a point mass in all directions",
     a_bushing_damps_a_point_mass_in_all_directions},
    {"screw descends by its pitch", screw_descends_by_its_pitch},
    {"cylindrical joint slides and turns", cylindrical_joint_slides_and_turns},
    {"planar joint falls along the slope and spins", planar_joint_falls_along_the_slope_and_spins},
    {"welded bodies move as one", welded_bodies_move_as_one},
    {"universal joint turns unevenly", universal_joint_turns_unevenly},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
