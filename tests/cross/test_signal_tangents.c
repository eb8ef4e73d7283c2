// SPDX-License-Identifier: MIT
//
// Derivatives of what expressions of the state do, on random mechanisms with random signals,
// states, unknowns and forces, in all coordinates: every block by q, v, e and lambda
// matches differences, and every number that expressions may use occurs.

#include "probe_start.h"
#include "random_signals.h"

static const double TANGENT_TOL = 1e-8; // see probe.h
// Directions of slips as slow as 0.02 m/s have fifth derivatives of 1e8.
static const double SLIP_TOL = 1e-6;

static int seeds(void)
{
    return getenv("TN_LONG") ? 300 : 50;
}

typedef enum direction { BY_Q, BY_V, BY_E, BY_LAMBDA, DIRECTIONS } direction;

static const char *const direction_names[DIRECTIONS] = {"q", "v", "e", "lambda"};

static int columns_of(const tn_system *s, direction d)
{
    return d == BY_E ? s->ne : d == BY_LAMBDA ? s->ng : s->nv;
}

static tn_point moved_along(probe *p, direction d, int j, double e)
{
    if (d == BY_Q || d == BY_V)
        return probe_moved(p, d == BY_Q ? ALONG_Q : ALONG_V, j, e);
    return probe_point(p);
}

// r = M a - f + B^T lambda and the extra equations behind it.
static void evaluate(tn_system *s, const tn_point *at, double *out)
{
    probe_residual(s, at, out);
    CHECK_OK(tn_system_eval(s, at, TN_EVAL_EXTRA));
    tn_copy(s->ne, s->extra, out + s->nv);
}

static void difference_of(probe *p, direction d, int j, double *out, double *work)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_system *s = p->sys;
    double *number = d == BY_E ? p->e + j : d == BY_LAMBDA ? p->lambda + j : NULL;
    tn_zero(s->nv + s->ne, out);
    for (int k = 0; k < 4; k++) {
        const double e = at_step[k] * PROBE_STEP, before = number ? *number : 0.0;
        if (number)
            *number += e;
        const tn_point at = moved_along(p, d, j, e);
        evaluate(s, &at, work);
        if (number)
            *number = before;
        tn_axpy(s->nv + s->ne, weight[k] / (12.0 * PROBE_STEP), work, out);
    }
}

static void add_column(const tn_sparse *A, int j, double *out)
{
    for (int k = A ? A->colptr[j] : 0; A && k < A->colptr[j + 1]; k++)
        out[A->rowind[k]] += A->val[k];
}

// What the blocks say. By lambda the dynamics have B^T, and FL where forces use reactions.
static void exact_column(tn_system *s, direction d, int j, double *out)
{
    static const tn_block dynamics[DIRECTIONS] = {TN_BLOCK_K, TN_BLOCK_D, TN_BLOCK_FE, TN_BLOCK_FL};
    static const tn_block extra[DIRECTIONS] = {TN_BLOCK_EQ, TN_BLOCK_EV, TN_BLOCK_EE, TN_BLOCK_EL};
    tn_zero(s->nv + s->ne, out);
    add_column(s->block[dynamics[d]], j, out);
    add_column(s->block[extra[d]], j, out + s->nv);
    if (d != BY_LAMBDA)
        return;
    const tn_sparse *B = s->block[TN_BLOCK_B];
    for (int i = 0; i < B->ncol; i++)
        for (int k = B->colptr[i]; k < B->colptr[i + 1]; k++)
            out[i] += B->rowind[k] == j ? B->val[k] : 0.0;
}

static double misfit(probe *p, direction d, int j)
{
    tn_system *s = p->sys;
    const int n = s->nv + s->ne;
    double *exact = calloc(3 * (size_t)n + 1, sizeof(double)), *by = exact + n;
    CHECK(exact != NULL);
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_B | TN_EVAL_EXTRA | TN_EVAL_TANGENT));
    exact_column(s, d, j, exact);
    difference_of(p, d, j, by, by + n);
    const double size = 1.0 + tn_norm_inf(n, exact);
    tn_axpy(n, -1.0, exact, by);
    const double off = tn_all_finite(n, by) ? tn_norm_inf(n, by) / size : INFINITY;
    free(exact);
    return off;
}

