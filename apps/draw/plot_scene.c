// SPDX-License-Identifier: MIT
//
// From the scene of results to pieces. Round shapes become points on their rims, of which the hull
// is seen; shapes with several parts, as capsules, are convex as a whole.

#include "draw/plot_scene.h"

#include "file/document.h"
#include "file/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 48, BALL = 12, MOST_TRIANGLES = 200000, MOST_LINKS = 64 };

// Those of reports.
static const unsigned palette[] = {0x4477aa, 0xcc6677, 0xddaa33, 0x228866, 0x66a5cc,
                                   0xaa4499, 0xbb7744, 0x44aa99, 0x8888cc, 0x999933};
static const unsigned GROUND = 0x8a929c, JOINT = 0x262626, SPRING = 0x59626c;
static const double JOINT_SIZE = 0.009, MASS_SIZE = 0.014; // of the size of the model

void tn_plot_scene_free(tn_plot_scene *scene)
{
    tn_array_free(&scene->piece);
    tn_array_free(&scene->point);
    tn_document_destroy(scene->doc);
    scene->doc = NULL;
}

// Nodes -------------------------------------------------------------------------------------------

static bool get_numbers(const tn_node *node, int n, double *out)
{
    if (!node || node->kind != TN_NODE_SEQUENCE || node->count < n)
        return false;
    for (int i = 0; i < n; i++) {
        const tn_node *item = node->children[i];
        if (item->kind != TN_NODE_SCALAR || !tn_number_from_text(item->text, &out[i]))
            return false;
    }
    return true;
}

static double get_number(const tn_node *map, const char *key, double otherwise)
{
    const tn_node *node = tn_node_get(map, key);
    double value;
    return node && node->kind == TN_NODE_SCALAR && tn_number_from_text(node->text, &value)
               ? value
               : otherwise;
}

static const char *get_text(const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    return node && node->kind == TN_NODE_SCALAR ? node->text : "";
}

static tn_vec3 get_vector(const tn_node *map, const char *key)
{
    double v[3] = {0};
    return get_numbers(tn_node_get(map, key), 3, v) ? tn_v3(v[0], v[1], v[2]) : tn_v3(0, 0, 0);
}

static tn_frame get_frame(const tn_node *map)
{
    double e[4];
    tn_frame frame = {.p = get_vector(map, "position"), .R = tn_quat_matrix(tn_quat_identity)};
    if (get_numbers(tn_node_get(map, "quaternion"), 4, e) && tn_quat_norm(tn_quat_from(e)) > 0.0)
        frame.R = tn_quat_matrix(tn_quat_normalize(tn_quat_from(e)));
    return frame;
}

static int count_of(const tn_node *list)
{
    return list && list->kind == TN_NODE_SEQUENCE ? list->count : 0;
}

static unsigned get_color(const tn_node *shape, unsigned otherwise)
{
    const char *text = get_text(shape, "color");
    return *text == '#' ? (unsigned)strtoul(text + 1, NULL, 16) & 0xffffffu : otherwise;
}

// Pieces ------------------------------------------------------------------------------------------

static tn_status begin(tn_plot_scene *s, tn_piece piece)
{
    piece.first = s->point.count;
    piece.still = true;
    return tn_array_push(&s->piece, piece);
}

static tn_status put(tn_plot_scene *s, int body, tn_vec3 at)
{
    tn_piece *piece = &s->piece.at[s->piece.count - 1];
    piece->n++;
    piece->still &= body == 0;
    return tn_array_push(&s->point, ((tn_piece_point){body, at}));
}

static tn_vec3 in_frame(const tn_frame *frame, double x, double y, double z)
{
    return tn_v3_add(frame->p, tn_m3_apply(frame->R, tn_v3(x, y, z)));
}

// Points of unit geometries, z the axis: rings of n points of radius r at a height ---------------

static tn_status put_ring(tn_plot_scene *s, int body, const tn_frame *f, tn_vec3 scale, int n,
                          double r, double z)
{
    for (int i = 0; i < n; i++) {
        const double angle = acos(-1.0) * (2.0 * i + (n == 4)) / n;
        TN_TRY(put(s, body, in_frame(f, r * scale.x * cos(angle), r * scale.y * sin(angle), z)));
    }
    return TN_OK;
}

static tn_status put_mesh(tn_plot_scene *s, int body, const tn_frame *f, tn_vec3 scale,
                          const tn_node *file)
{
    const char *path = get_text(file, "path");
    tn_mesh mesh = {0};
    tn_status status = tn_mesh_read(*path ? path : get_text(file, "name"), MOST_TRIANGLES, &mesh);
    for (long i = 0; status == TN_OK && i < 3 * mesh.ntriangle; i++) {
        const double *p = mesh.positions + 3 * i;
        status = put(s, body, in_frame(f, scale.x * p[0], scale.y * p[1], scale.z * p[2]));
    }
    tn_mesh_clear(&mesh);
    return status;
}

