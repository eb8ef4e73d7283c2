// SPDX-License-Identifier: MIT
//
// Range checks of parameter tables, values as text, and the words for ranges and types in messages
// and help.

#include "text/param.h"

#include "base/alloc.h"
#include "tenon/model.h"
#include "text/join.h"
#include "text/measure.h"
#include "text/number.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
    static const char *const texts[] = {
        [TN_ANY] = "must be finite",
        [TN_NONNEGATIVE] = "must not be negative",
        [TN_POSITIVE] = "must be positive",
        [TN_NONZERO] = "must not be zero",
        [TN_UNIT_INTERVAL] = "must lie between 0 and 1",
        [TN_AT_LEAST_ONE] = "must be at least 1",
        [TN_UNBOUNDED] = "must be a number, and may be infinite",
    };
    return (int)range >= 0 && (int)range < TN_COUNT(texts) ? texts[range] : "";
}

const char *tn_param_type_text(tn_param_type type)
{
    static const char *const texts[] = {
        [TN_PARAM_NUMBER] = "number",
        [TN_PARAM_INTEGER] = "whole number",
        [TN_PARAM_BOOL] = "true or false",
        [TN_PARAM_VEC3] = "three numbers",
        [TN_PARAM_ROTATION] = "rotation",
        [TN_PARAM_FUNCTION] = "number, expression in t or table",
        [TN_PARAM_FUNCTION3] = "three numbers, expressions in t or tables",
        [TN_PARAM_BODY] = "name of a body",
        [TN_PARAM_JOINT] = "name of a joint",
        [TN_PARAM_TABLE] = "list of [x, f] pairs",
        [TN_PARAM_CHOICE] = "one of a list of names",
        [TN_PARAM_TEXT] = "text",
        [TN_PARAM_NUMBERS] = "list of numbers",
    };
    return (int)type >= 0 && (int)type < TN_COUNT(texts) ? texts[type] : "";
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
    case TN_PARAM_TEXT:
        if (p->word || p->choices)
            *(const char **)at = p->word ? p->word : p->choices[0];
        break;
    case TN_PARAM_BOOL: // if the table says nothing, the builder's own default stands
        *(bool *)at = *(bool *)at || p->fallback != 0.0;
        break;
    default: // rotations, functions and tables: the builder's own default stands
        break;
    }
}

void tn_params_default(int n, const tn_param *params, void *def)
{
    TN_ASSERT(def && (n == 0 || params));
    for (int i = 0; i < n; i++)
        set_default(&params[i], (char *)def + params[i].offset);
}

// `what` with its component, "" for none, and the unit, "" for none.
static tn_status check_param(tn_range range, double value, const char *unit, const char *what,
                             const char *component)
{
    TN_ASSERT(what && unit && component);
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
    return check_param(range, value, "", what, "");
}

static tn_status check_vector(const tn_param *p, const tn_vec3 *v, const char *what)
{
    TN_TRY(check_param(p->range, v->x, p->unit, what, " x"));
    TN_TRY(check_param(p->range, v->y, p->unit, what, " y"));
    return check_param(p->range, v->z, p->unit, what, " z");
}

static tn_status check_rotation(const tn_mat3 *R, const char *what)
{
    for (int k = 0; k < 9; k++)
        TN_TRY(check_param(TN_ANY, R->m[k / 3][k % 3], "", what, ""));
    return TN_OK;
}

static tn_status check_text(const tn_param *p, const char *text, const char *what)
{
    int n = 0;
    for (; text && p->choices && p->choices[n]; n++)
        if (strcmp(p->choices[n], text) == 0)
            return TN_OK;
    if (n == 0)
        return TN_OK;
    (void)tn_fail_unknown("value", text, n, p->choices);
    return tn_fail_within(TN_ERR_MODEL, "%s", what);
}

static tn_status check_one(const tn_param *p, const void *at, const char *what)
{
    switch (p->type) {
    case TN_PARAM_NUMBER:
        return check_param(p->range, *(const double *)at, p->unit, what, "");
    case TN_PARAM_INTEGER:
        return check_param(p->range, *(const int *)at, p->unit, what, "");
    case TN_PARAM_VEC3:
        return check_vector(p, at, what);
    case TN_PARAM_ROTATION:
        return check_rotation(at, what);
    case TN_PARAM_TEXT:
        return check_text(p, *(const char *const *)at, what);
    default: // functions, tables and references are checked where they are compiled
        return TN_OK;
    }
}

tn_status tn_params_check(int n, const tn_param *params, const void *def, const char *owner)
{
    TN_ASSERT(def && (n == 0 || params));
    char what[512]; // worded only where something is wrong: elements come by the million
    for (int i = 0; i < n; i++) {
        const void *at = (const char *)def + params[i].offset;
        if (check_one(&params[i], at, "") == TN_OK)
            continue;
        TN_JOIN(what, owner ? owner : "", owner ? ": " : "", params[i].name);
        return check_one(&params[i], at, what);
    }
    return TN_OK;
}

