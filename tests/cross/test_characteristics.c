// SPDX-License-Identifier: MIT
//
// Kinematic characteristics that are chosen by name: whatever velocities are integrated, the motion
// and its reactions are one; names that determine no motion are refused with a sentence, and so are
// those that cease to on the way. Kane's and the Gibbs-Appell equations are names for what they
// share with others.

#include "tenon/tenon.h"
#include "test.h"

// A pole on a cart on a rail. The rail is sloped and the centre of mass of the pole is not at its
// origin, so that rates of the rail and velocities of the pole are combinations of velocities.
static const char CART[] = "tenon: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  cart: {kind: planar, mass: 2, inertia: 0.1}\n"
                           "  pole: {kind: planar, mass: 1, inertia: 0.03, com: [0.3, 0.1],\n"
                           "         initial: {position: [0, 0], angle: 0.4}}\n"
                           "joints:\n"
                           "  rail: {kind: prismatic, bodies: [ground, cart], axis: [0.8, 0.6]}\n"
                           "  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0],\n"
                           "          initial: {rate: 3}}\n";
// The same cart on a drive: velocities of the pole have a part that time alone makes.
static const char DRIVEN[] = "  drive: {kind: drive, joint: rail, motion: 0.2*sin(5*t)}\n";

// Errors of runs with tolerance TOL add up over a hundred steps.
static const double TOL = 1e-11, SAME = 1e-8;

static tn_sim_options chosen(const char *method, const char *names)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.characteristics = names;
    options.adaptive = true;
    options.rtol = options.atol = TOL;
    return options;
}

typedef struct ending {
    int nq, nlambda, steps;
    double q[64], lambda[64];
} ending;

static ending run_to(const tn_model *model, const char *method, const char *names, double t_end)
{
    const tn_sim_options options = chosen(method, names);
    tn_sim *sim = NULL;
    ending x = {0};
    tn_ledger ledger;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    x.nq = tn_sim_nq(sim);
    x.steps = (int)ledger.steps;
    CHECK(x.nq <= 64);
    memcpy(x.q, tn_sim_q(sim), sizeof(double) * (size_t)x.nq);
    for (int j = 0; j < tn_model_joint_count(model); j++)
        x.nlambda += tn_sim_joint_multipliers(sim, (tn_joint){j}, x.lambda + x.nlambda, NULL);
    tn_sim_destroy(sim);
    return x;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static void check_choice(const tn_model *model, const char *name, const char *integrator,
                         const char *coordinates, const char *names)
{
    char method[64], reference[64];
    snprintf(method, sizeof method, "%s/maggi@%s", integrator, coordinates);
    snprintf(reference, sizeof reference, "dop853/index1@%s", coordinates);
    const ending a = run_to(model, method, names, 0.6), b = run_to(model, reference, NULL, 0.6);
    const double q = apart(a.nq, a.q, b.q), lambda = apart(a.nlambda, a.lambda, b.lambda);
    printf("%-16s %-22s %-44s %4d steps, off by %.1e, %.1e\n", name, method, names, a.steps, q,
           lambda);
    CHECK_NEAR(q, 0.0, SAME);
    CHECK_NEAR(lambda, 0.0, 1e3 * SAME); // of size 100, they go with squares of velocities
}

static tn_model *load(const char *path)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    return model;
}

static tn_model *parse(bool driven)
{
    char text[1024];
    tn_model *model = NULL;
    snprintf(text, sizeof text, "%s%s", CART, driven ? DRIVEN : "");
    CHECK_OK(tn_model_parse(text, "cart.yaml", &model, NULL));
    return model;
}

static void any_choice_gives_one_motion(void)
{
    tn_model *model = load("models/fourbar.yaml");
    check_choice(model, "four-bar", "dop853", "absolute", "A.angle.rate");
    check_choice(model, "four-bar", "adams", "absolute", "crank.angle.rate");
    check_choice(model, "four-bar", "dop853", "joint", "crank.angular_velocity.z");
    tn_model_destroy(model);
    model = load("models/fourbar_spatial.yaml"); // has rows that repeat others
    check_choice(model, "in space", "dop853", "absolute", "A.angle.rate");
    tn_model_destroy(model);
    model = load("models/heavy_top_slow.yaml");
    check_choice(model, "top", "dop853", "absolute",
                 "top.angular_velocity.z, top.angular_velocity.x, top.angular_velocity.y");
    tn_model_destroy(model);
    model = parse(false);
    check_choice(model, "cart", "dop853", "absolute", "rail.displacement.rate, hinge.angle.rate");
    check_choice(model, "cart", "dop853", "joint", "cart.velocity.x, pole.angle.rate");
    check_choice(model, "cart", "adams", "absolute", "pole.velocity.y,pole.angle.rate");
    tn_model_destroy(model);
    model = parse(true);
    check_choice(model, "driven cart", "dop853", "absolute", "pole.angle.rate");
    check_choice(model, "driven cart", "dop853", "joint", "hinge.angle.rate");
    tn_model_destroy(model);
}

// Refusals ----------------------------------------------------------------------------------------

