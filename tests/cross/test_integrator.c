// SPDX-License-Identifier: MIT
//
// Every legal pairing of an integrator and a formulation, on problems that together have every kind
// of variable: steps are halved and the observed order in q, v, lambda (with eta) and the extra
// variables is the one that the integrator states. All pairings describe one motion.

#include "road_problems.h"

static const double ORDER_TOL = 0.15; // terms of the next order at these steps
// Orders are observed between the coarse and the fine run. Reference runs have an error of 1/256 of
// the fine one, which shifts the observed order by less than 0.01.
enum { COARSE = 4, FINE = 8, FINEST = 128 };

static void check_order(const problem *p, const tn_integrator_ops *integrator,
                        const tn_formulation *formulation, const char *rotation, void *user)
{
    const track *exact = user;
    static const int refine[2] = {COARSE, FINE};
    static track run[2];
    char method[64];
    method_name(integrator, formulation, method);
    for (int k = 0; k < 2; k++) {
        const tn_sim_options options = fixed_step(p, method, rotation, refine[k]);
        follow(p, &options, &run[k]);
    }
    for (int what = 0; what < QUANTITIES; what++) {
        if (run[0].n[what] == 0)
            continue;
        const double coarse = distance(&run[0], exact, (quantity)what);
        const double fine = distance(&run[1], exact, (quantity)what);
        const double order = log2(coarse / fine);
        printf("%-28s %-14s %s %-6s error %.2e %.2e order %.3f\n", p->name, method, rotation,
               quantity_names[what], coarse, fine, order);
        // The errors of baumgarte2 fall a little faster at these steps: its weight C/h grows.
        if (fine > 1e-11 && strcmp(formulation->name, "baumgarte2"))
            CHECK_NEAR(order, integrator->order, ORDER_TOL);
        else if (fine > 1e-11)
            CHECK(order > integrator->order - ORDER_TOL);
    }
}

static void observed_orders_are_those_stated(void)
{
    static track exact;
    for (int k = 0; k < PROBLEMS; k++) {
        reference_track(&problems[k], FINEST, &exact);
        every_second_order_road(&problems[k], check_order, &exact);
    }
}

// One motion --------------------------------------------------------------------------------------

typedef struct meeting {
    bool first;
    track fine;
    double error[QUANTITIES];
} meeting;

// The error of the fine run is a third of its distance from the coarse one, at order two; higher
// terms and a reference road with an error of its own ask for some room.
static const double ROOM_FOR_ERROR = 1.5;

static void check_meeting(const problem *p, const tn_integrator_ops *integrator,
                          const tn_formulation *formulation, const char *rotation, void *user)
{
    meeting *others = user;
    static track coarse, fine;
    char method[64];
    method_name(integrator, formulation, method);
    tn_sim_options options = fixed_step(p, method, rotation, COARSE);
    follow(p, &options, &coarse);
    options = fixed_step(p, method, rotation, FINE);
    follow(p, &options, &fine);
    const double gain = pow(2.0, integrator->order) - 1.0;
    for (int what = 0; what < QUANTITIES; what++) {
        const double error = distance(&coarse, &fine, (quantity)what) / gain;
        if (others->first) {
            others->error[what] = error;
            continue;
        }
        const double apart = distance(&fine, &others->fine, (quantity)what);
        CHECK_NEAR(apart, 0.0, 1e-10 + ROOM_FOR_ERROR * (error + others->error[what]));
    }
    if (others->first)
        others->fine = fine;
    others->first = false;
}

static void all_roads_give_one_motion(void)
{
    static meeting others;
    for (int k = 0; k < PROBLEMS; k++) {
        others.first = true;
        every_second_order_road(&problems[k], check_meeting, &others);
    }
}

// Parameters --------------------------------------------------------------------------------------

static double order_of(const problem *p, tn_sim_options options, const track *exact, quantity what)
{
    static track run[2];
    for (int k = 0; k < 2; k++) {
        options.step = p->t_end / (p->steps * (k ? FINE : COARSE));
        follow(p, &options, &run[k]);
    }
    return log2(distance(&run[0], exact, what) / distance(&run[1], exact, what));
}

