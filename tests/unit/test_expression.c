// SPDX-License-Identifier: MIT
//
// Expressions: every function against its analytic derivatives, composites against differences in
// long double, values against muparser, and the exact text of every error.

#include "test.h"

#include "signal/timefn.h"

#ifdef TN_WITH_MUPARSER
#include <muParserDLL.h>
#endif

static const double ROUNDOFF = 1e-14; // a dozen operations, relative to the value

static tn_timefn *compile(const char *text)
{
    static const tn_named_value params[] = {{"a", 0.75, NULL, NULL}, {"omega_1", 3.0, NULL, NULL}};
    tn_timefn *f = NULL;
    CHECK_OK(tn_timefn_expression(text, TN_COUNT(params), params, &f));
    return f;
}

static void eval(const char *text, double t, double u[3])
{
    tn_timefn *f = compile(text);
    tn_timefn_eval(f, t, u);
    tn_timefn_destroy(f);
}

static double value(const char *text, double t)
{
    double u[3];
    eval(text, t, u);
    return u[0];
}

// A function of x = t with value, first and second derivative in long double.
#define KNOWN(id, v, d, dd)                                  \
    static void id(long double x, long double u[3])          \
    {                                                        \
        u[0] = (v), u[1] = (d) + 0 * x, u[2] = (dd) + 0 * x; \
    }

KNOWN(known_constant, 7 + 0 * x, 0, 0)
KNOWN(known_time, x, 1, 0)
KNOWN(known_neg, -x, -1, 0)
KNOWN(known_add, 2 + x, 1, 0)
KNOWN(known_square, x *(x - 1), 2 * x - 1, 2)
KNOWN(known_div, 1 / (1 + x), -1 / powl(1 + x, 2), 2 / powl(1 + x, 3))
KNOWN(known_cube, powl(x, 3), 3 * x * x, 6 * x)
KNOWN(known_root, powl(x, 0.75L), 0.75L * powl(x, -0.25L), -0.1875L * powl(x, -1.25L))
KNOWN(known_power, powl(2, x), logl(2) * powl(2, x), logl(2) * logl(2) * powl(2, x))
KNOWN(known_tower, powl(x, x), powl(x, x) * (1 + logl(x)),
      powl(x, x) * ((1 + logl(x)) * (1 + logl(x)) + 1 / x))
KNOWN(known_sin, sinl(x), cosl(x), -sinl(x))
KNOWN(known_cos, cosl(x), -sinl(x), -cosl(x))
KNOWN(known_tan, tanl(x), powl(cosl(x), -2), 2 * tanl(x) / powl(cosl(x), 2))
KNOWN(known_asin, asinl(x / 2), 1 / sqrtl(4 - x * x), x / powl(4 - x * x, 1.5L))
KNOWN(known_acos, acosl(x / 2), -1 / sqrtl(4 - x * x), -x / powl(4 - x * x, 1.5L))
KNOWN(known_atan, atanl(x), 1 / (1 + x * x), -2 * x / powl(1 + x * x, 2))
KNOWN(known_atan2, 3.14159265358979323846L - atanl(x), -1 / (1 + x * x), 2 * x / powl(1 + x * x, 2))
KNOWN(known_sinh, sinhl(x), coshl(x), sinhl(x))
KNOWN(known_cosh, coshl(x), sinhl(x), coshl(x))
KNOWN(known_tanh, tanhl(x), powl(coshl(x), -2), -2 * tanhl(x) / powl(coshl(x), 2))
KNOWN(known_exp, expl(x), expl(x), expl(x))
KNOWN(known_log, logl(x), 1 / x, -1 / (x * x))
KNOWN(known_log10, logl(x) / logl(10), 1 / (x * logl(10)), -1 / (x * x * logl(10)))
KNOWN(known_sqrt, sqrtl(x), 0.5L / sqrtl(x), -0.25L / (x * sqrtl(x)))
KNOWN(known_abs, fabsl(x - 1), x < 1 ? -1 : 1, 0)
KNOWN(known_sign, x < 1 ? -1 : 1, 0, 0)
KNOWN(known_min, x < 1 ? x * x : x, x < 1 ? 2 * x : 1, x < 1 ? 2 : 0)
KNOWN(known_max, x < 1 ? 1 : x * x, x < 1 ? 0 : 2 * x, x < 1 ? 0 : 2)
KNOWN(known_step, x<0.5L ? 2 : x> 1.5L ? 5 : 2 + 3 * (x - 0.5L) * (x - 0.5L) * (4 - 2 * x),
      x<0.5L || x> 1.5L ? 0 : 18 * (x - 0.5L) * (1.5L - x),
      x<0.5L || x> 1.5L ? 0 : 18 * (2 - 2 * x))
