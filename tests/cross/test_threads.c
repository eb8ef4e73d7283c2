// SPDX-License-Identifier: MIT
//
// A simulation has the same bits with any number of threads: chains, grids and trees that are large
// enough to be split, by methods of every kind of matrix. A step takes no memory with threads
// either, and a small model starts none.

#include "test.h"

#include "../../bench/nets.h"
#include "base/team.h"
#include "sparse_memory.h"
#include "system/absolute.h"
#include "system/absolute_parts.h"
#include "tree/tree_parts.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Models ------------------------------------------------------------------------------------------

// Springs between bodies that have no joint, so that forces come in lots, too.
static void add_springs(net *n)
{
    for (int k = 1; k + 2 <= n->bodies; k += 2) {
        tn_force_def def = tn_default_force(TN_FORCE_SPRING);
        def.body_a = (tn_body){k};
        def.body_b = (tn_body){k + 2};
        def.spring.stiffness = 20.0;
        def.spring.damping = 0.1;
        tn_model_add_force(n->model, &def);
    }
}

// Bits --------------------------------------------------------------------------------------------

typedef struct {
    int nq, nv, ng;
    double *q, *v, *lambda;
} motion;

static double *copied(int n, const double *x)
{
    double *copy = calloc((size_t)n + 1, sizeof *copy);
    memcpy(copy, x, (size_t)n * sizeof *x);
    return copy;
}

static int count_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *e = tasks ? readdir(tasks) : NULL; e; e = readdir(tasks))
        count += e->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static motion run(const tn_model *model, const char *method, int threads, int steps)
{
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    const int before = count_threads();
    options.method = method;
    options.threads = threads;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK(before == 0 || count_threads() == before + threads - 1);
    for (int k = 0; k < steps; k++)
        CHECK_OK(tn_sim_step(sim, 1e-3));
    motion m = {.nq = tn_sim_nq(sim), .nv = tn_sim_nv(sim), .ng = tn_sim_nl(sim)};
    m.q = copied(m.nq, tn_sim_q(sim));
    m.v = copied(m.nv, tn_sim_v(sim));
    m.lambda = copied(m.ng, tn_sim_lambda(sim));
    tn_sim_destroy(sim);
    CHECK(before == 0 || count_threads() == before);
    return m;
}

static void clear(motion *m)
{
    free(m->q);
    free(m->v);
    free(m->lambda);
}

static void check_bits(const char *kind, int size, bool springs, const char *method, int most)
{
    net n;
    CHECK(net_create(kind, size, &n));
    if (springs)
        add_springs(&n);
    motion one = run(n.model, method, 1, 2);
    for (int threads = 2; threads <= most; threads++) {
        motion more = run(n.model, method, threads, 2);
        CHECK(memcmp(one.q, more.q, sizeof(double) * (size_t)one.nq) == 0);
        CHECK(memcmp(one.v, more.v, sizeof(double) * (size_t)one.nv) == 0);
        CHECK(memcmp(one.lambda, more.lambda, sizeof(double) * (size_t)one.ng) == 0);
        clear(&more);
    }
    clear(&one);
    net_destroy(&n);
}

static const char *const methods[] = {"galpha/ggl@absolute", "dop853/index1+project@absolute",
                                      "bdf/ggl@absolute", "radau5/ggl@absolute"};

// 1500 bodies: 9000 velocities and 7500 multipliers.
static void chains_have_the_same_bits(void)
{
    for (int k = 0; k < TN_COUNT(methods); k++)
        check_bits("chain", 1500, false, methods[k], k == 0 ? 3 : 2);
}

// Long enough for all loops of a step to come in parts, over coordinates, rows and angles, too.
static void long_chains_have_the_same_bits(void)
{
    check_bits("chain", 7000, false, "bdf/ggl@absolute", 2);
}

static void grids_have_the_same_bits(void)
{
    check_bits("grid", 900, false, methods[0], 2);
    check_bits("grid", 900, false, methods[1], 2);
    check_bits("grid", 900, false, methods[2], 2);
}

// Lots of a round have no body in common, each joint is in one of them, and nearly all are shared.
static void check_batches(const char *kind, int size, double alone)
{
    net n;
    tn_system *sys = NULL;
    CHECK(net_create(kind, size, &n));
    CHECK_OK(tn_absolute_create(n.model, TN_ROTATION_SO3, false, &sys));
    const absolute *s = (const absolute *)sys;
    const abs_batches *batches = &s->joint_batches;
    int *seen = calloc((size_t)s->njoint, sizeof *seen),
        *owner = calloc((size_t)s->nbody, sizeof *owner);
    CHECK(batches->count > 1);
    for (int batch = 0; batch < ABS_ROUNDS * (batches->count + 2); batch++) {
        if (batch % (batches->count + 2) == 0)
            memset(owner, -1, (size_t)s->nbody * sizeof *owner);
        const bool is_end = batch % (batches->count + 2) == batches->count + 1;
        for (int i = batches->begin[batch]; !is_end && i < batches->begin[batch + 1]; i++) {
            const abs_joint *j = &s->joint[batches->list[i]];
            seen[batches->list[i]]++;
            for (int k = 0; k < j->nbody; k++) {
                CHECK(j->body[k] == 0 || owner[j->body[k]] == -1 || owner[j->body[k]] == batch);
                owner[j->body[k]] = batch;
            }
        }
    }
    for (int i = batches->first_lone; i < s->njoint; i++)
        seen[batches->list[i]]++;
    for (int i = 0; i < s->njoint; i++)
        CHECK(seen[i] == 1);
    CHECK(s->njoint - batches->first_lone <= alone * s->njoint);
    free(seen);
    free(owner);
    tn_system_destroy(sys);
    net_destroy(&n);
}

