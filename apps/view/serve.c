// SPDX-License-Identifier: MIT
//
// The HTTP server of the viewer. This is the only file that knows libmicrohttpd.

#include "view/serve.h"

#include "base/alloc.h"
#include "base/library.h"

#ifndef TN_WITH_HTTP

bool tn_server_available(void)
{
    return false;
}

tn_status tn_server_start(const tn_serve_options *options, tn_server **out)
{
    *out = NULL;
    return tn_fail(TN_ERR_USAGE,
                   "this Tenon was built without its HTTP server; install libmicrohttpd-dev and "
                   "build with -DTENON_HTTP=ON");
}

void tn_server_stop(tn_server *server)
{
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 64,  // beyond it the one that has been quiet longest is closed
    MOST_WAITING = 256,     // connections of which libmicrohttpd takes no more
    MOST_HEADER = 16 << 10, // bytes of memory for one request
    MOST_BODY = 4 << 10,    // bytes; no request of the page has a body
    TIMEOUT = 10            // seconds without a byte sent or received
};

// Scripts and styles of the page itself, pictures it makes, and questions to this server.
static const char *const security[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
     "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

// A connection that is open, in a list with the quietest in front. Clients that send a byte now and
// then keep theirs for ever; new ones must not wait for them.
typedef struct client {
    struct client *before, *behind;
    int fd;
} client;

typedef struct http_server {
    tn_server base;
    struct MHD_Daemon *daemon;
    client ring; // its neighbours are the quietest and the liveliest
    int nclient;
    struct MHD_Response *last[TN_MOST_ROUTES]; // that each route has sent
    struct sockaddr_storage at;
    tn_serve_options options;
} http_server;

bool tn_server_available(void)
{
    return true;
}

// Answers -----------------------------------------------------------------------------------------

// Takes the text over where tn_alloc has made it, also on failure; NULL when memory is short.
static struct MHD_Response *make_response(const char *type, char *text, size_t length, bool ours)
{
    struct MHD_Response *response =
        ours ? MHD_create_response_from_buffer_with_free_callback(length, text, tn_free)
             : MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_COPY);
    bool ok = response != NULL;
    if (!ok && ours)
        tn_free(text);
    ok = ok && MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;
    for (int i = 0; i < TN_COUNT(security); i++)
        ok = ok && MHD_add_response_header(response, security[i][0], security[i][1]) == MHD_YES;
    if (ok || !response)
        return response;
    MHD_destroy_response(response);
    return NULL;
}

static enum MHD_Result refuse_serve(struct MHD_Connection *connection, unsigned code,
                                    const char *text, const char *allow)
{
    struct MHD_Response *response =
        make_response("text/plain; charset=utf-8", (char *)text, strlen(text), false);
    if (!response)
        return MHD_NO;
    if (allow)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
    const enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer(struct MHD_Connection *connection, http_server *server,
                              const tn_route *route)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "from");
    const long from = text ? strtol(text, NULL, 10) : 0; // LONG_MAX when there are too many digits
    struct MHD_Response **last = &server->last[route - server->options.routes];
    tn_buffer body = {0};
    bool again = false;
    tn_clear_error();
    if (route->answer(server->options.user, from > 0 ? from : 0, &body, &again) != TN_OK) {
        tn_free(body.text);
        return refuse_serve(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, tn_last_error(), NULL);
    }
    if (!again) {
        if (*last)
            MHD_destroy_response(*last); // those who still receive it hold it, too
        *last = make_response(route->type, body.text, body.length, true);
    }
    return *last ? MHD_queue_response(connection, MHD_HTTP_OK, *last) : MHD_NO;
}

// Connections -------------------------------------------------------------------------------------

static void leave_ring(client *c)
{
    c->before->behind = c->behind;
    c->behind->before = c->before;
}

static void join_ring(http_server *server, client *c)
{
    c->before = server->ring.before;
    c->behind = &server->ring;
    c->before->behind = c;
    server->ring.before = c;
}

static void admit(http_server *server, struct MHD_Connection *connection, void **state)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    client *c = tn_alloc(sizeof(*c));
    *state = c;
    if (!c || !info) { // it is served all the same, and cannot be closed from here
        tn_free(c);
        *state = NULL;
        return;
    }
    c->fd = info->connect_fd;
    join_ring(server, c);
    if (++server->nclient <= MOST_CONNECTIONS)
        return;
    client *quietest = server->ring.behind; // libmicrohttpd notices and closes it
    shutdown(quietest->fd, SHUT_RDWR);
    leave_ring(quietest); // to the end: the next one is another
    join_ring(server, quietest);
}

