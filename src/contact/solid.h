// SPDX-License-Identifier: MIT
//
// Simple solids that touch: what lies below the x, y plane of its frame, and balls and capsules,
// which are all that is nearer than a radius to a core: the origin of the frame, or a segment
// along x whose middle the origin is. A hollow solid is what is outside of that.
//
// The gap of two solids is the distance of their cores less both radii, so that nearest features of
// the cores decide. With core points a of A and b of B, m = (b - a)/|b - a| and rho = |b - a|:
//
//   g = rho - r_A - r_B,  n = m,     or inside of a hollow solid   g = r_A - rho - r_B,  n = -m
//
// There are no contact coordinates: the features follow from the placement alone, in each
// evaluation, and where a place comes to the end of a segment g and its first derivative are
// continuous. Only of a capsule on a plane, or in a hollow solid, one end or the other touches: the
// number s[0] says which (row/touch.h).
//
// With the velocity v of B at b, its turn w, tangents t of the segments on which a place moves and
// P = 1 - m m^T,
//
//   point and point   m' = P v / rho
//   point and line    m' = (P - t t^T) v / rho, and -t (m . t') where the line is that of B
//   line and line     m' = P (t_A x t_B') / |t_A x t_B|, or its opposite
//   place on B        s' = -(v - rho m') . (m x t_A) / (t_B . (m x t_A)) of two lines,
//                     else -rho m . t_B' - t_B . v

#pragma once

#include "row/touch.h"
#include "text/param.h"

enum { TN_SOLID_PLANE, TN_SOLID_SPHERE, TN_SOLID_CAPSULE };

extern const char *const tn_solid_names[];
extern const tn_touch_ops tn_solid_touch;

// The rows of a parameter table, of a tn_solid_pair that is `member` of a definition struct.
#define TN_SOLID_PARAMS(def, member)                                                              \
    TN_PARAM(def, member.a.kind, CHOICE, "a", "", .choices = tn_solid_names,                      \
             .fallback = TN_SOLID_PLANE,                                                          \
             .text = "the shape of body A: plane, what lies below the x, y plane of its frame, "  \
                     "also when left out; sphere, about its origin; capsule, a sphere that is "   \
                     "drawn along x"),                                                            \
        TN_PARAM(def, member.b.kind, CHOICE, "b", "", .choices = tn_solid_names,                  \
                 .fallback = TN_SOLID_SPHERE,                                                     \
                 .text = "the shape of body B; sphere when left out"),                            \
        TN_PARAM(def, member.a.radius, NUMBER, "radius_a", "m", .range = TN_NONNEGATIVE,          \
                 .text = "of the sphere or capsule of body A; 0: a point or a line"),             \
        TN_PARAM(def, member.b.radius, NUMBER, "radius_b", "m", .range = TN_NONNEGATIVE,          \
                 .text = "of that of body B"),                                                    \
        TN_PARAM(def, member.a.length, NUMBER, "length_a", "m", .range = TN_NONNEGATIVE,          \
                 .text = "of the capsule of body A, between the centres of its round ends, half " \
                         "of it on each side of the origin of its frame"),                        \
        TN_PARAM(def, member.b.length, NUMBER, "length_b", "m", .range = TN_NONNEGATIVE,          \
                 .text = "of that of body B"),                                                    \
        TN_PARAM(def, member.hollow, BOOL, "hollow", "",                                          \
                 .text = "body B is within the sphere or capsule of body A, not outside")

// Checks two solids on bodies that are checked themselves; `what` is "joint 'bowl'".
tn_status tn_solids_check(const tn_model *model, const tn_joint_def *at, const tn_solid_pair *def,
                          const char *what);
