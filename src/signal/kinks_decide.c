// SPDX-License-Identifier: MIT
//
// Functions of t that decide in an expression, and their values at a time and between two times.

#include "signal/kinks.h"

#include "signal/grid.h"

// What moves --------------------------------------------------------------------------------------

static bool any_of(int n, const bool *moves)
{
    for (int i = 0; i < n; i++)
        if (moves[i])
            return true;
    return false;
}

// Returns true if the result changes between discontinuities.
static bool result_moves(const tn_instruction *at, const bool *operand)
{
    switch (at->rule) {
    case TN_RULE_LOGIC:
    case TN_RULE_COMPARE:
    case TN_RULE_SIGN:
    case TN_RULE_HELD:
        return false;
    case TN_RULE_CHOICE:
        return any_of(at->operands - 1, operand + 1);
    case TN_RULE_COPY:
        return operand[-1 - (int)at->argument];
    case TN_RULE_KEEP:
        return operand[at->operands - 1];
    default:
        return at->op == &tn_op_time || any_of(at->operands, operand);
    }
}

static bool decider_moves(const tn_instruction *at, const bool *operand)
{
    if (at->rule == TN_RULE_CHOICE)
        return operand[0];
    if (at->rule == TN_RULE_STEP)
        return operand[0] || operand[1] || operand[3];
    return any_of(at->operands, operand);
}

// Deciders ----------------------------------------------------------------------------------------

// The arguments at which a table in direction k has corners, or its ends.
static int knots(const tn_grid *table, int k, const double **list)
{
    const bool smooth = table->interpolation != TN_TABLE_LINEAR;
    *list = smooth ? table->met : table->knot[k];
    return smooth ? (k == 0 ? (int)table->nmet : 0) : table->nknot[k];
}

// Roots, arcs and smooth tables have discontinuities here without conditions in formulas.
static int deciders(const tn_instruction *at)
{
    const double *ignored;
    if (at->rule == TN_RULE_TABLE)
        return knots(at->table, 0, &ignored) + knots(at->table, 1, &ignored);
    return at->rule == TN_RULE_ROOT ? 1 : at->rule == TN_RULE_ARC ? 2 : tn_decision_count(at);
}

// The function that decides is the difference of two operands, by their distances below the top, or
// of an operand and a number.
enum { NUMBER = -1 };

typedef struct difference {
    int a, b;
    double number;
} difference;

// Number k of an operation; least, most and angles decide otherwise.
static difference difference_at(const tn_instruction *at, int k)
{
    const double *list;
    const int last = at->operands - 1;
    switch (at->rule) {
    case TN_RULE_COMPARE:
        return (difference){1, 0, 0.0};
    case TN_RULE_STEP:
        return (difference){4, k == 0 ? 3 : 1, 0.0};
    case TN_RULE_ARC:
        return k == 0 ? (difference){NUMBER, 0, 1.0} : (difference){0, NUMBER, -1.0};
    case TN_RULE_CHOICE:
        return (difference){last, NUMBER, k + 1.5};
    case TN_RULE_TABLE: {
        const int first = knots(at->table, 0, &list);
        if (k < first)
            return (difference){last, NUMBER, list[k]};
        (void)knots(at->table, 1, &list);
        return (difference){0, NUMBER, list[k - first]};
    }
    default:
        return (difference){last, NUMBER, 0.0};
    }
}

// By the exponent, the instructions before end: between 0 and 2 a power has a corner where its base
// is zero, unless the exponent is whole.
static tn_kink_rule power_rule(const tn_instruction *exponent, const tn_instruction *end)
{
    tn_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    for (; exponent < end; exponent++) {
        if (exponent->op == &tn_op_time)
            return TN_RULE_SMOOTH;
        if (exponent->input) // any number
            return TN_RULE_ROOT;
        top = exponent->op->run(top, exponent, 0.0);
    }
    const double n = top->v;
    return n > 0.0 && n < 2.0 && n != 1.0 ? TN_RULE_ROOT : TN_RULE_SMOOTH;
}

