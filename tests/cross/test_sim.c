// SPDX-License-Identifier: MIT
//
// Simulations as their users see them: no memory is taken between create and destroy, threads do
// not disturb each other, runs end where and when they should, and mistakes are told in one
// sentence.

#include "integrator/integrator.h"
#include "sim/sim.h"
#include "sparse_memory.h"
#include "tenon/tenon.h"
#include "test.h"

#include <pthread.h>

// Models ------------------------------------------------------------------------------------------

static tn_body add_link(tn_model *model, const char *name, tn_vec3 p, tn_vec3 com)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.frame.p = p;
    def.com = com;
    def.inertia = tn_v3(0.02, 0.02, 0.02);
    return tn_model_add_body(model, &def);
}

static tn_joint add_pin(tn_model *model, const char *name, tn_body a, tn_vec3 in_a, tn_body b)
{
    tn_joint_def def = tn_default_joint(TN_JOINT_REVOLUTE);
    def.name = name;
    def.body_a = a;
    def.frame_a.p = in_a;
    def.body_b = b;
    return tn_model_add_joint(model, &def);
}

// A chain of links that hang out to the side and fall.
static tn_model *chain(int links)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    tn_body last = TN_GROUND;
    for (int k = 0; k < links; k++) {
        const tn_body link = add_link(model, NULL, tn_v3(0.1 * k, 0, 0), tn_v3(0.05, 0, 0));
        add_pin(model, NULL, last, tn_v3(k > 0 ? 0.1 : 0.0, 0, 0), link);
        last = link;
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

// A planar pendulum: three unknowns of each kind, small enough for dense LU.
static tn_model *bob(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    tn_body_def def = tn_default_body();
    def.name = "bob";
    def.kind = TN_BODY_PLANAR;
    def.com.x = 1.0;
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.name = "pin";
    pin.body_b = tn_model_add_body(model, &def);
    tn_model_add_joint(model, &pin);
    CHECK_OK(tn_model_status(model));
    return model;
}

// A spatial four-bar with parallel axes: three of its twenty rows repeat others.
static tn_model *four_bar(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    const tn_vec3 up = {0.0, 0.4, 0.0}, along = {0.9, 0.0, 0.0}, none = {0};
    const tn_body crank = add_link(model, "crank", none, tn_v3(0.0, 0.2, 0.0));
    const tn_body coupler = add_link(model, "coupler", up, tn_v3(0.4, 0.1, 0.0));
    const tn_body rocker = add_link(model, "rocker", along, tn_v3(0.0, 0.2, 0.0));
    add_pin(model, "A", TN_GROUND, none, crank);
    add_pin(model, "B", crank, up, coupler);
    add_pin(model, "D", TN_GROUND, along, rocker);
    tn_joint_def last = tn_default_joint(TN_JOINT_REVOLUTE);
    last.name = "C";
    last.body_a = coupler;
    last.frame_a.p = along;
    last.body_b = rocker;
    last.frame_b.p = up;
    tn_model_add_joint(model, &last);
    CHECK_OK(tn_model_status(model));
    return model;
}

static tn_sim *open_sim(const tn_model *model, const tn_sim_options *options)
{
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, options, &sim));
    return sim;
}

// Memory ------------------------------------------------------------------------------------------

static long sparse_allocations; // of SuiteSparse, which has its own way to memory

static void *counting_malloc(size_t size)
{
    sparse_allocations++;
    return malloc(size);
}

static void *counting_calloc(size_t n, size_t size)
{
    sparse_allocations++;
    return calloc(n, size);
}

static void *counting_realloc(void *block, size_t size)
{
    sparse_allocations++;
    return realloc(block, size);
}

static void count_sparse_allocations(bool on)
{
    if (on)
        set_sparse_memory(counting_malloc, counting_calloc, counting_realloc);
    else
        set_standard_sparse_memory();
}

// Everything that a run may ask for.
static tn_status read_out(void *user, tn_sim *sim)
{
    const tn_model *model = user;
    tn_ledger ledger;
    double q[6], rate[6];
    bool unique[6];
    tn_sim_ledger(sim, &ledger);
    for (int k = 1; k < tn_model_body_count(model); k++) {
        tn_sim_body_frame(sim, (tn_body){k});
        tn_sim_body_acceleration(sim, (tn_body){k});
    }
    for (int k = 0; k < tn_model_joint_count(model); k++) {
        tn_sim_joint_coordinates(sim, (tn_joint){k}, q, rate);
        tn_sim_joint_reaction(sim, (tn_joint){k});
        tn_sim_joint_multipliers(sim, (tn_joint){k}, q, unique);
    }
    return TN_OK;
}

