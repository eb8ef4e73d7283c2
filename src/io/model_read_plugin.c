// SPDX-License-Identifier: MIT
//
// The key `plugins` of a model file: shared objects that add own kinds (tenon/extend.h).

#include "io/model_yaml.h"
#include "io/plugin.h"
#include "tenon/extend.h"

#include <string.h>

// A relative path is one beside the model file.
static tn_status load_beside(const tn_reader *r, const char *path)
{
    const char *model = r->doc->name, *slash = strrchr(model, '/');
    const int folder = slash && path[0] != '/' ? (int)(slash - model) + 1 : 0;
    char *full = tn_format("%.*s%s", folder, model, path);
    TN_TRY(tn_got(full));
    const tn_status status = tn_load_plugin(full);
    tn_free(full);
    return status;
}

tn_status tn_read_plugins(tn_reader *r, const tn_node *key, const tn_node *list)
{
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, list, "plugins", "a list of files");
    if (!tn_plugins_allowed())
        return tn_node_fail(r->doc, key, TN_ERR_MODEL,
                            "plugins: the code of shared objects would run with all rights of the "
                            "user; where you trust them, allow it with --plugins");
    for (int i = 0; i < list->count; i++) {
        const tn_node *node = list->children[i];
        const char *path = NULL;
        TN_TRY(tn_node_string(r->doc, node, "plugins", &path));
        const tn_status status = load_beside(r, path);
        if (status != TN_OK)
            return tn_fail_within(status == TN_ERR_FILE ? TN_ERR_MODEL : status,
                                  "%s:%d:%d: plugins", r->doc->name, node->line, node->column);
    }
    return TN_OK;
}