// All in the thread of the server.
static void on_connection(void *user, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode code)
{
    http_server *server = user;
    client *c = *state;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        admit(server, connection, state);
    } else if (c) {
        leave_ring(c);
        server->nclient--;
        tn_free(c);
        *state = NULL;
    }
}

// A whole request has come: the connection is lively.
static void note_request(http_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    client *c = info ? info->socket_context : NULL;
    if (c) {
        leave_ring(c);
        join_ring(server, c);
    }
}

// Requests ----------------------------------------------------------------------------------------

// "localhost:8080" names this machine; a name of another one points here only by rebinding. When
// an address was asked for, any address in numbers is fine: only names can be rebound.
static bool names_this_machine(const http_server *server, const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *bracket = *host == '[' ? strchr(host, ']') : NULL;
    const size_t n = bracket ? (size_t)(bracket + 1 - host) : strcspn(host, ":");
    struct in6_addr address;
    char name[INET6_ADDRSTRLEN + 2];
    if (n >= sizeof(name) || (host[n] != '\0' && host[n] != ':'))
        return false;
    if (host[n] == ':' && strspn(host + n + 1, "0123456789") != strlen(host + n + 1))
        return false;
    memcpy(name, host, n);
    name[n] = '\0';
    for (int i = 0; i < TN_COUNT(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    if (server->base.is_local)
        return false;
    if (bracket)
        name[n - 1] = '\0';
    return inet_pton(bracket ? AF_INET6 : AF_INET, bracket ? name + 1 : name, &address) == 1;
}

// A form or script of another site names that site in Origin.
static bool comes_from_elsewhere(struct MHD_Connection *connection, const char *host)
{
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    return origin && (strncasecmp(origin, "http://", 7) != 0 || strcasecmp(origin + 7, host) != 0);
}

// Longer than any request of the page, or of unknown length.
static bool is_too_long(struct MHD_Connection *connection)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return (length && strtoull(length, NULL, 10) > MOST_BODY) ||
           MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                       MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

// Headers that are read, of which a request has one at most [RFC 9112, 3.2 and 6.3]: whoever reads
// the other one of two sees another request.
static const char *const single_headers[] = {"Host", "Origin", MHD_HTTP_HEADER_CONTENT_LENGTH,
                                             MHD_HTTP_HEADER_TRANSFER_ENCODING};

static enum MHD_Result count_header(void *user, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    int *count = user;
    for (int i = 0; i < TN_COUNT(single_headers); i++)
        count[i] += strcasecmp(name, single_headers[i]) == 0;
    return MHD_YES;
}

static bool repeats_headers(struct MHD_Connection *connection)
{
    int count[TN_COUNT(single_headers)] = {0}, most = 0;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, count);
    for (int i = 0; i < TN_COUNT(count); i++)
        most = count[i] > most ? count[i] : most;
    return most > 1;
}

static const tn_route *find_route(const http_server *server, const char *path)
{
    for (int i = 0; i < server->options.nroute; i++)
        if (strcmp(server->options.routes[i].path, path) == 0)
            return &server->options.routes[i];
    return NULL;
}

static enum MHD_Result handle(http_server *server, struct MHD_Connection *connection,
                              const char *path, const char *method)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const tn_route *route = find_route(server, path);
    const bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!host || !names_this_machine(server, host))
        return refuse_serve(connection, MHD_HTTP_FORBIDDEN,
                            "This server answers to its own address only.\n", NULL);
    if (!route)
        return refuse_serve(connection, MHD_HTTP_NOT_FOUND, "There is nothing here.\n", NULL);
    if (route->post ? strcmp(method, "POST") != 0 : !reads)
        return refuse_serve(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                            "This method is not for this path.\n",
                            route->post ? "POST" : "GET, HEAD");
    if (comes_from_elsewhere(connection, host))
        return refuse_serve(connection, MHD_HTTP_FORBIDDEN, "Other sites may not ask this.\n",
                            NULL);
    return answer(connection, server, route);
}

// libmicrohttpd calls this once when the headers are there, once for each piece of a body and once
// at the end; *state distinguishes the calls.
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *body,
                                  size_t *size, void **state)
{
    if (!*state) {
        *state = user;
        if (repeats_headers(connection))
            return refuse_serve(connection, MHD_HTTP_BAD_REQUEST,
                                "Host, Origin and the headers of length come once.\n", NULL);
        return is_too_long(connection) ? refuse_serve(connection, MHD_HTTP_CONTENT_TOO_LARGE,
                                                      "The request is too long.\n", NULL)
                                       : MHD_YES;
    }
    if (*size > 0) {
        *size = 0;
        return MHD_YES;
    }
    note_request(user, connection);
    return handle(user, connection, path, method);
}

