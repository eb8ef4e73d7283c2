// SPDX-License-Identifier: MIT
//
// Numbers as text: the fewest digits that read back as the same double, with a point whatever the
// locale.

#pragma once

#include <stddef.h>

enum { TN_NUMBER_SIZE = 32 }; // bytes that any finite double fits in, the end included

// Writes a finite number and returns its length.
size_t tn_number_text(double value, char text[TN_NUMBER_SIZE]);
