// SPDX-License-Identifier: MIT
//
// Angles count their turns in long steps: those of a pair of gears that spins freely by more than
// half a turn in a step, that of a torsion spring that winds up over many turns, and those of
// rotors that a motor speeds up, at the ends of steps and within them.

#include "mechanism.h"

#include <string.h>

static const double RATE = 200.0; // of the first wheel [rad/s]
static const double END = 2.0;    // [s]

typedef struct gears {
    tn_model *model;
    tn_joint shaft[2];
} gears;

// Two wheels with 20 and 30 teeth on parallel shafts, without friction.
static gears make_gears(void)
{
    gears g = {.model = tn_model_create()};
    static const char *const names[] = {"one", "two"};
    static const double rate[] = {RATE, -RATE * 20.0 / 30.0};
    for (int k = 0; k < 2; k++) {
        tn_body_def def = body_def(names[k], 1.0, tn_v3(0.1, 0.1, 0.2), frame_at(k, 0.0, 0.0));
        def.rate = tn_v3(0.0, 0.0, rate[k]);
        const part wheel = add_part(g.model, &def);
        g.shaft[k] =
            join(g.model, TN_JOINT_REVOLUTE, names[k], ground, wheel, frame_at(k, 0.0, 0.0));
    }
    tn_joint_def mesh = tn_default_joint(TN_JOINT_GEAR);
    mesh.gear.joint_1 = g.shaft[0];
    mesh.gear.joint_2 = g.shaft[1];
    mesh.gear.ratio_1 = 20.0;
    mesh.gear.ratio_2 = 30.0;
    tn_model_add_joint(g.model, &mesh);
    return g;
}

static void angles_count_turns_in_long_steps(void)
{
    // Explicit steps of 4 rad, more than half a turn, which the nearest angle would miss. Implicit
    // ones must stay below that, as their iterations may start from the angle of the last step.
    static const struct {
        const char *method;
        double step; // [s]
    } runs[] = {
        {"dopri5/index1", 0.02}, {"dopri5/minimal", 0.02}, {"dop853/minimal", 0.02},
        {"radau5/ggl", 0.01},    {"radau5/index3", 0.01},  {"galpha/ggl", 0.01},
    };
    gears g = make_gears();
    for (int k = 0; k < TN_COUNT(runs); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = runs[k].method;
        options.step = runs[k].step;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(g.model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, END, NULL, NULL));
        double angle, rate;
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        // Round-off of 400 rad, times the teeth in the rows of the gears.
        CHECK(tn_sim_joint_coordinates(sim, g.shaft[0], &angle, &rate) == 1);
        CHECK_NEAR(angle, RATE * END, 1e-9);
        CHECK(tn_sim_joint_coordinates(sim, g.shaft[1], &angle, &rate) == 1);
        CHECK_NEAR(angle, -RATE * END * 20.0 / 30.0, 1e-9);
        CHECK_NEAR(ledger.max_g, 0.0, 1e-8);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(g.model);
}

// A soft torsion spring winds up over many turns: phi = A sin(w t) with w = sqrt(c / J).
static void springs_feel_all_turns(void)
{
    const double stiffness = 0.05, inertia = 0.2, w = sqrt(stiffness / inertia);
    static const char *const methods[] = {"dop853/index1", "dop853/minimal", "radau5/ggl"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = tn_model_create();
        tn_body_def def = body_def("wheel", 1.0, tn_v3(0.1, 0.1, inertia), frame_at(0, 0, 0));
        def.rate = tn_v3(0.0, 0.0, RATE);
        const part wheel = add_part(model, &def);
        const tn_joint shaft =
            join(model, TN_JOINT_REVOLUTE, "shaft", ground, wheel, frame_at(0, 0, 0));
        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = shaft;
        spring.spring.stiffness = stiffness;
        tn_model_add_force(model, &spring);
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.rtol = options.atol = 1e-9;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, END, NULL, NULL));
        double angle, rate;
        CHECK(tn_sim_joint_coordinates(sim, shaft, &angle, &rate) == 1);
        printf("%s: off by %.1e of %.0f turns\n", methods[k], fabs(angle - RATE / w * sin(w * END)),
               RATE / w * sin(w * END) / (2.0 * PI));
        CHECK_NEAR(angle, RATE / w * sin(w * END),
                   1e-4); // 1e-9 of 400 rad, in some dozens of steps
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// A rotor with moment of inertia J at a speed S that a motor with torque M sin(3 t) speeds up: its
// angle is S t + M / (3 J) (t - sin(3 t) / 3).
static const double INERTIA = 2e-3, TORQUE = 2.0; // [kg m^2], [N m]

