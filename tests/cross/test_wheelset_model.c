// SPDX-License-Identifier: MIT
//
// The wheelset of models/wheelset.yaml, which is made of a body, two joints wheel-rail and creep by
// expressions, against the equations of the Test Set for IVP Solvers as functions in C
// (reference/wheelset.h): the same motion and normal forces. The model has x along the track, y to
// the left and z up, the test set z, x and y.
//
// With TN_LONG in the environment all methods go through the second in which the amplitude grows to
// 10 mm, some three minutes of computing, and the model comes to its limit cycle; without, some of
// them do, or through a part of it.

#include "reference/wheelset.h"
#include "test.h"

static const tn_body axle = {1};

enum { TIMES = 20 };

// Lateral, vertical and longitudinal place, yaw and roll, and normal forces, at TIMES times.
typedef struct motion {
    double q[TIMES][WHEELSET_NQ], N[TIMES][2];
} motion;

typedef struct road {
    const char *method;
    double tol, step; // error-controlled, or fixed steps whose end h -> 0 is extrapolated
    double newtons;   // to which normal forces agree
    double until;     // without TN_LONG; 0: not at all
} road;

static tn_model *load_wheelset(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/wheelset.yaml"), &model, NULL));
    return model;
}

static tn_sim *open_model(const tn_model *model, const char *method, double tol, double step)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    if (tol > 0.0) {
        options.adaptive = true;
        options.rtol = options.atol = tol;
        options.project_tol = 1e-13;
    }
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static void look(tn_sim *sim, double q[WHEELSET_NQ])
{
    const tn_frame at = tn_sim_body_frame(sim, axle);
    const tn_vec3 b = tn_m3_column(at.R, 1);
    q[0] = at.p.y;
    q[1] = at.p.z;
    q[2] = at.p.x;
    q[3] = atan2(-b.x, b.y);
    q[4] = asin(b.z);
}

static motion run_model(const road *r, double step, double until)
{
    motion out;
    tn_model *model = load_wheelset();
    tn_sim *sim = open_model(model, r->method, r->tol, step);
    for (int k = 0; k < TIMES; k++) {
        CHECK_OK(tn_sim_run(sim, until * (k + 1) / TIMES, NULL, NULL));
        look(sim, out.q[k]);
        for (int i = 0; i < 2; i++)
            out.N[k][i] = -tn_sim_lambda(sim)[i];
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return out;
}

// From steps h and h/2 of a method of order two.
static motion extrapolate(const road *r, double until)
{
    const motion coarse = run_model(r, r->step, until);
    motion fine = run_model(r, 0.5 * r->step, until);
    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < WHEELSET_NQ; i++)
            fine.q[k][i] += (fine.q[k][i] - coarse.q[k][i]) / 3.0;
        for (int i = 0; i < 2; i++)
            fine.N[k][i] += (fine.N[k][i] - coarse.N[k][i]) / 3.0;
    }
    return fine;
}

// The equations in C, from where the model starts. Their multipliers are forces along the vertical.
static motion run_equations(double until)
{
    motion out;
    double start[WHEELSET_NQ];
    wheelset set = {{0}};
    const tn_callbacks equations = wheelset_equations(&set);
    tn_sim_options options = tn_default_sim();
    tn_model *model = load_wheelset();
    tn_sim *sim = open_model(model, "radau5/ggl", 1e-6, 0.0);
    look(sim, start);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    options.method = "radau5/index2";
    options.adaptive = true;
    options.rtol = 1e-12;
    options.atol = 1e-13;
    CHECK_OK(tn_sim_create_callbacks(&equations, start, wheelset_v0, &options, &sim));
    for (int k = 0; k < TIMES; k++) {
        CHECK_OK(tn_sim_run(sim, until * (k + 1) / TIMES, NULL, NULL));
        wheel w[2];
        const tn_arguments at = {.q = tn_sim_q(sim),
                                 .v = tn_sim_v(sim),
                                 .c = tn_sim_extra(sim),
                                 .s = tn_sim_extra(sim) + 1,
                                 .lambda = tn_sim_lambda(sim)};
        put_wheels(&at, w);
        memcpy(out.q[k], at.q, sizeof out.q[k]);
        for (int i = 0; i < 2; i++)
            out.N[k][i] = fabs(w[i].N);
    }
    tn_sim_destroy(sim);
    return out;
}

