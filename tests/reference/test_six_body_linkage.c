// SPDX-License-Identifier: MIT
//
// The six-body linkage of [LMO08, 5.5], models/six_body_linkage.yaml: its 72 rows of rank 71, the
// relation of its angles, diagonals of constant length, energies, one motion by all forms, and the
// condition numbers of Table 1. With TN_LONG in the environment runs are as long as docs/theory/
// six_body_linkage.md tells, several minutes; without, they are a small part of that.
//
// Energies of the variational integrator are found here from positions alone. With a constant
// weight f the equations (22) at node n give h B^T lambda_n = M (u_n-1 - u_n) + h f, so that the
// momentum (35) is M (u_n-1 + u_n) / 2.

#include "discrete_matrix.h"
#include "tenon/tenon.h"
#include "test.h"

enum { BODIES = 6, JOINTS = 6, N = 12 * BODIES, ROWS = 72 };

static const double PI = 3.14159265358979323846;
static const double L = 0.1, DENSITY = 1000.0, WEIGHT = 9.81;

// Corners of the cube on the axes of joints 1 to 6, in units of L; opposite ones are 3 apart.
static const tn_vec3 corners[JOINTS] = {{0, 1, 0},  {1, 1, 0},  {1, 1, -1},
                                        {1, 0, -1}, {0, 0, -1}, {0, 0, 0}};

typedef struct linkage {
    tn_model *model;
    tn_sim *sim;
    tn_body body[BODIES];
    tn_joint joint[JOINTS];
    tn_vec3 corner[JOINTS]; // in the frame of the body before the joint
    double h;
    double M[12];       // diagonal of the mass matrix of a body
    double q0[N], u[N]; // where the last step began, and its difference quotient
    double E0;          // energy at the start
} linkage;

// Mass and Euler tensor of the tetrahedron with corners (98): the integral of x x^T about its
// centre of mass is m / 20 times the sum of c c^T over the corners.
static void put_masses(linkage *k)
{
    const double a = tan(0.16 * PI), m = DENSITY * a * a * L * L * L / 6.0;
    const tn_vec3 c[4] = {{-a / 4, -0.5, a / 4},
                          {3 * a / 4, -0.5, a / 4},
                          {-a / 4, 0.5, a / 4},
                          {-a / 4, 0.5, -3 * a / 4}};
    const tn_mat3 axes = tn_sim_body_frame(k->sim, k->body[0]).R;
    for (int i = 0; i < 12; i++)
        k->M[i] = i < 3 ? m : 0.0;
    for (int j = 0; j < 4; j++) {
        const tn_vec3 x = tn_m3_apply_t(axes, tn_v3_scale(L, c[j]));
        const double part[3] = {x.x * x.x, x.y * x.y, x.z * x.z};
        for (int i = 0; i < 9; i++)
            k->M[3 + i] += m / 20.0 * part[i / 3];
    }
}

static double kinetic(const linkage *k, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        sum += 0.5 * k->M[i % 12] * u[i] * u[i];
    return sum;
}

static double potential(const linkage *k, const double *q)
{
    double sum = 0.0;
    for (int b = 0; b < BODIES; b++)
        sum += k->M[0] * WEIGHT * q[12 * b + 2];
    return sum;
}

static linkage open_linkage(const char *method, double h)
{
    linkage k = {.h = h};
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    CHECK_OK(tn_model_load(tn_test_path("models/six_body_linkage.yaml"), &k.model, NULL));
    CHECK_OK(tn_sim_create(k.model, &options, &k.sim));
    for (int i = 0; i < JOINTS; i++) {
        char name[24];
        snprintf(name, sizeof name, "body %d", i);
        k.body[i] = tn_model_find_body(k.model, name);
        snprintf(name, sizeof name, "joint %d", i + 1);
        k.joint[i] = tn_model_find_joint(k.model, name);
        const tn_frame back = tn_frame_inverse(tn_sim_body_frame(k.sim, k.body[i]));
        k.corner[i] = tn_frame_point(back, tn_v3_scale(L, corners[i]));
    }
    put_masses(&k);
    if (tn_sim_nq(k.sim) == N) // directors
        k.E0 = kinetic(&k, tn_sim_v(k.sim)) + potential(&k, tn_sim_q(k.sim));
    return k;
}

