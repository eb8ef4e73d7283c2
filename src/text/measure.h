// SPDX-License-Identifier: MIT
//
// Numbers with a unit behind them, as text: "5 mm", "30 deg", "20 rpm", "3 kN/m".
//
//   unit     product, or product/factor, or product/(product)
//   product  factors with a space, * or a middle dot between them
//   factor   symbol, or symbol^n with a whole n; 1 only before a '/'
//
// A symbol is a name of the table in measure.c, of which some may have a prefix. Radians are a
// dimension of their own here: 5 Hz is no angular speed, and 5 N m no stiffness in N m/rad.

#pragma once

#include "base/status.h"

// Returns true if a text is a decimal number with the beginning of a unit behind it. No expression
// is.
bool tn_measure_is_one(const char *text);

// The value of such a text in `unit`, which "" says that there is none of; NULL stands for the SI
// unit of whatever dimension the text has. Decimal prefixes round nothing: "5 mm" is the double
// 0.005. Errors begin with the text in quotes.
tn_status tn_measure_read(const char *text, const char *unit, double *out);

// Returns true if two numbers have units of one dimension, or both none.
bool tn_measure_is_alike(const char *a, const char *b);

bool tn_unit_is_known(const char *unit);

// One of two units by their use: of "N/m or N m/rad" the first for a length, the second for an
// angle; of "m or rad, N or N m" place 0 or 1 first. A text without a choice stays.
enum { TN_UNIT_SIZE = 48 };
const char *tn_unit_chosen(const char *unit, bool angle, int place, char text[TN_UNIT_SIZE]);
