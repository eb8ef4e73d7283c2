// SPDX-License-Identifier: MIT
//
// Laws of creep. With creepages x, y = u / v of slip and rolling speed, p = u_2 / v [1/m] of spin,
// the normal force N, friction mu and the semi-axes a along the rail and b across it:
//
// Kalker's linear theory [Kal67], which Johnson and Vermeulen's cubic [VJ64] bends to mu N, for
// spin as in [SHE83]:
//
//   F_x = G a b C11 x,   F_y = G a b (C22 y + c C23 p),   M = G a b c (c C33 p - C23 y), c^2 = a b
//   forces are -k F_x, -k F_y, -k M,   k = 1 - t/3 + t^2/27 up to t = 3, then 1/t, t = |F| / (mu N)
//
// Polach's formulas [Pol99]:
//
//   -f x,   -f y - G (a b)^(3/2) C23 p r / (s (1 + e_S^2)^2),   no moment
//   f = 2 mu N (e / (1 + e^2) + atan e) / (pi s),   e = pi G a b C s / (4 mu N)
//   C^2 = ((C11 x)^2 + (C22 y)^2) / (x^2 + y^2),   s^2 = x^2 + r^2,   r = max(|y|, |y + a p|)
//   e_S = 8 G b c C23 r / (3 mu N (1 + 6.3 (1 - exp(-a/b))))
//
// where K_M of [Pol99], |e_S| (d^3/3 - d^2/2 + 1/6) - sqrt((1 - d^2)^3)/3 with
// d = (e_S^2 - 1)/(e_S^2 + 1), is -2/3 e_S / (1 + e_S^2)^2. Roots are smooth below LEAST.

#include "force/creep_law.h"

#include "force/hertz.h"
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double LEAST = 1e-9; // of creepages

