// SPDX-License-Identifier: MIT
//
// Contact forces between spheres, planes and capsules: Hertz's impact of a ball and rows of balls
// against closed forms and solutions of tight tolerance; the restitution that each law really has;
// many impacts, which keep their own speeds; derivatives; and what is refused.

#include "lie/so3.h"
#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "impact.yaml", &model, NULL));
    return model;
}

static tn_sim *open_sim(const tn_model *model, const char *method, double rtol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = rtol;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static double speed_of(tn_sim *sim, const tn_model *model, const char *body)
{
    return tn_sim_body_velocity(sim, tn_model_find_body(model, body)).x;
}

// Hertz -------------------------------------------------------------------------------------------

// A ball of 10 mm of steel on a plane of the same at 1 m/s: with c = 5 m v^2 / (4 K) the depth is
// c^(2/5), the largest force K depth^(3/2), and the time 2.943275... depth/v.
static void a_ball_of_steel_is_that_of_hertz(void)
{
    static const char *const methods[] = {"dop853/index1@joint", "radau5/index1@absolute"};
    tn_model *model =
        parse("tenon: 1\n"
              "bodies: {ball: {mass: 7850*4/3*pi*0.01^3, inertia: [1e-6, 1e-6, 1e-6],\n"
              "         initial: {position: [0.01, 0, 0], velocity: [-1, 0, 0]}}}\n"
              "forces:\n"
              "  hit: {kind: contact-force, bodies: [ground, ball], frame_a: {axis: [1, 0, 0]},\n"
              "        radius_b: 0.01, young_a: 2.1e11, young_b: 2.1e11, poisson_a: 0.3,\n"
              "        poisson_b: 0.3}\n");
    const tn_force hit = tn_model_find_force(model, "hit");
    const double depth = 2.348078728732e-5, most = 1750.473839804, time = 6.911041853e-5;
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_sim(model, methods[k], 1e-12);
        tn_force_state at;
        CHECK_OK(tn_sim_run(sim, 0.5 * time, NULL, NULL));
        CHECK_OK(tn_sim_force(sim, hit, &at));
        printf("%-24s depth %.9g m, force %.9g N\n", methods[k], -at.coordinate, at.effort);
        CHECK_NEAR(-at.coordinate, depth, 1e-8 * depth);
        CHECK_NEAR(at.effort, most, 1e-8 * most);
        CHECK_OK(tn_sim_run(sim, time, NULL, NULL));
        CHECK_OK(tn_sim_force(sim, hit, &at));
        CHECK_NEAR(at.coordinate, 0.0, 1e-8 * depth);
        CHECK_NEAR(speed_of(sim, model, "ball"), 1.0, 1e-9);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Balls in a row that touch, of which the first has the speed 1.
static void check_row(int n, const double *speeds)
{
    char text[3000], name[20];
    size_t at = (size_t)snprintf(text, sizeof text, "tenon: 1\nbodies:\n");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  b%d: {kind: point, mass: 1, initial: {position: [%d, 0, 0],\n"
                               "        velocity: [%d, 0, 0]}}\n",
                               i, i, i == 0);
    at += (size_t)snprintf(text + at, sizeof text - at, "forces:\n");
    for (int i = 0; i + 1 < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  f%d: {kind: contact-force, bodies: [b%d, b%d], a: sphere,\n"
                               "       radius_a: 0.5, radius_b: 0.5, stiffness: 1e6, law: hertz}\n",
                               i, i, i + 1);
    tn_model *model = parse(text);
    tn_sim *sim = open_sim(model, "dop853/index1", 1e-11);
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "b%d", i);
        printf("%.10f ", speed_of(sim, model, name));
        CHECK_NEAR(speed_of(sim, model, name), speeds[i], 5e-9);
    }
    printf("\n");
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Speeds by DOP853 of SciPy at 1e-13; they do not depend on stiffness.
static void rows_of_balls_are_those_of_a_plain_solver(void)
{
    check_row(3, (double[]){-0.0709523537, 0.0764030391, 0.9945493146});
    check_row(5,
              (double[]){-0.0710850171, -0.0302737641, -0.0144636290, 0.1270449861, 0.9887774241});
}

// Restitution -------------------------------------------------------------------------------------

// Two balls of 1 and 2 kg that meet with 3 m/s after 3.33 ms.
static tn_model *two_balls(const char *law)
{
    char text[1000];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "bodies:\n"
             "  p: {mass: 1, inertia: [1, 1, 1], initial: {velocity: [2, 0, 0]}}\n"
             "  q: {mass: 2, inertia: [1, 1, 1], initial: {position: [1.01, 0, 0],\n"
             "      velocity: [-1, 0, 0]}}\n"
             "forces:\n"
             "  hit: {kind: contact-force, bodies: [p, q], a: sphere, radius_a: 0.5,\n"
             "        radius_b: 0.5, stiffness: 1e6, %s}\n",
             law);
    return parse(text);
}

// The speed at which they part by that before; what is lost is told.
static double restitution_of(const char *law, const char *method)
{
    tn_model *model = two_balls(law);
    tn_sim *sim = open_sim(model, method, 1e-12);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    const double e = (speed_of(sim, model, "q") - speed_of(sim, model, "p")) / 3.0;
    CHECK_NEAR(ledger.dissipated, 0.5 * 2.0 / 3.0 * 9.0 * (1.0 - e * e), 1e-7);
    printf("%-40s %-24s %.10f\n", law, method, e);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return e;
}

static void restitution_is_what_is_stated(void)
{
    static const double stated[] = {0.9, 0.5, 0.3};
    static const char *const methods[] = {"dop853/index1@joint", "dop853/index1@absolute",
                                          "radau5/index1@absolute"};
    for (int i = 0; i < TN_COUNT(stated); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            char law[100];
            snprintf(law, sizeof law, "restitution: %g", stated[i]);
            CHECK_NEAR(restitution_of(law, methods[k]), stated[i], 1e-9);
            snprintf(law, sizeof law, "restitution: %g, exponent: 2", stated[i]);
            CHECK_NEAR(restitution_of(law, methods[k]), stated[i], 1e-9);
        }
    CHECK_NEAR(restitution_of("restitution: 0.7", "radau5/ggl@director"), 0.7, 1e-9);
}

// What the laws of papers give, in five digits.
static void laws_of_papers_have_restitutions_of_their_own(void)
{
    static const struct {
        const char *law;
        double stated, really;
    } table[] = {
        {"hunt-crossley", 0.9, 0.90902},
        {"hunt-crossley", 0.5, 0.66296},
        {"hunt-crossley", 0.3, 0.58129},
        {"lankarani-nikravesh", 0.9, 0.91318},
        {"lankarani-nikravesh", 0.7, 0.79597},
        {"lankarani-nikravesh", 0.3, 0.68422},
        {"flores", 0.9, 0.89392},
        {"flores", 0.7, 0.68318},
        {"flores", 0.5, 0.47044},
    };
    for (int i = 0; i < TN_COUNT(table); i++) {
        char law[100];
        snprintf(law, sizeof law, "law: %s, restitution: %g", table[i].law, table[i].stated);
        CHECK_NEAR(restitution_of(law, "dop853/index1@joint"), table[i].really, 6e-6);
    }
    CHECK_NEAR(restitution_of("law: hertz", "dop853/index1@joint"), 1.0, 1e-9);
}

// A ball between two walls loses the same part of its speed at each: every impact keeps its own.
static void every_impact_keeps_its_own_speed(void)
{
    tn_model *model = parse(
        "tenon: 1\n"
        "bodies: {ball: {kind: point, mass: 1, initial: {velocity: [1, 0, 0]}}}\n"
        "forces:\n"
        "  left: {kind: contact-force, bodies: [ground, ball], radius_b: 0.1, law: restitution,\n"
        "         frame_a: {at: [-0.3, 0, 0], axis: [1, 0, 0]}, stiffness: 1e5,\n"
        "         restitution: 0.8}\n"
        "  right: {kind: contact-force, bodies: [ground, ball], radius_b: 0.1,\n"
        "          frame_a: {at: [0.3, 0, 0], axis: [-1, 0, 0]}, stiffness: 1e5,\n"
        "          restitution: 0.8}\n");
    tn_sim *sim = open_sim(model, "dop853/index1", 1e-12);
    double speed = 1.0, t = 0.4; // it is in the middle between two impacts, or near it
    for (int n = 1; n <= 6; n++) {
        speed *= -0.8;
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        CHECK_NEAR(speed_of(sim, model, "ball"), speed, 1e-9);
        t += 0.4 / fabs(0.8 * speed) + 0.02;
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A state that is saved within an impact has the speed at which it began.
static void saved_states_keep_the_speed_of_impacts(void)
{
    static const char *const methods[] = {"dop853/index1@joint", "radau5/ggl@absolute"};
    tn_model *model = two_balls("restitution: 0.5");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *whole = open_sim(model, methods[k], 1e-9);
        tn_sim *resumed = open_sim(model, methods[k], 1e-9);
        tn_force_state at;
        void *saved = NULL;
        size_t size = 0;
        CHECK_OK(tn_sim_run(whole, 0.007, NULL, NULL));
        CHECK_OK(tn_sim_force(whole, tn_model_find_force(model, "hit"), &at));
        CHECK(at.effort > 0.0);
        CHECK_OK(tn_sim_save(whole, &saved, &size));
        CHECK_OK(tn_sim_load(resumed, saved, size));
        CHECK_OK(tn_sim_run(whole, 0.1, NULL, NULL));
        CHECK_OK(tn_sim_run(resumed, 0.1, NULL, NULL));
        CHECK(speed_of(whole, model, "q") == speed_of(resumed, model, "q"));
        CHECK_NEAR(speed_of(resumed, model, "q") - speed_of(resumed, model, "p"), 1.5, 1e-6);
        tn_saved_free(saved);
        tn_sim_destroy(whole);
        tn_sim_destroy(resumed);
    }
    tn_model_destroy(model);
}

// Derivatives -------------------------------------------------------------------------------------

static tn_vec3 random_vec3(double size)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(size * x, size * y, size * z);
}

typedef struct state {
    tn_frame body[2];
    tn_twist V[2];
} state;

static tn_load load_at(const tn_force_data *force, const state *s, double kept)
{
    tn_load load = {0};
    const tn_pair at = {.a = {.x = s->body[0], .V = s->V[0]},
                        .b = {.x = s->body[1], .V = s->V[1]},
                        .own = force->shapes};
    tn_force_eval(force, 0.0, kept, &at, &load);
    return load;
}

static state vary(state s, int variable, bool of_rate, double step)
{
    double x[6] = {0};
    x[variable % 6] = step;
    tn_frame *body = &s.body[variable / 6];
    tn_twist *V = &s.V[variable / 6];
    if (of_rate) {
        V->v = tn_v3_add(V->v, tn_v3_from(x));
        V->w = tn_v3_add(V->w, tn_v3_from(x + 3));
        return s;
    }
    body->p = tn_v3_add(body->p, tn_v3_from(x));
    body->R = tn_m3_mul(tn_so3_exp(tn_v3_from(x + 3)), body->R);
    return s;
}

// Two capsules that cross, half in each other, where the contact presses.
static void tangents_are_those_of_differences(void)
{
    const double STEP = 1e-5, NEAR = 1e-7, KEPT = 2.0;
    tn_model *model = parse("tenon: 1\n"
                            "bodies:\n"
                            "  p: {mass: 1, inertia: [1, 1, 1]}\n"
                            "  q: {mass: 1, inertia: [1, 1, 1]}\n"
                            "forces: {f: {kind: contact-force, bodies: [p, q], a: capsule,\n"
                            "             length_a: 2, radius_a: 0.5, b: capsule, length_b: 2,\n"
                            "             radius_b: 0.7, stiffness: 3, restitution: 0.6}}\n");
    const tn_force_data *force = &model->forces.at[0];
    for (int n = 0; n < 20; n++) {
        const state s = {
            .body = {{tn_so3_exp(random_vec3(0.3)), random_vec3(0.1)},
                     {tn_m3_mul(tn_m3_rot_z(1.2), tn_so3_exp(random_vec3(0.3))),
                      tn_v3_add(tn_v3(0.1, 0.1, 0.7), random_vec3(0.1))}},
            .V = {{random_vec3(0.5), random_vec3(0.5)}, {random_vec3(0.5), random_vec3(0.5)}}};
        tn_load_tangent T = {0};
        const tn_pair at = {.a = {.x = s.body[0], .V = s.V[0]},
                            .b = {.x = s.body[1], .V = s.V[1]},
                            .own = force->shapes};
        tn_force_tangent(force, 0.0, KEPT, &at, &T);
        CHECK(load_at(force, &s, KEPT).energy > 0.0);
        for (int k = 0; k < 24; k++) {
            const state ahead = vary(s, k % 12, k >= 12, STEP);
            const state behind = vary(s, k % 12, k >= 12, -STEP);
            const tn_load a = load_at(force, &ahead, KEPT), b = load_at(force, &behind, KEPT);
            for (int i = 0; i < 12; i++)
                CHECK_NEAR(k < 12 ? T.K[i][k] : T.D[i][k - 12], (a.w[i] - b.w[i]) / (2.0 * STEP),
                           100.0 * NEAR);
        }
    }
    tn_model_destroy(model);
}

// Refusals ----------------------------------------------------------------------------------------

static void numbers_that_say_nothing_are_refused(void)
{
    static const char *const cases[][2] = {
        {"radius_b: 1", "stiffness is missing"},
        {"radius_b: 1, stiffness: -1", "must not be negative"},
        {"radius_b: 1, stiffness: 1, young_a: 1", "both stiffness and young_a are stated"},
        {"radius_b: 1, young_b: 1", "young_a is missing beside young_b"},
        {"young_a: 1, young_b: 1", "a sphere of radius 0 has no stiffness by moduli"},
        {"b: capsule, length_b: 1, young_a: 1, young_b: 1", "a capsule may touch along its side"},
        {"radius_b: 1, young_a: 1, young_b: 1, exponent: 2", "with moduli it is 1.5"},
        {"radius_b: 1, stiffness: 1, law: hertz, restitution: 0.5", "law hertz loses no energy"},
        {"radius_b: 1, stiffness: 1, restitution: 0", "law restitution has no damping that is"},
        {"a: plane, b: plane, stiffness: 1", "both shapes are planes"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[600];
        tn_model *model = NULL;
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {p: {mass: 1, inertia: [1, 1, 1]}}\n"
                 "forces: {f: {kind: contact-force, bodies: [ground, p], %s}}\n",
                 cases[i][0]);
        CHECK(tn_model_parse(text, "impact.yaml", &model, NULL) != TN_OK);
        if (!strstr(tn_last_error(), cases[i][1]))
            printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), cases[i][1]) != NULL);
        tn_model_destroy(model);
    }
}

static void ensembles_do_not_take_them(void)
{
    const tn_ensemble_options options = tn_default_ensemble();
    tn_model *model = two_balls("restitution: 0.5");
    tn_ensemble *ensemble = NULL;
    CHECK(tn_ensemble_create(model, 2, &options, &ensemble) == TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "force 'hit': an ensemble does not know the speed") != NULL);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a ball of steel is that of Hertz", a_ball_of_steel_is_that_of_hertz},
    {"rows of balls are those of a plain solver", rows_of_balls_are_those_of_a_plain_solver},
    {"restitution is what is stated", restitution_is_what_is_stated},
    {"laws of papers have restitutions of their own",
     laws_of_papers_have_restitutions_of_their_own},
    {"every impact keeps its own speed", every_impact_keeps_its_own_speed},
    {"saved states keep the speed of impacts", saved_states_keep_the_speed_of_impacts},
    {"tangents are those of differences", tangents_are_those_of_differences},
    {"numbers that say nothing are refused", numbers_that_say_nothing_are_refused},
    {"ensembles do not take them", ensembles_do_not_take_them},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