static void damping_does_not_change_the_order(void)
{
    static const double rho[] = {0.0, 0.4, 0.8}, alpha[] = {-1.0 / 3.0, -0.1};
    static track exact;
    const problem *p = &problems[SLOW_TOP];
    reference_track(p, FINEST, &exact);
    for (int k = 0; k < TN_COUNT(rho) + TN_COUNT(alpha); k++) {
        const bool galpha = k < TN_COUNT(rho);
        tn_sim_options options = fixed_step(p, galpha ? "galpha/ggl" : "hht/ggl", "se3", 1);
        if (galpha)
            options.rho_inf = rho[k];
        else
            options.hht_alpha = alpha[k - TN_COUNT(rho)];
        for (int what = OF_Q; what <= OF_LAMBDA; what++)
            CHECK_NEAR(order_of(p, options, &exact, (quantity)what), 2.0, ORDER_TOL);
    }
}

// Without damping the trapezoidal rule: no numerical dissipation, and still of second order.
static void the_undamped_limit_is_of_second_order(void)
{
    static track exact;
    const problem *p = &problems[TUMBLER];
    reference_track(p, FINEST, &exact);
    tn_sim_options options = fixed_step(p, "hht/index3", "so3", 1);
    options.hht_alpha = 0.0;
    CHECK_NEAR(order_of(p, options, &exact, OF_V), 2.0, ORDER_TOL);
    options.method = "galpha/index3";
    options.rho_inf = 1.0;
    CHECK_NEAR(order_of(p, options, &exact, OF_V), 2.0, ORDER_TOL);
}

// Start -------------------------------------------------------------------------------------------

enum { EARLY = 24, EARLY_ROWS = 8 };

// Multipliers of the first steps: every `every`-th of them.
static void early_multipliers(const problem *p, const char *method, const char *rotation,
                              int refine, int every, double out[EARLY][EARLY_ROWS])
{
    const tn_sim_options options = fixed_step(p, method, rotation, refine);
    tn_model *model;
    tn_sim *sim = open_problem(p, &options, &model);
    CHECK(tn_sim_nl(sim) <= EARLY_ROWS);
    for (int k = 0; k < EARLY * every; k++) {
        CHECK_OK(tn_sim_step(sim, options.step));
        for (int i = 0; i < tn_sim_nl(sim) && (k + 1) % every == 0; i++)
            out[k / every][i] = tn_sim_lambda(sim)[i];
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static double early_error(const problem *p, const char *method, const char *rotation, int refine,
                          int steps)
{
    static double run[EARLY][EARLY_ROWS], exact[EARLY][EARLY_ROWS];
    double error = 0.0;
    memset(run, 0, sizeof run);
    memset(exact, 0, sizeof exact);
    early_multipliers(p, method, rotation, refine, 1, run);
    early_multipliers(p, "galpha/ggl", rotation, 32 * refine, 32, exact);
    for (int k = 0; k < steps; k++)
        for (int i = 0; i < EARLY_ROWS; i++)
            error = fmax(error, fabs(run[k][i] - exact[k][i]));
    return error;
}

// [ACB15, eq. 8]: without the term in v'' and the bracket [v, v'] the multipliers of the index-3
// form begin with an error of first order, which only damping takes away.
static void corrected_starts_are_right_from_the_first_step(void)
{
    static const char *const rotations[] = {"so3", "se3"};
    static const char *const methods[] = {"galpha/index3", "hht/index3"};
    const problem *p = &problems[SLOW_TOP];
    for (int i = 0; i < TN_COUNT(rotations); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            const double coarse = early_error(p, methods[k], rotations[i], COARSE, EARLY / 2);
            const double fine = early_error(p, methods[k], rotations[i], FINE, EARLY);
            printf("early multipliers %s %s: %.2e %.2e order %.3f\n", methods[k], rotations[i],
                   coarse, fine, log2(coarse / fine));
            CHECK_NEAR(log2(coarse / fine), 2.0, ORDER_TOL);
        }
}

static const tn_test tests[] = {
    {"observed orders are those stated", observed_orders_are_those_stated},
    {"all roads give one motion", all_roads_give_one_motion},
    {"corrected starts are right from the first step",
     corrected_starts_are_right_from_the_first_step},
    {"damping does not change the order", damping_does_not_change_the_order},
    {"the undamped limit is of second order", the_undamped_limit_is_of_second_order},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
