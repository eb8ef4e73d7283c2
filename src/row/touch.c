// SPDX-License-Identifier: MIT
//
// Finds the contact of two shapes, and computes rows of contact; see touch.h.
//
// On frames A and B in the world, with f = R_A n, x = R_A c_B (from the origin of A), y = x - d
// (from that of B), d = p_B - p_A, and variations (dp_a, ta, dp_b, tb):
//
//   w  = R_A^T (dp_b - dp_a + d x ta),  R_A^T (tb - ta)
//   df = ta x f + R_A (n_w + n_s s_w) w,   dx = ta x x + R_A (c_w + c_s s_w) w,   dy = dx - dd
//   G  = (-f, -x X f, f, y X f)
//   dG = (-df, -dx X f - x X df, df, dy X f + y X df)

#include "row/touch.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "row/own_row.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 60 };
// The part of its reach by which the last step of an iteration moves s; the next one would move it
// by the square.
static const double CONVERGED = 1e-9;
// Steps in which searches begin, as parts of the reach: a motion that goes on and one that is taken
// up again from a file begin the same ones.
static const double GRAIN = 0x1p-20;
// The part of the size of shapes by which another place must be nearer to count.
static const double DEEPER = 1e-7;

tn_status tn_touch_create(const tn_touch_ops *ops, const tn_model *model, const tn_joint_def *def,
                          const char *what, tn_touch **out)
{
    tn_touch *touch = tn_alloc(sizeof *touch);
    TN_TRY(tn_got(touch));
    *touch = (tn_touch){.ops = ops, .shapes = tn_alloc(ops->room), .length = 1.0};
    tn_status status = tn_got(touch->shapes);
    TN_THEN(status, ops->make(touch, model, def, what));
    TN_HAND_OUT(status, touch, tn_touch_destroy, out);
}

tn_status tn_touch_copy(const tn_touch *touch, double length, tn_touch **out)
{
    tn_touch *copy = tn_alloc(sizeof *copy);
    TN_TRY(tn_got(copy));
    *copy = *touch;
    copy->length = length;
    copy->source = touch;
    copy->held = copy->known = false;
    *out = copy;
    return TN_OK;
}

void tn_touch_destroy(tn_touch *touch)
{
    if (touch && !touch->source && touch->shapes) {
        touch->ops->clear(touch->shapes);
        tn_free(touch->shapes);
    }
    tn_free(touch);
}

// Searches ----------------------------------------------------------------------------------------

// x = -h_s^-1 h; false where h_s is singular.
static bool newton_step(int n, const tn_touch_seen *seen, double *x)
{
    double A[TN_TOUCH_COORDS * TN_TOUCH_COORDS];
    int pivot[TN_TOUCH_COORDS];
    for (int i = 0; i < n; i++) {
        x[i] = -seen->h[i];
        for (int j = 0; j < n; j++)
            A[i + j * n] = seen->h_s[i][j];
    }
    if (tn_lu_factor(n, A, pivot) != TN_OK)
        return false;
    tn_lu_solve(n, A, pivot, x);
    return true;
}

static double part_of_reach(const tn_touch *touch, const double *step)
{
    double most = 0.0;
    for (int i = 0; i < touch->ops->n; i++)
        most = fmax(most, fabs(step[i]) / touch->reach[i]);
    return most;
}

// Newton's method from s, with steps no longer than the reach.
static bool search_from(const tn_touch *touch, tn_frame X, double *s, tn_touch_seen *seen)
{
    const int n = touch->ops->n;
    double step[TN_TOUCH_COORDS];
    for (int k = 0; k < ITERATIONS; k++) {
        memset(seen, 0, sizeof *seen);
        touch->ops->see(touch, X, s, seen);
        if (!newton_step(n, seen, step))
            return false;
        const double part = part_of_reach(touch, step);
        if (!isfinite(part))
            return false;
        for (int i = 0; i < n; i++)
            s[i] += step[i] / fmax(part, 1.0);
        if (part > CONVERGED)
            continue;
        memset(seen, 0, sizeof *seen);
        touch->ops->see(touch, X, s, seen);
        return isfinite(seen->gap);
    }
    return false;
}

static bool counts(const tn_touch *touch, tn_frame X, const tn_touch_seen *seen)
{
    return seen->single > 0.0 && (!touch->ops->counts || touch->ops->counts(touch, X, seen));
}

