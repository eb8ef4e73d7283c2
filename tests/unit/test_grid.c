// SPDX-License-Identifier: MIT
//
// Tables of one and two arguments: the surfaces and curves that they say they are, as functions in
// expressions of time and of the state, from programs and from model files.

#include "formula_sides.h"
#include "test.h"

#include "model/model.h"
#include "signal/expression.h"
#include "signal/formula.h"
#include "signal/grid.h"
#include "signal/kinks.h"
#include "tenon/io.h"

enum { NX = 5, NY = 4 };
static const double x_of[NX] = {-1.0, 0.0, 0.7, 2.0, 2.5}, y_of[NY] = {0.0, 1.0, 1.5, 3.0};
static double values[NX * NY];

static void fill_values(double (*f)(double x, double y))
{
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            values[i * NY + j] = f(x_of[i], y_of[j]);
}

static double wavy(double x, double y)
{
    return sin(2.0 * x) * exp(-0.5 * y) + 0.3 * x * y;
}

static double bilinear(double x, double y)
{
    return 2.0 - x + 3.0 * y + 0.5 * x * y;
}

static tn_table_def definition(int ny, tn_interpolation interpolation, tn_beyond beyond)
{
    return (tn_table_def){"map", NX, ny, x_of, ny > 0 ? y_of : NULL, values, interpolation, beyond};
}

static tn_grid *grid(int ny, tn_interpolation interpolation, tn_beyond beyond)
{
    const tn_table_def def = definition(ny, interpolation, beyond);
    tn_grid *g = NULL;
    CHECK_OK(tn_grid_create(&def, &g));
    return g;
}

static double value(const tn_grid *g, double x, double y)
{
    return tn_grid_eval(g, (double[2]){x, y}, NULL).f;
}

static double between(double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + tn_random());
}

// Surfaces ----------------------------------------------------------------------------------------

static void surfaces_go_through_their_points(void)
{
    static const tn_interpolation kinds[] = {TN_TABLE_LINEAR, TN_TABLE_SPLINE};
    static const tn_beyond beyond[] = {TN_BEYOND_HOLD, TN_BEYOND_LINEAR, TN_BEYOND_ERROR};
    fill_values(wavy);
    for (int k = 0; k < 6; k++) {
        tn_grid *g = grid(NY, kinds[k % 2], beyond[k / 2]);
        for (int i = 0; i < NX; i++)
            for (int j = 0; j < NY; j++)
                CHECK_NEAR(value(g, x_of[i], y_of[j]), values[i * NY + j], 1e-14);
        tn_grid_destroy(g);
    }
}

static void a_linear_surface_is_bilinear(void)
{
    fill_values(bilinear);
    tn_grid *g = grid(NY, TN_TABLE_LINEAR, TN_BEYOND_LINEAR);
    for (int i = 0; i < 100; i++) {
        const double x = between(-2.0, 4.0), y = between(-1.0, 4.0);
        const tn_grid_value v = tn_grid_eval(g, (double[2]){x, y}, NULL);
        CHECK_NEAR(v.f, bilinear(x, y), 1e-13);
        CHECK_NEAR(v.x, -1.0 + 0.5 * y, 1e-13);
        CHECK_NEAR(v.y, 3.0 + 0.5 * x, 1e-13);
        CHECK_NEAR(v.xy, 0.5, 1e-13);
        CHECK(v.xx == 0.0 && v.yy == 0.0);
    }
    tn_grid_destroy(g);
}

