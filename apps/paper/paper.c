// SPDX-License-Identifier: MIT
//
// Items of papers as files: docs/formats/paper.md.

#include "base/alloc.h"
#include "paper/paper_parts.h"
#include "signal/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tn_paper_verdict_word(tn_paper_verdict verdict)
{
    static const char *const words[] = {"not judged", "agrees", "agrees in shape", "differs",
                                        "fails"};
    const unsigned i = (unsigned)verdict;
    return i < sizeof words / sizeof *words ? words[i] : "";
}

// Reading -----------------------------------------------------------------------------------------

typedef struct entry { // a map in the file
    tn_paper *p;
    const tn_node *node;
    const char *what; // "number 'largest error'"
} entry;

#define CHECK_KEYS(e, ...) \
    TN_TRY(                \
        tn_node_keys((e)->p->doc, (e)->node, (e)->what, (const char *const[]){__VA_ARGS__, NULL}))

static tn_status read_text(const entry *e, const char *key, bool needed, const char **out)
{
    const tn_node *node = tn_node_get(e->node, key);
    *out = "";
    if (!node)
        return needed ? tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL, "%s: '%s' is missing",
                                     e->what, key)
                      : TN_OK;
    TN_TRY(tn_node_string(e->p->doc, node, e->what, out));
    if (!**out)
        return tn_node_fail(e->p->doc, node, TN_ERR_MODEL, "%s: '%s' is empty", e->what, key);
    return TN_OK;
}

static tn_status read_flag(const entry *e, const char *key, bool *out)
{
    const tn_node *node = tn_node_get(e->node, key);
    return node ? tn_node_bool(e->p->doc, node, e->what, out) : TN_OK;
}

typedef tn_status read_one(entry *e);

static tn_status read_list(tn_paper *p, const char *key, const char *what, read_one *read)
{
    const tn_node *list = tn_node_get(p->doc->root, key);
    if (!list)
        return TN_OK;
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(p->doc, list, key, "a list");
    if (list->count == 0)
        return tn_node_fail(p->doc, list, TN_ERR_MODEL, "%s: the list is empty; leave it out", key);
    for (int i = 0; i < list->count; i++) {
        entry e = {p, list->children[i], what};
        TN_TRY(read(&e));
    }
    return TN_OK;
}

// Refuses paths that leave the folder of the item.
static tn_status check_inside(const entry *e, const char *path)
{
    const bool leaves = *path == '/' || strcmp(path, "..") == 0 || strncmp(path, "../", 3) == 0 ||
                        strstr(path, "/../");
    return leaves ? tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL,
                                 "%s: '%s' leads out of the folder that the item is run in",
                                 e->what, path)
                  : TN_OK;
}

// Commands write to the folder of the item; they do not wait for anybody, and run no items.
static tn_status check_command(const entry *e, const char *text)
{
    static const char *const refused[] = {"paper", "view"};
    char quote = '\0';
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const size_t n = strlen(refused[i]);
        if (strncmp(text, refused[i], n) == 0 && strchr(" \n", text[n]))
            return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL,
                                "command '%s': an item cannot run it", refused[i]);
    }
    if (strstr(text, " ../") || strstr(text, "/../"))
        return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL,
                            "command '%s' leads out of the folder that the item is run in", text);
    for (const char *c = text; *c; c++)
        if (quote ? *c == quote : *c == '\'' || *c == '"')
            quote = quote ? '\0' : *c;
    return quote ? tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL,
                                "command '%s': a quote is not closed", text)
                 : TN_OK;
}

// "program NAME" or a command of tenon.
static tn_status read_command(entry *e)
{
    tn_paper_command c = {.node = e->node, .ended = -1};
    if (e->node->kind == TN_NODE_SCALAR) {
        c.text = e->node->text;
        TN_TRY(check_command(e, c.text));
        return tn_array_push(&e->p->commands, c);
    }
    CHECK_KEYS(e, "command", "to", "long", "exit");
    TN_TRY(read_text(e, "command", true, &c.text));
    TN_TRY(read_text(e, "to", false, &c.to));
    TN_TRY(check_command(e, c.text));
    TN_TRY(check_inside(e, c.to));
    c.to = *c.to ? c.to : NULL;
    TN_TRY(read_flag(e, "long", &c.is_long));
    const tn_node *code = tn_node_get(e->node, "exit");
    if (code && code->text && strcmp(code->text, "any") == 0)
        c.exit = TN_PAPER_ANY_EXIT;
    else if (code)
        TN_TRY(tn_node_integer(e->p->doc, code, "exit", &c.exit));
    return tn_array_push(&e->p->commands, c);
}

