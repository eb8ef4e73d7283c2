// SPDX-License-Identifier: MIT
//
// The file of a reduction: attachments, frame, modes and damping; see reduce_job.h.

#include "reduce/reduce_job.h"

#include "base/alloc.h"
#include "text/lines.h"
#include "text/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NORMAL_MODES = 10 }; // where nothing is stated

tn_status tn_job_fail(const tn_reduce_job *job, const tn_node *node, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return tn_node_fail(job->doc, node, TN_ERR_MODEL, "%s", text);
}

tn_status tn_job_text(const tn_reduce_job *job, const tn_node *map, const char *what,
                      const char *key, const char **out)
{
    char words[128];
    const tn_node *node = tn_node_get(map, key);
    snprintf(words, sizeof(words), "%s: %s", what, key);
    if (!node)
        return tn_job_fail(job, map, "%s: '%s' is missing", what, key);
    return tn_node_string(job->doc, node, words, out);
}

tn_status tn_job_path(const tn_reduce_job *job, const tn_node *map, const char *what,
                      const char *key, char **out)
{
    const char *name = NULL;
    *out = NULL;
    TN_TRY(tn_job_text(job, map, what, key, &name));
    *out = tn_path_beside(job->path, name);
    return tn_got(*out);
}

tn_status tn_job_number(const tn_reduce_job *job, const tn_node *map, const char *what,
                        const char *key, double *out)
{
    char words[128];
    const tn_node *node = tn_node_get(map, key);
    snprintf(words, sizeof(words), "%s: %s", what, key);
    if (!node)
        return TN_OK;
    TN_TRY(tn_node_number(job->doc, node, words, out));
    if (!(*out > 0.0))
        return tn_job_fail(job, node, "%s is %g; it must be positive", words, *out);
    return TN_OK;
}

// Attachments ------------------------------------------------------------------------------------

static tn_status add_node(const tn_reduce_job *job, const tn_node *node, const tn_numbered *sorted,
                          int id, tn_fe_attachment *a)
{
    const int at = tn_number_find(job->fe.nnode, sorted, id);
    if (at < 0)
        return tn_job_fail(job, node, "attachment '%s': there is no node %d", a->name, id);
    for (int i = 0; i < a->nnode; i++)
        if (a->node[i] == at)
            return tn_job_fail(job, node, "attachment '%s': node %d is named twice", a->name, id);
    a->node[a->nnode++] = at;
    return TN_OK;
}

static tn_status fail_set(const tn_reduce_job *job, const tn_node *node, const tn_fe_attachment *a)
{
    const char *names[64];
    const int n = tn_smaller(job->deck.sets.count, TN_COUNT(names));
    for (int i = 0; i < n; i++)
        names[i] = job->deck.sets.at[i].name;
    if (job->model)
        return tn_job_fail(job, node,
                           "attachment '%s': the beam has no place '%.80s'; name 'start', 'end', a "
                           "place of it, or numbers of nodes from 0 to %d",
                           a->name, node->text, job->fe.nnode - 1);
    return tn_job_fail(job, node, "attachment '%s': there is no set of nodes '%.80s'; %s", a->name,
                       node->text, tn_name_hint(node->text, n, names).text);
}

// The number of a node of a beam by its name, "end" or a place; -1 where there is none.
static tn_status beam_node(const tn_reduce_job *job, const char *name, int *out)
{
    *out = -1;
    if (!job->model)
        return TN_OK;
    char *full = tn_format("%s.%s", tn_model_beam_name(job->model, job->beam), name);
    TN_TRY(tn_got(full));
    const int body = tn_model_find_body(job->model, full).index;
    const int first = tn_model_beam_node(job->model, job->beam, 0).index;
    tn_free(full);
    if (body >= first && body < first + job->fe.nnode)
        *out = body - first;
    return TN_OK;
}

// A list of numbers, or the name of a set.
static tn_status read_attachment_nodes(const tn_reduce_job *job, const tn_node *map,
                                       const tn_numbered *sorted, tn_fe_attachment *a)
{
    const tn_node *node = tn_node_get(map, "nodes");
    if (!node)
        return tn_job_fail(job, map, "attachment '%s': 'nodes' is missing", a->name);
    const bool list = node->kind == TN_NODE_SEQUENCE;
    int id = 0;
    const tn_node_set *set =
        node->kind == TN_NODE_SCALAR ? tn_deck_find(&job->deck, node->text) : NULL;
    int named = -1;
    if (node->kind == TN_NODE_SCALAR)
        TN_TRY(beam_node(job, node->text, &named));
    const bool one = node->kind == TN_NODE_SCALAR && !set && tn_node_is_number(node);
    if (!list && !set && !one && named < 0)
        return node->kind == TN_NODE_SCALAR
                   ? fail_set(job, node, a)
                   : tn_node_expected(job->doc, node, "nodes", "a list of nodes or a set");
    const int n = list ? node->count : set ? set->nodes.count : 1;
    if (n == 0)
        return tn_job_fail(job, node, "attachment '%s' has no nodes", a->name);
    a->node = tn_alloc((size_t)n * sizeof(int));
    TN_TRY(tn_got(a->node));
    for (int i = 0; i < n; i++) {
        const tn_node *from = list ? node->children[i] : node;
        if (set)
            id = set->nodes.at[i];
        else if (named >= 0)
            id = named;
        else
            TN_TRY(tn_node_integer(job->doc, from, "nodes", &id));
        TN_TRY(add_node(job, from, sorted, id, a));
    }
    return TN_OK;
}