// Places by the amplitude of the lateral one, angles by their own.
static void compare(const road *r, const motion *a, const motion *b)
{
    const double PART = 1e-6;
    double off[WHEELSET_NQ] = {0}, most[WHEELSET_NQ] = {0}, force = 0.0;
    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < WHEELSET_NQ; i++) {
            most[i] = fmax(most[i], fabs(b->q[k][i]));
            off[i] = fmax(off[i], fabs(a->q[k][i] - b->q[k][i]));
        }
        for (int i = 0; i < 2; i++)
            force = fmax(force, fabs(a->N[k][i] - b->N[k][i]));
    }
    printf("%-22s x %.1e, y %.1e, z %.1e, yaw %.1e, roll %.1e, forces %.1e N\n", r->method,
           off[0] / most[0], off[1] / most[0], off[2] / most[0], off[3] / most[3], off[4] / most[4],
           force);
    for (int i = 0; i < WHEELSET_NQ; i++)
        CHECK_NEAR(off[i], 0.0, PART * most[i < 3 ? 0 : i]);
    CHECK_NEAR(force, 0.0, r->newtons);
}

// The model differs from the test set by the square of the roll angle, 3e-6, in moments of normal
// forces about the vertical, which are 4e-3 Nm: that is 1e-7 of the amplitude after a second. The
// rest is what methods have left at these tolerances and steps, 1e-7 to 7e-7.
// Normal forces of 80 N are as good as velocities are, and those of index3 with BDF one order less.
static void model_moves_as_the_test_set(void)
{
    static const road roads[] = {
        {"dop853/index1+project", 1e-11, 0.0, 1e-4, 1.0},
        {"radau5/ggl", 3e-12, 0.0, 1e-4, 1.0},
        {"bdf/index2", 1e-11, 0.0, 1e-4, 0.2},
        {"galpha/ggl", 0.0, 2e-4, 1e-3, 0.1},
        {"radau5/index3", 1e-13, 0.0, 1e-4, 0.0},
        {"radau5/index2", 2e-12, 0.0, 1e-4, 0.0},
        {"bdf/index3", 1e-12, 0.0, 5e-3, 0.0},
        {"bdf/index2", 1e-11, 0.0, 1e-4, 0.0},
        {"bdf/ggl", 1e-11, 0.0, 1e-4, 0.0},
        {"galpha/index3", 0.0, 8e-5, 1e-3, 0.0},
        {"galpha/index2", 0.0, 8e-5, 1e-3, 0.0},
        {"galpha/ggl", 0.0, 8e-5, 1e-3, 0.0},
    };
    const bool all = getenv("TN_LONG");
    motion reference;
    double known = 0.0;
    for (int i = 0; i < TN_COUNT(roads); i++) {
        const road *r = &roads[i];
        const double until = r->until > 0.0 ? r->until : all ? 1.0 : 0.0;
        if (until == 0.0)
            continue;
        if (until != known)
            reference = run_equations(until);
        known = until;
        const motion x = r->step > 0.0 ? extrapolate(r, until) : run_model(r, 0.0, until);
        compare(r, &x, &reference);
    }
}

// The wheels turn by 0.3 rad in steps of 1 ms, which index3 with rho_inf 0.9 does not follow
// (docs/theory/formulation_index3.md): multipliers alternate, which a note tells, and contacts that
// press with 70 N do not lift off for it. In a fifth of the step, and with more damping, they stay.
static void multipliers_that_alternate_are_told(void)
{
    static const struct setting {
        double step, rho_inf;
        bool told;
    } settings[] = {{1e-3, 0.9, true}, {2e-4, 0.9, false}, {1e-3, 0.5, false}};
    tn_model *model = load_wheelset();
    tn_sim *sure = open_model(model, "radau5/index2", 1e-8, 0.0);
    CHECK_OK(tn_sim_run(sure, 0.03, NULL, NULL));
    for (int i = 0; i < TN_COUNT(settings); i++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = "galpha/index3";
        options.step = settings[i].step;
        options.rho_inf = settings[i].rho_inf;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.03, NULL, NULL));
        CHECK(tn_sim_ended_by(sim) < 0);
        CHECK(tn_test_has_note(sim, "alternates from step to step") == settings[i].told);
        CHECK(!settings[i].told || tn_test_has_note(sim, "a body turns by 0.3 rad"));
        const double off = fabs(tn_sim_lambda(sim)[0] - tn_sim_lambda(sure)[0]);
        CHECK(settings[i].told ? off > 10.0 : off < 1.0); // of 85 N
        tn_sim_destroy(sim);
    }
    tn_sim_destroy(sure);
    tn_model_destroy(model);
}

