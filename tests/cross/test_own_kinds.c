// SPDX-License-Identifier: MIT
//
// Own kinds against built-in ones that do the same: a revolute joint, a spring as a wrench and as a
// law. Their rows and loads have the derivatives of the others, in any units, on frames of world
// axes and on directors; and tables that are wrong are refused with the number that is, by
// tn_check_kind and by simulations.

#include "kinds/family.h"
#include "kinds/own.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "model/force.h"
#include "model/units.h"
#include "row/own_row.h"
#include "tenon/help.h"
#include "tenon/io.h"
#include "test.h"

static const double ROUNDOFF = 1e-12;  // a few hundred operations on numbers of size one
static const double FORMED = 1e-9;     // first derivatives by differences
static const double TWICE = 1e-6;      // second derivatives by differences of these
static const double STEP = 1e-4;       // of the differences here, of fourth order
static const double DIFFERENCE = 1e-8; // of them
// Rows along axes of A, and the built-in ones along inertial axes, are one joint but two sets of
// equations for methods of second order.
static const double SCHEME = 3e-4;

// A joint -----------------------------------------------------------------------------------------

// Rows of a revolute joint that has its B frame at a height: x, y and z - height in the axes of A,
// two tilts; then the angle.
typedef struct hinge {
    double height;
} hinge;

static const tn_param hinge_params[] = {
    TN_OWN_NUMBER(hinge, height, "m", TN_ANY, 0.3, "of B above A"),
};

static const tn_row hinge_forms[] = {
    {.form = TN_ROW_AXIS, .i = TN_X},
    {.form = TN_ROW_AXIS, .i = TN_Y},
    {.form = TN_ROW_AXIS, .i = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_X, .j = TN_Z},
    {.form = TN_ROW_DOT, .i = TN_Y, .j = TN_Z},
    {.form = TN_ROW_ANGLE, .i = TN_Y, .j = TN_X, .k = TN_X, .l = TN_X},
};

static tn_pair pair_at(const tn_joint_at *at)
{
    return (tn_pair){.a.x = at->a, .b.x = at->b};
}

static double hinge_value(const tn_joint_at *at, int i)
{
    const tn_pair pair = pair_at(at);
    const hinge *h = at->params;
    return tn_row_value(&hinge_forms[i], &pair, 0.0) - (i == 2 ? h->height : 0.0);
}

static void hinge_gradient(const tn_joint_at *at, int i, double G[12])
{
    const tn_pair pair = pair_at(at);
    tn_row_gradient(&hinge_forms[i], &pair, G);
}

static void hinge_hessian(const tn_joint_at *at, int i, double H[12][12])
{
    const tn_pair pair = pair_at(at);
    tn_row_hessian(&hinge_forms[i], &pair, 1.0, H);
}

static tn_frame hinge_placement(const tn_joint_at *at, const double *q)
{
    const hinge *h = at->params;
    return (tn_frame){tn_m3_rot_z(q[0]), {0.0, 0.0, h->height}};
}

static const tn_own_row hinge_rows[] = {
    {"x", "m"}, {"y", "m"}, {"z", "m"}, {"tilt about y", "rad"}, {"tilt about x", "rad"}};
static const tn_own_row hinge_coords[] = {{"angle", "rad"}};

static tn_own_joint hinge_table(const char *name)
{
    return (tn_own_joint){
        .kind = {name, "a hinge", hinge_params, 1, sizeof(hinge), NULL},
        .nrow = 5,
        .rows = hinge_rows,
        .ncoord = 1,
        .coords = hinge_coords,
        .value = hinge_value,
        .gradient = hinge_gradient,
        .hessian = hinge_hessian,
    };
}

static tn_joint_kind with_all, with_values, with_motion;
static tn_force_kind pull, pull_plain, law, law_plain, push;
static int ramp, ramp_plain;

// Forces ------------------------------------------------------------------------------------------

typedef struct spring {
    double stiffness, damping, length;
} spring;

static const tn_param spring_params[] = {
    TN_OWN_NUMBER(spring, stiffness, "N/m", TN_NONNEGATIVE, 40.0, "stiffness"),
    TN_OWN_NUMBER(spring, damping, "N s/m", TN_NONNEGATIVE, 3.0, "damping"),
    TN_OWN_NUMBER(spring, length, "m", TN_POSITIVE, 0.4, "free length"),
};

static void spring_law(const tn_force_at *at, tn_own_law *out)
{
    const spring *s = at->params;
    const double deflection = at->x - s->length;
    out->elastic = -s->stiffness * deflection;
    out->elastic_by_x = out->by_x = -s->stiffness;
    out->by_rate = -s->damping;
    out->force = out->elastic - s->damping * at->rate;
    out->energy = 0.5 * s->stiffness * deflection * deflection;
    out->dissipated = s->damping * at->rate * at->rate;
}

// By the length of the line between the frames, as row.c has it.
static void line_at(const tn_force_at *at, tn_pair *pair, double G[12], tn_own_law *out)
{
    static const tn_row length = {.form = TN_ROW_LENGTH};
    tn_force_at here = *at;
    *pair = (tn_pair){.a = {.x = at->a.x, .V = at->a.V}, .b = {.x = at->b.x, .V = at->b.V}};
    tn_row_gradient(&length, pair, G);
    here.x = tn_row_value(&length, pair, 0.0);
    here.rate = tn_row_rate(G, pair);
    *out = (tn_own_law){0};
    spring_law(&here, out);
}

static void spring_eval(const tn_force_at *at, tn_own_load *out)
{
    tn_pair pair;
    tn_own_law line;
    double G[12];
    line_at(at, &pair, G, &line);
    out->a = (tn_wrench){tn_v3_scale(line.force, tn_v3_from(G)), tn_v3(0, 0, 0)};
    out->b = (tn_wrench){tn_v3_scale(line.force, tn_v3_from(G + 6)), tn_v3(0, 0, 0)};
    out->energy = line.energy;
    out->dissipated = line.dissipated;
}

