// SPDX-License-Identifier: MIT
//
// Files that the build turns into bytes, each with a zero behind it: the starter models of
// models/starters, the frame of the reference page, and the pages as built from web/, of a run,
// of a comparison and of a sweep, each one HTML file with TN_PAGE_MARKER where the data goes.
// Pages exist when TN_WITH_WEB is defined.

#pragma once

#include <stddef.h>

#define TN_PAGE_MARKER "/*TENON_DATA*/"

extern const unsigned char tn_page_asset[];
extern const size_t tn_page_asset_size;
extern const unsigned char tn_compare_asset[];
extern const size_t tn_compare_asset_size;
extern const unsigned char tn_sweep_asset[];
extern const size_t tn_sweep_asset_size;

extern const unsigned char tn_pendulum_asset[], tn_fourbar_asset[], tn_slider_crank_asset[],
    tn_top_asset[], tn_arm_asset[], tn_suspension_asset[], tn_stewart_asset[], tn_chain_asset[],
    tn_gyroscope_asset[], tn_crane_asset[], tn_reference_asset[];
