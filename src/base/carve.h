// SPDX-License-Identifier: MIT
//
// Workspace carving: one layout function serves to measure, to assign and to save. With base ==
// NULL the cursor only counts bytes; run again with memory, it hands them out. Run on an object
// that has its memory it hands out the same once more, and the arrays that are carved by the macros
// are values of the object that are saved (base/values.h): under the name of the member, behind
// that of the layout function. Memory that the functions alone carve is not saved: scratch, and
// numbers that follow from how the object was created.

#pragma once

#include "base/values.h"
#include "tenon/base.h"

typedef struct tn_carve {
    char *base;
    size_t used;
    tn_values *values; // NULL: nothing is saved or loaded
} tn_carve;

void *tn_carve_bytes(tn_carve *mem, size_t size);
double *tn_carve_doubles(tn_carve *mem, int count);
int *tn_carve_ints(tn_carve *mem, int count);

// Several arrays of the same length: TN_CARVE_DOUBLES(mem, nv, &s->a, &s->b);
#define TN_CARVE_DOUBLES(mem, count, ...)                                  \
    tn_carve_each_doubles(mem, count, (tn_carved){__func__, #__VA_ARGS__}, \
                          (double **[]){__VA_ARGS__, NULL})
#define TN_CARVE_INTS(mem, count, ...) tn_carve_each_ints(mem, count, (int **[]){__VA_ARGS__, NULL})
// Integers that are chosen on the way, and so saved; they begin with the one nearest to zero.
#define TN_CARVE_CHOICES(mem, least, most, count, ...)                                 \
    tn_carve_each_choice(mem, least, most, count, (tn_carved){__func__, #__VA_ARGS__}, \
                         (int **[]){__VA_ARGS__, NULL})
// Structs of nothing but doubles, or arrays of these that are longer than an int counts.
#define TN_CARVE_NUMBERS(mem, size, pointer) \
    ((pointer) = tn_carve_numbers(mem, size, (tn_carved){__func__, #pointer}))
// The function that carves arrays, and their names as they stand there.
typedef struct tn_carved {
    const char *in, *names;
} tn_carved;
void tn_carve_each_doubles(tn_carve *mem, int count, tn_carved names,
                           double **const *arrays); // up to a NULL
void tn_carve_each_ints(tn_carve *mem, int count, int **const *arrays);
void tn_carve_each_choice(tn_carve *mem, int least, int most, int count, tn_carved names,
                          int **const *arrays);
void *tn_carve_numbers(tn_carve *mem, size_t size, tn_carved name);

// Runs the layout function of an object twice: to measure, and with a new zeroed block to assign.
// The block is the caller's to free.
typedef void (*tn_layout_function)(void *self, tn_carve *mem);
tn_status tn_carve_block(void *self, tn_layout_function layout, void **block);
// Saves or loads the arrays that it has carved from the block.
void tn_carve_values(void *self, tn_layout_function layout, void *block, tn_values *v);
