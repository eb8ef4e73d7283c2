// SPDX-License-Identifier: MIT
//
// Numbers as text: the fewest digits that read back as the same double, with a point whatever the
// locale.

#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TN_NUMBER_SIZE = 32 }; // bytes that any finite double fits in, the end included

// Writes a finite number and returns its length.
size_t tn_number_text(double value, char text[TN_NUMBER_SIZE]);

// Number of characters at the beginning of a text that are a decimal number without a sign; 0 for
// none.
size_t tn_number_length(const char *text);
// Returns true if a whole text is a decimal number.
bool tn_number_is_one(const char *text);
// A whole text as a decimal number, whatever the locale; false when it is none. May overflow to
// infinity.
bool tn_number_from_text(const char *text, double *out);

// The polynomial through n points [Lagrange], Σ_i y_i Π_{j≠i} (t - t_j) / (t_i - t_j).
double tn_value_through(int n, const double *t, const double *y, double at);
// The value at a time within n rows, by a cubic through the four around it; NAN beyond them, but
// for round-off.
double tn_value_between(long n, const double *t, const double *y, double at);
