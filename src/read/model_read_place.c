// SPDX-License-Identifier: MIT
//
// Locations of joints and forces. Points and axes are stated in the inertial frame for the start
// configuration, W, and become frames on the bodies, X_A^-1 W and X_B^-1 W, with the start frames X
// that the bodies state; or the frames on the bodies are stated themselves.

#include "flex/beam.h"
#include "read/model_yaml.h"

// A point typed twice, once for a point mass and once for what holds it, relative to its size.
static const double SAME_POINT_TOL = 1e-9;

// A body by its name, or the node of a beam by `at_s`: one number, or one for each of two beams.
static tn_status read_one(const tn_element *e, const tn_node *node, int which, tn_body *out,
                          const tn_frame **frame)
{
    const tn_reader *r = e->reader;
    const tn_node *at = tn_element_get(e, "at_s");
    const tn_words what = tn_element_words(e, "at_s");
    const int beam = node->kind == TN_NODE_SCALAR ? tn_beam_named(r->model, node->text).index : -1;
    double s = 0.0;
    if (beam < 0)
        return tn_read_place_name(r, node, e->owner, out, frame);
    if (!at)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL,
                            "%s: '%s' is a beam; name '%s.start', '%s.end' or a node from '%s.0' "
                            "on, or state 'at_s', a distance along it",
                            e->owner, node->text, node->text, node->text, node->text);
    if (at->kind == TN_NODE_SEQUENCE)
        at = at->children[which]; // there are two
    TN_TRY(tn_read_number(r, at, what.text, "m", &s));
    *out = tn_beam_node_at(r->model, (tn_beam){beam}, s);
    const double length = tn_beam_length(r->model, (tn_beam){beam});
    return out->index >= 0
               ? TN_OK
               : tn_node_fail(r->doc, at, TN_ERR_MODEL,
                              "%s: s = %g m is not on the beam '%s', which is %.9g m long; take 0 "
                              "to %.9g",
                              what.text, s, node->text, length, length);
}

static tn_status read_b(const tn_element *e, const tn_node *node, int which, tn_attachment *out)
{
    out->mounted_b = node->mounted;
    return read_one(e, node, which, &out->b, &out->on_b);
}

static tn_status two_names(const tn_element *e, const tn_node *node, tn_attachment *out)
{
    const tn_reader *r = e->reader;
    const tn_words what = tn_element_words(e, "bodies");
    if (node->kind == TN_NODE_SCALAR)
        return read_b(e, node, 0, out);
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, node, what.text, "a list of 1 or 2 names");
    if (node->count < 1 || node->count > 2)
        return tn_node_fail(r->doc, node, TN_ERR_MODEL, "%s: expected 1 or 2 names, found %d",
                            what.text, node->count);
    if (node->count == 2) {
        TN_TRY(read_one(e, node->children[0], 0, &out->a, &out->on_a));
        out->mounted_a = node->children[0]->mounted;
    }
    return read_b(e, node->children[node->count - 1], node->count - 1, out);
}

// Number of beams, not of their nodes, among one or two names.
static int count_beams(const tn_element *e, const tn_node *names)
{
    const tn_model *model = e->reader->model;
    int n = 0;
    if (names->kind == TN_NODE_SCALAR)
        return tn_beam_named(model, names->text).index >= 0;
    for (int i = 0; names->kind == TN_NODE_SEQUENCE && i < names->count; i++)
        n += names->children[i]->kind == TN_NODE_SCALAR &&
             tn_beam_named(model, names->children[i]->text).index >= 0;
    return n;
}

