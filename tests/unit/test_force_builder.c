// SPDX-License-Identifier: MIT
//
// Adding forces to a model: every faulty definition is refused with a sentence that names it, and
// nothing leaks when memory is short.

#include "force_bench.h"

static void check_refused(tn_force_def def, const char *message)
{
    def.name = "push";
    CHECK(tn_model_add_force(model, &def).index == -1);
    CHECK_STATUS(tn_model_status(model), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), message);
    close_model();
    open_model();
}

static tn_force_def between(tn_force_kind kind, tn_body a, tn_body b)
{
    tn_force_def def = tn_default_force(kind);
    def.body_a = a;
    def.body_b = b;
    return def;
}

static tn_force_def on_joint(tn_force_kind kind, tn_joint joint, int coordinate)
{
    tn_force_def def = tn_default_force(kind);
    def.joint = joint;
    def.coordinate = coordinate;
    return def;
}

static void wrong_bodies_are_named(void)
{
    open_model();
    check_refused(tn_default_force(TN_FORCE_SPRING),
                  "force 'push': body_b is not a body of this model");
    check_refused(between(TN_FORCE_BUSHING, body_a, body_a),
                  "force 'push': connects body 'crank' with itself");
    check_refused(between(TN_FORCE_POINT, TN_GROUND, TN_GROUND),
                  "force 'push': acts on the ground, which it cannot move");
    check_refused(between(TN_FORCE_TORSION_SPRING, body_a, bob),
                  "force 'push': a torsion-spring needs a body with orientation, but 'bob' is a "
                  "point mass");
    tn_force_def bushing = between(TN_FORCE_BUSHING, bob, body_a);
    check_refused(bushing, "force 'push': body A of a bushing needs a body with orientation, but "
                           "'bob' is a point mass");
    bushing = between(TN_FORCE_BUSHING, body_a, bob);
    bushing.bushing.rotational_damping.y = 1.0;
    check_refused(bushing, "force 'push': a bushing with rotational_stiffness or "
                           "rotational_damping needs a body with orientation, but 'bob' is a point "
                           "mass");
    tn_force_def def = between(TN_FORCE_POINT, TN_GROUND, bob);
    def.point.follower = true;
    check_refused(def, "force 'push': a follower force turns with its body, but 'bob' is a point "
                       "mass");
    def.point.follower = false;
    def.point.torque[1].constant = 1.0;
    check_refused(def, "force 'push': a torque cannot act on 'bob', which is a point mass");
    def = between(TN_FORCE_SPRING, body_a, bob);
    def.frame_b.p.x = 1.0;
    check_refused(def, "force 'push': frame_b is off its origin, but 'bob' is a point mass, which "
                       "can be held only at its point");
    close_model();
}

static void wrong_joints_are_named(void)
{
    open_model();
    check_refused(tn_default_force(TN_FORCE_MOTOR),
                  "force 'push': joint is not a joint of this model");
    check_refused(
        on_joint(TN_FORCE_MOTOR, hinge, 1),
        "force 'push': coordinate 1 of joint 'hinge' does not exist (a revolute joint has "
        "1, numbered from 0)");
    close_model();
}

static void wrong_numbers_are_named(void)
{
    static const double x[] = {0.0, 1.0, 0.5}, f[] = {0.0, 1.0, NAN};
    open_model();
    tn_force_def def = between(TN_FORCE_SPRING, body_a, body_b);
    def.spring.stiffness = -5.0;
    check_refused(def, "force 'push': stiffness is -5 N/m; it must not be negative");
    def.spring.stiffness = INFINITY;
    check_refused(def, "force 'push': stiffness must be finite");
    def.spring.stiffness = 0.0;
    def.spring.ntable = 3;
    def.spring.table_x = x;
    def.spring.table_f = x;
    check_refused(def, "force 'push': table, row 3: 0.5 does not follow 1 of row 2; the first of "
                       "each pair must increase");
    def.spring.table_f = f;
    check_refused(def, "force 'push': table, row 3: (0.5, nan) is not finite");
    def.spring.ntable = 1;
    check_refused(def, "force 'push': table has 1 point; at least 2 are needed");
    def.spring.ntable = 2;
    def.spring.table_f = x;
    def.spring.beyond = TN_BEYOND_PERIODIC;
    check_refused(def, "force 'push': table begins with 0 and ends with 1; one that is periodic "
                       "must end as it begins");
    def.spring.ntable = 0;
    check_refused(def, "force 'push': interpolation and beyond belong to a table, and it has none");

    def = between(TN_FORCE_BUSHING, body_a, body_b);
    def.bushing.rotational_damping.y = -1.0;
    check_refused(def,
                  "force 'push': rotational_damping y is -1 N m s/rad; it must not be negative");

    def = on_joint(TN_FORCE_JOINT_STOP, slider, 0);
    def.stop.stiffness = 1.0;
    check_refused(def, "force 'push': a stop needs a lower or an upper end");
    def.stop.lower = 2.0;
    def.stop.upper = 1.0;
    check_refused(def, "force 'push': lower is 2 and upper is 1; lower must be smaller");
    def.stop.lower = NAN;
    check_refused(def, "force 'push': lower must be a number");
    def.stop.lower = 0.0;
    def.stop.exponent = 0.5;
    check_refused(def, "force 'push': exponent is 0.5; it must be at least 1");
    close_model();
}

static void wrong_functions_are_named(void)
{
    open_model();
    tn_force_def def = on_joint(TN_FORCE_MOTOR, hinge, 0);
    def.motor.effort.constant = NAN;
    check_refused(def, "force 'push': effort must be finite");
    def.motor.effort.expression = "2*";
    def.name = "push";
    CHECK(tn_model_add_force(model, &def).index == -1);
    CHECK(strncmp(model->message, "force 'push': effort: ", 22) == 0);
    close_model();
}

static void nothing_is_lost_when_memory_is_short(void)
{
    static const double x[] = {0.0, 1.0}, f[] = {0.0, 1.0};
    const long before = tn_test_alloc_live();
    bool failed = true;

    for (long n = 1; failed; n++) {
        open_model();
        tn_force_def def = between(TN_FORCE_SPRING, body_a, body_b);
        def.spring.ntable = 2;
        def.spring.table_x = x;
        def.spring.table_f = f;
        tn_test_alloc_fail_at(n);
        const tn_force force = tn_model_add_force(model, &def);
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK_STATUS(tn_model_status(model), failed ? TN_ERR_MEMORY : TN_OK);
        CHECK(force.index == (failed ? -1 : 0));
        close_model();
        CHECK(tn_test_alloc_live() == before);
    }
}

static const tn_test tests[] = {
    {"wrong bodies are named", wrong_bodies_are_named},
    {"wrong joints are named", wrong_joints_are_named},
    {"wrong numbers are named", wrong_numbers_are_named},
    {"wrong functions are named", wrong_functions_are_named},
    {"nothing is lost when memory is short", nothing_is_lost_when_memory_is_short},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
