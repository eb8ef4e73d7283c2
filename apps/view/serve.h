// SPDX-License-Identifier: MIT
//
// A small HTTP server for the viewer, over libmicrohttpd. It answers a fixed list of paths and
// nothing else: no file is ever named by a request. One thread of its own serves all clients, so
// that a slow one holds up nobody; when there are too many, those that have been quiet longest have
// to leave.
//
// Protection from strangers: the server listens on 127.0.0.1 unless an option says otherwise;
// requests must name it by a name of this machine, which stops pages that point their own name here
// (DNS rebinding); requests that change something must not come from another site; the page may
// load nothing but what stands in it.

#pragma once

#include "text/buffer.h"

typedef struct tn_route {
    const char *path; // "/data.json", exactly
    const char *type; // "application/json"
    bool post;        // answers POST; else GET and HEAD
    // Writes the answer, or sets *again for the one that was sent last. `from` is the number behind
    // ?from=, 0 without one. On failure the client gets code 500 with the sentence. Called in the
    // thread of the server.
    tn_status (*answer)(void *user, long from, tn_buffer *out, bool *again);
} tn_route;

enum { TN_MOST_ROUTES = 4 };

typedef struct tn_serve_options {
    const char *address; // numeric IPv4 or IPv6, or "localhost"; NULL: 127.0.0.1 only
    int port;            // 0 picks a free one
    int nroute;
    const tn_route *routes; // must live as long as the server
    void *user;             // handed to the routes
} tn_serve_options;

typedef struct tn_server {
    char url[80]; // "http://127.0.0.1:40231/"
    int port;
    bool is_local; // reached from this machine only
} tn_server;

bool tn_server_available(void); // compiled in
tn_status tn_server_start(const tn_serve_options *options, tn_server **out);
void tn_server_stop(tn_server *server); // ends what is under way; NULL is fine
