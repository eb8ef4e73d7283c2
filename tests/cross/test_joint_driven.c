// SPDX-License-Identifier: MIT
//
// Driven and stopped mechanisms in joint coordinates: what a run shows at given times within its
// steps, motions, torques of the drives, reactions, works and the energy balance, and the events it
// meets are those of absolute coordinates.

#include "road_models.h"

enum { SAMPLES = 23, VALUES = 160, EVENTS = 40 };

typedef enum kind { MOTION, FORCE, WORK, KINDS } kind;

static const char *const kind_names[KINDS] = {"motion", "forces", "work"};

typedef struct scene {
    const char *name;
    const char *path;         // a file,
    const char *text;         // or a text,
    tn_model *(*build)(void); // or functions
    double t_end;
} scene;

// A hammer on a driven arm that falls between stops, and a motor that turns the arm's carrier.
static const char hammer[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: {kind: planar, mass: 2, inertia: 0.1, com: [0.3, 0]}\n"
    "  hammer: {kind: planar, mass: 1, inertia: 0.02, com: [0.2, 0], initial: {position: [0.6, "
    "0]}}\n"
    "  tail: {kind: planar, mass: 0.5, inertia: 0.01, com: [0, -0.2], initial: {position: [1, "
    "0]}}\n"
    "joints:\n"
    "  pivot: {kind: revolute, body: arm, at: [0, 0]}\n"
    "  neck: {kind: revolute, bodies: [arm, hammer], at: [0.6, 0], initial: {rate: -5}}\n"
    "  hinge: {kind: revolute, bodies: [hammer, tail], at: [1, 0]}\n"
    "  swing: {kind: drive, joint: pivot, motion: '0.8*sin(3*t)'}\n"
    "forces:\n"
    "  rest: {kind: joint-stop, joint: neck, lower: -0.4, upper: 0.5, stiffness: 400,"
    " damping: 0.2, exponent: 1.5}\n"
    "  motor: {kind: motor, joint: hinge, effort: '0.3*cos(5*t)'}\n"
    "  bearing: {kind: joint-spring, joint: hinge, damping: 0.02}\n"
    "events:\n"
    "  low: {body: hammer, axis: y, value: -0.3}\n"
    "  straight: {joint: hinge, value: 0}\n";

static const scene scenes[] = {
    {.name = "slider-crank", .path = "models/slider_crank.yaml", .t_end = 0.5},
    {.name = "two-link arm", .path = "models/arm.yaml", .t_end = 1.0},
    {.name = "driven frame", .build = driven_arm, .t_end = 0.8},
    {.name = "hammer", .text = hammer, .t_end = 1.5},
};

typedef struct show {
    const tn_model *model;
    double t_end;
    int next; // sample
    int n[KINDS];
    double at[SAMPLES][KINDS][VALUES];
    int nevent;
    int event[EVENTS];
    double t_event[EVENTS];
    tn_ledger ledger;
} show;

static void add(show *s, kind what, double value)
{
    CHECK(s->n[what] < VALUES);
    s->at[s->next][what][s->n[what]++] = value;
}

static void add_vec3(show *s, kind what, tn_vec3 value)
{
    add(s, what, value.x);
    add(s, what, value.y);
    add(s, what, value.z);
}

static void add_body(show *s, tn_sim *sim, tn_body body)
{
    const tn_frame frame = tn_sim_body_frame(sim, body);
    add_vec3(s, MOTION, frame.p);
    add_vec3(s, MOTION, tn_m3_column(frame.R, 0));
    add_vec3(s, MOTION, tn_m3_column(frame.R, 1));
    add_vec3(s, MOTION, tn_sim_body_velocity(sim, body));
    add_vec3(s, MOTION, tn_sim_body_rate(sim, body));
    add_vec3(s, FORCE, tn_sim_body_acceleration(sim, body));
    add_vec3(s, FORCE, tn_sim_body_rate_dot(sim, body));
}

static void add_joint(show *s, tn_sim *sim, tn_joint joint)
{
    double q[6], rate[6], lambda[6];
    const int n = tn_sim_joint_coordinates(sim, joint, q, rate);
    for (int i = 0; i < n; i++) {
        add(s, MOTION, q[i]);
        add(s, MOTION, rate[i]);
    }
    const int rows = tn_sim_joint_multipliers(sim, joint, lambda, NULL);
    for (int i = 0; i < rows; i++)
        add(s, FORCE, lambda[i]);
    const tn_wrench w = tn_sim_joint_reaction(sim, joint);
    add_vec3(s, FORCE, w.f);
    add_vec3(s, FORCE, w.m);
}

static void add_sample(show *s, tn_sim *sim)
{
    tn_ledger ledger;
    memset(s->n, 0, sizeof s->n);
    for (int k = 1; k < tn_model_body_count(s->model); k++)
        add_body(s, sim, (tn_body){k});
    for (int k = 0; k < tn_model_joint_count(s->model); k++)
        add_joint(s, sim, (tn_joint){k});
    tn_sim_ledger(sim, &ledger);
    add(s, WORK, ledger.kinetic);
    add(s, WORK, ledger.potential);
    add(s, WORK, ledger.dissipated);
    add(s, WORK, ledger.supplied);
    add(s, WORK, ledger.balance);
    s->next++;
}

// Times that no step ends at.
static double sample_time(const show *s, int k)
{
    return s->t_end * (k + 0.37) / SAMPLES;
}

static tn_status look(void *user, tn_sim *sim)
{
    show *s = user;
    const double now = tn_sim_time(sim);
    while (s->next < SAMPLES && sample_time(s, s->next) <= now) {
        CHECK_OK(tn_sim_show(sim, sample_time(s, s->next)));
        add_sample(s, sim);
    }
    tn_sim_current(sim);
    return TN_OK;
}

static tn_model *open_scene(const scene *from)
{
    tn_model *model = from->build ? from->build() : NULL;
    if (from->path)
        CHECK_OK(tn_model_load(tn_test_path(from->path), &model, NULL));
    if (from->text)
        CHECK_OK(tn_model_parse(from->text, "text", &model, NULL));
    return model;
}

// In two parts, with a stop in the middle.
static void run_scene(const scene *from, const char *method, double tol, show *out)
{
    const tn_event_hit *hit;
    tn_model *model = open_scene(from);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    *out = (show){.model = model, .t_end = from->t_end};
    CHECK_OK(tn_sim_run(sim, 0.5 * from->t_end, look, out));
    CHECK(tn_sim_time(sim) == 0.5 * from->t_end);
    CHECK_OK(tn_sim_run(sim, from->t_end, look, out));
    CHECK(out->next == SAMPLES);
    out->nevent = tn_sim_event_hits(sim, &hit);
    CHECK(out->nevent <= EVENTS);
    for (int i = 0; i < out->nevent; i++) {
        out->event[i] = hit[i].event;
        out->t_event[i] = hit[i].t;
    }
    tn_sim_ledger(sim, &out->ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Relative to the largest number of the kind.
static double distance_of(const show *x, const show *y, kind what)
{
    double most = 0.0, size = 1e-300;
    CHECK(x->n[what] == y->n[what]);
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < x->n[what]; i++) {
            const double off = fabs(x->at[k][what][i] - y->at[k][what][i]);
            most = off <= most ? most : off; // NaN stays
            size = fmax(size, fabs(y->at[k][what][i]));
        }
    return most / size;
}

static void check_events(const show *x, const show *y, double most)
{
    CHECK(x->nevent == y->nevent);
    for (int i = 0; i < x->nevent; i++) {
        CHECK(x->event[i] == y->event[i]);
        CHECK_NEAR(x->t_event[i], y->t_event[i], most);
    }
}

static void check_scene(const scene *from, double least_work, int events)
{
    static const struct {
        const char *method;
        double forces; // within steps as good as the polynomial: that of radau5 has order two
    } by[] = {
        {"dop853/index1+project@joint", 2e-7},
        {"dopri5/index1+project@joint", 2e-7},
        {"dopri5/minimal@joint", 2e-7},
        {"herk5/index2@joint", 2e-7},
        {"radau5/ggl@joint", 1e-5},
        {"bdf/ggl@joint", 2e-7},
    };
    const double most = 2e-7; // a thousand tolerances: blows of the hammer multiply errors
    static show truth, run;
    int bad = 0;
    run_scene(from, "dop853/index1+project@absolute", 1e-12, &truth);
    CHECK(fabs(truth.ledger.supplied) > least_work); // drives do work
    CHECK(truth.nevent >= events);
    for (int k = 0; k < TN_COUNT(by); k++) {
        run_scene(from, by[k].method, 1e-10, &run);
        printf("%-13s %-28s", from->name, by[k].method);
        for (int what = 0; what < KINDS; what++) {
            const double off = distance_of(&run, &truth, (kind)what);
            const bool good = off <= (what == FORCE ? by[k].forces : most);
            printf("  %s %.1e%s", kind_names[what], off, good ? "" : " <--");
            bad += !good;
        }
        printf("  balance %.1e, %d events\n", run.ledger.max_balance / run.ledger.energy_scale,
               run.nevent);
        CHECK_NEAR(run.ledger.max_balance / run.ledger.energy_scale, 0.0, most);
        check_events(&run, &truth, most);
    }
    CHECK(bad == 0);
}

static void driven_crank_and_its_motor(void)
{
    check_scene(&scenes[0], 0.1, 0);
}

static void arm_and_its_motors(void)
{
    check_scene(&scenes[1], 0.1, 0);
}

static void frame_that_is_moved_through_space(void)
{
    check_scene(&scenes[2], 0.1, 0);
}

static void stops_and_events(void)
{
    check_scene(&scenes[3], 0.1, 4);
}

static const tn_test tests[] = {
    {"driven crank and its motor", driven_crank_and_its_motor},
    {"arm and its motors", arm_and_its_motors},
    {"frame that is moved through space", frame_that_is_moved_through_space},
    {"stops and events", stops_and_events},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
