// SPDX-License-Identifier: MIT
//
// Linear coordinates z of a configuration group, for integrators that live in linear spaces.
//
//   z' = A(z) v          v = Y(z) z'          Y A = I
//
//   LOCAL        q = q0 o exp(z), z' = T(z)^-1 v, about a base q0 that moves with the steps: for
//                one-step methods (Munthe-Kaas). On linear factors z is q itself.
//   QUATERNION   R^3 x SO(3): z = (p, e), e of any length, the rotation is that of e / |e|, and
//                e' = e o (0, Omega) / 2 keeps the length: a drift of |e| changes no motion.
//   EULER        R^3 x SO(3): z = (p, three angles) in one of the twelve sequences of intrinsic
//                rotations; near its singularity another one must be taken (`is_good`, `base`).
//
// On a factor SO(3) there is no p. A and Y are block diagonal over the factors of the group.

#pragma once

#include "base/carve.h"
#include "lie/product.h"

typedef enum tn_chart_kind { TN_CHART_LOCAL, TN_CHART_QUATERNION, TN_CHART_EULER } tn_chart_kind;

static inline bool tn_chart_has_norm(tn_chart_kind kind) // of what carries a rotation
{
    return kind == TN_CHART_QUATERNION;
}

static inline bool tn_chart_has_angles(tn_chart_kind kind)
{
    return kind == TN_CHART_EULER;
}

static inline bool tn_chart_is_local(tn_chart_kind kind) // about a base that moves with the steps
{
    return kind == TN_CHART_LOCAL;
}

typedef struct tn_chart {
    tn_chart_kind kind;
    int ngroup, nq, nv;
    const tn_group *groups;
    int nz;        // coordinates in all
    int *z0;       // ngroup + 1: first coordinate of each factor
    int *sequence; // ngroup: of EULER, an index into tn_euler_sequences
    int wanted;    // sequence that is asked for, -1: any
    double *q0;    // nq: base of LOCAL
    bool linear;   // all factors are linear, in order: z is q
} tn_chart;

extern const char *const *const tn_euler_sequences; // "zxz", "zyx", …, NULL at the end
int tn_euler_sequence(const char *name);            // place among them; -1 for others and NULL

// Sizes first (nz and z0 come with the memory): QUATERNION and EULER cannot have a factor
// SE3, then the size is -1.
int tn_chart_size(tn_chart_kind kind, int ngroup, const tn_group *groups);
void tn_chart_layout(tn_chart *chart, tn_carve *mem); // kind, ngroup, nq, nv, groups are set
void tn_chart_open(tn_chart *chart, int sequence);    // after the layout; sequence or -1

// Takes q as the base of LOCAL, and for EULER the wanted sequence, or where that is near its
// singularity (or none is wanted) the one farthest from it. Returns whether the meaning of z has
// changed, so that multi-step methods must start anew.
bool tn_chart_base(tn_chart *chart, const double *q);
void tn_chart_values(tn_chart *chart, void *block, tn_values *v); // of a block of its own
// EULER: false where |sin| of the middle angle (its cosine for sequences of three axes) falls below
// 0.1; LOCAL: false where a rotation vector is longer than 2. Then `base` is due.
bool tn_chart_is_good(const tn_chart *chart, const double *z);
// LOCAL: false where a rotation vector is so long that T(z) is nearly singular, as it is at a turn.
bool tn_chart_reaches(const tn_chart *chart, const double *z);

void tn_chart_to_z(const tn_chart *chart, const double *q, double *z);
void tn_chart_to_q(const tn_chart *chart, const double *z, double *q);
void tn_chart_rates(const tn_chart *chart, const double *z, const double *v, double *zdot); // A v
void tn_chart_velocity(const tn_chart *chart, const double *z, const double *zdot,
                       double *v); // Y z'
// d(A v)/dz times dz, all factors.
void tn_chart_rates_along(const tn_chart *chart, const double *z, const double *v, const double *dz,
                          double *out);
// |e| of QUATERNION factors is made one in z; nothing else changes.
void tn_chart_renormalise(const tn_chart *chart, double *z);
// Typical sizes of z for relative errors: |p|, |q| on linear factors, one for rotations.
void tn_chart_sizes(const tn_chart *chart, const double *z, double *size);
