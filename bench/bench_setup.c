// SPDX-License-Identifier: MIT
//
// From a model to its first step, against the number of links: a tree of bodies in joint
// coordinates, given by the library. Bodies either stand where they belong ("placed"), or nothing
// is known of them but the coordinates of their joints ("angles"). Processor time to describe the
// model and to create a simulation, the slope of the latter over the size, and memory per link: in
// use when the simulation is ready, and the most on the way.
//
//     bench_setup [CSV [MOST]]      MOST planar links, 10^6 if not stated; a tenth of it in space
//
// What a simulation of a small chain takes to create and to destroy closes the table.

#include "counted_memory.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef enum shape { SPATIAL, PLANAR, BRANCHED, DISCS, SHAPES } shape;

static const char *const shapes[SHAPES] = {"spatial", "planar", "branched", "discs"};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Rods of 1 m on pins, each turned by `angle` against the last. In space their axes alternate;
// branched ones carry two others each. Every other link of `discs` is a disc without mass.
static tn_model *tree(int n, shape form, bool placed)
{
    const double angle = placed ? 0.0 : 0.1;
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    for (int k = 1; k <= n; k++) {
        tn_body_def rod = tn_default_body();
        const bool disc = form == DISCS && k % 2 == 0;
        const tn_mat3 R =
            k % 2 && form != PLANAR && form != DISCS ? tn_m3_rot_x(1.0) : tn_m3_identity;
        rod.kind = form == PLANAR || form == DISCS ? TN_BODY_PLANAR : TN_BODY_RIGID;
        rod.mass = disc ? 0.0 : 1.0;
        rod.inertia = disc ? (tn_vec3){0.0, 0.0, 0.0} : (tn_vec3){0.01, 1.0 / 12.0, 1.0 / 12.0};
        if (placed && form != BRANCHED)
            rod.frame.p.x = k - 0.5;
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a.index = form == BRANCHED ? k / 2 : k - 1;
        pin.body_b = tn_model_add_body(model, &rod);
        pin.frame_a = (tn_frame){R, {pin.body_a.index > 0 ? 0.5 : 0.0, 0.0, 0.0}};
        pin.frame_b = (tn_frame){R, {-0.5, 0.0, 0.0}};
        if (!placed) {
            pin.nposition = 1;
            pin.position[0] = k % 2 ? angle : -angle;
        }
        const tn_joint joint = tn_model_add_joint(model, &pin);
        if (form == DISCS) {
            tn_force_def damper = tn_default_force(TN_FORCE_JOINT_SPRING);
            damper.joint = joint;
            damper.spring.stiffness = 1.0;
            damper.spring.damping = 1.0;
            tn_model_add_force(model, &damper);
        }
    }
    return model;
}

typedef struct result {
    double build, create; // processor time [s]
    size_t ready, most;   // [bytes]
} result;

static bool set_up(int n, shape form, bool placed, result *r)
{
    tn_sim_options options = tn_default_sim();
    options.method = form == DISCS ? "radau5/index1@joint" : "dopri5/index1@joint";
    tn_sim *sim = NULL;
    const size_t before = in_use;
    most_in_use = before;
    const double begin = seconds();
    tn_model *model = tree(n, form, placed);
    const double built = seconds();
    const tn_status status = tn_sim_create(model, &options, &sim);
    r->create = seconds() - built;
    r->build = built - begin;
    r->ready = in_use - before;
    r->most = most_in_use - before;
    if (status != TN_OK)
        fprintf(stderr, "%d links, %s: %s\n", n, shapes[form], tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status == TN_OK;
}

static void report(int n, shape form, bool placed, FILE *csv, double *last)
{
    const char *given = placed ? "placed" : "angles";
    result r;
    if (!set_up(n, form, placed, &r)) {
        *last = 0.0;
        return;
    }
    printf("%-8s  %-6s %8d  %8.3f %8.3f %8.2f", shapes[form], given, n, r.build, r.create,
           1e6 * (r.build + r.create) / n);
    if (*last > 0.0)
        printf(" %6.2f", log10(r.create / *last));
    else
        printf(" %6s", "");
    printf(" %8.0f %8.0f\n", (double)r.ready / n, (double)r.most / n);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%d,%.4f,%.4f,%.0f,%.0f\n", shapes[form], given, n, r.build, r.create,
                (double)r.ready / n, (double)r.most / n);
    *last = r.create;
}

// The least of many trials [s].
static double create_and_destroy(int n, const char *method)
{
    tn_model *model = tree(n, PLANAR, true);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    double best = INFINITY;
    for (int trial = 0; trial < 300; trial++) {
        enum { INNER = 20 };
        const double begin = seconds();
        for (int k = 0; k < INNER; k++) {
            tn_sim *sim = NULL;
            if (tn_sim_create(model, &options, &sim) != TN_OK)
                fprintf(stderr, "%s\n", tn_last_error());
            tn_sim_destroy(sim);
        }
        best = fmin(best, (seconds() - begin) / INNER);
    }
    tn_model_destroy(model);
    return best;
}

static void report_small(FILE *csv)
{
    static const char *const methods[] = {"dopri5/index1@joint", "dop853/index1@joint",
                                          "galpha/ggl@joint", "radau5/ggl@joint"};
    printf("\ncreate and destroy a simulation of four planar links\n");
    for (int k = 0; k < 4; k++) {
        const double time = 1e6 * create_and_destroy(4, methods[k]);
        printf("%-22s %8.1f us\n", methods[k], time);
        if (csv)
            fprintf(csv, "create and destroy,%s,4,,%.7f,,\n", methods[k], 1e-6 * time);
    }
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    const int most = argc > 2 ? atoi(argv[2]) : 1000000;
    if (csv)
        fprintf(csv, "shape,given,links,build_s,create_s,bytes_per_link,most_bytes_per_link\n");
    report_small(csv);
    tn_set_allocator(&(tn_allocator){counted, NULL});
    printf("\nshape     given     links   model s create s  us/link  slope  bytes/     most\n"
           "                                                            link  on the way\n");
    for (int form = 0; form < SHAPES; form++)
        for (int placed = 1; placed >= 0; placed--) {
            double last = 0.0;
            for (int n = 100; n <= (form == PLANAR ? most : most / 10); n *= 10)
                report(n, (shape)form, placed, csv, &last);
        }
    if (csv)
        fclose(csv);
    return 0;
}