static void spring_tangent(const tn_force_at *at, tn_own_tangent *out)
{
    static const tn_row length = {.form = TN_ROW_LENGTH};
    tn_pair pair;
    tn_own_law line;
    double G[12], H[12][12] = {{0}};
    line_at(at, &pair, G, &line);
    tn_row_hessian(&length, &pair, 1.0, H);
    const tn_twist V[2] = {at->a.V, at->b.V};
    for (int j = 0; j < 12; j++) {
        double slope = 0.0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3; i++)
                slope += (&V[k].v.x)[i] * H[6 * k + i][j];
        for (int i = 0; i < 12; i++) {
            out->K[i][j] = G[i] * (line.by_x * G[j] + line.by_rate * slope) + line.force * H[i][j];
            out->D[i][j] = line.by_rate * G[i] * G[j];
        }
    }
}

static const tn_own_force spring_table = {
    .kind = {"twin", "a spring", spring_params, 3, sizeof(spring), NULL},
    .energies = true,
    .eval = spring_eval,
    .tangent = spring_tangent,
};

// A function of time as parameter.
typedef struct thrust {
    tn_function up;
} thrust;

static const tn_param thrust_params[] = {{.name = "up",
                                          .type = TN_PARAM_FUNCTION,
                                          .unit = "N",
                                          .text = "along z",
                                          .offset = offsetof(thrust, up)}};

static void thrust_eval(const tn_force_at *at, tn_own_load *out)
{
    CHECK(at->user == &pull); // the pointer of the table
    out->b.f.z = at->u[0][0];
}

// t^3 a: smooth.
typedef struct cubic {
    double a;
} cubic;

static const tn_param cubic_params[] = {TN_OWN_NUMBER(cubic, a, "", TN_ANY, 2.0, "of a t^3")};

static double cubic_value(const tn_function_at *at)
{
    return ((const cubic *)at->params)->a * at->t * at->t * at->t;
}

static void cubic_derivatives(const tn_function_at *at, double u[2])
{
    const double a = ((const cubic *)at->params)->a;
    u[0] = 3.0 * a * at->t * at->t;
    u[1] = 6.0 * a * at->t;
}

// Up by 0.5 in 0.4 s and down again. Times near a kink are taken for it, as users do.
static double zigzag_value(const tn_function_at *at)
{
    const double x = at->t / 0.8 - floor(at->t / 0.8);
    return x < 0.5 ? x : 1.0 - x;
}

static void zigzag_derivatives(const tn_function_at *at, double u[2])
{
    const double x = at->t / 0.8 - floor(at->t / 0.8 + 1e-12);
    u[0] = x < 0.5 - 1e-12 ? 1.25 : -1.25;
    u[1] = 0.0;
}

static double zigzag_kink(const tn_function_at *at)
{
    return 0.4 * (floor(at->t / 0.4 + 1e-12) + 1.0);
}

// Kinds belong to the process: all tests add them, once.
static void add_kinds(void)
{
    static bool added;
    if (added)
        return;
    added = true;
    tn_own_joint joint = hinge_table("own-hinge");
    CHECK_OK(tn_add_joint_kind(&joint, &with_all));
    joint = hinge_table("own-hinge-by-values");
    joint.gradient = NULL;
    joint.hessian = NULL;
    CHECK_OK(tn_add_joint_kind(&joint, &with_values));
    joint = hinge_table("own-hinge-in-trees");
    joint.placement = hinge_placement;
    CHECK_OK(tn_add_joint_kind(&joint, &with_motion));
    tn_own_force force = spring_table;
    CHECK_OK(tn_add_force_kind(&force, &pull));
    force.kind.name = "twin-plain";
    force.tangent = NULL;
    force.energies = false;
    CHECK_OK(tn_add_force_kind(&force, &pull_plain));
    force = (tn_own_force){.kind = spring_table.kind, .law = spring_law};
    force.kind.name = "twin-law";
    force.energies = force.derives = true;
    CHECK_OK(tn_add_force_kind(&force, &law));
    force.kind.name = "twin-law-plain";
    force.energies = force.derives = false;
    CHECK_OK(tn_add_force_kind(&force, &law_plain));
    force = (tn_own_force){
        .kind = {"thrust", "a thrust", thrust_params, 1, sizeof(thrust), &pull},
        .place = TN_OWN_SINGLE,
        .eval = thrust_eval,
    };
    CHECK_OK(tn_add_force_kind(&force, &push));
    tn_own_function function = {.kind = {"cubic", "a t^3", cubic_params, 1, sizeof(cubic), NULL},
                                .value = cubic_value,
                                .derivatives = cubic_derivatives};
    CHECK_OK(tn_add_function_kind(&function, &ramp));
    function.kind.name = "cubic-plain";
    function.derivatives = NULL;
    CHECK_OK(tn_add_function_kind(&function, &ramp_plain));
    function = (tn_own_function){.kind = {"zigzag", "up and down", NULL, 0, 0, NULL},
                                 .value = zigzag_value,
                                 .derivatives = zigzag_derivatives,
                                 .next_kink = zigzag_kink};
    CHECK_OK(tn_add_function_kind(&function, NULL));
    function.kind.name = "zigzag-plain";
    function.derivatives = NULL;
    CHECK_OK(tn_add_function_kind(&function, NULL));
}

// Rows --------------------------------------------------------------------------------------------

static tn_vec3 random_vec3(void)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(x, y, z);
}

static tn_end random_end(void)
{
    const tn_vec3 p = random_vec3(), turn = random_vec3(), r = random_vec3(), v = random_vec3();
    // The angle of a hinge has large derivatives where both axes are at right angles.
    return (tn_end){{tn_so3_exp(tn_v3_scale(0.4, turn)), p}, r, {v, random_vec3()}};
}

// The definition of an own hinge in units of `length` metres.
static tn_joint_def hinge_def(tn_joint_kind kind, double height, double length)
{
    tn_joint_def def = tn_default_joint(kind);
    memcpy(def.own.at, &(hinge){height}, sizeof(hinge));
    def.own.unit[0] = length;
    def.own.table = tn_joint_ops_of((int)kind)->own;
    return def;
}

