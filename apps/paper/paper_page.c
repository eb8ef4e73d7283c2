// SPDX-License-Identifier: MIT
//
// papers.html: all items with what the paper states, what Tenon gets and a verdict. One file that
// needs no other: pictures stand in it as data, and it is made for screens, light or dark, and for
// paper.

#include "base/alloc.h"
#include "file/base64.h"
#include "file/document.h"
#include "file/svg.h"
#include "paper/paper_parts.h"
#include "text/lines.h"
#include "text/number.h"
#include "text/target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char STYLE[] =
    ":root{color-scheme:light dark;--ink:#1d2430;--back:#fff;--soft:#5b6472;--line:#d9dde3;"
    "--card:#f6f7f9;--good:#1a7f4b;--shape:#8a6d00;--differs:#b04a00;--bad:#c0182b;--link:#1f5fbf}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--back:#14181f;--soft:#9aa4b2;"
    "--line:#343c49;--card:#1c222b;--good:#5fd093;--shape:#e3c457;--differs:#ff9d57;--bad:#ff7080;"
    "--link:#7fb0ff}}"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:68rem;padding:1.5rem;color:var(--ink);"
    "background:var(--back);font:16px/1.5 Helvetica,Arial,'Liberation Sans',sans-serif}"
    "h1{font-size:1.9rem;line-height:1.2}h2{margin-top:3rem;border-bottom:2px solid var(--line)}"
    "h3{margin:0 0 .3rem}a{color:var(--link)}.soft{color:var(--soft)}"
    ".item{margin:1.4rem 0;padding:1rem 1.2rem;border:1px solid var(--line);border-radius:.5rem;"
    "background:var(--card)}.item>p{margin:.4rem 0;max-width:60rem}"
    ".tag{font-weight:bold;white-space:nowrap}.agrees{color:var(--good)}.shape{color:var(--shape)}"
    ".differs{color:var(--differs)}.fails{color:var(--bad)}.open{color:var(--soft)}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.6rem 0;font-size:.92rem}"
    "th,td{padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}th{font-weight:600}td.n,th.n{text-align:right;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}"
    "figure{margin:.8rem 0}figure img{max-width:100%;height:auto;background:#fff;"
    "border:1px solid var(--line);border-radius:.3rem}figcaption{font-size:.88rem;"
    "color:var(--soft)}"
    "pre{margin:.4rem 0;padding:.5rem .7rem;overflow-x:auto;white-space:pre-wrap;"
    "overflow-wrap:anywhere;border:1px solid var(--line);border-radius:.3rem;font-size:.82rem}"
    "@media print{:root{--ink:#000;--back:#fff;--soft:#444;--line:#bbb;--card:#fff;--good:#0b5a33;"
    "--shape:#6b5400;--differs:#8a3a00;--bad:#a00018;--link:#000}body{max-width:none;padding:0;"
    "font-size:9.5pt}table{width:100%;font-size:8.5pt}th,td{padding:.12rem .5rem .12rem 0}"
    "th{white-space:normal!important}pre{font-size:7.5pt}.item{border:0;border-top:1px solid "
    "var(--line);border-radius:0;padding:.6rem "
    "0}table~h2,div~h2{break-before:page}"
    "h3,figcaption{break-after:avoid}figure,tr,pre{break-"
    "inside:avoid}"
    "figure img{max-height:8cm}a{text-decoration:none}}";

static void paragraph(tn_buffer *out, const char *label, const char *text)
{
    if (*text)
        tn_svg_put(out, "<p><b>%s</b> %s</p>\n", label, text);
}

static const char *verdict_class(tn_paper_verdict v)
{
    static const char *const words[] = {"open", "agrees", "shape", "differs", "fails"};
    return words[v];
}

static void tag(tn_buffer *out, tn_paper_verdict v)
{
    tn_buffer_format(out, "<span class=\"tag %s\">%s</span>", verdict_class(v),
                     tn_paper_verdict_word(v));
}

static void number(tn_buffer *out, double x, int digits)
{
    if (isnan(x))
        tn_buffer_say(out, "<td class=\"n\">–</td>");
    else
        tn_buffer_format(out, "<td class=\"n\">%.*g</td>", digits, x);
}

// Numbers -----------------------------------------------------------------------------------------

