// SPDX-License-Identifier: MIT
//
// Motions without inertia in joint coordinates without rows, by the recursions of tree_massless.h:
// S is the basis N of the null space of M that belongs to the singular directions of the joints.
// S^T x is the residual of a solution in the equations, S z a forward recursion. No force of
// inertia and no gravity has a part in S^T f, at any velocity, so that
//
//   S^T D S = - sum over force elements of V^T D_w V,   V the twists of their bodies in the motions
//
// with the tangents K_w, D_w of their loads. A motion moves few bodies: each body keeps a list of
// those that move it. Along a motion of the system the loads change by K_w V + D_w V' (and by time,
// which is the caller's), and with S held
//
//   S^T (K v + D a) = S^T (K_t v + D_t a) - sum V^T (K_w V + D_w V')
//
// where K_t, D_t are those of the tree with loads that are constant in world axes (tree_linear.h).

#include "coords/joint_coords_parts.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

#include <math.h>

// Shares: all bodies in all motions where that is not much, else some for each body.
enum { SHARES = 1000000, SHARES_EACH = 16 };
// Motions up to which any two may be coupled; of more some that are near each other.
enum { FULL = 100 };
// Inertia, relative to its parts, that motions may get which had none.
static const double LOOSE = 1e-6;

static void layout_joint_system_massless(void *self, tn_carve *mem)
{
    joint_coords *s = self;
    joint_coords_massless *ml = &s->massless;
    const int n = s->tree->n;
    ml->direction = tn_carve_bytes(mem, sizeof *ml->direction * (size_t)s->base.nv);
    TN_CARVE_INTS(mem, n, &ml->first, &ml->place);
    ml->V = tn_carve_bytes(mem, sizeof *ml->V * (size_t)n);
    ml->x = tn_carve_doubles(mem, s->base.nv);
}

