// SPDX-License-Identifier: MIT
//
// The explicit Runge-Kutta methods: their coefficients fulfil the order conditions of every rooted
// tree, steps and dense output converge with the orders that follow, and the cost is what it should
// be. The interpolation between the ends of a step, for methods without dense output of their own.

#include "integrator/interpolate.h"
#include "integrator/runge_kutta.h"
#include "lie/so3.h"
#include "road_problems.h"

// Rooted trees ------------------------------------------------------------------------------------

enum { MOST_STAGES = 16, MOST_TREES = 200, MOST_ORDER = 8 };

// A tree is its children; phi are the elementary weights of the stages [HNW93, II.2]:
//   gamma(t) = order(t) prod gamma(child),   phi_i(t) = prod over children sum_j a_ij phi_j(child)
typedef struct tree {
    int order;
    double gamma, phi[MOST_STAGES];
} tree;

typedef struct forest {
    const tn_tableau *m;
    int count;
    tree trees[MOST_TREES];
} forest;

static tree with_child(const forest *f, const tree *t, const tree *child)
{
    const int n = f->m->stages + f->m->extra;
    tree grown = *t;
    grown.order += child->order;
    grown.gamma *= child->gamma; // the order is multiplied in when the tree is complete
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < i; j++)
            sum += tn_tableau_row(f->m, i)[j] * child->phi[j];
        grown.phi[i] *= sum;
    }
    return grown;
}

// All trees of an order that have the given part and children from the trees up to `last`.
static void grow(forest *f, const tree *t, int order, int last)
{
    if (t->order == order) {
        CHECK(f->count < MOST_TREES);
        tree *done = &f->trees[f->count++];
        *done = *t;
        done->gamma *= order;
        return;
    }
    for (int k = last; k >= 0; k--)
        if (t->order + f->trees[k].order <= order) {
            const tree grown = with_child(f, t, &f->trees[k]);
            grow(f, &grown, order, k);
        }
}

static void grow_forest(forest *f, const tn_tableau *m, int order)
{
    tree root = {.order = 1, .gamma = 1.0};
    for (int i = 0; i < MOST_STAGES; i++)
        root.phi[i] = 1.0;
    f->m = m;
    f->count = 0;
    for (int p = 1; p <= order; p++)
        grow(f, &root, p, f->count - 1);
}

// Largest |sum w_i phi_i - scale^order / gamma| over the trees of one order.
static double defect(const forest *f, int order, int n, const double *w, double scale)
{
    double worst = 0.0;
    for (int k = 0; k < f->count; k++) {
        const tree *t = &f->trees[k];
        if (t->order == order)
            worst = fmax(worst, fabs(tn_dot(n, w, t->phi) - pow(scale, order) / t->gamma));
    }
    return worst;
}

static forest woods;
// Coefficients of size 40 with 16 digits, and up to 500 in the dense output of dop853.
static const double ROUND = 1e-13, DENSE_ROUND = 2e-12;

static void check_conditions(const tn_tableau *m, int error_order, int rough_order, int dense_order)
{
    static const int trees[] = {1, 2, 4, 8, 17, 37, 85, 200}; // up to an order [HNW93, II.2]
    const int s = m->stages, n = s + m->extra;
    grow_forest(&woods, m, MOST_ORDER);
    CHECK(woods.count == trees[MOST_ORDER - 1]);
    for (int i = 0; i < n; i++) { // row sums
        double sum = 0.0;
        for (int j = 0; j < i; j++)
            sum += tn_tableau_row(m, i)[j];
        CHECK_NEAR(sum, m->c[i], ROUND);
    }
    for (int p = 1; p <= MOST_ORDER; p++) {
        const double b = defect(&woods, p, s - 1, tn_tableau_row(m, s - 1), 1.0);
        const double e = defect(&woods, p, s, m->error, 0.0);
        const double r = m->rough ? defect(&woods, p, s, m->rough, 0.0) : 0.0;
        double w[MOST_STAGES], d = 0.0;
        for (double x = 0.1; x < 1.0; x += 0.2) {
            for (int i = 0; i < n; i++)
                w[i] = tn_tableau_weight(m, i, x);
            d = fmax(d, defect(&woods, p, n, w, x));
        }
        printf("order %d: weights %.1e, error %.1e and %.1e, dense %.1e\n", p, b, e, r, d);
        CHECK(p <= m->order ? b < ROUND : b > 1e-6);
        CHECK(p <= error_order ? e < ROUND : e > 1e-6);
        CHECK(!m->rough || (p <= rough_order ? r < ROUND : r > 1e-6));
        CHECK(p <= dense_order ? d < DENSE_ROUND : d > 1e-6);
    }
    for (int i = 0; i < n; i++) { // dense output meets the ends
        CHECK_NEAR(tn_tableau_weight(m, i, 0.0), 0.0, 0.0);
        CHECK_NEAR(tn_tableau_weight(m, i, 1.0), i < s - 1 ? tn_tableau_row(m, s - 1)[i] : 0.0,
                   ROUND);
    }
}