static void put_bounds(tn_buffer *out, const tn_paper_number *q)
{
    if (isnan(q->low))
        tn_buffer_say(out, "<td class=\"n\">not judged</td>");
    else
        tn_buffer_format(out, "<td class=\"n\">%.4g … %.4g</td>", q->low, q->high);
}

static void put_outcome(tn_buffer *out, const tn_paper_number *q, bool judged)
{
    const char *class = "open", *word = "shown";
    if (q->skipped || isnan(q->tenon)) {
        word = q->skipped ? "left out" : "not there";
    } else if (judged && tn_paper_number_fails(q)) {
        class = "fails";
        word = "fails";
    } else if (judged && *q->differs) {
        class = "differs";
        word = "differs";
    } else if (judged && !isnan(q->low)) {
        class = "agrees";
        word = "holds";
    }
    tn_buffer_format(out, "<td class=\"%s\">%s", class, word);
    const char *text = *q->differs ? q->differs : q->why;
    if (*text)
        tn_svg_put(out, " <span class=\"soft\">%s</span>", text);
    tn_buffer_say(out, "</td>");
}

static void put_numbers(tn_buffer *out, const tn_paper *p)
{
    tn_buffer_say(out,
                  "<div class=\"wide\"><table><tr><th></th><th class=\"n\">paper</th>"
                  "<th class=\"n\">Tenon</th><th class=\"n\">ratio</th><th class=\"n\">must be "
                  "in</th><th></th></tr>\n");
    for (int i = 0; i < p->numbers.count; i++) {
        const tn_paper_number *q = &p->numbers.at[i].facts;
        tn_svg_put(out, *q->unit ? "<tr><td>%s [%s]</td>" : "<tr><td>%s%s</td>", q->what, q->unit);
        number(out, q->paper, 10);
        number(out, q->tenon, 6);
        number(out, q->paper != 0.0 ? q->tenon / q->paper : NAN, 4);
        put_bounds(out, q);
        put_outcome(out, q, p->facts.verdict != TN_PAPER_OPEN);
        tn_buffer_say(out, "</tr>\n");
    }
    tn_buffer_say(out, "</table></div>\n");
}

// Pictures and tables -----------------------------------------------------------------------------

static tn_status put_picture(tn_buffer *out, const char *folder, const tn_paper_file *f)
{
    char path[4096], *bytes = NULL;
    size_t length = 0;
    if (!tn_folder_has(folder, f->file))
        return TN_OK; // long, or the item failed
    snprintf(path, sizeof path, "%s/%s", folder, f->file);
    tn_status s = tn_file_read(path, 64 << 20, &bytes, &length);
    tn_base64 b = {.write = tn_buffer_write, .user = out};
    tn_svg_put(out, "<figure><img alt=\"%s\" src=\"data:image/svg+xml;base64,", f->caption);
    TN_THEN(s, tn_base64_put(&b, bytes, length));
    TN_THEN(s, tn_base64_end(&b));
    tn_svg_put(out, "\"><figcaption>%s</figcaption></figure>\n", f->caption);
    tn_free(bytes);
    return s;
}

enum { MOST_ROWS = 40 };

static void put_cell(tn_buffer *out, const char *text)
{
    double x;
    const bool is_number = tn_number_from_text(text, &x);
    if (is_number && strlen(text) > 8)
        tn_buffer_format(out, "<td class=\"n\">%.6g</td>", x);
    else
        tn_svg_put(out, is_number ? "<td class=\"n\">%s</td>" : "<td>%s</td>", text);
}

// Rows of a table of commas and lines, names first; returns how many there are without these.
static tn_status put_rows(tn_buffer *out, tn_lines *lines, int *rows)
{
    int columns = 0;
    for (*rows = -1; tn_lines_row(lines); ++*rows) {
        const bool shown = *rows < MOST_ROWS;
        bool more = true;
        int n = 0;
        tn_buffer_say(out, shown ? "<tr>" : "");
        for (char *field; (field = tn_lines_field(lines, ',', &more)); n++)
            if (*rows < 0)
                tn_svg_put(out, "<th>%s</th>", field);
            else if (shown)
                put_cell(out, field);
        tn_buffer_say(out, shown ? "</tr>\n" : "");
        columns = *rows < 0 ? n : columns;
        if (n != columns)
            return tn_lines_fail(lines, "%d fields, and the line of names has %d", n, columns);
    }
    return *rows < 0 ? tn_fail(TN_ERR_FILE, "%s is empty", lines->path) : TN_OK;
}

