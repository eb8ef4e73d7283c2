// SPDX-License-Identifier: MIT
//
// Profiles from definitions; see profile_params.h.

#include "model/profile_params.h"

#include <math.h>
#include <stdio.h>

const char *const tn_lift_off_names[] = {"end", "tell", "ignore", NULL};

static tn_status check_stated(const tn_profile_def *def, const char *what, const char *end)
{
    const bool text = def->x_of || def->y_of;
    if (!def->npoint && !text)
        return tn_fail(TN_ERR_MODEL, "%s: the profile is missing; state points%s, or x%s and y%s",
                       what, end, end, end);
    if (def->npoint && text)
        return tn_fail(TN_ERR_MODEL,
                       "%s: the profile is stated twice, by points%s and by %c%s; leave one out",
                       what, end, def->x_of ? 'x' : 'y', end);
    if (text && (!def->x_of || !def->y_of))
        return tn_fail(TN_ERR_MODEL, "%s: %c%s of the profile is missing", what,
                       def->x_of ? 'y' : 'x', end);
    if (text && def->open)
        return tn_fail(TN_ERR_MODEL,
                       "%s: open%s is for points; a curve by expressions is closed where its ends "
                       "agree",
                       what, end);
    if (text && !(isfinite(def->from) && isfinite(def->to) && def->from < def->to))
        return tn_fail(TN_ERR_MODEL,
                       "%s: the profile goes from s = %g to s = %g; from%s must be less than to%s",
                       what, def->from, def->to, end, end);
    return TN_OK;
}

tn_status tn_profile_create(const tn_model *model, const tn_profile_def *def, const char *what,
                            const char *end, tn_profile **out)
{
    enum { WORDS = 600 };
    char words[WORDS];
    *out = NULL;
    TN_TRY(check_stated(def, what, end));
    snprintf(words, sizeof words, "%s: %s%s", what, def->npoint ? "points" : "profile", end);
    TN_TRY(def->npoint
               ? tn_profile_of_points(def->npoint, def->x, def->y, !def->open, words, out)
               : tn_profile_of_text(model, def->x_of, def->y_of, def->from, def->to, words, out));
    const tn_status status = tn_profile_check(*out, words);
    if (status != TN_OK) {
        tn_profile_destroy(*out);
        *out = NULL;
    }
    return status;
}
