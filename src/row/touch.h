// SPDX-License-Identifier: MIT
//
// Shapes of two bodies that stay in touch [Arn16, Sect. 4.1]. Contact coordinates s say where: on a
// curve of A, on a curve of B. They are found from the placement w of B against A,
//
//   h(w, s) = 0,   0 = g(w, s) = n . (c_B - c_A),                            [Arn16, eqs. 44e, 44f]
//
// where h says that the surfaces have one normal n there. On h = 0 the derivatives of g by s vanish
// [Arn16, after eq. 43], so that g' = n . (velocity of B - that of A) where they touch. As h_s is
// regular where there is one contact point, s is a function of w: each evaluation of the row g (the
// form TOUCH of row.h) solves for s, and every formulation and all coordinates take such a row as
// they take others. With b = c_B - p, the arm in B,
//
//   s_w = -h_s^-1 h_w,   G = (n, b x n),   H = dG/dw = G_w + G_s s_w.
//
// A kind of contact computes n, c_B and h with their derivatives (tn_touch_seen), in SI units and
// in axes of frame A; touch.c does the rest.

#pragma once

#include "base/status.h"
#include "tenon/model.h"

#include <stdbool.h>

struct tn_row;
struct tn_pair;

enum { TN_TOUCH_COORDS = 4, TN_TOUCH_STARTS = 16 };

typedef struct tn_touch tn_touch;

// The geometry of a contact at s. Variations w of B against A are a shift and a turn, (dp, dtheta)
// with dR = skew(dtheta) R.
typedef struct tn_touch_seen {
    tn_vec3 n, c; // normal of A, and c_B
    tn_vec3 arm;  // the part of c that turns with B: c_B - p of a curve, zero of a roller
    tn_vec3 n_s[TN_TOUCH_COORDS], c_s[TN_TOUCH_COORDS];
    tn_vec3 n_w[6]; // zero where the normal is one of A alone
    tn_vec3 c_w[6]; // of c, beside that of the material of B
    double gap;     // g [m]
    double h[TN_TOUCH_COORDS], h_s[TN_TOUCH_COORDS][TN_TOUCH_COORDS], h_w[TN_TOUCH_COORDS][6];
    // Change of s beside -h_s^-1 h_w, where it is not counted on the material of B.
    double s_w[TN_TOUCH_COORDS][6];
    double single; // above zero while the surfaces part on all sides of the contact; no unit
    // Among all places with a common normal the shapes touch at the one with the least order [m]:
    // the distance from a point or the centre of a ball, as a normal may go through a solid;
    // otherwise g.
    double order;
} tn_touch_seen;

struct tn_pen;

typedef struct tn_touch_ops {
    // Contact coordinates; 0 where the placement gives the contact in closed form. A number s[n]
    // stays as a start has it: which of several places it is.
    int n;
    bool crosses;             // the normal is that of two tangents: parallel ones turn it over
    const char *const *names; // of them
    const char *(*place)(const double *s); // in words, where there are none
    void (*see)(const tn_touch *touch, tn_frame X, const double *s, tn_touch_seen *out);
    // The points of A and of B at s, each in its frame [m]; those of a body whose contact is always
    // one point, or on a plane, are zero. NULL without contact coordinates.
    void (*points)(const tn_touch *touch, const double *s, tn_vec3 c[2]);
    // Places from which a search finds all contacts that there may be; returns how many.
    int (*starts)(const tn_touch *touch, tn_frame X, double s[][TN_TOUCH_COORDS]);
    // Returns true if no other place of either shape is nearer to where the other one would touch:
    // else the common normal goes through a solid. NULL where `order` decides.
    bool (*counts)(const tn_touch *touch, tn_frame X, const tn_touch_seen *seen);
    // Returns true if s is on the shapes, not beyond their ends; puts periodic coordinates into
    // their range.
    bool (*within)(const tn_touch *touch, double *s);
    // Describes a placement for which the shapes of the kind are not made, as the end of a
    // sentence: "the planes ... are not parallel". NULL where there is none.
    const char *(*wrong)(const tn_touch *touch, tn_frame X);
    // Draws the shape of A, or that of B, in its frame (contact/outline.h).
    void (*draw)(const tn_touch *touch, bool of_b, struct tn_pen *pen);
    size_t room; // of the shapes [bytes]
    // Makes the shapes, which are zero, by a checked definition, and fills in the numbers that
    // follow from them. The caller clears the rest of a failure.
    tn_status (*make)(tn_touch *touch, const tn_model *model, const tn_joint_def *def,
                      const char *what);
    void (*clear)(void *shapes);
} tn_touch_ops;