static tn_status read_file(entry *e, tn_paper_file *f)
{
    CHECK_KEYS(e, "file", "caption", "long");
    TN_TRY(read_text(e, "file", true, &f->file));
    TN_TRY(check_inside(e, f->file));
    TN_TRY(read_text(e, "caption", true, &f->caption));
    return read_flag(e, "long", &f->is_long);
}

static tn_status read_picture(entry *e)
{
    tn_paper_file f = {0};
    TN_TRY(read_file(e, &f));
    const size_t n = strlen(f.file);
    if (n < 5 || strcmp(f.file + n - 4, ".svg") != 0)
        return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL, "picture '%s': expected FILE.svg",
                            f.file);
    return tn_array_push(&e->p->pictures, f);
}

static tn_status read_table(entry *e)
{
    tn_paper_file f = {0};
    TN_TRY(read_file(e, &f));
    return tn_array_push(&e->p->tables, f);
}

// A number, or an expression of constants: -pi/6.
static tn_status read_constant(const entry *e, const tn_node *node, double *out)
{
    tn_expression *x = NULL;
    if (node->kind != TN_NODE_SCALAR || node->quoted)
        return tn_node_expected(e->p->doc, node, e->what, "a number");
    const tn_status s = tn_expression_create(node->text, 0, NULL, &x);
    if (s == TN_OK)
        *out = tn_expression_eval(x, 0.0).v;
    tn_free(x);
    return s == TN_OK ? s : tn_node_within(e->p->doc, node, s, e->what);
}

// within: 5 % of the published number, or an absolute number.
static tn_status read_within(const entry *e, tn_paper_number *q)
{
    const tn_node *node = tn_node_get(e->node, "within");
    char number[64];
    double width = NAN;
    const char *text = node->text ? node->text : "";
    const size_t n = strcspn(text, " %");
    snprintf(number, sizeof number, "%.*s", (int)n, text);
    const bool percent = strcmp(text + n, " %") == 0 || strcmp(text + n, "%") == 0;
    if (!tn_number_from_text(number, &width) || (text[n] && !percent) || !(width >= 0.0))
        return tn_node_expected(e->p->doc, node, e->what, "5 % or an absolute number");
    if (isnan(q->paper))
        return tn_node_fail(e->p->doc, node, TN_ERR_MODEL,
                            "%s: 'within' is about the published number, which is missing; write "
                            "'paper' or take 'between'",
                            e->what);
    width *= percent ? fabs(q->paper) / 100.0 : 1.0;
    q->low = q->paper - width;
    q->high = q->paper + width;
    return TN_OK;
}

static tn_status read_between(const entry *e, tn_paper_number *q)
{
    double x[2];
    const tn_node *list = tn_node_get(e->node, "between");
    if (list->kind != TN_NODE_SEQUENCE || list->count != 2)
        return tn_node_expected(e->p->doc, list, e->what, "two numbers");
    for (int i = 0; i < 2; i++)
        TN_TRY(read_constant(e, list->children[i], &x[i]));
    if (x[0] > x[1])
        return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL, "%s: between: %g is above %g",
                            e->what, x[0], x[1]);
    q->low = x[0];
    q->high = x[1];
    return TN_OK;
}

// Each number is checked unless it says that it is not.
static tn_status read_bounds(const entry *e, tn_paper_number *q)
{
    const bool within = tn_node_get(e->node, "within"), between = tn_node_get(e->node, "between");
    bool judged = true;
    TN_TRY(read_flag(e, "judged", &judged));
    if (within + between != (judged ? 1 : 0))
        return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL,
                            "%s: needs one of 'within' and 'between', or 'judged: false' and "
                            "neither",
                            e->what);
    if (within)
        return read_within(e, q);
    return between ? read_between(e, q) : TN_OK;
}

