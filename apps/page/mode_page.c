// SPDX-License-Identifier: MIT
//
// The page of modes: the scene of the model, its state as the only frame, and the motion of every
// body in each mode; docs/formats/page.md. The page moves bodies by it.

#include "analysis/modes.h"
#include "base/alloc.h"
#include "lie/so3.h"
#include "page/page_parts.h"
#include "result/scene.h"

enum { PARTS = 6 }; // of the motion of a body: displacement and rotation vector

typedef tn_page_of_modes mode_page;

// The state --------------------------------------------------------------------------------------

static void put_state(const mode_page *page, tn_json *json)
{
    const int bodies = page->modes->given->bodies.count;
    tn_page_array array;
    tn_json_put(json, "frames { count %d", 1);
    tn_page_array_begin(&array, json, "time", false);
    tn_page_array_put(&array, 1, &tn_modes_facts_of(page->modes).state->t);
    tn_page_array_end(&array);
    tn_page_array_begin(&array, json, "position", false);
    for (int k = 1; k < bodies; k++) {
        const tn_vec3 p = tn_modes_body_frame(page->modes, (tn_body){k}).p;
        tn_page_array_put(&array, 3, &p.x);
    }
    tn_page_array_end(&array);
    tn_page_array_begin(&array, json, "quaternion", false);
    for (int k = 1; k < bodies; k++) {
        const tn_quat e = tn_quat_from_matrix(tn_modes_body_frame(page->modes, (tn_body){k}).R);
        tn_page_array_put(&array, 4, (const double[]){e.w, e.x, e.y, e.z});
    }
    tn_page_array_end(&array);
    tn_json_end_object(json);
}

// Modes ------------------------------------------------------------------------------------------

static bool is_complex(const mode_page *page, int i)
{
    for (int k = 1; k < page->modes->given->bodies.count; k++) {
        const tn_mode_motion x = tn_mode_motion_of(page->modes, i, (tn_body){k});
        if (tn_v3_norm(x.move_im) > 0.0 || tn_v3_norm(x.turn_im) > 0.0)
            return true;
    }
    return false;
}

static void put_motion(const mode_page *page, tn_json *json, int i, bool imaginary)
{
    tn_page_array array;
    tn_page_array_begin(&array, json, imaginary ? "im_shape" : "shape", true);
    for (int k = 1; k < page->modes->given->bodies.count; k++) {
        const tn_mode_motion x = tn_mode_motion_of(page->modes, i, (tn_body){k});
        tn_page_array_put(&array, 3, imaginary ? &x.move_im.x : &x.move_re.x);
        tn_page_array_put(&array, 3, imaginary ? &x.turn_im.x : &x.turn_re.x);
    }
    tn_page_array_end(&array);
}

// Bytes in the page: base64 takes 4 for 3.
static double mode_bytes(const mode_page *page, bool complex_shape)
{
    const int numbers = 1 + PARTS * (complex_shape ? 2 : 1);
    return 4.0 / 3.0 * (double)sizeof(float) * numbers * page->modes->given->bodies.count;
}

// Returns whether the shape of the mode had room.
static bool put_mode(const mode_page *page, tn_json *json, int number, double *left)
{
    const tn_mode mode = tn_mode_of(page->modes, number);
    const bool both = is_complex(page, number);
    *left -= mode_bytes(page, both);
    tn_json_put(json, "{ kind %s re %g im %g frequency %g damping %g name %s",
                tn_mode_kind_word(mode.kind), mode.re, mode.im, mode.frequency, mode.damping,
                mode.name);
    if (*left >= 0.0) {
        TN_PAGE_ARRAY(json, "share", true, page->modes->given->bodies.count - 1, k,
                      tn_mode_share(page->modes, number, (tn_body){(int)k + 1}));
        put_motion(page, json, number, false);
        if (both)
            put_motion(page, json, number, true);
    }
    tn_json_end_object(json);
    return *left >= 0.0;
}

static tn_status put_modes(const mode_page *page, tn_page_job *job)
{
    const tn_modes_facts f = tn_modes_facts_of(page->modes);
    const int n = tn_modes_count(page->modes);
    double left = (double)job->options.frame_bytes;
    int shown = 0;
    tn_json_put(job->json, "modes { t %g freedoms %d rigid %d unstable %d damped %i method %s",
                f.state->t, f.freedoms, f.rigid, f.unstable, f.damped,
                f.sparse ? "sparse" : "dense");
    tn_json_begin_array(job->json, "list");
    for (int i = 0; i < n; i++)
        shown += put_mode(page, job->json, i, &left);
    tn_json_put(job->json, "] }");
    if (shown < n)
        return tn_page_note(job->notes,
                            "the page has room for the shapes of %d modes; the other %d are listed "
                            "only",
                            shown, n - shown);
    return TN_OK;
}

// The document -----------------------------------------------------------------------------------

static tn_status put_scene(const mode_page *page, tn_page_job *job)
{
    char *scene = NULL;
    TN_TRY(tn_scene_json(page->modes->given, page->how->model_path, &scene));
    const tn_status s = tn_page_scene_text(job, scene);
    tn_free(scene);
    return s;
}

static tn_status put_page(const mode_page *page, tn_page_job *job)
{
    const char *from = page->how->model_path ? page->how->model_path : "";
    const int first = job->notes->texts.count;
    tn_json_put(job->json, "{ format %s version %d title %s live %i", "tenon-page", 1,
                *from ? tn_page_title(from) : "modes", false);
    tn_json_put(job->json, "run { status %s model %s tenon %s }", "done", from, tn_version());
    tn_json_string(job->json, "reproduce", page->how->command ? page->how->command : "");
    TN_TRY(put_scene(page, job));
    put_state(page, job->json);
    TN_TRY(put_modes(page, job));
    tn_json_numbers(job->json, "channels", 0, NULL);
    tn_page_warnings(job, first);
    tn_json_end_object(job->json);
    return tn_json_finish(job->json);
}

tn_status tn_mode_page_json(void *of_modes, tn_page_sink sink)
{
    const mode_page *page = of_modes;
    tn_page_job job = {.options = tn_default_page(), .notes = page->notes};
    TN_TRY(tn_json_stream(sink, &job.json));
    const tn_status s = put_page(page, &job);
    tn_json_destroy(job.json);
    return s;
}

tn_status tn_modes_report(const tn_modes *modes, const tn_modes_page *how, tn_teller teller)
{
    TN_NEED_ALL(TN_ERR_USAGE, modes, how);
    TN_NEED(how->path, TN_ERR_USAGE);
    tn_page_notes notes = {0};
    tn_page_of_modes page = {modes, how, &notes};
    const tn_status s = tn_page_write(how->path, TN_PAGE_RUN, tn_mode_page_json, &page);
    tn_page_notes_tell(&notes, teller);
    tn_page_notes_free(&notes);
    return s;
}
