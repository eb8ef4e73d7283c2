// SPDX-License-Identifier: MIT
//
// Formulas: random expressions, made from the tables of operators and functions, have the gradient
// that differences have; decisions stay on the side that they are told; names and errors.

#include "formula_sides.h"
#include "test.h"

#include "signal/expression.h"
#include "signal/formula.h"

enum { VARIABLES = 6, LENGTH = 4000 };

// The variables are x0 … x5; 'left arm'.angle is x1 and a.b.c is x2.
static tn_status find_name(void *self, const char *name, int *variable)
{
    int *asked = self;
    (*asked)++;
    if (strcmp(name, "left arm.angle") == 0 || strcmp(name, "a.b.c") == 0) {
        *variable = name[0] == 'l' ? 1 : 2;
        return TN_OK;
    }
    if (name[0] == 'x' && name[1] >= '0' && name[1] < '0' + VARIABLES && !name[2]) {
        *variable = name[1] - '0';
        return TN_OK;
    }
    return tn_fail(TN_ERR_MODEL, "unknown name '%s'; did you mean 'x1'?", name);
}

static tn_status try_formula(const char *text, tn_formula **out)
{
    static const tn_named_value params[] = {{"stiffness", 2.5, NULL, NULL}};
    int asked = 0;
    const tn_lookup names = {&asked, find_name};
    return tn_formula_create(text, TN_COUNT(params), params, &names, out);
}

static tn_formula *formula(const char *text)
{
    tn_formula *f = NULL;
    CHECK_OK(try_formula(text, &f));
    return f;
}

static double value(const char *text, const double *x, tn_sides side)
{
    tn_formula *f = formula(text);
    const double v = tn_formula_eval(f, 0.5, x, side);
    tn_formula_destroy(f);
    return v;
}

// Random expressions ------------------------------------------------------------------------------

static int pick(int n)
{
    const int i = (int)(0.5 * (tn_random() + 1.0) * n);
    return i < n ? i : n - 1;
}

static void random_text(char *out, int depth);

static void random_leaf(char *out)
{
    const int what = pick(8);
    if (what == 0)
        tn_test_append(out, LENGTH, "t");
    else if (what < 6)
        tn_test_append(out, LENGTH, "x%d", pick(VARIABLES));
    else
        tn_test_append(out, LENGTH, "%.2f", 1.5 + tn_random());
}

static void random_call(char *out, int depth)
{
    const tn_function_entry *f = &tn_functions[pick(tn_function_count)];
    const int n = f->least == f->most ? f->least : f->least + pick(3);
    tn_test_append(out, LENGTH, "%s(", f->name);
    for (int i = 0; i < n; i++) {
        if (i > 0)
            tn_test_append(out, LENGTH, ", ");
        random_text(out, depth - 1);
    }
    tn_test_append(out, LENGTH, ")");
}

static void random_text(char *out, int depth)
{
    const int what = depth > 0 ? pick(8) : 7;
    if (what < 3) {
        random_call(out, depth);
    } else if (what < 6) {
        const int op = pick(tn_operator_count + 1);
        tn_test_append(out, LENGTH, "(");
        random_text(out, depth - 1);
        tn_test_append(out, LENGTH, " %s ", op < tn_operator_count ? tn_operators[op].text : "^");
        random_text(out, depth - 1);
        tn_test_append(out, LENGTH, ")");
    } else if (what < 7) {
        tn_test_append(out, LENGTH, "-");
        random_leaf(out);
    } else {
        random_leaf(out);
    }
}

static void random_point(double *x)
{
    for (int i = 0; i < VARIABLES; i++)
        x[i] = 1.2 * tn_random();
}

// Derivatives -------------------------------------------------------------------------------------

