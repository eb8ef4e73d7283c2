// SPDX-License-Identifier: MIT
//
// Reduction of finite elements to modal bodies, by models that the test makes itself.

#include "fe_bench.h"
#include "flex/modal.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

static const double TWO_PI = 6.283185307179586;

static const fe_beam rod = {
    .length = 2.0, .EA = 1.4e8, .EIy = 4e3, .EIz = 9e3, .GJ = 5e3, .mass = 5.0, .polar = 3e-3};
static const fe_box block = {.corner = {-0.1, 0.2, 0.3},
                             .size = {0.5, 0.05, 0.04},
                             .n = {16, 3, 2},
                             .E = 2e11,
                             .nu = 0.3,
                             .rho = 7800.0};

static tn_modal *body;
static tn_reduce_compared compared;

static void forget(void)
{
    tn_modal_destroy(body);
    TN_FREE(compared.full, compared.reduced);
    body = NULL;
    compared = (tn_reduce_compared){0};
}

static tn_status reduce(const tn_fe *fe, int n, const tn_fe_attachment *at, tn_reduce_wanted wanted)
{
    forget();
    return tn_fe_reduce(fe, n, at, &wanted, &body, &compared);
}

static double gram(int i, int j)
{
    return body->gram[i * tn_modal_size(body->m) + j];
}

static const double ROUNDOFF = 1e-9; // of sums over some thousand terms, relative

// The two ends of the rod, "root" and "tip".
static const tn_fe_attachment *rod_ends(int elements)
{
    static int nodes[2];
    static tn_fe_attachment ends[2];
    nodes[0] = 0;
    nodes[1] = elements;
    ends[0] = (tn_fe_attachment){.name = "root", .nnode = 1, .node = &nodes[0]};
    ends[1] = (tn_fe_attachment){
        .name = "tip", .nnode = 1, .node = &nodes[1], .at = tn_v3(rod.length, 0, 0)};
    return ends;
}

// Invariants -------------------------------------------------------------------------------------

static void check_box_inertia(void)
{
    const tn_modal_inertia i = tn_modal_inertia_of(body);
    const double mass = 7800.0 * 0.5 * 0.05 * 0.04;
    const double c[3] = {0.15, 0.225, 0.32}, s[3] = {0.5, 0.05, 0.04};
    CHECK_NEAR(i.mass, mass, ROUNDOFF * mass);
    CHECK_NEAR(i.centre.x, c[0], ROUNDOFF);
    CHECK_NEAR(i.centre.y, c[1], ROUNDOFF);
    CHECK_NEAR(i.centre.z, c[2], ROUNDOFF);
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double about = s[a] * s[a] / 12 + c[a] * c[a] + s[b] * s[b] / 12 + c[b] * c[b];
        CHECK_NEAR(i.inertia.m[k][k], mass * about, ROUNDOFF);
        CHECK_NEAR(i.inertia.m[a][b], -mass * c[a] * c[b], ROUNDOFF);
    }
}

static void a_box_has_its_mass_centre_and_inertia(void)
{
    tn_fe fe = fe_make_box(block);
    const tn_fe_attachment ends[2] = {fe_box_end(&block, false, "low"),
                                      fe_box_end(&block, true, "up")};
    CHECK_OK(reduce(&fe, 2, ends, (tn_reduce_wanted){.frame = -1, .normal = 6}));
    check_box_inertia();
    CHECK_OK(reduce(&fe, 2, ends, (tn_reduce_wanted){.frame = 1, .normal = 3}));
    check_box_inertia();
    tn_fe_clear(&fe);
    free(ends[0].node);
    free(ends[1].node);
}

// Buckens: no momentum and no angular momentum in any mode, unit modal masses.
static void modes_of_buckens_frame_have_no_momentum(void)
{
    tn_fe fe = fe_make_box(block);
    const tn_fe_attachment ends[2] = {fe_box_end(&block, false, "low"),
                                      fe_box_end(&block, true, "up")};
    CHECK_OK(reduce(&fe, 2, ends, (tn_reduce_wanted){.frame = -1, .normal = 6}));
    CHECK(body->m == 12);
    for (int j = 0; j < body->m; j++) {
        const int p = tn_modal_phi(body->m, j);
        for (int k = 0; k < 6; k++)
            CHECK_NEAR(gram(k, p), 0.0, 1e-9); // masses of 8 kg, unit modal masses
        for (int i = 0; i < body->m; i++)
            CHECK_NEAR(gram(p, tn_modal_phi(body->m, i)), i == j, 1e-8);
    }
    tn_fe_clear(&fe);
    free(ends[0].node);
    free(ends[1].node);
}