static double check_directions(tn_start *start, int seed, const char *coordinates)
{
    double worst = 0.0;
    probe p = probe_of(start);
    random_fill(p.sys->ne, p.e);
    for (int k = 0; k < p.sys->nslide; k++) // rows of slips have no multipliers
        tn_zero(p.sys->slide[k].n, p.eta + p.sys->slide[k].row);
    for (int d = 0; d < DIRECTIONS; d++)
        for (int j = 0; j < columns_of(p.sys, (direction)d); j++) {
            const double off = misfit(&p, (direction)d, j);
            if (!(off <= TANGENT_TOL))
                printf("seed %d, %s: column %d by %s is %.1e off\n", seed, coordinates, j,
                       direction_names[d], off);
            worst = off <= worst ? worst : off;
        }
    close_probe_of(&p);
    return worst;
}

// A force whose own angle is measured, and a point that is an output.
static void add_twist(tn_model *model)
{
    tn_force_def def = tn_default_force(TN_FORCE_TORSION_SPRING);
    def.name = "twist";
    def.body_b = (tn_body){1};
    def.spring.stiffness = 0.5;
    if (!tn_body_has_rotation(model, def.body_b))
        return;
    tn_output_def spot = tn_default_output();
    spot.name = "spot";
    spot.of = def.body_b;
    spot.point = tn_v3(0.1, -0.2, 0.0);
    spot.axis = 1;
    tn_model_add_force(model, &def);
    CHECK_OK(tn_model_add_output(model, &spot));
}

static double check_seed(int seed, const char *coordinates, bool reactions, int *used)
{
    tn_sim_options options = tn_default_sim();
    options.rotation = seed % 2 ? "se3" : "so3";
    mechanism m = random_mechanism_of(seed, 1 + seed % 6);
    add_twist(m.model);
    const random_names names = add_random_signals(&m, reactions);
    for (int k = 0; k < TN_QUANTITIES; k++)
        used[k] += names.used[k];
    tn_start start;
    CHECK_OK(tn_start_model(m.model, &options, &start));
    if (strcmp(coordinates, "absolute") != 0)
        CHECK_OK(tn_start_to(&start, tn_find_coordinates(coordinates), NULL));
    const double worst = check_directions(&start, seed, coordinates);
    tn_start_clear(&start);
    tn_model_destroy(m.model);
    return worst;
}

static double check_text(const char *text, const char *coordinates)
{
    tn_sim_options options = tn_default_sim();
    tn_model *model = NULL;
    tn_start start;
    CHECK_OK(tn_model_parse(text, "text.yaml", &model, NULL));
    CHECK_OK(tn_start_model(model, &options, &start));
    if (strcmp(coordinates, "absolute") != 0)
        CHECK_OK(tn_start_to(&start, tn_find_coordinates(coordinates), NULL));
    for (int k = 0; k < start.sys->nslide; k++) {
        const double turn = tn_random(), way[2] = {cos(turn), sin(turn)};
        start.sys->slide[k].mu = 0.3 + 0.1 * k;
        tn_start_set_slide(&start, k, true, start.sys->slide[k].n > 1 ? way : NULL);
    }
    const double worst = check_directions(&start, -1, coordinates);
    tn_start_clear(&start);
    tn_model_destroy(model);
    return worst;
}

// Random mechanisms have no contacts: a crank that carries a bar over a wire of the ground, and
// motors that use all that is known of where they touch. Reactions only where others use them.
static double check_contact(const char *coordinates, bool reactions, int *used)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  bar: {mass: 1, inertia: [0.1, 0.12, 0.02], com: [0.5, 0, 0],\n"
        "        initial: {rate: [0.5, -0.21, 0.7]}}\n"
        "  hand: {mass: 0.3, inertia: [0.1, 0.12, 0.02], initial: {position: [0.6, 0, 0.1]}}\n"
        "joints:\n"
        "  ball: {kind: spherical, bodies: [ground, bar], at: [0, 0, 0]}\n"
        "  slide: {kind: prismatic, bodies: [ground, hand], at: [0, 0, 0], axis: [0, 1, 0.2]}\n"
        "  wire: {kind: curve-on-curve, bodies: [hand, bar], frame_a: {at: [0, 0, 0]},\n"
        "         frame_b: {at: [0, 0, 0]}, x: 0.1*s^2, y: s, z: 0.3*s - 0.1,\n"
        "         from: -2, to: 2, x_b: s, y_b: 0, z_b: 0, from_b: 0.1, to_b: 3, lift_off: tell}\n"
        "forces:\n"
        "  pull: {kind: motor, joint: slide,\n"
        "         effort: sin(wire.contact.s_a + 0.3) + wire.contact.s_b^2 + wire.point.x\n"
        "                 + tanh(wire.point.y)*wire.point.z%s}\n";
    char whole[2000];
    snprintf(whole, sizeof whole, text, reactions ? " + 0.2*tanh(wire.load)" : "");
    used[TN_Q_CONTACT]++;
    used[TN_Q_CONTACT_POINT]++;
    used[TN_Q_CONTACT_LOAD] += reactions;
    return check_text(whole, coordinates);
}