// Most of it is never touched, so that it takes addresses but no memory.
static tn_status take_shares(joint_coords *s)
{
    joint_coords_massless *ml = &s->massless;
    const size_t n = (size_t)s->tree->n, all = n * (size_t)ml->count, some = n * SHARES_EACH;
    ml->most = (int)(all <= SHARES ? all : some > SHARES ? some : SHARES);
    ml->share = tn_resize(NULL, sizeof *ml->share * (size_t)ml->most);
    return ml->share ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

void tn_joint_coords_close_massless(joint_coords *s)
{
    tn_tree_linear_destroy(s->massless.linear);
    TN_FREE(s->massless.share, s->massless.block);
    s->massless = (joint_coords_massless){0};
}

// Factors, and accelerations where a is not NULL. A motion without inertia at the start may get
// some by round-off: axes that are in line because the motion leaves them so.
static tn_status recur(joint_coords *s, double *a, int *count)
{
    tn_tree_massless *out = s->massless.direction;
    const double tol[2] = {s->massless.tol, fmax(LOOSE, s->massless.tol)};
    s->massless.shared = false;
    s->known = JOINT_COORDS_MOTION;
    *count = -1;
    for (int k = 0; k < 2 && *count < s->massless.count; k++) {
        tn_tree_set_singular_tol(s->tree, tol[k]);
        TN_TRY(a ? tn_tree_accelerate_massless(s->tree, NULL, a, count, out)
                 : tn_tree_factor_massless(s->tree, count, out));
    }
    return TN_OK;
}

static tn_status factor_joint_system_massless(tn_system *self, const tn_point *at, int *count)
{
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_place(s, at, PLACED_USED);
    return recur(s, NULL, count);
}

static tn_status accelerate_joint_system_massless(tn_system *self, const tn_point *at, double *a,
                                                  int *count)
{
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_place(s, at, PLACED_USED);
    tn_joint_coords_load_forces(s, at);
    return recur(s, a, count);
}

static void reduce_joint_system_massless(void *self, const double *x, double *out)
{
    joint_coords *s = self;
    s->known = JOINT_COORDS_MOTION;
    tn_copy(s->base.nv, x, s->massless.x);
    tn_tree_solve_massless(s->tree, s->massless.x, out);
}

static void expand_joint_system_massless(void *self, double scale, const double *z, double *x)
{
    joint_coords *s = self;
    s->known = JOINT_COORDS_MOTION;
    tn_tree_massless_sum(s->tree, z, s->massless.x);
    tn_axpy(s->base.nv, scale, s->massless.x, x);
}

// Shares ------------------------------------------------------------------------------------------

static void add_share(joint_coords *s, int motion, int place, tn_twist V)
{
    TN_ASSERT(s->massless.nshare < s->massless.most && place > 0 && place < s->tree->n);
    joint_coords_massless *ml = &s->massless;
    const int body = s->tree->body[place].body;
    joint_coords_share *share = &ml->share[ml->nshare];
    *share = (joint_coords_share){.motion = motion, .next = ml->first[place]};
    tn_v3_to(tn_v3_add(V.v, tn_v3_cross(V.w, s->arm[body])), share->V);
    if (!joint_coords_is_point(s, body))
        tn_v3_to(V.w, share->V + 3);
    ml->first[place] = ml->nshare++;
}

// Lists the bodies that move in each motion; the point has been posed.
static tn_status share(joint_coords *s)
{
    joint_coords_massless *ml = &s->massless;
    if (ml->shared)
        return TN_OK;
    s->known = JOINT_COORDS_MOTION;
    ml->nshare = 0;
    for (int k = 0; k < s->tree->n; k++)
        ml->first[k] = -1;
    for (int m = 0; m < ml->count; m++) {
        const int n = tn_tree_massless_bodies(s->tree, &ml->direction[m], ml->place, ml->V);
        if (ml->nshare + n > ml->most)
            return tn_fail(TN_ERR_MEMORY,
                           "the %d motions without inertia move more than %d bodies, too many to "
                           "remember; take @absolute",
                           ml->count, ml->most);
        for (int k = 0; k < n; k++)
            add_share(s, m, ml->place[k], ml->V[k]);
    }
    ml->shared = true;
    return TN_OK;
}

// -V_i^T X V_j for all motions that move the bodies of a force element.
static void joint_coords_massless_add_element(const joint_coords *s, const int place[2],
                                              double (*X)[12], int band, double *out)
{
    const joint_coords_massless *ml = &s->massless;
    for (int e = 0; e < 2; e++)
        for (int j = ml->first[place[e]]; j >= 0; j = ml->share[j].next) {
            double load[12];
            for (int k = 0; k < 12; k++)
                load[k] = tn_dot(6, X[k] + 6 * e, ml->share[j].V);
            double *column = out + tn_band_at(band, 0, ml->share[j].motion);
            for (int d = 0; d < 2; d++)
                for (int i = ml->first[place[d]]; i >= 0; i = ml->share[i].next)
                    column[ml->share[i].motion] -= tn_dot(6, ml->share[i].V, load + 6 * d);
        }
}

static void ends_of(const joint_coords *s, const abs_pair *p, int place[2])
{
    place[0] = s->tree->place[p->a];
    place[1] = s->tree->place[p->b];
}

static bool takes_part(const joint_coords *s, const int place[2])
{
    return s->massless.first[place[0]] >= 0 || s->massless.first[place[1]] >= 0;
}

// V^T w for all motions that move the bodies of a force element.
static void joint_coords_massless_add_load(const joint_coords_massless *ml, const int place[2],
                                           double scale, const double *w, double *out)
{
    for (int e = 0; e < 2; e++)
        for (int i = ml->first[place[e]]; i >= 0; i = ml->share[i].next)
            out[ml->share[i].motion] += scale * tn_dot(6, ml->share[i].V, w + 6 * e);
}

static tn_status force(joint_coords *s, const tn_point *at, double *out)
{
    const absolute *w = s->base.world;
    const abs_point here = tn_joint_coords_here(s, at);
    tn_joint_coords_place(s, at, PLACED_USED);
    TN_TRY(share(s));
    tn_zero(s->massless.count, out);
    for (int k = 0; k < w->nforce; k++) {
        const abs_force *f = &w->force[k];
        const abs_pair *p = &w->pair[f->pair];
        int place[2];
        ends_of(s, p, place);
        if (!takes_part(s, place))
            continue;
        const tn_load load = tn_absolute_load(w, &here, f);
        joint_coords_massless_add_load(&s->massless, place, 1.0, load.w, out);
    }
    return TN_OK;
}

static tn_status force_joint_system_massless(void *self, const tn_point *at, unsigned want,
                                             double *out)
{
    joint_coords *s = self;
    s->base.evals++;
    TN_TRY(force(s, at, out));
    if (tn_all_finite(s->massless.count, out))
        return TN_OK;
    TN_TRY(tn_system_eval(&s->base, at, want)); // names the number that is not finite
    reduce_joint_system_massless(s, s->base.f, out);
    return TN_OK;
}

// S^T M = 0 at all times, and there are no rows.
static tn_status residual_joint_system_massless(void *self, const tn_point *at, double *out)
{
    joint_coords *s = self;
    TN_TRY(force_joint_system_massless(s, at, TN_EVAL_FORCE, out));
    tn_scale(s->massless.count, -1.0, out);
    return TN_OK;
}

// Largest distance between the motions that the bodies of a force element share.
static int spread_of(const joint_coords_massless *ml, const int place[2])
{
    int least = ml->count, most = -1;
    for (int e = 0; e < 2; e++)
        for (int i = ml->first[place[e]]; i >= 0; i = ml->share[i].next) {
            const int motion = ml->share[i].motion;
            least = motion < least ? motion : least;
            most = motion > most ? motion : most;
        }
    return most - least;
}

static tn_status band_of(void *self, const tn_point *at, int *band)
{
    joint_coords *s = self;
    const absolute *w = s->base.world;
    tn_joint_coords_place(s, at, PLACED_USED);
    TN_TRY(share(s));
    *band = 0;
    for (int k = 0; k < w->nforce; k++) {
        int place[2];
        ends_of(s, &w->pair[w->force[k].pair], place);
        const int spread = takes_part(s, place) ? spread_of(&s->massless, place) : 0;
        *band = spread > *band ? spread : *band;
    }
    if (*band > s->massless.widest)
        return tn_fail(TN_RETRY_FUNCTION,
                       "at t = %.6g s force elements couple more motions without inertia than at "
                       "the start, and there is no room for so many; take @absolute",
                       at->t);
    return TN_OK;
}

static void joint_coords_massless_tangent(void *self, const tn_point *at, int which, int band,
                                          double *out, double *size)
{
    joint_coords *s = self;
    TN_ASSERT(band >= 0 && (which == 0 || which == 1));
    const absolute *w = s->base.world;
    const abs_point here = tn_joint_coords_here(s, at);
    *size = 0.0;
    tn_zero(tn_band_size(s->massless.count, band), out);
    for (int k = 0; k < w->nforce; k++) {
        int place[2];
        ends_of(s, &w->pair[w->force[k].pair], place);
        if (!takes_part(s, place))
            continue;
        tn_load_tangent T = tn_absolute_load_tangent(w, &here, &w->force[k]);
        double(*X)[12] = which == 0 ? T.K : T.D;
        *size = fmax(*size, tn_norm_inf(144, X[0]));
        joint_coords_massless_add_element(s, place, X, band, out);
    }
}

// The rate of a motion ----------------------------------------------------------------------------

static void twist_to(tn_twist V, double *x)
{
    tn_v3_to(V.v, x);
    tn_v3_to(V.w, x + 3);
}

// Twist and acceleration of a body of the world, at its centre of mass.
static void joint_coords_massless_motion_of(const joint_coords *s, int body, double *V, double *A)
{
    if (body == 0)
        return;
    tn_twist a = tn_joint_coords_acceleration(s, s->tree->place[body]);
    if (joint_coords_is_point(s, body))
        a.w = (tn_vec3){0};
    twist_to(s->base.world->body[body].V, V);
    twist_to(a, A);
}

// -V^T (K_w V + D_w V') of a force element.
static void add_load_rate(joint_coords *s, const abs_force *f, const tn_point *at, double *out)
{
    const joint_coords_massless *ml = &s->massless;
    const abs_pair *p = &s->base.world->pair[f->pair];
    double V[12] = {0}, A[12] = {0}, load[12];
    int place[2];
    ends_of(s, p, place);
    if (!takes_part(s, place))
        return;
    const abs_point here = tn_joint_coords_here(s, at);
    const tn_load_tangent T = tn_absolute_load_tangent(s->base.world, &here, f);
    joint_coords_massless_motion_of(s, p->a, V, A);
    joint_coords_massless_motion_of(s, p->b, V + 6, A + 6);
    for (int k = 0; k < 12; k++)
        load[k] = tn_dot(12, T.K[k], V) + tn_dot(12, T.D[k], A);
    joint_coords_massless_add_load(ml, place, -1.0, load, out);
}

static tn_status rate(void *self, const tn_point *at, double *out)
{
    joint_coords *s = self;
    tn_joint_coords_place(s, at, PLACED_USED);
    TN_TRY(share(s));
    tn_joint_coords_load_forces(s, at);
    tn_tree_residual(s->tree, NULL, at->a, s->work);
    s->known = JOINT_COORDS_MOTION;
    tn_tree_linear_set(s->massless.linear);
    tn_zero(s->base.nv, s->work);
    tn_tree_linear_times(s->massless.linear, 1.0, 0.0, 0.0, at->v, s->work);
    tn_tree_linear_times(s->massless.linear, 0.0, 1.0, 0.0, at->a, s->work);
    reduce_joint_system_massless(s, s->work, out);
    tn_tree_spread(s->tree, at->a);
    for (int k = 0; k < s->base.world->nforce; k++)
        add_load_rate(s, &s->base.world->force[k], at, out);
    return TN_OK;
}

// Opening -----------------------------------------------------------------------------------------

// Room for bands: that at the start, and more for what takes part in motions elsewhere.
static tn_status find_widest(joint_coords *s, const tn_point *at)
{
    joint_coords_massless *ml = &s->massless;
    int count, band;
    ml->widest = ml->count - 1;
    if (ml->count <= FULL)
        return TN_OK;
    TN_TRY(factor_joint_system_massless(&s->base, at, &count));
    TN_TRY(band_of(s, at, &band));
    band = 4 * band + FULL / 4;
    ml->widest = band < ml->widest ? band : ml->widest;
    return TN_OK;
}

static tn_status open_joint_system_massless(tn_system *self, const tn_point *at, double tol,
                                            int *count)
{
    TN_ASSERT(tol >= 0.0 && tol < 1.0);
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_close_massless(s);
    s->massless.tol = tol;
    tn_tree_set_singular_tol(s->tree, tol);
    tn_joint_coords_place(s, at, PLACED_USED);
    TN_TRY(tn_tree_factor_massless(s->tree, count, NULL));
    if (*count == 0)
        return TN_OK;
    s->massless.count = *count;
    TN_TRY(tn_carve_block(s, layout_joint_system_massless, &s->massless.block));
    TN_TRY(take_shares(s));
    TN_TRY(tn_tree_linear_create(s->tree, &s->massless.linear));
    return find_widest(s, at);
}

static int joint_coords_massless_widest(const tn_system *self)
{
    return ((const joint_coords *)self)->massless.widest;
}

const tn_massless_ops tn_joint_coords_massless = {
    .open = open_joint_system_massless,
    .factor = factor_joint_system_massless,
    .accelerate = accelerate_joint_system_massless,
    .widest = joint_coords_massless_widest,
    .motion =
        {
            .tangents = TN_EVAL_FORCE,
            .reduce = reduce_joint_system_massless,
            .expand = expand_joint_system_massless,
            .force = force_joint_system_massless,
            .residual = residual_joint_system_massless,
            .band = band_of,
            .tangent = joint_coords_massless_tangent,
            .rate = rate,
        },
};
