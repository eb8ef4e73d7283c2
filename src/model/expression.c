// SPDX-License-Identifier: MIT
//
// Compiles expressions in t and evaluates them together with their first and second derivative.
// Our own evaluator, not muparser, because muparser has no derivatives and differences would lose
// half the digits in the acceleration level of rheonomic constraints.
//
//   choice   = binary [ "?" choice ":" choice ]
//   binary   = unary { operator unary }           by precedence, see model/operation.c
//   unary    = ( "-" | "+" ) unary | power
//   power    = primary [ "^" unary ]
//   primary  = number | name | name "(" choice { "," choice } ")" | "(" choice ")"
//
// The parser descends recursively, at most DEPTH levels, and emits instructions in postfix order.
// It counts the stack that they will need, so that evaluation has no checks and no allocation.

#include "model/expression.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/number.h"
#include "base/table.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXT = 10000, // characters of an expression
    DEPTH = 200,  // levels of nesting
    NUMBER = 400, // characters of a number
    SHOWN = 60,   // characters of the text in a message
};

typedef struct parser {
    const char *text, *at;
    int nparam;
    const tn_named_value *params;
    int depth;                       // of nesting: parentheses, arguments, branches, signs, powers
    int stack;                       // jets on the stack behind the last instruction
    int time_column;                 // of the first t, 0 for none
    const tn_input_data *formula_of; // in the formula of this input; else NULL
    TN_ARRAY(tn_instruction) code;
} parser;

static tn_status choice(parser *p);
static tn_status unary(parser *p);

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int tn_name_length(const char *at)
{
    int n = 0;
    while (is_letter(at[n]) || (n > 0 && is_digit(at[n])))
        n++;
    return n;
}

// The text as messages show it: the beginning when it is long, control characters as '?'.
static const char *shown(const char *text, char out[SHOWN + 4])
{
    int n = 0;
    for (; text[n] && n < SHOWN; n++)
        out[n] = (unsigned char)text[n] < ' ' ? '?' : text[n];
    strcpy(out + n, text[n] ? "..." : "");
    return out;
}

static tn_status fail_at(const parser *p, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tn_status fail_at(const parser *p, const char *where, const char *format, ...)
{
    char text[SHOWN + 4], reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    return tn_fail(TN_ERR_MODEL, "expression '%s', column %d: %s", shown(p->text, text),
                   (int)(where - p->text) + 1, reason);
}

static void skip_space(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool accept_expression(parser *p, const char *token)
{
    skip_space(p);
    const size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0)
        return false;
    p->at += n;
    return true;
}

// What stands at the place of an error, for the end of a sentence.
static const char *found(const char *at, char out[40])
{
    const int n = tn_larger(tn_name_length(at), 1);
    if (!*at)
        return "the end of the text";
    if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
        snprintf(out, 40, "the character with code %d", (unsigned char)*at);
    else
        snprintf(out, 40, "'%.*s'", n < 30 ? n : 30, at);
    return out;
}

static tn_status expression_expect(parser *p, const char *token, const char *purpose)
{
    char buffer[40];
    if (accept_expression(p, token))
        return TN_OK;
    return fail_at(p, p->at, "'%s' expected %s, but here is %s", token, purpose,
                   found(p->at, buffer));
}

// Applies a rule of the grammar one level down.
static tn_status nested(parser *p, tn_status (*rule)(parser *p))
{
    if (p->depth == DEPTH)
        return fail_at(p, p->at, "nested more than %d levels deep; use fewer parentheses", DEPTH);
    p->depth++;
    TN_TRY(rule(p));
    p->depth--;
    return TN_OK;
}

static tn_status emit_expression(parser *p, int operands, tn_operation *run,
                                 tn_range_operation *over, double argument, tn_kink_rule rule)
{
    const tn_instruction next = {run, over, argument, operands, rule, TN_CURVED, NULL, 0};
    p->stack += 1 - operands;
    if (p->stack > TN_EXPRESSION_STACK)
        return fail_at(p, p->at, "more than %d intermediate values; simplify it",
                       TN_EXPRESSION_STACK);
    return tn_array_push(&p->code, next);
}

static tn_status number(parser *p)
{
    const size_t n = tn_number_length(p->at);
    char digits[NUMBER];
    double value;
    if (n >= NUMBER)
        return fail_at(p, p->at, "a number of more than %d characters", NUMBER - 1);
    memcpy(digits, p->at, n);
    digits[n] = '\0';
    if (!tn_number_from_text(digits, &value) || !isfinite(value))
        return fail_at(p, p->at, "number %.40s is too large", digits);
    TN_TRY(emit_expression(p, 0, tn_op_number, tn_over_number, value, TN_RULE_SUM));
    p->at += n;
    return TN_OK;
}

// A suggestion is of use only when more than one letter of the name is kept.
static const char *nearest(const char *name, int n, const char *const *known)
{
    const char *near = tn_nearest_name(name, n, known);
    return near && tn_edit_distance(name, near) < (int)strlen(name) ? near : NULL;
}

static tn_status unknown_function(const parser *p, const char *name)
{
    const char *known[64];
    TN_ASSERT(tn_function_count <= TN_COUNT(known));
    for (int i = 0; i < tn_function_count; i++)
        known[i] = tn_functions[i].name;
    const char *near = nearest(name, tn_function_count, known);
    if (near)
        return fail_at(p, p->at, "unknown function '%s'; did you mean '%s'?", name, near);
    return fail_at(p, p->at, "unknown function '%s'; to multiply write *", name);
}

static const tn_function_entry *find_function(const char *name)
{
    for (int i = 0; i < tn_function_count; i++)
        if (strcmp(name, tn_functions[i].name) == 0)
            return &tn_functions[i];
    return NULL;
}

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}};

