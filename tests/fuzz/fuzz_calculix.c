// SPDX-License-Identifier: MIT
//
// Jobs of CalculiX: the deck, the list of freedoms and two matrices, which lines "%%" part in the
// input.

#include "fuzz.h"

#include "reduce/calculix.h"

static const char *const endings[] = {".inp", ".dof", ".sti", ".mas"};

// Files must not include others: the machine has more than the job does.
static bool includes(char *text)
{
    for (char *at = text; *at; at++)
        if (strncasecmp(at, "include", 7) == 0 || strncasecmp(at, "input", 5) == 0)
            return true;
    return false;
}

static void write_job(char *text)
{
    for (int i = 0; i < TN_COUNT(endings); i++) {
        char *end = strstr(text, "%%\n");
        fuzz_file(endings[i], text, end ? (size_t)(end - text) : strlen(text));
        text = end ? end + 3 : text + strlen(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), job[64];
    tn_deck deck = {0};
    tn_fe fe = {0};
    tn_sparse *K = NULL;
    if (!includes(text)) {
        write_job(text);
        snprintf(job, sizeof job, "%s", fuzz_name(""));
        const tn_status status = tn_deck_read(fuzz_name(".inp"), &deck);
        fuzz_check_status(status);
        tn_deck_find(&deck, "TIP");
        if (status == TN_OK)
            fuzz_check_status(tn_calculix_read(job, &deck, &fe));
        if (status == TN_OK && fe.K)
            fuzz_check_status(tn_calculix_stiffness(job, &fe, &K));
    }
    tn_sparse_destroy(K);
    tn_fe_clear(&fe);
    tn_deck_clear(&deck);
    free(text);
    return 0;
}
