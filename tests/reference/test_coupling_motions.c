// SPDX-License-Identifier: MIT
//
// Couplings under motions known in closed form, with their reactions: point on line, point in
// plane, gear, rack and pinion, drive, pose drive.

#include "motion.h"

static const double GRAVITY = 9.81;
static const tn_vec3 zero = {0.0, 0.0, 0.0};

static tn_joint add_drive(tn_model *model, tn_joint joint, const char *expression)
{
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.name = "drive";
    drive.drive.joint = joint;
    drive.drive.motion.expression = expression;
    return tn_model_add_joint(model, &drive);
}

static void add_motor(tn_model *model, tn_joint joint, double effort)
{
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    motor.name = "motor";
    motor.joint = joint;
    motor.motor.effort.constant = effort;
    tn_model_add_force(model, &motor);
}

// Point on line: a bead on a rod that turns steadily, r = r0 cosh(w t). The rod pushes it sideways
// by the Coriolis force 2 m r' w.

static const double BEAD_MASS = 0.4, BEAD_RATE = 2.0, BEAD_START = 0.5;

static void build_bead(tn_model *model, rig *r)
{
    const tn_frame start = frame_at(BEAD_START, 0.0, 0.0);
    tn_body_def rod = body_def("rod", 1.0, (tn_vec3){0.1, 0.2, 0.3}, tn_frame_identity);
    tn_body_def bead = body_def("bead", BEAD_MASS, zero, start);
    rod.rate.z = BEAD_RATE;
    bead.kind = TN_BODY_POINT;
    bead.velocity.y = BEAD_RATE * BEAD_START;
    r->part[0] = add_part(model, &rod);
    r->part[1] = add_part(model, &bead);
    const tn_joint bearing =
        join(model, TN_JOINT_REVOLUTE, "bearing", ground, r->part[0], tn_frame_identity);
    add_drive(model, bearing, "2*t");
    tn_joint_def bore = tn_default_joint(TN_JOINT_POINT_ON_LINE);
    bore.name = "bore";
    bore.body_a = r->part[0].id;
    bore.body_b = r->part[1].id;
    bore.frame_a.R = tn_m3_rot_y(0.5 * PI); // z of the joint along x of the rod
    r->joint[0] = tn_model_add_joint(model, &bore);
}

static deviation compare_bead(tn_sim *sim, const rig *r, double t)
{
    const double s = BEAD_START * cosh(BEAD_RATE * t);
    const double s_dot = BEAD_START * BEAD_RATE * sinh(BEAD_RATE * t);
    const tn_mat3 R = tn_m3_rot_z(BEAD_RATE * t);
    const tn_vec3 force = {0.0, 2.0 * BEAD_MASS * s_dot * BEAD_RATE, 0.0};
    double q[3], rate[3];
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], q, rate) == 1);
    double off = worse_of(fabs(q[0] - s), fabs(rate[0] - s_dot));
    off = worse_of(off, distance(tn_sim_body_frame(sim, r->part[1].id).p,
                                 tn_m3_apply(R, (tn_vec3){s, 0.0, 0.0})));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[0]);
    return (deviation){off, wrench_distance(w, tn_m3_apply(R, force), zero)};
}

// Point in plane: the centre of a sphere slides down an inclined plane; its spin stays.

static const double SPHERE_MASS = 1.2, SPHERE_SPIN = 5.0, SPHERE_SLOPE = 0.3;

static tn_frame slope(void)
{
    return (tn_frame){tn_m3_rot_y(SPHERE_SLOPE), {0.0, 0.3, 0.5}};
}

static void build_sphere(tn_model *model, rig *r)
{
    tn_body_def sphere = body_def("sphere", SPHERE_MASS, (tn_vec3){0.2, 0.2, 0.2},
                                  (tn_frame){tn_m3_identity, slope().p});
    sphere.velocity = tn_m3_apply(slope().R, (tn_vec3){-1.0, 0.6, 0.0});
    sphere.rate.x = SPHERE_SPIN;
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -GRAVITY});
    r->part[0] = add_part(model, &sphere);
    r->joint[0] = join(model, TN_JOINT_POINT_IN_PLANE, "plane", ground, r->part[0], slope());
}

