// SPDX-License-Identifier: MIT
//
// The server of the viewer, asked as a browser asks and as nobody should: it answers its fixed
// paths and nothing else, and no client can hurt it.

#include "base/alloc.h"
#include "http.h"
#include "view/serve.h"

#include <time.h>

enum { BIG = 8 << 20 }; // bytes of the page: more than sockets hold, so that a slow client stalls

static long asked_from;
static int stops;

static bool has_page;

static tn_status fill(char letter, size_t n, tn_buffer *out)
{
    char *text = tn_alloc(n);

    CHECK(text != NULL);
    memset(text, letter, n);
    *out = (tn_buffer){.text = text, .length = n};
    return TN_OK;
}

// The same page for all, while many of them still receive it.
static tn_status big_page(void *user, long from, tn_buffer *out, bool *again)
{
    (void)user;
    (void)from;
    *again = has_page;
    has_page = true;
    return *again ? TN_OK : fill('p', BIG, out);
}

static tn_status small_data(void *user, long from, tn_buffer *out, bool *again)
{
    (void)user;
    (void)again;
    asked_from = from;
    return fill('d', 10, out);
}

static tn_status count_stop(void *user, long from, tn_buffer *out, bool *again)
{
    (void)from;
    (void)again;
    ++*(int *)user;
    return fill('s', 1, out);
}

static tn_status failing(void *user, long from, tn_buffer *out, bool *again)
{
    (void)user;
    (void)from;
    (void)out;
    (void)again;
    return tn_fail(TN_ERR_FILE, "the wheel came off");
}

static const tn_route routes[] = {
    {"/", "text/html; charset=utf-8", false, big_page},
    {"/data.json", "application/json", false, small_data},
    {"/stop", "application/json", true, count_stop},
    {"/fails", "text/plain", false, failing},
};

static tn_server *server;
static int port;

static tn_status start_at(const char *address, int at, tn_server **out)
{
    const tn_serve_options options = {.address = address,
                                      .port = at,
                                      .nroute = TN_COUNT(routes),
                                      .routes = routes,
                                      .user = &stops};
    has_page = false;
    return tn_server_start(&options, out);
}

static void begin(void)
{
    stops = 0;
    CHECK_OK(start_at(NULL, 0, &server));
    port = server->port;
    CHECK(port > 0);
}

// The server lets go of everything it has handed out.
static void end(void)
{
    tn_server_stop(server);
    server = NULL;
    CHECK(tn_test_alloc_live() == 0);
}

static int get(const char *path)
{
    return http_code(port, "GET", path, "127.0.0.1", "");
}

static void fixed_paths_are_answered(void)
{
    begin();
    http_reply page = http_get(port, "/");
    CHECK(page.code == 200);
    CHECK(page.length == BIG);
    CHECK(page.body[0] == 'p' && page.body[BIG - 1] == 'p');
    CHECK(http_has_line(&page, "Content-Type: text/html; charset=utf-8"));
    http_free(&page);

    http_reply data = http_get(port, "/data.json?from=17");
    CHECK(data.code == 200);
    CHECK(data.length == 10);
    CHECK(asked_from == 17);
    http_free(&data);
    CHECK(get("/data.json") == 200 && asked_from == 0);
    CHECK(get("/data.json?from=-5") == 200 && asked_from == 0);
    CHECK(get("/data.json?from=99999999999999999999999") == 200 && asked_from > 0);
    CHECK(get("/data.json?from=x&from") == 200);
    end();
}

static void answers_carry_the_security_headers(void)
{
    static const char *const paths[] = {"/", "/data.json", "/nothing"};

    begin();
    for (int i = 0; i < TN_COUNT(paths); i++) {
        http_reply reply = http_get(port, paths[i]);
        CHECK(strstr(reply.text, "Content-Security-Policy: default-src 'none'; script-src "
                                 "'unsafe-inline'; style-src 'unsafe-inline'; ") != NULL);
        CHECK(http_has_line(&reply, "X-Content-Type-Options: nosniff"));
        CHECK(http_has_line(&reply, "Cross-Origin-Resource-Policy: same-origin"));
        CHECK(http_has_line(&reply, "Cache-Control: no-store"));
        CHECK(strstr(reply.text, "Access-Control-Allow") == NULL);
        http_free(&reply);
    }
    end();
}

static void head_has_no_body(void)
{
    char line[64];

    begin();
    http_reply reply = http_ask(port, "HEAD", "/", "127.0.0.1", "");
    snprintf(line, sizeof(line), "Content-Length: %d", BIG);
    CHECK(reply.code == 200);
    CHECK(http_has_line(&reply, line));
    CHECK(reply.length == 0);
    http_free(&reply);
    end();
}

