// SPDX-License-Identifier: MIT
//
// The topology of a model as a picture. Bodies are nodes below those that carry them along the
// spanning tree of joint coordinates (tree/tree.h); joints are edges, those of the tree and those
// that close loops; force elements and couplings are dashed. An element that acts on one body or
// joint alone, a point force or a motor, stands in the text of that. It is written as text for
// Graphviz, whose `dot` makes the SVG, light or dark as the viewer has it.

#include "base/alloc.h"
#include "draw/pattern.h"
#include "kinds/family.h"
#include "tenon/io.h"
#include "text/buffer.h"
#include "text/target.h"
#include "tree/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

typedef enum graph_look {
    LOOK_BODY,
    LOOK_TREE,     // a joint of the tree
    LOOK_LOOP,     // a joint that closes a loop
    LOOK_COUPLING, // and drives
    LOOK_FORCE,
    LOOK_COUNT
} graph_look;

static const struct {
    const char *name, *text; // of the class, and in the legend
    const char *color, *line;
} looks[LOOK_COUNT] = {
    [LOOK_BODY] = {"box", "body", "#595959", ""},
    [LOOK_TREE] = {"tree", "joint of the tree", "#0072b2", ""},
    [LOOK_LOOP] = {"loop", "joint that closes a loop", "#d55e00", ", penwidth=2.5"},
    [LOOK_COUPLING] = {"coupling", "coupling, drive", "#a0528a", ", style=dashed"},
    [LOOK_FORCE] = {"force", "force", "#00795a", ", style=dashed"},
};

// A body, or a joint, a coupling or a force between two boxes.
typedef struct graph_box {
    graph_look look;
    tn_buffer text; // its name, kind or mass, and what acts on it alone, as Graphviz reads them
    int a, b;       // -1 of bodies
    bool is_end;    // of a coupling, so that it is a node, too: edges have no edges
} graph_box;

typedef struct graph {
    const tn_model *model;
    TN_ARRAY(graph_box) boxes; // bodies first, in the order of the model, then joints of the tree
    int nbody;
    int *carrier; // box of the joint that carries each body, -1 for none
    int *joint;   // box of each joint that has one, -1 for others
} graph;

// Boxes -------------------------------------------------------------------------------------------

static void put_name(const char *name, tn_buffer *out)
{
    for (const char *c = name; *c; c++) {
        if (strchr("\"\\", *c))
            tn_buffer_say(out, "\\");
        tn_buffer_put(out, c, 1);
    }
}

static tn_status add_box(graph *g, graph_look look, int a, int b, const char *name,
                         const char *note)
{
    graph_box new = {.look = look, .a = a, .b = b};
    put_name(name, &new.text);
    tn_buffer_say(&new.text, *note ? "\\n" : "");
    put_name(note, &new.text);
    const tn_status s = tn_array_push(&g->boxes, new);
    if (s != TN_OK)
        tn_free(new.text.text);
    return s;
}

static tn_status add_tag(graph *g, int box, const char *name, const char *kind)
{
    TN_ASSERT(box >= 0 && box < g->boxes.count);
    tn_buffer *text = &g->boxes.at[box].text;
    tn_buffer_say(text, "\\n");
    put_name(name, text);
    tn_buffer_say(text, " (");
    put_name(kind, text);
    tn_buffer_say(text, ")");
    return TN_OK;
}

static tn_status add_bodies(graph *g)
{
    for (int k = 0; k < g->nbody; k++) {
        const tn_body_data *body = &g->model->bodies.at[k];
        char note[40] = "";
        if (k > 0 && body->def.mass > 0.0)
            snprintf(note, sizeof note, "%.3g kg", body->def.mass);
        TN_TRY(add_box(g, LOOK_BODY, -1, -1, body->name, k == 0 || *note ? note : "massless"));
    }
    return TN_OK;
}

// As the model states it, and not what takes its place between planar bodies.
static const char *kind_of(const tn_joint_data *joint)
{
    return tn_joint_ops_of((int)joint->def->kind)->name;
}

static tn_status add_carriers(graph *g, const tn_tree *tree)
{
    for (int k = 1; k < tree->n; k++) {
        const tn_tree_body *b = &tree->body[k];
        if (b->joint < 0)
            continue;
        const tn_joint_data *joint = &g->model->joints.at[b->joint];
        g->joint[b->joint] = g->carrier[b->body] = g->boxes.count;
        TN_TRY(add_box(g, LOOK_TREE, tree->body[b->parent].body, b->body, joint->name,
                       kind_of(joint)));
    }
    return TN_OK;
}