static void check_no_allocation(tn_model *model, const char *solver, tn_sim_options options)
{
    count_sparse_allocations(true);
    sparse_allocations = 0;
    tn_sim *sim = open_sim(model, &options);
    if (solver)
        CHECK_TEXT(tn_sim_solver(sim), solver);
    if (solver && !strcmp(solver, "KLU"))
        CHECK(sparse_allocations > 0); // the hooks work
    sparse_allocations = 0;
    const long before = tn_test_alloc_count();
    CHECK_OK(tn_sim_run(sim, options.step > 0.0 ? 100.0 * options.step : 0.2, read_out, model));
    CHECK(tn_test_alloc_count() == before);
    CHECK(sparse_allocations == 0);
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.steps >= 100 || options.adaptive);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    count_sparse_allocations(false);
}

static void steps_take_no_memory(void)
{
    static const char *const methods[] = {"galpha/ggl", "galpha/index3", "hht/index2"};
    for (int k = 0; k < TN_COUNT(methods); k++)
        for (int adaptive = 0; adaptive < 2; adaptive++) {
            tn_sim_options options = tn_default_sim();
            options.method = methods[k];
            options.step = 0.005;
            options.adaptive = adaptive;
            check_no_allocation(bob(), "dense LU", options);
            check_no_allocation(chain(40), "KLU", options);
            check_no_allocation(four_bar(), "KLU", options);
        }
}

// SUNDIALS takes memory by itself, which is not counted; what it calls is. KLU takes some where it
// must choose new pivots, which these models do not ask of it.
static void steps_take_no_memory_in(const char *coordinates)
{
    const bool joint = !strcmp(coordinates, "joint");
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[64];
            snprintf(method, sizeof method, "%s/%s@%s", tn_integrators[i]->name,
                     tn_formulations[k]->name, coordinates);
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                tn_integrator_is_fixed(tn_integrators[i]) ||
                !strcmp(tn_formulations[k]->name, "baumgarte2")) // has fixed steps only
                continue;
            tn_sim_options options = tn_default_sim();
            options.method = method;
            options.adaptive = true;
            printf("%s\n", method);
            check_no_allocation(bob(), NULL, options);
            check_no_allocation(chain(3), NULL, options);
            if (joint)
                check_no_allocation(four_bar(), NULL, options);
        }
}

static void steps_of_no_method_take_memory(void)
{
    steps_take_no_memory_in("absolute");
}

static void steps_in_joint_coordinates_take_no_memory(void)
{
    steps_take_no_memory_in("joint");
}

static void steps_of_discrete_principles_take_no_memory(void)
{
    static const char *const methods[] = {
        "variational/multiplier@director", "variational/dalembert@director",
        "energy-momentum/multiplier@director", "energy-momentum/dalembert@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.step = 1e-3;
        check_no_allocation(bob(), NULL, options);
        check_no_allocation(chain(8), NULL, options);
        check_no_allocation(four_bar(), NULL, options);
    }
}

static void destroying_gives_everything_back(void)
{
    const long before = tn_test_alloc_live();
    tn_model *model = four_bar();
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = open_sim(model, &options);
    CHECK(tn_test_alloc_live() > before);
    CHECK_OK(tn_sim_step(sim, 1e-3));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    CHECK(tn_test_alloc_live() == before);
    tn_sim_destroy(NULL);
}

// Threads -----------------------------------------------------------------------------------------

typedef struct job {
    const tn_model *model;
    const char *method;
    tn_status status;
    double q[7 * 12], v[6 * 12];
} job;

static void *work(void *user)
{
    job *j = user;
    tn_sim_options options = tn_default_sim();
    options.method = j->method;
    options.step = 2e-3;
    tn_sim *sim = NULL;
    j->status = tn_sim_create(j->model, &options, &sim);
    if (j->status == TN_OK)
        j->status = tn_sim_run(sim, 0.4, NULL, NULL);
    if (j->status == TN_OK) {
        memcpy(j->q, tn_sim_q(sim), sizeof(double) * (size_t)tn_sim_nq(sim));
        memcpy(j->v, tn_sim_v(sim), sizeof(double) * (size_t)tn_sim_nv(sim));
    }
    tn_sim_destroy(sim);
    return NULL;
}

