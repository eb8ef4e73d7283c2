// SPDX-License-Identifier: MIT
//
// The parts of a formula that depend on t alone, written back as expressions: a run looks at these
// before it takes its steps (model/pulses.c), as at functions of time. Those that would be longer
// than expressions may be are left out.

#include "signal/formula_parts.h"

enum { OF_NUMBERS, OF_TIME, OF_VARIABLES };

typedef struct part {
    tn_code code;
    bool too_long; // for an expression
} part;

// Discontinuities are found by their conditions: parts are within and beside what decides.
static int shape_of(const tn_formula *f, const tn_formula_op *op, const signed char *shape)
{
    const bool divides = op->at.rule == TN_RULE_HELD || op->at.input || tn_decision_count(&op->at);
    int most = divides ? OF_VARIABLES : OF_NUMBERS;
    for (int k = 0; k < op->at.operands; k++)
        most = tn_larger(most, shape[f->operand[op->first + k]]);
    return most;
}

// Appends a slot in postfix order. Operands that several operations share are repeated.
static tn_status append_slot(const tn_formula *f, int slot, int height, part *p)
{
    const int first = tn_formula_slot(f, 0);
    p->too_long |= p->code.count >= TN_FORMULA_SLOTS || height >= TN_EXPRESSION_STACK;
    if (p->too_long)
        return TN_OK;
    if (slot == 0)
        return tn_array_push(&p->code, ((tn_instruction){.op = &tn_op_time}));
    if (slot < first)
        return tn_array_push(
            &p->code,
            ((tn_instruction){.op = &tn_op_number, .argument = f->number[slot - 1 - f->nvar]}));
    const tn_formula_op *op = &f->op[slot - first];
    for (int k = 0; k < op->at.operands; k++)
        TN_TRY(append_slot(f, f->operand[op->first + k], height + k, p));
    return tn_array_push(&p->code, op->at);
}

static tn_status add_part(tn_formula *f, int slot)
{
    part p = {0};
    tn_expression *packed = NULL;
    tn_status status = append_slot(f, slot, 0, &p);
    if (status == TN_OK && !p.too_long) {
        status = tn_expression_pack(&p.code, &packed);
        TN_THEN(status, tn_array_push(&f->part, packed));
        if (status != TN_OK)
            tn_free(packed);
    }
    tn_array_free(&p.code);
    return status;
}

tn_status tn_formula_find_time_parts(tn_formula *f)
{
    signed char shape[TN_FORMULA_SLOTS] = {OF_TIME};
    bool whole[TN_FORMULA_SLOTS] = {false};
    const int n = tn_formula_slot(f, f->nop);
    for (int i = 0; i < f->nvar; i++)
        shape[1 + i] = OF_VARIABLES;
    for (int i = 0; i < f->nop; i++) {
        const tn_formula_op *op = &f->op[i];
        const int own = tn_formula_slot(f, i);
        shape[own] = (signed char)shape_of(f, op, shape);
        for (int k = 0; k < op->at.operands && shape[own] == OF_VARIABLES; k++)
            whole[f->operand[op->first + k]] = true;
    }
    whole[f->result] = true;
    for (int slot = tn_formula_slot(f, 0); slot < n; slot++)
        if (whole[slot] && shape[slot] == OF_TIME)
            TN_TRY(add_part(f, slot));
    return TN_OK;
}

int tn_formula_time_parts(const tn_formula *f, tn_expression *const **list)
{
    *list = f->part.at;
    return f->part.count;
}