// Whether a name stands for a constant, and its value.
static bool find_constant(const char *name, double *out)
{
    for (int i = 0; i < TN_COUNT(constants); i++)
        if (strcmp(name, constants[i].name) == 0) {
            *out = constants[i].value;
            return true;
        }
    return false;
}

static tn_status call_expression(parser *p, const char *name)
{
    const char *const at = p->at;
    const tn_function_entry *function = find_function(name);
    if (!function)
        return unknown_function(p, name);
    p->at += strlen(name);
    accept_expression(p, "(");
    int count = 0;
    if (!accept_expression(p, ")")) {
        do {
            TN_TRY(nested(p, choice));
            count++;
        } while (accept_expression(p, ","));
        TN_TRY(expression_expect(p, ")", "behind the arguments"));
    }
    if (count < function->least || count > function->most)
        return fail_at(p, at, "%s takes %s%d argument%s, %d %s given", name,
                       function->most > function->least ? "at least " : "", function->least,
                       function->least == 1 ? "" : "s", count, count == 1 ? "is" : "are");
    return emit_expression(p, count, function->run, function->over, count, function->rule);
}

static tn_status unknown_name(const parser *p, const char *name)
{
    const char **known = tn_alloc(((size_t)p->nparam + 3) * sizeof(*known));
    TN_TRY(tn_got(known));
    for (int i = 0; i < p->nparam; i++)
        known[i] = p->params[i].name;
    known[p->nparam] = "t", known[p->nparam + 1] = "pi", known[p->nparam + 2] = "e";
    const char *near = nearest(name, p->nparam + 3, known);
    tn_status status;
    if (find_function(name))
        status = fail_at(p, p->at, "function '%s' needs its arguments in parentheses", name);
    else if (near)
        status = fail_at(p, p->at, "unknown name '%s'; did you mean '%s'?", name, near);
    else
        status = fail_at(p, p->at, "unknown name '%s'; it is not t, pi, e, a parameter or an input",
                         name);
    tn_free(known);
    return status;
}

