// SPDX-License-Identifier: MIT
//
// Evaluates formulas. Derivatives are those of the reverse mode: forward, each operation gives its
// value and its partial derivatives; backward, each slot passes on how the result changes with it,
// so that a gradient costs a few evaluations, however many variables there are [Griewank, Walther
// 2008, ch. 3].

#include "signal/formula_parts.h"

#include "base/array.h"
#include "signal/grid.h"

#include <math.h>
#include <string.h>

static double formula_operation(const tn_formula_op *op, const int *operand, tn_sides side,
                                const double *v, double *d, double *s)
{
    double several[TN_EXPRESSION_STACK];
    const double *a = op->at.operands == 1 ? v + operand[op->first] : several;
    for (int k = 0; a == several && k < op->at.operands; k++)
        several[k] = v[operand[op->first + k]];
    const tn_site site = {&op->at, a, side ? side + op->decision : NULL, d ? d + op->first : NULL,
                          s ? s + op->decision : NULL};
    return op->at.op->slope(&site);
}

// Values of all slots; on request, partial derivatives of all operations and deciding functions.
static void formula_forward(const tn_formula *f, double t, const double *x, tn_sides side,
                            double *v, double *d, double *s)
{
    TN_ASSERT(tn_formula_slot(f, f->nop) <= TN_FORMULA_SLOTS);
    v[0] = t;
    for (int i = 0; i < f->nvar; i++)
        v[1 + i] = x[f->list[i]];
    memcpy(v + 1 + f->nvar, f->number, (size_t)f->nnumber * sizeof *v);
    for (int i = 0; i < f->nop; i++)
        v[tn_formula_slot(f, i)] = formula_operation(&f->op[i], f->operand, side, v, d, s);
}

double tn_formula_eval(const tn_formula *f, double t, const double *x, tn_sides side)
{
    double v[TN_FORMULA_SLOTS];
    formula_forward(f, t, x, side, v, NULL, NULL);
    return v[f->result];
}

tn_range_jet tn_formula_over(const tn_formula *f, const tn_range_jet *t, const tn_range_jet *x)
{
    static const tn_interval any = {-INFINITY, INFINITY};
    tn_range_jet v[TN_FORMULA_SLOTS], stack[TN_EXPRESSION_STACK];
    v[0] = *t;
    for (int i = 0; i < f->nvar; i++)
        v[1 + i] = x[f->list[i]];
    for (int i = 0; i < f->nnumber; i++)
        v[1 + f->nvar + i] = tn_range_number(f->number[i]);
    for (int i = 0; i < f->nop; i++) {
        const tn_formula_op *op = &f->op[i];
        const int n = op->at.operands;
        for (int k = 0; k < n; k++)
            stack[k] = v[f->operand[op->first + k]];
        v[tn_formula_slot(f, i)] = op->at.op->over ? *op->at.op->over(stack + n - 1, &op->at, t->v)
                                                   : (tn_range_jet){any, any, any};
    }
    return v[f->result];
}

// Derivatives by t, then by the variables of the list.
static double formula_backward(const tn_formula *f, double t, const double *x, tn_sides side,
                               double *by)
{
    double v[TN_FORMULA_SLOTS], d[TN_FORMULA_OPERANDS];
    formula_forward(f, t, x, side, v, d, NULL);
    memset(by, 0, (size_t)tn_formula_slot(f, f->nop) * sizeof *by);
    by[f->result] = 1.0;
    for (int i = f->nop - 1; i >= 0; i--) {
        const tn_formula_op *op = &f->op[i];
        const double y = by[tn_formula_slot(f, i)];
        for (int k = op->first; k < op->first + op->at.operands; k++)
            if (y != 0.0) // a branch not taken stays out, even where its slope is infinite
                by[f->operand[k]] += tn_jet_term(y, d[k]);
    }
    return v[f->result];
}

double tn_formula_gradient(const tn_formula *f, double t, const double *x, tn_sides side,
                           double *dx)
{
    double by[TN_FORMULA_SLOTS];
    const double value = formula_backward(f, t, x, side, by);
    memcpy(dx, by + 1, (size_t)f->nvar * sizeof *dx);
    return value;
}

double tn_formula_by_time(const tn_formula *f, double t, const double *x)
{
    double by[TN_FORMULA_SLOTS];
    formula_backward(f, t, x, NULL, by);
    return f->has_time ? by[0] : 0.0;
}

