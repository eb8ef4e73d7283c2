// SPDX-License-Identifier: MIT
//
// Reads plain texts, as programs and most people write models:
//
//   - characters of ASCII without tabs, in lines that end by '\n' alone;
//   - maps and lists by indentation, where each key has a value that stands behind it or begins on
//     the next line; [lists] and {maps} in one line or several; comments;
//   - words that begin as names, numbers and expressions do, and texts in quotes without escapes,
//     none of them longer than its line.
//
// Whatever is not surely one of these ends the reading, and libyaml begins anew: anchors, tags,
// blocks of text, empty values, texts of several lines, and all that is wrong. So nothing here
// need know what is YAML, only that what is taken means the same to libyaml, by which the same tree
// takes four times as long. Models and texts changed at random show it (test_document.c).

#include "io/yaml_tree.h"

static const tn_status NOT_PLAIN = TN_ERR_MODEL; // as the tree says of keys that are wrong

enum {
    AT_END = -1,         // for the column of a line
    LONGEST_KEY = 1000,  // 1024 to libyaml
    LOOK_EVERY = 1 << 20 // nodes, at memory
};

// What a character can be; each also what is less.
enum {
    PRINTABLE = '1', // part of a comment or a text in quotes
    IN_LINE = '2',   // a later part of a word outside of brackets
    IN_WORD = '3',   // a later part of a word
    SIGN = '4',      // the first or second of a word, where a name follows
    IN_NAME = '5'    // the first of a word
};

static const char kinds[] = "1321333253342443"           //  !"#$%&'()*+,-./
                            "5555555555"                 // 0123456789
                            "1333323"                    // :;<=>?@
                            "55555555555555555555555555" // ABC...
                            "232353"                     // [\]^_`
                            "55555555555555555555555555" // abc...
                            "2323";                      // {|}~

typedef struct {
    tn_yaml_tree *tree;
    const char *text, *at, *end; // the last character is '\n'
    const char *begin;           // of the line
    int line;                    // from 1
    int column;                  // of its first character that is no blank, from 0
    int look;                    // at memory when there are so many nodes
} plain;

static int kind_of(char c)
{
    return c >= ' ' && c <= '~' ? kinds[c - ' '] : 0;
}

static int column_of(const plain *p)
{
    return (int)(p->at - p->begin);
}

static void skip_blanks(plain *p)
{
    while (*p->at == ' ')
        p->at++;
}

// Goes beyond the end of a line of which nothing but a comment is left.
static tn_status end_line(plain *p)
{
    skip_blanks(p);
    if (*p->at == '#' && (p->at == p->begin || p->at[-1] == ' '))
        while (kind_of(*p->at) >= PRINTABLE)
            p->at++;
    if (*p->at != '\n')
        return NOT_PLAIN;
    p->begin = ++p->at;
    p->line++;
    return TN_OK;
}

// Goes to the next value or key, unless it stands in this line, and takes its column.
static tn_status find_content(plain *p)
{
    while (p->at < p->end) {
        skip_blanks(p);
        if (*p->at != '\n' && *p->at != '#') {
            p->column = column_of(p);
            return TN_OK;
        }
        TN_TRY(end_line(p));
    }
    p->column = AT_END;
    return TN_OK;
}

static tn_status next_line(plain *p)
{
    TN_TRY(end_line(p));
    return find_content(p);
}

// Texts ------------------------------------------------------------------------------------------

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static const char *find_end_of_word(const char *c, int least)
{
    const char *end;
    for (int signs = 0; signs < 2 && kind_of(*c) == SIGN; signs++)
        c++;
    if (kind_of(*c) != IN_NAME)
        return NULL;
    do {
        while (kind_of(*c) >= least)
            c++;
        end = c;
        while (*c == ' ')
            c++;
    } while (kind_of(*c) >= least);
    return end;
}

static const char *find_end_of_quotes(const char *c)
{
    const char quote = *c++;
    while (kind_of(*c) >= PRINTABLE && *c != quote && *c != '\\')
        c++;
    return *c == quote && c[1] != quote ? c + 1 : NULL;
}

// Where the text ends that begins here; NULL where it is not plain.
static const char *find_end(const plain *p, int least)
{
    return is_quote(*p->at) ? find_end_of_quotes(p->at) : find_end_of_word(p->at, least);
}

// A text with characters of the kind `least` and above.
static tn_status take_text(plain *p, int least)
{
    const char *end = find_end(p, least);
    const bool quoted = is_quote(*p->at);
    const int column = column_of(p) + 1;
    const tn_node at = {
        .line = p->line, .column = column, .text_column = column + quoted, .quoted = quoted};
    const tn_node *node;
    if (!end)
        return NOT_PLAIN;
    TN_TRY(tn_tree_text(p->tree, &at, p->at + quoted, (size_t)(end - p->at) - 2 * quoted, &node));
    if (p->tree->nodes >= p->look) {
        TN_TRY(tn_tree_fits(p->tree, (double)(end - p->text) / (double)(p->end - p->text)));
        p->look = p->tree->nodes + LOOK_EVERY;
    }
    p->at = end;
    return TN_OK;
}

