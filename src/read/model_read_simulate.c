// SPDX-License-Identifier: MIT
//
// The `simulate` block of a model file, over the defaults of tn_default_sim.

#include "read/model_yaml.h"

#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

static tn_status check_stated(const tn_element *e, tn_simulate *simulate)
{
    for (int i = 0; i < tn_simulate_param_count; i++) {
        const tn_param *p = &tn_simulate_params[i];
        if (!tn_element_get(e, p->name))
            continue;
        TN_TRY(tn_element_locate(e, tn_params_check(1, p, simulate, e->owner)));
        tn_options_state(&simulate->options, i, true);
    }
    return TN_OK;
}

tn_status tn_simulate_check(const tn_simulate *simulate)
{
    TN_NEED(simulate, TN_ERR_USAGE);
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
    return tn_node_within(e->reader->doc, node, TN_ERR_MODEL, "simulate: method");
}

// An end that is not stated here may still be, on the command line.
static tn_status check_rules(const tn_element *e, const tn_simulate *simulate)
{
    tn_simulate stated = *simulate;
    if (!tn_element_get(e, "t_end"))
        stated.t_end = fmax(stated.t_end, stated.options.t_start);
    if (tn_simulate_check(&stated) == TN_OK)
        return TN_OK;
    return tn_element_locate(e, tn_fail_within(TN_ERR_MODEL, "%s", e->owner));
}

// A copy of a block that the model frees.
static tn_status keep_copy(tn_model *model, const void *block, size_t size, void *out)
{
    void *copy = tn_alloc(size);
    TN_TRY(tn_got(copy));
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
    for (int k = 0; k < tn_simulate_param_count; k++) {
        const tn_param *p = &tn_simulate_params[k];
        void *at = (char *)simulate + p->offset;
        if (!tn_element_get(e, p->name))
            continue;
        if (p->type == TN_PARAM_TEXT)
            TN_TRY(keep_copy(model, *(char **)at, strlen(*(char **)at) + 1, at));
        if (p->type == TN_PARAM_NUMBERS && *(int *)at > 0)
            TN_TRY(keep_copy(model, *tn_param_pointers(at), sizeof(double) * (size_t) * (int *)at,
                             tn_param_pointers(at)));
    }
    return TN_OK;
}

tn_status tn_read_simulate(tn_reader *r, const tn_node *key, const tn_node *value)
{
    tn_element e = {.owner = "simulate"};
    TN_TRY(tn_element_open(r, key, value, &e));
    TN_TRY(tn_element_note(&e));
    TN_TRY(TN_CHECK_KEYS(&e, tn_simulate_param_count, tn_simulate_params, tn_keys_none));
    TN_TRY(tn_read_params(&e, tn_simulate_param_count, tn_simulate_params, &r->simulate));
    TN_TRY(check_stated(&e, &r->simulate));
    TN_TRY(check_method(&e, &r->simulate));
    TN_TRY(check_rules(&e, &r->simulate));
    return keep_all(&e, &r->simulate);
}
