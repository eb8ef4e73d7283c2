// SPDX-License-Identifier: MIT
//
// The map of a variational integrator from node to node is symplectic: what two tangent vectors
// span in each plane (q_i, p_i), summed up, stays what it was,
//
//   w(a, b) = sum_i dq_i(a) dp_i(b) - dq_i(b) dp_i(a),       p = M v
//
// with the velocity v that is shown, that of the projected momentum. p that obeys the hidden
// constraint is a covector of the constraint manifold, and w the symplectic form there. In one
// freedom, with the angle for q, w is area.
//
// Tangent vectors are differences of runs from starts that are 2 SMALL apart. Terms of third order
// are SMALL^2 times what the steps make of them: neighbours of different frequency drift apart, at
// the amplitudes taken here by some hundred times SMALL in 10^5 steps, and w is a small difference
// then. Round-off of 10^5 steps, 1e-14 to 1e-12, is larger in w by 1 / SMALL. The two meet near
// SMALL = 1e-7, at some 1e-6 of w (measured: 5e-4 with SMALL = 1e-5, 5e-6 with 1e-6, 6e-7 with
// 1e-7, 3e-6 with 1e-8). Damping takes a thousand times as much and more.
//
// Rings about the state of rest need not be small, as no neighbours drift apart along them: their
// area is that within the curve, not within a polygon.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

static const double SMALL = 1e-7;
static const double KEPT = 1e-5; // of w, relative, see above

enum { FREEDOMS = 2, COORDINATES = 12 };

// Start of a motion: angles and their rates.
typedef struct start {
    double angle[FREEDOMS], rate[FREEDOMS];
} start;

// Where a run is, with momenta.
typedef struct place {
    int n;
    double q[COORDINATES], p[COORDINATES];
} place;

// A simulation, with its model if it has one.
typedef struct run {
    tn_sim *sim;
    tn_model *model;
} run;

// A system, how to open it and how to see where it is.
typedef struct subject {
    run (*open)(const start *from, const char *method, double h);
    void (*read)(tn_sim *sim, place *out);
} subject;

static tn_sim_options options_for(const char *method, double h)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    options.rho_inf = 0.5;      // galpha: damps
    options.newton_tol = 1e-14; // to round-off: what is left would not be a map of the state
    return options;
}

// A point on a circle or a sphere -----------------------------------------------------------------

static const double GRAVITY = 9.81;

static int plane = 2, space = 3; // coordinates; the last is height