struct tn_touch {
    const tn_touch_ops *ops;
    void *shapes;                      // as the kind has them, SI units
    double reach[TN_TOUCH_COORDS];     // largest change in one iteration, by coordinate
    const char *unit[TN_TOUCH_COORDS]; // of the coordinates; "" where an expression has its own
    const char *none;                  // why there may be no contact at all, and what to do
    double size;                       // of the shapes [m]
    double length;                     // a unit of length of the model in m
    const tn_touch *source;            // of a copy, which owns no shapes
    bool held;                         // evaluations search near `from`; otherwise everywhere
    double from[TN_TOUCH_COORDS];
    tn_vec3 normal; // there
    tn_frame last;  // of the last contact: the placement of B in A
    double s[TN_TOUCH_COORDS];
    tn_touch_seen seen;
    bool known;
};

tn_status tn_touch_create(const tn_touch_ops *ops, const tn_model *model, const tn_joint_def *def,
                          const char *what, tn_touch **out);
// A copy for a model in other units, which shares the shapes; tn_free it.
tn_status tn_touch_copy(const tn_touch *touch, double length, tn_touch **out);
void tn_touch_destroy(tn_touch *touch); // NULL is fine

// Finds the contact of A and B, frames in units of the model. False where they have no single
// contact.
bool tn_touch_find(tn_touch *touch, tn_frame a, tn_frame b, double *s, tn_touch_seen *seen);
// From now on contacts are searched for near the one at this placement: the state before a step.
void tn_touch_hold(tn_touch *touch, tn_frame a, tn_frame b);
// As `wrong` of its kind, NULL where nothing is.
const char *tn_touch_wrong(const tn_touch *touch, tn_frame a, tn_frame b);
// Returns true if the shapes come nearer to each other, or are in each other deeper, at another
// place than where they are held; `other` is there.
bool tn_touch_elsewhere(const tn_touch *touch, tn_frame a, tn_frame b, double *other,
                        tn_touch_seen *seen);

// Distance of the shapes between the contact that is held and the one at s, both counted along
// them, from polynomials of degree 8 [m]: steps that long may miss as much of them.
double tn_touch_bulge(const tn_touch *touch, const double *s);
// The part of the way from the contact that is held to the one at s that is on the shapes, and true
// if the rest is round-off.
double tn_touch_part_within(const tn_touch *touch, const double *s, bool *at_end);

// A contact in the world, in units of the model: the normal, and where it is from the origins of
// frames A and B, with derivatives by the variations (dp_a, ta, dp_b, tb) of both frames.
typedef struct tn_touch_world {
    tn_vec3 n, x, y;
    tn_vec3 dn[12], dx[12], dy[12];
    double s[TN_TOUCH_COORDS], ds[TN_TOUCH_COORDS][12];
} tn_touch_world;

// False where there is no contact; derivatives on request.
bool tn_touch_see(const struct tn_pair *at, bool vary, tn_touch_world *out);
// The wrench of a force f at the contact, on A and on B, and how it varies.
void tn_touch_wrench(tn_vec3 f, tn_vec3 x, tn_vec3 y, double G[12]);
void tn_touch_wrench_vary(const struct tn_pair *at, const tn_touch_world *w, tn_vec3 f,
                          const tn_vec3 df[12], double H[12][12]);

// Contact coordinate k, in SI units, or component k of the contact in the world, in units of the
// model, and its derivatives by motions of bodies, on request.
double tn_touch_coordinate(const struct tn_pair *at, int k, bool vary, double G[12]);
double tn_touch_point(const struct tn_pair *at, int k, bool vary, double G[12]);

// As the functions of row.h, of TN_ROW_TOUCH; no numbers where there is no contact.
double tn_touch_value(const struct tn_pair *at);
void tn_touch_gradient(const struct tn_pair *at, double G[12]);
void tn_touch_hessian(const struct tn_pair *at, double scale, double H[12][12]);
