// SPDX-License-Identifier: MIT
//
// Nets of closed loops in joint coordinates, above the number of velocities for which full matrices
// are formed: one motion by every road, matrices that grow as the net does, and the choice of
// coordinates by an estimate of cost.

#include "base/alloc.h"
#include "coords/joint_coords.h"
#include "linalg/dense.h"
#include "system/absolute.h"
#include "tenon/tenon.h"
#include "test.h"

#include <amd.h>
#include <math.h>

// Planar rods, closed as they are stated, at rest -------------------------------------------------

typedef struct net {
    tn_model *model;
    int bodies, pins;
    tn_frame frame[4000];
} net;

static net *open_net(void)
{
    net *n = tn_alloc(sizeof *n);
    n->model = tn_model_create();
    n->frame[0] = tn_frame_identity;
    tn_model_set_gravity(n->model, tn_v3(0.0, -9.81, 0.0));
    return n;
}

static void close_net(net *n)
{
    tn_model_destroy(n->model);
    tn_free(n);
}

static tn_body add_rod(net *n, tn_vec3 from, tn_vec3 to)
{
    const double length = hypot(to.x - from.x, to.y - from.y);
    tn_body_def def = tn_default_body();
    def.kind = TN_BODY_PLANAR;
    def.mass = 2.0 * length;
    def.inertia.z = def.mass * length * length / 12.0;
    def.frame = (tn_frame){tn_m3_rot_z(atan2(to.y - from.y, to.x - from.x)),
                           tn_v3_scale(0.5, tn_v3_add(from, to))};
    n->frame[++n->bodies] = def.frame;
    return tn_model_add_body(n->model, &def);
}

static void pin(net *n, tn_body a, tn_body b, tn_vec3 at)
{
    const tn_frame here = {tn_m3_identity, at};
    tn_joint_def def = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
    char name[16];
    snprintf(name, sizeof name, "pin%d", ++n->pins);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    def.frame_a = tn_frame_mul(tn_frame_inverse(n->frame[a.index]), here);
    def.frame_b = tn_frame_mul(tn_frame_inverse(n->frame[b.index]), here);
    tn_model_add_joint(n->model, &def);
}

// Four-bars side by side: links of two lengths hang from pivots, couplers join their tips.
static void add_row(net *n, int loops)
{
    tn_body last = TN_GROUND;
    tn_vec3 tip = {0};
    for (int k = 0; k <= loops; k++) {
        const double length = k % 2 ? 1.1 : 1.0;
        const tn_vec3 top = {k, 0.0, 0.0};
        const tn_vec3 end = {k + length * sin(0.7), -length * cos(0.7), 0.0};
        const tn_body link = add_rod(n, top, end);
        pin(n, TN_GROUND, link, top);
        if (k > 0) {
            const tn_body coupler = add_rod(n, tip, end);
            pin(n, last, coupler, tip);
            pin(n, coupler, link, end);
        }
        last = link;
        tip = end;
    }
}

static tn_vec3 ladder_node(int k, int side)
{
    return tn_v3(k + 0.1 * sin(k), side - 0.3 * k + 0.05 * side * cos(2.0 * k), 0.0);
}

// Rungs, each on two rails that stand on the rung before.
static void add_ladder(net *n, int loops)
{
    tn_body last = TN_GROUND;
    for (int k = 1; k <= loops; k++) {
        const tn_body rung = add_rod(n, ladder_node(k, 0), ladder_node(k, 1));
        for (int side = 0; side < 2; side++) {
            const tn_vec3 from = ladder_node(k - 1, side), to = ladder_node(k, side);
            const tn_body rail = add_rod(n, from, to);
            pin(n, last, rail, from);
            pin(n, rail, rung, to);
        }
        last = rung;
    }
}

// A chain whose last links close a loop.
static void add_chain(net *n, int links)
{
    tn_body last = TN_GROUND, third = TN_GROUND;
    for (int k = 0; k < links; k++) {
        const tn_body link =
            add_rod(n, tn_v3(k, 0.1 * sin(k), 0.0), tn_v3(k + 1, 0.1 * sin(k + 1), 0.0));
        pin(n, last, link, tn_v3(k, 0.1 * sin(k), 0.0));
        third = k == links - 3 ? link : third;
        last = link;
    }
    const tn_vec3 from = {links - 2.5, 0.0, 0.0}, up = {links - 1.0, 1.5, 0.0};
    const tn_vec3 to = {links, 0.1 * sin(links), 0.0};
    const tn_body a = add_rod(n, from, up), b = add_rod(n, up, to);
    pin(n, third, a, from);
    pin(n, a, b, up);
    pin(n, b, last, to);
}