// By central differences with two widths. Where these do not agree the difference is no reference:
// they disagree by as much as one of them errs.
static bool difference(const tn_formula *f, double t, const double *x, tn_sides side, int i,
                       double *out, double *error)
{
    double y[VARIABLES], d[2];
    for (int k = 0; k < 2; k++) {
        const double h = k == 0 ? 1e-5 : 2e-5;
        memcpy(y, x, sizeof y);
        y[i] = x[i] + h;
        const double above = tn_formula_eval(f, t, y, side);
        y[i] = x[i] - h;
        d[k] = (above - tn_formula_eval(f, t, y, side)) / (2.0 * h);
    }
    *out = d[0];
    *error = fabs(d[0] - d[1]);
    return isfinite(d[0]) && isfinite(d[1]) && *error <= 1e-4 * fabs(d[0]) + 1e-8;
}

static int check_gradient(const char *text, const double *x)
{
    tn_formula *f = formula(text);
    static signed char side[TN_KINKS_MAX];
    double dx[VARIABLES], d, error;
    const int *list;
    int checked = 0;
    tn_test_sides(f, 0.5, x, side);
    const double v = tn_formula_gradient(f, 0.5, x, side, dx);
    CHECK(isnan(v) ? isnan(tn_formula_eval(f, 0.5, x, NULL))
                   : v == tn_formula_eval(f, 0.5, x, NULL));
    const int n = tn_formula_variables(f, &list);
    for (int i = 0; i < n; i++) {
        CHECK(i == 0 || list[i] > list[i - 1]);
        const bool regular = fabs(v) < 1e3 && isfinite(dx[i]); // asin(x/x) is not
        if (regular && difference(f, 0.5, x, side, list[i], &d, &error)) {
            const double tol = 10.0 * error + 1e-7 * (1.0 + fabs(d));
            if (!(fabs(dx[i] - d) <= tol))
                printf("%s by x%d\n", text, list[i]);
            CHECK_NEAR(dx[i], d, tol);
            checked++;
        }
    }
    tn_formula_destroy(f);
    return checked;
}

static void gradients_of_random_expressions_match_differences(void)
{
    int checked = 0;
    for (int i = 0; i < 20000; i++) {
        char text[LENGTH] = "";
        double x[VARIABLES];
        random_text(text, 1 + i % 4);
        random_point(x);
        checked += check_gradient(text, x);
    }
    CHECK(checked > 15000);
}

static void gradients_of_every_function_match_differences(void)
{
    for (int i = 0; i < tn_function_count; i++) {
        const tn_function_entry *f = &tn_functions[i];
        const int most = f->most > 4 && f->least < 4 ? 4 : f->least;
        for (int n = f->least; n <= most; n++) {
            char text[LENGTH] = "";
            int checked = 0;
            for (int k = 0; k < n; k++)
                tn_test_append(text, LENGTH, "%s%sx%d", k == 0 ? f->name : "", k ? ", " : "(", k);
            tn_test_append(text, LENGTH, ")");
            for (int k = 0; k < 50; k++) {
                double x[VARIABLES];
                random_point(x);
                checked += check_gradient(text, x);
            }
            CHECK(checked >= 20);
        }
    }
}

// Three evaluators -------------------------------------------------------------------------------

// The same text with t in the place of every variable: the derivative in t is the sum of those by t
// and by the variables.
static void only_time(char *out, const char *text)
{
    for (; *text; text++)
        if (*text == 'x' && text[1] >= '0' && text[1] <= '9') {
            *out++ = 't';
            text++;
        } else {
            *out++ = *text;
        }
    *out = '\0';
}

static bool holds(tn_interval range, double x)
{
    return isnan(x) || (x >= range.low && x <= range.high);
}

// Whether all values on the way to the result are numbers: of asin(2) nothing is said.
static bool is_defined(const tn_expression *e, double t, tn_jet *out)
{
    tn_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    bool defined = true;
    for (int i = 0; i < e->count; i++) {
        top = e->code[i].op->run(top, &e->code[i], t);
        defined = defined && isfinite(top->v);
    }
    *out = *top;
    return defined;
}

static void check_range(const tn_expression *e, double a, double b, const char *text)
{
    tn_range_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    for (int i = 0; i < e->count; i++)
        top = e->code[i].op->over(top, &e->code[i], (tn_interval){a, b});
    for (int k = 0; k <= 4; k++) {
        tn_jet u;
        if (!is_defined(e, a + (b - a) * k / 4.0, &u))
            continue;
        const bool all = holds(top->v, u.v) && holds(top->d, u.d) && holds(top->dd, u.dd);
        if (!all)
            printf("%s from %.17g to %.17g\n", text, a, b);
        CHECK(all);
    }
}

