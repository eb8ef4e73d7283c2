// SPDX-License-Identifier: MIT
//
// Rows of own joints in world axes: functions of two frames, with derivatives that the kind gives
// or that differences form. Values are counted in the units of the model.

#include "row/own_row.h"

#include "base/status.h"
#include "lie/so3.h"

#include <math.h>
#include <string.h>

// Variations --------------------------------------------------------------------------------------

const double tn_own_point[TN_OWN_POINTS] = {-2.0, -1.0, 1.0, 2.0};
const double tn_own_weight[TN_OWN_POINTS] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};

tn_frame tn_own_vary(tn_frame x, int k, double h)
{
    const tn_vec3 e = tn_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    TN_ASSERT(k >= 0 && k < 6);
    if (k < 3)
        x.p = tn_v3_axpy(h, e, x.p);
    else
        x.R = tn_m3_mul(tn_so3_exp(tn_v3_scale(h, e)), x.R);
    return x;
}

static void move_arm(tn_vec3 r, double *w)
{
    tn_v3_to(tn_v3_add(tn_v3_from(w + 3), tn_v3_cross(r, tn_v3_from(w))), w + 3);
}

void tn_own_gradient_on_bodies(const tn_pair *at, double G[12])
{
    move_arm(at->a.r, G);
    move_arm(at->b.r, G + 6);
}

void tn_own_matrix_on_bodies(const tn_pair *at, const double *f, double A[12][12])
{
    const tn_vec3 arm[2] = {at->a.r, at->b.r};
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 12; i++)
            move_arm(arm[end], A[i] + 6 * end); // A X: a row of A is a wrench
    for (int j = 0; j < 12; j++) {
        double column[12];
        for (int i = 0; i < 12; i++)
            column[i] = A[i][j];
        tn_own_gradient_on_bodies(at, column);
        for (int i = 0; i < 12; i++)
            A[i][j] = column[i];
    }
    for (int end = 0; f && end < 2; end++) {
        const tn_mat3 turn = tn_m3_mul(tn_m3_skew(tn_v3_from(f + 6 * end)), tn_m3_skew(arm[end]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                A[6 * end + 3 + i][6 * end + 3 + j] += turn.m[i][j];
    }
}

// Rows --------------------------------------------------------------------------------------------

static const tn_own_joint *table_of(const tn_joint_def *own)
{
    TN_ASSERT(own && own->own.table);
    return own->own.table;
}

tn_joint_at tn_own_joint_place(tn_frame a, tn_frame b, const tn_joint_def *own)
{
    const double length = tn_own_unit(&own->own, 0);
    return (tn_joint_at){tn_own_frame(a, length), tn_own_frame(b, length), own->own.at,
                         table_of(own)->kind.user};
}

static double row_unit(const tn_row *row, const tn_joint_def *own)
{
    return tn_row_is_length(row) ? tn_own_unit(&own->own, 0) : 1.0;
}

static tn_joint_at varied(tn_joint_at at, int k, double h)
{
    tn_frame *frame = k < 6 ? &at.a : &at.b;
    *frame = tn_own_vary(*frame, k % 6, h);
    return at;
}

// A change of a coordinate in rad, which may be off by turns.
static double change(const tn_own_joint *table, int i, double to, double from)
{
    const double turn = 6.283185307179586476925, d = to - from;
    return i < table->nrow || strcmp(table->coords[i - table->nrow].unit, "m") == 0
               ? d
               : d - turn * nearbyint(d / turn);
}

void tn_own_gradient_differences(const tn_own_joint *table, const tn_joint_at *at, int i,
                                 tn_own_steps steps, double G[12])
{
    const double here = table->value(at, i);
    memset(G, 0, 12 * sizeof *G);
    for (int k = 0; k < 12; k++)
        for (int n = 0; n < TN_OWN_POINTS; n++) {
            const double h = tn_own_step(&steps, k);
            const tn_joint_at moved = varied(*at, k, tn_own_point[n] * h);
            G[k] += tn_own_weight[n] / h * change(table, i, table->value(&moved, i), here);
        }
}

static void own_gradient(const tn_own_joint *table, const tn_joint_at *at, int i,
                         tn_own_steps steps, double G[12])
{
    memset(G, 0, 12 * sizeof *G);
    if (table->gradient)
        table->gradient(at, i, G);
    else
        tn_own_gradient_differences(table, at, i, steps, G);
}

void tn_own_hessian_differences(const tn_own_joint *table, const tn_joint_at *at, int i,
                                tn_own_steps steps, double H[12][12])
{
    memset(H, 0, 144 * sizeof **H);
    for (int k = 0; k < 12; k++)
        for (int n = 0; n < TN_OWN_POINTS; n++) {
            const double h = tn_own_step(&steps, k);
            const tn_joint_at moved = varied(*at, k, tn_own_point[n] * h);
            double G[12];
            own_gradient(table, &moved, i, steps, G);
            for (int j = 0; j < 12; j++)
                H[j][k] += tn_own_weight[n] / h * G[j];
        }
}

double tn_own_row_value(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own)
{
    const tn_joint_at at = tn_own_joint_place(a, b, own);
    return table_of(own)->value(&at, row->i) / row_unit(row, own);
}

void tn_own_frame_gradient(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                           double G[12])
{
    const double length = tn_own_unit(&own->own, 0), unit = row_unit(row, own);
    const tn_joint_at at = tn_own_joint_place(a, b, own);
    own_gradient(table_of(own), &at, row->i, tn_own_steps_for(length), G);
    for (int k = 0; k < 12; k++)
        G[k] *= (k % 6 < 3 ? length : 1.0) / unit;
}

void tn_own_frame_hessian(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                          double H[12][12])
{
    const double length = tn_own_unit(&own->own, 0), unit = row_unit(row, own);
    const tn_joint_at at = tn_own_joint_place(a, b, own);
    memset(H, 0, 144 * sizeof **H);
    if (table_of(own)->hessian)
        table_of(own)->hessian(&at, row->i, H);
    else
        tn_own_hessian_differences(table_of(own), &at, row->i, tn_own_steps_for(length), H);
    for (int j = 0; j < 12; j++)
        for (int k = 0; k < 12; k++)
            H[j][k] *= (j % 6 < 3 ? length : 1.0) * (k % 6 < 3 ? length : 1.0) / unit;
}

void tn_own_row_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    tn_own_frame_gradient(row, at->a.x, at->b.x, at->own, G);
    tn_own_gradient_on_bodies(at, G);
}

void tn_own_row_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    double G[12], own[12][12];
    tn_own_frame_gradient(row, at->a.x, at->b.x, at->own, G);
    tn_own_frame_hessian(row, at->a.x, at->b.x, at->own, own);
    tn_own_matrix_on_bodies(at, G, own);
    for (int j = 0; j < 12; j++)
        for (int k = 0; k < 12; k++)
            H[j][k] += scale * own[j][k];
}
