// SPDX-License-Identifier: MIT
//
// Contact forces between a plane, sphere or capsule of body A and one of body B (contact/solid.h),
// by powers of the depth d = -g, where the gap g is below zero, with a damping that grows with
// it. With the speed d0' at first touch, which the contact keeps until it opens,
//
//   N = K d^e (1 + zeta d'/d0'),   never below zero
//   V = K d^(e+1) / (e+1)
//
// As u du/(1 + zeta u) = -K d^e dd / m, u = d'/d0', the restitution e_r of two bodies that nothing
// else acts on depends on zeta alone, whatever mass and exponent are:
//
//   ln((1 + zeta)/(1 - zeta e_r)) = zeta (1 + e_r)
//
//   restitution          zeta is the root of this
//   hertz                0                                                          [Joh85, ch. 4]
//   hunt-crossley        3/2 (1 - e_r)                                              [HC75]
//   lankarani-nikravesh  3/4 (1 - e_r^2)               J. Mech. Design 112, 1990
//   flores               8/5 (1 - e_r)/e_r             Multibody Syst. Dyn. 25, 2011
//
// A contact whose shapes are in each other at the start, or rest on each other there, has no such
// speed, and is elastic until it opens. What is stored is lost where N would pull, as in stops.

#include "base/alloc.h"
#include "contact/solid.h"
#include "model/builder.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>

enum { BY_RESTITUTION, BY_HERTZ, BY_HUNT_CROSSLEY, BY_LANKARANI_NIKRAVESH, BY_FLORES };

static const char *const laws[] = {"restitution",         "hertz",  "hunt-crossley",
                                   "lankarani-nikravesh", "flores", NULL};

#define CONTACT(member, kind, key, unit, ...) \
    TN_PARAM(tn_force_def, contact.member, kind, key, unit, __VA_ARGS__)

static const tn_param contact_params[] = {
    TN_SOLID_PARAMS(tn_force_def, contact.solids),
    CONTACT(law, CHOICE, "law", "", .choices = laws,
            .text = "how the damping follows from restitution: restitution, so that this is what "
                    "it is, also when left out; hertz, without any; and laws as published"),
    CONTACT(stiffness, NUMBER, "stiffness", "N/m^e", .range = TN_NONNEGATIVE,
            .text = "K of the elastic force K d^e at the depth d; or state young_a and young_b"),
    CONTACT(exponent, NUMBER, "exponent", "", .range = TN_AT_LEAST_ONE, .fallback = 1.5,
            .text = "exponent e"),
    CONTACT(restitution, NUMBER, "restitution", "", .range = TN_UNIT_INTERVAL, .fallback = 1.0,
            .text = "speed after an impact by that before it"),
    CONTACT(young_a, NUMBER, "young_a", "N/m^2", .range = TN_NONNEGATIVE,
            .text = "modulus of elasticity of body A, for spheres and planes by Hertz's theory"),
    CONTACT(young_b, NUMBER, "young_b", "N/m^2", .range = TN_NONNEGATIVE, .text = "that of body B"),
    CONTACT(poisson_a, NUMBER, "poisson_a", "", .range = TN_UNIT_INTERVAL, .fallback = 0.3,
            .text = "Poisson's ratio of body A"),
    CONTACT(poisson_b, NUMBER, "poisson_b", "", .range = TN_UNIT_INTERVAL, .fallback = 0.3,
            .text = "that of body B"),
};

// Law ---------------------------------------------------------------------------------------------

static void contact_law(const tn_force_data *data, double t, double gap, double rate, double kept,
                        tn_scalar_load *out)
{
    const double e = data->def.contact.exponent, depth = -gap, speed = -rate;
    const double damping = kept > 0.0 ? data->def.contact.damping / kept : 0.0;
    if (!(depth > 0.0))
        return;
    const double elastic = data->def.contact.stiffness * pow(depth, e);
    const double factor = 1.0 + damping * speed;
    out->energy = elastic * depth / (e + 1.0);
    out->dissipated = (fmax(factor, 0.0) - 1.0) * elastic * speed;
    if (factor <= 0.0)
        return;
    out->Q = elastic * factor;
    out->Q_x = -e * elastic / depth * factor;
    out->Q_v = -elastic * damping;
}

// The root is above half of what follows from the first terms of a series in zeta. [tests/unit/
// test_contact_force.c]
static double exact_damping(double e)
{
    double low = 0.75 * (1.0 - e * e) / (1.0 + e * e * e), high = 1.0 / e;
    if (e >= 1.0)
        return 0.0;
    for (int k = 0; k < 200 && low < high; k++) {
        const double zeta = 0.5 * (low + high);
        const bool above = log1p(zeta) - log1p(-zeta * e) > zeta * (1.0 + e);
        if (zeta == (above ? high : low))
            break;
        if (above)
            high = zeta;
        else
            low = zeta;
    }
    return low;
}

static double damping_of(int law, double e)
{
    switch (law) {
    case BY_HERTZ:
        return 0.0;
    case BY_HUNT_CROSSLEY:
        return 1.5 * (1.0 - e);
    case BY_LANKARANI_NIKRAVESH:
        return 0.75 * (1.0 - e * e);
    case BY_FLORES:
        return 1.6 * (1.0 - e) / e;
    default:
        return exact_damping(e);
    }
}

// Model -------------------------------------------------------------------------------------------

static double curvature(const tn_solid_def *def, bool hollow)
{
    return def->kind == TN_SOLID_PLANE ? 0.0 : (hollow ? -1.0 : 1.0) / def->radius;
}

