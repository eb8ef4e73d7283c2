// SPDX-License-Identifier: MIT
//
// Contact display shapes (touch.h), for pictures: a few forms by points, in SI units, in frames
// that are fixed to frame A or B of their joint. No equation reads them.
//
//   plate   a polygon (x, y), thick along z
//   lathe   a line (r, y) that is turned about y
//   wire    a line (x, y, z)
//   sheet   a net of points (x, y, z), row by row

#pragma once

#include "contact/locus.h"
#include "contact/profile.h"

enum { TN_OUTLINE_POINTS = 129, TN_OUTLINE_NET = 33, TN_OUTLINE_NUMBERS = 3 * 33 * 33 };

typedef struct tn_form {
    const char *name;
    int width;   // numbers of a point
    bool turned; // about y
} tn_form;

extern const tn_form tn_form_plate, tn_form_lathe, tn_form_wire, tn_form_sheet;

typedef struct tn_outline {
    const tn_form *form;
    tn_frame frame;
    int n; // numbers
    double at[TN_OUTLINE_NUMBERS];
    int hole;        // of a plate: the number that begins the polygon of a hole; 0: it has none
    int columns;     // of a sheet
    bool closed;     // of a wire: it goes round
    double from, to; // of a plate, along z
    double
        beyond; // of a plate that goes along z as far as contacts do: how far behind them; else 0
    int color;  // of shape.h
} tn_outline;

// Whoever draws.
typedef struct tn_pen {
    void (*draw)(struct tn_pen *pen, const tn_outline *outline);
} tn_pen;

// The display shape of a form without points, in the frame itself.
tn_outline tn_outline_of(const tn_form *form);
void tn_outline_put(tn_outline *outline, double a, double b); // one point more of a plane form
void tn_outline_put_point(tn_outline *outline, tn_vec3 p);    // of a wire or sheet
// Point i as one in space, and how far from it the form is at most.
tn_vec3 tn_outline_point(const tn_outline *outline, int i, double *reach);
int tn_outline_count(const tn_outline *outline); // of its points

// A body whose edge is a profile, with the other body at the left (side 1) or right (-1) of it: a
// plate, a ring about what is inside, or a band along an open profile.
tn_outline tn_outline_of_profile(const tn_profile *profile, double side);
// The profile as a line alone.
void tn_outline_put_profile(tn_outline *outline, const tn_profile *profile);
tn_outline tn_outline_disc(double radius);
tn_outline tn_outline_ball(double radius);
// A ball that is drawn along x.
tn_outline tn_outline_capsule(double radius, double length);
tn_outline tn_outline_of_curve(const tn_locus *curve);
tn_outline tn_outline_of_surface(const tn_locus *surface);