static void close_linkage(linkage *k)
{
    tn_sim_destroy(k->sim);
    tn_model_destroy(k->model);
}

static bool is_long(void)
{
    return getenv("TN_LONG") != NULL;
}

// Does something by every form of every scheme with discrete equations.
static void by_all(void (*what)(const char *scheme, const char *form))
{
    int count = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int f = 0; f < tn_formulation_count; f++)
            if (tn_integrators[i]->needs & tn_formulations[f]->offers & TN_VIEW_DISCRETE) {
                what(tn_integrators[i]->name, tn_formulations[f]->name);
                count++;
            }
    CHECK(count >= 4);
}

static const char *method_name(const char *scheme, const char *form)
{
    static char name[2][80];
    static int next;
    next = !next;
    snprintf(name[next], sizeof name[next], "%s/%s@director", scheme, form);
    return name[next];
}

// The model --------------------------------------------------------------------------------------

static void one_row_repeats_the_others_and_is_named(void)
{
    linkage k = open_linkage("variational/multiplier@director", 1e-3);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK(tn_sim_nq(k.sim) == N && tn_sim_nv(k.sim) == N && tn_sim_nl(k.sim) == ROWS);
    CHECK(tn_sim_freedoms(k.sim) == 1 && tn_sim_redundant(k.sim) == 1);
    CHECK_OK(tn_check_create(k.model, &options, &check)); // of rigid bodies: 36 rows less
    CHECK(tn_check_rows(check) == 36 && tn_check_rank(check) == 35);
    CHECK(tn_check_freedoms(check) == 1 && tn_check_redundant_count(check) == 1);
    const tn_redundant r = tn_check_redundant(check, 0);
    printf("joint %s, row %s\n", tn_model_joint_name(k.model, r.joint), r.row_name);
    CHECK_TEXT(tn_model_joint_name(k.model, r.joint), "joint 6"); // the last of the loop
    CHECK(r.nrepeats >= 5);
    for (int i = 0; i < JOINTS; i++)
        CHECK(!tn_check_unique(check, k.joint[i], 0));
    tn_check_destroy(check);
    close_linkage(&k);
}

static void bodies_are_tetrahedra_and_start_as_stated(void)
{
    linkage k = open_linkage("variational/multiplier@director", 1e-3);
    tn_ledger ledger;
    tn_sim_ledger(k.sim, &ledger);
    CHECK_NEAR(ledger.kinetic, kinetic(&k, tn_sim_v(k.sim)), 1e-14);
    CHECK_NEAR(ledger.potential, potential(&k, tn_sim_q(k.sim)), 1e-14);
    for (int i = 0; i < JOINTS; i++) { // (107) to first order: all rates are alike
        double angle, rate;
        tn_sim_joint_coordinates(k.sim, k.joint[i], &angle, &rate);
        CHECK_NEAR(angle, 0.0, 1e-14);
        CHECK_NEAR(rate, 30.0, 1e-12);
    }
    close_linkage(&k);
}

// Motion -----------------------------------------------------------------------------------------

// What a run has seen: largest deviations, extremes of angle 1, turns through its middle.
typedef struct sight {
    double relation, symmetry, diagonal;
    double low, high, last;
    int turns;
} sight;

static double worse_of(double a, double b) // NaN is worst
{
    return a <= b ? b : a;
}

static double angle(const linkage *k, int joint)
{
    double q, rate;
    tn_sim_joint_coordinates(k->sim, k->joint[joint], &q, &rate);
    return q;
}

static tn_vec3 corner(const linkage *k, int i)
{
    return tn_frame_point(tn_sim_body_frame(k->sim, k->body[i]), k->corner[i]);
}

