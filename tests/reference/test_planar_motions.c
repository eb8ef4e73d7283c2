// SPDX-License-Identifier: MIT
//
// Joints of the plane: a driven Scotch yoke in closed form, and mechanisms that are modelled once
// in the plane and once in space without any redundant row, which then move alike.

#include "motion.h"

static const double GRAVITY = 9.81;
static const tn_vec3 zero = {0.0, 0.0, 0.0};
static const tn_vec3 ones = {0.1, 0.2,
                             0.3}; // moments of inertia; only the last counts in the plane

// Scotch yoke: a pin at radius r of a crank with the angle c(t) slides in an upright slot of the
// yoke, which moves along x = r cos c. The slot pushes the pin by -m x'' and the motor gives
//   T = J c'' - m x'' r sin c.

static const double YOKE_MASS = 1.5, CRANK_R = 0.4;

typedef struct yoke_joints {
    tn_joint_kind axle, guide, slot;
} yoke_joints;

static const yoke_joints flat = {TN_JOINT_PLANAR_REVOLUTE, TN_JOINT_PLANAR_PRISMATIC,
                                 TN_JOINT_PIN_IN_SLOT};
static const yoke_joints spatial = {TN_JOINT_REVOLUTE, TN_JOINT_PRISMATIC, TN_JOINT_POINT_IN_PLANE};

static part add_body_of(tn_model *model, bool planar, const char *name, double mass, tn_frame at)
{
    tn_body_def def = body_def(name, mass, ones, at);
    def.kind = planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
    return add_part(model, &def);
}

// Crank angle and yoke at the start: zero and r. Parts: crank, yoke. Joints: axle, guide, slot.
static void build_yoke(tn_model *model, rig *r, bool planar, double rate)
{
    const yoke_joints *kind = planar ? &flat : &spatial;
    const tn_frame at = frame_at(CRANK_R, 0.0, 0.0);
    const tn_mat3 x_to_y = tn_m3_rot_z(0.5 * PI), z_to_x = tn_m3_rot_y(0.5 * PI);
    tn_body_def crank = body_def("crank", 0.7, ones, tn_frame_identity);
    crank.kind = planar ? TN_BODY_PLANAR : TN_BODY_RIGID;
    crank.rate.z = rate;
    r->part[0] = add_part(model, &crank);
    r->part[1] = add_body_of(model, planar, "yoke", YOKE_MASS, at);
    r->joint[0] = join(model, kind->axle, "axle", ground, r->part[0], tn_frame_identity);
    r->joint[1] = join(model, kind->guide, "guide", ground, r->part[1],
                       (tn_frame){planar ? tn_m3_identity : z_to_x, at.p});
    r->joint[2] = join(model, kind->slot, "slot", r->part[1], r->part[0],
                       (tn_frame){planar ? x_to_y : z_to_x, at.p});
}

static void build_driven_yoke(tn_model *model, rig *r)
{
    build_yoke(model, r, true, 2.9);
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.name = "motor";
    drive.drive.joint = r->joint[0];
    drive.drive.motion.expression = "2*t + 0.3*sin(3*t)";
    r->joint[3] = tn_model_add_joint(model, &drive);
}

static deviation compare_yoke(tn_sim *sim, const rig *r, double t)
{
    const double c = 2.0 * t + 0.3 * sin(3.0 * t), c_dot = 2.0 + 0.9 * cos(3.0 * t);
    const double c_dd = -2.7 * sin(3.0 * t);
    const double x = CRANK_R * cos(c), x_dot = -CRANK_R * sin(c) * c_dot;
    const double x_dd = -CRANK_R * (cos(c) * c_dot * c_dot + sin(c) * c_dd);
    const double push = YOKE_MASS * x_dd, height = CRANK_R * sin(c);
    const tn_vec3 torque = {0.0, 0.0, ones.z * c_dd - push * height};
    const tn_wrench slot = tn_sim_joint_reaction(sim, r->joint[2]);  // on the crank at the pin
    const tn_wrench guide = tn_sim_joint_reaction(sim, r->joint[1]); // on the yoke
    const tn_wrench motor = tn_sim_joint_reaction(sim, r->joint[3]); // on the crank
    const tn_wrench axle = tn_sim_joint_reaction(sim, r->joint[0]);  // on the crank
    double off = fabs(tn_sim_body_frame(sim, r->part[1].id).p.x - x);
    off = worse_of(off, fabs(tn_sim_body_velocity(sim, r->part[1].id).x - x_dot));
    double force = wrench_distance(slot, (tn_vec3){-push, 0.0, 0.0}, zero);
    force = worse_of(force, wrench_distance(axle, (tn_vec3){push, 0.0, 0.0}, zero));
    force = worse_of(force, wrench_distance(motor, zero, torque));
    // The push at the pin would turn the yoke; the guide holds it.
    force = worse_of(force, wrench_distance(guide, zero, (tn_vec3){0.0, 0.0, push * height}));
    return (deviation){off, force};
}