// Two methods alone and then at the same time; takes the model.
static void run_side_by_side(tn_model *model, const char *first, const char *second)
{
    static job alone[2], beside[2];
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) {
        alone[k] = beside[k] = (job){.model = model, .method = k ? second : first};
        work(&alone[k]);
    }
    for (int k = 0; k < 2; k++)
        CHECK(pthread_create(&threads[k], NULL, work, &beside[k]) == 0);
    for (int k = 0; k < 2; k++)
        CHECK(pthread_join(threads[k], NULL) == 0);
    for (int k = 0; k < 2; k++) {
        CHECK(alone[k].status == TN_OK && beside[k].status == TN_OK);
        CHECK(!memcmp(alone[k].q, beside[k].q, sizeof alone[k].q));
        CHECK(!memcmp(alone[k].v, beside[k].v, sizeof alone[k].v));
    }
    CHECK(memcmp(alone[0].q, alone[1].q, sizeof alone[0].q) != 0);
    tn_model_destroy(model);
}

static void simulations_run_side_by_side(void)
{
    run_side_by_side(chain(12), "galpha/ggl", "hht/index3");
}

static void joint_simulations_run_side_by_side(void)
{
    static const char *const methods[][2] = {
        {"dopri5/index1@joint", "radau5/ggl@joint"},
        {"galpha/ggl@joint", "dop853/minimal@joint"},
        {"bdf/ggl@joint", "herk5/index2@joint"},
    };
    for (int k = 0; k < TN_COUNT(methods); k++) {
        run_side_by_side(chain(12), methods[k][0], methods[k][1]);
        run_side_by_side(four_bar(), methods[k][0], methods[k][1]);
    }
}

// Repetition --------------------------------------------------------------------------------------

// Within the step as well as at its end.
static tn_status look_back(void *user, tn_sim *sim)
{
    (void)user;
    CHECK_OK(tn_sim_show(sim, 0.5 * (tn_sim_before(sim) + tn_sim_time(sim))));
    for (int k = 1; k < 4; k++) {
        tn_sim_body_frame(sim, (tn_body){k});
        tn_sim_body_acceleration(sim, (tn_body){k});
        tn_sim_joint_reaction(sim, (tn_joint){k});
    }
    tn_sim_current(sim);
    return TN_OK;
}

static void run_with(const tn_model *model, const char *method, tn_sim_observer look_at, job *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    tn_sim *sim = open_sim(model, &options);
    CHECK(7 * 12 >= tn_sim_nq(sim));
    CHECK_OK(tn_sim_run(sim, 0.2, look_at, NULL));
    *out = (job){.model = model, .method = method};
    memcpy(out->q, tn_sim_q(sim), sizeof(double) * (size_t)tn_sim_nq(sim));
    memcpy(out->v, tn_sim_v(sim), sizeof(double) * (size_t)tn_sim_nv(sim));
    tn_sim_destroy(sim);
}

// The same numbers to the last bit: in a second run of the process, and in one that is looked at.
// Only adams/minimal starts Newton's method for dependent coordinates where it has looked last, and
// ends within round-off of the same.
static bool repeats(tn_model *model, const char *method)
{
    static job first, second, watched;
    double off = 0.0;
    run_with(model, method, NULL, &first);
    run_with(model, method, NULL, &second);
    run_with(model, method, look_back, &watched);
    CHECK(!memcmp(first.q, second.q, sizeof first.q) && !memcmp(first.v, second.v, sizeof first.v));
    for (int i = 0; i < TN_COUNT(first.v); i++)
        off = fmax(off, fmax(fabs(first.q[i] - watched.q[i]), fabs(first.v[i] - watched.v[i])));
    const double most = strcmp(method, "adams/minimal@joint") ? 0.0 : 1e-11;
    if (off > most)
        printf("%s: a look changes the run by %.1e\n", method, off);
    tn_model_destroy(model);
    return off <= most;
}

