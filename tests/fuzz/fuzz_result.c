// SPDX-License-Identifier: MIT
//
// Journals of runs, behind their checksums: blocks get the sums of what is in them, as a file would
// that was written with bad intent.

#include "fuzz.h"

#include "result/journal_block.h"

enum { MOST_NUMBERS = 1 << 16 };

static void mend_sums(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + sizeof(tn_block_head) <= size;) {
        tn_block_head head;
        memcpy(&head, data + at, sizeof head);
        const size_t left = size - at - sizeof head;
        if (head.length > left)
            head.length = left;
        head.sum = tn_checksum(0, data + at + sizeof head, head.length);
        head.head_sum = tn_block_head_sum(&head);
        memcpy(data + at, &head, sizeof head);
        at += sizeof head + (size_t)tn_block_padded(head.length);
    }
}

static void read_channels(tn_journal *journal)
{
    static double numbers[MOST_NUMBERS];
    const long rows = journal->rows;
    for (int k = 0; k < journal->channels.count; k++) {
        const int width = tn_journal_channel_width(journal, k);
        if (width <= 0 || width > MOST_NUMBERS)
            continue;
        const long most = MOST_NUMBERS / width, n = rows < most ? rows : most;
        fuzz_check_status(tn_journal_read(journal, k, rows - n, n, -1, numbers));
        fuzz_check_status(tn_journal_read(journal, k, 0, n, width - 1, numbers));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = (uint8_t *)fuzz_text(data, size);
    tn_journal *journal = NULL;
    mend_sums(copy, size);
    const tn_status status = tn_journal_open(fuzz_file("", copy, size), &journal);
    fuzz_check_status(status);
    if (status == TN_OK)
        read_channels(journal);
    tn_journal_free(journal);
    free(copy);
    return 0;
}