// Along an argument of the table a surface is the spline through the values there.
static void lines_of_a_spline_are_splines(void)
{
    fill_values(wavy);
    tn_grid *g = grid(NY, TN_TABLE_SPLINE, TN_BEYOND_LINEAR);
    for (int j = 0; j < NY; j++) {
        tn_curve *curve = NULL;
        double line[NX], u[3];
        for (int i = 0; i < NX; i++)
            line[i] = values[i * NY + j];
        CHECK_OK(tn_curve_create(NX, x_of, line, TN_TABLE_SPLINE, TN_BEYOND_LINEAR, &curve));
        for (double x = -1.5; x < 3.0; x += 0.1) {
            const tn_grid_value v = tn_grid_eval(g, (double[2]){x, y_of[j]}, NULL);
            tn_curve_eval(curve, x, u);
            CHECK_NEAR(v.f, u[0], 1e-13);
            CHECK_NEAR(v.x, u[1], 1e-12);
            CHECK_NEAR(v.xx, u[2], 1e-11);
        }
        tn_free(curve);
    }
    tn_grid_destroy(g);
}

// Second derivatives of a spline go on over the lines between cells, in both directions.
static void a_spline_surface_is_smooth(void)
{
    fill_values(wavy);
    tn_grid *g = grid(NY, TN_TABLE_SPLINE, TN_BEYOND_HOLD);
    for (int i = 0; i < 40; i++) {
        const double along = between(0.0, 2.4), h = 1e-9;
        for (int k = 1; k < 3; k++) {
            const tn_grid_value a = tn_grid_eval(g, (double[2]){x_of[k] - h, along}, NULL);
            const tn_grid_value b = tn_grid_eval(g, (double[2]){x_of[k] + h, along}, NULL);
            const tn_grid_value c = tn_grid_eval(g, (double[2]){along, y_of[k] - h}, NULL);
            const tn_grid_value d = tn_grid_eval(g, (double[2]){along, y_of[k] + h}, NULL);
            CHECK(fabs(a.xx - b.xx) + fabs(a.xy - b.xy) + fabs(a.yy - b.yy) < 1e-6);
            CHECK(fabs(c.xx - d.xx) + fabs(c.xy - d.xy) + fabs(c.yy - d.yy) < 1e-6);
        }
    }
    tn_grid_destroy(g);
}

static void derivatives_match_differences(void)
{
    static const tn_interpolation kinds[] = {TN_TABLE_LINEAR, TN_TABLE_MONOTONE, TN_TABLE_SPLINE};
    fill_values(wavy);
    for (int k = 0; k < 600; k++) {
        const tn_interpolation kind = kinds[k % 3];
        const bool one = k % 2 == 0 || kind == TN_TABLE_MONOTONE;
        tn_grid *g = grid(one ? 0 : NY, kind, k % 5 ? TN_BEYOND_LINEAR : TN_BEYOND_HOLD);
        const double x = between(-2.0, 3.0), y = one ? 0.0 : between(-1.0, 4.0), h = 1e-6;
        const tn_grid_value v = tn_grid_eval(g, (double[2]){x, y}, NULL);
        const tn_grid_value e = tn_grid_eval(g, (double[2]){x + h, y}, NULL);
        const tn_grid_value w = tn_grid_eval(g, (double[2]){x - h, y}, NULL);
        CHECK_NEAR(v.x, (e.f - w.f) / (2.0 * h), 1e-8);
        CHECK_NEAR(v.xx, (e.x - w.x) / (2.0 * h), 1e-7);
        CHECK_NEAR(v.xy, (e.y - w.y) / (2.0 * h), 1e-7);
        if (!one) {
            const tn_grid_value n = tn_grid_eval(g, (double[2]){x, y + h}, NULL);
            const tn_grid_value s = tn_grid_eval(g, (double[2]){x, y - h}, NULL);
            CHECK_NEAR(v.y, (n.f - s.f) / (2.0 * h), 1e-8);
            CHECK_NEAR(v.yy, (n.y - s.y) / (2.0 * h), 1e-7);
        }
        tn_grid_destroy(g);
    }
}