KNOWN(known_hypot, hypotl(x, 2), x / hypotl(x, 2), 4 / powl(hypotl(x, 2), 3))
KNOWN(known_clamp, x<0.5L ? 0.5L : x> 1.25L ? 1.25L : x, x<0.5L || x> 1.25L ? 0 : 1, 0)
KNOWN(known_deadband, x<0.9L ? x - 0.9L : x> 1.1L ? x - 1.1L : 0, x<0.9L || x> 1.1L ? 1 : 0, 0)
KNOWN(known_soft_sign, tanhl(2 * x), 2 * powl(coshl(2 * x), -2),
      -8 * tanhl(2 * x) / powl(coshl(2 * x), 2))
KNOWN(known_soft_abs, 0.5L * logl(2 * coshl(2 * x)), tanhl(2 * x), 2 * powl(coshl(2 * x), -2))
KNOWN(known_soft_width, x *logl(2 * coshl(1 / x)), logl(2 * coshl(1 / x)) - tanhl(1 / x) / x,
      powl(coshl(1 / x), -2) / powl(x, 3))
KNOWN(known_soft_max, logl(expl(2 * x) + expl(2)) / 2, 1 / (1 + expl(2 - 2 * x)),
      2 * expl(2 - 2 * x) / powl(1 + expl(2 - 2 * x), 2))
KNOWN(known_soft_clamp, logl((1 + expl(2 * x)) / (expl(2 * x) + expl(2))) / 2 + 1,
      1 / (1 + expl(-2 * x)) - 1 / (1 + expl(2 - 2 * x)),
      2 * expl(-2 * x) / powl(1 + expl(-2 * x), 2) -
          2 * expl(2 - 2 * x) / powl(1 + expl(2 - 2 * x), 2))

