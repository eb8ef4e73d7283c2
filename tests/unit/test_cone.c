// SPDX-License-Identifier: MIT
//
// Contacts as problems over cones: impacts with exact solutions, towers, Painlevé's rod, a
// billiard break, an impact in a loop, and random problems against the enumeration of all modes.

#include "base/values.h"
#include "linalg/cone_parts.h"
#include "linalg/dense.h"
#include "test.h"

enum { ROWS = 180, CONTACTS = 60, FREE = 90 };

static const double EXACT = 1e-12; // rational results of at most five balls
static const double SQUEEZED =
    1e-11; // random contacts press a thousand times harder than they move

// Contacts of bodies with a diagonal mass matrix: W = H M^-1 H^T, c = H v.
typedef struct {
    int n, rows, freedoms;
    int dim[CONTACTS];
    double mu[CONTACTS], c[ROWS], W[ROWS * ROWS];
    double H[ROWS][FREE], mass[FREE], v[FREE];
    double y[ROWS], u[ROWS];
    tn_cone_problem p;
} scene;

static scene *new_scene(int freedoms)
{
    scene *s = calloc(1, sizeof *s);
    s->freedoms = freedoms;
    for (int k = 0; k < freedoms; k++)
        s->mass[k] = 1.0;
    return s;
}

static void add_contact(scene *s, int dim, double mu)
{
    s->dim[s->n] = dim;
    s->mu[s->n++] = mu;
    s->rows += dim;
}

static void form(scene *s)
{
    for (int i = 0; i < s->rows; i++) {
        s->c[i] = tn_dot(s->freedoms, s->H[i], s->v);
        for (int j = 0; j < s->rows; j++) {
            double w = 0.0;
            for (int k = 0; k < s->freedoms; k++)
                w += s->H[i][k] * s->H[j][k] / s->mass[k];
            s->W[i + j * s->rows] = w;
        }
    }
    s->p = (tn_cone_problem){s->n, s->dim, s->mu, s->W, s->c};
}

// v after the impulses y.
static void moved(const scene *s, double *v)
{
    tn_copy(s->freedoms, s->v, v);
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < s->freedoms; k++)
            v[k] += s->H[i][k] * s->y[i] / s->mass[k];
}

static double energy(const scene *s, const double *v)
{
    double sum = 0.0;
    for (int k = 0; k < s->freedoms; k++)
        sum += 0.5 * s->mass[k] * v[k] * v[k];
    return sum;
}

static void solve(scene *s, tn_cone_report *report)
{
    tn_cone *cone = NULL;
    CHECK_OK(tn_cone_create(s->n, &cone));
    CHECK_OK(tn_cone_solve(cone, &s->p, s->y, s->u, report));
    tn_cone_destroy(cone);
}

static void impact(scene *s, const double *e, tn_impact_law law, double *v)
{
    tn_cone *cone = NULL;
    tn_cone_report report;
    double gain = 0.0;
    CHECK_OK(tn_cone_create(s->n, &cone));
    tn_zero(s->rows, s->y);
    CHECK_OK(tn_cone_impact(cone, &s->p, e, law, s->y, s->u, &report, &gain));
    tn_cone_destroy(cone);
    CHECK(report.solved);
    moved(s, v);
    CHECK_NEAR(gain, energy(s, v) - energy(s, s->v), SQUEEZED * fmax(1.0, energy(s, s->v)));
}

// ---- Rows of balls

static scene *row_of_balls(int n, const double *mass, const double *v)
{
    scene *s = new_scene(n);
    tn_copy(n, mass, s->mass);
    tn_copy(n, v, s->v);
    for (int i = 0; i + 1 < n; i++) {
        s->H[i][i] = -1.0;
        s->H[i][i + 1] = 1.0;
        add_contact(s, 1, 0.0);
    }
    form(s);
    return s;
}

// Both laws agree where all contacts press and have one e.
static void check_cradle(int n, int moving, double e, const double *expected)
{
    double mass[5] = {1.0, 1.0, 1.0, 1.0, 1.0}, v[5] = {0.0}, after[5], es[5] = {e, e, e, e, e};
    for (int i = 0; i < moving; i++)
        v[i] = 1.0;
    scene *s = row_of_balls(n, mass, v);
    for (int law = TN_IMPACT_NEWTON; law <= TN_IMPACT_POISSON; law++) {
        impact(s, es, (tn_impact_law)law, after);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(after[i], expected[i], EXACT);
    }
    free(s);
}

// Fractions by enumeration in rational numbers: all contacts of a row at once, as Moreau's and
// Poisson's laws have it, not one after the other.
static void rows_of_balls_end_at_their_fractions(void)
{
    check_cradle(3, 1, 1.0, (double[]){-1.0 / 3, 2.0 / 3, 2.0 / 3});
    check_cradle(3, 1, 0.5, (double[]){0.0, 0.5, 0.5});
    check_cradle(5, 1, 1.0, (double[]){-0.6, 0.4, 0.4, 0.4, 0.4});
    check_cradle(5, 1, 0.5, (double[]){-0.2, 0.3, 0.3, 0.3, 0.3});
    check_cradle(5, 2, 1.0, (double[]){-0.2, -0.2, 0.8, 0.8, 0.8});
    check_cradle(5, 2, 0.5, (double[]){0.1, 0.1, 0.6, 0.6, 0.6});
}

static void laws_of_newton_and_poisson_differ_where_restitution_does(void)
{
    const double mass[] = {2.0, 1.0, 3.0, 1.0}, v[] = {2.0, 0.0, 0.0, -1.0}, e[] = {0.8, 0.3, 0.5};
    const double newton[] = {-11.0 / 14, 57.0 / 70, 57.0 / 70, 46.0 / 35};
    const double poisson[] = {-29.0 / 35, 123.0 / 140, 123.0 / 140, 8.0 / 7};
    double after[4];
    scene *s = row_of_balls(4, mass, v);
    impact(s, e, TN_IMPACT_NEWTON, after);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(after[i], newton[i], EXACT);
    CHECK_NEAR(energy(s, after) / energy(s, s->v), 0.6238095238, 1e-10); // ten digits are printed
    impact(s, e, TN_IMPACT_POISSON, after);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(after[i], poisson[i], EXACT);
    CHECK_NEAR(energy(s, after) / energy(s, s->v), 0.6407482993, 1e-10);
    free(s);
}