static tn_status put_table(tn_buffer *out, const char *folder, const tn_paper_file *f)
{
    char path[4096];
    tn_lines lines;
    int rows = 0;
    if (!tn_folder_has(folder, f->file))
        return TN_OK;
    snprintf(path, sizeof path, "%s/%s", folder, f->file);
    TN_TRY(tn_lines_open(path, &lines));
    tn_buffer_say(out, "<div class=\"wide\"><table>");
    const tn_status s = put_rows(out, &lines, &rows);
    tn_lines_close(&lines);
    tn_svg_put(out, "</table></div><p class=\"soft\">%s", f->caption);
    if (rows > MOST_ROWS)
        tn_buffer_format(out, " (%d more rows are in %s)", rows - MOST_ROWS, f->file);
    tn_buffer_say(out, "</p>\n");
    return s;
}

// Items -------------------------------------------------------------------------------------------

static void put_commands(tn_buffer *out, const tn_paper *p)
{
    tn_buffer_format(out, "<p><b>Run it</b> <code>tenon paper %s %s</code>", p->key, p->name);
    for (int i = 0; i < p->parameters.count; i++) {
        const tn_paper_parameter *x = &p->parameters.at[i];
        tn_buffer_say(out, i == 0 ? ", with other values by <code>--set</code>: " : "; ");
        tn_svg_put(out, "<code>%s", x->name);
        tn_buffer_format(out, "=%g</code>", x->value);
        tn_svg_put(out, "%s%s%s%s", *x->unit ? " " : "", x->unit, *x->text ? ", " : "", x->text);
    }
    tn_buffer_say(out, "</p>\n<pre>");
    for (int i = 0; i < p->commands.count; i++) {
        const tn_paper_command *c = &p->commands.at[i];
        tn_svg_put(out, "%s", c->shown);
        if (c->ended > 0)
            tn_buffer_format(out, "    # ends with code %d", c->ended);
        tn_buffer_say(out, i + 1 < p->commands.count ? "\n" : "");
    }
    tn_buffer_say(out, "</pre>\n");
}

static tn_status put_item(tn_buffer *out, const tn_paper *p, const char *folder)
{
    const tn_paper_facts *f = &p->facts;
    tn_svg_put(out, "<section class=\"item\" id=\"%s-%s\"><h3>%s: %s</h3><p>", p->key, p->name,
               f->item, f->title);
    tag(out, f->verdict);
    tn_svg_put(out, " <span class=\"soft\">%s", f->source);
    tn_buffer_format(out, ", %.1f s%s</span></p>\n", f->seconds,
                     f->quick ? ", quick: what is long was left out" : "");
    paragraph(out, "Fails.", f->reason);
    paragraph(out, "With other parameters than the paper:", f->changed);
    paragraph(out, "The paper.", f->states);
    paragraph(out, "Chosen here.", f->chosen);
    paragraph(out, f->declared == TN_PAPER_DIFFERS ? "Why it differs." : "Why.", f->why);
    put_numbers(out, p);
    for (int i = 0; i < p->pictures.count; i++)
        TN_TRY(put_picture(out, folder, &p->pictures.at[i]));
    for (int i = 0; i < p->tables.count; i++)
        TN_TRY(put_table(out, folder, &p->tables.at[i]));
    put_commands(out, p);
    tn_buffer_say(out, "</section>\n");
    return TN_OK;
}

// Contents: one row for each item.
static void put_contents(tn_buffer *out, int n, const tn_paper *const *papers)
{
    tn_buffer_say(out, "<div class=\"wide\"><table><tr><th>paper</th><th>item</th><th>what</th>"
                       "<th class=\"n\">numbers</th><th class=\"n\">of the paper</th><th>verdict"
                       "</th></tr>\n");
    for (int i = 0; i < n; i++) {
        const tn_paper *p = papers[i];
        int stated = 0;
        for (int k = 0; k < p->numbers.count; k++)
            stated += !isnan(p->numbers.at[k].facts.paper);
        tn_svg_put(out, "<tr><td>%s</td><td><a href=\"#%s-%s\">%s</a></td><td>%s", p->key, p->key,
                   p->name, p->facts.item, p->facts.title);
        tn_buffer_format(out, "</td><td class=\"n\">%d</td><td class=\"n\">%d</td><td>",
                         p->numbers.count, stated);
        tag(out, p->facts.verdict);
        tn_buffer_say(out, "</td></tr>\n");
    }
    tn_buffer_say(out, "</table></div>\n");
}

