// SPDX-License-Identifier: MIT
//
// Linear filters of an input u. A lag, tau y' = u - y, or of second order,
// y'' = w^2 (u - y) - 2 z w y' with w = 1 / tau; and quotients of polynomials
//
//   y = (b_m s^m + … + b_0) / (a_n s^n + … + a_0) u,   m <= n
//
// in the controllable canonical form: x_k' = x_{k+1}, x_n' = u - sum of (a_{k-1} / a_n) x_k, y = d
// u + sum of ((b_{k-1} - d a_{k-1}) / a_n) x_k with d = b_n / a_n. All start at rest, a lag at its
// stated value.

#include "model/block.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const tn_param lowpass_params[] = {
    TN_PARAM(tn_block_def, input, TEXT, "input", "", .required = true, .role = TN_ROLE_EXPRESSION,
             .text = "what is filtered: an expression"),
    TN_PARAM(tn_block_def, lowpass.tau, NUMBER, "tau", "s", .range = TN_POSITIVE, .required = true,
             .text = "time of the lag; of second order the inverse of the frequency in rad/s"),
    TN_PARAM(tn_block_def, lowpass.damping, NUMBER, "damping", "", .range = TN_NONNEGATIVE,
             .text = "of second order: as a part of the critical one; zero: first order"),
    TN_PARAM(tn_block_def, lowpass.initial, NUMBER, "initial", "", .range = TN_ANY,
             .text = "output at the start"),
};

static tn_status expand_lowpass(tn_model *model, const tn_block_def *def)
{
    const char *n = def->name, *u = def->input;
    const double tau = def->lowpass.tau, damping = def->lowpass.damping;
    if (damping == 0.0) {
        TN_TRY(tn_block_state(model, def, "_1", def->lowpass.initial, "((%s) - %s_1)/%.17g", u, n,
                              tau));
    } else {
        TN_TRY(tn_block_state(model, def, "_1", def->lowpass.initial, "%s_2", n));
        TN_TRY(tn_block_state(model, def, "_2", 0.0, "(((%s) - %s_1)/%.17g - %.17g*%s_2)/%.17g", u,
                              n, tau, 2.0 * damping, n, tau));
    }
    return tn_block_signal(model, def, "", "%s_1", n);
}

const tn_block_ops tn_block_lowpass = {
    .name = "lowpass",
    .text = "lag of first or second order",
    TN_PARAMS(lowpass_params),
    .expand = expand_lowpass,
};

static const tn_param transfer_params[] = {
    TN_PARAM(tn_block_def, input, TEXT, "input", "", .required = true, .role = TN_ROLE_EXPRESSION,
             .text = "what is filtered: an expression"),
    TN_PARAM(tn_block_def, transfer_function.nnumerator, NUMBERS, "numerator", "", .required = true,
             .text = "coefficients from the highest power of s to the constant"),
    TN_PARAM(tn_block_def, transfer_function.ndenominator, NUMBERS, "denominator", "",
             .required = true, .text = "the same; at least as many as in the numerator"),
};

enum { ORDER_MAX = 20 };

static tn_status check_transfer(const tn_block_def *def)
{
    const int nb = def->transfer_function.nnumerator, na = def->transfer_function.ndenominator;
    if (nb < 1 || na < 1 || nb > na || na > ORDER_MAX + 1)
        return tn_fail(TN_ERR_MODEL,
                       "block '%s': numerator and denominator have %d and %d coefficients; the "
                       "denominator needs at least as many as the numerator, and at most %d",
                       def->name, nb, na, ORDER_MAX + 1);
    if (def->transfer_function.denominator[0] == 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "block '%s': the first coefficient of the denominator is zero; leave it out",
                       def->name);
    for (int i = 0; i < nb + na; i++)
        if (!isfinite(i < nb ? def->transfer_function.numerator[i]
                             : def->transfer_function.denominator[i - nb]))
            return tn_fail(TN_ERR_MODEL, "block '%s': coefficients must be finite", def->name);
    return TN_OK;
}

// Adds "factor*name_k" to a sum.
static void add_product(char *text, size_t size, double factor, const char *name, int k)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, " + %.17g*%s_%d", factor, name, k);
}

static tn_status expand_transfer(tn_model *model, const tn_block_def *def)
{
    TN_TRY(check_transfer(def));
    const int n = def->transfer_function.ndenominator - 1, nb = def->transfer_function.nnumerator;
    const double *a = def->transfer_function.denominator, *b = def->transfer_function.numerator;
    const double d = nb == n + 1 ? b[0] / a[0] : 0.0;
    char rate[8000] = "", out[8000] = "", tail[16], next[220];
    TN_TRY(tn_block_signal(model, def, "_input", "%s", def->input));
    snprintf(rate, sizeof rate, "%s_input", def->name);
    snprintf(out, sizeof out, "%.17g*%s_input", d, def->name);
    for (int k = 1; k <= n; k++) { // of s^(k-1)
        const double above = k <= nb ? b[nb - k] : 0.0;
        add_product(rate, sizeof rate, -a[n + 1 - k] / a[0], def->name, k);
        add_product(out, sizeof out, (above - d * a[n + 1 - k]) / a[0], def->name, k);
    }
    for (int k = 1; k <= n; k++) {
        snprintf(tail, sizeof tail, "_%d", k);
        snprintf(next, sizeof next, "%s_%d", def->name, k + 1);
        TN_TRY(tn_block_state(model, def, tail, 0.0, "%s", k < n ? next : rate));
    }
    return tn_block_signal(model, def, "", "%s", out);
}

const tn_block_ops tn_block_transfer_function = {
    .name = "transfer-function",
    .text = "quotient of two polynomials in s",
    TN_PARAMS(transfer_params),
    .expand = expand_transfer,
};