static void dopri5_fulfils_the_order_conditions(void)
{
    check_conditions(&tn_tableau_dopri5, 4, 0, 4);
}

static void dop853_fulfils_the_order_conditions(void)
{
    check_conditions(&tn_tableau_dop853, 5, 3, 7);
}

// Orders ------------------------------------------------------------------------------------------

static void run_with(const problem *p, const char *method, const char *rotation, int steps,
                     track *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    options.step = p->t_end / steps;
    follow(p, &options, out);
}

typedef struct halving {
    const problem *p;
    const char *method;
    int steps;    // of the coarse run: errors well above round-off and small enough for the order
    int halvings; // more than one where terms of order five and six are of like size
} halving;

// The first part of its motion: later a dead centre leaves little between the steps that it needs
// and round-off.
static const problem short_crank = {.name = "slider-crank", .model = slider_crank, .t_end = 0.3};

static void orders_are_five_and_eight(void)
{
    const double WITHIN = 0.35; // terms of the next order; eight leaves few steps above round-off
    static const halving runs[] = {
        {&problems[POINT_PENDULUM], "dopri5/index1", 64, 1},
        {&problems[POINT_PENDULUM], "dop853/index1", 16, 1},
        {&problems[SLOW_TOP], "dopri5/index1", 64, 1},
        {&problems[SLOW_TOP], "dop853/index1", 16, 1},
        {&short_crank, "dopri5/index1", 20, 3}, // the finest is above round-off
        {&short_crank, "dop853/index1", 8, 1},
        {&problems[TUMBLER], "dopri5/index1", 64, 1},
        {&problems[TUMBLER], "dop853/index1", 16, 1},
        {&problems[DRIVEN_ARM], "dopri5/index1", 32, 1},
    };
    static const char *const rotations[] = {"so3", "se3", "quaternion", "euler"};
    static track exact, coarse, fine;
    for (int k = 0; k < TN_COUNT(runs); k++) {
        const problem *p = runs[k].p;
        const double stated = strstr(runs[k].method, "853") ? 8.0 : 5.0;
        const int halvings = runs[k].halvings;
        run_with(p, "dop853/index1", "so3", 512, &exact);
        for (int r = 0; r < (p->rotates ? TN_COUNT(rotations) : 1); r++) {
            run_with(p, runs[k].method, rotations[r], runs[k].steps, &coarse);
            run_with(p, runs[k].method, rotations[r], runs[k].steps << halvings, &fine);
            for (int what = OF_Q; what <= OF_LAMBDA; what++) {
                if (coarse.n[what] == 0)
                    continue;
                const double e[2] = {distance(&coarse, &exact, (quantity)what),
                                     distance(&fine, &exact, (quantity)what)};
                const double order = log2(e[0] / e[1]) / halvings;
                printf("%-15s %s %-10s %-6s %.1e %.1e order %.2f\n", p->name, runs[k].method,
                       rotations[r], quantity_names[what], e[0], e[1], order);
                CHECK_NEAR(order, stated, WITHIN);
            }
        }
    }
}

// Nonholonomic rows, contact coordinates and sampled states, against closed forms or one angle.
// Missing Jacobians and gamma are differences there, which leave 2e-9 in v.
static void every_kind_of_variable_is_carried(void)
{
    static const int which[] = {KNIFE_EDGE, BEAD, CONTROLLER};
    static const char *const methods[] = {"dopri5/index1", "dop853/index1"};
    static track exact, run;
    for (int k = 0; k < TN_COUNT(which); k++)
        for (int m = 0; m < TN_COUNT(methods); m++) {
            const problem *p = &problems[which[k]];
            run_with(p, methods[m], "auto", 96, &run);
            exact = run;
            for (int i = 0; i < TIMES; i++)
                p->exact(p->t_end * (i + 1) / TIMES, exact.at[i]);
            for (int what = 0; what < QUANTITIES; what++)
                CHECK_NEAR(distance(&run, &exact, (quantity)what), 0.0, 2e-8);
        }
}