static void put_counts(tn_buffer *out, int n, const tn_paper *const *papers)
{
    int count[TN_PAPER_FAILS + 1] = {0}, numbers = 0, stated = 0;
    for (int i = 0; i < n; i++) {
        count[papers[i]->facts.verdict]++;
        numbers += papers[i]->numbers.count;
        for (int k = 0; k < papers[i]->numbers.count; k++)
            stated += !isnan(papers[i]->numbers.at[k].facts.paper);
    }
    tn_buffer_format(out, "<p>%d items with %d numbers, %d of which the papers state:", n, numbers,
                     stated);
    static const tn_paper_verdict order[] = {TN_PAPER_AGREES, TN_PAPER_SHAPE, TN_PAPER_DIFFERS,
                                             TN_PAPER_FAILS, TN_PAPER_OPEN};
    bool first = true;
    for (int k = 0; k < 5; k++)
        if (count[order[k]] > 0) {
            tn_buffer_format(out, "%s %d ", first ? "" : ",", count[order[k]]);
            tag(out, order[k]);
            first = false;
        }
    tn_buffer_say(out, ".</p>\n");
}

static void put_heading(tn_buffer *out, const char *key, const tn_document *index)
{
    const tn_node *entry = index ? tn_node_get(index->root, key) : NULL;
    const tn_node *cite = entry ? tn_node_get(entry, "cite") : NULL;
    const tn_node *note = entry ? tn_node_get(entry, "note") : NULL;
    tn_svg_put(out, "<h2>%s</h2>\n", key);
    if (cite && cite->text)
        tn_svg_put(out, "<p>%s</p>\n", cite->text);
    if (note && note->text)
        tn_svg_put(out, "<p class=\"soft\">%s</p>\n", note->text);
}

static tn_status put_page(tn_buffer *out, int n, const tn_paper *const *papers,
                          const char *const *folders, const tn_document *index)
{
    const char *title = n == 1 ? papers[0]->facts.title : "The papers, computed anew";
    tn_svg_put(out,
               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
               "<title>%s</title>\n",
               title);
    tn_buffer_format(out, "<style>%s</style></head><body>\n", STYLE);
    tn_svg_put(out, "<h1>%s</h1>\n", title);
    if (n > 1) {
        tn_buffer_say(
            out,
            "<p>Figures, tables, examples and statements of the papers that Tenon implements, made "
            "by Tenon from model files and commands, beside what was published. <em>agrees</em>: "
            "every number is within its bounds. <em>agrees in shape</em>: the same, where the "
            "paper "
            "does not give all parameters or shows a picture only. <em>differs</em>: known, with "
            "the reason.</p>\n");
        put_counts(out, n, papers);
        put_contents(out, n, papers);
    }
    for (int i = 0; i < n; i++) {
        if (i == 0 || strcmp(papers[i]->key, papers[i - 1]->key) != 0)
            put_heading(out, papers[i]->key, index);
        TN_TRY(put_item(out, papers[i], folders[i]));
    }
    tn_buffer_format(out, "<p class=\"soft\">Tenon %s</p>\n</body></html>\n", tn_version());
    return TN_OK;
}

tn_status tn_paper_page(int n, const tn_paper *const *papers, const char *const *folders,
                        const char *index, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, papers, folders, path);
    tn_document *titles = NULL;
    tn_buffer page = {0};
    for (int i = 0; i < n; i++)
        TN_NEED_ALL(TN_ERR_USAGE, papers[i], folders[i]);
    if (index)
        TN_TRY(tn_document_read(index, &titles));
    const tn_status s =
        tn_target_finish(put_page(&page, n, papers, folders, titles), path, &page, "the page");
    tn_document_destroy(titles);
    return s;
}
