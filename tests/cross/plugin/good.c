// SPDX-License-Identifier: MIT
//
// A shared object with one kind of force: a push of constant strength along z.

#include "tenon/extend.h"

typedef struct push {
    double strength;
} push;

static const tn_param push_params[] = {
    TN_OWN_NUMBER(push, strength, "N", TN_ANY, 1.0, "strength along z")};

static void push_eval(const tn_force_at *at, tn_own_load *out)
{
    out->b.f.z = ((const push *)at->params)->strength;
}

static tn_status add_push(void)
{
    const tn_own_force table = {
        .kind = {"push", "a push along z", push_params, 1, sizeof(push), NULL},
        .place = TN_OWN_SINGLE,
        .eval = push_eval,
    };
    return tn_add_force_kind(&table, NULL);
}

TN_API const tn_plugin *tenon_plugin(void);
TN_API const tn_plugin *tenon_plugin(void)
{
    static const tn_plugin plugin = {TN_PLUGIN_VERSION, add_push};
    return &plugin;
}
