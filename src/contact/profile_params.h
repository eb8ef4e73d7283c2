// SPDX-License-Identifier: MIT
//
// Profiles in parameter tables: rows for a tn_profile_def that is `member` of a joint, with keys
// that end with `end`; and what kinds that touch share.

#pragma once

#include "contact/profile.h"
#include "row/row.h"
#include "text/param.h"

#define TN_PROFILE_PARAM(member, kind, key, unit, ...) \
    TN_PARAM(tn_joint_def, member, kind, key, unit, __VA_ARGS__)

#define TN_PROFILE_PARAMS(profile, end, words)                                                     \
    TN_PROFILE_PARAM(profile.npoint, TABLE, "points" end, "m",                                     \
                     .text =                                                                       \
                         words ": points that a curve goes through, a quintic spline; closed, "    \
                               "unless open" end " is true"),                                      \
        TN_PROFILE_PARAM(profile.x_of, TEXT, "x" end, "m", .role = TN_ROLE_CURVE,                  \
                         .text = "instead of points: x as an expression of s"),                    \
        TN_PROFILE_PARAM(profile.y_of, TEXT, "y" end, "m", .role = TN_ROLE_CURVE,                  \
                         .text = "y as an expression of s"),                                       \
        TN_PROFILE_PARAM(profile.from, NUMBER, "from" end, "", .fallback = 0.0,                    \
                         .text = "s at the beginning of such a curve"),                            \
        TN_PROFILE_PARAM(profile.to, NUMBER, "to" end, "", .fallback = 6.283185307179586,          \
                         .text = "s at its end; it is closed where beginning and end agree"),      \
        TN_PROFILE_PARAM(profile.open, BOOL, "open" end, "",                                       \
                         .text = "the curve through the points has ends"),                         \
        TN_PROFILE_PARAM(profile.other_side, BOOL, "other_side" end, "",                           \
                         .text = "the other body is inside of a closed curve, or to the right of " \
                                 "an open one, not outside or to the left")

#define TN_LIFT_OFF_PARAM                                                                         \
    TN_PROFILE_PARAM(contact.lift_off, CHOICE, "lift_off", "", .choices = tn_lift_off_names,      \
                     .text = "where the contact would have to pull: end the run, tell it and go " \
                             "on, or ignore it")

extern const char *const tn_lift_off_names[];

// For the couplings whose shapes touch: their one row is the gap.
extern const tn_row tn_touch_rows[1];
extern const char *const tn_touch_row_names[1];
#define TN_TOUCH_ROWS                                                                    \
    .dim = 3, .coupling = true, .relative = true, .free_side = 1, .rows = tn_touch_rows, \
    .nrow = 1, .row_names = tn_touch_row_names

static inline bool tn_profile_is_stated(const tn_profile_def *def)
{
    return def->npoint > 0 || def->x_of || def->y_of;
}

// The keys of a profile, for errors.
typedef struct tn_profile_keys {
    const char *points, *x, *y, *from, *to;
    const char *open; // NULL where points are never closed
} tn_profile_keys;

#define TN_PROFILE_KEYS(end)                                             \
    {                                                                    \
        "points" end, "x" end, "y" end, "from" end, "to" end, "open" end \
    }

// A checked profile of a definition; `what` is "joint 'valve'".
tn_status tn_profile_create(const tn_model *model, const tn_profile_def *def, const char *what,
                            const tn_profile_keys *keys, tn_profile **out);