static bool check_jet(const tn_expression *e, const char *text, double t)
{
    tn_formula *f = formula(text);
    double x[VARIABLES], dx[VARIABLES];
    const int *list;
    for (int i = 0; i < VARIABLES; i++)
        x[i] = t;
    const tn_jet u = tn_expression_eval(e, t);
    const double v = tn_formula_gradient(f, t, x, NULL, dx);
    double sum = 0.0;
    for (int i = 0; i < tn_formula_variables(f, &list); i++)
        sum += dx[i];
    const bool regular = isfinite(u.v) && isfinite(u.d) && isfinite(sum) && !tn_formula_has_time(f);
    const bool same = isnan(v) ? isnan(u.v) : fabs(u.v - v) <= 1e-12 * fabs(v) || u.v == v;
    if (!same)
        printf("%s at %.17g: %.17g and %.17g\n", text, t, u.v, v);
    CHECK(same);
    if (regular && !(fabs(u.d - sum) <= 1e-8 * (1.0 + fabs(sum) + fabs(v))))
        printf("%s at %.17g: %.17g and %.17g\n", text, t, u.d, sum);
    CHECK(!regular || fabs(u.d - sum) <= 1e-8 * (1.0 + fabs(sum) + fabs(v)));
    tn_formula_destroy(f);
    return regular;
}

static void jets_ranges_and_gradients_are_of_one_function(void)
{
    int compared = 0;
    for (int i = 0; i < 20000; i++) {
        char text[LENGTH] = "", of_time[LENGTH];
        const double t = 1.0 + tn_random(), width = pow(10.0, 3.0 * tn_random() - 3.0);
        tn_expression *e = NULL;
        random_text(text, 1 + i % 3);
        only_time(of_time, text);
        CHECK_OK(tn_expression_create(of_time, 0, NULL, &e));
        compared += check_jet(e, text, t);
        check_range(e, t, t + width, of_time);
        tn_free(e);
    }
    CHECK(compared > 5000);
}

static void a_branch_not_taken_leaves_no_trace(void)
{
    const double x[VARIABLES] = {-1.0, 2.0};
    double dx[VARIABLES];
    tn_formula *f = formula("if(x0 > 0, sqrt(x0), 3*x1)");
    CHECK_NEAR(tn_formula_gradient(f, 0.0, x, NULL, dx), 6.0, 0);
    CHECK(dx[0] == 0.0 && dx[1] == 3.0);
    tn_formula_destroy(f);
}

// Sides -------------------------------------------------------------------------------------------

static void check_sides(const char *text, double x0, const char *below, const char *above)
{
    for (int side = -1; side <= 1; side += 2) {
        const signed char sides[4] = {(signed char)side}; // others as the numbers say
        for (int k = -1; k <= 1; k++) {
            const double x[VARIABLES] = {x0 + 0.1 * k, 0.7};
            CHECK_NEAR(value(text, x, sides), value(side < 0 ? below : above, x, NULL), 1e-14);
        }
    }
}

static void decisions_stay_on_their_side(void)
{
    check_sides("abs(x0)", 0.0, "-x0", "x0");
    check_sides("sign(x0)", 0.0, "-1", "1");
    check_sides("min(x1, x0)", 0.7, "x0", "x1");
    check_sides("max(x1, x0)", 0.7, "x1", "x0");
    check_sides("x0 < 2 ? x1 : x0^2", 2.0, "x1", "x0^2");
    check_sides("if(x0 >= 2 && x1 > -x1 || 0, 3*x0, 4*x0)*(2 > 1)", 2.0, "4*x0", "3*x0");
    check_sides("select(x0, x1, x0^2)", 1.5, "x1", "x0^2");
    check_sides("x0 == 2", 2.0, "0", "0");
    check_sides("x0 != 2", 2.0, "1", "1");
    check_sides("(x0 <= 2) + 2*(x1 < 3)*0", 2.0, "1", "0");
}

