// SPDX-License-Identifier: MIT
//
// Journals: what is appended comes back; a file that ends anywhere keeps every complete block;
// every flipped bit is noticed.

#include "test.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "result/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char PATH[] = "journal";

enum { ROWS = 4, BLOCKS = 5, WIDTH = 4 };

static void put_channel(tn_head *head, const char *name, uint32_t owners, uint32_t ncomponent)
{
    char data[64];
    const tn_entry_channel c = {ncomponent > 1 ? 3 : 1, ncomponent};
    memcpy(data, &c, sizeof(c));
    char *to = stpcpy(data + sizeof(c), "m") + 1;
    to = stpcpy(to, "") + 1;
    for (uint32_t i = 0; i < ncomponent && ncomponent > 1; i++)
        to = stpcpy(to, "x") + 1;
    CHECK_OK(tn_head_put(head, TN_ENTRY_CHANNEL, name, owners, data, (size_t)(to - data)));
}

static void begin(tn_journal_writer *w)
{
    tn_head head = {0};
    CHECK_OK(tn_head_text(&head, TN_ENTRY_ATTRIBUTE, "method", "galpha"));
    CHECK_OK(tn_head_texts(&head, "bodies/names", 2, (const char *const[]){"crank", ""}));
    CHECK_OK(tn_head_put(&head, TN_ENTRY_INTS, "offset", 2, (const int[]){3, -4}, 8));
    put_channel(&head, "time", 1, 1);
    put_channel(&head, "position", 1, 3);
    remove(PATH);
    CHECK(tn_journal_create(PATH, w) == 0);
    CHECK(tn_journal_append(w, TN_JOURNAL_HEAD, 1, &(const tn_bytes){head.text, head.length}) == 0);
    tn_free(head.text);
}

static double number(long row, int column)
{
    return 100.0 * (double)row + column;
}

static void put_rows(tn_journal_writer *w, long first)
{
    double time[ROWS], position[3 * ROWS];
    for (int i = 0; i < ROWS; i++) {
        time[i] = number(first + i, 0);
        for (int k = 0; k < 3; k++)
            position[3 * i + k] = number(first + i, 1 + k);
    }
    const tn_journal_rows_head front = {(uint64_t)first, ROWS, WIDTH};
    const tn_bytes parts[] = {
        {&front, sizeof(front)}, {time, sizeof(time)}, {position, sizeof(position)}};
    CHECK(tn_journal_append(w, TN_JOURNAL_ROWS, TN_COUNT(parts), parts) == 0);
}

static void put_marked(tn_journal_writer *w, tn_journal_type type, long rows, const char *text)
{
    const tn_journal_mark mark = {(uint64_t)rows, (double)rows};
    const tn_bytes parts[] = {{&mark, sizeof(mark)}, {text, strlen(text)}};
    CHECK(tn_journal_append(w, type, 2, parts) == 0);
}

static tn_journal_writer third; // as it stands behind the third block of rows

static void write_whole(void)
{
    tn_journal_writer w;
    begin(&w);
    for (int k = 0; k < BLOCKS; k++) {
        put_rows(&w, ROWS * k);
        if (k == 2)
            third = w;
    }
    put_marked(&w, TN_JOURNAL_END, ROWS * BLOCKS, "done");
    CHECK(tn_journal_sync(&w) == 0 && tn_journal_close(&w) == 0);
}

static long load(char **bytes)
{
    struct stat info;
    CHECK(stat(PATH, &info) == 0);
    *bytes = malloc((size_t)info.st_size);
    FILE *file = fopen(PATH, "rb");
    CHECK(file && fread(*bytes, 1, (size_t)info.st_size, file) == (size_t)info.st_size);
    fclose(file);
    return (long)info.st_size;
}

static void store(const char *bytes, long n)
{
    FILE *file = fopen(PATH, "wb");
    CHECK(file && fwrite(bytes, 1, (size_t)n, file) == (size_t)n);
    fclose(file);
}

// Every row that a journal has is right, or fails with a sentence.
static bool rows_are_right(tn_journal *j)
{
    double out[3 * ROWS * BLOCKS];
    const long n = j->rows;
    CHECK(n <= ROWS * BLOCKS && n % ROWS == 0);
    if (tn_journal_read(j, 1, 0, n, -1, out) != TN_OK) {
        CHECK(strstr(tn_last_error(), "is damaged: the checksum of rows "));
        return false;
    }
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            CHECK(out[3 * i + k] == number(i, 1 + k));
    return true;
}

static void the_checksum_is_that_of_zlib(void)
{
    char zeros[32] = {0};
    CHECK(tn_checksum(0, "123456789", 9) == 0xcbf43926u);
    CHECK(tn_checksum(0, zeros, 32) == 0x190a55adu);
    CHECK(tn_checksum(tn_checksum(0, "12345", 5), "6789", 4) == 0xcbf43926u);
    CHECK(tn_checksum(0, "", 0) == 0);
}