// A number where one body is a beam, a list of two where both are.
static tn_status check_at_s(const tn_element *e, int beams)
{
    const tn_node *at = tn_element_get(e, "at_s");
    const tn_words what = tn_element_words(e, "at_s");
    if (!at)
        return TN_OK;
    const bool list = at->kind == TN_NODE_SEQUENCE;
    if (beams == 0)
        return tn_element_fail(e, "'at_s' is stated, but no body is a beam; name the beam itself, "
                                  "not one of its nodes, or leave it out");
    if (list && beams == 1)
        return tn_node_fail(e->reader->doc, at, TN_ERR_MODEL,
                            "%s: a list of %d number%s; one body is a beam, so state its distance "
                            "alone, 'at_s: %s'",
                            what.text, at->count, at->count == 1 ? "" : "s",
                            at->count > 0 && at->children[0]->kind == TN_NODE_SCALAR
                                ? at->children[0]->text
                                : "0.5");
    if (list && at->count != 2)
        return tn_node_fail(e->reader->doc, at, TN_ERR_MODEL,
                            "%s: a list of %d number%s; both bodies are beams, so state two, a "
                            "distance along each",
                            what.text, at->count, at->count == 1 ? "" : "s");
    return TN_OK;
}

tn_status tn_read_bodies(const tn_element *e, bool single, tn_attachment *out)
{
    const tn_node *bodies = tn_element_get(e, "bodies");
    const tn_node *body = tn_element_get(e, "body");
    *out = (tn_attachment){
        .a = TN_GROUND, .b = TN_GROUND, .frame_a = tn_frame_identity, .frame_b = tn_frame_identity};
    if (bodies && body)
        return tn_element_fail(e, "both 'bodies' and 'body' are stated; leave out one");
    if (!bodies && !body)
        return tn_element_fail(e, "missing key '%s'%s", single ? "body" : "bodies",
                               single ? ": the body that is acted on"
                                      : ": body A and body B, or body B alone");
    tn_document *doc = e->reader->doc;
    const tn_node *stated = bodies ? bodies : body;
    bool mounted = false;
    TN_TRY(single ? tn_node_resolve(doc, stated, TN_PART_NAME)
                  : tn_part_bodies(doc, e->key, e->map, &stated, &mounted));
    if (mounted && tn_is_over(e)) {
        TN_TRY(tn_over_remove(e, "", "body"));
        TN_TRY(tn_over_node(e, "", "bodies", stated));
    }
    TN_TRY(check_at_s(e, count_beams(e, stated)));
    return bodies || mounted ? two_names(e, stated, out) : read_b(e, body, 0, out);
}

void tn_sit_on_node(const tn_element *e, tn_attachment *at)
{
    static const char *const places[] = {"at", "at_a", "at_b", "frame_a", "frame_b"};
    const tn_model *model = e->reader->model;
    for (int i = 0; i < TN_COUNT(places); i++)
        if (tn_element_get(e, places[i]))
            return;
    const bool on_b = tn_body_is_node(model, at->b);
    if (!on_b && !tn_body_is_node(model, at->a))
        return;
    const tn_body_kept *node = &model->bodies.at[on_b ? at->b.index : at->a.index].def;
    const tn_body_kept *other = &model->bodies.at[on_b ? at->a.index : at->b.index].def;
    tn_frame *frame = on_b ? &at->frame_a : &at->frame_b;
    frame->p = tn_m3_apply_t(other->frame.R, tn_v3_sub(node->frame.p, other->frame.p));
    if (!tn_body_has_rotation(model, on_b ? at->a : at->b) &&
        tn_v3_norm(frame->p) <= SAME_POINT_TOL * tn_v3_norm(node->frame.p))
        frame->p = tn_v3(0.0, 0.0, 0.0);
}

