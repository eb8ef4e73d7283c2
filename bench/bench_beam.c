// SPDX-License-Identifier: MIT
//
// Cost of a step of a clamped beam of n elements that falls from the horizontal, in absolute
// coordinates and in directors, against n, and beside the same beam written by hand (hand_beam.h),
// whose motion it must have. Processor time per step and element, set-up, Newton iterations and
// factorisations per step; ratios are those of one run. Arguments: a file for the table, a method
// and a number of elements where only one is asked for.

#include "hand_beam.h"
#include "tenon/tenon.h"

#include <stdio.h>
#include <time.h>

static double now(void) // processor time of this program [s]
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const tn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};

static tn_beam_def rod(int n)
{
    tn_beam_def def = tn_default_beam();
    def.name = "rod";
    def.points = points;
    def.npoint = 2;
    def.elements = n;
    def.x_axis = (tn_vec3){0, 1, 0};
    def.section.kind = TN_SECTION_RECTANGLE;
    def.section.width = 0.02;
    def.section.height = 0.01;
    def.section.E = 2.1e9;
    def.section.rho = 1200.0;
    return def;
}

static tn_model *clamped(int n)
{
    const tn_beam_def def = rod(n);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -9.81});
    const tn_beam beam = tn_model_add_beam(model, &def);
    tn_joint_def clamp = tn_default_joint(TN_JOINT_FIXED);
    clamp.body_a = TN_GROUND;
    clamp.body_b = tn_model_beam_node(model, beam, 0);
    clamp.frame_a.R = (tn_mat3){{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    tn_model_add_joint(model, &clamp);
    return model;
}

// 10 steps to get past the start, then 40 that count, the same stretch of time for all n.
enum { WARM = 10, STEPS = 40 };
static const double H = 1e-3;

typedef struct cost {
    double setup, time;    // [s], the latter per step
    double newton, factor; // per step
    double tip;            // height of the end [m]
} cost;

static bool by_hand(int n, cost *out)
{
    const tn_beam_def def = rod(n);
    tn_section section;
    double start = now();
    if (tn_section_of(&def.section, "body 'rod'", &section) != TN_OK)
        return false;
    hand_beam b = hand_beam_create(n, &section, tn_default_sim().rho_inf);
    out->setup = now() - start;
    bool good = b.node && b.block;
    for (int i = 0; good && i < WARM + STEPS; i++) {
        if (i == WARM) {
            b.newton = b.factorizations = 0;
            start = now();
        }
        good = hand_step(&b, H);
    }
    out->time = (now() - start) / STEPS;
    out->newton = (double)b.newton / STEPS;
    out->factor = (double)b.factorizations / STEPS;
    out->tip = good ? b.node[n].p.z : NAN;
    hand_beam_destroy(&b);
    return good;
}

static bool by_tenon(const char *method, int n, cost *out)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_ledger before = {0}, after = {0};
    double start = now();
    tn_model *model = clamped(n);
    options.method = method;
    options.step = H;
    tn_status status = tn_sim_create(model, &options, &sim);
    out->setup = now() - start;
    for (int i = 0; status == TN_OK && i < WARM + STEPS; i++) {
        if (i == WARM) {
            tn_sim_ledger(sim, &before);
            start = now();
        }
        status = tn_sim_step(sim, H);
    }
    out->time = (now() - start) / STEPS;
    if (status == TN_OK) {
        tn_sim_ledger(sim, &after);
        out->newton = (double)(after.newton - before.newton) / STEPS;
        out->factor = (double)(after.factorizations - before.factorizations) / STEPS;
        out->tip = tn_sim_body_frame(sim, (tn_body){n + 1}).p.z;
    } else
        fprintf(stderr, "%s, %d elements: %s\n", method, n, tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status == TN_OK;
}

static void tell(FILE *csv, const char *method, int n, const cost *c, const cost *hand)
{
    printf("%-36s %6d  %9.4f  %9.1f  %8.2f  %6.2f  %6.2f  %6.2f\n", method, n, c->setup,
           1e6 * c->time, 1e6 * c->time / n, c->newton, c->factor, c->time / hand->time);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%d,%.4f,%.1f,%.2f,%.2f,%.2f\n", method, n, c->setup, 1e6 * c->time,
                c->newton, c->factor, c->time / hand->time);
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {
        "galpha/ggl@absolute",
        "galpha/index3@absolute",
        "radau5/ggl@absolute",
        "variational/multiplier@director",
        "variational/reparam@director",
        "energy-momentum/multiplier@director",
        "energy-momentum/reparam@director",
    };
    static const int sizes[] = {10, 100, 1000, 10000}, repeats[] = {20, 5, 2, 1};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    const char *only = argc > 2 ? argv[2] : NULL;
    const int only_n = argc > 3 ? atoi(argv[3]) : 0;
    if (csv)
        fprintf(csv, "method,elements,setup_s,us_per_step,newton,factor,of_hand\n");
    printf("%-36s %6s  %9s  %9s  %8s  %6s  %6s  %6s\n", "method", "n", "set-up/s", "us/step", "/n",
           "newton", "factor", "ratio");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int n = sizes[s];
        cost hand = {.time = INFINITY};
        if (only_n > 0 && n != only_n)
            continue;
        for (int k = 0; k < repeats[s]; k++) {
            cost c;
            if (!by_hand(n, &c)) {
                fprintf(stderr, "the beam by hand does not converge\n");
                return 1;
            }
            hand = c.time < hand.time ? c : hand;
        }
        tell(csv, "by hand", n, &hand, &hand);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            cost best = {.time = INFINITY};
            if (only && strcmp(only, methods[m]))
                continue;
            for (int k = 0; k < repeats[s]; k++) {
                cost c;
                if (!by_tenon(methods[m], n, &c))
                    return 1;
                best = c.time < best.time ? c : best;
            }
            tell(csv, methods[m], n, &best, &hand);
            if (fabs(best.tip - hand.tip) > 1e-3 * fabs(hand.tip))
                printf("the tip is at %.8g m, by hand at %.8g m\n", best.tip, hand.tip);
        }
    }
    if (csv)
        fclose(csv);
    return 0;
}
