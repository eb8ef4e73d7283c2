// SPDX-License-Identifier: MIT
//
// Sections of beams, with x and y their principal axes. Shear stiffnesses are k G A with Cowper's
// coefficients k of Timoshenko's theory [Cow66]; torsion is Saint-Venant's:
//
//   rectangle a x b   k = 10 (1 + nu) / (12 + 11 nu)
//                     J = a b^3 (1/3 - 64 b / (pi^5 a) sum over odd n of tanh(n pi a / 2 b) / n^5)
//   circle, tube      k = 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2)
//                     with the ratio m of inner and outer radius;  J = Ix + Iy
//   I                 shear along y by the web, along x by 5/6 of the flanges; J = sum b t^3 / 3
//
// with a >= b.

#include "flex/beam.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"stiffness", "rectangle", "circle", "tube", "I", NULL};

#define SECTION_PARAM(member, type, key, of_unit, ...) \
    TN_PARAM(tn_section_def, member, type, key, of_unit, __VA_ARGS__)

const tn_param tn_section_params[] = {
    SECTION_PARAM(kind, CHOICE, "kind", "", .choices = kinds,
                  .text = "what the section is stated by; each kind has keys of its own"),
    SECTION_PARAM(width, NUMBER, "width", "m", .range = TN_NONNEGATIVE,
                  .text = "rectangle, I: along x of the section"),
    SECTION_PARAM(height, NUMBER, "height", "m", .range = TN_NONNEGATIVE,
                  .text = "rectangle, I: along y"),
    SECTION_PARAM(radius, NUMBER, "radius", "m", .range = TN_NONNEGATIVE,
                  .text = "circle, tube: outer radius"),
    SECTION_PARAM(wall, NUMBER, "wall", "m", .range = TN_NONNEGATIVE,
                  .text = "tube: thickness of the wall"),
    SECTION_PARAM(flange, NUMBER, "flange", "m", .range = TN_NONNEGATIVE,
                  .text = "I: thickness of the two flanges, which are along x"),
    SECTION_PARAM(web, NUMBER, "web", "m", .range = TN_NONNEGATIVE,
                  .text = "I: thickness of the web, which is along y"),
    SECTION_PARAM(E, NUMBER, "E", "Pa", .range = TN_NONNEGATIVE,
                  .text = "modulus of elasticity; not of kind stiffness"),
    SECTION_PARAM(nu, NUMBER, "nu", "", .fallback = 0.3,
                  .text = "Poisson's ratio; not of kind stiffness"),
    SECTION_PARAM(G, NUMBER, "G", "Pa", .range = TN_NONNEGATIVE,
                  .text = "shear modulus; zero: E / (2 (1 + nu))"),
    SECTION_PARAM(rho, NUMBER, "rho", "kg/m^3", .range = TN_NONNEGATIVE,
                  .text = "density; not of kind stiffness"),
    SECTION_PARAM(stiffness, VEC3, "stiffness", "N", .range = TN_NONNEGATIVE,
                  .text = "kind stiffness: GA1, GA2 against shear along x and y, EA against "
                          "stretch"),
    SECTION_PARAM(rotational_stiffness, VEC3, "rotational_stiffness", "N m^2",
                  .range = TN_NONNEGATIVE,
                  .text = "kind stiffness: EI1, EI2 against bending about x and y, GJ against "
                          "twist"),
    SECTION_PARAM(mass, NUMBER, "mass", "kg/m", .range = TN_NONNEGATIVE,
                  .text = "kind stiffness: mass per length"),
    SECTION_PARAM(inertia_x, NUMBER, "inertia_x", "kg m", .range = TN_NONNEGATIVE,
                  .text = "kind stiffness: moment of inertia about x, per length"),
    SECTION_PARAM(inertia_y, NUMBER, "inertia_y", "kg m", .range = TN_NONNEGATIVE,
                  .text = "kind stiffness: the same about y"),
};
const int tn_section_param_count = TN_COUNT(tn_section_params);

