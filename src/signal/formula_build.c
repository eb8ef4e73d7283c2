// SPDX-License-Identifier: MIT
//
// From a list of instructions to a formula. The stack of the instructions becomes a graph: a value
// on it is a node, and copies are the same node. Operations on numbers alone are done here, and a
// condition that does not change leaves one of its branches; nodes that the result does not need
// are left out.

#include "signal/formula_parts.h"

#include "base/array.h"

typedef struct node {
    tn_instruction at;
    int first; // its operands
    int slot;
    bool used;
} node;

typedef struct graph {
    TN_ARRAY(node) node;
    TN_ARRAY(int) operand;
    int stack[TN_EXPRESSION_STACK], height;
} graph;

static bool is_number(const graph *g, int k)
{
    return g->node.at[k].at.op == &tn_op_number;
}

static bool are_numbers(const graph *g, const tn_instruction *at, const int *operand)
{
    bool all = at->operands > 0;
    for (int i = 0; i < at->operands; i++)
        all = all && is_number(g, operand[i]);
    return all;
}

static tn_status push_node(graph *g, const tn_instruction *at, const int *operand)
{
    const node next = {.at = *at, .first = g->operand.count};
    for (int i = 0; i < at->operands; i++)
        TN_TRY(tn_array_push(&g->operand, operand[i]));
    g->stack[g->height++] = g->node.count;
    return tn_array_push(&g->node, next);
}

static tn_status push_result(graph *g, const tn_instruction *at, const int *operand)
{
    double a[TN_EXPRESSION_STACK];
    for (int i = 0; i < at->operands; i++)
        a[i] = g->node.at[operand[i]].at.argument;
    const tn_site site = {at, a, NULL, NULL, NULL};
    const tn_instruction number = {.op = &tn_op_number, .argument = at->op->slope(&site)};
    return push_node(g, &number, NULL);
}

static bool is_settled(const graph *g, const tn_instruction *at, const int *operand)
{
    return at->rule == TN_RULE_SELECT && is_number(g, operand[0]);
}

// One instruction: its operands are the nodes on top of the stack.
static tn_status take(graph *g, const tn_instruction *at)
{
    TN_ASSERT(at->operands <= g->height);
    g->height -= at->operands;
    const int *const operand = g->stack + g->height;
    int same = -1;
    if (at->op == &tn_op_copy)
        same = g->stack[g->height - 1 - (int)at->argument];
    else if (at->op == &tn_op_keep)
        same = operand[at->operands - 1];
    else if (is_settled(g, at, operand))
        same = operand[g->node.at[operand[0]].at.argument != 0.0 ? 1 : 2];
    if (same >= 0) {
        g->stack[g->height++] = same;
        return TN_OK;
    }
    return are_numbers(g, at, operand) ? push_result(g, at, operand) : push_node(g, at, operand);
}

// Operands are before their operations, so that one pass from the end does.
static void mark_used(graph *g)
{
    g->node.at[g->stack[0]].used = true;
    for (int i = g->node.count - 1; i >= 0; i--)
        for (int k = 0; g->node.at[i].used && k < g->node.at[i].at.operands; k++)
            g->node.at[g->operand.at[g->node.at[i].first + k]].used = true;
}

static bool is_used(const graph *g, int i, const tn_operation *op)
{
    return g->node.at[i].used && g->node.at[i].at.op == op;
}

// Index of a variable in the list, or the place where it would be.
static int place(const tn_formula *f, int variable)
{
    int i = 0;
    while (i < f->nvar && f->list[i] < variable)
        i++;
    return i;
}

static void list_variable(tn_formula *f, int variable)
{
    const int at = place(f, variable);
    if (at < f->nvar && f->list[at] == variable)
        return;
    for (int i = f->nvar++; i > at; i--)
        f->list[i] = f->list[i - 1];
    f->list[at] = variable;
}

static void number_leaves(graph *g, tn_formula *f)
{
    for (int i = 0; i < g->node.count; i++)
        if (is_used(g, i, &tn_op_variable))
            list_variable(f, (int)g->node.at[i].at.argument);
    for (int i = 0; i < g->node.count; i++) {
        node *n = &g->node.at[i];
        if (is_used(g, i, &tn_op_time)) {
            n->slot = 0;
            f->has_time = true;
        } else if (is_used(g, i, &tn_op_variable)) {
            n->slot = 1 + place(f, (int)n->at.argument);
        } else if (is_used(g, i, &tn_op_number)) {
            n->slot = 1 + f->nvar + f->nnumber;
            f->number[f->nnumber++] = n->at.argument;
        }
    }
}

static void place_operations(graph *g, tn_formula *f)
{
    for (int i = 0; i < g->node.count; i++) {
        node *n = &g->node.at[i];
        if (!n->used || n->at.operands == 0)
            continue;
        f->op[f->nop] = (tn_formula_op){n->at, f->noperand, f->ndecision};
        for (int k = 0; k < n->at.operands; k++)
            f->operand[f->noperand++] = g->node.at[g->operand.at[n->first + k]].slot;
        f->ndecision += tn_decision_count(&n->at);
        n->slot = tn_formula_slot(f, f->nop++);
    }
    f->result = g->node.at[g->stack[0]].slot;
    TN_ASSERT(f->result < tn_formula_slot(f, f->nop));
}

static tn_status pack(const char *text, graph *g, tn_formula *f)
{
    TN_ASSERT(g->height == 1);
    char buffer[TN_EXPRESSION_SHOWN + 4];
    const size_t nodes = (size_t)g->node.count, operands = (size_t)g->operand.count;
    f->list = tn_alloc(nodes * sizeof *f->list);
    f->number = tn_alloc(nodes * sizeof *f->number);
    f->op = tn_alloc(nodes * sizeof *f->op);
    f->operand = tn_alloc((operands + 1) * sizeof *f->operand);
    TN_TRY(tn_got(f->list && f->number && f->op && f->operand));
    mark_used(g);
    number_leaves(g, f);
    place_operations(g, f);
    if (tn_formula_slot(f, f->nop) > TN_FORMULA_SLOTS || f->noperand > TN_FORMULA_OPERANDS)
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s' has more than %d operations and numbers; divide it into "
                       "several",
                       tn_expression_shown(text, buffer), TN_FORMULA_SLOTS);
    if (f->ndecision > TN_KINKS_MAX)
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s' has more than %d conditions and kinks; a table will do",
                       tn_expression_shown(text, buffer), TN_KINKS_MAX);
    return TN_OK;
}

tn_status tn_formula_build(const char *text, const tn_code *code, tn_formula *f)
{
    graph g = {.height = 0};
    tn_status status = TN_OK;
    for (int i = 0; i < code->count && status == TN_OK; i++)
        status = take(&g, &code->at[i]);
    TN_THEN(status, pack(text, &g, f));
    tn_array_free(&g.node);
    tn_array_free(&g.operand);
    return status;
}