// c_jk = e_k x phi_j: its moments with unit translations are those of phi_j, turned.
static void coriolis_fields_are_turned_modes(void)
{
    tn_fe fe = fe_make_box(block);
    const tn_fe_attachment ends[1] = {fe_box_end(&block, false, "low")};
    CHECK_OK(reduce(&fe, 1, ends, (tn_reduce_wanted){.frame = 0, .normal = 4}));
    for (int j = 0; j < body->m; j++) {
        const int p = tn_modal_phi(body->m, j);
        const tn_vec3 moment = tn_v3(gram(0, p), gram(1, p), gram(2, p));
        for (int k = 0; k < 3; k++) {
            const tn_vec3 c = tn_v3_cross(tn_v3(k == 0, k == 1, k == 2), moment);
            CHECK_NEAR(gram(0, tn_modal_c(j, k)), c.x, 1e-9);
            CHECK_NEAR(gram(1, tn_modal_c(j, k)), c.y, 1e-9);
            CHECK_NEAR(gram(2, tn_modal_c(j, k)), c.z, 1e-9);
            double sum = 0.0; // |e_x x f|^2 + … = 2 |f|^2
            for (int i = 0; i < 3; i++)
                sum += gram(tn_modal_c(j, i), tn_modal_c(j, i));
            CHECK_NEAR(sum, 2.0 * gram(p, p), 1e-8);
        }
    }
    tn_fe_clear(&fe);
    free(ends[0].node);
}

// Frequencies ------------------------------------------------------------------------------------

// The number of the mode with this frequency, -1 for none.
static int mode_at(double hertz, double tol)
{
    for (int j = 0; j < body->m; j++)
        if (fabs(body->frequency[j] - hertz) < tol * hertz)
            return j;
    return -1;
}

static double bending_hertz(double root, double EI)
{
    return root * root / (rod.length * rod.length) * sqrt(EI / rod.mass) / TWO_PI;
}

// Roots of cos x cosh x = 1 and = -1 [Euler and Bernoulli]. Cubic elements of 1/40 of the length
// are exact to 1e-5 in these modes; all normal modes are kept.
static void free_and_clamped_beams_have_their_frequencies(void)
{
    static const double free_roots[] = {4.730040744862704, 7.853204624095838, 10.99560783800167};
    static const double clamped[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    tn_fe fe = fe_make_beam(rod, 40);
    CHECK_OK(reduce(&fe, 2, rod_ends(40), (tn_reduce_wanted){.frame = -1, .normal = 300}));
    for (int k = 0; k < 3; k++) {
        CHECK(mode_at(bending_hertz(free_roots[k], rod.EIy), 1e-5) >= 0);
        CHECK(mode_at(bending_hertz(free_roots[k], rod.EIz), 1e-5) >= 0);
    }
    CHECK_OK(reduce(&fe, 2, rod_ends(40), (tn_reduce_wanted){.frame = 0, .normal = 300}));
    for (int k = 0; k < 3; k++) {
        CHECK(mode_at(bending_hertz(clamped[k], rod.EIy), 1e-5) >= 0);
        CHECK(mode_at(bending_hertz(clamped[k], rod.EIz), 1e-5) >= 0);
    }
    tn_fe_clear(&fe);
}

// Frequencies of the free body from gram and stiffness, whatever the frame: rigid motions and
// amplitudes together.
static void free_spectrum(const tn_modal *x, int n, double *hertz)
{
    const int m = x->m, size = 6 + m, big = tn_modal_size(m);
    double *M = calloc((size_t)(2 * size * size + size), sizeof(double)), *K = M + size * size;
    double *w = K + size * size;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            M[i * size + j] = x->gram[(i < 6 ? i : i + 3 * m) * big + (j < 6 ? j : j + 3 * m)];
    for (int i = 0; i < m * m; i++)
        K[(6 + i / m) * size + 6 + i % m] = x->stiffness[i];
    CHECK_OK(tn_cholesky(size, M, 1e-14));
    for (int turn = 0; turn < 2; turn++) {
        for (int j = 0; j < size; j++)
            tn_lower_solve(size, M, K + j * size);
        for (int j = 0; j < size; j++)
            for (int i = 0; i < j; i++) {
                const double kept = K[j * size + i];
                K[j * size + i] = K[i * size + j];
                K[i * size + j] = kept;
            }
    }
    CHECK_OK(tn_eigen_symmetric(size, K, w));
    for (int i = 0; i < n; i++)
        hertz[i] = sqrt(fmax(w[6 + i], 0.0)) / TWO_PI;
    free(M);
}

static void both_frames_give_the_same_free_body(void)
{
    double attached[8], buckens[8];
    tn_fe fe = fe_make_beam(rod, 20);
    CHECK_OK(reduce(&fe, 2, rod_ends(20), (tn_reduce_wanted){.frame = 0, .normal = 12}));
    free_spectrum(body, 8, attached);
    CHECK_OK(reduce(&fe, 2, rod_ends(20), (tn_reduce_wanted){.frame = -1, .normal = 12}));
    free_spectrum(body, 8, buckens);
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(attached[i], buckens[i], 1e-6 * buckens[i]);
        CHECK_NEAR(body->frequency[i], buckens[i], 1e-6 * buckens[i]);
    }
    tn_fe_clear(&fe);
}

