// SPDX-License-Identifier: MIT
//
// A PID controller of the error e,
//
//   w = kp e + ki I + kd D,   u = clamp(w, lower, upper),   D = (e - f) / tau,   tau f' = e - f
//   I' = e + (u - w) / (ki windup)
//
// whose integral follows the limits by back-calculation [AH95, sect. 3.5]: w comes back to a limit
// within the time `windup`. (An integral that is stopped by a condition would slide along it.) With
// `every` it is sampled: I_{j+1} = I_j + every I', D = (e - e_j) / every at sample times; f and e_0
// begin at zero.

#include "model/block.h"

#include <math.h>
#include <stdio.h>

#define PID(member, type, unit, ...) \
    TN_PARAM(tn_block_def, pid.member, type, #member, unit, __VA_ARGS__)

static const tn_param pid_params[] = {
    TN_PARAM(tn_block_def, input, TEXT, "input", "", .required = true, .role = TN_ROLE_EXPRESSION,
             .text = "the error: an expression"),
    PID(kp, NUMBER, "", .range = TN_ANY, .text = "factor of the error"),
    PID(ki, NUMBER, "", .range = TN_ANY, .text = "factor of its integral"),
    PID(kd, NUMBER, "", .range = TN_ANY,
        .text = "factor of its derivative; before the start the error counts as zero, so that one "
                "that is not kicks"),
    PID(tau, NUMBER, "s", .range = TN_NONNEGATIVE,
        .text = "time of the lag of the derivative; required with kd, unless it is sampled"),
    PID(lower, NUMBER, "", .range = TN_UNBOUNDED, .fallback = -INFINITY, .text = "smallest output"),
    PID(upper, NUMBER, "", .range = TN_UNBOUNDED, .fallback = INFINITY, .text = "largest output"),
    PID(windup, NUMBER, "s", .range = TN_NONNEGATIVE,
        .text = "time in which the integral follows a limit of the output; zero: kp/ki, or 1 s "
                "without kp"),
    PID(every, NUMBER, "s", .range = TN_NONNEGATIVE,
        .text = "time between samples of a sampled controller; zero: it is continuous"),
    PID(delay, NUMBER, "s", .range = TN_NONNEGATIVE,
        .text = "of a sampled one: time after a sample at which it acts"),
};

static tn_status check_pid(const tn_block_def *def)
{
    if (def->pid.kd != 0.0 && def->pid.every == 0.0 && !(def->pid.tau > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "block '%s': kd is %g, but tau is %g s; state the time of the lag of the "
                       "derivative",
                       def->name, def->pid.kd, def->pid.tau);
    if (!(def->pid.lower < def->pid.upper))
        return tn_fail(TN_ERR_MODEL,
                       "block '%s': lower is %g and upper is %g; lower must be smaller", def->name,
                       def->pid.lower, def->pid.upper);
    if (def->pid.delay > 0.0 && def->pid.every == 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "block '%s': delay is %g s, but it is not sampled; state every, or use a "
                       "block of kind delay",
                       def->name, def->pid.delay);
    return TN_OK;
}

static bool is_limited(const tn_block_def *def)
{
    return isfinite(def->pid.lower) || isfinite(def->pid.upper);
}

static tn_status limit(tn_model *model, const tn_block_def *def)
{
    const double low = fmax(def->pid.lower, -1e300), high = fmin(def->pid.upper, 1e300);
    const char *n = def->name;
    if (!is_limited(def))
        return tn_block_signal(model, def, "", "%s_free", n);
    return tn_block_signal(model, def, "", "clamp(%s_free, %.17g, %.17g)", n, low, high);
}

static double windup_time(const tn_block_def *def)
{
    const double own = fabs(def->pid.kp / def->pid.ki);
    return def->pid.windup > 0.0 ? def->pid.windup : own > 0.0 ? own : 1.0;
}

// The rate of the integral: with the output that is wanted without limits.
static int windup_text(const tn_block_def *def, const char *wanted, size_t size, char *out)
{
    const double low = fmax(def->pid.lower, -1e300), high = fmin(def->pid.upper, 1e300);
    if (!is_limited(def) || def->pid.ki == 0.0)
        return snprintf(out, size, "%s_error", def->name);
    return snprintf(out, size, "%s_error + (clamp(%s, %.17g, %.17g) - (%s))*%.17g", def->name,
                    wanted, low, high, wanted, 1.0 / (def->pid.ki * windup_time(def)));
}

static tn_status expand_continuous(tn_model *model, const tn_block_def *def)
{
    const char *n = def->name;
    const double kd = def->pid.kd;
    if (kd != 0.0)
        TN_TRY(tn_block_state(model, def, "_lag", 0.0, "(%s_error - %s_lag)/%.17g", n, n,
                              def->pid.tau));
    char wanted[200], rate[800];
    snprintf(wanted, sizeof wanted, "%s_free", n);
    windup_text(def, wanted, sizeof rate, rate);
    TN_TRY(tn_block_state(model, def, "_integral", 0.0, "%s", rate));
    if (kd != 0.0)
        TN_TRY(tn_block_signal(model, def, "_free",
                               "%.17g*%s_error + %.17g*%s_integral + %.17g*(%s_error - %s_lag)",
                               def->pid.kp, n, def->pid.ki, n, kd / def->pid.tau, n, n));
    else
        TN_TRY(tn_block_signal(model, def, "_free", "%.17g*%s_error + %.17g*%s_integral",
                               def->pid.kp, n, def->pid.ki, n));
    return limit(model, def);
}

static tn_status expand_sampled(tn_model *model, const tn_block_def *def)
{
    char name[200], rate[2600], integral[2800], u[800], own[200];
    snprintf(name, sizeof name, "%s_samples", def->name);
    snprintf(u, sizeof u, "%.17g*%s_error + %.17g*integral + %.17g*(%s_error - error)", def->pid.kp,
             def->name, def->pid.ki, def->pid.kd / def->pid.every, def->name);
    windup_text(def, u, sizeof rate, rate);
    snprintf(integral, sizeof integral, "integral + %.17g*(%s)", def->pid.every, rate);
    snprintf(own, sizeof own, "%s_error", def->name);
    const tn_sampled_value value[] = {
        {"u", 0.0, u}, {"integral", 0.0, integral}, {"error", 0.0, own}};
    TN_TRY(tn_model_add_sampled(
        model, &(tn_sampled_def){name, def->pid.every, def->pid.delay, TN_COUNT(value), value}));
    TN_TRY(tn_block_signal(model, def, "_free", "%s.u", name));
    return limit(model, def);
}

static tn_status expand_pid(tn_model *model, const tn_block_def *def)
{
    TN_TRY(check_pid(def));
    TN_TRY(tn_block_signal(model, def, "_error", "%s", def->input));
    return def->pid.every > 0.0 ? expand_sampled(model, def) : expand_continuous(model, def);
}

const tn_block_ops tn_block_pid = {
    .name = "pid",
    .text = "proportional, integral and derivative control of an error, continuous or sampled",
    TN_PARAMS(pid_params),
    .expand = expand_pid,
};
