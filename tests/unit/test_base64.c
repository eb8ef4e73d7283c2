// SPDX-License-Identifier: MIT
//
// Base64 against the vectors of RFC 4648, section 10, in pieces of every size.

#include "file/base64.h"
#include "test.h"

#include <string.h>

typedef struct {
    char text[8192];
    size_t length;
} page;

static tn_status write_page(void *user, const char *text, size_t length)
{
    page *p = user;
    CHECK(p->length + length < sizeof(p->text));
    memcpy(p->text + p->length, text, length);
    p->length += length;
    p->text[p->length] = '\0';
    return TN_OK;
}

static void encode(const char *bytes, size_t n, size_t piece, page *out)
{
    tn_base64 b = {.write = write_page, .user = out};
    out->length = 0;
    out->text[0] = '\0';
    for (size_t i = 0; i < n; i += piece)
        CHECK_OK(tn_base64_put(&b, bytes + i, n - i < piece ? n - i : piece));
    CHECK_OK(tn_base64_end(&b));
}

static void known_vectors(void)
{
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    static page out;
    for (int i = 0; i < TN_COUNT(vectors); i++)
        for (size_t piece = 1; piece <= 7; piece++) {
            encode(vectors[i][0], strlen(vectors[i][0]), piece, &out);
            CHECK_TEXT(out.text, vectors[i][1]);
        }
}

static void last_letters(void)
{
    static page out;
    encode("\xfb\xff\xbe\x00\x10\x83", 6, 6, &out); // 62 and 63 are + and /
    CHECK_TEXT(out.text, "+/++ABCD");
}

// Every way to cut the input gives the text of the whole.
static void pieces_do_not_matter(void)
{
    static char bytes[5000];
    static page whole, cut;
    for (int i = 0; i < TN_COUNT(bytes); i++)
        bytes[i] = (char)(i * 7919 >> 3);
    encode(bytes, sizeof(bytes), sizeof(bytes), &whole);
    CHECK(whole.length == 4 * ((sizeof(bytes) + 2) / 3));
    for (size_t piece = 1; piece < 4000; piece = 2 * piece + 1) {
        encode(bytes, sizeof(bytes), piece, &cut);
        CHECK_TEXT(cut.text, whole.text);
    }
}

static const tn_test tests[] = {
    {"the vectors of RFC 4648", known_vectors},
    {"letters 62 and 63", last_letters},
    {"pieces do not matter", pieces_do_not_matter},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
