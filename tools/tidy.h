// SPDX-License-Identifier: MIT
//
// What clang-tidy is told beside the sources (tools/tidy_changed.sh): the failure functions return
// the code they are given, which is never TN_OK. Without it the analyser follows failures into code
// that only success reaches.

#pragma once

#include "tenon/base.h"

#define tn_fail(code, ...) ((tn_fail)((code), __VA_ARGS__), (code))