// Numbers that agree have the published one within their bounds, those that differ have not.
static tn_status check_bounds(const entry *e, const tn_paper_number *q)
{
    const bool differs = *q->differs != '\0';
    if (isnan(q->low) || isnan(q->paper))
        return TN_OK;
    const bool inside = q->paper >= q->low && q->paper <= q->high;
    if (inside == !differs)
        return TN_OK;
    return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL,
                        differs ? "%s: the bounds %g and %g hold the published %g, so that nothing "
                                  "differs"
                                : "%s: the bounds %g and %g do not hold the published %g; say why "
                                  "with 'differs'",
                        e->what, q->low, q->high, q->paper);
}

static tn_status read_number(entry *e)
{
    tn_paper_quantity q = {
        .facts = {.paper = NAN, .tenon = NAN, .low = NAN, .high = NAN, .unit = ""},
        .node = e->node};
    char what[256] = "number";
    CHECK_KEYS(e, "what", "unit", "paper", "tenon", "within", "between", "judged", "why", "differs",
               "long");
    TN_TRY(read_text(e, "what", true, &q.facts.what));
    snprintf(what, sizeof what, "number '%s'", q.facts.what);
    e->what = what;
    TN_TRY(read_text(e, "unit", false, &q.facts.unit));
    TN_TRY(read_text(e, "tenon", true, &q.text));
    TN_TRY(read_text(e, "why", false, &q.facts.why));
    TN_TRY(read_text(e, "differs", false, &q.facts.differs));
    TN_TRY(read_flag(e, "long", &q.is_long));
    const tn_node *paper = tn_node_get(e->node, "paper");
    if (paper)
        TN_TRY(read_constant(e, paper, &q.facts.paper));
    TN_TRY(read_bounds(e, &q.facts));
    TN_TRY(check_bounds(e, &q.facts));
    return tn_array_push(&e->p->numbers, q);
}

static tn_status read_parameter(entry *e, const char *name)
{
    tn_paper_parameter x = {.name = name, .unit = "", .text = ""};
    if (e->node->kind == TN_NODE_MAP) {
        CHECK_KEYS(e, "value", "unit", "text");
        TN_TRY(read_text(e, "unit", false, &x.unit));
        TN_TRY(read_text(e, "text", false, &x.text));
        const tn_node *value = tn_node_get(e->node, "value");
        if (!value)
            return tn_node_fail(e->p->doc, e->node, TN_ERR_MODEL, "%s: 'value' is missing",
                                e->what);
        TN_TRY(tn_node_number(e->p->doc, value, e->what, &x.value));
    } else {
        TN_TRY(tn_node_number(e->p->doc, e->node, e->what, &x.value));
    }
    if (e->p->parameters.count == TN_PAPER_PARAMETERS)
        return tn_fail(TN_ERR_MODEL, "%s: more than %d parameters", e->p->path,
                       TN_PAPER_PARAMETERS);
    e->p->value[e->p->parameters.count] = x.value;
    return tn_array_push(&e->p->parameters, x);
}

static tn_status read_parameters(tn_paper *p)
{
    const tn_node *map = tn_node_get(p->doc->root, "parameters");
    if (map && map->kind != TN_NODE_MAP)
        return tn_node_expected(p->doc, map, "parameters", "a map");
    for (int i = 0; map && i < map->count; i++) {
        char what[128];
        snprintf(what, sizeof what, "parameter '%s'", map->keys[i]->text);
        entry e = {p, map->children[i], what};
        TN_TRY(read_parameter(&e, map->keys[i]->text));
    }
    return TN_OK;
}