static void other_paths_are_not_found(void)
{
    static const char *const paths[] = {
        "/index.html",
        "/favicon.ico",
        "/../../../../etc/passwd",
        "/..",
        "/.",
        "/./",
        "//",
        "/%2f",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/..%5c..%5cetc",
        "/\\..\\",
        "//etc/passwd",
        "/etc/passwd",
        "/data.json/",
        "/data.json/../..",
        "/data%2ejson",
        "/%00",
        "/data.json%00",
        "/result.h5",
        "/STOP",
        "/%252e%252e/",
        "/%zz",
        "/%",
        "http://127.0.0.1/",
        "file:///etc/passwd",
        "*",
        "/data.json;x",
    };

    begin();
    for (int i = 0; i < TN_COUNT(paths); i++)
        if (get(paths[i]) != 404) {
            printf("not 404: %s\n", paths[i]);
            CHECK(false);
        }
    end();
}

static void other_methods_are_refused(void)
{
    static const char *const methods[] = {"POST",  "PUT",     "DELETE", "PATCH", "OPTIONS",
                                          "TRACE", "CONNECT", "BREW",   "get"};

    begin();
    for (int i = 0; i < TN_COUNT(methods); i++) {
        CHECK(http_code(port, methods[i], "/", "127.0.0.1", "") == 405);
        CHECK(http_code(port, methods[i], "/data.json", "127.0.0.1", "") == 405);
    }
    http_reply reply = http_ask(port, "GET", "/stop", "127.0.0.1", "");
    CHECK(reply.code == 405);
    CHECK(http_has_line(&reply, "Allow: POST"));
    http_free(&reply);
    CHECK(stops == 0);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1", "Content-Length: 0\r\n") == 200);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1", "") == 200);
    CHECK(stops == 2);
    end();
}

static void only_names_of_this_machine_are_answered(void)
{
    static const char *const good[] = {"localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]",
                                       "[::1]:8080"};
    static const char *const bad[] = {"evil.example",
                                      "evil.example:80",
                                      "127.0.0.1.evil.example",
                                      "localhost.evil.example",
                                      "127.0.0.2",
                                      "192.0.2.1",
                                      "[::2]",
                                      "localhost:80x",
                                      "localhost@evil.example",
                                      "",
                                      "[::1",
                                      "127.0.0.1 evil.example"};
    const char bare[] = "GET / HTTP/1.0\r\n\r\n";

    begin();
    for (int i = 0; i < TN_COUNT(good); i++)
        CHECK(http_code(port, "GET", "/data.json", good[i], "") == 200);
    for (int i = 0; i < TN_COUNT(bad); i++)
        CHECK(http_code(port, "GET", "/data.json", bad[i], "") == 403);
    const int fd = http_connect("127.0.0.1", port);
    http_send(fd, bare, strlen(bare));
    http_reply reply = http_receive(fd);
    CHECK(reply.code == 403);
    http_free(&reply);
    close(fd);
    end();
}

static void other_sites_cannot_stop_a_run(void)
{
    begin();
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1:7", "Origin: http://evil.example\r\n") ==
          403);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1:7", "Origin: null\r\n") == 403);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1:7", "Origin: http://127.0.0.1:8\r\n") == 403);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1:7", "Origin: https://127.0.0.1:7\r\n") ==
          403);
    CHECK(stops == 0);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1:7", "Origin: http://127.0.0.1:7\r\n") == 200);
    CHECK(stops == 1);
    end();
}

static void long_requests_are_refused(void)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG);

    begin();
    memset(text, 'a', LONG);
    memcpy(text, "GET /", 5);
    int fd = http_connect("127.0.0.1", port);
    http_send(fd, text, LONG); // a path without end
    http_reply reply = http_receive(fd);
    CHECK(reply.code == 0 || (reply.code >= 400 && reply.code < 500));
    http_free(&reply);
    close(fd);

    CHECK(http_code(port, "POST", "/stop", "127.0.0.1", "Content-Length: 1000000000\r\n") == 413);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1", "Transfer-Encoding: chunked\r\n") == 413);
    fd = http_connect("127.0.0.1", port);
    const char head[] = "POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n";
    http_send(fd, head, strlen(head));
    http_send(fd, text, LONG);
    close(fd);
    CHECK(stops == 0);
    const char small[] = "POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                         "Connection: close\r\n\r\nhello";
    fd = http_connect("127.0.0.1", port);
    http_send(fd, small, strlen(small));
    reply = http_receive(fd);
    CHECK(reply.code == 200);
    http_free(&reply);
    close(fd);
    CHECK(stops == 1);
    CHECK(get("/data.json") == 200);
    free(text);
    end();
}