// The contact of the least order.
static bool search_all(const tn_touch *touch, tn_frame X, double *s, tn_touch_seen *seen)
{
    double start[TN_TOUCH_STARTS][TN_TOUCH_COORDS];
    const int n = touch->ops->starts(touch, X, start);
    bool found = false;
    for (int k = 0; k < n; k++) {
        tn_touch_seen here;
        if (!search_from(touch, X, start[k], &here) || (found && here.order >= seen->order) ||
            !touch->ops->within(touch, start[k]) || !counts(touch, X, &here))
            continue;
        found = true;
        *seen = here;
        memcpy(s, start[k], sizeof start[k]);
    }
    return found;
}

// B in A, in SI units.
static tn_frame seen_from_a(const tn_touch *touch, tn_frame a, tn_frame b)
{
    const tn_vec3 d = tn_v3_scale(touch->length, tn_v3_sub(b.p, a.p));
    return (tn_frame){tn_m3_mul(tn_m3_transpose(a.R), b.R), tn_m3_apply_t(a.R, d)};
}

bool tn_touch_find(tn_touch *touch, tn_frame a, tn_frame b, double *s, tn_touch_seen *seen)
{
    const tn_frame X = seen_from_a(touch, a, b);
    if (!touch->held)
        return search_all(touch, X, s, seen);
    if (!touch->known || memcmp(&X, &touch->last, sizeof X) != 0) {
        memcpy(touch->s, touch->from, sizeof touch->s);
        touch->known = search_from(touch, X, touch->s, &touch->seen);
        touch->last = X;
    }
    if (touch->known) {
        memcpy(s, touch->s, sizeof touch->s);
        *seen = touch->seen;
    }
    return touch->known;
}

void tn_touch_hold(tn_touch *touch, tn_frame a, tn_frame b)
{
    double s[TN_TOUCH_COORDS] = {0};
    tn_touch_seen seen;
    if (!tn_touch_find(touch, a, b, s, &seen))
        return;
    touch->ops->within(touch, s);
    memcpy(touch->from, s, sizeof s);
    for (int i = 0; i < touch->ops->n; i++) {
        const double grain = GRAIN * touch->reach[i];
        touch->from[i] = grain * nearbyint(s[i] / grain);
    }
    touch->normal = seen.n;
    touch->held = true;
    touch->known = false;
}

const char *tn_touch_wrong(const tn_touch *touch, tn_frame a, tn_frame b)
{
    return touch->ops->wrong ? touch->ops->wrong(touch, seen_from_a(touch, a, b)) : NULL;
}

bool tn_touch_elsewhere(const tn_touch *touch, tn_frame a, tn_frame b, double *other,
                        tn_touch_seen *seen)
{
    TN_ASSERT(touch->held);
    const tn_frame X = seen_from_a(touch, a, b);
    double s[TN_TOUCH_COORDS];
    tn_touch_seen here;
    memcpy(s, touch->from, sizeof s);
    if (!search_from(touch, X, s, &here) || !search_all(touch, X, other, seen))
        return false;
    return seen->order < here.order - DEEPER * touch->size;
}

// Along a step ------------------------------------------------------------------------------------

enum { NODES = 9, LOOKS_LEAST = 16, LOOKS_MOST = 2048 };
static const double LOOKS = 52.0;  // in a reach
static const double AT_END = 1e-8; // of a reach

static void points_at(const tn_touch *touch, const double *s, double part, tn_vec3 c[2])
{
    double at[TN_TOUCH_COORDS];
    for (int i = 0; i < touch->ops->n; i++)
        at[i] = touch->from[i] + part * (s[i] - touch->from[i]);
    c[0] = c[1] = (tn_vec3){0};
    touch->ops->points(touch, at, c);
}

static double part_of_way(const tn_touch *touch, const double *s)
{
    double way[TN_TOUCH_COORDS];
    for (int i = 0; i < touch->ops->n; i++)
        way[i] = s[i] - touch->from[i];
    return part_of_reach(touch, way);
}

// By the barycentric formula at Chebyshev's places of the second kind [Berrut, Trefethen, 2004].
static void interpolate_points(tn_vec3 node[NODES][2], const double place[NODES], double part,
                               tn_vec3 c[2])
{
    double sum = 0.0;
    c[0] = c[1] = (tn_vec3){0};
    for (int j = 0; j < NODES; j++) {
        const double half = j == 0 || j == NODES - 1 ? 0.5 : 1.0;
        const double weight = (j % 2 ? -half : half) / (part - place[j]);
        sum += weight;
        for (int k = 0; k < 2; k++)
            c[k] = tn_v3_axpy(weight, node[j][k], c[k]);
    }
    for (int k = 0; k < 2; k++)
        c[k] = tn_v3_scale(1.0 / sum, c[k]);
}

