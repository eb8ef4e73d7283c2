// SPDX-License-Identifier: MIT
//
// Writes modes as a table; see tenon/modes.h.

#include "analysis/modes.h"
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/number.h"
#include "io/target.h"

static void put_number(tn_buffer *out, double value, char end)
{
    char digits[TN_NUMBER_SIZE];
    tn_number_text(value, digits);
    tn_buffer_format(out, "%s%c", digits, end);
}

static void put_head(tn_buffer *out, const tn_model *model)
{
    tn_buffer_say(out, "mode,kind,re [1/s],im [1/s],frequency [Hz],undamped [Hz],damping [1],name");
    for (int k = 1; k < model->bodies.count; k++) {
        char *name = tn_format("%s.share [1]", model->bodies.at[k].name);
        out->failed = out->failed || !name;
        tn_buffer_say(out, ",");
        tn_buffer_field(out, name ? name : "");
        tn_free(name);
    }
    tn_buffer_say(out, "\n");
}

static void put_row(tn_buffer *out, const tn_modes *m, int i)
{
    const tn_mode mode = tn_mode_of(m, i);
    const int bodies = m->state->model->bodies.count;
    tn_buffer_format(out, "%d,%s,", i + 1, tn_mode_kind_word(mode.kind));
    put_number(out, mode.re, ',');
    put_number(out, mode.im, ',');
    put_number(out, mode.frequency, ',');
    put_number(out, mode.undamped, ',');
    put_number(out, mode.damping, ',');
    tn_buffer_field(out, mode.name);
    for (int k = 1; k < bodies; k++) {
        tn_buffer_say(out, ",");
        char digits[TN_NUMBER_SIZE];
        tn_number_text(tn_mode_share(m, i, (tn_body){k}), digits);
        tn_buffer_say(out, digits);
    }
    tn_buffer_say(out, "\n");
}

tn_status tn_modes_write(const tn_modes *m, const char *path)
{
    tn_buffer out = {0};
    char *text;
    TN_NEED_ALL(TN_ERR_USAGE, m, path);
    put_head(&out, m->state->model);
    for (int i = 0; i < m->n; i++)
        put_row(&out, m, i);
    TN_TRY(tn_buffer_finish(&out, path, &text));
    const tn_status status = tn_target_write(path, text, out.length);
    tn_free(text);
    return status;
}
