// SPDX-License-Identifier: MIT
//
// A topology as SVG. Colours are classes, so that a viewer with a dark theme shows it dark; lines
// differ by dashes and widths, too.

#include "io/graph.h"
#include "io/svg.h"

static const double LEGEND = 30.0, SAMPLE = 30.0;

static const struct {
    const char *name, *text; // of the class, and in the legend
} looks[TN_LOOK_COUNT] = {
    [TN_LOOK_BODY] = {"body", "body"},
    [TN_LOOK_TREE] = {"tree", "joint of the tree"},
    [TN_LOOK_LOOP] = {"loop", "joint that closes a loop"},
    [TN_LOOK_COUPLING] = {"coupling", "coupling, drive"},
    [TN_LOOK_FORCE] = {"force", "force"},
};

// The colours of plots, and lighter ones on a dark ground.
static const char style[] =
    "<style>\n"
    ".paper{fill:#ffffff}.box{fill:#f1f4f8;stroke:#595959}.ground{fill:#dfe3e8}\n"
    ".line{fill:none;stroke-width:1.6}.halo{fill:#ffffff;fill-opacity:0.9}\n"
    ".tag{fill:#ffffff;stroke-width:1;stroke-dasharray:3 2.5}\n"
    "text{fill:#262626}.note{fill:#595959}\n"
    ".tree{stroke:#0072b2}.loop{stroke:#d55e00;stroke-width:3}\n"
    ".coupling{stroke:#a0528a;stroke-dasharray:7 4}.force{stroke:#00795a;stroke-dasharray:3 4}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".paper,.tag{fill:#16191d}.halo{fill:#16191d}.box{fill:#242a31;stroke:#9aa4af}\n"
    ".ground{fill:#39414b}text{fill:#e8eaed}.note{fill:#aab2bb}\n"
    ".tree{stroke:#56b4e9}.loop{stroke:#ff8c42}.coupling{stroke:#e5a3cb}.force{stroke:#3ecf9f}\n"
    "}\n</style>\n";

static void put_two(tn_buffer *out, double x, double y, double size, const char *name,
                    const char *note, bool bold)
{
    tn_svg_put(out, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" text-anchor=\"middle\"><tspan%s>", x,
               y, size, bold ? " font-weight=\"bold\"" : "");
    tn_svg_escape(out, name);
    tn_svg_put(out, "</tspan>");
    if (*note) {
        tn_svg_put(out, "<tspan class=\"note\" font-size=\"%g\"> ", TN_GRAPH_NOTE);
        tn_svg_escape(out, note);
        tn_svg_put(out, "</tspan>");
    }
    tn_svg_put(out, "</text>\n");
}

static void put_rect(tn_buffer *out, const char *class, double x, double y, double width,
                     double height, double round)
{
    tn_svg_put(out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\"/>\n",
               class, x - 0.5 * width, y - 0.5 * height, width, height, round);
}

static void put_tags(const tn_graph *g, const tn_graph_box *box, double y, tn_buffer *out)
{
    for (int k = box->first; k >= 0; k = g->tags.at[k].next, y += TN_GRAPH_LINE) {
        const tn_graph_tag *tag = &g->tags.at[k];
        const double middle = y + 0.5 * TN_GRAPH_LINE;
        tn_svg_put(out, "<g class=\"%s\">\n", looks[tag->look].name);
        put_rect(out, "tag", box->x, middle, tn_graph_tag_width(tag), TN_GRAPH_LINE - 3.0, 7.0);
        tn_svg_put(out, "</g>\n");
        put_two(out, box->x, middle + 4.0, TN_GRAPH_NOTE, tag->name, tag->kind, false);
    }
}

static void put_graph_box(const tn_graph *g, int k, tn_buffer *out)
{
    const tn_graph_box *box = &g->boxes.at[k];
    const bool body = box->look == TN_LOOK_BODY;
    const double top = box->y - 0.5 * box->height + (body ? 5.0 : 0.0);
    put_rect(out,
             !body    ? "halo"
             : k == 0 ? "box ground"
                      : "box",
             box->x, box->y, box->width, box->height, 6.0);
    put_two(out, box->x, top + 13.0, TN_GRAPH_NAME, box->name, box->note, body);
    put_tags(g, box, top + TN_GRAPH_LINE, out);
}

// From the body that carries it, down to the joint and on to the body.
static void put_stem(const tn_graph *g, int body, tn_buffer *out)
{
    const tn_graph_box *to = &g->boxes.at[body], *from = &g->boxes.at[g->parent[body]];
    const tn_graph_box *joint = &g->boxes.at[g->carrier[body]];
    const double y = from->y + 0.5 * from->height, end = joint->y - 0.5 * joint->height;
    const double middle = 0.5 * (y + end);
    tn_svg_put(out, "<path class=\"line tree\" d=\"M%g %gC%g %g %g %g %g %gV%g\"/>\n", from->x, y,
               from->x, middle, to->x, middle, to->x, end, to->y - 0.5 * to->height);
}

static void put_edge(const tn_graph_edge *e, tn_buffer *out)
{
    tn_svg_put(out, "<path class=\"line %s\" d=\"M%g %gC%g %g %g %g %g %g\"/>\n",
               looks[e->look].name, e->x[0], e->y[0], e->x[1], e->y[1], e->x[2], e->y[2], e->x[3],
               e->y[3]);
}

// Which looks there are, of edges and of tags.
static void find_looks(const tn_graph *g, bool there[TN_LOOK_COUNT])
{
    for (int k = 0; k < g->boxes.count; k++)
        there[g->boxes.at[k].look] = true;
    for (int k = 0; k < g->tags.count; k++)
        there[g->tags.at[k].look] = true;
    there[TN_LOOK_BODY] = false;
}

static double legend_width(const bool there[TN_LOOK_COUNT])
{
    double width = 0.0;
    for (int k = 0; k < TN_LOOK_COUNT; k++)
        if (there[k])
            width += SAMPLE + 26.0 + TN_GRAPH_NOTE * tn_svg_width(looks[k].text);
    return width + 24.0;
}

static void put_legend(const bool there[TN_LOOK_COUNT], double x, double y, tn_buffer *out)
{
    for (int k = 0; k < TN_LOOK_COUNT; k++) {
        if (!there[k])
            continue;
        tn_svg_put(out, "<path class=\"line %s\" d=\"M%g %gh%g\"/>\n", looks[k].name, x, y, SAMPLE);
        tn_svg_put(out, "<text class=\"note\" x=\"%g\" y=\"%g\" font-size=\"%g\">%s</text>\n",
                   x + SAMPLE + 6.0, y + 4.0, TN_GRAPH_NOTE, looks[k].text);
        x += SAMPLE + 26.0 + TN_GRAPH_NOTE * tn_svg_width(looks[k].text);
    }
}

void tn_graph_svg(const tn_graph *g, tn_buffer *out)
{
    bool there[TN_LOOK_COUNT] = {false};
    find_looks(g, there);
    const double legend = legend_width(there);
    const double width = g->width > legend ? g->width : legend, height = g->height + LEGEND;
    const double left = g->left - 0.5 * (width - g->width);
    tn_svg_put(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
               "viewBox=\"%g %g %g %g\" " TN_SVG_FONT ">\n",
               width, height, left, g->top, width, height);
    tn_buffer_say(out, style);
    tn_svg_put(out, "<rect class=\"paper\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", left,
               g->top, width, height);
    for (int k = 1; k < g->nbody; k++)
        if (tn_graph_carries(g, k))
            put_stem(g, k, out);
    for (int k = 0; k < g->edges.count; k++)
        put_edge(&g->edges.at[k], out);
    for (int k = 0; k < g->boxes.count; k++)
        put_graph_box(g, k, out);
    put_legend(there, left + 24.0, g->top + g->height + 0.3 * LEGEND, out);
    tn_buffer_say(out, "</svg>\n");
}