static void beyond_their_ends_tables_do_as_they_say(void)
{
    fill_values(wavy);
    tn_grid *g = grid(NY, TN_TABLE_SPLINE, TN_BEYOND_HOLD);
    CHECK_NEAR(value(g, -9.0, 1.2), value(g, -1.0, 1.2), 1e-15);
    CHECK_NEAR(value(g, 9.0, 7.0), values[NX * NY - 1], 1e-15);
    tn_grid_destroy(g);
    g = grid(NY, TN_TABLE_SPLINE, TN_BEYOND_LINEAR);
    const tn_grid_value end = tn_grid_eval(g, (double[2]){2.5, 1.2}, NULL);
    CHECK_NEAR(value(g, 4.0, 1.2), end.f + 1.5 * end.x, 1e-14);
    tn_grid_destroy(g);
    g = grid(NY, TN_TABLE_LINEAR, TN_BEYOND_ERROR);
    CHECK(isnan(value(g, 2.6, 1.0)) && isnan(value(g, 1.0, -0.1)) && !isnan(value(g, 2.5, 3.0)));
    CHECK(isnan(value(g, NAN, 1.0)));
    tn_grid_destroy(g);
    g = grid(0, TN_TABLE_MONOTONE, TN_BEYOND_ERROR);
    CHECK(isnan(value(g, 2.6, 0.0)) && isnan(value(g, -1.1, 0.0)) && !isnan(value(g, 2.5, 0.0)));
    tn_grid_destroy(g);
}

// In expressions ----------------------------------------------------------------------------------

static tn_model *with_tables(void)
{
    tn_model *model = tn_model_create();
    CHECK(model != NULL);
    fill_values(wavy);
    tn_table_def def = definition(NY, TN_TABLE_SPLINE, TN_BEYOND_LINEAR);
    CHECK_OK(tn_model_add_table(model, &def));
    def = definition(NY, TN_TABLE_LINEAR, TN_BEYOND_HOLD);
    def.name = "plane";
    CHECK_OK(tn_model_add_table(model, &def));
    def = definition(0, TN_TABLE_LINEAR, TN_BEYOND_HOLD);
    def.name = "line";
    CHECK_OK(tn_model_add_table(model, &def));
    def = definition(0, TN_TABLE_MONOTONE, TN_BEYOND_LINEAR);
    def.name = "curve";
    CHECK_OK(tn_model_add_table(model, &def));
    return model;
}

static tn_status find_x(void *self, const char *name, int *variable)
{
    *variable = name[1] - '0';
    return name[0] == 'x' ? TN_OK : tn_fail(TN_ERR_MODEL, "unknown name '%s'", name);
}

static tn_formula *formula(const tn_model *model, const char *text)
{
    const tn_lookup names = {NULL, find_x};
    tn_formula *f = NULL;
    CHECK_OK(tn_formula_create(text, model->parameters.count, model->parameters.at, &names, &f));
    return f;
}

static const char *const texts[] = {
    "map(x0, x1)",           "map(x0*x1, sin(x0))",  "plane(x0, x1) - map(x1, x0)",
    "line(x0)*curve(x1)",    "curve(line(x0 + x1))", "plane(line(x0), curve(x1))",
    "line(x0) + line(2*x0)",
};

static void gradients_go_through_tables(void)
{
    tn_model *model = with_tables();
    for (int k = 0; k < 700; k++) {
        tn_formula *f = formula(model, texts[k % TN_COUNT(texts)]);
        double x[2] = {between(-2.0, 3.0), 0.0}, dx[2] = {0.0, 0.0};
        signed char side[64];
        const int *list, n = tn_formula_variables(f, &list);
        x[1] = between(-1.0, 4.0);
        CHECK(tn_formula_switch_count(f) <= TN_COUNT(side));
        tn_test_sides(f, 0.0, x, side);
        CHECK_NEAR(tn_formula_gradient(f, 0.0, x, side, dx), tn_formula_eval(f, 0.0, x, NULL), 0);
        for (int i = 0; i < n; i++) {
            const double h = 1e-6, at = x[list[i]];
            x[list[i]] = at + h;
            const double above = tn_formula_eval(f, 0.0, x, side);
            x[list[i]] = at - h;
            const double below = tn_formula_eval(f, 0.0, x, side);
            x[list[i]] = at;
            CHECK_NEAR(dx[i], (above - below) / (2.0 * h), 1e-7 * (1.0 + fabs(dx[i])));
        }
        tn_formula_destroy(f);
    }
    tn_model_destroy(model);
}