// Dense output ------------------------------------------------------------------------------------

static void note_now(track *x, tn_sim *sim, const tn_model *model)
{
    note(x, 0, sim, model, NULL);
}

// Largest error in q, v and lambda of what is shown within steps; `cost` receives the evaluations
// for all that was shown.
static void dense_errors(const problem *p, const char *method, int steps, double error[QUANTITIES],
                         long *cost)
{
    static const double within[] = {0.15, 0.5, 0.7, 0.95};
    static track seen, exact;
    tn_model *model, *other;
    tn_sim_options options = tn_default_sim(), tight = tn_default_sim();
    options.method = method;
    options.step = p->t_end / steps;
    tight.method = "dop853/index1";
    tight.rtol = tight.atol = 1e-14;
    tn_sim *sim = open_problem(p, &options, &model), *reference = open_problem(p, &tight, &other);
    tn_ledger before, after;
    *cost = 0;
    for (int what = 0; what < QUANTITIES; what++)
        error[what] = 0.0;
    for (int k = 0; k < steps; k++) {
        CHECK_OK(tn_sim_step(sim, options.step));
        const double t0 = tn_sim_before(sim), h = tn_sim_time(sim) - t0;
        tn_sim_ledger(sim, &before);
        for (int i = 0; i < TN_COUNT(within); i++) {
            const double t = t0 + within[i] * h;
            CHECK_OK(tn_sim_show(sim, t));
            CHECK_OK(tn_sim_run(reference, t, NULL, NULL));
            note_now(&seen, sim, model);
            note_now(&exact, reference, other);
            for (int what = OF_Q; what <= OF_LAMBDA; what++)
                for (int j = 0; j < seen.n[what]; j++)
                    error[what] =
                        fmax(error[what], fabs(seen.at[0][what][j] - exact.at[0][what][j]));
        }
        tn_sim_current(sim);
        tn_sim_ledger(sim, &after);
        *cost += after.evaluations - before.evaluations;
    }
    tn_sim_destroy(sim);
    tn_sim_destroy(reference);
    tn_model_destroy(model);
    tn_model_destroy(other);
}

// A continuous extension of order p has the local error h^(p+1): as good as the steps of dopri5
// (p = 4, order 5) and of dop853 (p = 7, order 8).
static void dense_output_is_as_good_as_the_steps(void)
{
    const double WITHIN = 0.5; // the local errors of dense output are not yet uniform
    static const int which[] = {POINT_PENDULUM, SLOW_TOP};
    static const struct {
        const char *method;
        int steps;
        double order;
    } runs[] = {{"dopri5/index1", 32, 5.0}, {"dop853/index1", 10, 8.0}};
    for (int k = 0; k < TN_COUNT(which); k++)
        for (int m = 0; m < TN_COUNT(runs); m++) {
            double coarse[QUANTITIES], fine[QUANTITIES];
            long cost;
            dense_errors(&problems[which[k]], runs[m].method, runs[m].steps, coarse, &cost);
            dense_errors(&problems[which[k]], runs[m].method, 2 * runs[m].steps, fine, &cost);
            for (int what = OF_Q; what <= OF_LAMBDA; what++) {
                const double order = log2(coarse[what] / fine[what]);
                printf("%-15s %s dense %-6s %.1e %.1e order %.2f\n", problems[which[k]].name,
                       runs[m].method, quantity_names[what], coarse[what], fine[what], order);
                CHECK_NEAR(order, runs[m].order, WITHIN);
            }
        }
}

