// SPDX-License-Identifier: MIT
//
// The options of a simulation: the table, and its uses.

#include "text/options.h"

#include "base/team.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const rotations[] = {"auto", "so3", "se3", "quaternion", "euler", NULL};
#define TN_KIND(name, text) text,
const char *const tn_basis_names[] = {"auto", TN_BASES(TN_KIND) NULL};
#undef TN_KIND
const char *const tn_euler_choices[] = {"auto", "zxz", "zyx", "xyz", "zyz", "xyx", "xzx",
                                        "yxy",  "yzy", "xzy", "yxz", "yzx", "zxy", NULL};
static const char *const norms[] = {"renormalise", "multipliers", NULL};

#define ENTRY(key, member, kind, ...)                                                    \
    {                                                                                    \
        .name = (key), .type = TN_PARAM_##kind, .offset = offsetof(tn_simulate, member), \
        __VA_ARGS__                                                                      \
    }
#define OPTION(member, kind, ...) ENTRY(#member, options.member, kind, __VA_ARGS__)

const tn_param tn_simulate_params[] = {
    OPTION(method, TEXT, .word = "auto", .readers = TN_READ_ALWAYS, .unit = "",
           .text = "integrator/formulation@coordinates, parts may be left out; or auto"),
    OPTION(rotation, TEXT, .readers = TN_READ_TURNING, .unit = "", .choices = rotations,
           .text =
               "how rotations are stepped: on the group so3 or se3, or in the linear coordinates "
               "quaternion or euler; auto lets the method choose"),
    OPTION(t_start, NUMBER, .readers = TN_READ_ALWAYS, .unit = "s", .text = "time of the start"),
    ENTRY("t_end", t_end, NUMBER, .fallback = 1.0, .readers = TN_READ_ALWAYS, .unit = "s",
          .text = "time of the end"),
    OPTION(step, NUMBER, .readers = TN_READ_ALWAYS, .unit = "s", .range = TN_NONNEGATIVE,
           .text =
               "fixed step, or first step of an error-controlled run; 0 lets the method choose"),
    OPTION(adaptive, BOOL, .readers = TN_READ_ALWAYS, .unit = "", .text = "error-controlled step"),
    OPTION(rtol, NUMBER, .fallback = 1e-6, .readers = TN_READ_CONTROL, .unit = "",
           .range = TN_NONNEGATIVE, .text = "relative tolerance of the error-controlled step"),
    OPTION(atol, NUMBER, .fallback = 1e-8, .readers = TN_READ_CONTROL, .unit = "",
           .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of the error-controlled step, as a part of the size of the "
                   "model, of 1 rad, and of speeds that go with these"),
    OPTION(atol_length, NUMBER, .readers = TN_READ_CONTROL, .unit = "m", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of lengths, in place of atol; 0 for that"),
    OPTION(atol_angle, NUMBER, .readers = TN_READ_CONTROL, .unit = "rad", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of angles, in place of atol; 0 for that"),
    OPTION(atol_speed, NUMBER, .readers = TN_READ_CONTROL, .unit = "m/s", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of speeds, in place of atol; 0 for that"),
    OPTION(atol_rate, NUMBER, .readers = TN_READ_CONTROL, .unit = "rad/s", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of angular rates, in place of atol; 0 for that"),
    OPTION(step_min, NUMBER, .readers = TN_READ_CONTROL, .unit = "s", .range = TN_NONNEGATIVE,
           .text = "smallest error-controlled step; 0 for no bound"),
    OPTION(step_max, NUMBER, .readers = TN_READ_CONTROL, .unit = "s", .range = TN_NONNEGATIVE,
           .text = "largest error-controlled step; 0 for no bound"),
    OPTION(rho_inf, NUMBER, .fallback = 0.9, .readers = TN_READ_INTEGRATOR, .unit = "",
           .range = TN_UNIT_INTERVAL,
           .text = "galpha: spectral radius at infinite frequency, 1 for no damping"),
    OPTION(hht_alpha, NUMBER, .fallback = -0.05, .readers = TN_READ_INTEGRATOR, .unit = "",
           .text = "hht: alpha, from -1/3 to 0 for no damping"),
    OPTION(newton_tol, NUMBER, .fallback = 1e-13, .readers = TN_READ_INTEGRATOR, .unit = "",
           .range = TN_POSITIVE,
           .text = "relative tolerance of the corrector iteration, but for energy-momentum, which "
                   "goes on to round-off"),
    OPTION(newton_max, INTEGER, .fallback = 20, .readers = TN_READ_INTEGRATOR, .unit = "",
           .range = TN_AT_LEAST_ONE, .text = "iterations before a step is given up"),
    OPTION(jacobian_every, INTEGER, .readers = TN_READ_INTEGRATOR, .unit = "",
           .range = TN_NONNEGATIVE,
           .text = "1: fresh tangent in each iteration; 0: reuse while it converges well"),
    OPTION(corrected_start, BOOL, .readers = TN_READ_BOTH, .unit = "",
           .text = "index3: start velocity corrected to second order in the multipliers"),
    ENTRY("project_times", options.nproject, NUMBERS, .readers = TN_READ_DRIFT, .unit = "s",
          .text = "times, increasing, at which velocities are projected onto the constraints"),
    OPTION(assembly_tol, NUMBER, .fallback = 1e-9, .readers = TN_READ_ALWAYS, .unit = "rad",
           .range = TN_POSITIVE,
           .text = "how far apart joints may be after assembly; lengths count in sizes of the "
                   "model"),
    OPTION(dependence_tol, NUMBER, .fallback = 1e-6, .readers = TN_READ_ALWAYS, .unit = "rad",
           .range = TN_POSITIVE,
           .text =
               "constraints that repeat others but for this much count as redundant, and may be "
               "off by a few times that on the way"),
    OPTION(massless_tol, NUMBER, .fallback = 1e-14, .readers = TN_READ_ALWAYS, .unit = "",
           .range = TN_NONNEGATIVE,
           .text = "masses and moments of inertia up to this part of the largest that joints "
                   "connect with them count as none"),
    OPTION(project_tol, NUMBER, .fallback = 1e-10, .readers = TN_READ_PROJECTION, .unit = "rad",
           .range = TN_POSITIVE,
           .text = "+project: residual of constraints above which q and v are projected; lengths "
                   "count in sizes of the model"),
    OPTION(baumgarte_alpha, NUMBER, .readers = TN_READ_FORMULATION, .unit = "1/s",
           .range = TN_NONNEGATIVE,
           .text =
               "baumgarte: half the weight of the velocity residual; 0 for both: by the pace of "
               "the motion, 20 1/s for a metre under gravity"),
    OPTION(baumgarte_beta, NUMBER, .readers = TN_READ_FORMULATION, .unit = "1/s",
           .range = TN_NONNEGATIVE,
           .text = "baumgarte: root of the weight of the position residual"),
    OPTION(baumgarte_c, NUMBER, .fallback = 0.5, .readers = TN_READ_FORMULATION, .unit = "",
           .range = TN_POSITIVE,
           .text = "baumgarte2: C of the weight C/h of the position residual"),
    OPTION(penalty_alpha, NUMBER, .fallback = 1e12, .readers = TN_READ_FORMULATION, .unit = "",
           .range = TN_POSITIVE,
           .text = "penalty, augmented-lagrangian: weight of the rows of constraints, in effective "
                   "masses of each row"),
    OPTION(penalty_omega, NUMBER, .readers = TN_READ_FORMULATION, .unit = "1/s",
           .range = TN_NONNEGATIVE,
           .text = "penalty, augmented-lagrangian: frequency at which what is left of constraints "
                   "dies out; 0: by the pace of the motion, 20 1/s for a metre under gravity"),
    OPTION(penalty_mu, NUMBER, .fallback = 1.0, .readers = TN_READ_FORMULATION, .unit = "",
           .range = TN_NONNEGATIVE, .text = "penalty, augmented-lagrangian: damping ratio of that"),
    OPTION(penalty_iterations, INTEGER, .fallback = 20, .readers = TN_READ_FORMULATION, .unit = "",
           .range = TN_AT_LEAST_ONE,
           .text = "augmented-lagrangian: rounds in which multipliers are corrected, at most"),
    OPTION(nullspace, TEXT, .readers = TN_READ_FORMULATION, .unit = "", .choices = tn_basis_names,
           .text =
               "basis of the free directions, for nullspace, maggi, projective and phase-space"),
    OPTION(characteristics, TEXT, .word = "", .readers = TN_READ_FORMULATION, .unit = "",
           .text = "maggi: velocities by name, with commas between them, that are integrated as "
                   "kinematic characteristics ('crank.angle.rate'), one for each freedom; without, "
                   "the basis chooses"),
    OPTION(euler_sequence, TEXT, .readers = TN_READ_EULER, .unit = "", .choices = tn_euler_choices,
           .text = "axes of the Euler angles, intrinsic; left near its singularity"),
    OPTION(quaternion_norm, TEXT, .readers = TN_READ_QUATERNION, .unit = "", .choices = norms,
           .text = "how quaternions stay of unit length"),
    OPTION(kappa, NUMBER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_NONNEGATIVE,
           .text = "radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for "
                   "the method's own"),
    OPTION(max_order, INTEGER, .readers = TN_READ_INTEGRATOR, .unit = "", .range = TN_NONNEGATIVE,
           .text =
               "bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own"),
    OPTION(bounds, TEXT, .word = "", .readers = TN_READ_ALWAYS, .unit = "",
           .text = "bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults"),
    ENTRY("output", output, NUMBER, .fallback = NAN, .zero = "steps", .readers = TN_READ_ALWAYS,
          .unit = "s", .range = TN_NONNEGATIVE,
          .text = "interval of stored rows, by dense output between steps; 0 or steps stores every "
                  "step; without, there are 600 intervals"),
};
const int tn_simulate_param_count = TN_COUNT(tn_simulate_params);

tn_simulate tn_default_simulate(void)
{
    tn_simulate simulate = {0};
    tn_params_default(tn_simulate_param_count, tn_simulate_params, &simulate);
    return simulate;
}

tn_sim_options tn_default_sim(void)
{
    return tn_default_simulate().options;
}

static bool is_of_options(const tn_param *p) // t_end and output stand behind them
{
    return p->offset < sizeof(tn_sim_options);
}

// Rules between options, and conditions that a table of ranges cannot express.
static tn_status check_rules(const tn_sim_options *o)
{
    if (o->adaptive && o->rtol + o->atol <= 0.0)
        return tn_fail(TN_ERR_USAGE,
                       "rtol and atol are both zero; an error-controlled step needs one");
    if (o->step_max > 0.0 && o->step_min > o->step_max)
        return tn_fail(TN_ERR_USAGE, "step_min is %g s; it must not exceed step_max, %g s",
                       o->step_min, o->step_max);
    if (!(o->hht_alpha >= -1.0 / 3.0 && o->hht_alpha <= 0.0))
        return tn_fail(TN_ERR_USAGE, "hht_alpha is %g; it must lie between -1/3 and 0",
                       o->hht_alpha);
    if (o->nproject < 0 || (o->nproject > 0 && !o->project_times))
        return tn_fail(TN_ERR_USAGE, "nproject is %d, but %s", o->nproject,
                       o->nproject < 0 ? "it must not be negative" : "project_times is NULL");
    if (o->threads < 0 || o->threads > TN_TEAM_MOST)
        return tn_fail(TN_ERR_USAGE,
                       "threads is %d; it must lie between 1 and %d, or be 0 for auto", o->threads,
                       TN_TEAM_MOST);
    if (o->massless_tol >= 1.0)
        return tn_fail(TN_ERR_USAGE,
                       "massless_tol is %g; it must be below 1: inertias up to this part of the "
                       "largest count as none",
                       o->massless_tol);
    if (o->baumgarte_c > 1.0)
        return tn_fail(TN_ERR_USAGE,
                       "baumgarte_c is %g; it must not exceed 1, where a step takes away all that "
                       "is left of g: above, it takes away more",
                       o->baumgarte_c);
    for (int i = 1; i < o->nproject; i++)
        if (!(o->project_times[i] > o->project_times[i - 1]))
            return tn_fail(TN_ERR_USAGE, "project_times must increase, but %g follows %g",
                           o->project_times[i], o->project_times[i - 1]);
    return TN_OK;
}

tn_status tn_options_check(const tn_sim_options *o)
{
    TN_ASSERT(o);
    for (int k = 0; k < tn_simulate_param_count; k++)
        if (is_of_options(&tn_simulate_params[k]) &&
            tn_params_check(1, &tn_simulate_params[k], o, NULL) != TN_OK)
            return TN_ERR_USAGE;
    return check_rules(o);
}

// What is stated ----------------------------------------------------------------------------------

static const unsigned long long KNOWN = 1ull << 63;

void tn_options_state(tn_sim_options *options, int param, bool in_file)
{
    TN_ASSERT(param >= 0 && param < tn_simulate_param_count);
    options->stated |= KNOWN | 1ull << param;
    options->in_file &= ~(1ull << param);
    options->in_file |= (unsigned long long)in_file << param;
}

void tn_options_forget(tn_sim_options *options)
{
    options->stated = KNOWN;
}

static bool differs(const tn_param *p, const tn_sim_options *a, const tn_sim_options *b)
{
    const void *x = (const char *)a + p->offset, *y = (const char *)b + p->offset;
    if (p->type != TN_PARAM_TEXT)
        return memcmp(x, y, tn_param_size(p->type)) != 0;
    const char *first = *(const char *const *)x, *second = *(const char *const *)y;
    return first && second && strcmp(first, second) != 0;
}

// Callers in C state all options that differ from tn_default_sim.
unsigned long long tn_options_stated(const tn_sim_options *options)
{
    TN_ASSERT(tn_simulate_param_count < 63);
    const tn_sim_options usual = tn_default_sim();
    unsigned long long stated = 0;
    for (int k = 0; k < tn_simulate_param_count; k++)
        if (is_of_options(&tn_simulate_params[k]) &&
            differs(&tn_simulate_params[k], options, &usual))
            stated |= 1ull << k;
    return options->stated & KNOWN ? options->stated : stated;
}
