// SPDX-License-Identifier: MIT
//
// Beams of models, reduced by themselves: frequencies, and stability under loads by their geometric
// stiffness.

#include "base/alloc.h"
#include "flex/modal.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "model/model.h"
#include "reduce/reduce_beam.h"
#include "tenon/io.h"
#include "test.h"

// A slender rod along x, 2 m long, with bending in the plane x y softer than across; shear and
// stretch are stiff enough to have no part in this.
#define ROD(more)                                                                                \
    "tenon: 1\n"                                                                                 \
    "bodies:\n"                                                                                  \
    "  rod:\n"                                                                                   \
    "    kind: beam\n"                                                                           \
    "    points: [[0, 0, 0], [2, 0, 0]]\n"                                                       \
    "    elements: 40\n"                                                                         \
    "    x_axis: [0, 1, 0]\n" more                                                               \
    "    section: {kind: stiffness, stiffness: [1.0e+8, 1.0e+8, 1.0e+8], rotational_stiffness: " \
    "[90, 40, 50], mass: 5, inertia_x: 1.0e-6, inertia_y: 1.0e-6}\n"                             \
    "    places: {middle: 1}\n"

static const double L = 2.0, EI = 40.0, MASS = 5.0;

static tn_model *model;
static tn_fe fe;
static tn_modal *body;

static void forget(void)
{
    tn_fe_clear(&fe);
    tn_modal_destroy(body);
    tn_model_destroy(model);
    body = NULL;
    model = NULL;
}

static int node[2];
static const tn_fe_attachment ends[2] = {
    {.name = "root", .nnode = 1, .node = &node[0]},
    {.name = "tip", .nnode = 1, .node = &node[1], .at = {2, 0, 0}}};

static void reduce_rod(const char *text, int frame, int normal)
{
    tn_reduce_compared compared;
    forget();
    CHECK_OK(tn_model_parse(text, "rod.yaml", &model, NULL));
    CHECK_OK(tn_fe_from_beam(model, (tn_beam){0}, &fe));
    node[1] = fe.nnode - 1;
    CHECK_OK(tn_fe_beam_geometric(model, (tn_beam){0}, 2, ends, frame, &fe));
    CHECK_OK(tn_fe_reduce(&fe, 2, ends, &(tn_reduce_wanted){.frame = frame, .normal = normal},
                          &body, &compared));
}

static double hertz(double root)
{
    return root * root / (L * L) * sqrt(EI / MASS) / 6.283185307179586;
}

// Roots of cos x cosh x = -1 and 1. Elements of 1/40 with masses at their ends are off by some
// 1e-3, with spread ones by the same to the other side.
static void clamped_and_free_rods_have_their_frequencies(void)
{
    reduce_rod(ROD(""), 0, 20);
    CHECK_NEAR(body->frequency[0], hertz(1.875104068711961), 1e-3 * body->frequency[0]);
    reduce_rod(ROD("    inertia: consistent\n"), 0, 20);
    CHECK_NEAR(body->frequency[0], hertz(1.875104068711961), 1e-3 * body->frequency[0]);
    reduce_rod(ROD(""), -1, 20);
    CHECK_NEAR(body->frequency[0], hertz(4.730040744862704), 3e-3 * body->frequency[0]);
}

static void mass_and_inertia_are_those_of_the_rod(void)
{
    reduce_rod(ROD("    inertia: consistent\n"), 0, 4);
    const tn_modal_inertia i = tn_modal_inertia_of(body);
    CHECK_NEAR(i.mass, 10.0, 1e-9);
    CHECK_NEAR(i.centre.x, 1.0, 1e-9);
    CHECK_NEAR(i.inertia.m[2][2], MASS * L * L * L / 3.0, 1e-4); // beside the sections' own
}

// The lowest load factor at which K + p G is singular: 1 / p is the lowest value of -K^-1 G.
static double buckling(const double *G)
{
    const int m = body->m;
    double *A = malloc((size_t)(m * m + m) * sizeof(double)), *w = A + m * m;
    for (int i = 0; i < m * m; i++)
        A[i] = -G[i] / sqrt(body->stiffness[i / m * (m + 1)] * body->stiffness[i % m * (m + 1)]);
    CHECK_OK(tn_eigen_symmetric(m, A, w));
    const double p = 1.0 / w[m - 1];
    free(A);
    return p;
}