// Nor have they beams: one that is strained, with damping, and forces and a state that use all that
// its sections tell.
static double check_beam(const char *coordinates, int *used)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies:\n"
        "  rod: {kind: beam, points: [[0, 0, 0], [0.3, 0.1, 0.9]], elements: 2, damping: 0.1,\n"
        "        tension: 0.7, bend: [0.3, -0.2, 0.1], initial: {rate: [0.3, 0.2, 0.5]},\n"
        "        section: {kind: stiffness, stiffness: [3, 4, 9], mass: 1,\n"
        "                  rotational_stiffness: [0.5, 0.7, 0.4], inertia_x: 0.1,\n"
        "                  inertia_y: 0.2}}\n"
        "joints:\n"
        "  ball: {kind: spherical, bodies: [ground, rod.start], at: [0, 0, 0]}\n"
        "states:\n"
        "  wear: {rate: tanh(rod.e2.section_force.y) + rod.e1.section_moment.x^2 - wear}\n"
        "forces:\n"
        "  push: {kind: point-force, body: rod.end,\n"
        "         force: [tanh(rod.e1.section_force.x) + sin(rod.e2.section_force.z),\n"
        "                 rod.e1.section_moment.y*rod.e2.section_moment.z, wear],\n"
        "         torque: [sin(rod.e1.strain.x) + rod.e2.strain.y*rod.e1.strain.z,\n"
        "                  rod.e1.curvature.x + rod.e2.curvature.y^2, rod.e2.curvature.z]}\n";
    used[TN_Q_SECTION_FORCE]++;
    used[TN_Q_SECTION_MOMENT]++;
    used[TN_Q_SECTION_STRAIN]++;
    used[TN_Q_SECTION_CURVATURE]++;
    return check_text(text, coordinates);
}

static void every_block_matches_differences(void)
{
    static const char *const coordinates[] = {"absolute", "joint", "director"};
    double worst = 0.0;
    int used[TN_QUANTITIES] = {0}, kinds = 0;
    for (int k = 0; k < TN_COUNT(coordinates); k++)
        for (int seed = 0; seed < seeds(); seed++)
            worst = fmax(worst, check_seed(seed, coordinates[k], k < 2 && seed % 2, used));
    for (int k = 0; k < TN_COUNT(coordinates); k++)
        worst = fmax(worst, fmax(check_contact(coordinates[k], k < 2, used),
                                 check_beam(coordinates[k], used)));
    for (int k = 0; k < TN_QUANTITIES; k++) {
        const tn_variable v = {.kind = TN_VARIABLE_QUANTITY, .index = k};
        if (tn_variable_is_measured(&v) && used[k] == 0)
            printf("%s does not occur\n", tn_quantity_kinds[k].path);
        CHECK(!tn_variable_is_measured(&v) || used[k] > 0);
        kinds += used[k] > 0;
    }
    printf("%d kinds of numbers; derivatives within %.1e\n", kinds, worst);
    CHECK_NEAR(worst, 0.0, TANGENT_TOL);
}

// A chain of three, whose second joint is walked from B to A, with a state and a motor at each
// joint and a spring at the first one; the first motor also follows the last joint.
static tn_model *controlled_chain(void)
{
    static const char *const coordinate[] = {"j1.angle", "j2.displacement", "j3.angle"};
    tn_model *model = tn_model_create();
    for (int k = 0; k < 3; k++) {
        char name[20], text[120];
        tn_body_def body = tn_default_body();
        body.com = tn_v3(0.1, 0.2, -0.1 * k);
        tn_joint_def joint = tn_default_joint(k == 1 ? TN_JOINT_PRISMATIC : TN_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "j%d", k + 1);
        joint.name = name;
        const tn_body next = tn_model_add_body(model, &body), last = {k};
        joint.body_a = k == 1 ? next : last;
        joint.body_b = k == 1 ? last : next;
        joint.frame_a.R = joint.frame_b.R =
            tn_quat_matrix(tn_quat_normalize((tn_quat){1.0, 0.3 * k, -0.2, 0.5}));
        tn_model_add_joint(model, &joint);
        tn_state_def sum = tn_default_state();
        snprintf(name, sizeof name, "sum%d", k + 1);
        snprintf(text, sizeof text, "sin(t) - 3*%s + 0.2*%s.rate", coordinate[k], coordinate[k]);
        sum.name = name;
        sum.rate = text;
        CHECK_OK(tn_model_add_state(model, &sum));
        tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
        snprintf(text, sizeof text, "2*sum%d^2 - %s*%s.rate%s", k + 1, coordinate[k], coordinate[k],
                 k == 0 ? " + 5*j3.angle" : "");
        motor.joint.index = k;
        motor.motor.effort.expression = text;
        tn_model_add_force(model, &motor);
    }
    tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
    spring.joint.index = 0;
    spring.spring.stiffness = 7.0;
    spring.spring.damping = 2.0;
    tn_model_add_force(model, &spring);
    return model;
}