static void runs_in_joint_coordinates_repeat_bit_by_bit(void)
{
    int bad = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[64];
            snprintf(method, sizeof method, "%s/%s@joint", tn_integrators[i]->name,
                     tn_formulations[k]->name);
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                tn_integrator_is_fixed(tn_integrators[i]) ||
                !strcmp(tn_formulations[k]->name, "baumgarte2"))
                continue;
            bad += !repeats(chain(8), method);
            bad += !repeats(four_bar(), method);
        }
    CHECK(bad == 0);
}

// Ends of runs ------------------------------------------------------------------------------------

typedef struct watch {
    int calls, stop_at;
    bool refuse; // end the run by the status instead of a stop
    double last;
} watch;

static tn_status look(void *user, tn_sim *sim)
{
    watch *w = user;
    CHECK(tn_sim_time(sim) > w->last);
    w->last = tn_sim_time(sim);
    if (++w->calls != w->stop_at)
        return TN_OK;
    if (w->refuse)
        return TN_ERR_REQUIRE;
    tn_sim_stop(sim);
    return TN_OK;
}

static void runs_end_exactly_where_they_should(void)
{
    tn_model *model = bob();
    tn_sim_options options = tn_default_sim();
    options.step = 0.003;
    options.t_start = 0.25;
    tn_sim *sim = open_sim(model, &options);
    watch w = {.last = 0.25};
    CHECK(tn_sim_time(sim) == 0.25);
    CHECK_OK(tn_sim_run(sim, 0.25, look, &w));
    CHECK(w.calls == 0);
    CHECK_OK(tn_sim_run(sim, 0.35, look, &w));
    CHECK(tn_sim_time(sim) == 0.35);
    CHECK(w.calls == 34); // 33 whole steps and the rest
    CHECK_OK(tn_sim_run(sim, 0.35 + 300 * 0.003, look, &w));
    CHECK(tn_sim_time(sim) == 0.35 + 300 * 0.003);
    CHECK(w.calls == 334); // no sliver of a step from rounding
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_step_longer_than_the_run_is_one_step(void)
{
    tn_model *model = bob();
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    options.step = 1e9;
    tn_sim *sim = open_sim(model, &options);
    watch w = {0};
    CHECK_OK(tn_sim_run(sim, 0.01, look, &w));
    CHECK(w.calls == 1 && tn_sim_time(sim) == 0.01);
    tn_sim_destroy(sim);
    options.method = "variational"; // whose matrix may be singular for such a step
    options.newton_max = 1;
    tn_status status = tn_sim_create(model, &options, &sim);
    if (status == TN_OK)
        status = tn_sim_run(sim, 1e9, NULL, NULL);
    CHECK_STATUS(status, TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "step of 1e+09 s ") && strstr(tn_last_error(), "smaller step"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_run_stops_on_request_and_goes_on(void)
{
    tn_model *model = bob();
    tn_sim_options options = tn_default_sim();
    options.step = 0.01;
    tn_sim *sim = open_sim(model, &options), *whole = open_sim(model, &options);
    watch w = {.stop_at = 5};
    CHECK_STATUS(tn_sim_run(sim, 0.1, look, &w), TN_ERR_STOPPED);
    CHECK_TEXT(tn_last_error(), "stopped on request at t = 0.05 s");
    CHECK(w.calls == 5);
    w.stop_at = 7;
    w.refuse = true;
    CHECK_STATUS(tn_sim_run(sim, 0.1, look, &w), TN_ERR_REQUIRE);
    CHECK(w.calls == 7);
    CHECK_OK(tn_sim_run(sim, 0.1, look, &w));
    CHECK(tn_sim_time(sim) == 0.1);
    CHECK_OK(tn_sim_run(whole, 0.1, NULL, NULL));
    for (int i = 0; i < tn_sim_nq(sim); i++) // times of steps round differently: 1e-17 s
        CHECK_NEAR(tn_sim_q(sim)[i], tn_sim_q(whole)[i], 1e-13);
    tn_sim_destroy(sim);
    tn_sim_destroy(whole);
    tn_model_destroy(model);
}

// Mistakes ----------------------------------------------------------------------------------------

static void expect_refusal(const tn_sim_options *options, tn_status status, const char *message)
{
    tn_model *model = bob();
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, options, &sim), status);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(sim == NULL);
    tn_model_destroy(model);
}

typedef struct wrong {
    size_t offset; // of a number in the options
    double value;
    const char *message;
} wrong;

static const wrong wrongs[] = {
    {offsetof(tn_sim_options, step), -0.1, "step is -0.1 s; it must not be negative"},
    {offsetof(tn_sim_options, step), INFINITY, "step must be finite"},
    {offsetof(tn_sim_options, project_tol), 0.0, "project_tol is 0 rad; it must be positive"},
    {offsetof(tn_sim_options, baumgarte_alpha), -1.0,
     "baumgarte_alpha is -1 1/s; it must not be negative"},
    {offsetof(tn_sim_options, baumgarte_beta), -1.0,
     "baumgarte_beta is -1 1/s; it must not be negative"},
    {offsetof(tn_sim_options, baumgarte_c), 0.0, "baumgarte_c is 0; it must be positive"},
    {offsetof(tn_sim_options, kappa), -1.0, "kappa is -1; it must not be negative"},
    {offsetof(tn_sim_options, t_start), INFINITY, "t_start must be finite"},
    {offsetof(tn_sim_options, rtol), -1.0, "rtol is -1; it must not be negative"},
    {offsetof(tn_sim_options, atol), -1.0, "atol is -1; it must not be negative"},
    {offsetof(tn_sim_options, step_min), -1.0, "step_min is -1 s; it must not be negative"},
    {offsetof(tn_sim_options, step_max), -1.0, "step_max is -1 s; it must not be negative"},
    {offsetof(tn_sim_options, newton_tol), 0.0, "newton_tol is 0; it must be positive"},
    {offsetof(tn_sim_options, assembly_tol), 0.0, "assembly_tol is 0 rad; it must be positive"},
    {offsetof(tn_sim_options, rho_inf), 1.5, "rho_inf is 1.5; it must lie between 0 and 1"},
    {offsetof(tn_sim_options, rho_inf), -0.5, "rho_inf is -0.5; it must lie between 0 and 1"},
};

static void options_out_of_range_are_refused(void)
{
    for (int k = 0; k < TN_COUNT(wrongs); k++) {
        tn_sim_options options = tn_default_sim();
        *(double *)((char *)&options + wrongs[k].offset) = wrongs[k].value;
        expect_refusal(&options, TN_ERR_USAGE, wrongs[k].message);
    }
    tn_sim_options options = tn_default_sim();
    options.method = "hht";
    options.hht_alpha = 0.1;
    expect_refusal(&options, TN_ERR_USAGE, "hht_alpha is 0.1; it must lie between -1/3 and 0");
    options = tn_default_sim();
    options.newton_max = 0;
    expect_refusal(&options, TN_ERR_USAGE, "newton_max is 0; it must be at least 1");
    options = tn_default_sim();
    options.adaptive = true;
    options.rtol = options.atol = 0.0;
    expect_refusal(&options, TN_ERR_USAGE,
                   "rtol and atol are both zero; an error-controlled step needs one");
    options = tn_default_sim();
    options.rotation = "so4";
    expect_refusal(&options, TN_ERR_USAGE, "rotation: unknown value 'so4'; did you mean 'so3'?");
    options = tn_default_sim();
    options.nullspace = "schmidt";
    expect_refusal(&options, TN_ERR_USAGE,
                   "nullspace: unknown value 'schmidt'; known are auto, lu, qr, svd, gram-schmidt, "
                   "natural, zero-eigenvalue");
    options = tn_default_sim();
    options.quaternion_norm = "renormalize";
    expect_refusal(&options, TN_ERR_USAGE,
                   "quaternion_norm: unknown value 'renormalize'; did you mean 'renormalise'?");
    options = tn_default_sim();
    options.euler_sequence = "xyy";
    expect_refusal(&options, TN_ERR_USAGE,
                   "euler_sequence: unknown value 'xyy'; did you mean 'xyz'?");
    options = tn_default_sim();
    options.max_order = -1;
    expect_refusal(&options, TN_ERR_USAGE, "max_order is -1; it must not be negative");
}

// The lists of what is known follow the registries.
static void unknown_methods_get_the_nearest_name(void)
{
    static const char *const cases[][2] = {
        {"galfa/ggl", "unknown integrator 'galfa'; did you mean 'galpha'?"},
        {"galpha/gll", "unknown formulation 'gll'; did you mean 'ggl'?"},
        {"galpha/ggl@absolut", "unknown coordinates 'absolut'; did you mean 'absolute'?"},
        {"galpha/ggl@join", "unknown coordinates 'join'; did you mean 'joint'?"},
        {"galpha/ggl@moon", "unknown coordinates 'moon'; known are absolute, joint, director"},
        {"quicksilver", "unknown integrator 'quicksilver'; known are galpha, hht, "},
    };
    tn_model *model = bob();
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = cases[k][0];
        CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_USAGE);
        CHECK(strncmp(tn_last_error(), cases[k][1], strlen(cases[k][1])) == 0);
    }
    tn_model_destroy(model);
}