static tn_status put_part(tn_plot_scene *s, int body, const tn_frame *f, const tn_node *part,
                          const tn_node *mesh)
{
    const char *geometry = get_text(part, "geometry");
    const tn_vec3 scale = get_vector(part, "scale");
    const double z = get_number(part, "z", 0.0);
    if (strcmp(geometry, "mesh") == 0)
        return put_mesh(s, body, f, scale, mesh);
    const bool box = strcmp(geometry, "box") == 0, ball = strcmp(geometry, "sphere") == 0;
    const bool cone = strcmp(geometry, "cone") == 0;
    const int last = ball ? BALL : 1;
    for (int i = 0; i <= last; i++) {
        const double angle = acos(-1.0) * i / last;
        const double r = ball ? sin(angle) : box ? sqrt(0.5) : cone && i == last ? 0.0 : 1.0;
        const double height = ball ? cos(angle) : i - 0.5;
        TN_TRY(put_ring(s, body, f, scale, box ? 4 : ROUND, r, z + scale.z * height));
    }
    return TN_OK;
}

// Shapes that touch -------------------------------------------------------------------------------

static tn_status put_lathe(tn_plot_scene *s, int body, const tn_frame *f, const double *points,
                           int n)
{
    // The axis is y: seen as circles of the radius r at y, whose hull is drawn.
    const tn_frame turned = {
        .p = f->p,
        .R = tn_m3_mul(f->R, tn_quat_matrix((tn_quat){sqrt(0.5), -sqrt(0.5), 0.0, 0.0}))};
    for (int i = 0; i + 1 < n; i += 2)
        TN_TRY(put_ring(s, body, &turned, tn_v3(1.0, 1.0, 1.0), ROUND, points[i], points[i + 1]));
    return TN_OK;
}

static tn_status put_outline(tn_plot_scene *s, int body, const tn_frame *f, const tn_node *shape,
                             unsigned color)
{
    const char *kind = get_text(shape, "kind");
    const tn_node *node = tn_node_get(shape, "points");
    const int n = count_of(node), hole = (int)get_number(shape, "hole", 0.0);
    const bool plate = strcmp(kind, "plate") == 0, lathe = strcmp(kind, "lathe") == 0;
    const int width = plate || lathe ? 2 : 3, end = hole > 0 && hole < n ? hole : n;
    double *at = tn_alloc((size_t)(n + 1) * sizeof(double));
    tn_status status = tn_got(at);
    if (status == TN_OK && get_numbers(node, n, at) && strcmp(kind, "sheet") != 0) {
        const bool closed = plate || strcmp(get_text(shape, "closed"), "true") == 0;
        status = begin(s, (tn_piece){.form = lathe   ? TN_PIECE_HULL
                                             : plate ? TN_PIECE_AREA
                                                     : TN_PIECE_LINE,
                                     .color = color});
        if (lathe)
            TN_THEN(status, put_lathe(s, body, f, at, n));
        for (int i = 0; !lathe && status == TN_OK && i + width <= end; i += width)
            status = put(s, body, in_frame(f, at[i], at[i + 1], width == 3 ? at[i + 2] : 0.0));
        if (!lathe && !plate && closed && n >= 3)
            TN_THEN(status, put(s, body, in_frame(f, at[0], at[1], at[2])));
    }
    tn_free(at);
    return status;
}

static tn_status put_shape(tn_plot_scene *s, int body, const tn_node *shape, const tn_node *meshes,
                           unsigned otherwise)
{
    const tn_node *parts = tn_node_get(shape, "parts");
    const tn_frame frame = get_frame(shape);
    const unsigned color = get_color(shape, otherwise);
    const int mesh = (int)get_number(shape, "mesh", -1.0);
    if (tn_node_get(shape, "points"))
        return put_outline(s, body, &frame, shape, color);
    TN_TRY(begin(s, (tn_piece){.form = TN_PIECE_HULL, .color = color}));
    for (int i = 0; i < count_of(parts); i++)
        TN_TRY(put_part(s, body, &frame, parts->children[i],
                        mesh >= 0 && mesh < count_of(meshes) ? meshes->children[mesh] : NULL));
    return TN_OK;
}

// Bodies ------------------------------------------------------------------------------------------

static bool is_link(const tn_node *joint)
{
    return strcmp(get_text(joint, "coupling"), "true") != 0;
}