static const struct {
    const char *text;
    void (*known)(long double x, long double u[3]);
} functions[] = {
    {"7", known_constant},
    {"2 + a*omega_1 + 2.75", known_constant},
    {"t", known_time},
    {"-t", known_neg},
    {"+ - t", known_neg},
    {"2 + t", known_add},
    {"t - -2", known_add},
    {"t*(t - 1)", known_square},
    {"1/(1 + t)", known_div},
    {"(1 + t)^-1", known_div},
    {"t^3", known_cube},
    {"t^a", known_root},
    {"2^t", known_power},
    {"t^t", known_tower},
    {"exp(t*log(t))", known_tower},
    {"sin(t)", known_sin},
    {"cos(t)", known_cos},
    {"sin(t + pi/2)", known_cos},
    {"tan(t)", known_tan},
    {"asin(t/2)", known_asin},
    {"acos(t/2)", known_acos},
    {"atan(t)", known_atan},
    {"atan2(t, 1)", known_atan},
    {"atan2(t, -1)", known_atan2},
    {"sinh(t)", known_sinh},
    {"cosh(t)", known_cosh},
    {"tanh(t)", known_tanh},
    {"exp(t)", known_exp},
    {"e^t", known_exp},
    {"log(t)", known_log},
    {"ln(t)", known_log},
    {"log10(t)", known_log10},
    {"sqrt(t)", known_sqrt},
    {"abs(t - 1)", known_abs},
    {"sign(t - 1)", known_sign},
    {"min(t, t^2)", known_min},
    {"min(9, t, 8, t^2)", known_min},
    {"max(t^2, 1)", known_max},
    {"max(-3, 1, t^2)", known_max},
    {"t < 1 ? t^2 : t", known_min},
    {"t >= 1 ? t : t^2", known_min},
    {"if(t <= 1, t^2, t)", known_min},
    {"step(t, 0.5, 2, 1.5, 5)", known_step},
    {"hypot(t, 2)", known_hypot},
    {"hypot(-2, t)", known_hypot},
    {"clamp(t, 0.5, 1.25)", known_clamp},
    {"-clamp(-t, -1.25, -0.5)", known_clamp},
    {"deadband(t - 1, 0.1)", known_deadband},
    {"select(t, t^2, t^2, 7) + select(t + 0.5, 0, t - t^2, t - t^2)", known_min},
    {"select(2, 1, t, 5)", known_time},
    {"select(9, 1, 2, t^3)", known_cube},
    {"select(-7, t^3, 2)", known_cube},
    {"smooth_sign(t, 0.5)", known_soft_sign},
    {"2*smooth_step(t, 0.5) - 1", known_soft_sign},
    {"smooth_abs(t, 0.5)", known_soft_abs},
    {"smooth_abs(-t, 0.5)", known_soft_abs},
    {"smooth_abs(1, t)", known_soft_width},
    {"smooth_max(t, 1, 1)", known_soft_max},
    {"-smooth_min(-t, -1, 1)", known_soft_max},
    {"smooth_clamp(t, 0, 1, 1)", known_soft_clamp},
    {"t - smooth_deadband(t - 0.5, 0.5, 1)", known_soft_clamp},
};

static void derivatives_of_every_function_are_exact(void)
{
    static const double times[] = {0.03, 0.3, 0.7, 0.99, 1.2, 1.3, 1.9};
    for (int i = 0; i < TN_COUNT(functions); i++)
        for (int k = 0; k < TN_COUNT(times); k++) {
            double u[3];
            long double known[3];
            functions[i].known(times[k], known);
            eval(functions[i].text, times[k], u);
            for (int j = 0; j < 3; j++) {
                // pi/2 is rounded: what is close to 0 is only known to 1e-16
                const double size = fmax(1.0, fabs((double)known[j]));
                if (!(fabs(u[j] - (double)known[j]) <= ROUNDOFF * size))
                    fprintf(stderr, "%s at %g, derivative %d\n", functions[i].text, times[k], j);
                CHECK_NEAR(u[j], (double)known[j], ROUNDOFF * size);
            }
        }
}

// Composites, written twice.
#define COMPOSITE(id, expression)            \
    static long double id(long double t)     \
    {                                        \
        const long double a = 0.75, w = 3.0; \
        return (expression) + 0 * (a + w);   \
    }

COMPOSITE(composite_sine, 0.1 * sinl(10 * t) - 3)
COMPOSITE(composite_damped, expl(-a *t) * cosl(w * t + 0.2) / (1 + t * t))
COMPOSITE(composite_nested, sqrtl(1 + powl(sinl(t * t), 2)) * atan2l(cosl(t) + 2, logl(t + 2)))
COMPOSITE(composite_power, powl(1.5 + sinl(t), cosl(2 * t)) - powl(t, 2.5))
COMPOSITE(composite_quotient, tanhl(t) / (coshl(t) - a / (2 + sinhl(t))))
COMPOSITE(composite_arc, asinl(0.9 * sinl(t)) * acosl(0.5 * cosl(w * t)) + tanl(t / 4))

