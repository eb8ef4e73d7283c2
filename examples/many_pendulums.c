// SPDX-License-Identifier: MIT
//
// Two hundred double pendulums that start nearly alike: an ensemble moves them together, and tells
// how far they are from each other after each second.

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

static const char *const text =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: # the origins are the joints\n"
    "  upper: {kind: planar, mass: 1, inertia: 0.02, com: [0.25, 0]}\n"
    "  lower: {kind: planar, mass: 1, inertia: 0.02, com: [0.25, 0], initial: {position: [0.5, "
    "0]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, bodies: [ground, upper], at: [0, 0]}\n"
    "  elbow: {kind: revolute, bodies: [upper, lower], at: [0.5, 0]}\n";

enum { COUNT = 200 };

// The least and the largest angle of the elbows.
static tn_status look(const tn_ensemble *ensemble, tn_joint elbow, double *least, double *most)
{
    tn_status s = TN_OK;
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < COUNT && s == TN_OK; i++) {
        double angle = 0.0;
        s = tn_ensemble_joint(ensemble, i, elbow, &angle, NULL);
        *least = fmin(*least, angle);
        *most = fmax(*most, angle);
    }
    return s;
}

static tn_status move(const tn_model *model)
{
    const tn_ensemble_options options = tn_default_ensemble();
    const tn_joint elbow = tn_model_find_joint(model, "elbow");
    tn_ensemble *ensemble = NULL;
    double least = 0.0, most = 0.0;
    tn_status s = tn_ensemble_create(model, COUNT, &options, &ensemble);
    for (int i = 0; i < COUNT && s == TN_OK; i++) // bent by up to a millionth of a radian
        s = tn_ensemble_set_joint(ensemble, i, elbow, 1e-6 * i / COUNT, 0.0);
    for (double t = 1.0; t <= 4.0 && s == TN_OK; t += 1.0) {
        s = tn_ensemble_run(ensemble, t);
        if (s == TN_OK)
            s = look(ensemble, elbow, &least, &most);
        if (s == TN_OK)
            printf("after %g s elbows are up to %.1e rad apart\n", t, most - least);
    }
    tn_ensemble_destroy(ensemble);
    return s;
}

int main(void)
{
    tn_model *model = NULL;
    tn_status s = tn_model_parse(text, "double pendulum", &model, NULL);
    if (s == TN_OK)
        s = move(model);
    tn_model_destroy(model);
    if (s != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    return s == TN_OK ? 0 : 1;
}
