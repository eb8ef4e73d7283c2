// SPDX-License-Identifier: MIT
//
// Sentences that are no errors but that a user should read: bodies that assembly moved, a row that
// was left out, a spline that overshoots its points. They are collected where they are found and
// printed by the commands, or reported at once to the teller of the caller.

#pragma once

#include "tenon/sim.h"

#include <stdbool.h>

enum { TN_MOST_NOTES = 16, TN_NOTE_SIZE = 320 };

typedef struct tn_notes {
    int count;
    int dropped; // beyond the room
    char text[TN_MOST_NOTES][TN_NOTE_SIZE];
} tn_notes;

// Adds a sentence, without a full stop; one that is there already is not added again. Allocates
// nothing.
void tn_notes_add(tn_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Reports a sentence, if there is a teller. Allocates nothing.
void tn_tell(tn_teller teller, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Adds a quantity to the verdict on an analysis. If its value is above the bound, or is no number,
// it is a warning, and the sentence says so. For one quantity and place only the one farthest above
// its bound counts. Allocates nothing.
void tn_verdict_add(tn_verdict *verdict, const tn_judged *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
