// SPDX-License-Identifier: MIT
//
// Velocities with which two bodies slip on each other where they touch: at the contact of shapes
// (touch.h), or at the origin of B on the plane z of A. With the normal n, from A to B, and an axis
// e that is not along it,
//
//   t_1 = (e x n) / |e x n|,   t_2 = n x t_1,   u_i = t_i . (v_B - v_A) of the material there
//
// In the plane e is its normal, and there is t_1 alone; in space e is the axis of A that is most
// across the normal at the begin of a step, of a plane y, so that t_1 = a_x and t_2 = a_y. With
// T = |e x n| and de = theta_A x e:
//
//   dt_1 = (I - t_1 t_1^T) (de x n + e x dn) / T,   dt_2 = dn x t_1 + n x dt_1
//
// Gradients are wrenches of t_i at the contact, as that of the gap is one of n.

#include "row/row.h"

#include "row/own_row.h"
#include "row/touch.h"

#include <math.h>

// The axis of A that is most across a normal in axes of A.
static int axis_across(tn_vec3 n)
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    return y <= x && y <= z ? TN_Y : x <= z ? TN_X : TN_Z;
}

static bool see_contact(const tn_row *row, const tn_pair *at, bool vary, tn_touch_world *w)
{
    if (row->j)
        return tn_touch_see(at, vary, w);
    *w = (tn_touch_world){.n = tn_m3_column(at->a.x.R, TN_Z), .x = tn_v3_sub(at->b.x.p, at->a.x.p)};
    for (int k = 0; k < 3; k++) {
        const tn_vec3 unit = tn_v3(k == TN_X, k == TN_Y, k == TN_Z);
        w->dn[TN_MA + k] = tn_v3_cross(unit, w->n);
        w->dx[TN_FA + k] = tn_v3_neg(unit);
        w->dx[TN_FB + k] = unit;
    }
    return true;
}

static tn_vec3 reference(const tn_row *row, const tn_pair *at, tn_vec3 n)
{
    if (row->k)
        return tn_v3(0.0, 0.0, 1.0);
    const tn_touch *touch = row->j ? at->own->contact.touch : NULL;
    return tn_m3_column(at->a.x.R, !touch        ? TN_Y
                                   : touch->held ? axis_across(touch->normal)
                                                 : axis_across(tn_m3_apply_t(at->a.x.R, n)));
}

// False where nothing touches; the derivatives of t on request.
static bool see_slip(const tn_row *row, const tn_pair *at, bool vary, tn_touch_world *w, tn_vec3 *t,
                     tn_vec3 dt[12])
{
    if (!see_contact(row, at, vary, w))
        return false;
    const tn_vec3 e = reference(row, at, w->n), across = tn_v3_cross(e, w->n);
    const double size = tn_v3_norm(across);
    const tn_vec3 t1 = tn_v3_scale(1.0 / size, across);
    *t = row->i == 0 ? t1 : tn_v3_cross(w->n, t1);
    for (int k = 0; vary && k < 12; k++) {
        const tn_vec3 turn = tn_v3(k == TN_MA, k == TN_MA + 1, k == TN_MA + 2);
        const tn_vec3 de = row->k ? tn_v3(0.0, 0.0, 0.0) : tn_v3_cross(turn, e);
        const tn_vec3 d = tn_v3_add(tn_v3_cross(de, w->n), tn_v3_cross(e, w->dn[k]));
        const tn_vec3 d1 = tn_v3_scale(1.0 / size, tn_v3_axpy(-tn_v3_dot(t1, d), t1, d));
        dt[k] = row->i == 0 ? d1 : tn_v3_add(tn_v3_cross(w->dn[k], t1), tn_v3_cross(w->n, d1));
    }
    return true;
}

void tn_slip_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    tn_touch_world w;
    tn_vec3 t;
    const bool touches = see_slip(row, at, false, &w, &t, NULL);
    for (int i = 0; !touches && i < 12; i++)
        G[i] = NAN;
    if (!touches)
        return;
    tn_touch_wrench(t, w.x, w.y, G);
    tn_own_gradient_on_bodies(at, G);
}

void tn_slip_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    tn_touch_world w;
    tn_vec3 t, dt[12];
    double own[12][12] = {{0}};
    const bool touches = see_slip(row, at, true, &w, &t, dt);
    if (touches)
        tn_touch_wrench_vary(at, &w, t, dt, own);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++)
            H[i][k] += touches ? scale * own[i][k] : NAN;
}