static void switches_vanish_where_decisions_change(void)
{
    static const struct {
        const char *text;
        double zero;
        int count, which;
    } cases[] = {
        {"abs(x0 - 2)", 2.0, 1, 0},
        {"sign(3*x0)", 0.0, 1, 0},
        {"min(x0, 2)", 2.0, 1, 0},
        {"max(1, x0, 2)", 2.0, 2, 0},
        {"x0^2 > 4", 2.0, 1, 0},
        {"clamp(x0, 1, 2)", 1.0, 2, 0},
        {"clamp(x0, 1, 2)", 2.0, 2, 1},
        {"deadband(x0, 1)", -1.0, 2, 0},
        {"deadband(x0, 1)", 1.0, 2, 1},
        {"select(x0, 1, 2, x1)", 1.5, 2, 0},
        {"select(x0, 1, 2, x1)", 2.5, 2, 1},
        {"smooth_clamp(x0, 1, 2, 0.1) + hypot(x0, x1)", 0.0, 0, -1},
        {"step(x0, 1, 0, 2, 1)", 1.0, 2, 0},
        {"step(x0, 1, 0, 2, 1)", 2.0, 2, 1},
        {"atan2(x0, -1)", 0.0, 1, 0},
        {"sin(x0)*exp(x1)/sqrt(2)^x2", 0.0, 0, -1},
        {"abs(2) + sign(-1) + (1 > 2) + x0", 0.0, 0, -1},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        tn_formula *f = formula(cases[i].text);
        double s[2][4];
        CHECK(tn_formula_switch_count(f) == cases[i].count);
        for (int k = 0; k < 2 && cases[i].which >= 0; k++) {
            const double x[VARIABLES] = {cases[i].zero + (k == 0 ? -1e-9 : 1e-9), 0.3};
            tn_formula_switches(f, 0.0, x, NULL, s[k]);
        }
        if (cases[i].which >= 0)
            CHECK(s[0][cases[i].which] * s[1][cases[i].which] < 0.0);
        tn_formula_destroy(f);
    }
}

// With sides kept, formulas are smooth: a step over a decision is as small as its width.
static void on_kept_sides_nothing_jumps(void)
{
    static const char *const texts[] = {
        "sign(x0)",          "abs(x0)",        "x0 > 0 ? 1 : 5",
        "min(x0, -x0, 0.5)", "max(-2*x0, x0)", "step(x0, 0, 1, 1e-3, 2)",
        "atan2(x0, -1)",     "atan2(-1, x0)",  "sign(abs(x0) - 0.5e-3)"};
    for (int i = 0; i < TN_COUNT(texts); i++) {
        tn_formula *f = formula(texts[i]);
        double x[VARIABLES] = {-1e-3}, dx[VARIABLES];
        signed char side[4];
        tn_test_sides(f, 0.0, x, side);
        double last = tn_formula_gradient(f, 0.0, x, side, dx);
        const double slope = dx[0];
        for (int k = 1; k <= 200; k++) {
            x[0] = -1e-3 + 1e-5 * k;
            const double v = tn_formula_gradient(f, 0.0, x, side, dx);
            CHECK(fabs(v - last - 1e-5 * slope) < 1e-7);
            last = v;
        }
        tn_formula_destroy(f);
    }
}

// Names -------------------------------------------------------------------------------------------

static void names_are_dotted_and_quoted(void)
{
    const double x[VARIABLES] = {1.0, 10.0, 100.0};
    const int *list;
    CHECK_NEAR(value("'left arm'.angle - a.b.c*2", x, NULL), -190.0, 0);
    CHECK_NEAR(value("\"left arm\".angle+\"left arm\".'angle'", x, NULL), 20.0, 0);
    CHECK_NEAR(value("stiffness*x0 + pi - pi + t", x, NULL), 3.0, 1e-15);
    tn_formula *f = formula("a.b.c + x0*stiffness + x0 + if(1 < 2, x0, x4)");
    CHECK(tn_formula_variables(f, &list) == 2 && list[0] == 0 && list[1] == 2);
    CHECK(!tn_formula_has_time(f));
    tn_formula_destroy(f);
    f = formula("sin(t)");
    CHECK(tn_formula_variables(f, &list) == 0 && tn_formula_has_time(f));
    tn_formula_destroy(f);
}

