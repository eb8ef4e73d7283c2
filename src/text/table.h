// SPDX-License-Identifier: MIT
//
// Name tables: name to index by hashing, and the nearest known name for "did you mean".

#pragma once

#include "tenon/base.h"

typedef struct tn_table tn_table;

tn_status tn_table_create(tn_table **out);
void tn_table_destroy(tn_table *table);

// Names that are added to this table are not copied: they are its caller's, and outlive it. Before
// the first one.
void tn_table_borrow(tn_table *table);

// Adds a copy of the name with its index. Adding a name twice is an error of the caller: ask first.
tn_status tn_table_add(tn_table *table, const char *name, int index);

// The index of a name, or that of its copy which is added where it is unknown: *index, as it came.
tn_status tn_table_enter(tn_table *table, const char *name, int *index);
int tn_table_find(const tn_table *table, const char *name);            // -1 when unknown
const char *tn_table_nearest(const tn_table *table, const char *name); // NULL when nothing is near

// "a, b, c", as many as there is room for, then "and 7 more"; "none" where there are none.
void tn_list_names(int n, const char *const *names, size_t size, char *out);

// A hint for an unknown name: "did you mean 'b'?", or "known are a, b, c".
typedef struct tn_hint {
    char text[1024];
} tn_hint;
tn_hint tn_name_hint(const char *name, int n, const char *const *known);
tn_hint tn_table_hint(const tn_table *table, const char *name);

// Returns the current name for a name of older files: "pin.coordinates.angle" is "pin.angle" and
// "pin.rates.angle" is "pin.angle.rate". tn_free it; NULL where the name has not changed.
char *tn_name_of_today(const char *name);

int tn_edit_distance(const char *a, const char *b); // with transpositions
