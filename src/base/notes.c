// SPDX-License-Identifier: MIT

#include "base/notes.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tn_notes_add(tn_notes *notes, const char *format, ...)
{
    TN_ASSERT(notes->count >= 0 && notes->count <= TN_MOST_NOTES);
    char text[TN_NOTE_SIZE] = ""; // all of it is kept, and part of images
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < notes->count; i++)
        if (!strcmp(notes->text[i], text))
            return;
    if (notes->count == TN_MOST_NOTES)
        notes->dropped++;
    else
        memcpy(notes->text[notes->count++], text, sizeof text);
}

void tn_tell(tn_teller teller, const char *format, ...)
{
    char text[TN_ERROR_SIZE]; // it may hold that of an error
    va_list args;
    if (!teller.tell)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    teller.tell(teller.user, text);
}
