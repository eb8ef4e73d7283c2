// SPDX-License-Identifier: MIT
//
// Named frames: places on bodies, for joints, forces and outputs that name them instead of a body.
// They move with their bodies and add nothing to the motion.

#include "read/model_yaml.h"

#include <stdio.h>

struct tn_named_frame {
    tn_body body;
    tn_frame at; // in the frame of the body
};

// The frame of that name; NULL for none.
static const tn_named_frame *find_frame(const tn_reader *r, const char *name)
{
    const int i = r->frame_names ? tn_table_find(r->frame_names, name) : -1;
    return i < 0 ? NULL : &r->named_frames[i];
}

tn_status tn_read_place_name(const tn_reader *r, const tn_node *node, const char *what,
                             tn_body *body, const tn_frame **frame)
{
    *frame = NULL;
    if (node->kind == TN_NODE_SCALAR) {
        TN_TRY(tn_node_resolve(r->doc, node, TN_PART_NAME));
        const tn_named_frame *found = find_frame(r, node->text);
        if (found) {
            *body = found->body;
            *frame = &found->at;
            return TN_OK;
        }
    }
    return tn_read_body_name(r, node, what, body);
}

// A frame on the ground of a part is placed with the part; where that is mounted on a body it is
// the frame that is there at the start.
static tn_status place_frame(const tn_element *e, const tn_node *of, tn_named_frame *frame)
{
    const tn_frame *ground = NULL;
    TN_TRY(tn_element_frame(e, &ground));
    if (!of->mounted && (!ground || frame->body.index != TN_GROUND.index))
        return TN_OK;
    if (ground)
        frame->at = tn_frame_mul(*ground, frame->at);
    if (of->mounted)
        frame->at = tn_frame_mul(
            tn_frame_inverse(e->reader->model->bodies.at[frame->body.index].def.frame), frame->at);
    return tn_over_shape(e, &frame->at);
}

static tn_status read_frame(tn_element *e, tn_named_frame *out)
{
    const tn_node *of = tn_element_get(e, "of");
    const tn_frame *on = NULL;
    bool turned = false;
    TN_TRY(TN_CHECK_KEYS(e, 0, NULL, tn_keys_named_frame));
    if (!of)
        return tn_element_fail(e, "missing key 'of': the body, or the frame, that it is fixed to");
    out->at = tn_frame_identity;
    TN_TRY(tn_read_place_name(e->reader, of, e->owner, &out->body, &on));
    if (!tn_body_has_rotation(e->reader->model, out->body))
        return tn_element_fail(e, "'%s' is a point, which has no axes; name the point itself",
                               of->text);
    e->planar = tn_body_is_planar(e->reader->model, out->body);
    TN_TRY(tn_element_vector(e, "at", "m", e->planar, &out->at.p));
    TN_TRY(tn_read_axes(e, e->planar ? TN_AXIS_NORMAL : TN_AXIS_Z, &out->at.R, &turned));
    TN_TRY(place_frame(e, of, out));
    if (on)
        out->at = tn_frame_mul(*on, out->at);
    return TN_OK;
}

tn_status tn_read_named_frame(tn_reader *r, int place, const tn_node *section)
{
    tn_element e;
    if (!r->frame_names) {
        TN_TRY(tn_table_create(&r->frame_names));
        r->named_frames =
            tn_document_take(r->doc, (size_t)section->count * sizeof *r->named_frames);
        TN_TRY(tn_got(r->named_frames));
    }
    TN_TRY(tn_element_begin(r, "frame", place, section, &e));
    const char *name = e.key->text;
    if (tn_model_find_body(r->model, name).index >= 0)
        return tn_element_fail(&e,
                               "there is a body of that name; results and joints know places by "
                               "their names");
    TN_TRY(read_frame(&e, &r->named_frames[place]));
    return tn_table_add(r->frame_names, name, place);
}