// A hub with many spokes, neighbours of which are tied to each other by a third rod.
static void add_wheel(net *n, int loops)
{
    const tn_body hub = add_rod(n, tn_v3(-0.5, 0.0, 0.0), tn_v3(0.5, 0.0, 0.0));
    pin(n, TN_GROUND, hub, tn_v3(0.0, 0.0, 0.0));
    tn_body last = TN_GROUND;
    tn_vec3 tip = {0};
    for (int k = 0; k <= loops; k++) {
        const double angle = 6.0 * k / loops;
        const tn_vec3 from = {cos(angle), sin(angle), 0.0};
        const tn_vec3 to = tn_v3_scale(2.0 + 0.3 * (k % 2), from);
        const tn_body spoke = add_rod(n, from, to);
        pin(n, hub, spoke, from);
        if (k > 0) {
            const tn_body rim = add_rod(n, tip, to);
            pin(n, last, rim, tip);
            pin(n, rim, spoke, to);
        }
        last = spoke;
        tip = to;
    }
}

typedef void add_net(net *n, int loops);

// One motion --------------------------------------------------------------------------------------

static const double T_END = 4e-3;

static void places_after(const net *n, const char *method, double step, tn_vec3 *out)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    CHECK_OK(tn_sim_create(n->model, &options, &sim));
    for (int k = 0; k < (int)lround(T_END / step); k++)
        CHECK_OK(tn_sim_step(sim, step));
    for (int k = 1; k <= n->bodies; k++)
        out[k] = tn_sim_body_frame(sim, (tn_body){k}).p;
    tn_sim_destroy(sim);
}

// How far bodies have gone at most, and how far two runs are apart.
static double apart(const net *n, const tn_vec3 *a, const tn_vec3 *b)
{
    double most = 0.0;
    for (int k = 1; k <= n->bodies; k++)
        most = fmax(most, tn_v3_norm(tn_v3_sub(a[k], b ? b[k] : n->frame[k].p)));
    return most;
}

// In 4 ms bodies fall by up to 1e-4 m. Two steps of galpha are the least accurate of all.
static void check_roads(add_net *add, int loops, const char *const *methods, int count)
{
    static tn_vec3 reference[4000], run[4000];
    net *n = open_net();
    add(n, loops);
    places_after(n, "dop853/index1@absolute", T_END, reference);
    const double way = apart(n, reference, NULL);
    CHECK(way > 1e-7);
    for (int k = 0; k < count; k++) {
        places_after(n, methods[k], T_END / 2.0, run);
        const double error = apart(n, run, reference);
        printf("%-30s %.1e of %.1e m\n", methods[k], error, way);
        CHECK(error < 1e-3 * way);
    }
    close_net(n);
}

static void every_road_goes_along_one_motion_above_a_thousand_freedoms(void)
{
    static const char *const methods[] = {"galpha/ggl@joint", "bdf/ggl@joint", "radau5/ggl@joint",
                                          "dop853/index1+project@joint", "herk5/index2@joint"};
    check_roads(add_ladder, 340, methods, TN_COUNT(methods));
}

static void a_loop_at_the_end_of_a_long_chain_is_taken_by_every_method(void)
{
    static const char *const methods[] = {"galpha/ggl@joint", "radau5/ggl@joint",
                                          "dop853/index1+project@joint"};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    check_roads(add_chain, 1010, methods, TN_COUNT(methods));
    net *n = open_net(); // few loops leave explicit methods to the recursion
    add_chain(n, 1010);
    options.method = "dop853/index1+project@joint";
    CHECK_OK(tn_sim_create(n->model, &options, &sim));
    CHECK_TEXT(tn_sim_solver(sim), "tree");
    tn_sim_destroy(sim);
    close_net(n);
}

// Up to a dozen four-bars are left to the tree and the rows that they share freedoms with; in both
// ways the accelerations are the same.
static void some_loops_are_left_to_the_tree(void)
{
    static const struct {
        int loops;
        bool tree;
    } cases[] = {{1, true}, {10, true}, {12, true}, {13, false}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        double most = 0.0;
        tn_sim *sim[2] = {NULL, NULL};
        net *n = open_net();
        add_row(n, cases[k].loops);
        for (int i = 0; i < 2; i++) {
            tn_sim_options options = tn_default_sim();
            options.method = i ? "dop853/index1@absolute" : "dop853/index1@joint";
            CHECK_OK(tn_sim_create(n->model, &options, &sim[i]));
            CHECK_OK(tn_sim_step(sim[i], 1e-3));
        }
        CHECK((strcmp(tn_sim_solver(sim[0]), "tree") == 0) == cases[k].tree);
        for (int body = 1; body <= n->bodies; body++) {
            const tn_vec3 a = tn_sim_body_acceleration(sim[0], (tn_body){body});
            const tn_vec3 b = tn_sim_body_acceleration(sim[1], (tn_body){body});
            most = fmax(most, tn_v3_norm(tn_v3_sub(a, b)));
        }
        CHECK_NEAR(most, 0.0, 1e-10);
        tn_sim_destroy(sim[0]);
        tn_sim_destroy(sim[1]);
        close_net(n);
    }
}