static tn_status read_at(const tn_reduce_job *job, const tn_node *map, tn_fe_attachment *a)
{
    const tn_node *node = tn_node_get(map, "at");
    double x[3];
    if (node) {
        TN_TRY(tn_node_numbers(job->doc, node, "at", 3, x));
        a->at = tn_v3_scale(job->length, tn_v3_from(x));
        return TN_OK;
    }
    for (int i = 0; i < a->nnode; i++)
        a->at = tn_v3_axpy(1.0 / a->nnode, job->fe.node[a->node[i]].x, a->at);
    return TN_OK;
}

static tn_status read_tie(const tn_reduce_job *job, const tn_node *map, tn_fe_attachment *a)
{
    static const char *const ties[] = {"rigid", "mean"};
    const tn_node *node = tn_node_get(map, "tie"), *weights = tn_node_get(map, "weights");
    const char *tie = "rigid";
    if (node)
        TN_TRY(tn_node_string(job->doc, node, "tie", &tie));
    a->mean = strcmp(tie, "mean") == 0;
    if (!a->mean && strcmp(tie, "rigid") != 0)
        return tn_job_fail(job, node, "attachment '%s': tie is '%.80s'; %s", a->name, tie,
                           tn_name_hint(tie, 2, ties).text);
    if (!weights)
        return TN_OK;
    if (!a->mean)
        return tn_job_fail(job, weights, "attachment '%s': weights belong to tie: mean", a->name);
    a->weight = tn_alloc((size_t)a->nnode * sizeof(double));
    TN_TRY(tn_got(a->weight));
    TN_TRY(tn_node_numbers(job->doc, weights, "weights", a->nnode, a->weight));
    for (int i = 0; i < a->nnode; i++)
        if (!(a->weight[i] > 0.0))
            return tn_job_fail(job, weights->children[i],
                               "attachment '%s': a weight is %g; it must be positive", a->name,
                               a->weight[i]);
    return TN_OK;
}

static tn_status read_attachment(const tn_reduce_job *job, const tn_node *map,
                                 const tn_numbered *sorted, tn_fe_attachment *a)
{
    static const char *const keys[] = {"name", "nodes", "at", "tie", "weights", NULL};
    const char *name = NULL;
    TN_TRY(tn_node_keys(job->doc, map, "attachments", keys));
    TN_TRY(tn_job_text(job, map, "attachments", "name", &name));
    if (!*name || strlen(name) > 100 || strpbrk(name, "/."))
        return tn_job_fail(job, map,
                           "attachments: '%.120s' is no name: it has 1 to 100 characters, "
                           "none of them '/' or '.'",
                           name);
    a->name = tn_strdup(name);
    TN_TRY(tn_got(a->name));
    TN_TRY(read_attachment_nodes(job, map, sorted, a));
    TN_TRY(read_at(job, map, a));
    return read_tie(job, map, a);
}

static int compare_attachments(const void *a, const void *b)
{
    return strcmp(((const tn_fe_attachment *)a)->name, ((const tn_fe_attachment *)b)->name);
}

static tn_status read_attachments(tn_reduce_job *job)
{
    const tn_node *list = tn_node_get(job->doc->root, "attachments");
    tn_numbered *sorted = NULL;
    if (!list)
        return TN_OK;
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(job->doc, list, "attachments", "a list");
    job->attachment = tn_alloc(((size_t)list->count + 1) * sizeof(*job->attachment));
    tn_status s = tn_got(job->attachment);
    TN_THEN(s, tn_number_nodes(&job->fe, &sorted));
    for (int i = 0; s == TN_OK && i < list->count; i++) {
        job->nattachment++;
        s = read_attachment(job, list->children[i], sorted, &job->attachment[i]);
    }
    tn_free(sorted);
    TN_TRY(s);
    qsort(job->attachment, (size_t)job->nattachment, sizeof(*job->attachment), compare_attachments);
    for (int i = 1; i < job->nattachment; i++)
        if (strcmp(job->attachment[i].name, job->attachment[i - 1].name) == 0)
            return tn_job_fail(job, list, "attachments: two have the name '%s'",
                               job->attachment[i].name);
    return TN_OK;
}

// Frame, modes, damping --------------------------------------------------------------------------