static double angle_of(double speed, double inertia, double t)
{
    return speed * t + TORQUE / (3.0 * inertia) * (t - sin(3.0 * t) / 3.0);
}

static part add_rotor(tn_model *model, const char *name, double x, double inertia, double speed)
{
    tn_body_def def =
        body_def(name, 1.0, tn_v3(0.5 * inertia, 0.5 * inertia, inertia), frame_at(x, 0, 0));
    def.rate = tn_v3(0.0, 0.0, speed);
    return add_part(model, &def);
}

static void add_motor(tn_model *model, tn_joint joint, int coordinate)
{
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    motor.joint = joint;
    motor.coordinate = coordinate;
    motor.motor.effort = (tn_function){.expression = "2*sin(3*t)"};
    tn_model_add_force(model, &motor);
}

// What is read at seven places within each step.
typedef struct reading {
    tn_joint joint;
    int coordinate; // which of its coordinates is the angle
    double speed, inertia, ratio;
    double most; // largest error so far [rad]
} reading;

static tn_status read_angles(void *user, tn_sim *sim)
{
    reading *r = user;
    const double from = tn_sim_before(sim), to = tn_sim_time(sim);
    for (int i = 1; i <= 8; i++) {
        double q[6], rate[6];
        const double t = i == 8 ? to : from + 0.125 * i * (to - from);
        CHECK_OK(tn_sim_show(sim, t));
        tn_sim_joint_coordinates(sim, r->joint, q, rate);
        const double expected = r->ratio * angle_of(r->speed, r->inertia, t);
        r->most = fmax(r->most, fabs(q[r->coordinate] - expected));
    }
    return TN_OK;
}

static tn_status run_reading(const tn_model *model, const char *method, double step, reading *r)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = step;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_status status = tn_sim_run(sim, END, read_angles, r);
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    printf("%-32s %5ld steps, angles off by %.1e rad, |g| %.1e\n", method, ledger.steps, r->most,
           ledger.max_g);
    tn_sim_destroy(sim);
    return status;
}

// At 20000 rad/s: in joint coordinates steps take a second, 3000 turns.
static void angles_within_steps_are_on_their_turn(void)
{
    static const struct {
        tn_joint_kind kind;
        int angle;
    } joints[] = {{TN_JOINT_REVOLUTE, 0},
                  {TN_JOINT_CYLINDRICAL, 0},
                  {TN_JOINT_SCREW, 0},
                  {TN_JOINT_PLANAR, 2}};
    static const char *const methods[] = {"dop853/index1@joint", "radau5/ggl@joint",
                                          "dop853/index1+project@absolute", "radau5/ggl@absolute"};
    for (int j = 0; j < TN_COUNT(joints); j++) {
        const double pitch = joints[j].kind == TN_JOINT_SCREW ? 1e-4 : 0.0, speed = 2e4;
        tn_model *model = tn_model_create();
        const part rotor = add_rotor(model, "rotor", 0.0, INERTIA, speed);
        tn_joint_def def =
            joint_at(joints[j].kind, "shaft", ground, rotor, frame_at(0.0, 0.0, 0.0));
        if (pitch > 0.0) {
            def.screw.pitch = pitch;
            def.nrate = 1;
            def.rate[0] = speed;
        }
        const tn_joint shaft = tn_model_add_joint(model, &def);
        add_motor(model, shaft, joints[j].angle);
        for (int k = 0; k < TN_COUNT(methods); k++) {
            reading r = {shaft, joints[j].angle, speed, INERTIA + pitch * pitch, 1.0, 0.0};
            CHECK_OK(run_reading(model, methods[k], 0.0, &r));
            CHECK(r.most < 0.1); // 1e-6 of 40000 rad
        }
        tn_model_destroy(model);
    }
}