static void joints_between_batches_are_shared(void)
{
    check_batches("chain", 5000, 0.0);
    check_batches("grid", 900, 0.0);
    check_batches("grid", 5600, 0.0);
    check_batches("mail", 2500, 0.0);
    check_batches("tangle", 2000, 1.0); // at random: no rounds do for all
}

static void forces_have_the_same_bits(void)
{
    check_bits("chain", 2500, true, methods[0], 2);
}

static void trees_in_joint_coordinates_have_the_same_bits(void)
{
    check_bits("star", 4096, false, "dop853/index1@joint", 3);
    check_bits("star", 4096, false, "galpha/ggl@joint", 2);
}

// Limbs one after the other with the trunk, and all places in one order.
static void limbs_and_whole_trees_agree(void)
{
    net n;
    tn_sim *sim = NULL;
    tn_tree *self = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = "dop853/index1@joint";
    CHECK(net_create("star", 4096, &n));
    CHECK_OK(tn_sim_create(n.model, &options, &sim));
    CHECK_OK(tn_tree_create(n.model, &self));
    tree *t = (tree *)self;
    CHECK(t->nsubtree == 16);
    double *v = calloc((size_t)self->nv, sizeof *v), *a = copied(self->nv, v);
    double *b = copied(self->nv, v), most = 0.0, apart = 0.0;
    for (int i = 0; i < self->nv; i++)
        v[i] = 0.1 * tn_random();
    tn_tree_move(self, tn_sim_q(sim), v);
    CHECK_OK(tn_tree_accelerate(self, NULL, a, NULL));
    t->nsubtree = 0;
    tn_tree_move(self, tn_sim_q(sim), v);
    CHECK_OK(tn_tree_accelerate(self, NULL, b, NULL));
    for (int i = 0; i < self->nv; i++) {
        most = fmax(most, fabs(b[i]));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    CHECK(most > 1.0 && apart <= 1e-9 * most);
    free(v);
    free(a);
    free(b);
    tn_tree_destroy(self);
    tn_sim_destroy(sim);
    net_destroy(&n);
}

// Memory and threads ------------------------------------------------------------------------------

static atomic_long sparse_requests; // of SuiteSparse, which has its own way to memory

static void *counting_malloc(size_t size)
{
    atomic_fetch_add(&sparse_requests, 1);
    return malloc(size);
}

static void *counting_calloc(size_t n, size_t size)
{
    atomic_fetch_add(&sparse_requests, 1);
    return calloc(n, size);
}

static void *counting_realloc(void *block, size_t size)
{
    atomic_fetch_add(&sparse_requests, 1);
    return realloc(block, size);
}

static void steps_take_no_memory(void)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    CHECK(net_create("chain", 1500, &n));
    options.method = "galpha/ggl@absolute";
    options.threads = 3;
    set_sparse_memory(counting_malloc, counting_calloc, counting_realloc);
    CHECK_OK(tn_sim_create(n.model, &options, &sim));
    for (int k = 0; k < 3; k++)
        CHECK_OK(tn_sim_step(sim, 1e-3));
    CHECK(sparse_requests > 0); // the hooks work
    sparse_requests = 0;
    const long before = tn_test_alloc_count();
    for (int k = 0; k < 5; k++)
        CHECK_OK(tn_sim_step(sim, 1e-3));
    CHECK(tn_test_alloc_count() == before);
    CHECK(sparse_requests == 0);
    tn_sim_destroy(sim);
    set_standard_sparse_memory();
    net_destroy(&n);
}