// ---- A rack of fifteen balls

static scene *billiard(void)
{
    scene *s = new_scene(32);
    double x[16] = {-2.0}, y[16] = {0.0};
    for (int row = 0, k = 1; row < 5; row++)
        for (int i = 0; i <= row; i++, k++) {
            x[k] = sqrt(3.0) * row;
            y[k] = 2 * i - row;
        }
    for (int i = 0; i < 16; i++)
        for (int j = i + 1; j < 16; j++) {
            const double dx = 0.5 * (x[j] - x[i]), dy = 0.5 * (y[j] - y[i]);
            if (fabs(hypot(dx, dy) - 1.0) > 1e-9)
                continue;
            s->H[s->n][2 * j] = dx;
            s->H[s->n][2 * j + 1] = dy;
            s->H[s->n][2 * i] = -dx;
            s->H[s->n][2 * i + 1] = -dy;
            add_contact(s, 1, 0.0);
        }
    s->v[0] = 1.0;
    form(s);
    return s;
}

// 31 contacts of rank 28: impulses are not unique, velocities are, in closed form.
static void a_break_has_one_set_of_velocities(void)
{
    scene *s = billiard();
    CHECK(s->n == 31);
    for (int k = 0; k <= 4; k++) {
        const double e = 0.25 * k, f = (1.0 + e) / 35.0;
        double es[31], v[32];
        for (int i = 0; i < s->n; i++)
            es[i] = e;
        impact(s, es, TN_IMPACT_NEWTON, v);
        CHECK_NEAR(v[0], 1.0 - 31.0 * f, 1e-14);
        CHECK_NEAR(v[2], 4.0 * f, 1e-14);
        CHECK_NEAR(v[22], 3.0 * f, 1e-14);
        CHECK_NEAR(v[23], -sqrt(3.0) * f, 1e-14);
        CHECK_NEAR(v[30], 3.0 * f, 1e-14);
        CHECK_NEAR(v[31], sqrt(3.0) * f, 1e-14);
        for (int i = 24; i < 30; i += 2) {
            CHECK_NEAR(v[i], f, 1e-14);
            CHECK_NEAR(v[i + 1], 0.0, 1e-14);
        }
        CHECK_NEAR(energy(s, v) / energy(s, s->v), 1.0 - (1.0 - e * e) * 31.0 / 35.0, 1e-14);
    }
    free(s);
}

// ---- Painlevé's rod: half length and mass 1, the lower tip on the ground, at an angle to it

static scene *rod(double degrees, double omega, double mu, double slip)
{
    const double angle = degrees * M_PI / 180.0;
    scene *s = new_scene(3);
    s->mass[2] = 1.0 / 3.0;
    s->H[0][1] = 1.0;
    s->H[0][2] = -cos(angle);
    s->H[1][0] = 1.0;
    s->H[1][2] = sin(angle);
    s->v[1] = -9.81; // accelerations are in the place of velocities
    add_contact(s, 2, mu);
    form(s);
    s->c[0] += sin(angle) * omega * omega;
    s->c[1] += cos(angle) * omega * omega;
    s->u[1] = slip;
    return s;
}

static tn_cone_choice choose(scene *s, const double *slip, tn_cone_mode *mode)
{
    tn_cone *cone = NULL;
    tn_cone_choice choice;
    CHECK_OK(tn_cone_create(s->n, &cone));
    CHECK_OK(tn_cone_modes(cone, &s->p, slip, s->y, s->u, mode, &choice));
    tn_cone_destroy(cone);
    return choice;
}

// The closed form m A = 1 + 3 cos^2 - 3 mu sin cos of a tip that slips back.
static void painleve_rods_have_one_no_or_two_solutions(void)
{
    static const struct {
        double degrees, omega, A, force;
        int solutions;
    } cases[] = {{30, 0, 1.301442841485, 7.537787820790, 1},
                 {60, 0, -0.198557158515, 0, 0},
                 {60, 5, -0.198557158515, 0, 2}, // the other force is 59.633383067966
                 {85, 0, 0.632079970731, 15.520188036734, 1}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        scene *s = rod(cases[k].degrees, cases[k].omega, 1.5, -1.0);
        const double slip[] = {0.0, -1.0};
        tn_cone_mode mode;
        const tn_cone_choice choice = choose(s, slip, &mode);
        CHECK(choice.counted && choice.solutions == cases[k].solutions);
        CHECK(choice.painleve_at == 0 && choice.report.solved == (choice.solutions > 0));
        CHECK_NEAR(choice.painleve * s->W[0], cases[k].A, 1e-11);
        if (choice.solutions > 0)
            CHECK_NEAR(s->y[0], cases[k].force, 1e-11);
        CHECK(choice.solutions == 0 || mode == (s->y[0] > 0.0 ? TN_CONE_SLIP : TN_CONE_OPEN));
        free(s);
    }
}

// Closed forms tan = (3 mu -+ sqrt(9 mu^2 - 16)) / 2; below mu = 4/3 there are none.
static void painleve_angles_are_where_they_should_be(void)
{
    static const double cases[][2] = {{1.4, 55.5858108079}, {1.4, 69.9518669841},
                                      {1.5, 50.6415981605}, {1.5, 73.0484693655},
                                      {2.0, 37.3773681406}, {2.0, 79.1876830364}};
    const double slip[] = {0.0, -0.1};
    tn_cone_mode mode;
    for (int k = 0; k < TN_COUNT(cases); k++) {
        scene *s = rod(cases[k][1], 0, cases[k][0], -0.1);
        CHECK_NEAR(choose(s, slip, &mode).painleve, 0.0, 1e-11);
        free(s);
    }
    for (double degrees = 1.0; degrees < 90.0; degrees += 1.0) {
        scene *s = rod(degrees, 0, 1.33, -0.1);
        CHECK(choose(s, slip, &mode).painleve > 0.0);
        free(s);
    }
}