size_t tn_param_size(tn_param_type type)
{
    switch (type) {
    case TN_PARAM_BOOL:
        return sizeof(bool);
    case TN_PARAM_INTEGER:
    case TN_PARAM_NUMBERS:
        return sizeof(int);
    case TN_PARAM_NUMBER:
        return sizeof(double);
    case TN_PARAM_TEXT:
        return sizeof(const char *);
    default:
        return 0;
    }
}

// The compiler puts a pointer behind its n at the next address that suits it.
const double **tn_param_pointers(void *list)
{
    TN_ASSERT((uintptr_t)list % alignof(int) == 0);
    const uintptr_t align = alignof(const double *), end = (uintptr_t)list + sizeof(int);
    return (const double **)((end + align - 1) / align * align);
}

static tn_status number_from_text(const tn_param *p, const char *text, const char *what,
                                  double *out)
{
    if (p->zero && strcmp(text, p->zero) == 0) {
        *out = 0.0;
        return TN_OK;
    }
    if (tn_measure_is_one(text) && tn_unit_is_known(p->unit)) {
        if (tn_measure_read(text, p->unit, out) != TN_OK)
            return tn_fail_within(TN_ERR_USAGE, "%s", what);
    } else if (!tn_number_from_text(text, out)) {
        return tn_fail(TN_ERR_USAGE, "%s: expected a number%s%s%s, found '%s'", what,
                       p->zero ? " or '" : "", p->zero ? p->zero : "", p->zero ? "'" : "", text);
    }
    return tn_range_check(p->range, *out, what) == TN_OK ? TN_OK : TN_ERR_USAGE;
}

static tn_status integer_from_text(const tn_param *p, const char *text, const char *what, int *out)
{
    double value = 0.0;
    if (!tn_number_from_text(text, &value) || value != floor(value) || fabs(value) > INT_MAX)
        return tn_fail(TN_ERR_USAGE, "%s: expected a whole number, found '%s'", what, text);
    TN_TRY(number_from_text(p, text, what, &value));
    *out = (int)value;
    return TN_OK;
}

int tn_list_next(const char **list, size_t size, char *item)
{
    const char *at = *list + strspn(*list, " \t\r\n\v\f,"), *name = at;
    size_t n = 0, end = 0;
    if (*at == '\0')
        return -1;
    for (const char *quote = NULL; *at && (*at != ',' || quote); at++) {
        const bool begins = at == name || at[-1] == '.';
        if (at == quote) {
            quote = NULL;
        } else if (!quote && begins && (*at == '"' || *at == '\'') && strchr(at + 1, *at)) {
            quote = strchr(at + 1, *at);
        } else {
            if (n + 1 < size)
                item[n] = *at;
            n++;
            end = isspace((unsigned char)*at) ? end : n;
        }
    }
    item[end < size ? end : size - 1] = '\0';
    *list = at;
    return (int)end;
}

tn_status tn_list_fits(int length, size_t size, const char *item)
{
    return length < (int)size ? TN_OK
                              : tn_fail(TN_ERR_USAGE, "the name '%.40s…' is too long", item);
}

static tn_status numbers_from_text(const tn_param *p, const char *text, const char *what,
                                   int *count)
{
    char word[64];
    int n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    double *x = tn_alloc((size_t)n * sizeof *x);
    TN_TRY(tn_got(x));
    *count = n;
    *tn_param_pointers(count) = x;
    for (int i = 0; i < n; i++, text += strcspn(text, ",") + 1) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ","), text);
        TN_TRY(number_from_text(p, word, what, &x[i]));
    }
    return TN_OK;
}

tn_status tn_param_read(const tn_param *param, const char *text, const char *what, void *value)
{
    TN_NEED_ALL(TN_ERR_USAGE, param, text, what, value);
    switch (param->type) {
    case TN_PARAM_NUMBER:
        return number_from_text(param, text, what, value);
    case TN_PARAM_NUMBERS:
        return numbers_from_text(param, text, what, value);
    case TN_PARAM_INTEGER:
        return integer_from_text(param, text, what, value);
    case TN_PARAM_TEXT:
        *(const char **)value = text;
        return check_text(param, text, what) == TN_OK ? TN_OK : TN_ERR_USAGE;
    default:
        return tn_fail(TN_ERR_USAGE, "%s can be stated in the model file only", what);
    }
}

void tn_param_clear(const tn_param *param, void *value)
{
    TN_NEED_ALL(, param, value);
    if (param->type != TN_PARAM_NUMBERS)
        return;
    const double **x = tn_param_pointers(value);
    tn_free((void *)*x);
    *x = NULL;
    *(int *)value = 0;
}