// On kept sides a linear table goes straight on over its arguments, which are zeros of switches.
static void linear_tables_decide_at_their_arguments(void)
{
    tn_model *model = with_tables();
    tn_formula *f = formula(model, "line(x0)");
    CHECK(tn_formula_switch_count(f) == NX);
    for (int i = 0; i <= NX; i++) {
        const double left = i == 0 ? -2.0 : x_of[i - 1], right = i == NX ? 3.5 : x_of[i];
        double x = 0.5 * (left + right), dx, beyond, s[NX];
        signed char side[NX];
        tn_test_sides(f, 0.0, &x, side);
        const double v = tn_formula_gradient(f, 0.0, &x, side, &dx), from = x;
        x = right + 0.3;
        CHECK_NEAR(tn_formula_gradient(f, 0.0, &x, side, &beyond), v + dx * (x - from), 1e-13);
        CHECK(beyond == dx);
        tn_formula_switches(f, 0.0, &x, side, s);
        for (int k = 0; k < NX; k++)
            CHECK(s[k] == x - x_of[k]);
    }
    tn_formula_destroy(f);
    f = formula(model, "plane(x0, x1) + map(x0, x1) + curve(x0)");
    CHECK(tn_formula_switch_count(f) == NX + NY); // smooth ones do not decide
    tn_formula_destroy(f);
    tn_model_destroy(model);
}

static tn_expression *expression(const tn_model *model, const char *text)
{
    tn_expression *e = NULL;
    CHECK_OK(tn_expression_create(text, model->parameters.count, model->parameters.at, &e));
    return e;
}

static const char *const of_time[] = {
    "map(t, 1 + sin(t))", "curve(t)*line(t - 1)",      "plane(t, 2)",     "line(sin(3*t))",
    "curve(2*cos(t))",    "map(0.5, 1.2)*plane(1, t)", "curve(curve(t))",
};

static void jets_of_tables_match_differences(void)
{
    tn_model *model = with_tables();
    for (int i = 0; i < TN_COUNT(of_time); i++) {
        tn_expression *e = expression(model, of_time[i]);
        for (int k = 0; k < 100; k++) {
            const double t = between(-1.0, 3.0), h = 1e-6;
            const tn_jet u = tn_expression_eval(e, t);
            const tn_jet a = tn_expression_eval(e, t - h), b = tn_expression_eval(e, t + h);
            CHECK_NEAR(u.d, (b.v - a.v) / (2.0 * h), 1e-7);
            CHECK_NEAR(u.dd, (b.d - a.d) / (2.0 * h), 1e-6 * (1.0 + fabs(u.dd)));
        }
        tn_free(e);
    }
    tn_model_destroy(model);
}

static bool holds(tn_interval range, double x)
{
    return x >= range.low && x <= range.high;
}

static void ranges_hold_what_tables_take(void)
{
    tn_model *model = with_tables();
    for (int i = 0; i < TN_COUNT(of_time); i++) {
        tn_expression *e = expression(model, of_time[i]);
        for (int k = 0; k < 300; k++) {
            tn_range_jet stack[TN_EXPRESSION_STACK + 1], *top = stack;
            const double a = between(-2.0, 3.0), b = a + pow(10.0, between(-7.0, 0.3));
            for (int j = 0; j < e->count; j++)
                top = e->code[j].op->over(top, &e->code[j], (tn_interval){a, b});
            for (int j = 0; j <= 10; j++) {
                const tn_jet u = tn_expression_eval(e, a + (b - a) * j / 10.0);
                CHECK(holds(top->v, u.v) && holds(top->d, u.d) && holds(top->dd, u.dd));
            }
        }
        tn_free(e);
    }
    tn_model_destroy(model);
}