static void headers_that_decide_come_once(void)
{
    static const char *const again[] = {
        "Host: evil.example\r\n", "Host: localhost\r\n", "HOST:\r\n",
        "Origin: http://localhost\r\nOrigin: http://evil.example\r\n",
        "Content-Length: 0\r\ncontent-length: 0\r\n"};
    begin();
    for (int i = 0; i < TN_COUNT(again); i++) {
        CHECK(http_code(port, "POST", "/stop", "localhost", again[i]) == 400);
        CHECK(http_code(port, "GET", "/data.json", "localhost", again[i]) == 400);
    }
    CHECK(stops == 0);
    CHECK(get("/data.json") == 200);
    end();
}

static void clients_that_leave_do_no_harm(void)
{
    static const char *const pieces[] = {
        "",
        "G",
        "GET / HT",
        "GET / HTTP/1.1\r\nHost: local",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc",
        "\r\n\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    };
    const struct linger reset = {.l_onoff = 1}; // hang up at once, without saying so

    begin();
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < TN_COUNT(pieces); i++) {
            char first[100];
            const int fd = http_connect("127.0.0.1", port);
            CHECK(fd >= 0);
            http_send(fd, pieces[i], strlen(pieces[i]));
            if (i == 4)
                CHECK(recv(fd, first, sizeof(first), 0) > 0); // in the middle of the page
            if (round % 2 == 0)
                setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
            close(fd);
        }
    CHECK(get("/data.json") == 200);
    CHECK(stops == 0);
    end();
}

static void a_slow_client_holds_up_nobody(void)
{
    const char text[] = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char first[100];

    begin();
    const int slow = http_connect("127.0.0.1", port);
    http_send(slow, text, strlen(text));
    CHECK(recv(slow, first, sizeof(first), 0) > 0);
    const int half = http_connect("127.0.0.1", port);
    http_send(half, text, 10);
    for (int i = 0; i < 50; i++)
        CHECK(get("/data.json") == 200);
    http_reply rest = http_receive(slow); // and it gets its page in the end
    CHECK(rest.length == BIG);
    http_free(&rest);
    close(slow);
    close(half);
    end();
}

static void many_requests_on_one_connection(void)
{
    const char text[] = "GET /data.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const char last[] = "GET /data.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    int answers = 0;

    begin();
    const int fd = http_connect("127.0.0.1", port);
    for (int i = 0; i < 299; i++)
        http_send(fd, text, strlen(text));
    http_send(fd, last, strlen(last));
    http_reply reply = http_receive(fd);
    reply.text[strlen(reply.text)] = '\r'; // join what http_receive has taken apart
    for (const char *at = reply.text; (at = strstr(at, "HTTP/1.1 200")); at++)
        answers++;
    CHECK(answers == 300);
    http_free(&reply);
    close(fd);
    end();
}