// With every normal mode nothing is left out; with some, reduced frequencies are above.
static void reduced_frequencies_are_near_those_of_the_whole_body(void)
{
    tn_fe fe = fe_make_box(block);
    const tn_fe_attachment ends[2] = {fe_box_end(&block, false, "low"),
                                      fe_box_end(&block, true, "up")};
    CHECK_OK(reduce(&fe, 2, ends, (tn_reduce_wanted){.frame = -1, .normal = 10, .compare = 6}));
    CHECK(compared.n == 6);
    for (int i = 0; i < 6; i++) {
        CHECK(compared.reduced[i] > (1.0 - 1e-7) * compared.full[i]);
        CHECK(compared.reduced[i] < (i < 2 ? 1.001 : 1.01) * compared.full[i]);
    }
    tn_fe_clear(&fe);
    free(ends[0].node);
    free(ends[1].node);
}

static void modes_up_to_a_frequency_are_all_there(void)
{
    tn_fe fe = fe_make_box(block);
    const tn_fe_attachment ends[1] = {fe_box_end(&block, false, "low")};
    CHECK_OK(reduce(&fe, 1, ends, (tn_reduce_wanted){.frame = 0, .up_to = 8000.0}));
    const int m = body->m;
    CHECK(m > 12 && body->frequency[m - 1] <= 8000.0);
    CHECK_OK(reduce(&fe, 1, ends, (tn_reduce_wanted){.frame = 0, .normal = m + 1}));
    CHECK(body->frequency[m] > 8000.0);
    CHECK_OK(reduce(&fe, 1, ends, (tn_reduce_wanted){.frame = 0, .normal = m, .keep = 3}));
    CHECK(body->m == 3);
    tn_fe_clear(&fe);
    free(ends[0].node);
}

static void a_body_without_attachments_keeps_its_free_modes(void)
{
    tn_fe fe = fe_make_box(block);
    CHECK_OK(reduce(&fe, 0, NULL, (tn_reduce_wanted){.frame = -1, .normal = 5, .compare = 5}));
    CHECK(body->m == 5);
    check_box_inertia();
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(compared.reduced[i], compared.full[i], 1e-7 * compared.full[i]);
    tn_fe_clear(&fe);
}

// Statics ----------------------------------------------------------------------------------------

// Displacement and rotation of attachment `at` under a load on attachment `on`, frame held.
static void deflect(int at, int on, const double *load, double *y)
{
    const int m = body->m;
    for (int k = 0; k < 6; k++)
        y[k] = 0.0;
    for (int j = 0; j < m; j++) {
        double f = 0.0;
        for (int k = 0; k < 6; k++)
            f += load[k] * body->attachment[on].modes[k * m + j];
        for (int k = 0; k < 6; k++)
            y[k] += body->attachment[at].modes[k * m + j] * f / body->stiffness[j * m + j];
    }
}