// At 60 degrees with mu = 1.5 the ground holds a slipping tip by an impulse without a collision.
static void a_tip_may_be_stopped_without_a_collision(void)
{
    tn_cone_report report;
    scene *s = rod(60, 0, 1.5, -1.0);
    s->c[0] = 0.0;
    s->c[1] = -1.0;
    solve(s, &report);
    CHECK(report.solved);
    CHECK_NEAR(s->y[0], 0.32475953, 5e-9);
    CHECK_NEAR(s->y[1], 0.4375, EXACT);
    free(s);
}

// ---- An impact in a loop

// Rows of the point at `part` of the length of a bar, for its x, y and turn.
static void bar_point(int bar, double part, double length, double angle, double sign,
                      double row[2][9])
{
    const double arm = sign * (part - 0.5) * length;
    row[0][3 * bar] += sign;
    row[1][3 * bar + 1] += sign;
    row[0][3 * bar + 2] -= arm * sin(angle);
    row[1][3 * bar + 2] += arm * cos(angle);
}

// Four-bar of uniform bars, ground 1, crank 0.4 m (2 kg), coupler 0.9 m (3 kg), rocker 0.8 m
// (2.5 kg), at the angles of a crank at 70 degrees: x, y and turn of three bars, four joints.
static void four_bar(double mass[9], double J[8][9], double wall[2][9])
{
    const double length[] = {0.4, 0.9, 0.8}, m[] = {2.0, 3.0, 2.5};
    double angle[] = {70.0 * M_PI / 180.0, 0.0, 0.0};
    const double x = 1.0 - 0.4 * cos(angle[0]), y = -0.4 * sin(angle[0]), r = hypot(x, y);
    angle[1] = atan2(y, x) + acos((0.81 + r * r - 0.64) / (2.0 * 0.9 * r));
    angle[2] = atan2(0.9 * sin(angle[1]) - y, 0.9 * cos(angle[1]) - x);
    memset(J, 0, 8 * sizeof J[0]);
    for (int i = 0; i < 3; i++) {
        mass[3 * i] = mass[3 * i + 1] = m[i];
        mass[3 * i + 2] = m[i] * length[i] * length[i] / 12.0;
    }
    bar_point(0, 0.0, 0.4, angle[0], 1.0, J);
    bar_point(0, 1.0, 0.4, angle[0], 1.0, J + 2);
    bar_point(1, 0.0, 0.9, angle[1], -1.0, J + 2);
    bar_point(1, 1.0, 0.9, angle[1], 1.0, J + 4);
    bar_point(2, 1.0, 0.8, angle[2], -1.0, J + 4);
    bar_point(2, 0.0, 0.8, angle[2], 1.0, J + 6);
    bar_point(2, 1.0, 0.8, angle[2], 1.0, wall);
}

// x = (M^-1 - M^-1 J^T (J M^-1 J^T)^-1 J M^-1) f.
static void push_loop(const double mass[9], double J[8][9], const double *f, double *x)
{
    double A[64], b[8];
    int pivot[8];
    for (int k = 0; k < 9; k++)
        x[k] = f[k] / mass[k];
    for (int i = 0; i < 8; i++) {
        b[i] = tn_dot(9, J[i], x);
        for (int j = 0; j < 8; j++) {
            A[i + 8 * j] = 0.0;
            for (int k = 0; k < 9; k++)
                A[i + 8 * j] += J[i][k] * J[j][k] / mass[k];
        }
    }
    CHECK_OK(tn_lu_factor(8, A, pivot));
    tn_lu_solve(8, A, pivot, b);
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < 8; i++)
            x[k] -= J[i][k] * b[i] / mass[k];
}

// The end of the rocker meets a wall across x with e = 0.6 while the crank has 10 rad/s. The
// freedom is turned back, and expected numbers are those of its effective inertia.
static void an_impact_in_a_loop_turns_the_crank_back(void)
{
    double mass[9], J[8][9], wall[2][9] = {{0.0}}, x[9], v[9], torque[9] = {0, 0, 1.0};
    const double e = 0.6;
    four_bar(mass, J, wall);
    push_loop(mass, J, torque, v); // a motion that the joints let through
    tn_scale(9, 10.0 / v[2], v);
    CHECK_NEAR(v[5], -2.0308848046, 1e-10);
    CHECK_NEAR(v[8], 3.6422271458, 1e-10);
    push_loop(mass, J, wall[0], x);
    const double W = tn_dot(9, wall[0], x), c = tn_dot(9, wall[0], v);
    CHECK_NEAR(c, -2.9032808486, 1e-10);
    tn_cone *cone = NULL;
    tn_cone_report report;
    double y = 0.0, u = 0.0, gain = 0.0;
    CHECK_OK(tn_cone_create(1, &cone));
    const tn_cone_problem p = {1, (int[]){1}, (double[]){0.0}, &W, &c};
    CHECK_OK(tn_cone_impact(cone, &p, &e, TN_IMPACT_NEWTON, &y, &u, &report, &gain));
    tn_cone_destroy(cone);
    CHECK(report.solved);
    CHECK_NEAR(y, 29.10171701644, 1e-10);
    CHECK_NEAR(u, -e * c, EXACT);
    CHECK_NEAR(gain, -16.8980915350, 1e-9);
    tn_axpy(9, y, x, v);
    CHECK_NEAR(v[2], -6.0, EXACT);
    for (int i = 0; i < 8; i++)
        CHECK_NEAR(tn_dot(9, J[i], v), 0.0, EXACT);
}

