// SPDX-License-Identifier: MIT
//
// The journal of a run: an append-only file of blocks, each with its checksum. A process that is
// killed, or a disk that fills up, leaves every block that was complete. docs/formats/journal.md
// has the layout.
//
// The head says what the numbers are, so that a journal is read without the model. Then come rows,
// in the order of time, and one end.

#pragma once

#include "base/array.h"
#include "base/status.h"
#include "text/buffer.h"

#include <stdint.h>

#define TN_JOURNAL_FILE "result.journal"

typedef enum tn_journal_type {
    TN_JOURNAL_HEAD = 'H', // the first block; entries
    TN_JOURNAL_ROWS = 'R', // tn_journal_rows_head, then the numbers channel by channel
    TN_JOURNAL_END = 'E'   // tn_journal_mark, then the outcome as text
} tn_journal_type;

typedef struct tn_journal_rows_head {
    uint64_t first; // row number
    uint32_t rows, width;
} tn_journal_rows_head;

typedef struct tn_journal_mark {
    uint64_t rows; // that come before this block
    double time;   // of the last of them [s]
} tn_journal_mark;

typedef struct tn_bytes {
    const void *at;
    size_t size;
} tn_bytes;

// Writing ----------------------------------------------------------------------------------------

typedef struct tn_journal_writer {
    int fd;
    uint64_t sequence; // of the next block
    int64_t good;      // bytes up to the end of the last complete block
} tn_journal_writer;

// Both return 0 or an errno. Creating fails with EEXIST when the file is there. Going on cuts an
// existing journal at `good` bytes, where block number `sequence` shall follow, both as a writer
// had them.
int tn_journal_create(const char *path, tn_journal_writer *out);
int tn_journal_continue(const char *path, int64_t good, uint64_t sequence, tn_journal_writer *out);
// Appends one block made of some parts (at most 96) and hands it to the system, so that it outlives
// the process. 0 or an errno; then the journal ends with the block before. Allocates nothing.
int tn_journal_append(tn_journal_writer *w, tn_journal_type type, int npart, const tn_bytes *parts);
int tn_journal_sync(const tn_journal_writer *w);
int tn_journal_close(tn_journal_writer *w);

// The head is a list of entries. Names are those of the datasets of result.h5.
typedef enum tn_entry_kind {
    TN_ENTRY_ATTRIBUTE = 1, // one text
    TN_ENTRY_TEXTS = 2,     // `count` texts, each ended by a zero
    TN_ENTRY_INTS = 3,      // `count` 32-bit integers
    TN_ENTRY_FLAGS = 4,     // `count` bytes, 0 or 1
    TN_ENTRY_TEXT = 5,      // one text, a dataset rather than an attribute
    TN_ENTRY_CHANNEL = 6    // `count` owners; tn_entry_channel, then texts: unit, frame, components
} tn_entry_kind;

typedef struct tn_entry_channel {
    uint32_t rank;       // of its dataset, with the rows: 1, 2 or 3
    uint32_t ncomponent; // numbers per owner
} tn_entry_channel;

typedef struct tn_entry {
    tn_entry_kind kind;
    uint32_t count;
    const char *name;
    const char *data; // texts are ended by a zero
    size_t size;
} tn_entry;

// Entries are put one after the other; tn_free the text.
typedef tn_buffer tn_head;

tn_status tn_head_put(tn_head *head, tn_entry_kind kind, const char *name, uint32_t count,
                      const void *data, size_t size);
tn_status tn_head_text(tn_head *head, tn_entry_kind kind, const char *name, const char *text);
tn_status tn_head_texts(tn_head *head, const char *name, int count, const char *const *texts);

// Reading ----------------------------------------------------------------------------------------

// A block of rows: where its payload is in the file.
typedef struct tn_row_block {
    int64_t at;
    uint64_t length;
    long first, rows;
    uint32_t sum;
    bool verified;
} tn_row_block;

typedef struct tn_journal {
    long rows;
    const char *outcome; // "running" when it has no end
    char *warning;       // a sentence when bytes at the end could not be read, else NULL
    TN_ARRAY(tn_entry) entries;
    TN_ARRAY(int) channels; // which entries are channels
    TN_ARRAY(int) offsets;  // numbers of a row in front of each channel
    int width;              // numbers per row
    char *path;
    int fd;
    int64_t size, good; // bytes of the file, and of these up to the last complete block
    uint64_t sequence;  // of the block behind that
    char *head, *end;   // payloads
    char *piece;        // of the file, while it is read
    TN_ARRAY(tn_row_block) blocks;
} tn_journal;

// Takes what is complete at this moment; a block that was cut off at the end is left out. On
// failure *out is NULL.
tn_status tn_journal_open(const char *path, tn_journal **out);
// The same of its first bytes alone, at most `size` of them.
tn_status tn_journal_open_part(const char *path, int64_t size, tn_journal **out);
void tn_journal_free(tn_journal *journal); // NULL is fine
bool tn_journal_is_one(const char *path);  // by its first bytes

const tn_entry *tn_journal_find(const tn_journal *journal, const char *name); // NULL for none
const tn_entry *tn_journal_channel(const tn_journal *journal, int channel);
int tn_journal_channel_width(const tn_journal *journal, int channel); // numbers per row
// n rows of a channel, or one column of them when column >= 0. Rows whose checksum is wrong fail.
tn_status tn_journal_read(tn_journal *journal, int channel, long first, long n, int column,
                          double *out);
