// SPDX-License-Identifier: MIT
//
// A topology as text for Graphviz. A joint that a coupling leads to is a node of its own, as edges
// have no edges.

#include "io/graph.h"

#include <string.h>

// Bodies and joints may have the same name; a letter tells them apart.
static void put_id(const tn_graph *g, int box, tn_buffer *out)
{
    tn_buffer_format(out, "%c%d", box < g->nbody ? 'b' : 'e', box);
}

static void put_dot_text(const char *text, tn_buffer *out)
{
    for (const char *c = text; *c; c++) {
        if (strchr("\"\\", *c))
            tn_buffer_say(out, "\\");
        tn_buffer_put(out, c, 1);
    }
}

// label="name\nnote\ntag (kind)"
static void put_dot_label(const tn_graph *g, const tn_graph_box *box, tn_buffer *out)
{
    tn_buffer_say(out, "label=\"");
    put_dot_text(box->name, out);
    if (*box->note) {
        tn_buffer_say(out, "\\n");
        put_dot_text(box->note, out);
    }
    for (int k = box->first; k >= 0; k = g->tags.at[k].next) {
        tn_buffer_say(out, "\\n");
        put_dot_text(g->tags.at[k].name, out);
        tn_buffer_say(out, " (");
        put_dot_text(g->tags.at[k].kind, out);
        tn_buffer_say(out, ")");
    }
    tn_buffer_say(out, "\"");
}

static const char *const dot_looks[TN_LOOK_COUNT] = {
    [TN_LOOK_BODY] = "",
    [TN_LOOK_TREE] = "color=\"#0072b2\"",
    [TN_LOOK_LOOP] = "color=\"#d55e00\", penwidth=2.5, constraint=false",
    [TN_LOOK_COUPLING] = "color=\"#a0528a\", style=dashed, constraint=false",
    [TN_LOOK_FORCE] = "color=\"#00795a\", style=dashed, constraint=false",
};

// Whether an edge ends at this box.
static bool is_end(const tn_graph *g, int box)
{
    for (int k = 0; k < g->edges.count; k++)
        if (g->edges.at[k].a == box || g->edges.at[k].b == box)
            return true;
    return false;
}

static void put_dot_edge(const tn_graph *g, int a, int b, int name, tn_buffer *out)
{
    const tn_graph_box *box = &g->boxes.at[name];
    const bool node = is_end(g, name);
    if (node) {
        tn_buffer_say(out, "  ");
        put_id(g, name, out);
        tn_buffer_say(out, " [shape=plaintext, style=\"\", ");
        put_dot_label(g, box, out);
        tn_buffer_say(out, "];\n");
    }
    tn_buffer_say(out, "  ");
    put_id(g, a, out);
    tn_buffer_say(out, " -- ");
    if (node) {
        put_id(g, name, out);
        tn_buffer_say(out, " -- ");
    }
    put_id(g, b, out);
    tn_buffer_format(out, " [%s", dot_looks[box->look]);
    if (!node) {
        tn_buffer_say(out, ", ");
        put_dot_label(g, box, out);
    }
    tn_buffer_say(out, "];\n");
}

void tn_graph_dot(const tn_graph *g, tn_buffer *out)
{
    tn_buffer_say(out, "graph topology {\n"
                       "  node [shape=box, style=rounded, fontname=Helvetica, fontsize=12];\n"
                       "  edge [fontname=Helvetica, fontsize=10];\n");
    for (int k = 0; k < g->nbody; k++) {
        tn_buffer_say(out, "  ");
        put_id(g, k, out);
        tn_buffer_say(out, " [");
        put_dot_label(g, &g->boxes.at[k], out);
        tn_buffer_say(out, k == 0 ? ", style=filled];\n" : "];\n");
    }
    for (int k = 1; k < g->nbody; k++)
        if (tn_graph_carries(g, k))
            put_dot_edge(g, g->parent[k], k, g->carrier[k], out);
    for (int k = 0; k < g->edges.count; k++)
        put_dot_edge(g, g->edges.at[k].a, g->edges.at[k].b, g->edges.at[k].name, out);
    tn_buffer_say(out, "}\n");
}
