// SPDX-License-Identifier: MIT
//
// The `simulate` block of a model file, over the defaults of tn_default_sim.

#include "io/model_yaml.h"

#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const rotations[] = {"auto", "so3", "se3", "quaternion", "euler", NULL};
static const char *const bases[] = {"auto", "lu", "qr", "svd", "gram-schmidt", "natural", NULL};
static const char *const sequences[] = {"auto", "xyx", "xyz", "xzx", "xzy", "yxy", "yxz",
                                        "yzx",  "yzy", "zxy", "zxz", "zyx", "zyz", NULL};
static const char *const norms[] = {"renormalise", "multipliers", NULL};

#define OPTION(member, kind, ...)                                                                  \
    {                                                                                              \
        .name = #member, .type = TN_PARAM_##kind, .offset = offsetof(tn_simulate, options.member), \
        __VA_ARGS__                                                                                \
    }

// Ranges hold for what a file states, not for defaults.
const tn_param tn_simulate_params[] = {
    OPTION(method, TEXT, .unit = "",
           .text = "integrator/formulation@coordinates, parts may be left out; or auto"),
    OPTION(rotation, TEXT, .unit = "", .choices = rotations,
           .text =
               "how rotations are stepped: on the group so3 or se3, or in the linear coordinates "
               "quaternion or euler; auto lets the method choose"),
    OPTION(t_start, NUMBER, .unit = "s", .text = "time of the start"),
    {.name = "t_end",
     .type = TN_PARAM_NUMBER,
     .unit = "s",
     .text = "time of the end",
     .offset = offsetof(tn_simulate, t_end)},
    OPTION(step, NUMBER, .unit = "s", .range = TN_NONNEGATIVE,
           .text =
               "fixed step, or first step of an error-controlled run; 0 lets the method choose"),
    OPTION(adaptive, BOOL, .unit = "", .text = "error-controlled step"),
    OPTION(rtol, NUMBER, .unit = "", .range = TN_POSITIVE,
           .text = "relative tolerance of the error-controlled step"),
    OPTION(atol, NUMBER, .unit = "", .range = TN_POSITIVE,
           .text = "absolute tolerance of the error-controlled step, as a part of the size of the "
                   "model, of 1 rad, and of speeds that go with these"),
    OPTION(atol_length, NUMBER, .unit = "m", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of lengths, in place of atol; 0 for that"),
    OPTION(atol_angle, NUMBER, .unit = "rad", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of angles, in place of atol; 0 for that"),
    OPTION(atol_speed, NUMBER, .unit = "m/s", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of speeds, in place of atol; 0 for that"),
    OPTION(atol_rate, NUMBER, .unit = "rad/s", .range = TN_NONNEGATIVE,
           .text = "absolute tolerance of angular rates, in place of atol; 0 for that"),
    OPTION(step_min, NUMBER, .unit = "s", .range = TN_NONNEGATIVE,
           .text = "smallest error-controlled step; 0 for no bound"),
    OPTION(step_max, NUMBER, .unit = "s", .range = TN_NONNEGATIVE,
           .text = "largest error-controlled step; 0 for no bound"),
    OPTION(rho_inf, NUMBER, .unit = "", .range = TN_UNIT_INTERVAL,
           .text = "galpha: spectral radius at infinite frequency, 1 for no damping"),
    OPTION(hht_alpha, NUMBER, .unit = "", .text = "hht: alpha, from -1/3 to 0 for no damping"),
    OPTION(newton_tol, NUMBER, .unit = "", .range = TN_POSITIVE,
           .text = "relative tolerance of the corrector iteration, but for energy-momentum, which "
                   "goes on to round-off"),
    OPTION(newton_max, INTEGER, .unit = "", .range = TN_AT_LEAST_ONE,
           .text = "iterations before a step is given up"),
    OPTION(jacobian_every, INTEGER, .unit = "", .range = TN_NONNEGATIVE,
           .text = "1: fresh tangent in each iteration; 0: reuse while it converges well"),
    OPTION(corrected_start, BOOL, .unit = "",
           .text = "index3: start velocity corrected to second order in the multipliers"),
    {.name = "project_times",
     .type = TN_PARAM_NUMBERS,
     .unit = "s",
     .text = "times, increasing, at which velocities are projected onto the constraints",
     .offset = offsetof(tn_simulate, options.nproject)},
    OPTION(assembly_tol, NUMBER, .unit = "rad", .range = TN_POSITIVE,
           .text = "how far apart joints may be after assembly; lengths count in sizes of the "
                   "model"),
    OPTION(dependence_tol, NUMBER, .unit = "rad", .range = TN_POSITIVE,
           .text =
               "constraints that repeat others but for this much count as redundant, and may be "
               "off by a few times that on the way"),
    OPTION(massless_tol, NUMBER, .unit = "", .range = TN_NONNEGATIVE,
           .text = "masses and moments of inertia up to this part of the largest count as none"),
    OPTION(project_tol, NUMBER, .unit = "rad", .range = TN_POSITIVE,
           .text = "+project: residual of constraints above which q and v are projected; lengths "
                   "count in sizes of the model"),
    OPTION(baumgarte_alpha, NUMBER, .unit = "1/s", .range = TN_NONNEGATIVE,
           .text =
               "baumgarte: half the weight of the velocity residual; 0 for both: by the pace of "
               "the motion, 20 1/s for a metre under gravity"),
    OPTION(baumgarte_beta, NUMBER, .unit = "1/s", .range = TN_NONNEGATIVE,
           .text = "baumgarte: root of the weight of the position residual"),
    OPTION(baumgarte_c, NUMBER, .unit = "", .range = TN_POSITIVE,
           .text = "baumgarte2: C of the weight C/h of the position residual"),
    OPTION(nullspace, TEXT, .unit = "", .choices = bases,
           .text =
               "basis of the free directions, for nullspace, maggi, projective and phase-space"),
    OPTION(euler_sequence, TEXT, .unit = "", .choices = sequences,
           .text = "axes of the Euler angles, intrinsic; left near its singularity"),
    OPTION(quaternion_norm, TEXT, .unit = "", .choices = norms,
           .text = "how quaternions stay of unit length"),
    OPTION(kappa, NUMBER, .unit = "", .range = TN_NONNEGATIVE,
           .text = "radau5, bdf: tolerance of the corrector as a part of that of the step; 0 for "
                   "the method's own"),
    OPTION(max_order, INTEGER, .unit = "", .range = TN_NONNEGATIVE,
           .text =
               "bdf, adams: largest order, of fixed-step bdf the order; 0 for the method's own"),
    OPTION(bounds, TEXT, .unit = "",
           .text = "bounds of the verdict by name, 'energy<1e-2,g<1e-6', in place of the defaults"),
    {.name = "output",
     .type = TN_PARAM_NUMBER,
     .unit = "s",
     .range = TN_NONNEGATIVE,
     .text = "interval of stored rows, by dense output between steps; 0 stores every step",
     .offset = offsetof(tn_simulate, output)},
};
const int tn_simulate_param_count = TN_COUNT(tn_simulate_params);

tn_simulate tn_default_simulate(void)
{
    return (tn_simulate){.options = tn_default_sim(), .t_end = 1.0, .output = 0.0};
}

static tn_status check_stated(const tn_element *e, const tn_simulate *simulate)
{
    for (int i = 0; i < tn_simulate_param_count; i++) {
        const tn_param *p = &tn_simulate_params[i];
        if (tn_element_get(e, p->name))
            TN_TRY(tn_element_locate(e, tn_params_check(1, p, simulate, e->owner)));
    }
    return TN_OK;
}

tn_status tn_simulate_check(const tn_simulate *simulate)
{
    if (simulate->t_end < simulate->options.t_start)
        return tn_fail(TN_ERR_USAGE, "t_end is %g s, before t_start at %g s", simulate->t_end,
                       simulate->options.t_start);
    const double latest = fmax(fabs(simulate->t_end), fabs(simulate->options.t_start));
    if (simulate->output > 0.0 && simulate->output < 64.0 * DBL_EPSILON * latest)
        return tn_fail(TN_ERR_USAGE,
                       "output is %g s, finer than the digits of times near %g s; it must be at "
                       "least %.2g s",
                       simulate->output, latest, 64.0 * DBL_EPSILON * latest);
    return tn_sim_options_check(&simulate->options);
}

static tn_status check_method(const tn_element *e, const tn_simulate *simulate)
{
    const tn_node *node = tn_element_get(e, "method");
    if (!node || tn_method_check(simulate->options.method) == TN_OK)
        return TN_OK;
    return tn_fail_within(TN_ERR_MODEL, "%s:%d:%d: simulate: method",
                          tn_document_name(e->reader->doc), node->line, node->column);
}

static tn_status check_rules(const tn_element *e, const tn_simulate *simulate)
{
    if (tn_simulate_check(simulate) == TN_OK)
        return TN_OK;
    return tn_element_locate(e, tn_fail_within(TN_ERR_MODEL, "%s", e->owner));
}

// A copy of a block that the model frees.
static tn_status keep(tn_model *model, const void *block, size_t size, void *out)
{
    void *copy = tn_alloc(size);
    if (!copy)
        return tn_fail(TN_ERR_MEMORY, "simulate: out of memory");
    memcpy(copy, block, size);
    const tn_status s = tn_array_push(&model->owned, copy);
    if (s != TN_OK)
        tn_free(copy);
    else
        memcpy(out, &copy, sizeof(copy));
    return s;
}

static tn_status keep_all(const tn_element *e, tn_simulate *simulate)
{
    tn_model *model = e->reader->model;
    tn_sim_options *o = &simulate->options;

    const struct {
        const char *key;
        const char **text;
    } texts[] = {{"method", &o->method},
                 {"rotation", &o->rotation},
                 {"nullspace", &o->nullspace},
                 {"euler_sequence", &o->euler_sequence},
                 {"quaternion_norm", &o->quaternion_norm},
                 {"bounds", &o->bounds}};

    for (int k = 0; k < TN_COUNT(texts); k++)
        if (tn_element_get(e, texts[k].key))
            TN_TRY(keep(model, *texts[k].text, strlen(*texts[k].text) + 1, texts[k].text));
    if (o->nproject > 0)
        TN_TRY(
            keep(model, o->project_times, (size_t)o->nproject * sizeof(double), &o->project_times));
    return TN_OK;
}

tn_status tn_read_simulate(tn_reader *r, const tn_node *key, const tn_node *value)
{
    tn_element e = {.owner = "simulate"};
    tn_known known = {0};

    TN_TRY(tn_element_open(r, key, value, &e));
    tn_known_add_params(&known, tn_simulate_param_count, tn_simulate_params);
    TN_TRY(tn_known_check(&known, &e));
    TN_TRY(tn_read_params(&e, tn_simulate_param_count, tn_simulate_params, &r->simulate));
    TN_TRY(check_stated(&e, &r->simulate));
    TN_TRY(check_method(&e, &r->simulate));
    TN_TRY(check_rules(&e, &r->simulate));
    return keep_all(&e, &r->simulate);
}