// Where iterations lose a turn the wheels still mesh, but are not where their rates lead.
static void gears_that_turn_far_in_a_step_keep_their_turns(void)
{
    static const struct {
        const char *method;
        double step; // [s], 0: error-controlled
    } runs[] = {
        {"radau5/ggl@absolute", 0.0},   {"radau5/stabilized-index1@absolute", 0.0},
        {"radau5/ggl@absolute", 0.005}, {"radau5/index3@absolute", 0.02},
        {"adams/minimal@joint", 0.0},   {"dopri5/minimal@absolute", 0.0},
        {"dop853/index1@joint", 0.0},
    };
    const double speed = 1000.0, wheel = 0.05, total = INERTIA + wheel / 49.0;
    tn_model *model = tn_model_create();
    tn_joint shaft[2];
    const part one = add_rotor(model, "one", 0.0, INERTIA, speed);
    const part two = add_rotor(model, "two", 0.3, wheel, -speed / 7.0);
    shaft[0] = join(model, TN_JOINT_REVOLUTE, "one", ground, one, frame_at(0.0, 0.0, 0.0));
    shaft[1] = join(model, TN_JOINT_REVOLUTE, "two", ground, two, frame_at(0.3, 0.0, 0.0));
    tn_joint_def mesh = tn_default_joint(TN_JOINT_GEAR);
    mesh.gear.joint_1 = shaft[0];
    mesh.gear.joint_2 = shaft[1];
    mesh.gear.ratio_1 = 1.0;
    mesh.gear.ratio_2 = 7.0;
    tn_model_add_joint(model, &mesh);
    add_motor(model, shaft[0], 0);
    for (int k = 0; k < TN_COUNT(runs); k++)
        for (int i = 0; i < 2; i++) {
            reading r = {shaft[i], 0, speed, total, i ? -1.0 / 7.0 : 1.0, 0.0};
            CHECK_OK(run_reading(model, runs[k].method, runs[k].step, &r));
            CHECK(r.most < 0.02);
        }
    // A formula that does not resolve 5 rad per step is not taken for one that does.
    reading r = {shaft[0], 0, speed, total, 1.0, 0.0};
    CHECK(run_reading(model, "bdf/ggl@absolute", 0.005, &r) == TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "too far to count its turns"));
    tn_model_destroy(model);
}

static void coarse_steps_are_told_in_all_coordinates(void)
{
    static const char *const methods[] = {"galpha/ggl@joint", "galpha/ggl@absolute"};
    tn_model *model = tn_model_create();
    const part rotor = add_rotor(model, "rotor", 0.0, INERTIA, 1000.0);
    join(model, TN_JOINT_REVOLUTE, "shaft", ground, rotor, frame_at(0.0, 0.0, 0.0));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.step = 0.01;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
        CHECK(tn_sim_note_count(sim) == 1 && strstr(tn_sim_note(sim, 0), "a body turns by 10 rad"));
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"angles count turns in long steps", angles_count_turns_in_long_steps},
    {"springs feel all turns", springs_feel_all_turns},
    {"angles within steps are on their turn", angles_within_steps_are_on_their_turn},
    {"gears that turn far in a step keep their turns",
     gears_that_turn_far_in_a_step_keep_their_turns},
    {"coarse steps are told in all coordinates", coarse_steps_are_told_in_all_coordinates},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
