// SPDX-License-Identifier: MIT
//
// Profiles from definitions; see profile_params.h.

#include "contact/profile_params.h"

#include <math.h>
#include <stdio.h>

const tn_row tn_touch_rows[1] = {{.form = TN_ROW_TOUCH}};
const char *const tn_touch_row_names[1] = {"gap"};

const char *const tn_lift_off_names[] = {"end", "tell", "ignore", NULL};

static tn_status check_stated(const tn_profile_def *def, const char *what,
                              const tn_profile_keys *keys)
{
    const bool text = def->x_of || def->y_of;
    if (!def->npoint && !text)
        return tn_fail(TN_ERR_MODEL, "%s: the profile is missing; state %s, or %s and %s", what,
                       keys->points, keys->x, keys->y);
    if (def->npoint && text)
        return tn_fail(TN_ERR_MODEL,
                       "%s: the profile is stated twice, by %s and by %s; leave one out", what,
                       keys->points, def->x_of ? keys->x : keys->y);
    if (text && (!def->x_of || !def->y_of))
        return tn_fail(TN_ERR_MODEL, "%s: %s of the profile is missing", what,
                       def->x_of ? keys->y : keys->x);
    if (text && def->open)
        return tn_fail(TN_ERR_MODEL,
                       "%s: %s is for points; a curve by expressions is closed where its ends "
                       "agree",
                       what, keys->open);
    if (text && !(isfinite(def->from) && isfinite(def->to) && def->from < def->to))
        return tn_fail(TN_ERR_MODEL,
                       "%s: the profile goes from s = %g to s = %g; %s must be less than %s", what,
                       def->from, def->to, keys->from, keys->to);
    return TN_OK;
}

tn_status tn_profile_create(const tn_model *model, const tn_profile_def *def, const char *what,
                            const tn_profile_keys *keys, tn_profile **out)
{
    enum { WORDS = 600 };
    char words[WORDS];
    const char *const text[2] = {def->x_of, def->y_of}, *const names[2] = {keys->x, keys->y};
    *out = NULL;
    TN_TRY(check_stated(def, what, keys));
    if (def->npoint)
        snprintf(words, sizeof words, "%s: %s", what, keys->points);
    else
        snprintf(words, sizeof words, "%s: profile by %s and %s", what, keys->x, keys->y);
    TN_TRY(def->npoint ? tn_profile_of_points(def->npoint, def->x, def->y, !def->open, words, out)
                       : tn_profile_of_text(model, text, names, def->from, def->to, what, out));
    const tn_status status = tn_profile_check(*out, words);
    if (status != TN_OK) {
        tn_profile_destroy(*out);
        *out = NULL;
    }
    return status;
}