static void look(const linkage *k, sight *s)
{
    const double one = angle(k, 0), two = angle(k, 1); // (107), (106)
    s->relation = worse_of(s->relation, fabs(sin(one) * (1.0 + sin(two)) - sin(two)));
    for (int i = 2; i < JOINTS; i++)
        s->symmetry = worse_of(s->symmetry, fabs(angle(k, i) - (i % 2 ? two : one)));
    for (int i = 0; i < 3; i++) {
        const double length = tn_v3_norm(tn_v3_sub(corner(k, i), corner(k, i + 3)));
        s->diagonal = worse_of(s->diagonal, fabs(length - sqrt(3.0) * L));
    }
    s->turns += s->last > -0.5 * PI && one <= -0.5 * PI;
    s->last = one;
    s->low = fmin(s->low, one);
    s->high = fmax(s->high, one);
}

static void check_motion(const char *scheme, const char *form)
{
    const int steps = is_long() ? 100000 : 500;
    linkage k = open_linkage(method_name(scheme, form), 1e-3);
    sight s = {0};
    tn_ledger ledger;
    const long blocks = tn_test_alloc_count();
    for (int n = 0; n < steps; n++) {
        CHECK_OK(tn_sim_step(k.sim, k.h));
        look(&k, &s);
    }
    CHECK(tn_test_alloc_count() == blocks);
    tn_sim_ledger(k.sim, &ledger);
    const long changes = k.sim->start.rows->changes;
    printf(
        "%s: %d turns, (107) %.1e, (106) %.1e, diagonals %.1e, g %.1e, energy %.1e, sets changed "
        "%ld times\n",
        tn_sim_method(k.sim), s.turns, s.relation, s.symmetry, s.diagonal, ledger.max_g,
        ledger.max_balance, changes);
    CHECK(s.relation < 1e-9 && s.symmetry < 1e-9 && s.diagonal < 1e-10);
    CHECK(ledger.max_g < 1e-13);              // all 72 rows, also those left out
    CHECK(!(ledger.rank_margin < 0.1));       // no singular position on the way
    CHECK(s.turns >= (int)(2.5e-3 * steps));  // one takes 0.39 s
    CHECK_NEAR(s.low, -7.0 * PI / 6.0, 0.02); // the whole range of (108)
    CHECK_NEAR(s.high, PI / 6.0, 0.02);
    CHECK(changes >= s.turns);
    if (!strcmp(scheme, "energy-momentum"))
        CHECK(ledger.max_balance < 1e-10 * ledger.kinetic);
    close_linkage(&k);
}

static void it_turns_over_and_over_with_all_its_relations(void)
{
    by_all(check_motion);
}

// Other methods, with the choice of rows that simulations make for them; step 0: error-controlled.
static void check_other(const char *method, double h)
{
    linkage k = open_linkage(method, h);
    sight s = {0};
    for (int n = 1; n <= 70; n++) {
        CHECK_OK(tn_sim_run(k.sim, 0.01 * n, NULL, NULL));
        look(&k, &s);
    }
    tn_ledger ledger;
    tn_sim_ledger(k.sim, &ledger);
    printf("%s: %d turns, %ld steps, (107) %.1e, energy %.1e\n", tn_sim_method(k.sim), s.turns,
           ledger.steps, s.relation, ledger.max_balance);
    CHECK(s.turns == 2 && s.relation < 1e-6 && s.diagonal < 1e-6);
    CHECK(ledger.max_balance < 1e-3 * ledger.kinetic);
    CHECK(!(ledger.rank_margin < 0.02));
    close_linkage(&k);
}

static void other_methods_turn_it_as_well(void)
{
    check_other("galpha/ggl", 1e-3);
    check_other("galpha/ggl@director", 1e-3);
    check_other("radau5/ggl@director", 0.0);
    check_other("bdf/ggl@joint", 0.0);
    check_other("auto", 0.0);
}