static void parts_of_a_method_may_be_left_out(void)
{
    static const struct {
        const char *text;
        double step;
        const char *method;
    } cases[] = {
        {"auto", 1e-3, "galpha/ggl@joint"},
        {"", 1e-3, "galpha/ggl@joint"},
        {NULL, 0.0, "dop853/index1@joint"},
        {"@absolute", 0.0, "dop853/index1+project@absolute"},
        {"@joint", 1e-3, "galpha/ggl@joint"},
        {"dopri5@joint", 0.0, "dopri5/index1@joint"},
        {"hht", 0.0, "hht/ggl@absolute"},
        {"/index3", 1e-3, "galpha/index3@joint"},
        {"auto/index2@absolute", 1e-3, "galpha/index2@absolute"},
        {"dopri5", 0.0, "dopri5/index1+project@absolute"},
        {"radau5", 0.0, "radau5/ggl@absolute"},
        {"herk5", 0.0, "herk5/index2+project@absolute"},
        {"dopri5/index1", 0.0, "dopri5/index1@absolute"},
    };
    tn_model *model = bob();
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = cases[k].text;
        options.step = cases[k].step;
        tn_sim *sim = open_sim(model, &options);
        CHECK_TEXT(tn_sim_method(sim), cases[k].method);
        CHECK(tn_sim_why(sim)[0] != '\0');
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void an_illegal_pairing_names_what_is_missing(void)
{
    CHECK(!tn_pairing_is_legal(tn_find_integrator("galpha"), tn_find_formulation("minimal")));
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/minimal";
    expect_refusal(&options, TN_ERR_PAIRING,
                   "integrator 'galpha' needs the rows of a step on the group (STEP), which "
                   "formulation 'minimal' does not offer; the nearest legal method is galpha/ggl");
    options.method = "dopri5/ggl";
    expect_refusal(&options, TN_ERR_PAIRING,
                   "integrator 'dopri5' needs explicit accelerations (ACCEL), which formulation "
                   "'ggl' does not offer; the nearest legal method is dopri5/index1");
    options.method = "galpha/ggl+project";
    expect_refusal(&options, TN_ERR_PAIRING,
                   "formulation 'ggl' does not take +project: it does not drift, or a projection "
                   "would disturb its multipliers; leave it out");
    options.method = "dopri5/index1+polish";
    expect_refusal(&options, TN_ERR_USAGE,
                   "unknown addition '+polish' to formulation 'index1'; known is +project");
    CHECK_OK(tn_pairing_check(tn_find_integrator("hht"), tn_find_formulation("index3")));
}

// A chain of balls: more velocities in joint coordinates than full matrices are formed for, and
// one piece. Two of its links may be joined by a rod, a row that no tree takes, or by a spring.
static tn_model *long_chain(bool rod, bool spring)
{
    tn_model *model = tn_model_create();
    for (int k = 0; k < 334; k++) {
        add_link(model, NULL, tn_v3(k, 0, 0), tn_v3(0, 0, 0));
        tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
        ball.body_a = (tn_body){k};
        ball.body_b = (tn_body){k + 1};
        ball.frame_a.p = tn_v3(k == 0 ? -0.5 : 0.5, 0, 0);
        ball.frame_b.p = tn_v3(-0.5, 0, 0);
        tn_model_add_joint(model, &ball);
    }
    tn_joint_def tie = tn_default_joint(TN_JOINT_DISTANCE);
    tie.body_a = (tn_body){1};
    tie.body_b = (tn_body){3};
    tie.frame_a.p = tn_v3(0, 0.3, 0);
    tie.frame_b.p = tn_v3(0, -0.4, 0);
    if (rod)
        tn_model_add_joint(model, &tie);
    tn_force_def rope = tn_default_force(TN_FORCE_SPRING);
    rope.name = "rope";
    rope.body_a = (tn_body){1};
    rope.body_b = (tn_body){3};
    if (spring)
        tn_model_add_force(model, &rope);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void expect_chain(bool rod, bool spring, const char *method, const char *message)
{
    tn_sim_options options = tn_default_sim();
    tn_model *model = long_chain(rod, spring);
    tn_sim *sim = NULL;
    options.method = method;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), message ? TN_ERR_PAIRING : TN_OK);
    if (message)
        CHECK_TEXT(tn_last_error(), message);
    else
        CHECK_OK(tn_sim_step(sim, 1e-3));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void joint_coordinates_tell_what_they_do_not_take(void)
{
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl@joint";
    options.rotation = "se3";
    expect_refusal(&options, TN_ERR_PAIRING,
                   "rotation 'se3' is a choice of absolute coordinates; in joint coordinates take "
                   "so3, quaternion, euler or auto");
    expect_chain(false, false, "herk5/index2@joint",
                 "herk5/index2 needs the mass matrix, which is full in joint coordinates and not "
                 "formed for more than 1000 velocities (here 1002); take index1, an implicit "
                 "method, or @absolute");
    expect_chain(false, false, "dopri5/maggi@joint",
                 "dopri5/maggi needs the mass matrix, which is full in joint coordinates and not "
                 "formed for more than 1000 velocities (here 1002); take index1, an implicit "
                 "method, or @absolute");
    expect_chain(false, true, "galpha/ggl@joint",
                 "implicit methods in joint coordinates with more than 1000 velocities take forces "
                 "between neighbours in the tree and to the ground, which force 'rope' is not; "
                 "take @absolute, or an explicit method");
    // What they advise is there, and loops cut the chain into pieces that have a mass matrix.
    expect_chain(false, false, "radau5/ggl@joint", NULL);
    expect_chain(true, false, "dopri5/index1+project@joint", NULL);
    expect_chain(false, true, "dopri5/index1@joint", NULL);
    expect_chain(true, true, "radau5/ggl@joint", NULL);
    expect_chain(true, false, "herk5/index2@joint", NULL);
}

static int refuse_late(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    f[0] = -at->q[0];
    return at->t > 0.5 ? 1 : 0;
}

static int unit_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    (void)at;
    M[0] = 1.0;
    return 0;
}