// ---- Towers of cubes, two contacts with friction per face

static scene *tower(int cubes, double top, double push)
{
    scene *s = new_scene(3 * cubes);
    const double a = 0.1, h = 1e-3;
    for (int k = 0; k < cubes; k++) {
        const double m = k == cubes - 1 ? top : 1.0;
        s->mass[3 * k] = s->mass[3 * k + 1] = m;
        s->mass[3 * k + 2] = m * a * a / 6.0;
        s->v[3 * k] = push * h;
        s->v[3 * k + 1] = -9.81 * h;
        for (int side = -1; side <= 1; side += 2) {
            double(*H)[FREE] = s->H + s->rows;
            H[0][3 * k + 1] = H[1][3 * k] = 1.0;
            H[0][3 * k + 2] = 0.5 * side * a;
            H[1][3 * k + 2] = 0.5 * a;
            if (k > 0) {
                H[0][3 * k - 2] = H[1][3 * k - 3] = -1.0;
                H[0][3 * k - 1] = -0.5 * side * a;
                H[1][3 * k - 1] = 0.5 * a;
            }
            add_contact(s, 2, 0.5);
        }
    }
    form(s);
    return s;
}

static double face_load(const scene *s, int cube)
{
    return s->y[4 * cube] + s->y[4 * cube + 2];
}

static void check_tower(int cubes, double top)
{
    const double gh = 9.81e-3, bound = top > 1.0 ? 2e-11 : 1e-12; // as loads beside c
    tn_cone_report report;
    double v[FREE];
    scene *s = tower(cubes, top, 0.0);
    solve(s, &report);
    CHECK(report.solved && fmax(report.signorini, report.coulomb) < bound);
    moved(s, v);
    CHECK_NEAR(tn_norm_inf(s->freedoms, v) / gh, 0.0, 10.0 * bound);
    for (int k = 0; k < cubes; k++)
        CHECK_NEAR(face_load(s, k) / gh, cubes - 1 - k + top, 1e-8 * (cubes + top));
    tn_cone_mode mode[CONTACTS];
    const double still[ROWS] = {0.0};
    const tn_cone_choice choice = choose(s, still, mode); // the same of accelerations
    CHECK(choice.report.solved && choice.solutions == 1 && !choice.counted);
    CHECK(choice.painleve == 1.0 && choice.painleve_at == -1);
    for (int i = 0; i < s->n; i++)
        CHECK(mode[i] == TN_CONE_STICK);
    free(s);
    s = tower(cubes, top, 6.0); // more than friction can hold: it slides and tips
    solve(s, &report);
    CHECK(report.solved && fmax(report.signorini, report.coulomb) < bound);
    moved(s, v);
    CHECK(energy(s, v) < energy(s, s->v));
    double cold[ROWS];
    tn_copy(s->rows, s->u, cold);
    solve(s, &report); // from its own solution
    CHECK(report.solved && report.iterations <= 10);
    for (int i = 0; i < s->rows; i++)
        CHECK_NEAR((s->u[i] - cold[i]) / gh, 0.0, 1e-8);
    free(s);
}

static void towers_of_cubes_stand_and_slide(void)
{
    check_tower(10, 1.0);
    check_tower(10, 1000.0);
    check_tower(30, 1.0);
    check_tower(30, 1000.0);
}

// ---- A box on four points

static scene *table_on_four_legs(double offset)
{
    scene *s = new_scene(6);
    for (int i = 0; i < 4; i++) {
        const double x = (i & 1 ? 1.0 : -1.0) + offset, y = i & 2 ? 1.0 : -1.0;
        double(*H)[FREE] = s->H + s->rows;
        H[0][2] = H[1][0] = H[2][1] = 1.0;
        H[0][3] = y;
        H[0][4] = -x;
        H[1][4] = H[2][3] = -0.5;
        H[2][3] = 0.5;
        H[1][5] = -y;
        H[2][5] = x;
        add_contact(s, 3, 0.5);
    }
    s->v[2] = -1.0;
    s->v[0] = 0.2;
    form(s);
    return s;
}

// Twelve rows of rank six: each leg has the same part of the friction, and loads that are a plane
// over the legs, which is the least of those that hold the table.
static void loads_that_are_not_unique_are_the_least(void)
{
    tn_cone_report report;
    scene *s = table_on_four_legs(0.0);
    solve(s, &report);
    CHECK(report.solved);
    CHECK_NEAR(tn_norm_inf(s->rows, s->u), 0.0, 1e-13);
    CHECK_NEAR(s->y[0] + s->y[9] - s->y[3] - s->y[6], 0.0, 1e-13);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(s->y[3 * i + 1], -0.05, 1e-13);
    const int cold = report.iterations;
    for (int i = 0; i < 4; i++) // a load that no velocity depends on
        s->y[3 * i] += i == 0 || i == 3 ? 0.1 : -0.1;
    solve(s, &report);
    CHECK(report.solved && report.iterations <= cold + 2);
    CHECK_NEAR(s->y[0] + s->y[9] - s->y[3] - s->y[6], 0.0, 1e-13);
    free(s);
}

// ---- Five balls of radius 1