// Whether the colon of a key stands here.
static bool is_colon(const char *c)
{
    return *c == ':' && (c[1] == ' ' || c[1] == '\n');
}

static tn_status take_key(plain *p, int least)
{
    const char *from = p->at;
    TN_TRY(take_text(p, least));
    if (!is_colon(p->at) || p->at - from > LONGEST_KEY)
        return NOT_PLAIN;
    p->at++;
    return TN_OK;
}

static tn_status open_level(plain *p, tn_node_kind kind)
{
    const tn_node at = {.kind = kind, .line = p->line, .column = column_of(p) + 1};
    const tn_node *node;
    return tn_tree_open(p->tree, &at, &node);
}

// Inside of brackets -----------------------------------------------------------------------------

// Lines go on to the right of the column of what they belong to.
static tn_status skip_gap(plain *p, int column)
{
    skip_blanks(p);
    if (*p->at != '\n' && *p->at != '#')
        return TN_OK;
    TN_TRY(next_line(p));
    return p->column > column ? TN_OK : NOT_PLAIN;
}

static bool is_bracket(char c)
{
    return c == '[' || c == '{';
}

static tn_status take_brackets(plain *p, int column);

// A value or a key and its value, and the gap behind it.
static tn_status take_item(plain *p, bool map, int column)
{
    if (map) {
        TN_TRY(take_key(p, IN_WORD));
        TN_TRY(skip_gap(p, column));
    }
    TN_TRY(is_bracket(*p->at) ? take_brackets(p, column) : take_text(p, IN_WORD));
    return skip_gap(p, column);
}

static tn_status take_brackets(plain *p, int column)
{
    const bool map = *p->at == '{';
    const char close = map ? '}' : ']';
    TN_TRY(open_level(p, map ? TN_NODE_MAP : TN_NODE_SEQUENCE));
    p->at++;
    TN_TRY(skip_gap(p, column));
    for (bool more = *p->at != close; more;) {
        TN_TRY(take_item(p, map, column));
        more = *p->at == ',';
        if (more) {
            p->at++;
            TN_TRY(skip_gap(p, column));
        }
    }
    if (*p->at != close)
        return NOT_PLAIN;
    p->at++;
    return tn_tree_close(p->tree);
}

// By indentation ---------------------------------------------------------------------------------

static tn_status take_map(plain *p, int column);
static tn_status take_list(plain *p, int column);

static bool is_dash(const char *c)
{
    return c[0] == '-' && (c[1] == ' ' || c[1] == '\n');
}

static tn_status take_block(plain *p, int column)
{
    return is_dash(p->at) ? take_list(p, column) : take_map(p, column);
}

// A value that ends with its line; what goes on to the right of `column` would belong to it.
static tn_status take_rest(plain *p, int column)
{
    TN_TRY(is_bracket(*p->at) ? take_brackets(p, column) : take_text(p, IN_LINE));
    TN_TRY(next_line(p));
    return p->column > column ? NOT_PLAIN : TN_OK;
}

// The keys of a map stand in one column, where also its lists may stand.
static tn_status take_map(plain *p, int column)
{
    TN_TRY(open_level(p, TN_NODE_MAP));
    do {
        TN_TRY(take_key(p, IN_LINE));
        skip_blanks(p);
        if (*p->at != '\n' && *p->at != '#') {
            TN_TRY(take_rest(p, column));
            continue;
        }
        TN_TRY(next_line(p));
        if (p->column < column || (p->column == column && !is_dash(p->at)))
            return NOT_PLAIN; // no value
        TN_TRY(take_block(p, p->column));
    } while (p->column == column);
    return tn_tree_close(p->tree);
}

// Items are on the line of their dash, where maps and lists may begin, too, or on the next.
static tn_status take_list(plain *p, int column)
{
    TN_TRY(open_level(p, TN_NODE_SEQUENCE));
    do {
        p->at++;
        TN_TRY(find_content(p));
        if (p->column <= column)
            return NOT_PLAIN; // no item
        const char *end = find_end(p, IN_LINE);
        const bool block = is_dash(p->at) || (end && is_colon(end));
        TN_TRY(block ? take_block(p, p->column) : take_rest(p, column));
    } while (p->column == column && is_dash(p->at));
    return tn_tree_close(p->tree);
}

static tn_status take_all(plain *p)
{
    TN_TRY(find_content(p));
    if (p->column == AT_END)
        return NOT_PLAIN;
    TN_TRY(is_bracket(*p->at) ? take_rest(p, AT_END) : take_block(p, p->column));
    return p->column == AT_END ? TN_OK : NOT_PLAIN;
}

tn_status tn_yaml_plain_read(tn_yaml_tree *tree, const tn_yaml_text *source, bool *is_plain)
{
    const char *text = source->text, *end = text + source->length;
    plain p = {tree, text, text, end, text, .line = 1, .look = LOOK_EVERY};
    *is_plain = false;
    if (source->characters != source->length || end[-1] != '\n')
        return TN_OK;
    const tn_status s = take_all(&p);
    *is_plain = s == TN_OK;
    return s == NOT_PLAIN ? TN_OK : s;
}