static void check_form(const char *scheme, const char *form)
{
    const int steps = is_long() ? 10000 : 300;
    double motion = 0.0, forces = 0.0;
    if (!strcmp(form, "multiplier"))
        return;
    linkage a = open_linkage(method_name(scheme, "multiplier"), 1e-3);
    linkage b = open_linkage(method_name(scheme, form), 1e-3);
    for (int n = 0; n < steps; n++) {
        CHECK_OK(tn_sim_step(a.sim, a.h));
        CHECK_OK(tn_sim_step(b.sim, b.h));
        for (int i = 0; i < N; i++)
            motion = worse_of(motion, fabs(tn_sim_q(a.sim)[i] - tn_sim_q(b.sim)[i]));
        for (int i = 0; i < ROWS; i++)
            forces = worse_of(forces, fabs(tn_sim_lambda(a.sim)[i] - tn_sim_lambda(b.sim)[i]));
    }
    printf("%s and multiplier, %d steps: motion %.1e, multipliers %.1e\n", tn_sim_method(b.sim),
           steps, motion, forces);
    CHECK(motion < 1e-9 && forces < 1e-6); // forces of 20 N, with the round-off of q over h^2
    close_linkage(&a);
    close_linkage(&b);
}

static void all_forms_give_one_motion(void)
{
    by_all(check_form);
}

// Energies ---------------------------------------------------------------------------------------

typedef struct band {
    double low, high, sum;
    int count;
} band;

static void widen(band *b, double value)
{
    b->low = b->count ? fmin(b->low, value) : value;
    b->high = b->count ? fmax(b->high, value) : value;
    b->sum += value;
    b->count++;
}

// E_d of the step that was taken, H_d of the node where it began [LMO08, eq. 52, 53].
static void add_energies(linkage *k, bool first, band *E, band *H)
{
    double u[N], mean[N], middle[N];
    const double *q = tn_sim_q(k->sim);
    for (int i = 0; i < N; i++) {
        u[i] = (q[i] - k->q0[i]) / k->h;
        mean[i] = 0.5 * (u[i] + k->u[i]);
        middle[i] = 0.5 * (q[i] + k->q0[i]);
    }
    widen(E, kinetic(k, u) + potential(k, middle) - k->E0);
    if (!first)
        widen(H, kinetic(k, mean) + potential(k, k->q0) - k->E0);
    memcpy(k->u, u, sizeof u);
}

typedef struct energies {
    band E[2], H[2]; // in the first and in the last part of a run
} energies;

static energies run_energies(const char *method, double h, int steps, int part)
{
    linkage k = open_linkage(method, h);
    energies e = {0};
    for (int n = 0; n < steps; n++) {
        memcpy(k.q0, tn_sim_q(k.sim), sizeof k.q0);
        CHECK_OK(tn_sim_step(k.sim, h));
        const int late = n >= steps - part;
        band aside = {0}, *E = n < part || late ? &e.E[late] : &aside;
        add_energies(&k, n == 0, E, E == &aside ? &aside : &e.H[late]);
    }
    printf("h = %g, %d steps: E_d - E_0 from %.3e to %.3e, then %.3e to %.3e; H_d from %.3e to "
           "%.3e, then %.3e to %.3e J; means %.3e, %.3e and %.3e, %.3e\n",
           h, steps, e.E[0].low, e.E[0].high, e.E[1].low, e.E[1].high, e.H[0].low, e.H[0].high,
           e.H[1].low, e.H[1].high, e.E[0].sum / e.E[0].count, e.E[1].sum / e.E[1].count,
           e.H[0].sum / e.H[0].count, e.H[1].sum / e.H[1].count);
    close_linkage(&k);
    return e;
}

static double width(const band *b)
{
    return b->high - b->low;
}

static void check_no_drift(const band part[2])
{
    const double mean0 = part[0].sum / part[0].count, mean1 = part[1].sum / part[1].count;
    CHECK_NEAR(width(&part[1]), width(&part[0]), 0.1 * width(&part[0]));
    CHECK_NEAR(mean1, mean0, 0.05 * width(&part[0]));
}

