// SPDX-License-Identifier: MIT
//
// The model as a whole: names, sticky errors, the planar counterparts of joints, and the sentence
// for every joint that cannot be.

#include "test.h"

#include "kinds/family.h"
#include "model/model.h"

static tn_model *model;

static tn_body add_body(const char *name, tn_body_kind kind)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.kind = kind;
    return tn_model_add_body(model, &def);
}

static tn_joint_def between(tn_joint_kind kind, tn_body a, tn_body b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    if (kind == TN_JOINT_DISTANCE)
        def.distance.length = 1.0; // the points coincide here
    return def;
}

static void open_model(void)
{
    model = tn_model_create();
    CHECK(model != NULL);
}

static void close_model(void)
{
    tn_model_destroy(model);
    model = NULL;
}

static void check_first_error(const char *message)
{
    CHECK_STATUS(tn_model_status(model), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
}

static void names_are_given_or_numbered(void)
{
    open_model();
    const tn_body first = add_body(NULL, TN_BODY_RIGID);
    const tn_body second = add_body("body 3", TN_BODY_RIGID);
    const tn_body third = add_body("", TN_BODY_RIGID); // "body 3" is taken
    tn_joint_def def = between(TN_JOINT_REVOLUTE, first, second);
    const tn_joint joint = tn_model_add_joint(model, &def);
    tn_force_def spring = tn_default_force(TN_FORCE_SPRING);
    spring.body_b = third;
    const tn_force force = tn_model_add_force(model, &spring);

    CHECK_OK(tn_model_status(model));
    CHECK_TEXT(tn_model_body_name(model, TN_GROUND), "ground");
    CHECK_TEXT(tn_model_body_name(model, first), "body 1");
    CHECK_TEXT(tn_model_body_name(model, second), "body 3");
    CHECK_TEXT(tn_model_body_name(model, third), "body 4");
    CHECK_TEXT(tn_model_joint_name(model, joint), "joint 1");
    CHECK_TEXT(tn_model_force_name(model, force), "force 1");
    CHECK(tn_model_find_body(model, "body 4").index == third.index);
    CHECK(tn_model_find_joint(model, "joint 1").index == joint.index);
    CHECK(tn_model_find_force(model, "force 1").index == force.index);
    CHECK(tn_model_find_body(model, "joint 1").index == -1);
    CHECK(tn_model_body_count(model) == 4);
    CHECK(tn_model_joint_count(model) == 1);
    CHECK(tn_model_force_count(model) == 1);
    CHECK_TEXT(tn_model_body_name(model, (tn_body){-1}), "");
    close_model();
}

static void names_are_copied(void)
{
    char name[] = "rod";
    open_model();
    const tn_body body = add_body(name, TN_BODY_RIGID);
    name[0] = 'x';
    CHECK_TEXT(tn_model_body_name(model, body), "rod");
    close_model();
}

static void names_are_used_once_per_list(void)
{
    open_model();
    const tn_body rod = add_body("rod", TN_BODY_RIGID);
    tn_joint_def def = between(TN_JOINT_REVOLUTE, TN_GROUND, rod);
    def.name = "rod"; // another list
    tn_model_add_joint(model, &def);
    CHECK_OK(tn_model_status(model));
    CHECK(add_body("rod", TN_BODY_RIGID).index == -1);
    check_first_error("body 'rod': the name is used twice");
    close_model();
}

static void the_first_error_stays(void)
{
    open_model();
    tn_body_def bad = tn_default_body();
    bad.name = "rod";
    bad.mass = -1.0;
    CHECK(tn_model_add_body(model, &bad).index == -1);
    CHECK(add_body("fine", TN_BODY_RIGID).index == -1); // ignored from now on
    bad.name = "later";
    CHECK(tn_model_add_body(model, &bad).index == -1);
    tn_model_set_gravity(model, tn_v3(NAN, 0.0, 0.0));
    CHECK(tn_model_body_count(model) == 1);
    tn_clear_error();
    check_first_error("body 'rod': mass is -1 kg; it must not be negative");
    close_model();
}

static void wrong_gravity_and_parameters_are_named(void)
{
    open_model();
    tn_model_set_gravity(model, tn_v3(0.0, NAN, 0.0));
    check_first_error("model: gravity must be finite");
    close_model();

    static const struct {
        const char *name;
        double value;
        const char *message;
    } cases[] = {
        {"2k", 1.0, "parameter '2k': a name is a letter followed by letters, digits or '_'"},
        {"", 1.0, "parameter '': a name is a letter followed by letters, digits or '_'"},
        {"t", 1.0,
         "parameter 't': this name is taken; choose one that is none of t, pi, e, sin, cos, "
         "tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, ln, log10, sqrt, abs, "
         "sign, min, max, if, step, select, smooth_abs, hypot, clamp, limited, deadband, "
         "smooth_sign, "
         "smooth_step, smooth_min, smooth_max, smooth_clamp, smooth_deadband"},
        {"k", INFINITY, "parameter 'k': the value must be finite"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        open_model();
        CHECK_STATUS(tn_model_set_parameter(model, cases[i].name, cases[i].value), TN_ERR_MODEL);
        check_first_error(cases[i].message);
        close_model();
    }
}

static void joints_compile_their_functions(void)
{
    double u[3];
    open_model();
    const tn_body rod = add_body("rod", TN_BODY_RIGID);
    CHECK_OK(tn_model_set_parameter(model, "speed", 3.0));
    CHECK_OK(
        tn_model_set_parameter(model, "speed", 4.0)); // functions added later see the new value
    tn_joint_def hinge = between(TN_JOINT_REVOLUTE, TN_GROUND, rod);
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    tn_joint_def pose = between(TN_JOINT_POSE_DRIVE, TN_GROUND, rod);
    drive.drive.joint = tn_model_add_joint(model, &hinge);
    drive.drive.motion.expression = "speed*t";
    pose.pose.yaw.expression = "t^2";
    const tn_joint motor = tn_model_add_joint(model, &drive),
                   hand = tn_model_add_joint(model, &pose);
    CHECK_OK(tn_model_status(model));

    tn_timefn_eval(model->joints.at[motor.index].u[0], 2.0, u);
    CHECK_NEAR(u[0], 8.0, 0.0);
    tn_timefn_eval(model->joints.at[hand.index].u[5], 3.0, u);
    CHECK_NEAR(u[1], 6.0, 0.0);
    close_model();
}

static void planar_bodies_take_planar_joints(void)
{
    static const struct {
        tn_joint_kind kind;
        const char *name;
        int rows;
    } cases[] = {
        {TN_JOINT_FIXED, "planar-fixed", 3},         {TN_JOINT_REVOLUTE, "planar-revolute", 2},
        {TN_JOINT_PRISMATIC, "planar-prismatic", 2}, {TN_JOINT_POINT_ON_LINE, "pin-in-slot", 1},
        {TN_JOINT_DISTANCE, "distance", 1},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        open_model();
        const tn_body rod = add_body("rod", TN_BODY_PLANAR);
        const tn_joint_def def = between(cases[i].kind, TN_GROUND, rod);
        const tn_joint joint = tn_model_add_joint(model, &def);
        CHECK_OK(tn_model_status(model));
        CHECK_TEXT(tn_model_joint_kind_name(model, joint), cases[i].name);
        CHECK(tn_model_joint_row_count(model, joint) == cases[i].rows);
        close_model();
    }
    open_model(); // the ground alone does not make a joint planar, nor does one planar body
    const tn_body rod = add_body("rod", TN_BODY_RIGID), lever = add_body("lever", TN_BODY_PLANAR);
    tn_joint_def def = between(TN_JOINT_REVOLUTE, TN_GROUND, rod);
    const tn_joint one = tn_model_add_joint(model, &def);
    def = between(TN_JOINT_REVOLUTE, rod, lever);
    const tn_joint two = tn_model_add_joint(model, &def);
    CHECK_OK(tn_model_status(model));
    CHECK_TEXT(tn_model_joint_kind_name(model, one), "revolute");
    CHECK_TEXT(tn_model_joint_kind_name(model, two), "revolute");
    CHECK(tn_model_joint_coordinate_count(model, one) == 1);
    close_model();
}

// Wrong joints between: a rigid rod and crank, a point mass bob, a planar lever.

static tn_body rod, crank, bob, lever;

static void open_bodies(void)
{
    open_model();
    rod = add_body("rod", TN_BODY_RIGID);
    crank = add_body("crank", TN_BODY_RIGID);
    bob = add_body("bob", TN_BODY_POINT);
    lever = add_body("lever", TN_BODY_PLANAR);
}

static void check_refused(tn_joint_def def, const char *message)
{
    def.name = "pin";
    CHECK(tn_model_add_joint(model, &def).index == -1);
    check_first_error(message);
    close_model();
    open_bodies();
}

static void wrong_bodies_are_named(void)
{
    open_bodies();
    check_refused(between(TN_JOINT_REVOLUTE, rod, rod),
                  "joint 'pin': connects body 'rod' with itself");
    check_refused(between(TN_JOINT_DISTANCE, bob, bob),
                  "joint 'pin': connects body 'bob' with itself");
    check_refused(between(TN_JOINT_REVOLUTE, TN_GROUND, TN_GROUND),
                  "joint 'pin': connects body 'ground' with itself");
    check_refused(tn_default_joint(TN_JOINT_REVOLUTE),
                  "joint 'pin': body_b is not a body of this model");
    check_refused(between(TN_JOINT_SPHERICAL, (tn_body){99}, rod),
                  "joint 'pin': body_a is not a body of this model");
    close_model();
}

static void point_masses_cannot_be_turned(void)
{
    open_bodies();
    check_refused(between(TN_JOINT_REVOLUTE, rod, bob),
                  "joint 'pin': a revolute joint needs a body with orientation, but 'bob' is a "
                  "point mass");
    check_refused(
        between(TN_JOINT_POINT_ON_LINE, bob, rod),
        "joint 'pin': a point-on-line joint needs a body with orientation, but 'bob' is a "
        "point mass");
    tn_joint_def def = between(TN_JOINT_DISTANCE, rod, bob);
    def.frame_b.p.y = 0.5;
    check_refused(def,
                  "joint 'pin': frame_b is off its origin, but 'bob' is a point mass, which can "
                  "be held only at its point");
    const tn_joint_kind fine[] = {TN_JOINT_DISTANCE, TN_JOINT_SPHERICAL, TN_JOINT_POINT_ON_LINE};
    for (int i = 0; i < TN_COUNT(fine); i++) {
        def = between(fine[i], rod, bob);
        CHECK(tn_model_add_joint(model, &def).index == i);
    }
    CHECK_OK(tn_model_status(model));
    close_model();
}

static void joints_of_space_and_plane_are_kept_apart(void)
{
    open_bodies();
    check_refused(
        between(TN_JOINT_UNIVERSAL, TN_GROUND, lever),
        "joint 'pin': a universal joint cannot hold planar bodies; use revolute, prismatic "
        "or pin-in-slot");
    check_refused(between(TN_JOINT_PIN_IN_SLOT, lever, rod),
                  "joint 'pin': a pin-in-slot joint holds planar bodies only, but 'rod' moves in "
                  "space");
    tn_joint_def def = between(TN_JOINT_REVOLUTE, TN_GROUND, lever);
    def.frame_a.R = tn_m3_rot_x(0.1);
    check_refused(def, "joint 'pin': frame_a is tilted out of the plane; between planar bodies it "
                       "may be turned about z only");
    def.frame_a.R = tn_m3_identity;
    def.frame_b.R = tn_m3_rot_x(3.14159265358979323846); // upside down
    check_refused(def, "joint 'pin': frame_b is tilted out of the plane; between planar bodies it "
                       "may be turned about z only");
    close_model();
}

static void wrong_numbers_are_named(void)
{
    open_bodies();
    tn_joint_def def = between(TN_JOINT_REVOLUTE, rod, crank);
    def.frame_a.R = tn_m3_zero();
    check_refused(def, "joint 'pin': frame_a is not a rotation: its axes must be unit vectors at "
                       "right angles (off by 1)");
    def = between(TN_JOINT_REVOLUTE, rod, crank);
    def.frame_b.p.z = NAN;
    check_refused(def, "joint 'pin': frame_b must be finite");
    def = between(TN_JOINT_REVOLUTE, rod, crank);
    def.nposition = 2;
    check_refused(def, "joint 'pin': position has 2 values, but a revolute joint has 1 coordinate");
    def.nposition = 0;
    def.nrate = 1;
    def.rate[0] = INFINITY;
    check_refused(def, "joint 'pin': rate must be finite");
    def = tn_default_joint(TN_JOINT_DRIVE);
    check_refused(def, "joint 'pin': joint is not a joint of this model");
    close_model();
}

static void unknown_kinds_name_the_nearest(void)
{
    CHECK(tn_find_kind(TN_FAMILY_BODY, "point-2d") == TN_BODY_POINT_2D);
    CHECK(tn_find_kind(TN_FAMILY_JOINT, "revolute") == TN_JOINT_REVOLUTE);
    CHECK(tn_find_kind(TN_FAMILY_FORCE, "bushing") == TN_FORCE_BUSHING);
    CHECK(tn_find_kind(TN_FAMILY_JOINT, "revolut") == -1);
    CHECK_TEXT(tn_last_error(), "'revolut' is not a kind of joint; did you mean 'revolute'?");
    CHECK(tn_find_kind(TN_FAMILY_BODY, "cloud") == -1);
    CHECK_TEXT(tn_last_error(),
               "'cloud' is not a kind of body; known are rigid, planar, point, point-2d, beam");
    CHECK(tn_find_kind(TN_FAMILY_FORCE, "sprong") == -1);
    CHECK_TEXT(tn_last_error(), "'sprong' is not a kind of force; did you mean 'spring'?");
}

static void build_everything(void)
{
    model = tn_model_create();
    if (!model)
        return;
    const tn_body body = add_body("rod", TN_BODY_RIGID);
    (void)tn_model_set_parameter(model, "k", 1.0);
    tn_joint_def hinge = between(TN_JOINT_REVOLUTE, TN_GROUND, body);
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.drive.joint = tn_model_add_joint(model, &hinge);
    drive.drive.motion.expression = "k*t";
    tn_model_add_joint(model, &drive);
}

static void nothing_is_lost_when_memory_is_short(void)
{
    const long before = tn_test_alloc_live();
    bool failed = true;

    for (long n = 1; failed; n++) {
        tn_test_alloc_fail_at(n);
        build_everything();
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(model || failed);
        if (model)
            CHECK_STATUS(tn_model_status(model), failed ? TN_ERR_MEMORY : TN_OK);
        close_model();
        CHECK(tn_test_alloc_live() == before);
    }
}

static const tn_test tests[] = {
    {"names are given or numbered", names_are_given_or_numbered},
    {"names are copied", names_are_copied},
    {"names are used once per list", names_are_used_once_per_list},
    {"the first error stays", the_first_error_stays},
    {"wrong gravity and parameters are named", wrong_gravity_and_parameters_are_named},
    {"joints compile their functions", joints_compile_their_functions},
    {"planar bodies take planar joints", planar_bodies_take_planar_joints},
    {"wrong bodies are named", wrong_bodies_are_named},
    {"point masses cannot be turned", point_masses_cannot_be_turned},
    {"joints of space and plane are kept apart", joints_of_space_and_plane_are_kept_apart},
    {"wrong numbers are named", wrong_numbers_are_named},
    {"unknown kinds name the nearest", unknown_kinds_name_the_nearest},
    {"nothing is lost when memory is short", nothing_is_lost_when_memory_is_short},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
