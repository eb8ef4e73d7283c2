// SPDX-License-Identifier: MIT
//
// What a picture of a topology shows; see graph.h.

#include "io/graph.h"

#include "base/alloc.h"
#include "io/svg.h"
#include "io/target.h"
#include "system/tree.h"
#include "tenon/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// Boxes and tags ----------------------------------------------------------------------------------

static tn_status add_box(tn_graph *g, tn_graph_look look, const char *name, const char *note,
                         int *out)
{
    tn_graph_box box = {.look = look, .name = name, .first = -1, .last = -1};
    snprintf(box.note, sizeof(box.note), "%s", note);
    *out = g->boxes.count;
    return tn_array_push(&g->boxes, box);
}

static tn_status add_tag(tn_graph *g, int box, tn_graph_look look, const char *name,
                         const char *kind)
{
    const tn_graph_tag tag = {look, name, kind, -1};
    const int k = g->tags.count;
    TN_ASSERT(box >= 0 && box < g->boxes.count);
    TN_TRY(tn_array_push(&g->tags, tag));
    tn_graph_box *b = &g->boxes.at[box];
    if (b->last >= 0)
        g->tags.at[b->last].next = k;
    else
        b->first = k;
    b->last = k;
    return TN_OK;
}

static tn_status add_edge(tn_graph *g, tn_graph_look look, int a, int b, const char *name,
                          const char *kind)
{
    tn_graph_edge edge = {.a = a, .b = b, .look = look};
    TN_TRY(add_box(g, look, name, kind, &edge.name));
    return tn_array_push(&g->edges, edge);
}

static tn_status add_bodies(tn_graph *g)
{
    for (int k = 0; k < g->nbody; k++) {
        const tn_body_data *body = &g->model->bodies.at[k];
        char note[40] = "";
        int ignored;
        if (k > 0 && body->def.mass > 0.0)
            snprintf(note, sizeof(note), "%.3g kg", body->def.mass);
        else if (k > 0)
            snprintf(note, sizeof(note), "massless");
        TN_TRY(add_box(g, TN_LOOK_BODY, body->name, note, &ignored));
    }
    return TN_OK;
}

// Joints between bodies, and the tree -------------------------------------------------------------

// As the model states it, and not what takes its place between planar bodies.
static const char *kind_of(const tn_joint_data *joint)
{
    return tn_joint_ops_of((int)joint->def->kind)->name;
}

static tn_status add_carriers(tn_graph *g, const tn_tree *tree)
{
    for (int k = 1; k < tree->n; k++) {
        const tn_tree_body *b = &tree->body[k];
        g->parent[b->body] = tree->body[b->parent].body;
        if (b->joint < 0)
            continue;
        const tn_joint_data *joint = &g->model->joints.at[b->joint];
        TN_TRY(add_box(g, TN_LOOK_TREE, joint->name, kind_of(joint), &g->carrier[b->body]));
        g->joint[b->joint] = g->carrier[b->body];
    }
    return TN_OK;
}

static tn_status add_pair(tn_graph *g, int joint)
{
    const tn_joint_data *data = &g->model->joints.at[joint];
    const tn_joint_def *def = data->def;
    const tn_graph_look look = data->ops->coupling ? TN_LOOK_COUPLING : TN_LOOK_LOOP;
    if (data->ops->prescribe)
        return add_tag(g, def->body_b.index, look, data->name, kind_of(data));
    g->joint[joint] = g->boxes.count;
    return add_edge(g, look, def->body_a.index, def->body_b.index, data->name, kind_of(data));
}

// Couplings between joints ------------------------------------------------------------------------

int tn_graph_joints_of(int n, const tn_param *params, const void *def, int out[2])
{
    int count = 0;
    for (int i = 0; i < n && count < 2; i++)
        if (params[i].type == TN_PARAM_JOINT)
            out[count++] = ((const tn_joint *)((const char *)def + params[i].offset))->index;
    return count;
}

static tn_status add_coupling(tn_graph *g, int joint)
{
    const tn_joint_data *data = &g->model->joints.at[joint];
    int of[2] = {-1, -1};
    const int n = tn_graph_joints_of(data->ops->nparam, data->ops->params, data->def, of);
    const int a = n > 0 && of[0] >= 0 ? g->joint[of[0]] : -1;
    const int b = n > 1 && of[1] >= 0 ? g->joint[of[1]] : -1;
    if (a < 0 && b < 0) // of what is no joint between bodies
        return add_tag(g, 0, TN_LOOK_COUPLING, data->name, kind_of(data));
    if (a < 0 || b < 0 || a == b)
        return add_tag(g, a < 0 ? b : a, TN_LOOK_COUPLING, data->name, kind_of(data));
    return add_edge(g, TN_LOOK_COUPLING, a, b, data->name, kind_of(data));
}

