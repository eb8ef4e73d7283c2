// SPDX-License-Identifier: MIT

#include "text/notes.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tn_notes_add(tn_notes *notes, const char *format, ...)
{
    TN_ASSERT(notes->count >= 0 && notes->count <= TN_MOST_NOTES);
    char text[TN_NOTE_SIZE] = ""; // all of it is saved, and part of images
    TN_SENTENCE(text, format);
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
    if (!teller.tell)
        return;
    TN_SENTENCE(text, format);
    teller.tell(teller.user, text);
}

// The place of a quantity in the list: that of the same one, or the next.
static tn_judged *place_of(tn_verdict *verdict, const tn_judged *what)
{
    int i = 0;
    while (i < verdict->count && (strcmp(verdict->judged[i].quantity, what->quantity) != 0 ||
                                  strcmp(verdict->judged[i].where, what->where) != 0))
        i++;
    return i < TN_MOST_JUDGED ? &verdict->judged[i] : NULL;
}

void tn_verdict_add(tn_verdict *verdict, const tn_judged *what, const char *format, ...)
{
    const bool doubtful = !(what->value <= what->bound);
    tn_judged *to = place_of(verdict, what);
    if (doubtful)
        verdict->outcome = TN_OUTCOME_DOUBTFUL;
    if (!to)
        return;
    if (to == verdict->judged + verdict->count)
        verdict->count++;
    else if (isnan(to->value) || what->value * to->bound <= to->value * what->bound)
        return;
    *to = *what;
    to->doubtful = doubtful;
    to->text[0] = '\0';
    if (doubtful)
        TN_SENTENCE(to->text, format);
}

const char *tn_outcome_word(tn_outcome outcome)
{
    static const char *const words[] = {"done", "doubtful", "failed"};
    return (int)outcome >= 0 && (int)outcome < TN_COUNT(words) ? words[outcome] : "";
}

const char *tn_verdict_warn(const tn_verdict *v)
{
    TN_NEED(v, NULL);
    for (int k = 0; k < v->count; k++)
        if (v->judged[k].doubtful)
            return v->judged[k].text;
    return NULL;
}