// Cubic elements are exact under loads at nodes, and static modes keep that: F L^3 / 3 EI and
// M L / EI and so on, without any normal mode.
static void loads_on_attachments_deflect_exactly(void)
{
    const double L = rod.length, F = 10.0;
    double y[6];
    tn_fe fe = fe_make_beam(rod, 10);
    for (int normal = 0; normal < 8; normal += 7) {
        CHECK_OK(reduce(&fe, 2, rod_ends(10), (tn_reduce_wanted){.frame = 0, .normal = normal}));
        deflect(1, 1, (double[]){0, F, 0, 0, 0, 0}, y);
        CHECK_NEAR(y[1], F * L * L * L / (3 * rod.EIz), 1e-8 * y[1]);
        CHECK_NEAR(y[5], F * L * L / (2 * rod.EIz), 1e-8 * y[5]);
        deflect(1, 1, (double[]){F, 0, 0, F, F, 0}, y);
        CHECK_NEAR(y[0], F * L / rod.EA, 1e-8 * y[0]);
        CHECK_NEAR(y[3], F * L / rod.GJ, 1e-8 * y[3]);
        CHECK_NEAR(y[4], F * L / rod.EIy, 1e-8 * y[4]);
        CHECK_NEAR(y[2], -F * L * L / (2 * rod.EIy), -1e-8 * y[2]);
    }
    tn_fe_clear(&fe);
}

// A bar of bricks under tension between its ends, with ends free to contract under a mean tie.
// With weights by the areas around the nodes the force is spread evenly, and its lengthening is
// F L / E A, exactly; a rigid tie holds the ends and stiffens it a little.
static void mean_ties_stiffen_nothing(void)
{
    const double F = 1e5, L = block.size[0], A = block.size[1] * block.size[2];
    double y[6];
    tn_fe fe = fe_make_box(block);
    tn_fe_attachment ends[2] = {fe_box_end(&block, false, "low"), fe_box_end(&block, true, "up")};
    double weight[12];
    for (int i = 0; i < 12; i++)
        weight[i] = (i % 4 == 0 || i % 4 == 3 ? 1.0 : 2.0) * (i / 4 == 1 ? 2.0 : 1.0);
    for (int mean = 0; mean < 2; mean++) {
        ends[0].mean = ends[1].mean = mean;
        ends[0].weight = ends[1].weight = weight;
        CHECK_OK(reduce(&fe, 2, ends, (tn_reduce_wanted){.frame = 0, .normal = 2}));
        deflect(1, 1, (double[]){F, 0, 0, 0, 0, 0}, y);
        const double soft = F * L / (block.E * A);
        if (mean)
            CHECK_NEAR(y[0], soft, 1e-8 * soft);
        else
            CHECK(y[0] < soft && y[0] > 0.98 * soft);
    }
    tn_fe_clear(&fe);
    free(ends[0].node);
    free(ends[1].node);
}

static void damping_is_by_ratio_or_by_mass_and_stiffness(void)
{
    tn_fe fe = fe_make_beam(rod, 6);
    CHECK_OK(
        reduce(&fe, 2, rod_ends(6), (tn_reduce_wanted){.frame = 0, .normal = 2, .ratio = 0.02}));
    CHECK_NEAR(body->damping[0], 0.04 * TWO_PI * body->frequency[0], 1e-9);
    CHECK_OK(reduce(&fe, 2, rod_ends(6),
                    (tn_reduce_wanted){.frame = 0, .normal = 2, .mass = 3.0, .stiffness = 1e-3}));
    CHECK_NEAR(body->damping[0], 3.0 + 1e-3 * body->stiffness[0], 1e-9);
    CHECK_OK(reduce(&fe, 2, rod_ends(6), (tn_reduce_wanted){.frame = 0, .normal = 2}));
    CHECK(!body->damping);
    tn_fe_clear(&fe);
}

// What is wrong ----------------------------------------------------------------------------------

