// SPDX-License-Identifier: MIT
//
// The kinds that a model is made of. Their registry stands above all of them (family.c) and is
// handed to each model: the elements of a model know kinds by their tables of functions alone.

#pragma once

#include "tenon/model.h"

#include <stdatomic.h>

typedef enum tn_family {
    TN_FAMILY_BODY,
    TN_FAMILY_JOINT, // with couplings
    TN_FAMILY_FORCE,
    TN_FAMILY_SHAPE,
    TN_FAMILY_BLOCK,
    TN_FAMILY_FUNCTION, // of time: own ones alone
    TN_FAMILY_COUNT
} tn_family;

enum { TN_KINDS_MOST = 128 }; // of a family, with those that programs add

// By family and number: tables of functions, each of which begins with the name of its kind; NULL
// behind the last one. Lists only grow: readers need no lock.
typedef struct tn_kinds {
    _Atomic(const void *) at[TN_FAMILY_COUNT][TN_KINDS_MOST];
} tn_kinds;

static inline const void *tn_kind_at(const tn_kinds *kinds, tn_family family, int kind)
{
    return kind >= 0 && kind < TN_KINDS_MOST ? atomic_load(&kinds->at[family][kind]) : NULL;
}

const char *tn_family_name(tn_family family); // "body"

// As tn_model_create, of these kinds.
tn_model *tn_model_create_with(const tn_kinds *kinds);