// `agrees` promises that every number does, and that the paper has published one of them.
static tn_status read_verdict(const entry *e)
{
    static const char *const words[] = {"agrees", "shape", "differs"};
    tn_paper *p = e->p;
    const char *text;
    TN_TRY(read_text(e, "verdict", true, &text));
    for (int i = 0; i < 3; i++)
        if (strcmp(text, words[i]) == 0)
            p->facts.declared = TN_PAPER_AGREES + i;
    const tn_node *node = tn_node_get(e->node, "verdict");
    if (p->facts.declared == TN_PAPER_OPEN)
        return tn_node_expected(p->doc, node, "verdict", "agrees, shape or differs");
    if (p->facts.declared != TN_PAPER_AGREES && !*p->facts.why)
        return tn_node_fail(p->doc, node, TN_ERR_MODEL, "verdict '%s' needs a 'why'", text);
    bool published = p->facts.declared != TN_PAPER_AGREES;
    for (int i = 0; i < p->numbers.count; i++) {
        const tn_paper_number *q = &p->numbers.at[i].facts;
        published = published || (!isnan(q->low) && !isnan(q->paper));
        if (p->facts.declared == TN_PAPER_AGREES && *q->differs)
            return tn_node_fail(p->doc, p->numbers.at[i].node, TN_ERR_MODEL,
                                "number '%s' differs, so that the item does not agree: the verdict "
                                "is 'shape' or 'differs'",
                                q->what);
    }
    if (!published)
        return tn_node_fail(
            p->doc, node, TN_ERR_MODEL,
            "no number that is judged has one of the paper beside it (`paper`), so that "
            "the verdict is 'shape' or 'differs'");
    return TN_OK;
}

static tn_status read_paper_item(tn_paper *p)
{
    entry e = {p, p->doc->root, p->name};
    tn_paper_facts *f = &p->facts;
    CHECK_KEYS(&e, "tenon_paper", "item", "title", "source", "states", "chosen", "parameters",
               "commands", "numbers", "pictures", "tables", "verdict", "why");
    const char *version;
    TN_TRY(read_text(&e, "tenon_paper", true, &version));
    if (strcmp(version, "1") != 0)
        return tn_node_fail(p->doc, tn_node_get(e.node, "tenon_paper"), TN_ERR_MODEL,
                            "this Tenon reads version 1 of the format of items, not '%s'", version);
    TN_TRY(read_text(&e, "item", true, &f->item));
    TN_TRY(read_text(&e, "title", true, &f->title));
    TN_TRY(read_text(&e, "source", true, &f->source));
    TN_TRY(read_text(&e, "states", true, &f->states));
    TN_TRY(read_text(&e, "chosen", false, &f->chosen));
    TN_TRY(read_text(&e, "why", false, &f->why));
    TN_TRY(read_parameters(p));
    TN_TRY(read_list(p, "commands", "command", read_command));
    TN_TRY(read_list(p, "numbers", "number", read_number));
    TN_TRY(read_list(p, "pictures", "picture", read_picture));
    TN_TRY(read_list(p, "tables", "table", read_table));
    if (p->commands.count == 0 || p->numbers.count == 0)
        return tn_node_fail(p->doc, e.node, TN_ERR_MODEL,
                            "an item needs at least one command and one number");
    bool judged = false;
    for (int i = 0; i < p->numbers.count; i++)
        judged = judged || !isnan(p->numbers.at[i].facts.low);
    if (!judged)
        return tn_node_fail(p->doc, tn_node_get(e.node, "numbers"), TN_ERR_MODEL,
                            "an item needs at least one number that is judged");
    f->ncommand = p->commands.count;
    f->nnumber = p->numbers.count;
    f->nparameter = p->parameters.count;
    return read_verdict(&e);
}

