// SPDX-License-Identifier: MIT
//
// The work of the recursive formalism over the number of bodies [Arn13, abstract, section 3.2]: a
// chain in space in which every fifth joint has a disc without mass before it, between springs and
// dampers in series. Times are CPU times of one evaluation of accelerations, the least of several.
//
//   complexity FILE.csv

#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>
#include <time.h>

static tn_joint hinge(tn_model *model, tn_body last, tn_body next, int k, double from, double to)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_REVOLUTE);
    const tn_mat3 R =
        tn_m3_mul(tn_m3_rot_x(0.7 * k), tn_m3_rot_y(0.3)); // axes turn along the chain
    def.body_a = last;
    def.body_b = next;
    def.frame_a = (tn_frame){R, {from, 0.0, 0.0}};
    def.frame_b = (tn_frame){R, {to, 0.0, 0.0}};
    const tn_joint joint = tn_model_add_joint(model, &def);
    tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
    spring.joint = joint;
    spring.spring.stiffness = 4.0;
    spring.spring.damping = 0.2;
    spring.spring.free = 0.1;
    spring.spring.free_given = true;
    tn_model_add_force(model, &spring);
    return joint;
}

static tn_body add_body(tn_model *model, double x, double mass, double inertia)
{
    tn_body_def def = tn_default_body();
    def.mass = mass;
    def.inertia = (tn_vec3){inertia, 1.5 * inertia, 2.0 * inertia};
    def.frame.p.x = x;
    return tn_model_add_body(model, &def);
}

// Links of half a metre, along x; the frame of a disc is at its joints.
static tn_model *chain(int links, int *discs)
{
    tn_model *model = tn_model_create();
    tn_body last = TN_GROUND;
    double at = 0.0; // of the joint in the frame of the last body
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -9.81});
    *discs = 0;
    for (int k = 0; k < links; k++) {
        if (k % 5 == 2) {
            const tn_body disc = add_body(model, 0.5 * k, 0.0, 0.0);
            hinge(model, last, disc, k, at, 0.0);
            last = disc;
            at = 0.0;
            ++*discs;
        }
        const tn_body link = add_body(model, 0.5 * k + 0.25, 1.0, 0.02);
        hinge(model, last, link, k, at, -0.25);
        last = link;
        at = 0.25;
    }
    return model;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_status measure(int links, FILE *out)
{
    enum { TRIES = 7 };
    static double a[8192];
    int discs;
    double least = INFINITY;
    tn_model *model = chain(links, &discs);
    tn_dynamics *dynamics = NULL;
    tn_status s = tn_dynamics_create(model, "joint", &dynamics);
    for (int k = 0; s == TN_OK && k < TRIES; k++) {
        const double start = seconds();
        for (int i = 0; s == TN_OK && i < 5; i++) {
            s = tn_dynamics_set(dynamics, 1e-6 * k, NULL,
                                tn_dynamics_v(dynamics)); // nothing is kept
            if (s == TN_OK)
                s = tn_dynamics_forward(dynamics, NULL, a, NULL);
        }
        least = fmin(least, (seconds() - start) / 5.0);
    }
    if (s == TN_OK)
        fprintf(out, "%d,%d,%.4g,%.4g\n", links + discs, discs, 1e6 * least,
                1e6 * least / (links + discs));
    else
        fprintf(stderr, "complexity: %s\n", tn_last_error());
    tn_dynamics_destroy(dynamics);
    tn_model_destroy(model);
    return s;
}

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    tn_status s = TN_OK;
    if (!out) {
        fprintf(stderr, "usage: complexity FILE.csv\n");
        return 1;
    }
    fprintf(out, "bodies,massless,microseconds,microseconds_per_body\n");
    for (int links = 25; s == TN_OK && links <= 400; links *= 2)
        s = measure(links, out);
    return fclose(out) == 0 && s == TN_OK ? 0 : 1;
}