// Six evaluations for a step of dopri5 and twelve of dop853, whose dense output costs three more
// when it is asked for; each state that is shown costs one for its multipliers.
static long evaluations(const char *method, int steps, int shows)
{
    const problem *p = &problems[POINT_PENDULUM];
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = 0.01;
    tn_model *model;
    tn_sim *sim = open_problem(p, &options, &model);
    for (int k = 0; k < steps; k++) {
        CHECK_OK(tn_sim_step(sim, 0.01));
        for (int i = 0; i < shows; i++)
            CHECK_OK(tn_sim_show(sim, tn_sim_before(sim) + 0.002 * (i + 1)));
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger.evaluations;
}

static void evaluations_are_not_wasted(void)
{
    // What the time loop itself evaluates for each step and for each show is in both differences.
    const long loop = evaluations("dopri5/index1", 20, 0) - evaluations("dopri5/index1", 10, 0);
    const long far = evaluations("dop853/index1", 20, 0) - evaluations("dop853/index1", 10, 0);
    CHECK(far - loop == 10 * (12 - 6));
    CHECK(loop >= 10 * 6 && loop <= 10 * 8);
    const long once = evaluations("dop853/index1", 10, 1) - evaluations("dop853/index1", 10, 0);
    const long twice = evaluations("dop853/index1", 10, 2) - evaluations("dop853/index1", 10, 0);
    CHECK(2 * once - twice == 10 * 3);
}

// Shown states are looked at, not used: the motion is the same to the last bit.
static void shows_do_not_change_the_motion(void)
{
    static const char *const methods[] = {"dopri5/index1", "dop853/index1"};
    const problem *p = &problems[SLOW_TOP];
    for (int m = 0; m < TN_COUNT(methods); m++) {
        double end[2][7];
        for (int look = 0; look < 2; look++) {
            tn_sim_options options = tn_default_sim();
            options.method = methods[m];
            tn_model *model;
            tn_sim *sim = open_problem(p, &options, &model);
            for (int k = 0; k < 20; k++) {
                CHECK_OK(tn_sim_step(sim, 0.02));
                if (look)
                    CHECK_OK(tn_sim_show(sim, tn_sim_time(sim) - 0.005));
            }
            tn_sim_current(sim);
            memcpy(end[look], tn_sim_q(sim), sizeof end[look]);
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
        CHECK(!memcmp(end[0], end[1], sizeof end[0]));
    }
}

// herk5 is here too: its matrix is factored first when it is opened.
static void steps_and_shows_take_no_memory(void)
{
    static const char *const methods[] = {"dopri5/index1", "dop853/index1", "herk5/index2"};
    for (int m = 0; m < TN_COUNT(methods); m++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        options.method = methods[m];
        CHECK_OK(tn_model_load(tn_test_path("models/andrews.yaml"), &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        const long before = tn_test_alloc_count();
        for (int k = 0; k < 20; k++) {
            CHECK_OK(tn_sim_run(sim, 1e-4 * (k + 1), NULL, NULL));
            CHECK_OK(tn_sim_show(sim, 0.5 * (tn_sim_before(sim) + tn_sim_time(sim))));
            tn_sim_current(sim);
        }
        CHECK(tn_test_alloc_count() == before);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Control -----------------------------------------------------------------------------------------

static void the_controller_follows_the_theory(void)
{
    tn_control c = {.safe = 0.9, .exponent = 0.2, .least = 0.2, .most = 10.0};
    tn_control_begin(&c);
    CHECK_NEAR(tn_control_factor(&c, 1.0, true), 0.9, 1e-15);
    CHECK_NEAR(tn_control_factor(&c, pow(0.45, 5.0), true), 2.0, 1e-14);
    CHECK_NEAR(tn_control_factor(&c, 0.0, true), 10.0, 0.0); // not more than allowed
    CHECK_NEAR(tn_control_factor(&c, 32.0, true), 0.45, 1e-15);
    CHECK_NEAR(tn_control_factor(&c, 1e-5, true), 1.0, 0.0); // not longer right after a rejection
    CHECK(tn_control_factor(&c, 1e-5, true) > 8.0);
    CHECK_NEAR(tn_control_factor(&c, 1e12, true), 0.2, 0.0);
}

static double error_at(const problem *p, const char *method, double tol, const track *exact,
                       tn_ledger *ledger)
{
    tn_model *model;
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rtol = options.atol = tol;
    tn_sim *sim = open_problem(p, &options, &model);
    track end;
    CHECK_OK(tn_sim_run(sim, p->t_end, NULL, NULL));
    note(&end, TIMES - 1, sim, model, p->callbacks);
    tn_sim_ledger(sim, ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    double error = 0.0;
    for (int i = 0; i < end.n[OF_Q]; i++)
        error = fmax(error, fabs(end.at[TIMES - 1][OF_Q][i] - exact->at[TIMES - 1][OF_Q][i]));
    return error;
}

// Work against error on the models of the tests ---------------------------------------------------

// Eight rods on ball joints, let go from a line aslant.
static tn_model *chain(void)
{
    enum { RODS = 8 };
    const double length = 0.2;
    const tn_vec3 step = {length * 0.6, 0.0, -length * 0.8}, none = {0};
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_body above = TN_GROUND;
    for (int k = 0; k < RODS; k++) {
        const tn_body rod = add_rigid(model, tn_v3_scale(k, step), tn_v3_scale(0.5, step),
                                      tn_v3(0.007, 0.009, 0.006));
        const tn_joint_def ball = joint_at(TN_JOINT_SPHERICAL, above, k ? step : none, rod, none);
        tn_model_add_joint(model, &ball);
        above = rod;
    }
    return model;
}

static tn_model *from_file(const char *path)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    return model;
}

static tn_model *four_bar(void)
{
    return from_file("models/fourbar.yaml");
}

static tn_model *andrews(void)
{
    return from_file("models/andrews.yaml");
}

// Evaluations that a method needs for an error, between measured ones on logarithmic scales.
typedef struct work {
    int count;
    double error[8], evaluations[8];
} work;

static double needed(const work *w, double error)
{
    for (int k = 1; k < w->count; k++)
        if (w->error[k] <= error) {
            const double s = log(w->error[k - 1] / error) / log(w->error[k - 1] / w->error[k]);
            return exp((1.0 - s) * log(w->evaluations[k - 1]) + s * log(w->evaluations[k]));
        }
    return INFINITY;
}

static work measure_work(const problem *p, const char *method, const track *exact)
{
    work w = {0};
    for (double tol = 1e-4; tol > 5e-12; tol *= 0.1) {
        tn_ledger ledger;
        const double error = error_at(p, method, tol, exact, &ledger);
        printf("%-12s %-14s tolerance %.0e: %4ld steps, %3ld rejected, %5ld evaluations, error "
               "%.1e\n",
               p->name, method, tol, ledger.steps, ledger.rejected, ledger.evaluations, error);
        w.error[w.count] = error;
        w.evaluations[w.count++] = (double)ledger.evaluations;
    }
    CHECK(w.error[6] < 1e-4 * w.error[1]); // the error follows the tolerance, 1e-5 to 1e-10
    return w;
}

static void dop853_costs_half_of_dopri5_on_chains_and_loops(void)
{
    static const problem measured[] = {
        {.name = "chain", .model = chain, .t_end = 1.0},
        {.name = "four-bar", .model = four_bar, .t_end = 2.0},
        {.name = "andrews", .model = andrews, .t_end = 0.03},
    };
    for (int k = 0; k < TN_COUNT(measured); k++) {
        const problem *p = &measured[k];
        static track exact;
        tn_sim_options tight = tn_default_sim();
        tight.method = "dop853/index1";
        tight.rtol = tight.atol = 1e-14;
        tn_model *model;
        tn_sim *sim = open_problem(p, &tight, &model);
        CHECK_OK(tn_sim_run(sim, p->t_end, NULL, NULL));
        note(&exact, TIMES - 1, sim, model, NULL);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
        const work five = measure_work(p, "dopri5/index1", &exact);
        const work eight = measure_work(p, "dop853/index1", &exact);
        for (double error = 1e-6; error > 5e-10; error *= 0.1)
            printf("%-12s error %.0e: %5.0f and %5.0f evaluations, %.2f\n", p->name, error,
                   needed(&five, error), needed(&eight, error),
                   needed(&eight, error) / needed(&five, error));
        CHECK(needed(&eight, 1e-8) < 0.7 * needed(&five, 1e-8));
        CHECK(needed(&eight, 1e-9) < 0.6 * needed(&five, 1e-9));
    }
}

// Functions that ask for a smaller step -----------------------------------------------------------

typedef struct moody {
    int calls, asked;
} moody;

// Asks for a smaller step now and then; m of a pendulum on a circle is one.
static int moody_force(void *user, const tn_arguments *x, double *f)
{
    moody *m = user;
    (void)x;
    f[0] = 0.0;
    f[1] = -G0;
    m->calls++;
    if (m->calls % 97 == 50) {
        m->asked++;
        return 1;
    }
    return 0;
}

static int moody_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user;
    (void)x;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int moody_circle(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    g[0] = 0.5 * (x->q[0] * x->q[0] + x->q[1] * x->q[1] - 1.0);
    return 0;
}

static int moody_jacobian(void *user, const tn_arguments *x, double *G)
{
    (void)user;
    G[0] = x->q[0];
    G[1] = x->q[1];
    return 0;
}

static int moody_gamma(void *user, const tn_arguments *x, double *gamma)
{
    (void)user;
    gamma[0] = x->v[0] * x->v[0] + x->v[1] * x->v[1];
    return 0;
}

static void pendulum_rhs(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[1];
    dx[1] = -G0 * sin(x[0]);
}

static void a_function_that_asks_gets_a_smaller_step(void)
{
    static const char *const methods[] = {"dopri5/index1", "dop853/index1"};
    double angle[2] = {0.6, 0.5};
    runge_kutta(pendulum_rhs, 2, 0.0, 1.0, 4000, angle);
    for (int m = 0; m < TN_COUNT(methods); m++) {
        moody mood = {0};
        const tn_callbacks functions = {.user = &mood,
                                        .nq = 2,
                                        .ng = 1,
                                        .mass = moody_mass,
                                        .force = moody_force,
                                        .constraint = moody_circle,
                                        .jacobian = moody_jacobian,
                                        .gamma = moody_gamma};
        tn_sim_options options = tn_default_sim();
        options.method = methods[m];
        options.rtol = options.atol = 1e-9;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create_callbacks(&functions, loop_q0, loop_v0, &options, &sim));
        mood.calls = mood.asked = 0;
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        CHECK(mood.asked > 0 && ledger.rejected >= mood.asked);
        CHECK_NEAR(tn_sim_q(sim)[0], sin(angle[0]), 1e-7);
        CHECK_NEAR(tn_sim_q(sim)[1], -cos(angle[0]), 1e-7);
        tn_sim_destroy(sim);
    }
}

// Interpolation between the ends of a step --------------------------------------------------------

enum { FACTORS = 4, NQ = 20, NV = 17 };

static const tn_group factors[FACTORS] = {{TN_GROUP_R, 0, 2, 0, 2},
                                          {TN_GROUP_SO3, 2, 7, 2, 6},
                                          {TN_GROUP_SE3, 9, 7, 8, 6},
                                          {TN_GROUP_ROTATION, 16, 4, 14, 3}};

typedef struct frozen {
    double q[NQ], v[NV], a[NV], lambda[1], eta[1], e[1], r[1];
} frozen;

// R = exp(t w1) exp(t^2 w2): Omega = R2^T w1 + 2 t w2, Omega' = -2 t w2 x R2^T w1 + 2 w2.
static void turn_at(double t, tn_quat *e, tn_vec3 *rate, tn_vec3 *rate_dot)
{
    const tn_vec3 w1 = {1.2, -0.7, 0.4}, w2 = {-0.3, 0.9, 0.8};
    const tn_mat3 R2 = tn_so3_exp(tn_v3_scale(t * t, w2));
    const tn_vec3 first = tn_m3_apply_t(R2, w1), second = tn_v3_scale(2.0 * t, w2);
    *e = tn_quat_mul(tn_so3_exp_quat(tn_v3_scale(t, w1)), tn_so3_exp_quat(tn_v3_scale(t * t, w2)));
    *rate = tn_v3_add(first, second);
    *rate_dot = tn_v3_add(tn_v3_cross(first, second), tn_v3_scale(2.0, w2));
}

static tn_state state_at(double t, frozen *x)
{
    const tn_vec3 p = {sin(t), cos(2.0 * t), exp(t)}, u = {cos(t), -2.0 * sin(2.0 * t), exp(t)},
                  du = {-sin(t), -4.0 * cos(2.0 * t), exp(t)};
    tn_quat e;
    tn_vec3 rate, rate_dot;
    turn_at(t, &e, &rate, &rate_dot);
    const tn_mat3 R = tn_quat_matrix(e);
    const tn_vec3 twist = tn_m3_apply_t(R, u); // u = R twist
    const double linear[3][2] = {{sin(t), exp(-t)}, {cos(t), -exp(-t)}, {-sin(t), exp(-t)}};
    for (int i = 0; i < 2; i++) {
        x->q[i] = linear[0][i];
        x->v[i] = linear[1][i];
        x->a[i] = linear[2][i];
    }
    for (int k = 0; k < 2; k++) {
        tn_v3_to(p, x->q + 2 + 7 * k);
        tn_quat_to(e, x->q + 5 + 7 * k);
        tn_v3_to(rate, x->v + 5 + 6 * k);
        tn_v3_to(rate_dot, x->a + 5 + 6 * k);
    }
    tn_quat_to(e, x->q + 16);
    tn_v3_to(rate, x->v + 14);
    tn_v3_to(rate_dot, x->a + 14);
    tn_v3_to(u, x->v + 2);
    tn_v3_to(du, x->a + 2);
    tn_v3_to(twist, x->v + 8);
    tn_v3_to(tn_v3_sub(tn_m3_apply_t(R, du), tn_v3_cross(rate, twist)), x->a + 8);
    x->lambda[0] = 3.0 * t;
    x->eta[0] = 1.0 - t;
    x->e[0] = 2.0 + t;
    return (tn_state){t, x->q, x->v, x->a, x->lambda, x->eta, x->e, x->r};
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static void interpolation_has_orders_six_and_four(void)
{
    tn_group groups[FACTORS];
    memcpy(groups, factors, sizeof groups);
    const tn_system sys = {
        .nq = NQ, .nv = NV, .ng = 1, .nn = 1, .ne = 1, .ngroup = FACTORS, .groups = groups};
    double last[2] = {0.0, 0.0};
    for (double h = 0.4; h > 0.03; h *= 0.5) {
        frozen x[3], y;
        const tn_state from = state_at(0.3, &x[0]), to = state_at(0.3 + h, &x[1]);
        tn_state out = state_at(0.0, &y);
        double error[2] = {0.0, 0.0};
        for (double s = 0.0; s < 1.01; s += 0.125) {
            const tn_state exact = state_at(0.3 + s * h, &x[2]);
            tn_interpolate(&sys, &from, &to, exact.t, &out);
            error[0] = fmax(error[0], apart(NQ, out.q, exact.q));
            error[1] = fmax(error[1], apart(NV, out.v, exact.v));
            CHECK_NEAR(out.lambda[0], exact.lambda[0], 1e-14);
            CHECK_NEAR(out.eta[0], exact.eta[0], 1e-14);
            CHECK_NEAR(out.e[0], exact.e[0], 1e-14);
            if (s == 0.0 || s == 1.0) { // both ends are met
                CHECK_NEAR(apart(NQ, out.q, exact.q), 0.0, 1e-14);
                CHECK_NEAR(apart(NV, out.v, exact.v), 0.0, 1e-14);
                CHECK_NEAR(apart(NV, out.a, exact.a), 0.0, 1e-14);
            }
        }
        printf("h %.3f: error of q %.1e, v %.1e\n", h, error[0], error[1]);
        if (last[0] > 0.0) {
            CHECK_NEAR(log2(last[0] / error[0]), 6.0, 0.4);
            CHECK_NEAR(log2(last[1] / error[1]), 4.0, 0.4);
        }
        last[0] = error[0];
        last[1] = error[1];
    }
}

static const tn_test tests[] = {
    {"dopri5 fulfils the order conditions", dopri5_fulfils_the_order_conditions},
    {"dop853 fulfils the order conditions", dop853_fulfils_the_order_conditions},
    {"orders are five and eight", orders_are_five_and_eight},
    {"every kind of variable is carried", every_kind_of_variable_is_carried},
    {"dense output is as good as the steps", dense_output_is_as_good_as_the_steps},
    {"evaluations are not wasted", evaluations_are_not_wasted},
    {"shows do not change the motion", shows_do_not_change_the_motion},
    {"steps and shows take no memory", steps_and_shows_take_no_memory},
    {"the controller follows the theory", the_controller_follows_the_theory},
    {"dop853 costs half of dopri5 on chains and loops",
     dop853_costs_half_of_dopri5_on_chains_and_loops},
    {"a function that asks gets a smaller step", a_function_that_asks_gets_a_smaller_step},
    {"interpolation has orders six and four", interpolation_has_orders_six_and_four},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
