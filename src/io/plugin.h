// SPDX-License-Identifier: MIT
//
// Whether model files may load shared objects; loading them is tn_load_plugin of tenon/extend.h.

#pragma once

#include <stdbool.h>

bool tn_plugins_allowed(void);
