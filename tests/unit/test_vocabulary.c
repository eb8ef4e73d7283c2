// SPDX-License-Identifier: MIT
//
// Names of the numbers of a model: each name that is listed is found again as what it is, names
// with dots are read in every way, and what has no meaning or two is said.

#include "test.h"

#include "model/units.h"
#include "model/vocabulary.h"

#include <string.h>

static tn_model *model;
static tn_body arm, hand;

static tn_body add_body(const char *name, tn_body_kind kind)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.kind = kind;
    return tn_model_add_body(model, &def);
}

static tn_joint add_joint(const char *name, tn_joint_kind kind, tn_body a, tn_body b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    return tn_model_add_joint(model, &def);
}

static tn_force add_force(const char *name, tn_force_kind kind, tn_body a, tn_body b,
                          tn_joint joint)
{
    tn_force_def def = tn_default_force(kind);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    def.joint = joint;
    if (kind == TN_FORCE_SPRING)
        def.frame_b.p = tn_v3(0.0, 0.0, 1.0);
    return tn_model_add_force(model, &def);
}

// An arm in space on a pin, a hand on a slide, and a spring of each kind.
static void open_model(void)
{
    model = tn_model_create();
    arm = add_body("arm", TN_BODY_RIGID);
    hand = add_body("hand", TN_BODY_RIGID);
    const tn_joint pin = add_joint("crank pin", TN_JOINT_REVOLUTE, TN_GROUND, arm);
    const tn_joint rail = add_joint("rail", TN_JOINT_PRISMATIC, arm, hand);
    const tn_joint none = {-1};
    add_force("cable", TN_FORCE_SPRING, TN_GROUND, hand, none);
    add_force("twist", TN_FORCE_TORSION_SPRING, TN_GROUND, arm, none);
    add_force("drive", TN_FORCE_MOTOR, TN_GROUND, TN_GROUND, rail);
    add_force("servo", TN_FORCE_MOTOR, TN_GROUND, TN_GROUND, pin);
    add_force("rubber", TN_FORCE_BUSHING, arm, hand, none);
    CHECK_OK(tn_model_status(model));
}

static void close_model(void)
{
    tn_model_destroy(model);
    model = NULL;
}

static void check_found(const char *name, tn_quantity what, int element, int component,
                        const char *unit)
{
    tn_named_quantity q;
    CHECK_OK(tn_vocabulary_find(model, name, &q));
    CHECK(q.what == what);
    CHECK(q.element == element);
    CHECK(q.component == component);
    CHECK_TEXT(q.unit, unit);
}