static void functions_have_no_joint_coordinates(void)
{
    const tn_callbacks functions = {.nq = 1, .mass = unit_mass, .force = refuse_late};
    const double q = 1.0, v = 0.0;
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "dopri5/index1@joint";
    CHECK_STATUS(tn_sim_create_callbacks(&functions, &q, &v, &options, &sim), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "unknown coordinates 'joint'; known are callbacks");
    CHECK(sim == NULL);
}

static void times_that_cannot_be_are_refused(void)
{
    tn_model *model = bob();
    tn_sim_options options = tn_default_sim();
    options.t_start = 1.0;
    tn_sim *sim = open_sim(model, &options);
    CHECK_STATUS(tn_sim_run(sim, 0.5, NULL, NULL), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "t_end is 0.5 s; it must not lie before the start at 1 s");
    CHECK_STATUS(tn_sim_run(sim, INFINITY, NULL, NULL), TN_ERR_USAGE);
    CHECK_STATUS(tn_sim_step(sim, 0.0), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "the step is 0 s; it must be positive");
    CHECK_STATUS(tn_sim_step(sim, -1.0), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "the step is -1 s; it must be positive");
    CHECK(tn_sim_time(sim) == 1.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_faulty_model_tells_its_first_error(void)
{
    tn_model *model = bob();
    tn_body_def def = tn_default_body();
    def.name = "ghost";
    def.mass = -1.0;
    tn_model_add_body(model, &def);
    char first[200];
    CHECK(tn_model_status(model) == TN_ERR_MODEL);
    snprintf(first, sizeof first, "%s", tn_last_error());
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), first);
    CHECK(strstr(first, "body 'ghost'") != NULL);
    tn_model_destroy(model);
}