static const struct {
    const char *text;
    long double (*function)(long double t);
} composites[] = {
    {"0.1*sin(10*t) - 3", composite_sine},
    {"exp(-a*t)*cos(omega_1*t + 0.2)/(1 + t*t)", composite_damped},
    {"sqrt(1 + sin(t^2)^2)*atan2(cos(t) + 2, log(t + 2))", composite_nested},
    {"(1.5 + sin(t))^cos(2*t) - t^2.5", composite_power},
    {"tanh(t)/(cosh(t) - a/(2 + sinh(t)))", composite_quotient},
    {"asin(0.9*sin(t))*acos(0.5*cos(omega_1*t)) + tan(t/4)", composite_arc},
};

// Central differences of order 6; at h = 1e-3 their truncation and, with 80 bits, their rounding
// stay below 1e-11 for derivatives of the size met here.
static void composites_match_differences(void)
{
    static const double DIFFERENCE = 1e-10;
    static const long double h = 1e-3L;
    for (int i = 0; i < TN_COUNT(composites); i++)
        for (int k = 1; k < 40; k++) {
            const double t = 0.05 * k;
            long double f[7];
            for (int j = 0; j < 7; j++)
                f[j] = composites[i].function(t + (j - 3) * h);
            const long double d =
                (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + (f[6] - f[0])) / (60 * h);
            const long double dd =
                (270 * (f[4] + f[2]) - 27 * (f[5] + f[1]) + 2 * (f[6] + f[0]) - 490 * f[3]) /
                (180 * h * h);
            double u[3];
            eval(composites[i].text, t, u);
            CHECK_NEAR(u[0], (double)f[3], ROUNDOFF * (1.0 + fabs(u[0])));
            CHECK_NEAR(u[1], (double)d, DIFFERENCE * (1.0 + fabs(u[1])));
            CHECK_NEAR(u[2], (double)dd, DIFFERENCE * (1.0 + fabs(u[2])));
        }
}

static void precedence_is_the_usual_one(void)
{
    CHECK_NEAR(value("-2^2", 0), -4, 0);
    CHECK_NEAR(value("2^3^2", 0), 512, 0);
    CHECK_NEAR(value("2^-1", 0), 0.5, 0);
    CHECK_NEAR(value("2*-3", 0), -6, 0);
    CHECK_NEAR(value("8/4/2", 0), 1, 0);
    CHECK_NEAR(value("8-4-2", 0), 2, 0);
    CHECK_NEAR(value("1+2*3", 0), 7, 0);
    CHECK_NEAR(value("(1+2)*3", 0), 9, 0);
    CHECK_NEAR(value("1+1<3 && 2>=2 || 0", 0), 1, 0);
    CHECK_NEAR(value("1==2 || 3!=3", 0), 0, 0);
    CHECK_NEAR(value("t<1 ? 10 : t<2 ? 20 : 30", 0.5), 10, 0);
    CHECK_NEAR(value("t<1 ? 10 : t<2 ? 20 : 30", 1.5), 20, 0);
    CHECK_NEAR(value("t<1 ? 10 : t<2 ? 20 : 30", 2.5), 30, 0);
    CHECK_NEAR(value(" 1.5e-3 + .5 +\t2. + 1E2\n", 0), 102.5015, 1e-13);
}

static void powers_are_smooth_at_zero(void)
{
    double u[3];
    eval("t^2 + 3*t^1 + 5*t^0", 0.0, u);
    CHECK(u[0] == 5.0 && u[1] == 3.0 && u[2] == 2.0);
    eval("(t - 1)^3", 0.0, u);
    CHECK(u[0] == -1.0 && u[1] == 3.0 && u[2] == -6.0);
    eval("sqrt(0) + 0^0.5 + abs(0) + atan2(0, 0) + t", 0.0, u); // constants have no derivative
    CHECK(u[0] == 0.0 && u[1] == 1.0 && u[2] == 0.0);
}

static void constants_are_known(void)
{
    double v = NAN;
    CHECK_OK(tn_expression_value("e", 0, NULL, &v));
    CHECK_NEAR(v, 2.718281828459045, 0);
    CHECK_OK(tn_expression_value("pi", 0, NULL, &v));
    CHECK_NEAR(v, 3.141592653589793, 0);
}