static deviation compare_sphere(tn_sim *sim, const rig *r, double t)
{
    const double a = GRAVITY * sin(SPHERE_SLOPE); // along x of the slope
    const tn_vec3 local = {-t + 0.5 * a * t * t, 0.6 * t, 0.0};
    const tn_mat3 R = tn_m3_rot_x(SPHERE_SPIN * t);
    const tn_vec3 normal = {0.0, 0.0, SPHERE_MASS * GRAVITY * cos(SPHERE_SLOPE)};
    const tn_frame frame = tn_sim_body_frame(sim, r->part[0].id);
    double off = distance(frame.p, tn_frame_point(slope(), local));
    for (int i = 0; i < 3; i++)
        off = worse_of(off, distance(tn_m3_column(frame.R, i), tn_m3_column(R, i)));
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[0]);
    return (deviation){off, wrench_distance(w, tn_m3_apply(slope().R, normal), zero)};
}

// Gear: wheels that mesh from outside, r_1 c_1 + r_2 c_2 = 0, and a torque T on the first:
//   c_1'' = T / (J_1 + J_2 (r_1 / r_2)^2).
// The multiplier is the force between the teeth: -lambda r_i is the torque on wheel i.

static const double GEAR_R1 = 0.3, GEAR_R2 = 0.7, GEAR_J1 = 0.2, GEAR_J2 = 0.5, GEAR_TORQUE = 1.5;

static void build_gear(tn_model *model, rig *r)
{
    const tn_frame at[] = {frame_at(0.0, 0.0, 0.0), frame_at(GEAR_R1 + GEAR_R2, 0.0, 0.0)};
    const tn_body_def one = body_def("wheel 1", 1.0, (tn_vec3){0.2, 0.2, GEAR_J1}, at[0]);
    const tn_body_def two = body_def("wheel 2", 2.0, (tn_vec3){0.4, 0.4, GEAR_J2}, at[1]);
    r->part[0] = add_part(model, &one);
    r->part[1] = add_part(model, &two);
    r->joint[0] = join(model, TN_JOINT_REVOLUTE, "axle 1", ground, r->part[0], at[0]);
    r->joint[1] = join(model, TN_JOINT_REVOLUTE, "axle 2", ground, r->part[1], at[1]);
    tn_joint_def mesh = tn_default_joint(TN_JOINT_GEAR);
    mesh.name = "mesh";
    mesh.gear.joint_1 = r->joint[0];
    mesh.gear.joint_2 = r->joint[1];
    mesh.gear.ratio_1 = GEAR_R1;
    mesh.gear.ratio_2 = GEAR_R2;
    r->joint[2] = tn_model_add_joint(model, &mesh);
    add_motor(model, r->joint[0], GEAR_TORQUE);
}

static deviation compare_gear(tn_sim *sim, const rig *r, double t)
{
    const double ratio = GEAR_R1 / GEAR_R2;
    const double a1 = GEAR_TORQUE / (GEAR_J1 + GEAR_J2 * ratio * ratio), a2 = -ratio * a1;
    const double lambda = -GEAR_J2 * a2 / GEAR_R2;
    double q1, q2, rate1, rate2, multiplier;
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], &q1, &rate1) == 1);
    CHECK(tn_sim_joint_coordinates(sim, r->joint[1], &q2, &rate2) == 1);
    CHECK(tn_sim_joint_multipliers(sim, r->joint[2], &multiplier, NULL) == 1);
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[2]); // on body B of joint_1
    double off = worse_of(fabs(q1 - 0.5 * a1 * t * t), fabs(q2 - 0.5 * a2 * t * t));
    off = worse_of(off, worse_of(fabs(rate1 - a1 * t), fabs(rate2 - a2 * t)));
    const double force = wrench_distance(w, zero, (tn_vec3){0, 0, -lambda * GEAR_R1});
    return (deviation){off, worse_of(force, fabs(multiplier - lambda))};
}

