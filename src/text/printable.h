// SPDX-License-Identifier: MIT
//
// Text for terminals: a control character in a name could move the cursor, change colours or wipe
// what was printed before; one that turns the direction of writing or is invisible shows another
// name than the one that is there. tn_printable is public (tenon/base.h).

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Bytes of the control character (C0, delete, C1, or one of Unicode's that are invisible or turn
// the direction) at the start of the text; 0 when it is none.
int tn_control_bytes(const char *text);
bool tn_has_control(const char *text);