static void compare_rows(tn_joint_kind kind, double first, double second)
{
    const tn_joint_ops *ops = tn_joint_ops_of((int)kind);
    for (int n = 0; n < 20; n++)
        for (int i = 0; i < 6; i++) {
            const double length = n % 2 ? 8.0 : 1.0, height = 0.3;
            const tn_joint_def def = hinge_def(kind, height * length, length);
            const tn_row *own = i < 5 ? &ops->rows[i] : &ops->coords[0].row;
            const tn_row *twin = &hinge_forms[i];
            tn_pair at = {.a = random_end(), .b = random_end(), .own = &def};
            double G[2][12], H[2][12][12] = {{{0}}};
            CHECK(tn_row_is_length(own) == tn_row_is_length(twin));
            CHECK_NEAR(tn_row_value(own, &at, 7.0),
                       tn_row_value(twin, &at, 7.0) - (i == 2 ? height : 0.0), ROUNDOFF);
            tn_row_gradient(own, &at, G[0]);
            tn_row_gradient(twin, &at, G[1]);
            tn_row_hessian(own, &at, -1.3, H[0]);
            tn_row_hessian(twin, &at, -1.3, H[1]);
            for (int k = 0; k < 12; k++) {
                CHECK_NEAR(G[0][k], G[1][k], first);
                for (int m = 0; m < 12; m++)
                    CHECK_NEAR(H[0][k][m], H[1][k][m], second);
            }
            CHECK_NEAR(tn_row_curvature(own, &at), tn_row_curvature(twin, &at), 100.0 * second);
        }
}

static void rows_are_those_of_the_built_in_joint(void)
{
    add_kinds();
    compare_rows(with_all, ROUNDOFF, ROUNDOFF);
    compare_rows(with_values, FORMED, TWICE);
}

// Directors ---------------------------------------------------------------------------------------

// Frames whose axes are off by a tenth.
static tn_linear_pair random_linear(const tn_joint_def *def)
{
    tn_linear_pair at = {.own = def};
    for (int end = 0; end < 2; end++) {
        const tn_mat3 R = tn_so3_exp(random_vec3());
        at.x[4 * end] = random_vec3();
        for (int k = 0; k < 3; k++)
            at.x[4 * end + 1 + k] = tn_v3_axpy(0.1, random_vec3(), tn_m3_column(R, k));
    }
    for (int k = 0; k < 8; k++)
        at.v[k] = random_vec3();
    return at;
}

static tn_linear_pair moved_along(tn_linear_pair at, int q, double h)
{
    double x[3] = {0};
    x[q % 3] = h;
    at.x[q / 3] = tn_v3_add(at.x[q / 3], tn_v3_from(x));
    return at;
}

static double value_difference(const tn_row *row, const tn_linear_pair *at, int q)
{
    double sum = 0.0;
    const double here = tn_linear_value(row, at, 0.0);
    for (int n = 0; n < TN_OWN_POINTS; n++) {
        const tn_linear_pair moved = moved_along(*at, q, tn_own_point[n] * STEP);
        sum += tn_own_weight[n] / STEP * tn_linear_value(row, &moved, here);
    }
    return sum;
}

static void gradients_on_directors_are_exact(void)
{
    add_kinds();
    const tn_joint_def def = hinge_def(with_all, 0.3, 1.0);
    const tn_joint_ops *ops = tn_joint_ops_of((int)with_all);
    for (int n = 0; n < 30; n++) {
        const tn_row *row = n % 6 < 5 ? &ops->rows[n % 6] : &ops->coords[0].row;
        const tn_linear_pair at = random_linear(&def);
        double G[24], H[24][24] = {{0}}, curvature = 0.0;
        tn_linear_gradient(row, &at, G);
        tn_linear_hessian(row, &at, 1.0, H);
        for (int q = 0; q < 24; q++) {
            double slope[24] = {0};
            for (int k = 0; k < TN_OWN_POINTS; k++) {
                const tn_linear_pair moved = moved_along(at, q, tn_own_point[k] * STEP);
                double there[24];
                tn_linear_gradient(row, &moved, there);
                tn_axpy(24, tn_own_weight[k] / STEP, there, slope);
            }
            CHECK_NEAR(G[q], value_difference(row, &at, q), DIFFERENCE);
            for (int p = 0; p < 24; p++) {
                CHECK_NEAR(H[p][q], slope[p], DIFFERENCE);
                CHECK_NEAR(H[p][q], H[q][p], ROUNDOFF);
                curvature += (&at.v[p / 3].x)[p % 3] * H[p][q] * (&at.v[q / 3].x)[q % 3];
            }
        }
        CHECK_NEAR(tn_linear_curvature(row, &at), curvature, 10.0 * ROUNDOFF);
    }
}

static tn_linear_span span_between(const tn_linear_pair *from, const tn_linear_pair *to)
{
    tn_linear_span over = {*from, *to, *to};
    for (int k = 0; k < 8; k++)
        over.middle.x[k] = tn_v3_scale(0.5, tn_v3_add(from->x[k], to->x[k]));
    return over;
}

// D . (X1 - X0) is the change of the row; D exerts no force and no moment; T is its derivative.
static void discrete_gradients_are_exact(void)
{
    add_kinds();
    const tn_joint_def def = hinge_def(with_all, 0.3, 1.0);
    const tn_joint_ops *ops = tn_joint_ops_of((int)with_all);
    for (int n = 0; n < 12; n++) {
        const tn_row *row = n % 6 < 5 ? &ops->rows[n % 6] : &ops->coords[0].row;
        const tn_linear_pair from = random_linear(&def);
        tn_linear_pair to = from;
        for (int k = 0; k < 8; k++)
            to.x[k] = tn_v3_axpy(0.1, random_vec3(), to.x[k]);
        const tn_linear_span over = span_between(&from, &to);
        double D[24], T[24][24] = {{0}}, work = 0.0;
        tn_vec3 force = {0}, moment = {0};
        tn_linear_mean_gradient(row, &over, D);
        for (int k = 0; k < 8; k++) {
            const tn_vec3 d = tn_v3_from(D + 3 * k);
            work += tn_v3_dot(d, tn_v3_sub(to.x[k], from.x[k]));
            moment = tn_v3_add(moment, tn_v3_cross(over.middle.x[k], d));
            if (k % 4 == 0)
                force = tn_v3_add(force, d);
        }
        const double x0 = tn_linear_value(row, &from, 0.0);
        CHECK_NEAR(work, tn_linear_value(row, &to, x0) - x0, ROUNDOFF);
        CHECK_NEAR(tn_v3_norm(force), 0.0, ROUNDOFF);
        CHECK_NEAR(tn_v3_norm(moment), 0.0, ROUNDOFF);
        tn_linear_mean_tangent(row, &over, -1.7, T);
        for (int q = 0; q < 24; q++) {
            double slope[24] = {0};
            for (int k = 0; k < TN_OWN_POINTS; k++) {
                const tn_linear_pair moved = moved_along(to, q, tn_own_point[k] * STEP);
                const tn_linear_span there = span_between(&from, &moved);
                double d[24];
                tn_linear_mean_gradient(row, &there, d);
                tn_axpy(24, -1.7 * tn_own_weight[k] / STEP, d, slope);
            }
            for (int p = 0; p < 24; p++)
                CHECK_NEAR(T[p][q], slope[p], 100.0 * DIFFERENCE);
        }
    }
}