static void more_clients_than_places(void)
{
    enum { CLIENTS = 100 }; // the rest waits in the queue of the socket
    int fd[CLIENTS];

    begin();
    for (int i = 0; i < CLIENTS; i++) {
        fd[i] = http_connect("127.0.0.1", port);
        CHECK(fd[i] >= 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        close(fd[i]);
    CHECK(get("/data.json") == 200);
    end();
}

// Clients that send a byte and no more keep their places for long; a new one gets one all the same.
static void slow_clients_give_way(void)
{
    enum { CLIENTS = 150 };
    const char text[] = "POST /stop HTTP/1.1\r\nHost: localhost\r\n";
    int fd[CLIENTS];

    begin();
    for (int i = 0; i < CLIENTS; i++) {
        fd[i] = http_connect("127.0.0.1", port);
        CHECK(fd[i] >= 0);
        http_send(fd[i], text, 1 + (size_t)i % (strlen(text) - 1));
    }
    for (int i = 0; i < 20; i++)
        CHECK(get("/data.json") == 200);
    CHECK(http_code(port, "POST", "/stop", "127.0.0.1", "") == 200 && stops == 1);
    for (int i = 0; i < CLIENTS; i++)
        close(fd[i]);
    end();
}

static void a_failure_is_told(void)
{
    begin();
    http_reply reply = http_get(port, "/fails");
    CHECK(reply.code == 500);
    CHECK_TEXT(reply.body, "the wheel came off");
    http_free(&reply);
    end();
}

static void a_port_that_is_taken_is_an_error(void)
{
    tn_server *second = NULL;
    char text[256];

    begin();
    CHECK_STATUS(start_at(NULL, port, &second), TN_ERR_USAGE);
    CHECK(second == NULL);
    snprintf(text, sizeof(text),
             "port %d of 127.0.0.1 is taken by another program; choose another one, or 0 for any "
             "that is free",
             port);
    CHECK_TEXT(tn_last_error(), text);
    const int before = port;
    end();
    CHECK_OK(start_at(NULL, before, &server)); // free again
    port = before;
    CHECK(get("/data.json") == 200);
    end();
}

static void faulty_addresses_are_errors(void)
{
    tn_server *none = NULL;

    CHECK_STATUS(start_at("example.org", 0, &none), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "address is 'example.org'; it must be an address in numbers such "
                                "as 127.0.0.1 or ::1");
    CHECK_STATUS(start_at("192.0.2.1", 0, &none), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "address 192.0.2.1 does not belong to this machine");
    CHECK_STATUS(start_at(NULL, 65536, &none), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "port is 65536; it must lie between 0 and 65535");
    CHECK_STATUS(start_at(NULL, -1, &none), TN_ERR_USAGE);
    CHECK(none == NULL);
    CHECK(tn_test_alloc_live() == 0);
}

// All of 127.0.0.0/8 leads to this machine: the other addresses stand for those of a network.
static void other_addresses_are_served_only_when_asked(void)
{
    char url[64];

    begin();
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/", port);
    CHECK_TEXT(server->url, url);
    CHECK(server->is_local);
    CHECK(http_connect("127.0.0.2", port) == -1);
    end();

    CHECK_OK(start_at("0.0.0.0", 0, &server));
    port = server->port;
    CHECK(!server->is_local);
    const int fd = http_connect("127.0.0.2", port);
    CHECK(fd >= 0);
    close(fd);
    CHECK(http_code(port, "GET", "/data.json", "192.0.2.7:80", "") == 200);
    CHECK(http_code(port, "GET", "/data.json", "[fe80::1]:80", "") == 200);
    CHECK(http_code(port, "GET", "/data.json", "evil.example", "") == 403);
    end();
}

static void stopping_ends_what_is_under_way(void)
{
    const char text[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char first[100];

    begin();
    const int half = http_connect("127.0.0.1", port), idle = http_connect("127.0.0.1", port);
    http_send(half, text, strlen(text));
    CHECK(recv(half, first, sizeof(first), 0) > 0);
    const time_t before = time(NULL);
    end();
    CHECK(time(NULL) - before < 5); // it does not wait for clients
    close(half);
    close(idle);
}

static void memory_that_is_short_is_an_error(void)
{
    tn_server *none = NULL;

    tn_test_alloc_fail_at(1);
    CHECK_STATUS(start_at(NULL, 0, &none), TN_ERR_MEMORY);
    CHECK(none == NULL);
    tn_test_alloc_fail_at(0);
}

static void without_the_library_there_is_a_sentence(void)
{
    tn_server *none = NULL;

    CHECK_STATUS(start_at(NULL, 0, &none), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "this Tenon was built without its HTTP server; install "
                                "libmicrohttpd-dev and build with -DTENON_HTTP=ON");
}

static const tn_test without[] = {
    {"without the library there is a sentence", without_the_library_there_is_a_sentence},
};

static const tn_test tests[] = {
    {"fixed paths are answered", fixed_paths_are_answered},
    {"answers carry the security headers", answers_carry_the_security_headers},
    {"HEAD has no body", head_has_no_body},
    {"other paths are not found", other_paths_are_not_found},
    {"other methods are refused", other_methods_are_refused},
    {"only names of this machine are answered", only_names_of_this_machine_are_answered},
    {"other sites cannot stop a run", other_sites_cannot_stop_a_run},
    {"long requests are refused", long_requests_are_refused},
    {"headers that decide come once", headers_that_decide_come_once},
    {"clients that leave do no harm", clients_that_leave_do_no_harm},
    {"a slow client holds up nobody", a_slow_client_holds_up_nobody},
    {"many requests on one connection", many_requests_on_one_connection},
    {"more clients than places", more_clients_than_places},
    {"slow clients give way to new ones", slow_clients_give_way},
    {"a failure is told", a_failure_is_told},
    {"a port that is taken is an error", a_port_that_is_taken_is_an_error},
    {"faulty addresses are errors", faulty_addresses_are_errors},
    {"other addresses are served only when asked", other_addresses_are_served_only_when_asked},
    {"stopping ends what is under way", stopping_ends_what_is_under_way},
    {"memory that is short is an error", memory_that_is_short_is_an_error},
};

int main(int argc, char **argv)
{
    if (!tn_server_available())
        return tn_run_tests(without, TN_COUNT(without), argc, argv);
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
