// SPDX-License-Identifier: MIT
//
// What expressions of the state cost: a robot of 35 freedoms, a tree of revolute joints with a
// motor each, whose efforts 100 signals and 20 states make: errors, sums of errors, and PID
// controllers of the joints. Beside it two robots without expressions of the state: with efforts
// that are functions of time, which leave it swinging freely; and with springs and dampers of the
// joints as well, which move it nearly as the controllers do. Time per step of fixed size; the
// target is a ratio below 1.2 to either.
//
//     bench_signals [CSV]
//
// Times are those of the processor, the least of several runs that alternate.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { FREEDOMS = 35, STATES = 20, WATCHED = 30, STEPS = 400, REPEATS = 9 };

typedef enum robot_kind { MOTORS, SPRINGS, CONTROLLERS, KINDS } robot_kind;

static const double STEP = 1e-3;                             // [s]
static const double GAIN = 20.0, DAMPING = 1.5, REACH = 0.2; // [N m/rad], [N m s/rad], [rad]

static const char *const methods[] = {"galpha/ggl@absolute", "galpha@joint",
                                      "dop853/index1@absolute", "dop853@joint", "radau5@joint"};

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A trunk with limbs: five chains of seven links.
static void add_links(tn_model *model)
{
    for (int k = 1; k <= FREEDOMS; k++) {
        char name[20];
        snprintf(name, sizeof name, "j%d", k);
        tn_body_def link = tn_default_body();
        link.mass = 3.0 - 0.05 * k;
        link.inertia = (tn_vec3){0.03, 0.04, 0.02};
        link.com = (tn_vec3){0.02, 0.0, 0.12};
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.name = name;
        pin.body_a.index = k % 7 == 1 ? (k > 7 ? 4 : 0) : k - 1;
        pin.body_b = tn_model_add_body(model, &link);
        pin.frame_a.p = (tn_vec3){0.1 * (k % 3), 0.05, 0.25};
        pin.frame_a.R = pin.frame_b.R =
            tn_quat_matrix(tn_quat_normalize((tn_quat){1.0, k % 2, (k + 1) % 2, 0.2 * (k % 5)}));
        tn_model_add_joint(model, &pin);
    }
}

// Controller k: the error, for some joints how fast it grows, and the effort, damped and for some
// with a sum of errors that is held back where the error grows.
static tn_status add_controller(tn_model *model, int k)
{
    const bool sums = k <= STATES, watches = k <= WATCHED;
    char name[40], text[200], sum[40] = "", less[40] = "";
    snprintf(name, sizeof name, "error%d", k);
    snprintf(text, sizeof text, "%g*sin(2*t + %d) - j%d.angle", REACH, k, k);
    tn_status s = tn_model_add_signal(model, name, text);
    snprintf(name, sizeof name, "watch%d", k);
    snprintf(text, sizeof text, "error%d*j%d.angle.rate + 0.5*error%d^2", k, k, k);
    if (s == TN_OK && watches)
        s = tn_model_add_signal(model, name, text);
    if (sums)
        snprintf(sum, sizeof sum, " + 5*sum%d", k);
    if (watches)
        snprintf(less, sizeof less, " - 0.1*watch%d", k);
    snprintf(name, sizeof name, "effort%d", k);
    snprintf(text, sizeof text, "%g*error%d%s - %g*j%d.angle.rate%s", GAIN, k, sum, DAMPING, k,
             less);
    s = s == TN_OK ? tn_model_add_signal(model, name, text) : s;
    tn_state_def state = tn_default_state();
    snprintf(name, sizeof name, "sum%d", k);
    snprintf(text, sizeof text, "error%d - 0.01*watch%d", k, k);
    state.name = name;
    state.rate = text;
    return s == TN_OK && sums ? tn_model_add_state(model, &state) : s;
}

static tn_status add_controllers(tn_model *model)
{
    tn_status s = TN_OK;
    for (int k = 1; k <= FREEDOMS && s == TN_OK; k++)
        s = add_controller(model, k);
    return s;
}

static void add_spring(tn_model *model, int joint)
{
    tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
    spring.joint.index = joint;
    spring.spring.stiffness = GAIN;
    spring.spring.damping = DAMPING;
    spring.spring.free_given = true;
    tn_model_add_force(model, &spring);
}

static void add_motor(tn_model *model, int joint, const char *effort)
{
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    motor.joint.index = joint;
    motor.motor.effort.expression = effort;
    tn_model_add_force(model, &motor);
}

static tn_model *robot(robot_kind kind)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -9.81});
    add_links(model);
    tn_status s = kind == CONTROLLERS ? add_controllers(model) : TN_OK;
    for (int k = 1; k <= FREEDOMS; k++) {
        char text[60];
        if (kind == SPRINGS)
            add_spring(model, k - 1);
        if (kind == CONTROLLERS)
            snprintf(text, sizeof text, "effort%d", k);
        else
            snprintf(text, sizeof text, "%g*sin(2*t + %d)", GAIN * REACH, k);
        add_motor(model, k - 1, text);
    }
    if (s != TN_OK || tn_model_status(model) != TN_OK) {
        fprintf(stderr, "%s\n", tn_last_error());
        tn_model_destroy(model);
        return NULL;
    }
    return model;
}

// Seconds of one run; negative where it fails.
static double measure(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.adaptive = false;
    options.step = STEP;
    tn_status s = tn_sim_create(model, &options, &sim);
    const double begin = clock_now();
    if (s == TN_OK)
        s = tn_sim_run(sim, STEPS * STEP, NULL, NULL);
    const double taken = clock_now() - begin;
    tn_sim_destroy(sim);
    if (s != TN_OK)
        fprintf(stderr, "%s: %s\n", method, tn_last_error());
    return s == TN_OK ? taken : -1.0;
}

// A line of the table: the least times of each robot, in turn.
static void compare(tn_model *const model[KINDS], const char *method, FILE *csv)
{
    double us[KINDS] = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < KINDS * REPEATS; i++)
        us[i % KINDS] = fmin(us[i % KINDS], 1e6 / STEPS * measure(model[i % KINDS], method));
    if (us[MOTORS] < 0.0 || us[SPRINGS] < 0.0 || us[CONTROLLERS] < 0.0)
        return;
    const double ratio[] = {us[CONTROLLERS] / us[MOTORS], us[CONTROLLERS] / us[SPRINGS]};
    printf("%-24s %12.2f %12.2f %16.2f %8.2f %8.2f\n", method, us[MOTORS], us[SPRINGS],
           us[CONTROLLERS], ratio[0], ratio[1]);
    if (csv)
        fprintf(csv, "%s,%.3f,%.3f,%.3f,%.3f,%.3f\n", method, us[MOTORS], us[SPRINGS],
                us[CONTROLLERS], ratio[0], ratio[1]);
}

int main(int argc, char **argv)
{
    tn_model *model[KINDS] = {robot(MOTORS), robot(SPRINGS), robot(CONTROLLERS)};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!model[MOTORS] || !model[SPRINGS] || !model[CONTROLLERS])
        return 1;
    if (csv)
        fprintf(csv, "method,motors [us per step],with springs [us per step],"
                     "with controllers [us per step],ratio to motors,ratio to springs\n");
    printf("%-24s %12s %12s %16s %17s\n", "method", "motors [us]", "springs [us]",
           "controllers [us]", "ratios to these");
    for (int k = 0; k < (int)(sizeof methods / sizeof methods[0]); k++)
        compare(model, methods[k], csv);
    if (csv)
        fclose(csv);
    for (int k = 0; k < KINDS; k++)
        tn_model_destroy(model[k]);
    return 0;
}