// Positions of joints and forces on a body without shapes.
static int find_links(const tn_node *root, int body, tn_vec3 at[MOST_LINKS])
{
    static const char *const lists[] = {"joints", "forces"}, *const sides[] = {"a", "b"};
    int n = 0;
    for (int k = 0; k < 2; k++) {
        const tn_node *list = tn_node_get(root, lists[k]);
        for (int i = 0; i < count_of(list); i++)
            for (int side = 0; side < 2 && n < MOST_LINKS; side++) {
                const tn_node *element = list->children[i];
                if ((int)get_number(element, sides[side], -1.0) == body && is_link(element))
                    at[n++] =
                        get_vector(tn_node_get(element, side ? "frame_b" : "frame_a"), "position");
            }
    }
    return n;
}

// Links from the centre of mass to joints, and a dot where the mass is.
static tn_status put_links(tn_plot_scene *s, const tn_node *root, int body, const tn_node *node,
                           unsigned color)
{
    tn_vec3 at[MOST_LINKS];
    const int n = find_links(root, body, at);
    const tn_vec3 com = get_vector(node, "com");
    for (int i = 0; i < n; i++) {
        if (tn_v3_norm(tn_v3_sub(at[i], com)) <= 1e-9 * s->size)
            continue;
        TN_TRY(begin(s, (tn_piece){.form = TN_PIECE_LINE, .color = color}));
        TN_TRY(put(s, body, com));
        TN_TRY(put(s, body, at[i]));
    }
    if (!(get_number(node, "mass", 0.0) > 0.0) && n > 0)
        return TN_OK;
    TN_TRY(begin(s, (tn_piece){.form = TN_PIECE_DOT, .color = color, .size = MASS_SIZE * s->size}));
    return put(s, body, com);
}

// Nodes of beams, and what belongs to modal bodies, are no bodies of their own.
static bool is_part(const tn_node *root, int body)
{
    const tn_node *beams = tn_node_get(root, "beams"), *modals = tn_node_get(root, "modals");
    for (int i = 0; i < count_of(beams); i++) {
        const int first = (int)get_number(beams->children[i], "body", 0.0);
        if (body >= first && body < first + (int)get_number(beams->children[i], "nodes", 0.0))
            return true;
    }
    for (int i = 0; i < count_of(modals); i++) {
        const int first = (int)get_number(modals->children[i], "attachment", 0.0);
        if (body == (int)get_number(modals->children[i], "body", -1.0) ||
            (body >= first &&
             body < first + (int)get_number(modals->children[i], "attachments", 0.0)))
            return true;
    }
    return false;
}

static tn_status put_bodies(tn_plot_scene *s, const tn_node *root)
{
    const tn_node *bodies = tn_node_get(root, "bodies"), *meshes = tn_node_get(root, "meshes");
    for (int i = 0; i < bodies->count; i++) {
        const tn_node *body = bodies->children[i], *shapes = tn_node_get(body, "shapes");
        const unsigned color = i == 0 ? GROUND : palette[(i - 1) % TN_COUNT(palette)];
        for (int k = 0; k < count_of(shapes); k++)
            TN_TRY(put_shape(s, i, shapes->children[k], meshes, color));
        if (i > 0 && count_of(shapes) == 0 && strcmp(get_text(body, "kind"), "amplitude") != 0 &&
            !is_part(root, i))
            TN_TRY(put_links(s, root, i, body, color));
    }
    return TN_OK;
}

// Beams, modal bodies, joints, springs ------------------------------------------------------------

static tn_status put_beams(tn_plot_scene *s, const tn_node *root, int nbody)
{
    const tn_node *beams = tn_node_get(root, "beams"), *modals = tn_node_get(root, "modals");
    for (int i = 0; i < count_of(beams); i++) {
        const tn_node *beam = beams->children[i];
        const int first = (int)get_number(beam, "body", 0.0);
        const int n = (int)get_number(beam, "nodes", 0.0);
        TN_TRY(begin(s, (tn_piece){.form = TN_PIECE_LINE,
                                   .color = get_color(beam, palette[i % TN_COUNT(palette)])}));
        for (int k = first; k > 0 && k < first + n && k < nbody; k++)
            TN_TRY(put(s, k, tn_v3(0, 0, 0)));
    }
    for (int i = 0; i < count_of(modals); i++) { // frame to attachments, which move with the modes
        const int body = (int)get_number(modals->children[i], "body", 0.0);
        const int first = (int)get_number(modals->children[i], "attachment", 0.0);
        const int n = (int)get_number(modals->children[i], "attachments", 0.0);
        for (int k = first; k > 0 && body > 0 && k < first + n && k < nbody; k++) {
            TN_TRY(begin(s, (tn_piece){.form = TN_PIECE_LINE,
                                       .color = palette[(body - 1) % TN_COUNT(palette)]}));
            TN_TRY(put(s, body, tn_v3(0, 0, 0)));
            TN_TRY(put(s, k, tn_v3(0, 0, 0)));
        }
    }
    return TN_OK;
}

