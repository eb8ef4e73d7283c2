// SPDX-License-Identifier: MIT
//
// The page of a run in a browser, served on this machine: of results that are there, or of a run
// while it goes on. The server has a thread of its own, which inherits the signals that are
// blocked.

#pragma once

#include "tenon/run.h"

// A page that is served; tn_view_close it.
typedef struct tn_view tn_view;

// The address and the settings of the page server.
typedef struct tn_view_options {
    const char *address; // numeric IPv4 or IPv6, or "localhost"; NULL: 127.0.0.1 only
    int port;            // 0 picks a free one
    bool trust;          // results without checksums are shown all the same
    tn_teller teller;    // receives notes on data that the page cannot show
} tn_view_options;

// Serves the page of a folder of results, or of their file; it is made anew when they are replaced.
// On failure *out is NULL. `results` and options must outlive it.
TN_API tn_status tn_view_results(const char *results, const tn_view_options *options,
                                 tn_view **out);
// Serves the page of a run that has been created and not yet begun, and follows it to its end; the
// page has a button that stops it. The run must outlive the view.
TN_API tn_status tn_view_run(tn_run *run, const tn_view_options *options, tn_view **out);
TN_API const char *tn_view_url(const tn_view *view); // "http://127.0.0.1:40231/"
TN_API int tn_view_port(const tn_view *view);        // that is served at
TN_API bool tn_view_is_local(const tn_view *view);   // reached from this machine only
TN_API void tn_view_close(tn_view *view);            // ends requests under way; NULL is fine