static tn_status add_pair(graph *g, int joint)
{
    const tn_joint_data *data = &g->model->joints.at[joint];
    const tn_joint_def *def = data->def;
    const graph_look look = data->ops->coupling ? LOOK_COUPLING : LOOK_LOOP;
    if (data->ops->prescribe)
        return add_tag(g, def->body_b.index, data->name, kind_of(data));
    g->joint[joint] = g->boxes.count;
    return add_box(g, look, def->body_a.index, def->body_b.index, data->name, kind_of(data));
}

static tn_status add_coupling(graph *g, int joint)
{
    const tn_joint_data *data = &g->model->joints.at[joint];
    int of[2] = {-1, -1};
    const int n = tn_pattern_joints_of(data->ops->nparam, data->ops->params, data->def, of);
    const int a = n > 0 && of[0] >= 0 ? g->joint[of[0]] : -1;
    const int b = n > 1 && of[1] >= 0 ? g->joint[of[1]] : -1;
    if (a < 0 && b < 0) // of what is no joint between bodies
        return add_tag(g, 0, data->name, kind_of(data));
    if (a < 0 || b < 0 || a == b)
        return add_tag(g, a < 0 ? b : a, data->name, kind_of(data));
    g->boxes.at[a].is_end = g->boxes.at[b].is_end = true;
    return add_box(g, LOOK_COUPLING, a, b, data->name, kind_of(data));
}

static tn_status add_joints(graph *g)
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

static tn_status add_force(graph *g, const tn_force_data *force)
{
    const tn_force_ops *ops = force->ops;
    const tn_force_def *def = &force->def;
    const int joint = ops->on_joint ? g->joint[def->joint.index] : -1;
    if (ops->on_joint)
        return add_tag(g, joint < 0 ? 0 : joint, force->name, ops->name);
    if (ops->single || def->body_a.index == def->body_b.index)
        return add_tag(g, def->body_b.index, force->name, ops->name);
    return add_box(g, LOOK_FORCE, def->body_a.index, def->body_b.index, force->name, ops->name);
}

static tn_status collect_graph(graph *g, const tn_tree *tree)
{
    for (int k = 0; k < g->nbody; k++)
        g->carrier[k] = -1;
    for (int k = 0; k < g->model->joints.count; k++)
        g->joint[k] = -1;
    TN_TRY(add_bodies(g));
    TN_TRY(add_carriers(g, tree));
    TN_TRY(add_joints(g));
    for (int k = 0; k < g->model->forces.count; k++)
        TN_TRY(add_force(g, &g->model->forces.at[k]));
    return TN_OK;
}

// As text for Graphviz ----------------------------------------------------------------------------

// One line a kind that is there.
static void put_legend(const graph *g, tn_buffer *out)
{
    bool there[LOOK_COUNT] = {false};
    for (int k = 0; k < g->boxes.count; k++)
        there[g->boxes.at[k].look] = true;
    tn_buffer_say(out, "  label=<");
    for (int k = LOOK_TREE; k < LOOK_COUNT; k++)
        if (there[k])
            tn_buffer_format(out, "<font color=\"%s\">%s</font><br/>", looks[k].color,
                             looks[k].text);
    tn_buffer_say(out, " >;\n");
}

// Bodies and joints may have the same name; a letter distinguishes them.
static char letter(const graph *g, int box)
{
    return box < g->nbody ? 'b' : 'e';
}

static void put_edge(const graph *g, int name, tn_buffer *out)
{
    const graph_box *box = &g->boxes.at[name];
    if (box->is_end)
        tn_buffer_format(out, "  e%d [shape=plaintext, style=\"\", label=\"%s\"];\n", name,
                         box->text.text);
    tn_buffer_format(out, "  %c%d -- ", letter(g, box->a), box->a);
    if (box->is_end)
        tn_buffer_format(out, "e%d -- ", name);
    tn_buffer_format(out, "%c%d [class=%s, color=\"%s\"%s", letter(g, box->b), box->b,
                     looks[box->look].name, looks[box->look].color, looks[box->look].line);
    if (!box->is_end)
        tn_buffer_format(out, ", label=\"%s\"", box->text.text);
    tn_buffer_say(out, "];\n");
}

static void put_dot(const graph *g, tn_buffer *out)
{
    tn_buffer_say(out, "graph topology {\n"
                       "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f1f4f8\", "
                       "fontname=Helvetica, fontsize=12];\n"
                       "  edge [fontname=Helvetica, fontsize=10];\n"
                       "  fontname=Helvetica; fontsize=10; ranksep=0.35;\n");
    for (int k = 0; k < g->nbody; k++)
        tn_buffer_format(out, "  b%d [class=%s, label=\"%s\"];\n", k, k == 0 ? "ground" : "box",
                         g->boxes.at[k].text.text);
    for (int k = 1; k < g->nbody; k++)
        if (g->carrier[k] >= 0)
            put_edge(g, g->carrier[k], out);
    for (int k = g->nbody; k < g->boxes.count; k++)
        if (g->boxes.at[k].look != LOOK_TREE)
            put_edge(g, k, out);
    put_legend(g, out);
    tn_buffer_say(out, "}\n");
}