static void cross(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// One row of a contact of ball b with ball a, or with the ground (-1).
static void ball_row(scene *s, int row, int a, int b, const double *normal, const double *along)
{
    double turn[3];
    cross(along, normal, turn); // both arms give -(n x along), as n points from one to the other
    for (int k = 0; k < 3; k++) {
        s->H[row][6 * b + k] = along[k];
        s->H[row][6 * b + 3 + k] = turn[k];
        if (a >= 0) {
            s->H[row][6 * a + k] = -along[k];
            s->H[row][6 * a + 3 + k] = turn[k];
        }
    }
}

static void touch(scene *s, int a, int b, const double *normal, double mu)
{
    const double some[] = {0.36, 0.48, 0.8};
    double t[3], w[3];
    cross(normal, some, t);
    tn_scale(3, 1.0 / tn_norm2(3, t), t);
    cross(normal, t, w);
    ball_row(s, s->rows, a, b, normal, normal);
    ball_row(s, s->rows + 1, a, b, normal, t);
    ball_row(s, s->rows + 2, a, b, normal, w);
    add_contact(s, 3, mu);
}

// Four in a square and one on top, for the time in which they would fall with speed one.
static double speed_of_heap(double mu)
{
    static const double at[5][3] = {
        {0, 0, 1}, {2, 0, 1}, {0, 2, 1}, {2, 2, 1}, {1, 1, 2.414213562373095}};
    static const double up[] = {0, 0, 1};
    tn_cone_report report;
    scene *s = new_scene(30);
    double v[FREE];
    for (int i = 0; i < 5; i++) {
        s->v[6 * i + 2] = -1.0;
        for (int k = 3; k < 6; k++)
            s->mass[6 * i + k] = 0.4;
        if (i < 4)
            touch(s, -1, i, up, mu);
        for (int j = 0; j < i; j++) {
            double n[3];
            for (int k = 0; k < 3; k++)
                n[k] = 0.5 * (at[i][k] - at[j][k]);
            if (tn_norm2(3, n) < 1.0 + 1e-9)
                touch(s, j, i, n, mu);
        }
    }
    CHECK(s->n == 12);
    form(s);
    solve(s, &report);
    CHECK(report.solved);
    moved(s, v);
    free(s);
    return tn_norm_inf(30, v);
}

// Each lower ball is held by two forces through its lowest point, of which the one from above comes
// at half of the 45 degrees that its contact leans.
static void a_heap_of_balls_stands_where_friction_holds_half_the_angle(void)
{
    const double limit = tan(M_PI / 8.0);
    CHECK_NEAR(speed_of_heap(1.0), 0.0, 1e-13);
    CHECK_NEAR(speed_of_heap(limit * (1.0 + 1e-6)), 0.0, 1e-13);
    CHECK(speed_of_heap(limit * (1.0 - 1e-6)) > 1e-8);
    CHECK(speed_of_heap(0.1) > 0.1);
}

// ---- Random problems

static scene *random_scene(int n, int dim, int freedoms)
{
    scene *s = new_scene(freedoms);
    for (int i = 0; i < n; i++)
        add_contact(s, dim, 0.5 + 0.4 * tn_random());
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < freedoms; k++)
            s->H[i][k] = tn_random() + (k == 0); // a motion that opens contacts
    for (int k = 0; k < freedoms; k++) {
        s->mass[k] = exp(2.0 * tn_random());
        s->v[k] = tn_random();
    }
    form(s);
    return s;
}

// Velocities by trying all modes: open, hold, slip to either side. Several solutions are possible;
// whether u is among them counts.
static bool is_among_all(const scene *s, double *least)
{
    const int n = s->n, N = s->rows;
    int codes = 1;
    for (int i = 0; i < n; i++)
        codes *= 4;
    *least = INFINITY;
    for (int code = 0; code < codes; code++) {
        double A[64] = {0.0}, x[8], u[8];
        int pivot[8];
        bool good = true;
        for (int i = 0, rest = code; i < n; i++, rest /= 4) {
            const int mode = rest % 4, a = 2 * i;
            for (int j = 0; j < N; j++) { // rows: y_N = 0 or u_N = 0; u_T = 0 or y_T = -+ mu y_N
                A[a + j * N] = mode == 0 ? j == a : s->W[a + j * N];
                A[a + 1 + j * N] = mode == 1 ? s->W[a + 1 + j * N] : j == a + 1;
            }
            if (mode > 1)
                A[a + 1 + a * N] = mode == 2 ? s->mu[i] : -s->mu[i];
            x[a] = mode == 0 ? 0.0 : -s->c[a];
            x[a + 1] = mode == 1 ? -s->c[a + 1] : 0.0;
        }
        if (tn_lu_factor(N, A, pivot) != TN_OK)
            continue;
        tn_lu_solve(N, A, pivot, x);
        tn_copy(N, s->c, u);
        for (int j = 0; j < N; j++)
            tn_axpy(N, x[j], s->W + j * N, u);
        for (int i = 0, rest = code; i < n; i++, rest /= 4) {
            const int mode = rest % 4;
            good = good && x[2 * i] > -1e-9 && u[2 * i] > -1e-9 &&
                   fabs(x[2 * i + 1]) < s->mu[i] * x[2 * i] + 1e-9 &&
                   (mode < 2 || x[2 * i + 1] * u[2 * i + 1] < 1e-9);
        }
        double far = 0.0;
        for (int j = 0; j < N; j++)
            far = fmax(far, fabs(u[j] - s->u[j]));
        if (good)
            *least = fmin(*least, far);
    }
    return *least < 1e-8;
}

static void random_problems_in_the_plane_agree_with_all_modes(void)
{
    for (int k = 0; k < 600; k++) {
        const int n = 1 + k % 4;
        scene *s = random_scene(n, 2, 2 * n + 1);
        tn_cone_report report;
        double least = 0.0;
        solve(s, &report);
        CHECK(report.solved && report.signorini < 1e-12 && report.coulomb < 1e-12);
        CHECK(is_among_all(s, &least));
        free(s);
    }
}