static const double *geometric(const double *list, int k)
{
    CHECK(list != NULL);
    return list + (size_t)k * (size_t)(body->m * body->m);
}

static const double PI = 3.14159265358979324;

// A cantilever under a force along it [TG61, sect. 2.2] and under its weight [TG61, sect. 2.12].
static void columns_buckle_at_their_loads(void)
{
    reduce_rod(ROD(""), 0, 20);
    const double euler = PI * PI * EI / (4.0 * L * L);
    double *push = malloc((size_t)(body->m * body->m) * sizeof(double));
    for (int i = 0; i < body->m * body->m; i++)
        push[i] = -geometric(body->loads, 6)[i]; // against x, on the second attachment
    CHECK_NEAR(buckling(push), euler, 2e-3 * euler);
    free(push);
    // A column that stands along x on ground that goes up with g: 7.837 EI / L^3 per length.
    const double weight = 7.837 * EI / (L * L * L * MASS);
    CHECK_NEAR(buckling(geometric(body->acceleration, 0)), weight, 3e-3 * weight);
}

// The lowest mode of a rod that spins about its clamped end: + 1.193 omega^2 across the plane of
// rotation [SG21]; the same without the softening in it.
static void spinning_rods_are_stiffer(void)
{
    reduce_rod(ROD(""), 0, 20);
    const int m = body->m;
    CHECK_NEAR(geometric(body->rate, 2)[0], 1.193, 5e-3);
    CHECK_NEAR(geometric(body->rate, 1)[0], 1.193, 5e-3);
    CHECK_NEAR(geometric(body->rate, 0)[0], 0.0, 1e-6); // about its own axis nothing pulls
    CHECK_NEAR(geometric(body->rate, 3)[m + 1], 0.0, 1e-6);
    CHECK(fabs(geometric(body->loads, 0)[0]) < 1e-12); // the frame is there
}

// In Buckens' frame a free rod that spins about its middle is pulled by both halves.
static void free_rods_are_pulled_from_the_middle(void)
{
    reduce_rod(ROD(""), -1, 20);
    // The tension per omega^2 is m (L^2/4 - x^2)/2, x from the middle, and the mode that of
    // cos b cosh b = 1.
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < 4000; i++) {
        const double x = (i + 0.5) / 4000.0, b = 4.730040744862704, s = 0.982502214576238;
        const double slope = b / L * (sinh(b * x) - sin(b * x) - s * (cosh(b * x) + cos(b * x)));
        const double value = cosh(b * x) + cos(b * x) - s * (sinh(b * x) + sin(b * x));
        const double from_middle = L * (x - 0.5);
        sum += MASS * (L * L / 4.0 - from_middle * from_middle) / 2.0 * slope * slope;
        size += MASS * value * value;
    }
    CHECK_NEAR(geometric(body->rate, 2)[0], sum / size, 5e-3 * sum / size);
}

static void strained_beams_are_refused(void)
{
    static const char text[] = ROD("    tension: 100\n");
    forget();
    CHECK_OK(tn_model_parse(text, "rod.yaml", &model, NULL));
    CHECK_STATUS(tn_fe_from_beam(model, (tn_beam){0}, &fe), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "beam 'rod' is strained where it starts (element 1 carries 100 N and 0 N m); a beam "
               "is reduced without load: leave out 'tension' and 'bend'");
}

static const tn_test tests[] = {
    {"clamped and free rods have their frequencies", clamped_and_free_rods_have_their_frequencies},
    {"mass and inertia are those of the rod", mass_and_inertia_are_those_of_the_rod},
    {"columns buckle at their loads", columns_buckle_at_their_loads},
    {"spinning rods are stiffer", spinning_rods_are_stiffer},
    {"free rods are pulled from the middle", free_rods_are_pulled_from_the_middle},
    {"strained beams are refused", strained_beams_are_refused},
};

int main(int argc, char **argv)
{
    const int failed = tn_run_tests(tests, TN_COUNT(tests), argc, argv);
    forget();
    return failed;
}