// Paths are compared as they were sent: nothing that is written in %xx is a path of ours.
static size_t keep_as_sent(void *user, struct MHD_Connection *connection, char *text)
{
    return strlen(text);
}

// Start -------------------------------------------------------------------------------------------

static tn_status read_address(const char *text, int port, http_server *server, socklen_t *size)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)&server->at;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&server->at;
    const char *address = !text || strcmp(text, "localhost") == 0 ? "127.0.0.1" : text;
    if (port < 0 || port > 65535)
        return tn_fail(TN_ERR_USAGE, "port is %d; it must lie between 0 and 65535", port);
    if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        *size = sizeof(*v4);
        server->base.is_local = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
        return TN_OK;
    }
    if (inet_pton(AF_INET6, address, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        *size = sizeof(*v6);
        server->base.is_local =
            memcmp(&v6->sin6_addr, &in6addr_loopback, sizeof in6addr_loopback) == 0;
        return TN_OK;
    }
    return tn_fail(TN_ERR_USAGE,
                   "address is '%s'; it must be an address in numbers such as 127.0.0.1 or ::1",
                   address);
}

static void set_url(http_server *server)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&server->at;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&server->at;
    const bool six = server->at.ss_family == AF_INET6;
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(server->at.ss_family, six ? (const void *)&v6->sin6_addr : &v4->sin_addr, text,
              sizeof(text));
    server->base.port = ntohs(six ? v6->sin6_port : v4->sin_port);
    snprintf(server->base.url, sizeof(server->base.url), six ? "http://[%s]:%d/" : "http://%s:%d/",
             text, server->base.port);
}

static tn_status listen_failed(const http_server *server, int error)
{
    const char *address = server->options.address ? server->options.address : "127.0.0.1";
    const int port = server->options.port;
    if (error == EADDRINUSE)
        return tn_fail(TN_ERR_USAGE,
                       "port %d of %s is taken by another program; choose another one, or 0 for "
                       "any that is free",
                       port, address);
    if (error == EACCES)
        return tn_fail(TN_ERR_USAGE, "port %d may not be used without rights; take one above 1023",
                       port);
    if (error == EADDRNOTAVAIL)
        return tn_fail(TN_ERR_USAGE, "address %s does not belong to this machine", address);
    return tn_fail(TN_ERR_USAGE, "cannot listen on port %d of %s: %s", port, address,
                   strerror(error));
}

// A socket of our own rather than one of the library: its errors can be distinguished.
static tn_status open_socket(http_server *server, int *out)
{
    socklen_t size = 0;
    const int on = 1;
    TN_TRY(read_address(server->options.address, server->options.port, server, &size));
    const int fd = socket(server->at.ss_family, SOCK_STREAM, 0);
    if (fd < 0)
        return listen_failed(server, errno);
    // A port that this command has just left may be taken again at once.
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
        bind(fd, (struct sockaddr *)&server->at, size) != 0 || listen(fd, MOST_CONNECTIONS) != 0 ||
        getsockname(fd, (struct sockaddr *)&server->at, &size) != 0) {
        const int error = errno;
        close(fd);
        return listen_failed(server, error);
    }
    *out = fd;
    return TN_OK;
}

static tn_status start_serve(http_server *server)
{
    int fd = -1;
    TN_TRY(tn_library_need(&tn_microhttpd_library));
    TN_TRY(open_socket(server, &fd));
    const unsigned flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ITC |
                           (server->at.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_WAITING, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, server, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MOST_HEADER, MHD_OPTION_UNESCAPE_CALLBACK,
        keep_as_sent, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (!server->daemon) {
        const int reason = errno;
        close(fd);
        return tn_fail(TN_ERR_MEMORY, "the HTTP server could not start: %s",
                       reason ? strerror(reason) : "no thread or no memory");
    }
    set_url(server);
    return TN_OK;
}

tn_status tn_server_start(const tn_serve_options *options, tn_server **out)
{
    http_server *server = tn_alloc(sizeof(*server));
    *out = NULL;
    TN_TRY(tn_got(server));
    server->options = *options;
    server->ring.before = server->ring.behind = &server->ring;
    const tn_status s = start_serve(server);
    TN_HAND_OUT(s, &server->base, tn_free, out);
}

void tn_server_stop(tn_server *server)
{
    if (!server)
        return;
    MHD_stop_daemon(((http_server *)server)->daemon);
    for (int i = 0; i < TN_MOST_ROUTES; i++)
        if (((http_server *)server)->last[i])
            MHD_destroy_response(((http_server *)server)->last[i]);
    tn_free(server);
}

#endif