// Without friction velocities are unique, and the same from any start; impacts with one e lose
// energy or keep it, and the one with e = 1 keeps it.
static void one_restitution_never_gains_energy(void)
{
    for (int k = 0; k < 300; k++) {
        const int n = 2 + k % 9;
        scene *s = random_scene(n, 1, k % 2 ? n : (n + 2) / 2);
        for (int step = 0; step <= 4; step++) {
            double e[10], v[FREE], again[FREE], gain = 0.0;
            tn_cone_report report;
            tn_cone *cone = NULL;
            for (int i = 0; i < n; i++)
                e[i] = 0.25 * step;
            impact(s, e, TN_IMPACT_NEWTON, v);
            const double most = energy(s, s->v);
            CHECK(energy(s, v) <= most * (1.0 + SQUEEZED));
            CHECK(step < 4 || energy(s, v) > most * (1.0 - SQUEEZED));
            for (int i = 0; i < n; i++)
                s->y[i] = tn_random();
            CHECK_OK(tn_cone_create(n + 3, &cone));
            CHECK_OK(tn_cone_impact(cone, &s->p, e, TN_IMPACT_NEWTON, s->y, s->u, &report, &gain));
            tn_cone_destroy(cone);
            moved(s, again);
            for (int i = 0; i < s->freedoms; i++)
                CHECK_NEAR(again[i], v[i], SQUEEZED);
        }
        free(s);
    }
}

// Some contacts slip already. Forces and accelerations are those of the mode that is named, and
// one of all modes is found wherever there is one.
static void chosen_modes_are_consistent(void)
{
    int several = 0, none = 0;
    for (int k = 0; k < 800; k++) {
        const int n = 1 + k % 4;
        scene *s = random_scene(n, 2, 2 * n);
        tn_cone_mode mode[4];
        double slip[8] = {0.0};
        for (int i = 0; i < n; i++) {
            s->mu[i] *= 2.0;
            slip[2 * i + 1] = (k + i) % 3 ? tn_random() : 0.0;
        }
        const tn_cone_choice choice = choose(s, slip, mode);
        several += choice.solutions > 1;
        none += choice.solutions == 0;
        CHECK(choice.counted && choice.report.solved == (choice.solutions > 0));
        CHECK(choice.solutions > 0 || choice.painleve_at >= 0); // without slip there always is one
        for (int i = 0; choice.solutions > 0 && i < n; i++) {
            const double *y = s->y + 2 * i, *u = s->u + 2 * i, v = slip[2 * i + 1];
            CHECK(mode[i] == TN_CONE_OPEN ? y[0] == 0.0 && u[0] > 0.0 : fabs(u[0]) < SQUEEZED);
            if (v != 0.0)
                CHECK_NEAR(y[1], copysign(s->mu[i] * y[0], -v), 1e-9);
            else if (mode[i] == TN_CONE_SLIP)
                CHECK_NEAR(y[1], copysign(s->mu[i] * y[0], -u[1]), 1e-9);
            else
                CHECK(fabs(y[1]) <= s->mu[i] * y[0] * (1.0 + 1e-12));
        }
        free(s);
    }
    CHECK(several > 5 && none > 5);
}

// Newton's method and pivoting miss some of these; sweeps do not.
static void a_contact_alone_is_always_solved(void)
{
    for (int k = 0; k < 5000; k++) {
        scene *s = random_scene(1, 3, 3);
        tn_cone_report report;
        s->mu[0] *= 2.0;
        solve(s, &report);
        CHECK(report.solved);
        free(s);
    }
}

// Impulses that are wrong by ten times what is allowed, and by a tenth of it.
static void what_is_left_decides(void)
{
    scene *s = table_on_four_legs(0.2);
    tn_cone *cone = NULL;
    tn_cone_report report;
    CHECK_OK(tn_cone_create(4, &cone));
    CHECK_OK(tn_cone_solve(cone, &s->p, s->y, s->u, &report));
    CHECK(report.solved);
    for (int k = -1; k <= 1; k += 2) {
        for (int j = 0; j < s->rows; j++)
            s->u[j] += pow(10.0, k) * TN_CONE_BOUND;
        report = tn_cone_judge(cone, &s->p, s->y, s->u);
        CHECK_NEAR(report.signorini, pow(10.0, k) * TN_CONE_BOUND, 0.2 * report.signorini);
        CHECK(report.solved == (k < 0));
    }
    CHECK(10.0 * TN_CONE_BOUND < 2e-9); // of the speeds: what friction laws and events resolve
    tn_cone_destroy(cone);
    free(s);
}

// In space there is no list of all modes: residuals tell. Few are not solved, and these say so.
static void random_problems_in_space_are_solved_or_say_that_they_are_not(void)
{
    int open = 0;
    for (int k = 0; k < 600; k++) {
        const int n = 1 + k % 10;
        scene *s = random_scene(n, 3, 3 * n + 1);
        tn_cone_report report;
        double v[FREE];
        solve(s, &report);
        moved(s, v);
        for (int i = 0; i < s->rows; i++)
            CHECK_NEAR(s->u[i], tn_dot(s->freedoms, s->H[i], v), 1e-10);
        for (int i = 0; i < n; i++) {
            const double *y = s->y + 3 * i, *u = s->u + 3 * i;
            CHECK(hypot(y[1], y[2]) <= s->mu[i] * y[0] * (1.0 + 1e-12));
            if (report.solved)
                CHECK(u[0] > -1e-9 && fabs(y[0] * u[0]) < 1e-7 && y[1] * u[1] + y[2] * u[2] < 1e-8);
        }
        open += !report.solved;
        CHECK(!report.solved || energy(s, v) <= energy(s, s->v) * (1.0 + 1e-10)); // e = 0
        free(s);
    }
    CHECK(open <= 1); // none is; another order of sums may find one
}

// ---- Laws, and what has no solution

// A point with mass 1 that comes down at an angle: friction of mu times both parts of the impulse.
static void poisson_gives_friction_back_with_its_load(void)
{
    const double e[] = {0.5, 0.0};
    double v[2];
    for (int law = TN_IMPACT_NEWTON; law <= TN_IMPACT_POISSON; law++) {
        scene *s = new_scene(2);
        s->H[0][1] = s->H[1][0] = 1.0;
        s->v[0] = 2.0;
        s->v[1] = -1.0;
        add_contact(s, 2, 0.3);
        form(s);
        impact(s, e, (tn_impact_law)law, v);
        CHECK_NEAR(v[1], 0.5, EXACT);
        CHECK_NEAR(v[0], 2.0 - 0.3 * 1.5, EXACT);
        free(s);
    }
}

