// SPDX-License-Identifier: MIT
//
// Shared objects that add own kinds (tenon/extend.h), and the key `plugins` of model files, which
// names them. They stay loaded: models point to what they have added.

#include "base/alloc.h"
#include "read/model_yaml.h"
#include "tenon/extend.h"
#include "text/lines.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_PLUGINS = 64 };

static atomic_bool plugins_allowed;
static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;
static void *loaded[MOST_PLUGINS]; // a shared object has one handle however often it is opened
static int loaded_count;

void tn_plugin_allow(bool allow)
{
    atomic_store(&plugins_allowed, allow);
}

static tn_status add_kinds(const char *path, void *handle)
{
    // ISO C has no pointer to a function from one to data; POSIX promises that both are alike.
    const tn_plugin *(*entry)(void) = NULL;
    void *symbol = dlsym(handle, "tenon_plugin");
    memcpy(&entry, &symbol, sizeof entry);
    const tn_plugin *plugin = entry ? entry() : NULL;
    if (!plugin)
        return tn_fail(TN_ERR_FILE,
                       "plugin '%s' has no function tenon_plugin, or it returned nothing", path);
    if (plugin->version != TN_PLUGIN_VERSION)
        return tn_fail(
            TN_ERR_FILE, "plugin '%s' is made for Tenon %d.%d, but this is %d.%d; compile it anew",
            path, plugin->version / 100, plugin->version % 100, TN_VERSION_MAJOR, TN_VERSION_MINOR);
    const tn_status status = plugin->add ? plugin->add() : TN_OK;
    return status == TN_OK ? TN_OK : tn_fail_within(status, "plugin '%s'", path);
}

static tn_status load_locked(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return tn_fail(TN_ERR_FILE, "plugin '%s' cannot be loaded: %s", path, dlerror());
    for (int i = 0; i < loaded_count; i++)
        if (loaded[i] == handle) {
            dlclose(handle);
            return TN_OK;
        }
    const tn_status status = loaded_count < MOST_PLUGINS
                                 ? add_kinds(path, handle)
                                 : tn_fail(TN_ERR_FILE,
                                           "plugin '%s': %d plugins are loaded, no "
                                           "more fit",
                                           path, MOST_PLUGINS);
    if (status == TN_OK)
        loaded[loaded_count++] = handle;
    return status; // what has failed stays loaded as well: it may have added some of its kinds
}

tn_status tn_plugin_load(const char *path)
{
    TN_NEED(path, TN_ERR_USAGE);
    // Without a slash the folders of the system's libraries would be searched.
    char *file = tn_format("%s%s", strchr(path, '/') ? "" : "./", path);
    TN_TRY(tn_got(file));
    pthread_mutex_lock(&plugin_lock);
    const tn_status status = load_locked(file);
    pthread_mutex_unlock(&plugin_lock);
    tn_free(file);
    return status;
}

// Model files -------------------------------------------------------------------------------------

static tn_status load_beside(const tn_reader *r, const char *path)
{
    char *full = tn_path_beside(r->doc->name, path);
    TN_TRY(tn_got(full));
    const tn_status status = tn_plugin_load(full);
    tn_free(full);
    return status;
}

tn_status tn_read_plugins(tn_reader *r, const tn_node *key, const tn_node *list)
{
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, list, "plugins", "a list of files");
    if (!atomic_load(&plugins_allowed))
        return tn_node_fail(r->doc, key, TN_ERR_MODEL,
                            "plugins: the code of shared objects would run with all rights of the "
                            "user; where you trust them, allow it with --plugins");
    for (int i = 0; i < list->count; i++) {
        const tn_node *node = list->children[i];
        const char *path = NULL;
        TN_TRY(tn_node_resolve(r->doc, node, TN_PART_FILE));
        TN_TRY(tn_node_string(r->doc, node, "plugins", &path));
        const tn_status status = load_beside(r, path);
        if (status != TN_OK)
            return tn_node_within(r->doc, node, status == TN_ERR_FILE ? TN_ERR_MODEL : status,
                                  "plugins");
    }
    return TN_OK;
}