// Rack and pinion: a torque T about y on the pinion lifts the rack on its -x side, z = r c,
//   c'' = (T - m g r) / (J + m r^2).

static const double RACK_MASS = 3.0, RACK_R = 0.25, RACK_J = 0.2, RACK_TORQUE = 9.0;

static void build_rack(tn_model *model, rig *r)
{
    const tn_frame axle = {tn_m3_rot_x(-0.5 * PI), {0, 0, 0}}; // z of the joint along y
    const tn_body_def pinion =
        body_def("pinion", 1.0, (tn_vec3){0.3, RACK_J, 0.4}, tn_frame_identity);
    const tn_body_def rack =
        body_def("rack", RACK_MASS, (tn_vec3){0.5, 0.5, 0.1}, frame_at(-RACK_R, 0.0, 0.0));
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -GRAVITY});
    r->part[0] = add_part(model, &pinion);
    r->part[1] = add_part(model, &rack);
    r->joint[0] = join(model, TN_JOINT_REVOLUTE, "axle", ground, r->part[0], axle);
    r->joint[1] = join(model, TN_JOINT_PRISMATIC, "guide", ground, r->part[1], rack.frame);
    tn_joint_def mesh = tn_default_joint(TN_JOINT_RACK_PINION);
    mesh.name = "mesh";
    mesh.rack_pinion.rack = r->joint[1];
    mesh.rack_pinion.pinion = r->joint[0];
    mesh.rack_pinion.radius = RACK_R;
    r->joint[2] = tn_model_add_joint(model, &mesh);
    add_motor(model, r->joint[0], RACK_TORQUE);
}

static deviation compare_rack(tn_sim *sim, const rig *r, double t)
{
    const double a =
        (RACK_TORQUE - RACK_MASS * GRAVITY * RACK_R) / (RACK_J + RACK_MASS * RACK_R * RACK_R);
    const double lift = RACK_MASS * (RACK_R * a + GRAVITY);
    double c, z, c_dot, z_dot, multiplier;
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], &c, &c_dot) == 1);
    CHECK(tn_sim_joint_coordinates(sim, r->joint[1], &z, &z_dot) == 1);
    CHECK(tn_sim_joint_multipliers(sim, r->joint[2], &multiplier, NULL) == 1);
    const tn_wrench w = tn_sim_joint_reaction(sim, r->joint[2]); // on body B of the rack's joint
    double off = worse_of(fabs(c - 0.5 * a * t * t), fabs(z - 0.5 * RACK_R * a * t * t));
    off = worse_of(off, worse_of(fabs(c_dot - a * t), fabs(z_dot - RACK_R * a * t)));
    const double force = wrench_distance(w, (tn_vec3){0, 0, lift}, zero);
    return (deviation){off, worse_of(force, fabs(multiplier + lift))};
}

// Drive: an arm turns about a horizontal axis as c(t) says; its motor holds the inertia and the
// weight, T = (J + m l^2) c'' + m g l cos c, its bearing m (a - g).

static const double ARM_MASS = 1.3, ARM_LENGTH = 0.6, ARM_J = 0.08;

static void build_arm(tn_model *model, rig *r)
{
    tn_body_def arm =
        body_def("arm", ARM_MASS, (tn_vec3){0.01, 0.07, ARM_J}, frame_at(ARM_LENGTH, 0.0, 0.0));
    arm.rate.z = 2.9;
    arm.velocity.y = 2.9 * ARM_LENGTH;
    tn_model_set_gravity(model, (tn_vec3){0.0, -GRAVITY, 0.0});
    r->part[0] = add_part(model, &arm);
    r->joint[0] = join(model, TN_JOINT_REVOLUTE, "bearing", ground, r->part[0], tn_frame_identity);
    r->joint[1] = add_drive(model, r->joint[0], "0.8*sin(3*t) + 0.5*t");
}

