// SPDX-License-Identifier: MIT
//
// Curves and surfaces in space; see locus.h.

#include "contact/locus.h"

#include "base/status.h"

#include <math.h>

enum { SAMPLES = 17 };            // per direction, for its size and its ends
static const double AGREE = 1e-9; // of both ends, relative to the size

static const char *const curve_args[] = {"s"};
static const char *const surface_args[] = {"u", "v"};

tn_locus_at tn_locus_eval(const tn_locus *locus, const double *a)
{
    double v[3][6];
    for (int i = 0; i < 3; i++) {
        const tn_grid_value f = tn_mapping_eval(locus->by[i], a);
        const double all[6] = {f.f, f.x, f.y, f.xx, f.xy, f.yy};
        for (int k = 0; k < 6; k++)
            v[i][k] = all[k];
    }
    tn_locus_at at = {.c = tn_v3(v[0][0], v[1][0], v[2][0])};
    for (int k = 0; k < 2; k++)
        at.d[k] = tn_v3(v[0][1 + k], v[1][1 + k], v[2][1 + k]);
    for (int k = 0; k < 3; k++)
        at.dd[k] = tn_v3(v[0][3 + k], v[1][3 + k], v[2][3 + k]);
    return at;
}

double tn_locus_sample(const tn_locus *locus, int direction, int i, int n)
{
    return locus->from[direction] + (locus->to[direction] - locus->from[direction]) * i / (n - 1);
}

static bool is_number(tn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_regular(const tn_locus *locus, const tn_locus_at *at)
{
    const tn_vec3 normal = locus->narg == 2 ? tn_v3_cross(at->d[0], at->d[1]) : at->d[0];
    return is_number(at->c) && is_number(normal) && is_number(at->dd[0]) && is_number(at->dd[2]) &&
           tn_v3_norm(normal) > 0.0;
}

static tn_status refuse_place(const tn_locus *locus, const double *a, const tn_locus_at *at,
                              const char *what)
{
    const char *why =
        !is_number(at->c) ? "its place is no number"
        : locus->narg == 1
            ? tn_v3_norm(at->d[0]) > 0.0 ? "its first or second derivative is no number"
                                         : "x, y and z do not change with s"
            : "its tangents vanish or are along each other, or its second derivatives "
              "are no numbers";
    if (locus->narg == 1)
        return tn_fail(
            TN_ERR_MODEL,
            "%s: the curve is not smooth at s = %g: %s there; state x, y and z such that "
            "one of them at least has a rate by s everywhere",
            what, a[0], why);
    return tn_fail(TN_ERR_MODEL, "%s: the surface is not smooth at u = %g, v = %g: %s there", what,
                   a[0], a[1], why);
}

// Its box, and that it is regular, at samples.
static tn_status look_over(tn_locus *locus, const char *what)
{
    tn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < (locus->narg == 2 ? SAMPLES : 1); j++) {
            const double a[2] = {tn_locus_sample(locus, 0, i, SAMPLES),
                                 locus->narg == 2 ? tn_locus_sample(locus, 1, j, SAMPLES) : 0.0};
            const tn_locus_at at = tn_locus_eval(locus, a);
            if (!is_regular(locus, &at))
                return refuse_place(locus, a, &at, what);
            low = tn_v3(fmin(low.x, at.c.x), fmin(low.y, at.c.y), fmin(low.z, at.c.z));
            high = tn_v3(fmax(high.x, at.c.x), fmax(high.y, at.c.y), fmax(high.z, at.c.z));
        }
    locus->size = 0.5 * tn_v3_norm(tn_v3_sub(high, low));
    return TN_OK;
}

static bool agree(tn_vec3 a, tn_vec3 b, double scale)
{
    return tn_v3_norm(tn_v3_sub(a, b)) <= AGREE * scale;
}

static bool ends_agree(const tn_locus *locus, int direction)
{
    const double span = locus->to[direction] - locus->from[direction];
    for (int i = 0; i < SAMPLES; i++) {
        double first[2] = {0}, last[2];
        if (locus->narg == 2)
            first[1 - direction] = tn_locus_sample(locus, 1 - direction, i, SAMPLES);
        first[direction] = locus->from[direction];
        last[0] = first[0];
        last[1] = first[1];
        last[direction] = locus->to[direction];
        const tn_locus_at a = tn_locus_eval(locus, first), b = tn_locus_eval(locus, last);
        const double scale = locus->size;
        if (!agree(a.c, b.c, scale) || !agree(a.d[direction], b.d[direction], scale / span) ||
            !agree(a.dd[2 * direction], b.dd[2 * direction], scale / (span * span)))
            return false;
    }
    return true;
}

static tn_status check_ends(const tn_locus_def *def, int narg, const char *what, const char *end)
{
    for (int k = 0; k < narg; k++)
        if (!(isfinite(def->from[k]) && isfinite(def->to[k]) && def->from[k] < def->to[k]))
            return tn_fail(TN_ERR_MODEL,
                           "%s: %s%s goes from %g to %g; the first must be less than the second",
                           what, narg == 2 ? surface_args[k] : "s", end, def->from[k], def->to[k]);
    return TN_OK;
}

tn_status tn_locus_make(const tn_model *model, int narg, const tn_locus_def *def, const char *what,
                        const char *end, tn_locus *out)
{
    const char *const text[3] = {def->x, def->y, def->z};
    *out = (tn_locus){.narg = narg};
    TN_TRY(check_ends(def, narg, what, end));
    for (int k = 0; k < narg; k++) {
        out->from[k] = def->from[k];
        out->to[k] = def->to[k];
    }
    for (int i = 0; i < 3; i++) {
        const tn_status status =
            tn_mapping_create(model, text[i] ? text[i] : "", narg,
                              narg == 2 ? surface_args : curve_args, &out->by[i]);
        if (status != TN_OK)
            return tn_fail_within(status, "%s: %c%s", what, "xyz"[i], end);
    }
    TN_TRY(look_over(out, what));
    for (int k = 0; k < narg; k++)
        out->round[k] = ends_agree(out, k);
    return TN_OK;
}

void tn_locus_clear(tn_locus *locus)
{
    for (int i = 0; i < 3; i++)
        tn_mapping_destroy(locus->by[i]);
}

bool tn_locus_within(const tn_locus *locus, double *a)
{
    bool within = true;
    for (int k = 0; k < locus->narg; k++) {
        const double span = locus->to[k] - locus->from[k];
        if (locus->round[k])
            a[k] -= span * floor((a[k] - locus->from[k]) / span);
        within = within && a[k] >= locus->from[k] && a[k] <= locus->to[k];
    }
    return within;
}
