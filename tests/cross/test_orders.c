// SPDX-License-Identifier: MIT
//
// Every legal pairing of an integrator and a formulation with every way to carry rotations: with
// fixed steps the observed orders of q, v and lambda are those that the pairing states, and with
// error control all pairings give one motion within their tolerance. Second-order methods have a
// finer test of their own (test_integrator.c).

#include "road_orders.h"
#include "road_problems.h"

static const int measured[] = {POINT_PENDULUM, SLOW_TOP, SLIDER_CRANK};

static void check_orders_in(const char *coordinates)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    for (int k = 0; k < TN_COUNT(measured); k++) {
        tight_track(&problems[measured[k]], "dop853/index1+project", &seen.exact);
        every_road(&problems[measured[k]], check_orders, &seen);
    }
    check_roads(&seen);
}

static void observed_orders_are_those_stated(void)
{
    check_orders_in("absolute");
}

// A rod that stays a constraint, a spherical joint on the group, which leaves none, and a loop.
static void orders_in_joint_coordinates_are_those_stated(void)
{
    check_orders_in("joint");
}

// Discrete principles are at home in linear coordinates.
static void orders_of_discrete_principles_are_those_stated(void)
{
    static orders_seen seen;
    begin_roads(&seen, "director");
    for (int k = 0; k < TN_COUNT(measured); k++) {
        const problem *p = &problems[measured[k]];
        tight_track(p, "dop853/index1+project@director", &seen.exact);
        for (int i = 0; i < tn_integrator_count; i++)
            for (int f = 0; f < tn_formulation_count; f++)
                if (tn_integrators[i]->needs & TN_VIEW_DISCRETE &&
                    tn_pairing_is_legal(tn_integrators[i], tn_formulations[f]))
                    check_orders(p, tn_integrators[i], tn_formulations[f], "auto", &seen);
    }
    check_roads(&seen);
}

// One motion --------------------------------------------------------------------------------------

// Global errors gather local ones, second-order methods hold those of q alone, and the velocities
// of radau5 in index 3 are of third order.
static const double TOLERANCE = 1e-7, MOST_ERROR = 1e-3;

static void check_motion(const problem *p, const tn_integrator_ops *integrator,
                         const tn_formulation *formulation, const char *rotation, void *user)
{
    static track run;
    orders_seen *seen = user;
    char name[64], method[80];
    tn_sim_options options = tn_default_sim();
    method_name(integrator, formulation, name);
    snprintf(method, sizeof method, "%s@%s", name, seen->coordinates);
    options.method = p->callbacks ? name : method;
    options.rotation = rotation;
    options.adaptive = true;
    options.corrected_start = true;
    options.rtol = options.atol = TOLERANCE;
    if (!strcmp(formulation->name, "baumgarte2") || tn_integrator_is_fixed(integrator) ||
        is_of_absolute(seen, rotation))
        return; // has fixed steps only, or is none in these coordinates
    if (!try_steps(p, &options, &run)) {
        road_fails(seen, "%s %s %s: %s\n", p->name, method, rotation, tn_last_error());
        return;
    }
    const double q = distance(&run, &seen->exact, OF_Q), v = distance(&run, &seen->exact, OF_V);
    const bool good = fmax(q, v) < MOST_ERROR;
    printf("%-26s %-32s %-10s error of q %.1e, v %.1e, lambda %.1e%s\n", p->name, method, rotation,
           q, v, distance(&run, &seen->exact, OF_LAMBDA), good ? "" : "  <--");
    if (!good)
        road_fails(seen, "%s %s %s: the error of q is %.1e, that of v %.1e, but it may be %.0e\n",
                   p->name, method, rotation, q, v, MOST_ERROR);
}

static void check_motions_in(const char *coordinates)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    for (int k = 0; k < PROBLEMS; k++) {
        if (problems[k].callbacks && strcmp(coordinates, "absolute"))
            continue; // functions come in their own coordinates
        tight_track(&problems[k], "dop853/index1+project", &seen.exact);
        every_road(&problems[k], check_motion, &seen);
    }
    check_roads(&seen);
}

static void all_roads_give_one_motion(void)
{
    check_motions_in("absolute");
}

static void all_roads_in_joint_coordinates_give_that_motion(void)
{
    check_motions_in("joint");
}

// The pairing that has no error control says so.
static void weights_that_jump_are_refused(void)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_model *model = point_pendulum();
    options.method = "radau5/baumgarte2";
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "made for fixed steps") != NULL);
    options.step = 1e-3;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// BDF of each order.
static void bdf_has_the_order_that_is_asked_for(void)
{
    static track exact, run[2];
    const problem *p = &problems[SLOW_TOP];
    tight_track(p, "dop853/index1+project", &exact);
    for (int order = 1; order <= 5; order++) {
        for (int k = 0; k < 2; k++) {
            tn_sim_options options = fixed_step(p, "bdf/ggl", "quaternion", 1);
            options.max_order = order;
            options.step = p->t_end / (order < 4 ? 512 << k : 128 << k);
            follow(p, &options, &run[k]);
        }
        for (int what = OF_Q; what <= OF_LAMBDA; what++) {
            const double seen = log2(distance(&run[0], &exact, (quantity)what) /
                                     distance(&run[1], &exact, (quantity)what));
            printf("bdf of order %d: %s %.2f\n", order, quantity_names[what], seen);
            CHECK_NEAR(seen, order, ORDER_TOL);
        }
    }
}

static const tn_test tests[] = {
    {"observed orders are those stated", observed_orders_are_those_stated},
    {"orders in joint coordinates are those stated", orders_in_joint_coordinates_are_those_stated},
    {"orders of discrete principles are those stated",
     orders_of_discrete_principles_are_those_stated},
    {"all roads give one motion", all_roads_give_one_motion},
    {"all roads in joint coordinates give that motion",
     all_roads_in_joint_coordinates_give_that_motion},
    {"weights that jump are refused", weights_that_jump_are_refused},
    {"bdf has the order that is asked for", bdf_has_the_order_that_is_asked_for},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
