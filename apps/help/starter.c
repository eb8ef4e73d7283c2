// SPDX-License-Identifier: MIT
//
// The starter models, whose texts are the files of models/starters. tests/cross/test_starters.c
// runs every one of them.

#include "base/status.h"
#include "file/page_asset.h"
#include "tenon/help.h"
#include "text/target.h"

#include <string.h>

#define TEXT(name) ((const char *)tn_##name##_asset)

static const tn_starter starters[] = {
    {"pendulum", "a rod that swings on a pin", TEXT(pendulum)},
    {"fourbar", "a four-bar linkage driven by a motor", TEXT(fourbar)},
    {"slider-crank", "a crank that drives a piston against a load", TEXT(slider_crank)},
    {"top", "a spinning top on its tip", TEXT(top)},
    {"arm", "a robot arm whose motors go to given angles", TEXT(arm)},
    {"suspension", "the suspension of a wheel that drives over a bump", TEXT(suspension)},
    {"stewart", "a platform on six legs that lift and turn it", TEXT(stewart)},
    {"chain", "a chain of any number of links that swings", TEXT(chain)},
    {"gyroscope", "a fast wheel that walks round a tower", TEXT(gyroscope)},
    {"crane", "a crane with a controller that takes the swing out", TEXT(crane)},
};

const tn_starter *tn_help_starter(int i)
{
    return i >= 0 && i < TN_COUNT(starters) ? &starters[i] : NULL;
}

tn_status tn_starter_write(const tn_starter *starter, const char *path, bool replace)
{
    TN_NEED_ALL(TN_ERR_USAGE, starter, path);
    if (!replace)
        TN_TRY(tn_target_check_free(path));
    return tn_target_write(path, starter->text, strlen(starter->text));
}