// Loads -------------------------------------------------------------------------------------------

static tn_force_data force_data(tn_force_kind kind, tn_units u)
{
    tn_force_data data = {.ops = tn_force_ops_of((int)kind), .def = tn_default_force(kind)};
    if (kind == TN_FORCE_SPRING) {
        const double energy = tn_unit_energy(u), c = u.length;
        data.def.spring.stiffness = 40.0 / (energy / (c * c));
        data.def.spring.damping = 3.0 / (energy * u.time / (c * c));
        data.free = 0.4 / c;
    } else {
        const double unit[] = {u.length, u.mass, u.time};
        memcpy(data.def.own.unit, unit, sizeof unit);
    }
    data.row = (tn_row){.form = TN_ROW_LENGTH};
    data.has_row = true;
    return data;
}

static void compare_loads(tn_force_kind kind, double tolerance, bool energies)
{
    static const tn_units units[] = {{1.0, 1.0, 1.0}, {0.5, 4.0, 2.0}};
    for (int n = 0; n < 20; n++) {
        const tn_force_data own = force_data(kind, units[n % 2]);
        const tn_force_data twin = force_data(TN_FORCE_SPRING, units[n % 2]);
        const tn_pair at = {.a = random_end(), .b = random_end()};
        tn_load load[2];
        tn_load_tangent T[2];
        tn_force_eval(&own, 0.7, 0.0, &at, &load[0]);
        tn_force_eval(&twin, 0.7, 0.0, &at, &load[1]);
        tn_force_tangent(&own, 0.7, 0.0, &at, &T[0]);
        tn_force_tangent(&twin, 0.7, 0.0, &at, &T[1]);
        for (int i = 0; i < 12; i++) {
            CHECK_NEAR(load[0].w[i], load[1].w[i], 100.0 * ROUNDOFF);
            for (int j = 0; j < 12; j++) {
                CHECK_NEAR(T[0].K[i][j], T[1].K[i][j], tolerance);
                CHECK_NEAR(T[0].D[i][j], T[1].D[i][j], tolerance);
            }
        }
        const double power = tn_row_rate(load[1].w, &at);
        CHECK_NEAR(load[0].energy, energies ? load[1].energy : 0.0, 100.0 * ROUNDOFF);
        CHECK_NEAR(load[0].dissipated, energies ? load[1].dissipated : 0.0, 100.0 * ROUNDOFF);
        CHECK_NEAR(load[0].supplied, energies ? 0.0 : power, 100.0 * ROUNDOFF);
    }
}

static void loads_are_those_of_the_built_in_spring(void)
{
    add_kinds();
    compare_loads(pull, 1e-9, true);
    compare_loads(pull_plain, 1e-5, false);
    compare_loads(law, 1e-9, true);
    compare_loads(law_plain, 1e-5, false);
}

static void a_law_has_its_mean_between_two_values(void)
{
    add_kinds();
    const tn_force_data own = force_data(law, tn_units_si);
    const tn_scalar_mean mean = own.ops->mean(&own, 0.5, 0.9);
    CHECK_NEAR(mean.Q, -40.0 * (0.7 - 0.4), 1e-12);
    CHECK_NEAR(mean.Q_1, -20.0, 1e-12);
}

// Whole models ------------------------------------------------------------------------------------

// A double pendulum of two hinges and a spring to the ground, built in or own.
static tn_model *pendulum(tn_joint_kind joint, tn_force_kind force)
{
    tn_model *model = tn_model_create();
    tn_body before = TN_GROUND;
    tn_model_set_gravity(model, tn_v3(0.0, -9.81, 0.0));
    for (int k = 0; k < 2; k++) {
        tn_body_def rod = tn_default_body();
        rod.mass = 1.0 + k;
        rod.inertia = tn_v3(0.02, 0.03, 0.04);
        rod.frame.p = tn_v3(0.5 * k, 0.0, 0.3 * (k + 1));
        rod.com = tn_v3(0.25, 0.0, 0.0);
        tn_joint_def pin = tn_default_joint(joint);
        pin.body_a = before;
        pin.frame_a.p = tn_v3(0.5 * k, 0.0, joint == TN_JOINT_REVOLUTE ? 0.3 : 0.0);
        pin.nrate = 1;
        pin.rate[0] = k;
        pin.body_b = before = tn_model_add_body(model, &rod);
        tn_model_add_joint(model, &pin);
    }
    tn_force_def def = tn_default_force(force);
    def.body_b = before;
    def.frame_a.p = tn_v3(0.2, -0.6, 0.4);
    def.frame_b.p = tn_v3(0.3, 0.1, 0.0);
    if (force == TN_FORCE_SPRING) {
        def.spring.stiffness = 40.0;
        def.spring.damping = 3.0;
        def.spring.free = 0.4;
        def.spring.free_given = true;
    }
    tn_model_add_force(model, &def);
    CHECK_OK(tn_model_status(model));
    return model;
}

typedef struct outcome {
    double angle[2], force, energy;
    int velocities;
} outcome;