bool tn_section_reads(int kind, const char *key)
{
    static const char *const of_kind[TN_SECTION_KIND_COUNT] = {
        " stiffness rotational_stiffness mass inertia_x inertia_y ",
        " width height ",
        " radius ",
        " radius wall ",
        " width height flange web ",
    };
    char word[64];
    snprintf(word, sizeof word, " %s ", key);
    const bool material = strstr(" E nu G rho ", word);
    return strstr(" kind ", word) || strstr(of_kind[kind], word) ||
           (material && kind != TN_SECTION_STIFFNESS);
}

// Area, second moments about x and y, torsion constant, and areas against shear along x and y.
typedef struct shape {
    double A, Ix, Iy, J, Ax, Ay;
} shape;

static double torsion_of_rectangle(double width, double height)
{
    const double a = fmax(width, height), b = fmin(width, height);
    double sum = 0.0;
    for (int n = 1; n < 60; n += 2) // n^-5 < 2e-9 of the first, beside a tanh that is 1 by then
        sum += tanh(0.5 * n * M_PI * a / b) / pow(n, 5);
    return a * pow(b, 3) * (1.0 / 3.0 - 64.0 * b / (pow(M_PI, 5) * a) * sum);
}

static shape rectangle(const tn_section_def *def)
{
    const double w = def->width, h = def->height, nu = def->nu, A = w * h;
    const double k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    return (shape){
        A, w * pow(h, 3) / 12.0, h * pow(w, 3) / 12.0, torsion_of_rectangle(w, h), k * A, k * A};
}

static shape ring(double outer, double inner, double nu)
{
    const double A = M_PI * (outer * outer - inner * inner), m = inner / outer;
    const double I = 0.25 * M_PI * (pow(outer, 4) - pow(inner, 4));
    const double q = (1.0 + m * m) * (1.0 + m * m);
    const double k = 6.0 * (1.0 + nu) * q / ((7.0 + 6.0 * nu) * q + (20.0 + 12.0 * nu) * m * m);
    return (shape){A, I, I, 2.0 * I, k * A, k * A};
}

static shape beam_of_flanges(const tn_section_def *def)
{
    const double w = def->width, h = def->height, f = def->flange, t = def->web;
    const double inner = h - 2.0 * f; // height of the web
    return (shape){
        .A = 2.0 * w * f + inner * t,
        .Ix = (w * pow(h, 3) - (w - t) * pow(inner, 3)) / 12.0,
        .Iy = (2.0 * f * pow(w, 3) + inner * pow(t, 3)) / 12.0,
        .J = (2.0 * w * pow(f, 3) + inner * pow(t, 3)) / 3.0,
        .Ax = 5.0 / 6.0 * 2.0 * w * f,
        .Ay = inner * t,
    };
}