// A table that slides on four legs: the direction of friction is known, loads are a plane and shift
// to the legs in front.
static void sliding_tables_lean_forward(void)
{
    const double slip[] = {0, 3, 4, 0, 3, 4, 0, 3, 4, 0, 3, 4};
    tn_cone_mode mode[4];
    scene *s = table_on_four_legs(0.0);
    const tn_cone_choice choice = choose(s, slip, mode);
    CHECK(choice.report.solved && choice.counted && choice.solutions == 1);
    CHECK(choice.painleve > 0.0 && choice.painleve < 1.0 && choice.painleve_at == 3);
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < 4; i++) {
        CHECK(mode[i] == TN_CONE_SLIP);
        CHECK_NEAR(s->y[3 * i + 1], -0.3 * s->y[3 * i], EXACT);
        CHECK_NEAR(s->y[3 * i + 2], -0.4 * s->y[3 * i], EXACT);
        load += s->y[3 * i];
        moment += s->y[3 * i] * (i & 1 ? 1.0 : -1.0);
    }
    CHECK_NEAR(load, 1.0, EXACT);
    CHECK_NEAR(moment, 0.3 * 0.5, EXACT); // friction, half a unit below the centre
    CHECK_NEAR(s->y[0] + s->y[9] - s->y[3] - s->y[6], 0.0, EXACT);
    free(s);
}

// Two walls that close on a body from both sides: u_1 + u_2 = -2 whatever presses.
static void walls_that_close_on_a_body_are_told(void)
{
    tn_cone_report report;
    scene *s = new_scene(1);
    s->H[0][0] = 1.0;
    s->H[1][0] = -1.0;
    add_contact(s, 1, 0.0);
    add_contact(s, 2, 0.5);
    s->rows = 3;
    form(s);
    s->c[0] = s->c[1] = -1.0;
    solve(s, &report);
    CHECK(!report.solved);
    CHECK(report.signorini > 0.1);
    free(s);
}

static void nothing_to_do_is_done(void)
{
    tn_cone_report report;
    scene *s = tower(2, 1.0, 0.0);
    tn_zero(s->rows, s->c);
    solve(s, &report);
    CHECK(report.solved && tn_norm_inf(s->rows, s->y) == 0.0 && tn_norm_inf(s->rows, s->u) == 0.0);
    s->p.n = 0;
    solve(s, &report);
    CHECK(report.solved);
    free(s);
}

static void numbers_that_mean_nothing_are_refused(void)
{
    tn_cone_report report;
    scene *s = tower(2, 1.0, 0.0);
    tn_cone *cone = NULL;
    CHECK_OK(tn_cone_create(4, &cone));
    double *const numbers[] = {&s->c[3], &s->W[9], &s->mu[1], &s->y[2]};
    for (int k = 0; k < TN_COUNT(numbers); k++) {
        const double was = *numbers[k];
        *numbers[k] = NAN;
        CHECK_STATUS(tn_cone_solve(cone, &s->p, s->y, s->u, &report), TN_ERR_NUMERIC);
        CHECK(tn_test_says("not finite"));
        *numbers[k] = was;
    }
    tn_cone_mode mode[4];
    tn_cone_choice choice;
    const double slip[8] = {0, 1.0, 0, NAN, 0, 0, 0, 0};
    CHECK_STATUS(tn_cone_modes(cone, &s->p, slip, s->y, s->u, mode, &choice), TN_ERR_NUMERIC);
    double gain = 0.0;
    const double e[8] = {0.5, 0, NAN, 0, 0.5, 0, 0.5, 0};
    for (int law = TN_IMPACT_NEWTON; law <= TN_IMPACT_POISSON; law++)
        CHECK_STATUS(tn_cone_impact(cone, &s->p, e, (tn_impact_law)law, s->y, s->u, &report, &gain),
                     TN_ERR_NUMERIC);
    s->p.n = 5;
    CHECK_STATUS(tn_cone_solve(cone, &s->p, s->y, s->u, &report), TN_ERR_USAGE);
    CHECK(tn_test_says("5 are closed at a time, with room for 4"));
    tn_cone_destroy(cone);
    free(s);
}

// Between bodies that the ground holds: W is zero there.
static void contacts_that_nothing_moves_carry_nothing(void)
{
    tn_cone_report report;
    scene *s = tower(2, 1.0, 0.0);
    add_contact(s, 2, 0.5);
    form(s);
    solve(s, &report);
    CHECK(report.solved && s->y[8] == 0.0 && s->y[9] == 0.0);
    s->c[8] = -1e-3;
    solve(s, &report);
    CHECK(!report.solved);
    CHECK_NEAR(report.signorini, 1e-3 / 9.81e-3, EXACT);
    free(s);
}

// Poisson's law loses energy with any restitution up to one; Newton's may gain some where they
// differ, which is told.
static void gains_of_energy_are_told(void)
{
    double most = 0.0;
    for (int k = 0; k < 500; k++) {
        const int n = 2 + k % 6;
        scene *s = random_scene(n, 1, n + 1);
        double e[8], v[FREE];
        for (int i = 0; i < n; i++)
            e[i] = tn_random() > 0.0 ? 1.0 : 0.0;
        impact(s, e, TN_IMPACT_POISSON, v);
        CHECK(energy(s, v) <= energy(s, s->v) * (1.0 + SQUEEZED));
        impact(s, e, TN_IMPACT_NEWTON, v); // compares the gain that is told
        most = fmax(most, energy(s, v) / energy(s, s->v));
        free(s);
    }
    CHECK(most > 1.01);
}

