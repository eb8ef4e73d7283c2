// SPDX-License-Identifier: MIT
//
// Steps of beams: eliminated along their nodes wherever they are held, one motion by both forms of
// a discrete principle, nothing allocated, in all coordinates.

#include "fixed_step.h"
#include "sim/sim.h"
#include "test.h"

#include <math.h>
#include <string.h>

typedef struct held {
    bool start, end;
    double damping;
} held;

static const tn_mat3 ALONG_X = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}; // axes of a node

static void clamp(tn_model *model, tn_body node, double x)
{
    tn_joint_def joint = tn_default_joint(TN_JOINT_FIXED);
    joint.body_a = TN_GROUND;
    joint.body_b = node;
    joint.frame_a = (tn_frame){ALONG_X, {x, 0.0, 0.0}};
    tn_add_joint(model, &joint);
}

static tn_model *beam_of(int elements, held how)
{
    static const tn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    tn_model *model = tn_model_create();
    tn_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_beam_def def = tn_default_beam();
    def.name = "rod";
    def.points = points;
    def.npoint = 2;
    def.elements = elements;
    def.x_axis = tn_v3(0.0, 1.0, 0.0);
    def.damping = how.damping;
    def.section.kind = TN_SECTION_RECTANGLE;
    def.section.width = 0.02;
    def.section.height = 0.01;
    def.section.E = 2.1e9;
    def.section.rho = 1200.0;
    const tn_beam beam = tn_add_beam(model, &def);
    if (how.start)
        clamp(model, tn_beam_node(model, beam, 0), 0.0);
    if (how.end)
        clamp(model, tn_beam_node(model, beam, elements), 1.0);
    CHECK_OK(tn_model_status(model));
    return model;
}

// Elimination -------------------------------------------------------------------------------------

// Positions are those of a few Newton corrections on forces of 1e5 N per metre of stretch: 1e-10 m.
static void check_forms(held how, const char *principle)
{
    static const double h = 1e-3;
    char method[2][64];
    tn_model *model = beam_of(12, how);
    snprintf(method[0], sizeof method[0], "%s/multiplier@director", principle);
    snprintf(method[1], sizeof method[1], "%s/reparam@director", principle);
    tn_sim *a = open_fixed(model, method[0], h), *b = open_fixed(model, method[1], h);
    CHECK_TEXT(tn_sim_solver(b), "tree elimination");
    for (int n = 0; n < 40; n++) {
        CHECK_OK(tn_sim_step(a, h));
        CHECK_OK(tn_sim_step(b, h));
    }
    double most = 0.0;
    for (int i = 0; i < tn_sim_nq(a); i++)
        most = fmax(most, fabs(tn_sim_q(a)[i] - tn_sim_q(b)[i]));
    CHECK(most < 1e-10);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
}

static void nodes_are_eliminated_along_the_beam_wherever_it_is_held(void)
{
    static const held ways[] = {{true, false, 0.0},
                                {false, true, 0.0},
                                {true, true, 0.0},
                                {false, false, 0.0},
                                {true, false, 1e-3}};
    for (size_t k = 0; k < TN_COUNT(ways); k++) {
        check_forms(ways[k], "variational");
        check_forms(ways[k], "energy-momentum");
    }
}

static void full_matrices_are_for_short_beams(void)
{
    tn_model *model = beam_of(200, (held){true, false, 0.0});
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "variational/dalembert@director";
    options.step = 1e-3;
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "up to 2400 of them, and this model has 2412: take multiplier"));
    tn_model_destroy(model);
}

// Memory ------------------------------------------------------------------------------------------

static void nothing_is_allocated_in_steps(void)
{
    static const char *const methods[] = {
        "galpha/ggl@absolute",
        "galpha/index3@absolute",
        "bdf/ggl@absolute",
        "radau5/ggl@absolute",
        "galpha@joint",
        "radau5@joint",
        "dop853/index1@joint",
        "variational/multiplier@director",
        "variational/dalembert@director",
        "variational/reparam@director",
        "energy-momentum/multiplier@director",
        "energy-momentum/dalembert@director",
        "energy-momentum/reparam@director",
    };
    for (size_t k = 0; k < TN_COUNT(methods); k++)
        for (int damped = 0; damped < 2; damped++) {
            tn_model *model = beam_of(8, (held){true, false, damped ? 1e-4 : 0.0});
            const double h = strncmp(methods[k], "dop853", 6) ? 1e-4 : 1e-6; // explicit: stability
            tn_sim *sim = open_fixed(model, methods[k], h);
            CHECK_OK(tn_sim_step(sim, h));
            const long before = tn_test_alloc_count();
            for (int n = 0; n < 30; n++)
                CHECK_OK(tn_sim_step(sim, h));
            if (tn_test_alloc_count() != before)
                printf("%s allocates\n", methods[k]);
            CHECK(tn_test_alloc_count() == before);
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
}

static const tn_test tests[] = {
    {"nodes are eliminated along the beam, wherever it is held",
     nodes_are_eliminated_along_the_beam_wherever_it_is_held},
    {"full matrices are for short beams", full_matrices_are_for_short_beams},
    {"nothing is allocated in steps", nothing_is_allocated_in_steps},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
