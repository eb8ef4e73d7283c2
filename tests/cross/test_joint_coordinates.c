// SPDX-License-Identifier: MIT
//
// Joint against absolute coordinates, on 500 random mechanisms of up to 60 bodies, trees and loops
// of all kinds of joints, planar, spatial, floating, with repeated rows and gears: one motion, one
// set of reactions, and derivatives that match differences.

#include "coords/joint_coords_parts.h"

#include "integrator/integrator.h"
#include "probe_start.h"
#include "random_mechanism.h"
#include "same_motion.h"
#include "sim/sim.h"
#include "tenon/tenon.h"

enum { SEEDS = 500 };

// Both solve systems of equations whose condition is that of the mechanism: up to 1e6 for chains of
// 60 bodies of very different joints.
static const double SAME = 1e-9;
// Fourth-order differences on arms of up to some metres, see probe.h.
static const double TANGENT_TOL = 1e-8;

static int bodies_of(int seed)
{
    return seed % 10 == 0 ? 60 : 2 + seed % 29;
}

static void one_motion_and_one_set_of_reactions(void)
{
    int loops = 0, redundant = 0, bad = 0;
    difference most = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, bodies_of(seed));
        tn_sim *world = open_sim(m.model, "dopri5/index1@absolute");
        tn_sim *joint = open_sim(m.model, "dopri5/index1@joint");
        if (tn_sim_freedoms(world) != tn_sim_freedoms(joint))
            printf("seed %d: %d freedoms, %d\n", seed, tn_sim_freedoms(world),
                   tn_sim_freedoms(joint));
        CHECK(tn_sim_freedoms(world) == tn_sim_freedoms(joint));
        const difference d = compare(m.model, world, joint);
        if (!is_same(&d, SAME)) {
            printf("seed %d: pose %.1e, velocity %.1e, acceleration %.1e, reaction %.1e, "
                   "multiplier %.1e\n",
                   seed, d.pose, d.velocity, d.acceleration, d.reaction, d.multiplier);
            bad++;
        }
        most.acceleration = fmax(most.acceleration, d.acceleration);
        most.reaction = fmax(most.reaction, d.reaction);
        loops += tn_sim_nl(joint) > 0;
        redundant += tn_sim_redundant(world) > 0;
        tn_sim_destroy(world);
        tn_sim_destroy(joint);
        tn_model_destroy(m.model);
    }
    printf("%d with loops, %d redundant; accelerations within %.1e, reactions %.1e\n", loops,
           redundant, most.acceleration, most.reaction);
    CHECK(bad == 0);
    CHECK(loops > 100 && redundant > 30);
}

// The equations themselves ------------------------------------------------------------------------

static tn_start start_of(const tn_model *model)
{
    const tn_sim_options options = tn_default_sim();
    tn_start start;
    CHECK_OK(tn_start_model(model, &options, &start));
    CHECK_OK(tn_start_to(&start, tn_find_coordinates("joint"), NULL));
    return start;
}

static void check_dynamics(tn_start *start, int seed)
{
    tn_system *s = start->sys;
    const tn_point at = tn_state_point(&start->x);
    double *r = calloc(3 * (size_t)s->nv + 1, sizeof(double)), *x = r + s->nv, *y = x + s->nv;
    CHECK(r != NULL);
    // f - M a - B^T lambda by recursion
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_DYNAMICS | TN_EVAL_B));
    tn_copy(s->nv, s->f, r);
    tn_sparse_mul_t(s->block[TN_BLOCK_B], -1.0, at.lambda, r);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_MASS | TN_EVAL_FORCE));
    tn_sparse_mul(s->block[TN_BLOCK_M], 1.0, at.a, x);
    const double size = 1.0 + tn_norm_inf(s->nv, x) + tn_norm_inf(s->nv, s->f);
    if (tn_norm_inf(s->nv, r) > 1e-11 * size)
        printf("seed %d: residual %.1e of %.1e\n", seed, tn_norm_inf(s->nv, r), size);
    CHECK_NEAR(tn_norm_inf(s->nv, r) / size, 0.0, 1e-11);
    for (int j = 0; j < s->nv; j++) { // M by composite bodies against unit columns
        tn_zero(s->nv, x);
        x[j] = 1.0;
        s->ops->recursive->times_mass(s, x, y);
        double most = 0.0, largest = 1.0;
        for (int i = 0; i < s->nv; i++) {
            most = fmax(most, fabs(y[i] - tn_sparse_at(s->block[TN_BLOCK_M], i, j)));
            largest = fmax(largest, fabs(y[i]));
        }
        CHECK_NEAR(most / largest, 0.0, 1e-13);
    }
    free(r);
}

