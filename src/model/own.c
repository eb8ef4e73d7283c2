// SPDX-License-Identifier: MIT
//
// The lists of own kinds. A list only grows: readers need no lock, those who add take one.

#include "model/own.h"

#include "lie/so3.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct own_list {
    atomic_int count;
    void *at[TN_OWN_MOST];
} own_list;

static own_list families[TN_FAMILY_COUNT];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

const void *tn_own_at(tn_family family, int i)
{
    const own_list *list = &families[family];
    return i >= 0 && i < atomic_load(&list->count) ? list->at[i] : NULL;
}

int tn_own_count(tn_family family)
{
    return atomic_load(&families[family].count);
}

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

static tn_status push_locked(tn_family family, const char *name, void *kind, int *number)
{
    own_list *list = &families[family];
    const int count = atomic_load(&list->count);
    const char *known;
    for (int i = 0; (known = tn_kind_name(family, i)); i++)
        if (strcmp(name, known) == 0)
            return tn_fail(TN_ERR_USAGE,
                           "kind '%s': there is a kind of that name already; choose another", name);
    if (count == TN_OWN_MOST)
        return tn_fail(TN_ERR_USAGE, "kind '%s': there are %d own kinds of its family, no more fit",
                       name, count);
    list->at[count] = kind;
    *number = count;
    atomic_store(&list->count, count + 1);
    return TN_OK;
}

tn_status tn_own_push(tn_family family, const char *name, void *kind, int *number)
{
    pthread_mutex_lock(&adding);
    const tn_status status = push_locked(family, name, kind, number);
    pthread_mutex_unlock(&adding);
    if (status != TN_OK)
        tn_free(kind);
    return status;
}

// Variations --------------------------------------------------------------------------------------

const double tn_own_point[TN_OWN_POINTS] = {-2.0, -1.0, 1.0, 2.0};
const double tn_own_weight[TN_OWN_POINTS] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};

tn_frame tn_own_vary(tn_frame x, int k, double h)
{
    const tn_vec3 e = tn_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    TN_ASSERT(k >= 0 && k < 6);
    if (k < 3)
        x.p = tn_v3_axpy(h, e, x.p);
    else
        x.R = tn_m3_mul(tn_so3_exp(tn_v3_scale(h, e)), x.R);
    return x;
}

static void move_arm(tn_vec3 r, double *w)
{
    tn_v3_to(tn_v3_add(tn_v3_from(w + 3), tn_v3_cross(r, tn_v3_from(w))), w + 3);
}

void tn_own_gradient_on_bodies(const tn_pair *at, double G[12])
{
    move_arm(at->a.r, G);
    move_arm(at->b.r, G + 6);
}

void tn_own_matrix_on_bodies(const tn_pair *at, const double *f, double A[12][12])
{
    const tn_vec3 arm[2] = {at->a.r, at->b.r};
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 12; i++)
            move_arm(arm[end], A[i] + 6 * end); // A X: a row of A is a wrench
    for (int j = 0; j < 12; j++) {
        double column[12];
        for (int i = 0; i < 12; i++)
            column[i] = A[i][j];
        tn_own_gradient_on_bodies(at, column);
        for (int i = 0; i < 12; i++)
            A[i][j] = column[i];
    }
    for (int end = 0; f && end < 2; end++) {
        const tn_mat3 turn = tn_m3_mul(tn_m3_skew(tn_v3_from(f + 6 * end)), tn_m3_skew(arm[end]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                A[6 * end + 3 + i][6 * end + 3 + j] += turn.m[i][j];
    }
}