double tn_touch_bulge(const tn_touch *touch, const double *s)
{
    const double PI = 3.14159265358979323846, way = part_of_way(touch, s);
    const int looks = (int)fmin(fmax(LOOKS * way, LOOKS_LEAST), LOOKS_MOST);
    tn_vec3 node[NODES][2], here[2], smooth[2];
    double place[NODES], most = 0.0;
    if (touch->ops->n == 0)
        return 0.0;
    for (int j = 0; j < NODES; j++) {
        place[j] = 0.5 - 0.5 * cos(PI * j / (NODES - 1));
        points_at(touch, s, place[j], node[j]);
    }
    for (int i = 0; i < looks; i++) {
        const double part = (i + 0.51) / looks; // at no node
        points_at(touch, s, part, here);
        interpolate_points(node, place, part, smooth);
        for (int k = 0; k < 2; k++)
            most = fmax(most, tn_v3_norm(tn_v3_sub(here[k], smooth[k])));
    }
    return most;
}

static bool is_within(const tn_touch *touch, const double *s, double part)
{
    double at[TN_TOUCH_COORDS];
    for (int i = 0; i < touch->ops->n; i++)
        at[i] = touch->from[i] + part * (s[i] - touch->from[i]);
    return touch->ops->within(touch, at);
}

double tn_touch_part_within(const tn_touch *touch, const double *s, bool *at_end)
{
    double in = 0.0, out = 1.0;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (in + out);
        if (is_within(touch, s, middle))
            in = middle;
        else
            out = middle;
    }
    *at_end = in * part_of_way(touch, s) <= AT_END + GRAIN;
    return in;
}

// In the world ------------------------------------------------------------------------------------

static tn_touch *touch_of(const tn_pair *at)
{
    TN_ASSERT(at->own && at->own->contact.touch);
    return at->own->contact.touch;
}

// Derivatives of n, c and s by w, with s following: columns.
typedef struct total {
    tn_vec3 n[6], c[6];
    double s[TN_TOUCH_COORDS][6];
} total;

static bool follow(const tn_touch *touch, const tn_touch_seen *seen, total *out)
{
    const int n = touch->ops->n;
    for (int k = 0; k < 6; k++) {
        tn_touch_seen by = *seen;
        double s_w[TN_TOUCH_COORDS];
        const tn_vec3 e = tn_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        for (int i = 0; i < n; i++)
            by.h[i] = seen->h_w[i][k];
        if (!newton_step(n, &by, s_w))
            return false;
        out->n[k] = seen->n_w[k];
        out->c[k] = tn_v3_add(k < 3 ? e : tn_v3_cross(e, seen->arm), seen->c_w[k]);
        for (int i = 0; i < n; i++) {
            out->n[k] = tn_v3_axpy(s_w[i], seen->n_s[i], out->n[k]);
            out->c[k] = tn_v3_axpy(s_w[i], seen->c_s[i], out->c[k]);
            out->s[i][k] = s_w[i] + seen->s_w[i][k];
        }
    }
    return true;
}

// A sum of columns.
static tn_vec3 combine(const tn_vec3 *column, const double w[6])
{
    tn_vec3 sum = {0};
    for (int k = 0; k < 6; k++)
        sum = tn_v3_axpy(w[k], column[k], sum);
    return sum;
}

// Derivatives by variation k of (dp_a, ta, dp_b, tb).
static void vary_by(const tn_pair *at, const tn_touch *touch, const total *by, int k,
                    tn_touch_world *out)
{
    const tn_mat3 R = at->a.x.R;
    const tn_vec3 e = tn_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), zero = {0};
    const tn_vec3 d = tn_v3_sub(at->b.x.p, at->a.x.p);
    const tn_vec3 ta = k / 3 == 1 ? e : zero, tb = k / 3 == 3 ? e : zero;
    const tn_vec3 dd = k / 3 == 0 ? tn_v3_neg(e) : k / 3 == 2 ? e : zero;
    const tn_vec3 shift = tn_v3_add(dd, tn_v3_cross(d, ta)), turn = tn_v3_sub(tb, ta);
    double w[6];
    tn_v3_to(tn_v3_scale(touch->length, tn_m3_apply_t(R, shift)), w);
    tn_v3_to(tn_m3_apply_t(R, turn), w + 3);
    const tn_vec3 dc = tn_v3_scale(1.0 / touch->length, combine(by->c, w));
    out->dn[k] = tn_v3_add(tn_v3_cross(ta, out->n), tn_m3_apply(R, combine(by->n, w)));
    out->dx[k] = tn_v3_add(tn_v3_cross(ta, out->x), tn_m3_apply(R, dc));
    out->dy[k] = tn_v3_sub(out->dx[k], dd);
    for (int i = 0; i < touch->ops->n; i++)
        out->ds[i][k] = tn_dot(6, by->s[i], w);
}