// Newton ------------------------------------------------------------------------------------------

// One iteration is never enough for a pendulum that turns by a radian in one step.
static void a_step_that_fails_says_where_and_what_to_try(void)
{
    tn_model *model = bob();
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    options.newton_max = 1;
    for (int adaptive = 0; adaptive < 2; adaptive++) { // which does not matter to a stated step
        options.adaptive = adaptive;
        tn_sim *sim = open_sim(model, &options);
        double q[3];
        memcpy(q, tn_sim_q(sim), sizeof q);
        CHECK_STATUS(tn_sim_step(sim, 0.5), TN_ERR_NUMERIC);
        const char *text = tn_last_error();
        static const char start[] =
            "at t = 0 s the step of 0.5 s did not converge: the largest residual is ";
        static const char advice[] = "; try a smaller step";
        CHECK(!strncmp(text, start, sizeof start - 1));
        CHECK(strstr(text, " at joint 'pin', row ") || strstr(text, " at body 'bob', "));
        CHECK_TEXT(text + strlen(text) - (sizeof advice - 1), advice);
        CHECK(tn_sim_time(sim) == 0.0 && !memcmp(q, tn_sim_q(sim), sizeof q));
        tn_sim_destroy(sim);
    }

    options.newton_max = 20; // and a smaller step cures it
    options.adaptive = false;
    tn_sim *sim = open_sim(model, &options);
    CHECK_OK(tn_sim_step(sim, 0.01));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A mass of 1e-20 kg between two springs would take fixed steps of 1e-13 s and never end.
static void a_usual_step_that_is_far_too_small_is_told(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies: {b: {kind: point, mass: 1e-20}}\n"
        "forces: {f: {kind: spring, bodies: [ground, b],\n"
        "             frame_a: {at: [-1, 0, 0]}, stiffness: 100, free: 0.9}}\n";
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "light", &model, NULL));
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    tn_sim *sim = open_sim(model, &options);
    CHECK_STATUS(tn_sim_run(sim, 3.0, NULL, NULL), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "the fastest motion asks for fixed steps of ") != NULL);
    CHECK(tn_sim_time(sim) == 0.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A function that keeps asking for a smaller step ends an error-controlled run before the point
// where it does, with everything up to there.
static void a_function_that_never_agrees_ends_the_run(void)
{
    const tn_callbacks functions = {.nq = 1, .mass = unit_mass, .force = refuse_late};
    const double q = 1.0, v = 0.0;
    tn_sim_options options = tn_default_sim();
    options.adaptive = true;
    options.step_min = 1e-4;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&functions, &q, &v, &options, &sim));
    CHECK_STATUS(tn_sim_run(sim, 1.0, NULL, NULL), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "loosen the tolerances or check the model there") != NULL);
    CHECK_NEAR(tn_sim_time(sim), 0.5, 1e-3);
    CHECK_NEAR(tn_sim_q(sim)[0], cos(tn_sim_time(sim)), 1e-5);
    tn_sim_destroy(sim);
}