// As SVG ------------------------------------------------------------------------------------------

// Lines keep their own colours; dashes and widths distinguish them, too.
static const char style[] =
    "<style>\n"
    ".graph>polygon{fill:#ffffff}.box path{fill:#f1f4f8;stroke:#595959}\n"
    ".ground path{fill:#dfe3e8}text:not([fill]){fill:#262626}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".graph>polygon{fill:#16191d}.box path{fill:#242a31;stroke:#9aa4af}.ground path{fill:#39414b}\n"
    "text:not([fill]){fill:#e8eaed}.tree path,.tree text[fill]{stroke:#56b4e9}\n"
    ".loop path{stroke:#ff8c42}.coupling path{stroke:#e5a3cb}.force path{stroke:#3ecf9f}\n"
    "}\n</style>\n";

// The picture with our style as the first thing in it.
static void take_picture(FILE *from, tn_buffer *out)
{
    char line[4096];
    bool inside = false, styled = false;
    while (fgets(line, sizeof line, from)) {
        tn_buffer_say(out, line);
        inside = inside || strncmp(line, "<svg", 4) == 0;
        if (!inside || styled || !strchr(line, '>'))
            continue;
        tn_buffer_say(out, style);
        styled = true;
    }
}

// Runs `dot` on a file; what it says about mistakes goes where ours does.
static tn_status run_dot(FILE *from, tn_buffer *out)
{
    char command[96];
    snprintf(command, sizeof command,
             "command -v dot >/dev/null || exit 127; exec dot -Tsvg </dev/fd/%d", fileno(from));
    FILE *to = popen(command, "r");
    if (to)
        take_picture(to, out);
    const int how = to ? pclose(to) : -1;
    const bool missing = how != -1 && WIFEXITED(how) && WEXITSTATUS(how) == 127;
    if (how == 0)
        return TN_OK;
    if (how == -1 || missing)
        return tn_fail(TN_ERR_FILE,
                       "pictures of topologies are laid out by the program dot, which cannot be "
                       "started: %s; install graphviz, or name a FILE.dot, which needs no program",
                       strerror(missing ? ENOENT : errno));
    return tn_fail(TN_ERR_FILE, "the program dot, which lays out the topology, %s %d",
                   WIFSIGNALED(how) ? "was ended by signal" : "ended with code",
                   WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
}

static tn_status put_svg(const graph *g, tn_buffer *out)
{
    tn_buffer text = {0};
    put_dot(g, &text);
    if (text.failed)
        return tn_buffer_finish(&text, "a topology", &(char *){NULL});
    FILE *from = tmpfile();
    tn_status s = TN_OK;
    if (!from || fwrite(text.text, 1, text.length, from) != text.length || fflush(from) != 0)
        s = tn_fail(TN_ERR_FILE, "cannot write a file for dot: %s", strerror(errno));
    TN_THEN(s, run_dot(from, out));
    if (from)
        fclose(from);
    tn_free(text.text);
    return s;
}

// The whole ---------------------------------------------------------------------------------------

static tn_status render_graph(const tn_model *model, bool dot, tn_buffer *out)
{
    graph g = {.model = model, .nbody = model->bodies.count};
    tn_tree *tree = NULL;
    int *block = tn_alloc((size_t)(g.nbody + model->joints.count) * sizeof(int));
    TN_TRY(tn_got(block));
    g.carrier = block;
    g.joint = g.carrier + g.nbody;
    tn_status s = tn_tree_create(model, &tree);
    TN_THEN(s, collect_graph(&g, tree));
    for (int k = 0; s == TN_OK && k < g.boxes.count; k++)
        s = tn_got(!g.boxes.at[k].text.failed);
    if (s == TN_OK && dot)
        put_dot(&g, out);
    else if (s == TN_OK)
        s = put_svg(&g, out);
    for (int k = 0; k < g.boxes.count; k++)
        tn_free(g.boxes.at[k].text.text);
    tn_array_free(&g.boxes);
    tn_tree_destroy(tree);
    tn_free(block);
    return s;
}

tn_status tn_model_draw(const tn_model *model, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, path);
    tn_buffer out = {0};
    bool dot;
    TN_TRY(tn_drawn_as(path, ".dot", "the kind of picture", &dot));
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    return tn_target_finish(render_graph(model, dot, &out), path, &out,
                            "a picture of the topology");
}