static void constant_expressions_have_a_value(void)
{
    double v = 7.0;
    CHECK_OK(tn_expression_value("2*pi*50", 0, NULL, &v));
    CHECK_NEAR(v, 314.1592653589793, 1e-13);
    CHECK_STATUS(tn_expression_value("1 + 2*t", 0, NULL, &v), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "expression '1 + 2*t', column 7: t is not known here; a constant is needed");
    CHECK_STATUS(tn_expression_value("1/0", 0, NULL, &v), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "expression '1/0' has the value inf; a finite one is needed");
    CHECK_NEAR(v, 314.1592653589793, 1e-13); // unchanged by errors
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"0.1*sn(t)", "expression '0.1*sn(t)', column 5: unknown function 'sn'; did you mean 'sin'?"},
    {"", "expression is empty; write for example 0.1*sin(10*t)"},
    {" \t", "expression is empty; write for example 0.1*sin(10*t)"},
    {"2*omega", "expression '2*omega', column 3: unknown name 'omega'; did you mean 'omega_1'?"},
    {"speed*t", "expression 'speed*t', column 1: unknown name 'speed'; it is not t, pi, e, a "
                "parameter or an input"},
    {"x",
     "expression 'x', column 1: unknown name 'x'; it is not t, pi, e, a parameter or an input"},
    {"2*t(3)", "expression '2*t(3)', column 3: unknown function 't'; to multiply write *"},
    {"1 + sin",
     "expression '1 + sin', column 5: function 'sin' needs its arguments in parentheses"},
    {"2 t", "expression '2 t', column 3: an operator is missing before 't'"},
    {"2*3 N/mm", "expression '2*3 N/mm', column 5: an operator is missing before 'N'; expressions "
                 "take plain SI numbers: name one with a unit in 'parameters'"},
    {"sin(5 deg)", "expression 'sin(5 deg)', column 7: ')' expected behind the arguments, but here "
                   "is 'deg'; expressions take plain SI numbers: name one with a unit in "
                   "'parameters'"},
    {"2e", "expression '2e', column 2: an operator is missing before 'e'"},
    {"1..5", "expression '1..5', column 3: an operator is missing before '.'"},
    {"(1 + t", "expression '(1 + t', column 7: ')' expected to close a parenthesis, but here is "
               "the end of the text"},
    {"1 + t)", "expression '1 + t)', column 6: an operator or the end expected, but here is ')'"},
    {"1 +", "expression '1 +', column 4: a number, a name or '(' expected, but here is the end of "
            "the text"},
    {"1 + * 2",
     "expression '1 + * 2', column 5: a number, a name or '(' expected, but here is '*'"},
    {"sin(t", "expression 'sin(t', column 6: ')' expected behind the arguments, but here is the "
              "end of the text"},
    {"3*sin(t, 2)", "expression '3*sin(t, 2)', column 3: sin takes 1 argument, 2 are given"},
    {"atan2(t)", "expression 'atan2(t)', column 1: atan2 takes 2 arguments, 1 is given"},
    {"min()", "expression 'min()', column 1: min takes at least 1 argument, 0 are given"},
    {"t > 1 ? 2", "expression 't > 1 ? 2', column 10: ':' expected between the two results of "
                  "'?', but here is the end of the text"},
    {"t = 1", "expression 't = 1', column 3: '=' is not an operator; write == to compare"},
    {"0 < t < 1",
     "expression '0 < t < 1', column 7: comparisons do not chain; write a < b && b < c"},
    {"t # 2", "expression 't # 2', column 3: an operator or the end expected, but here is '#'"},
    {"t\001", "expression 't?', column 2: an operator or the end expected, but here is the "
              "character with code 1"},
    {"1e999", "expression '1e999', column 1: number 1e999 is too large"},
};