static outcome swing(tn_joint_kind joint, tn_force_kind force, const char *method)
{
    tn_model *model = pendulum(joint, force);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    outcome out;
    options.method = method;
    options.step = 2e-3;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.4, NULL, NULL));
    for (int k = 0; k < 2; k++)
        CHECK(tn_sim_joint_coordinates(sim, (tn_joint){k}, &out.angle[k], NULL) == 1);
    out.force = tn_v3_norm(tn_sim_joint_reaction(sim, (tn_joint){0}).f);
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    out.energy = ledger.balance;
    out.velocities = tn_sim_nv(sim);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return out;
}

static const char *const methods[] = {
    "galpha/ggl@absolute",  "radau5/index2@absolute",   "dopri5/nullspace@absolute",
    "galpha/ggl@joint",     "dopri5/index1@joint",      "galpha/ggl@director",
    "variational@director", "energy-momentum@director", "energy-momentum/reparam@director",
};

static void motions_are_those_of_the_built_in_kinds(void)
{
    add_kinds();
    for (int m = 0; m < TN_COUNT(methods); m++) {
        const outcome twin = swing(TN_JOINT_REVOLUTE, TN_FORCE_SPRING, methods[m]);
        const outcome own = swing(with_motion, pull, methods[m]);
        const outcome cut = swing(with_all, law, methods[m]);
        const bool accurate = strstr(methods[m], "dopri5") || strstr(methods[m], "radau5");
        const double tol = accurate ? 1e-7 : SCHEME;
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(own.angle[k], twin.angle[k], SCHEME);
            CHECK_NEAR(cut.angle[k], own.angle[k], tol);
        }
        CHECK_NEAR(own.force, twin.force, 1e3 * SCHEME);
        CHECK_NEAR(cut.force, own.force, 1e3 * tol);
        CHECK_NEAR(cut.energy, twin.energy, accurate ? 1e-6 : 2e-3);
        CHECK(own.velocities == twin.velocities);
        CHECK((cut.velocities > twin.velocities) == !!strstr(methods[m], "@joint"));
    }
}

static void a_law_keeps_energy_over_steps_of_directors(void)
{
    add_kinds();
    CHECK_NEAR(swing(with_all, law, "energy-momentum@director").energy,
               swing(TN_JOINT_REVOLUTE, TN_FORCE_SPRING, "energy-momentum@director").energy, 1e-9);
}

static void what_is_not_given_is_told(void)
{
    add_kinds();
    tn_model *model = pendulum(with_values, pull_plain);
    CHECK(tn_model_note_count(model) == 3);
    CHECK_TEXT(tn_model_note(model, 0),
               "joint 'joint 1': its gradients are not given and formed by differences");
    CHECK_TEXT(tn_model_note(model, 2),
               "force 'force 1': its derivatives are not given and formed by differences");
    tn_model_destroy(model);
}

// Functions of time -------------------------------------------------------------------------------

static void functions_have_their_derivatives(void)
{
    add_kinds();
    const int kinds[] = {ramp, ramp_plain};
    for (int k = 0; k < 2; k++) {
        const cubic c = {0.7};
        tn_timefn *f = NULL;
        double u[3];
        CHECK_OK(tn_timefn_own(tn_own_function_table(kinds[k]), &c, &f));
        tn_timefn_eval(f, 1.3, u);
        CHECK_NEAR(u[0], 0.7 * 1.3 * 1.3 * 1.3, ROUNDOFF);
        CHECK_NEAR(u[1], 2.1 * 1.3 * 1.3, FORMED);
        CHECK_NEAR(u[2], 4.2 * 1.3, TWICE);
        CHECK(!tn_timefn_is_constant(f));
        tn_timefn_destroy(f);
        CHECK_OK(tn_timefn_own(tn_own_function_table(kinds[k]), NULL, &f)); // by default 2 t^3
        tn_timefn_eval(f, 1.0, u);
        CHECK_NEAR(u[0], 2.0, ROUNDOFF);
        tn_timefn_destroy(f);
    }
    CHECK(tn_own_function_table(99) == NULL);
}

// A mass on a spring on a sledge, which own functions drive up and down as a table does.
static void steps_end_at_their_kinks(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies:\n"
                               "  a: {kind: planar, mass: 1, inertia: 1}\n"
                               "  b: {kind: planar, mass: 1, inertia: 1}\n"
                               "joints:\n"
                               "  p: {kind: prismatic, bodies: [ground, a], axis: [1, 0]}\n"
                               "  q: {kind: prismatic, bodies: [a, b], axis: [1, 0]}\n"
                               "  r: {kind: drive, joint: p, impulse: true, motion: %s}\n"
                               "forces: {s: {kind: joint-spring, joint: q, stiffness: 100}}\n";
    static const char *const motions[] = {
        "{table: [[0, 0], [0.4, 0.5], [0.8, 0]], interpolation: linear, beyond: periodic}",
        "{kind: zigzag}", "{kind: zigzag-plain}"};
    static const char *const roads[] = {"dop853", "radau5/ggl", "bdf/ggl", "galpha/ggl"};
    static const double tol[] = {1e-6, 1e-5, 1e-4, 1e-4};
    // x'' = -100 x between kinks at 0.4, 0.8, 1.2 and 1.6 s, where x' jumps by 2.5 and -2.5.
    const double exact = 0.25 * (sin(16.0) - sin(12.0) + sin(8.0) - sin(4.0));
    add_kinds();
    for (int k = 0; k < TN_COUNT(roads); k++)
        for (int i = 0; i < TN_COUNT(motions); i++) {
            char whole[1024];
            double x[3];
            snprintf(whole, sizeof whole, text, motions[i]);
            tn_sim *sim = tn_test_open_text(whole, roads[k], k == 3 ? 1e-3 : 0.0, 1e-6);
            CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
            CHECK(tn_sim_joint_coordinates(sim, (tn_joint){1}, x, NULL) == 1);
            CHECK_NEAR(x[0], exact, tol[k]);
            tn_ledger ledger;
            tn_sim_ledger(sim, &ledger);
            CHECK(fabs(ledger.balance) < 1e-2); // 15 J where kinks are passed unseen
            tn_sim_destroy(sim);
        }
}

