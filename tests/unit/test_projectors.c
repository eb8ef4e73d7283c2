// SPDX-License-Identifier: MIT
//
// Projectors of the constraints [LB08, eq. 16 to 20]: their algebra, and that accelerations and
// forces of constraints resolved by them are those of the equations of motion; in the plane and in
// space, with rows that repeat others, in a singular position, without rows, and moving.

#include "linalg/dense.h"
#include "tenon/tenon.h"
#include "test.h"

// Sums of some ten products of size one to a hundred.
static const double ROUND_OFF = 1e-10;

static const double *matrix(const tn_projectors *p, tn_projector_matrix m, int *rows, int *columns)
{
    const double *at = tn_projectors_values(p, m, rows, columns);
    CHECK(at != NULL);
    return at;
}

// The largest entry of X Y - Z, with X and Y transposed where asked for; Z may be NULL.
typedef struct factor {
    tn_projector_matrix of;
    bool transposed;
} factor;

static double entry(const tn_projectors *p, factor f, int i, int j)
{
    int rows, columns;
    const double *at = matrix(p, f.of, &rows, &columns);
    return f.transposed ? at[(size_t)i * (size_t)rows + (size_t)j]
                        : at[(size_t)j * (size_t)rows + (size_t)i];
}

static void size_of(const tn_projectors *p, factor f, int *rows, int *columns)
{
    matrix(p, f.of, f.transposed ? columns : rows, f.transposed ? rows : columns);
}

static double product(const tn_projectors *p, factor x, factor y, int i, int j)
{
    int rows, inner, ignored;
    double sum = 0.0;
    size_of(p, x, &rows, &inner);
    size_of(p, y, &ignored, &rows);
    CHECK(ignored == inner);
    for (int k = 0; k < inner; k++)
        sum += entry(p, x, i, k) * entry(p, y, k, j);
    return sum;
}

static void check_product(const tn_projectors *p, factor x, factor y, const factor *z, double tol)
{
    int rows, columns, ignored;
    double size = 1.0;
    size_of(p, x, &rows, &ignored);
    size_of(p, y, &ignored, &columns);
    for (int i = 0; z && i < rows; i++)
        for (int j = 0; j < columns; j++)
            size = fmax(size, fabs(entry(p, *z, i, j)));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            CHECK_NEAR(product(p, x, y, i, j) / size, (z ? entry(p, *z, i, j) : 0.0) / size, tol);
}

// X Y = U V
static void check_equal(const tn_projectors *p, factor x, factor y, factor u, factor v)
{
    int rows, columns, ignored;
    size_of(p, x, &rows, &ignored);
    size_of(p, y, &ignored, &columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            CHECK_NEAR(product(p, x, y, i, j), product(p, u, v, i, j), ROUND_OFF);
}

static double trace(const tn_projectors *p, tn_projector_matrix m)
{
    int rows, columns;
    double sum = 0.0;
    matrix(p, m, &rows, &columns);
    for (int i = 0; i < rows; i++)
        sum += entry(p, (factor){m, false}, i, i);
    return sum;
}

#define OF(name) ((factor){TN_PROJECTOR_##name, false})
#define T(name) ((factor){TN_PROJECTOR_##name, true})

static void check_algebra(const tn_projectors *p)
{
    int nv, rows, ignored;
    const factor M = OF(M), E = OF(E), plus = OF(E_PLUS), across = OF(PARALLEL),
                 along = OF(ORTHOGONAL), P = OF(P);
    matrix(p, TN_PROJECTOR_B, &rows, &nv);
    matrix(p, TN_PROJECTOR_M, &nv, &ignored);
    check_product(p, OF(S), T(S), &M, ROUND_OFF);
    check_product(p, across, across, &across, ROUND_OFF); // projectors, symmetric
    check_product(p, along, along, &along, ROUND_OFF);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < i; j++)
            CHECK_NEAR(entry(p, across, i, j), entry(p, across, j, i), ROUND_OFF);
    check_product(p, across, along, NULL, ROUND_OFF);
    CHECK_NEAR(trace(p, TN_PROJECTOR_PARALLEL), tn_projectors_rank(p), ROUND_OFF);
    CHECK_NEAR(trace(p, TN_PROJECTOR_ORTHOGONAL), nv - tn_projectors_rank(p), ROUND_OFF);
    CHECK_NEAR(trace(p, TN_PROJECTOR_P), nv - tn_projectors_rank(p), ROUND_OFF);
    check_product(p, P, P, &P, ROUND_OFF);
    check_equal(p, T(P), M, M, P);
    if (rows == 0)
        return;
    check_product(p, OF(B), P, NULL, ROUND_OFF);
    check_product(p, across, E, &E, ROUND_OFF); // the image of E
    check_product(p, E, plus, &across, ROUND_OFF);
    check_product(p, plus, across, &plus, ROUND_OFF); // E^+ E E^+ = E^+
    check_equal(p, OF(S), E, OF(S), E);
    for (int i = 0; i < nv; i++) // S E = B^T
        for (int j = 0; j < rows; j++)
            CHECK_NEAR(product(p, OF(S), E, i, j), entry(p, T(B), i, j), ROUND_OFF);
}

