// SPDX-License-Identifier: MIT
//
// Which functions of t decide in an expression, what shape they have, and what they are at a time
// and between two times.

#include "model/kinks.h"

#include "model/grid.h"

// Shapes ------------------------------------------------------------------------------------------

static tn_shape kinks_widest(int n, const tn_shape *of)
{
    tn_shape most = TN_CONSTANT_PIECES;
    for (int i = 0; i < n; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

// A linear table is linear in each of its arguments.
static tn_shape table_shape(const tn_instruction *at, const tn_shape *of)
{
    const tn_shape a = of[0], b = at->operands == 2 ? of[1] : TN_CONSTANT_PIECES;
    const tn_shape most = kinks_widest(at->operands, of);
    const bool one = a == TN_CONSTANT_PIECES || b == TN_CONSTANT_PIECES;
    const bool straight = at->table->interpolation == TN_TABLE_LINEAR && one;
    return straight || most == TN_CONSTANT_PIECES ? most : TN_CURVED;
}

static tn_shape result_shape(const tn_instruction *at, const tn_shape *of)
{
    switch (at->rule) {
    case TN_RULE_SUM:
        return at->op == &tn_op_time ? TN_LINEAR_PIECES : kinks_widest(at->operands, of);
    case TN_RULE_PRODUCT:
        return of[0] == TN_CONSTANT_PIECES   ? of[1]
               : of[1] == TN_CONSTANT_PIECES ? of[0]
                                             : TN_CURVED;
    case TN_RULE_RATIO:
        return of[1] == TN_CONSTANT_PIECES ? of[0] : TN_CURVED;
    case TN_RULE_LOGIC:
    case TN_RULE_COMPARE:
    case TN_RULE_SIGN:
    case TN_RULE_HELD:
        return TN_CONSTANT_PIECES;
    case TN_RULE_ABS:
    case TN_RULE_LEAST:
    case TN_RULE_MOST:
        return kinks_widest(at->operands, of);
    case TN_RULE_SELECT:
        return of[0] == TN_CONSTANT_PIECES ? kinks_widest(2, of + 1) : TN_CURVED;
    case TN_RULE_TABLE:
        return table_shape(at, of);
    case TN_RULE_CHOICE:
        return kinks_widest(at->operands - 1, of + 1);
    case TN_RULE_COPY:
        return of[-1 - (int)at->argument];
    case TN_RULE_KEEP:
        return of[at->operands - 1];
    case TN_RULE_STEP:
    case TN_RULE_ANGLE:
    case TN_RULE_WAVE:
    case TN_RULE_ROOT:
    case TN_RULE_ARC:
    case TN_RULE_SMOOTH:
        break;
    }
    return kinks_widest(at->operands, of) == TN_CONSTANT_PIECES ? TN_CONSTANT_PIECES : TN_CURVED;
}

static tn_shape deciding_shape(const tn_instruction *at, const tn_shape *of)
{
    if (at->rule == TN_RULE_CHOICE)
        return of[0];
    if (at->rule != TN_RULE_STEP)
        return kinks_widest(at->operands, of);
    const tn_shape ends = of[1] > of[3] ? of[1] : of[3];
    return of[0] > ends ? of[0] : ends;
}

// What decides is the difference of two operands, by how far they are below the top, of an operand
// and a number, or an operand alone.
enum { PLUS_ONE = -1, MINUS_ONE = -2, ALONE = -3 };

typedef struct difference {
    int a, b;
} difference;

// Returns how many; least, most, choices and angles decide otherwise.
static int differences(const tn_instruction *at, difference d[2])
{
    switch (at->rule) {
    case TN_RULE_COMPARE:
        d[0] = (difference){1, 0};
        return 1;
    case TN_RULE_SIGN:
    case TN_RULE_ABS:
    case TN_RULE_ROOT:
        d[0] = (difference){at->operands - 1, ALONE};
        return 1;
    case TN_RULE_STEP:
        d[0] = (difference){4, 3};
        d[1] = (difference){4, 1};
        return 2;
    case TN_RULE_ARC:
        d[0] = (difference){PLUS_ONE, 0};
        d[1] = (difference){0, MINUS_ONE};
        return 2;
    default:
        return 0;
    }
}

// The arguments at which a table in direction k has kinks, or begins something new.
static int knots(const tn_grid *table, int k, const double **list)
{
    const bool smooth = table->interpolation != TN_TABLE_LINEAR;
    *list = smooth ? table->met : table->knot[k];
    return smooth ? (k == 0 ? (int)table->nmet : 0) : table->nknot[k];
}

// How many numbers operands are compared with.
static int threshold_count(const tn_instruction *at)
{
    const double *ignored;
    if (at->rule == TN_RULE_CHOICE)
        return at->operands - 2;
    return at->rule == TN_RULE_TABLE ? knots(at->table, 0, &ignored) + knots(at->table, 1, &ignored)
                                     : 0;
}

// The number k of these, and how far below the top the operand is.
static double threshold(const tn_instruction *at, int k, int *below)
{
    const double *list;
    *below = at->operands - 1;
    if (at->rule == TN_RULE_CHOICE)
        return k + 1.5;
    TN_ASSERT(at->rule == TN_RULE_TABLE && k < threshold_count(at));
    const int first = knots(at->table, 0, &list);
    if (k < first)
        return list[k];
    *below = 0;
    (void)knots(at->table, 1, &list);
    return list[k - first];
}

static int deciders(const tn_instruction *at)
{
    difference ignored[2];
    if (at->rule == TN_RULE_LEAST || at->rule == TN_RULE_MOST)
        return at->operands - 1;
    if (at->rule == TN_RULE_CHOICE || at->rule == TN_RULE_TABLE)
        return threshold_count(at);
    return at->rule == TN_RULE_ANGLE ? 1 : differences(at, ignored);
}

// By the exponent, the instructions before end: between 0 and 2 a power has a kink where its base
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
    tn_shape stack[TN_EXPRESSION_STACK + 1], *top = stack; // one above the last
    int begin[TN_EXPRESSION_STACK + 1];                    // of what gives each of them
    int n = 0;
    for (int i = 0; i < count; i++) {
        top -= code[i].operands;
        if (code[i].op == &tn_op_pow)
            code[i].rule = power_rule(code + begin[top + 1 - stack], code + i);
        if (code[i].operands == 0)
            begin[top - stack] = i;
        code[i].shape = deciding_shape(&code[i], top);
        n += code[i].shape == TN_CONSTANT_PIECES ? 0 : deciders(&code[i]);
        *top = result_shape(&code[i], top);
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

static tn_jet operand(const tn_jet *top, int below)
{
    return below >= 0 ? top[-below] : tn_jet_number(below == PLUS_ONE ? 1.0 : -1.0);
}

static int decide(const tn_instruction *at, const tn_jet *top, tn_jet *out)
{
    difference d[2];
    if (at->rule == TN_RULE_LEAST || at->rule == TN_RULE_MOST)
        return put_running(top, at->operands, at->rule == TN_RULE_LEAST ? 1.0 : -1.0, out);
    for (int k = 0, below; k < threshold_count(at); k++) {
        const double number = threshold(at, k, &below);
        out[k] = tn_jet_sub(top[-below], tn_jet_number(number));
    }
    if (at->rule == TN_RULE_ANGLE)
        out[0] = top[0].v < 0.0 ? top[-1] : tn_jet_number(1.0);
    const int n = differences(at, d);
    for (int k = 0; k < n; k++)
        out[k] = d[k].b == ALONE ? operand(top, d[k].a)
                                 : tn_jet_sub(operand(top, d[k].a), operand(top, d[k].b));
    return deciders(at);
}

void tn_kinks_look(const tn_expression *expression, double t, tn_look *out)
{
    const tn_instruction *code = expression->code;
    tn_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    out->n = 0;
    out->fastest = 0.0;
    for (int i = 0; i < expression->count; i++) {
        const bool moves = code[i].shape != TN_CONSTANT_PIECES;
        if (moves && code[i].rule == TN_RULE_WAVE)
            out->fastest = fmax(out->fastest, fabs(top->d));
        const int n = moves ? decide(&code[i], top, out->of + out->n) : 0;
        for (int k = 0; k < n; k++) {
            out->linear[out->n + k] = code[i].shape == TN_LINEAR_PIECES;
            out->touches[out->n + k] = code[i].rule == TN_RULE_ROOT || code[i].rule == TN_RULE_ARC;
        }
        out->n += n;
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

static tn_range_jet range_operand(const tn_range_jet *top, int below)
{
    return below >= 0 ? top[-below] : tn_range_number(below == PLUS_ONE ? 1.0 : -1.0);
}

// As decide.
static int range_decide(const tn_instruction *at, const tn_range_jet *top, tn_range_jet *out)
{
    difference d[2];
    if (at->rule == TN_RULE_LEAST || at->rule == TN_RULE_MOST)
        return range_running(top, at->operands, at->rule == TN_RULE_MOST, out);
    for (int k = 0, below; k < threshold_count(at); k++) {
        const double number = threshold(at, k, &below);
        out[k] = tn_range_sub(top[-below], tn_range_number(number));
    }
    if (at->rule == TN_RULE_ANGLE) {
        out[0] = top[0].v.low >= 0.0 ? tn_range_number(1.0) : top[-1];
        if (tn_range_has_zero(top[0].v))
            out[0] = tn_range_broken(out[0]);
    }
    const int n = differences(at, d);
    for (int k = 0; k < n; k++)
        out[k] = d[k].b == ALONE
                     ? range_operand(top, d[k].a)
                     : tn_range_sub(range_operand(top, d[k].a), range_operand(top, d[k].b));
    return deciders(at);
}

void tn_kinks_see(const tn_expression *expression, double a, double b, tn_sight *out)
{
    const tn_instruction *code = expression->code;
    tn_range_jet stack[TN_EXPRESSION_STACK + 1], *top = stack; // one below the first value
    int n = 0;
    for (int i = 0; i < expression->count; i++) {
        if (code[i].shape != TN_CONSTANT_PIECES)
            n += range_decide(&code[i], top, out->of + n);
        top = code[i].op->over(top, &code[i], (tn_interval){a, b});
    }
}