static void refused(tn_fe *fe, int n, const tn_fe_attachment *at, const char *sentence)
{
    CHECK_STATUS(reduce(fe, n, at, (tn_reduce_wanted){.frame = -1, .normal = 4}), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), sentence);
    tn_fe_clear(fe);
}

static double *entry(tn_sparse *A, int row, int col)
{
    for (int k = A->colptr[col]; k < A->colptr[col + 1]; k++)
        if (A->rowind[k] == row)
            return &A->val[k];
    CHECK(false);
    return NULL;
}

static void wrong_matrices_are_refused(void)
{
    tn_fe fe = fe_make_beam(rod, 6);
    *entry(fe.K, 1, 5) += 1e3;
    refused(&fe, 2, rod_ends(6),
            "the stiffness matrix is not symmetric: entry (2, 6) is 487000 and (6, 2) is 486000 "
            "(node 1, displacement along y and node 1, rotation about z)");
    fe = fe_make_beam(rod, 6);
    *entry(fe.M, 3, 3) = -1.0;
    refused(&fe, 2, rod_ends(6),
            "the mass matrix has -1 on its diagonal, row 4 (node 1, rotation about x)");
    fe = fe_make_beam(rod, 6);
    *entry(fe.M, 1, 1) += 1.0;
    refused(&fe, 2, rod_ends(6),
            "the mass is 10 kg, 11 kg and 10 kg along x, y and z; it must be the same: are the "
            "rows of the nodes right, and is the body free?");
    fe = fe_make_beam(rod, 6);
    tn_sparse_clear(fe.M);
    refused(&fe, 2, rod_ends(6),
            "the mass is 0 kg, 0 kg and 0 kg along x, y and z; it must be positive");
    fe = fe_make_beam(rod, 6);
    fe.nnode--;
    refused(&fe, 1, rod_ends(6), "the stiffness matrix is 42 x 42; the nodes have 36 freedoms");
    fe = fe_make_beam(rod, 6);
    fe.node[3].row[1] = 2;
    refused(&fe, 2, rod_ends(6), "row 3 is said to be of node 1 and of node 4");
    fe = fe_make_beam(rod, 6);
    fe.node[3].row[1] = -1;
    refused(&fe, 2, rod_ends(6),
            "node 4 has 2 displacements of three: the body must be free, without boundary "
            "conditions, and in space");
}

static void bodies_that_are_held_or_in_parts_are_refused(void)
{
    tn_fe fe = fe_make_beam(rod, 6);
    *entry(fe.K, 7, 7) += 1e5;
    refused(&fe, 2, rod_ends(6),
            "2 of the 6 rigid motions deform the mesh (displacement along y, rotation about z): it "
            "is held somewhere; a modal body is reduced from a free mesh, without boundary "
            "conditions and springs to the ground");
    fe = fe_make_beam(rod, 6);
    for (int i = 18; i < 24; i++) // nodes 3 and 4 do not know each other
        for (int k = fe.K->colptr[i]; k < fe.K->colptr[i + 1]; k++)
            if (fe.K->rowind[k] < 18)
                fe.K->val[k] = *entry(fe.K, i, fe.K->rowind[k]) = 0.0;
    refused(&fe, 2, rod_ends(6),
            "the mesh is in 2 parts that nothing connects: node 1 and node 4 are in different "
            "ones; join them, or reduce them one by one");
    fe = fe_make_beam((fe_beam){.length = 2.0,
                                .EA = 1.4e8,
                                .EIy = 4e3,
                                .EIz = 0.0,
                                .GJ = 5e3,
                                .mass = 5.0,
                                .polar = 3e-3},
                      6);
    CHECK_STATUS(reduce(&fe, 2, rod_ends(6), (tn_reduce_wanted){.frame = -1, .normal = 4}),
                 TN_ERR_MODEL);
    CHECK(tn_test_says("the stiffness matrix is singular or has negative eigenvalues with all "
                       "attachments held, which shows at row"));
    tn_fe_clear(&fe);
}