static void check_refused(const char *name, const char *message)
{
    tn_named_quantity q;
    CHECK_STATUS(tn_vocabulary_find(model, name, &q), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
}

static void names_say_what_is_meant(void)
{
    open_model();
    check_found("arm.position.x", TN_Q_BODY_POSITION, 1, 0, "m");
    check_found("hand.velocity.z", TN_Q_BODY_VELOCITY, 2, 2, "m/s");
    check_found("hand.angular_velocity.y", TN_Q_BODY_SPIN, 2, 1, "rad/s");
    check_found("hand.acceleration.y", TN_Q_BODY_ACCELERATION, 2, 1, "m/s^2");
    check_found("crank pin.angle", TN_Q_JOINT_COORDINATE, 0, 0, "rad");
    check_found("crank pin.angle.rate", TN_Q_JOINT_RATE, 0, 0, "rad/s");
    check_found("crank pin.angle.acceleration", TN_Q_JOINT_ACCELERATION, 0, 0, "rad/s^2");
    check_found("rail.displacement.rate", TN_Q_JOINT_RATE, 1, 0, "m/s");
    check_found("rail.force.y", TN_Q_REACTION_FORCE, 1, 1, "N");
    check_found("rail.torque.z", TN_Q_REACTION_TORQUE, 1, 2, "N m");
    check_found("time", TN_Q_TIME, 0, 0, "s");
    check_found("energy.kinetic", TN_Q_KINETIC, 0, 0, "J");
    close_model();
}

static void forces_have_names_by_what_they_act_on(void)
{
    open_model();
    check_found("cable.length", TN_Q_FORCE_LENGTH, 0, 0, "m");
    check_found("cable.deflection", TN_Q_FORCE_DEFLECTION, 0, 0, "m");
    check_found("cable.rate", TN_Q_FORCE_RATE, 0, 0, "m/s");
    check_found("cable.tension", TN_Q_FORCE_TENSION, 0, 0, "N");
    check_found("cable.power", TN_Q_FORCE_POWER, 0, 0, "W");
    check_found("twist.angle", TN_Q_FORCE_ANGLE, 1, 0, "rad");
    check_found("twist.effort", TN_Q_FORCE_EFFORT, 1, 0, "N m");
    check_found("drive.deflection", TN_Q_FORCE_DEFLECTION, 2, 0, "m");
    check_found("drive.effort", TN_Q_FORCE_EFFORT, 2, 0, "N");
    check_found("servo.rate", TN_Q_FORCE_RATE, 3, 0, "rad/s");
    check_found("rubber.force.x", TN_Q_FORCE_FORCE, 4, 0, "N");
    check_found("rubber.torque.z", TN_Q_FORCE_TORQUE, 4, 2, "N m");
    check_refused("rubber.tension",
                  "'rubber.tension': force 'rubber' has no such quantity; known are "
                  "rubber.force.x, rubber.force.y, rubber.force.z, rubber.torque.x, "
                  "rubber.torque.y, rubber.torque.z, rubber.power");
    check_refused("drive.length", "'drive.length': force 'drive' has no such quantity; known are "
                                  "drive.deflection, drive.rate, drive.effort, drive.power");
    close_model();
}

static void planar_bodies_have_an_angle(void)
{
    model = tn_model_create();
    add_body("disc", TN_BODY_PLANAR);
    add_body("ball", TN_BODY_POINT);
    check_found("disc.angle", TN_Q_BODY_ANGLE, 1, 0, "rad");
    check_found("disc.angle.rate", TN_Q_BODY_ANGLE_RATE, 1, 0, "rad/s");
    check_found("disc.angle.acceleration", TN_Q_BODY_ANGLE_ACCELERATION, 1, 0, "rad/s^2");
    check_refused("ball.angle.rate",
                  "'ball.angle.rate': body 'ball' has no such quantity; known are ball.position.x, "
                  "ball.position.y, ball.position.z, ball.quaternion.w, ball.quaternion.x, "
                  "ball.quaternion.y, ball.quaternion.z, ball.velocity.x, ball.velocity.y, "
                  "ball.velocity.z, ball.angular_velocity.x, ball.angular_velocity.y and 7 more");
    close_model();
}

// All names lead back to what they name, and the units of all are known.
static void every_name_is_found_again(void)
{
    open_model();
    tn_named_quantity at = {.component = -1};
    int n = 0;
    for (; tn_vocabulary_next(model, &at); n++) {
        const tn_column column = tn_quantity_column(model, &at);
        char *name = tn_quantity_name(&tn_quantity_kinds[at.what], &column);
        check_found(name, at.what, at.element, at.component, column.unit);
        CHECK(tn_unit_of(tn_units_si, *at.unit ? at.unit : "1", true) == 1.0);
        tn_free(name);
    }
    // 2 bodies of 19; 2 joints of 3 + 6 + 5; forces 5, 5, 4, 4, 7; 38 of the run
    CHECK(n == 2 * 19 + 2 * 14 + 25 + 38);
    close_model();
}

static void names_with_dots_are_read_in_every_way(void)
{
    open_model();
    const tn_body foot = add_body("arm.left", TN_BODY_RIGID);
    add_joint("arm.left.pin", TN_JOINT_REVOLUTE, TN_GROUND, foot);
    CHECK_OK(tn_model_status(model));
    check_found("arm.left.position.x", TN_Q_BODY_POSITION, foot.index, 0, "m");
    check_found("arm.left.pin.angle.rate", TN_Q_JOINT_RATE, 2, 0, "rad/s");
    check_refused("arm.left.pin.angel", "'arm.left.pin.angel': joint 'arm.left.pin' has no such "
                                        "quantity; did you mean 'arm.left.pin.angle'?");
    check_refused("arm.position.", "'arm.position.': body 'arm' has no such quantity; did you mean "
                                   "'arm.position.x'?");
    close_model();
}

static void two_meanings_are_an_error(void)
{
    open_model();
    const tn_body disc = add_body("disc", TN_BODY_PLANAR);
    const tn_body plate = add_body("plate", TN_BODY_RIGID);
    add_joint("disc", TN_JOINT_REVOLUTE, TN_GROUND, disc);
    add_joint("arm.position", TN_JOINT_PLANAR, TN_GROUND, plate);
    CHECK_OK(tn_model_status(model));
    check_refused("disc.angle", "'disc.angle' has two meanings: 'angle' of body 'disc' and 'angle' "
                                "of joint 'disc'; give one of them another name");
    check_refused("arm.position.x",
                  "'arm.position.x' has two meanings: 'position.x' of body 'arm' and 'x' of joint "
                  "'arm.position'; give one of them another name");
    check_found("arm.position.z", TN_Q_BODY_POSITION, 1, 2, "m");
    check_found("disc.force.x", TN_Q_REACTION_FORCE, 2, 0, "N");
    int count;
    tn_named_quantity q;
    CHECK_OK(tn_vocabulary_count(model, "disc.angle", &count, &q));
    CHECK(count == 2);
    CHECK_OK(tn_vocabulary_count(model, "disc.angel", &count, &q));
    CHECK(count == 0);
    close_model();
}

static void unknown_names_tell_the_nearest(void)
{
    open_model();
    check_refused("rail.displacment",
                  "'rail.displacment': joint 'rail' has no such quantity; did you mean "
                  "'rail.displacement'?");
    check_refused("rial.displacement",
                  "unknown name 'rial.displacement'; did you mean 'rail.displacement'?");
    check_refused("nonsense",
                  "unknown name 'nonsense'; known are time, step, arm.position.x, arm.position.y, "
                  "arm.position.z, hand.position.x, hand.position.y, hand.position.z, "
                  "arm.quaternion.w, arm.quaternion.x, arm.quaternion.y, arm.quaternion.z, "
                  "hand.quaternion.w, hand.quaternion.x and 115 more");
    check_refused("ground.position.x",
                  "'ground.position.x': body 'ground' has no such quantity; known are none");
    close_model();
}

static void names_of_before_lead_to_those_of_today(void)
{
    open_model();
    check_refused("crank pin.coordinates.angle",
                  "'crank pin.coordinates.angle': joint 'crank pin' has no such quantity; did you "
                  "mean 'crank pin.angle'?");
    check_refused("rail.rates.displacement",
                  "'rail.rates.displacement': joint 'rail' has no such quantity; did you mean "
                  "'rail.displacement.rate'?");
    CHECK(tn_name_of_today("rail.displacement") == NULL);
    close_model();
}

static const tn_test tests[] = {
    {"names say what is meant", names_say_what_is_meant},
    {"forces have names by what they act on", forces_have_names_by_what_they_act_on},
    {"planar bodies have an angle", planar_bodies_have_an_angle},
    {"every name is found again", every_name_is_found_again},
    {"names with dots are read in every way", names_with_dots_are_read_in_every_way},
    {"two meanings are an error", two_meanings_are_an_error},
    {"unknown names tell the nearest", unknown_names_tell_the_nearest},
    {"names of before lead to those of today", names_of_before_lead_to_those_of_today},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