static void kinks_in_time_are_met(void)
{
    static const struct {
        const char *text;
        int n;
        double at[6];
    } cases[] = {
        {"line(t/2)", 3, {1.4, 4.0, 5.0}},
        {"plane(2, t)", 3, {1.0, 1.5, 3.0}},
        {"abs(line(t) - 3)", 3, {0.7, 2.0, 2.5}},
        {"map(t, 1)", 0, {0}},
    };
    tn_model *model = with_tables();
    for (int i = 0; i < TN_COUNT(cases); i++) {
        tn_timefn *f = NULL;
        int n = 0;
        CHECK_OK(
            tn_timefn_expression(cases[i].text, model->parameters.count, model->parameters.at, &f));
        for (double t = 0.1; t < 10.0;) {
            tn_kink kink;
            if (tn_timefn_next_kink(f, t, 10.0, 0.01, &kink))
                CHECK_NEAR(kink.t, cases[i].at[n++], 1e-13);
            CHECK(kink.after > t && n < 6);
            t = kink.after;
        }
        CHECK(n == cases[i].n);
        tn_timefn_destroy(f);
    }
    tn_model_destroy(model);
}

// Names and mistakes ------------------------------------------------------------------------------

static void check_refused(tn_table_def def, const char *message)
{
    tn_model *model = tn_model_create();
    CHECK_OK(tn_model_set_parameter(model, "stiffness", 3.0));
    CHECK(tn_model_add_table(model, &def) != TN_OK);
    CHECK_TEXT(tn_last_error(), message);
    CHECK(tn_model_status(model) != TN_OK);
    tn_model_destroy(model);
}

static void wrong_tables_are_named(void)
{
    static const double twice[] = {0.0, 1.0, 1.0, 2.0, 3.0}, broken[] = {1.0, 2.0, 3.0, NAN, 5.0};
    fill_values(wavy);
    tn_table_def def = definition(NY, TN_TABLE_SPLINE, TN_BEYOND_HOLD);
    def.name = "stiffness";
    check_refused(def, "table 'stiffness': there is a parameter, table or input of that name");
    def.name = "2nd";
    check_refused(def, "table '2nd': a name is a letter followed by letters, digits or '_'");
    def.name = "map";
    def.x = twice;
    check_refused(def, "table 'map': x: place 3: 1 does not follow 1 of place 2; arguments must "
                       "increase");
    def.x = broken;
    check_refused(def, "table 'map': x: place 4: nan is not finite");
    def.x = NULL;
    check_refused(def, "table 'map': x: 0 numbers; at least 2 are needed");
    def = definition(NY, TN_TABLE_SPLINE, TN_BEYOND_HOLD);
    def.ny = 1;
    check_refused(def, "table 'map': y: 1 number; at least 2 are needed");
    def = definition(0, TN_TABLE_LINEAR, TN_BEYOND_HOLD);
    def.values = broken;
    check_refused(def, "table 'map': values: place 4: nan is not finite");
    values[6] = INFINITY;
    check_refused(definition(NY, TN_TABLE_LINEAR, TN_BEYOND_HOLD),
                  "table 'map': values: row 2, place 3: inf is not finite");
    fill_values(wavy);
    check_refused(definition(NY, TN_TABLE_MONOTONE, TN_BEYOND_HOLD),
                  "table 'map': interpolation: there is no monotone surface; write linear or "
                  "spline");
    check_refused(definition(0, TN_TABLE_LINEAR, TN_BEYOND_PERIODIC),
                  "table 'map': beyond: a table that is a function cannot be periodic; write hold, "
                  "linear or error, and reduce its argument");
    CHECK(tn_test_alloc_live() == 0);
}

