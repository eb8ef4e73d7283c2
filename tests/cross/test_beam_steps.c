// SPDX-License-Identifier: MIT
//
// Steps of beams: eliminated along their nodes wherever they are held, one motion by both forms of
// a discrete principle, nothing allocated, in all coordinates; fixed steps that do not resolve the
// fastest motions; rest; what auto chooses.

#include "fixed_step.h"
#include "sim/sim.h"
#include "test.h"

#include <math.h>
#include <string.h>

typedef struct held {
    bool start, end;
    double damping, bend;
} held;

static const tn_mat3 ALONG_X = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}; // axes of a node

static void clamp(tn_model *model, tn_body node, double x)
{
    tn_joint_def joint = tn_default_joint(TN_JOINT_FIXED);
    joint.body_a = TN_GROUND;
    joint.body_b = node;
    joint.frame_a = (tn_frame){ALONG_X, {x, 0.0, 0.0}};
    tn_model_add_joint(model, &joint);
}

static tn_beam_def rod(int elements, held how)
{
    static const tn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    tn_beam_def def = tn_default_beam();
    def.name = "rod";
    def.points = points;
    def.npoint = 2;
    def.elements = elements;
    def.x_axis = tn_v3(0.0, 1.0, 0.0);
    def.damping = how.damping;
    def.given_bend = how.bend != 0.0;
    def.bend.x = how.bend;
    def.section.kind = TN_SECTION_RECTANGLE;
    def.section.width = 0.02;
    def.section.height = 0.01;
    def.section.E = 2.1e9;
    def.section.rho = 1200.0;
    return def;
}

static tn_model *beam_of(int elements, held how)
{
    const tn_beam_def def = rod(elements, how);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    const tn_beam beam = tn_model_add_beam(model, &def);
    if (how.start)
        clamp(model, tn_model_beam_node(model, beam, 0), 0.0);
    if (how.end)
        clamp(model, tn_model_beam_node(model, beam, elements), 1.0);
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
    static const held ways[] = {{.start = true},
                                {.end = true},
                                {.start = true, .end = true},
                                {.start = false},
                                {.start = true, .damping = 1e-3}};
    for (size_t k = 0; k < TN_COUNT(ways); k++) {
        check_forms(ways[k], "variational");
        check_forms(ways[k], "energy-momentum");
    }
}

static void full_matrices_are_for_short_beams(void)
{
    tn_model *model = beam_of(200, (held){.start = true});
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
            tn_model *model = beam_of(8, (held){.start = true, .damping = damped ? 1e-4 : 0.0});
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

// The corrector -----------------------------------------------------------------------------------

// A start whose dampers take v' away within the step, and one at which a bent beam is let go: its
// nodes have accelerations of 1e6 rad/s^2 that last for microseconds. Fixed steps leave both out.
static void check_fixed(const tn_model *model, const char *method, double h)
{
    tn_ledger ledger;
    tn_sim *sim = open_fixed(model, method, h);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK(tn_ledger_relative_balance(&ledger) < 0.1);
    tn_sim_destroy(sim);
}

static void damped_beams_take_fixed_steps(void)
{
    static const double damping[] = {1e-4, 1e-3, 1e-2}, steps[] = {1e-3, 5e-3};
    for (size_t i = 0; i < TN_COUNT(damping); i++)
        for (size_t k = 0; k < TN_COUNT(steps); k++) {
            tn_model *model = beam_of(10, (held){.start = true, .damping = damping[i]});
            check_fixed(model, "galpha/ggl@absolute", steps[k]);
            check_fixed(model, "galpha/index3@absolute", steps[k]);
            check_fixed(model, "galpha@joint", steps[k]);
            tn_model_destroy(model);
        }
}

static void a_bent_beam_is_let_go_with_fixed_steps(void)
{
    for (int damped = 0; damped < 2; damped++) {
        tn_model *model =
            beam_of(10, (held){.start = true, .damping = damped ? 1e-3 : 0.0, .bend = 2.0});
        check_fixed(model, "galpha/ggl@absolute", 1e-3);
        tn_model_destroy(model);
    }
}

// Rest --------------------------------------------------------------------------------------------

// Energies are those of round-off on stiff elements, 1e-25 to 1e-20 J.
static void a_curved_beam_at_rest_is_not_doubtful(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha@joint",
                                          "variational@director", "energy-momentum@director"};
    static const tn_vec3 points[3] = {{0, 0, 0}, {0.7, 0, 0.3}, {1, 0, 1}};
    for (size_t k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = tn_model_create();
        tn_beam_def def = rod(10, (held){.start = false});
        def.line = TN_LINE_ARC;
        def.points = points;
        def.npoint = 3;
        tn_model_add_beam(model, &def);
        tn_sim *sim = open_fixed(model, methods[k], 1e-3);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.max_balance <= ledger.energy_noise);
        CHECK(ledger.energy_noise < 1e-15);
        tn_verdict verdict;
        tn_sim_verdict(sim, &verdict);
        CHECK(!tn_verdict_warn(&verdict));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// auto --------------------------------------------------------------------------------------------

static void check_auto(int elements, double damping, const char *expected)
{
    tn_model *model = beam_of(elements, (held){.start = true, .damping = damping});
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_TEXT(tn_sim_method(sim), expected);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void auto_takes_absolute_coordinates_for_beams(void)
{
    check_auto(2, 0.0, "radau5/ggl@joint");
    check_auto(4, 0.0, "galpha/ggl@absolute");
    check_auto(100, 0.0, "galpha/ggl@absolute");
    check_auto(4, 1e-3, "radau5/ggl@absolute");
    check_auto(1000, 1e-3, "radau5/ggl@absolute");
}

static const tn_test tests[] = {
    {"nodes are eliminated along the beam, wherever it is held",
     nodes_are_eliminated_along_the_beam_wherever_it_is_held},
    {"full matrices are for short beams", full_matrices_are_for_short_beams},
    {"nothing is allocated in steps", nothing_is_allocated_in_steps},
    {"damped beams take fixed steps", damped_beams_take_fixed_steps},
    {"a bent beam is let go with fixed steps", a_bent_beam_is_let_go_with_fixed_steps},
    {"a curved beam at rest is not doubtful", a_curved_beam_at_rest_is_not_doubtful},
    {"auto takes absolute coordinates for beams", auto_takes_absolute_coordinates_for_beams},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
