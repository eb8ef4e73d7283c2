// SPDX-License-Identifier: MIT
//
// The scene of a page: what the result stored of the model (result/scene.h), and the meshes that it
// names, read from their files now. Without a scene the bodies are shown by name.

#include "file/mesh.h"
#include "page/page_parts.h"

#include <string.h>

enum { TRIANGLE_BYTES = 48 }; // in the page: nine float32 as base64

static bool is_kind(const tn_node *node, tn_node_kind kind)
{
    return node && node->kind == kind;
}

// Returns true if the scene fits the rest of the file; if not, *why has the reason.
static bool page_scene_fits(const tn_result *result, const tn_node *scene, const char **why)
{
    const tn_node *bodies = tn_node_get(scene, "bodies");
    const int position = tn_result_dataset_find(result, "bodies/position");
    const int width = position < 0 ? 0 : tn_result_dataset_at(result, position)->width;
    *why = NULL;
    if (!is_kind(scene, TN_NODE_MAP) || !is_kind(bodies, TN_NODE_SEQUENCE))
        *why = "it has no list of bodies";
    else if (bodies->count != width / 3 + 1)
        *why = "its bodies are not those of the result";
    return !*why;
}

// Meshes -----------------------------------------------------------------------------------------

static tn_status put_mesh(tn_page_job *job, const tn_node *node, long *triangles_left)
{
    const char *name = tn_node_text(node, "name"), *path = tn_node_text(node, "path");
    tn_mesh mesh = {0};
    tn_status s = tn_mesh_read(*path ? path : name, *triangles_left, &mesh);
    if (s != TN_OK && s != TN_ERR_MEMORY)
        s = tn_page_note(job->notes, "mesh '%s' is not shown: %s", name, tn_last_error());
    *triangles_left -= mesh.ntriangle;
    tn_json_put(job->json, "{ name %s", name);
    TN_PAGE_ARRAY(job->json, "positions", true, 9 * mesh.ntriangle, i, mesh.positions[i]);
    tn_json_end_object(job->json);
    tn_mesh_clear(&mesh);
    return s;
}

static tn_status put_meshes(tn_page_job *job, const tn_node *meshes)
{
    long left = (long)(job->options.mesh_bytes / TRIANGLE_BYTES);
    tn_json_begin_array(job->json, "meshes");
    for (int i = 0; is_kind(meshes, TN_NODE_SEQUENCE) && i < meshes->count; i++)
        TN_TRY(put_mesh(job, meshes->children[i], &left));
    tn_json_end_array(job->json);
    return TN_OK;
}

// Without a scene --------------------------------------------------------------------------------

static void put_bare_body(tn_json *json, const char *name, const char *kind)
{
    const double none[3] = {0};
    tn_json_put(json, "{ name %s kind %s mass %d", name, kind, 1);
    tn_json_numbers(json, "inertia", 3, none);
    tn_json_numbers(json, "com", 3, none);
    tn_json_numbers(json, "shapes", 0, NULL);
    tn_json_end_object(json);
}

static void put_bare_scene(tn_page_job *job)
{
    const tn_result_info *info = tn_result_about(job->result);
    const int position = tn_result_dataset_find(job->result, "bodies/position");
    const int n = position < 0 ? 0 : tn_result_dataset_at(job->result, position)->width / 3;
    tn_json_put(job->json, "scene { planar %i size %d", false, 1);
    tn_json_numbers(job->json, "gravity", 3, (const double[3]){0});
    tn_json_begin_array(job->json, "bodies");
    put_bare_body(job->json, "ground", "ground");
    for (int i = 0; i < n; i++)
        put_bare_body(job->json, i < info->nbody ? tn_result_body(job->result, i) : "", "rigid");
    tn_json_end_array(job->json);
    tn_json_numbers(job->json, "joints", 0, NULL);
    tn_json_numbers(job->json, "forces", 0, NULL);
    tn_json_end_object(job->json);
}

static tn_status page_scene_put_document(tn_page_job *job, const tn_document *doc)
{
    tn_page_node(job->json, "scene", doc->root, "meshes");
    return put_meshes(job, tn_node_get(doc->root, "meshes"));
}

static tn_status put_scene(tn_page_job *job, const tn_document *doc)
{
    const char *why = NULL;
    if (doc && page_scene_fits(job->result, doc->root, &why))
        return page_scene_put_document(job, doc);
    if (why)
        TN_TRY(tn_page_note(job->notes, "the scene of %s cannot be used: %s",
                            tn_result_about(job->result)->path, why));
    put_bare_scene(job);
    return put_meshes(job, NULL);
}

tn_status tn_page_scene(tn_page_job *job)
{
    const char *text = tn_result_scene(job->result);
    const char *path = tn_result_about(job->result)->path;
    tn_document *doc = NULL;
    tn_status s = TN_OK;
    if (text)
        s = tn_document_parse(text, strlen(text), "scene", &doc);
    if (s != TN_OK && s != TN_ERR_MEMORY)
        s = tn_page_note(job->notes, "the scene of %s cannot be read: %s", path, tn_last_error());
    else if (!text && tn_result_dataset_find(job->result, "bodies/position") >= 0)
        s = tn_page_note(job->notes,
                         "%s holds no scene: bodies are shown without shapes and joints", path);
    TN_THEN(s, put_scene(job, doc));
    tn_document_destroy(doc);
    return s;
}

tn_status tn_page_scene_text(tn_page_job *job, const char *scene)
{
    tn_document *doc = NULL;
    TN_TRY(tn_document_parse(scene, strlen(scene), "scene", &doc));
    const tn_status s = page_scene_put_document(job, doc);
    tn_document_destroy(doc);
    return s;
}

tn_status tn_page_put_scene(const char *scene, tn_json *json)
{
    tn_page_notes notes = {0};
    tn_page_job job = {.options = tn_default_page(), .notes = &notes, .json = json};
    const tn_status s = tn_page_scene_text(&job, scene);
    tn_page_notes_free(&notes);
    return s;
}