tn_status tn_creep_check(const tn_creep *c, const char *what)
{
    const bool axes = c->axis_x > 0.0 && c->axis_y > 0.0;
    const bool curved = c->curvature_x > 0.0 && c->curvature_y > 0.0;
    const bool numbers = c->friction > 0.0 || c->speed > 0.0 || c->shear > 0.0 || c->C11 > 0.0;
    if (c->law == TN_CREEP_STATED)
        return !numbers ? TN_OK
                        : tn_fail(TN_ERR_MODEL,
                                  "%s: it has numbers of a law of creep and no law; state law: "
                                  "kalker or law: polach",
                                  what);
    if (!(c->friction > 0.0 && c->speed > 0.0 && c->shear > 0.0 && c->C11 > 0.0 && c->C22 > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "%s: the law of creep needs friction, speed, shear_modulus, C11 and C22 "
                       "above zero",
                       what);
    if (axes == curved)
        return tn_fail(TN_ERR_MODEL,
                       "%s: state the contact ellipse %s: semi_axis_x and semi_axis_y, or "
                       "curvature_x, curvature_y and poisson",
                       what, axes ? "once" : "of the law of creep");
    return TN_OK;
}

// Names of joints and forces have TN_CREEP_NAME characters at most, so that texts have room, and so
// that names of their quantities are no longer than expressions allow.
static void put(size_t size, char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(text, size, format, list);
    va_end(list);
}

#define PUT(text, ...) put(sizeof(text), text, __VA_ARGS__)

// Texts that both laws use.
typedef struct creep_words {
    char N[500];                             // normal force
    char x[500], y[500], p[500];             // creepages
    char a[600], ab[600], root[600], b[600]; // of the ellipse; root: that of a b
    double slender;                          // a / b
} creep_words;

// A number that goes with a power of the normal force by Hertz's theory, and else does not.
static void put_power(char *text, size_t size, double number, int thirds, const char *N)
{
    if (N)
        put(size, text, "(%.17g*%s^(%d/3))", number, N, thirds);
    else
        put(size, text, "%.17g", number);
}

static void put_ellipse(const tn_creep *c, creep_words *w)
{
    const bool given = c->axis_x > 0.0;
    const tn_hertz h = given
                           ? (tn_hertz){c->axis_x, c->axis_y}
                           : tn_hertz_ellipse(c->curvature_x, c->curvature_y, c->shear, c->poisson);
    const char *N = given ? NULL : w->N;
    put_power(w->a, sizeof w->a, h.a, 1, N);
    put_power(w->b, sizeof w->b, h.b, 1, N);
    put_power(w->root, sizeof w->root, sqrt(h.a * h.b), 1, N);
    put_power(w->ab, sizeof w->ab, h.a * h.b, 2, N);
    w->slender = h.a / h.b;
}

static creep_words words_of(const tn_model *model, const tn_force_data *data)
{
    const tn_creep *c = &data->def.creep;
    creep_words w;
    TN_ASSERT(strlen(data->name) <= TN_CREEP_NAME);
    PUT(w.N, "sqrt(\"%s.lambda.gap\"^2 + small_force^2)", model->joints.at[data->slip.joint].name);
    PUT(w.x, "(\"%s.slip.x\"/%.17g)", data->name, c->speed);
    PUT(w.y, "(\"%s.slip.y\"/%.17g)", data->name, c->speed);
    PUT(w.p, "(\"%s.slip.z\"/%.17g)", data->name, c->speed);
    put_ellipse(c, &w);
    return w;
}

static void kalker_text(const tn_creep *c, const creep_words *w, int k, char text[TN_CREEP_TEXT])
{
    char F[3][3500], t[8000];
    PUT(F[0], "%.17g*%s*%s", c->shear * c->C11, w->ab, w->x);
    PUT(F[1], "%.17g*%s*(%.17g*%s + %.17g*%s*%s)", c->shear, w->ab, c->C22, w->y, c->C23, w->root,
        w->p);
    PUT(F[2], "%.17g*%s*%s*(%.17g*%s*%s - %.17g*%s)", c->shear, w->ab, w->root, c->C33, w->root,
        w->p, c->C23, w->y);
    PUT(t, "(sqrt((%s)^2 + (%s)^2 + small_force^2)/(%.17g*%s))", F[0], F[1], c->friction, w->N);
    // In one formula with corners and without a jump: those of reactions are not located.
    put(TN_CREEP_TEXT, text, "-(%s)*(1 - min(%s, 3)/3 + min(%s, 3)^2/27)*3/max(%s, 3)", F[k], t, t,
        t);
}

static void polach_text(const tn_creep *c, const creep_words *w, int k, char text[TN_CREEP_TEXT])
{
    const double KS = 1.0 + 6.3 * (1.0 - exp(-w->slender)), d2 = LEAST * LEAST;
    char r2[2500], s[3500], C[2500], e[8000], f[TN_CREEP_TEXT], eS[5000];
    PUT(r2, "(max(%s^2, (%s + %s*%s)^2) + %.17g)", w->y, w->y, w->a, w->p, d2);
    PUT(s, "sqrt(%s^2 + %s)", w->x, r2);
    PUT(C, "sqrt((%.17g*%s^2 + %.17g*%s^2 + %.17g)/(%s^2 + %s^2 + %.17g))", c->C11 * c->C11, w->x,
        c->C22 * c->C22, w->y, c->C11 * c->C22 * d2, w->x, w->y, d2);
    PUT(e, "(pi/4*%.17g*%s*%s*%s/%s)", c->shear / c->friction, w->ab, C, s, w->N);
    PUT(f, "2/pi*%.17g*%s/%s*(%s/(1 + %s^2) + atan(%s))", c->friction, w->N, s, e, e, e);
    if (k == 0) {
        put(TN_CREEP_TEXT, text, "-%s*%s", f, w->x);
        return;
    }
    PUT(eS, "(%.17g*%s*%s*sqrt(%s)/%s)", 8.0 / 3.0 * c->shear * c->C23 / (c->friction * KS), w->b,
        w->root, r2, w->N);
    put(TN_CREEP_TEXT, text, "-%s*%s - %.17g*%s*%s*%s*sqrt(%s)/(%s*(1 + %s^2)^2)", f, w->y,
        c->shear * c->C23, w->ab, w->root, w->p, r2, s, eS);
}

void tn_creep_text(const tn_model *model, const tn_force_data *data, int k,
                   char text[TN_CREEP_TEXT])
{
    const creep_words w = words_of(model, data);
    if (data->def.creep.law == TN_CREEP_KALKER)
        kalker_text(&data->def.creep, &w, k, text);
    else if (k < 2)
        polach_text(&data->def.creep, &w, k, text);
    else
        put(TN_CREEP_TEXT, text, "0");
}