// Coordinates of the tree and forces on them are what they are: the columns below have no part.
static void controllers_of_joints_fill_an_entry_each(void)
{
    const tn_sim_options options = tn_default_sim();
    tn_model *model = controlled_chain();
    tn_start start;
    CHECK_OK(tn_start_model(model, &options, &start));
    CHECK_OK(tn_start_to(&start, tn_find_coordinates("joint"), NULL));
    tn_sparse *const *block = start.sys->block;
    CHECK(block[TN_BLOCK_FE]->nnz == 3 && block[TN_BLOCK_EE]->nnz == 0);
    CHECK(block[TN_BLOCK_EQ]->nnz == 3 && block[TN_BLOCK_EV]->nnz == 3);
    CHECK_NEAR(check_directions(&start, 0, "joint"), 0.0, TANGENT_TOL);
    tn_start_clear(&start);
    tn_model_destroy(model);
}

// Bodies that slip on planes, on each other and along an expression, in the plane and in space, on
// a body that turns.
static void friction_of_slips_matches_differences(void)
{
    static const char *const texts[] = {
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  disc: {mass: 1, inertia: [0.1, 0.12, 0.2], initial: {rate: [0, 0, 0.7]}}\n"
        "  ball: {mass: 0.3, inertia: [0.1, 0.1, 0.1], initial: {position: [0.6, 0.1, 0.3]}}\n"
        "  bead: {mass: 0.2, inertia: [0.1, 0.1, 0.1], initial: {position: [0.4, 0.2, 0.6]}}\n"
        "joints:\n"
        "  axle: {kind: revolute, bodies: [ground, disc], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  plate: {kind: contact, bodies: [disc, ball], frame_a: {at: [0, 0, 0]}, b: sphere,\n"
        "          radius_b: 0.1, one_sided: true, friction: 0.3}\n"
        "  touch: {kind: contact, bodies: [ball, bead], a: capsule, radius_a: 0.1, length_a: 0.2,\n"
        "          b: sphere, radius_b: 0.05, one_sided: true, friction: 0.3}\n"
        "  foot: {kind: point-in-plane, bodies: [disc, bead], frame_a: {at: [0, 0, 0.1]},\n"
        "         frame_b: {at: [0.1, 0, 0.2]}, one_sided: true, friction: 0.3}\n"
        "  law: {kind: position-row, row: bead.position.z*bead.position.x + 0.3*ball.position.y,\n"
        "        slip: bead.velocity.x*ball.position.y + ball.velocity.z + 0.2*t,\n"
        "        one_sided: true, friction: 0.3}\n",
        "tenon: 1\ngravity: [0, -9.81]\nbodies:\n"
        "  arm: {kind: planar, mass: 1, inertia: 0.1, initial: {rate: 0.7}}\n"
        "  disc: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.3, 0.4]}}\n"
        "joints:\n"
        "  pin: {kind: revolute, bodies: [ground, arm], at: [0, 0]}\n"
        "  rim: {kind: contact, bodies: [arm, disc], a: sphere, radius_a: 0.1, b: sphere,\n"
        "        radius_b: 0.1, one_sided: true, friction: 0.3}\n"
        "  edge: {kind: point-in-plane, bodies: [arm, disc], axis: [0.2, 1, 0],\n"
        "         at_a: [0, 0, 0], at_b: [0.3, 0.2, 0], one_sided: true, friction: 0.3}\n",
    };
    static const char *const coordinates[] = {"absolute", "joint"};
    for (int i = 0; i < TN_COUNT(texts); i++)
        for (int k = 0; k < TN_COUNT(coordinates); k++)
            CHECK_NEAR(check_text(texts[i], coordinates[k]), 0.0, SLIP_TOL);
}

static const tn_test tests[] = {
    {"every block matches differences", every_block_matches_differences},
    {"friction of slips matches differences", friction_of_slips_matches_differences},
    {"controllers of joints fill an entry each", controllers_of_joints_fill_an_entry_each},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