static int mass(void *user, const tn_arguments *at, double *M)
{
    const int n = *(int *)user;
    (void)at;
    for (int i = 0; i < n * n; i++)
        M[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    const int n = *(int *)user;
    (void)at;
    for (int i = 0; i < n; i++)
        f[i] = i == n - 1 ? -GRAVITY : 0.0;
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    const int n = *(int *)user;
    g[0] = -0.5;
    for (int i = 0; i < n; i++)
        g[0] += 0.5 * at->q[i] * at->q[i];
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    const int n = *(int *)user;
    for (int i = 0; i < n; i++)
        G[i] = at->q[i];
    return 0;
}

static int no_damping(void *user, const tn_arguments *at, double *fv)
{
    const int n = *(int *)user;
    (void)at;
    for (int i = 0; i < n * n; i++)
        fv[i] = 0.0;
    return 0;
}

static int stiffness(void *user, const tn_arguments *at, const double *a, double *K)
{
    const int n = *(int *)user;
    (void)a;
    for (int i = 0; i < n * n; i++)
        K[i] = i % (n + 1) == 0 ? at->lambda[0] : 0.0;
    return 0;
}

static run open_point(int *n, const double *q, const double *v, const char *method, double h)
{
    const tn_callbacks cb = {.user = (void *)(size_t)n,
                             .nq = *n,
                             .ng = 1,
                             .mass = mass,
                             .force = force,
                             .constraint = constraint,
                             .jacobian = jacobian,
                             .force_dv = no_damping,
                             .residual_dq = stiffness};
    const tn_sim_options options = options_for(method, h);
    run out = {0};
    CHECK_OK(tn_sim_create_callbacks(&cb, q, v, &options, &out.sim));
    return out;
}

// Angles are from the lowest point, and about the vertical.
static run open_circle(const start *x, const char *method, double h)
{
    const double s = sin(x->angle[0]), c = cos(x->angle[0]);
    const double q[2] = {s, -c}, v[2] = {c * x->rate[0], s * x->rate[0]};
    return open_point(&plane, q, v, method, h);
}

static run open_sphere(const start *x, const char *method, double h)
{
    const double s = sin(x->angle[0]), c = cos(x->angle[0]);
    const double along = cos(x->angle[1]), across = sin(x->angle[1]);
    const double q[3] = {s * along, s * across, -c};
    const double v[3] = {c * x->rate[0] * along - s * x->rate[1] * across,
                         c * x->rate[0] * across + s * x->rate[1] * along, s * x->rate[0]};
    return open_point(&space, q, v, method, h);
}

static void read_circle(tn_sim *sim, place *out)
{
    const double *q = tn_sim_q(sim), *v = tn_sim_v(sim);
    out->n = 1;
    out->q[0] = atan2(q[0], -q[1]);
    out->p[0] = q[0] * v[1] - q[1] * v[0];
}

static void read_sphere(tn_sim *sim, place *out)
{
    out->n = 3;
    for (int i = 0; i < 3; i++) {
        out->q[i] = tn_sim_q(sim)[i];
        out->p[i] = tn_sim_v(sim)[i];
    }
}

// Two rods in the plane ---------------------------------------------------------------------------

static const double MASS[2] = {1.0, 0.6}, LENGTH[2] = {1.0, 0.8};

static double inertia(int k)
{
    return MASS[k] * LENGTH[k] * LENGTH[k] / 12.0;
}

// A double pendulum by bodies, in director coordinates.
static run open_rods(const start *x, const char *method, double h)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -GRAVITY, 0.0));
    tn_body last = TN_GROUND;
    tn_vec3 at = {0}, velocity = {0}; // of the joint
    for (int k = 0; k < 2; k++) {
        const double angle = x->angle[k] - M_PI / 2.0;
        const tn_vec3 half = tn_v3_scale(0.5 * LENGTH[k], tn_v3(cos(angle), sin(angle), 0.0));
        const tn_vec3 turn = tn_v3_scale(x->rate[k], tn_v3(-half.y, half.x, 0.0));
        tn_body_def rod = tn_default_body();
        rod.kind = TN_BODY_PLANAR;
        rod.mass = MASS[k];
        rod.inertia.z = inertia(k);
        rod.frame = (tn_frame){tn_m3_rot_z(angle), tn_v3_add(at, half)};
        rod.velocity = tn_v3_add(velocity, turn);
        rod.rate.z = x->rate[k];
        tn_joint_def pin = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
        pin.body_a = last;
        pin.body_b = last = tn_model_add_body(model, &rod);
        pin.frame_a.p.x = k > 0 ? 0.5 * LENGTH[0] : 0.0;
        pin.frame_b.p.x = -0.5 * LENGTH[k];
        tn_model_add_joint(model, &pin);
        at = tn_v3_axpy(2.0, half, at);
        velocity = tn_v3_axpy(2.0, turn, velocity);
    }
    const tn_sim_options options = options_for(method, h);
    run out = {.model = model};
    CHECK_OK(tn_sim_create(model, &options, &out.sim));
    return out;
}

// Positions and directors, with the mass matrix of docs/theory/directors.md.
static void read_rods(tn_sim *sim, place *out)
{
    out->n = 12;
    CHECK(tn_sim_nv(sim) == out->n);
    for (int i = 0; i < out->n; i++) {
        const int k = i / 6;
        out->q[i] = tn_sim_q(sim)[i];
        out->p[i] = (i % 6 < 2 ? MASS[k] : 0.5 * inertia(k)) * tn_sim_v(sim)[i];
    }
}

static const subject circle = {open_circle, read_circle};
static const subject sphere = {open_sphere, read_sphere};
static const subject rods = {open_rods, read_rods};

// Tangent vectors ---------------------------------------------------------------------------------

static place after(const subject *s, const start *from, const char *method, double h, int steps)
{
    place out;
    run r = s->open(from, method, h);
    for (int n = 0; n < steps; n++)
        CHECK_OK(tn_sim_step(r.sim, h));
    s->read(r.sim, &out);
    tn_sim_destroy(r.sim);
    tn_model_destroy(r.model);
    return out;
}

static start moved(const start *x, double s, const start *along)
{
    start out = *x;
    for (int i = 0; i < FREEDOMS; i++) {
        out.angle[i] += s * along->angle[i];
        out.rate[i] += s * along->rate[i];
    }
    return out;
}

// What the steps make of a tangent vector at the start x.
static place tangent(const subject *s, const start *x, const start *along, const char *method,
                     double h, int steps)
{
    const start ahead = moved(x, SMALL, along), behind = moved(x, -SMALL, along);
    place a = after(s, &ahead, method, h, steps);
    const place b = after(s, &behind, method, h, steps);
    for (int i = 0; i < a.n; i++) {
        a.q[i] = (a.q[i] - b.q[i]) / (2.0 * SMALL);
        a.p[i] = (a.p[i] - b.p[i]) / (2.0 * SMALL);
    }
    return a;
}

static double form(const place *a, const place *b)
{
    double w = 0.0;
    for (int i = 0; i < a->n; i++)
        w += a->q[i] * b->p[i] - b->q[i] * a->p[i];
    return w;
}