static tn_status find_frame(tn_reduce_job *job, const tn_node *map, const char *to)
{
    const char *names[64];
    const int n = tn_smaller(job->nattachment, TN_COUNT(names));
    for (int i = 0; i < job->nattachment; i++)
        if (strcmp(job->attachment[i].name, to) == 0) {
            job->wanted.frame = i;
            return TN_OK;
        }
    for (int i = 0; i < n; i++)
        names[i] = job->attachment[i].name;
    return tn_job_fail(job, tn_node_get(map, "to"), "frame: there is no attachment '%.80s'; %s", to,
                       tn_name_hint(to, n, names).text);
}

static tn_status read_frame(tn_reduce_job *job)
{
    static const char *const keys[] = {"kind", "to", NULL};
    static const char *const kinds[] = {"attached", "buckens"};
    const tn_node *map = tn_node_get(job->doc->root, "frame");
    const char *kind = NULL, *to = NULL;
    job->wanted.frame = -1;
    if (!map)
        return TN_OK;
    TN_TRY(tn_node_keys(job->doc, map, "frame", keys));
    TN_TRY(tn_job_text(job, map, "frame", "kind", &kind));
    if (strcmp(kind, "attached") == 0) {
        TN_TRY(tn_job_text(job, map, "frame", "to", &to));
        return find_frame(job, map, to);
    }
    if (strcmp(kind, "buckens") != 0)
        return tn_job_fail(job, tn_node_get(map, "kind"), "frame: kind is '%.80s'; %s", kind,
                           tn_name_hint(kind, 2, kinds).text);
    if (tn_node_get(map, "to"))
        return tn_job_fail(job, tn_node_get(map, "to"),
                           "frame: 'to' belongs to kind: attached; Buckens' frame follows the mean "
                           "motion of the whole body");
    return TN_OK;
}

static tn_status read_count(const tn_reduce_job *job, const tn_node *map, const char *key,
                            int least, int *out)
{
    const tn_node *node = tn_node_get(map, key);
    if (!node)
        return TN_OK;
    TN_TRY(tn_node_integer(job->doc, node, key, out));
    if (*out < least || *out > 1000)
        return tn_job_fail(job, node, "modes: %s is %d; it must be from %d to 1000", key, *out,
                           least);
    return TN_OK;
}

static tn_status read_modes(tn_reduce_job *job)
{
    static const char *const keys[] = {"normal", "up_to", "keep", NULL};
    const tn_node *map = tn_node_get(job->doc->root, "modes");
    job->wanted.normal = NORMAL_MODES;
    if (!map)
        return TN_OK;
    TN_TRY(tn_node_keys(job->doc, map, "modes", keys));
    if (tn_node_get(map, "normal") && tn_node_get(map, "up_to"))
        return tn_job_fail(job, map, "modes: state 'normal' or 'up_to', not both");
    TN_TRY(read_count(job, map, "normal", 0, &job->wanted.normal));
    TN_TRY(read_count(job, map, "keep", 1, &job->wanted.keep));
    return tn_job_number(job, map, "modes", "up_to", &job->wanted.up_to);
}

static tn_status read_damping(tn_reduce_job *job)
{
    static const char *const keys[] = {"ratio", "mass", "stiffness", NULL};
    const tn_node *map = tn_node_get(job->doc->root, "damping");
    if (!map)
        return TN_OK;
    job->wanted.stiffness = 0.0;
    TN_TRY(tn_node_keys(job->doc, map, "damping", keys));
    TN_TRY(tn_job_number(job, map, "damping", "ratio", &job->wanted.ratio));
    TN_TRY(tn_job_number(job, map, "damping", "mass", &job->wanted.mass));
    TN_TRY(tn_job_number(job, map, "damping", "stiffness", &job->wanted.stiffness));
    if (job->wanted.ratio > 0.0 && (job->wanted.mass > 0.0 || job->wanted.stiffness > 0.0))
        return tn_job_fail(job, map, "damping: state 'ratio', or 'mass' and 'stiffness'");
    return TN_OK;
}

static tn_status read_job(tn_reduce_job *job)
{
    static const char *const keys[] = {"source", "units",   "attachments", "frame",
                                       "modes",  "damping", "geometric",   NULL};
    TN_TRY(tn_node_keys(job->doc, job->doc->root, "job", keys));
    TN_TRY(tn_job_source(job));
    TN_TRY(read_attachments(job));
    TN_TRY(read_frame(job));
    TN_TRY(read_modes(job));
    TN_TRY(read_damping(job));
    return tn_job_geometric(job);
}

tn_status tn_reduce_job_read(const char *path, tn_reduce_job *out)
{
    *out = (tn_reduce_job){.path = path, .length = 1.0, .force = 1.0, .mass = 1.0};
    TN_TRY(tn_document_read(path, &out->doc));
    return read_job(out);
}

void tn_reduce_job_clear(tn_reduce_job *job)
{
    for (int i = 0; i < job->nattachment; i++)
        TN_FREE(job->attachment[i].name, job->attachment[i].node, job->attachment[i].weight);
    tn_free(job->attachment);
    tn_fe_clear(&job->fe);
    tn_deck_clear(&job->deck);
    tn_model_destroy(job->model);
    tn_document_destroy(job->doc);
    *job = (tn_reduce_job){0};
}