int tn_kinks_prepare(int count, tn_instruction *code)
{
    bool stack[TN_EXPRESSION_STACK + 1], *top = stack; // one above the last
    int begin[TN_EXPRESSION_STACK + 1];                // of the instructions for each of them
    int n = 0;
    for (int i = 0; i < count; i++) {
        top -= code[i].operands;
        if (code[i].op == &tn_op_pow)
            code[i].rule = power_rule(code + begin[top + 1 - stack], code + i);
        if (code[i].operands == 0)
            begin[top - stack] = i;
        code[i].moves = decider_moves(&code[i], top);
        n += code[i].moves ? deciders(&code[i]) : 0;
        *top = result_moves(&code[i], top);
        top++;
    }
    return n;
}

// Values ------------------------------------------------------------------------------------------

static int put_running(const tn_jet *top, int n, double sense, tn_jet *out)
{
    tn_jet best = top[0];
    for (int k = 1; k < n; k++) {
        out[k - 1] = tn_jet_sub(best, top[-k]);
        if (sense * (best.v - top[-k].v) >= 0.0)
            best = top[-k];
    }
    return n - 1;
}

static tn_jet operand(const tn_jet *top, int below, double number)
{
    return below == NUMBER ? tn_jet_number(number) : top[-below];
}

static int decide(const tn_instruction *at, const tn_jet *top, tn_jet *out)
{
    if (at->rule == TN_RULE_LEAST || at->rule == TN_RULE_MOST)
        return put_running(top, at->operands, at->rule == TN_RULE_LEAST ? 1.0 : -1.0, out);
    const int n = deciders(at);
    for (int k = 0; k < n && at->rule != TN_RULE_ANGLE; k++) {
        const difference d = difference_at(at, k);
        out[k] = tn_jet_sub(operand(top, d.a, d.number), operand(top, d.b, d.number));
    }
    if (at->rule == TN_RULE_ANGLE)
        out[0] = top[0].v < 0.0 ? top[-1] : tn_jet_number(1.0);
    return n;
}

void tn_kinks_look(const tn_expression *expression, double t, tn_look *out)
{
    const tn_instruction *code = expression->code;
    tn_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    out->n = 0;
    out->fastest = 0.0;
    for (int i = 0; i < expression->count; i++) {
        if (code[i].moves && code[i].rule == TN_RULE_WAVE)
            out->fastest = fmax(out->fastest, fabs(top->d));
        const int n = code[i].moves ? decide(&code[i], top, out->of + out->n) : 0;
        for (int k = 0; k < n; k++)
            out->touches[out->n++] = code[i].rule == TN_RULE_ROOT || code[i].rule == TN_RULE_ARC;
        top = code[i].op->run(top, &code[i], t);
    }
}

static int range_running(const tn_range_jet *top, int n, bool most, tn_range_jet *out)
{
    tn_range_jet best = top[0];
    for (int k = 1; k < n; k++) {
        out[k - 1] = tn_range_sub(best, top[-k]);
        best = most ? tn_range_jet_most(best, top[-k]) : tn_range_jet_least(best, top[-k]);
    }
    return n - 1;
}

static tn_range_jet range_operand(const tn_range_jet *top, int below, double number)
{
    return below == NUMBER ? tn_range_number(number) : top[-below];
}

// As decide.
static int range_decide(const tn_instruction *at, const tn_range_jet *top, tn_range_jet *out)
{
    if (at->rule == TN_RULE_LEAST || at->rule == TN_RULE_MOST)
        return range_running(top, at->operands, at->rule == TN_RULE_MOST, out);
    const int n = deciders(at);
    for (int k = 0; k < n && at->rule != TN_RULE_ANGLE; k++) {
        const difference d = difference_at(at, k);
        const bool alone = d.b == NUMBER && d.number == 0.0;
        out[k] = range_operand(top, d.a, d.number);
        out[k] = alone ? out[k] : tn_range_sub(out[k], range_operand(top, d.b, d.number));
    }
    if (at->rule == TN_RULE_ANGLE) {
        out[0] = top[0].v.low >= 0.0 ? tn_range_number(1.0) : top[-1];
        if (tn_range_has_zero(top[0].v))
            out[0] = tn_range_broken(out[0]);
    }
    return n;
}

void tn_kinks_see(const tn_expression *expression, double a, double b, tn_expression_bounds *out)
{
    const tn_instruction *code = expression->code;
    tn_range_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    int n = 0;
    for (int i = 0; i < expression->count; i++) {
        if (code[i].moves)
            n += range_decide(&code[i], top, out->of + n);
        top = code[i].op->over(top, &code[i], (tn_interval){a, b});
    }
}
