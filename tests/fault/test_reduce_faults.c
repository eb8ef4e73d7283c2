// SPDX-License-Identifier: MIT
//
// Reductions without memory: every allocation may fail, and nothing is left behind.

#include "cross/cli_driver.h"
#include "tenon/reduce.h"
#include "unit/fe_bench.h"

static const fe_box block = {.size = {0.5, 0.05, 0.04},
                             .n = {12, 2, 2}, // 351 freedoms: sparse eigenvalues
                             .E = 2e11,
                             .nu = 0.3,
                             .rho = 7800.0};

static void write_matrix(const char *path, const tn_sparse *A)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", A->nrow, A->ncol,
            A->nnz);
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            fprintf(file, "%d %d %.17g\n", A->rowind[k] + 1, j + 1, A->val[k]);
    CHECK(fclose(file) == 0);
}

static void write_block(void)
{
    tn_fe fe = fe_make_box(block);
    write_matrix("k.mtx", fe.K);
    write_matrix("m.mtx", fe.M);
    FILE *file = fopen("nodes.csv", "w");
    fprintf(file, "node,x,y,z\n");
    for (int k = 0; k < fe.nnode; k++)
        fprintf(file, "%d,%.17g,%.17g,%.17g\n", k + 1, fe.node[k].x.x, fe.node[k].x.y,
                fe.node[k].x.z);
    CHECK(fclose(file) == 0);
    tn_fe_clear(&fe);
}

static tn_status reduce_once(const char *job)
{
    const tn_reduce_options options = tn_default_reduce();
    tn_reduction *r = NULL;
    const tn_status s = tn_reduction_create(job, &options, &r);
    CHECK((s == TN_OK) == (r != NULL));
    tn_reduction_destroy(r);
    return s;
}

// Each allocation, or every `stride`-th, fails in turn.
static int fail_each(const char *job, int stride)
{
    CHECK_OK(reduce_once(job));
    const long live = tn_test_alloc_live();
    for (int count = 0;; count += stride) {
        tn_test_alloc_fail_at(count + 1);
        const tn_status status = reduce_once(job);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(tn_test_alloc_live() == live);
        if (!failed) {
            CHECK_OK(status);
            return count;
        }
        if (status != TN_ERR_MEMORY)
            printf("allocation %d: status %d, %s\n", count + 1, (int)status, tn_last_error());
        CHECK(status == TN_ERR_MEMORY);
        CHECK(strstr(tn_last_error(), "memory") != NULL);
    }
}

static void matrices_may_find_no_memory(void)
{
    write_block();
    write_text("block.yaml",
               "source: {kind: matrix-market, stiffness: k.mtx, mass: m.mtx, nodes: nodes.csv}\n"
               "units: {length: 1.5}\n"
               "attachments:\n"
               "  - {name: low, nodes: [1, 14, 27, 40, 53, 66, 79, 92, 105], tie: mean}\n"
               "  - {name: up, nodes: [13, 26, 52]}\n"
               "frame: {kind: attached, to: low}\n"
               "modes: {up_to: 5000}\n"
               "damping: {ratio: 0.01}\n"
               "geometric: [{load: up.fx, value: 1, stiffness: k.mtx}]\n");
    CHECK(fail_each("block.yaml", getenv("TN_LONG") ? 1 : 7) > 50);
}

static void beams_may_find_no_memory(void)
{
    write_text("blade.yaml",
               "tenon: 1\nbodies:\n  blade: {kind: beam, points: [[0, 0, 0], [1, 0, 0]], "
               "elements: 4, section: {kind: rectangle, width: 0.02, height: 0.01, E: 2.1e9, rho: "
               "1200}}\n");
    write_text("beam.yaml", "source: {kind: beam, model: blade.yaml, body: blade}\n"
                            "attachments: [{name: hub, nodes: start}, {name: tip, nodes: end}]\n");
    CHECK(fail_each("beam.yaml", getenv("TN_LONG") ? 1 : 5) > 50);
}

static const tn_test tests[] = {
    {"matrices may find no memory", matrices_may_find_no_memory},
    {"beams may find no memory", beams_may_find_no_memory},
};

int main(int argc, char **argv)
{
    enter_scratch("reduce_faults");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