static tn_status add_joints(tn_graph *g)
{
    const int n = g->model->joints.count;
    for (int k = 0; k < n; k++)
        if (g->joint[k] < 0 && g->model->joints.at[k].ops->relative)
            TN_TRY(add_pair(g, k));
    for (int k = 0; k < n; k++)
        if (!g->model->joints.at[k].ops->relative)
            TN_TRY(add_coupling(g, k));
    return TN_OK;
}

static tn_status add_force(tn_graph *g, const tn_force_data *force)
{
    const tn_force_ops *ops = force->ops;
    const tn_force_def *def = &force->def;
    const int joint = ops->on_joint ? g->joint[def->joint.index] : -1;
    if (ops->on_joint)
        return add_tag(g, joint < 0 ? 0 : joint, TN_LOOK_FORCE, force->name, ops->name);
    if (ops->single || def->body_a.index == def->body_b.index)
        return add_tag(g, def->body_b.index, TN_LOOK_FORCE, force->name, ops->name);
    return add_edge(g, TN_LOOK_FORCE, def->body_a.index, def->body_b.index, force->name, ops->name);
}

// Sizes -------------------------------------------------------------------------------------------

double tn_graph_tag_width(const tn_graph_tag *tag)
{
    return TN_GRAPH_NOTE * (tn_svg_width(tag->name) + tn_svg_width(" ") + tn_svg_width(tag->kind)) +
           12.0;
}

static void size_box(const tn_graph *g, tn_graph_box *box)
{
    const bool body = box->look == TN_LOOK_BODY;
    box->width = TN_GRAPH_NAME * TN_SVG_BOLD * tn_svg_width(box->name) +
                 TN_GRAPH_NOTE * (tn_svg_width(" ") + tn_svg_width(box->note));
    box->height = TN_GRAPH_LINE;
    for (int k = box->first; k >= 0; k = g->tags.at[k].next) {
        box->width = fmax(box->width, tn_graph_tag_width(&g->tags.at[k]));
        box->height += TN_GRAPH_LINE;
    }
    box->width += body ? 24.0 : 8.0;
    box->height += body ? 10.0 : 0.0;
}

// The whole ---------------------------------------------------------------------------------------

static tn_status collect_graph(tn_graph *g, const tn_tree *tree)
{
    for (int k = 0; k < g->nbody; k++)
        g->parent[k] = g->carrier[k] = -1;
    for (int k = 0; k < g->model->joints.count; k++)
        g->joint[k] = -1;
    TN_TRY(add_bodies(g));
    TN_TRY(add_carriers(g, tree));
    TN_TRY(add_joints(g));
    for (int k = 0; k < g->model->forces.count; k++)
        TN_TRY(add_force(g, &g->model->forces.at[k]));
    for (int k = 0; k < g->boxes.count; k++)
        size_box(g, &g->boxes.at[k]);
    return TN_OK;
}

static tn_status draw_graph(tn_graph *g, bool dot, tn_buffer *out)
{
    tn_tree *tree = NULL;
    tn_status s = tn_tree_create(g->model, &tree);
    TN_THEN(s, collect_graph(g, tree));
    tn_tree_destroy(tree);
    if (dot && s == TN_OK)
        tn_graph_dot(g, out);
    if (dot)
        return s;
    TN_THEN(s, tn_graph_rows(g));
    TN_THEN(s, tn_graph_place(g));
    TN_THEN(s, tn_graph_route(g));
    if (s == TN_OK)
        tn_graph_svg(g, out);
    return s;
}

static tn_status render_graph(const tn_model *model, bool dot, tn_buffer *out)
{
    tn_graph g = {.model = model, .nbody = model->bodies.count};
    const size_t n = (size_t)(3 * g.nbody + model->joints.count) * sizeof(int);
    int *block = tn_alloc(n);
    TN_TRY(tn_got(block));
    g.parent = block;
    g.carrier = g.parent + g.nbody;
    g.row = g.carrier + g.nbody;
    g.joint = g.row + g.nbody;
    const tn_status s = draw_graph(&g, dot, out);
    tn_array_free(&g.boxes);
    tn_array_free(&g.tags);
    tn_array_free(&g.edges);
    tn_free(block);
    return s;
}

static tn_status graph_format_of(const char *path, bool *dot)
{
    const char *end = strrchr(path, '.');
    *dot = end && strcasecmp(end, ".dot") == 0;
    if (strcmp(path, "-") == 0 || *dot || (end && strcasecmp(end, ".svg") == 0))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "'%s': the ending tells the kind of picture, and must be .svg or .dot; - is SVG "
                   "on the standard output",
                   path);
}

tn_status tn_model_draw(const tn_model *model, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, path);
    tn_buffer out = {0};
    char *text = NULL;
    bool dot;
    TN_TRY(graph_format_of(path, &dot));
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    const tn_status s = render_graph(model, dot, &out);
    if (s != TN_OK) {
        tn_free(out.text);
        return s;
    }
    const size_t length = out.length;
    TN_TRY(tn_buffer_finish(&out, "a picture of the topology", &text));
    const tn_status written = tn_target_write(path, text, length);
    tn_free(text);
    return written;
}