tn_jet tn_formula_jet(const tn_formula *f, tn_jet t, const tn_jet *x)
{
    tn_jet v[TN_FORMULA_SLOTS], operand[TN_EXPRESSION_STACK];
    v[0] = t;
    for (int i = 0; i < f->nvar; i++)
        v[1 + i] = x[f->list[i]];
    for (int i = 0; i < f->nnumber; i++)
        v[1 + f->nvar + i] = tn_jet_number(f->number[i]);
    for (int i = 0; i < f->nop; i++) {
        const tn_formula_op *op = &f->op[i];
        const int n = op->at.operands;
        for (int k = 0; k < n; k++)
            operand[k] = v[f->operand[op->first + k]];
        v[tn_formula_slot(f, i)] = *op->at.op->run(operand + n - 1, &op->at, t.v);
    }
    return v[f->result];
}

// Degrees in the variables up to 2, which is anything that is not linear.
static int formula_degree(const tn_formula *f, const tn_formula_op *op, const signed char *degree)
{
    int most = 0, sum = 0;
    const int *operand = f->operand + op->first;
    for (int k = 0; k < op->at.operands; k++) {
        const int d = degree[operand[k]];
        most = d > most ? d : most;
        sum += d;
    }
    switch (op->at.op->rule) {
    case TN_RULE_SUM:
        return most;
    case TN_RULE_PRODUCT:
        return sum < 2 ? sum : 2;
    case TN_RULE_RATIO:
        return degree[operand[1]] > 0 ? 2 : most;
    default:
        return most > 0 ? 2 : 0;
    }
}

bool tn_formula_is_linear(const tn_formula *f, const bool *in)
{
    signed char degree[TN_FORMULA_SLOTS] = {0};
    for (int i = 0; i < f->nvar; i++)
        degree[1 + i] = in[f->list[i]];
    for (int i = 0; i < f->nop; i++)
        degree[tn_formula_slot(f, i)] = (signed char)formula_degree(f, &f->op[i], degree);
    return degree[f->result] < 2;
}

void tn_formula_switches(const tn_formula *f, double t, const double *x, tn_sides side,
                         double *value)
{
    double v[TN_FORMULA_SLOTS];
    formula_forward(f, t, x, side, v, NULL, value);
}

const char *tn_formula_closed_table(const tn_formula *f)
{
    for (int i = 0; i < f->nop; i++)
        if (f->op[i].at.table && f->op[i].at.table->beyond == TN_BEYOND_ERROR)
            return f->op[i].at.table->name;
    return NULL;
}

int tn_formula_switch_count(const tn_formula *f)
{
    return f->ndecision;
}

bool tn_formula_remembers(const tn_formula *f, int k)
{
    TN_ASSERT(k >= -1 && k < f->ndecision);
    for (int i = 0; i < f->nop; i++)
        if (f->op[i].at.rule == TN_RULE_HELD && (k < 0 || f->op[i].decision == k))
            return true;
    return false;
}

bool tn_formula_jumps(const tn_formula *f, bool steady)
{
    for (int i = 0; i < f->nop; i++) {
        const tn_kink_rule rule = f->op[i].at.rule;
        const bool kinks = rule == TN_RULE_ABS || rule == TN_RULE_LEAST || rule == TN_RULE_MOST ||
                           rule == TN_RULE_STEP || rule == TN_RULE_TABLE;
        const bool conditions = rule == TN_RULE_COMPARE || rule == TN_RULE_SIGN ||
                                rule == TN_RULE_SELECT || rule == TN_RULE_CHOICE;
        if (tn_decision_count(&f->op[i].at) > 0 && !kinks && !(steady && conditions))
            return true;
    }
    return false;
}

int tn_formula_variables(const tn_formula *f, const int **list)
{
    *list = f->list;
    return f->nvar;
}

bool tn_formula_has_time(const tn_formula *f)
{
    return f->has_time;
}

tn_status tn_formula_create(const char *text, int nparam, const tn_named_value *params,
                            const tn_lookup *names, tn_formula **out)
{
    tn_code code = {0};
    *out = NULL;
    tn_formula *f = tn_alloc(sizeof *f);
    tn_status status = tn_got(f);
    TN_THEN(status, tn_parse(text, nparam, params, names, &code));
    TN_THEN(status, tn_formula_build(text, &code, f));
    TN_THEN(status, tn_formula_find_time_parts(f));
    tn_array_free(&code);
    if (status == TN_OK)
        *out = f;
    else
        tn_formula_destroy(f);
    return status;
}

void tn_formula_destroy(tn_formula *f)
{
    for (int i = 0; f && i < f->part.count; i++)
        tn_free(f->part.at[i]);
    if (f)
        TN_FREE(f->part.at, f->list, f->number, f->op, f->operand, f);
}