// m z'' = 2 t^3 from rest: z = t^5 / 10 of 1 kg.
static void files_use_own_kinds_by_name(void)
{
    static const char text[] = "{tenon: 1, bodies: {ball: {kind: point, mass: 1}},"
                               " forces: {jet: {kind: thrust, body: ball, up: {kind: cubic}}},"
                               " simulate: {method: dopri5, rtol: 1e-10, atol: 1e-10}}";
    add_kinds();
    tn_model *model = NULL;
    tn_simulate simulate;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_parse(text, "jet", &model, &simulate));
    CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.z, 0.1, 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);

    static const char *const faulty[][2] = {
        {"up: {kind: cubik}", "jet:1:104: force 'jet': up: 'cubik' is not a kind of function; did "
                              "you mean 'cubic'?"},
        {"up: {kind: cubic, b: 1}", "unknown key 'b'"},
        {"down: 1", "unknown key 'down'"},
    };
    for (int i = 0; i < TN_COUNT(faulty); i++) {
        char wrong[512];
        snprintf(wrong, sizeof wrong,
                 "{tenon: 1, bodies: {ball: {kind: point, mass: 1}},"
                 " forces: {jet: {kind: thrust, body: ball, %s}}}",
                 faulty[i][0]);
        CHECK_STATUS(tn_model_parse(wrong, "jet", &model, NULL), TN_ERR_MODEL);
        if (!tn_test_says(faulty[i][1]))
            printf("%s\n", tn_last_error());
        CHECK(tn_test_says(faulty[i][1]));
    }
}

static void help_explains_own_kinds(void)
{
    static const char *const names[][2] = {
        {"own-hinge", "of B above A"}, {"twin", "free length"}, {"cubic", "of a t^3"}};
    add_kinds();
    for (int i = 0; i < TN_COUNT(names); i++) {
        char *text = NULL;
        CHECK_OK(tn_help_text(names[i][0], &text));
        CHECK(strstr(text, names[i][1]) != NULL);
        tn_text_free(text);
    }
    char *schema = NULL;
    CHECK_OK(tn_help_schema(&schema));
    CHECK(strstr(schema, "joint-own-hinge") && strstr(schema, "force-twin"));
    CHECK(strstr(schema, "\"cubic\"") != NULL);
    tn_text_free(schema);
}

// tn_check_kind -----------------------------------------------------------------------------------

static void wrong_tangent(const tn_force_at *at, tn_own_tangent *out)
{
    spring_tangent(at, out);
    out->D[7][8] += 0.5;
}

static void wrong_gradient(const tn_joint_at *at, int i, double G[12])
{
    hinge_gradient(at, i, G);
    G[4] *= i == 1 ? 1.01 : 1.0;
}

static void wrong_hessian(const tn_joint_at *at, int i, double H[12][12])
{
    hinge_hessian(at, i, H);
    H[3][5] += i == 2 ? 0.1 : 0.0;
}

static tn_frame wrong_placement(const tn_joint_at *at, const double *q)
{
    tn_frame x = hinge_placement(at, q);
    x.p.x += 0.1 * q[0];
    return x;
}

static void wrong_energy(const tn_force_at *at, tn_own_load *out)
{
    spring_eval(at, out);
    out->energy *= 1.1;
}

static void wrong_law(const tn_force_at *at, tn_own_law *out)
{
    spring_law(at, out);
    out->by_rate += 0.1;
}

static void wrong_derivatives(const tn_function_at *at, double u[2])
{
    cubic_derivatives(at, u);
    u[1] += 0.1;
}

static double no_number(const tn_function_at *at)
{
    return at->t > -1.0 ? NAN : 0.0;
}

static void checks_pass_for_what_is_right(void)
{
    static const char *const names[] = {"own-hinge",          "own-hinge-by-values",
                                        "own-hinge-in-trees", "twin",
                                        "twin-plain",         "twin-law",
                                        "twin-law-plain",     "cubic",
                                        "cubic-plain"};
    add_kinds();
    for (int i = 0; i < TN_COUNT(names); i++)
        CHECK_OK(tn_check_kind(names[i], NULL));
    CHECK_OK(tn_check_kind("own-hinge", &(hinge){-2.0}));
    CHECK_STATUS(tn_check_kind("spring", NULL), TN_ERR_USAGE);
    CHECK(tn_test_says("no own kind is called 'spring'"));
}

static void check_says(const char *name, const char *text)
{
    CHECK_STATUS(tn_check_kind(name, NULL), TN_ERR_MODEL);
    if (!tn_test_says(text))
        printf("%s\n", tn_last_error());
    CHECK(tn_test_says(text));
}

static void a_derivative_that_is_wrong_is_named(void)
{
    add_kinds();
    tn_own_force force = spring_table;
    force.kind.name = "wrong tangent";
    force.tangent = wrong_tangent;
    CHECK_OK(tn_add_force_kind(&force, NULL));
    check_says("wrong tangent", "kind 'wrong tangent': D, row 7 column 8 (force y on B by velocity "
                                "z of B), is given as");
    force.kind.name = "wrong energy";
    force.tangent = spring_tangent;
    force.eval = wrong_energy;
    CHECK_OK(tn_add_force_kind(&force, NULL));
    check_says("wrong energy", "the power of its wrenches [W]");
    force = (tn_own_force){.kind = spring_table.kind, .law = wrong_law, .derives = true};
    force.kind.name = "wrong law";
    CHECK_OK(tn_add_force_kind(&force, NULL));
    check_says("wrong law", "by_rate, d(force)/d(rate), is given as -2.9, but differences give -3");
    tn_own_joint joint = hinge_table("wrong gradient");
    joint.gradient = wrong_gradient;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    check_says("wrong gradient", "gradient, row 'y' column 4 (turn y of A), is given as");
    joint = hinge_table("wrong hessian");
    joint.hessian = wrong_hessian;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    check_says("wrong hessian", "hessian, row 'z' at [3][5], is given as");
    joint = hinge_table("wrong placement");
    joint.placement = wrong_placement;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    check_says("wrong placement", "on its placement 'x' is");
    tn_own_function function = {
        .kind = {"wrong derivatives", "a t^3", cubic_params, 1, sizeof(cubic), NULL},
        .value = cubic_value,
        .derivatives = wrong_derivatives};
    CHECK_OK(tn_add_function_kind(&function, NULL));
    check_says("wrong derivatives", "derivatives, second at t = ");
    function.kind.name = "no number";
    function.value = no_number;
    function.derivatives = NULL;
    CHECK_OK(tn_add_function_kind(&function, NULL));
    check_says("no number", "gives nothing that is finite at any of 64 random places");
}

