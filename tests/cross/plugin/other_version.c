// SPDX-License-Identifier: MIT
//
// A shared object that was made for another version; what it would add must not be called.

#include "tenon/extend.h"

#include <stdlib.h>

static tn_status add_nothing(void)
{
    abort();
}

TN_API const tn_plugin *tenon_plugin(void);
TN_API const tn_plugin *tenon_plugin(void)
{
    static const tn_plugin plugin = {9907, add_nothing};
    return &plugin;
}