static deviation compare_arm(tn_sim *sim, const rig *r, double t)
{
    const double c = 0.8 * sin(3.0 * t) + 0.5 * t, c_dot = 2.4 * cos(3.0 * t) + 0.5;
    const double c_dd = -7.2 * sin(3.0 * t);
    const double torque = (ARM_J + ARM_MASS * ARM_LENGTH * ARM_LENGTH) * c_dd +
                          ARM_MASS * GRAVITY * ARM_LENGTH * cos(c);
    const tn_vec3 out = {cos(c), sin(c), 0.0}, side = {-sin(c), cos(c), 0.0};
    tn_vec3 force = tn_v3_scale(-ARM_LENGTH * c_dot * c_dot, out);
    force = tn_v3_axpy(ARM_LENGTH * c_dd, side, force);
    force = tn_v3_scale(ARM_MASS, tn_v3_add(force, (tn_vec3){0.0, GRAVITY, 0.0}));
    const tn_wrench bearing = tn_sim_joint_reaction(sim, r->joint[0]);
    const tn_wrench motor = tn_sim_joint_reaction(sim, r->joint[1]);
    double q, rate;
    CHECK(tn_sim_joint_coordinates(sim, r->joint[0], &q, &rate) == 1);
    return (deviation){worse_of(fabs(q - c), fabs(rate - c_dot)),
                       worse_of(wrench_distance(bearing, force, zero),
                                wrench_distance(motor, zero, (tn_vec3){0, 0, torque}))};
}

// Pose drive: the body frame follows x(t), R(t) = Rz(yaw) Ry(pitch) Rx(roll). With the centre of
// mass at c from its origin and J about that, Newton and Euler give the wrench at the origin:
//   F = m (x'' + W' x c + W x (W x c) - g),   M = c x F + R (J w' + w x J w).

static const double POSE_MASS = 1.7;
static const tn_vec3 pose_com = {0.1, -0.2, 0.05};
static const tn_mat3 pose_J = {{{0.3, 0.02, -0.03}, {0.02, 0.4, 0.01}, {-0.03, 0.01, 0.25}}};

typedef struct pose {
    tn_frame frame;
    tn_vec3 v, a;         // of the origin, inertial axes
    tn_vec3 rate, rate_d; // body axes
} pose;

static pose pose_at(double t)
{
    const double r = 0.4 * sin(t), rd = 0.4 * cos(t), rdd = -0.4 * sin(t);
    const double p = 0.5 * t, pd = 0.5;
    const double y = 0.3 * cos(2 * t), yd = -0.6 * sin(2 * t), ydd = -1.2 * cos(2 * t);
    const double sr = sin(r), cr = cos(r), sp = sin(p), cp = cos(p);
    return (pose){
        .frame = {tn_m3_mul(tn_m3_rot_z(y), tn_m3_mul(tn_m3_rot_y(p), tn_m3_rot_x(r))),
                  {0.3 * sin(2 * t), 0.2 * cos(3 * t), 0.1 * t * t}},
        .v = {0.6 * cos(2 * t), -0.6 * sin(3 * t), 0.2 * t},
        .a = {-1.2 * sin(2 * t), -1.8 * cos(3 * t), 0.2},
        .rate = {rd - sp * yd, cr * pd + sr * cp * yd, -sr * pd + cr * cp * yd},
        .rate_d = {rdd - cp * pd * yd - sp * ydd,
                   -sr * rd * pd + (cr * rd * cp - sr * sp * pd) * yd + sr * cp * ydd,
                   -cr * rd * pd + (-sr * rd * cp - cr * sp * pd) * yd + cr * cp * ydd},
    };
}