static const tn_test tests[] = {
    {"steps take no memory", steps_take_no_memory},
    {"steps of no method take memory", steps_of_no_method_take_memory},
    {"steps in joint coordinates take no memory", steps_in_joint_coordinates_take_no_memory},
    {"steps of discrete principles take no memory", steps_of_discrete_principles_take_no_memory},
    {"destroying gives everything back", destroying_gives_everything_back},
    {"simulations run side by side", simulations_run_side_by_side},
    {"joint simulations run side by side", joint_simulations_run_side_by_side},
    {"runs in joint coordinates repeat bit by bit", runs_in_joint_coordinates_repeat_bit_by_bit},
    {"runs end exactly where they should", runs_end_exactly_where_they_should},
    {"a step longer than the run is one step", a_step_longer_than_the_run_is_one_step},
    {"a run stops on request and goes on", a_run_stops_on_request_and_goes_on},
    {"options out of range are refused", options_out_of_range_are_refused},
    {"unknown methods get the nearest name", unknown_methods_get_the_nearest_name},
    {"parts of a method may be left out", parts_of_a_method_may_be_left_out},
    {"an illegal pairing names what is missing", an_illegal_pairing_names_what_is_missing},
    {"joint coordinates tell what they do not take", joint_coordinates_tell_what_they_do_not_take},
    {"functions have no joint coordinates", functions_have_no_joint_coordinates},
    {"times that cannot be are refused", times_that_cannot_be_are_refused},
    {"a faulty model tells its first error", a_faulty_model_tells_its_first_error},
    {"a step that fails says where and what to try", a_step_that_fails_says_where_and_what_to_try},
    {"a usual step that is far too small is told", a_usual_step_that_is_far_too_small_is_told},
    {"a function that never agrees ends the run", a_function_that_never_agrees_ends_the_run},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