// The form of two vectors after the steps, by that at the start.
static double ratio(const subject *s, const start *x, const start *a, const start *b,
                    const char *method, double h, int steps)
{
    const place a0 = tangent(s, x, a, method, h, 0), b0 = tangent(s, x, b, method, h, 0);
    const place a1 = tangent(s, x, a, method, h, steps), b1 = tangent(s, x, b, method, h, steps);
    const double before = form(&a0, &b0), now = form(&a1, &b1);
    printf("%-36s %6d steps: form %.8f, then %.8f; ratio - 1 = %.1e\n", method, steps, before, now,
           now / before - 1.0);
    return now / before;
}

// Rings -------------------------------------------------------------------------------------------

enum { RING = 12 };

// Area within a closed curve through points at equal distances of its parameter, by trigonometric
// interpolation: the sum over p dq with the exact derivative of the interpolating polynomial.
static double area_within(const place *at)
{
    double area = 0.0;
    for (int k = 0; k < RING; k++) {
        double slope = 0.0;
        for (int j = 0; j < RING; j++)
            if (j != k)
                slope += ((j - k) % 2 ? -0.5 : 0.5) * (at[j].q[0] - at[k].q[0]) /
                         tan((k - j) * M_PI / RING);
        area -= 2.0 * M_PI / RING * at[k].p[0] * slope;
    }
    return area;
}

// The area within a ring of pendulums after the steps, by that at the start.
static double ring(const start *x, double radius, const char *method, double h, int steps)
{
    double area[2];
    for (int end = 0; end < 2; end++) {
        place at[RING];
        for (int k = 0; k < RING; k++) {
            const double turn = 2.0 * M_PI * k / RING;
            const start along = {{cos(turn)}, {sqrt(GRAVITY) * sin(turn)}}; // like orbits
            const start from = moved(x, radius, &along);
            at[k] = after(&circle, &from, method, h, end * steps);
        }
        area[end] = area_within(at);
    }
    printf("%-36s %6d steps: area %.6e, then %.6e; ratio - 1 = %.1e\n", method, steps, area[0],
           area[1], area[1] / area[0] - 1.0);
    return area[1] / area[0];
}

// The ring turns with the motion and is hardly deformed: twelve points resolve it to 1e-9 (with 24
// points the change in 10^5 steps is 1e-13).
static void a_ring_of_pendulums_keeps_its_area(void)
{
    const start rest = {{0.0}, {0.0}};
    CHECK_NEAR(ring(&rest, 0.1, "variational/multiplier", 0.05, 100000), 1.0, 2e-8);
    CHECK(ring(&rest, 0.1, "galpha/ggl", 0.05, 10000) < 0.9);
}

static void so_does_a_small_one_about_a_motion(void)
{
    const start swing = {{1.2}, {0.5}};
    CHECK_NEAR(ring(&swing, 1e-6, "variational/multiplier", 0.05, 5000), 1.0, KEPT);
    CHECK(ring(&swing, 1e-6, "galpha/ggl", 0.05, 5000) < 0.9);
}

static void two_freedoms_of_a_point_keep_the_form(void)
{
    const start x = {{0.1, 0.0}, {0.1, 2.0}};
    const start a = {{1.0, 0.2}, {-0.5, 1.0}}, b = {{-0.3, 0.4}, {2.0, -0.5}};
    CHECK_NEAR(ratio(&sphere, &x, &a, &b, "variational/multiplier", 0.05, 100000), 1.0, KEPT);
    CHECK(ratio(&sphere, &x, &a, &b, "galpha/ggl", 0.05, 10000) < 0.9);
}

static void two_rods_keep_it_in_every_form_of_the_equations(void)
{
    const start x = {{0.3, -0.2}, {0.2, 0.1}};
    const start a = {{1.0, 0.2}, {-0.5, 1.0}}, b = {{-0.3, 0.4}, {2.0, -0.5}};
    const tn_integrator_ops *variational = tn_find_integrator("variational");
    int forms = 0;
    for (int k = 0; k < tn_formulation_count; k++) {
        char method[64];
        if (!tn_pairing_is_legal(variational, tn_formulations[k]))
            continue;
        snprintf(method, sizeof method, "variational/%s@director", tn_formulations[k]->name);
        CHECK_NEAR(ratio(&rods, &x, &a, &b, method, 0.02, 2000), 1.0, KEPT);
        forms++;
    }
    CHECK(forms >= 2);
    CHECK(fabs(ratio(&rods, &x, &a, &b, "galpha/ggl@director", 0.02, 2000) - 1.0) > 100.0 * KEPT);
}

static const tn_test tests[] = {
    {"a ring of pendulums keeps its area", a_ring_of_pendulums_keeps_its_area},
    {"so does a small one about a motion", so_does_a_small_one_about_a_motion},
    {"two freedoms of a point keep the form", two_freedoms_of_a_point_keep_the_form},
    {"two rods keep it in every form of the equations",
     two_rods_keep_it_in_every_form_of_the_equations},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