static void build_pose(tn_model *model, rig *r)
{
    const pose start = pose_at(0.0);
    tn_body_def def =
        body_def("platform", POSE_MASS, (tn_vec3){pose_J.m[0][0], pose_J.m[1][1], pose_J.m[2][2]},
                 start.frame);
    def.products = (tn_vec3){pose_J.m[0][1], pose_J.m[0][2], pose_J.m[1][2]};
    def.com = pose_com;
    def.velocity = start.v;
    def.rate = start.rate;
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -GRAVITY});
    r->part[0] = add_part(model, &def);
    tn_joint_def drive = tn_default_joint(TN_JOINT_POSE_DRIVE);
    drive.name = "shaker";
    drive.body_b = r->part[0].id;
    drive.pose.x.expression = "0.3*sin(2*t)";
    drive.pose.y.expression = "0.2*cos(3*t)";
    drive.pose.z.expression = "0.1*t^2";
    drive.pose.roll.expression = "0.4*sin(t)";
    drive.pose.pitch.expression = "0.5*t";
    drive.pose.yaw.expression = "0.3*cos(2*t)";
    r->joint[0] = tn_model_add_joint(model, &drive);
}

static deviation compare_pose(tn_sim *sim, const rig *r, double t)
{
    const pose at = pose_at(t);
    const tn_mat3 R = at.frame.R;
    const tn_vec3 c = tn_m3_apply(R, pose_com), w = at.rate;
    const tn_vec3 turn =
        tn_v3_add(tn_v3_cross(at.rate_d, pose_com), tn_v3_cross(w, tn_v3_cross(w, pose_com)));
    tn_vec3 force = tn_v3_add(at.a, tn_m3_apply(R, turn));
    force = tn_v3_scale(POSE_MASS, tn_v3_add(force, (tn_vec3){0.0, 0.0, GRAVITY}));
    const tn_vec3 euler =
        tn_v3_add(tn_m3_apply(pose_J, at.rate_d), tn_v3_cross(w, tn_m3_apply(pose_J, w)));
    const tn_vec3 moment = tn_v3_add(tn_v3_cross(c, force), tn_m3_apply(R, euler));

    const tn_frame frame = tn_sim_body_frame(sim, r->part[0].id);
    double off = distance(frame.p, at.frame.p);
    for (int i = 0; i < 3; i++)
        off = worse_of(off, distance(tn_m3_column(frame.R, i), tn_m3_column(R, i)));
    off = worse_of(off, distance(tn_sim_body_velocity(sim, r->part[0].id), at.v));
    off = worse_of(off, distance(tn_sim_body_rate(sim, r->part[0].id), at.rate));
    return (deviation){off,
                       wrench_distance(tn_sim_joint_reaction(sim, r->joint[0]), force, moment)};
}

static const motion motions[] = {
    {"point on line", build_bead, compare_bead, 0.005, 1.0, {5e-4, 1e-3}, false},
    {"point in plane", build_sphere, compare_sphere, 0.01, 1.0, {1e-3, 5e-3}, true},
    {"gear", build_gear, compare_gear, 0.01, 2.0, {0, 0}, true},
    {"rack and pinion", build_rack, compare_rack, 0.01, 2.0, {0, 0}, true},
    {"drive", build_arm, compare_arm, 0.005, 2.0, {1e-4, 4e-3}, false},
    {"pose drive", build_pose, compare_pose, 0.005, 2.0, {5e-5, 1e-3}, false},
};

static void bead_leaves_along_the_turning_rod(void)
{
    judge(&motions[0]);
}

static void sphere_slides_down_the_plane(void)
{
    judge(&motions[1]);
}

static void geared_wheels_share_the_torque(void)
{
    judge(&motions[2]);
}

static void pinion_lifts_the_rack(void)
{
    judge(&motions[3]);
}

static void motor_of_a_drive_gives_inertia_and_weight(void)
{
    judge(&motions[4]);
}

static void pose_drive_gives_the_newton_euler_wrench(void)
{
    judge(&motions[5]);
}

static const tn_test tests[] = {
    {"bead leaves along the turning rod", bead_leaves_along_the_turning_rod},
    {"sphere slides down the plane", sphere_slides_down_the_plane},
    {"geared wheels share the torque", geared_wheels_share_the_torque},
    {"pinion lifts the rack", pinion_lifts_the_rack},
    {"motor of a drive gives inertia and weight", motor_of_a_drive_gives_inertia_and_weight},
    {"pose drive gives the Newton-Euler wrench", pose_drive_gives_the_newton_euler_wrench},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