// A rod whose torsion is cut in the middle of an element: no part is free with both ends held.
static void mechanisms_are_counted(void)
{
    tn_fe fe = fe_make_beam(rod, 6);
    double *const cut[] = {entry(fe.K, 15, 15), entry(fe.K, 15, 21), entry(fe.K, 21, 15),
                           entry(fe.K, 21, 21)};
    const double k = rod.GJ / (rod.length / 6);
    for (int i = 0; i < 4; i++)
        *cut[i] -= i == 0 || i == 3 ? k : -k;
    refused(&fe, 2, rod_ends(6),
            "the reduced stiffness matrix has 0 negative and 1 vanishing eigenvalues beside the 6 "
            "rigid motions: it is wrong, or parts move without "
            "deformation");
    fe = fe_make_beam(rod, 6);
    double *const turned[] = {entry(fe.K, 15, 15), entry(fe.K, 15, 21), entry(fe.K, 21, 15),
                              entry(fe.K, 21, 21)};
    for (int i = 0; i < 4; i++)
        *turned[i] -= 1.1 * (i == 0 || i == 3 ? k : -k);
    refused(&fe, 2, rod_ends(6),
            "the reduced stiffness matrix has 1 negative and 0 vanishing eigenvalues beside the 6 "
            "rigid motions, the lowest -9.5e+05 (rad/s)^2: it is wrong, or parts move without "
            "deformation");
}

static void attachments_that_cannot_turn_are_refused(void)
{
    tn_fe fe = fe_make_box(block);
    int line[] = {0, 1, 2, 3}, corner[] = {0};
    refused(&fe, 1, &(tn_fe_attachment){.name = "pin", .nnode = 4, .node = line, .mean = true},
            "attachment 'pin': its 4 nodes, without rotations of their own, lie on one line: the "
            "rotation of its frame is not known; name at least three nodes that are not on one "
            "line");
    fe = fe_make_box(block);
    refused(&fe, 1, &(tn_fe_attachment){.name = "pin", .nnode = 1, .node = corner},
            "attachment 'pin': its 1 node, without rotations of its own, is one point: the "
            "rotation of its frame is not known; name at least three nodes that are not on one "
            "line");
    fe = fe_make_box(block);
    tn_fe_attachment ends[2] = {fe_box_end(&block, false, "low"), fe_box_end(&block, false, "up")};
    refused(&fe, 2, ends, "node 1 is in attachment 'low' and in attachment 'up'");
    free(ends[0].node);
    free(ends[1].node);
    fe = fe_make_beam(rod, 6);
    CHECK_STATUS(reduce(&fe, 1, rod_ends(6), (tn_reduce_wanted){.frame = 0, .normal = 0}),
                 TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "no modes are left: with 1 attachment at least one normal mode is needed");
    tn_fe_clear(&fe);
}

static const tn_test tests[] = {
    {"a box has its mass, centre and inertia", a_box_has_its_mass_centre_and_inertia},
    {"modes of Buckens' frame have no momentum", modes_of_buckens_frame_have_no_momentum},
    {"coriolis fields are turned modes", coriolis_fields_are_turned_modes},
    {"free and clamped beams have their frequencies",
     free_and_clamped_beams_have_their_frequencies},
    {"both frames give the same free body", both_frames_give_the_same_free_body},
    {"reduced frequencies are near those of the whole body",
     reduced_frequencies_are_near_those_of_the_whole_body},
    {"modes up to a frequency are all there", modes_up_to_a_frequency_are_all_there},
    {"a body without attachments keeps its free modes",
     a_body_without_attachments_keeps_its_free_modes},
    {"loads on attachments deflect exactly", loads_on_attachments_deflect_exactly},
    {"mean ties stiffen nothing", mean_ties_stiffen_nothing},
    {"damping is by ratio or by mass and stiffness", damping_is_by_ratio_or_by_mass_and_stiffness},
    {"wrong matrices are refused", wrong_matrices_are_refused},
    {"bodies that are held or in parts are refused", bodies_that_are_held_or_in_parts_are_refused},
    {"mechanisms are counted", mechanisms_are_counted},
    {"attachments that cannot turn are refused", attachments_that_cannot_turn_are_refused},
};

int main(int argc, char **argv)
{
    const int failed = tn_run_tests(tests, TN_COUNT(tests), argc, argv);
    forget();
    return failed;
}
