// SPDX-License-Identifier: MIT
//
// Range checks of parameter tables, and the words for ranges and types in messages and help.

#include "model/param.h"

#include "tenon/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static bool holds(tn_range range, double x)
{
    switch (range) {
    case TN_ANY:
    case TN_UNBOUNDED:
        return true;
    case TN_NONNEGATIVE:
        return x >= 0.0;
    case TN_POSITIVE:
        return x > 0.0;
    case TN_NONZERO:
        return x != 0.0;
    case TN_UNIT_INTERVAL:
        return x >= 0.0 && x <= 1.0;
    case TN_AT_LEAST_ONE:
        return x >= 1.0;
    }
    return false;
}

const char *tn_range_text(tn_range range)
{
    switch (range) {
    case TN_ANY:
        return "must be finite";
    case TN_NONNEGATIVE:
        return "must not be negative";
    case TN_POSITIVE:
        return "must be positive";
    case TN_NONZERO:
        return "must not be zero";
    case TN_UNIT_INTERVAL:
        return "must lie between 0 and 1";
    case TN_AT_LEAST_ONE:
        return "must be at least 1";
    case TN_UNBOUNDED:
        return "must be a number, and may be infinite";
    }
    return "";
}

const char *tn_param_type_text(tn_param_type type)
{
    switch (type) {
    case TN_PARAM_NUMBER:
        return "number";
    case TN_PARAM_INTEGER:
        return "whole number";
    case TN_PARAM_BOOL:
        return "true or false";
    case TN_PARAM_VEC3:
        return "three numbers";
    case TN_PARAM_ROTATION:
        return "rotation";
    case TN_PARAM_FUNCTION:
        return "number, expression in t or table";
    case TN_PARAM_FUNCTION3:
        return "three numbers, expressions in t or tables";
    case TN_PARAM_BODY:
        return "name of a body";
    case TN_PARAM_JOINT:
        return "name of a joint";
    case TN_PARAM_TABLE:
        return "list of [x, f] pairs";
    case TN_PARAM_CHOICE:
        return "one of a list of names";
    case TN_PARAM_TEXT:
        return "text";
    case TN_PARAM_NUMBERS:
        return "list of numbers";
    }
    return "";
}

static void set_default(const tn_param *p, void *at)
{
    switch (p->type) {
    case TN_PARAM_NUMBER:
        *(double *)at = p->fallback;
        break;
    case TN_PARAM_INTEGER:
    case TN_PARAM_CHOICE:
        *(int *)at = (int)p->fallback;
        break;
    case TN_PARAM_VEC3:
        *(tn_vec3 *)at = tn_v3(p->fallback, p->fallback, p->fallback);
        break;
    case TN_PARAM_BODY:
        *(tn_body *)at = (tn_body){-1};
        break;
    case TN_PARAM_JOINT:
        *(tn_joint *)at = (tn_joint){-1};
        break;
    default: // bools, rotations, functions and tables: the builder's own default stands
        break;
    }
}

void tn_params_default(int n, const tn_param *params, void *def)
{
    for (int i = 0; i < n; i++)
        set_default(&params[i], (char *)def + params[i].offset);
}

// `what` with its component, "" for none, and the unit, "" for none.
static tn_status check(tn_range range, double value, const char *unit, const char *what,
                       const char *component)
{
    if (isnan(value) || (range != TN_UNBOUNDED && !isfinite(value)))
        return tn_fail(TN_ERR_MODEL, "%s must be %s", what,
                       range == TN_UNBOUNDED ? "a number" : "finite");
    if (holds(range, value)) {
        if (value == 0.0 || fabs(value) >= DBL_MIN || range == TN_ANY)
            return TN_OK;
        return tn_fail(
            TN_ERR_MODEL,
            "%s%s is %g%s%s, too small for a number with all its digits; the smallest is "
            "2.3e-308, and 0 says that there is none",
            what, component, value, *unit ? " " : "", unit);
    }
    return tn_fail(TN_ERR_MODEL, "%s%s is %g%s%s; it %s", what, component, value, *unit ? " " : "",
                   unit, tn_range_text(range));
}

tn_status tn_range_check(tn_range range, double value, const char *what)
{
    return check(range, value, "", what, "");
}

static tn_status check_vector(const tn_param *p, const tn_vec3 *v, const char *what)
{
    TN_TRY(check(p->range, v->x, p->unit, what, " x"));
    TN_TRY(check(p->range, v->y, p->unit, what, " y"));
    return check(p->range, v->z, p->unit, what, " z");
}

static tn_status check_rotation(const tn_mat3 *R, const char *what)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            TN_TRY(check(TN_ANY, R->m[i][j], "", what, ""));
    return TN_OK;
}

static tn_status check_one(const tn_param *p, const void *at, const char *what)
{
    switch (p->type) {
    case TN_PARAM_NUMBER:
        return check(p->range, *(const double *)at, p->unit, what, "");
    case TN_PARAM_INTEGER:
        return check(p->range, *(const int *)at, p->unit, what, "");
    case TN_PARAM_VEC3:
        return check_vector(p, at, what);
    case TN_PARAM_ROTATION:
        return check_rotation(at, what);
    default: // functions, tables and references are checked where they are compiled
        return TN_OK;
    }
}

tn_status tn_params_check(int n, const tn_param *params, const void *def, const char *owner)
{
    char what[512];

    for (int i = 0; i < n; i++) {
        snprintf(what, sizeof(what), "%s: %s", owner, params[i].name);
        TN_TRY(check_one(&params[i], (const char *)def + params[i].offset, what));
    }
    return TN_OK;
}