// The text of the model with `from` as `to`, `count` times.
static tn_model *parse_changed(const char *from, const char *to, int count)
{
    enum { SIZE = 20000 };
    static char text[SIZE], changed[SIZE];
    tn_model *model = NULL;
    FILE *file = fopen(tn_test_path("models/wheelset.yaml"), "r");
    CHECK(file != NULL);
    text[fread(text, 1, SIZE - 1, file)] = '\0';
    fclose(file);
    for (int k = 0; k < count; k++) {
        const char *at = strstr(text, from);
        CHECK(at != NULL);
        const int before = (int)(at - text);
        CHECK(snprintf(changed, SIZE, "%.*s%s%s", before, text, to, at + strlen(from)) < SIZE);
        memcpy(text, changed, SIZE);
    }
    CHECK_OK(tn_model_parse(text, "wheelset.yaml", &model, NULL));
    return model;
}

// A condition by multipliers is located, and those of baumgarte2 jump: it lies at the very start of
// a step. A step without length would have no work, and the balance of energy would be no number.
static void conditions_by_multipliers_have_steps_of_some_length(void)
{
    tn_ledger ledger;
    tn_model *model = parse_changed("l: min(1, mu*Nl/hypot(fxl, fyl))",
                                    "l: if(hypot(fxl, fyl) > mu*Nl, mu*Nl/hypot(fxl, fyl), 1)", 1);
    tn_sim *sim = open_model(model, "galpha/baumgarte2", 0.0, 1e-3);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.steps > 100 && ledger.step_min > 0.0);
    CHECK(isfinite(ledger.supplied) && ledger.max_balance < 1e-4 * ledger.energy_scale);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// The wheel comes 1.6 mm to the left within half a period: a tread that ends 1.4 mm beside the
// middle is left on the way there.
static void wheels_that_leave_their_rail_end_the_run_there(void)
{
    static const char *const methods[] = {"radau5/ggl", "bdf/index2", "galpha/ggl",
                                          "dop853/index1+project"};
    const double LEFT = 0.0722; // [s], by the shortest steps
    tn_model *model = parse_changed("wheel_to: 0.18", "wheel_to: 0.152", 1);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const bool fixed = !strncmp(methods[i], "galpha", 6);
        tn_sim *sim = open_model(model, methods[i], fixed ? 0.0 : 1e-6, fixed ? 2e-4 : 0.0);
        CHECK_STATUS(tn_sim_run(sim, 1.0, NULL, NULL), TN_ERR_NUMERIC);
        printf("%s: %s\n", methods[i], tn_last_error());
        CHECK(tn_test_says("the contact of joint 'left' leaves the end of its profile, at s = "));
        CHECK(tn_test_says("z = 0.152")); // one step beyond at most, which is below 0.1 mm
        CHECK(tn_sim_time(sim) > 0.06 && tn_sim_time(sim) < LEFT); // before that step
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Hunting -----------------------------------------------------------------------------------------

typedef struct peaks {
    double v;       // lateral velocity at the end of the last step
    double place;   // the largest one since the last change of its sign
    double last[2]; // of the last two periods, the last one first
} peaks;

static tn_status note_peak(void *user, tn_sim *sim)
{
    peaks *p = user;
    const double v = tn_sim_body_velocity(sim, axle).y, y = tn_sim_body_frame(sim, axle).p.y;
    p->place = fmax(p->place, y);
    if (p->v <= 0.0 && v > 0.0) {
        p->last[1] = p->last[0];
        p->last[0] = p->place;
        p->place = 0.0;
    }
    p->v = v;
    return TN_OK;
}

// That of the equations in C (reference/test_wheelset.c). At this tolerance the amplitude is 1.7e-4
// too large; at 1e-9, in seven minutes, it is 8.8803 mm and the period 0.205402 s.
static void model_hunts_in_the_limit_cycle(void)
{
    const double AMPLITUDE = 8.8803e-3;
    peaks p = {0};
    if (!getenv("TN_LONG"))
        return;
    tn_model *model = load_wheelset();
    tn_sim *sim = open_model(model, "bdf/ggl", 1e-7, 0.0);
    CHECK_OK(tn_sim_run(sim, 50.0, note_peak, &p));
    printf("amplitudes %.5f and %.5f mm\n", 1e3 * p.last[1], 1e3 * p.last[0]);
    CHECK_NEAR(p.last[0], AMPLITUDE, 1e-3 * AMPLITUDE);
    CHECK_NEAR(p.last[1], AMPLITUDE, 1e-3 * AMPLITUDE);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"the model moves as the equations of the test set", model_moves_as_the_test_set},
    {"multipliers that alternate are told", multipliers_that_alternate_are_told},
    {"conditions by multipliers have steps of some length",
     conditions_by_multipliers_have_steps_of_some_length},
    {"wheels that leave their rail end the run there",
     wheels_that_leave_their_rail_end_the_run_there},
    {"the model hunts in the limit cycle", model_hunts_in_the_limit_cycle},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