static void a_hub_with_many_loops_is_no_full_matrix(void)
{
    static const char *const methods[] = {"galpha/ggl@joint", "dop853/index1+project@joint"};
    check_roads(add_wheel, 80, methods, TN_COUNT(methods));
}

static void expressions_of_the_state_keep_full_matrices(void)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    net *n = open_net();
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    add_row(n, 500);
    motor.joint = (tn_joint){0};
    motor.motor.effort = (tn_function){.expression = "-0.1*pin1.angle"};
    tn_model_add_force(n->model, &motor);
    options.method = "radau5/ggl@joint";
    CHECK_STATUS(tn_sim_create(n->model, &options, &sim), TN_ERR_PAIRING);
    CHECK_TEXT(tn_last_error(),
               "implicit methods in joint coordinates take closed loops and rolling beside "
               "expressions of the state up to 1000 velocities, this model has 1001; take "
               "@absolute, or an explicit method");
    options.method = "auto";
    CHECK_OK(tn_sim_create(n->model, &options, &sim));
    CHECK_TEXT(tn_sim_method(sim), "herk5/index2+project@absolute");
    tn_sim_destroy(sim);
    close_net(n);
}

// Growth ------------------------------------------------------------------------------------------

typedef struct sizes {
    double entries;   // of all blocks in joint coordinates
    double cost[2];   // estimated: absolute, joint
    double factor[2]; // products of elimination in the order of AMD, with its fill
} sizes;

// Products of the elimination of (M C^T; C 0), all rows at once and without pivoting.
static double products_of(const tn_system *sys)
{
    const tn_sparse *M = sys->block[TN_BLOCK_M], *B = sys->block[TN_BLOCK_B];
    const int n = sys->nv + sys->ng;
    tn_composition kkt = {0};
    const tn_placement place[] = {{.source = M},
                                  {.source = B, .row0 = sys->nv},
                                  {.source = B, .col0 = sys->nv, .transposed = true}};
    double info[AMD_INFO];
    int *order = tn_alloc(sizeof *order * (size_t)n);
    CHECK_OK(tn_sparse_compose(n, n, TN_COUNT(place), place, &kkt));
    CHECK(amd_order(n, kkt.matrix->colptr, kkt.matrix->rowind, order, NULL, info) >= 0);
    tn_composition_clear(&kkt);
    tn_free(order);
    return info[AMD_NMULTSUBS_LU];
}

static sizes measure(add_net *add, int loops)
{
    net *n = open_net();
    tn_system *world = NULL, *sys = NULL;
    tn_joint_coords_cost cost;
    sizes out = {0};
    add(n, loops);
    CHECK_OK(tn_absolute_create(n->model, TN_ROTATION_SO3, false, &world));
    CHECK_OK(tn_joint_coords_estimate(world, &cost));
    CHECK_OK(tn_joint_coords_create(world, &sys));
    CHECK(sys->block[TN_BLOCK_M]);
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        out.entries += sys->block[k] ? sys->block[k]->nnz : 0;
    out.cost[0] = cost.absolute;
    out.cost[1] = cost.joint;
    out.factor[0] = products_of(world);
    out.factor[1] = products_of(sys);
    tn_system_destroy(sys);
    tn_system_destroy(world);
    close_net(n);
    return out;
}

static void matrices_grow_as_the_net_does(void)
{
    static const struct {
        const char *name;
        add_net *add;
    } nets[] = {{"row", add_row}, {"ladder", add_ladder}, {"wheel", add_wheel}};
    for (int k = 0; k < TN_COUNT(nets); k++) {
        const sizes small = measure(nets[k].add, 300), large = measure(nets[k].add, 1200);
        printf("%-7s entries %.0f, %.0f, products %.0f, %.0f\n", nets[k].name, small.entries,
               large.entries, small.factor[1], large.factor[1]);
        CHECK(large.entries < 4.3 * small.entries);
        CHECK(large.factor[1] < 4.4 * small.factor[1]);
    }
}

// Around the number of velocities for which full matrices were the limit.
static void one_loop_more_is_no_step_of_cost(void)
{
    static add_net *const nets[] = {add_row, add_ladder};
    static const int at[] = {499, 333};
    for (int k = 0; k < TN_COUNT(nets); k++) {
        const sizes below = measure(nets[k], at[k]), above = measure(nets[k], at[k] + 2);
        CHECK(above.entries < 1.02 * below.entries);
        CHECK(above.factor[1] < 1.03 * below.factor[1]);
    }
}