static void energies_oscillate_without_drift(void)
{
    const int steps = is_long() ? 100000 : 1500;
    const energies coarse = run_energies("variational/multiplier@director", 1e-2, steps, 500);
    const energies fine = run_energies("variational/multiplier@director", 1e-3, 1000, 500);
    check_no_drift(coarse.E);
    check_no_drift(coarse.H);
    CHECK(width(&coarse.H[0]) < width(&coarse.E[0])); // as in Fig. 16
    // Of second order: amplitudes of Fig. 17 are a hundredth of those of Fig. 16.
    CHECK_NEAR(width(&coarse.E[0]) / width(&fine.E[0]), 100.0, 15.0);
    CHECK_NEAR(width(&coarse.H[0]) / width(&fine.H[0]), 100.0, 15.0);
}

// Table 1 ----------------------------------------------------------------------------------------

// At ten nodes of the first 0.1 s; the paper does not say where its numbers were found.
typedef struct range {
    double least, most;
} range;

static void extend(range *r, double value)
{
    r->least = fmin(r->least, value);
    r->most = worse_of(r->most, value);
}

static void find_conditions(const char *method, double h, double share, range *plain, range *ours)
{
    linkage k = open_linkage(method, h);
    const int steps = (int)lround(0.1 / h), every = steps / 10;
    *plain = *ours = (range){INFINITY, 0.0};
    for (int n = 0; n < steps; n++) {
        CHECK_OK(tn_sim_step(k.sim, h));
        if (n % every != 0)
            continue;
        const matrix_condition c = condition_of(k.sim, h, share);
        int unknowns;
        double written, solved; // what tenon compare --condition tells
        CHECK_OK(tn_sim_condition(k.sim, &unknowns, &written, &solved));
        CHECK(unknowns == c.unknowns);
        CHECK_NEAR(written / c.plain, 1.0, 1e-3); // up to 1e12 of 1e16
        CHECK_NEAR(solved / c.ours, 1.0, 1e-9);
        extend(plain, c.plain);
        extend(ours, c.ours);
        CHECK(c.unknowns == 143);
    }
    close_linkage(&k);
    printf("%s h = %g: condition %.1e to %.1e as in the paper, %.1e to %.1e as it is\n", method, h,
           plain->least, plain->most, ours->least, ours->most);
}

static void check_conditions(const char *method, double share, const double paper[3])
{
    static const double steps[] = {1e-2, 1e-3, 1e-4};
    double last = 0.0;
    for (int i = 0; i < 3; i++) {
        range plain, ours;
        find_conditions(method, steps[i], share, &plain, &ours);
        CHECK(plain.least > 0.5 * paper[i] && plain.least < 2.0 * paper[i]);
        CHECK(plain.most < 20.0 * paper[i]);
        if (i == 2)
            CHECK_NEAR(log10(plain.most / last), 3.0, 0.2); // as h^-3
        last = plain.most;
        CHECK(ours.least > 50.0 && ours.most < 2e3); // whatever the step
    }
}

static void check_unknowns(const char *scheme, const char *form)
{
    static const struct {
        const char *form;
        int unknowns; // with the one that is zero as its row is left out
    } expected[] = {{"multiplier", 144}, {"dalembert", 72}, {"reparam", 1}};
    linkage k = open_linkage(method_name(scheme, form), 1e-2);
    for (int i = 0; i < TN_COUNT(expected); i++)
        CHECK(strcmp(form, expected[i].form) || k.sim->discrete->n == expected[i].unknowns);
    close_linkage(&k);
}

static void conditions_are_those_of_table_1(void)
{
    by_all(check_unknowns);
    check_conditions("variational/multiplier@director", 1.0, (const double[]){5e4, 3e7, 3e10});
    check_conditions("energy-momentum/multiplier@director", 0.5, (const double[]){1e5, 1e8, 1e11});
}

static const tn_test tests[] = {
    {"one row repeats the others and is named", one_row_repeats_the_others_and_is_named},
    {"bodies are tetrahedra and start as stated", bodies_are_tetrahedra_and_start_as_stated},
    {"it turns over and over with all its relations",
     it_turns_over_and_over_with_all_its_relations},
    {"other methods turn it as well", other_methods_turn_it_as_well},
    {"all forms give one motion", all_forms_give_one_motion},
    {"energies oscillate without drift", energies_oscillate_without_drift},
    {"conditions are those of table 1", conditions_are_those_of_table_1},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