static void wrong_calls_are_named(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"1 + map(t)", "expression '1 + map(t)', column 5: map takes 2 arguments, 1 is given"},
        {"line(t, 2)", "expression 'line(t, 2)', column 1: line takes 1 argument, 2 are given"},
        {"2*line", "expression '2*line', column 3: function 'line' needs its arguments in "
                   "parentheses"},
        {"2*plan(t)", "expression '2*plan(t)', column 3: unknown function 'plan'; did you mean "
                      "'plane'?"},
    };
    tn_model *model = with_tables();
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        tn_expression *e = NULL;
        CHECK_STATUS(
            tn_expression_create(wrong[i].text, model->parameters.count, model->parameters.at, &e),
            TN_ERR_MODEL);
        CHECK_TEXT(tn_last_error(), wrong[i].message);
    }
    CHECK_STATUS(tn_model_set_parameter(model, "line", 1.0), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "parameter 'line': there is a table of that name");
    tn_model_destroy(model);
}

static void nothing_is_lost_when_memory_is_short(void)
{
    fill_values(wavy);
    for (int k = 0; k < 2; k++)
        for (long n = 1;; n++) {
            tn_model *model = tn_model_create();
            const tn_table_def def = definition(k ? NY : 0, TN_TABLE_SPLINE, TN_BEYOND_HOLD);
            tn_test_alloc_fail_at(n);
            const tn_status status = tn_model_add_table(model, &def);
            const bool failed = tn_test_alloc_failed();
            tn_test_alloc_fail_at(0);
            CHECK(failed ? status == TN_ERR_MEMORY : status == TN_OK);
            tn_model_destroy(model);
            CHECK(tn_test_alloc_live() == 0);
            if (!failed)
                break;
        }
}

// In model files ----------------------------------------------------------------------------------

#define FILE_WITH(tables, effort)                                          \
    "tenon: 1\nparameters: {top: 4}\ntables:\n" tables                     \
    "bodies: {rod: {kind: planar, mass: 1, inertia: 0.1}}\n"               \
    "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}}\n" \
    "forces: {f: {kind: motor, joint: pin, effort: \"" effort "\"}}\n"

static void files_have_tables(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(FILE_WITH("  torque: {x: [0, 1, 2], values: [0, top, 5]}\n"
                                      "  map: {x: [0, 1], y: [0, 1, 2], values: [[0, 1, 2], [3, 4, "
                                      "top]], interpolation: linear, beyond: linear}\n",
                                      "map(pin.angle, t) + torque(pin.angle.rate)"),
                            "m.yaml", &model, NULL));
    double v;
    CHECK_OK(tn_model_value(model, "torque(1) + map(0.5, 1.5)", &v));
    CHECK_NEAR(v, 4.0 + 2.75, 1e-14);
    tn_model_destroy(model);
}

// The angle after half a second.
static double angle_of(const char *text)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    double angle[4], rate[4];
    options.method = "radau5/ggl";
    options.adaptive = true;
    options.rtol = 1e-10;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    tn_sim_joint_coordinates(sim, (tn_joint){0}, angle, rate);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return angle[0];
}

// A bilinear table of a bilinear function is that function, over the lines between its cells too.
// Steps end there; 1e-8 is a hundred times their tolerance.
static void motors_turn_by_tables(void)
{
    const double by_table = angle_of(FILE_WITH(
        "  map: {x: [-1, 0, 0.3, 9], y: [-9, 0, 1, 99], interpolation: linear, beyond: "
        "linear, values: [[15, 6, 5, -93], [11, 2, 1, -97], [9.8, 0.8, -0.2, -98.2], [-25, "
        "-34, -35, -133]]}\n",
        "map(pin.angle, pin.angle.rate)"));
    const double by_formula = angle_of(
        FILE_WITH("  unused: {x: [0, 1], values: [0, 1]}\n", "2 - 4*pin.angle - pin.angle.rate"));
    CHECK(fabs(by_formula) > 0.3);
    CHECK_NEAR(by_table, by_formula, 1e-8);
}

