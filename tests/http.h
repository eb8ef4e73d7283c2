// SPDX-License-Identifier: MIT
//
// A client for tests of the server: raw sockets, so that it can also do what a browser never would.

#pragma once

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { HTTP_PATIENCE = 60 }; // seconds until a silent server is a failed test

typedef struct http_reply {
    int code; // 0 when the connection ended without an answer
    char *text, *body;
    size_t length; // of the body
} http_reply;

// -1 when nobody listens there.
static inline int http_connect(const char *address, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const struct timeval patience = {.tv_sec = HTTP_PATIENCE};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    CHECK(fd >= 0);
    CHECK(inet_pton(AF_INET, address, &to.sin_addr) == 1);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
        return fd;
    close(fd);
    return -1;
}

// Sends as much as the server takes.
static inline void http_send(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes += sent;
        n -= (size_t)sent;
    }
}

// Everything until the server ends the connection.
static inline http_reply http_receive(int fd)
{
    http_reply reply = {0};
    size_t used = 0, room = 1 << 16;

    reply.text = malloc(room);
    for (;;) {
        const ssize_t n = recv(fd, reply.text + used, room - used - 1, 0);
        if (n <= 0)
            break;
        used += (size_t)n;
        if (room - used < 1 << 12)
            reply.text = realloc(reply.text, room *= 2);
    }
    reply.text[used] = '\0';
    char *end = strstr(reply.text, "\r\n\r\n");
    if (end) {
        reply.code = atoi(reply.text + strcspn(reply.text, " "));
        reply.body = end + 4;
        reply.length = used - (size_t)(reply.body - reply.text);
        end[2] = '\0';
    }
    return reply;
}

// One request with more header lines, each with its line end, on a connection of its own.
static inline http_reply http_ask(int port, const char *method, const char *path, const char *host,
                                  const char *more)
{
    char text[4096];
    const int fd = http_connect("127.0.0.1", port);

    CHECK(fd >= 0);
    snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n",
             method, path, host, more);
    http_send(fd, text, strlen(text));
    const http_reply reply = http_receive(fd);
    close(fd);
    return reply;
}

static inline http_reply http_get(int port, const char *path)
{
    return http_ask(port, "GET", path, "127.0.0.1", "");
}

static inline void http_free(http_reply *reply)
{
    free(reply->text);
    *reply = (http_reply){0};
}

static inline int http_code(int port, const char *method, const char *path, const char *host,
                            const char *more)
{
    http_reply reply = http_ask(port, method, path, host, more);
    const int code = reply.code;

    http_free(&reply);
    return code;
}

static inline bool http_has_line(const http_reply *reply, const char *line)
{
    char text[512];

    snprintf(text, sizeof(text), "\r\n%s\r\n", line);
    return reply->text && strstr(reply->text, text) != NULL;
}
