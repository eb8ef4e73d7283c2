// SPDX-License-Identifier: MIT
//
// Outputs of a run, as text: "max(pin.force.x)", "tip=final(rod.position.y)",
// "rms(u - target)", "event(hit)". A channel alone is its value at the end.

#include "signal/parser.h"
#include "study/sweep_parts.h"
#include "text/table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Numbers of channels, then those of events.
static const char *const of_events[] = {"event", "count"};
enum { TAKES = TN_REDUCTIONS + TN_COUNT(of_events) };

static const char *take_name(int take)
{
    return take < TN_REDUCTIONS ? tn_reductions[take].name : of_events[take - TN_REDUCTIONS];
}

// Text behind the parenthesis that opens here, NULL if it is not closed, with the commas between
// arguments. Names in quotes may hold any of these.
static const char *behind_parenthesis(const char *at, int *commas)
{
    int depth = 0;
    *commas = 0;
    do {
        const char *behind = tn_behind_quotes(at);
        if (behind == at) {
            depth += (*at == '(') - (*at == ')');
            *commas += depth == 1 && *at == ',';
            behind++;
        }
        at = behind;
    } while (*at && depth > 0);
    return depth == 0 ? at : NULL;
}

// Returns true if a text is NAME(…) to its end and has no comma between: max(a, b) is an
// expression.
static bool is_call(const char *text, const char *name)
{
    const size_t n = strlen(name), length = strlen(text);
    int commas;
    if (strncmp(text, name, n) != 0 || text[n] != '(' || text[length - 1] != ')')
        return false;
    const char *behind = behind_parenthesis(text + n, &commas);
    return behind && !*behind && commas == 0;
}

// Which of them is called at a place of a text with one argument; -1 for none.
static int take_at(const char *text, const char *at)
{
    if (at > text && (isalnum((unsigned char)at[-1]) || strchr("_.", at[-1])))
        return -1;
    for (int i = 0; i < TAKES; i++) {
        const size_t n = strlen(take_name(i));
        int commas = 0;
        if (strncmp(at, take_name(i), n) != 0 || at[n] != '(')
            continue;
        (void)behind_parenthesis(at + n, &commas);
        return commas == 0 ? i : -1;
    }
    return -1;
}

// An expression that has one of them within: it would be a function of one moment.
static tn_status refuse_within(const char *what)
{
    for (const char *at = what, *behind; *at; at = behind > at ? behind : at + 1) {
        behind = tn_behind_quotes(at);
        const int take = behind == at ? take_at(what, at) : -1;
        if (take >= 0)
            return tn_fail(TN_ERR_USAGE,
                           "--outputs: '%s' has %s(…) of a run within an expression; keep it as an "
                           "output of its own and combine the columns of the table",
                           what, take_name(take));
    }
    return TN_OK;
}

// Names of columns go before the first sign that is no comparison.
static const char *name_end(const char *text)
{
    const size_t n =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ");
    return n > 0 && text[n] == '=' && text[n + 1] != '=' ? text + n : NULL;
}

tn_status tn_sweep_read_output(const char *text, int number, sweep_output *out)
{
    text += strspn(text, " ");
    const char *sign = name_end(text), *what = sign ? sign + 1 : text;
    *out = (sweep_output){.take = &tn_reductions[0]};
    what += strspn(what, " ");
    if (!*what)
        return tn_fail(TN_ERR_USAGE, "--outputs: '%s' is empty; name a channel", text);
    for (int i = 0; i < TAKES; i++)
        if (is_call(what, take_name(i))) {
            const size_t n = strlen(take_name(i)) + 1;
            out->take = i < TN_REDUCTIONS ? &tn_reductions[i] : NULL;
            out->counts = i == TAKES - 1;
            out->what = tn_format("%.*s", (int)(strlen(what) - n - 1), what + n);
        }
    if (!out->what)
        out->what = tn_strdup(what);
    if (out->what)
        TN_TRY(refuse_within(out->what));
    const size_t length = strcspn(text, "=");
    out->name = sign ? tn_format("%.*s", (int)length, text) : tn_strdup(text);
    snprintf(out->signal, sizeof out->signal, "sweep_output_%d", number);
    return out->what && out->name ? TN_OK : TN_ERR_MEMORY;
}

void tn_sweep_free_outputs(sweep_outputs *outputs)
{
    for (int i = 0; i < outputs->count; i++)
        TN_FREE(outputs->at[i].name, outputs->at[i].what);
    tn_array_free(outputs);
}
