// SPDX-License-Identifier: MIT
//
// Runs that fail say which element is to blame: an own joint that gives no number, in its rows or
// in their derivatives, and the rows of a start at which a method cannot begin.

#include "tenon/tenon.h"
#include "test.h"

// What a rope of length 1 m gives as NaN below a height: its row or one of its derivatives.
static enum { ROW, GRADIENT, HESSIAN, WAYS } broken;

static double number_at(const tn_joint_at *at, int what)
{
    return (int)broken == what && at->b.p.y < -0.5 ? NAN : 0.0;
}

static double span_of(const tn_joint_at *at, double d[3])
{
    const tn_vec3 v = {at->b.p.x - at->a.p.x, at->b.p.y - at->a.p.y, at->b.p.z - at->a.p.z};
    d[0] = v.x;
    d[1] = v.y;
    d[2] = v.z;
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static double rope_value(const tn_joint_at *at, int i)
{
    double d[3];
    return span_of(at, d) - 1.0 + number_at(at, ROW);
}

static void rope_gradient(const tn_joint_at *at, int i, double G[12])
{
    double d[3];
    const double l = span_of(at, d);
    memset(G, 0, 12 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        G[k] = -d[k] / l;
        G[6 + k] = d[k] / l + number_at(at, GRADIENT);
    }
}

static void rope_hessian(const tn_joint_at *at, int i, double H[12][12])
{
    double d[3];
    const double l = span_of(at, d);
    memset(H, 0, 144 * sizeof(double));
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            const double h = ((k == m) - d[k] * d[m] / (l * l)) / l;
            H[k][m] = H[6 + k][6 + m] = h + number_at(at, HESSIAN);
            H[k][6 + m] = H[6 + k][m] = -h;
        }
}

static void add_rope(void)
{
    static const tn_own_row rows[] = {{"length", "m"}};
    static bool added;
    const tn_own_joint rope = {.kind = {"rope", "a rope", NULL, 0, 0, NULL},
                               .nrow = 1,
                               .rows = rows,
                               .value = rope_value,
                               .gradient = rope_gradient,
                               .hessian = rope_hessian};
    tn_joint_kind kind;
    if (!added)
        CHECK_OK(tn_add_joint_kind(&rope, &kind));
    added = true;
}

// The text of the failure of a run by a method; "" where it reaches its end.
static const char *run_by(const char *text, const char *method)
{
    tn_simulate simulate;
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, &simulate));
    simulate.options.method = method;
    tn_status s = tn_sim_create(model, &simulate.options, &sim);
    TN_THEN(s, tn_sim_run(sim, simulate.t_end, NULL, NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return s == TN_OK ? "" : tn_last_error();
}

static void an_own_joint_that_gives_no_number_is_named(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {ball: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}}\n"
        "joints:\n"
        "  r: {kind: rope, bodies: [ground, ball]}\n"
        "simulate: {t_end: 0.6}\n";
    // Which numbers a method asks for: a letter each, of the row, its gradient and its Hessian.
    static const struct {
        const char *method, *asks;
    } cases[] = {
        {"galpha/ggl", "rgh"},      {"galpha/index3", "rgh"}, {"galpha/index2", "gh"},
        {"hht/ggl", "rgh"},         {"bdf/ggl", "rgh"},       {"bdf/index2", "gh"},
        {"radau5/ggl", "rgh"},      {"radau5/index1", "gh"},  {"dop853/index1", "gh"},
        {"herk5", "rgh"},           {"variational", "rg"},    {"energy-momentum", "rg"},
        {"dop853/nullspace", "gh"},
    };
    add_rope();
    for (int i = 0; i < TN_COUNT(cases); i++)
        for (int way = ROW; way < WAYS; way++) {
            broken = way;
            const char *told = run_by(text, cases[i].method);
            if (!strchr(cases[i].asks, "rgh"[way]))
                continue;
            const bool named = strncmp(told, "m.yaml:5:3: ", 12) == 0 &&
                               strstr(told, "(joint 'r', row length)") &&
                               (strstr(told, " is nan ") || strstr(told, " is not finite "));
            if (!named)
                printf("%s, %d: %s\n", cases[i].method, way, told);
            CHECK(named);
        }
}

// Four links of one length in a line.
static void a_singular_start_is_told_as_one(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
        "  c: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
        "joints:\n"
        "  A: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
        "  B: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
        "  C: {kind: revolute, bodies: [b, c], at: [2, 0]}\n"
        "  D: {kind: revolute, bodies: [ground, c], at: [1, 0]}\n"
        "simulate: {t_end: 0.1, step: 0.01}\n";
    static const char *const methods[] = {"variational", "energy-momentum", "variational/dalembert",
                                          "variational/reparam"};
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const char *told = run_by(text, methods[i]);
        CHECK(strncmp(told, "m.yaml:", 7) == 0);
        CHECK(strstr(told, "the start is a singular position, where ") != NULL);
        CHECK(strstr(told, "joint 'C', row x") != NULL);
        CHECK(strstr(told, "try a smaller step") == NULL);
    }
    CHECK_TEXT(run_by(text, "galpha/ggl"), ""); // which the advice names
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"an own joint that gives no number is named", an_own_joint_that_gives_no_number_is_named},
        {"a singular start is told as one", a_singular_start_is_told_as_one},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