static void errors_name_the_place_and_the_cure(void)
{
    static const tn_named_value params[] = {{"a", 0.75, NULL, NULL}, {"omega_1", 3.0, NULL, NULL}};
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        tn_timefn *f = NULL;
        CHECK_STATUS(tn_timefn_expression(wrong[i].text, 2, params, &f), TN_ERR_MODEL);
        CHECK(f == NULL);
        CHECK_TEXT(tn_last_error(), wrong[i].message);
    }
    CHECK(tn_test_alloc_live() == 0);
}

// Text of `count` times `piece`, then `middle`, then `count` times `closing`.
static char *repeat(int count, const char *piece, const char *middle, const char *closing)
{
    char *text = calloc((size_t)count * (strlen(piece) + strlen(closing)) + strlen(middle) + 1, 1);
    char *at = text;
    for (int i = 0; i < count; i++, at += strlen(piece))
        strcpy(at, piece);
    strcpy(at, middle);
    at += strlen(middle);
    for (int i = 0; i < count; i++, at += strlen(closing))
        strcpy(at, closing);
    return text;
}

static void check_refused(int count, const char *piece, const char *middle, const char *closing,
                          const char *part)
{
    char *text = repeat(count, piece, middle, closing);
    tn_timefn *f = NULL;
    CHECK_STATUS(tn_timefn_expression(text, 0, NULL, &f), TN_ERR_MODEL);
    if (!strstr(tn_last_error(), part))
        CHECK_TEXT(tn_last_error(), part);
    free(text);
}

static void deep_and_long_texts_are_refused(void)
{
    static const char deep[] = "nested more than 200 levels deep; use fewer parentheses";
    check_refused(100000, "(", "t", ")", "has 200001 characters; 10000 are allowed");
    check_refused(201, "(", "t", ")", deep);
    check_refused(4999, "(", "t", ")", deep);
    check_refused(4999, "(", "", "", deep);
    check_refused(9999, "-", "t", "", deep);
    check_refused(4999, "t^", "t", "", deep);
    check_refused(1500, "t?t:", "t", "", deep);
    check_refused(1999, "sin(", "t", ")", deep);
    check_refused(150, "min(1,1,1,1,", "t", ")", "more than 512 intermediate values");
    check_refused(600, "1", "", "", "a number of more than 399 characters");
    check_refused(64, "x", "", "", "a name of more than 63 characters");

    char *text = repeat(200, "(", "t", ")");
    CHECK_NEAR(value(text, 3.0), 3.0, 0);
    free(text);
    text = repeat(4999, "1+", "t", "");
    CHECK_NEAR(value(text, 3.0), 5002.0, 0);
    free(text);
    text = repeat(100, "1+(2*", "t", ")"); // two values wait on each level
    CHECK(isfinite(value(text, 3.0)));
    free(text);
}

static void any_text_is_read_or_refused(void)
{
    static const char *const pieces[] = {"t", "1",  ".", "e",   "(",    ")",     "+",   "-", "*",
                                         "/", "^",  ",", "sin", "min(", "step(", "?",   ":", "<",
                                         "=", "&&", "|", " ",   "1e",   "\xe2",  "if(", "a"};
    for (int k = 0; k < 20000; k++) {
        char text[64] = "";
        const int length = 1 + (int)(5.0 * (tn_random() + 1.0));
        for (int i = 0; i < length; i++)
            strcat(text, pieces[(int)(0.5 * (tn_random() + 1.0) * TN_COUNT(pieces))]);
        tn_timefn *f = NULL;
        double u[3];
        if (tn_timefn_expression(text, 0, NULL, &f) == TN_OK)
            tn_timefn_eval(f, 0.5, u);
        else
            CHECK(f == NULL && strlen(tn_last_error()) > 0);
        tn_timefn_destroy(f);
    }
    CHECK(tn_test_alloc_live() == 0);
}

