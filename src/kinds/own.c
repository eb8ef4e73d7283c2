// SPDX-License-Identifier: MIT
//
// Functions that all tables of user-defined kinds share, and user-defined functions of time.

#include "kinds/own.h"

#include "base/alloc.h"

static tn_status check_parameter(const tn_own_kind *kind, const tn_param *p, bool functions)
{
    static const tn_param_type plain[] = {TN_PARAM_NUMBER, TN_PARAM_INTEGER,  TN_PARAM_BOOL,
                                          TN_PARAM_VEC3,   TN_PARAM_ROTATION, TN_PARAM_CHOICE};
    if (!p->name || !p->unit || !p->text || p->offset >= kind->size)
        return tn_fail(
            TN_ERR_USAGE,
            "kind '%s': parameter '%s' needs a name, a unit, a text and an offset within "
            "the %zu bytes of its struct",
            kind->name, p->name ? p->name : "", kind->size);
    for (int i = 0; i < TN_COUNT(plain); i++)
        if (p->type == plain[i])
            return TN_OK;
    if (functions && tn_param_functions(p) > 0)
        return TN_OK;
    return tn_fail(
        TN_ERR_USAGE,
        "kind '%s': parameter '%s' is a %s, which an own kind of this family cannot have",
        kind->name, p->name, tn_param_type_text(p->type));
}

// Functions of time are compiled into six places.
static tn_status check_functions(const tn_own_kind *kind)
{
    int count = 0;
    for (int i = 0; i < kind->nparam; i++)
        count += tn_param_functions(&kind->params[i]);
    return count <= 6 ? TN_OK
                      : tn_fail(TN_ERR_USAGE, "kind '%s': %d functions of time, but at most 6 fit",
                                kind->name, count);
}

tn_status tn_own_check(const tn_own_kind *kind, size_t most, bool functions)
{
    if (!kind->name || !*kind->name || !kind->text)
        return tn_fail(TN_ERR_USAGE, "an own kind needs a name and a text");
    if (kind->size > most)
        return tn_fail(TN_ERR_USAGE, "kind '%s': its parameters take %zu bytes, but %zu fit",
                       kind->name, kind->size, most);
    if (kind->nparam < 0 || kind->nparam > TN_OWN_PARAMS || (kind->nparam > 0 && !kind->params))
        return tn_fail(TN_ERR_USAGE, "kind '%s': %d parameters, but a table of 0 to %d is needed",
                       kind->name, kind->nparam, TN_OWN_PARAMS);
    for (int i = 0; i < kind->nparam; i++)
        TN_TRY(check_parameter(kind, &kind->params[i], functions));
    return check_functions(kind);
}

void tn_own_params(const tn_own_kind *kind, size_t from, tn_param out[TN_OWN_PARAMS])
{
    TN_ASSERT(kind->nparam <= TN_OWN_PARAMS);
    for (int i = 0; i < kind->nparam; i++) {
        out[i] = kind->params[i];
        out[i].offset += from;
        if (out[i].given > 0)
            out[i].given += from;
    }
}

tn_status tn_add_function_kind(const tn_own_function *function, int *out)
{
    TN_NEED(function, TN_ERR_USAGE);
    int number = 0;
    TN_TRY(tn_own_check(&function->kind, sizeof((tn_own_values *)0)->at, false));
    if (!function->value)
        return tn_fail(TN_ERR_USAGE, "kind '%s': a function of time needs the function value",
                       function->kind.name);
    tn_own_function *own = tn_alloc(sizeof *own);
    TN_TRY(tn_got(own));
    *own = *function;
    TN_TRY(tn_own_push(TN_FAMILY_FUNCTION, own, &number));
    if (out)
        *out = number + 1;
    return TN_OK;
}