// The formula of an input stands for its name. Its numbers are marked, to be changed.
static tn_status input_formula(parser *p, const tn_input_data *input)
{
    static const char *const names[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    tn_named_value numbers[TN_COUNT(names)];
    double start[TN_COUNT(names)];
    tn_input_start(input, 0.0, start);
    tn_input_fixed_numbers(input, start + TN_INPUT_NUMBERS);
    for (int i = 0; i < TN_COUNT(names); i++)
        numbers[i] = (tn_named_value){names[i], start[i], NULL};
    const parser outer = *p;
    p->text = p->at = tn_input_formula(input);
    p->nparam = TN_COUNT(names);
    p->params = numbers;
    p->formula_of = input;
    TN_TRY(nested(p, choice));
    p->text = outer.text;
    p->at = outer.at;
    p->nparam = outer.nparam;
    p->params = outer.params;
    p->formula_of = NULL;
    p->time_column = outer.time_column;
    return TN_OK;
}

static tn_status parameter(parser *p, int i)
{
    const tn_named_value *named = &p->params[i];
    p->at += strlen(named->name);
    if (named->input)
        return input_formula(p, named->input);
    TN_TRY(emit_expression(p, 0, tn_op_number, tn_over_number, named->value, TN_RULE_SUM));
    if (p->formula_of && i < TN_INPUT_NUMBERS) {
        tn_instruction *last = &p->code.at[p->code.count - 1];
        last->input = p->formula_of;
        last->number = i;
    }
    return TN_OK;
}

static tn_status value(parser *p, const char *name)
{
    const int column = (int)(p->at - p->text) + 1;
    tn_operation *run = tn_op_number;
    double argument = 0.0;
    int i = 0;
    while (i < p->nparam && strcmp(name, p->params[i].name) != 0)
        i++;
    if (i < p->nparam)
        return parameter(p, i);
    if (strcmp(name, "t") == 0)
        run = tn_op_time;
    else if (!find_constant(name, &argument))
        return unknown_name(p, name);
    if (run == tn_op_time && p->time_column == 0)
        p->time_column = column;
    p->at += strlen(name);
    return emit_expression(p, 0, run, run == tn_op_time ? tn_over_time : tn_over_number, argument,
                           TN_RULE_SUM);
}

static tn_status primary(parser *p)
{
    char name[64], buffer[40];
    skip_space(p);
    if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
        return number(p);
    if (accept_expression(p, "(")) {
        TN_TRY(nested(p, choice));
        return expression_expect(p, ")", "to close a parenthesis");
    }
    const int n = tn_name_length(p->at);
    if (n == 0)
        return fail_at(p, p->at, "a number, a name or '(' expected, but here is %s",
                       found(p->at, buffer));
    if (n >= (int)sizeof(name))
        return fail_at(p, p->at, "a name of more than %d characters", (int)sizeof(name) - 1);
    memcpy(name, p->at, (size_t)n);
    name[n] = '\0';
    const char *behind = p->at + n;
    behind += strspn(behind, " \t\r\n");
    return *behind == '(' ? call_expression(p, name) : value(p, name);
}

static tn_status unary(parser *p)
{
    if (accept_expression(p, "-")) {
        TN_TRY(nested(p, unary));
        return emit_expression(p, 1, tn_op_neg, tn_over_neg, 0.0, TN_RULE_SUM);
    }
    if (accept_expression(p, "+"))
        return nested(p, unary);
    TN_TRY(primary(p));
    if (!accept_expression(p, "^"))
        return TN_OK;
    TN_TRY(nested(p, unary));
    return emit_expression(p, 2, tn_op_pow, tn_over_pow, 0.0, TN_RULE_ROOT);
}

static const tn_operator *next_operator(parser *p)
{
    skip_space(p);
    for (int i = 0; i < tn_operator_count; i++)
        if (strncmp(p->at, tn_operators[i].text, strlen(tn_operators[i].text)) == 0)
            return &tn_operators[i];
    return NULL;
}

// Operands joined by operators that bind at least as tightly as `least`.
static tn_status binary(parser *p, int least)
{
    TN_TRY(unary(p));
    bool compared = false;
    for (;;) {
        const tn_operator *op = next_operator(p);
        if (!op || op->precedence < least)
            return TN_OK;
        if (op->precedence == TN_PRECEDENCE_COMPARE && compared)
            return fail_at(p, p->at, "comparisons do not chain; write a < b && b < c");
        compared = op->precedence == TN_PRECEDENCE_COMPARE;
        if (!strncmp(p->at, "**", 2))
            return fail_at(p, p->at, "'**' is not an operator; write ^ for powers");
        p->at += strlen(op->text);
        TN_TRY(binary(p, op->precedence + 1));
        TN_TRY(emit_expression(p, 2, op->run, op->over, 0.0, op->rule));
    }
}

static tn_status choice(parser *p)
{
    TN_TRY(binary(p, 0));
    if (!accept_expression(p, "?"))
        return TN_OK;
    TN_TRY(nested(p, choice));
    TN_TRY(expression_expect(p, ":", "between the two results of '?'"));
    TN_TRY(nested(p, choice));
    return emit_expression(p, 3, tn_op_select, tn_over_select, 0.0, TN_RULE_SELECT);
}

tn_status tn_expression_check_name(const char *list, const char *name)
{
    enum { FIRST = 1 + TN_COUNT(constants) };
    const char *names[64] = {"t"};
    char all[512];
    double ignored;
    if (strcmp(name, "t") != 0 && !find_constant(name, &ignored) && !find_function(name))
        return TN_OK;
    TN_ASSERT(FIRST + tn_function_count <= TN_COUNT(names));
    for (int i = 0; i < TN_COUNT(constants); i++)
        names[1 + i] = constants[i].name;
    for (int i = 0; i < tn_function_count; i++)
        names[FIRST + i] = tn_functions[i].name;
    tn_list_names(FIRST + tn_function_count, names, sizeof all, all);
    return tn_fail(TN_ERR_MODEL, "%s '%s': this name is taken; choose one that is none of %s", list,
                   name, all);
}

static tn_status parse(parser *p)
{
    char buffer[SHOWN + 4];
    if (strlen(p->text) > TEXT)
        return tn_fail(TN_ERR_MODEL, "expression '%s' has %zu characters; %d are allowed",
                       shown(p->text, buffer), strlen(p->text), TEXT);
    skip_space(p);
    if (!*p->at)
        return tn_fail(TN_ERR_MODEL, "expression is empty; write for example 0.1*sin(10*t)");
    TN_TRY(choice(p));
    skip_space(p);
    if (!*p->at)
        return TN_OK;
    if (*p->at == '=')
        return fail_at(p, p->at, "'=' is not an operator; write == to compare");
    if (is_letter(*p->at) || is_digit(*p->at) || *p->at == '(' || *p->at == '.')
        return fail_at(p, p->at, "an operator is missing before %s", found(p->at, buffer));
    return fail_at(p, p->at, "an operator or the end expected, but here is %s",
                   found(p->at, buffer));
}

static tn_status expression_pack(const tn_instruction *code, int count, int time_column,
                                 tn_expression **out)
{
    tn_expression *expression = tn_alloc(sizeof(*expression) + (size_t)count * sizeof(*code));
    TN_TRY(tn_got(expression));
    expression->count = count;
    expression->time_column = time_column;
    memcpy(expression->code, code, (size_t)count * sizeof(*code));
    *out = expression;
    if (tn_kinks_prepare(count, expression->code) <= TN_KINKS_MAX)
        return TN_OK;
    tn_free(expression);
    *out = NULL;
    return tn_fail(TN_ERR_MODEL,
                   "expression has more than %d conditions and kinks; a table will do",
                   TN_KINKS_MAX);
}

tn_status tn_expression_create(const char *text, int nparam, const tn_named_value *params,
                               tn_expression **out)
{
    parser p = {.text = text, .at = text, .nparam = nparam, .params = params};
    *out = NULL;
    tn_status status = parse(&p);
    TN_THEN(status, expression_pack(p.code.at, p.code.count, p.time_column, out));
    tn_array_free(&p.code);
    return status;
}

tn_jet tn_expression_eval(const tn_expression *expression, double t)
{
    tn_jet stack[TN_EXPRESSION_STACK + 1];
    tn_jet *top = stack; // one below the first value
    for (int i = 0; i < expression->count; i++)
        top = expression->code[i].run(top, expression->code[i].argument, t);
    return *top;
}

const tn_input_data *tn_expression_input(const tn_expression *expression, bool jumping)
{
    for (int i = 0; i < expression->count; i++) {
        const tn_input_data *input = expression->code[i].input;
        if (input && (!jumping || tn_input_jumps(input)))
            return input;
    }
    return NULL;
}

tn_status tn_expression_value(const char *text, int nparam, const tn_named_value *params,
                              double *result)
{
    char buffer[SHOWN + 4];
    tn_expression *expression = NULL;
    TN_TRY(tn_expression_create(text, nparam, params, &expression));
    const int column = expression->time_column;
    const double v = tn_expression_eval(expression, 0.0).v;
    const tn_input_data *input = tn_expression_input(expression, false);
    tn_free(expression);
    if (input)
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s': input '%s' changes while a simulation runs; a constant is "
                       "needed here",
                       shown(text, buffer), input->name);
    if (column > 0)
        return tn_fail(TN_ERR_MODEL,
                       "expression '%s', column %d: t is not known here; a constant is needed",
                       shown(text, buffer), column);
    if (!isfinite(v))
        return tn_fail(TN_ERR_MODEL, "expression '%s' has the value %g; a finite one is needed",
                       shown(text, buffer), v);
    *result = v;
    return TN_OK;
}
