// SPDX-License-Identifier: MIT
//
// Name tables: name to index by hashing, and the nearest known name for "did you mean".

#pragma once

#include "tenon/base.h"

typedef struct tn_table tn_table;

tn_status tn_table_create(tn_table **out);
void tn_table_destroy(tn_table *table);

// Adds a copy of the name with its index. Adding a name twice is an error of the caller: ask first.
tn_status tn_table_add(tn_table *table, const char *name, int index);

int tn_table_find(const tn_table *table, const char *name);            // -1 when unknown
const char *tn_table_nearest(const tn_table *table, const char *name); // NULL when nothing is near

// "a, b, c", as many as there is room for, then "and 7 more"; "none" where there are none.
void tn_list_names(int n, const char *const *names, size_t size, char *out);
void tn_table_list(const tn_table *table, size_t size, char *out);

// The nearest of n names: the one that a word of other programs stands for (hinge: revolute), else
// by edit distance within a third of the length, else the shortest that begins so; or NULL.
const char *tn_nearest_name(const char *name, int n, const char *const *known);
int tn_edit_distance(const char *a, const char *b); // with transpositions