// The frame on a body from axes R and, when stated, a point in the inertial frame.
static tn_status carry_over(const tn_element *e, tn_body body, const char *key, const tn_vec3 *p,
                            const tn_mat3 *R, tn_frame *out)
{
    const tn_model *model = e->reader->model;
    const tn_body_kept *def = &model->bodies.at[body.index].def;
    if (tn_body_has_rotation(model, body)) {
        out->R = tn_m3_mul(tn_m3_transpose(def->frame.R), *R);
        if (p)
            out->p = tn_m3_apply_t(def->frame.R, tn_v3_sub(*p, def->frame.p));
        return TN_OK;
    }
    if (!p || !def->given_position) // a point mass is held at its point, which is found later
        return TN_OK;
    const double apart = tn_v3_norm(tn_v3_sub(*p, def->frame.p));
    if (apart <= SAME_POINT_TOL * (1.0 + tn_v3_norm(*p)))
        return TN_OK;
    return tn_node_fail(e->reader->doc, tn_element_get(e, key), TN_ERR_MODEL,
                        "%s: %s is %.4g m away from the point mass '%s'; it must be its start "
                        "position",
                        e->owner, key, apart, tn_model_body_name(model, body));
}

// The ground of an assembly is the frame that it is placed at, also where it is mounted on a body:
// that takes it over as it stands at the start.
static tn_status ground_frame(const tn_element *e, tn_frame *out)
{
    const tn_frame *frame = NULL;
    TN_TRY(tn_element_frame(e, &frame));
    *out = frame ? *frame : tn_frame_identity;
    return TN_OK;
}

// Point if none is stated: the origin of the ground, NULL on other bodies. A point mass and the
// node of a beam are held where they are.
static const tn_vec3 *ground_origin(const tn_element *e, tn_body body, bool mounted,
                                    const tn_frame *ground)
{
    const tn_model *model = e->reader->model;
    const bool movable = tn_body_has_rotation(model, body) && !tn_body_is_node(model, body);
    return body.index == TN_GROUND.index || (mounted && movable) ? &ground->p : NULL;
}

static tn_status read_frame(const tn_element *e, const char *key, tn_body body, bool mounted,
                            const tn_frame *on, tn_axis_role role, tn_frame *out)
{
    const tn_model *model = e->reader->model;
    tn_element child;
    tn_frame ground;
    bool given = false;
    TN_TRY(tn_element_child(e, key, &child));
    TN_TRY(ground_frame(e, &ground));
    if (child.map) {
        child.planar = tn_body_is_planar(model, body);
        TN_TRY(TN_CHECK_KEYS(&child, 0, NULL, tn_keys_frame));
        TN_TRY(tn_element_vector(&child, "at", "m", child.planar, &out->p));
        TN_TRY(tn_read_axes(&child, role, &out->R, &given));
    }
    if (on)
        *out = tn_frame_mul(*on, *out);
    else if (body.index == TN_GROUND.index || mounted)
        *out = tn_frame_mul(ground, *out);
    if (on || !mounted || (!child.map && !ground_origin(e, body, mounted, &ground)))
        return TN_OK;
    const tn_frame placed = *out;
    *out = tn_frame_identity;
    return carry_over(e, body, key, &placed.p, &placed.R, out);
}

// Reads the point under `key`, else under "at"; *stated is the key that was found, or NULL.
static tn_status read_point(const tn_element *e, const char *key, tn_vec3 *out, const char **stated)
{
    const tn_frame *frame = NULL;
    *stated = tn_element_get(e, key) ? key : tn_element_get(e, "at") ? "at" : NULL;
    if (!*stated)
        return TN_OK;
    TN_TRY(tn_element_frame(e, &frame));
    TN_TRY(tn_element_vector(e, *stated, "m", e->planar, out));
    if (frame)
        *out = tn_frame_point(*frame, *out);
    return TN_OK;
}

// Axes in the inertial frame, those of the assembly where none are stated.
static tn_status read_placed_axes(const tn_element *e, tn_axis_role role, tn_mat3 *out, bool *given)
{
    const tn_frame *frame = NULL;
    TN_TRY(tn_element_frame(e, &frame));
    TN_TRY(tn_read_axes(e, role, out, given));
    if (frame && e->planar)
        TN_TRY(tn_check_placed_plane(e, frame));
    if (frame)
        *out = tn_m3_mul(frame->R, *out);
    return TN_OK;
}

