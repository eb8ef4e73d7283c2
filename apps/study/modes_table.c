// SPDX-License-Identifier: MIT
//
// Writes modes as a table; see tenon/modes.h.

#include "analysis/modes.h"
#include "base/alloc.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

static void put_head(tn_buffer *out, const tn_model *model)
{
    tn_buffer_say(out, "mode,kind,re [1/s],im [1/s],frequency [Hz],undamped [Hz],damping [1],name");
    for (int k = 1; k < model->bodies.count; k++) {
        char *name = tn_format("%s.share", model->bodies.at[k].name);
        out->failed |= !name;
        tn_buffer_say(out, ",");
        tn_csv_name(out, name ? name : "", "1");
        tn_free(name);
    }
    tn_buffer_say(out, "\n");
}

static void put_row(tn_buffer *out, const tn_modes *m, int i)
{
    const tn_mode mode = tn_mode_of(m, i);
    const int bodies = m->state->model->bodies.count;
    tn_buffer_format(out, "%d,%s,", i + 1, tn_mode_kind_word(mode.kind));
    const double numbers[] = {mode.re, mode.im, mode.frequency, mode.undamped, mode.damping};
    for (int k = 0; k < TN_COUNT(numbers); k++) {
        tn_csv_number(out, numbers[k]);
        tn_buffer_say(out, ",");
    }
    tn_buffer_field(out, mode.name);
    for (int k = 1; k < bodies; k++) {
        tn_buffer_say(out, ",");
        tn_csv_number(out, tn_mode_share(m, i, (tn_body){k}));
    }
    tn_buffer_say(out, "\n");
}

tn_status tn_modes_write(const tn_modes *m, const char *path)
{
    tn_buffer out = {0};
    TN_NEED_ALL(TN_ERR_USAGE, m, path);
    put_head(&out, m->state->model);
    for (int i = 0; i < m->n; i++)
        put_row(&out, m, i);
    return tn_target_finish(TN_OK, path, &out, path);
}