static void scotch_yoke_moves_as_its_crank_says(void)
{
    const motion yoke = {"yoke", build_driven_yoke, compare_yoke, 0.005, 2.0, {1e-4, 2e-3}, false};
    judge(&yoke);
}

// A cart on an inclined track carries a pendulum whose bob is welded to its rod.
static void build_cart(tn_model *model, rig *r, bool planar)
{
    const double tilt = -0.3;
    const tn_mat3 z_to_x = tn_m3_rot_y(0.5 * PI), track = tn_m3_rot_z(tilt);
    r->part[0] = add_body_of(model, planar, "cart", 2.0, tn_frame_identity);
    r->part[1] = add_body_of(model, planar, "rod", 0.5, frame_at(0.5, 0.0, 0.0));
    r->part[2] = add_body_of(model, planar, "bob", 1.0, frame_at(1.0, 0.1, 0.0));
    r->joint[0] = join(model, TN_JOINT_PRISMATIC, "track", ground, r->part[0],
                       (tn_frame){planar ? track : tn_m3_mul(track, z_to_x), {0, 0, 0}});
    r->joint[1] =
        join(model, TN_JOINT_REVOLUTE, "hinge", r->part[0], r->part[1], tn_frame_identity);
    r->joint[2] =
        join(model, TN_JOINT_FIXED, "weld", r->part[1], r->part[2], frame_at(0.9, 0.0, 0.0));
}

static void build_running_yoke(tn_model *model, rig *r, bool planar)
{
    build_yoke(model, r, planar, 5.0);
}

typedef void builder(tn_model *model, rig *r, bool planar);

typedef struct outcome {
    tn_vec3 p[3], v[3]; // of the parts
    tn_wrench reaction[3];
} outcome;

static outcome run(builder *build, int parts, const char *method, bool planar)
{
    outcome out = {0};
    rig r = {0};
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -GRAVITY, 0.0});
    build(model, &r, planar);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = 0.01;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
    for (int i = 0; i < parts; i++) {
        out.p[i] = tn_sim_body_frame(sim, r.part[i].id).p;
        out.v[i] = tn_sim_body_velocity(sim, r.part[i].id);
    }
    for (int i = 0; i < 3; i++)
        out.reaction[i] = tn_sim_joint_reaction(sim, r.joint[i]);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return out;
}

// The turns about z and the positions in the plane are discretised in the same way, and the rows of
// both models span the same directions there. The projections of ggl weigh lengths against angles
// in units of the size of a model, which is another one in space: they differ by errors of steps.
static void agree(const char *name, builder *build, int parts)
{
    const double TOLERANCE = 1e-9, STEP_ERROR = 5e-4;
    const char *const methods[] = {"galpha/ggl", "galpha/index3", "galpha/index2", "hht/ggl"};
    for (int j = 0; j < TN_COUNT(methods); j++) {
        const outcome plane = run(build, parts, methods[j], true);
        const outcome space = run(build, parts, methods[j], false);
        double off = 0.0, force = 0.0;
        for (int i = 0; i < parts; i++) {
            off = worse_of(off, distance(plane.p[i], space.p[i]));
            off = worse_of(off, distance(plane.v[i], space.v[i]));
        }
        for (int i = 0; i < 3; i++)
            force = worse_of(force, wrench_distance(plane.reaction[i], space.reaction[i].f,
                                                    space.reaction[i].m));
        printf("%-5s %-13s  motion %.1e  force %.1e\n", name, methods[j], off, force);
        const double tolerance = strstr(methods[j], "ggl") ? STEP_ERROR : TOLERANCE;
        CHECK_NEAR(off, 0.0, tolerance);
        CHECK_NEAR(force, 0.0, fmin(1e3 * tolerance, 1e-2)); // round-off of positions over h^2
    }
}

static void planar_and_spatial_yoke_agree(void)
{
    agree("yoke", build_running_yoke, 2);
}

static void planar_and_spatial_cart_agree(void)
{
    agree("cart", build_cart, 3);
}

static const tn_test tests[] = {
    {"Scotch yoke moves as its crank says", scotch_yoke_moves_as_its_crank_says},
    {"planar and spatial yoke agree", planar_and_spatial_yoke_agree},
    {"planar and spatial cart agree", planar_and_spatial_cart_agree},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