static tn_status put_element(tn_plot_scene *s, const tn_node *node, int nbody, bool joint)
{
    const int a = (int)get_number(node, "a", -1.0), b = (int)get_number(node, "b", -1.0);
    const bool coil = strstr(get_text(node, "glyph"), "coil") != NULL;
    const bool rod = strstr(get_text(node, "glyph"), "rod") != NULL;
    // A rod between two points is to be seen, although it carries no body.
    if (a < 0 || b < 0 || a >= nbody || b >= nbody || (!is_link(node) && !rod))
        return TN_OK;
    const tn_vec3 at = get_vector(tn_node_get(node, "frame_b"), "position");
    if (coil || rod) {
        TN_TRY(begin(s, (tn_piece){.form = coil ? TN_PIECE_COIL : TN_PIECE_LINE, .color = SPRING}));
        TN_TRY(put(s, a, get_vector(tn_node_get(node, "frame_a"), "position")));
        return put(s, b, at);
    }
    // Joints that roll or touch are drawn without a pin.
    if (!joint || !*get_text(node, "glyph") || tn_node_get(node, "touch") ||
        tn_node_get(node, "contact"))
        return TN_OK;
    TN_TRY(begin(
        s, (tn_piece){
               .form = TN_PIECE_DOT, .color = JOINT, .joint = true, .size = JOINT_SIZE * s->size}));
    return put(s, b, at);
}

static tn_status put_elements(tn_plot_scene *s, const tn_node *root, int nbody)
{
    const tn_node *forces = tn_node_get(root, "forces"), *joints = tn_node_get(root, "joints");
    for (int i = 0; i < count_of(forces); i++)
        TN_TRY(put_element(s, forces->children[i], nbody, false));
    for (int i = 0; i < count_of(joints); i++)
        TN_TRY(put_element(s, joints->children[i], nbody, true));
    return TN_OK;
}

// The whole ---------------------------------------------------------------------------------------

static tn_status take_scene(tn_plot_scene *s, const tn_result *result, const tn_node *root)
{
    const tn_node *bodies = tn_node_get(root, "bodies");
    const int position = tn_result_dataset_find(result, "bodies/position");
    const int width = position < 0 ? 0 : tn_result_dataset_at(result, position)->width;
    if (count_of(bodies) != width / 3 + 1)
        return tn_fail(TN_ERR_FILE, "%s: its scene does not fit its bodies",
                       tn_result_about(result)->path);
    s->size = get_number(root, "size", 1.0);
    s->planar = strcmp(get_text(root, "planar"), "true") == 0;
    s->gravity = get_vector(root, "gravity");
    TN_TRY(put_beams(s, root, bodies->count));
    TN_TRY(put_bodies(s, root));
    return put_elements(s, root, bodies->count);
}

tn_status tn_plot_scene_read(const tn_result *result, tn_plot_scene *out)
{
    const char *text = tn_result_scene(result);
    *out = (tn_plot_scene){0};
    if (!text || tn_result_dataset_find(result, "bodies/position") < 0 ||
        tn_result_dataset_find(result, "bodies/quaternion") < 0)
        return tn_fail(TN_ERR_USAGE,
                       "%s holds no bodies that could be drawn: snapshots need the results of a "
                       "model, with positions and quaternions",
                       tn_result_about(result)->named);
    tn_status s = tn_document_parse(text, strlen(text), "scene", &out->doc);
    TN_THEN(s, take_scene(out, result, out->doc->root));
    if (s != TN_OK)
        tn_plot_scene_free(out);
    return s;
}

static bool find_named(const tn_node *list, const char *name, int *out)
{
    for (*out = 0; *out < count_of(list); ++*out)
        if (strcmp(get_text(list->children[*out], "name"), name) == 0)
            return true;
    return false;
}

tn_status tn_plot_scene_find(const tn_plot_scene *scene, const tn_result *result, const char *name,
                             tn_piece_point *out)
{
    const tn_node *bodies = tn_node_get(scene->doc->root, "bodies");
    const tn_node *joints = tn_node_get(scene->doc->root, "joints");
    int i;
    if (find_named(bodies, name, &i)) {
        *out = (tn_piece_point){i, get_vector(bodies->children[i], "com")};
        return TN_OK;
    }
    if (!find_named(joints, name, &i))
        return tn_fail(TN_ERR_USAGE, "--paths: %s has no body and no joint '%s'",
                       tn_result_about(result)->named, name);
    *out = (tn_piece_point){(int)get_number(joints->children[i], "b", 0.0),
                            get_vector(tn_node_get(joints->children[i], "frame_b"), "position")};
    return TN_OK;
}