// The coordinates that the estimate prefers are never much worse than the others by the products of
// an elimination with its fill.
static void the_estimate_of_cost_finds_the_cheaper_coordinates(void)
{
    static const struct {
        const char *name;
        add_net *add;
        int loops;
    } nets[] = {{"row", add_row, 30},        {"row", add_row, 300},
                {"ladder", add_ladder, 15},  {"ladder", add_ladder, 100},
                {"ladder", add_ladder, 300}, {"wheel", add_wheel, 40},
                {"wheel", add_wheel, 300},   {"chain", add_chain, 300}};
    for (int k = 0; k < TN_COUNT(nets); k++) {
        const sizes s = measure(nets[k].add, nets[k].loops);
        const int taken = s.cost[1] < s.cost[0];
        printf("%-7s %4d: estimate %.0f absolute, %.0f joint; products %.0f, %.0f\n", nets[k].name,
               nets[k].loops, s.cost[0], s.cost[1], s.factor[0], s.factor[1]);
        CHECK(s.factor[taken] < 1.5 * s.factor[!taken]);
    }
}

static void auto_takes_the_coordinates_of_the_estimate(void)
{
    static const struct {
        add_net *add;
        int loops;
        double step;
        const char *method;
    } cases[] = {{add_row, 400, 1e-3, "galpha/ggl@joint"},
                 {add_row, 400, 0.0, "herk5/index2+project@joint"},
                 {add_chain, 400, 0.0, "dop853/index1+project@joint"}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        net *n = open_net();
        cases[k].add(n, cases[k].loops);
        options.step = cases[k].step;
        CHECK_OK(tn_sim_create(n->model, &options, &sim));
        CHECK_TEXT(tn_sim_method(sim), cases[k].method);
        tn_sim_destroy(sim);
        close_net(n);
    }
}

// A kilometre from the origin places have a round-off of 1e-13 m. Loops between joints that stand
// on the ground do not see it: where angles change by little, so does g, as B says.
static void loops_far_from_the_origin_close_as_exactly_as_near_it(void)
{
    enum { LOOPS = 1000 };
    static const double little = 1e-8;
    net *n = open_net();
    tn_system *world = NULL, *sys = NULL;
    add_row(n, LOOPS);
    CHECK_OK(tn_absolute_create(n->model, TN_ROTATION_SO3, false, &world));
    CHECK_OK(tn_joint_coords_create(world, &sys));
    double *q = tn_alloc(sizeof *q * (size_t)(sys->nq + 2 * sys->nv + sys->ng));
    double *v = q + sys->nq, *dq = v + sys->nv, *change = dq + sys->nv;
    const tn_point at = {.q = q, .v = v};
    for (int i = 0; i < sys->nq; i++)
        q[i] = 0.3 * sin(i);
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_B));
    tn_axpy(sys->ng, -1.0, sys->g, change);
    for (int i = 0; i < sys->nq; i++) {
        const double from = q[i];
        q[i] += little * cos(i);
        dq[i] = q[i] - from;
    }
    tn_sparse_mul(sys->block[TN_BLOCK_B], -1.0, dq, change);
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_G));
    tn_axpy(sys->ng, 1.0, sys->g, change);
    CHECK_NEAR(tn_norm_inf(sys->ng, change), 0.0, 5e-15);
    CHECK(sys->reach < 10.0);
    tn_free(q);
    tn_system_destroy(sys);
    tn_system_destroy(world);
    close_net(n);
}

static const tn_test tests[] = {
    {"every road goes along one motion above a thousand freedoms",
     every_road_goes_along_one_motion_above_a_thousand_freedoms},
    {"a loop at the end of a long chain is taken by every method",
     a_loop_at_the_end_of_a_long_chain_is_taken_by_every_method},
    {"some loops are left to the tree", some_loops_are_left_to_the_tree},
    {"a hub with many loops is no full matrix", a_hub_with_many_loops_is_no_full_matrix},
    {"expressions of the state keep full matrices", expressions_of_the_state_keep_full_matrices},
    {"matrices grow as the net does", matrices_grow_as_the_net_does},
    {"one loop more is no step of cost", one_loop_more_is_no_step_of_cost},
    {"the estimate of cost finds the cheaper coordinates",
     the_estimate_of_cost_finds_the_cheaper_coordinates},
    {"auto takes the coordinates of the estimate", auto_takes_the_coordinates_of_the_estimate},
    {"loops far from the origin close as exactly as near it",
     loops_far_from_the_origin_close_as_exactly_as_near_it},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