static void errors_name_the_place(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"1 + y*x0", "expression '1 + y*x0', column 5: unknown name 'y'; did you mean 'x1'?"},
        {"1 + a.c", "expression '1 + a.c', column 5: unknown name 'a.c'; did you mean 'x1'?"},
        {"'left arm", "expression ''left arm', column 1: a quoted name is empty or has no end"},
        {"2*''.b", "expression '2*''.b', column 3: a quoted name is empty or has no end"},
        {"a.2", "expression 'a.2', column 3: a name, or one in quotes, expected behind a dot"},
        {"a.", "expression 'a.', column 3: a name, or one in quotes, expected behind a dot"},
        {"sin + 1", "expression 'sin + 1', column 1: function 'sin' needs its arguments in "
                    "parentheses"},
        {"f(x0)", "expression 'f(x0)', column 1: unknown function 'f'; to multiply write *"},
    };
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        tn_formula *f = NULL;
        CHECK_STATUS(try_formula(wrong[i].text, &f), TN_ERR_MODEL);
        CHECK(f == NULL);
        CHECK_TEXT(tn_last_error(), wrong[i].message);
    }
    CHECK(tn_test_alloc_live() == 0);
}

static void any_text_is_read_or_refused(void)
{
    static const char *const pieces[] = {
        "t",     "1", ".",  "x0", "(",      ")",     "+",
        "-",     "*", "/",  "^",  ",",      "sin(",  "clamp",
        "?",     ":", "<",  "&&", " ",      "\xe2",  "select(",
        "x1.x2", "'", "\"", "''", "hypot(", "a.b.c", "deadband(x0, x1)"};
    const double x[VARIABLES] = {0.3, -0.2};
    int read = 0;
    for (int k = 0; k < 20000; k++) {
        char text[256] = "";
        const int length = 1 + pick(8);
        for (int i = 0; i < length; i++)
            strcat(text, pieces[pick(TN_COUNT(pieces))]);
        tn_formula *f = NULL;
        double dx[VARIABLES];
        if (try_formula(text, &f) == TN_OK)
            read += !isnan(tn_formula_gradient(f, 0.5, x, NULL, dx));
        else
            CHECK(f == NULL && strlen(tn_last_error()) > 0);
        tn_formula_destroy(f);
    }
    CHECK(read > 200);
    CHECK(tn_test_alloc_live() == 0);
}

static void evaluation_does_not_allocate(void)
{
    tn_formula *f = formula("max(x0, x1, sin(x2)) + a.b.c^3");
    const double x[VARIABLES] = {0.1, 0.2, 0.3};
    double dx[VARIABLES], s[4];
    const long before = tn_test_alloc_count();
    tn_formula_eval(f, 0.0, x, NULL);
    tn_formula_gradient(f, 0.0, x, NULL, dx);
    tn_formula_switches(f, 0.0, x, NULL, s);
    CHECK(tn_test_alloc_count() == before);
    tn_formula_destroy(f);
    CHECK(tn_test_alloc_live() == 0);
}

static const tn_test tests[] = {
    {"gradients of random expressions match differences",
     gradients_of_random_expressions_match_differences},
    {"gradients of every function match differences",
     gradients_of_every_function_match_differences},
    {"jets, ranges and gradients are of one function",
     jets_ranges_and_gradients_are_of_one_function},
    {"a branch not taken leaves no trace", a_branch_not_taken_leaves_no_trace},
    {"decisions stay on their side", decisions_stay_on_their_side},
    {"switches vanish where decisions change", switches_vanish_where_decisions_change},
    {"on kept sides nothing jumps", on_kept_sides_nothing_jumps},
    {"names are dotted and quoted", names_are_dotted_and_quoted},
    {"errors name the place", errors_name_the_place},
    {"any text is read or refused", any_text_is_read_or_refused},
    {"evaluation does not allocate", evaluation_does_not_allocate},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
