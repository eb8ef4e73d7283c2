// SPDX-License-Identifier: MIT
//
// Writes the path of an equilibrium; see tenon/equilibrium.h.

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/status.h"
#include "io/target.h"
#include "tenon/equilibrium.h"

static void put_equilibrium_rows(tn_buffer *out, const tn_equilibrium_path *t)
{
    char digits[TN_NUMBER_SIZE];
    const int n = t->ncolumn;
    for (int i = 0; i < n; i++) {
        char *name = tn_format("%s [%s]", t->names[i], t->units[i]);
        out->failed = out->failed || !name;
        tn_buffer_field(out, name ? name : "");
        tn_buffer_say(out, i + 1 < n ? "," : "\n");
        tn_free(name);
    }
    for (int k = 0; k < t->rows * n; k++) {
        tn_number_text(t->values[k], digits);
        tn_buffer_format(out, "%s%c", digits, (k + 1) % n ? ',' : '\n');
    }
}

tn_status tn_equilibrium_path_write(const tn_equilibrium *s, const char *path)
{
    tn_buffer out = {0};
    char *text;
    TN_NEED_ALL(TN_ERR_USAGE, s, path);
    const tn_equilibrium_path t = tn_equilibrium_path_of(s);
    put_equilibrium_rows(&out, &t);
    TN_TRY(tn_buffer_finish(&out, path, &text));
    const tn_status status = tn_target_write(path, text, out.length);
    tn_free(text);
    return status;
}
