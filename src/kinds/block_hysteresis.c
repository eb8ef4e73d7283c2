// SPDX-License-Identifier: MIT
//
// A relay with hysteresis: it switches on where the input reaches `on` and off where it comes back
// to `off`, and between them it stays as it is. With off < on it is on above, with on < off below.
// The function hysteresis(x, low, high, start) of expressions has hysteresis.

#include "model/block.h"

#define RELAY(member, type, ...) \
    TN_PARAM(tn_block_def, hysteresis.member, type, #member, "", __VA_ARGS__)

static const char *const start_names[] = {"off", "on", NULL};

static const tn_param hysteresis_params[] = {
    TN_PARAM(tn_block_def, input, TEXT, "input", "", .required = true, .role = TN_ROLE_EXPRESSION,
             .text = "an expression"),
    RELAY(on, NUMBER, .range = TN_ANY, .required = true,
          .text = "input at which it switches on: above `off` on its way up, below `off` on its "
                  "way down"),
    RELAY(off, NUMBER, .range = TN_ANY, .required = true,
          .text = "input at which it switches off, on its way back"),
    RELAY(value_on, NUMBER, .range = TN_ANY, .fallback = 1.0, .text = "output while it is on"),
    RELAY(value_off, NUMBER, .range = TN_ANY, .text = "output while it is off"),
    RELAY(initial, CHOICE, .choices = start_names,
          .text = "what it is at the start if the input is between `off` and `on`"),
};

static tn_status expand_hysteresis(tn_model *model, const tn_block_def *def)
{
    const double on = def->hysteresis.on, off = def->hysteresis.off;
    const double sign = on > off ? 1.0 : -1.0; // of x, so that it is on above
    if (on == off)
        return tn_fail(TN_ERR_MODEL,
                       "block '%s': on and off are both %g; they must differ by more than the "
                       "input chatters",
                       def->name, on);
    return tn_block_signal(
        model, def, "", "%.17g + %.17g*hysteresis(%s(%s), %.17g, %.17g, %d)",
        def->hysteresis.value_off, def->hysteresis.value_on - def->hysteresis.value_off,
        on > off ? "" : "-", def->input, sign * off, sign * on, def->hysteresis.initial);
}

const tn_block_ops tn_block_hysteresis = {
    .name = "hysteresis",
    .text = "a relay that switches on at one threshold and off at another",
    TN_PARAMS(hysteresis_params),
    .expand = expand_hysteresis,
};