// Pushes where it is shorter than its length, where these elements start.
static void stop_law(const tn_force_at *at, tn_own_law *out)
{
    const spring *s = at->params;
    const double pressed = fmax(s->length - at->x, 0.0);
    out->force = out->elastic = s->stiffness * pressed;
    out->by_x = out->elastic_by_x = at->x < s->length ? -s->stiffness : 0.0;
    out->energy = 0.5 * s->stiffness * pressed * pressed;
}

static void wrong_stop_law(const tn_force_at *at, tn_own_law *out)
{
    stop_law(at, out);
    out->by_x = -out->by_x;
}

static void turned_gradient(const tn_joint_at *at, int i, double G[12])
{
    hinge_gradient(at, i, G);
    if (i == 1)
        tn_scale(12, -1.0, G);
}

// By the frame B alone, as is enough where A is on the ground.
static void half_gradient(const tn_joint_at *at, int i, double G[12])
{
    hinge_gradient(at, i, G);
    tn_zero(6, G);
}

static void half_hessian(const tn_joint_at *at, int i, double H[12][12])
{
    hinge_hessian(at, i, H);
    for (int j = 0; j < 12; j++)
        tn_zero(j < 6 ? 12 : 6, H[j]);
}

static void turned_derivatives(const tn_function_at *at, double u[2])
{
    cubic_derivatives(at, u);
    u[1] = -u[1];
}

static void wrong_zigzag_derivatives(const tn_function_at *at, double u[2])
{
    zigzag_derivatives(at, u);
    u[0] = -u[0];
}

static const double RIPPLES = 6.28e4; // [rad/s]

static double ripple_value(const tn_function_at *at)
{
    return at->t + 1e-6 * sin(RIPPLES * at->t);
}

static void ripple_derivatives(const tn_function_at *at, double u[2])
{
    u[0] = 1.0 + 1e-6 * RIPPLES * cos(RIPPLES * at->t);
    u[1] = -1e-6 * RIPPLES * RIPPLES * sin(RIPPLES * at->t);
}

static void add_wrong_kinds(void)
{
    tn_own_joint joint = hinge_table("slip-gradient");
    joint.gradient = turned_gradient;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    joint = hinge_table("half-hinge");
    joint.gradient = half_gradient;
    joint.hessian = half_hessian;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    joint = hinge_table("slip-hessian");
    joint.hessian = wrong_hessian;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    joint = hinge_table("slip-placement");
    joint.placement = wrong_placement;
    CHECK_OK(tn_add_joint_kind(&joint, NULL));
    tn_own_force force = spring_table;
    force.kind.name = "slip-tangent";
    force.tangent = wrong_tangent;
    CHECK_OK(tn_add_force_kind(&force, NULL));
    force = (tn_own_force){.kind = spring_table.kind, .law = wrong_law, .derives = true};
    force.kind.name = "slip-law";
    CHECK_OK(tn_add_force_kind(&force, NULL));
    force.energies = true;
    force.kind.name = "stop";
    force.law = stop_law;
    CHECK_OK(tn_add_force_kind(&force, NULL));
    force.kind.name = "slip-stop";
    force.law = wrong_stop_law;
    CHECK_OK(tn_add_force_kind(&force, NULL));
    tn_own_function function = {
        .kind = {"slip-derivatives", "a t^3", cubic_params, 1, sizeof(cubic), NULL},
        .value = cubic_value,
        .derivatives = turned_derivatives};
    CHECK_OK(tn_add_function_kind(&function, NULL));
    function =
        (tn_own_function){.kind = {"ripple", "a ramp with ripples of 10 kHz", NULL, 0, 0, NULL},
                          .value = ripple_value,
                          .derivatives = ripple_derivatives};
    CHECK_OK(tn_add_function_kind(&function, NULL));
    function = (tn_own_function){.kind = {"slip-zigzag", "up and down", NULL, 0, 0, NULL},
                                 .value = zigzag_value,
                                 .derivatives = wrong_zigzag_derivatives,
                                 .next_kink = zigzag_kink};
    CHECK_OK(tn_add_function_kind(&function, NULL));
}