// (16) to (20), and the accelerations of the equations of motion.
static void check_motion(const tn_projectors *p, tn_dynamics *d)
{
    const int nv = tn_dynamics_nv(d), rows = tn_dynamics_rows(d);
    double *a = calloc((size_t)nv + 1, sizeof(double));
    double size = 1.0;
    CHECK(a != NULL);
    CHECK_OK(tn_dynamics_forward(d, NULL, a, NULL));
    for (int i = 0; i < nv; i++)
        size = fmax(size, fabs(entry(p, OF(F), i, 0)));
    for (int i = 0; i < nv; i++) {
        const double force = entry(p, OF(F), i, 0), held = entry(p, OF(FC), i, 0),
                     moved = entry(p, OF(A), i, 0);
        double scaled = 0.0; // S^T a
        for (int k = i; k < nv; k++)
            scaled += entry(p, OF(S), k, i) * a[k];
        CHECK_NEAR((moved - scaled) / size, 0.0, ROUND_OFF);
        CHECK_NEAR((moved + held - force) / size, 0.0, ROUND_OFF);                          // (16)
        CHECK_NEAR((product(p, OF(PARALLEL), OF(FC), i, 0) - held) / size, 0.0, ROUND_OFF); // (17)
        if (rows > 0)
            CHECK_NEAR(
                (product(p, OF(PARALLEL), OF(A), i, 0) - product(p, T(E_PLUS), OF(C), i, 0)) / size,
                0.0, ROUND_OFF); // (18)
    }
    for (int i = 0; i < rows; i++) // B a = c, as E^T a^ = c
        CHECK_NEAR((product(p, T(E), OF(A), i, 0) - entry(p, OF(C), i, 0)) / size, 0.0, ROUND_OFF);
    free(a);
}

static void check_model(const char *path, const char *coordinates, int rank)
{
    tn_model *model = NULL;
    tn_dynamics *d = NULL;
    tn_projectors *p = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    CHECK_OK(tn_dynamics_create(model, coordinates, &d));
    CHECK_OK(tn_projectors_create(d, &p));
    printf("%-30s %-10s %d velocities, %d rows of rank %d\n", path, coordinates, tn_dynamics_nv(d),
           tn_dynamics_rows(d), tn_projectors_rank(p));
    CHECK(tn_projectors_rank(p) == rank);
    check_algebra(p);
    check_motion(p, d);
    tn_projectors_destroy(p);
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

static void projectors_have_their_algebra(void)
{
    check_model("models/fourbar.yaml", "absolute", 8); // turns at 10 rad/s
    check_model("models/fourbar.yaml", "joint", 2);
    check_model("models/fourbar_spatial.yaml", "absolute", 17); // 20 rows, three repeat others
    check_model("models/double_pendulum.yaml", "joint", 0);
    check_model("models/heavy_top_slow.yaml", "absolute", 3);
    check_model("models/andrews.yaml", "absolute", 20);
}

// A parallelogram that is flat: its rows depend on each other there, and only there.
static const char FLAT[] =
    "tenon: 1\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
    "  coupler: {kind: planar, mass: 2, inertia: 0.3, initial: {position: [2, 0]}}\n"
    "  rocker: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [2.5, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  B: {kind: revolute, bodies: [crank, coupler], at: [1, 0]}\n"
    "  C: {kind: revolute, bodies: [coupler, rocker], at: [3, 0]}\n"
    "  D: {kind: revolute, bodies: [ground, rocker], at: [2, 0]}\n";

static void singular_positions_have_projectors(void)
{
    tn_model *model = NULL;
    tn_dynamics *d = NULL;
    tn_projectors *p = NULL;
    CHECK_OK(tn_model_parse(FLAT, "flat.yaml", &model, NULL));
    CHECK_OK(tn_dynamics_create(model, NULL, &d));
    CHECK_OK(tn_projectors_create(d, &p));
    CHECK(tn_projectors_rank(p) == 7); // of 8: two motions branch
    check_algebra(p);
    tn_projectors_destroy(p);
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

static void files_have_all_matrices(void)
{
    tn_model *model = NULL;
    tn_dynamics *d = NULL;
    tn_projectors *p = NULL;
    char text[1 << 16];
    CHECK_OK(tn_model_load(tn_test_path("models/fourbar.yaml"), &model, NULL));
    CHECK_OK(tn_dynamics_create(model, NULL, &d));
    CHECK_OK(tn_projectors_create(d, &p));
    static const char *const files[] = {"projectors.csv", "projectors.json"};
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tn_projectors_write(p, files[k]));
        FILE *file = fopen(files[k], "rb");
        CHECK(file != NULL);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        for (int m = 0; m < TN_PROJECTOR_MATRICES; m++)
            CHECK(strstr(text, tn_projectors_name((tn_projector_matrix)m)) != NULL);
        CHECK(strstr(text, tn_projectors_row(p, 0)) != NULL);
        CHECK(strstr(text, tn_projectors_velocity(p, 8)) != NULL);
        remove(files[k]);
    }
    CHECK_STATUS(tn_projectors_write(p, "projectors.txt"), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "projectors.txt: projectors are written as FILE.json or FILE.csv");
    tn_projectors_destroy(p);
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"projectors have their algebra", projectors_have_their_algebra},
    {"singular positions have projectors", singular_positions_have_projectors},
    {"files have all matrices", files_have_all_matrices},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
