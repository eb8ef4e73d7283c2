// SPDX-License-Identifier: MIT
//
// The language of expressions: a text becomes a list of instructions.
//
//   choice   = binary [ "?" choice ":" choice ]
//   binary   = unary { operator unary }           by precedence, see signal/operation.c
//   unary    = ( "-" | "+" ) unary | power
//   power    = primary [ "^" unary ]
//   primary  = number | name | name "(" choice { "," choice } ")" | "(" choice ")"
//   name     = part { "." part }, part = identifier | quoted text     dots and quotes in formulas
//
// The parser descends recursively, at most DEPTH levels, and emits instructions in postfix order.
// It counts the stack that they will need, so that evaluation has no checks and no allocation.

#include "signal/parser.h"

#include "base/alloc.h"
#include "base/array.h"
#include "signal/grid.h"
#include "text/measure.h"
#include "text/number.h"
#include "text/table.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXT = 10000, // characters of an expression
    DEPTH = 200,  // levels of nesting
    NUMBER = 400, // characters of a number
};

typedef struct parser {
    const char *text, *at;
    int nparam;
    const tn_named_value *params;
    int depth;                       // of nesting: parentheses, arguments, branches, signs, powers
    int stack;                       // jets on the stack behind the last instruction
    int time_column;                 // of the first t, 0 for none
    const tn_input_data *formula_of; // in the formula of this input; else NULL
    const tn_lookup *names;          // NULL: of t alone
    const tn_function_entry *inside; // the body of this function; else NULL
    int below;                       // number of values on the stack before its arguments
    tn_code *code;
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
const char *tn_expression_shown(const char *text, char out[TN_EXPRESSION_SHOWN + 4])
{
    int n = 0;
    for (; text[n] && n < TN_EXPRESSION_SHOWN; n++)
        out[n] = (unsigned char)text[n] < ' ' ? '?' : text[n];
    strcpy(out + n, text[n] ? "..." : "");
    return out;
}

static tn_status fail_at(const parser *p, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tn_status fail_at(const parser *p, const char *where, const char *format, ...)
{
    char text[TN_EXPRESSION_SHOWN + 4], reason[512];
    TN_SENTENCE(reason, format);
    return tn_fail(TN_ERR_MODEL, "expression '%s', column %d: %s",
                   tn_expression_shown(p->text, text), (int)(where - p->text) + 1, reason);
}

static const char *behind_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

static void skip_space(parser *p)
{
    p->at = behind_space(p->at);
}

static bool accept_expression(parser *p, const char *token)
{
    skip_space(p);
    if (*p->at != *token)
        return false;
    const size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0)
        return false;
    p->at += n;
    return true;
}

// Text at the place of an error, for the end of a sentence.
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

// A hint for a unit behind a number.
static const char *unit_hint(const parser *p)
{
    char word[16];
    const char *before = p->at;
    while (before > p->text && before[-1] == ' ')
        before--;
    const int n = tn_name_length(p->at);
    if (before == p->text || !(is_digit(before[-1]) || before[-1] == '.') || n <= 0 || n >= 16)
        return "";
    snprintf(word, sizeof word, "%.*s", n, p->at);
    return strcmp(word, "t") != 0 && tn_unit_is_known(word)
               ? "; expressions take plain SI numbers: name one with a unit in 'parameters'"
               : "";
}

static tn_status expression_expect(parser *p, const char *token, const char *purpose)
{
    char buffer[40];
    if (accept_expression(p, token))
        return TN_OK;
    return fail_at(p, p->at, "'%s' expected %s, but here is %s%s", token, purpose,
                   found(p->at, buffer), unit_hint(p));
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

static tn_status emit(parser *p, const tn_operation *op, int operands, double argument)
{
    const tn_instruction next = {op, argument, operands, op->rule, true, 0, NULL, NULL};
    p->stack += 1 - operands;
    if (p->stack > TN_EXPRESSION_STACK)
        return fail_at(p, p->at, "more than %d intermediate values; simplify it",
                       TN_EXPRESSION_STACK);
    return tn_array_push(p->code, next);
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
    TN_TRY(emit(p, &tn_op_number, 0, value));
    p->at += n;
    return TN_OK;
}

// A suggestion is of use only when more than one letter of the name stays.
static const char *nearest(const char *name, int n, const char *const *known)
{
    const char *near = tn_nearest_name(name, n, known);
    return near && tn_edit_distance(name, near) < (int)strlen(name) ? near : NULL;
}

static const char hysteresis[] = "hysteresis"; // of formulas only, so that it is not in their table

static tn_status unknown_function(const parser *p, const char *name)
{
    const char **known = tn_alloc((size_t)(tn_function_count + p->nparam + 1) * sizeof(*known));
    TN_TRY(tn_got(known));
    int n = 0;
    if (p->names)
        known[n++] = hysteresis;
    for (int i = 0; i < tn_function_count; i++)
        known[n++] = tn_functions[i].name;
    for (int i = 0; i < p->nparam; i++)
        if (p->params[i].table)
            known[n++] = p->params[i].name;
    const char *near = nearest(name, n, known);
    tn_free(known);
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

// Returns true if a name stands for a constant, and its value.
static bool find_constant(const char *name, double *out)
{
    for (int i = 0; i < TN_COUNT(constants); i++)
        if (strcmp(name, constants[i].name) == 0) {
            *out = constants[i].value;
            return true;
        }
    return false;
}

// Parses another text in the place of a name, with names of its own.
static tn_status inlined(parser *p, const char *text)
{
    const parser outer = *p;
    p->text = p->at = text;
    TN_TRY(nested(p, choice));
    p->text = outer.text;
    p->at = outer.at;
    p->time_column = outer.time_column;
    return TN_OK;
}

// The arguments are on the stack; the body works on copies of them.
static tn_status function_body(parser *p, const tn_function_entry *function)
{
    const tn_function_entry *const inside = p->inside;
    const int below = p->below;
    p->inside = function;
    p->below = p->stack - function->least;
    TN_TRY(inlined(p, function->body));
    p->inside = inside;
    p->below = below;
    return emit(p, &tn_op_keep, function->least + 1, 0.0);
}

// An argument of the function whose body this is.
static bool find_argument(const parser *p, const char *name, int *out)
{
    const char *at = p->inside && !name[1] ? strchr(p->inside->letters, name[0]) : NULL;
    if (at)
        *out = (int)(at - p->inside->letters);
    return at != NULL;
}

// A table of the model, which is called as a function.
static const tn_grid *find_table(const parser *p, const char *name)
{
    for (int i = 0; i < p->nparam; i++)
        if (p->params[i].table && strcmp(name, p->params[i].name) == 0)
            return p->params[i].table;
    return NULL;
}

// Arguments in parentheses, at least `least` and at most `most` of them.
static tn_status arguments(parser *p, const char *name, int least, int most, int *count)
{
    const char *const at = p->at;
    p->at += strlen(name);
    accept_expression(p, "(");
    *count = 0;
    if (!accept_expression(p, ")")) {
        do {
            TN_TRY(nested(p, choice));
            (*count)++;
        } while (accept_expression(p, ","));
        TN_TRY(expression_expect(p, ")", "behind the arguments"));
    }
    if (*count >= least && *count <= most)
        return TN_OK;
    return fail_at(p, at, "%s takes %s%d argument%s, %d %s given", name,
                   most > least ? "at least " : "", least, least == 1 ? "" : "s", *count,
                   *count == 1 ? "is" : "are");
}

static tn_status call_table(parser *p, const tn_grid *table)
{
    TN_ASSERT(table->narg == 1 || table->narg == 2);
    int count;
    TN_TRY(arguments(p, table->name, table->narg, table->narg, &count));
    TN_TRY(emit(p, &tn_op_table, count, 0.0));
    p->code->at[p->code->count - 1].table = table;
    return TN_OK;
}

// A function of time has no past of its own.
static tn_status call_hysteresis(parser *p)
{
    int count;
    if (!p->names)
        return fail_at(p, p->at,
                       "%s remembers, which a function of t cannot; make it a signal, or a block",
                       hysteresis);
    TN_TRY(arguments(p, hysteresis, 4, 4, &count));
    return emit(p, &tn_op_hysteresis, count, 0.0);
}

static tn_status call_expression(parser *p, const char *name)
{
    const tn_function_entry *function = find_function(name);
    const tn_grid *table = find_table(p, name);
    int count;
    if (table)
        return call_table(p, table);
    if (strcmp(name, hysteresis) == 0)
        return call_hysteresis(p);
    if (!function)
        return unknown_function(p, name);
    TN_TRY(arguments(p, name, function->least, function->most, &count));
    return function->body ? function_body(p, function) : emit(p, &function->op, count, 0.0);
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
    if (find_function(name) || find_table(p, name))
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
        numbers[i] = (tn_named_value){names[i], start[i], NULL, NULL};
    const int nparam = p->nparam;
    const tn_named_value *const params = p->params;
    p->nparam = TN_COUNT(names);
    p->params = numbers;
    p->formula_of = input;
    TN_TRY(inlined(p, tn_input_formula(input)));
    p->nparam = nparam;
    p->params = params;
    p->formula_of = NULL;
    return TN_OK;
}

static tn_status parameter(parser *p, int i)
{
    const tn_named_value *named = &p->params[i];
    p->at += strlen(named->name);
    if (named->input)
        return input_formula(p, named->input);
    TN_TRY(emit(p, &tn_op_number, 0, named->value));
    if (p->formula_of && i < TN_INPUT_NUMBERS) {
        tn_instruction *last = &p->code->at[p->code->count - 1];
        last->input = p->formula_of;
        last->number = i;
    }
    return TN_OK;
}

// A variable of a formula. `behind` is the end of its name in the text.
static tn_status variable(parser *p, const char *name, const char *behind)
{
    int number = 0;
    const tn_status status = p->names->find(p->names->self, name, &number);
    if (status == TN_ERR_MODEL) {
        char reason[400];
        snprintf(reason, sizeof reason, "%s", tn_last_error());
        return fail_at(p, p->at, "%s", reason);
    }
    TN_TRY(status);
    TN_ASSERT(number >= 0);
    p->at = behind;
    return emit(p, &tn_op_variable, 0, number);
}

// The first place from one to another that has a name which is no table; `to` where there is none.
static int find_name(const parser *p, const char *name, int from, int to)
{
    while (from < to && (p->params[from].table || strcmp(name, p->params[from].name) != 0))
        from++;
    return from;
}

// The place of a parameter; nparam where there is none. Inputs are variables of a formula. Those of
// an assembly stand side by side and are asked for one after the other: the search begins near the
// last one that was found, as thousands of assemblies have many thousands of parameters.
static int find_parameter(const parser *p, const char *name)
{
    enum { NEAR = 16 };
    static _Thread_local int last;
    const int from = tn_larger(0, tn_smaller(last - NEAR, p->nparam)),
              to = tn_smaller(p->nparam, from + 2 * NEAR);
    int i = find_name(p, name, from, to);
    if (i == to)
        i = find_name(p, name, 0, p->nparam);
    if (i < p->nparam)
        last = i;
    return i < p->nparam && p->names && p->params[i].input ? p->nparam : i;
}

// Returns true if there are parameters with dots in their names.
static bool has_assemblies(const parser *p)
{
    for (int i = 0; i < p->nparam; i++)
        if (strchr(p->params[i].name, '.'))
            return true;
    return false;
}

static tn_status value(parser *p, const char *name)
{
    const char *const behind = p->at + strlen(name);
    double number = 0.0;
    int i;
    if (find_argument(p, name, &i)) {
        p->at = behind;
        return emit(p, &tn_op_copy, 0, p->stack - p->below - i - 1);
    }
    i = find_parameter(p, name);
    if (i < p->nparam)
        return parameter(p, i);
    const bool is_time = strcmp(name, "t") == 0;
    if (is_time && p->time_column == 0)
        p->time_column = (int)(p->at - p->text) + 1;
    if (!is_time && !find_constant(name, &number)) {
        const bool known = !p->names || find_function(name) || find_table(p, name);
        return known ? unknown_name(p, name) : variable(p, name, behind);
    }
    p->at = behind;
    return emit(p, is_time ? &tn_op_time : &tn_op_number, 0, number);
}

enum { NAME = 64, LONG_NAME = TN_LONG_NAME }; // characters and the end

// One part of a name of a formula, its quotes removed: a quote within them is written twice.
// Returns the text behind it, NULL where it is no name.
static const char *name_part(const char *at, char out[LONG_NAME], int *n)
{
    const char quote = *at;
    if (quote != '\'' && quote != '"') {
        const int length = tn_name_length(at);
        for (int i = 0; i < length && *n < LONG_NAME; i++)
            out[(*n)++] = at[i];
        return length > 0 ? at + length : NULL;
    }
    const char *const begin = ++at;
    for (; *at && (*at != quote || at[1] == quote); at++) {
        if (*n < LONG_NAME)
            out[(*n)++] = *at;
        at += *at == quote;
    }
    return *at && at > begin ? at + 1 : NULL;
}

// A name with dots between its parts, of which *part is the last that was read. Returns the text
// behind it, NULL where that part is no name.
static const char *name_parts(const char *at, char out[LONG_NAME], int *n, const char **part)
{
    *n = 0;
    *part = at;
    at = name_part(at, out, n);
    while (at && *at == '.') {
        if (*n < LONG_NAME)
            out[(*n)++] = '.';
        *part = at + 1;
        at = name_part(*part, out, n);
    }
    return at;
}

// A name with dots or quotes.
static tn_status long_name(parser *p)
{
    char name[LONG_NAME];
    int n;
    const char *part, *behind = name_parts(p->at, name, &n, &part);
    if (!behind)
        return fail_at(p, part, "%s",
                       part == p->at ? "a quoted name is empty or has no end"
                                     : "a name, or one in quotes, expected behind a dot");
    if (n >= LONG_NAME)
        return fail_at(p, p->at, "a name of more than %d characters", LONG_NAME - 1);
    name[n] = '\0';
    return variable(p, name, behind);
}

bool tn_name_without_quotes(const char *text, char out[TN_LONG_NAME])
{
    int n;
    const char *part, *behind = name_parts(behind_space(text), out, &n, &part);
    if (!behind || *behind_space(behind) || n >= LONG_NAME)
        return false;
    out[n] = '\0';
    return true;
}

const char *tn_behind_quotes(const char *at)
{
    const char *end = *at == '\'' || *at == '"' ? strchr(at + 1, *at) : NULL;
    return end ? end + 1 : at;
}

// The length of names with dots between them.
static int dotted_length(const char *at)
{
    int n = tn_name_length(at);
    while (n > 0 && at[n] == '.' && tn_name_length(at + n + 1) > 0)
        n += 1 + tn_name_length(at + n + 1);
    return n;
}

// A parameter, input or table of an assembly, "left.k"; sets *is_one if it is.
static tn_status dotted(parser *p, bool *is_one)
{
    char name[LONG_NAME];
    const int n = dotted_length(p->at);
    *is_one = false;
    if (n >= LONG_NAME || !memchr(p->at, '.', (size_t)n))
        return TN_OK;
    memcpy(name, p->at, (size_t)n);
    name[n] = '\0';
    const bool call = *behind_space(p->at + n) == '(';
    *is_one = call ? find_table(p, name) != NULL : find_parameter(p, name) < p->nparam;
    if (!*is_one && !p->names && has_assemblies(p)) {
        *is_one = true;
        return call ? unknown_function(p, name) : unknown_name(p, name);
    }
    return !*is_one ? TN_OK : call ? call_expression(p, name) : value(p, name);
}

static tn_status named(parser *p)
{
    char name[NAME], buffer[40];
    const int n = tn_name_length(p->at);
    bool done = false;
    if (n > 0 && p->at[n] == '.')
        TN_TRY(dotted(p, &done));
    if (done)
        return TN_OK;
    if (p->names && (*p->at == '\'' || *p->at == '"' || (n > 0 && p->at[n] == '.')))
        return long_name(p);
    if (p->names && (unsigned char)p->at[n] > '~') // the first of several bytes
        return fail_at(p, p->at,
                       "a name with letters other than those from a to z stands in quotes, as "
                       "'\xc3\xa4rm'.angle");
    if (n == 0)
        return fail_at(p, p->at, "a number, a name or '(' expected, but here is %s",
                       found(p->at, buffer));
    if (n >= NAME)
        return fail_at(p, p->at, "a name of more than %d characters", NAME - 1);
    memcpy(name, p->at, (size_t)n);
    name[n] = '\0';
    const char *behind = behind_space(p->at + n);
    return *behind == '(' ? call_expression(p, name) : value(p, name);
}

static tn_status primary(parser *p)
{
    skip_space(p);
    if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
        return number(p);
    if (!accept_expression(p, "("))
        return named(p);
    TN_TRY(nested(p, choice));
    return expression_expect(p, ")", "to close a parenthesis");
}

static tn_status unary(parser *p)
{
    if (accept_expression(p, "-")) {
        TN_TRY(nested(p, unary));
        return emit(p, &tn_op_neg, 1, 0.0);
    }
    if (accept_expression(p, "+"))
        return nested(p, unary);
    TN_TRY(primary(p));
    if (!accept_expression(p, "^"))
        return TN_OK;
    TN_TRY(nested(p, unary));
    return emit(p, &tn_op_pow, 2, 0.0);
}

static const tn_operator *next_operator(parser *p)
{
    skip_space(p);
    for (int i = 0; i < tn_operator_count; i++)
        if (*p->at == *tn_operators[i].text &&
            strncmp(p->at, tn_operators[i].text, strlen(tn_operators[i].text)) == 0)
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
        TN_TRY(emit(p, &op->op, 2, 0.0));
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
    return emit(p, &tn_op_if, 3, 0.0);
}

tn_status tn_expression_check_name(const char *list, const char *name)
{
    enum { FIRST = 1 + TN_COUNT(constants) };
    const char *names[64] = {"t"};
    char all[768];
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
    char buffer[TN_EXPRESSION_SHOWN + 4];
    if (strlen(p->text) > TEXT)
        return tn_fail(TN_ERR_MODEL, "expression '%s' has %zu characters; %d are allowed",
                       tn_expression_shown(p->text, buffer), strlen(p->text), TEXT);
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
        return fail_at(p, p->at, "an operator is missing before %s%s", found(p->at, buffer),
                       unit_hint(p));
    return fail_at(p, p->at, "an operator or the end expected, but here is %s",
                   found(p->at, buffer));
}

tn_status tn_parse(const char *text, int nparam, const tn_named_value *params,
                   const tn_lookup *names, tn_code *out)
{
    parser p = {.text = text, .at = text, .nparam = nparam, .params = params, .names = names};
    p.code = out;
    TN_TRY(parse(&p));
    TN_ASSERT(p.stack == 1);
    out->time_column = p.time_column;
    return TN_OK;
}