// Two spheres, or one on a plane: K = 4/3 E* sqrt(R*).
static tn_status take_moduli(tn_force_data *data, const char *what)
{
    const tn_solid_pair *pair = &data->def.contact.solids;
    const double a = data->def.contact.young_a, b = data->def.contact.young_b;
    const double nu_a = data->def.contact.poisson_a, nu_b = data->def.contact.poisson_b;
    const double *exponent = &data->def.contact.exponent;
    if (data->def.contact.stiffness > 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: both stiffness and %s are stated; leave one out", what,
                       a > 0.0 ? "young_a" : "young_b");
    if (!(a > 0.0 && b > 0.0))
        return tn_fail(TN_ERR_MODEL, "%s: %s is missing beside %s; state the moduli of both bodies",
                       what, a > 0.0 ? "young_b" : "young_a", a > 0.0 ? "young_a" : "young_b");
    if (pair->a.kind == TN_SOLID_CAPSULE || pair->b.kind == TN_SOLID_CAPSULE)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: moduli give the stiffness of spheres and planes, and a capsule may touch "
            "along its side; state stiffness",
            what);
    if ((pair->a.kind == TN_SOLID_SPHERE && pair->a.radius == 0.0) ||
        (pair->b.kind == TN_SOLID_SPHERE && pair->b.radius == 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "%s: a sphere of radius 0 has no stiffness by moduli; state its radius, or "
                       "stiffness",
                       what);
    if (*exponent != 1.5)
        return tn_fail(TN_ERR_MODEL,
                       "%s: exponent is %g, and with moduli it is 1.5 by Hertz's theory; leave it "
                       "out, or state stiffness",
                       what, *exponent);
    const double modulus = 1.0 / ((1.0 - nu_a * nu_a) / a + (1.0 - nu_b * nu_b) / b);
    const double bend = curvature(&pair->a, pair->hollow) + curvature(&pair->b, false);
    data->def.contact.stiffness = 4.0 / 3.0 * modulus / sqrt(bend);
    return TN_OK;
}

static tn_status check_law(const tn_force_data *data, const char *what)
{
    const double e = data->def.contact.restitution;
    const int law = data->def.contact.law;
    if (law == BY_HERTZ && e < 1.0)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: restitution is %g, and law hertz loses no energy; leave one of them out", what, e);
    if (e == 0.0 && (law == BY_RESTITUTION || law == BY_FLORES))
        return tn_fail(
            TN_ERR_MODEL,
            "%s: restitution is 0, for which law %s has no damping that is finite; state "
            "a small one, such as 0.01",
            what, laws[law]);
    return TN_OK;
}

// The row of the force takes its shapes from a joint that there is not.
static tn_status take_shapes(tn_force_data *data, const tn_model *model, const char *what)
{
    const tn_force_def *def = &data->def;
    tn_joint_def *shapes = tn_alloc(sizeof *shapes);
    TN_TRY(tn_got(shapes));
    *shapes = (tn_joint_def){.name = data->name,
                             .body_a = def->body_a,
                             .body_b = def->body_b,
                             .frame_a = def->frame_a,
                             .frame_b = def->frame_b};
    shapes->contact.solids = def->contact.solids;
    data->shapes = shapes; // which the caller clears
    TN_TRY(tn_solids_check(model, shapes, &shapes->contact.solids, what));
    return tn_touch_create(&tn_solid_touch, model, shapes, what, &shapes->contact.touch);
}

static tn_status contact_prepare(tn_force_data *data, const tn_model *model)
{
    char what[300];
    snprintf(what, sizeof what, "force '%.250s'", data->name);
    TN_TRY(take_shapes(data, model, what));
    TN_TRY(check_law(data, what));
    if (data->def.contact.young_a > 0.0 || data->def.contact.young_b > 0.0)
        TN_TRY(take_moduli(data, what));
    if (!(data->def.contact.stiffness > 0.0))
        return tn_fail(
            TN_ERR_MODEL,
            "%s: stiffness is missing; state it, or young_a and young_b, for spheres and "
            "planes",
            what);
    data->def.contact.damping = damping_of(data->def.contact.law, data->def.contact.restitution);
    return TN_OK;
}

// K is given per d^e.
static tn_status contact_scale(tn_model *copy, tn_force_data *data, double c)
{
    data->def.contact.stiffness *= pow(c, data->def.contact.exponent - 1.0);
    return TN_OK;
}

static int contact_switches(const tn_force_data *data)
{
    return 1;
}

static tn_force_switch contact_switch_at(const tn_force_data *data, int k, double gap, double rate)
{
    return (tn_force_switch){true, true, -gap, -rate};
}

static void contact_tell_start(const tn_force_data *data, const tn_force_view *at, tn_notes *notes)
{
    const double NOTICED = 1e-3; // in sizes of the mechanism
    if (-at->y > NOTICED * at->size)
        tn_notes_add(notes,
                     "contact '%s' starts with its shapes %.4g m in each other and stores %.4g J",
                     data->name, -at->y * at->units.length, at->energy * tn_unit_energy(at->units));
}

static const tn_row contact_row = {.form = TN_ROW_TOUCH};

const tn_force_ops tn_force_contact = {
    .name = "contact-force",
    .text = "presses a plane, sphere or capsule of body A and one of body B apart where they meet",
    TN_PARAMS(contact_params),
    .row = &contact_row,
    .law = contact_law,
    .prepare = contact_prepare,
    .scale = contact_scale,
    .switches = contact_switches,
    .switch_at = contact_switch_at,
    .tell_start = contact_tell_start,
    .keeps_speed = true,
};
