// SPDX-License-Identifier: MIT
//
// Modal bodies of a scene: which bodies are their frame, amplitudes and attachments, and the
// surface that pictures deform. Surfaces are in the scene itself, so that a result needs no other
// file.

#include "io/page_parts.h"
#include "io/scene_parts.h"

enum { MOST_BYTES = 12 << 20 }; // of all surfaces; base64 makes them a third longer

// Bytes of the surface of a body, 0 where it has none.
static double surface_bytes(const tn_modal *from)
{
    return (double)sizeof(float) * 3.0 *
           ((1.0 + from->m) * (double)from->npoint + (double)from->ntriangle);
}

static void put_surface(tn_json *json, const tn_modal *from)
{
    tn_page_array array;
    tn_page_array_begin(&array, json, "points", true);
    tn_page_array_put(&array, 3L * from->npoint, from->points);
    tn_page_array_end(&array);
    tn_page_array_begin(&array, json, "triangles", true);
    for (long i = 0; i < 3L * from->ntriangle; i++)
        tn_page_array_put(&array, 1, &(double){from->triangles[i]});
    tn_page_array_end(&array);
    tn_page_array_begin(&array, json, "shapes", true);
    for (long i = 0; i < 3L * from->npoint * from->m; i++)
        tn_page_array_put(&array, 1, &(double){from->shapes[i]});
    tn_page_array_end(&array);
}

void tn_scene_put_modals(tn_json *json, const tn_model *model)
{
    double left = MOST_BYTES;
    tn_json_begin_array(json, "modals");
    for (int k = 0; k < model->modals.count; k++) {
        const tn_modal_data *data = &model->modals.at[k];
        tn_json_put(json, "{ name %s body %d amplitude %d modes %d attachment %d attachments %d",
                    data->name, data->frame, data->amplitude, data->m, data->attachment,
                    data->nattachment);
        left -= surface_bytes(data->from);
        if (data->from->npoint > 0 && left >= 0.0)
            put_surface(json, data->from);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

void tn_extent_modals(tn_extent *box, const tn_model *model)
{
    for (int k = 0; k < model->modals.count; k++) {
        const tn_modal *from = model->modals.at[k].from;
        const tn_frame frame = model->bodies.at[model->modals.at[k].frame].def.frame;
        for (int i = 0; i < from->npoint; i++)
            tn_extent_include(box, tn_frame_point(frame, tn_v3_from(from->points + 3 * i)), 0.0);
    }
}