// Nobody has called tn_check_kind. Right kinds start in the same models, also at their kinks.
static void a_simulation_compares_what_it_uses(void)
{
    static const char held[] = "{tenon: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1]}},"
                               " joints: {h: {kind: %s, bodies: [ground, a]}}}";
    static const char joint[] = "{tenon: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1]},"
                                " b: {mass: 1, inertia: [1, 1, 1]}},"
                                " joints: {h: {kind: %s, bodies: [a, b]}}}";
    static const char line[] =
        "{tenon: 1, bodies: {a: {kind: point, mass: 1, initial: {position: [0.4, 0, 0]}}},"
        " forces: {f: {kind: %s, bodies: [ground, a]}}}";
    static const char jet[] = "{tenon: 1, bodies: {a: {kind: point, mass: 1}},"
                              " forces: {f: {kind: thrust, body: a, up: {kind: %s}}}}";
    static const struct {
        const char *text, *kind, *said;
    } all[] = {
        {joint, "own-hinge", NULL},
        {joint, "own-hinge-in-trees", NULL},
        {held, "own-hinge", NULL},
        {held, "half-hinge", NULL},
        {joint, "half-hinge", "joint 'h', kind 'half-hinge': gradient, row 'x' column 0"},
        {joint, "slip-gradient",
         "joint 'h', kind 'slip-gradient': gradient, row 'y' column 1 (shift y of A), is given "
         "as "},
        {joint, "slip-hessian", "kind 'slip-hessian': hessian, row 'z' at [3][5], is given as "},
        {joint, "slip-placement", "joint 'h', kind 'slip-placement': on its placement 'x' is "},
        {line, "twin", NULL},
        {line, "twin-law", NULL},
        {line, "stop", NULL},
        {line, "slip-tangent", "force 'f', kind 'slip-tangent': D, row 7 column 8"},
        {line, "slip-law", "force 'f', kind 'slip-law': by_rate, d(force)/d(rate), is given as "},
        {line, "slip-stop", "force 'f', kind 'slip-stop': by_x, d(force)/dx, is given as 40"},
        {jet, "cubic", NULL},
        {jet, "zigzag", NULL},
        {jet, "ripple", NULL},
        {jet, "slip-derivatives",
         "force 'f', kind 'slip-derivatives': derivatives, second at t = 6.18 s, is given as "},
        {jet, "slip-zigzag",
         "kind 'slip-zigzag': derivatives, first at t = 6.18 s, is given as 1.25"},
    };
    add_kinds();
    add_wrong_kinds();
    for (int i = 0; i < TN_COUNT(all); i++) {
        const tn_sim_options options = tn_default_sim();
        char text[512];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        snprintf(text, sizeof text, all[i].text, all[i].kind);
        CHECK_OK(tn_model_parse(text, "own", &model, NULL));
        const tn_status status = tn_sim_create(model, &options, &sim);
        if (status != (all[i].said ? TN_ERR_MODEL : TN_OK) ||
            (all[i].said && !tn_test_says(all[i].said)))
            printf("%s: %s\n", all[i].kind, tn_last_error());
        CHECK_STATUS(status, all[i].said ? TN_ERR_MODEL : TN_OK);
        if (all[i].said)
            CHECK(tn_test_says(all[i].said) &&
                  tn_test_says("out of the table") == (strcmp(all[i].kind, "slip-placement") != 0));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Tables ------------------------------------------------------------------------------------------

static void force_refused(tn_own_force force, const char *text)
{
    CHECK_STATUS(tn_add_force_kind(&force, NULL), TN_ERR_USAGE);
    if (!tn_test_says(text))
        printf("%s\n", tn_last_error());
    CHECK(tn_test_says(text));
}

static void joint_refused(tn_own_joint joint, const char *text)
{
    CHECK_STATUS(tn_add_joint_kind(&joint, NULL), TN_ERR_USAGE);
    if (!tn_test_says(text))
        printf("%s\n", tn_last_error());
    CHECK(tn_test_says(text));
}

static void incomplete_tables_are_refused(void)
{
    add_kinds();
    tn_own_force force = spring_table;
    force_refused(force, "kind 'twin': there is a kind of that name already");
    force.kind.name = "bushing";
    force_refused(force, "kind 'bushing': there is a kind of that name already");
    force.kind.name = NULL;
    force_refused(force, "an own kind needs a name and a text");
    force.kind.name = "another";
    force.law = spring_law;
    force_refused(force, "kind 'another': a force needs either eval or law, and not both");
    force.eval = NULL;
    force.place = TN_OWN_SINGLE;
    force_refused(force, "a law acts on two bodies or in a joint");
    force.law = NULL;
    force_refused(force, "a force needs either eval or law");
    force.eval = spring_eval;
    force.place = TN_OWN_JOINT;
    force_refused(force, "a force in a joint needs a law");
    force.place = (tn_own_place)7;
    force_refused(force, "kind 'another': 7 is no place of a force");
    force.place = TN_OWN_PAIR;
    force.kind.size = 4096;
    force_refused(force, "its parameters take 4096 bytes, but 256 fit");
    force.kind.size = sizeof(double);
    force_refused(force, "parameter 'damping' needs a name, a unit, a text and an offset within");

    tn_own_joint joint = hinge_table("own-hinge");
    joint_refused(joint, "kind 'own-hinge': there is a kind of that name already");
    joint.kind.name = "another";
    joint.value = NULL;
    joint_refused(joint, "a joint needs the function value");
    joint = hinge_table("another");
    joint.gradient = NULL;
    joint_refused(joint, "it gives hessian, but no gradient");
    joint = hinge_table("another");
    joint.nrow = 7;
    joint_refused(joint, "7 rows, but a joint has 1 to 6");
    joint = hinge_table("another");
    joint.ncoord = 0;
    joint.placement = hinge_placement;
    joint_refused(joint, "with a placement its 5 rows and 0 coordinates must be 6");
    joint = hinge_table("another");
    joint.coords = (const tn_own_row[]){{"angle", "deg"}};
    joint_refused(joint, "coordinate 0 needs a name and the unit \"m\" or \"rad\"");
    joint = hinge_table("another");
    joint.kind.params = thrust_params;
    joint.kind.size = sizeof(thrust);
    joint_refused(joint, "parameter 'up' is a ");

    const tn_own_function function = {.kind = {"another", "nothing", NULL, 0, 0, NULL}};
    CHECK_STATUS(tn_add_function_kind(&function, NULL), TN_ERR_USAGE);
    CHECK(tn_test_says("a function of time needs the function value"));
}

static const tn_test tests[] = {
    {"rows are those of the built-in joint", rows_are_those_of_the_built_in_joint},
    {"gradients on directors are exact", gradients_on_directors_are_exact},
    {"discrete gradients are exact", discrete_gradients_are_exact},
    {"loads are those of the built-in spring", loads_are_those_of_the_built_in_spring},
    {"a law has its mean between two values", a_law_has_its_mean_between_two_values},
    {"motions are those of the built-in kinds", motions_are_those_of_the_built_in_kinds},
    {"a law keeps energy over steps of directors", a_law_keeps_energy_over_steps_of_directors},
    {"what is not given is told", what_is_not_given_is_told},
    {"functions have their derivatives", functions_have_their_derivatives},
    {"steps end at their kinks", steps_end_at_their_kinks},
    {"files use own kinds by name", files_use_own_kinds_by_name},
    {"help explains own kinds", help_explains_own_kinds},
    {"checks pass for what is right", checks_pass_for_what_is_right},
    {"a derivative that is wrong is named", a_derivative_that_is_wrong_is_named},
    {"a simulation compares what it uses", a_simulation_compares_what_it_uses},
    {"incomplete tables are refused", incomplete_tables_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
