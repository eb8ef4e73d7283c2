// SPDX-License-Identifier: MIT
//
// A sparsity pattern as SVG, two matrices beside each other, and as a table of its nonzeros.
// Colours are classes, so that a viewer with a dark theme shows it dark.

#include "draw/pattern.h"
#include "file/svg.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *name, *text; // of the class, and in the legend
} parts[TN_PART_COUNT] = {
    [TN_PART_MASS] = {"mass", "mass matrices M"},
    [TN_PART_JOINT] = {"joint", "a body and its joint K, J"},
    [TN_PART_BELOW] = {"below", "the body that carries it H"},
    [TN_PART_LOOP] = {"loop", "loops, couplings G"},
};

static const char style[] =
    "<style>\n"
    ".paper{fill:#ffffff}.frame{fill:none;stroke:#595959}.block{fill:none;stroke:#c3c9d0}\n"
    "text{fill:#262626}.note{fill:#595959}path.dots{fill:none}\n"
    ".mass{stroke:#0072b2}.joint{stroke:#d55e00}.below{stroke:#00795a}.loop{stroke:#a0528a}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".paper{fill:#16191d}.frame{stroke:#9aa4af}.block{stroke:#3d4650}\n"
    "text{fill:#e8eaed}.note{fill:#aab2bb}\n"
    ".mass{stroke:#56b4e9}.joint{stroke:#ff8c42}.below{stroke:#3ecf9f}.loop{stroke:#e5a3cb}\n"
    "}\n</style>\n";

static const double SIDE = 420.0, MARGIN = 20.0, SIZE = 11.0, LINE = 18.0;

// One matrix: where it stands, and the order of its unknowns.
typedef struct panel {
    double x, y, cell, room; // left and top of the first entry; size of one; of names on its left
    const int *place;        // NULL: the original order
    int nblock;
    const int *first; // nblock + 1
    const char *const *name;
} panel;

static int place_of(const panel *at, int unknown)
{
    return at->place ? at->place[unknown] : unknown;
}

static void put_dots(const tn_pattern *p, const panel *at, tn_pattern_part part, tn_buffer *out)
{
    const double size = at->cell > 2.0 ? 0.8 * at->cell : at->cell, gap = 0.5 * (at->cell - size);
    bool any = false;
    for (int k = 0; k < p->entries.count; k++) {
        const tn_pattern_entry *e = &p->entries.at[k];
        if (e->part != part)
            continue;
        if (!any)
            tn_svg_put(out, "<path class=\"dots %s\" stroke-width=\"%g\" d=\"", parts[part].name,
                       size);
        any = true;
        tn_svg_put(out, "M%g %gh%g", at->x + at->cell * place_of(at, e->column) + gap,
                   at->y + at->cell * (place_of(at, e->row) + 0.5), size);
    }
    if (any)
        tn_svg_put(out, "\"/>\n");
}

static void put_borders(const tn_pattern *p, const panel *at, tn_buffer *out)
{
    const double side = at->cell * p->n;
    tn_svg_put(out, "<path class=\"block\" d=\"");
    for (int k = 1; k < at->nblock; k++) {
        const double far = at->cell * at->first[k];
        tn_svg_put(out, "M%g %gh%gM%g %gv%g", at->x, at->y + far, side, at->x + far, at->y, side);
    }
    tn_svg_put(out, "\"/>\n<rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n",
               at->x, at->y, side, side);
}

// Names of blocks where there is room for them.
static void put_names(const panel *at, tn_buffer *out)
{
    for (int k = 0; k < at->nblock; k++) {
        if (at->cell * (at->first[k + 1] - at->first[k]) < SIZE)
            continue;
        const double middle = 0.5 * at->cell * (at->first[k] + at->first[k + 1]);
        tn_svg_put(out,
                   "<text class=\"note\" x=\"%g\" y=\"%g\" font-size=\"%g\" "
                   "text-anchor=\"end\">%s</text>\n",
                   at->x - 6.0, at->y + middle + 4.0, SIZE, at->name[k]);
    }
}

static void put_line(tn_buffer *out, double x, double y, bool bold, const char *text)
{
    tn_svg_put(out,
               bold ? "<text font-weight=\"bold\" x=\"%g\" y=\"%g\" font-size=\"%g\">%s</text>\n"
                    : "<text class=\"note\" x=\"%g\" y=\"%g\" font-size=\"%g\">%s</text>\n",
               x, y, SIZE, text);
}

static void put_panel(const tn_pattern *p, const panel *at, const char *title, const char *told,
                      tn_buffer *out)
{
    put_line(out, at->x, at->y - 8.0, true, title);
    put_borders(p, at, out);
    for (tn_pattern_part k = 0; k < TN_PART_COUNT; k++)
        put_dots(p, at, k, out);
    put_names(at, out);
    put_line(out, at->x, at->y + at->cell * p->n + LINE, false, told);
}

static void put_pattern_legend(const tn_pattern *p, double x, double y, tn_buffer *out)
{
    for (tn_pattern_part part = 0; part < TN_PART_COUNT; part++) {
        bool there = false;
        for (int k = 0; k < p->entries.count && !there; k++)
            there = p->entries.at[k].part == part;
        if (!there)
            continue;
        tn_svg_put(out, "<path class=\"dots %s\" stroke-width=\"9\" d=\"M%g %gh9\"/>\n",
                   parts[part].name, x, y - 4.0);
        put_line(out, x + 15.0, y, false, parts[part].text);
        x += 35.0 + SIZE * tn_svg_width(parts[part].text);
    }
}

// Blocks of the original order that have unknowns.
static int original_blocks(const tn_pattern *p, int first[5], const char *name[4])
{
    static const char *const names[] = {"p", "q", "\xce\xbc", "\xce\xbb"};
    const int size[4] = {p->np, p->nq, p->nm, p->n - p->np - p->nq - p->nm};
    int n = 0;
    first[0] = 0;
    for (int k = 0; k < 4; k++)
        if (size[k] > 0) {
            name[n] = names[k];
            first[n + 1] = first[n] + size[k];
            n++;
        }
    return n;
}

static double room_for(int n, const char *const *name)
{
    double room = 0.0;
    for (int k = 0; k < n; k++)
        room = fmax(room, SIZE * tn_svg_width(name[k]));
    return room + 10.0;
}

void tn_pattern_svg(const tn_pattern *p, const tn_pattern_told *told, tn_buffer *out)
{
    int first[5];
    const char *parts_of[4];
    char text[2][160];
    const int n = original_blocks(p, first, parts_of);
    const double cell = fmax(0.1, fmin(8.0, SIDE / (p->n > 0 ? p->n : 1))), side = cell * p->n;
    const char *const *names = p->block_name;
    panel left = {.y = MARGIN + LINE, .cell = cell, .nblock = n, .first = first, .name = parts_of};
    panel right = {.y = left.y,
                   .cell = cell,
                   .place = p->place,
                   .nblock = p->nblock,
                   .first = p->first,
                   .name = names};
    left.x = MARGIN + room_for(n, parts_of);
    right.x = left.x + fmax(side, 200.0) + MARGIN + room_for(p->nblock, names);
    const double width = fmax(right.x + fmax(side, 230.0) + MARGIN, 700.0);
    const double height = left.y + side + 3.0 * LINE + MARGIN;
    snprintf(text[0], sizeof text[0], "%d unknowns, %d nonzeros, bandwidth %d", told->unknowns,
             told->nonzeros, told->bandwidth);
    snprintf(text[1], sizeof text[1], "%d blocks, bandwidth %d", told->blocks,
             told->bandwidth_ordered);
    tn_svg_put(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
               "viewBox=\"0 0 %g %g\" " TN_SVG_FONT ">\n",
               width, height, width, height);
    tn_buffer_say(out, style);
    tn_svg_put(out, "<rect class=\"paper\" x=\"0\" y=\"0\" width=\"%g\" height=\"%g\"/>\n", width,
               height);
    put_panel(p, &left, "as written", text[0], out);
    put_panel(p, &right, "ordered by topology", text[1], out);
    put_pattern_legend(p, left.x, height - MARGIN, out);
    tn_buffer_say(out, "</svg>\n");
}

// A table -----------------------------------------------------------------------------------------

// "rod.p.x", "rod.q.1", "rod.mu.1", "pin.lambda.1".
static void name_unknown(const tn_pattern *p, int unknown, char *text, size_t size)
{
    static const char *const axes[6] = {"x", "y", "z", "turn x", "turn y", "turn z"};
    const int body = p->nbody - 1 - p->block[unknown];
    const tn_pattern_body *b = body >= 0 ? &p->body[body] : NULL;
    const char *name = b ? p->model->bodies.at[b->body].name : "";
    if (b && unknown < p->np)
        snprintf(text, size, "%s.p.%s", name, axes[b->axis[unknown - b->p0]]);
    else if (b && unknown < p->np + p->nq)
        snprintf(text, size, "%s.q.%d", name, unknown - b->q0 + 1);
    else if (b)
        snprintf(text, size, "%s.mu.%d", name, unknown - b->m0 + 1);
    for (int j = 0; !b && j < p->model->joints.count; j++) {
        const int i = p->row[j] < 0 ? -1 : unknown - p->row[j];
        if (i >= 0 && i < tn_constraint_count(p->model, j))
            snprintf(text, size, "%s.lambda.%d", p->model->joints.at[j].name, i + 1);
    }
}

// Rows and blocks count from 1, as in the literature.
void tn_pattern_csv(const tn_pattern *p, tn_buffer *out)
{
    tn_buffer_say(out, "row,column,ordered_row,ordered_column,block_row,block_column,block_rows,"
                       "block_columns,part,row_name,column_name\n");
    for (int k = 0; k < p->entries.count; k++) {
        const tn_pattern_entry *e = &p->entries.at[k];
        const int a = p->block[e->row], b = p->block[e->column];
        char name[200] = "";
        tn_buffer_format(out, "%d,%d,%d,%d,%d,%d,%d,%d,%s,", e->row + 1, e->column + 1,
                         p->place[e->row] + 1, p->place[e->column] + 1, a + 1, b + 1,
                         p->first[a + 1] - p->first[a], p->first[b + 1] - p->first[b],
                         parts[e->part].name);
        name_unknown(p, e->row, name, sizeof name);
        tn_buffer_field(out, name);
        tn_buffer_say(out, ",");
        name_unknown(p, e->column, name, sizeof name);
        tn_buffer_field(out, name);
        tn_buffer_say(out, "\n");
    }
}