static void what_was_appended_comes_back(void)
{
    tn_journal *j = NULL;
    double out[7];
    int numbers[2];
    write_whole();
    CHECK(tn_journal_is_one(PATH) && !tn_journal_is_one("nowhere"));
    CHECK_OK(tn_journal_open(PATH, &j));
    CHECK(j->rows == ROWS * BLOCKS && !j->warning);
    CHECK_TEXT(j->outcome, "done");
    CHECK_TEXT(tn_journal_find(j, "method")->data, "galpha");
    CHECK(tn_journal_find(j, "bodies/names")->count == 2 && !tn_journal_find(j, "other"));
    memcpy(numbers, tn_journal_find(j, "offset")->data, sizeof(numbers));
    CHECK(numbers[0] == 3 && numbers[1] == -4);
    CHECK(j->channels.count == 2 && tn_journal_channel_width(j, 1) == 3);
    CHECK(rows_are_right(j));
    CHECK_OK(tn_journal_read(j, 1, 2, 7, 2, out)); // over two borders of blocks
    for (int i = 0; i < 7; i++)
        CHECK(out[i] == number(2 + i, 3));
    CHECK_OK(tn_journal_read(j, 0, 19, 1, -1, out));
    CHECK(out[0] == number(19, 0));
    CHECK_STATUS(tn_journal_read(j, 0, 19, 2, -1, out), TN_ERR_USAGE);
    tn_journal_free(j);
    remove(PATH);
}

static void a_journal_that_ends_anywhere_keeps_complete_blocks(void)
{
    char *bytes = NULL;
    long opened = 0;
    write_whole();
    const long n = load(&bytes);
    for (long cut = n; cut >= 0; cut--) {
        tn_journal *j = NULL;
        store(bytes, cut);
        if (tn_journal_open(PATH, &j) == TN_OK) {
            CHECK(rows_are_right(j));
            CHECK(j->rows == ROWS * BLOCKS || cut < n);
            opened++;
        } else {
            CHECK(strstr(tn_last_error(), "its beginning is not that of a journal"));
        }
        tn_journal_free(j);
    }
    CHECK(opened > n / 2);
    free(bytes);
    remove(PATH);
}

static void every_flipped_bit_is_noticed(void)
{
    char *bytes = NULL;
    write_whole();
    const long n = load(&bytes);
    for (long at = 0; at < n; at++) {
        tn_journal *j = NULL;
        bytes[at] ^= (char)(1 << at % 8);
        store(bytes, n);
        if (tn_journal_open(PATH, &j) == TN_OK) {
            const bool right = rows_are_right(j), whole = j->rows == ROWS * BLOCKS;
            CHECK(!right || j->warning || whole); // padding carries no meaning
        } else {
            CHECK(strstr(tn_last_error(), "is damaged: "));
        }
        tn_journal_free(j);
        bytes[at] ^= (char)(1 << at % 8);
    }
    free(bytes);
    remove(PATH);
}

static void a_journal_goes_on_where_it_is_cut(void)
{
    tn_journal *j = NULL;
    tn_journal_writer w;
    write_whole();
    CHECK_OK(tn_journal_open_part(PATH, third.good, &j));
    CHECK(j->good == third.good && j->sequence == third.sequence && j->rows == 3 * ROWS);
    tn_journal_free(j);
    CHECK_OK(tn_journal_open_part(PATH, third.good - 1, &j));
    CHECK(j->good < third.good && j->sequence == third.sequence - 1 && j->rows == 2 * ROWS);
    tn_journal_free(j);
    CHECK(tn_journal_continue(PATH, third.good, third.sequence, &w) == 0);
    put_rows(&w, 3 * ROWS);
    CHECK(tn_journal_close(&w) == 0);
    CHECK_OK(tn_journal_open(PATH, &j));
    CHECK(j->rows == 4 * ROWS && rows_are_right(j) && !j->warning);
    CHECK_TEXT(j->outcome, "running");
    tn_journal_free(j);
    remove(PATH);
}

static void memory_that_runs_out_is_told(void)
{
    tn_journal *j = NULL;
    int n = 1;
    write_whole();
    const long live = tn_test_alloc_live();
    for (bool failed = true; failed; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_journal_open(PATH, &j);
        failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK) && (j == NULL) == failed);
    }
    tn_journal_free(j);
    CHECK(n > 5 && tn_test_alloc_live() == live);
    remove(PATH);
}

static const tn_test tests[] = {
    {"the checksum is that of zlib", the_checksum_is_that_of_zlib},
    {"what was appended comes back", what_was_appended_comes_back},
    {"a journal that ends anywhere keeps complete blocks",
     a_journal_that_ends_anywhere_keeps_complete_blocks},
    {"every flipped bit is noticed", every_flipped_bit_is_noticed},
    {"a journal goes on where it is cut", a_journal_goes_on_where_it_is_cut},
    {"memory that runs out is told", memory_that_runs_out_is_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