static void mistakes_in_files_have_their_place(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {FILE_WITH("  a: {x: [0, 1, 1], values: [0, 1, 2]}\n", "1"),
         "m.yaml:4:17: table 'a': x: place 3: 1 does not follow 1 of place 2; arguments must "
         "increase"},
        {FILE_WITH("  a: {x: [0, 1, 2], values: [0, 1]}\n", "1"),
         "m.yaml:4:29: table 'a': values: expected 3 numbers, one for each x, found 2"},
        {FILE_WITH("  a: {x: [0, 1], y: [3, 4, 5], values: [[0, 1, 2], [0, 1]]}\n", "1"),
         "m.yaml:4:52: table 'a': values: row 2: expected 3 numbers, one for each y, found 2"},
        {FILE_WITH("  a: {x: [0, 1], y: [3, 4, 5], values: [[0, 1, 2]]}\n", "1"),
         "m.yaml:4:40: table 'a': values: expected 2 rows, one for each x, found 1"},
        {FILE_WITH("  a: {x: [0, 1], y: [3, 4], values: [[0, 1], [0, b]]}\n", "1"),
         "m.yaml:4:50: table 'a': values: row 2: place 2: unknown name 'b'; write a number, or "
         "define it in 'parameters'"},
        {FILE_WITH("  a: {x: [0, 1], y: [3, 4], values: [[0, 1], [0, 1]], interpolation: "
                   "monotone}\n",
                   "1"),
         "m.yaml:4:70: table 'a': interpolation: there is no monotone surface; write linear or "
         "spline"},
        {FILE_WITH("  top: {x: [0, 1], values: [1, 2]}\n", "1"),
         "m.yaml:4:3: table 'top': there is a parameter, table or input of that name"},
        {FILE_WITH("  a: {x: [0, 1]}\n", "1"), "m.yaml:4:3: table 'a': missing key 'values'"},
        {FILE_WITH("  a: {x: [0, 1], values: [1, 2], z: 3}\n", "1"),
         "m.yaml:4:34: table 'a': unknown key 'z'"},
        {FILE_WITH("  sin: {x: [0, 1], values: [1, 2]}\n", "1"),
         "m.yaml:4:3: table 'sin': this name is taken"},
        {FILE_WITH("  a: {x: [0, 1], values: [1, 2]}\n", "a(t, 2)"),
         "force 'f': effort: expression 'a(t, 2)', column 1: a takes 1 argument, 2 are given"},
    };
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        tn_model *model = NULL;
        CHECK_STATUS(tn_model_parse(wrong[i].text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        if (!tn_test_says(wrong[i].message))
            CHECK_TEXT(tn_last_error(), wrong[i].message);
    }
    CHECK(tn_test_alloc_live() == 0);
}

static const tn_test tests[] = {
    {"surfaces go through their points", surfaces_go_through_their_points},
    {"a linear surface is bilinear", a_linear_surface_is_bilinear},
    {"lines of a spline are splines", lines_of_a_spline_are_splines},
    {"a spline surface is smooth", a_spline_surface_is_smooth},
    {"derivatives match differences", derivatives_match_differences},
    {"beyond their ends tables do as they say", beyond_their_ends_tables_do_as_they_say},
    {"gradients go through tables", gradients_go_through_tables},
    {"linear tables decide at their arguments", linear_tables_decide_at_their_arguments},
    {"jets of tables match differences", jets_of_tables_match_differences},
    {"ranges hold what tables take", ranges_hold_what_tables_take},
    {"kinks in time are met", kinks_in_time_are_met},
    {"wrong tables are named", wrong_tables_are_named},
    {"wrong calls are named", wrong_calls_are_named},
    {"nothing is lost when memory is short", nothing_is_lost_when_memory_is_short},
    {"files have tables", files_have_tables},
    {"motors turn by tables", motors_turn_by_tables},
    {"mistakes in files have their place", mistakes_in_files_have_their_place},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