bool tn_touch_see(const tn_pair *at, bool vary, tn_touch_world *out)
{
    tn_touch *touch = touch_of(at);
    tn_touch_seen seen;
    total by;
    if (!tn_touch_find(touch, at->a.x, at->b.x, out->s, &seen))
        return false;
    out->n = tn_m3_apply(at->a.x.R, seen.n);
    out->x = tn_v3_scale(1.0 / touch->length, tn_m3_apply(at->a.x.R, seen.c));
    out->y = tn_v3_sub(out->x, tn_v3_sub(at->b.x.p, at->a.x.p));
    if (!vary)
        return true;
    if (!follow(touch, &seen, &by))
        return false;
    for (int k = 0; k < 12; k++)
        vary_by(at, touch, &by, k, out);
    return true;
}

void tn_touch_wrench(tn_vec3 f, tn_vec3 x, tn_vec3 y, double G[12])
{
    tn_v3_to(tn_v3_neg(f), G + TN_FA);
    tn_v3_to(tn_v3_cross(f, x), G + TN_MA);
    tn_v3_to(f, G + TN_FB);
    tn_v3_to(tn_v3_cross(y, f), G + TN_MB);
}

void tn_touch_wrench_vary(const tn_pair *at, const tn_touch_world *w, tn_vec3 f,
                          const tn_vec3 df[12], double H[12][12])
{
    double G[12];
    tn_touch_wrench(f, w->x, w->y, G);
    for (int k = 0; k < 12; k++) {
        double column[12], arms[12];
        tn_touch_wrench(df[k], w->x, w->y, column);
        tn_touch_wrench(f, w->dx[k], w->dy[k], arms);
        for (int i = 0; i < 12; i++)
            H[i][k] = column[i] + (i / 3 % 2 == 1 ? arms[i] : 0.0);
    }
    tn_own_matrix_on_bodies(at, G, H);
}

// Rows --------------------------------------------------------------------------------------------

double tn_touch_value(const tn_pair *at)
{
    tn_touch *touch = touch_of(at);
    double s[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    return tn_touch_find(touch, at->a.x, at->b.x, s, &seen) ? seen.gap / touch->length : NAN;
}

static void no_numbers(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = NAN;
}

double tn_touch_coordinate(const tn_pair *at, int k, bool vary, double G[12])
{
    tn_touch_world w;
    const bool known = tn_touch_see(at, vary, &w);
    TN_ASSERT(k >= 0 && k < touch_of(at)->ops->n);
    for (int i = 0; vary && i < 12; i++)
        G[i] = known ? w.ds[k][i] : NAN;
    if (vary)
        tn_own_gradient_on_bodies(at, G);
    return known ? w.s[k] : NAN;
}

static double component(tn_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

double tn_touch_point(const tn_pair *at, int k, bool vary, double G[12])
{
    tn_touch_world w;
    const bool known = tn_touch_see(at, vary, &w);
    TN_ASSERT(k >= 0 && k < 3);
    for (int i = 0; vary && i < 12; i++)
        G[i] = known ? component(w.dx[i], k) + (i == k ? 1.0 : 0.0) : NAN;
    if (vary)
        tn_own_gradient_on_bodies(at, G);
    return known ? component(at->a.x.p, k) + component(w.x, k) : NAN;
}

void tn_touch_gradient(const tn_pair *at, double G[12])
{
    tn_touch_world w;
    if (!tn_touch_see(at, false, &w)) {
        no_numbers(12, G);
        return;
    }
    tn_touch_wrench(w.n, w.x, w.y, G);
    tn_own_gradient_on_bodies(at, G);
}

void tn_touch_hessian(const tn_pair *at, double scale, double H[12][12])
{
    tn_touch_world w;
    double own[12][12];
    if (!tn_touch_see(at, true, &w)) {
        no_numbers(144, &H[0][0]);
        return;
    }
    tn_touch_wrench_vary(at, &w, w.n, w.dn, own);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++)
            H[i][k] += scale * own[i][k];
}
