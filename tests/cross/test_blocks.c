// SPDX-License-Identifier: MIT
//
// Blocks against their answers to a step at the start. A cart of 1 kg is pushed by the output, so
// that its acceleration is the output.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct answer {
    const char *block;      // y
    double (*at)(double t); // what is expected of it
} answer;

static tn_sim *open_block(const char *block, const char *method)
{
    char text[2048];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}}\n"
             "blocks: {y: %s}\n"
             "forces: {push: {kind: motor, joint: rail, effort: y}}\n",
             block);
    return tn_test_open_text(text, method, 0.0, 1e-10);
}

static double lag(double t)
{
    return 1.0 - 0.5 * exp(-t / 0.2);
}

// w = 5, z = 0.6: 1 - e^(-z w t) (cos(d t) + z w / d sin(d t)), d = w sqrt(1 - z^2) = 4
static double lag2(double t)
{
    return 1.0 - exp(-3.0 * t) * (cos(4.0 * t) + 0.75 * sin(4.0 * t));
}

// (2 s^2 + 3 s + 4) / (s^2 + 3 s + 2) = 2 - 3 / (s + 1) + 0 …: partial fractions of H(s) / s are
// 2 / s - 3 / (s + 1) + 3 / (s + 2)
static double quotient(double t)
{
    return 2.0 - 3.0 * exp(-t) + 3.0 * exp(-2.0 * t);
}

static double control(double t)
{
    return 2.0 + 3.0 * t + 0.4 / 0.05 * exp(-t / 0.05);
}

// From 1 s on the output is at its limit, and the integral, I' = 1 - (1 + I - 2), comes to rest
// above it: I = 2 - e^(1 - t), until the error turns.
static double limited(double t)
{
    return t < 1.0 ? 1.0 + t : t < 3.0 ? 2.0 : -1.0 + 2.0 - exp(-2.0) - (t - 3.0);
}

static double ago(double t)
{
    const double sample = floor((t - 0.25) / 0.125) * 0.125;
    return t < 0.25 ? 7.0 : 1.0 + sample * sample;
}

// Errors 1 at samples every 0.25 s: u_j = 2 + 3 I_j + (0.5 / 0.25) (e_j - e_{j-1}), I_j = 0.25 j.
static double sampled(double t)
{
    const double j = floor(t / 0.25);
    return 2.0 + 3.0 * 0.25 * j + (j == 0.0 ? 2.0 : 0.0);
}

static const answer answers[] = {
    {"{kind: lowpass, input: 1, tau: 0.2, initial: 0.5}", lag},
    {"{kind: lowpass, input: 1, tau: 0.2, damping: 0.6}", lag2},
    {"{kind: transfer-function, input: 1, numerator: [2, 3, 4], denominator: [1, 3, 2]}", quotient},
    {"{kind: transfer-function, input: 1, numerator: [4, 6, 8], denominator: [2, 6, 4]}", quotient},
    {"{kind: pid, input: 1, kp: 2, ki: 3, kd: 0.4, tau: 0.05}", control},
    {"{kind: pid, input: 'if(t < 3, 1, -1)', kp: 1, ki: 1, lower: -5, upper: 2}", limited},
    {"{kind: pid, input: 1, kp: 2, ki: 3, kd: 0.5, every: 0.25}", sampled},
    {"{kind: delay, input: 1 + t^2, time: 0.25, every: 0.125, initial: 7}", ago},
};

static void blocks_answer_a_step(void)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute"};
    for (int i = 0; i < TN_COUNT(answers); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            tn_sim *sim = open_block(answers[i].block, methods[k]);
            for (double t = 0.213; t < 4.0; t += 0.307) { // never at a sample
                CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
                const double y = tn_sim_body_acceleration(sim, (tn_body){1}).x;
                CHECK_NEAR(y, answers[i].at(t), 1e-7); // steps at 1e-10, derivative by 1 / tau
            }
            tn_sim_destroy(sim);
        }
}

static void mistakes_are_named(void)
{
    static const struct {
        const char *block, *says;
    } wrong[] = {
        {"{kind: pid, input: 1, kd: 1}", "state the time of the lag"},
        {"{kind: pid, input: 1, kp: 1, lower: 2, upper: 1}", "lower must be smaller"},
        {"{kind: transfer-function, input: 1, numerator: [1, 1], denominator: [1]}",
         "at least as many"},
        {"{kind: lowpas, input: 1, tau: 1}", "lowpass"},
        {"{kind: lowpass, tau: 1}", "input"},
        {"{kind: lowpass, input: 1, tau: 0}", "tau"},
        {"{kind: lowpass, input: rail.speed, tau: 1}", "rail.displacement"},
    };
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        char text[1024];
        tn_model *model = NULL;
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}}\n"
                 "blocks: {y: %s}\n",
                 wrong[k].block);
        CHECK(tn_model_parse(text, "block.yaml", &model, NULL) == TN_ERR_MODEL);
        CHECK(strstr(tn_last_error(), wrong[k].says));
    }
}

static const tn_test tests[] = {
    {"blocks answer a step", blocks_answer_a_step},
    {"mistakes are named", mistakes_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