#ifdef TN_WITH_MUPARSER
static double muparser_value(const char *text, double t)
{
    muParserHandle_t parser = mupCreate(muBASETYPE_FLOAT);
    mupDefineVar(parser, "t", &t);
    mupDefineConst(parser, "a", 0.75);
    mupDefineConst(parser, "pi", 3.14159265358979323846);
    mupSetExpr(parser, text);
    const double v = mupEval(parser);
    const bool failed = mupError(parser);
    if (failed)
        fprintf(stderr, "muparser refuses %s: %s\n", text, mupGetErrorMsg(parser));
    CHECK(!failed);
    mupRelease(parser);
    return v;
}

// A random expression with `depth` levels. No sign(), as muparser takes that of NaN for 0.
static void random_expression(int depth, char *out, size_t size)
{
    static const char *const leaves[] = {"t", "1.5", "a", "pi", "2e-1", "(-t)", "3"};
    static const char *const formats[] = {"%s+%s",
                                          "%s-%s",
                                          "%s*%s",
                                          "%s/%s",
                                          "(%s)^(%s)",
                                          "(%s)-(%s)",
                                          "(%s)/(%s)",
                                          "atan2(%s,%s)",
                                          "min(%s,%s)",
                                          "max(%s,%s)",
                                          "(%s<%s?1:2)",
                                          "sin(%s)*cos(%s)",
                                          "exp(-(%s)^2)-tanh(%s)",
                                          "sqrt(abs(%s))+ln(2+abs(%s))",
                                          "(%s)*log10(1+abs(%s))",
                                          "(-%s^2)*%s"};
    char left[400], right[400];
    const int pick = (int)(0.5 * (tn_random() + 1.0) * 1000);
    if (depth == 0) {
        snprintf(out, size, "%s", leaves[pick % TN_COUNT(leaves)]);
        return;
    }
    random_expression(depth - 1, left, sizeof(left));
    random_expression(depth - 1, right, sizeof(right));
    if (strlen(left) + strlen(right) > 330)
        strcpy(right, "t");
    const char *operands[] = {left, right};
    size_t n = 0;
    for (const char *at = formats[pick % TN_COUNT(formats)], **next = operands; *at && n < size;)
        if (at[0] == '%') {
            n += (size_t)snprintf(out + n, size - n, "%s", *next++);
            at += 2;
        } else {
            out[n++] = *at++;
        }
    CHECK(n < size);
    out[n] = '\0';
}

static void values_agree_with_muparser(void)
{
    int finite = 0;
    for (int i = 0; i < TN_COUNT(composites); i++)
        if (!strstr(composites[i].text, "omega"))
            CHECK_NEAR(value(composites[i].text, 0.7), muparser_value(composites[i].text, 0.7),
                       ROUNDOFF);
    for (int k = 0; k < 3000; k++) {
        char text[400];
        random_expression(1 + k % 4, text, sizeof(text));
        const double t = 2.0 * tn_random(), expected = muparser_value(text, t);
        const double actual = value(text, t);
        if (!isfinite(expected) || fabs(expected) > 1e100)
            continue;
        // Some are ill-conditioned, for example sin of a large number; a wrong precedence is
        // wrong in the first digit.
        CHECK_NEAR(actual, expected, 1e-9 * (1.0 + fabs(expected)));
        finite++;
    }
    CHECK(finite > 1500); // roots of negative numbers and divisions by 0 are not numbers
}
#endif

static const tn_test tests[] = {
    {"derivatives of every function are exact", derivatives_of_every_function_are_exact},
    {"composites match differences", composites_match_differences},
    {"precedence is the usual one", precedence_is_the_usual_one},
    {"powers are smooth at zero", powers_are_smooth_at_zero},
    {"constants are known", constants_are_known},
    {"constant expressions have a value", constant_expressions_have_a_value},
    {"errors name the place and the cure", errors_name_the_place_and_the_cure},
    {"deep and long texts are refused", deep_and_long_texts_are_refused},
    {"any text is read or refused", any_text_is_read_or_refused},
#ifdef TN_WITH_MUPARSER
    {"values agree with muparser", values_agree_with_muparser},
#endif
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
