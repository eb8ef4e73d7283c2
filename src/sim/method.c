// SPDX-License-Identifier: MIT
//
// Reads a method from its name, or chooses one; see method.h.

#include "sim/method.h"

#include "base/table.h"

#include <stdio.h>
#include <string.h>

static tn_status unknown(const char *what, const char *name, int n, const char *const *known)
{
    char list[256] = "";
    for (int k = 0; k < n; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", known[k]);
    }
    const char *near = tn_nearest_name(name, n, known);
    if (near)
        return tn_fail(TN_ERR_USAGE, "unknown %s '%s'; did you mean '%s'? (known: %s)", what, name,
                       near, list);
    return tn_fail(TN_ERR_USAGE, "unknown %s '%s' (known: %s)", what, name, list);
}

static tn_status take_integrator(const char *name, tn_method *out)
{
    const char *known[16];
    for (int k = 0; k < tn_integrator_count; k++)
        known[k] = tn_integrators[k]->name;
    out->integrator = tn_find_integrator(name);
    return out->integrator ? TN_OK : unknown("integrator", name, tn_integrator_count, known);
}

static tn_status take_formulation(const char *name, tn_method *out)
{
    const char *known[32];
    for (int k = 0; k < tn_formulation_count; k++)
        known[k] = tn_formulations[k]->name;
    out->formulation = tn_find_formulation(name);
    return out->formulation ? TN_OK : unknown("formulation", name, tn_formulation_count, known);
}

static tn_status take_coordinates(const char *name, const tn_system *sys)
{
    const char *known[] = {sys->ops->coordinates};
    return strcmp(name, known[0]) ? unknown("coordinates", name, 1, known) : TN_OK;
}

// Splits "a/b@c" in place; absent parts are empty.
static void split(char *text, char **integrator, char **formulation, char **coordinates)
{
    static char empty[1] = "";
    char *at = strchr(text, '@'), *slash = strchr(text, '/');
    *integrator = text;
    *formulation = slash ? slash + 1 : empty;
    *coordinates = at ? at + 1 : empty;
    if (slash)
        *slash = '\0';
    if (at)
        *at = '\0';
}

static void choose(const tn_system *sys, tn_method *out)
{
    out->integrator = tn_find_integrator("galpha");
    out->formulation = tn_find_formulation("ggl");
    out->why =
        sys->ng + sys->nn > 0
            ? "chosen: ggl holds g and B v at round-off, generalized-alpha is of second order "
              "in q, v and lambda and damps stiff parts"
            : "chosen: no constraints; generalized-alpha is of second order and damps stiff "
              "parts";
}

tn_status tn_method_parse(const char *text, const tn_system *sys, tn_method *out)
{
    char copy[96];
    char *integrator, *formulation, *coordinates;
    *out = (tn_method){.coordinates = sys->ops->coordinates};
    choose(sys, out);
    if (!text || !text[0])
        text = "auto";
    if (strlen(text) >= sizeof copy)
        return tn_fail(TN_ERR_USAGE, "the method name is too long: %.40s…", text);
    strcpy(copy, text);
    split(copy, &integrator, &formulation, &coordinates);
    if (integrator[0] && strcmp(integrator, "auto")) {
        TN_TRY(take_integrator(integrator, out));
        out->why = "as asked for";
    }
    if (formulation[0])
        TN_TRY(take_formulation(formulation, out));
    if (coordinates[0])
        TN_TRY(take_coordinates(coordinates, sys));
    TN_TRY(tn_pairing_check(out->integrator, out->formulation));
    snprintf(out->name, sizeof out->name, "%s/%s@%s", out->integrator->name, out->formulation->name,
             out->coordinates);
    return TN_OK;
}