// A body that rolls or slides on a plane has two frames apart: the plane has the axes of body A,
// what moves on it those that are stated, or those of body B. Forces on one body are meant in the
// axes of that body, too.
static tn_status inertial_frames(const tn_element *e, tn_attachment_kind kind, tn_axis_role role,
                                 tn_attachment *out)
{
    const tn_model *model = e->reader->model;
    const bool apart = kind == TN_ATTACHMENT_APART, pair = kind == TN_ATTACHMENT_PAIR;
    tn_vec3 p_a = {0}, p_b = {0};
    const char *key_a = NULL, *key_b = NULL;
    tn_mat3 R;
    bool axes = false;
    if (apart && tn_element_get(e, "at"))
        return tn_element_fail(e, "'at' is one point for both frames, which lie apart here; state "
                                  "'at_a', a point of the plane on A, and 'at_b', the point of B "
                                  "that moves along it");
    TN_TRY(read_point(e, "at_a", &p_a, &key_a));
    TN_TRY(read_point(e, "at_b", &p_b, &key_b));
    TN_TRY(read_placed_axes(e, role, &R, &axes));
    if (!axes && !pair)
        R = model->bodies.at[out->b.index].def.frame.R;
    tn_frame ground;
    TN_TRY(ground_frame(e, &ground));
    const bool on_ground = out->mounted_a || out->a.index == TN_GROUND.index;
    const tn_mat3 plane = on_ground ? ground.R : model->bodies.at[out->a.index].def.frame.R;
    const tn_vec3 *origin_a = ground_origin(e, out->a, out->mounted_a, &ground);
    const tn_vec3 *origin_b = pair ? ground_origin(e, out->b, out->mounted_b, &ground) : NULL;
    if (kind != TN_ATTACHMENT_SINGLE)
        TN_TRY(carry_over(e, out->a, key_a, key_a ? &p_a : origin_a, apart ? &plane : &R,
                          &out->frame_a));
    return carry_over(e, out->b, key_b, key_b ? &p_b : origin_b, &R, &out->frame_b);
}

// Refuses two ways to say the same.
static tn_status check_one_way(const tn_element *e, bool named)
{
    static const char *const inertial[] = {"at", "at_a", "at_b", "axis", "axis_2", "orientation"};
    static const char *const own[] = {"frame_a", "frame_b"};
    for (int i = 0; named && i < TN_COUNT(inertial); i++)
        if (tn_element_get(e, inertial[i]))
            return tn_element_fail(e,
                                   "'%s' is in the inertial frame, but a named frame stands for a "
                                   "body, so that places are seen from it; state 'frame_a' and "
                                   "'frame_b'",
                                   inertial[i]);
    for (int j = 0; j < TN_COUNT(own); j++)
        for (int i = 0; tn_element_get(e, own[j]) && i < TN_COUNT(inertial); i++)
            if (tn_element_get(e, inertial[i]))
                return tn_element_fail(e,
                                       "'%s' is in the inertial frame and '%s' in that of a body; "
                                       "state one or the other",
                                       inertial[i], own[j]);
    for (int i = 1; i < 3; i++)
        if (tn_element_get(e, "at") && tn_element_get(e, inertial[i]))
            return tn_element_fail(e, "both 'at' and '%s' are stated; leave out one", inertial[i]);
    return TN_OK;
}

tn_status tn_read_frames(const tn_element *e, tn_attachment_kind kind, tn_axis_role role,
                         tn_attachment *out)
{
    const bool single = kind == TN_ATTACHMENT_SINGLE, named = out->on_a || out->on_b;
    TN_TRY(check_one_way(e, named));
    if (!tn_element_get(e, "frame_a") && !tn_element_get(e, "frame_b") && !named)
        return inertial_frames(e, kind, role, out);
    if (!single)
        TN_TRY(read_frame(e, "frame_a", out->a, out->mounted_a, out->on_a, role, &out->frame_a));
    return read_frame(e, "frame_b", out->b, out->mounted_b, out->on_b, role, &out->frame_b);
}
