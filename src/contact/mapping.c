// SPDX-License-Identifier: MIT
//
// Shapes from expressions. The operations of a formula run on jets along straight lines of
// arguments, (u + t a, v + t b): the second derivative in t is
//
//   a^2 f_uu + 2 a b f_uv + b^2 f_vv
//
// so that the directions (1, 0), (0, 1) and (1, 1) give all of them.

#include "contact/mapping.h"

#include "base/array.h"
#include "model/model.h"
#include "signal/formula_parts.h"

#include <string.h>

struct tn_mapping {
    int64_t narg;
    tn_formula *formula;
};

// Names -------------------------------------------------------------------------------------------

typedef struct scope {
    const tn_model *model;
    int narg;
    const char *const *args;
} scope;

static int find_argument(const scope *s, const char *name)
{
    for (int i = 0; i < s->narg; i++)
        if (strcmp(s->args[i], name) == 0)
            return i;
    return -1;
}

static bool is_input(const tn_model *model, const char *name)
{
    const int i = tn_table_find(model->parameter_names, name);
    return i >= 0 && model->parameters.at[i].input;
}

static tn_status find_name(void *self, const char *name, int *variable)
{
    const scope *s = self;
    *variable = find_argument(s, name);
    if (*variable >= 0)
        return TN_OK;
    if (is_input(s->model, name))
        return tn_fail(TN_ERR_MODEL,
                       "input '%s' changes while a simulation runs, and a shape does not; write a "
                       "parameter",
                       name);
    const char *near = tn_table_nearest(s->model->parameter_names, name);
    if (near && !is_input(s->model, near))
        return tn_fail(TN_ERR_MODEL, "unknown name '%s'; did you mean '%s'?", name, near);
    return tn_fail(TN_ERR_MODEL, "unknown name '%s'; it is not %s%s%s, pi, e or a parameter", name,
                   s->args[0], s->narg == 2 ? ", " : "", s->narg == 2 ? s->args[1] : "");
}

typedef TN_ARRAY(tn_named_value) named_values;

// The parameters that no argument hides.
static tn_status visible(const scope *s, named_values *out)
{
    for (int i = 0; i < s->model->parameters.count; i++)
        if (find_argument(s, s->model->parameters.at[i].name) < 0)
            TN_TRY(tn_array_push(out, s->model->parameters.at[i]));
    return TN_OK;
}

// Smoothness --------------------------------------------------------------------------------------

static const char *operation_name(const tn_operation *op)
{
    for (int i = 0; i < tn_function_count; i++)
        if (tn_functions[i].op.slope == op->slope)
            return tn_functions[i].name;
    for (int i = 0; i < tn_operator_count; i++)
        if (tn_operators[i].op.slope == op->slope)
            return tn_operators[i].text;
    return "hysteresis";
}

// A root and an angle are smooth but at single places.
static bool is_smooth(const tn_instruction *at)
{
    switch (at->rule) {
    case TN_RULE_SUM:
    case TN_RULE_PRODUCT:
    case TN_RULE_RATIO:
    case TN_RULE_ANGLE:
    case TN_RULE_WAVE:
    case TN_RULE_ROOT:
    case TN_RULE_ARC:
    case TN_RULE_SMOOTH:
        return true;
    case TN_RULE_TABLE:
        return at->table->interpolation == TN_TABLE_SPLINE;
    default:
        return false;
    }
}

// Operations on numbers alone are done already, and do not count.
static tn_status check_smooth(const char *text, const tn_formula *f)
{
    char shown[TN_EXPRESSION_SHOWN + 4];
    for (int i = 0; i < f->nop; i++) {
        const tn_instruction *at = &f->op[i].at;
        if (is_smooth(at))
            continue;
        if (at->table)
            return tn_fail(TN_ERR_MODEL,
                           "expression '%s': table '%s' is not smooth enough: reactions contain "
                           "its curvature; write 'interpolation: spline' for it",
                           tn_expression_shown(text, shown), at->table->name);
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s': '%s' is not smooth enough: reactions contain its "
                       "curvature; use smooth_abs, smooth_max or the like, or a spline table",
                       tn_expression_shown(text, shown), operation_name(at->op));
    }
    return TN_OK;
}

// Creation ----------------------------------------------------------------------------------------

static tn_status check_time(const scope *s, const char *text, const tn_code *code)
{
    char shown[TN_EXPRESSION_SHOWN + 4];
    if (code->time_column == 0)
        return TN_OK;
    return tn_fail(
        TN_ERR_MODEL,
        "expression '%s', column %d: t is not known here; a shape is a function of %s%s%s "
        "alone",
        tn_expression_shown(text, shown), code->time_column, s->args[0],
        s->narg == 2 ? " and " : "", s->narg == 2 ? s->args[1] : "");
}

static tn_status compile(const scope *s, const char *text, tn_formula *formula)
{
    const tn_lookup names = {(void *)s, find_name};
    named_values params = {0};
    tn_code code = {0};
    tn_status status = visible(s, &params);
    TN_THEN(status, tn_parse(text, params.count, params.at, &names, &code));
    TN_THEN(status, check_time(s, text, &code));
    TN_THEN(status, tn_formula_build(text, &code, formula));
    TN_THEN(status, check_smooth(text, formula));
    tn_array_free(&code);
    tn_array_free(&params);
    return status;
}

tn_status tn_mapping_create(const tn_model *model, const char *text, int narg,
                            const char *const *args, tn_mapping **out)
{
    TN_ASSERT(narg == 1 || narg == 2);
    const scope s = {model, narg, args};
    *out = NULL;
    if (text[strspn(text, " \t\r\n")] == '\0')
        return tn_fail(TN_ERR_MODEL, "the expression is empty; write one of %s%s%s", args[0],
                       narg == 2 ? " and " : "", narg == 2 ? args[1] : "");
    tn_mapping *m = tn_alloc(sizeof *m);
    TN_TRY(tn_got(m));
    m->narg = narg;
    m->formula = tn_alloc(sizeof *m->formula);
    tn_status status = tn_got(m->formula);
    TN_THEN(status, compile(&s, text, m->formula));
    TN_HAND_OUT(status, m, tn_mapping_destroy, out);
}

void tn_mapping_destroy(tn_mapping *m)
{
    if (!m)
        return;
    tn_formula_destroy(m->formula);
    tn_free(m);
}

// Evaluation --------------------------------------------------------------------------------------

// The jet of the formula where its variables are jets; it has no time.
static tn_jet run(const tn_formula *f, const tn_jet *x)
{
    TN_ASSERT(!f->has_time);
    return tn_formula_jet(f, tn_jet_number(0.0), x);
}

tn_grid_value tn_mapping_eval(const tn_mapping *m, const double *a)
{
    const double second = m->narg == 2 ? a[1] : 0.0;
    const tn_jet u = run(m->formula, (tn_jet[2]){{a[0], 1.0, 0.0}, {second, 0.0, 0.0}});
    if (m->narg == 1)
        return (tn_grid_value){.f = u.v, .x = u.d, .xx = u.dd};
    const tn_jet v = run(m->formula, (tn_jet[2]){{a[0], 0.0, 0.0}, {a[1], 1.0, 0.0}});
    const tn_jet both = run(m->formula, (tn_jet[2]){{a[0], 1.0, 0.0}, {a[1], 1.0, 0.0}});
    return (tn_grid_value){
        .f = u.v, .x = u.d, .y = v.d, .xx = u.dd, .xy = 0.5 * (both.dd - u.dd - v.dd), .yy = v.dd};
}