static void workspaces_are_one_block_that_may_be_refused(void)
{
    const long live = tn_test_alloc_live();
    for (long k = 1; k <= 2; k++) {
        tn_cone *cone = NULL;
        tn_test_alloc_fail_at(k);
        CHECK_STATUS(tn_cone_create(5, &cone), TN_ERR_MEMORY);
        CHECK(!cone && tn_test_alloc_live() == live);
    }
    tn_cone *cone = NULL;
    CHECK_OK(tn_cone_create(CONTACTS, &cone));
    const long count = tn_test_alloc_count();
    scene *s = tower(20, 1.0, 6.0);
    tn_cone_report report;
    CHECK_OK(tn_cone_solve(cone, &s->p, s->y, s->u, &report));
    CHECK(report.solved && tn_test_alloc_count() == count);
    tn_cone_destroy(cone);
    CHECK(tn_test_alloc_live() == live);
    free(s);
}

// ---- Linear complementarity

static tn_lemke *new_lemke(int most)
{
    static tn_lemke s;
    static double room[40000];
    tn_carve mem = {.base = (char *)room};
    tn_lemke_layout(&s, most, &mem);
    CHECK(mem.used <= sizeof room);
    return &s;
}

// Murty's matrix, on which paths are long; and one that has no solution where q < 0.
static void lemke_ends_at_a_solution_or_on_a_ray(void)
{
    enum { N = 12 };
    tn_lemke *s = new_lemke(N);
    double M[N * N] = {0.0}, q[N], z[N];
    for (int i = 0; i < N; i++) {
        q[i] = -pow(2.0, i + 1) + 1.0;
        for (int j = 0; j <= i; j++)
            M[i + j * N] = i == j ? 1.0 : 2.0;
    }
    CHECK(tn_lemke_solve(s, N, M, q, z));
    for (int i = 0; i < N; i++) {
        double w = q[i];
        for (int j = 0; j < N; j++)
            w += M[i + j * N] * z[j];
        CHECK(z[i] >= 0.0 && w > -1e-9);
        CHECK_NEAR(fmin(z[i], w), 0.0, 1e-9); // of numbers up to 4096
    }
    const double round[] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, ties[] = {-1, -1, -1}; // rules cycle on it
    CHECK(tn_lemke_solve(s, 3, round, ties, z));
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(z[i], 1.0 / 3.0, EXACT);
    const double none[] = {-1.0}, below[] = {-1.0}, above[] = {1.0};
    CHECK(!tn_lemke_solve(s, 1, none, below, z));
    CHECK(tn_lemke_solve(s, 1, none, above, z) && z[0] == 0.0);
}

// Whole numbers of low rank: many ratios tie, and rounding must not decide between them. A solution
// always is there, the least of |B^T z + v| over z >= 0.
static void lemke_solves_what_ties(void)
{
    enum { N = 16 };
    tn_lemke *s = new_lemke(N);
    for (int k = 0; k < 6000; k++) {
        double B[N][N], v[N], M[N * N], q[N], z[N];
        const int rank = 1 + k % N;
        for (int j = 0; j < rank; j++)
            v[j] = floor(1.5 * (tn_random() + 1.0)) - 1.0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < rank; j++)
                B[i][j] = floor(1.5 * (tn_random() + 1.0)) - 1.0 + (j == 0 && tn_random() > 0.0);
        for (int i = 0; i < N; i++) {
            q[i] = tn_dot(rank, B[i], v);
            for (int j = 0; j < N; j++)
                M[i + j * N] = tn_dot(rank, B[i], B[j]);
        }
        CHECK(tn_lemke_solve(s, N, M, q, z));
        for (int i = 0; i < N; i++) {
            double w = q[i];
            for (int j = 0; j < N; j++)
                w += M[i + j * N] * z[j];
            CHECK_NEAR(fmin(z[i], w), 0.0, 1e-7); // bases have conditions of up to 1e8
        }
    }
}

static const tn_test tests[] = {
    {"rows of balls end at their fractions", rows_of_balls_end_at_their_fractions},
    {"laws of Newton and Poisson differ where restitution does",
     laws_of_newton_and_poisson_differ_where_restitution_does},
    {"a break has one set of velocities", a_break_has_one_set_of_velocities},
    {"Painlevé rods have one, no or two solutions", painleve_rods_have_one_no_or_two_solutions},
    {"Painlevé angles are where they should be", painleve_angles_are_where_they_should_be},
    {"chosen modes are consistent", chosen_modes_are_consistent},
    {"a contact alone is always solved", a_contact_alone_is_always_solved},
    {"what is left decides", what_is_left_decides},
    {"a tip may be stopped without a collision", a_tip_may_be_stopped_without_a_collision},
    {"an impact in a loop turns the crank back", an_impact_in_a_loop_turns_the_crank_back},
    {"towers of cubes stand and slide", towers_of_cubes_stand_and_slide},
    {"loads that are not unique are the least", loads_that_are_not_unique_are_the_least},
    {"a heap of balls stands where friction holds half the angle",
     a_heap_of_balls_stands_where_friction_holds_half_the_angle},
    {"random problems in the plane agree with all modes",
     random_problems_in_the_plane_agree_with_all_modes},
    {"one restitution never gains energy", one_restitution_never_gains_energy},
    {"random problems in space are solved or say that they are not",
     random_problems_in_space_are_solved_or_say_that_they_are_not},
    {"Poisson gives friction back with its load", poisson_gives_friction_back_with_its_load},
    {"sliding tables lean forward", sliding_tables_lean_forward},
    {"walls that close on a body are told", walls_that_close_on_a_body_are_told},
    {"nothing to do is done", nothing_to_do_is_done},
    {"numbers that mean nothing are refused", numbers_that_mean_nothing_are_refused},
    {"contacts that nothing moves carry nothing", contacts_that_nothing_moves_carry_nothing},
    {"gains of energy are told", gains_of_energy_are_told},
    {"workspaces are one block that may be refused", workspaces_are_one_block_that_may_be_refused},
    {"Lemke ends at a solution or on a ray", lemke_ends_at_a_solution_or_on_a_ray},
    {"Lemke solves what ties", lemke_solves_what_ties},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