static void equations_hold_by_every_formalism(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, bodies_of(seed));
        tn_start start = start_of(m.model);
        check_dynamics(&start, seed);
        tn_start_clear(&start);
        tn_model_destroy(m.model);
    }
}

static void derivatives_match_differences(void)
{
    double worst = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, 1 + seed % 8);
        tn_start start = start_of(m.model);
        worst = fmax(worst, check_columns(&start, seed, TANGENT_TOL));
        tn_start_clear(&start);
        tn_model_destroy(m.model);
    }
    printf("derivatives within %.1e\n", worst);
}

// gamma: the rows on acceleration level, by differences of gdot along the motion.
static void rows_differentiate_along_the_motion(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, 1 + seed % 8);
        tn_start start = start_of(m.model);
        tn_system *s = start.sys;
        if (s->ng > 0) {
            probe p = probe_of(&start);
            const int n = 2 * s->ng + s->nn + s->nv;
            double *d = calloc((size_t)(n + s->ng), sizeof(double)), *exact = d + n;
            CHECK(d != NULL);
            probe_derivative(&p, ALONG_MOTION, 0, d);
            const tn_point at = probe_point(&p);
            CHECK_OK(tn_system_eval(s, &at, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
            tn_copy(s->ng, s->gamma, exact);
            tn_sparse_mul(s->block[TN_BLOCK_B], 1.0, p.a, exact);
            const double size = 1.0 + tn_norm_inf(s->ng, exact) + tn_norm_inf(s->ng, s->gdot);
            for (int i = 0; i < s->ng; i++) {
                CHECK_NEAR((d[i] - s->gdot[i]) / size, 0.0, TANGENT_TOL);
                CHECK_NEAR((d[s->ng + i] - exact[i]) / size, 0.0, TANGENT_TOL);
            }
            free(d);
            p.sys = NULL;
            probe_close(&p);
        }
        tn_start_clear(&start);
        tn_model_destroy(m.model);
    }
}

// Rows by which points coincide are evaluated by themselves: as those of any other form.
static void points_that_coincide_are_rows_like_all_others(void)
{
    static const unsigned want = TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA;
    int found = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, bodies_of(seed));
        tn_start start = start_of(m.model);
        joint_coords *s = (joint_coords *)start.sys;
        const tn_system *sys = start.sys;
        const int nnz = sys->ng > 0 ? sys->block[TN_BLOCK_B]->nnz : 0;
        double *own = calloc((size_t)(3 * sys->ng + nnz) + 1, sizeof *own);
        const tn_point at = tn_state_point(&start.x);
        CHECK_OK(tn_system_eval(start.sys, &at, want));
        tn_copy(sys->ng, sys->g, own);
        tn_copy(sys->ng, sys->gdot, own + sys->ng);
        tn_copy(sys->ng, sys->gamma, own + 2 * sys->ng);
        if (nnz > 0)
            tn_copy(nnz, sys->block[TN_BLOCK_B]->val, own + 3 * sys->ng);
        for (int k = 0; k < s->nset; k++) {
            found += s->set[k].points;
            s->set[k].points = false;
        }
        s->npoints = 0;
        tn_joint_coords_place(s, &at, PLACED_USED);
        CHECK_OK(tn_system_eval(start.sys, &at, want));
        const double size = 1.0 + tn_norm_inf(3 * sys->ng + nnz, own);
        for (int i = 0; i < sys->ng; i++) {
            CHECK_NEAR(own[i], sys->g[i], 1e-13 * size);
            CHECK_NEAR(own[sys->ng + i], sys->gdot[i], 1e-13 * size);
            CHECK_NEAR(own[2 * sys->ng + i], sys->gamma[i], 1e-12 * size);
        }
        for (int i = 0; i < nnz; i++)
            CHECK_NEAR(own[3 * sys->ng + i], sys->block[TN_BLOCK_B]->val[i], 1e-13 * size);
        free(own);
        tn_start_clear(&start);
        tn_model_destroy(m.model);
    }
    printf("%d joints that keep points together\n", found);
    CHECK(found > 50);
}

static const tn_test tests[] = {
    {"one motion and one set of reactions", one_motion_and_one_set_of_reactions},
    {"equations hold by every formalism", equations_hold_by_every_formalism},
    {"derivatives match differences", derivatives_match_differences},
    {"rows differentiate along the motion", rows_differentiate_along_the_motion},
    {"points that coincide are rows like all others",
     points_that_coincide_are_rows_like_all_others},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