// papers/Arn16/fig10.yaml: folder, key and name.
static tn_status name_paper_item(tn_paper *p, const char *path)
{
    char *full = realpath(path, NULL);
    if (!full)
        return tn_fail(TN_ERR_FILE, "%s: there is no such file", path);
    p->path = tn_strdup(full);
    const char *file = strrchr(full, '/') + 1;
    const size_t folder = (size_t)(file - 1 - full);
    size_t key = folder;
    while (key > 0 && full[key - 1] != '/')
        key--;
    p->folder = tn_format("%.*s", (int)folder, full);
    p->key = tn_format("%.*s", (int)(folder - key), full + key);
    const char *dot = strrchr(file, '.');
    p->name = tn_format("%.*s", dot ? (int)(dot - file) : (int)strlen(file), file);
    free(full);
    p->facts.key = p->key;
    p->facts.name = p->name;
    return tn_got(p->path && p->folder && p->key && p->name);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

// Returns false where there is no such word.
static bool put_word(const tn_paper *p, const char *word, size_t length, tn_paper_use use,
                     tn_buffer *out)
{
    const bool shown = use == TN_PAPER_SHOWN;
    char value[TN_NUMBER_SIZE];
    if (is_word(word, length, "here"))
        tn_buffer_format(out, "%s%s", shown ? "papers/" : "", shown ? p->key : p->folder);
    else if (is_word(word, length, "models"))
        tn_buffer_say(out, shown ? "models" : p->models);
    else
        for (int k = 0;; k++) {
            if (k == p->parameters.count)
                return false;
            if (!is_word(word, length, p->parameters.at[k].name))
                continue;
            tn_number_text(p->value[k], value);
            tn_buffer_format(out, use == TN_PAPER_EXPRESSION && *value == '-' ? "(%s)" : "%s",
                             value);
            break;
        }
    return true;
}

tn_status tn_paper_fill(const tn_paper *p, const char *text, tn_paper_use use, const char *what,
                        char **out)
{
    tn_buffer filled = {0};
    for (;;) {
        const size_t plain = strcspn(text, "{");
        tn_buffer_put(&filled, text, plain);
        text += plain;
        if (!*text)
            return tn_buffer_finish(&filled, what, out);
        const size_t length = strcspn(text + 1, "}");
        if (!put_word(p, text + 1, length, use, &filled)) {
            tn_free(filled.text);
            return tn_fail(TN_ERR_MODEL,
                           "{%.*s} is neither {here}, {models} nor a parameter of the item",
                           (int)length, text + 1);
        }
        text += length + 1;
        text += *text == '}';
    }
}

tn_status tn_paper_show(tn_paper *p)
{
    for (int i = 0; i < p->commands.count; i++) {
        tn_paper_command *c = &p->commands.at[i];
        char *filled = NULL;
        const tn_status s = tn_paper_fill(p, c->text, TN_PAPER_SHOWN, "a command", &filled);
        if (s != TN_OK)
            return tn_node_within(p->doc, c->node, s, "command");
        tn_free(c->shown);
        c->shown = tn_format("%s%s%s%s", strncmp(c->text, "program ", 8) == 0 ? "" : "tenon ",
                             filled, c->to ? " > " : "", c->to ? c->to : "");
        tn_free(filled);
        TN_TRY(tn_got(c->shown));
    }
    return TN_OK;
}

tn_status tn_paper_read(const char *path, tn_paper **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    *out = NULL;
    tn_paper *p = tn_alloc(sizeof *p);
    tn_status s = tn_got(p);
    if (s != TN_OK)
        return s;
    TN_THEN(s, name_paper_item(p, path));
    TN_THEN(s, tn_document_read(path, &p->doc));
    if (s == TN_OK && (!p->doc->root || p->doc->root->kind != TN_NODE_MAP))
        s = tn_fail(TN_ERR_MODEL, "%s is no item: expected a map", path);
    TN_THEN(s, read_paper_item(p));
    TN_THEN(s, tn_paper_show(p));
    p->facts.reason = p->facts.changed = "";
    TN_HAND_OUT(s, p, tn_paper_destroy, out);
}

void tn_paper_destroy(tn_paper *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->commands.count; i++)
        tn_free(p->commands.at[i].shown);
    tn_array_free(&p->parameters);
    tn_array_free(&p->commands);
    tn_array_free(&p->numbers);
    tn_array_free(&p->pictures);
    tn_array_free(&p->tables);
    tn_document_destroy(p->doc);
    TN_FREE(p->path, p->folder, p->key, p->name, p->reason, p->changed, p);
}

TN_GETTER(const tn_paper_facts *, tn_paper_about, (const tn_paper *paper), paper, NULL,
          &paper->facts);
TN_GETTER_AT(tn_paper_number, tn_paper_number_at, (const tn_paper *paper, int i), paper, i,
             paper->numbers.count, ((tn_paper_number){0}), paper->numbers.at[i].facts);
TN_GETTER_AT(tn_paper_parameter, tn_paper_parameter_at, (const tn_paper *paper, int i), paper, i,
             paper->parameters.count, ((tn_paper_parameter){0}), paper->parameters.at[i]);
TN_GETTER_AT(const char *, tn_paper_command_at, (const tn_paper *paper, int i), paper, i,
             paper->commands.count, NULL, paper->commands.at[i].shown);

bool tn_paper_number_fails(const tn_paper_number *number)
{
    TN_NEED(number, false);
    return !number->skipped && !isnan(number->low) &&
           !(number->tenon >= number->low && number->tenon <= number->high);
}