static void check_saved(const char *kind, int size_of_net, const char *method)
{
    net n;
    tn_sim *sim[2] = {NULL, NULL};
    tn_sim_options options = tn_default_sim();
    void *saved = NULL;
    size_t size = 0;
    CHECK(net_create(kind, size_of_net, &n));
    options.method = method;
    for (int k = 0; k < 2; k++) {
        options.threads = 2 - k;
        CHECK_OK(tn_sim_create(n.model, &options, &sim[k]));
    }
    for (int k = 0; k < 3; k++)
        CHECK_OK(tn_sim_step(sim[0], 1e-3));
    CHECK_OK(tn_sim_save(sim[0], &saved, &size));
    CHECK_OK(tn_sim_load(sim[1], saved, size));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            CHECK_OK(tn_sim_step(sim[k], 1e-3));
    const size_t bytes = sizeof(double) * (size_t)tn_sim_nq(sim[0]);
    CHECK(memcmp(tn_sim_q(sim[0]), tn_sim_q(sim[1]), bytes) == 0);
    tn_saved_free(saved);
    for (int k = 0; k < 2; k++)
        tn_sim_destroy(sim[k]);
    net_destroy(&n);
}

// The parts of a matrix, or its complement, are made again from an image, to the last bit.
static void saved_simulations_go_on_with_the_same_bits(void)
{
    check_saved("chain", 1500, methods[0]);
    check_saved("grid", 900, methods[1]);
}

// A process that was forked has none of the threads, and goes on by itself.
static void forked_processes_go_on(void)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    CHECK(net_create("chain", 1500, &n));
    options.method = "dop853/index1@absolute";
    options.threads = 2;
    CHECK_OK(tn_sim_create(n.model, &options, &sim));
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // the other thread goes to sleep
    const pid_t child = fork();
    if (child == 0) {
        const bool steps = tn_sim_step(sim, 1e-4) == TN_OK;
        tn_sim_destroy(sim);
        _exit(steps ? 0 : 1);
    }
    int code = 1;
    CHECK(waitpid(child, &code, 0) == child && WIFEXITED(code) && WEXITSTATUS(code) == 0);
    tn_sim_destroy(sim);
    net_destroy(&n);
}

static void small_models_start_no_thread(void)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    CHECK(net_create("chain", 100, &n));
    int before = 0;
    for (int k = 0; k < 2; k++) { // the first one loads libraries, which may start some
        before = count_threads();
        CHECK_OK(tn_sim_create(n.model, &options, &sim));
        CHECK(k == 0 || count_threads() == before);
        tn_sim_destroy(sim);
    }
    net_destroy(&n);
}

static void numbers_of_threads_out_of_range_are_refused(void)
{
    static const int wrong[] = {-1, 257, 1000000};
    net n;
    CHECK(net_create("chain", 2, &n));
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        options.threads = wrong[k];
        CHECK(tn_sim_create(n.model, &options, &sim) == TN_ERR_USAGE);
        CHECK(strstr(tn_last_error(), "it must lie between 1 and 256, or be 0 for auto"));
    }
    net_destroy(&n);
}

// The team ----------------------------------------------------------------------------------------

typedef struct {
    int calls[64];
} tally;

static void count_once(void *user, int k)
{
    ((tally *)user)->calls[k]++;
}

static void count_part(void *user, int begin, int end)
{
    for (int i = begin; i < end; i++)
        ((tally *)user)->calls[i]++;
}

// A loop within a task is done by its thread.
static void count_within(void *user, int k)
{
    tally *all = user;
    tn_team_run(TN_COUNT(all->calls), count_once, &all[k]);
}

static void teams_do_each_task_once(void)
{
    static tally inner[8];
    for (int threads = 1; threads <= 4; threads++) {
        tn_team *team = NULL;
        tally t = {{0}};
        CHECK_OK(tn_team_create(threads, &team));
        CHECK(tn_team_join(team) == NULL);
        for (int k = 0; k < 1000; k++)
            tn_team_run(TN_COUNT(t.calls), count_once, &t);
        tn_team_loop(TN_COUNT(t.calls), 4, count_part, &t);
        memset(inner, 0, sizeof inner);
        tn_team_run(TN_COUNT(inner), count_within, inner);
        CHECK(tn_team_join(NULL) == team);
        tn_team_destroy(team);
        for (int k = 0; k < TN_COUNT(t.calls); k++) {
            CHECK(t.calls[k] == 1001);
            for (int i = 0; i < TN_COUNT(inner); i++)
                CHECK(inner[i].calls[k] == 1);
        }
    }
}

static const tn_test tests[] = {
    {"teams do each task once", teams_do_each_task_once},
    {"small models start no thread", small_models_start_no_thread},
    {"numbers of threads out of range are refused", numbers_of_threads_out_of_range_are_refused},
    {"chains have the same bits", chains_have_the_same_bits},
    {"long chains have the same bits", long_chains_have_the_same_bits},
    {"grids have the same bits", grids_have_the_same_bits},
    {"joints between lots are shared", joints_between_batches_are_shared},
    {"forces have the same bits", forces_have_the_same_bits},
    {"trees in joint coordinates have the same bits",
     trees_in_joint_coordinates_have_the_same_bits},
    {"limbs and whole trees agree", limbs_and_whole_trees_agree},
    {"steps take no memory", steps_take_no_memory},
    {"forked processes go on", forked_processes_go_on},
    {"saved simulations go on with the same bits", saved_simulations_go_on_with_the_same_bits},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
