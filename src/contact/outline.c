// SPDX-License-Identifier: MIT
//
// Contact display shapes; see outline.h.

#include "contact/outline.h"

#include "base/status.h"
#include "model/shape.h"

#include <math.h>

enum { ROUND = 64 }; // points of circles

const tn_form tn_form_plate = {"plate", 2, false}, tn_form_lathe = {"lathe", 2, true},
              tn_form_wire = {"wire", 3, false}, tn_form_sheet = {"sheet", 3, false};

tn_outline tn_outline_of(const tn_form *form)
{
    return (tn_outline){.form = form, .frame = tn_frame_identity, .color = TN_COLOR_AUTOMATIC};
}

void tn_outline_put(tn_outline *outline, double a, double b)
{
    TN_ASSERT(outline->n + 2 <= TN_OUTLINE_NUMBERS);
    outline->at[outline->n++] = a;
    outline->at[outline->n++] = b;
}

void tn_outline_put_point(tn_outline *outline, tn_vec3 p)
{
    TN_ASSERT(outline->n + 3 <= TN_OUTLINE_NUMBERS);
    tn_v3_to(p, outline->at + outline->n);
    outline->n += 3;
}

int tn_outline_count(const tn_outline *outline)
{
    return outline->n / outline->form->width;
}

tn_vec3 tn_outline_point(const tn_outline *outline, int i, double *reach)
{
    TN_ASSERT(i >= 0 && i < tn_outline_count(outline));
    const double *at = outline->at + outline->form->width * i;
    *reach = outline->form->turned ? at[0] : 0.0;
    return tn_v3(outline->form->turned ? 0.0 : at[0], at[1],
                 outline->form->width > 2 ? at[2] : 0.5 * (outline->from + outline->to));
}

// Profiles ----------------------------------------------------------------------------------------

// Point k of a profile, moved across it by `off` to the left.
static void profile_point(const tn_profile *profile, int k, double off, double out[2])
{
    const double from = profile->from, to = profile->to;
    tn_profile_at at;
    tn_profile_eval(profile, from + (to - from) * k / (TN_OUTLINE_POINTS - 1), &at);
    const double speed = hypot(at.d[0], at.d[1]);
    out[0] = at.c[0] - off * at.d[1] / speed;
    out[1] = at.c[1] + off * at.d[0] / speed;
}

// Those of a closed one do not repeat the first.
static int points_of(const tn_profile *profile)
{
    return profile->closed ? TN_OUTLINE_POINTS - 1 : TN_OUTLINE_POINTS;
}

static void put_beside(tn_outline *outline, const tn_profile *profile, double off, bool back)
{
    const int n = points_of(profile);
    for (int k = 0; k < n; k++) {
        double p[2];
        profile_point(profile, back ? n - 1 - k : k, off, p);
        tn_outline_put(outline, p[0], p[1]);
    }
}

void tn_outline_put_profile(tn_outline *outline, const tn_profile *profile)
{
    put_beside(outline, profile, 0.0, false);
}

tn_outline tn_outline_of_profile(const tn_profile *profile, double side)
{
    const double depth = 0.2 * profile->size;
    const bool closed = profile->closed;
    const bool ring = closed && side * tn_profile_area_sign(profile) > 0.0;
    tn_outline outline = tn_outline_of(&tn_form_plate);
    if (ring) {
        put_beside(&outline, profile, -side * depth, false);
        outline.hole = outline.n;
    }
    tn_outline_put_profile(&outline, profile);
    if (!closed)
        put_beside(&outline, profile, -side * depth, true);
    outline.to = 0.02 * profile->size;
    outline.from = -outline.to;
    return outline;
}

tn_outline tn_outline_disc(double radius)
{
    tn_outline outline = tn_outline_of(&tn_form_plate);
    for (int k = 0; k < ROUND; k++)
        tn_outline_put(&outline, radius * cos(2.0 * M_PI * k / ROUND),
                       radius * sin(2.0 * M_PI * k / ROUND));
    return outline;
}

tn_outline tn_outline_ball(double radius)
{
    tn_outline outline = tn_outline_of(&tn_form_lathe);
    for (int k = 0; k <= ROUND / 2; k++)
        tn_outline_put(&outline, radius * sin(2.0 * M_PI * k / ROUND),
                       -radius * cos(2.0 * M_PI * k / ROUND));
    return outline;
}

tn_outline tn_outline_capsule(double radius, double length)
{
    tn_outline outline = tn_outline_of(&tn_form_lathe);
    for (int end = -1; end <= 1; end += 2)
        for (int k = end < 0 ? 0 : ROUND / 4; k <= (end < 0 ? ROUND / 4 : ROUND / 2); k++)
            tn_outline_put(&outline, radius * sin(2.0 * M_PI * k / ROUND),
                           0.5 * end * length - radius * cos(2.0 * M_PI * k / ROUND));
    outline.frame.R = tn_m3_rot_z(-0.5 * M_PI);
    return outline;
}

// In space ----------------------------------------------------------------------------------------

tn_outline tn_outline_of_curve(const tn_locus *curve)
{
    tn_outline outline = tn_outline_of(&tn_form_wire);
    outline.closed = curve->round[0];
    for (int k = 0; k < TN_OUTLINE_POINTS - outline.closed; k++) {
        const double s = tn_locus_sample(curve, 0, k, TN_OUTLINE_POINTS);
        tn_outline_put_point(&outline, tn_locus_eval(curve, &s).c);
    }
    return outline;
}

tn_outline tn_outline_of_surface(const tn_locus *surface)
{
    tn_outline outline = tn_outline_of(&tn_form_sheet);
    outline.columns = TN_OUTLINE_NET;
    for (int i = 0; i < TN_OUTLINE_NET; i++)
        for (int j = 0; j < TN_OUTLINE_NET; j++) {
            const double a[2] = {tn_locus_sample(surface, 0, i, TN_OUTLINE_NET),
                                 tn_locus_sample(surface, 1, j, TN_OUTLINE_NET)};
            tn_outline_put_point(&outline, tn_locus_eval(surface, a).c);
        }
    return outline;
}
