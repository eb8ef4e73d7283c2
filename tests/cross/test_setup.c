// SPDX-License-Identifier: MIT
//
// What it takes to start: trees given by the coordinates of their joints stand at once where
// forward kinematics put them, however many links they have, without a matrix; memory grows with
// their size and blocks do not; what cannot hold is told as it is for small ones.

#include "base/alloc.h"
#include "model/model.h"
#include "sim/sim.h"
#include "sparse_memory.h"
#include "start/start.h"
#include "start/start_parts.h"
#include "system/absolute.h"
#include "test.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

static long sparse_blocks;

static void *count_malloc(size_t n)
{
    sparse_blocks++;
    return malloc(n);
}

static void *count_calloc(size_t n, size_t size)
{
    sparse_blocks++;
    return calloc(n, size);
}

static void *count_realloc(void *block, size_t n)
{
    sparse_blocks++;
    return realloc(block, n);
}

// Trees -------------------------------------------------------------------------------------------

typedef enum shape { CHAIN, BRANCHED } shape;

static tn_mat3 random_turn(void)
{
    const double a = tn_random(), b = tn_random(), c = tn_random();
    return tn_m3_mul(tn_m3_rot_x(3.0 * a), tn_m3_mul(tn_m3_rot_y(3.0 * b), tn_m3_rot_z(3.0 * c)));
}

// What the joint turns and moves by at its stated coordinates.
static tn_frame step_of(const tn_joint_def *def)
{
    const double *q = def->position;
    tn_frame X = tn_frame_identity;
    if (def->kind == TN_JOINT_REVOLUTE || def->kind == TN_JOINT_CYLINDRICAL)
        X.R = tn_m3_rot_z(q[0]);
    if (def->kind == TN_JOINT_PRISMATIC)
        X.p.z = q[0];
    if (def->kind == TN_JOINT_CYLINDRICAL)
        X.p.z = q[1];
    if (def->kind == TN_JOINT_UNIVERSAL)
        X.R = tn_m3_mul(tn_m3_rot_x(q[0]), tn_m3_rot_y(q[1]));
    return X;
}