static tn_status need_positive(double value, const char *key, const char *what)
{
    if (value > 0.0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: '%s' is %g; state a positive number", what, key, value);
}

static tn_status shape_of(const tn_section_def *def, const char *what, shape *out)
{
    switch ((tn_section_kind)def->kind) {
    case TN_SECTION_RECTANGLE:
        TN_TRY(need_positive(def->width, "width", what));
        TN_TRY(need_positive(def->height, "height", what));
        *out = rectangle(def);
        return TN_OK;
    case TN_SECTION_CIRCLE:
        TN_TRY(need_positive(def->radius, "radius", what));
        *out = ring(def->radius, 0.0, def->nu);
        return TN_OK;
    case TN_SECTION_TUBE:
        TN_TRY(need_positive(def->radius, "radius", what));
        TN_TRY(need_positive(def->wall, "wall", what));
        if (def->wall > def->radius)
            return tn_fail(TN_ERR_MODEL,
                           "%s: 'wall' %g m is thicker than the 'radius' %g m; a wall "
                           "goes to the centre at most",
                           what, def->wall, def->radius);
        *out = ring(def->radius, def->radius - def->wall, def->nu);
        return TN_OK;
    case TN_SECTION_I:
        TN_TRY(need_positive(def->width, "width", what));
        TN_TRY(need_positive(def->height, "height", what));
        TN_TRY(need_positive(def->flange, "flange", what));
        TN_TRY(need_positive(def->web, "web", what));
        if (2.0 * def->flange >= def->height || def->web > def->width)
            return tn_fail(TN_ERR_MODEL,
                           "%s: two flanges of %g m and a web of %g m do not fit into "
                           "%g m by %g m",
                           what, def->flange, def->web, def->width, def->height);
        *out = beam_of_flanges(def);
        return TN_OK;
    default:
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of section", what, def->kind);
    }
}

// The box with the same stiffnesses.
static void look_of_stiffness(tn_section *s)
{
    const double EA = s->stiffness.z;
    if (EA > 0.0) {
        s->width = sqrt(12.0 * s->rotational_stiffness.y / EA);
        s->height = sqrt(12.0 * s->rotational_stiffness.x / EA);
    }
}

static tn_status take_stiffness(const tn_section_def *def, const char *what, tn_section *out)
{
    out->stiffness = def->stiffness;
    out->rotational_stiffness = def->rotational_stiffness;
    out->mass = def->mass;
    out->inertia_x = def->inertia_x;
    out->inertia_y = def->inertia_y;
    look_of_stiffness(out);
    if (def->mass == 0.0 && def->inertia_x + def->inertia_y > 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: it has moments of inertia but no 'mass'; state its mass per "
                       "length",
                       what);
    return TN_OK;
}

// A motion with neither inertia nor stiffness has nothing that could determine it.
static tn_status check_motions(const tn_section *s, const char *what)
{
    static const char *const names[6] = {"shear along x (GA1)",   "shear along y (GA2)",
                                         "stretch (EA)",          "bending about x (EI1)",
                                         "bending about y (EI2)", "twist (GJ)"};
    const double C[6] = {s->stiffness.x,
                         s->stiffness.y,
                         s->stiffness.z,
                         s->rotational_stiffness.x,
                         s->rotational_stiffness.y,
                         s->rotational_stiffness.z};
    const double M[6] = {s->mass,      s->mass,      s->mass,
                         s->inertia_x, s->inertia_y, s->inertia_x + s->inertia_y};
    for (int i = 0; i < 6; i++)
        if (C[i] == 0.0 && M[i] == 0.0)
            return tn_fail(TN_ERR_MODEL,
                           "%s: %s has neither stiffness nor inertia, so that nothing "
                           "tells its motion; state one of them",
                           what, names[i]);
    return TN_OK;
}

tn_status tn_section_named(const tn_section_def *def, const char *what, tn_section *out)
{
    shape at = {0};
    *out = (tn_section){0};
    TN_TRY(tn_params_check(tn_section_param_count, tn_section_params, def, what));
    if (def->kind == TN_SECTION_STIFFNESS) {
        TN_TRY(take_stiffness(def, what, out));
        return check_motions(out, what);
    }
    TN_TRY(shape_of(def, what, &at));
    TN_TRY(need_positive(def->E, "E", what));
    if (!(def->nu > -1.0 && def->nu <= 0.5))
        return tn_fail(TN_ERR_MODEL, "%s: 'nu' is %g; Poisson's ratio is above -1 and at most 0.5",
                       what, def->nu);
    const double G = def->G > 0.0 ? def->G : 0.5 * def->E / (1.0 + def->nu);
    out->stiffness = tn_v3(G * at.Ax, G * at.Ay, def->E * at.A);
    out->rotational_stiffness = tn_v3(def->E * at.Ix, def->E * at.Iy, G * at.J);
    out->mass = def->rho * at.A;
    out->inertia_x = def->rho * at.Ix;
    out->inertia_y = def->rho * at.Iy;
    out->round = def->kind == TN_SECTION_CIRCLE || def->kind == TN_SECTION_TUBE;
    out->width = out->round ? 2.0 * def->radius : def->width;
    out->height = out->round ? 2.0 * def->radius : def->height;
    return check_motions(out, what);
}

tn_status tn_section_of(const tn_section_def *def, const char *what, tn_section *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, def, what, out);
    char words[320];
    snprintf(words, sizeof words, "%.300s: section", what);
    return tn_section_named(def, words, out);
}