static void check_refusal(const tn_model *model, const char *method, const char *names,
                          const char *sentence)
{
    const tn_sim_options options = chosen(method, names);
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_USAGE);
    CHECK(sim == NULL);
    if (!strstr(tn_last_error(), sentence))
        CHECK_TEXT(tn_last_error(), sentence);
}

static int own_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user;
    (void)x;
    M[0] = 1.0;
    return 0;
}

static int own_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    (void)x;
    f[0] = 0.0;
    return 0;
}

static void choices_that_determine_nothing_are_refused(void)
{
    const char *const method = "dop853/maggi@absolute";
    tn_model *model = load("models/fourbar.yaml");
    check_refusal(model, method, "A.angle",
                  "characteristics name 'A.angle', which is no velocity; its rate is "
                  "'A.angle.rate'");
    check_refusal(model, method, "A.force.x",
                  "characteristics name 'A.force.x', which is no velocity; take velocities or "
                  "angular velocities of bodies, or rates of joints");
    check_refusal(model, method, "A.angel.rate", "characteristics name 'A.angel.rate': ");
    check_refusal(model, method, "A.angle.rate,", "leave a name empty between commas");
    check_refusal(model, method, "A.angle.rate, D.angle.rate",
                  "characteristics are 2 velocities, 'A.angle.rate, D.angle.rate', and the "
                  "constraints leave 1 freedom: name as many as there are freedoms");
    check_refusal(model, method, "crank.velocity.y", // it stands upright and moves to the left
                  "characteristics 'crank.velocity.y' do not determine the motion at t = 0 s, "
                  "where the mechanism moves while they are zero");
    tn_model_destroy(model);
    model = parse(false);
    check_refusal(model, method, "rail.displacement.rate, cart.velocity.x",
                  "do not determine the motion");
    tn_model_destroy(model);

    const tn_callbacks own = {.nq = 1, .mass = own_mass, .force = own_force};
    const double q = 0.0, v = 1.0;
    const tn_sim_options options = chosen("dop853/maggi", "x.rate");
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create_callbacks(&own, &q, &v, &options, &sim), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "these equations have none") != NULL);
}

// The middle of the crank goes up and down: where it is highest its velocity along y tells nothing.
static void choices_that_fail_on_the_way_are_told(void)
{
    static const bool fixed[] = {false, true};
    tn_model *model = load("models/fourbar.yaml");
    for (int k = 0; k < TN_COUNT(fixed); k++) {
        tn_sim_options options = chosen("dopri5/maggi@absolute", "crank.velocity.x");
        tn_sim *sim = NULL;
        options.adaptive = !fixed[k];
        options.step = fixed[k] ? 0.01 : 0.0;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_run(sim, 2.0, NULL, NULL) != TN_OK);
        CHECK(strstr(tn_last_error(), "characteristics 'crank.velocity.x' do not determine") !=
              NULL);
        // a quarter of a turn from upright, at 10 to 12 rad/s; a fixed step stops before it
        CHECK_NEAR(tn_sim_time(sim), 0.138, fixed[k] ? 0.01 : 0.001);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void options_without_effect_are_told(void)
{
    tn_model *model = load("models/fourbar.yaml");
    const tn_sim_options options = chosen("dop853/index1@absolute", "A.angle.rate");
    tn_sim *sim = NULL;
    bool told = false;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    for (int i = 0; i < tn_sim_note_count(sim); i++)
        told = told || !strcmp(tn_sim_note(sim, i), "characteristics has no effect with "
                                                    "dop853/index1@absolute: maggi reads it");
    CHECK(told);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Names -------------------------------------------------------------------------------------------

static void other_names_are_the_same_equations(void)
{
    tn_alias_info alias;
    tn_formulation_info formulation;
    int n = 0;
    tn_model *model = load("models/fourbar.yaml");
    for (; tn_help_alias(n, &alias); n++) {
        char by_name[64], by_own[64], complete[80];
        CHECK(tn_help_formulation(alias.formulation, &formulation));
        CHECK_TEXT(formulation.name, alias.of);
        snprintf(by_name, sizeof by_name, "dop853/%s@absolute", alias.name);
        snprintf(by_own, sizeof by_own, "dop853/%s@absolute", alias.of);
        const ending a = run_to(model, by_name, NULL, 0.5), b = run_to(model, by_own, NULL, 0.5);
        CHECK(memcmp(&a, &b, sizeof a) == 0); // to the last bit

        const tn_sim_options options = chosen(by_name, NULL);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        snprintf(complete, sizeof complete, "dop853/%s@absolute", alias.name);
        CHECK_TEXT(tn_sim_method(sim), complete);
        tn_sim_destroy(sim);
    }
    CHECK(n == 2);
    const ending a = run_to(model, "dop853/kane@absolute", "A.angle.rate", 0.5);
    const ending b = run_to(model, "dop853/maggi@absolute", "A.angle.rate", 0.5);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"any choice gives one motion", any_choice_gives_one_motion},
    {"choices that determine nothing are refused", choices_that_determine_nothing_are_refused},
    {"choices that fail on the way are told", choices_that_fail_on_the_way_are_told},
    {"options without effect are told", options_without_effect_are_told},
    {"other names are the same equations", other_names_are_the_same_equations},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
