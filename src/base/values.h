// SPDX-License-Identifier: MIT
//
// Saved values of an object: named numbers with sizes and units, in bytes that know no addresses
// and are the same on every machine (docs/formats/state.md). An object with values to save lists
// them in one function, which is called to write them and to read them:
//
//     static void store_radau5(void *self, tn_values *v)
//     {
//         tn_radau5 *s = self;
//         TN_VALUES(v, "s", 1, &s->h_last, &s->t_past);
//         TN_VALUES(v, "y", s->n, s->y, s->yp);
//         TN_VALUES_BOOL(v, &s->open, &s->due);
//     }
//
// Their names are those of the members, behind the names of the groups that are entered. Reading
// takes the same names, units and sizes in the same order and no other ones, and only numbers that
// may be there: the first that is wrong makes the sentence, and the rest is not read. Units "q",
// "v", "a", "force", "row", "impulse" and "y" are those of coordinates, velocities, accelerations,
// forces along them, constraint rows, multipliers, and the unknowns of a method, entry by entry, in
// the units that begin the list; "1" is that of plain numbers.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tn_values tn_values;
typedef void (*tn_values_list)(void *self, tn_values *v);

// A new block, to be freed by tn_free.
tn_status tn_values_write(tn_values_list list, void *self, void **out, size_t *size);
// TN_ERR_USAGE with a sentence where the bytes are not those of such an object: it is as before
// then, if it could be written.
tn_status tn_values_read(tn_values_list list, void *self, const void *bytes, size_t size);

// Finite numbers, of one length (1: of one number each).
#define TN_VALUES(v, unit, count, ...) \
    tn_values_doubles(v, unit, count, true, #__VA_ARGS__, (double *const[]){__VA_ARGS__, NULL})
// The same where they may be infinite, or none.
#define TN_VALUES_ANY(v, unit, count, ...) \
    tn_values_doubles(v, unit, count, false, #__VA_ARGS__, (double *const[]){__VA_ARGS__, NULL})
#define TN_VALUES_INT(v, least, most, count, ...) \
    tn_values_ints(v, least, most, count, #__VA_ARGS__, (int *const[]){__VA_ARGS__, NULL})
// Counters; -1 for never.
#define TN_VALUES_LONG(v, ...) tn_values_longs(v, #__VA_ARGS__, (long *const[]){__VA_ARGS__, NULL})
#define TN_VALUES_BOOL(v, ...) \
    tn_values_bools(v, 1, #__VA_ARGS__, (bool *const[]){__VA_ARGS__, NULL})
#define TN_VALUES_BOOLS(v, count, ...) \
    tn_values_bools(v, count, #__VA_ARGS__, (bool *const[]){__VA_ARGS__, NULL})
// Small integers in bytes, and a text that ends within its room.
void tn_values_bytes(tn_values *v, int least, int most, int count, const char *name,
                     signed char *x);
void tn_values_text(tn_values *v, size_t room, const char *name, char *text);
// A number that must be the same in the object that reads; the sentence where it is not.
void tn_values_mark(tn_values *v, const char *name, uint64_t mark, const char *otherwise);

void tn_values_enter(tn_values *v, const char *group);
void tn_values_enter_at(tn_values *v, const char *group, int i);
void tn_values_leave(tn_values *v);
// Returns true if the values are read, and are right so far: the caller then computes what depends
// on them.
bool tn_values_are_read(const tn_values *v);
// Refuses the values read, with a sentence, unless something was refused before.
void tn_values_refuse(tn_values *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Numbers in bytes, the lowest first, as in all of the file.
void tn_word_put(unsigned char *to, uint64_t x, int bytes);
uint64_t tn_word_get(const unsigned char *from, int bytes);

// Behind the macros: arrays up to a NULL, and their names as they stand in the program.
void tn_values_doubles(tn_values *v, const char *unit, int count, bool finite, const char *names,
                       double *const *arrays);
void tn_values_ints(tn_values *v, int least, int most, int count, const char *names,
                    int *const *arrays);
void tn_values_longs(tn_values *v, const char *names, long *const *arrays);
void tn_values_bools(tn_values *v, int count, const char *names, bool *const *arrays);
// One array, under the first of the names, which then are those that are left.
void tn_values_next_doubles(tn_values *v, const char *unit, size_t count, bool finite,
                            const char **names, double *x);
void tn_values_next_ints(tn_values *v, int least, int most, int count, const char **names, int *x);
// A group by the name of a layout function: "radau5" for tn_radau5_layout.
void tn_values_enter_layout(tn_values *v, const char *function);