// Bodies of which nothing is known but the coordinates of their joints, and where these put them
// (n + 1 frames); spherical joints, which have none, leave their frames as they are.
static tn_model *tree(int n, shape form, tn_frame *frames)
{
    static const tn_joint_kind kinds[] = {TN_JOINT_REVOLUTE, TN_JOINT_PRISMATIC, TN_JOINT_UNIVERSAL,
                                          TN_JOINT_CYLINDRICAL, TN_JOINT_SPHERICAL};
    tn_model *model = tn_model_create();
    frames[0] = tn_frame_identity;
    for (int k = 1; k <= n; k++) {
        tn_body_def body = tn_default_body();
        tn_joint_def joint = tn_default_joint(kinds[k % TN_COUNT(kinds)]);
        joint.body_a.index = form == CHAIN ? k - 1 : k / 2;
        joint.body_b = tn_model_add_body(model, &body);
        joint.frame_a = (tn_frame){random_turn(), {0.5, 0.1 * tn_random(), 0.0}};
        joint.frame_b = (tn_frame){random_turn(), {-0.5, 0.0, 0.0}};
        if (joint.kind == TN_JOINT_SPHERICAL)
            joint.frame_a.R = joint.frame_b.R = tn_m3_identity;
        else
            joint.nposition =
                joint.kind == TN_JOINT_UNIVERSAL || joint.kind == TN_JOINT_CYLINDRICAL ? 2 : 1;
        for (int i = 0; i < joint.nposition; i++)
            joint.position[i] = tn_random();
        tn_model_add_joint(model, &joint);
        const tn_frame A = tn_frame_mul(frames[joint.body_a.index], joint.frame_a);
        const tn_frame B = tn_frame_mul(A, step_of(&joint));
        frames[k] = tn_frame_mul(B, tn_frame_inverse(joint.frame_b));
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

static double apart(tn_frame a, tn_frame b)
{
    double most = tn_v3_norm(tn_v3_sub(a.p, b.p)) / (1.0 + tn_v3_norm(b.p));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            most = fmax(most, fabs(a.R.m[i][j] - b.R.m[i][j]));
    return most;
}

// A spherical joint is turned as its bodies are where the model leaves them: not at all.
static void stated_trees_stand_at_once(void)
{
    enum { LINKS = 250 };
    static const char *const methods[] = {"dop853/index1@joint", "galpha/ggl@absolute"};
    tn_frame frames[LINKS + 1];
    for (int form = CHAIN; form <= BRANCHED; form++) {
        tn_random_seed(7 + (unsigned)form);
        tn_model *model = tree(LINKS, (shape)form, frames);
        for (int m = 0; m < 2; m++) {
            tn_sim *sim = tn_test_open(model, methods[m], 1e-3, 0.0);
            double most = 0.0;
            for (int k = 1; k <= LINKS; k++)
                most = fmax(most, apart(tn_sim_body_frame(sim, (tn_body){k}), frames[k]));
            CHECK_NEAR(most, 0.0, 1e-12);
            CHECK(!tn_test_has_note(sim, "moved"));
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

// No search, and rows hold to round-off: also of trees so long that errors of rotations would add
// up.
static void no_tree_is_searched(void)
{
    enum { LINKS = 3000 };
    tn_frame *frames = malloc(sizeof *frames * (LINKS + 1));
    tn_random_seed(5);
    tn_model *model = tree(LINKS, CHAIN, frames);
    tn_sim_options options = tn_default_sim();
    tn_start start;
    CHECK_OK(tn_start_model(model, &options, &start));
    bool found = false;
    CHECK_OK(tn_assemble_tree(model, &start, &found));
    CHECK(found);
    CHECK_NEAR(start.residual, 0.0, 1e-11);
    tn_start_clear(&start);
    tn_model_destroy(model);
    free(frames);
}

// Growth ------------------------------------------------------------------------------------------

typedef struct cost {
    long blocks, sparse;
} cost;

static cost cost_of(int n)
{
    tn_frame *frames = malloc(sizeof *frames * (size_t)(n + 1));
    tn_random_seed(3);
    tn_model *model = tree(n, BRANCHED, frames);
    const long blocks = tn_test_alloc_count(), sparse = sparse_blocks;
    tn_sim *sim = tn_test_open(model, "dopri5/index1@joint", 0.0, 1e-6);
    const cost c = {tn_test_alloc_count() - blocks, sparse_blocks - sparse};
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    free(frames);
    return c;
}

// Blocks are counted, not bytes: one that is there for each body shows at once.
static void trees_start_without_a_matrix(void)
{
    set_sparse_memory(count_malloc, count_calloc, count_realloc);
    const cost small = cost_of(3000), large = cost_of(6000); // both with threads
    set_standard_sparse_memory();
    CHECK(small.sparse == 0);
    CHECK(large.sparse == 0);
    CHECK(large.blocks == small.blocks);
    CHECK(large.blocks < 100);
}

// What a simulation has in memory for each link, its copy of the model included. Full matrices
// would take 150 kB of a chain of 1000 links.
static double bytes_per_link(int n, const char *method)
{
    tn_frame *frames = malloc(sizeof *frames * (size_t)(n + 1));
    tn_random_seed(3);
    tn_model *model = tree(n, CHAIN, frames);
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    tn_sim *sim = tn_test_open(model, method, 0.0, 1e-6);
    const size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    free(frames);
    return (double)bytes / n;
}

static void simulations_of_trees_are_small(void)
{
    static const double MOST = 8500.0;
    CHECK(bytes_per_link(200, "dopri5/index1@joint") < MOST);
    CHECK(bytes_per_link(900, "dopri5/index1@joint") < MOST);
    CHECK(bytes_per_link(2000, "dop853/index1@joint") < MOST);
}

// Contradictions ----------------------------------------------------------------------------------

// A tree whose links are stated by angles; the last one is held elsewhere.
static void what_cannot_hold_is_told(void)
{
    enum { LINKS = 150 };
    tn_model *model = tn_model_create();
    for (int k = 1; k <= LINKS; k++) {
        tn_body_def body = tn_default_body();
        tn_joint_def joint = tn_default_joint(TN_JOINT_REVOLUTE);
        body.fixed_start = k == 1;
        body.frame.p.x = k == 1 ? 2.0 : 0.0;
        joint.body_a.index = k - 1;
        joint.body_b = tn_model_add_body(model, &body);
        joint.frame_a.p.x = k > 1 ? 0.5 : 0.0;
        joint.frame_b.p.x = -0.5;
        joint.nposition = 1;
        joint.position[0] = 0.2;
        tn_model_add_joint(model, &joint);
    }
    tn_sim_options options = tn_default_sim();
    options.method = "dopri5/index1@joint";
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_MODEL);
    CHECK(tn_test_says("body 'body 1' is fixed"));
    tn_model_destroy(model);
}

// Bodies that are stated, and stand elsewhere by what their joints state, are told to be moved.
static void what_is_moved_is_told(void)
{
    enum { LINKS = 150 };
    tn_model *model = tn_model_create();
    for (int k = 1; k <= LINKS; k++) {
        tn_body_def body = tn_default_body();
        tn_joint_def joint = tn_default_joint(TN_JOINT_REVOLUTE);
        body.frame.p.x = k - 0.5;
        body.given_position = k == 1;
        joint.body_a.index = k - 1;
        joint.body_b = tn_model_add_body(model, &body);
        joint.frame_a.p.x = k > 1 ? 0.5 : 0.0;
        joint.frame_b.p.x = -0.5;
        joint.nposition = 1;
        joint.position[0] = k == 1 ? 0.2 : 0.0;
        tn_model_add_joint(model, &joint);
    }
    tn_sim *sim = tn_test_open(model, "dopri5/index1@joint", 1e-3, 0.0);
    const tn_frame last = tn_sim_body_frame(sim, (tn_body){LINKS});
    CHECK_NEAR(last.p.x, (LINKS - 0.5) * cos(0.2), 1e-10);
    CHECK(tn_test_has_note(sim, "assembly moved body 'body 1'"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Loops enough for herk5, and a link without mass that a damper moves, which herk5 refuses.
static void auto_leaves_methods_that_refuse(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options o = tn_default_sim();
    CHECK_OK(tn_model_parse(
        "tenon: 1\n"
        "bodies:\n"
        "  b1: {kind: modal, rod: {length: 1, section: {kind: rectangle, width: 1, height: 1, E: "
        "1,\n"
        "       rho: 1}, functions: [{z: (s/0.6)^2}, {y: (s/0.6)^2}, {x: s/0.6}]}}\n"
        "  b2: {kind: modal, rod: {length: 1, section: {kind: rectangle, width: 0.02, height: 1,\n"
        "       E: 1, rho: 1}, functions: [{y: (s/0.6)^2}],\n"
        "       attachments: {root: 0, tip: 0, mid: 0}}}\n"
        "  b4: {mass: 1, inertia: [0.1, 0.1, 0.01]}\n"
        "  link: {massless: true}\n"
        "  rod0: {mass: 1, inertia: [0.002, 0.003, 0.004]}\n"
        "joints: {k4: {kind: prismatic, bodies: [b4, link]}}\n"
        "forces: {d: {kind: spring, bodies: [ground, link], at_b: [0, 0, 1], damping: 1}}\n",
        "text", &model, NULL));
    CHECK_OK(tn_sim_create(model, &o, &sim));
    printf("%s\n", tn_sim_method(sim));
    CHECK(strncmp(tn_sim_method(sim), "herk5", 5) != 0);
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void blades_are_not_told_to_roll(void)
{
    tn_model *model = NULL;
    CHECK(tn_model_parse("tenon: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                         "joints: {c: {kind: knife-edge, body: b, at: [0, 0, 0]}}\n",
                         "text", &model, NULL) < 0);
    CHECK(strstr(tn_last_error(), "state 'at_a'") && !strstr(tn_last_error(), "roll"));
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"stated trees stand at once", stated_trees_stand_at_once},
    {"no tree is searched", no_tree_is_searched},
    {"trees start without a matrix", trees_start_without_a_matrix},
    {"simulations of trees are small", simulations_of_trees_are_small},
    {"what cannot hold is told", what_cannot_hold_is_told},
    {"what is moved is told", what_is_moved_is_told},
    {"auto leaves methods that refuse", auto_leaves_methods_that_refuse},
    {"blades are not told to roll", blades_are_not_told_to_roll},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
